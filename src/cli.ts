// Command line: reads arguments, runs the gate, prints the result on stdout and everything else on stderr.

import { once, setMaxListeners } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { openLog, toTerminal } from './adapters/log.ts';
import { packageRoot } from './adapters/package-root.ts';
import { defaultOut, type GivenInputs, readInputs } from './adapters/read-inputs.ts';
import { readResultFile } from './adapters/result-files.ts';
import { readSchedule } from './adapters/schedule.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError, InterruptedError, machineFailure, VmError } from './common/errors.ts';
import { describeRelativeFolders } from './common/host-environment.ts';
import { version } from './common/version.ts';
import { demoBase, demoFailures, demoHead, exampleProject, makeDemoRepository } from './demo.ts';
import { diagnoseWorkflow } from './diagnose-workflow.ts';
import { type ExportFormat, exportFormats, exportResults } from './export/export.ts';
import { demandsForGate, installDemands, installForGate, requireGate, sandboxDemands } from './gate/prepare.ts';
import { type GateOptions, runGate } from './gate.ts';
import { parseSeconds } from './inputs/seconds.ts';
import { buildOnRequest } from './kernels/build/command.ts';
import { cachedKernel, chooseKernels, findUnreadable, listTreeKernels, verifyKernel } from './kernels/cached.ts';
import { fetchKernel } from './kernels/fetch.ts';
import { type CacheState, listKernels, renderKernels } from './kernels/list.ts';
import { compareKernels, readMissing, readPins } from './kernels/pins.ts';
import { describeLeftOut, selectKernels } from './kernels/select.ts';
import { renderChange, type UpdateOrigin } from './kernels/update/propose.ts';
import { pinsFile, updateOrigins, updatePins } from './kernels/update/update.ts';
import { type RevisionName, revisionNames } from './model/build.ts';
import { type Inputs, type Runner, runners, sandboxPolicies } from './model/inputs.ts';
import type { KernelPin } from './model/kernel.ts';
import { findingEnvironment } from './prerequisites/check.ts';
import { guestDemands } from './prerequisites/gate-needs.ts';
import { type Demand, demandOf, optionalGroups } from './prerequisites/prerequisite.ts';
import {
  checkPrerequisites,
  findMissing,
  requirePrerequisites,
  type ToolEnvironment,
} from './prerequisites/prerequisites.ts';
import { renderPrerequisites } from './prerequisites/render.ts';
import { publishFailure, publishRun, writeOutputs } from './publish/write-outputs.ts';
import type { GateRun } from './report/gate-run.ts';
import { exitCodeOf } from './report/gate-verdict.ts';
import { renderHtml } from './report/html.ts';
import { fileOfProfiles, joinResults } from './report/join.ts';
import { renderMarkdown } from './report/markdown.ts';
import { breakCommands } from './report/plain-text.ts';
import { renderSchedule } from './report/render-schedule.ts';
import { buildReport } from './report/report-model.ts';
import type { Results } from './report/results.ts';
import { serializeResults } from './report/results-schema.ts';
import { renderText } from './report/text.ts';
import { describeSandbox } from './sandbox/choose-sandbox.ts';
import { findReadable } from './sandbox/readable-files.ts';
import { hasAgent } from './vm/agent.ts';
import { verifyBootImage } from './vm/boot-image.ts';
import { execInGuest, requireCommand } from './vm/exec-in-guest.ts';
import { defaultMemoryMiB, type GuestContext } from './vm/guest.ts';
import { describeOpening, kvmAccess, kvmDevice, openKvm } from './vm/kvm-device.ts';
import { renderTiming } from './vm/timing.ts';
import { renderDiagnosis } from './workflow/render-diagnosis.ts';

const log = openLog();
const interruption = new AbortController();
// Every running program and download listens to it.
setMaxListeners(0, interruption.signal);
/** Milliseconds since the process started. */
let interruptedAt = 0;
let exitCode = 0;

const leftOutOfPath = describeRelativeFolders(process.env.PATH);
if (leftOutOfPath !== undefined) log.warn(leftOutOfPath);

