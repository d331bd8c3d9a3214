// Prerequisites: what a project needs to be built and measured, by its commands and what they follow in its tree.

import { type BuildNeeds, type NamedCommand, readBuild } from '../adapters/read-build.ts';
import { SourceTree } from '../adapters/source-tree.ts';
import type { Config } from '../model/inputs.ts';
import type { Demand, LibraryPrerequisite, ProgramPrerequisite } from './prerequisite.ts';
import { projectLibrary, projectPackage, projectProgram } from './project-tools.ts';

const cargoWord = /(^|[\s;&|(]|bin\/)cargo(?=\s|$)/;
const criterionWords = /(^|[\s;&|(]|bin\/)cargo\s+(\+\S+\s+)?criterion\b/;

/** Commands of bpfgate.toml, each with its name for messages. */
function commandsOf(config: Config): NamedCommand[] {
  return [
    { what: 'build.command', command: config.build.command },
    ...config.benches.map(({ name, command }) => ({ what: `bench \`${name}\``, command })),
  ];
}

/** Reads what the project of a tree needs. */
export async function readNeeds(tree: SourceTree, config: Config): Promise<BuildNeeds> {
  return await readBuild(tree, commandsOf(config));
}

/** Demands of a project: cargo, tools for eBPF programs in Rust, cargo-criterion, and what its build files name. */
export async function projectDemands(project: string, config: Config): Promise<Demand[]> {
  const tree = await SourceTree.open(project);
  const commands = commandsOf(config);
  const build = await readNeeds(tree, config);
  const cargo = commands.find(({ command }) => cargoWord.test(command));
  const criterion = commands.find(({ command }) => criterionWords.test(command));
  return [
    ...(cargo === undefined ? [] : [{ group: 'cargo', by: `${cargo.what} runs \`cargo\`, which` } as const]),
    ...(criterion === undefined
      ? []
      : [{ group: 'cargo-criterion', by: `${criterion.what} runs \`cargo criterion\`, which` } as const]),
    ...bpfDemands(build),
    ...(await toolDemands(tree, build)),
  ];
}

/** Names of the rustup toolchains that compile eBPF programs, each once, as far as the project's files name them. */
export function bpfToolchains({ rust }: BuildNeeds): string[] {
  return [...new Set(rust.flatMap(({ toolchain }) => toolchain ?? []))];
}

function bpfDemands({ rust }: BuildNeeds): Demand[] {
  return rust.flatMap(({ by: clause, toolchain, buildsStd }): Demand[] => {
    const by = `${clause}, which`;
    if (toolchain !== undefined) {
      return [
        { group: 'rust-bpf', by, toolchain },
        { group: 'bpf-toolchain', by, toolchain },
      ];
    }
    return [{ group: 'rust-bpf', by }, ...(buildsStd ? [{ group: 'rust-src', by } as const] : [])];
  });
}

/** Demands of what stands in build files. Builds are tried without it, because not all of that is used. */
async function toolDemands(tree: SourceTree, build: BuildNeeds): Promise<Demand[]> {
  const isOwn = await ownLibraries(tree);
  const named: [string, ProgramPrerequisite | LibraryPrerequisite | undefined][] = [
    ...[...build.programs].map(([name, by]) => [by, projectProgram(name)] as const),
    ...[...build.libraries].map(([name, by]) => [by, projectLibrary(name)] as const),
    ...[...build.packages].map(([name, by]) => [by, projectPackage(name)] as const),
  ].map(([by, tool]) => [by, tool]);
  const tools = new Map<string, Demand>();
  for (const [by, tool] of named) {
    if (tool === undefined || tools.has(tool.name) || (tool.kind === 'library' && isOwn(tool.name))) continue;
    tools.set(tool.name, { group: 'project', by, tool });
  }
  return [...tools.values()];
}

/** Whether the tree has the source of a library, in a folder or submodule of its name. */
async function ownLibraries(tree: SourceTree): Promise<(name: string) => boolean> {
  const folders = new Set((await tree.submodules()).flatMap((path) => path.split('/')));
  for (const path of await tree.files()) for (const part of path.split('/').slice(0, -1)) folders.add(part);
  return (name) => folders.has(name);
}
