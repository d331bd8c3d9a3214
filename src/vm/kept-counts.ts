// Guest: counts of a bench or of the objects of a revision, kept for later runs. Equal programs in an equal guest give equal
// counts, so they need not be counted again.

import { createHash, hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { type Cache, measureFolder, obtainEntry, publishEntry, removeEntry } from '../cache/cache.ts';
import { markUsed, prune } from '../cache/last-used.ts';
import { version } from '../common/version.ts';
import type { Build, RevisionName } from '../model/build.ts';
import type { GuestProfile, GuestRun, OpenedFiles } from '../model/guest-run.ts';
import { hashOpened, type TreeFiles } from './opened-files.ts';

/** Debian's list of installed packages, with versions. */
const packages = '/var/lib/dpkg/status';
/** Incremented when the kept content changes its meaning. */
const format = 9;
const kind = 'counts';
const file = 'counts.json';
/** File of an entry that lists what the bench of a shape opened. */
const openedFile = 'opened.json';
/** Maximum number of such lists for one shape. */
const maxLists = 8;
/** Maximum size of all entries together, in bytes. The least recently used are removed first. */
const maxKept = 256 * 1024 * 1024;

/** Counts of a boot that ran one revision alone, or of one part of it. */
export interface Counted {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
  readonly opened: readonly OpenedFiles[];
  /** Names of the objects of which a part was left out, because a guest did not survive it. */
  readonly lost: readonly string[];
}

/** Where the counts of a part of a build are kept. */
export interface CountsPlace {
  /** `countsKey` of everything that shapes the counts, but for the built tree. */
  readonly shape: string;
  readonly build: Pick<Build, 'dir' | 'tree' | 'commit'>;
  /** How counts of other trees can be used; undefined if counts are valid for this tree only. */
  readonly others: OtherTrees | undefined;
}

/** Other trees whose counts are valid for a tree: those in which the files that the bench opened are the same. */
export interface OtherTrees {
  readonly files: TreeFiles;
  /** Revisions as which the other trees may have been counted: only base where heads are not trusted. */
  readonly roles: readonly RevisionName[];
  /** Whether counts of this other tree may be used. */
  readonly trusts: (other: Pick<Build, 'tree' | 'commit'>) => Promise<boolean>;
}

/** Counts of an earlier run. */
export interface KeptCounts extends Counted {
  readonly at: Date;
  /** The run that counted: `workflow run 123`, `a run on this machine`. */
  readonly by: string;
}

/** Kept counts as JSON. The revision is always named base, and contents are in base64. */
interface Stored {
  readonly at: string;
  readonly by: string;
  readonly tree: string;
  readonly commit: string | null;
  readonly run: GuestRun;
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly content: string })[];
}

/**
 * Hashes what shapes the counts of a part of a revision. The result is the same for base and head.
 *
 * @param shaping the guest and its files, the commands run in it
 */
export function countsKey(shaping: unknown): string {
  return hash('sha256', JSON.stringify([format, version, shaping]));
}

/** SHA-256 of the files of this host that shape counts in any guest. */
export async function hashGuestFiles(): Promise<string> {
  const hash = createHash('sha256');
  // The files that start the guest, and the host's packages. Benches run with the packages' libraries and interpreters,
  // and a tree of the same name may have been built again with their headers.
  const files = [
    ...['qemu', 'virtme-ng/qemu', 'virtme-ng/start'].map((name) => join(packageRoot, 'vm', name)),
    packages,
  ];
  for (const path of files) hash.update(await readFile(path).catch(() => Buffer.alloc(0)));
  return hash.digest('hex');
}

