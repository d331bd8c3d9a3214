// Guest: counts of a bench or of the objects of a revision, kept for later runs. Equal programs in an equal guest give equal
// counts, so they need not be counted again.

import { createHash, hash } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { type Cache, obtainEntry, publishEntry, removeEntry } from '../cache/cache.ts';
import { version } from '../common/version.ts';
import type { RevisionName } from '../model/build.ts';
import type { GuestProfile, GuestRun } from '../model/guest-run.ts';

/** Debian's list of installed packages, with versions. */
const packages = '/var/lib/dpkg/status';
/** Incremented when the kept content changes its meaning. */
const format = 8;
const kind = 'counts';
const file = 'counts.json';
/** Maximum size of all entries together, in bytes. The least recently used are removed first. */
const maxKept = 256 * 1024 * 1024;

/** Counts of a boot that ran one revision alone, or of one part of it. */
export interface Counted {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
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
 * Makes the key of one part of a revision's counts. The key is the same for base and head.
 *
 * @param shaping everything that shapes the counts: the guest and its files, the built tree, the commands run in it
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

/** Finds the counts kept under the key, renamed to this revision; undefined when there are none that can be read. */
export async function findCounts(cache: Cache, key: string, revision: RevisionName): Promise<KeptCounts | undefined> {
  const entry = await obtainEntry(cache, kind, key);
  if (entry === undefined) return undefined;
  try {
    const { at, by, run, profiles }: Stored = JSON.parse(await readFile(join(entry, file), 'utf8'));
    const now = new Date();
    await utimes(entry, now, now);
    const contents = profiles.map((profile) => ({ ...profile, content: Buffer.from(profile.content, 'base64') }));
    return {
      at: new Date(at),
      by,
      ...renameRevision('base', revision, { run: { ...run, kept: [revision] }, profiles: contents }),
    };
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
  if (!isWhole(counted.run)) return;
  const { run, profiles } = renameRevision(revision, 'base', counted);
  const stored: Stored = {
    at: new Date().toISOString(),
    by: describeRun(process.env),
    run,
    profiles: profiles.map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  try {
    await publishEntry(cache, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(stored)));
    await prune(cache);
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
export function renameRevision(from: RevisionName, to: RevisionName, { run, profiles }: Counted): Counted {
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

async function prune(cache: Cache): Promise<void> {
  const folder = join(cache.root, kind);
  const entries = await Promise.all(
    (await readdir(folder))
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => {
        // Another run may remove an entry meanwhile.
        const [entry, content] = await Promise.all(
          [join(folder, name), join(folder, name, file)].map((path) => stat(path).catch(() => undefined)),
        );
        return { name, usedMs: entry?.mtimeMs ?? 0, bytes: content?.size ?? 0 };
      }),
  );
  let kept = 0;
  for (const { name, bytes } of entries.sort((a, b) => b.usedMs - a.usedMs)) {
    if (kept + bytes > maxKept) await dropCounts(cache, name);
    else kept += bytes;
  }
}
