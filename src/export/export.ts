// Export: a result file for other tools.

import { InputError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { Results } from '../report/results.ts';
import { exportBmf } from './bmf.ts';
import { exportGithubActionBenchmark } from './github-action-benchmark.ts';
import { exportGo } from './go.ts';
import { exportSarif } from './sarif.ts';
import { exportVeristat } from './veristat.ts';

const exporters = {
  bmf: exportBmf,
  go: exportGo,
  'github-action-benchmark': exportGithubActionBenchmark,
  sarif: exportSarif,
  veristat: exportVeristat,
};
export type ExportFormat = keyof typeof exporters;
export const exportFormats = Object.keys(exporters) as ExportFormat[];

/**
 * Exports one revision's measurements, or the findings as SARIF, as text that ends in a newline.
 *
 * @param revision default: head
 * @throws InputError when there is no measurement, except for SARIF; when two would have one name; or when SARIF is
 * given a revision
 */
export function exportResults(results: Results, format: ExportFormat, revision?: RevisionName): string {
  if (format === 'sarif' && revision !== undefined) {
    throw new InputError('--revision: SARIF has findings, which are about both revisions', { hint: 'leave it out' });
  }
  return exporters[format](results, revision);
}
