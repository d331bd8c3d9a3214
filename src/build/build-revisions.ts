// Build: checks out base and head and builds both at the same path, so that equal sources give equal bytes. Built trees
// are kept in the cache, keyed by everything that went into them.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { GitSession, Tree } from '../adapters/git.ts';
import { defaultConfig } from '../adapters/read-inputs.ts';
import { readFileBelow } from '../adapters/regular-file.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { part } from '../adapters/schedule.ts';
import { SourceTree } from '../adapters/source-tree.ts';
import { adoptEntry, makeCacheFolder, restoreEntry } from '../cache/cache.ts';
import { withLock } from '../cache/lock.ts';
import { BaseBuildError, BuildError, GateError, InputError } from '../common/errors.ts';
import { matchesGlob } from '../common/glob.ts';
import { listNames } from '../common/list-names.ts';
import type { Build, Builds, CargoStarts, RevisionName } from '../model/build.ts';
import type { Config } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';
import { withProgress } from '../prerequisites/progress.ts';
import { bpfToolchains, readNeeds } from '../prerequisites/project-needs.ts';
import { installProjectToolchain } from '../prerequisites/project-toolchain.ts';
import { toText } from '../report/plain-text.ts';
import { describeWarning, joinWarnings } from '../report/warnings.ts';
import { findBuildOutputs } from './build-outputs.ts';
import type { BuildPlace } from './build-place.ts';
import type { CargoConfig } from './cargo-runner.ts';
import { equalizeStarts, maxStarts, readStarts, recordStarts, startsFile } from './cargo-starts.ts';
import { type Download, downloadDependencies } from './download-dependencies.ts';
import { projectEnvironment } from './environment.ts';
import { excerptOf } from './excerpt.ts';
import { explainFailure } from './explain-failure.ts';
import { findObjects } from './find-objects.ts';
import { hasKept, holdKept, type KeptRequest, keyOf, pruneKept, removed, takeKept } from './kept-builds.ts';
import { nameObjects } from './name-objects.ts';
import { readCargoSettings, readTreeSettings } from './read-cargo-settings.ts';
import { readTools } from './read-tools.ts';
import { seal } from './seal.ts';
import { findSeed, plantGoCache, plantSeed, writeSeedRecord } from './seed.ts';
import { unpackSkeletons } from './unpack-skeletons.ts';

export interface BuildRequest extends KeptRequest {
  readonly git: GitSession;
  readonly base: Tree;
  readonly head: Tree;
  readonly config: Config;
  /** What base is built by. Default: as head. */
  readonly ofBase?: Pick<BuildRequest, 'config' | 'place'>;
  readonly environment: NodeJS.ProcessEnv;
  /** Parts of the benches' commands that decide what cargo starts, by `startsKey`. Default: none. */
  readonly cargoCommands?: readonly string[];
  /** Further tools that shape builds: name to identity. Default: none. */
  readonly identities?: Readonly<Record<string, string>> | undefined;
  /** The user's registry settings, if the project's own may be read too. Default: neither is read. */
  readonly registries?: Readonly<Record<string, string>> | undefined;
  /** The number of the repository's built trees that stay, the last used. Default: few. */
  readonly keptBuilds?: number | undefined;
  /** Commits that are on the branch that pull requests are merged into, as are their ancestors. Default: none known. */
  readonly merged?: readonly string[] | undefined;
  /** Whether both revisions are built from nothing, whatever is kept. Default false. */
  readonly fresh?: boolean | undefined;
  /** The place in which the build command runs. */
  readonly place: BuildPlace;
}

/** Variables that say who builds and where, not what. */
const unshaping =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_.*|CARGO_HOME|RUSTUP_HOME|RUST_BACKTRACE|GIT_CEILING_DIRECTORIES)$/;
/** Incremented when the content of a kept build changes its meaning. */
const keyFormat = 4;
const startedAt = Date.now();
/** Maximum number of files that a message names. */
const maxNamed = 10;

