// Build: finds the files of a revision that may keep the time at which another revision's build found them, so that
// cargo treats what it compiled from them as up to date. cargo knows only the files that a compiler or build script
// names. What others read silently (macros, build scripts that start a build of their own) would be compiled from old
// content. So files keep their times only where no macro or build script of the workspace could have read what changed.
// One case is missed: a macro of a dependency that silently reads another package's Rust sources. Pure.

import { parse } from 'smol-toml';

/** A tree's files: mode and object id of each, by its path. */
export type TreeFiles = ReadonlyMap<string, string>;

/**
 * @param manifests the text of each `Cargo.toml` of `after`, by its path
 * @param rebuilt files of `before` that its build has changed
 * @returns paths of regular files that are equal in both, in packages that have no build script and no changed, added
 * or removed file; none where anything changed that is neither Rust nor cargo's, or where a package holds macros
 */
export function findUnchanged(
  before: TreeFiles,
  after: TreeFiles,
  manifests: ReadonlyMap<string, string>,
  rebuilt: readonly string[],
): string[] {
  const all = new Set([...before.keys(), ...after.keys(), ...rebuilt]);
  const changed = new Set([...all].filter((path) => before.get(path) !== after.get(path)).concat(rebuilt));
  if ([...changed].some((path) => !isCargos(path))) return [];
  const folders = new Set([...all].filter(isManifest).map(folderOf));
  const stale = new Set([...changed].map((path) => packageOf(path, folders)));
  for (const [path, text] of manifests) {
    const folder = folderOf(path);
    const kind = kindOf(text);
    if (kind === 'macros' && changed.size > 0) return [];
    if (kind !== 'plain' || after.has(`${folder}build.rs`)) stale.add(folder);
  }
  return [...after].flatMap(([path, entry]) =>
    entry.startsWith('100') && !stale.has(packageOf(path, folders)) ? [path] : [],
  );
}

/** The kind of package that a manifest describes; the worst for a manifest that cannot be parsed. */
function kindOf(manifest: string): 'macros' | 'build script' | 'plain' {
  try {
    const { package: own = {}, lib = {} } = parse(manifest) as Record<string, Record<string, unknown>>;
    const types = lib['crate-type'] ?? lib.crate_type;
    const isMacros = lib['proc-macro'] === true || lib.proc_macro === true;
    if (isMacros || (Array.isArray(types) && types.includes('proc-macro'))) return 'macros';
    // By default cargo takes `build.rs`, which `findUnchanged` looks for.
    return own.build === undefined && own.links === undefined ? 'plain' : 'build script';
  } catch {
    return 'macros';
  }
}

export function isManifest(path: string): boolean {
  return path === 'Cargo.toml' || path.endsWith('/Cargo.toml');
}

/** Whether it is Rust, whose compiler names what it reads, or a file that cargo reads itself. */
function isCargos(path: string): boolean {
  return path.endsWith('.rs') || isManifest(path) || path === 'Cargo.lock' || path.endsWith('/Cargo.lock');
}

/** Folder of a path, with its `/`; empty at the root. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The folder of the nearest manifest above; empty also where there is none. */
function packageOf(path: string, packages: ReadonlySet<string>): string {
  let folder = folderOf(path);
  while (folder !== '' && !packages.has(folder)) folder = folderOf(folder.slice(0, -1));
  return folder;
}
