// What a step of a workflow shows of a run: log, annotations, job summary, comment, outputs, and whether it fails.

import * as core from '@actions/core';
import { oneOf, readEvent, runnerLog, show } from '../adapters/runner.ts';
import { GateError, InputError, VmError } from '../errors.ts';
import { annotationsOf } from '../report/annotations.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { toCodeBlock } from '../report/markdown-escape.ts';
import { countOf, toPlainLine } from '../report/plain-text.ts';
import { buildReport, type ReportOptions } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { renderText } from '../report/text.ts';
import { type CommentMode, commentModes, commentPlaceOf, hasNews } from './comment-request.ts';
import { type CommentContent, publishComment } from './publish-comment.ts';

const failOnValues = ['regression', 'error', 'never'] as const;

/** UTF-16 units of at most 3 bytes each: GitHub refuses a step's job summary of more than 1 MiB. */
const maxSummary = 349_000;

/** The inputs that say how a result is shown. */
export interface ShowInputs {
  readonly failOn: (typeof failOnValues)[number];
  readonly annotate: boolean;
  readonly comment: CommentMode;
}

/** What showing needs beside the inputs. */
export interface ShowContext {
  /** The inputs that say what is measured: each combination has a comment of its own. */
  readonly scope: readonly string[];
  readonly signal: AbortSignal;
}

/** @throws InputError when an input is none of the allowed values */
export function readShowInputs(): ShowInputs {
  return {
    failOn: oneOf('fail-on', failOnValues),
    annotate: oneOf('annotations', ['true', 'false']) === 'true',
    comment: oneOf('comment', commentModes),
  };
}

/** The log and the job summary are read elsewhere than in the output folder: they name it and link nothing. */
export async function showResults(
  results: Results,
  { failOn, annotate, comment: mode }: ShowInputs,
  { profilesIn, ...context }: ShowContext & Required<Pick<ReportOptions, 'profilesIn'>>,
): Promise<void> {
  const report = buildReport(results, { profilesIn, linkProfiles: false });
  show(renderText(report, { width: 120, colour: false }));
  if (annotate) {
    for (const { level, file, line, title, message } of annotationsOf(results)) {
      const properties = { file, title, ...(line === null ? {} : { startLine: line }) };
      if (level === 'error') core.error(message, properties);
      else core.warning(message, properties);
    }
  }
  await core.summary.addRaw(renderMarkdown(report, { maxLength: maxSummary }), true).write();

  const count = (verdict: string) => results.comparisons.filter((each) => each.verdict === verdict).length;
  core.setOutput('verdict', results.verdict);
  core.setOutput('regressions', count('regression'));
  core.setOutput('improvements', count('improvement'));
  if (results.verdict === 'regression' && failOn === 'regression') {
    core.setFailed(`bpfgate: ${countOf(count('regression'), 'comparison')} regressed; the table is in the job summary`);
  } else if (
    (results.verdict === 'error' || results.kernels.some(({ error }) => error !== null)) &&
    failOn !== 'never'
  ) {
    core.setFailed('bpfgate: not every kernel could be measured; the job summary says why');
  }
  // Last: whatever becomes of it, everything else is said.
  const content = { render: (maxLength: number) => renderMarkdown(report, { maxLength }), isNews: hasNews(results) };
  await comment(mode, content, context);
}

/** Says why there is no result. `fail-on: never` forgives what the machine or the project did, not a bad workflow. */
export async function showError(error: unknown, context: ShowContext): Promise<void> {
  core.setOutput('verdict', 'error');
  if (context.signal.aborted) {
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
  const render = (maxLength: number) => (summary.length <= maxLength ? summary : '### bpfgate: no result\n');
  const mode = commentModes.find((each) => each === core.getInput('comment')) ?? 'never';
  await comment(mode, { render, isNews: true }, context);
}

/** Where the event is about a pull request. */
async function comment(mode: CommentMode, content: CommentContent, { scope, signal }: ShowContext): Promise<void> {
  const token = core.getInput('github-token');
  if (mode === 'never') return;
  const place = commentPlaceOf(await readEvent(), process.env);
  if (place === null) return;
  if (token === '') {
    runnerLog.warn(`input comment is \`${mode}\`, but there is no github-token to write it with`);
    return;
  }
  // A fork's run cannot write, and its author cannot change that.
  const warn = place.isReadOnly ? runnerLog.progress : runnerLog.warn;
  const isNews = mode === 'always' || content.isNews;
  await publishComment(
    { ...place, scope: scope.map((name) => core.getInput(name)) },
    token,
    { ...content, isNews },
    { log: { ...runnerLog, warn }, signal },
  );
}

function describe(error: unknown): string {
  if (!(error instanceof GateError)) {
    return `this is a defect of bpfgate: ${error instanceof Error ? error.stack : String(error)}`;
  }
  const tail =
    error instanceof VmError && error.consoleTail.length > 0 ? ['last console lines:', ...error.consoleTail] : [];
  return [error.message, ...(error.hint === undefined ? [] : [`hint: ${error.hint}`]), ...tail].join('\n');
}
