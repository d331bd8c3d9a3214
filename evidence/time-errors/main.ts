// `npm run time-errors`: measures how often the time lane is wrong about revisions with a known difference.
// docs/benchmarks/time-errors.md shows it, with the verdicts of other rules on the same runs.

import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { type GivenInputs, readInputs } from '../../src/adapters/read-inputs.ts';
import { parseCriterion } from '../../src/bench/criterion.ts';
import { measureTimes, type TimedBenchmark } from '../../src/bench/measure-times.ts';
import { type Cache, openCache, publishEntry } from '../../src/cache/cache.ts';
import { GateError, InputError, InterruptedError } from '../../src/common/errors.ts';
import { runGate } from '../../src/gate.ts';
import { chooseKernels } from '../../src/kernels/cached.ts';
import type { TimedBoot } from '../../src/model/guest-run.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { exampleGroups, type Host, withHost } from '../host.ts';
import { keepRecord } from '../keep.ts';
import { readOptions, readPositive, withoutPaths } from '../options.ts';
import { describeCommit, describeMachine, formatTime, readLoad } from '../record.ts';
import { commitAll } from '../repository.ts';
import { firstLine } from '../rounds.ts';
import { type DataRecord, type Growth, parseData, type RunKernel } from './data.ts';
import { growths, type Head, heads, scheduleRuns } from './schedule.ts';
import { timeErrorsRecord } from './tables.ts';

/** Round 1 of a boot is warm-up, which the time lane ignores too. */
const firstUsed = 2;

const log = openLog();
const warned = new Set<string>();
const warnOnce = (message: string) => {
  if (!warned.has(message)) log.warn(message);
  warned.add(message);
};

const { given, command } = readOptions(
  'time-errors',
  {
    kernels: '6.1',
    /** Number of runs of base against itself. */
    runs: '59',
    /** Number of runs of base against each slower head. */
    'power-runs': '20',
    /** Time budget of each run. */
    'time-budget': '25 s',
  },
  [
    /** Seed of the runs' order. Default: drawn. */
    'seed',
    /** Runs that were made earlier, as `--out-data` wrote them; makes none. */
    'from',
    'out-data',
  ],
);

await runScript(log, async () => {
  const dataFile = resolve(given.from ?? given['out-data'] ?? join('bpfgate-out', 'time-errors.jsonl'));
  if (given.from === undefined) await makeRuns(dataFile);
  const text = await readFile(dataFile, 'utf8').catch((cause: Error) => {
    throw new InputError(`cannot read ${dataFile}: ${cause.message}`, { cause });
  });
  keepRecord('time-errors', timeErrorsRecord(parseData(text, dataFile)), { out: given.out, log });
});

/** Makes all runs, and records each when it has ended. An error that stops them early is recorded too. */
async function makeRuns(dataFile: string): Promise<void> {
  const { kernels, 'time-budget': timeBudget } = given;
  const [runs, powerRuns] = [readPositive('runs', given.runs), readPositive('power-runs', given['power-runs'])];
  const seed = given.seed === undefined ? Date.now() % 2 ** 32 : readPositive('seed', given.seed);
  const cache = openCache();
  const pins = chooseKernels([kernels], cache);
  const startedAt = performance.now();
  await mkdir(dirname(dataFile), { recursive: true });
  await writeFile(dataFile, '');
  const keep = (record: DataRecord) => appendFile(dataFile, `${JSON.stringify(record)}\n`);

  await withHost(exampleGroups, { cache, log }, async (host) => {
    const project = await makeProject(cache);
    const lineOf = (error: unknown) =>
      withoutPaths(firstLine(error), [host.folder, cache.root, packageRoot, homedir()]);
    const { config } = await readInputs({ project });
    const limit = config.gate.limits.time;
    if (limit === 'off') throw new Error('the project has no limit for times');
    await keep({
      record: 'start',
      command,
      time: formatTime(new Date()),
      machine: describeMachine(host.versions.qemu),
      commit: await describeCommit(),
      kernels: pins.map(({ id, release }) => ({ id, release })),
      timeBudget,
      seed,
      runs,
      powerRuns,
      limit,
    });
    const pair = { project, base: 'base', kernels };
    for (const head of heads.filter((each) => growths[each] > 0)) {
      log.progress(`counting the work of ${head}`);
      for (const growth of await countGrowth(host, head, pair)) await keep(growth);
    }

    const order = scheduleRuns(runs, powerRuns, seed);
    const runsStartedAt = performance.now();
    let stopped: string | null = null;
    for (const [index, head] of order.entries()) {
      const began = performance.now();
      const perRunMs = index === 0 ? 30_000 : (began - runsStartedAt) / index;
      const leftMin = Math.ceil((perRunMs * (order.length - index)) / 60_000);
      log.progress(`run ${index + 1} of ${order.length} (${head}), ${leftMin} min left`);
      let timed: RunKernel[] = [];
      let error: string | null = null;
      try {
        timed = await timeOnce(host, { ...pair, head, timeBudget });
      } catch (cause) {
        if (cause instanceof InterruptedError) {
          stopped = lineOf(cause);
          break;
        }
        if (!(cause instanceof GateError)) throw cause;
        error = lineOf(cause);
        log.warn(`run ${index + 1}: ${error}`);
      }
      const seconds = (performance.now() - began) / 1000;
      await keep({ record: 'run', number: index + 1, head, seconds, load: readLoad(), kernels: timed, error });
    }
    const minutes = (performance.now() - startedAt) / 60_000;
    await keep({ record: 'end', minutes, stopped });
  });
}

