// Commands: runs the gate, prints what it found and writes the output folder.

import { join } from 'node:path';
import { GateError, InputError } from '../common/errors.ts';
import { exportSarif } from '../export/sarif.ts';
import { renderVeristat } from '../export/veristat.ts';
import { type GateOptions, runGate } from '../gate.ts';
import type { Inputs } from '../model/inputs.ts';
import { publishFailure, publishRun } from '../publish/write-outputs.ts';
import type { GateRun } from '../report/gate-run.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { buildReport } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { serializeResults } from '../report/results-schema.ts';
import { renderText } from '../report/text.ts';
import type { GuestContext } from '../vm/guest.ts';
import type { Format } from './options.ts';
import { context, log, say, write } from './session.ts';

/** Runs the gate. If it fails, the output folder has the reason and the complete outputs behind the error. */
export async function gate(inputs: Inputs, guests: GuestContext, options: GateOptions): Promise<GateRun> {
  try {
    return await runGate(inputs, guests, options);
  } catch (error) {
    if (error instanceof GateError && !(error instanceof InputError) && !context.signal.aborted) {
      await publishFailure(error, [], inputs.out).catch((problem: GateError) => log.warn(problem.message));
      for (const name of Object.keys(error.logs)) say(`the whole output is in ${join(inputs.out, 'logs', name)}`);
    }
    throw error;
  }
}

/**
 * Prints a run and writes it to the output folder.
 *
 * @throws InterruptedError when it was interrupted; what had been measured is printed, but is incomplete
 */
export async function conclude(run: GateRun, format: Format, out: string): Promise<void> {
  // First, whatever happens to the output folder.
  print(run.results, format, () => out);
  await publishRun(run, out);
  say(`the report as a page: ${join(out, 'report.html')}; results.json and report.md are next to it`);
  context.signal.throwIfAborted();
}

/** @param folderOf the output folder in which the profiles of a kernel's bench are */
export function print(results: Results, format: Format, folderOf: (kernel: string, bench: string) => string): void {
  const model = () => buildReport(results, { profilesIn: folderOf, linkProfiles: false });
  if (format === 'json') write(serializeResults(results));
  else if (format === 'markdown') write(renderMarkdown(model()));
  else if (format === 'sarif') write(exportSarif(results));
  else if (format === 'veristat') printVeristat(results);
  else write(renderText(model(), { width: process.stdout.columns ?? 100, colour: process.stdout.isTTY === true }));
}

/** Prints veristat's CSV. It has no place for a kernel that failed, so that goes to stderr. */
export function printVeristat(results: Results): void {
  for (const { id, error } of results.kernels) {
    if (error !== null) log.warn(`kernel ${id} is not in the CSV, or not all of it: ${error.message}`);
  }
  write(renderVeristat(results));
}