/**
 * @throws BuildError when a revision does not build, or its build changes tracked files that are not build outputs. Of
 * base it is a BaseBuildError
 * @throws InputError when a tree cannot be checked out
 */
export async function buildRevisions(request: BuildRequest): Promise<Builds> {
  const { repository } = request.git;
  const home = join(request.cache.root, buildsKind(request));
  await makeCacheFolder(home);

  const waiting = 'waiting for another bpfgate that builds the same repository';
  return withLock(join(home, 'lock'), { ...request, waiting }, async () => {
    const workDir = join(home, 'work');
    const scratch = join(home, 'scratch');
    for (const left of [join(home, removed), scratch]) await removeTree(left);
    await mkdir(scratch);
    const { base, head } = await buildBoth(request, home, workDir, scratch).finally(() => removeTree(scratch));
    for (const tool of new Set([...Object.keys(base.tools), ...Object.keys(head.tools)])) {
      if (base.tools[tool] === head.tools[tool]) continue;
      request.log.warn(`base was built with ${base.tools[tool]}, head with ${head.tools[tool]}`);
    }
    const { projectPath } = repository;
    const { log, signal } = request;
    const [found] = await Promise.all([
      Promise.all([base, head].map((build) => findObjects(build, projectPath, log, signal))).then((all) => all.flat()),
      pruneKept(home, request.keptBuilds),
    ]);
    const ofBase = request.ofBase ?? request;
    const [globs, globsOfBase] = [request.config.build.objects, ofBase.config.build.objects];
    for (const glob of new Set([...(globs ?? []), ...(globsOfBase ?? [])])) {
      if (found.some(({ projectPath: path }) => matchesGlob(glob, path))) continue;
      log.warn(`build.objects: no BPF object is called \`${glob}\` in the built project`);
    }
    const warnings: Warning[] = [...new Set([...request.place.warnings, ...ofBase.place.warnings])];
    const differing = await findDifferences(request);
    if (differing.length > 0 && differing.every((path) => basename(path) === defaultConfig)) {
      warnings.push({
        about: differing,
        reason: 'nothing else changed in head, so no change of the project was measured',
      });
    }
    for (const { revision, dir } of [base, head]) {
      const pointers = await request.git.lfsPointers(request[revision]);
      if (pointers.length > 0) {
        warnings.push({ about: pointers, revision, reason: 'in Git LFS, so built as the pointer that the commit has' });
      }
      const changed = await request.git.changedFiles(request[revision], dir);
      const outputs = await findBuildOutputs(dir, changed);
      if (outputs.length === 0) continue;
      warnings.push({ about: outputs, revision, reason: 'tracked by git and changed by the build; measured as built' });
    }
    const noted = warnings.map((warning) => ({ ...warning, kernel: null }));
    for (const line of joinWarnings(noted)) log.warn(toText(describeWarning(line)));
    return { base, head, workDir, projectPath, objects: nameObjects(found, globs, false, globsOfBase), warnings };
  });
}

