// Adapter: the result files of a run in the artifacts of its jobs. Whoever's code ran in such a job may have made them:
// nothing is unpacked to a disk, and what is read is bounded before it is there.

import { mkdtemp, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { clipMiddle } from '../clip-middle.ts';
import { InputError, MachineError } from '../errors.ts';
import { type Failure, failureFile, maxFailure, parseFailure } from '../report/failure.ts';
import type { ResultFile } from '../report/join.ts';
import { toPlainLine } from '../report/plain-text.ts';
import { parseResults } from '../report/results-schema.ts';
import { type Artifact, type Artifacts, TooLong } from './github/artifacts.ts';
import { isResultFile, maxFile, maxFiles, maxTotal } from './result-files.ts';

/** In bytes: profiles are in them too. */
const maxArchive = 512 * 1024 * 1024;
/** What a run leaves is a few files of each bench and kernel. */
const maxEntries = 20_000;
/** Of a file's path in it, in UTF-16 units. */
const maxPath = 1000;
/** Of what is said of an archive, in characters. */
const maxSaid = 2000;
const downloadAttempts = 3;

/** What the jobs of a matrix have left. */
export interface JobResults {
  readonly files: readonly ResultFile[];
  /** Of jobs that have no result. */
  readonly failures: readonly Failure[];
  /** The numbers of the artifacts they were in. */
  readonly artifacts: readonly number[];
}

/**
 * Every `results.json`, and every `error.json`, in the artifacts called `name`, or `name@` and anything, which is what a
 * matrix's jobs call theirs.
 *
 * @param folder where archives are put while they are read
 * @throws InputError when there is none of either, or one is not what bpfgate writes
 * @throws MachineError when GitHub does not give them
 */
export async function readResultArtifacts(artifacts: Artifacts, name: string, folder: string): Promise<JobResults> {
  const all = await artifacts.list().catch((cause: Error) => {
    throw refused('cannot list the run’s artifacts', cause);
  });
  const own = all.filter((artifact) => artifact.name === name || artifact.name.startsWith(`${name}@`));
  if (own.length === 0) {
    throw new InputError(`the run has no artifact called \`${name}\` or \`${name}@…\``, {
      hint: 'the jobs that measure were cancelled or lost before they could leave one: look at their logs; or they have another input artifact-name',
    });
  }
  if (own.length > maxFiles) {
    throw new InputError(`the run has ${own.length} artifacts called \`${name}@…\`, more than ${maxFiles}`, {
      hint: 'give the artifacts of one gate a name of their own',
    });
  }
  const temporary = await mkdtemp(join(folder, 'bpfgate-artifact-'));
  try {
    const files: ResultFile[] = [];
    const failures: Failure[] = [];
    let left = maxTotal;
    for (const artifact of own.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(temporary, `${artifact.id}.zip`);
      const texts = await read(artifacts, artifact, file, left);
      await rm(file);
      for (const { path, text } of texts) {
        left -= text.length;
        const place = `${artifact.name}/${path}`;
        if (isResultFile(path)) files.push({ file: place, results: parseResults(text, place) });
        else failures.push(parseFailure(text, place));
      }
    }
    if (files.length > 0 || failures.length > 0) return { files, failures, artifacts: own.map(({ id }) => id) };
    throw new InputError(`no results.json is in the artifacts called \`${name}\``, {
      hint: 'the jobs that measured left none; their logs say why',
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A file in an archive that says what came of a job. */
export interface ResultText {
  /** Harmless to show. */
  readonly path: string;
  readonly text: string;
}

async function read(artifacts: Artifacts, artifact: Artifact, file: string, maxText: number): Promise<ResultText[]> {
  const { name, size } = artifact;
  const foreign = (cause: Error) =>
    new InputError(`artifact \`${name}\` is not what a job of bpfgate leaves: ${toPlainLine(cause.message)}`, {
      cause,
      hint: 'look at the log of the job that left it, and who wrote what it ran',
    });
  if (size > maxArchive) throw foreign(new Error(`it has ${size} bytes, more than ${maxArchive}`));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await artifacts.download(artifact, file, maxArchive);
      break;
    } catch (cause) {
      if (cause instanceof TooLong) throw foreign(cause);
      // The client has tried again what GitHub said; this is a connection that broke meanwhile.
      if (attempt === downloadAttempts || (cause as Error & { status?: number }).status !== undefined) {
        throw refused(`cannot download artifact \`${name}\``, cause as Error);
      }
    }
  }
  try {
    return await readArchive(await openPromise(file, openOptions), maxText);
  } catch (cause) {
    throw foreign(cause as Error);
  }
}

/** What GitHub does not give has nothing to do with what is in it. */
function refused(what: string, cause: Error): MachineError {
  const isDenied = 'status' in cause && [401, 403, 404].includes(Number(cause.status));
  return new MachineError(`${what}: ${toPlainLine(cause.message)}`, {
    cause,
    hint: isDenied ? 'give the job `permissions: actions: read`' : 'run the job again',
  });
}

/** Names that lead elsewhere (`..`, absolute) are refused by the library, and so are entries longer than they say. */
export const openOptions = {
  lazyEntries: true,
  validateEntrySizes: true,
  strictFileNames: true,
  autoClose: false,
} as const;

/**
 * The text of each `results.json` and `error.json` in an archive, which is closed afterwards.
 *
 * @param zip opened with `openOptions`
 * @param maxText of all of them, in bytes
 * @throws Error that says what is wrong with the archive
 */
export async function readArchive(zip: ZipFile, maxText: number): Promise<ResultText[]> {
  try {
    if (zip.entryCount > maxEntries) throw new Error(`it has ${zip.entryCount} files, more than ${maxEntries}`);
    const found: ResultText[] = [];
    let left = maxText;
    for await (const entry of zip.eachEntry()) {
      const isFailure = posix.basename(entry.fileName) === failureFile;
      if (!isFailure && !isResultFile(entry.fileName)) continue;
      if (entry.fileName.length > maxPath) throw new Error(`a name in it has ${entry.fileName.length} characters`);
      const path = toPlainLine(entry.fileName);
      if (!isRegular(entry)) throw new Error(`\`${path}\` is a link, or no file at all`);
      const limit = Math.min(isFailure ? maxFailure : maxFile, left);
      if (entry.uncompressedSize > limit) {
        throw new Error(`\`${path}\` would have ${entry.uncompressedSize} bytes, more than ${limit}`);
      }
      if (found.length === maxFiles) throw new Error(`it has more than ${maxFiles} result files`);
      const text = await readText(await zip.openReadStreamPromise(entry), limit);
      left -= text.length;
      found.push({ path, text });
    }
    return found;
  } catch (cause) {
    // The library's messages hold names as long as a name can be.
    if (!(cause instanceof Error) || cause.message.length <= maxSaid) throw cause;
    throw new Error(clipMiddle(cause.message, maxSaid), { cause });
  } finally {
    zip.close();
  }
}

/** Unix keeps a file's kind in the upper half of the external attributes; zero where another system wrote them. */
function isRegular({ externalFileAttributes, versionMadeBy }: Entry): boolean {
  const madeByUnix = versionMadeBy >>> 8 === 3;
  const kind = (externalFileAttributes >>> 16) & 0o170000;
  return !madeByUnix || kind === 0 || kind === 0o100000;
}

async function readText(stream: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limit) throw new Error(`a file in it has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
