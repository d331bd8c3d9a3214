// Commands: `bpfgate bisect`.

import { tmpdir } from 'node:os';
import { type Command, Option } from 'commander';
import { GitSession, openRepository } from '../adapters/git.ts';
import { type GivenInputs, readInputs } from '../adapters/read-inputs.ts';
import { readSchedule } from '../adapters/schedule.ts';
import { BenchError, BuildError, InputError, VmError } from '../common/errors.ts';
import { findSteps, type MeasurePoint } from '../compare/find-steps.ts';
import { requireGate } from '../gate/prepare.ts';
import { runGate } from '../gate.ts';
import { chooseKernels } from '../kernels/cached.ts';
import { findOwnKernels } from '../kernels/own/find.ts';
import type { Inputs } from '../model/inputs.ts';
import {
  chooseFollowed,
  compareWithKernel,
  describeCommit,
  describeFollowed,
  describeValue,
  type Followed,
  type FoundStep,
  findFinding,
  findFollowed,
  nameCommit,
  renderSteps,
} from '../report/bisection.ts';
import { inputOf } from '../report/findings.ts';
import { countOf } from '../report/plain-text.ts';
import type { ComparisonRecord, Results } from '../report/results.ts';
import { addProjectOptions, sayDetected } from './options.ts';
import { context, guestsWith, log, say, write } from './session.ts';

interface BisectOptions extends GivenInputs {
  readonly bench: string;
  readonly good?: string;
  readonly bad: string;
  readonly kernel?: string;
  readonly all?: boolean;
  readonly snapshot: boolean;
  readonly timeout?: number;
}

/** Built trees that stay, so that the search can go on: those of many steps, as each takes about log2 of the range. */
const keptBuilds = 64;

export function addBisect(program: Command): void {
  const command = program
    .command('bisect')
    .usage('--bench <name> (--good <ref> --kernel <selector> | --kernels <list>) [options]')
    .description(
      'find the commit or kernel that changes an exact count; after an interruption, run the same command to continue',
    );
  addProjectOptions(command)
    .requiredOption(
      '--bench <name>',
      'benchmark or program to follow, as a report names it: the first of its exact counts that differs',
    )
    .option('--good <ref>', 'revision before the change, with --kernel; the path to --bad follows first parents')
    .option('--bad <ref>', 'revision after it', 'HEAD')
    .option('--kernel <selector>', 'the one kernel to count on, with --good')
    .addOption(
      new Option(
        '--kernels <list>',
        'instead of --good and --kernel: find the first of these kernels, such as 5.10..6.12, on which --bad costs something else',
      ).conflicts(['good', 'kernel']),
    )
    .option('--all', 'find every step, not only the first; ranges with equal ends are taken as unchanged')
    .action(bisect);
}

/** A commit or a kernel. */
interface Point {
  readonly title: string;
  /** What the gate measures as head, on which kernel. */
  readonly inputs: Partial<Inputs>;
  /** Lines about it, for the answer. */
  readonly about: readonly string[];
}

/** What is searched: commits on one kernel, or kernels with one commit. */
interface Sequence {
  readonly noun: 'commit' | 'kernel';
  /** ` on 6.1`; empty if kernels are searched. */
  readonly where: string;
  readonly points: readonly Point[];
  /** What the gate measures for both ends. */
  readonly ends: Partial<Inputs>;
  readonly compareEnds: (results: Results) => readonly ComparisonRecord[];
}

