// Programs of ours that a release of bpfgate has compiled, for this machine's architecture: fetched by their checksums in
// place of being compiled.

import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import document from '../../vm/programs.json' with { type: 'json' };
import type { Log } from '../adapters/log.ts';
import { MachineError } from '../errors.ts';
import { type Cache, findEntry } from './cache.ts';
import { downloadVerified } from './download.ts';
import { partialPath, publishFetched } from './downloads.ts';
import { type Origin, releaseSource } from './release-asset.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);

/** A line of vm/programs.json: statically linked, for x86-64. */
const programSchema = z.strictObject({
  name: z.literal(['bpfgate-agent', 'vmtest']),
  /** SHA-256 of its sources: of the agent's files, of vmtest's crate. Of other sources it is no program. */
  madeFrom: sha256,
  asset: z.strictObject({ tag: fileName, name: fileName, sha256, sizeBytes: z.int().positive() }),
});
export type ReadyMadeProgram = z.infer<typeof programSchema>;
export type ReadyMadeName = ReadyMadeProgram['name'];

/** vm/programs.json. */
export const programsSchema = z.strictObject({
  schema: z.literal('bpfgate.programs/1'),
  programs: z.array(programSchema),
});

/** Entries of the cache, each a folder with the program, by the program's SHA-256. */
const kind = 'programs';

export interface ReadyMadeOptions {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Default: those of vm/programs.json. */
  readonly programs?: readonly ReadyMadeProgram[] | undefined;
  readonly origin?: Origin | undefined;
}

/** What a release has of a program, made of exactly these sources; undefined where it has none. */
export function findReadyMade(
  name: ReadyMadeName,
  madeFrom: string,
  programs: readonly ReadyMadeProgram[] = programsSchema.parse(document).programs,
): ReadyMadeProgram | undefined {
  if (process.arch !== 'x64') return undefined;
  return programs.find((program) => program.name === name && program.madeFrom === madeFrom);
}

/** A ready-made program in the cache. */
export interface FetchedProgram {
  /** Absolute path. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * A ready-made program that is in the cache already; undefined where it is not.
 *
 * @throws MachineError when it is another than the pinned one
 */
export async function cachedReadyMade(
  { name, asset }: ReadyMadeProgram,
  cache: Cache,
): Promise<FetchedProgram | undefined> {
  const entry = findEntry(cache, kind, asset.sha256);
  if (entry === undefined) return undefined;
  const path = join(entry, name);
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  if (createHash('sha256').update(content).digest('hex') === asset.sha256) return { path, sha256: asset.sha256 };
  throw new MachineError(`\`${path}\` is not the ${name} that is pinned, and is not run`, {
    hint: `find out what changed it, then \`rm -r ${entry}\`: it is fetched again when next needed`,
  });
}

/** Programs that could not be had: they are compiled, and this process does not ask for them again. */
const unavailable = new Set<string>();

/**
 * Brings a ready-made program into the cache.
 *
 * @returns undefined where there is none of these sources, or it cannot be had, which is said
 * @throws MachineError when the cache cannot be written
 */
export async function obtainReadyMade(
  name: ReadyMadeName,
  madeFrom: string,
  { cache, log, signal, programs, origin }: ReadyMadeOptions,
): Promise<FetchedProgram | undefined> {
  const program = findReadyMade(name, madeFrom, programs);
  if (program === undefined) return undefined;
  const { asset } = program;
  const key = `${cache.root} ${asset.sha256}`;
  if (unavailable.has(key)) return await cachedReadyMade(program, cache);
  try {
    await publishFetched(cache, kind, asset.sha256, { log, signal, name }, async (dir) => {
      const { addresses, notAsked } = await releaseSource(asset, origin);
      await downloadVerified({ name, sha256: asset.sha256, sizeBytes: asset.sizeBytes }, addresses, join(dir, name), {
        log,
        signal,
        partial: partialPath(cache, asset.sha256),
        ErrorClass: Unavailable,
        notAsked,
      });
      await chmod(join(dir, name), 0o755);
    });
    return await cachedReadyMade(program, cache);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    unavailable.add(key);
    log.warn(`${error.message}\n  it is compiled instead`);
    return undefined;
  }
}

class Unavailable extends MachineError {}