/** Finds kept counts, renamed to this revision; undefined when there are none that can be read and used. */
export async function findCounts(
  cache: Cache,
  place: CountsPlace,
  revision: RevisionName,
): Promise<KeptCounts | undefined> {
  for (const key of await keysOf(cache, place)) {
    const found = await readCounts(cache, key, revision, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Keys under which the counts of a place can be, the tree's own first. */
export async function keysOf(cache: Cache, { shape, build, others }: CountsPlace): Promise<string[]> {
  const keys = [keyOfTree(shape, build)];
  if (others === undefined) return keys;
  for (let number = 0; number < maxLists; number++) {
    const opened = await readOpened(cache, shape, number);
    if (opened === undefined) continue;
    const digest = await hashOpened(others.files, opened).catch(() => undefined);
    if (digest !== undefined) keys.push(...others.roles.map((role) => keyOfFiles(shape, role, digest)));
  }
  return keys;
}

function keyOfTree(shape: string, { dir }: CountsPlace['build']): string {
  // A kept build's folder is named after everything that went into it.
  return countsKey([shape, 'tree', dir]);
}

/** @param role the revision as which they were counted: base's counts are not kept where a head can have put its own */
function keyOfFiles(shape: string, role: RevisionName, digest: string): string {
  return countsKey([shape, 'files', role, digest]);
}

/** Key of a list of what the bench of a shape opened, from number 0. An entry never changes, so each list has its own. */
function keyOfList(shape: string, number: number): string {
  return countsKey([shape, 'opened', number]);
}

async function readOpened(cache: Cache, shape: string, number: number): Promise<string[] | undefined> {
  try {
    const entry = await obtainEntry(cache, kind, keyOfList(shape, number));
    if (entry === undefined) return undefined;
    const opened: string[] = JSON.parse(await readFile(join(entry, openedFile), 'utf8'));
    await markUsed(entry);
    return opened;
  } catch {
    return undefined;
  }
}

async function readCounts(
  cache: Cache,
  key: string,
  revision: RevisionName,
  { build, others }: CountsPlace,
): Promise<KeptCounts | undefined> {
  const entry = await obtainEntry(cache, kind, key);
  if (entry === undefined) return undefined;
  try {
    const { at, by, tree, commit, run, profiles }: Stored = JSON.parse(await readFile(join(entry, file), 'utf8'));
    if (tree !== build.tree && (await others?.trusts({ tree, commit })) !== true) return undefined;
    await markUsed(entry);
    const contents = profiles.map((profile) => ({ ...profile, content: Buffer.from(profile.content, 'base64') }));
    const counted = { run: { ...run, kept: [revision] }, profiles: contents, opened: [], lost: [] };
    return { at: new Date(at), by, ...renameRevision('base', revision, counted) };
  } catch {
    return undefined;
  }
}

/**
 * Keeps the counts of a boot that ran one revision alone, if they are complete: no bench failed, every count was
 * proven, and every program of every object has a record. They are on the disk when this returns. A cache that cannot
 * be written is ignored.
 */
export async function keepCounts(
  cache: Cache,
  { shape, build, others }: CountsPlace,
  revision: RevisionName,
  counted: Counted,
): Promise<void> {
  if (counted.lost.length > 0 || !isWhole(counted.run)) return;
  const { run, profiles } = renameRevision(revision, 'base', counted);
  const stored: Stored = {
    at: new Date().toISOString(),
    by: describeRun(process.env),
    tree: build.tree,
    commit: build.commit,
    run,
    profiles: profiles.map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  try {
    const publish = (key: string) =>
      publishEntry(cache, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(stored)));
    await publish(keyOfTree(shape, build));
    const opened = others && openedOf(counted, others.files);
    if (others !== undefined && opened !== undefined) {
      await publish(keyOfFiles(shape, revision, await hashOpened(others.files, opened)));
      await keepOpened(cache, shape, opened);
    }
    await pruneCounts(cache);
  } catch {
    // The next run counts again.
  }
}

/** What the part's bench opened of the tree, sorted; undefined if that is not known. */
function openedOf({ opened: [own, ...others] }: Counted, { has }: TreeFiles): string[] | undefined {
  if (own === undefined || others.length > 0) return undefined;
  return own.files?.filter(has).toSorted();
}

/** Keeps a list, unless it is there or all numbers are taken; the tree's own counts are found without it. */
async function keepOpened(cache: Cache, shape: string, opened: readonly string[]): Promise<void> {
  const content = JSON.stringify(opened);
  let free: number | undefined;
  for (let number = maxLists - 1; number >= 0; number--) {
    const known = await readOpened(cache, shape, number);
    if (known === undefined) free = number;
    else if (JSON.stringify(known) === content) return;
  }
  if (free === undefined) return;
  const key = keyOfList(shape, free);
  await publishEntry(cache, kind, key, (folder) => writeFile(join(folder, openedFile), content));
}

/** Removes counts that a boot has just shown to be wrong. */
export async function dropCounts(cache: Cache, place: CountsPlace): Promise<void> {
  for (const key of await keysOf(cache, place)) await removeEntry(cache, kind, key);
}

function describeRun({ GITHUB_RUN_ID: id }: NodeJS.ProcessEnv): string {
  return id === undefined || !/^\d+$/.test(id) ? 'a run on this machine' : `workflow run ${id}`;
}

/** Renames the boot's only revision. */
export function renameRevision(
  from: RevisionName,
  to: RevisionName,
  { run, profiles, opened, lost }: Counted,
): Counted {
  const own = <Item extends { readonly revision: RevisionName }>(items: readonly Item[]): Item[] =>
    items.map((item) => ({ ...item, revision: to }));
  const word = new RegExp(`\\b${from}\\b`);
  return {
    run: {
      ...run,
      benches: own(run.benches),
      programs: own(run.programs),
      objects: own(run.objects),
      loads: own(run.loads),
      warnings: run.warnings.map((warning) => warning.replace(word, to)),
    },
    profiles: own(profiles),
    opened: own(opened),
    lost,
  };
}

function isWhole({ unproven, benches, objects, loads }: GuestRun): boolean {
  return (
    unproven.length === 0 &&
    benches.every(({ exit_code }) => exit_code === 0) &&
    loads.every(({ inputs }) => inputs === undefined || inputs.error === null) &&
    objects.every(({ object, revision, programs, error }) => {
      const own = loads.filter((load) => load.object === object && load.revision === revision);
      // An object has an error also for a map that cannot be made. The next run reports that again.
      return (error === null || programs > 0) && own.length === programs;
    })
  );
}

/** Removes counts until the others, the last used, have the maximum size. */
async function pruneCounts(cache: Cache): Promise<void> {
  let kept = 0;
  await prune(join(cache.root, kind), {
    isEntry: (name) => !name.startsWith('.'),
    stays: async (path) => {
      const bytes = await measureFolder(path).catch(() => 0);
      if (kept + bytes > maxKept) return false;
      kept += bytes;
      return true;
    },
    remove: (path) => removeEntry(cache, kind, basename(path)),
  });
}
