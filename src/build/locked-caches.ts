// Build: finds in the caches of cargo and Go what a project's lock files name, which is all that its build sees of them.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readFileBelow } from '../adapters/regular-file.ts';

/** Maximum size of a go.sum, in bytes. */
const maxSums = 4 * 1024 * 1024;

interface Package {
  readonly name: string;
  /** Null for a package that is found by its path. */
  readonly source: string | null;
  readonly manifest_path: string;
}

/**
 * Finds crates in cargo's folder: each with its archive and its entry of the registry's index, which cargo reads too, or
 * with its repository.
 *
 * @param metadata what `cargo metadata` prints
 * @param home cargo's folder
 * @returns absolute paths, some of which may not be there
 */
export function findCrates(metadata: string, home: string): string[] {
  const { packages }: { readonly packages: readonly Package[] } = JSON.parse(metadata);
  return packages.flatMap(({ name, source, manifest_path: manifest }) => {
    // A dependency by its path can name any folder, such as another project's crate in there.
    if (source === null) return [];
    const [kind, part, holder = '', crate = ''] = relative(home, manifest).split('/');
    if (kind === 'registry' && part === 'src') {
      const index = join('index', holder);
      const files = [`src/${holder}/${crate}`, `cache/${holder}/${crate}.crate`];
      // A registry in a repository of git is that repository.
      const own = [join(index, '.cache', indexPath(name)), ...['config.json', '.git'].map((file) => join(index, file))];
      return [...files, ...own].map((path) => join(home, 'registry', path));
    }
    if (kind !== 'git' || part !== 'checkouts') return [];
    return [join(home, 'git/checkouts', holder, crate), join(home, 'git/db', holder)];
  });
}

/** Path of a crate's entry: https://doc.rust-lang.org/cargo/reference/registry-index.html#index-files */
function indexPath(crate: string): string {
  const name = crate.toLowerCase();
  if (name.length <= 3) return [`${name.length}`, ...(name.length === 3 ? [name.slice(0, 1)] : []), name].join('/');
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}

/**
 * Finds modules in Go's module cache (https://go.dev/ref/mod#module-cache) by the sums of a project's go.sum. One whose
 * sum differs is another's: who only knows its name and version could name it.
 *
 * @param tree absolute path of the tree
 * @param file path of the go.sum or go.work.sum in it
 * @param cache absolute path of Go's module cache
 */
export async function findModules(tree: string, file: string, cache: string): Promise<string[]> {
  const text = await readFileBelow(tree, file, maxSums).catch(() => undefined);
  const found = (text ?? '').split('\n').map(async (line) => {
    const [path = '', named = '', sum, ...rest] = line.trim().split(' ');
    if (!sum?.startsWith('h1:') || rest.length > 0 || `${path}/${named}`.split('/').includes('..')) return [];
    const version = named.replace(/\/go\.mod$/, '');
    const [module, at] = [path, version].map((name) => name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`));
    const stored = join(cache, 'cache/download', `${module}`, '@v', `${at}`);
    if (version !== named) {
      const isOwn = (await readFile(`${stored}.mod`).then(sumOfManifest, () => undefined)) === sum;
      return isOwn ? [`${stored}.mod`, `${stored}.info`] : [];
    }
    const isOwn = (await readFile(`${stored}.ziphash`, 'utf8').catch(() => '')).trim() === sum;
    if (!isOwn) return [];
    return [...['.zip', '.ziphash', '.info'].map((end) => stored + end), join(cache, `${module}@${at}`)];
  });
  return (await Promise.all(found)).flat();
}

/** A go.mod's sum: of a list of files, which has this one. */
function sumOfManifest(manifest: Buffer): string {
  const sha256 = (content: Buffer | string) => createHash('sha256').update(content);
  return `h1:${sha256(`${sha256(manifest).digest('hex')}  go.mod\n`).digest('base64')}`;
}

/** Paths of a Go module's lock files: its own, and those of workspaces above it. */
export function sumFiles(tree: string, folder: string): string[] {
  const files = [relative(tree, join(folder, 'go.sum'))];
  for (let at = relative(tree, folder); ; at = dirname(at)) {
    files.push(join(at, 'go.work.sum'));
    if (at === '' || at === '.') return files;
  }
}
