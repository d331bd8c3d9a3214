// First stage's shell: the project's bpfgate.toml from disk, with what the caller gave in its place.

import { constants, existsSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../errors.ts';
import { missingConfigError, parseConfig } from './config.ts';
import { durationExamples, parseDuration } from './duration.ts';
import type { Inputs, Runner } from './inputs.ts';
import { parseLanes } from './lanes.ts';
import { parseShard, requireWork } from './shard.ts';

/** What a front was given, as text; undefined means not given. */
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
  /** Such as `2/3`. Default: all benches. */
  readonly shard?: string | undefined;
  /** Such as `10 min`. Default: the configuration's. */
  readonly timeBudget?: string | undefined;
  /** What boots the guests. Default: the configuration's. */
  readonly runner?: Runner | undefined;
  /** Default `bpfgate-out`. */
  readonly out?: string | undefined;
}

export const defaultOut = 'bpfgate-out';

/**
 * @param spell how a front spells an option, for messages: `--kernels` or `input kernels`
 * @throws InputError for a folder, file or value that is not there or not allowed
 */
export async function readInputs(given: GivenInputs, spell: (option: string) => string): Promise<Inputs> {
  for (const [option, value] of Object.entries(given)) {
    if (value === '') throw new InputError(`${spell(option)} is empty`, { hint: 'give a value, or leave it out' });
  }
  const project = resolve(given.project ?? '.');
  const isFolder = await stat(project).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new InputError(`${spell('project')}: there is no folder ${project}`, {
      hint: 'give the path of the folder that holds bpfgate.toml',
    });
  }
  const file = given.config ?? 'bpfgate.toml';
  const path = join(project, file);
  if (!existsSync(path)) throw missingConfigError(path);
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new InputError(`cannot read ${path}: ${cause.message}`, { cause });
  });
  const config = parseConfig(text, file);
  const lanes = given.lanes === undefined ? config.lanes : parseLanes(given.lanes, spell('lanes'));
  const shard = given.shard === undefined ? null : parseShard(given.shard, spell('shard'));
  requireWork(shard, { benches: config.benches, lanes }, spell('shard'), file);
  return {
    project,
    config,
    ...(given.base === undefined ? {} : { base: given.base }),
    ...(given.head === undefined ? {} : { head: given.head }),
    kernels: given.kernels === undefined ? config.kernels : [given.kernels],
    lanes,
    shard,
    timeBudgetMs: given.timeBudget === undefined ? config.timeBudgetMs : readBudget(given.timeBudget, spell),
    runner: given.runner ?? config.runner,
    out: await usableFolder(resolve(given.out ?? defaultOut), spell('out')),
  };
}

function readBudget(text: string, spell: (option: string) => string): number {
  const budget = parseDuration(text);
  if (budget === null)
    throw new InputError(`${spell('time-budget')}: \`${text}\` is no time; allowed: ${durationExamples}`);
  return budget;
}

/** Found out before an hour of work, not after: that the folder can be made or written. */
async function usableFolder(folder: string, spelled: string): Promise<string> {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`);
    await access(nearest, constants.W_OK);
  } catch (cause) {
    throw new InputError(`${spelled}: cannot write to ${folder}: ${(cause as Error).message}`, {
      cause,
      hint: 'give another folder',
    });
  }
  return folder;
}
