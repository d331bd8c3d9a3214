// Bench: turns one boot's records into measurements.

import { BenchError } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import type { BenchRecord, GuestRun, ProgramRecord } from '../model/guest-run.ts';
import type { BenchFormat } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';
import { benchNames, type Plan, type PlannedBench, planFor } from '../plan/plan.ts';
import { looksLikeCriterion } from './criterion.ts';
import { describeReading, measureCriterion, measurePrinted, type Readings } from './measure-benchmarks.ts';
import { measureLoads } from './measure-loads.ts';
import { measurePrograms } from './measure-programs.ts';
import type { BootMeasured, Gap, Measurement, PrintedValue } from './measurement.ts';
import { type Needs, parseNeeds } from './needs.ts';
import { findPrintedFormats } from './printed-formats.ts';
import { namePrograms, type Rename } from './program-names.ts';

/**
 * Measures every planned bench: base before head, programs before printed results. Also lists what the benches left out
 * because this kernel is too old for it.
 *
 * The order of the records does not matter. A bench that failed does not affect the others or the verifier lane.
 *
 * @throws BenchError when a bench failed, was not run for both revisions, or printed what its format does not allow,
 * and nothing else was measured
 * @throws MachineError when the kernel counted runs of a program but no time
 */
export function measure(run: GuestRun, plan: Plan, renames: readonly Rename[] = []): BootMeasured {
  const errors: BenchError[] = [];
  const parts = benchNames(plan).flatMap((name) => {
    try {
      return [ofBench(name, () => measureBench(run, name, plan, renames))];
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      errors.push(error);
      return [];
    }
  });
  parts.push(measureLoads(run, renames, plan.keepsCopies));
  const measurements = parts.flatMap((part) => part.measurements);
  const [first, ...others] = errors;
  const error = first && withLogs(first, errors);
  if (error !== undefined && measurements.length === 0) throw error;
  return {
    measurements,
    gaps: parts.flatMap((part) => part.gaps),
    codes: parts.flatMap((part) => part.codes),
    warnings: [...parts.flatMap((part) => part.warnings), ...others.map(toWarning)],
    error,
  };
}

function toWarning({ message, bench }: BenchError): Warning {
  return { about: bench === undefined ? [] : [bench.name], reason: message };
}

/** Does some work with the results of a bench, whose name its errors get. */
function ofBench<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BenchError) || error.bench !== undefined) throw error;
    const { message, hint, logs } = error;
    throw new BenchError(message, { hint, logs, bench: { name, revision: null }, cause: error });
  }
}

/** The first error, with the outputs of all. */
function withLogs(first: BenchError, errors: readonly BenchError[]): BenchError {
  const { message, hint, bench } = first;
  return new BenchError(message, { hint, bench, logs: Object.assign({}, ...errors.map(({ logs }) => logs)) });
}

/** What a bench printed in one revision, by that revision's own configuration. */
interface Side extends Readings {
  readonly planned: PlannedBench;
  readonly format: BenchFormat;
}

