// Adapter: the result files of a run in the artifacts of its jobs, and the profiles that a page shows. The code that ran
// in such a job may have written them. So nothing is unpacked to a disk, and reading is limited in advance.

import { mkdtemp, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError, MachineError } from '../common/errors.ts';
import { type Failure, failureFile, maxFailure, parseFailure } from '../report/failure.ts';
import type { ResultFile } from '../report/join.ts';
import { toPlainLine } from '../report/plain-text.ts';
import { isShownProfile, maxProfile, maxProfiles } from '../report/report-model.ts';
import { parseResults } from '../report/results-schema.ts';
import { type Artifact, type Artifacts, TooLong } from './github/artifacts.ts';
import { isResultFile, maxFile, maxFiles, maxTotal } from './result-files.ts';

/** Largest archive, in bytes; profiles are in it too. */
const maxArchive = 512 * 1024 * 1024;
/** The most files. A run leaves a few for each bench and kernel. */
const maxEntries = 20_000;
/** Longest path of a file in an archive, in UTF-16 units. */
const maxPath = 1000;
/** Longest message about an archive, in characters. */
const maxSaid = 2000;
const downloadAttempts = 3;

/** Results and failures that the jobs of a matrix have left. */
export interface JobResults {
  readonly files: readonly ResultFile[];
  /** Flame graphs and folded stacks by their path in the results, as far as they can be read. */
  readonly profiles: ReadonlyMap<string, Buffer>;
  /** Failures of jobs that have no result. */
  readonly failures: readonly Failure[];
  /** Numbers of their artifacts. */
  readonly artifacts: readonly number[];
}

/**
 * Reads every `results.json` and `error.json` in the artifacts called `name`, or `name@` and anything, which is how a
 * matrix's jobs name theirs.
 *
 * @param folder place of archives while they are read
 * @throws InputError when there is neither, or one is not what bpfgate writes
 * @throws MachineError when GitHub does not provide them
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
    const profiles = new Map<string, Buffer>();
    let left = maxTotal;
    let leftForProfiles = maxProfiles;
    for (const artifact of own.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(temporary, `${artifact.id}.zip`);
      const { texts, profiles: found } = await read(artifacts, artifact, file, left, leftForProfiles);
      await rm(file);
      for (const content of found.values()) leftForProfiles -= content.length;
      for (const { path, text } of texts) {
        left -= text.length;
        const place = `${artifact.name}/${path}`;
        if (!isResultFile(path)) {
          failures.push(parseFailure(text, place));
          continue;
        }
        const results = parseResults(text, place);
        files.push({ file: place, results });
        for (const profile of results.profiles) {
          const content = found.get(posix.join(posix.dirname(path), profile.file));
          if (content !== undefined) profiles.set(profile.file, content);
        }
      }
    }
    if (files.length > 0 || failures.length > 0)
      return { files, profiles, failures, artifacts: own.map(({ id }) => id) };
    throw new InputError(`no results.json is in the artifacts called \`${name}\``, {
      hint: 'the jobs that measured left none; their logs say why',
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A file in an archive with the outcome of a job. */
export interface ResultText {
  /** Path that is safe to show. */
  readonly path: string;
  readonly text: string;
}

/** What is read of an archive. */
export interface ArchiveRead {
  readonly texts: readonly ResultText[];
  /** Profiles that a page shows, by their path in the archive. */
  readonly profiles: ReadonlyMap<string, Buffer>;
}

async function read(
  artifacts: Artifacts,
  artifact: Artifact,
  file: string,
  maxText: number,
  maxOfProfiles: number,
): Promise<ArchiveRead> {
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
      // The client has already retried what GitHub answered; here a connection broke meanwhile.
      if (attempt === downloadAttempts || (cause as Error & { status?: number }).status !== undefined) {
        throw refused(`cannot download artifact \`${name}\``, cause as Error);
      }
    }
  }
  try {
    return await readArchive(await openPromise(file, openOptions), maxText, maxOfProfiles);
  } catch (cause) {
    throw foreign(cause as Error);
  }
}

