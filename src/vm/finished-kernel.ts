// What a kernel's boot counted, kept until the run that it is part of has ended whole and its outputs are written. A run that
// is interrupted, killed or loses another kernel leaves it, and the next run of the same takes it up instead of booting the
// kernel again.

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cache, entryPath, obtainEntry, publishEntry } from '../cache/cache.ts';
import type { GuestProfile, GuestRun } from './guest-run.ts';
import { isWhole } from './kept-base.ts';

const kind = 'finished-kernels';
const file = 'kernel.json';
/** The oldest go first: of runs that nobody repeated. */
const keptKernels = 30;

export interface FinishedKernel {
  /** When it was measured. */
  readonly at: Date;
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
}

interface Stored {
  readonly at: string;
  readonly run: GuestRun;
  /** Contents in base64. */
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly content: string })[];
}

/**
 * Keeps what a boot counted, on the disk when this returns, if it is whole and proven: what failed is to be tried again.
 * A cache that cannot be written is no harm.
 *
 * @param key by `keptKey`, of everything that shapes what both revisions count
 */
export async function keepFinished(
  cache: Cache,
  key: string,
  run: GuestRun,
  profiles: readonly GuestProfile[],
): Promise<void> {
  if (!isWhole(run)) return;
  const stored: Stored = {
    at: new Date().toISOString(),
    run,
    profiles: profiles.map((profile) => ({ ...profile, content: profile.content.toString('base64') })),
  };
  const local = { root: cache.root };
  try {
    await publishEntry(local, kind, key, (folder) => writeFile(join(folder, file), JSON.stringify(stored)));
    await prune(local);
  } catch {
    // It will be measured again.
  }
}

/** What is kept under the key; undefined when there is nothing, or nothing that can be read. */
export async function findFinished(cache: Cache, key: string): Promise<FinishedKernel | undefined> {
  const entry = await obtainEntry({ root: cache.root }, kind, key);
  if (entry === undefined) return undefined;
  try {
    const { at, run, profiles }: Stored = JSON.parse(await readFile(join(entry, file), 'utf8'));
    return {
      at: new Date(at),
      run: { ...run, resumed: true },
      profiles: profiles.map((profile) => ({ ...profile, content: Buffer.from(profile.content, 'base64') })),
    };
  } catch {
    return undefined;
  }
}

/** Takes away what a run kept that has ended whole and is written: the next one measures anew. */
export async function dropFinished(cache: Cache, keys: readonly string[]): Promise<void> {
  for (const key of keys) await rm(entryPath(cache, kind, key), { recursive: true, force: true });
}

async function prune(cache: Cache): Promise<void> {
  const folder = join(cache.root, kind);
  const entries = await Promise.all(
    (await readdir(folder))
      .filter((name) => !name.startsWith('.'))
      // Another run may have ended whole meanwhile.
      .map(async (name) => ({ name, madeMs: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = entries.sort((a, b) => b.madeMs - a.madeMs).slice(keptKernels);
  await dropFinished(
    cache,
    old.map(({ name }) => name),
  );
}
