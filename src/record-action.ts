// Action: the step `record`, which follows the gate on the base branch: it adds the measurements to the history. It
// runs none of the project's code, so its job may hold a token that can write.

import * as core from '@actions/core';
import { beginStep, given, readEvent, runnerFolder, runnerLog, show } from './adapters/runner.ts';
import { InputError } from './common/errors.ts';
import { recordRequestOf, requireMeasured, requireProject } from './history/record-request.ts';
import { expectedKernels, readJobResults } from './publish/read-job-results.ts';
import { recordHistory } from './publish/record-history.ts';
import { showError } from './publish/show-results.ts';
import { joinResults } from './report/join.ts';
import { countOf, joinWords, toPlainLine } from './report/plain-text.ts';

const signal = beginStep();
try {
  const branch = given('branch') ?? 'bpfgate-history';
  // First of all: for a pull request nothing is even read.
  const { sha, ...request } = recordRequestOf(await readEvent(), process.env, branch);
  const token = given('github-token');
  if (token === undefined) {
    throw new InputError('there is no github-token to push with', { hint: 'do not override input github-token' });
  }
  const pins = expectedKernels();
  const { files } = await readJobResults(request.run, signal);
  const results = joinResults(files);
  requireMeasured(results, sha);
  const projectPath = requireProject(results, given('project'));
  const place = { ...request, branch, token, projectPath };
  const { commit, lines, path } = await recordHistory(results, place, {
    temporaryFolder: runnerFolder(),
    log: runnerLog,
    signal,
  });
  core.setOutput('commit', commit ?? '');
  core.setOutput('lines', lines);
  core.setOutput('path', path);
  const measured = results.measurements.filter(({ revision }) => revision === 'head').map(({ kernel }) => kernel);
  const wanted = new Set([...pins, ...results.kernels].map(({ id }) => id));
  const missing = [...wanted].filter((id) => !measured.includes(id)).map(toPlainLine);
  if (commit === null) runnerLog.warn('nothing was measured, so nothing is recorded');
  else if (missing.length > 0) runnerLog.warn(`no measurements for ${joinWords(missing)}; skipped`);
  if (commit !== null) show(`${countOf(lines, 'line')} in ${path} on branch ${branch}, commit ${commit}`);
} catch (error) {
  await showError(error, { scope: [], signal, headline: 'nothing recorded' });
}
