// Adapter: detects how a project without bpfgate.toml is built and which benchmarks it has, from its build tool's files.

import { readdir } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import { table } from '../common/cargo-manifest.ts';
import { InputError } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';
import { isWithin, leadsOut } from '../common/paths.ts';
import { programGoal, readGo } from '../inputs/build-files.ts';
import {
  type CargoTarget,
  type Detected,
  detectCargo,
  detectGo,
  type GoPrograms,
  isPlainPath,
} from '../inputs/detected.ts';
import { exclusiveManifests, makefileNames, manifestNames, manifests, otherBuilds } from '../inputs/manifest.ts';
import type { Manifest } from '../model/inputs.ts';
import { type CargoWorkspace, readCargo, readSettings } from './cargo-workspace.ts';
import { SourceTree } from './source-tree.ts';
import { findToolchainFile } from './toolchain-file.ts';

const initSubmodules = 'git submodule update --init --recursive';
/** Maximum number of projects, or submodules, that a message names. */
const maxNamed = 5;

/**
 * @param wanted name of the manifest to go by, where a project has several
 * @returns undefined where no file of a build tool is there, here or below
 * @throws InputError when there are several to choose from, the tool's files are not read, or a part of the tree is
 * missing without which it cannot be built
 */
export async function detectProject(project: string, wanted?: string): Promise<Detected | undefined> {
  const tree = await SourceTree.open(project);
  const names: readonly string[] = await readdir(project);
  const own = manifests.filter(({ file }) => names.includes(file));
  const tools = own.filter(({ file }) => exclusiveManifests.includes(file));
  if (wanted !== undefined) return await detect(tree, requireManifest(own, wanted, project));
  const [first = own[0], ...others] = tools;
  if (others.length > 0) {
    throw new InputError(`${tools.map(({ file }) => file).join(' and ')} are in ${project}, and no bpfgate.toml`, {
      hint: `write one for the build to measure, for example with \`bpfgate init --manifest ${first?.file}\``,
    });
  }
  if (first !== undefined) return await detect(tree, first);
  const other = names.find((name) => Object.hasOwn(otherBuilds, name)) ?? '';
  const build = otherBuilds[other];
  if (build !== undefined) {
    throw new InputError(`${project} is built by ${build.tool} (${other}), whose files bpfgate does not read`, {
      hint: `write its command to bpfgate.toml:\n\nstandard-inputs = true\n\n[build]\ncommand = "${build.command}"\n`,
    });
  }
  const below = await projectsBelow(tree);
  if (below.length === 0) below.push(...(await projectAbove(tree)));
  if (below.length === 0) return undefined;
  const [nearest, ...further] = below.map((path) => ({ path, folder: relative('.', join(project, dirname(path))) }));
  const found = `found \`${nearest?.path}\`: use --project ${nearest?.folder} (input project)`;
  const folders = further.map(({ folder }) => folder);
  throw new InputError(`no ${manifestNames} in ${project}`, {
    hint: folders.length === 0 ? found : `${found}, or choose ${listNames(folders, maxNamed - 1)}`,
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

async function detect(tree: SourceTree, manifest: Manifest): Promise<Detected> {
  const detected = await detectBuild(tree, manifest);
  return { ...detected, notes: [...detected.notes, ...(await missingSubmodules(tree))] };
}

async function detectBuild(tree: SourceTree, manifest: Manifest): Promise<Detected> {
  if (manifest.file === 'Cargo.toml') {
    const cargo = await readCargo(tree, tree.project);
    const [missing] = cargo.missing;
    if (missing !== undefined) {
      const path = posix.join(posix.dirname(missing.manifest), missing.path);
      const isSubmodule = (await tree.submodules()).some((module) => isWithin(path, module));
      throw new InputError(`${missing.manifest} depends on the path ${missing.path}, which is not in this tree`, {
        hint: isSubmodule
          ? `it is a submodule: \`${initSubmodules}\``
          : `cargo cannot read such a project: correct the path${await findFurtherUp(tree, missing)}`,
      });
    }
    const programs = await programSteps(tree, cargo);
    const isSkeleton = cargo.packages.some(({ dependencies }) => dependencies.has('libbpf-cargo'));
    const makesPrograms = programs.length > 0 || cargo.ebpf.length > 0 || isSkeleton;
    return detectCargo(manifest, await readTargets(tree, cargo), programs, makesPrograms);
  }
  if (manifest.file === 'go.mod') return detectGo(manifest, await findGoBenches(tree), await findGoPrograms(tree));
  const script = manifest.file === 'configure.ac' ? await ownScript(tree) : undefined;
  const build = script === undefined ? manifest.build : `${script} && make`;
  return { manifest, build, benches: [], makesPrograms: true, notes: [] };
}

/** Finds a package in the folders above the one where a path looks for it: the path may be short of a `../`. */
async function findFurtherUp(tree: SourceTree, { manifest, path }: CargoWorkspace['missing'][number]): Promise<string> {
  const folder = posix.dirname(manifest);
  for (let longer = `../${path}`; !leadsOut(posix.join(folder, longer)); longer = `../${longer}`) {
    if (await tree.has(posix.join(folder, longer, 'Cargo.toml'))) return `, for example to ${longer}`;
  }
  return '';
}

/** Makes bpf-linker keep the lines of the programs' source, for the report. No instruction of theirs differs. */
const keepLines = "CARGO_TARGET_BPFEL_UNKNOWN_NONE_RUSTFLAGS='-C debuginfo=2 -C link-arg=--btf'";

/** Commands that compile eBPF packages which cargo's own build does not, where no build script does. */
async function programSteps(tree: SourceTree, cargo: CargoWorkspace): Promise<string[]> {
  if (cargo.packages.some(({ dependencies }) => dependencies.has('aya-build'))) return [];
  if (cargo.ebpf.length === 0 && cargo.task === undefined) return await programMake(tree);
  const settings = [tree.project, ...cargo.ebpf.map(({ folder }) => folder)];
  const texts = await Promise.all(settings.map(async (folder) => JSON.stringify(await readSettings(tree, folder))));
  // Flags of the project's own would be replaced.
  const isPlain = cargo.ebpf.length === 0 || texts.some((text) => text.includes('"rustflags"'));
  const start = isPlain ? '' : `${keepLines} `;
  if (cargo.task !== undefined) return [`${start}${cargo.task.command}`];
  const steps = cargo.ebpf.map(async ({ folder, content }) => {
    const path = posix.relative(tree.project, folder) || '.';
    if (!isPlainPath(path) || content.package === undefined) return [];
    const { build, unstable } = await readSettings(tree, folder);
    const chosen = await findToolchainFile(tree.root, join(tree.root, folder));
    const words = [
      ...['cargo', ...(chosen === undefined ? ['+nightly'] : []), 'build', '--release'],
      ...(typeof table(build).target === 'string' ? [] : ['--target', 'bpfel-unknown-none']),
      ...(table(unstable)['build-std'] === undefined ? ['-Z', 'build-std=core'] : []),
    ];
    const command = `${start}${words.join(' ')}`;
    return [path === '.' ? command : `(cd ${path} && ${command})`];
  });
  return (await Promise.all(steps)).flat();
}

/** Reads the bench targets of a package or workspace, as cargo finds them. */
async function readTargets(tree: SourceTree, cargo: CargoWorkspace): Promise<CargoTarget[]> {
  const targets: CargoTarget[] = [];
  for (const { name, folder, content, dependencies } of cargo.packages) {
    const isElsewhere = posix.relative(tree.project, folder).startsWith('..');
    const hasOwnWorkspace = content.workspace !== undefined && folder !== tree.project;
    if (isElsewhere || hasOwnWorkspace || typeof table(content.package).name !== 'string') continue;
    const entries = (Array.isArray(content.bench) ? content.bench : []).map(table);
    const entryOf = (target: string) => entries.find((entry) => entry.name === target) ?? {};
    const listed = entries.flatMap((entry) => (typeof entry.name === 'string' ? [entry.name] : []));
    const found = table(content.package).autobenches === false ? [] : await benchFiles(tree, folder);
    for (const target of new Set([...listed, ...found])) {
      const { harness, path, 'required-features': features } = entryOf(target);
      const sources = typeof path === 'string' ? [path] : [`benches/${target}.rs`, `benches/${target}/main.rs`];
      targets.push({
        package: name,
        isRoot: folder === tree.project,
        name: target,
        hasHarness: harness !== false,
        hasLibtestBench: harness !== false && (await hasLibtestBench(tree, folder, sources)),
        features: Array.isArray(features) ? features.filter((each) => typeof each === 'string') : [],
        dependencies,
      });
    }
  }
  return targets;
}

async function hasLibtestBench(tree: SourceTree, folder: string, sources: readonly string[]): Promise<boolean> {
  for (const source of sources) {
    const text = await tree.read(posix.join(folder, source));
    if (text !== undefined) return /^[ \t]*#\[bench\]/m.test(text);
  }
  return false;
}

/** Names of the benches that cargo finds by itself. */
async function benchFiles(tree: SourceTree, folder: string): Promise<string[]> {
  const benches = posix.join(folder, 'benches');
  return (await tree.files()).flatMap((path) => {
    if (!path.startsWith(`${benches}/`)) return [];
    const [name = '', inside, ...deeper] = path.slice(benches.length + 1).split('/');
    if (inside === undefined) return name.endsWith('.rs') ? [name.slice(0, -3)] : [];
    return inside === 'main.rs' && deeper.length === 0 ? [name] : [];
  });
}

/** Lists the Go files of the project's module, and of those below that its go.work names, but of no other module. */
async function goFiles(tree: SourceTree): Promise<string[]> {
  const files = await tree.files();
  const workspace = ((await tree.read(posix.join(tree.project, 'go.work'))) ?? '').split(/\s+/);
  const modules = files.filter((path) => basename(path) === 'go.mod').map((path) => dirname(path));
  const others = new Set(modules.filter((folder) => !workspace.includes(`./${below(tree, folder)}`)));
  others.delete(tree.project);
  const isOwn = (folder: string): boolean =>
    folder === tree.project || (!others.has(folder) && isOwn(posix.dirname(folder)));
  return files.filter((path) => path.endsWith('.go') && isOwn(dirname(path)));
}

/** Finds the folders of packages that have benchmarks. */
async function findGoBenches(tree: SourceTree): Promise<string[]> {
  const folders = new Set<string>();
  for (const path of await goFiles(tree)) {
    if (!path.endsWith('_test.go')) continue;
    if (/^func Benchmark/m.test((await tree.read(path)) ?? '')) folders.add(below(tree, dirname(path)));
  }
  return [...folders];
}

/** Variables that `go generate` or every build sets. */
const goVariables = ['GOARCH', 'GOOS', 'GOFILE', 'GOLINE', 'GOPACKAGE', 'GOROOT', 'GOPATH', 'DOLLAR', 'PWD', 'HOME'];

async function findGoPrograms(tree: SourceTree): Promise<GoPrograms> {
  const files = await tree.files();
  /** Variables of bpf2go's directives, by folder. */
  const generating = new Map<string, string[]>();
  for (const path of await goFiles(tree)) {
    const { commands } = readGo((await tree.read(path)) ?? '');
    const own = commands.filter(({ words }) => words.some((word) => /(^|\/)bpf2go(@|$)/.test(word)));
    if (own.length === 0) continue;
    const expanded = own.flatMap(({ words }) => [...words.join(' ').matchAll(/\$\{?([A-Za-z_]\w*)/g)]);
    const names = expanded.map(([, name = '']) => name).filter((name) => !goVariables.includes(name));
    generating.set(dirname(path), [...(generating.get(dirname(path)) ?? []), ...names]);
  }
  const foldersOf = (name: RegExp) => new Set(files.filter((path) => name.test(path)).map((path) => dirname(path)));
  // The Go file that embeds an object is often in the tree alone.
  const embedded = foldersOf(/_bpf(?:e[lb])?(?:_\w+)?\.o$/);
  const generated = [...generating.keys()].filter((folder) => !embedded.has(folder));
  const [objects, makefiles] = [foldersOf(/\.o$/), foldersOf(/(?:^|\/)(?:GNUm|[Mm])akefile$/)];
  const made = [...foldersOf(/\.e?bpf\.c$/)].filter(
    (folder) => folder !== tree.project && !generating.has(folder) && !objects.has(folder) && makefiles.has(folder),
  );
  const hasObjects = files.some((path) => /bpf[^/]*\.o$/.test(path) && !tree.isAside(path));
  const unset = [...new Set(generated.flatMap((folder) => generating.get(folder) ?? []))];
  const [sources] = foldersOf(/\.e?bpf\.c$|(?:^|\/)e?bpf\/.*\.c$/);
  const findMake = async () => {
    if (generated.length > 0) return await programMake(tree, unset);
    return made.length === 0 && !hasObjects ? await programMake(tree) : [];
  };
  return {
    generated: generated.map((path) => below(tree, path)),
    unset,
    made: made.map((path) => below(tree, path)),
    make: await findMake(),
    hasObjects,
    sources: sources === undefined ? undefined : below(tree, sources),
  };
}

/**
 * The command, if any, by which a Makefile next to the project's manifest compiles BPF programs.
 *
 * @param unset variables that it has to set for `go generate`. Default: it compiles them itself
 */
async function programMake(tree: SourceTree, unset?: readonly string[]): Promise<string[]> {
  const files = new Set(await tree.files());
  const own = (name: string) => posix.join(tree.project, name);
  const name = makefileNames.find((each) => files.has(own(each)));
  const text = name === undefined ? undefined : await tree.read(own(name));
  const goal = programGoal(text ?? '', unset, (target) => files.has(own(target)));
  return goal === undefined ? [] : [`make ${goal}`];
}

/** A path of the tree as a path below the project. */
function below(tree: SourceTree, path: string): string {
  return posix.relative(tree.project, path) || '.';
}

/** The script by which a project of the autotools makes its `configure`, or that itself. */
async function ownScript(tree: SourceTree): Promise<string | undefined> {
  if (await tree.has(posix.join(tree.project, 'configure'))) return './configure';
  if (await tree.has(posix.join(tree.project, 'autogen.sh'))) return 'NOCONFIGURE=1 ./autogen.sh && ./configure';
  return undefined;
}

/** The submodules whose folder is empty, as a note. */
async function missingSubmodules(tree: SourceTree): Promise<string[]> {
  const missing: string[] = [];
  for (const path of await tree.submodules()) {
    const entries = await readdir(join(tree.root, posix.join('/', path))).catch(() => []);
    if (entries.length === 0) missing.push(path);
  }
  if (missing.length === 0) return [];
  const are = missing.length === 1 ? 'submodule that is' : 'submodules that are';
  return [`${are} not checked out: ${JSON.stringify(listNames(missing, maxNamed))}; run \`${initSubmodules}\``];
}

/** Finds the manifest of the project that the folder is a part of, if any. */
async function projectAbove(tree: SourceTree): Promise<string[]> {
  const found = await Promise.all(exclusiveManifests.map((file) => tree.findAbove(posix.dirname(tree.project), file)));
  const nearest = found.flatMap((path) => path ?? []).toSorted((a, b) => b.split('/').length - a.split('/').length);
  return nearest.slice(0, 1).map((path) => below(tree, path));
}

/**
 * Finds the manifests in folders that no other such folder contains, as paths from the project's folder.
 * Makefiles are named only where there is nothing else. Submodules are not projects of this repository.
 */
async function projectsBelow(tree: SourceTree): Promise<string[]> {
  const names = manifests.map(({ file }) => file);
  const foreign = (await tree.submodules()).map((path) => `${path}/`);
  const files = (await tree.files()).filter((path) => !foreign.some((folder) => path.startsWith(folder)));
  const paths = files.filter((path) => names.includes(basename(path))).map((path) => below(tree, path));
  const tools = paths.filter((path) => exclusiveManifests.includes(basename(path)));
  const found = new Map((tools.length > 0 ? tools : paths).map((path) => [dirname(path), path]));
  const outermost = [...found].filter(([folder]) => ![...found.keys()].some((other) => folder.startsWith(`${other}/`)));
  return outermost.map(([, path]) => path);
}
