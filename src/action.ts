// The step of a workflow: reads its inputs into one literal, calls main, and shows the result as annotations, job
// summary and outputs.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import type { Log } from './adapters/log.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError, InterruptedError, VmError } from './errors.ts';
import { baseOfEvent } from './inputs/event-base.ts';
import { readInputs } from './inputs/read-inputs.ts';
import { runGate } from './main.ts';
import { installMissing } from './prerequisites/prerequisites.ts';
import { annotationsOf } from './report/annotations.ts';
import { renderMarkdown } from './report/markdown.ts';
import { buildReport } from './report/report-model.ts';
import { renderText } from './report/text.ts';
import { publishRun } from './report/write-outputs.ts';

const failOnValues = ['regression', 'error', 'never'] as const;

/** GitHub shows a job summary of at most 1 MiB a step. */
const maxSummary = 1024 * 1024;

const log: Log = { progress: (message) => core.info(message), warn: (message) => core.warning(message) };
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interruption.abort(new InterruptedError(`interrupted by ${name}`)));
}

try {
  await runAction();
} catch (error) {
  core.setOutput('verdict', 'error');
  core.setFailed(describe(error));
}

async function runAction(): Promise<void> {
  const given = {
    project: core.getInput('project'),
    config: core.getInput('config'),
    kernels: core.getInput('kernels'),
    lanes: core.getInput('lanes'),
    base: core.getInput('base'),
    out: join(process.env.RUNNER_TEMP ?? '.', 'bpfgate-out'),
  };
  const failOn = oneOf('fail-on', failOnValues);
  const annotate = core.getBooleanInput('annotations');
  const inputs = { ...(await readInputs(given, (option) => `input ${option}`)), ...(await baseFromEvent(given.base)) };

  const cache = openCache();
  const context = { cache, log, signal: interruption.signal };
  const groups = [
    'vm',
    'agent',
    ...(existsSync(join(inputs.project, 'Cargo.toml')) ? (['example'] as const) : []),
  ] as const;
  const tools = await core.group('bpfgate: tools', () =>
    installMissing(groups, { ...context, environment: process.env }),
  );
  const run = await core.group('bpfgate: measure', () => runGate(inputs, { ...context, environment: tools.env }));
  await publishRun(run, inputs.out);

  const { results } = run;
  const report = buildReport(results);
  core.info(renderText(report, { width: 120, colour: false }));
  if (annotate) {
    for (const { level, file, line, title, message } of annotationsOf(results)) {
      const properties = { file, title, ...(line === null ? {} : { startLine: line }) };
      if (level === 'error') core.error(message, properties);
      else core.warning(message, properties);
    }
  }
  await core.summary.addRaw(renderMarkdown(report, { maxLength: maxSummary - 1024 }), true).write();

  const countOf = (verdict: string) => results.comparisons.filter((each) => each.verdict === verdict).length;
  core.setOutput('verdict', results.verdict);
  core.setOutput('regressions', countOf('regression'));
  core.setOutput('improvements', countOf('improvement'));
  core.setOutput('results', resolve(inputs.out, 'results.json'));
  core.setOutput('report', resolve(inputs.out, 'report.md'));

  if (results.verdict === 'regression' && failOn === 'regression') {
    core.setFailed(`bpfgate: ${countOf('regression')} comparisons regressed; the table is in the job summary`);
  } else if (results.verdict === 'error' && failOn !== 'never') {
    core.setFailed('bpfgate: not every kernel could be measured; the job summary says why');
  }
}

/** The base a workflow's event implies, unless one was given. */
async function baseFromEvent(given: string): Promise<{ base?: string; baseBranch?: string }> {
  const path = process.env.GITHUB_EVENT_PATH;
  if (given !== '' || path === undefined || !existsSync(path)) return {};
  return baseOfEvent(JSON.parse(await readFile(path, 'utf8')));
}

function oneOf<T extends string>(name: string, allowed: readonly T[]): T {
  const value = core.getInput(name);
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new InputError(`input ${name}: ${JSON.stringify(value)} is not allowed`, {
    hint: `use one of ${allowed.join(', ')}`,
  });
}

function describe(error: unknown): string {
  if (!(error instanceof GateError)) {
    return `this is a defect of bpfgate: ${error instanceof Error ? error.stack : String(error)}`;
  }
  const tail =
    error instanceof VmError && error.consoleTail.length > 0 ? ['last console lines:', ...error.consoleTail] : [];
  return [error.message, ...(error.hint === undefined ? [] : [`hint: ${error.hint}`]), ...tail].join('\n');
}