async function bisect(options: BisectOptions): Promise<void> {
  const { bench, good, bad, kernel, kernels, all = false, snapshot, timeout, ...given } = options;
  if (kernels === undefined && (good === undefined || kernel === undefined)) {
    throw new InputError('nothing to bisect', {
      hint: 'give --good REF and --kernel KERNEL to bisect commits, or --kernels 5.10..6.12 to bisect kernels',
    });
  }
  const read = await readInputs({ ...given, kernels: kernels ?? kernel, out: tmpdir() }, (option) =>
    kernels === undefined && option === 'kernels' ? '--kernel' : `--${option}`,
  );
  sayDetected(read);
  // No verdict is asked for; with a limit, counts that vary would be counted again.
  const gate = { limits: { instructions: 'off', verifier: 'off' }, overrides: [] } as const;
  const inputs = { ...read, config: { ...read.config, gate } };
  const sequence = good === undefined ? await kernelsOf(inputs, bad) : await commitsOf(inputs, good, options);
  const tools = await requireGate(inputs, context);
  const said = new Set<string>();
  const warn = (message: string) => {
    if (!said.has(message)) log.warn(message);
    said.add(message);
  };
  // Every step looks up the same counts, which an audit would count again sooner or later.
  const guests = { ...guestsWith(tools, { snapshot, audit: 0 }), log: { ...log, warn } };
  const how = { kernelTimeoutMs: timeout && timeout * 1000, keptBuilds, isConfigShared: true };
  try {
    await search(sequence, inputs, bench, all, async (own) => {
      const { results } = await runGate({ ...inputs, ...own }, guests, how);
      context.signal.throwIfAborted();
      return results;
    });
  } catch (error) {
    if (context.signal.aborted) say('what was counted is cached: the same command goes on from there');
    throw error;
  }
}

async function search(
  { noun, where, points, ends, compareEnds }: Sequence,
  inputs: Inputs,
  bench: string,
  all: boolean,
  measure: (own: Partial<Inputs>) => Promise<Results>,
): Promise<void> {
  const last = points.length - 1;
  say(
    `${countOf(last, noun)} after ${points[0]?.title}, about ${countOf(Math.ceil(Math.log2(points.length)), 'step')}`,
  );
  const measured = await measure({ ...onlyNamed(inputs, bench), ...ends });
  const [error] = errorsIn(measured);
  if (error !== undefined) throw new BenchError(error, { hint: 'choose other ends' });
  const followed = chooseFollowed(compareEnds(measured), bench);
  say(`following ${describeFollowed(followed)}${where}`);
  say(`${points[last]?.title}: ${describeValue(followed, followed.head)}`);
  const narrow = onlyFollowed(inputs, followed);
  /** What measured points call it. */
  const names = new Map([0, last].map((at) => [at, followed.benchmark]));
  let skipped = 0;

  const measurePoint: MeasurePoint = async (at, left) => {
    const { title, inputs: own } = points[at] as Point;
    const found = await readPoint(() => measure({ ...narrow, ...own }), followed);
    const rest = all || left < 1 ? '' : `, about ${countOf(left, 'step')} left`;
    if (typeof found === 'string') {
      skipped += 1;
      say(`${title}: skipped: ${firstLine(found)}`);
      return undefined;
    }
    names.set(at, found.name);
    say(`${title}: ${describeValue(followed, found.value)}${rest}`);
    return found.value;
  };
  const steps = await findSteps({ at: 0, value: followed.base }, { at: last, value: followed.head }, measurePoint, all);
  const found: FoundStep[] = [];
  for (const step of steps) {
    const own = points.slice(step.from.at + 1, step.to.at + 1);
    const [{ inputs: to, about }] = own as [Point];
    let finding: FoundStep['finding'];
    if (own.length === 1 && noun === 'commit') {
      // The line that grew is known of regressions only.
      const benchmark = names.get(step.to.at) ?? '';
      const overrides = [{ benchmark, lane: followed.lane, limit: 0 }];
      const config = { ...narrow.config, gate: { ...narrow.config.gate, overrides } };
      const base = points[step.from.at]?.inputs.head ?? '';
      try {
        finding = findFinding(await measure({ ...narrow, ...to, base, config }), { ...followed, benchmark });
      } catch (error) {
        say(`${own[0]?.title}: the line that changed it is not known: ${firstLine(reasonOf(error))}`);
      }
    }
    found.push({ ...step, titles: own.map(({ title }) => title), about, finding });
  }
  const boots = readSchedule().parts.filter(({ name }) => /^guest .*, (base|head)$/.test(name)).length;
  const counts = `measured ${names.size} of ${countOf(points.length, noun)} in ${countOf(boots, 'boot')}`;
  const others = skipped === 0 ? '' : `; ${skipped} could not be measured`;
  write(`${renderSteps(followed, found, noun, where)}\n${counts}${others}`);
  process.exitCode = found.some(({ titles }) => titles.length > 1) ? 4 : 0;
}