/** Measures a bench in the revisions whose configuration has it. */
function measureBench(
  run: GuestRun,
  name: string,
  plan: Plan,
  renames: readonly Rename[],
): Omit<BootMeasured, 'error'> {
  const records = run.benches.filter((record) => record.bench === name).toSorted((a, b) => a.reading - b.reading);
  const sides = revisionNames.flatMap((revision) => {
    const bench = planFor(plan, revision).benches.find((each) => each.name === name);
    return bench === undefined ? [] : { revision, bench, own: records.filter((each) => each.revision === revision) };
  });
  for (const { bench, own } of sides) for (const record of own) checkEnd(record, run.kernel, bench);
  const readings = sides.map(({ revision, bench, own }): Side => {
    if (own.length === 0)
      throw new BenchError(`bench \`${name}\` was not run for ${revision} on kernel ${run.kernel}`, {
        bench: { name, revision },
      });
    const format = detectFormat(bench, records);
    const needs = joinNeeds(own, run.kernel, format);
    return { kernel: run.kernel, bench: name, revision, records: own, needs, format, planned: bench };
  });
  const observed = sides.some(({ bench }) => bench.observe)
    ? measurePrograms(run, name, renames)
    : { measurements: [], codes: [], warnings: [] };
  const parts = readings.map((own) => {
    const { format } = own;
    if (format === 'none') return { measurements: [], warnings: [] };
    return format === 'criterion' ? { measurements: measureCriterion(own), warnings: [] } : measurePrinted(own, format);
  });
  const printed = parts.flatMap((own) => own.measurements);
  const measurements = [...observed.measurements, ...printed];
  const gaps = readings.flatMap((own) => toGaps(own, printed));
  for (const { revision, needs, planned: bench } of readings) {
    const isOwn = (measurement: Measurement) => measurement.revision === revision;
    if (needs.size === 0 && !measurements.some(isOwn)) {
      const isLoaded = (record: ProgramRecord) => record.bench === bench.name && record.revision === revision;
      throw noResults(bench, revision, run.kernel, records, bench.observe ? run.programs.filter(isLoaded) : []);
    }
  }
  const warnings = [
    ...observed.warnings,
    ...parts.flatMap((own) => own.warnings),
    ...readings.flatMap((own) => describeOthers(own)),
  ];
  return { ...observed, measurements, gaps, warnings };
}

/** Names the formats that were printed in addition to the detected one, and without one what only people can read. */
function describeOthers({ bench, revision, planned, format, records }: Side): Warning[] {
  if (planned.format !== 'auto') return [];
  const found = new Set(records.flatMap(({ stdoutText }) => findPrintedFormats(stdoutText)));
  const others = [...found]
    .filter((each) => each !== format)
    .map((each) => `printed results of format \`${each}\` too, which are not read: make a [[bench]] of each format`);
  const forPeople = tablesForPeople
    .filter(({ line }) => format === 'none' && records.some(({ stdoutText }) => line.test(stdoutText)))
    .map(({ name, hint }) => `printed results of ${name} for people, which are not read: ${hint}`);
  return [...others, ...forPeople].map((reason) => ({ about: [bench], revision, reason }));
}

/** @throws BenchError when readings do not agree on what a benchmark needs */
function joinNeeds(records: readonly BenchRecord[], kernel: string, format: BenchFormat): Needs {
  const joined = new Map<string, string>();
  for (const record of records) {
    const where = describeReading(record, kernel);
    for (const [name, version] of parseNeeds(record.stdoutText, kernel, where, format)) {
      const other = joined.get(name) ?? version;
      if (other !== version) {
        throw new BenchError(
          `${where} says that \`${name}\` needs ${version}, an earlier reading that it needs ${other}`,
          { hint: 'name the first kernel that has what it needs, the same in every reading' },
        );
      }
      joined.set(name, version);
    }
  }
  return joined;
}

/** @throws BenchError when a benchmark was measured on a kernel that is too old for it */
function toGaps({ kernel, bench, revision, needs }: Readings, printed: readonly PrintedValue[]): Gap[] {
  const measured = new Set(printed.flatMap((own) => (own.revision === revision ? [own.benchmark] : [])));
  return [...needs].map(([name, version]) => {
    const benchmark = `${bench}/${name}`;
    if (measured.has(benchmark)) {
      throw new BenchError(
        `bench \`${bench}\` says that \`${name}\` needs ${version} and measures it on ${revision}, kernel ${kernel}`,
        { hint: 'print the one or the other, in every reading' },
      );
    }
    return { kernel, lane: 'instructions', revision, benchmark, needs: version };
  });
}

/** Detects one format for all readings of both revisions. One without it is an error, not a removed benchmark. */
function detectFormat(bench: PlannedBench, records: readonly BenchRecord[]): BenchFormat {
  if (bench.format !== 'auto') return bench.format;
  if (records.some((record) => looksLikeCriterion(record.stdoutText))) return 'criterion';
  for (const { stdoutText } of records) {
    const [found] = findPrintedFormats(stdoutText);
    if (found !== undefined) return found;
  }
  return 'none';
}

