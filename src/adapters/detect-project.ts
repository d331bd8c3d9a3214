// Adapter: detects how a project without bpfgate.toml is built and which benchmarks it has, from its build tool's files.

import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { dependenciesOf, table } from '../common/cargo-manifest.ts';
import { InputError } from '../common/errors.ts';
import { leadsOut } from '../common/paths.ts';
import { type CargoTarget, type Detected, detectCargo, detectGo } from '../inputs/detected.ts';
import { manifestNames, manifests } from '../inputs/manifest.ts';
import type { Manifest } from '../model/inputs.ts';
import { readManifests } from './cargo-manifests.ts';
import { readFileBelow } from './regular-file.ts';
import { findRepositoryRoot } from './repository-root.ts';
import { walkProjects } from './walk-tree.ts';

/** Build tools of which a project has one. A Makefile often only calls another tool. */
const exclusive = ['Cargo.toml', 'go.mod', 'CMakeLists.txt', 'meson.build'];
/** Maximum size of a source file that is read. */
const maxSource = 1024 * 1024;
/** Maximum number of projects that a message names. */
const maxNamed = 5;

/**
 * @param wanted name of the manifest to go by, where a project has several
 * @returns undefined where there is no manifest, here or below
 * @throws InputError when there are several to choose from
 */
export async function detectProject(project: string, wanted?: string): Promise<Detected | undefined> {
  const names: readonly string[] = await readdir(project);
  const own = manifests.filter(({ file }) => names.includes(file));
  const tools = own.filter(({ file }) => exclusive.includes(file));
  if (wanted !== undefined) return await detect(project, requireManifest(own, wanted, project));
  const [first = own[0], ...others] = tools;
  if (others.length > 0) {
    throw new InputError(`${tools.map(({ file }) => file).join(' and ')} are in ${project}, and no bpfgate.toml`, {
      hint: `write one for the build to measure, for example with \`bpfgate init --manifest ${first?.file}\``,
    });
  }
  if (first !== undefined) return await detect(project, first);
  const below = await projectsBelow(project);
  if (below.length === 0) return undefined;
  const [nearest, ...further] = below.map((path) => ({ path, folder: relative('.', join(project, dirname(path))) }));
  const found = `found \`${nearest?.path}\`: use --project ${nearest?.folder} (input project)`;
  const folders = further.map(({ folder }) => folder);
  throw new InputError(`no ${manifestNames} in ${project}`, {
    hint: folders.length === 0 ? found : `${found}, or choose ${folders.join(', ')}`,
  });
}

function requireManifest(own: readonly Manifest[], wanted: string, project: string): Manifest {
  const found = own.find(({ file }) => file === wanted);
  if (found !== undefined) return found;
  const files = own.map(({ file }) => file).join(', ');
  throw new InputError(`${project} has no ${wanted}`, {
    hint: files === '' ? 'give the folder of the project with --project' : `choose one of ${files}`,
  });
}

async function detect(project: string, manifest: Manifest): Promise<Detected> {
  if (manifest.file === 'Cargo.toml') return detectCargo(manifest, await readTargets(project));
  if (manifest.file === 'go.mod') return detectGo(manifest, await findGoBenches(project));
  return { manifest, build: manifest.build, benches: [], notes: [] };
}

/** Reads the bench targets of a package or workspace, as cargo finds them. */
async function readTargets(given: string): Promise<CargoTarget[]> {
  const project = await realpath(given);
  const found = await readManifests(await findRepositoryRoot(project), project, false);
  const inherited = Object.assign({}, ...found.map(({ content }) => table(table(content.workspace).dependencies)));
  const targets: CargoTarget[] = [];
  for (const { folder, content } of found) {
    const { name, autobenches } = table(content.package);
    if (typeof name !== 'string' || leadsOut(relative(project, folder))) continue;
    const entries = (Array.isArray(content.bench) ? content.bench : []).map(table);
    const entryOf = (target: string) => entries.find((entry) => entry.name === target) ?? {};
    const listed = entries.flatMap((entry) => (typeof entry.name === 'string' ? [entry.name] : []));
    const names = new Set([...listed, ...(autobenches === false ? [] : await benchFiles(folder))]);
    for (const target of names) {
      const { harness, path, 'required-features': features } = entryOf(target);
      const sources = typeof path === 'string' ? [path] : [`benches/${target}.rs`, `benches/${target}/main.rs`];
      targets.push({
        package: name,
        isRoot: folder === project,
        name: target,
        hasHarness: harness !== false,
        hasLibtestBench: harness !== false && (await hasLibtestBench(folder, sources)),
        features: Array.isArray(features) ? features.filter((each) => typeof each === 'string') : [],
        dependencies: dependenciesOf(content, inherited),
      });
    }
  }
  return targets;
}

async function hasLibtestBench(folder: string, sources: readonly string[]): Promise<boolean> {
  for (const source of sources) {
    const text = await readFileBelow(folder, source, maxSource).catch(() => undefined);
    if (text !== undefined) return /^\s*#\[bench\]/m.test(text);
  }
  return false;
}

/** Names of the benches that cargo finds by itself. */
async function benchFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'benches'), { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.isFile() && entry.name.endsWith('.rs')) names.push(entry.name.slice(0, -3));
    if (!entry.isDirectory()) continue;
    const inside: readonly string[] = await readdir(join(folder, 'benches', entry.name)).catch(() => []);
    if (inside.includes('main.rs')) names.push(entry.name);
  }
  return names.toSorted();
}

/** Finds the folders of packages that have benchmarks. */
async function findGoBenches(project: string): Promise<string[]> {
  const folders = new Set<string>();
  for await (const path of walkProjects(project)) {
    if (!path.endsWith('_test.go')) continue;
    const text = (await readFileBelow(project, path, maxSource).catch(() => undefined)) ?? '';
    if (/^func Benchmark/m.test(text)) folders.add(dirname(path));
  }
  return [...folders];
}

/**
 * Finds the first few manifests in folders that no other such folder contains, as paths from the project's folder.
 * Makefiles are named only where there is nothing else.
 */
async function projectsBelow(project: string): Promise<string[]> {
  const names = manifests.map(({ file }) => file);
  const paths: string[] = [];
  for await (const path of walkProjects(project)) if (names.includes(basename(path))) paths.push(path);
  const tools = paths.filter((path) => exclusive.includes(basename(path)));
  const found = new Map((tools.length > 0 ? tools : paths).map((path) => [dirname(path), path]));
  const outermost = [...found].filter(([folder]) => ![...found.keys()].some((other) => folder.startsWith(`${other}/`)));
  return outermost.slice(0, maxNamed).map(([, path]) => path);
}
