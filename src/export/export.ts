// Export: a result file for other tools.

import { InputError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { Results } from '../report/results.ts';
import { exportBmf } from './bmf.ts';
import { exportGithubActionBenchmark } from './github-action-benchmark.ts';
import { exportGo } from './go.ts';
import { exportSarif } from './sarif.ts';
import { exportVeristat } from './veristat.ts';

export const exportFormats = ['bmf', 'go', 'github-action-benchmark', 'sarif', 'veristat'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const exporters: Readonly<Record<ExportFormat, (results: Results, revision: RevisionName) => string>> = {
  bmf: exportBmf,
  go: exportGo,
  'github-action-benchmark': exportGithubActionBenchmark,
  sarif: exportSarif,
  veristat: exportVeristat,
};

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
  return exporters[format](results, revision ?? 'head');
}
