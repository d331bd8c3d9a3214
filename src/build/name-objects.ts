// Build: selects a build's BPF objects from the files it left, and gives each one name for both revisions. Pure.

import { withoutTarget } from '../common/bpf-object.ts';
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
 * A build leaves more files: cargo leaves a second link in `deps`, or since 2026 in `build/PACKAGE/HASH/out`, and the
 * results of earlier builds in the same target folder under another hash; C projects leave copies of one object. Of
 * paths that differ only in cargo's hashes, the one written last stays. Of places with equal contents in both revisions,
 * the shortest path stays. The name is the file's, without hash, `.o` and `.bpf`. Where files of several folders share
 * it, or what bpf2go adds to a name, a distinguishing folder comes first in all of them: `agent.probe` and
 * `server.probe`, `root.probe` without a folder.
 *
 * @param globs those of `build.objects`; null for all
 * @param keepsCopies whether places with equal contents all stay, because the user named them. Default false
 * @param globsOfBase those of base's own `build.objects`. Default: the same
 */
export function nameObjects(
  found: readonly FoundObject[],
  globs: readonly string[] | null,
  keepsCopies = false,
  globsOfBase = globs,
): BpfObject[] {
  const newest = revisionNames.flatMap((revision) => {
    const own = found
      .filter((each) => each.revision === revision && isWanted(each, revision === 'base' ? globsOfBase : globs))
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
  return !/(^|\/)(deps|build\/[^/]+\/[0-9a-f]{16}\/out)\/[^/]+-[0-9a-f]{16}(\.o)?$/.test(path);
}

/** Removes what cargo adds to names of packages and targets: 16 hexadecimal digits behind `-`, or as a folder of `out`. */
function withoutHashes(path: string): string {
  return path.replace(/-[0-9a-f]{16}(?=[./]|$)|\/[0-9a-f]{16}(?=\/out\/)/g, '');
}

/** Gives each path a unique name, of characters without a meaning in file names. */
function namePlaces(paths: readonly string[]): Map<string, string> {
  const stemOf = (path: string) => (path.split('/').at(-1) ?? path).replace(/\.o$/, '').replace(/\.bpf$/, '');
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const next = new Map<string, number>();
  const kindOf = (path: string) => withoutTarget(stemOf(path));
  const alike = new Map(groupBy(paths, kindOf).map((group) => [kindOf(group[0]), countFolders(group)]));
  for (const path of paths.toSorted()) {
    const stem = stemOf(path);
    const { count = 0, folders: sharing } = alike.get(kindOf(path)) ?? {};
    const folders = foldersOf(path);
    // The innermost folder that none of the others has at any depth.
    const telling = folders.findLast((folder) => sharing?.get(folder) === 1);
    const folder = telling ?? (folders.join('.') || 'root');
    const wanted = clean(count === 1 ? stem : `${folder}.${stem}`);
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

/** Counts the folders that hold the paths, and for each folder the paths that have it at any depth. */
function countFolders(paths: readonly string[]): { count: number; folders: ReadonlyMap<string, number> } {
  const folders = new Map<string, number>();
  for (const folder of paths.flatMap((path) => [...new Set(foldersOf(path))])) {
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return { count: new Set(paths.map((path) => foldersOf(path).join('/'))).size, folders };
}

/** Makes a name that the guest agent accepts: letters and digits of all scripts, and a few signs. */
function clean(text: string): string {
  const plain = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.+@=-]/gu, '_');
  return [...plain].slice(-90).join('').replace(/^\.+/, '') || '_';
}
