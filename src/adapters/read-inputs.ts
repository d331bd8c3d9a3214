// Adapter: reads the project's bpfgate.toml from disk. Values that the caller gives override it.

import { constants, existsSync } from 'node:fs';
import { access, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import { chooseBenches } from '../inputs/choose-benches.ts';
import { missingConfigError, parseConfig } from '../inputs/config.ts';
import { type Detected, renderDetected } from '../inputs/detected.ts';
import { parseLanes } from '../inputs/lanes.ts';
import { manifestOf } from '../inputs/manifest.ts';
import { pairObjects } from '../inputs/pair-objects.ts';
import { parseShard, requireWork } from '../inputs/shard.ts';
import {
  lanes as allLanes,
  type GivenObjects,
  type Inputs,
  type Manifest,
  type Runner,
  type SandboxPolicy,
} from '../model/inputs.ts';
import type { NamedKernel } from '../model/kernel.ts';
import { detectProject } from './detect-project.ts';
import { findGivenObjects } from './find-given-objects.ts';
import { locateGivenKernels, locateProjectKernels } from './locate-kernels.ts';
import { readPackets } from './read-packets.ts';
import { readFileBelow } from './regular-file.ts';
import { findRepositoryRoot } from './repository-root.ts';
import { walkProjects } from './walk-tree.ts';

/** Values given to an entry point, as text; undefined means not given. */
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
  /** Comma list of the benches to measure. Default: all. */
  readonly bench?: string | undefined;
  /** Such as `2/3`. Default: all benches. */
  readonly shard?: string | undefined;
  /** What boots the guests. Default: the configuration's. */
  readonly runner?: Runner | undefined;
  /** Whether builds on the host are sandboxed. Default `auto`. */
  readonly sandbox?: SandboxPolicy | undefined;
  /** Whether dependencies are downloaded by the project's own settings. Default false. */
  readonly allowProjectRegistries?: boolean | undefined;
  /** Paths and globs of base's and head's objects, in the place of a project; separated by commas or line ends. */
  readonly baseObjects?: string | undefined;
  readonly headObjects?: string | undefined;
  /** Selector of the kernel that others are compared with, by head's objects. */
  readonly against?: string | undefined;
  /** Default `bpfgate-out`. */
  readonly out?: string | undefined;
}

export const defaultOut = 'bpfgate-out';
export const defaultConfig = 'bpfgate.toml';

/** Maximum length of a configuration, in bytes. */
export const maxConfig = 1024 * 1024;

type Spell = (option: string) => string;

/**
 * @param spell how the entry point spells an option, for messages: `--kernels`, the default, or `input kernels`
 * @throws InputError for a folder, file or value that is missing or not allowed
 */
export async function readInputs(given: GivenInputs, spell: Spell = (option) => `--${option}`): Promise<Inputs> {
  for (const [option, value] of Object.entries(given)) {
    if (value === '')
      throw new InputError(`${spell(optionOf(option))} is empty`, { hint: 'give a value, or leave it out' });
  }
  const project = resolve(given.project ?? '.');
  await requireProject(project, spell('project'));
  const file = given.config ?? defaultConfig;
  const objects = await readObjects(given, spell);
  const { text, detected } = await readConfig(project, normalize(file), objects !== undefined);
  const manifest = detected?.manifest ?? (await findManifest(project));
  const parsed = parseConfig(text, file, manifest);
  // Nothing is built that a bench could run.
  const config = objects === undefined ? parsed : { ...parsed, lanes: allLanes, benches: [] };
  const benches = given.bench === undefined ? undefined : chooseBenches(config.benches, given.bench, spell('bench'));
  const lanes = given.lanes === undefined ? config.lanes : parseLanes(given.lanes, spell('lanes'));
  const shard = given.shard === undefined ? null : parseShard(given.shard, spell('shard'));
  const [against] = given.against === undefined ? [] : await locateGivenKernels([given.against], spell('against'));
  requireWork(shard, { benches: benches ?? config.benches, lanes }, spell('shard'), file);
  return {
    project,
    manifest,
    config,
    packets: await readPackets(config, project),
    ...(detected === undefined ? {} : { detected: text }),
    ...(objects === undefined ? {} : { objects }),
    ...(against === undefined ? {} : { against }),
    ...(given.base === undefined ? {} : { base: given.base }),
    ...(given.head === undefined ? {} : { head: given.head }),
    kernels: [
      ...(given.kernels === undefined
        ? await locateProjectKernels(config.kernels, project, file)
        : await locateGivenKernels([given.kernels], spell('kernels'))),
      ...(against === undefined ? [] : [against]),
    ],
    lanes,
    given: (['kernels', 'lanes', 'runner'] as const).filter((option) => given[option] !== undefined),
    ...(benches === undefined ? {} : { benches }),
    shard,
    runner: given.runner ?? config.runner,
    sandbox: given.sandbox ?? 'auto',
    allowProjectRegistries: given.allowProjectRegistries ?? false,
    out: await findOut(given.out, project, spell('out')),
  };
}

/** @throws InputError when there is no such folder */
export async function requireProject(project: string, spelled: string): Promise<void> {
  if ((await stat(project).catch(() => undefined))?.isDirectory()) return;
  throw new InputError(`${spelled}: there is no folder ${project}`, {
    hint: 'give the path of the folder that holds bpfgate.toml',
  });
}

/** Options about a project's revisions, which objects are not. */
const ofProjects = ['base', 'head', 'lanes', 'bench', 'shard'] as const;

