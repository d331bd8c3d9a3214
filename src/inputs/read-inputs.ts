// First stage's shell: the project's bpfgate.toml from disk, with what the caller gave in its place.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError } from '../errors.ts';
import { missingConfigError, parseConfig } from './config.ts';
import type { Inputs } from './inputs.ts';
import { parseLanes } from './lanes.ts';

/** What a front was given, as text; undefined or empty means not given. */
export interface GivenInputs {
  readonly project?: string | undefined;
  /** Path of the configuration relative to the project. Default `bpfgate.toml`. */
  readonly config?: string | undefined;
  readonly base?: string | undefined;
  readonly head?: string | undefined;
  /** Comma list of selectors. */
  readonly kernels?: string | undefined;
  /** Comma list of lanes. */
  readonly lanes?: string | undefined;
  /** Default `bpfgate-out`. */
  readonly out?: string | undefined;
}

export const defaultOut = 'bpfgate-out';

/**
 * @param spell how a front spells an option, for messages: `--kernels` or `input kernels`
 * @throws InputError for a folder, file or value that is not there or not allowed
 */
export async function readInputs(given: GivenInputs, spell: (option: string) => string): Promise<Inputs> {
  const project = resolve(given.project || '.');
  const isFolder = await stat(project).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new InputError(`${spell('project')}: there is no folder ${project}`, {
      hint: 'give the path of the folder that holds bpfgate.toml',
    });
  }
  const file = given.config || 'bpfgate.toml';
  const path = join(project, file);
  if (!existsSync(path)) throw missingConfigError(path);
  const config = parseConfig(await readFile(path, 'utf8'), file);
  return {
    project,
    config,
    ...(given.base ? { base: given.base } : {}),
    ...(given.head ? { head: given.head } : {}),
    kernels: given.kernels ? [given.kernels] : config.kernels,
    lanes: given.lanes ? parseLanes(given.lanes, spell('lanes')) : config.lanes,
    out: resolve(given.out || defaultOut),
  };
}
