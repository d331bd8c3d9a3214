// What the boot benchmarks have in common as commands: their options' values, and how they end.

import type { TerminalLog } from '../../src/adapters/log.ts';
import { GateError, InputError } from '../../src/errors.ts';

/** @throws InputError when it is not a whole number above 0 */
export function readPositive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new InputError(`--${option} ${text}: a whole number above 0 is needed`);
  }
  return value;
}

/** What to type for the same again: the options that are not left at their defaults. */
export function commandOf(
  script: string,
  given: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): string {
  const options = Object.entries(given).filter(([name, value]) => value !== defaults[name]);
  const typed = options.map(([name, value]) => ` --${name} ${value}`).join('');
  return `npm run ${script}${typed === '' ? '' : ` --${typed}`}`;
}

/** Runs a script's work; what is expected to go wrong is told as the command line tells it. */
export async function runScript(log: TerminalLog, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.clear();
    if (!(error instanceof GateError)) throw error;
    process.stderr.write(`${error.message}\n${error.hint === undefined ? '' : `  hint: ${error.hint}\n`}`);
    process.exitCode = error.exitCode;
  }
}

/** A message without the folders of the machine it comes from. */
export function withoutPaths(message: string, folders: readonly string[]): string {
  // The longest first: one may lie in another.
  const sorted = folders.filter((folder) => folder.length > 1).toSorted((a, b) => b.length - a.length);
  return sorted.reduce((text, folder) => text.replaceAll(folder, '…'), message);
}