const context: GuestContext & { readonly signal: AbortSignal } = {
  get cache() {
    return openCache();
  },
  environment: process.env,
  log,
  signal: interruption.signal,
};

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A later second signal means not to wait for the clean-up; timeout(1) signals the process and then its whole
    // group.
    if (interruption.signal.aborted) {
      if (performance.now() - interruptedAt > 1000) process.exit(130);
      return;
    }
    interruptedAt = performance.now();
    log.progress(`${name}: ending the guests`);
    interruption.abort(new InterruptedError(`interrupted by ${name}`));
  });
}
// A reader that has seen enough, such as `head`, is not an internal error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') interruption.abort(new InterruptedError('stdout was closed'));
    else throw error;
  });
}
process.on('uncaughtException', (error) => process.exit(explain(error)));

/** Unread bytes of a command's output above which it has to wait. */
const maxUntaken = 16 * 1024 * 1024;

const formats = ['text', 'json', 'markdown'] as const;
type Format = (typeof formats)[number];

const snapshotOption = new Option('--no-snapshot', 'boot every guest, and save no snapshot');

const freshOption = new Option('--fresh', 'ignore cached counts: count base and head again, and cache nothing');

const auditOption = new Option(
  '--audit <percent>',
  'share of the cached counts to count again and compare (default: 5)',
)
  .argParser(parsePercent)
  .conflicts('fresh');

const timingOption = new Option(
  '--timing',
  'also print which part of the run took how long, on stderr, and write it to timing.json',
);

const runnerOption = () => new Option('--runner <runner>', 'what boots the guests').choices(runners);

const sandboxOption = () =>
  new Option(
    '--sandbox <policy>',
    'whether the build on this host is sandboxed (default: auto, where it can be)',
  ).choices(sandboxPolicies);

interface GuestOptions {
  readonly timing?: boolean;
  readonly snapshot: boolean;
  readonly fresh?: boolean;
  /** Share from 0 to 1. */
  readonly audit?: number;
}

interface RunOptions extends GivenInputs, GuestOptions {
  readonly format: Format;
  readonly timeout?: number;
}

interface DemoOptions extends GuestOptions {
  readonly kernels: string;
  readonly out?: string;
  readonly runner: Runner;
}

interface DoctorOptions {
  readonly project: string;
  readonly install?: boolean;
  readonly environment?: boolean;
  readonly runner?: Runner;
  readonly tests?: boolean;
  readonly workflow?: string;
}

interface ExecOptions {
  readonly kernel: string;
  readonly timeout: number;
  readonly memory: number;
  readonly icount?: boolean;
  readonly timing?: boolean;
  readonly snapshot: boolean;
  readonly runner: Runner;
}

const program = new Command('bpfgate')
  .description('A performance gate for eBPF: exact instruction counts on pinned kernels, base against head')
  .version(version)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'bpfgate: ')) })
  .showSuggestionAfterError();

const formatOption = new Option('--format <format>', 'what to print on stdout').choices(formats).default('text');

program
  .command('run')
  .description('compare a project with its base on pinned kernels; exit 1 when something regressed')
  .option('--project <dir>', 'folder that holds bpfgate.toml', '.')
  .option('--config <file>', 'the configuration, relative to the project (default: bpfgate.toml)')
  .option('--base <ref>', 'revision to compare with (default: merge-base with the default branch)')
  .option('--head <ref>', 'revision to judge (default: the working tree)')
  .option('--kernels <list>', 'selectors, such as 6.1,5.10..6.1,lts,latest,all (default: from bpfgate.toml)')
  .option('--lanes <list>', 'lanes to measure (default: from bpfgate.toml)')
  .option('--shard <index/count>', 'measure this part of the benches only, such as 2/3 (default: all)')
  .option('--time-budget <time>', 'what the time lane may take, such as "10 min" (default: from bpfgate.toml)')
  .option('--out <dir>', `folder for results.json and report.md (default: ${defaultOut})`)
  .option('--timeout <seconds>', 'time limit for one kernel, boot included (default: 1800)', parseTimeout)
  .addOption(runnerOption())
  .addOption(sandboxOption())
  .option(
    '--allow-project-registries',
    "download dependencies by the project's own settings and with your logins, for private registries: only where you trust the project's authors",
  )
  .addOption(snapshotOption)
  .addOption(freshOption)
  .addOption(auditOption)
  .addOption(timingOption)
  .addOption(formatOption)
  .action(async ({ snapshot, fresh, audit, timing, ...options }: RunOptions) => {
    const inputs = await readInputs(options, (option) => `--${option}`);
    sayLeftOut(inputs.kernels, '--kernels');
    const tools = await requireGate(inputs, context);
    const guests = { ...guestsWith(tools), snapshots: snapshot, fresh, auditShare: audit };
    const run = await gate(inputs, guests, timeLimit(options.timeout));
    await conclude(run, options.format, inputs.out, timing);
    exitCode = exitCodeOf(run.results);
  });

