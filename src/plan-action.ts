// Action: the step `plan`, which begins a matrix: the kernels on which a project's gate runs, and the shards of its
// benches, one for each job. It reads the project's configuration and runs none of its code.

import * as core from '@actions/core';
import { readInputs } from './adapters/read-inputs.ts';
import { beginStep, given, runnerFolder, runnerLog, show } from './adapters/runner.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError } from './common/errors.ts';
import { filePrefix, splitSelectors } from './inputs/own-kernels.ts';
import { parseShards, usefulShards } from './inputs/shard.ts';
import { chooseKernels } from './kernels/cached.ts';
import { findOwnKernels } from './kernels/own/find.ts';
import { readPins } from './kernels/pins.ts';
import { describeLeftOut } from './kernels/select.ts';
import { makeMatrix } from './plan/make-matrix.ts';
import { showError } from './publish/show-results.ts';
import { uploadFailure } from './publish/upload-artifact.ts';

const signal = beginStep();
try {
  const texts = {
    project: given('project'),
    config: given('config'),
    kernels: given('kernels'),
    lanes: given('lanes'),
    out: runnerFolder(),
  };
  const wanted = parseShards(given('shards') ?? '1', 'input shards');
  const { kernels, lanes, config } = await readInputs(texts, (option) => `input ${option}`);
  const file = splitSelectors(kernels).find((word) => word.startsWith(filePrefix));
  if (file !== undefined) {
    throw new InputError(
      `kernel ${file} cannot have a job of its own: the steps that join results do not have the file`,
      {
        hint: 'use a single job, or give the kernel a name in bpfgate.toml: [[kernel]]',
      },
    );
  }
  const own = await findOwnKernels(kernels, config.namedKernels);
  const ids = chooseKernels(kernels, openCache(), own).map(({ id }) => id);
  const leftOut = describeLeftOut(kernels, readPins(), 'input kernels:');
  if (leftOut !== undefined) show(leftOut);
  const shards = Math.min(wanted, usefulShards({ benches: config.benches, lanes }));
  const matrix = makeMatrix(ids, shards);
  core.setOutput('kernels', ids.join(','));
  core.setOutput('matrix', JSON.stringify(matrix));
  show(`kernels: ${ids.join(', ')}`);
  const fewer = shards === wanted ? '' : `, because more of the wanted ${wanted} would have nothing to measure`;
  if (wanted > 1) show(`shards of each: ${shards}${fewer}`);
} catch (error) {
  await showError(error, { scope: [], signal });
  const artifactName = given('artifact-name');
  if (artifactName !== undefined && error instanceof GateError && !signal.aborted) {
    await uploadFailure(artifactName, error, []).catch((cause: Error) => runnerLog.warn(cause.message));
  }
}
