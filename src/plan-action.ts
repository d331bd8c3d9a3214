// Action: the step `plan`, which begins a matrix: the kernels on which a project's gate runs, and the shards of its
// benches, one for each job. It reads the project's configuration and runs none of its code.

import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import * as core from '@actions/core';
import { readInputs } from './adapters/read-inputs.ts';
import { beginStep, given, requireCheckout, runnerFolder, runnerLog, show } from './adapters/runner.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError } from './common/errors.ts';
import { filePrefix } from './inputs/own-kernels.ts';
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
  await requireCheckout();
  const { kernels, lanes, config } = await readInputs(texts, (option) => `input ${option}`);
  const own = await findOwnKernels(kernels, config.namedKernels);
  const workspace = await realpath('.');
  const paths = new Map<string, string>();
  for (const [selector, { id, source }] of own) {
    if ('url' in source) continue;
    if (id.includes(':')) {
      throw new InputError(
        `kernel ${id} is of the same release as another, and jobs of a matrix name it by its release`,
        {
          hint: 'build one of them with another CONFIG_LOCALVERSION, or measure both in a single job',
        },
      );
    }
    const path = relative(workspace, selector.slice(filePrefix.length));
    // A pull request names its files, and a job may put the name into a script.
    if (!/^[\w.+~/-]+$/.test(path)) {
      throw new InputError(
        `the path of kernel ${id}, \`${path}\`, has other characters than letters, digits and ._+~/-`,
        {
          hint: 'rename it, or measure it in a single job',
        },
      );
    }
    paths.set(id, `${filePrefix}${path}`);
  }
  const ids = chooseKernels(kernels, openCache(), own).map(({ id }) => id);
  const leftOut = describeLeftOut(kernels, readPins(), 'input kernels:');
  if (leftOut !== undefined) show(leftOut);
  const shards = Math.min(wanted, usefulShards({ benches: config.benches, lanes }));
  const matrix = makeMatrix(ids, shards, paths);
  // The steps that join results have no file: they are given what its results are called.
  core.setOutput('kernels', ids.map((id) => (paths.has(id) ? `${filePrefix}${id}` : id)).join(','));
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
