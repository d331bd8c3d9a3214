// Prerequisites: installs what is missing, and gives the environment in which everything is found.

import { setMaxListeners } from 'node:events';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { part } from '../adapters/schedule.ts';
import { makeCacheFolder } from '../cache/cache.ts';
import { InterruptedError, MachineError } from '../common/errors.ts';
import { describeAptInstall, ensurePackageLists, installPackages, isRoot } from './apt.ts';
import { findLlvm, llvmMissing, newestLlvm } from './bpf-linker.ts';
import { installCargoTool } from './cargo-tools.ts';
import {
  type CheckOptions,
  checkPrerequisites,
  findBpfToolchains,
  findingEnvironment,
  findMissing,
  installCommand,
  withOwnPackages,
} from './check.ts';
import { extendPath, findExecutable } from './executables.ts';
import {
  type CargoToolPrerequisite,
  type Demand,
  demandOf,
  optionalGroups,
  type Prerequisite,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
} from './prerequisite.ts';
import type { InstallContext } from './progress.ts';
import { canMakeVenv, installPythonTool } from './python-tools.ts';
import { type RustToolchain, readRust, rustMissing, rustRemedy } from './rust.ts';
import { installRustSrc, installToolchain } from './rust-src.ts';

export { checkPrerequisites, findMissing };

/** The environment in which builds, vmtest and benchmarks run. */
export interface ToolEnvironment {
  /** The whole environment; PATH leads to every tool. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Identities of tools, for fingerprints: name to line. They shape builds, and the version that the program on PATH
   * prints does not show them.
   */
  readonly identities: Readonly<Record<string, string>>;
}

/** Name to wait for: the lists in which apt finds what it does not have yet, including mirrors of Debian. */
export const packageLists = 'package lists';

/** Other work that begins as soon as it can, while the rest is installed. */
export interface Companion {
  /** Names to wait for: prerequisites that it uses, or `packageLists`. */
  readonly after: readonly string[];
  readonly work: (env: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<unknown>;
  /** Whether the installation is complete without it, also if it fails. Default false. */
  readonly isOptional?: boolean;
}

export interface InstallOptions extends Omit<InstallContext, 'env'> {
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Default: none. If one fails that is not optional, the installation fails. */
  readonly companions?: readonly Companion[];
}

/** An installation that goes on while the project is being built. */
export interface Installing {
  /** The environment in which the project is built. */
  readonly tools: ToolEnvironment;
  /**
   * Resolves when everything is installed and all companions but optional ones are done. It may be ignored, even when it
   * rejects.
   *
   * @throws MachineError naming the command to type when something cannot be installed
   */
  readonly all: Promise<ToolEnvironment>;
  /** Ends what is still running. */
  stop(): Promise<void>;
}

/** Groups that guests need, and builds of projects do not. */
const guestGroups: readonly PrerequisiteGroup[] = ['vm', 'agent', 'virtme-ng', 'kernel-build', 'kernel-rpm'];

/**
 * Installs what is missing; logs it if nothing is.
 *
 * @throws MachineError naming the command to type when something cannot be installed
 */
export async function installMissing(
  which: readonly (PrerequisiteGroup | Demand)[],
  options: InstallOptions,
): Promise<ToolEnvironment> {
  return await (await startInstalling(which, options)).all;
}

/**
 * Begins to install what is missing, and waits for what projects are built with. Everything that does not wait for
 * something else begins at once.
 *
 * @throws MachineError naming the command to type when something that projects are built with cannot be installed
 */
export async function startInstalling(
  which: readonly (PrerequisiteGroup | Demand)[],
  options: InstallOptions,
): Promise<Installing> {
  requireX64();
  const { log, cache, companions = [] } = options;
  const demands = which.map(demandOf);
  const env = findingEnvironment(options.environment);
  // Otherwise the installation would fail after minutes.
  await makeCacheFolder(cache.root);
  const before = await checkPrerequisites(demands, { cache, environment: env });
  const missing = findMissing(before);
  log.progress(
    missing.length === 0
      ? 'nothing to install'
      : `to install: ${[...new Set(missing.map(({ prerequisite }) => prerequisite.name))].join(', ')}`,
  );
  const installation = new Installation(demands, missing, { ...options, env });
  await installation.start(companions);
  const check = async (checked: readonly Demand[]) => {
    const after =
      missing.length === 0
        ? before
        : await checkPrerequisites(checked, { cache, environment: findingEnvironment(env) });
    requirePresent(after.filter(({ prerequisite }) => !installation.isForgone(prerequisite)));
    return toolEnvironment(after, findingEnvironment(env));
  };
  const all = installation.end().then(() => check(demands));
  all.catch(() => {});
  const isForBuilds = ({ group }: { readonly group: PrerequisiteGroup }) => !guestGroups.includes(group);
  const names = missing.map(({ prerequisite }) => prerequisite).filter(isForBuilds);
  // The first error of all is the one to report.
  await Promise.race([all, installation.wait(names.map(({ name }) => name)).catch(() => all)]);
  return { tools: await check(demands.filter(isForBuilds)), all, stop: () => installation.stop() };
}

/** Tasks that begin together. Each waits for what it needs; one that fails ends the others. */
class Installation {
  readonly #demands: readonly Demand[];
  readonly #missing: readonly PrerequisiteStatus[];
  readonly #stop = new AbortController();
  readonly #context: InstallContext & { readonly signal: AbortSignal };
  /** Two apts at once would wait for each other's lock. */
  readonly #apt = pLimit(1);
  /** Promises by a missing prerequisite's name, which resolve when it is installed. */
  readonly #done = new Map<string, Promise<unknown>>();
  readonly #tasks: Promise<unknown>[] = [];
  /** Tasks that nothing waits for until they are stopped. */
  readonly #optional: Promise<unknown>[] = [];
  /** Names of what could not be installed and is not required. */
  readonly #forgone = new Set<string>();