/** Paths of the files that differ between base and head. */
async function findDifferences({ git, base, head }: BuildRequest): Promise<string[]> {
  if (base.id === head.id) return [];
  const [before, after] = await Promise.all([git.listFiles(base), git.listFiles(head)]);
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Cache kind of a repository's builds. They are valid at its location only, because built files contain paths. */
function buildsKind({ git }: BuildRequest): string {
  return join('builds', keyOf(git.repository.root).slice(0, 12));
}

async function buildBoth(request: BuildRequest, home: string, workDir: string, scratch: string) {
  const folders = { home, workDir, scratch };
  const base = await buildRevision({ ...request, ...request.ofBase }, 'base', request.base, folders).catch((error) => {
    throw error instanceof BuildError ? new BaseBuildError(error.message, error) : error;
  });
  const head = await buildRevision(request, 'head', request.head, folders);
  return equalizeStarts({ base, head });
}

interface Folders {
  /** Holds the repository's kept builds. */
  readonly home: string;
  /** Path at which every tree is built. */
  readonly workDir: string;
  /** Scratch folder of the build place. */
  readonly scratch: string;
}

/** Checks a tree out at `workDir`, builds it there unless the same build is kept, and moves it to its own place. */
async function buildRevision(
  request: BuildRequest,
  revision: RevisionName,
  tree: Tree,
  { home, workDir, scratch }: Folders,
): Promise<Build> {
  const { projectPath } = request.git.repository;
  const { fresh = false } = request;
  const { command, env } = request.config.build;
  const environment = {
    ...projectEnvironment(request.environment, env),
    // The tree has no .git, and a repository that holds the cache is a different one.
    GIT_CEILING_DIRECTORIES: home,
  };
  await removeTree(workDir);
  try {
    await request.git.checkOut(tree, workDir);
    const project = join(workDir, projectPath);
    await requireFolder(workDir, project);
    const tools = { ...(await readTools(environment, workDir, project)), ...request.identities };
    const cargoSettings = await readCargoSettings(environment, workDir);
    // Without a lock file, what is fetched today can differ from what was fetched yesterday.
    const isUnlocked = await isUnlockedCargo(request.git, tree, project);
    const settings = [
      ...[keyFormat, projectPath, command, tools, ...request.place.key],
      // Who builds and where tools lie is not part of the key: `tools` says what they are.
      Object.entries(environment).filter(([name]) => !unshaping.test(name) || env.includes(name)),
      cargoSettings.flatMap((config) => config?.text ?? []),
      fresh ? randomUUID() : isUnlocked ? startedAt : null,
    ];
    const isMerged = await isOnBranch(request, tree);
    // What was built of a commit before it was merged is only for others that are compared with the same base.
    const keysOf = (commit: string) => {
      const merged = keyOf([settings, commit]);
      return { merged, own: isMerged ? merged : keyOf([settings, commit, request.base.commit]) };
    };
    const kind = buildsKind(request);
    const title = `${revision} (${tree.ref})`;
    const take = (key: string) => takeKept(title, join(home, key), request.log);
    const { merged, own } = keysOf(tree.commit ?? `${tree.id} on ${tree.at}`);
    let key = merged;
    let sealed = await take(key);
    if (sealed === undefined && (await restoreEntry(request.cache, kind, key)) !== undefined) {
      sealed = await seal(join(home, key));
    }
    if (sealed === undefined && own !== merged) {
      key = own;
      sealed = await take(key);
    }
    if (sealed !== undefined) {
      request.log.progress(`${title} is already built${request.place.label}`);
    } else {
      const files = Object.fromEntries(await request.git.listFiles(tree));
      const ancestors = tree.at === null ? [] : [...(await request.git.ancestors(tree.at))];
      const keys = ancestors.map(keysOf).flatMap((keys) => [keys.merged, keys.own]);
      const isCargo = isPlainCargo(command);
      const canStart = !fresh && (isCargo || Object.keys(files).some((path) => basename(path) === 'go.mod'));
      const seed = canStart ? await findSeed(home, keys, request.log) : undefined;
      if (seed !== undefined) {
        if (isCargo) await plantSeed(seed, files, workDir, projectPath, request.log);
        await plantGoCache(seed, files, workDir, [command, ...env].join(' '));
      } else if (canStart && (await hasKept(home)) && (await request.git.isShallow())) {
        request.log.progress(`${title} ${startsFromNothing}`);
      }
      const rebuilt = await part(`build ${revision}`, () =>
        buildTree(request, revision, tree, environment, { home, workDir, scratch }),
      );
      await writeSeedRecord(workDir, { files, depth: (seed?.depth ?? -1) + 1, rebuilt });
      await adoptEntry(
        isMerged && !isUnlocked && !fresh ? request.cache : { root: request.cache.root },
        kind,
        key,
        workDir,
      );
      sealed = await seal(join(home, key));
    }
    const dir = join(home, key);
    await holdKept(dir, request);
    const starts = await findStarts(request, { revision, dir, workDir }, cargoSettings);
    return { revision, ref: tree.ref, commit: tree.commit, tree: tree.id, dir, seal: sealed, starts, tools };
  } finally {
    await removeTree(workDir);
  }
}

/** @returns tracked files that the build has changed */
async function buildTree(
  request: BuildRequest,
  revision: RevisionName,
  tree: Tree,
  environment: Record<string, string>,
  { home, workDir, scratch }: Folders,
): Promise<string[]> {
  const { command, env: variables } = request.config.build;
  const { place, log, signal } = request;
  const project = join(workDir, request.git.repository.projectPath);
  const times = join(home, 'seconds.json');
  const kind = JSON.stringify([revision, place.label, command]);
  const last = (await readTimes(times))[kind];
  const about = last === undefined || last < 1 ? '' : `, which took ${last} s last time`;
  const startMs = performance.now();
  const title = `building ${revision} (${tree.ref})${place.label}`;
  const { problem, failure, output } = await withProgress(
    log,
    title,
    async (onLine) => {
      const brought = await bringDependencies(request, `${revision} (${tree.ref})`, { workDir, project, environment });
      const { timeoutMs } = place;
      const built = await place.build({
        workDir,
        project,
        scratch,
        environment,
        variables,
        dependencies: brought.paths,
        timeoutMs,
        signal,
        onLine,
        command: recordStarts(command, request.cargoCommands ?? [], workDir),
      });
      return { problem: brought.error, ...built };
    },
    `: ${command}${about}`,
  );
  if (failure !== undefined) {
    const before = problem === undefined ? '' : `\nbefore that: ${problem.message}`;
    const missing = await explainFailure(output, environment, place);
    throw new BuildError(
      `the build of ${revision} (${tree.ref})${place.label} ${failure}: ${command}\n${excerptOf(output)}${before}`,
      {
        hint: missing ?? (problem === undefined ? place.hint : downloadFailed),
        logs: { [`build-${revision}${place.label.replaceAll(/[^\w.]+/g, '-')}.log`]: output },
      },
    );
  }
  await unpackSkeletons(workDir);
  const changed = await request.git.changedFiles(tree, workDir);
  const outputs = new Set(await findBuildOutputs(workDir, changed));
  const sources = changed.filter((path) => !outputs.has(path));
  if (sources.length > 0) {
    throw new BuildError(
      `the build of ${revision} (${tree.ref}) changed files that git tracks: ${listNames(sources, maxNamed)}; what was built is not what was committed`,
      { hint: 'commit the changed files, or keep the build from touching them (cargo: --locked)' },
    );
  }
  const seconds = Math.round((performance.now() - startMs) / 1000);
  // Without it, the next build only does not say how long this one took.
  await writeFile(times, JSON.stringify({ ...(await readTimes(times)), [kind]: seconds })).catch(() => {});
  return [...outputs];
}

const startsFromNothing =
  'is built from nothing: this clone does not show of which of its ancestors there is a build (actions/checkout: `fetch-depth: 0`)';
const downloadFailed = 'see first why the download before the build failed, which the message ends with';

/** Reads how long builds took, in seconds, by revision, place and command; empty where that was not kept. */
async function readTimes(file: string): Promise<Record<string, number>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text);
  } catch {
    return {}; // Of a process that was killed while it wrote.
  }
}

