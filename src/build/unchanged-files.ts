// Build: finds the files of a revision that may keep the time at which another revision's build found them, so that
// cargo treats what it compiled from them as up to date. cargo knows only the files that a compiler or build script
// names. What others read silently (macros, build scripts that start a build of their own) would be compiled from old
// content. So files keep their times only where no macro or build script of the workspace could have read what changed.
// Two cases are missed: a macro of a dependency that silently reads another package's Rust sources, and a build script
// that reads them and has neither their path nor their package's name in its text. Pure.

import { posix } from 'node:path';
import { dependencyEntries, parseTable, type Table, table } from '../common/cargo-manifest.ts';

/** A tree's files: mode and object id of each, by its path. */
export type TreeFiles = ReadonlyMap<string, string>;

/**
 * @param texts the text of each file of `after` for which `decidesTimes` is true, by its path
 * @param rebuilt files of `before` that its build has changed
 * @returns paths of regular files that are equal in both, in packages that have no changed, added or removed file and no
 * build script that could have read one; none where anything changed that is neither Rust nor cargo's, or where a
 * package holds macros
 */
export function findUnchanged(
  before: TreeFiles,
  after: TreeFiles,
  texts: ReadonlyMap<string, string>,
  rebuilt: readonly string[],
): string[] {
  const all = new Set([...before.keys(), ...after.keys(), ...rebuilt]);
  const changed = new Set([...all].filter((path) => before.get(path) !== after.get(path)).concat(rebuilt));
  if ([...changed].some((path) => !isCargos(path))) return [];
  const folders = new Set([...all].filter(isManifest).map(folderOf));
  const touched = new Set([...changed].map((path) => packageOf(path, folders)));
  // A build script can ask cargo for all manifests of the workspace.
  const areOnlySources = [...changed].every((path) => path.endsWith('.rs'));
  const workspace = new Workspace(texts, folders);
  const stale = new Set(touched);
  for (const [path, text] of texts) {
    if (!isManifest(path)) continue;
    const folder = folderOf(path);
    const kind = kindOf(text);
    if (kind === 'macros' && changed.size > 0) return [];
    if (kind === 'plain' && !after.has(`${folder}build.rs`)) continue;
    const read = areOnlySources ? workspace.readBy(folder) : undefined;
    if (read === undefined || [...read].some((own) => touched.has(own))) stale.add(folder);
  }
  return [...after].flatMap(([path, entry]) =>
    entry.startsWith('100') && !stale.has(packageOf(path, folders)) ? [path] : [],
  );
}

/** Returns the folders, without a `/` at their ends, in which both trees have the same files, all of them unchanged. */
export function unchangedFolders(before: TreeFiles, after: TreeFiles, unchanged: readonly string[]): string[] {
  const [old, now, kept] = [before.keys(), after.keys(), unchanged].map(countBelow);
  return [...(kept ?? [])].flatMap(([folder, count]) =>
    count === old?.get(folder) && count === now?.get(folder) ? [folder] : [],
  );
}

/** Counts the files below each folder. */
function countBelow(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return counts;
}

/** Whether `findUnchanged` needs the text of a file. */
export function decidesTimes(path: string): boolean {
  return isManifest(path) || isSettings(path) || path === 'build.rs' || path.endsWith('/build.rs');
}

