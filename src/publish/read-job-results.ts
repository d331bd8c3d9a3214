// Publish: finds what earlier jobs have left, for a step that ends a matrix.

import { resolve } from 'node:path';
import * as core from '@actions/core';
import { openArtifacts } from '../adapters/github/artifacts.ts';
import { type JobResults, readResultArtifacts } from '../adapters/result-artifacts.ts';
import { findResultFiles, readProfiles } from '../adapters/result-files.ts';
import { given, runnerFolder, runnerLog } from '../adapters/runner.ts';
import { openCache } from '../cache/cache.ts';
import { InputError } from '../common/errors.ts';
import { isOwnSelector, splitSelectors } from '../inputs/own-kernels.ts';
import { chooseKernels } from '../kernels/cached.ts';
import { expectKernels } from '../kernels/own/find.ts';
import type { KernelPin } from '../model/kernel.ts';
import { toError } from '../report/failure.ts';
import { serverOf } from '../workflow/workflow-run.ts';

/** Returns the kernels of input `kernels`, of which a result is expected; none without that input. */
export function expectedKernels(): KernelPin[] {
  const kernels = given('kernels');
  if (kernels === undefined) return [];
  return chooseKernels([kernels], openCache(), expectKernels(splitSelectors([kernels]).filter(isOwnSelector)));
}

/**
 * Reads what jobs have left in the artifacts, of the run that measured, that input `artifact-name` names. Without that
 * input, reads what is below the folder that input `results` names.
 *
 * @param run the one that measured, by the event and not by an artifact; null if the event names none
 * @throws InputError when there is no result, or one is not what bpfgate writes
 * @throws GateError of a job that failed, when no job has a result
 * @throws MachineError when GitHub does not provide them
 */
export async function readJobResults(run: number | null, signal: AbortSignal): Promise<JobResults> {
  const name = given('artifact-name');
  if (name === undefined) {
    const folder = resolve(given('results') ?? '.');
    const files = await findResultFiles(folder);
    return { files, profiles: await readProfiles(files, folder), failures: [], artifacts: [] };
  }
  const server = serverOf(process.env);
  if (run === null || server === null) {
    throw new InputError('input artifact-name: this event has no run with artifacts', {
      hint: 'use it in a workflow on pull_request or push, or on workflow_run after one for a pull request',
    });
  }
  const token = core.getInput('github-token');
  if (token === '') {
    throw new InputError('input artifact-name: there is no github-token to download artifacts with', {
      hint: 'do not override input github-token, and give the job `permissions: actions: read`',
    });
  }
  const artifacts = openArtifacts(server.repository, run, { apiUrl: server.apiUrl, token, log: runnerLog, signal });
  const left = await readResultArtifacts(artifacts, name, runnerFolder());
  const [failure, ...others] = left.failures;
  if (left.files.length === 0 && failure !== undefined) throw toError([failure, ...others]);
  return left;
}
