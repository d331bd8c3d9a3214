// The step of a workflow: reads its inputs into one literal, calls main, and shows the result as annotations, job
// summary and outputs.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import type { Log } from './adapters/log.ts';
import { run } from './adapters/process.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError, InterruptedError, VmError } from './errors.ts';
import { baseOfEvent, type CheckedOut } from './inputs/event-base.ts';
import { readInputs } from './inputs/read-inputs.ts';
import { chooseKernels } from './kernels/cached.ts';
import { runGate } from './main.ts';
import { installMissing } from './prerequisites/prerequisites.ts';
import { type CommentMode, commentModes, commentPlaceOf, hasNews } from './publish/comment-request.ts';
import { type CommentContent, publishComment } from './publish/publish-comment.ts';
import { annotationsOf } from './report/annotations.ts';
import { renderMarkdown } from './report/markdown.ts';
import { toCodeBlock } from './report/markdown-escape.ts';
import { countOf, toPlainLine } from './report/plain-text.ts';
import { buildReport } from './report/report-model.ts';
import { renderText } from './report/text.ts';
import { publishRun } from './report/write-outputs.ts';

const failOnValues = ['regression', 'error', 'never'] as const;

/** UTF-16 units of at most 3 bytes each: GitHub refuses a step's job summary of more than 1 MiB. */
const maxSummary = 349_000;

const log: Log = {
  progress: show,
  warn: (message) => core.warning(message, { title: 'bpfgate' }),
};
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interruption.abort(new InterruptedError(`interrupted by ${name}`)));
}

try {
  await runAction();
} catch (error) {
  await reportError(error);
}

/** An input left empty is one not given: a workflow cannot tell the two apart. */
function given(name: string): string | undefined {
  return core.getInput(name) || undefined;
}

async function runAction(): Promise<void> {
  const inputTexts = {
    project: given('project'),
    config: given('config'),
    kernels: given('kernels'),
    lanes: given('lanes'),
    base: given('base'),
    out: join(process.env.RUNNER_TEMP ?? '.', 'bpfgate-out'),
  };
  const failOn = oneOf('fail-on', failOnValues);
  const annotate = oneOf('annotations', ['true', 'false']) === 'true';
  const mode = oneOf('comment', commentModes);
  const configured = await readInputs(inputTexts, (option) => `input ${option}`);
  // Selectors are checked before anything is installed.
  const cache = openCache();
  chooseKernels(configured.kernels, cache);
  const inputs = { ...configured, ...(inputTexts.base === undefined ? await baseFromEvent(configured.project) : {}) };

  const context = { cache, log, signal: interruption.signal };
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

  const { results } = run;
  // The log and the job summary are read elsewhere than in the output folder: they name it and link nothing.
  const report = buildReport(results, { profilesIn: () => inputs.out, linkProfiles: false });
  show(renderText(report, { width: 120, colour: false }));
  if (annotate) {
    for (const { level, file, line, title, message } of annotationsOf(results)) {
      const properties = { file, title, ...(line === null ? {} : { startLine: line }) };
      if (level === 'error') core.error(message, properties);
      else core.warning(message, properties);
    }
  }
  await core.summary.addRaw(renderMarkdown(report, { maxLength: maxSummary }), true).write();
  await comment(mode, {
    render: (maxLength) => renderMarkdown(report, { maxLength }),
    isNews: mode === 'always' || hasNews(results),
    project: inputTexts.project ?? '',
  });

  const count = (verdict: string) => results.comparisons.filter((each) => each.verdict === verdict).length;
  core.setOutput('verdict', results.verdict);
  core.setOutput('regressions', count('regression'));
  core.setOutput('improvements', count('improvement'));
  core.setOutput('results', resolve(inputs.out, 'results.json'));
  core.setOutput('report', resolve(inputs.out, 'report.md'));

  if (results.verdict === 'regression' && failOn === 'regression') {
    core.setFailed(`bpfgate: ${countOf(count('regression'), 'comparison')} regressed; the table is in the job summary`);
  } else if (
    (results.verdict === 'error' || results.kernels.some(({ error }) => error !== null)) &&
    failOn !== 'never'
  ) {
    core.setFailed('bpfgate: not every kernel could be measured; the job summary says why');
  }
}

/** Says why there is no result. `fail-on: never` forgives what the machine or the project did, not a bad workflow. */
async function reportError(error: unknown): Promise<void> {
  core.setOutput('verdict', 'error');
  if (interruption.signal.aborted) {
    core.setFailed('bpfgate: interrupted; nothing was left running');
    return;
  }
  const text = describe(error);
  const forgiven = core.getInput('fail-on') === 'never' && error instanceof GateError && !(error instanceof InputError);
  if (forgiven) core.warning(text, { title: 'bpfgate' });
  else {
    core.error(text, { title: 'bpfgate' });
    process.exitCode = core.ExitCode.Failure;
  }
  const summary = ['### bpfgate: no result', '', toCodeBlock(text.split('\n').map(toPlainLine))].join('\n');
  // A runner without job summaries has shown the error above.
  await core.summary
    .addRaw(summary, true)
    .write()
    .catch(() => {});
  // A comment that says what an earlier push came to must not be taken for this one's.
  const mode = commentModes.find((each) => each === core.getInput('comment')) ?? 'never';
  await comment(mode, {
    render: (maxLength) => (summary.length <= maxLength ? summary : '### bpfgate: no result\n'),
    isNews: true,
    project: given('project') ?? '',
  });
}

/** Where the event is about a pull request. */
async function comment(mode: CommentMode, content: CommentContent): Promise<void> {
  const token = core.getInput('github-token');
  if (mode === 'never' || token === '') return;
  const place = commentPlaceOf(await readEvent(), process.env);
  if (place === null) return;
  // A fork's run cannot write, and its author cannot change that.
  const warn = place.isFork ? log.progress : log.warn;
  await publishComment(place, token, content, { log: { ...log, warn }, signal: interruption.signal });
}

/** The base that the workflow's event implies. */
async function baseFromEvent(project: string): Promise<{ base?: string; baseBranch?: string }> {
  const event = await readEvent();
  return event === undefined ? {} : baseOfEvent(event, await readCheckedOut(project));
}

async function readEvent(): Promise<unknown> {
  const path = process.env.GITHUB_EVENT_PATH;
  return path === undefined || !existsSync(path) ? undefined : JSON.parse(await readFile(path, 'utf8'));
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

/** Prints text in which a project's names and output stand, none of it taken for a command of the runner. */
function show(text: string): void {
  core.info(text.replace(/^(\s*):(?=:)/gm, '$1:\u200b').replace(/##(?=\[)/g, '#\u200b#'));
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
