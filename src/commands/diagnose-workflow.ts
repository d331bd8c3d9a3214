// Commands: reads the workflow, the project and bpfgate's own actions for `bpfgate doctor --workflow`.

import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { foldersIn } from '../adapters/cargo-manifests.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { readFileBelow, UnreadableFile } from '../adapters/regular-file.ts';
import { InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import { parseConfig } from '../inputs/config.ts';
import { filePrefix, splitSelectors } from '../inputs/own-kernels.ts';
import { expectKernels } from '../kernels/own/find.ts';
import { readMissing, readPins } from '../kernels/pins.ts';
import { selectKernels } from '../kernels/select.ts';
import type { Config } from '../model/inputs.ts';
import { manifestFolders } from '../prerequisites/project-needs.ts';
import {
  checkWorkflow,
  type Diagnosis,
  namedProjects,
  type Project,
  projectFiles,
} from '../workflow/check-workflow.ts';
import { type CallableFile, callableFiles } from '../workflow/find-calls.ts';
import { namedFolders } from '../workflow/named-folders.ts';
import { type Callable, parseCallable, parseWorkflow } from '../workflow/parse-workflow.ts';

/** Maximum size of each file that is read, in bytes. */
const maxBytes = 1_000_000;
/** Maximum number of folders of one project that are searched. */
const maxFolders = 300;

/**
 * Says what a hosted runner will be missing for a workflow.
 *
 * @param file the workflow
 * @param checkout the folder that the runner will have as its workspace: the root of the repository
 * @throws InputError when the file cannot be read, is not a workflow, or does not use bpfgate
 */
export async function diagnoseWorkflow(file: string, checkout: string): Promise<Diagnosis> {
  if (!(await stat(checkout).catch(() => undefined))?.isDirectory()) {
    throw new InputError(`--project: there is no folder ${checkout}`, { hint: 'give the root of the repository' });
  }
  return await diagnoseText(await readWorkflow(file), file, checkout);
}

/** Diagnoses the text of a workflow, which may not be written yet. */
export async function diagnoseText(text: string, file: string, checkout: string): Promise<Diagnosis> {
  const workflow = parseWorkflow(text, file);
  const callables = await readCallables();
  const projects = new Map<string, Project>();
  const names = new Set<string>();
  for (const { project, config } of namedProjects(workflow, callables)) {
    const read = await readProject(checkout, project, config);
    projects.set(project, read);
    for (const { name } of parseGood(read.files.get(config) ?? '', config)?.namedKernels ?? []) names.add(name);
  }
  const modules = await readFileBelow(checkout, '.gitmodules', maxBytes).catch(() => '');
  return checkWorkflow(workflow, {
    callables,
    projects,
    submodules: modules ?? null,
    selectKernels: (selectors) => {
      const isOwnSelector = (word: string) => word.startsWith(filePrefix) || names.has(word);
      const own = expectKernels(splitSelectors(selectors).filter(isOwnSelector));
      return selectKernels(selectors, readPins(), readMissing(), own);
    },
  });
}

/** The folder that holds `.github/workflows` with this file; the current folder for a file that is elsewhere. */
export async function checkoutWith(file: string): Promise<string> {
  const folder = await realpath(dirname(file)).catch(() => '');
  const root = dirname(dirname(folder));
  return folder === join(root, '.github', 'workflows') ? root : resolve('.');
}

/** Parses a bpfgate.toml; undefined if it has a mistake, which is found elsewhere. */
function parseGood(text: string, file: string): Config | undefined {
  try {
    return parseConfig(text, file);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}

async function readWorkflow(file: string): Promise<string> {
  const hint = 'give a file of .github/workflows';
  let text: string | undefined;
  try {
    text = await readFileBelow(dirname(file), basename(file), maxBytes);
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause;
    throw new InputError(`cannot read ${file}: ${cause.reason}`, { cause, hint });
  }
  if (text === undefined) throw new InputError(`there is no file ${file}`, { hint });
  return text;
}

/** The actions and reusable workflows of this version. */
async function readCallables(): Promise<ReadonlyMap<CallableFile, Callable>> {
  const entries = callableFiles.map(async (file) => {
    return [file, parseCallable(await readFile(join(packageRoot, file), 'utf8'), file)] as const;
  });
  return new Map(await Promise.all(entries));
}

async function readProject(checkout: string, project: string, config: string): Promise<Project> {
  const root = await realpath(checkout);
  const own = join(root, project);
  const files = new Map<string, string>();
  const problems = new Map<string, string>();
  const read = async (name: string) => {
    try {
      const text = await readFileBelow(root, join(project, name), maxBytes);
      if (text !== undefined) files.set(name, text);
      return text ?? '';
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      problems.set(name, error.reason);
      return '';
    }
  };
  const settings = await read(config);
  const parsed = parseGood(settings, config);
  const folders = new Set([own, ...(parsed === undefined ? [] : await manifestFolders(root, own, parsed))]);
  // The loop also visits folders that are added to the set meanwhile.
  for (const folder of folders) {
    const texts = folder === own ? [settings] : [];
    for (const name of projectFiles) texts.push(await read(join(relative(own, folder), name)));
    const below = (await foldersIn(root, folder)).map((path) => basename(path));
    for (const named of texts.flatMap((text) => namedFolders(text, below))) {
      const path = join(folder, named);
      if (isWithin(path, root) && folders.size < maxFolders) folders.add(path);
    }
  }
  return { files, problems };
}
