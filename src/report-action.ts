// Action: the step `report`, which ends a matrix: it joins the results of the jobs that measured, shows them as one,
// and fails when the gate does. It runs none of the project's code, so its job may hold a token that can write.

import * as core from '@actions/core';
import { beginStep, given, readEvent, runnerFolder, runnerLog } from './adapters/runner.ts';
import { GateError, InputError } from './common/errors.ts';
import { readEarlierValues } from './publish/read-earlier-values.ts';
import { expectedKernels, readJobResults } from './publish/read-job-results.ts';
import { readShowInputs, showError, showResults } from './publish/show-results.ts';
import { requireArtifactName, tryUpload, uploadFailure } from './publish/upload-artifact.ts';
import { writeJoined } from './publish/write-joined.ts';
import { serverOf, workflowRunOf } from './workflow/workflow-run.ts';

/** The repository of this step, with its token. @throws InputError outside GitHub's runners */
function remoteOf(environment: NodeJS.ProcessEnv) {
  const server = serverOf(environment);
  if (server === null) {
    throw new InputError('input history-branch: this step is in no repository', {
      hint: 'leave it out where GITHUB_REPOSITORY is not set',
    });
  }
  const { owner, repo } = server.repository;
  return {
    url: `${environment.GITHUB_SERVER_URL}/${owner}/${repo}`,
    name: `${owner}/${repo}`,
    token: core.getInput('github-token'),
    temporaryFolder: runnerFolder(),
    log: runnerLog,
    signal,
  };
}

const signal = beginStep();
const uploadAs = given('upload-as');
// Without the kernels: they are not known if the plan failed, which the same comment reports. The step `publish` reads
// what is uploaded here, and if both may write it is the same comment, too.
const scope = [core.getInput('project'), uploadAs ?? core.getInput('artifact-name')];
try {
  const shown = readShowInputs();
  const pins = expectedKernels();
  if (uploadAs !== undefined) requireArtifactName(uploadAs, 'upload-as');
  const branch = given('history-branch');
  const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
  const { results, out, profilesIn } = await writeJoined(
    await readJobResults(run, signal),
    pins,
    branch === undefined ? undefined : (joined) => readEarlierValues(joined, branch, remoteOf(process.env)),
  );
  // First, because the results link it.
  const { artifact, problem } = await tryUpload(uploadAs, out);
  // The results are shown here. A comment for a fork is written by the run that follows, which reports if they are
  // missing.
  if (problem !== null) runnerLog.warn(problem);
  await showResults(results, shown, { profilesIn, scope, signal, artifact });
} catch (error) {
  await showError(error, { scope, signal });
  if (uploadAs !== undefined && error instanceof GateError && !signal.aborted) {
    await uploadFailure(uploadAs, error, []).catch((cause: Error) => runnerLog.warn(cause.message));
  }
}
