// Last stage's shell: the output folder. Every file appears whole or not at all.

import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MachineError } from '../errors.ts';
import type { TimedBoot } from '../vm/guest-run.ts';
import type { GateRun } from './gate-run.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { buildReport } from './report-model.ts';
import { serializeResults } from './results-schema.ts';

/** Writes a run's result, its report, and what each stage handed to the next. */
export async function publishRun({ results, profiles, stages }: GateRun, folder: string): Promise<void> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;
  const report = buildReport(results);
  await writeOutputs(folder, {
    'results.json': serializeResults(results),
    'report.md': renderMarkdown(report),
    'report.html': renderHtml(report),
    ...Object.fromEntries(profiles.map(({ profile, content }) => [profile.file, content])),
    'stages/plan.json': json(stages.plan),
    'stages/builds.json': json(stages.builds),
    'stages/guest-runs.json': json(stages.guestRuns),
    'stages/timed-boots.json': json(stages.timedBoots.map(withoutPrinted)),
  });
}

/**
 * Writes files below `folder`, which is made when it is missing.
 *
 * @param files contents by path below the folder
 * @throws MachineError when the folder cannot be written; each file is then as it was or whole
 */
export async function writeOutputs(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const staging = join(folder, `.bpfgate-${process.pid}`);
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(staging, name)), { recursive: true });
      await writeFile(join(staging, name), content);
    }
    // What can be foreseen to fail does so before the first file is replaced.
    const places = Object.keys(files).map((name) => ({ staged: join(staging, name), place: join(folder, name) }));
    for (const { place } of places) {
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
    await rm(staging, { recursive: true, force: true }).catch(() => {}); // The error above is the one to tell.
  }
}

/** Of hundreds of rounds what they printed is not kept: the result has every value. */
function withoutPrinted({ benches, ...boot }: TimedBoot) {
  return { ...boot, benches: benches.map(({ stdoutText: _, stderrTail: __, ...bench }) => bench) };
}
