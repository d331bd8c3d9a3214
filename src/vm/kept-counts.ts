// What the benches or the objects of a revision counted, kept for later runs: equal programs in an equal guest give equal
// counts, so they need not be counted again.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import type { RevisionName } from '../build/build.ts';
import { type Cache, obtainEntry, publishEntry, removeEntry } from '../cache/cache.ts';
import { version } from '../version.ts';
import type { GuestProfile, GuestRun } from './guest-run.ts';

/** Debian's list of what is installed, with versions. */
const packages = '/var/lib/dpkg/status';
/** Counts up when what is kept changes its meaning. */
const format = 5;
const kind = 'counts';
const file = 'counts.json';
/** Bytes of all entries. The least recently used are removed first. */
const maxKept = 256 * 1024 * 1024;

/** What a boot that ran one revision alone counted, or one part of it. */
export interface Counted {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
}

/** The same of an earlier run. */
export interface KeptCounts extends Counted {
  readonly at: Date;
  /** Which run counted it: `workflow run 123`, `a run on this machine`. */
  readonly by: string;
}

/** The same as JSON: of base, whichever it was, and contents in base64. */
interface Stored {
  readonly at: string;
  readonly by: string;
  readonly run: GuestRun;
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly content: string })[];
}

/**
 * The key of one part of what a revision counted, whether that is base or head.
 *
 * @param shaping everything that shapes what it counts: the guest, the built tree, what is run in it
 */
export async function countsKey(shaping: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([format, version, shaping]));
  // What starts the guest; and the host's packages, whose libraries and interpreters benches run with, and with whose
  // headers a tree of the same name may have been built again.
  const files = [
    ...['qemu', 'virtme-ng/qemu', 'virtme-ng/start'].map((name) => join(packageRoot, 'vm', name)),
    packages,
  ];
  for (const path of files) hash.update(await readFile(path).catch(() => Buffer.alloc(0)));
  return hash.digest('hex');
}

/** What is kept under the key, as of this revision; undefined when there is nothing, or nothing that can be read. */
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
 * Keeps what a boot that ran one revision alone counted, if it is whole: no bench failed, every count was proven, and every
 * program of every object has a record. It is on the disk when this returns. A cache that cannot be written is no harm.
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
    // It will be counted again.
  }
}

/** Takes away what a boot has just shown not to be what it counts. */
export async function dropCounts(cache: Cache, key: string): Promise<void> {
  await removeEntry(cache, kind, key);
}

function describeRun({ GITHUB_RUN_ID: id }: NodeJS.ProcessEnv): string {
  return id === undefined || !/^\d+$/.test(id) ? 'a run on this machine' : `workflow run ${id}`;
}

/** The same as if the boot's only revision had been another. */
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

function isWhole({ isProven, benches, objects, loads }: GuestRun): boolean {
  return (
    isProven &&
    benches.every(({ exit_code }) => exit_code === 0) &&
    objects.every(({ object, revision, programs, error }) => {
      const own = loads.filter((load) => load.object === object && load.revision === revision);
      // A map that cannot be made has an error as well, and says so the next time.
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
        // Another run may take one away meanwhile.
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
