// Prerequisites: what a project needs to be built and measured, read from its bpfgate.toml and cargo's manifests. The
// author of a pull request writes those. They are read as data, from plain files inside the repository; nothing is run.

import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CargoManifest, readManifests, readPlainFile } from '../adapters/cargo-manifests.ts';
import { findRepositoryRoot } from '../adapters/repository-root.ts';
import { dependenciesOf, type Table, table } from '../common/cargo-manifest.ts';
import type { Config } from '../model/inputs.ts';
import type { Demand } from './prerequisite.ts';
import { findToolchainFile, isReleasedToolchain } from './toolchain-file.ts';

/** Commands of bpfgate.toml, each with its name for messages. */
function commandsOf(config: Config): { readonly what: string; readonly command: string }[] {
  return [
    { what: 'build.command', command: config.build.command },
    ...config.benches.map(({ name, command }) => ({ what: `bench \`${name}\``, command })),
  ];
}

const cargoWord = /(^|[\s;&|(]|bin\/)cargo(?=\s|$)/;
const criterionWords = /(^|[\s;&|(]|bin\/)cargo\s+(\+\S+\s+)?criterion\b/;
/** Matches the toolchain in `cargo +nightly build`. */
const namedToolchain = /(?:^|[\s;&|(]|bin\/)cargo\s+\+(\S+)/g;

function usesCargo(commands: readonly { readonly command: string }[]): boolean {
  return commands.some(({ command }) => cargoWord.test(command));
}

/** Demands of a project: cargo, tools for eBPF programs in Rust, cargo-criterion. A project in C or Go has none. */
export async function projectDemands(project: string, config: Config): Promise<Demand[]> {
  const commands = commandsOf(config);
  const root = await findRepositoryRoot(await realpath(project));
  const manifests = await readManifests(root, await realpath(project), usesCargo(commands));
  const cargo = commands.find(({ command }) => cargoWord.test(command));
  const criterion = commands.find(({ command }) => criterionWords.test(command));
  return [
    ...(cargo === undefined ? [] : [{ group: 'cargo', by: `${cargo.what} runs \`cargo\`, which` } as const]),
    ...(criterion === undefined
      ? []
      : [{ group: 'cargo-criterion', by: `${criterion.what} runs \`cargo criterion\`, which` } as const]),
    ...(await bpfDemands(root, manifests, commands)),
  ];
}

/**
 * Folders of the cargo manifests that the project is built from: its own, and those of members of its workspace.
 *
 * @param root of the repository, without links in its path; nothing outside of it is read
 */
export async function manifestFolders(root: string, project: string, config: Config): Promise<string[]> {
  return (await readManifests(root, project, usesCargo(commandsOf(config)))).map(({ folder }) => folder);
}

/**
 * Names of the rustup toolchains that compile a project's eBPF programs, each once, as far as its files name them.
 *
 * @param root of the tree, without links in its path; nothing outside of it is read
 */
export async function bpfToolchains(root: string, project: string, config: Config): Promise<string[]> {
  const commands = commandsOf(config);
  const demands = await bpfDemands(root, await readManifests(root, project, usesCargo(commands)), commands);
  return [...new Set(demands.flatMap(({ toolchain }) => toolchain ?? []))];
}

/** Demands of packages with eBPF programs in Rust. */
async function bpfDemands(
  root: string,
  manifests: readonly CargoManifest[],
  commands: readonly { readonly command: string }[],
): Promise<Demand[]> {
  const inherited = Object.assign({}, ...manifests.map(({ content }) => table(table(content.workspace).dependencies)));
  const using = (crate: string) => manifests.filter(({ content }) => dependenciesOf(content, inherited).has(crate));
  const demands: Demand[] = [];
  const add = (by: string, toolchain: string | null) => {
    if (toolchain === null) demands.push({ group: 'rust-bpf', by }, { group: 'rust-src', by });
    else demands.push({ group: 'rust-bpf', by, toolchain }, { group: 'bpf-toolchain', by, toolchain });
  };
  for (const { folder, content } of using('aya-build')) {
    add(`${nameOf(content, folder)}'s build script uses aya-build, which`, await buildToolchain(root, folder, content));
  }
  // aya-build compiles the packages with eBPF programs. Without it a command compiles them.
  if (demands.length > 0) return demands;
  const named = commands
    .flatMap(({ command }) => [...command.matchAll(namedToolchain)].map(([, name = '']) => name))
    .filter(isReleasedToolchain);
  for (const { folder, content } of using('aya-ebpf')) {
    const by = `${nameOf(content, folder)} depends on aya-ebpf, which`;
    const toolchain = named[0] ?? (await findToolchainFile(root, folder))?.channel;
    if (toolchain !== undefined && toolchain !== 'other') add(by, toolchain);
    else if (commands.some(({ command }) => command.includes('build-std'))) add(by, null);
    else demands.push({ group: 'rust-bpf', by });
  }
  return demands;
}

/**
 * The toolchain that a build script makes aya-build compile with: nightly, unless it names another literally.
 *
 * @returns null for one that only the script itself can determine
 */
async function buildToolchain(root: string, folder: string, content: Table): Promise<string | null> {
  const { build } = table(content.package);
  const script = await readPlainFile(root, join(folder, typeof build === 'string' ? build : 'build.rs'));
  if (script === undefined || !/\bCustom\s*\(/.test(script)) return 'nightly';
  const name = /\bCustom\s*\(\s*"([^"]*)"/.exec(script)?.[1];
  return name !== undefined && isReleasedToolchain(name) ? name : null;
}

function nameOf(content: Table, folder: string): string {
  const { name } = table(content.package);
  return (typeof name === 'string' ? name : basename(folder)).slice(0, 64);
}
