// Publish: writes the output folder. Every file appears whole or not at all.

import { lstat, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { type GateError, MachineError } from '../common/errors.ts';
import { describeFailure, failureFile, serializeFailure } from '../report/failure.ts';
import type { GateRun } from '../report/gate-run.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { buildReport, type ReportOptions } from '../report/report-model.ts';
import { serializeResults } from '../report/results-schema.ts';

/** Keeps the folder out of `git status` and of commits, as cargo does with its target folder. */
const ignoreFile = { '.gitignore': '*\n' };

/** Writes a run's result, its report, what each stage handed on, and the complete outputs behind its errors. */
export async function publishRun(
  { results, profiles, stages, logs }: GateRun,
  folder: string,
  options: ReportOptions = {},
): Promise<void> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;
  const report = buildReport(results, options);
  const contents = new Map(profiles.map(({ profile, content }) => [profile.file, content]));
  // With a chart library, which nothing else needs.
  const { renderHtml } = await import('../report/html.ts');
  await writeOutputs(folder, {
    ...ignoreFile,
    ...below('logs', logs),
    'results.json': serializeResults(results),
    'report.md': renderMarkdown(report),
    'report.html': renderHtml(report, (file) => contents.get(file)),
    ...Object.fromEntries(contents),
    'stages/plan.json': json(stages.plan),
    'stages/builds.json': json(stages.builds),
    'stages/guest-runs.json': json(stages.guestRuns),
  });
  // An earlier run may have left it.
  await rm(join(folder, failureFile), { force: true });
}

/**
 * Writes why a run has no result, and the complete outputs behind that. Files of an earlier run stay.
 *
 * @param kernels ids of the kernels that should have been measured
 */
export async function publishFailure(error: GateError, kernels: readonly string[], folder: string): Promise<void> {
  const failure = { [failureFile]: serializeFailure(describeFailure(error, kernels)) };
  await writeOutputs(folder, { ...ignoreFile, ...below('logs', error.logs), ...failure });
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [join(folder, name), content]));
}

/**
 * Writes files below `folder`, which is created if it is missing.
 *
 * @param files contents by path below the folder
 * @throws MachineError when the folder cannot be written; each file is then as it was or whole
 */
export async function writeOutputs(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  let staging: string | undefined;
  try {
    await mkdir(folder, { recursive: true });
    // An unpredictable name, for which no link can have been prepared.
    staging = await mkdtemp(join(folder, '.bpfgate-'));
    const places = [];
    for (const [name, content] of Object.entries(files)) {
      const staged = join(staging, name);
      await mkdir(dirname(staged), { recursive: true });
      await writeFile(staged, content);
      places.push({ name, staged, place: join(folder, name) });
    }
    // Foreseeable failures come before the first file is replaced.
    for (const { name, place } of places) {
      await refuseLinks(folder, name);
      await mkdir(dirname(place), { recursive: true });
      const found = await stat(place).catch(() => undefined);
      if (found?.isDirectory()) throw new Error(`${place} is a folder`);
    }
    for (const { staged, place } of places) await rename(staged, place);
  } catch (cause) {
    throw new MachineError(`cannot write the results to ${folder}: ${(cause as Error).message}`, {
      cause,
      hint: 'give another place',
    });
  } finally {
    // The error above is the one to report.
    if (staging !== undefined) await rm(staging, { recursive: true, force: true }).catch(() => {});
  }
}

/** Refuses a path that leads through a link below the folder. A pull request may have made what is there. */
async function refuseLinks(folder: string, path: string): Promise<void> {
  let at = folder;
  for (const name of path.split(sep).slice(0, -1)) {
    at = join(at, name);
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink()) throw new Error(`${at} is a link`);
  }
}
