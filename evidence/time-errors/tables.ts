// Time errors: how often the time lane was wrong about known differences. Pure.

import { percent } from '../exactness/tables.ts';
import type { EvidenceRecord, Row } from '../record.ts';
import { describeSpread, median, spreadOf } from '../statistics.ts';
import type { Data } from './data.ts';
import { growths, type Head, heads } from './schedule.ts';
import { boundRate, type Judged, judgeRun, type Undecided } from './verdicts.ts';

/** Ratios of means that count as a regression by themselves. */
const ratioLimits = [1.05, 1.1, 2];

interface JudgedRun {
  readonly head: Head;
  readonly judged: readonly Judged[];
}

/** The record of all runs that were made. Those that failed are in the table `failures` only. */
export function timeErrorsRecord(data: Data): EvidenceRecord {
  const { start, end } = data;
  const made = data.runs.filter(({ error }) => error === null);
  const runs = made.map((run): JudgedRun => ({ head: run.head, judged: judgeRun(run, start.limit) }));
  const kernels = made.flatMap((run) => run.kernels);
  const rounds = kernels.flatMap(({ benchmarks }) => benchmarks.map((benchmark) => benchmark.rounds.length));
  return {
    command: start.command,
    time: start.time,
    ...(end === undefined ? {} : { minutes: Math.round(end.minutes) }),
    commit: start.commit,
    machine: start.machine,
    conditions: {
      kernels: start.kernels.map(({ release }) => release).join(', '),
      'time budget': start.timeBudget,
      load: describeSpread(
        made.map(({ load }) => load),
        1,
      ),
      seed: start.seed,
      runs: `${data.runs.length} of ${start.runs + 2 * start.powerRuns}${describeStop(data)}`,
    },
    tables: {
      verdicts: heads.map((head) => verdictRow(head, runs)),
      benchmarks: benchmarkRows(runs),
      undecided: heads.map((head) => undecidedRow(head, runs)),
      rules: ruleRows(runs),
      work: workRows(data),
      effort: [
        {
          'seconds of a run': describeSpread(made.map(({ seconds }) => seconds)),
          'boots of a kernel': describeSpread(kernels.map(({ boots }) => boots)),
          rounds: describeSpread(rounds),
        },
      ],
      failures: data.runs.flatMap(({ number, head, error }) => (error === null ? [] : [{ run: number, head, error }])),
    },
  };
}

function describeStop({ end }: Data): string {
  if (end === undefined) return ', then the process was lost';
  return end.stopped === null ? '' : `, then ${end.stopped}`;
}

/** A head's name in words: `itself`, `10 % more work`. */
function nameOf(head: Head): string {
  return head === 'base' ? 'itself' : `${percent(growths[head])} more work`;
}

function judgedOf(head: Head, runs: readonly JudgedRun[]): Judged[] {
  return runs.filter((run) => run.head === head).flatMap(({ judged }) => judged);
}

function verdictRow(head: Head, runs: readonly JudgedRun[]): Row {
  const own = runs.filter((run) => run.head === head);
  const blocked = own.filter(({ judged }) => judged.some(isRegression)).length;
  return {
    head: nameOf(head),
    runs: own.length,
    blocked,
    // Every block of a commit against itself is a false one.
    'at most, 95 %': head === 'base' ? percent(boundRate(blocked, own.length)) : '',
    ...countVerdicts(judgedOf(head, runs)),
    'runs that warned': own.filter(({ judged }) => judged.some(({ isAdvised }) => isAdvised)).length,
  };
}

const verdicts = ['regression', 'inconclusive', 'unchanged', 'improvement'] as const;

function countVerdicts(judged: readonly Judged[]): Row {
  const counts = verdicts.map((verdict) => [verdict, judged.filter((each) => each.verdict === verdict).length]);
  return { comparisons: judged.length, ...Object.fromEntries(counts) };
}

