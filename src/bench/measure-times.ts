// Bench: turns the boots of the time lane into rounds, each with a time of base, of head and of base again.

import { BenchError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { revisionNames } from '../model/build.ts';
import type { BenchRecord, ProgramRecord, RunName, TimedBoot } from '../model/guest-run.ts';
import type { BenchFormat } from '../model/inputs.ts';
import type { Plan, PlannedBench } from '../plan/plan.ts';
import { estimateMedian } from '../statistics/median.ts';
import { isThroughput, isTimed } from './bmf.ts';
import { parseCriterion } from './criterion.ts';
import { checkEnd, detectFormat, joinNeeds, noResults, ofBench } from './measure.ts';
import type { Gap, MedianTime } from './measurement.ts';
import { printsNeedsOnly } from './needs.ts';
import { findPrintedFormat, parsePrinted } from './printed-formats.ts';
import { type NamedProgram, namePrograms, type Rename } from './program-names.ts';

/** One round of one benchmark: the result of each run; undefined for a run without the benchmark. */
export interface TimedRound {
  /** Index of the kernel's boot in which it ran, from 0. */
  readonly boot: number;
  readonly base?: number | undefined;
  readonly head?: number | undefined;
  /** Base's second run. */
  readonly control?: number | undefined;
}

/** What is timed. */
interface Subject extends Pick<MedianTime, 'benchmark' | 'measure' | 'unit' | 'better' | 'kind' | 'source'> {
  /** Other names of a program; a printed benchmark has none. */
  readonly ownNames?: NamedProgram<ProgramRecord>['ownNames'] | undefined;
  readonly renamedFrom?: string | undefined;
}

/** A benchmark on one kernel, in the unit of its measure. */
export interface TimedBenchmark extends Subject {
  readonly kernel: string;
  readonly rounds: readonly TimedRound[];
  readonly warnings: readonly string[];
}

/** Nanoseconds of the fixed control program, after runs of base, of head and of base again. */
export interface TimedControl {
  readonly kernel: string;
  readonly bench: string;
  readonly rounds: readonly TimedRound[];
}

export interface MeasuredTimes {
  /** Benchmarks for which a bench says that the kernel is too old. */
  readonly gaps: readonly Gap[];
  readonly benchmarks: readonly TimedBenchmark[];
  readonly controls: readonly TimedControl[];
}

/** One run of one benchmark. */
interface Timing {
  readonly subject: Subject;
  readonly boot: number;
  readonly reading: number;
  readonly run: RunName;
  readonly value: number;
}

/** The first round of a bench in a boot, which finds nothing in any cache. Later rounds are measured. */
const warmUp = 1;

/**
 * Collects the rounds of all benchmarks of one kernel. A BPF program's value is the mean time of its runs, a Criterion
 * benchmark's the median of its samples. Latencies and throughputs are as the bench prints them.
 *
 * @throws BenchError when a bench failed, or printed what its format does not allow
 */
export function measureTimes(boots: readonly TimedBoot[], plan: Plan, renames: readonly Rename[] = []): MeasuredTimes {
  const timings = plan.timed.flatMap((bench) => ofBench(bench.name, () => timeBench(boots, bench, renames)));
  const kernel = boots[0]?.kernel ?? '';
  const keyOf = ({ subject: { benchmark, measure } }: Timing) => JSON.stringify([benchmark, measure]);
  const benchmarks = groupBy(timings, keyOf).map((own): TimedBenchmark => {
    const [{ subject }] = own;
    const [source = subject.source] = own.flatMap((each) => (each.run === 'head' ? (each.subject.source ?? []) : []));
    const rounds = toRounds(own);
    return { ...subject, kernel, source, rounds, warnings: describeGaps(rounds) };
  });
  const controls = plan.timed.map(({ name }): TimedControl => {
    const records = boots.flatMap(({ boot, controls }) =>
      controls
        .filter((record) => record.bench === name && record.reading > warmUp && record.run_cnt > 0)
        .map(({ reading, revision: run, run_cnt, run_time_ns }) => ({
          boot,
          reading,
          run,
          value: run_time_ns / run_cnt,
        })),
    );
    return { kernel, bench: name, rounds: toRounds(records) };
  });
  return { benchmarks, controls, gaps: plan.timed.flatMap((bench) => findGaps(boots, bench)) };
}

function findGaps(boots: readonly TimedBoot[], bench: PlannedBench): Gap[] {
  return boots.slice(0, 1).flatMap(({ kernel, benches }) =>
    revisionNames.flatMap((revision) => {
      const records = benches.filter((record) => record.bench === bench.name && record.revision === revision);
      return [...joinNeeds(records, kernel)].map(
        ([name, needs]): Gap => ({ kernel, lane: 'time', revision, benchmark: `${bench.name}/${name}`, needs }),
      );
    }),
  );
}

function timeBench(boots: readonly TimedBoot[], bench: PlannedBench, renames: readonly Rename[]): Timing[] {
  const records = boots.flatMap((boot) => boot.benches.filter((record) => record.bench === bench.name));
  const [first] = boots;
  if (first === undefined || records.length === 0) {
    throw new BenchError(`bench \`${bench.name}\` was not run in the time lane`);
  }
  for (const record of records) checkEnd(record, first.kernel, bench);
  const format = detectFormat(bench, records);
  const timings = boots.flatMap((boot) => [
    ...(bench.observe ? timePrograms(boot, bench, renames) : []),
    ...boot.benches
      .filter((record) => record.bench === bench.name)
      .flatMap((record) => timePrinted(record, boot, format)),
  ]);
  for (const revision of revisionNames) {
    const own = records.filter((record) => record.revision === revision);
    if (timings.some(({ run }) => run === revision) || joinNeeds(own, first.kernel).size > 0) continue;
    // Sizes alone belong to the instruction lane; neither side has a time then.
    if (own.every(({ stdoutText }) => findPrintedFormat(stdoutText) !== undefined)) continue;
    const programs = bench.observe ? boots.flatMap((boot) => boot.programs) : [];
    throw noResults(
      bench,
      revision,
      first.kernel,
      own,
      programs.filter((record) => record.bench === bench.name),
    );
  }
  return timings.filter(({ reading }) => reading > warmUp);
}

function timePrograms({ boot, programs }: TimedBoot, bench: PlannedBench, renames: readonly Rename[]): Timing[] {
  const own = programs.filter((record) => record.bench === bench.name);
  return namePrograms(own, renames).flatMap(({ benchmark, ownNames, renamedFrom, records }) => {
    const time = { measure: 'bpf-time', unit: 'ns/run', better: 'lower', kind: 'bpf-program' } as const;
    const subject = { benchmark, ownNames, renamedFrom, ...time };
    return records
      .filter(({ run_cnt }) => run_cnt > 0)
      .map(({ reading, revision: run, run_time_ns, run_cnt, source }) => ({
        subject: { ...subject, source },
        boot,
        reading,
        run,
        value: run_time_ns / run_cnt,
      }));
  });
}

function timePrinted(record: BenchRecord<RunName>, { boot, kernel }: TimedBoot, format: BenchFormat): Timing[] {
  const { bench, reading, revision: run, stdoutText } = record;
  const where = `bench \`${bench}\` (${run}, kernel ${kernel}, round ${reading})`;
  const of = (name: string, value: number, unit: Pick<Subject, 'measure' | 'unit' | 'better'>): Timing => ({
    subject: { benchmark: `${bench}/${name}`, ...unit, kind: 'benchmark', source: null },
    boot,
    reading,
    run,
    value,
  });
  if (format === 'none' || printsNeedsOnly(stdoutText)) return [];
  if (format === 'criterion') {
    return parseCriterion(stdoutText, where).map(({ id, samples }) => {
      const median = estimateMedian(samples.map(({ count, total }) => total / count));
      return of(id, median, { measure: 'time', unit: 'ns/iteration', better: 'lower' });
    });
  }
  // Sizes are not times; the instruction lane measures them.
  return parsePrinted(format, stdoutText, where)
    .filter(({ measure }) => isTimed(measure))
    .map(({ benchmark, measure, value }) => {
      const isRate = isThroughput(measure);
      return of(benchmark, value, { measure, unit: isRate ? measure : 'ns', better: isRate ? 'higher' : 'lower' });
    });
}

/** Groups timings into rounds, in the order in which they ran. */
function toRounds(timings: readonly Pick<Timing, 'boot' | 'reading' | 'run' | 'value'>[]): TimedRound[] {
  return groupBy(
    timings.toSorted((a, b) => a.boot - b.boot || a.reading - b.reading),
    ({ boot, reading }) => JSON.stringify([boot, reading]),
  ).map((round) => {
    const of = (run: RunName) => round.find((timing) => timing.run === run)?.value;
    return { boot: round[0].boot, base: of('base'), head: of('head'), control: of('control') };
  });
}

/** Describes rounds left out because a side is missing, as when a bench changes its set of names. */
function describeGaps(rounds: readonly TimedRound[]): string[] {
  const missing = rounds.filter(({ base, head }) => (base === undefined) !== (head === undefined)).length;
  return missing === 0 || missing === rounds.length
    ? []
    : [`${missing} of its ${rounds.length} rounds have it on one side only, and are left out`];
}