/** Measures a point; returns the reason if that is impossible. */
async function readPoint(measure: () => Promise<Results>, followed: Followed) {
  try {
    const results = await measure();
    const found = findFollowed(results, followed);
    if (found?.head != null && found.interval === 'exact') return { value: found.head, name: found.benchmark };
    return errorsIn(results)[0] ?? (found?.head == null ? 'it has no such count' : 'its count varies');
  } catch (error) {
    return reasonOf(error);
  }
}

/** Says why a point cannot be measured. Throws an error that is not about the point. */
function reasonOf(error: unknown): string {
  const isOfPoint = [BuildError, BenchError, VmError, InputError].some((kind) => error instanceof kind);
  if (!isOfPoint || context.signal.aborted) throw error;
  return (error as Error).message;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function errorsIn({ kernels }: Results): string[] {
  return kernels.flatMap(({ id, error }) => (error === null ? [] : [`kernel ${id}: ${error.message}`]));
}

async function commitsOf(inputs: Inputs, good: string, given: BisectOptions): Promise<Sequence> {
  const [pin, ...more] = await pinsOf(inputs);
  if (pin === undefined || more.length > 0) {
    throw new InputError(`--kernel selects ${more.length + 1} kernels; commits are bisected on exactly one`, {
      hint: 'give the id of one kernel; --kernels in its place finds the first kernel',
    });
  }
  const repository = await openRepository(inputs.project);
  const git = await GitSession.open(repository);
  const commits = await git.firstParents(good, given.bad).finally(() => git.close());
  const base = commits[0]?.id ?? '';
  const { projectPath } = repository;
  const { config, bench, timeout, sandbox, allowProjectRegistries, snapshot } = given;
  const options = {
    project: projectPath || undefined,
    config,
    bench,
    kernel: pin.id,
    timeout: timeout?.toString(),
    sandbox,
    'allow-project-registries': allowProjectRegistries,
    'no-snapshot': !snapshot,
  };
  return {
    noun: 'commit',
    where: ` on ${pin.id}`,
    points: commits.map((commit) => ({
      title: nameCommit(commit),
      inputs: { base, head: commit.id },
      about: describeCommit(commit, options),
    })),
    ends: { base, head: commits.at(-1)?.id ?? '' },
    compareEnds: ({ comparisons }) => comparisons,
  };
}

async function kernelsOf(inputs: Inputs, commit: string): Promise<Sequence> {
  const pins = await pinsOf(inputs);
  const [first = '', last = ''] = [pins[0]?.id, pins.at(-1)?.id];
  if (first === last) {
    throw new InputError(`--kernels selects only ${first}; bisect needs a first and a last one`, {
      hint: 'give a range, such as --kernels 5.10..6.12',
    });
  }
  const revisions = { base: commit, head: commit };
  return {
    noun: 'kernel',
    where: '',
    points: pins.map(({ id, release }, at) => ({
      title: `${id} (${release})`,
      inputs: { ...revisions, kernels: [id] },
      about: [`the kernel before it is ${pins[at - 1]?.id}`],
    })),
    ends: { ...revisions, kernels: [first, last] },
    compareEnds: (results) => compareWithKernel(results, first, last),
  };
}

async function pinsOf({ kernels, config }: Inputs) {
  return chooseKernels(kernels, context.cache, await findOwnKernels(kernels, config.namedKernels));
}

/** Leaves out the benches that a name does not begin with, if it begins with one. */
function onlyNamed(inputs: Inputs, name: string): Inputs {
  const all = inputs.config.benches.map((bench) => bench.name);
  const named = all.filter((bench) => `${name}/`.startsWith(`${bench}/`));
  return { ...inputs, benches: named.length > 0 ? named : all };
}

/** Leaves out whatever does not measure what is followed. */
function onlyFollowed(inputs: Inputs, followed: Followed): Inputs {
  if (followed.lane !== 'verifier' && inputOf(followed) === undefined) {
    return { ...onlyNamed(inputs, followed.benchmark), lanes: ['instructions'] };
  }
  // Objects are counted as the gate counts them, so that they share its cached counts.
  const isRun = inputs.packets.length + inputs.config.contexts.length > 0;
  return { ...inputs, lanes: isRun ? inputs.lanes : ['verifier'], benches: [] };
}