/**
 * Installs the project's toolchain and downloads its dependencies, where the build cannot.
 *
 * @returns paths of what was downloaded, and the error, where the build may succeed without the rest
 */
async function bringDependencies(
  { config, place, registries, cache, log, signal }: BuildRequest,
  title: string,
  tree: Pick<Download, 'workDir' | 'project' | 'environment'>,
): Promise<{ readonly error?: GateError | undefined; readonly paths: readonly string[] }> {
  // With registry settings the download is always made here: a build gets none of the user's logins.
  if (place.downloads === 'left to the build' && registries === undefined) return { paths: [] };
  try {
    const { workDir, project, environment } = tree;
    const needs = await readNeeds(new SourceTree(workDir, project), config);
    const inTree = (folders: Iterable<string>) => [...folders].map((folder) => join(workDir, folder));
    for (const folder of new Set([project, ...inTree(needs.rust.map(({ folder }) => folder))])) {
      await installProjectToolchain(workDir, folder, { env: environment, cache, log, signal });
    }
    const locks = { cargo: inTree(needs.cargo), go: inTree(needs.go), toolchains: bpfToolchains(needs) };
    const downloaded = await downloadDependencies({ title, ...tree, ...locks, registries, log, signal });
    if (place.downloads === 'needed' && downloaded.error !== undefined) throw downloaded.error;
    return downloaded;
  } catch (error) {
    if (place.downloads === 'needed' || !(error instanceof GateError) || signal?.aborted) throw error;
    return { error, paths: [] };
  }
}

