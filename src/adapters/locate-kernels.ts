// Adapter: the paths in selectors of kernels, `file:PATH`.

import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import { filePrefix, splitSelectors } from '../inputs/own-kernels.ts';

/**
 * Makes the paths absolute that a user gives on the command line or in a workflow. Links are followed.
 *
 * @param spelled what the user gave them as, for messages: `--kernels`
 * @throws InputError when there is no such file or folder
 */
export async function locateGivenKernels(selectors: readonly string[], spelled: string): Promise<string[]> {
  return await locate(selectors, async (path) => {
    const found = await realpath(path).catch(() => undefined);
    if (found !== undefined) return found;
    throw new InputError(`${spelled}: there is no file or folder \`${path}\``, {
      hint: 'give the path of a bzImage, of a kernel package, or of a folder with either; it cannot contain a comma',
    });
  });
}

/**
 * Makes the paths absolute that a project's configuration gives. They lead below the project, because a pull request
 * can write them. Links are not followed.
 *
 * @throws InputError when a path leads out of the project
 */
export async function locateProjectKernels(
  selectors: readonly string[],
  project: string,
  configFile: string,
): Promise<string[]> {
  const root = await realpath(project);
  return await locate(selectors, async (path) => {
    const found = join(root, path);
    if (!isAbsolute(path) && isWithin(found, root)) return found;
    throw new InputError(`${configFile}: kernel \`${filePrefix}${path}\` is outside of the project`, {
      hint: 'give a path below the project, or choose it with --kernels (input kernels)',
    });
  });
}

async function locate(selectors: readonly string[], find: (path: string) => Promise<string>): Promise<string[]> {
  const locateOne = async (word: string) =>
    word.startsWith(filePrefix) ? `${filePrefix}${await find(word.slice(filePrefix.length))}` : word;
  return await Promise.all(
    selectors.map(async (selector) => (await Promise.all(splitSelectors([selector]).map(locateOne))).join(',')),
  );
}