/** The growth of head's instruction counts over base's. */
async function countGrowth(host: Host, head: Head, pair: GivenInputs): Promise<Growth[]> {
  const inputs = await readInputs({ ...pair, head, lanes: 'instructions' });
  const { results } = await runGate(inputs, { ...host, fresh: true });
  return results.comparisons.flatMap(({ kernel, benchmark, deltaRatio }) =>
    deltaRatio === null ? [] : { record: 'growth' as const, head, kernel, benchmark, growth: deltaRatio },
  );
}

/**
 * Runs the gate once, only in the time lane.
 *
 * @throws GateError when one of its kernels failed
 */
async function timeOnce(host: Host, given: GivenInputs): Promise<RunKernel[]> {
  const inputs = await readInputs({ ...given, lanes: 'time' });
  // The gate's progress would hide the overall progress, and its warnings repeat.
  const quiet = { ...host.log, progress: () => {}, warn: warnOnce };
  const { results, stages } = await runGate(inputs, { ...host, log: quiet, fresh: true });
  return results.kernels.map(({ id, error }) => {
    if (error !== null) throw new GateError(`${id}: ${error.message}`);
    const boots = stages.timedBoots.filter(({ kernel }) => kernel === id);
    const { benchmarks, controls } = measureTimes(boots, stages.plan);
    return {
      kernel: id,
      isReal: boots.every(({ machine }) => machine.accelerator === 'kvm'),
      boots: boots.length,
      benchmarks: benchmarks.map((each) => {
        const { benchmark, measure, unit, better, kind } = each;
        const rounds = each.rounds.map(({ boot, base, head, control }) => ({ boot, base, head, control }));
        return { benchmark, measure, unit, better, kind, rounds, samples: samplesOf(each, boots, stages.plan) };
      }),
      controls: controls.map(({ bench, rounds }) => ({ bench, rounds: [...rounds] })),
    };
  });
}

/**
 * Criterion's samples of base and head in each round that is used, in execution order; null for a BPF program.
 */
function samplesOf({ benchmark, kind }: TimedBenchmark, boots: readonly TimedBoot[], plan: Plan) {
  if (kind === 'bpf-program') return null;
  const found = (record: TimedBoot['benches'][number]) =>
    plan.timed
      .filter(({ name }) => name === record.bench)
      .flatMap(({ name }) => parseCriterion(record.stdoutText, name).filter(({ id }) => `${name}/${id}` === benchmark))
      .flatMap(({ samples }) => samples);
  return boots.flatMap(({ benches }) => {
    const used = benches.filter(({ reading }) => reading >= firstUsed);
    return used
      .filter(({ revision }) => revision === 'base')
      .map((base) => {
        const head = used.find(({ reading, revision }) => revision === 'head' && reading === base.reading);
        return { base: found(base), head: head === undefined ? [] : found(head) };
      });
  });
}

/**
 * Makes a repository with a tag for each head; they differ only in the amount of work. The repository is kept, because
 * cached builds depend on its path.
 */
async function makeProject(cache: Cache): Promise<string> {
  const source = join(import.meta.dirname, 'project');
  const files = (await runOrThrow('git', ['ls-files', '-z'], { cwd: source }))
    .split('\0')
    .filter((file) => file !== '');
  const hash = createHash('sha256').update(JSON.stringify(growths));
  for (const file of files) hash.update(file).update(await readFile(join(source, file)));
  const header = join(packageRoot, 'evidence', 'raw-program.h');
  hash.update(await readFile(header));
  return publishEntry(cache, 'time-errors', hash.digest('hex').slice(0, 16), async (project) => {
    for (const file of files) await cp(join(source, file), join(project, file));
    await cp(header, join(project, 'raw-program.h'));
    for (const head of heads) {
      await writeFile(join(project, 'percent'), `${Math.round(100 * (1 + growths[head]))}\n`);
      await commitAll(project, head);
    }
  });
}
