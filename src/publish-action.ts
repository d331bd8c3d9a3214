// Action: the step `publish`, which follows a run whose token could not write, such as that of a pull request from a
// fork. It shows the joined results of that run's gate as a comment on the pull request. It runs none of the pull
// request's code and treats results as text. The event says which pull request it is.

import * as core from '@actions/core';
import { beginStep, oneOf, readEvent } from './adapters/runner.ts';
import { readJobResults } from './publish/read-job-results.ts';
import { isOfStranger, type ShowInputs, showError, showResults } from './publish/show-results.ts';
import { writeJoined } from './publish/write-joined.ts';
import { commentModes, workflowRunOf } from './workflow/workflow-run.ts';

const signal = beginStep();
const scope = [core.getInput('project'), core.getInput('artifact-name')];
// The gate has failed or passed in its own run, with that run's annotations and check.
const nothingElse = { failOn: 'never', annotate: false, checkRun: false } as const;
let isClaim = false;
let shown: ShowInputs = { ...nothingElse, comment: 'never' };
try {
  shown = { ...nothingElse, comment: oneOf('comment', commentModes) };
  isClaim = await isOfStranger();
  const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
  const left = await readJobResults(run, signal);
  const { results, profilesIn } = await writeJoined(left, [], undefined, isClaim);
  const [artifact = null, ...others] = left.artifacts;
  await showResults(results, shown, {
    profilesIn,
    isClaim,
    scope,
    signal,
    artifact: others.length === 0 ? artifact : null,
  });
} catch (error) {
  await showError(error, { scope, signal, isClaim }, shown);
}
