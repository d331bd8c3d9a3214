// Commands: `bpfgate init`.

import { existsSync } from 'node:fs';
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { detectProject } from '../adapters/detect-project.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { defaultConfig, defaultOut, readInputs, requireProject } from '../adapters/read-inputs.ts';
import { findRepositoryRoot } from '../adapters/repository-root.ts';
import { InputError } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';
import { shellQuote } from '../common/shell-quote.ts';
import { requireGate } from '../gate/prepare.ts';
import { renderDetected } from '../inputs/detected.ts';
import { manifestNames } from '../inputs/manifest.ts';
import { checkPrerequisites, findMissing } from '../prerequisites/prerequisites.ts';
import { projectDemands } from '../prerequisites/project-needs.ts';
import { exitCodeOf } from '../report/gate-verdict.ts';
import { context, guestsWith, say, write } from './session.ts';
import { conclude, gate } from './show-run.ts';

interface InitOptions {
  readonly project: string;
  readonly manifest?: string;
  readonly workflow?: boolean;
  readonly check?: boolean;
}

const workflowFile = join('.github', 'workflows', 'bpfgate.yml');
const template = join(packageRoot, 'examples', 'workflows', 'single-step.yml');
/** Kernel of the smallest gate: the newest with long-term support. */
const checkKernel = 'latest';

export function addInit(program: Command): void {
  program
    .command('init')
    .description("write bpfgate.toml, from what the project's own files say, and a workflow")
    .option('--project <dir>', 'folder of the project', '.')
    .option('--manifest <file>', 'file of the build to measure, if there are several, such as Cargo.toml or go.mod')
    .option('--workflow', 'write only the workflow')
    .option(
      '--check',
      'run the gate once, on one kernel, with the last commit as base: shows that the configuration works',
    )
    .action(async ({ project, manifest, workflow, check }: InitOptions) => {
      await requireProject(resolve(project), '--project');
      if (workflow !== true) await writeConfig(project, manifest, check === true);
      if (check === true) {
        await runSmallest(project);
        return;
      }
      const isWritten = await writeWorkflow(project, workflow !== true);
      const ofProject = resolve(project) === resolve('.') ? '' : ` --project ${shellQuote(project)}`;
      const command = `bpfgate init --check${ofProject}`;
      const missing = workflow === true ? [] : await findMissingTools(project);
      if (missing.length > 0) {
        say(
          `this machine does not have ${listNames(missing)}: \`bpfgate doctor --install${ofProject}\` installs what it can`,
        );
      }
      const fill = isWritten ? 'fill in OWNER and the commit of bpfgate in the workflow; ' : '';
      const written = isWritten ? (workflow === true ? 'it' : 'both files') : defaultConfig;
      say(`next: ${fill}try \`${command}\`; commit ${written}`);
    });
}

/** @param isKept whether one that is already there stays, without an error */
async function writeConfig(project: string, manifest: string | undefined, isKept: boolean): Promise<void> {
  const path = join(project, defaultConfig);
  if (isKept && (await readFile(path).catch(() => undefined)) !== undefined) return;
  const detected = await detectProject(resolve(project), manifest);
  if (detected === undefined) {
    throw new InputError(`no ${manifestNames} in ${resolve(project)}`, {
      hint: "`bpfgate count 'PATH/*.bpf.o'` counts object files without a project",
    });
  }
  const text = renderDetected(detected);
  const { file } = await placeOfWorkflow(project);
  const alone = existsSync(file) ? '' : '; `bpfgate init --workflow` writes only the workflow';
  await writeNew(path, text, alone);
  write(text);
}

/** Names of what this machine does not have of what the project is built with. */
async function findMissingTools(project: string): Promise<string[]> {
  const { config } = await readInputs({ project, out: tmpdir() });
  const statuses = await checkPrerequisites(await projectDemands(resolve(project), config), context);
  return findMissing(statuses).map(({ prerequisite }) => prerequisite.name);
}

/** Finds the root of the project's repository, and the workflow there. */
async function placeOfWorkflow(project: string) {
  const folder = await realpath(project);
  const root = await findRepositoryRoot(folder);
  return { below: relative(root, folder), file: join(root, workflowFile) };
}

/**
 * Writes the workflow, at the root of the repository.
 *
 * @param isKept whether one that is already there stays, without an error: it may be for another project
 * @returns whether it was written
 */
async function writeWorkflow(project: string, isKept: boolean): Promise<boolean> {
  const { below, file } = await placeOfWorkflow(project);
  const input = `project: ${JSON.stringify(below)}`;
  if (isKept && existsSync(file)) {
    const needed = below === '' ? '' : `; it needs a job with \`${input}\``;
    say(`kept ${relative('.', file)}, which exists already${needed}`);
    return false;
  }
  const text = await readFile(template, 'utf8');
  const folder = dirname(file);
  for (const path of [dirname(folder), folder]) {
    if (!(await lstat(path).catch(() => undefined))?.isSymbolicLink()) continue;
    const hint = 'put a folder in the place of the link: it could lead out of the repository';
    throw new InputError(`cannot write ${file}: ${path} is a link`, { hint });
  }
  await mkdir(folder, { recursive: true });
  const own = text.replace(/^ +(?=kernels:)/m, (indent) => `${indent}${input}\n${indent}`);
  await writeNew(file, below === '' ? text : own);
  return true;
}

/** @param further what else a hint says about a file that exists */
async function writeNew(path: string, text: string, further = ''): Promise<void> {
  try {
    // Never through a link, and never over a file.
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === 'EEXIST' ? `remove it first, or keep it${further}` : 'check the folder and its permissions';
    throw new InputError(code === 'EEXIST' ? `${path} exists already` : `cannot write ${path}: ${message}`, { hint });
  }
  say(`wrote ${relative('.', resolve(path))}`);
}

async function runSmallest(project: string): Promise<void> {
  const given = { project, base: 'HEAD', kernels: checkKernel, out: defaultOut };
  const inputs = await readInputs(given);
  const run = await gate(inputs, guestsWith(await requireGate(inputs, context)), {});
  await conclude(run, 'text', inputs.out);
  process.exitCode = exitCodeOf(run.results);
}
