// Where a step that ends a matrix finds what the jobs before it have left.

import { resolve } from 'node:path';
import * as core from '@actions/core';
import { openArtifacts } from '../adapters/github/artifacts.ts';
import { type JobResults, readResultArtifacts } from '../adapters/result-artifacts.ts';
import { findResultFiles } from '../adapters/result-files.ts';
import { given, runnerFolder, runnerLog } from '../adapters/runner.ts';
import { InputError } from '../errors.ts';
import { serverOf } from './workflow-run.ts';

/**
 * What jobs have left in the artifacts that input `artifact-name` names, of the run that measured, else those below the
 * folder that input `results` names.
 *
 * @param run the one that measured, as the event says and nothing in an artifact does; null where it says none
 * @throws InputError when there is none, or one is not what bpfgate writes
 * @throws MachineError when GitHub does not give them
 */
export async function readJobResults(run: number | null, signal: AbortSignal): Promise<JobResults> {
  const name = given('artifact-name');
  if (name === undefined) {
    return { files: await findResultFiles(resolve(given('results') ?? '.')), failures: [], artifacts: [] };
  }
  const server = serverOf(process.env);
  if (run === null || server === null) {
    throw new InputError('input artifact-name: the event is of no run that could have left artifacts', {
      hint: 'use it in a workflow on pull_request or push, or on workflow_run after one for a pull request',
    });
  }
  const token = core.getInput('github-token');
  if (token === '') {
    throw new InputError('input artifact-name: there is no github-token to download artifacts with', {
      hint: 'let input github-token be as it is, and give the job `permissions: actions: read`',
    });
  }
  const artifacts = openArtifacts(server.repository, run, { apiUrl: server.apiUrl, token, log: runnerLog, signal });
  return await readResultArtifacts(artifacts, name, runnerFolder());
}
