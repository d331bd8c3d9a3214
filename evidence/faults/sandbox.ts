// Sandbox: project, cache, temporary folder and output folder of one gate, below one path. Every program of the gate
// has that path in its arguments, environment or working folder. So its leftovers can be distinguished from what other
// gates on the machine are doing.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { commit } from '../../tests/e2e/gated-project.ts';

export interface Sandbox {
  /** Absolute path, links followed; everything else is below it. */
  readonly folder: string;
  readonly project: string;
  /** BPFGATE_CACHE. */
  readonly cache: string;
  /** TMPDIR. */
  readonly temporary: string;
  readonly out: string;
}

/** The second bench's command in head, and the build of both revisions. */
export interface Trouble {
  /** A shell script. Default: base's. */
  readonly script?: string | undefined;
  /** `build.command`. */
  readonly build?: string | undefined;
}

/** Kinds of the cache's entries whose contents are the same wherever they are made. */
export const fixedKinds = ['agent', 'boot-images', 'initramfs', 'kernels-2', 'plugin'] as const;
/** Kinds of entries that may be copied from one cache to another. */
const carriedKinds = [...fixedKinds, 'snapshots'];

const sources = join(packageRoot, 'tests', 'e2e', 'fixtures', 'raw-bpf');
const harmless = 'exec ./lives\n';
/** What head's `bpf.h` has, and base's does not. */
export const ofHead = '/* not staged */\n';
const compile = 'cc -O2 -o lives lives.c';

/** @param folder an existing folder, for this sandbox only */
export function makeSandbox(folder: string, trouble: Trouble = {}): Sandbox {
  const own = realpathSync(folder);
  const at = (name: string) => join(own, name);
  const sandbox = { folder: own, project: at('project'), cache: at('cache'), temporary: at('tmp'), out: at('out') };
  for (const each of [sandbox.project, sandbox.cache, sandbox.temporary, at(shown)]) mkdirSync(each);
  makeWorkingTree(sandbox.project, trouble);
  return sandbox;
}

/**
 * Makes a repository with a commit `base`, and a working tree with every state that must survive: a staged change, an
 * unstaged one, one of each in the same file, an untracked file, an ignored file, a stash.
 */
function makeWorkingTree(project: string, { script, build = compile }: Trouble): void {
  for (const name of ['lives.c', 'bpf.h']) copyFileSync(join(sources, name), join(project, name));
  const bench = (name: string, command: string) => `[[bench]]\nname = "${name}"\ncommand = "${command}"\n`;
  commit(project, 'base', {
    'bpfgate.toml': `[build]\ncommand = ${JSON.stringify(build)}\n${bench('lives', './lives')}${bench('trouble', 'sh ./trouble.sh')}`,
    'trouble.sh': harmless,
    '.gitignore': 'ignored\n',
    notes: 'one\n',
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=f', '-c', 'user.email=f@bpfgate.invalid', ...args], { cwd: project });
  appendFileSync(join(project, 'notes'), 'stashed\n');
  git('stash', 'push', '--quiet');
  appendFileSync(join(project, 'notes'), 'staged\n');
  git('add', 'notes');
  appendFileSync(join(project, 'notes'), 'not staged\n');
  appendFileSync(join(project, 'bpf.h'), ofHead);
  writeFileSync(join(project, 'unknown'), 'nobody added this\n');
  writeFileSync(join(project, 'ignored'), 'nobody sees this\n');
  if (script !== undefined) writeFileSync(join(project, 'trouble.sh'), script);
}

/** A folder in the sandbox's folder, whose content builds can see. */
const shown = 'shown';
/** A file that exists once the fault is over. */
export const peace = `${shown}/peace`;

/** The environment of every program of a sandbox's gate. */
export function sandboxEnvironment({ temporary, cache, folder }: Sandbox): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TMPDIR: temporary,
    BPFGATE_CACHE: cache,
    BPFGATE_FAULT: folder,
    BPFGATE_GUEST_READ: join(folder, shown),
  };
}

/**
 * Fills a cache from another: tools are linked, entries are copied, by hard links where the file system allows them.
 *
 * @param kinds the kinds to copy; default: all that are valid elsewhere
 */
export function fillCache(cache: string, from: string, kinds: readonly string[] = carriedKinds): void {
  for (const name of ['tools', 'rust-src']) {
    if (existsSync(join(from, name))) symlinkSync(realpathSync(join(from, name)), join(cache, name));
  }
  for (const kind of kinds) {
    const source = join(from, kind);
    if (existsSync(source)) copyLinked(source, join(cache, kind));
  }
}

function copyLinked(from: string, to: string): void {
  try {
    execFileSync('cp', ['--archive', '--link', from, to], { stdio: 'ignore' });
  } catch {
    execFileSync('rm', ['-rf', to]);
    execFileSync('cp', ['--archive', '--reflink=auto', from, to]);
  }
}

/** Copies from the machine's own cache what every gate needs: tools, the guest's programs, and these kernels' entries. */
export function seedCache(cache: string, images: readonly string[]): void {
  const own = realpathSync(locateCache());
  fillCache(cache, own, ['agent', 'plugin']);
  mkdirSync(join(cache, 'kernels-2'), { recursive: true });
  for (const image of images) {
    // `.../kernels-2/KEY/vmlinuz`
    const key = /\/kernels-2\/([^/]+)\//.exec(image)?.[1];
    if (key === undefined) throw new Error(`${image} is no kernel of a cache`);
    cpSync(join(own, 'kernels-2', key), join(cache, 'kernels-2', key), { recursive: true, verbatimSymlinks: true });
  }
}

/** Every file, folder and link below a folder: path to kind, mode, time of change and SHA-256 of the content. */
export function fingerprintTree(folder: string, options: { readonly times: boolean }): Map<string, string> {
  const prints = new Map<string, string>();
  const visit = (path: string, name: string) => {
    const stats = lstatSync(path, { bigint: true });
    // git refreshes the times of objects that it would have written again, also in stores that it does not write to.
    const isTimed = options.times && !name.includes('/.git/objects/');
    const what = [stats.mode.toString(8), ...(isTimed ? [stats.mtimeNs] : [])].join(' ');
    if (stats.isSymbolicLink()) prints.set(name, `link ${what} ${readlinkSync(path)}`);
    else if (stats.isDirectory()) {
      prints.set(name, `folder ${what}`);
      for (const entry of readdirSync(path)) visit(join(path, entry), `${name}/${entry}`);
    } else if (stats.isFile()) prints.set(name, `file ${what} ${sha256(path)}`);
    else prints.set(name, `other ${what}`);
  };
  visit(folder, basename(folder));
  return prints;
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The differences between two fingerprints of a tree, in words. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) return [];
    return [was === undefined ? `${name} is new` : is === undefined ? `${name} is gone` : `${name} was changed`];
  });
}

/** Names in a folder, none if there is no such folder. */
export function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