async function readObjects(given: GivenInputs, spell: Spell): Promise<GivenObjects | undefined> {
  const { baseObjects, headObjects, against } = given;
  if (against !== undefined && (headObjects === undefined || baseObjects !== undefined)) {
    throw new InputError(`${spell('against')} compares kernels by the same objects`, {
      hint: `give them with ${spell('head-objects')} alone`,
    });
  }
  if (headObjects === undefined) {
    if (baseObjects === undefined) return undefined;
    throw new InputError(`${spell('base-objects')} is given without ${spell('head-objects')}`, {
      hint: `give the objects to judge with ${spell('head-objects')}`,
    });
  }
  const other = ofProjects.find((option) => given[option] !== undefined);
  if (other !== undefined) {
    const [one, two] = [optionOf(other), 'head-objects'].map(spell);
    throw new InputError(`${one} is for a project that is built, and cannot be given with ${two}`, {
      hint: 'objects are verified as they are: leave it out',
    });
  }
  const areFiles = [baseObjects, headObjects].every((text = '') => splitList(text).length === 1 && !text.includes('*'));
  const head = await findGivenObjects(splitList(headObjects), spell('head-objects'));
  if (baseObjects === undefined) return { base: [], head };
  const base = await findGivenObjects(splitList(baseObjects), spell('base-objects'));
  return pairObjects({ base, head }, areFiles);
}

/** The name of an option, such as `base-objects` for the key `baseObjects`. */
function optionOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function splitList(text: string): string[] {
  return text
    .split(text.includes('\n') ? '\n' : /[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Reads the configuration, or detects it where the default one is missing. The user chooses where leading `../` lead;
 * what lies below may come from a pull request.
 *
 * @param hasObjects whether objects are given, which need no project
 */
async function readConfig(
  project: string,
  file: string,
  hasObjects: boolean,
): Promise<{ readonly text: string; readonly detected?: Detected }> {
  const [up = ''] = /^(\.\.\/)*/.exec(file) ?? [];
  const text = await readFileBelow(join(project, up), file.slice(up.length), maxConfig);
  if (text !== undefined) return { text };
  if (hasObjects && file === defaultConfig) return { text: '' };
  const projects = await findProjects(project, file);
  const detected = projects.length > 0 || file !== defaultConfig ? undefined : await detectProject(project);
  if (detected !== undefined) return { text: renderDetected(detected), detected };
  throw missingConfigError(join(project, file), await findManifest(project), projects);
}

/** Where a revision's configuration is from. */
export interface Detection {
  /** Whether it is of the revision's file, and not detected. */
  readonly isWritten: boolean;
  /** Why it is detected, though the revision has a file. */
  readonly problem?: string;
}

/**
 * Reads the configuration of a checked-out revision with its packets. Detects it where there is none, or one that
 * cannot be read; nothing is measured where nothing is detected.
 *
 * @param file path relative to the project, below the tree
 */
export async function readRevision(
  project: string,
  file: string,
): Promise<Detection & Pick<Inputs, 'config' | 'packets'>> {
  const manifest = await findManifest(project);
  const read = async (text: string) => {
    const config = parseConfig(text, file, manifest);
    return { config, packets: await readPackets(config, project) };
  };
  const [up = ''] = /^(\.\.\/)*/.exec(file) ?? [];
  let problem: string | undefined;
  try {
    const text = await readFileBelow(join(project, up), file.slice(up.length), maxConfig);
    if (text !== undefined) return { ...(await read(text)), isWritten: true };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problem = error.message;
  }
  const detected = await detectProject(project).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  });
  const found = await read(detected === undefined ? '[build]\ncommand = "true"\n' : renderDetected(detected));
  return { ...found, isWritten: false, ...(problem === undefined ? {} : { problem }) };
}

/** Reads the `[[kernel]]` tables of a folder's bpfgate.toml; none where there is no such file. */
export async function readNamedKernels(folder: string): Promise<readonly NamedKernel[]> {
  const { text } = await readConfig(resolve(folder), defaultConfig, true);
  return parseConfig(text, defaultConfig).namedKernels;
}

async function findManifest(project: string): Promise<Manifest> {
  const names: readonly string[] = await readdir(project).catch(() => []);
  return manifestOf((file) => names.includes(file));
}

/** Finds the first few folders that hold this configuration, as paths from the current folder. */
async function findProjects(project: string, file: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of walkProjects(project)) {
    if (path.endsWith(`/${file}`)) found.push(relative('.', join(project, path.slice(0, -file.length))));
    if (found.length === maxProjects) break;
  }
  return found;
}

const maxProjects = 5;

/** Finds the output folder. It is checked before an hour of work, not after. */
async function findOut(given: string | undefined, project: string, spelled: string): Promise<string> {
  const folder = resolve(given ?? defaultOut);
  const tree = await findRepositoryRoot(await realpath(project));
  // The user may not have looked where the default lies, so links in the current folder are refused for it too.
  await refuseLinks(folder, given === undefined ? [tree, process.cwd()] : [tree], spelled);
  return await usableFolder(folder, spelled);
}

/**
 * Refuses a folder that is reached through a link in one of the trees. Links outside of them are the user's, and
 * followed.
 *
 * @param trees real paths
 */
async function refuseLinks(folder: string, trees: readonly string[], spelled: string): Promise<void> {
  let real: string = sep;
  for (const name of folder.split(sep)) {
    const path = join(real, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isSymbolicLink()) {
      real = path;
    } else if (trees.some((tree) => isWithin(path, tree))) {
      const hint = 'remove the link, or give another folder with --out';
      throw new InputError(
        `${spelled}: cannot write to ${folder}: ${path} is a link, which the project may have made`,
        {
          hint,
        },
      );
    } else {
      real = await realpath(path).catch(() => path);
    }
  }
}

/** Checks that the folder can be made or written. */
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