/** Creates the error for an artifact that GitHub does not provide, whatever is in it. */
function refused(what: string, cause: Error): MachineError {
  const isDenied = 'status' in cause && [401, 403, 404].includes(Number(cause.status));
  return new MachineError(`${what}: ${toPlainLine(cause.message)}`, {
    cause,
    hint: isDenied ? 'give the job `permissions: actions: read`' : 'run the job again',
  });
}

/** The library refuses names that lead elsewhere (`..`, absolute) and entries longer than they claim. */
export const openOptions = {
  lazyEntries: true,
  validateEntrySizes: true,
  strictFileNames: true,
  autoClose: false,
} as const;

/**
 * Reads each `results.json` and `error.json` in an archive, and the profiles that a page shows as far as that is possible.
 * The archive is closed afterwards.
 *
 * @param zip opened with `openOptions`
 * @param maxText the most bytes of all texts
 * @param maxOfProfiles the most bytes of all profiles
 * @throws Error that says what is wrong with the archive
 */
export async function readArchive(zip: ZipFile, maxText: number, maxOfProfiles: number): Promise<ArchiveRead> {
  try {
    if (zip.entryCount > maxEntries) throw new Error(`it has ${zip.entryCount} files, more than ${maxEntries}`);
    const texts: ResultText[] = [];
    const profiles = new Map<string, Buffer>();
    let left = maxText;
    let leftForProfiles = maxOfProfiles;
    for await (const entry of zip.eachEntry()) {
      const isFailure = posix.basename(entry.fileName) === failureFile;
      if (!isFailure && !isResultFile(entry.fileName)) {
        const content = await readProfile(zip, entry, Math.min(maxProfile, leftForProfiles));
        if (content === undefined) continue;
        leftForProfiles -= content.length;
        profiles.set(entry.fileName, content);
        continue;
      }
      if (entry.fileName.length > maxPath) throw new Error(`a name in it has ${entry.fileName.length} characters`);
      const path = toPlainLine(entry.fileName);
      if (!isRegular(entry)) throw new Error(`\`${path}\` is a link, or no file at all`);
      const limit = Math.min(isFailure ? maxFailure : maxFile, left);
      if (entry.uncompressedSize > limit) {
        throw new Error(`\`${path}\` would have ${entry.uncompressedSize} bytes, more than ${limit}`);
      }
      if (texts.length === maxFiles) throw new Error(`it has more than ${maxFiles} result files`);
      const text = (await readContent(await zip.openReadStreamPromise(entry), limit)).toString('utf8');
      left -= text.length;
      texts.push({ path, text });
    }
    return { texts, profiles };
  } catch (cause) {
    // The library's messages may contain very long names.
    if (!(cause instanceof Error) || cause.message.length <= maxSaid) throw cause;
    throw new Error(clipMiddle(cause.message, maxSaid), { cause });
  } finally {
    zip.close();
  }
}

/** Reads a profile that a page shows; undefined for any other file, and for one that cannot be read. */
async function readProfile(zip: ZipFile, entry: Entry, limit: number): Promise<Buffer | undefined> {
  if (entry.fileName.length > maxPath || !isShownProfile(entry.fileName)) return undefined;
  if (!isRegular(entry) || entry.uncompressedSize > limit) return undefined;
  try {
    return await readContent(await zip.openReadStreamPromise(entry), limit);
  } catch {
    return undefined;
  }
}

/** Whether it is a regular file. Unix keeps the kind in the upper half of the attributes; other systems write 0. */
function isRegular({ externalFileAttributes, versionMadeBy }: Entry): boolean {
  const madeByUnix = versionMadeBy >>> 8 === 3;
  const kind = (externalFileAttributes >>> 16) & 0o170000;
  return !madeByUnix || kind === 0 || kind === 0o100000;
}

async function readContent(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limit) throw new Error(`a file in it has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
