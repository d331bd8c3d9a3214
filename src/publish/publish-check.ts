// Publish: adds a run's check to its commit, with the whole table. A failure is logged and changes no verdict.

import { posix } from 'node:path';
import { createCheckRun } from '../adapters/github/checks.ts';
import type { Log } from '../adapters/log.ts';
import type { WorkflowRun } from '../workflow/workflow-run.ts';

/** GitHub's limit, in characters. */
const maxSummary = 65_535;
const timeoutMs = 60_000;

export interface CheckContent {
  readonly conclusion: 'success' | 'failure' | 'neutral';
  readonly title: string;
  /** Markdown of at most this many UTF-16 units. */
  readonly render: (maxLength: number) => string;
}

/** @param scope what is measured, in the words of the step's inputs, as far as they are not the defaults */
export async function publishCheck(
  run: WorkflowRun & { readonly scope: readonly string[] },
  token: string,
  { conclusion, title, render }: CheckContent,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const limit = AbortSignal.timeout(timeoutMs);
  // Not the name of a job: a required check has to be the one that a fork cannot write. The workflow's file is part of
  // it, because GitHub lists the checks of all workflows together.
  const name = ['bpfgate report', posix.basename(run.workflow), ...run.scope].filter((part) => part !== '').join(' · ');
  const check = { name, conclusion, title, headSha: run.headSha, detailsUrl: run.runUrl, summary: render(maxSummary) };
  try {
    const options = { apiUrl: run.apiUrl, token, log, signal: AbortSignal.any([signal, limit]) };
    await createCheckRun(run.repository, check, options);
    log.progress(`check run \`${name}\`: ${conclusion}`);
  } catch (error) {
    const [said] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    const hint = 'it needs `permissions: checks: write`, which a run for a fork cannot have';
    log.progress(`no check run was written (${said}): ${hint}`);
  }
}
