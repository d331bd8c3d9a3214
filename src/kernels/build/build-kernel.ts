// Source kernels: compiles an unpacked tree, out of tree and to the same bytes every time.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../adapters/log.ts';
import { type RunOptions, type RunResult, run } from '../../adapters/process.ts';
import { fullCache, KernelError, MachineError, saysFullDisk } from '../../common/errors.ts';
import { compareVersions } from '../../common/versions.ts';
import { notTakenError, optionsFor, optionsNotTaken, readFragments, renderOptions } from './config.ts';

export interface KernelBuild {
  /** Absolute path of the unpacked tree, which is not written to. */
  readonly tree: string;
  /** Absolute path of the build folder. It is created here, and must be empty or absent before. */
  readonly output: string;
  /** Minor version: chooses the options. */
  readonly minor: string;
  /** Name of the kernel for messages: `5.8.18`. */
  readonly name: string;
  /** File for everything the build prints. Its folder must exist. */
  readonly logFile: string;
}

export interface BuildKernelOptions {
  readonly log: Log;
  /**
   * Environment whose PATH leads to compiler and tools. Nothing else of it affects the build, except HOME and TMPDIR.
   */
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Default 3 hours. */
  readonly timeoutMs?: number;
}

export interface BuiltKernel {
  /** Absolute path of the bzImage, in the output folder. */
  readonly image: string;
  /** Absolute path of the configuration, in the output folder. */
  readonly config: string;
  /** Output of `uname -r` in the booted kernel. */
  readonly uname: string;
}

/** Flags against work that the compiler does only for messages: a twentieth of its time. The code stays the same. */
const quietFlags = ['-ftrack-macro-expansion=0', '-Wno-misleading-indentation'];

/**
 * Flags that leave out debug information on where variables are and statements begin: 7 % of the compiler's time. BTF
 * consists of types and names; the code stays the same.
 */
const typesOnlyFlags = ['-fno-var-tracking', '-gno-statement-frontiers'];

/**
 * First minor version whose build may make pahole leave out functions because of where their parameters are. Upstream
 * does so since 6.4, and so do stable releases of older versions. For these the compiler tracks variables as usual.
 */
const paholeReadsLocations = '5.10';

const defaultTimeoutMs = 3 * 3_600_000;
/** Time between two reports of progress. */
const progressMs = 20_000;

/**
 * Configures and compiles a kernel: tinyconfig, the fragments of its version, `olddefconfig`, `bzImage`.
 *
 * @throws KernelError when an option did not take effect, or the tree does not compile
 * @throws MachineError when the disk is full or the time is up
 */
export async function buildKernel(build: KernelBuild, options: BuildKernelOptions): Promise<BuiltKernel> {
  requirePlainPath(build.tree);
  requirePlainPath(build.output);
  await mkdir(build.output, { recursive: true });
  const pahole = join(build.output, 'pahole');
  await writeFile(pahole, paholeScript(build.minor));
  await chmod(pahole, 0o755);
  const make = (targets: readonly string[]) => runMake([...makeArguments(build, pahole), ...targets], build, options);

  options.log.progress(`configuring kernel ${build.name}`);
  await make(['tinyconfig']);
  const config = join(build.output, '.config');
  const wanted = optionsFor(build.minor, readFragments());
  await mergeOptions(build, renderOptions(wanted), options);
  await make(['olddefconfig']);
  const missed = optionsNotTaken(wanted, await readFile(config, 'utf8'));
  if (missed.length > 0) throw notTakenError(build.name, missed);

  await make([`-j${availableParallelism()}`, 'bzImage']);
  const uname = (await readFile(join(build.output, 'include', 'config', 'kernel.release'), 'utf8')).trim();
  return { image: join(build.output, 'arch', 'x86', 'boot', 'bzImage'), config, uname };
}

/** Arguments of `make` before the targets: where the tree is, and settings that an old tree does not have itself. */
function makeArguments({ tree, output, minor }: KernelBuild, pahole: string): string[] {
  // The paths of tree and output must not show in debug information, because the build ID is a hash of it. The compiler
  // tries the last one first.
  const plainPaths = [`-ffile-prefix-map=${tree}=.`, `-ffile-prefix-map=${tree}/=`, `-ffile-prefix-map=${output}=.`];
  return [
    '-C',
    tree,
    `O=${output}`,
    'ARCH=x86_64',
    // The boot code of kernels before 6.15 names no C standard, and in the default of newer compilers `bool` is a
    // keyword.
    'CC=gcc -std=gnu11',
    'HOSTCC=gcc -std=gnu11',
    `KCFLAGS=${[...plainPaths, ...quietFlags, ...debugFlags(minor)].join(' ')}`,
    `KAFLAGS=${plainPaths.join(' ')}`,
    `PAHOLE=${pahole}`,
    // Make 4.4 puts the values given here into MAKEFLAGS. Kernels before 6.2 look for an `s` there and are silent if
    // they find one.
    'quiet=quiet_',
    // Keeps the state of a git tree out of the release.
    'LOCALVERSION=',
    // Concerns the tools in the tree: a newer compiler's warnings must not stop an old tree.
    'WERROR=0',
    // Without preemption this file is empty, and the objtool of kernels before 5.11 refuses what assemblers since 2.36
    // make of it: https://git.kernel.org/torvalds/c/1d489151e9f9
    'OBJECT_FILES_NON_STANDARD_thunk_64.o=y',
  ];
}

