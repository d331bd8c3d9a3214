// Cache: our own programs that a release of bpfgate has compiled for this machine's architecture. The npm package carries
// them; others fetch them by their checksums instead of compiling them.

import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import document from '../../vm/programs.json' with { type: 'json' };
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { MachineError } from '../common/errors.ts';
import { type Cache, findEntry } from './cache.ts';
import { downloadVerified } from './download.ts';
import { publishFetched } from './downloads.ts';
import { type Origin, releaseSource } from './release-asset.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);

export const readyMadeNames = ['bpfgate-agent', 'bpfgate-plugin', 'vmtest'] as const;
export type ReadyMadeName = (typeof readyMadeNames)[number];

/** A line of vm/programs.json: a program for x86-64. */
const programSchema = z.strictObject({
  name: z.literal(readyMadeNames),
  /** SHA-256 of its sources: of our own files, or of vmtest's crate. The program is used for these sources only. */
  madeFrom: sha256,
  asset: z.strictObject({ tag: fileName, name: fileName, sha256, sizeBytes: z.int().positive() }),
});
export type ReadyMadeProgram = z.infer<typeof programSchema>;

/** Content of vm/programs.json. */
export const programsSchema = z.strictObject({
  schema: z.literal('bpfgate.programs/1'),
  programs: z.array(programSchema),
});

/** Folder of the programs that the npm package carries, and of their list; a clone has none. */
export const carriedPrograms = join(packageRoot, 'vm', 'programs');
/** File in that folder, of the form of vm/programs.json. Assets' names are those of the files next to it. */
export const carriedList = 'programs.json';

/** Cache kind. Each entry is a folder with a program, under the program's SHA-256. */
const kind = 'programs';

export interface ReadyMadeOptions {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Default: the programs that this package carries, and those in vm/programs.json. */
  readonly programs?: readonly ReadyMadeProgram[] | undefined;
  /** Folder of the programs that need no download. Default: that of this package. */
  readonly carried?: string | undefined;
  readonly origin?: Origin | undefined;
}

/** Finds a release's program made from exactly these sources; undefined where there is none. */
export function findReadyMade(
  name: ReadyMadeName,
  madeFrom: string,
  programs: readonly ReadyMadeProgram[] = knownPrograms(),
): ReadyMadeProgram | undefined {
  if (process.arch !== 'x64') return undefined;
  return programs.find((program) => program.name === name && program.madeFrom === madeFrom);
}

function knownPrograms(): ReadyMadeProgram[] {
  const list = join(carriedPrograms, carriedList);
  const carried = existsSync(list) ? programsSchema.parse(JSON.parse(readFileSync(list, 'utf8'))).programs : [];
  return [...carried, ...programsSchema.parse(document).programs];
}

/** A ready-made program in the cache. */
export interface FetchedProgram {
  /** Absolute path. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * Finds a ready-made program in the cache; undefined where it is not there.
 *
 * @throws MachineError when it is not the pinned one
 */
export async function cachedReadyMade(
  { name, asset }: ReadyMadeProgram,
  cache: Cache,
): Promise<FetchedProgram | undefined> {
  const entry = findEntry(cache, kind, asset.sha256);
  if (entry === undefined) return undefined;
  const path = join(entry, name);
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  if (hash('sha256', content) === asset.sha256) return { path, sha256: asset.sha256 };
  throw new MachineError(`\`${path}\` is not the ${name} that is pinned, and is not run`, {
    hint: `find out what changed it, then \`rm -r ${entry}\`: it is fetched again when next needed`,
  });
}

/** Programs that could not be fetched. They are compiled, and this process does not try to fetch them again. */
const unavailable = new Set<string>();

/**
 * Brings a ready-made program into the cache.
 *
 * @returns undefined where there is none for these sources, or, with a warning, where it cannot be fetched
 * @throws MachineError when the cache cannot be written
 */
export async function obtainReadyMade(
  name: ReadyMadeName,
  madeFrom: string,
  { cache, log, signal, programs, origin, carried = carriedPrograms }: ReadyMadeOptions,
): Promise<FetchedProgram | undefined> {
  const program = findReadyMade(name, madeFrom, programs);
  if (program === undefined) return undefined;
  const { asset } = program;
  const key = `${cache.root} ${asset.sha256}`;
  if (unavailable.has(key)) return await cachedReadyMade(program, cache);
  try {
    await publishFetched(cache, kind, asset.sha256, { log, signal, name }, async (dir) => {
      const own = join(carried, asset.name);
      if (existsSync(own)) {
        await copyFile(own, join(dir, name));
        await chmod(join(dir, name), 0o755);
        return;
      }
      const { addresses, notAsked } = await releaseSource(asset, origin);
      await downloadVerified({ name, sha256: asset.sha256, sizeBytes: asset.sizeBytes }, addresses, join(dir, name), {
        log,
        signal,
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
