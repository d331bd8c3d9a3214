// Publish: reads what earlier commits had from the branch that the step `record` adds to.

import { hash } from 'node:crypto';
import type { Log } from '../adapters/log.ts';
import { type RemoteOptions, RemoteRepository } from '../adapters/remote-repository.ts';
import { GateError } from '../common/errors.ts';
import { EarlierValues } from '../history/earlier-values.ts';
import { folderOf, pathOf } from '../history/history-files.ts';
import type { EarlierOf } from '../report/html.ts';
import type { Results } from '../report/results.ts';

/** Months whose files are read, up to this one. */
const months = 3;

/**
 * Reads the newest files of the run's kernels. A report goes without them, with a warning, if they cannot be read.
 *
 * @param branch its name; without such a branch there are no values
 */
export async function readEarlierValues(
  results: Results,
  branch: string,
  { log, now = new Date(), ...remote }: RemoteOptions & { readonly log: Log; readonly now?: Date },
): Promise<EarlierOf> {
  const values = new EarlierValues(results, (text) => hash('sha256', text));
  const paths = results.kernels.flatMap(({ id: kernel }) =>
    Array.from({ length: months }, (_, back) => {
      const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
      return pathOf(folderOf(results.project.projectPath), { kernel, date: date.toISOString() });
    }),
  );
  try {
    const repository = await RemoteRepository.open(remote);
    try {
      await repository.requireBranchName(branch);
      const tip = await repository.fetchTip(branch);
      const files = tip === null ? [] : await repository.readFiles(tip, paths);
      for (const [, text] of files) values.addLines(text.split('\n'));
    } finally {
      await repository.close();
    }
  } catch (error) {
    if (!(error instanceof GateError) || remote.signal?.aborted === true) throw error;
    log.warn(`the report shows no earlier commits: ${error.message}`);
  }
  return (row, kernel) => values.of(row, kernel);
}
