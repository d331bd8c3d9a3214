// Adapter: GitHub's runner, which gives a step its inputs and event, and reads what it prints.

import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { InputError, InterruptedError } from '../common/errors.ts';
import { breakCommands, toPlainText } from '../report/plain-text.ts';
import type { Log } from './log.ts';
import { hideSecrets } from './step-secrets.ts';

export const runnerLog: Log = {
  progress: show,
  warn: (message) => core.warning(toPlainText(message), { title: 'bpfgate' }),
};

/**
 * Begins a step: hides the secrets in its environment, or warns why that is not possible.
 *
 * @returns a signal that aborts when the runner cancels the job
 */
export function beginStep(): AbortSignal {
  const problem = hideSecrets();
  if (problem !== undefined) {
    runnerLog.warn(
      `the step cannot remove the job's tokens from /proc/${process.pid}/environ (${problem}), where a build without a sandbox can read them: set input sandbox to \`required\``,
    );
  }
  const interruption = new AbortController();
  // Every running program and download listens to it.
  setMaxListeners(0, interruption.signal);
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interruption.abort(new InterruptedError(`interrupted by ${name}`)));
  }
  return interruption.signal;
}

/** The folder in which a step may leave files for later steps of its job. */
export function runnerFolder(): string {
  return process.env.RUNNER_TEMP ?? '.';
}

/** Makes a folder there for this step alone: a job may have several steps of bpfgate. */
export async function makeOutputFolder(name: string): Promise<string> {
  return await mkdtemp(join(runnerFolder(), `${name}-`));
}

/** An empty input counts as not given: a workflow cannot distinguish the two. */
export function given(name: string): string | undefined {
  return core.getInput(name) || undefined;
}

/** @throws InputError when the input is none of the allowed values */
export function oneOf<T extends string>(name: string, allowed: readonly T[]): T {
  const value = core.getInput(name);
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new InputError(`input ${name}: ${JSON.stringify(value)} is not allowed`, {
    hint: `use one of ${allowed.join(', ')}`,
  });
}

/** @throws InputError in an empty workspace, in which messages about the project would mislead */
export async function requireCheckout(): Promise<void> {
  if ((await readdir('.')).length > 0) return;
  throw new InputError('the workspace is empty: no step before this one has checked out the repository', {
    hint: 'add a step with actions/checkout before it',
  });
}

/** Reads the event that started the workflow; undefined outside one. */
export async function readEvent(): Promise<unknown> {
  const path = process.env.GITHUB_EVENT_PATH;
  return path === undefined || !existsSync(path) ? undefined : JSON.parse(await readFile(path, 'utf8'));
}

/** Prints text with a project's names and output: none of it controls a terminal or is a command of the runner. */
export function show(text: string): void {
  core.info(breakCommands(toPlainText(text)));
}
