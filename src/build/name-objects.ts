// Build: selects a build's BPF objects from the files it left, and gives each one name for both revisions. Pure.

import { matchesGlob } from '../common/glob.ts';
import { distinctBy, groupBy } from '../common/group-by.ts';
import { type BpfObject, type RevisionName, revisionNames } from '../model/build.ts';

/** A BPF object file in a built tree. */
export interface FoundObject {
  readonly revision: RevisionName;
  /** Path below the tree. */
  readonly path: string;
  /** Path below the project, or below the tree where the object lies outside of the project. */
  readonly projectPath: string;
  /** SHA-256 of its content. */
  readonly digest: string;
  readonly modifiedMs: number;
}

/**
 * Selects one object for each thing that was built, with the same name in base and head. Sorts them by name.
 *
 * A build leaves more files: cargo leaves a second link in `deps`, and the results of earlier builds in the same target
 * folder under another hash; C projects leave copies of one object. Of paths that differ only in cargo's hashes, the
 * one written last stays. Of places with equal contents in both revisions, the shortest path stays. The name is the
 * file's, without hash, `.o` and `.bpf`. Where several share it, a distinguishing folder comes first: `agent.probe` and
 * `server.probe`.
 *
 * @param globs those of `build.objects`; null for all
 * @param keepsCopies whether places with equal contents all stay, because the user named them. Default false
 */
export function nameObjects(
  found: readonly FoundObject[],
  globs: readonly string[] | null,
  keepsCopies = false,
): BpfObject[] {
  const newest = revisionNames.flatMap((revision) => {
    const own = found
      .filter((each) => each.revision === revision && isWanted(each, globs))
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
    return distinctBy(own, ({ path }) => withoutHashes(path));
  });
  const kept = keepsCopies ? newest : withoutCopies(newest);
  const places = [...new Set(kept.map(({ path }) => withoutHashes(path)))];
  const names = namePlaces(places);
  return kept
    .map(({ revision, path, digest }) => ({ name: names.get(withoutHashes(path)) ?? path, revision, path, digest }))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * Keeps the shortest path of the places whose contents are equal in both revisions. A place that only one revision has
 * is a copy if a kept place has the same content in that revision.
 */
function withoutCopies(objects: readonly FoundObject[]): FoundObject[] {
  const places = groupBy(objects, ({ path }) => withoutHashes(path)).toSorted(
    (a, b) =>
      b.length - a.length ||
      (a[0]?.path.length ?? 0) - (b[0]?.path.length ?? 0) ||
      ((a[0]?.path ?? '') < (b[0]?.path ?? '') ? -1 : 1),
  );
  const kept: FoundObject[][] = [];
  // Contents of kept places, in one revision and in both. A set, because a build can leave very many objects.
  const known = new Set<string>();
  const contentOf = ({ revision, digest }: FoundObject) => `${revision} ${digest}`;
  for (const place of places) {
    const contents = place.map(contentOf).toSorted();
    if (known.has(contents.join())) continue;
    for (const content of [...contents, contents.join()]) known.add(content);
    kept.push(place);
  }
  return kept.flat();
}

function isWanted({ path, projectPath }: FoundObject, globs: readonly string[] | null): boolean {
  if (globs !== null) return globs.some((glob) => matchesGlob(glob, projectPath));
  return !/(^|\/)deps\/[^/]+-[0-9a-f]{16}(\.o)?$/.test(path);
}

/** Removes what cargo adds to names of packages and targets: `-` and 16 hexadecimal digits. */
function withoutHashes(path: string): string {
  return path.replace(/-[0-9a-f]{16}(?=[./]|$)/g, '');
}

/** Gives each path a unique name, of characters without a meaning in file names. */
function namePlaces(paths: readonly string[]): Map<string, string> {
  const stemOf = (path: string) => (path.split('/').at(-1) ?? path).replace(/\.o$/, '').replace(/\.bpf$/, '');
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const next = new Map<string, number>();
  const alike = new Map(groupBy(paths, stemOf).map((group) => [stemOf(group[0]), countFolders(group)]));
  for (const path of paths.toSorted()) {
    const stem = stemOf(path);
    const { count = 0, folders: sharing } = alike.get(stem) ?? {};
    const folders = foldersOf(path);
    // The innermost folder that none of the others has at any depth.
    const telling = folders.findLast((folder) => sharing?.get(folder) === 1);
    const wanted = clean(count === 1 ? stem : `${telling ?? folders.join('.')}.${stem}`);
    let number = next.get(wanted) ?? 1;
    let name = wanted;
    while (taken.has(name)) name = `${wanted}.${++number}`;
    next.set(wanted, number);
    taken.add(name);
    names.set(path, name);
  }
  return names;
}

function foldersOf(path: string): string[] {
  return path.split('/').slice(0, -1);
}

/** Counts the paths, and for each folder the paths that have it at any depth. */
function countFolders(paths: readonly string[]): { count: number; folders: ReadonlyMap<string, number> } {
  const folders = new Map<string, number>();
  for (const folder of paths.flatMap((path) => [...new Set(foldersOf(path))])) {
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return { count: paths.length, folders };
}

/** Makes a name that the guest agent accepts. */
function clean(text: string): string {
  const plain = text.replace(/[^\w.+@=-]/g, '_').slice(-90);
  return plain.replace(/^\.+/, '') || '_';
}
