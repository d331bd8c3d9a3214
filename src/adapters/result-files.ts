// Adapter: the result files of a run, as other jobs have left them.

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../errors.ts';
import { maxJobs } from '../plan/make-matrix.ts';
import type { ResultFile } from '../report/join.ts';
import { parseResults } from '../report/results-schema.ts';
import { walkTree } from './walk-tree.ts';

/** In bytes: 300 benchmarks on a kernel take a hundredth of it. The job that wrote it may have run anybody's code. */
export const maxFile = 64 * 1024 * 1024;
/** As many as a matrix can have jobs. */
export const maxFiles = maxJobs;
/** In bytes, of all of them. */
export const maxTotal = 256 * 1024 * 1024;

/**
 * Every `results.json` below a folder, in the order of their paths. Links are not followed.
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
 * @param name what to call it in messages; default: its path
 * @throws InputError when it cannot be read, or is not what bpfgate writes
 */
export async function readResultFile(file: string, name = file): Promise<ResultFile['results']> {
  let text: string;
  try {
    const { size } = await lstat(file);
    if (size > maxFile) throw new Error(`it has ${size} bytes, more than ${maxFile}`);
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new InputError(`cannot read \`${name}\`: ${(cause as Error).message}`, {
      cause,
      hint: 'give a results.json that `bpfgate run` wrote',
    });
  }
  return parseResults(text, name);
}
