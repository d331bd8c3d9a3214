// The step of a workflow: reads its inputs into one literal, calls main, and shows the result as annotations, job
// summary and outputs.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import { openActionsCache } from './adapters/actions-cache.ts';
import { run } from './adapters/process.ts';
import {
  given,
  makeOutputFolder,
  oneOf,
  readEvent,
  runnerFolder,
  runnerLog,
  stopOnSignals,
} from './adapters/runner.ts';
import { requireArtifactName, tryUpload, uploadFailure } from './adapters/upload-artifact.ts';
import { openCache } from './cache/cache.ts';
import { GateError } from './errors.ts';
import { baseOfEvent, type CheckedOut } from './inputs/event-base.ts';
import { readInputs } from './inputs/read-inputs.ts';
import { chooseKernels } from './kernels/cached.ts';
import { publishGate, runGate } from './main.ts';
import { installMissing } from './prerequisites/prerequisites.ts';
import { readShowInputs, showError, showResults } from './publish/show-results.ts';

const signal = stopOnSignals();
/** Their runs measure what later ones are compared with. A pull request's may not say what base is. */
const baseEvents = ['push', 'schedule', 'workflow_dispatch'];
/** Jobs of a matrix differ in more than the project. */
const scope = ['project', 'config', 'kernels', 'lanes', 'shard'].map((name) => core.getInput(name));
try {
  await runAction();
} catch (error) {
  await showError(error, { scope, signal });
}

async function runAction(): Promise<void> {
  const inputTexts = {
    project: given('project'),
    config: given('config'),
    kernels: given('kernels'),
    lanes: given('lanes'),
    shard: given('shard'),
    base: given('base'),
    out: runnerFolder(),
  };
  const shown = readShowInputs();
  const isCached = oneOf('cache', ['true', 'false']) === 'true';
  const artifactName = given('artifact-name');
  if (artifactName !== undefined) requireArtifactName(artifactName, 'artifact-name');
  const configured = await readInputs(inputTexts, (option) => `input ${option}`);
  // Selectors are checked before anything is installed.
  const local = openCache();
  const kernels = chooseKernels(configured.kernels, local).map(({ id }) => id);
  const inputs = {
    ...configured,
    out: await makeOutputFolder('bpfgate-out'),
    ...(inputTexts.base === undefined ? await baseFromEvent(configured.project) : {}),
  };

  const isRecord = baseEvents.includes(process.env.GITHUB_EVENT_NAME ?? '');
  const options = { cache: local, log: runnerLog, signal, recordsBase: isRecord };
  const remote = isCached ? await openActionsCache(options) : undefined;
  const context = { cache: { ...local, remote }, log: runnerLog, signal };
  const groups = [
    'vm',
    'agent',
    ...(existsSync(join(inputs.project, 'Cargo.toml')) ? (['example'] as const) : []),
    ...(inputs.runner === 'virtme-ng' ? (['virtme-ng'] as const) : []),
  ] as const;
  try {
    const tools = await core.group('bpfgate: tools', () =>
      installMissing(groups, { ...context, environment: toolEnvironment() }),
    );
    const guests = { ...context, environment: tools.env, keepHead: isRecord };
    const run = await core.group('bpfgate: measure', () => runGate(inputs, guests));
    // Of a job that is cancelled nobody reads a part.
    signal.throwIfAborted();
    await publishGate(run, inputs.out, context.cache);

    core.setOutput('results', resolve(inputs.out, 'results.json'));
    core.setOutput('report', resolve(inputs.out, 'report.md'));
    // First, because what is shown links it.
    const { artifact, problem } = await tryUpload(artifactName, inputs.out);
    await showResults(run.results, shown, { profilesIn: () => inputs.out, scope, signal, artifact });
    // Who joins would take it for a job that was lost, so this one fails; but what it found has been shown. One that has
    // failed already has no room for another error beside its annotations.
    if (problem !== null && process.exitCode === undefined) core.setFailed(problem);
    else if (problem !== null) runnerLog.warn(problem);
  } catch (error) {
    if (artifactName !== undefined && error instanceof GateError && !signal.aborted) {
      await uploadFailure(artifactName, error, kernels).catch((cause: Error) => runnerLog.warn(cause.message));
    }
    throw error;
  } finally {
    // Also of a run that failed: what it has fetched and built is good.
    if (remote !== undefined && !signal.aborted) await core.group('bpfgate: cache', () => remote.save());
  }
}

/** The base that the workflow's event implies. */
async function baseFromEvent(project: string): Promise<{ base?: string; baseBranch?: string }> {
  const event = await readEvent();
  return event === undefined ? {} : baseOfEvent(event, await readCheckedOut(project));
}

/** Empty where there is no git repository, which the gate reports. */
async function readCheckedOut(project: string): Promise<CheckedOut> {
  const words = async (...args: string[]) => (await run('git', args, { cwd: project })).stdout.split(/\s+/);
  const [, ...parents] = await words('rev-list', '--parents', '--max-count=1', 'HEAD');
  const branches = await words('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/origin');
  return { parents: parents.filter((id) => id !== ''), branches, ref: process.env.GITHUB_REF ?? '' };
}

/** What tools are run with: nothing of the runner's, which holds the job's tokens. */
function toolEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(INPUT|GITHUB|ACTIONS|RUNNER)_/.test(name)),
  );
}
