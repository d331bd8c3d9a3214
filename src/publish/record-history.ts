// Publish: adds a run's lines to the branch, however many other runs add theirs at the same time.

import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../adapters/log.ts';
import { RemoteRepository, UnreachableError } from '../adapters/remote-repository.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError, MachineError } from '../common/errors.ts';
import { addLines, branchReadme, filesOf, folderOf } from '../history/history-files.ts';
import { makeLines } from '../history/make-lines.ts';
import { type RecordRequest, requireCommit } from '../history/record-request.ts';
import { countOf, toPlainLine } from '../report/plain-text.ts';
import type { Results } from '../report/results.ts';

export interface HistoryPlace extends Omit<RecordRequest, 'sha'> {
  readonly branch: string;
  readonly token: string;
  /** Relative to the repository's root; empty at the root. */
  readonly projectPath: string;
}

export interface RecordOptions {
  /** Folder for a temporary repository, which is removed afterwards. */
  readonly temporaryFolder: string;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Approximate wait before the second attempt; for tests. Default 500. */
  readonly delayMs?: number;
}

export interface Recording {
  /** The branch's commit with all lines; null if there is none. */
  readonly commit: string | null;
  readonly lines: number;
  /** The project's folder on the branch. */
  readonly path: string;
}

const mostAttempts = 10;
const longestDelayMs = 15_000;

/**
 * Adds the lines of a run to the branch by one commit, or by none if they are all there.
 *
 * @throws InputError when head is no commit of the repository, or the token or the repository's rules do not allow it
 * @throws MachineError when the repository cannot be reached, or other runs are faster each time
 */
export async function recordHistory(
  results: Results,
  place: HistoryPlace,
  { temporaryFolder, log, signal, delayMs = 500 }: RecordOptions,
): Promise<Recording> {
  const head = requireCommit(results);
  const path = folderOf(place.projectPath);
  const { url, repository: name, token, branch } = place;
  const repository = await RemoteRepository.open({ url, name, token, temporaryFolder, signal });
  const patience = { log, signal, delayMs };
  try {
    await repository.requireBranchName(branch);
    const { tree, date } = await insist(() => repository.fetchCommit(head), patience);
    requireTree(results, tree);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const lines = makeLines(results, { commit: head, date, run: place.run, digest });
    if (lines.length === 0) return { commit: null, lines: 0, path };

    const files = filesOf(place.projectPath, lines);
    const paths = files.map((file) => file.path);
    const kernels = results.kernels.map(({ id }) => id).filter((id) => lines.some(({ kernel }) => kernel === id));
    const message = [
      clipMiddle(toPlainLine(`${head.slice(0, 10)}: ${countOf(lines.length, 'value')} on ${kernels.join(', ')}`), 120),
      `commit ${head}\nrun ${place.run}\n`,
    ].join('\n\n');
    const commit = await insist(async () => {
      const parent = await repository.fetchTip(branch);
      const existing = parent === null ? new Map<string, string>() : await repository.readFiles(parent, paths);
      const changed = files.flatMap(({ path, lines }): [string, string][] => {
        const before = existing.get(path) ?? null;
        const after = addLines(before, lines);
        return after === before ? [] : [[path, after]];
      });
      if (parent !== null && changed.length === 0) return parent;
      const readme: [string, string][] = parent === null ? [['README.md', branchReadme]] : [];
      const made = await repository.commit({ parent, message, files: new Map([...readme, ...changed]) });
      return (await repository.push(made, branch)) ? made : undefined;
    }, patience);
    return { commit, lines: lines.length, path };
  } finally {
    await repository.close();
  }
}

/** Checks that the measured tree is the commit's, because a job that ran a project's code may have written the results. */
function requireTree({ revisions: { head } }: Results, tree: string): void {
  if (head.tree === tree) return;
  throw new InputError(`commit ${head.commit} has tree ${tree}, and what was measured has another`, {
    hint: 'measure a checkout of that commit in which nothing was changed',
  });
}

/** Retries if `attempt` returns undefined or is cut off, after a wait that differs between competitors. */
async function insist<Value>(
  attempt: () => Promise<Value | undefined>,
  { log, signal, delayMs }: Pick<RecordOptions, 'log' | 'signal'> & { readonly delayMs: number },
): Promise<Value> {
  for (let count = 1; ; count++) {
    let why: string;
    try {
      const value = await attempt();
      if (value !== undefined) return value;
      why = 'another run was quicker';
      if (count === mostAttempts) {
        throw new MachineError(`the history was not recorded: others were quicker ${mostAttempts} times`, {
          hint: 'run the job again; nothing was changed',
        });
      }
    } catch (error) {
      if (!(error instanceof UnreachableError) || count >= mostAttempts / 2) throw error;
      why = error.message;
    }
    log.progress(`${why}; trying again`);
    const wait = Math.min(longestDelayMs, delayMs * 2 ** (count - 1)) * (0.5 + Math.random());
    // The next attempt reports an abort.
    await setTimeout(wait, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
