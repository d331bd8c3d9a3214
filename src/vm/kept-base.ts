// What base counted, kept for later runs: equal programs in an equal guest give equal counts, so they need not be
// counted again for every push to a pull request.

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import type { RevisionName } from '../build/build.ts';
import { type Cache, entryPath, obtainEntry, publishEntry } from '../cache/cache.ts';
import type { GuestProfile, GuestRun, Machine } from './guest-run.ts';

/** Debian's list of what is installed, with versions. */
const packages = '/var/lib/dpkg/status';
/** Counts up when what is kept changes its meaning. */
const format = 4;
const kind = 'base-results';
const file = 'base.json';
/** The least recently used go first. */
const keptResults = 30;

/** All that a boot says of base, and the machine it ran on. */
export interface KeptBase
  extends Pick<GuestRun, 'isProven' | 'calibrations' | 'benches' | 'programs' | 'objects' | 'loads' | 'warnings'> {
  readonly machine: Machine;
  readonly profiles: readonly GuestProfile[];
}

/** As JSON has it: contents in base64. */
type Stored = Omit<KeptBase, 'profiles'> & {
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly content: string })[];
};

/**
 * The key of a result of base.
 *
 * @param shaping everything that shapes what base counts: the guest, the built tree, what is run in it
 */
export async function keptKey(shaping: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([format, shaping]));
  // What starts the guest; and the host's packages, whose libraries and interpreters benches run with, and with whose
  // headers a tree of the same name may have been built again.
  const files = [
    ...['qemu', 'virtme-ng/qemu', 'virtme-ng/start'].map((name) => join(packageRoot, 'vm', name)),
    packages,
  ];
  for (const path of files) hash.update(await readFile(path).catch(() => Buffer.alloc(0)));
  return hash.digest('hex');
}

/** What is kept under the key; undefined when there is nothing, or nothing that can be read. */
export async function findKeptBase(cache: Cache, key: string): Promise<KeptBase | undefined> {
  const entry = await obtainEntry(cache, kind, key);
  if (entry === undefined) return undefined;
  try {
    const kept: Stored = JSON.parse(await readFile(join(entry, file), 'utf8'));
    const now = new Date();
    await utimes(entry, now, now);
    return {
      ...kept,
      profiles: kept.profiles.map((profile) => ({ ...profile, content: Buffer.from(profile.content, 'base64') })),
    };
  } catch {
    return undefined;
  }
}

/** What a boot that ran one revision alone says of it, as base. */
export function asKept({ run, profiles }: Counted, revision: RevisionName): KeptBase {
  const asBase = <Item extends { readonly revision: RevisionName }>(items: readonly Item[]): Item[] =>
    items.map((item) => ({ ...item, revision: 'base' }));
  const words = new RegExp(`\\b${revision}\\b`);
  return {
    machine: run.machine,
    isProven: run.isProven,
    calibrations: run.calibrations,
    benches: asBase(run.benches),
    programs: asBase(run.programs),
    objects: asBase(run.objects),
    loads: asBase(run.loads),
    warnings: run.warnings.map((warning) => warning.replace(words, 'base')),
    profiles: asBase(profiles),
  };
}

interface Counted {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
}

/**
 * Keeps what a boot that ran one revision alone counted of it, to be base of later runs, if it is whole: no bench failed,
 * every count was proven, and every program of every object could be tried. A cache that cannot be written is no harm.
 *
 * @param revision base, or head where that is what others will be compared with
 */
export async function keepAsBase(cache: Cache, key: string, revision: RevisionName, counted: Counted): Promise<void> {
  if (!isWhole(counted.run)) return;
  const { profiles, ...base } = asKept(counted, revision);
  const kept: Stored = {
    ...base,
    profiles: profiles.map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  try {
    await publishEntry(cache, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(kept)));
    await prune(cache);
  } catch {
    // It will be counted again.
  }
}

/** Whether no bench failed, every count was proven, and every program of every object could be tried. */
export function isWhole({ isProven, benches, objects, loads }: GuestRun): boolean {
  return (
    isProven &&
    benches.every(({ exit_code }) => exit_code === 0) &&
    objects.every(({ object, revision, programs, error }) => {
      const own = loads.filter((load) => load.object === object && load.revision === revision);
      return error === null && own.length === programs;
    })
  );
}

/** Takes away what a boot has just shown not to be what it counts. */
export async function dropKeptBase(cache: Cache, key: string): Promise<void> {
  await rm(entryPath(cache, kind, key), { recursive: true, force: true });
}

async function prune(cache: Cache): Promise<void> {
  const folder = join(cache.root, kind);
  const entries = await Promise.all(
    (await readdir(folder))
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => ({ name, usedMs: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = entries.sort((a, b) => b.usedMs - a.usedMs).slice(keptResults);
  for (const { name } of old) await rm(entryPath(cache, kind, basename(name)), { recursive: true, force: true });
}
