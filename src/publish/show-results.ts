// Publish: shows a run in a workflow's step: log, annotations, job summary, comment, outputs, and whether it fails.

import * as core from '@actions/core';
import { oneOf, readEvent, runnerLog, show } from '../adapters/runner.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { GateError, InputError, machineFailure, VmError } from '../common/errors.ts';
import { annotationsOf } from '../report/annotations.ts';
import { claimed, seeItsRun, toClaim } from '../report/claim.ts';
import type { FindingDetail } from '../report/finding-detail.ts';
import { isFailing } from '../report/gate-verdict.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { toCodeBlock } from '../report/markdown-escape.ts';
import { countOf, toPlainLine, toPlainText, toText } from '../report/plain-text.ts';
import type { Followed } from '../report/remembered.ts';
import { buildReport, type ReportOptions } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { renderText } from '../report/text.ts';
import {
  type CommentMode,
  codeUrlOf,
  commentModes,
  failOnValues,
  hasNews,
  workflowRunOf,
} from '../workflow/workflow-run.ts';
import { type CheckContent, publishCheck } from './publish-check.ts';
import { type CommentContent, publishComment } from './publish-comment.ts';

/** Largest job summary, in bytes: GitHub refuses a step's summary of more than 1 MiB. */
const maxSummary = 1_048_000;
/** Longest title of a check run, in UTF-16 units. */
const maxTitle = 200;

/** The job that measures has no token, because it runs the code of the project. */
const showElsewhere = 'let another job write it, by the step `report`, as examples/workflows/matrix.yml does';

/** How a result is shown. */
export interface ShowInputs {
  readonly failOn: (typeof failOnValues)[number];
  readonly annotate: boolean;
  readonly comment: CommentMode;
  readonly checkRun: boolean;
}

/** Further values that showing needs. */
export interface ShowContext {
  /** Subject of the run, in the words of the step's inputs: each combination has a comment of its own. */
  readonly scope: readonly string[];
  readonly signal: AbortSignal;
  /** Number of the artifact with the whole report, of this workflow run or the one it follows. Default: none. */
  readonly artifact?: number | null;
  /** Title of an error. Default `no result`. */
  readonly headline?: string;
  /** Whether it is the step `publish` after a stranger's run, of whose texts only the log has any. Default false. */
  readonly isClaim?: boolean;
}

/** @throws InputError when an input is none of the allowed values */
export function readShowInputs(): ShowInputs {
  return {
    failOn: oneOf('fail-on', failOnValues),
    annotate: oneOf('annotations', ['true', 'false']) === 'true',
    comment: oneOf('comment', commentModes),
    checkRun: oneOf('check-run', ['true', 'false']) === 'true',
  };
}

/** Reads the inputs if one of them may be the error. Nothing is shown that was not asked for. */
function readWhatCanBe(): ShowInputs {
  const chosen = <T extends string>(name: string, allowed: readonly T[]) =>
    allowed.find((each) => each === core.getInput(name));
  return {
    failOn: chosen('fail-on', failOnValues) ?? 'regression',
    annotate: core.getInput('annotations') === 'true',
    comment: chosen('comment', commentModes) ?? 'never',
    checkRun: core.getInput('check-run') === 'true',
  };
}

/** Whether a stranger could have forged what the event's run has measured. */
export async function isOfStranger(): Promise<boolean> {
  return workflowRunOf(await readEvent(), process.env)?.isStrangers ?? true;
}

/**
 * Shows results: the log and the job summary in the words of the run, a comment and a check run under bpfgate's name.
 *
 * The log and the job summary are read outside the output folder, so they name it and link nothing.
 *
 * @param results with `isClaim` what `toClaim` leaves
 */
export async function showResults(
  results: Results,
  { failOn, annotate, comment: mode, checkRun }: ShowInputs,
  { profilesIn, isClaim = false, ...context }: ShowContext & Required<Pick<ReportOptions, 'profilesIn'>>,
): Promise<void> {
  const codeUrl = codeUrlOf(results.revisions.head.commit, await readEvent(), process.env);
  const options = { profilesIn, linkProfiles: false, ofWorkflow: true, codeUrl, isClaim };
  const report = buildReport(results, options);
  show(renderText(report, { width: 120, colour: false }));
  const failure = failureOf(results, report.findings, failOn);
  if (annotate) {
    for (const { level, file, line, title, message } of annotationsOf(results, failure === null ? 0 : 1)) {
      const properties = { file, title, ...(line === null ? {} : { startLine: line }) };
      if (level === 'error') core.error(message, properties);
      else if (level === 'warning') core.warning(message, properties);
      else core.notice(message, properties);
    }
  }
  await summarize(renderMarkdown(report, { maxLength: maxSummary, lengthOf: Buffer.byteLength }));

  core.setOutput('verdict', results.verdict);
  core.setOutput('regressions', results.comparisons.filter(isFailing).length);
  core.setOutput('improvements', results.comparisons.filter((each) => each.verdict === 'improvement').length);
  if (failure !== null) core.setFailed(failure);
  // Last, so that a failure of these hides nothing else.
  const isStrangers = isClaim || (await isOfStranger());
  const named = isStrangers ? toClaim(results) : results;
  const shown = isStrangers ? buildReport(named, { ...options, isClaim: true }) : report;
  const render = (maxLength: number, followed?: Followed) => renderMarkdown(shown, { maxLength, ...followed });
  const found = { findings: shown.findings, results: named };
  await comment(mode, { render, found, isNews: hasNews(named) }, context);
  if (!checkRun) return;
  const conclusion = failure !== null ? 'failure' : results.verdict === 'pass' ? 'success' : 'neutral';
  await check({ conclusion, title: clipMiddle(toText(shown.headline), maxTitle), render }, context);
}