/** Code by which a build script can find files or packages that its text does not name. */
const hidden =
  /\b(mod|include|include_str|include_bytes|parent|ancestors|pop|current_dir|\w*workspace\w*|xtask)\b|--all\b|["'/]\.\.["'\\]/i;
/** A path with a `..` in it, a range, or the rest of a struct. */
const upward = /[\w./-]*\.\.[\w./-]*/g;

/** The manifests, settings and build scripts of a workspace, which tell what a build script may read. */
class Workspace {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #folders: ReadonlySet<string>;
  readonly #tables: ReadonlyMap<string, Table>;
  /** Variables that cargo's settings give to build scripts. They may hold paths. */
  readonly #variables: readonly string[];
  /** Whether a package can take the place of another one of that name. */
  readonly #replaces: boolean;

  constructor(texts: ReadonlyMap<string, string>, folders: ReadonlySet<string>) {
    const written = [...texts].filter(([path]) => isManifest(path) || isSettings(path));
    this.#texts = texts;
    this.#folders = folders;
    this.#tables = new Map(written.map(([path, text]) => [path, parseTable(text) ?? {}]));
    const tables = [...this.#tables.values()];
    this.#variables = tables.flatMap(({ env }) => Object.keys(table(env)));
    this.#replaces = tables.some((own) => ['patch', 'replace', 'paths'].some((section) => section in own));
  }

  /**
   * @param folder of a package with a build script
   * @returns folders of the packages that the script may read: those that its text names and what these depend on;
   * undefined when it may read any
   */
  readBy(folder: string): ReadonlySet<string> | undefined {
    const found = new Set<string>();
    const pending = this.#replaces ? undefined : this.#namedBy(folder);
    if (pending === undefined) return undefined;
    for (let own = pending.pop(); own !== undefined; own = pending.pop()) {
      if (found.has(own)) continue;
      found.add(own);
      // The script may build a package that it names, which may have a build script too.
      const named = this.#namedBy(own);
      if (named === undefined) return undefined;
      pending.push(...named, ...this.#dependenciesOf(own));
    }
    return found;
  }

  /** Returns folders of the packages that a package's build script names, if it has one; undefined for any. */
  #namedBy(folder: string): string[] | undefined {
    const { build, links } = table(this.#tables.get(`${folder}Cargo.toml`)?.package);
    if (build !== undefined || links !== undefined) return undefined;
    const script = this.#texts.get(`${folder}build.rs`);
    if (script === undefined) return [];
    // The workspace's own helpers could name any path.
    if (this.#dependenciesOf(folder, ['build-dependencies']).length > 0) return undefined;
    if (hidden.test(script) || this.#variables.some((name) => script.includes(name))) return undefined;
    const paths = [...script.matchAll(upward)].map(([path]) => path).filter((path) => path.includes('/'));
    const named = paths.map((path) => posix.join(folder, path.replace(/^\/+/, '')).replace(/\/+$/, ''));
    if (named.some((path) => path.startsWith('.'))) return undefined;
    const isNamed = (own: string) => script.includes(packageNameOf(this.#texts.get(`${own}Cargo.toml`) ?? '') ?? own);
    return [
      ...named.map((path) => packageOf(`${path}/`, this.#folders)),
      ...[...this.#folders].filter((own) => named.some((path) => own.startsWith(`${path}/`))),
      ...[...this.#folders].filter((own) => isNamed(own)),
    ];
  }

  /** Returns folders of the tree's packages that a package depends on. */
  #dependenciesOf(folder: string, kinds?: readonly string[]): string[] {
    const manifest = this.#tables.get(`${folder}Cargo.toml`) ?? {};
    return dependencyEntries(manifest, kinds).flatMap(([name, dependency]) => [
      ...folderOfDependency(folder, dependency),
      ...(table(dependency).workspace === true ? this.#inherited(name) : []),
    ]);
  }

  #inherited(name: string): string[] {
    return [...this.#tables].flatMap(([file, { workspace }]) =>
      folderOfDependency(folderOf(file), table(table(workspace).dependencies)[name]),
    );
  }
}

/** Returns the folder of a dependency by path; empty for any other. */
function folderOfDependency(from: string, dependency: unknown): string[] {
  const { path } = table(dependency);
  if (typeof path !== 'string') return [];
  const joined = posix.join(from, path, '/');
  return [joined === './' ? '' : joined];
}

/** The kind of package that a manifest describes; the worst for a manifest that cannot be parsed. */
function kindOf(manifest: string): 'macros' | 'build script' | 'plain' {
  const content = parseTable(manifest);
  if (content === undefined) return 'macros';
  const [own, lib] = [table(content.package), table(content.lib)];
  const types = lib['crate-type'] ?? lib.crate_type;
  const isMacros = lib['proc-macro'] === true || lib.proc_macro === true;
  if (isMacros || (Array.isArray(types) && types.includes('proc-macro'))) return 'macros';
  // By default cargo takes `build.rs`, which `findUnchanged` looks for.
  return own.build === undefined && own.links === undefined ? 'plain' : 'build script';
}

/** Name of the package that a manifest describes; undefined where there is none. */
export function packageNameOf(manifest: string): string | undefined {
  const { name } = table(parseTable(manifest)?.package);
  return typeof name === 'string' ? name : undefined;
}

/** Whether it is cargo's settings, which apply to the folders below. */
function isSettings(path: string): boolean {
  return /(^|\/)\.cargo\/config(\.toml)?$/.test(path);
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
