// Adapter: the result files of a run that other jobs have left, and their profiles.

import { basename, dirname, join } from 'node:path';
import { InputError } from '../common/errors.ts';
import { maxJobs } from '../plan/make-matrix.ts';
import type { ResultFile } from '../report/join.ts';
import { isShownProfile, maxProfile, maxProfiles } from '../report/report-model.ts';
import { parseResults } from '../report/results-schema.ts';
import { readBytesBelow, readFileBelow, UnreadableFile } from './regular-file.ts';
import { walkTree } from './walk-tree.ts';

/** Largest file, in bytes, 100 times that of 300 benchmarks on a kernel. The job may have run a pull request's code. */
export const maxFile = 64 * 1024 * 1024;
/** The most files: as many as a matrix can have jobs. */
export const maxFiles = maxJobs;
/** Largest sum of all files, in bytes. */
export const maxTotal = 256 * 1024 * 1024;

/**
 * Reads every `results.json` below a folder, in the order of their paths. Links are not followed.
 *
 * @throws InputError when there is none, or one is not what bpfgate writes
 */
export async function findResultFiles(folder: string): Promise<ResultFile[]> {
  const found: ResultFile[] = [];
  for await (const path of walkTree(folder, new Set())) {
    if (!isResultFile(path)) continue;
    if (found.length === maxFiles) {
      throw new InputError(`more than ${maxFiles} result files are below \`${folder}\``, {
        hint: 'give the folder of one run',
      });
    }
    found.push({ file: path, results: await readResultFile(join(folder, path), path) });
  }
  if (found.length === 0) {
    throw new InputError(`no results.json is below \`${folder}\``, {
      hint: 'download the artifacts of the jobs that measured to this folder; if there are none, those jobs say why',
    });
  }
  return found;
}

export function isResultFile(path: string): boolean {
  return /(^|\/)results\.json$/.test(path);
}

/**
 * @param name its name in messages; default: its path
 * @throws InputError when it cannot be read, or is not what bpfgate writes
 */
export async function readResultFile(file: string, name = file): Promise<ResultFile['results']> {
  const hint = 'give a results.json that `bpfgate run` wrote';
  let text: string | undefined;
  try {
    text = await readFileBelow(dirname(file), basename(file), maxFile);
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause;
    throw new InputError(`cannot read \`${name}\`: ${cause.reason}`, { cause, hint });
  }
  if (text === undefined) throw new InputError(`there is no file \`${name}\``, { hint });
  return parseResults(text, name);
}

/**
 * Reads what a page shows of the profiles next to result files, by its path in the results, up to 64 MiB. A page goes
 * without those that cannot be read.
 *
 * @param folder the paths of the files start there; default: the current one
 */
export async function readProfiles(files: readonly ResultFile[], folder = ''): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let left = maxProfiles;
  for (const { file, results } of files) {
    for (const profile of results.profiles.filter((each) => isShownProfile(each.file) && !found.has(each.file))) {
      const place = join(folder, dirname(file));
      const content = await readBytesBelow(place, profile.file, Math.min(maxProfile, left)).catch((error) => {
        if (error instanceof UnreadableFile) return undefined;
        throw error;
      });
      if (content === undefined) continue;
      left -= content.length;
      found.set(profile.file, content);
    }
  }
  return found;
}
