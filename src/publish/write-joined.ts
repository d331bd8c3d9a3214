// Publish: writes the joined results of all jobs and the report, for later steps of the job that ends a matrix.

import { dirname, join } from 'node:path';
import * as core from '@actions/core';
import type { JobResults } from '../adapters/result-artifacts.ts';
import { makeOutputFolder, readEvent } from '../adapters/runner.ts';
import { readPins } from '../kernels/pins.ts';
import type { KernelPin } from '../model/kernel.ts';
import { toClaim } from '../report/claim.ts';
import { type Failure, toError } from '../report/failure.ts';
import type { EarlierOf } from '../report/html.ts';
import { addMissingKernels, fileOfProfiles, joinResults } from '../report/join.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { buildReport, type ReportOptions } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { serializeResults } from '../report/results-schema.ts';
import { codeUrlOf } from '../workflow/workflow-run.ts';
import { writeOutputs } from './write-outputs.ts';

export interface Joined extends Required<Pick<ReportOptions, 'profilesIn'>> {
  readonly results: Results;
  /** The folder of results.json, report.md and report.html. */
  readonly out: string;
}

/**
 * Joins what jobs have left, writes it and sets the outputs `results` and `report`.
 *
 * @param pins kernels of which a result is expected, in addition to those that a job says it could not measure
 * @param readEarlier reads what earlier commits had, for report.html; default: nothing
 * @param isClaim whether a stranger could have forged them: only numbers and names are written
 * @throws GateError when the results do not belong together, or a failed job names no known kernel
 */
export async function writeJoined(
  { files, profiles, failures }: JobResults,
  pins: readonly KernelPin[] = [],
  readEarlier?: (results: Results) => Promise<EarlierOf>,
  isClaim = false,
): Promise<Joined> {
  const joined = addMissingKernels(joinResults(files), wantedKernels(failures, pins), failures);
  const results = isClaim ? toClaim(joined) : joined;
  const fileOf = fileOfProfiles(files);
  const profilesIn = (kernel: string, bench: string) => dirname(fileOf(kernel, bench) ?? '.');
  const codeUrl = codeUrlOf(results.revisions.head.commit, await readEvent(), process.env);
  const report = buildReport(results, { profilesIn, linkProfiles: false, ofWorkflow: true, codeUrl, isClaim });
  const { renderHtml } = await import('../report/html.ts');
  const out = await makeOutputFolder('bpfgate-report');
  await writeOutputs(out, {
    'results.json': serializeResults(results),
    'report.md': renderMarkdown(report),
    'report.html': renderHtml(report, (file) => profiles.get(file), await readEarlier?.(results)),
  });
  core.setOutput('results', join(out, 'results.json'));
  core.setOutput('report', join(out, 'report.md'));
  return { results, out, profilesIn };
}

/** @throws GateError of a failed job that names no known kernel, so that no result would be missed */
function wantedKernels(failures: readonly Failure[], pins: readonly KernelPin[]): KernelPin[] {
  const known = [...pins, ...readPins()];
  const named = failures.map(({ kernels }) => kernels.flatMap((id) => known.find((pin) => pin.id === id) ?? []));
  const [stray, ...others] = failures.filter((_, index) => named[index]?.length === 0);
  if (stray !== undefined) throw toError([stray, ...others]);
  return [...new Set([...pins, ...named.flat()])];
}
