// The step `plan`, which begins a matrix: the kernels that a project's gate is to be run on, one for each job. It reads
// the project's configuration and runs nothing of the project's.

import * as core from '@actions/core';
import { given, runnerFolder, show, stopOnSignals } from './adapters/runner.ts';
import { openCache } from './cache/cache.ts';
import { readInputs } from './inputs/read-inputs.ts';
import { chooseKernels } from './kernels/cached.ts';
import { showError } from './publish/show-results.ts';

const signal = stopOnSignals();
try {
  const texts = { project: given('project'), config: given('config'), kernels: given('kernels'), out: runnerFolder() };
  const { kernels } = await readInputs(texts, (option) => `input ${option}`);
  const ids = chooseKernels(kernels, openCache()).map(({ id }) => id);
  core.setOutput('kernels', ids.join(','));
  const matrix = ids.map((kernel) => ({ kernel, name: kernel.replaceAll(/[^\w.-]/g, '-') }));
  core.setOutput('matrix', JSON.stringify(matrix));
  show(`kernels: ${ids.join(', ')}`);
} catch (error) {
  await showError(error, { scope: [], signal });
}
