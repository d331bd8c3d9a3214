// The step of a workflow: reads its inputs into one literal, calls main, and shows the result as annotations, job
// summary and outputs.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import { run } from './adapters/process.ts';
import { given, readEvent, runnerFolder, runnerLog, stopOnSignals } from './adapters/runner.ts';
import { openCache } from './cache/cache.ts';
import { baseOfEvent, type CheckedOut } from './inputs/event-base.ts';
import { readInputs } from './inputs/read-inputs.ts';
import { chooseKernels } from './kernels/cached.ts';
import { runGate } from './main.ts';
import { installMissing } from './prerequisites/prerequisites.ts';
import { readShowInputs, showError, showResults } from './publish/show-results.ts';
import { publishRun } from './report/write-outputs.ts';

const signal = stopOnSignals();
/** Jobs of a matrix differ in more than the project. */
const scope = ['project', 'config', 'kernels', 'lanes'];
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
    base: given('base'),
    out: join(runnerFolder(), 'bpfgate-out'),
  };
  const shown = readShowInputs();
  const configured = await readInputs(inputTexts, (option) => `input ${option}`);
  // Selectors are checked before anything is installed.
  const cache = openCache();
  chooseKernels(configured.kernels, cache);
  const inputs = { ...configured, ...(inputTexts.base === undefined ? await baseFromEvent(configured.project) : {}) };

  const context = { cache, log: runnerLog, signal };
  const groups = [
    'vm',
    'agent',
    ...(existsSync(join(inputs.project, 'Cargo.toml')) ? (['example'] as const) : []),
    ...(inputs.runner === 'virtme-ng' ? (['virtme-ng'] as const) : []),
  ] as const;
  const tools = await core.group('bpfgate: tools', () =>
    installMissing(groups, { ...context, environment: toolEnvironment() }),
  );
  const run = await core.group('bpfgate: measure', () => runGate(inputs, { ...context, environment: tools.env }));
  await publishRun(run, inputs.out);

  core.setOutput('results', resolve(inputs.out, 'results.json'));
  core.setOutput('report', resolve(inputs.out, 'report.md'));
  await showResults(run.results, shown, { profilesIn: () => inputs.out, scope, signal });
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
