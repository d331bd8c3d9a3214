// Options of the programs that measure: their values, and the command that repeats a run.

import { parseArgs } from 'node:util';
import { InputError } from '../src/common/errors.ts';

type Options<Name extends string, Other extends string> = Readonly<
  Record<Name, string> & Partial<Record<Other | 'out', string>>
>;

/**
 * Reads the options of `npm run <script>`.
 *
 * @param defaults the options that decide what is measured
 * @param others further options, without a default
 * @returns also the command that repeats the run
 */
export function readOptions<Name extends string, const Other extends string = never>(
  script: string,
  defaults: Readonly<Record<Name, string>>,
  others: readonly Other[] = [],
): { readonly given: Options<Name, Other>; readonly command: string } {
  const names = [...Object.keys(defaults), ...others, 'out'];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
  });
  const given = { ...defaults, ...values } as Options<Name, Other>;
  const measured = Object.fromEntries(Object.keys(defaults).map((name) => [name, given[name as Name]]));
  return { given, command: commandOf(script, measured, defaults) };
}

/** @throws InputError if it is not a whole number above 0 */
export function readPositive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new InputError(`--${option} ${text}: a whole number above 0 is needed`);
  }
  return value;
}

/** Returns the command that repeats a run: the script with the options that differ from their defaults. */
export function commandOf(
  script: string,
  given: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): string {
  const options = Object.entries(given).filter(([name, value]) => value !== defaults[name]);
  const typed = options.map(([name, value]) => ` --${name} ${/ /.test(value) ? `'${value}'` : value}`).join('');
  return `npm run ${script}${typed === '' ? '' : ` --${typed}`}`;
}

/** Removes the paths of this machine's folders from a message. */
export function withoutPaths(message: string, folders: readonly string[]): string {
  // Longest first, because one folder may be inside another.
  const sorted = folders.filter((folder) => folder.length > 1).toSorted((a, b) => b.length - a.length);
  return sorted.reduce((text, folder) => text.replaceAll(folder, '…'), message);
}