program
  .command('demo')
  .description('install what is missing and run the gate on the bundled example project with two planted regressions')
  .option('--kernels <list>', 'kernel selectors', '5.10,6.1')
  .option('--out <dir>', `folder for results.json and report.md (default: ${defaultOut})`)
  .addOption(runnerOption().default(runners[0]))
  .addOption(snapshotOption)
  .addOption(freshOption)
  .addOption(auditOption)
  .addOption(timingOption)
  .action(async ({ snapshot, fresh, audit, timing, ...options }: DemoOptions) => {
    // Selectors are checked before anything is installed. The repository needs git, which is only installed afterwards.
    chooseKernels([options.kernels], context.cache);
    const given = { ...options, base: demoBase, head: demoHead };
    const read = (project: string) => readInputs({ ...given, project }, (option) => `--${option}`);
    const installing = await installForGate(await read(exampleProject), context);
    try {
      const guests = { ...guestsWith(installing.tools), snapshots: snapshot, fresh, auditShare: audit };
      const inputs = await read(await makeDemoRepository(context.cache));
      const run = await gate(inputs, guests, { guestTools: installing.all });
      await conclude(run, 'text', inputs.out, timing);
      const failures = demoFailures(run.results);
      for (const failure of failures) log.warn(`demo: ${failure}`);
      if (failures.length === 0) {
        log.progress('demo: both planted regressions were found on every kernel, and nothing else changed');
      }
      exitCode = failures.length === 0 ? 0 : 1;
    } finally {
      await installing.stop();
    }
  });

const kernels = program.command('kernels').description('the kernels that can be booted').exitOverride();
const selectorHelp = 'selectors such as 6.1, 6.1:source, 5.10..6.1, lts, latest, all';

kernels
  .command('list')
  .description('print the kernels, what each lets BPF programs do, and whether it is cached (default: all there are)')
  .argument('[selectors...]', selectorHelp)
  .addOption(new Option('--format <format>', 'what to print on stdout').choices(['text', 'json']).default('text'))
  .action((selectors: string[], options: { format: 'text' | 'json' }) => {
    const list = listKernels(allOrChosen(selectors), readMissing(), readCacheState);
    write(options.format === 'json' ? JSON.stringify(list, null, 2) : renderKernels(list));
  });

kernels
  .command('fetch')
  .description('bring kernels into the cache: fetched and verified, then unpacked or built')
  .argument('[selectors...]', selectorHelp, ['lts'])
  .action(async (selectors: string[]) => {
    sayLeftOut(selectors, 'bpfgate kernels fetch');
    for (const pin of chooseKernels(selectors, context.cache)) {
      const kernel = await fetchKernel(pin, context);
      log.clear();
      write(`${pin.id} ${pin.release} ${kernel.image}`);
    }
  });

kernels
  .command('build')
  .description('compile a kernel from its pinned tarball, or from an unpacked tree, into the cache')
  .argument('<selector>', 'a minor version, such as 5.8')
  .option('--source <dir>', 'build this unpacked tree; it is then selected as 5.8:tree')
  .option('--asset <file>', 'also pack the kernel into this file, or into this folder, and print its SHA-256')
  .option('--jobs <number>', 'compilers at once (default: one per CPU)', parsePositive)
  .action(async (selector: string, options: { source?: string; asset?: string; jobs?: number }) => {
    const text = await buildOnRequest({ selector, ...options }, { ...context, jobs: options.jobs });
    log.clear();
    write(text);
  });

kernels
  .command('verify')
  .description(
    'check the pins, and cached kernels against the sums recorded when they were made (default: all there are)',
  )
  .argument('[selectors...]', selectorHelp)
  .action(async (selectors: string[]) => {
    const broken = new Map<string, GateError>();
    const note = (error: unknown) => {
      if (!(error instanceof GateError)) throw error;
      broken.set(error.message, error);
      return 'broken';
    };
    // The pins themselves were checked when they were read.
    for (const pin of allOrChosen(selectors)) {
      write(`${pin.id} ${pin.release} ${await verifyCached(pin).catch(note)}`);
    }
    if (selectors.length === 0) findUnreadable(context.cache).forEach(note);
    for (const error of broken.values()) exitCode = explain(error);
  });