  constructor(
    demands: readonly Demand[],
    missing: readonly PrerequisiteStatus[],
    { cache, log, env, signal }: InstallOptions & { readonly env: NodeJS.ProcessEnv },
  ) {
    this.#demands = demands;
    this.#missing = missing;
    const stopped = AbortSignal.any([this.#stop.signal, ...(signal === undefined ? [] : [signal])]);
    // Every running program listens to this signal.
    setMaxListeners(0, stopped);
    this.#context = { cache, log, env, signal: stopped };
  }

  async start(companions: readonly Companion[]): Promise<void> {
    const missing = this.#missing.map(({ prerequisite }) => prerequisite);
    const tools = missing.filter((prerequisite) => prerequisite.kind === 'cargo-tool');
    const needsRust = missing.some(({ kind }) => kind === 'rust' || kind === 'rust-src') || tools.length > 0;
    // Checked before anything else, because Rust cannot be installed here.
    const rust = needsRust ? await this.#requireRust(tools) : undefined;
    const needsLinker = tools.length > 0 && (await findExecutable('cc', this.#context.env)) === undefined;
    const packages = await this.#packages(missing, needsLinker);

    // Queued before the installation, because that makes other tasks wait longer.
    this.#done.set(
      packageLists,
      this.#start(() => this.#apt(() => part(packageLists, () => ensurePackageLists(this.#context)))),
    );
    const installed =
      packages.length === 0 ? Promise.resolve() : this.#start(() => this.#installAll(missing, packages));
    for (const prerequisite of missing) if ('packages' in prerequisite) this.#done.set(prerequisite.name, installed);
    if (needsLinker) this.#done.set('cc', installed);
    for (const { kind, name } of missing) {
      if (kind === 'rust-toolchain') this.#begin(name, [], () => installToolchain(name, this.#context));
      if (kind === 'rust-src' && rust !== undefined) {
        this.#begin(name, [packageLists, 'dpkg-deb'], async () => {
          const way = await installRustSrc(rust, this.#context);
          this.#context.log.progress(
            way === 'rustup' ? 'rust-src: added by rustup' : "rust-src: linked from Debian's package",
          );
        });
      }
    }
    for (const tool of missing) {
      if (tool.kind === 'cargo-tool' && rust !== undefined) {
        const toolchains = missing.filter(({ kind }) => kind === 'rust-toolchain').map(({ name }) => name);
        const after = ['cc', ...(tool.name === 'bpf-linker' ? toolchains : [])];
        this.#begin(tool.name, after, () => this.#buildTool(tool, rust));
      }
      if (tool.kind === 'python-tool') {
        this.#done.set(
          tool.name,
          this.#start(async () => {
            await installed;
            await part(tool.name, () => installPythonTool(tool, this.#context));
          }),
        );
      }
    }
    for (const { after, work, isOptional = false } of companions) {
      const task = async () => {
        await this.wait(after);
        await work(findingEnvironment(this.#context.env), this.#context.signal);
      };
      if (isOptional) this.#optional.push(task().catch(() => {}));
      else this.#start(task);
    }
  }

  /** Waits for all tasks. @throws the first error */
  async end(): Promise<void> {
    await Promise.allSettled(this.#tasks);
    if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new InterruptedError('the installation was stopped'));
    await Promise.allSettled([...this.#tasks, ...this.#optional]);
  }

  /** Waits until the named prerequisites that were missing are installed. */
  async wait(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#done.get(name)));
    this.#context.signal.throwIfAborted();
  }

  isForgone({ name }: Prerequisite): boolean {
    return this.#forgone.has(name);
  }

  #start<T>(task: () => Promise<T>): Promise<T> {
    const running = task();
    // The first error is the one to report; errors of the tasks that it ends come after.
    running.catch((error) => this.#stop.abort(error));
    this.#tasks.push(running);
    return running;
  }

  #begin(name: string, after: readonly string[], task: () => Promise<unknown>): void {
    this.#done.set(
      name,
      this.#start(async () => {
        await this.wait(after);
        await part(name, task);
      }),
    );
  }