function benchmarkRows(runs: readonly JudgedRun[]): Row[] {
  const nameBenchmark = ({ kernel, benchmark }: Judged) => `${benchmark} on ${kernel}`;
  const names = [...new Set(runs.flatMap(({ judged }) => judged.map(nameBenchmark)))];
  return heads.flatMap((head) =>
    names.map((name) => {
      const own = judgedOf(head, runs).filter((judged) => nameBenchmark(judged) === name);
      const detected = spreadOf(own.flatMap(({ growth }) => growth ?? []));
      return {
        head: nameOf(head),
        benchmark: name,
        ...countVerdicts(own),
        'growth detected':
          detected === undefined
            ? ''
            : `${signed(detected.median)} (${signed(detected.min)} to ${signed(detected.max)})`,
      };
    }),
  );
}

const reasons: Readonly<Record<Undecided, string>> = {
  rounds: 'too few rounds or too noisy',
  'boots differ': 'boots differ',
  'control moved': 'control moved',
  'control blind': 'control blind',
};

function undecidedRow(head: Head, runs: readonly JudgedRun[]): Row {
  const all = judgedOf(head, runs);
  const own = all.filter(({ verdict }) => verdict === 'inconclusive');
  const spread = spreadOf(own.flatMap(({ moreRounds }) => moreRounds ?? []));
  return {
    head: nameOf(head),
    inconclusive: share(own.length, all.length),
    ...Object.fromEntries(
      Object.entries(reasons).map(([reason, name]) => [
        name,
        own.filter(({ undecided }) => undecided === reason).length,
      ]),
    ),
    'rounds it has': median(own.map(({ rounds }) => rounds)) ?? '',
    'more it asks for': spread === undefined ? '' : `${spread.median} (${spread.min} to ${spread.max})`,
  };
}

interface Rule {
  readonly name: string;
  readonly applies: (judged: Judged) => boolean;
  readonly isSlower: (judged: Judged) => boolean;
}

const isBenchmark = ({ kind }: Judged) => kind === 'benchmark';
const isAny = () => true;
const isRegression = ({ verdict }: Judged) => verdict === 'regression';
const rules: readonly Rule[] = [
  { name: 'the time lane', applies: isAny, isSlower: isRegression },
  {
    name: "Criterion's rule",
    applies: isBenchmark,
    isSlower: ({ criterion }) => criterion === 'regressed',
  },
  ...ratioLimits.map((limit) => ({
    name: `a ratio above ${limit}`,
    applies: isAny,
    isSlower: ({ ratio }: Judged) => ratio !== null && ratio > limit,
  })),
];

function ruleRows(runs: readonly JudgedRun[]): Row[] {
  const scopes = [
    { name: 'all', has: isAny },
    { name: "Criterion's", has: isBenchmark },
  ];
  return rules.flatMap((rule) =>
    scopes
      .filter(({ has }) => has === isBenchmark || rule.applies === isAny)
      .map(({ name, has }) => {
        const row: Record<string, string> = { rule: rule.name, benchmarks: name };
        for (const head of heads) {
          const own = runs.filter((run) => run.head === head).map(({ judged }) => judged.filter(has));
          const all = own.flat();
          row[`${nameOf(head)}: called slower`] = share(all.filter(rule.isSlower).length, all.length);
          row[`${nameOf(head)}: runs`] = share(own.filter((each) => each.some(rule.isSlower)).length, own.length);
        }
        return row;
      }),
  );
}

/** What the instruction lane counts of the added work. */
function workRows({ growths: counted }: Data): Row[] {
  return counted.map(({ head, kernel, benchmark, growth }) => ({
    benchmark: `${benchmark} on ${kernel}`,
    head,
    instructions: `+${(growth * 100).toFixed(2)} %`,
  }));
}

/** A share, such as `3 of 20 (15 %)`. */
function share(count: number, of: number): string {
  return of === 0 ? `${count} of 0` : `${count} of ${of} (${percent(count / of)})`;
}

function signed(ratio: number): string {
  return `${ratio < 0 ? '−' : '+'}${(Math.abs(ratio) * 100).toFixed(1)} %`;
}
