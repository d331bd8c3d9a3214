// What base counted, kept for later runs: equal programs in an equal guest give equal counts, so they need not be
// counted again for every push to a pull request.

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../adapters/process.ts';
import { type Cache, entryPath, findEntry, publishEntry } from '../cache/cache.ts';
import type { GuestProfile, GuestRun } from './guest-run.ts';

/** Counts up when what is kept changes its meaning. */
const format = 1;
const kind = 'base-results';
const file = 'base.json';
/** The least recently used go first. */
const keptResults = 30;

/** All that a boot says of base, and what shows that another boot is like it. */
export interface KeptBase
  extends Pick<GuestRun, 'calibrations' | 'benches' | 'programs' | 'objects' | 'loads' | 'warnings'> {
  readonly commandLine: string;
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
export async function keptBaseKey(shaping: unknown, environment: NodeJS.ProcessEnv): Promise<string> {
  // Benches run with the host's libraries, which no tool's version tells.
  const libc = await run('ldd', ['--version'], { env: environment }).catch(() => null);
  return createHash('sha256')
    .update(JSON.stringify([format, libc?.stdout.split('\n')[0] ?? null, shaping]))
    .digest('hex');
}

/** What is kept under the key; undefined when there is nothing, or nothing that can be read. */
export async function findKeptBase(cache: Cache, key: string): Promise<KeptBase | undefined> {
  const entry = findEntry(cache, kind, key);
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

/** Keeps what a run counted of base, unless a bench of it failed. A cache that cannot be written is no harm. */
export async function keepBase(
  cache: Cache,
  key: string,
  guestRun: GuestRun,
  profiles: readonly GuestProfile[],
): Promise<void> {
  const ofBase = <Item extends { readonly revision: string }>(items: readonly Item[]) =>
    items.filter(({ revision }) => revision === 'base');
  const benches = ofBase(guestRun.benches);
  if (benches.some(({ exit_code }) => exit_code !== 0)) return;
  const kept: Stored = {
    commandLine: guestRun.machine.commandLine,
    calibrations: guestRun.calibrations,
    benches,
    programs: ofBase(guestRun.programs),
    objects: ofBase(guestRun.objects),
    loads: ofBase(guestRun.loads),
    warnings: guestRun.warnings.filter((warning) => warning.includes('revision base')),
    profiles: ofBase(profiles).map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  try {
    await publishEntry(cache, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(kept)));
    await prune(cache);
  } catch {
    // It will be counted again.
  }
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