/** @throws BenchError when the command failed, with its output */
function checkEnd(record: BenchRecord, kernel: string, bench: PlannedBench): void {
  if (record.exit_code === 0 && record.signal === null) return;
  const how =
    record.signal !== null
      ? `was ended by signal ${record.signal}`
      : record.exit_code === null
        ? 'ended without an exit code'
        : `exited with ${record.exit_code}`;
  const { revision, reading, stdoutText, stderrTail } = record;
  const ends = [describeEnd('stdout', stdoutText), describeEnd('stderr', stderrTail)].filter((end) => end !== '');
  const said = ends.length === 0 ? '; it printed nothing' : `; ${ends.join('\n')}`;
  const log = `bench-${bench.name}-${revision}-${kernel}.log`.replaceAll(/[^\w.-]+/g, '-');
  throw new BenchError(`bench \`${bench.name}\` ${how} on ${revision}, kernel ${kernel}, reading ${reading}${said}`, {
    hint: failureHint(stderrTail, bench),
    bench: { name: bench.name, revision },
    logs: ends.length === 0 ? {} : { [log]: `== stdout\n${stdoutText}\n== stderr, its end\n${stderrTail}\n` },
  });
}

/** Lines shown of each stream of a failed bench. Many programs print why they failed to stdout: Go's tests, libtest. */
const shownLines = 12;

function describeEnd(stream: 'stdout' | 'stderr', text: string): string {
  const lines = text.trim().split('\n').slice(-shownLines).join('\n');
  return lines === '' ? '' : `its ${stream} ends with:\n${lines}`;
}

function failureHint(stderr: string, bench: PlannedBench): string {
  // Libtest's harness and most hand-written ones refuse criterion's flags.
  if (bench.guestCommand !== bench.command && /sample-size/.test(stderr)) {
    return `a target that is not criterion's refused its flags: select criterion's with --bench NAME in the command \`${bench.command}\``;
  }
  return `find out why \`${bench.guestCommand}\` fails`;
}

/** Results that tools print for people and that are not read, by a line, and what makes them read. */
const tablesForPeople = [
  {
    name: 'Criterion',
    line: /\stime: {3}\[/,
    hint: 'make its command one simple `cargo bench` command with format = "criterion", and its samples are read',
  },
  {
    name: 'Google Benchmark',
    line: /^(?:Benchmark +Time +CPU +Iterations|name,iterations,real_time,)/m,
    hint: 'let it print JSON, by `--benchmark_format=json`',
  },
  {
    name: 'hyperfine',
    line: /^ *Time \(mean ± σ\):/m,
    hint: 'let it print JSON, by `--export-json FILE`, and print the file',
  },
  {
    name: 'gungraun',
    line: /^ {2}Instructions: +\d/m,
    hint: 'let it print JSON, by `cargo bench -- --output-format=json`',
  },
] as const;

/**
 * Creates the error of a bench that gave nothing to measure.
 *
 * @param programs those that it loaded
 */
function noResults(
  bench: PlannedBench,
  revision: RevisionName,
  kernel: string,
  records: readonly BenchRecord[],
  programs: readonly ProgramRecord[],
): BenchError {
  const failed = { name: bench.name, revision };
  const where = `on ${revision}, kernel ${kernel}`;
  const names = [...new Set(namePrograms(programs).map(({ benchmark }) => benchmark.slice(bench.name.length + 1)))];
  const ran =
    names.length === 0
      ? `ran no BPF program ${where}`
      : `loaded BPF programs that never ran ${where}: ${listNames(names)}`;
  const forPeople = tablesForPeople.find(({ line }) => records.some(({ stdoutText }) => line.test(stdoutText)));
  if (forPeople !== undefined) {
    const { name, hint } = forPeople;
    return new BenchError(`bench \`${bench.name}\` printed results of ${name} for people and ${ran}`, {
      bench: failed,
      hint,
    });
  }
  if (names.length > 0) {
    return new BenchError(`bench \`${bench.name}\` ${ran}; it printed no results either`, {
      bench: failed,
      hint: 'let the bench cause the events that they are attached to, or call them by BPF_PROG_TEST_RUN',
    });
  }
  return new BenchError(`bench \`${bench.name}\` printed no results and ${ran}`, {
    bench: failed,
    hint: 'print Bencher Metric Format, use Criterion, or run a BPF program with observe = true',
  });
}
