// Inputs: packages of the distribution that a project's build needs.

import { InputError } from '../common/errors.ts';

/** Matches package names by Debian's policy, with an optional architecture. No match can be an option of apt. */
const packageName = /^[a-z0-9][a-z0-9+.-]*(:[a-z0-9]+)?$/;

/**
 * Reads names of packages, separated by spaces, commas or line ends.
 *
 * @param where begins the message, such as `input packages`
 * @throws InputError for anything that is not a package name
 */
export function parsePackageNames(text: string, where: string): string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const wrong = names.find((name) => !packageName.test(name));
  if (wrong === undefined) return names;
  throw new InputError(`${where}: ${JSON.stringify(wrong)} is no name of a package`, {
    hint: 'give names as apt has them, separated by spaces, such as `libbpf-dev libelf-dev`',
  });
}
