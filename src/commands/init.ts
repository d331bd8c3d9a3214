// Commands: `bpfgate init`.

import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { detectProject } from '../adapters/detect-project.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { defaultConfig, defaultOut, readInputs, requireProject } from '../adapters/read-inputs.ts';
import { findRepositoryRoot } from '../adapters/repository-root.ts';
import { InputError } from '../common/errors.ts';
import { requireGate } from '../gate/prepare.ts';
import { renderDetected } from '../inputs/detected.ts';
import { manifestNames } from '../inputs/manifest.ts';
import { exitCodeOf } from '../report/gate-verdict.ts';
import { context, guestsWith, write } from './session.ts';
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
      if (check !== true) await writeWorkflow(project);
      else await runSmallest(project);
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
  await writeNew(path, text);
  write(text);
}

/** Writes the workflow, at the root of the repository. */
async function writeWorkflow(project: string): Promise<void> {
  const folder = await realpath(project);
  const root = await findRepositoryRoot(folder);
  const below = relative(root, folder);
  const text = await readFile(template, 'utf8');
  const own =
    below === '' ? text : text.replace(/^( +)with:\n(?= +kernels:)/m, `$&$1  project: ${JSON.stringify(below)}\n`);
  await mkdir(join(root, dirname(workflowFile)), { recursive: true });
  await writeNew(join(root, workflowFile), own);
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    // Never through a link, and never over a file.
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === 'EEXIST' ? 'remove it first, or keep it' : 'check the folder and its permissions';
    throw new InputError(code === 'EEXIST' ? `${path} exists already` : `cannot write ${path}: ${message}`, { hint });
  }
  context.log.progress(`wrote ${relative('.', resolve(path))}`);
}

async function runSmallest(project: string): Promise<void> {
  const given = { project, base: 'HEAD', kernels: checkKernel, out: defaultOut };
  const inputs = await readInputs(given, (option) => `--${option}`);
  const run = await gate(inputs, guestsWith(await requireGate(inputs, context)), {});
  await conclude(run, 'text', inputs.out);
  process.exitCode = exitCodeOf(run.results);
}