  #install(packages: readonly string[]): Promise<void> {
    return this.#apt(() => part('packages', () => installPackages(packages, this.#context)));
  }

  /** Installs packages in one go. If that fails, installs the optional ones each on its own. */
  async #installAll(missing: readonly Prerequisite[], packages: readonly string[]): Promise<void> {
    try {
      await this.#install(packages);
    } catch (error) {
      const optional = missing.filter(({ group }) => ['project', 'sandbox', 'sandbox-network'].includes(group));
      if (!(error instanceof MachineError) || optional.length === 0) throw error;
      const names = neededPackages(optional, false);
      const required = packages.filter((name) => !names.includes(name));
      if (required.length > 0) await this.#install(required);
      // The failed attempt has read the package lists.
      for (const each of optional) await this.#tryInstall(await withOwnPackages(each, this.#context.env));
    }
  }

  /** Installs what a build may do without, where this distribution has it. */
  async #tryInstall(prerequisite: Prerequisite): Promise<void> {
    try {
      await this.#install(neededPackages([prerequisite], false));
    } catch (error) {
      if (!(error instanceof MachineError)) throw error;
      this.#forgone.add(prerequisite.name);
      this.#context.log.warn(`${prerequisite.name} was not installed, which the build may need:\n${error.message}`);
    }
  }

  async #packages(missing: readonly Prerequisite[], needsLinker: boolean): Promise<string[]> {
    const hasVenv = missing.some(({ kind }) => kind === 'python-tool') && (await canMakeVenv(this.#context.env));
    return neededPackages(
      missing.filter(({ kind }) => kind !== 'python-tool' || !hasVenv),
      needsLinker,
    );
  }

  async #buildTool(tool: CargoToolPrerequisite, rust: RustToolchain): Promise<void> {
    if (tool.name !== 'bpf-linker') {
      await installCargoTool(tool, undefined, this.#context, rust);
      return;
    }
    const toolchains = await findBpfToolchains(this.#demands, rust, this.#context.env);
    const newest = newestLlvm(toolchains) ?? rust;
    const llvm = await findLlvm(newest);
    if (llvm === undefined) throw llvmMissing(newest);
    await installCargoTool(tool, llvm, this.#context, rust);
  }

  /** @throws MachineError where there is no usable Rust, naming what needs it */
  async #requireRust(tools: readonly CargoToolPrerequisite[]): Promise<RustToolchain> {
    const compiled = tools.map(({ name }): Demand => ({ group: 'compile', by: `${name} has to be compiled, which` }));
    const own = this.#demands.filter(({ group }) => group === 'compile' || group === 'agent');
    const demands = [...own, ...compiled, ...(own.length + compiled.length === 0 ? [demandOf('compile')] : [])];
    const statuses = await checkPrerequisites(demands, { cache: this.#context.cache, environment: this.#context.env });
    const unfit = findMissing(statuses).find(({ prerequisite }) => prerequisite.kind === 'rust');
    const rust = await readRust(this.#context.env);
    if (rust !== undefined && unfit === undefined) return rust;
    const hasRustup = (await findExecutable('rustup', this.#context.env)) !== undefined;
    throw rustMissing(
      unfit === undefined ? 'rustc does not run' : describe(unfit),
      unfit?.remedy ?? rustRemedy(hasRustup),
    );
  }
}

/**
 * The environment of a machine that has everything already.
 *
 * @throws MachineError listing what is missing, and what needs it
 */
export async function requirePrerequisites(
  which: readonly (PrerequisiteGroup | Demand)[],
  options: CheckOptions & {
    /** Groups of which present tools are included, and nothing is required. */
    readonly optional?: readonly PrerequisiteGroup[];
    /** The command that installs what is missing. Default: `bpfgate doctor --install`. */
    readonly install?: string;
  },
): Promise<ToolEnvironment> {
  requireX64();
  const env = findingEnvironment(options.environment);
  const demands = [...which, ...(options.optional ?? [])].map(demandOf);
  const statuses = await checkPrerequisites(demands, { cache: options.cache, environment: env });
  const required = new Set(which.map((each) => demandOf(each).group));
  requirePresent(
    statuses.filter((status) => required.has(status.prerequisite.group)),
    options.install,
  );
  return toolEnvironment(statuses, env);
}

/** @throws MachineError on any other machine: neither kernels nor tools for it are pinned */
export function requireX64(): void {
  if (process.arch === 'x64' && process.platform === 'linux') return;
  throw new MachineError(`bpfgate runs on Linux on x86-64 only, and this is ${process.platform} on ${process.arch}`, {
    hint: 'run it on such a machine, as the runner ubuntu-24.04 is one',
  });
}

/** Every package to install, each once, in the order of need. */
export function neededPackages(missing: readonly Prerequisite[], needsLinker: boolean): string[] {
  const programs = missing.flatMap((prerequisite) => ('packages' in prerequisite ? prerequisite.packages : []));
  return [...new Set([...programs, ...(needsLinker ? ['gcc', 'libc6-dev'] : [])])];
}

/** `bpf-linker is missing; xdp's build script uses aya-build, which needs it`. */
function describe({ prerequisite: { name }, problem, neededBy }: PrerequisiteStatus): string {
  const [by] = neededBy;
  const more = neededBy.length > 1 ? ` (and ${neededBy.length - 1} more)` : '';
  return `${name} ${problem}${by === undefined ? '' : `; ${by} needs ${name}${more}`}`;
}

function requirePresent(statuses: readonly PrerequisiteStatus[], install = installCommand): void {
  const left = findMissing(statuses);
  if (left.length === 0) return;
  const lines = left.map((status) => {
    const isInstalled = status.remedy?.startsWith(installCommand);
    return `  ${describe(status)}${isInstalled ? '' : `: ${status.remedy}`}`;
  });
  // doctor does not install what only some kernels need.
  const required = left.some(({ prerequisite }) => !optionalGroups.includes(prerequisite.group));
  const needsRunner = left.some(({ prerequisite }) => prerequisite.group === 'virtme-ng');
  const packages = neededPackages(
    left.map(({ prerequisite }) => prerequisite),
    false,
  );
  throw new MachineError(`this machine does not have:\n${lines.join('\n')}`, {
    hint: needsRunner ? `${install} --runner virtme-ng` : required ? install : describeAptInstall(packages, isRoot()),
  });
}

function toolEnvironment(statuses: readonly PrerequisiteStatus[], env: NodeJS.ProcessEnv): ToolEnvironment {
  const present = statuses.filter((status) => status.present);
  const folders = present.flatMap(({ prerequisite, path }) =>
    (prerequisite.kind === 'cargo-tool' || prerequisite.kind === 'python-tool') && path !== null ? [dirname(path)] : [],
  );
  const identities = present.flatMap(({ prerequisite, identity }) =>
    identity === undefined ? [] : [[nameOfTool(prerequisite), identity] as const],
  );
  return { env: { ...env, PATH: extendPath(env.PATH, folders) }, identities: Object.fromEntries(identities) };
}

function nameOfTool({ kind, name }: Prerequisite): string {
  return kind === 'rust-toolchain' ? `rustc +${name}` : name;
}
