// Export: a result file for other tools.

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
 * @throws InputError when there is no measurement, or when two would have one name
 */
export function exportResults(results: Results, format: ExportFormat, revision: RevisionName = 'head'): string {
  return exporters[format](results, revision);
}