kernels
  .command('update')
  .description("propose newer pins from the origins' signed indexes: prints a patch of kernels.json and writes none")
  .argument('[selectors...]', `${selectorHelp} (default: all, and new minor versions)`)
  .addOption(new Option('--origin <origin>', 'read this origin only').choices(updateOrigins))
  .option('--keyring <file>', "kernel.org's signing key, as gpg --export writes it (default: fetched)")
  .option('--out <file>', 'write the patch to a file instead')
  .action(async (selectors: string[], options: { origin?: UpdateOrigin; keyring?: string; out?: string }) => {
    const chosen = selectors.length === 0 ? undefined : selectKernels(selectors, readPins(), readMissing());
    const update = await updatePins(await readFile(join(packageRoot, pinsFile), 'utf8'), {
      ...context,
      origins: options.origin === undefined ? undefined : [options.origin],
      minors: chosen && new Set(chosen.map(({ minor }) => minor)),
      keyring: options.keyring,
    });
    log.clear();
    for (const { index, error } of update.unreachable) {
      log.warn(`${index} is left out: ${error.message}\n  hint: ${error.hint}`);
    }
    process.stderr.write(`${update.changes.map(renderChange).join('\n') || 'no index has a newer release'}\n`);
    if (options.out !== undefined) await writeFileWhole(options.out, update.diff);
    else if (update.diff !== '') write(update.diff);
    for (const fault of update.faults) exitCode = explain(fault);
  });

/** @param include the option that takes a list with the left-out kernels */
function sayLeftOut(selectors: readonly string[], include: string): void {
  const line = describeLeftOut(selectors, readPins(), include);
  if (line === undefined) return;
  log.clear();
  process.stderr.write(`bpfgate: ${line}\n`);
}

async function verifyCached(pin: KernelPin): Promise<'not cached' | 'ok'> {
  const kernel = await verifyKernel(pin, context.cache);
  if (kernel === undefined) return 'not cached';
  await verifyBootImage(kernel, context.cache);
  return 'ok';
}

/** Returns all kernels if none is chosen: unlike `all`, also those that are no minor version's default. */
function allOrChosen(selectors: readonly string[]): KernelPin[] {
  return selectors.length === 0
    ? [...readPins(), ...listTreeKernels(context.cache)].sort(compareKernels)
    : chooseKernels(selectors, context.cache);
}

function readCacheState(pin: KernelPin): CacheState | undefined {
  try {
    const kernel = cachedKernel(pin, context.cache);
    if (kernel === undefined) return undefined;
    return {
      broken: false,
      config: readFileSync(kernel.config, 'utf8'),
      imageBytes: statSync(kernel.image).size,
    };
  } catch {
    return { broken: true };
  }
}

program
  .command('exec')
  .description("boot one pinned kernel and run a command in it; exits with the command's own code")
  .requiredOption('--kernel <selector>', 'the kernel')
  .option('--timeout <seconds>', 'time limit, boot included', parseTimeout, 1800)
  .option('--memory <MiB>', 'memory of the guest', parsePositive, defaultMemoryMiB)
  .addOption(runnerOption().default(runners[0]))
  .option('--icount', 'count instructions as the gate does: a nanosecond of the guest is one')
  .option('--timing', 'also print how long each stage of the boot took, on stderr')
  .addOption(snapshotOption)
  .argument('<command...>', 'the command and its arguments, after --')
  .action(async (argv: string[], options: ExecOptions) => {
    requireCommand(argv, options.kernel);
    const pins = chooseKernels([options.kernel], context.cache);
    const [pin] = pins;
    if (pin === undefined || pins.length > 1) {
      throw new InputError(
        `--kernel ${options.kernel} selects ${pins.map(({ id }) => id).join(', ')}; exec boots exactly one`,
      );
    }
    const { cache, environment } = context;
    const isThere = await hasAgent(cache, findingEnvironment(environment));
    const tools = await requirePrerequisites(guestDemands({ hasAgent: isThere, runner: options.runner }), {
      cache,
      // Needed by a bench's commands.
      optional: ['rust-bpf', 'cargo-criterion'],
    });
    const kernel = await fetchKernel(pin, context);
    exitCode = await execInGuest(
      {
        kernel,
        argv,
        cwd: process.cwd(),
        memoryMiB: options.memory,
        icount: options.icount === true,
        timeoutMs: options.timeout * 1000,
        onStdout: (chunk) => {
          log.clear();
          process.stdout.write(chunk);
        },
        onStderr: (chunk) => {
          log.clear();
          process.stderr.write(chunk);
        },
        // A reader may wait, such as a pager: a gigabyte then stays on the disk and not in memory.
        untilTaken: (stream) =>
          process[stream].writableLength > maxUntaken ? once(process[stream], 'drain') : undefined,
        onTiming: (times) => {
          log.clear();
          if (options.timing === true) process.stderr.write(`${renderTiming(times)}\n`);
        },
      },
      { ...guestsWith(tools), snapshots: options.snapshot, runner: options.runner },
    );
  });