/** Why the step fails; null if it does not. */
function failureOf(
  { verdict, kernels }: Results,
  findings: readonly FindingDetail[],
  failOn: ShowInputs['failOn'],
): string | null {
  if (verdict === 'regression' && failOn === 'regression') {
    const worse = findings.filter((finding) => finding.verdict === 'regression' && !finding.isAccepted);
    return `bpfgate: ${countOf(worse.length, 'finding')}; the report is in the job summary`;
  }
  if (failOn === 'never' || (verdict !== 'error' && kernels.every(({ error }) => error === null))) return null;
  return 'bpfgate: not every kernel could be measured; the job summary says why';
}

/** Writes the job summary. If that fails, the log has the report. */
async function summarize(markdown: string): Promise<void> {
  try {
    await core.summary.addRaw(markdown, true).write();
  } catch (error) {
    runnerLog.warn(`the job summary cannot be written: ${(error as Error).message}; the log has the report`);
  }
}

/**
 * Shows why there is no result. `fail-on: never` forgives failures of the machine or the project, not a bad workflow.
 *
 * @param shown default: the step's inputs, as far as they can be read
 */
export async function showError(
  error: unknown,
  context: ShowContext,
  { failOn, comment: mode, checkRun }: ShowInputs = readWhatCanBe(),
): Promise<void> {
  core.setOutput('verdict', 'error');
  if (context.signal.aborted) {
    core.setFailed('bpfgate: interrupted; nothing was left running');
    return;
  }
  const whole = toPlainText(describe(error));
  const claim = `${toText(claimed)}${seeItsRun}`;
  if (context.isClaim) show(whole);
  const text = context.isClaim ? claim : whole;
  const forgiven = failOn === 'never' && error instanceof GateError && !(error instanceof InputError);
  if (forgiven) core.warning(text, { title: 'bpfgate' });
  else {
    core.error(text, { title: 'bpfgate' });
    process.exitCode = core.ExitCode.Failure;
  }
  const title = `### bpfgate: ${context.headline ?? 'no result'}`;
  const summary = [title, '', toCodeBlock(text.split('\n').map(toPlainLine))].join('\n');
  await summarize(summary);
  const said = (await isOfStranger()) ? `${title}\n\n${claim}\n` : summary;
  // A comment about an earlier push must not be taken for this one's.
  const render = (maxLength: number) => (said.length <= maxLength ? said : `${title}\n`);
  await comment(mode, { render, found: null, isNews: true }, context);
  if (!checkRun) return;
  await check(
    { conclusion: forgiven ? 'neutral' : 'failure', title: context.headline ?? 'no result', render },
    context,
  );
}

/** Writes the comment if the event is about a pull request. */
async function comment(
  mode: CommentMode,
  content: Omit<CommentContent, 'whole'>,
  { scope, signal, artifact = null }: ShowContext,
): Promise<void> {
  const token = core.getInput('github-token');
  if (mode === 'never') return;
  const place = workflowRunOf(await readEvent(), process.env);
  if (place?.pullRequest == null) return;
  if (token === '') {
    runnerLog.warn(`input comment is \`${mode}\`, but there is no github-token to write it with; ${showElsewhere}`);
    return;
  }
  // A fork's run cannot write, and its author cannot change that.
  const warn = place.isReadOnly ? runnerLog.progress : runnerLog.warn;
  const isNews = mode === 'always' || content.isNews;
  await publishComment(
    { ...place, pullRequest: place.pullRequest, scope },
    token,
    { ...content, isNews, whole: content.found === null ? 'none' : artifact === null ? 'summary' : { artifact } },
    { log: { ...runnerLog, warn }, signal },
  );
}

async function check(content: CheckContent, { scope, signal }: ShowContext): Promise<void> {
  const token = core.getInput('github-token');
  const run = workflowRunOf(await readEvent(), process.env);
  if (run === null) return;
  if (token === '') {
    runnerLog.warn(`input check-run is \`true\`, but there is no github-token to write it with; ${showElsewhere}`);
    return;
  }
  const defaults = ['', '.', 'bpfgate.toml', 'bpfgate', 'bpfgate-report'];
  const own = scope.filter((value) => !defaults.includes(value));
  await publishCheck({ ...run, scope: own }, token, content, { log: runnerLog, signal });
}

function describe(thrown: unknown): string {
  const error = machineFailure(thrown) ?? thrown;
  if (!(error instanceof GateError)) {
    return `internal error (please report this): ${error instanceof Error ? error.stack : String(error)}`;
  }
  const tail =
    error instanceof VmError && error.consoleTail.length > 0 ? ['last console lines:', ...error.consoleTail] : [];
  return [error.message, ...(error.hint === undefined ? [] : [`hint: ${error.hint}`]), ...tail].join('\n');
}