/** Whether a tree is that of a commit on the branch that pull requests are merged into. */
async function isOnBranch({ git, merged = [] }: BuildRequest, { commit }: Tree): Promise<boolean> {
  if (commit === null) return false;
  for (const tip of merged) {
    if (await git.isAncestor(commit, tip)) return true;
  }
  return false;
}

/** Whether a command is nothing but cargo, which rebuilds whatever is out of date in its target folder. */
export function isPlainCargo(command: string): boolean {
  const plain = /^\s*(?:CARGO_TARGET_[A-Z0-9_]+='[\w=. -]*'\s+)?cargo(\s+[\w@%+=:,./-]+)+\s*$/;
  return command.split('&&').every((part) => plain.test(part));
}

/** Reads what the cargo commands of benches start in a built tree, and logs the commands for which it is unknown. */
async function findStarts(
  { git, cargoCommands = [], place, log }: BuildRequest,
  { revision, dir, workDir }: { readonly revision: RevisionName; readonly dir: string; readonly workDir: string },
  settings: readonly (CargoConfig | undefined)[],
): Promise<CargoStarts> {
  if (cargoCommands.length === 0) return {};
  const text = await readFileBelow(dir, startsFile, maxStarts).catch(() => undefined);
  const { projectPath } = git.repository;
  const configs = [...(await readTreeSettings(dir, workDir, projectPath)), ...settings];
  const known = configs.filter((config) => config !== undefined);
  const starts = readStarts(text ?? '', known.length === configs.length ? known : undefined, workDir, projectPath);
  for (const command of cargoCommands) {
    const start = starts[command] ?? { unknown: 'the build left no record of it' };
    if (!('unknown' in start)) continue;
    log.progress(
      `${revision}${place.label}: \`${command}\` is run by cargo in the guest, which takes longer: ${start.unknown}`,
    );
  }
  return starts;
}

/** Whether it is a cargo project without a lock file of its own in the tree. */
async function isUnlockedCargo(git: GitSession, tree: Tree, project: string): Promise<boolean> {
  return existsSync(join(project, 'Cargo.toml')) && !(await git.hasFile(tree, 'Cargo.lock'));
}

/** @throws InputError when the project's folder is not in this tree, or a link in its path leads elsewhere */
async function requireFolder(workDir: string, project: string): Promise<void> {
  const real = await realpath(project).catch(() => undefined);
  if (real === project && (await stat(project)).isDirectory()) return;
  const path = relative(workDir, project);
  throw new InputError(`\`${path}\` is ${real === undefined ? 'not there' : 'a link or no folder'}`, {
    hint: 'the project has to be a folder of the repository, in base and in head',
  });
}