program
  .command('report')
  .description('join the result files of a kernel matrix into one report; exits like the run it reports')
  .argument('<files...>', 'results.json files of one run, each of another kernel or shard')
  .option('--html <file>', 'also write the report as a self-contained page')
  .option('--markdown <file>', 'also write the report as Markdown')
  .addOption(formatOption)
  .action(async (files: string[], options: { html?: string; markdown?: string; format: Format }) => {
    const given = await Promise.all(files.map(async (file) => ({ file, results: await readResultFile(file) })));
    const results = joinResults(given);
    const fileOf = fileOfProfiles(given);
    const folderOf = (kernel: string, bench: string) => dirname(fileOf(kernel, bench) ?? '.');
    // A page's links start at the page's folder.
    const modelFor = (page: string) =>
      buildReport(results, {
        profilesIn: (kernel, bench) => relative(dirname(resolve(page)), resolve(folderOf(kernel, bench))),
      });
    if (options.html !== undefined) await writeFileWhole(options.html, renderHtml(modelFor(options.html)));
    if (options.markdown !== undefined) {
      await writeFileWhole(options.markdown, renderMarkdown(modelFor(options.markdown)));
    }
    print(results, options.format, folderOf);
    exitCode = exitCodeOf(results);
  });

program
  .command('export')
  .description("print one revision's measurements in another tool's format")
  .argument('<file>', 'a results.json')
  .addOption(new Option('--format <format>', 'the format').choices(exportFormats).makeOptionMandatory())
  .addOption(new Option('--revision <revision>', 'whose measurements').choices(revisionNames).default('head'))
  .action(async (file: string, options: { format: ExportFormat; revision: RevisionName }) => {
    write(exportResults(await readResultFile(file), options.format, options.revision));
  });

program
  .command('doctor')
  .description('print what this machine has and what is missing, and the command that installs each')
  .option(
    '--project <dir>',
    'folder that holds bpfgate.toml (without one, what the demo needs is counted); with --workflow the repository',
    '.',
  )
  .option('--install', 'install what is missing')
  .option('--environment', 'print, as JSON, the environment in which the tools are found')
  .addOption(new Option('--runner <runner>', 'count what this runner needs as needed').choices(runners))
  .option('--tests', "count what bpfgate's own tests build projects with as needed")
  .addOption(
    new Option('--workflow <file>', 'say instead what a hosted runner will be missing for this workflow').conflicts([
      'install',
      'environment',
      'runner',
      'tests',
    ]),
  )
  .action(async (options: DoctorOptions) => {
    if (options.workflow !== undefined) {
      const diagnosis = await diagnoseWorkflow(options.workflow, resolve(options.project));
      write(renderDiagnosis(diagnosis, options.workflow));
      exitCode = diagnosis.findings.length === 0 ? 0 : 3;
      return;
    }
    if (options.install === true) {
      await openKvm(context);
      await (await installDemands(() => doctorDemands(options, true), context)).all;
    }
    const demands = await doctorDemands(options);
    if (options.environment === true) {
      write(JSON.stringify((await requirePrerequisites(demands, { cache: context.cache })).env));
      return;
    }
    const found = await checkPrerequisites(demands, context);
    // Tools that isolate guests and tools for other projects are of interest as well.
    const others = optionalGroups.filter((group) => !demands.some((demand) => demand.group === group));
    const optional = await checkPrerequisites(others, context);
    log.clear();
    write(toTerminal(renderPrerequisites([...found, ...optional], others)));
    write(`\n${await describeSandbox(context.environment, await findReadable({ ...context, own: [] }))}`);
    if ((await kvmAccess()) === 'closed') {
      write(`\nthis user cannot open ${kvmDevice}, so guests are emulated; \`${describeOpening()}\` changes that`);
    }
    exitCode = findMissing(found).length === 0 ? 0 : 3;
  });

