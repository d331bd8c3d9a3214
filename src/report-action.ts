// The step `report`, which ends a matrix: it joins the results of the jobs that measured, shows them as one, and fails
// when the gate does. It runs nothing of the project's, so its job may hold a token that can write.

import { dirname, join, resolve } from 'node:path';
import * as core from '@actions/core';
import { findResultFiles } from './adapters/result-files.ts';
import { given, runnerFolder, stopOnSignals } from './adapters/runner.ts';
import { openCache } from './cache/cache.ts';
import { chooseKernels } from './kernels/cached.ts';
import { readShowInputs, showError, showResults } from './publish/show-results.ts';
import { renderHtml } from './report/html.ts';
import { addMissingKernels, joinResults } from './report/join.ts';
import { renderMarkdown } from './report/markdown.ts';
import { buildReport } from './report/report-model.ts';
import { serializeResults } from './report/results-schema.ts';
import { writeOutputs } from './report/write-outputs.ts';

const signal = stopOnSignals();
// Not the kernels, which are not known where the plan has failed: that is told in the same comment.
const scope = ['project'];
try {
  const shown = readShowInputs();
  const kernels = given('kernels');
  const pins = kernels === undefined ? [] : chooseKernels([kernels], openCache());
  const folder = resolve(given('results') ?? '.');
  const files = await findResultFiles(folder);
  const results = addMissingKernels(joinResults(files), pins);

  const folders = new Map(files.flatMap(({ file, results }) => results.kernels.map(({ id }) => [id, dirname(file)])));
  const profilesIn = (kernel: string) => join(folder, folders.get(kernel) ?? '.');
  const report = buildReport(results, { profilesIn, linkProfiles: false });
  const out = join(runnerFolder(), 'bpfgate-report');
  await writeOutputs(out, {
    'results.json': serializeResults(results),
    'report.md': renderMarkdown(report),
    'report.html': renderHtml(report),
  });
  core.setOutput('results', join(out, 'results.json'));
  core.setOutput('report', join(out, 'report.md'));
  await showResults(results, shown, { profilesIn, scope, signal });
} catch (error) {
  await showError(error, { scope, signal });
}
