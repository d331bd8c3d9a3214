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
import type { GuestProfile, GuestRun } from '../model/guest-run.ts';

/** Debian's list of installed packages, with versions. */
const packages = '/var/lib/dpkg/status';
/** Incremented when the kept content changes its meaning. */
const format = 11;
const kind = 'counts';
const file = 'counts.json';
/** Maximum size of all entries together, in bytes. The least recently used are removed first. */
const maxKept = 256 * 1024 * 1024;

/** Counts of a boot that ran one revision alone, or of one part of it. */
export interface Counted {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
  /** Names of the objects of which a part was left out, because a guest did not survive it. */
  readonly lost: readonly string[];
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
  readonly run: GuestRun;
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly content: string })[];
}

/**
 * Hashes what shapes the counts of a part of a revision. The result is the same for base and head.
 *
 * @param dir of the build, which is named after everything that went into it
 * @param shaping the guest and its files, the commands run in it
 */
export function countsKey({ dir }: Pick<Build, 'dir'>, shaping: unknown): string {
  return hash('sha256', JSON.stringify([format, version, dir, shaping]));
}

/** SHA-256 of the files of this host that shape counts in any guest. */
export async function hashGuestFiles(): Promise<string> {
  const hash = createHash('sha256');
  // The file that starts the guest, and the host's packages. Benches run with the packages' libraries and interpreters,
  // and a tree of the same name may have been built again with their headers.
  const files = [join(packageRoot, 'vm', 'qemu'), packages];
  for (const path of files) hash.update(await readFile(path).catch(() => Buffer.alloc(0)));
  return hash.digest('hex');
}

/** Finds kept counts, renamed to this revision; undefined when there are none that can be read. */
export async function findCounts(cache: Cache, key: string, revision: RevisionName): Promise<KeptCounts | undefined> {
  const entry = await obtainEntry(cache, kind, key);
  if (entry === undefined) return undefined;
  try {
    const { at, by, run, profiles }: Stored = JSON.parse(await readFile(join(entry, file), 'utf8'));
    await markUsed(entry);
    const contents = profiles.map((profile) => ({ ...profile, content: Buffer.from(profile.content, 'base64') }));
    const counted = { run: { ...run, kept: [revision] }, profiles: contents, lost: [] };
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
export async function keepCounts(cache: Cache, key: string, revision: RevisionName, counted: Counted): Promise<void> {
  if (counted.lost.length > 0 || !isWhole(counted.run)) return;
  const { run, profiles } = renameRevision(revision, 'base', counted);
  const stored: Stored = {
    at: new Date().toISOString(),
    by: describeRun(process.env),
    run,
    profiles: profiles.map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  try {
    await publishEntry(cache, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(stored)));
    await pruneCounts(cache);
  } catch {
    // The next run counts again.
  }
}

/** Removes counts that a boot has just shown to be wrong. */
export async function dropCounts(cache: Cache, key: string): Promise<void> {
  await removeEntry(cache, kind, key);
}

function describeRun({ GITHUB_RUN_ID: id }: NodeJS.ProcessEnv): string {
  return id === undefined || !/^\d+$/.test(id) ? 'a run on this machine' : `workflow run ${id}`;
}

/** Renames the boot's only revision. */
export function renameRevision(from: RevisionName, to: RevisionName, { run, profiles, lost }: Counted): Counted {
  const own = <Item extends { readonly revision: RevisionName }>(items: readonly Item[]): Item[] =>
    items.map((item) => ({ ...item, revision: to }));
  return {
    run: {
      ...run,
      benches: own(run.benches),
      programs: own(run.programs),
      objects: own(run.objects),
      loads: own(run.loads),
      warnings: run.warnings.map((each) => (each.revision === from ? { ...each, revision: to } : each)),
    },
    profiles: own(profiles),
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