async function doctorDemands({ project, runner, tests }: DoctorOptions, toInstall = false): Promise<Demand[]> {
  const isProject = existsSync(join(project, 'bpfgate.toml'));
  // Nothing is written.
  const given = { project: isProject ? project : exampleProject, runner, out: tmpdir() };
  const inputs = await readInputs(given, (option) => `--${option}`);
  const sandbox = toInstall ? await sandboxDemands(inputs, context) : [];
  const demands = [...(await demandsForGate(inputs, context)), ...sandbox];
  return tests === true ? [...demands, demandOf('compile'), demandOf('cargo-criterion'), demandOf('tests')] : demands;
}

try {
  await program.parseAsync();
} catch (error) {
  exitCode = explain(error);
}
log.clear();
process.exitCode = exitCode;

/** Prints one clear message for an error and returns its exit code. */
function explain(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  const error = machineFailure(thrown) ?? thrown;
  log.clear();
  if (interruption.signal.aborted) {
    process.stderr.write('bpfgate: interrupted; nothing was left running\n');
    return new InterruptedError('').exitCode;
  }
  if (!(error instanceof GateError)) {
    const stack = toTerminal(`${error instanceof Error ? error.stack : error}`);
    process.stderr.write(`bpfgate: internal error (please report this): ${stack}\n`);
    return 3;
  }
  process.stderr.write(`bpfgate: ${toTerminal(error.message)}\n`);
  if (error instanceof VmError && error.consoleTail.length > 0) {
    process.stderr.write(
      `  last console lines:\n${error.consoleTail.map((line) => `    ${toTerminal(line)}\n`).join('')}`,
    );
  }
  if (error.hint !== undefined) process.stderr.write(`  hint: ${toTerminal(error.hint)}\n`);
  return error.exitCode;
}

function write(text: string): void {
  const line = text.endsWith('\n') ? text : `${text}\n`;
  process.stdout.write(process.env.GITHUB_ACTIONS === 'true' ? breakCommands(line) : line);
}

/** Runs the gate. If it fails, the output folder has the reason and the complete outputs behind the error. */
async function gate(inputs: Inputs, guests: GuestContext, options: GateOptions): Promise<GateRun> {
  try {
    return await runGate(inputs, guests, options);
  } catch (error) {
    if (error instanceof GateError && !(error instanceof InputError) && !interruption.signal.aborted) {
      await publishFailure(error, [], inputs.out).catch((problem: GateError) => log.warn(problem.message));
      for (const name of Object.keys(error.logs))
        log.progress(`the whole output is in ${join(inputs.out, 'logs', name)}`);
    }
    throw error;
  }
}

/**
 * Prints a run and writes it to the output folder.
 *
 * @throws InterruptedError when it was interrupted; what had been measured is printed, but is incomplete
 */
async function conclude(run: GateRun, format: Format, out: string, timing = false): Promise<void> {
  // First, whatever happens to the output folder.
  print(run.results, format, () => out);
  const schedule = timing ? readSchedule() : undefined;
  await publishRun(run, out, schedule);
  if (schedule !== undefined) process.stderr.write(`${renderSchedule(schedule, process.stderr.columns ?? 100)}\n`);
  log.progress(`wrote results.json and report.md to ${out}`);
  interruption.signal.throwIfAborted();
}

/** @param folderOf the output folder in which the profiles of a kernel's bench are */
function print(results: Results, format: Format, folderOf: (kernel: string, bench: string) => string): void {
  log.clear();
  const model = () => buildReport(results, { profilesIn: folderOf, linkProfiles: false });
  const terminal = { width: process.stdout.columns ?? 100, colour: process.stdout.isTTY === true };
  if (format === 'json') write(serializeResults(results));
  else if (format === 'markdown') write(renderMarkdown(model()));
  else write(renderText(model(), terminal));
}

function writeFileWhole(file: string, text: string): Promise<void> {
  return writeOutputs(dirname(file), { [basename(file)]: text });
}

function guestsWith({ env, identities }: ToolEnvironment) {
  return { ...context, environment: env, identities };
}

function timeLimit(seconds: number | undefined): { kernelTimeoutMs?: number } {
  return seconds === undefined ? {} : { kernelTimeoutMs: seconds * 1000 };
}

function parsePositive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0) throw new InvalidArgumentError('a whole number above 0 is needed.');
  return value;
}

function parsePercent(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 100)) {
    throw new InvalidArgumentError('a number from 0 to 100 is needed.');
  }
  return value / 100;
}

function parseTimeout(text: string): number {
  return parseSeconds(text, '--timeout');
}