function debugFlags(minor: string): readonly string[] {
  return compareVersions(minor, paholeReadsLocations) < 0 ? typesOnlyFlags : [];
}

/** The whole environment of a build. Variables of the shell, such as MAKEFLAGS or CROSS_COMPILE, must not affect it. */
function makeEnvironment({ PATH, HOME, TMPDIR }: NodeJS.ProcessEnv): Pick<RunOptions, 'env' | 'variables'> {
  const variables = {
    LC_ALL: 'C',
    TZ: 'UTC',
    SOURCE_DATE_EPOCH: '0',
    KBUILD_BUILD_TIMESTAMP: 'Thu Jan  1 00:00:00 UTC 1970',
    KBUILD_BUILD_USER: 'bpfgate',
    KBUILD_BUILD_HOST: 'bpfgate',
    KBUILD_BUILD_VERSION: '1',
  };
  return { env: { PATH, HOME, TMPDIR }, variables };
}

/** Rejects paths that make cannot take: it splits words at blanks and interprets colons and hashes. */
function requirePlainPath(path: string): void {
  if (!/[\s:#$'"\\]/.test(path)) return;
  throw new MachineError(`kernels cannot be built at \`${path}\`: make does not take such a path`, {
    hint: 'use a folder without blanks, colons, quotes and the like; BPFGATE_CACHE sets the one builds are made in',
  });
}

/**
 * Script between a kernel's build and pahole. It makes type information in one thread, because several threads number
 * the types in random order. For kernels before 6.0 it leaves out 64-bit enumerations, which they cannot read.
 */
export function paholeScript(minor: string): string {
  const leaveOut = compareVersions(minor, '6.0') < 0 ? ' --skip_encoding_btf_enum64' : '';
  return `#!/bin/sh
encode=
for argument; do
	shift
	case $argument in
	-j* | --jobs*) continue ;;
	-J | --btf_encode*) encode=1 ;;
	esac
	set -- "$@" "$argument"
done
[ -z "$encode" ] || exec pahole${leaveOut} "$@"
exec pahole "$@"
`;
}

/** Merges a fragment into the configuration with the kernel's own script. */
async function mergeOptions(build: KernelBuild, fragment: string, options: BuildKernelOptions): Promise<void> {
  const file = join(build.output, 'bpfgate.config');
  await writeFile(file, fragment);
  const result = await run(
    join(build.tree, 'scripts', 'kconfig', 'merge_config.sh'),
    ['-m', '-O', build.output, join(build.output, '.config'), file],
    // The script puts its temporary files into its working directory.
    { cwd: build.output, ...makeEnvironment(options.environment), signal: options.signal, logFile: build.logFile },
  );
  if (result.exitCode !== 0) throw failure('merging the fragments', build, result);
}

async function runMake(args: readonly string[], build: KernelBuild, options: BuildKernelOptions): Promise<void> {
  const { log, signal, environment } = options;
  const start = performance.now();
  let compiled = 0;
  const timer = setInterval(() => {
    const elapsed = Math.round((performance.now() - start) / 1000);
    log.progress(`building kernel ${build.name}: ${compiled} files compiled in ${elapsed} s`);
  }, progressMs);
  try {
    const result = await run('make', args, {
      ...makeEnvironment(environment),
      signal,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      logFile: build.logFile,
      onLine: (line) => {
        if (/^ {2}(CC|AS) /.test(line)) compiled++;
      },
    });
    if (result.exitCode !== 0) throw failure(`\`make ${args.at(-1)}\``, build, result);
  } finally {
    clearInterval(timer);
  }
}

function failure(what: string, { name, logFile }: KernelBuild, result: RunResult): KernelError | MachineError {
  if (result.timedOut) return new MachineError(`building kernel ${name} ran out of time`);
  const output = `${result.stdout}\n${result.stderr}`;
  if (saysFullDisk(output)) return fullCache(`build kernel ${name}`);
  const lines = lastLines(result);
  return new KernelError(`building kernel ${name} failed: ${what} exited with ${result.exitCode}:\n${lines}`, {
    hint: `everything it printed is in ${logFile}`,
  });
}

/** The lines a person has to read: from the first error that a compiler printed, else the end of the output. */
function lastLines({ stdout, stderr }: RunResult): string {
  const text = stderr.trim() === '' ? stdout : stderr;
  const lines = text.trim().split('\n');
  const first = lines.findIndex((line) => /\berror:|undefined reference|No rule to make|FAILED/i.test(line));
  const shown = first === -1 ? lines.slice(-12) : lines.slice(first, first + 12);
  return shown.map((line) => `  ${line}`).join('\n');
}
