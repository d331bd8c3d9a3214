// Commands: `bpfgate doctor`.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { toTerminal } from '../adapters/log.ts';
import { defaultConfig, readInputs } from '../adapters/read-inputs.ts';
import { demandsForGate, installDemands, sandboxDemands } from '../gate/prepare.ts';
import { manifests } from '../inputs/manifest.ts';
import { type Runner, runners } from '../model/inputs.ts';
import { type Demand, demandOf, optionalGroups } from '../prerequisites/prerequisite.ts';
import { checkPrerequisites, findMissing, requirePrerequisites } from '../prerequisites/prerequisites.ts';
import { renderPrerequisites } from '../prerequisites/render.ts';
import { describeSandbox } from '../sandbox/choose-sandbox.ts';
import { findReadable } from '../sandbox/readable-files.ts';
import { exampleProject } from './demo-project.ts';
import { context, say, write } from './session.ts';

interface DoctorOptions {
  readonly project: string;
  readonly install?: boolean;
  readonly environment?: boolean;
  readonly runner?: Runner;
  readonly tests?: boolean;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('print what this machine has and what is missing, and the command that installs each')
    .option('--project <dir>', 'folder that holds bpfgate.toml (without one, what the demo needs is counted)', '.')
    .option('--install', 'install what is missing')
    .option('--environment', 'print, as JSON, the environment in which the tools are found')
    .addOption(new Option('--runner <runner>', 'also require what this runner needs').choices(runners))
    .option('--tests', "also require what bpfgate's own tests build projects with")
    .action(async (options: DoctorOptions) => {
      if (options.install === true) await (await installDemands(() => doctorDemands(options, true), context)).all;
      const demands = await doctorDemands(options);
      if (options.environment === true) {
        write(JSON.stringify((await requirePrerequisites(demands, { cache: context.cache })).env));
        return;
      }
      const found = await checkPrerequisites(demands, context);
      // Tools that isolate guests and tools for other projects are of interest as well.
      const others = optionalGroups.filter((group) => !demands.some((demand) => demand.group === group));
      const optional = await checkPrerequisites(others, context);
      write(toTerminal(renderPrerequisites([...found, ...optional], others)));
      write(`\n${await describeSandbox(context.environment, await findReadable({ ...context, own: [] }))}`);
      process.exitCode = findMissing(found).length === 0 ? 0 : 3;
    });
}

async function doctorDemands({ project, runner, tests }: DoctorOptions, toInstall = false): Promise<Demand[]> {
  const isProject = [defaultConfig, ...manifests.map(({ file }) => file)].some((file) =>
    existsSync(join(project, file)),
  );
  if (!isProject && !toInstall) say(`${resolve(project)} has no project: this is what the demo needs`);
  // Nothing is written.
  const given = { project: isProject ? project : exampleProject, runner, out: tmpdir() };
  const inputs = await readInputs(given);
  const sandbox = toInstall ? await sandboxDemands(inputs, context) : [];
  const demands = [...(await demandsForGate(inputs, context)), ...sandbox];
  const ofTests = ['compile', 'cargo-criterion', 'sandbox-network', 'tests'] as const;
  return tests === true ? [...demands, ...ofTests.map((group) => demandOf(group))] : demands;
}
