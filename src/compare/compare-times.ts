// Compare: judges the time lane's rounds, all benchmarks on all kernels as one family. Pure.

import type { MeasuredTimes, TimedBenchmark, TimedRound } from '../bench/measure-times.ts';
import type { Measurement, MedianTime } from '../bench/measurement.ts';
import { revisionNames } from '../model/build.ts';
import type { Config, Limit } from '../model/inputs.ts';
import { judgeControls, tolerateHalf } from '../statistics/controls.ts';
import { judgePairs } from '../statistics/judge-pairs.ts';
import type { Judgement } from '../statistics/judgement.ts';
import { boundMedian, estimateMedian } from '../statistics/median.ts';
import type { Round } from '../statistics/rounds.ts';
import { compareOneSided, type GapFinder, gapFinder, inconclusive } from './compare.ts';
import type { Comparison, Subject, Tested } from './comparison.ts';
import { limitFor } from './limits.ts';

/**
 * The accepted chance of even one false regression over everything compared. It is also the accepted chance of even one
 * control that moves without a cause, by which a kernel loses its verdicts.
 */
const timeAlpha = 0.01;

/** The times of one kernel. */
export interface KernelTimes extends MeasuredTimes {
  readonly kernel: string;
  /** Whether it ran on the processor itself. Under emulation a time is only advice: its limit is `off`. */
  readonly isReal: boolean;
}

export interface Compared {
  readonly measurements: readonly Measurement[];
  readonly comparisons: readonly Comparison[];
}

/**
 * Estimates the centres of each side, and compares head with base by the ratios within rounds.
 *
 * A control that moved (base against base again by more than half the limit, or the fixed program after base against
 * after head) makes all comparisons of its kernel inconclusive. A control that could not have shown it makes every
 * change inconclusive. A round in which a side took no time at all is left out.
 */
export function compareTimes(kernels: readonly KernelTimes[], gate: Config['gate']): Compared {
  const findGap = gapFinder(kernels.flatMap((kernel) => kernel.gaps));
  const subjects = kernels.flatMap(({ benchmarks, isReal }) =>
    benchmarks.map((benchmark) => ({
      benchmark,
      isReal,
      pairs: pairsOf(benchmark.rounds, 'head', benchmark.better),
      own: limitFor({ ...benchmark, lane: 'time' }, gate),
    })),
  );
  // Judged by its own limit, even if that is off because there is no real clock, so the report says the same.
  const judged = subjects.filter(({ pairs, own }) => pairs.length > 0 && own !== 'off');
  const judgements = judgePairs(
    judged.map(({ pairs, own }) => ({ rounds: pairs, limit: own === 'off' ? 0 : own })),
    { alpha: timeAlpha },
  );
  const doubts = findDoubts(kernels, gate);
  return {
    measurements: subjects.flatMap(({ benchmark }) => toMeasurements(benchmark)),
    comparisons: subjects.map((subject) => {
      const judgement = judgements[judged.indexOf(subject)];
      const { benchmark, isReal, own } = subject;
      const limit = isReal ? own : 'off';
      return toComparison(benchmark, judgement, { limit, ...doubts.get(benchmark.kernel) }, findGap);
    }),
  };
}

/** Why a kernel's times cannot be trusted: a control that moved, or one with too few rounds to show if it did. */
interface ControlDoubt {
  readonly moved?: string;
  readonly blind?: string;
}

function findDoubts(kernels: readonly KernelTimes[], gate: Config['gate']): ReadonlyMap<string, ControlDoubt> {
  const controls = kernels.flatMap(({ kernel, benchmarks, controls }) => [
    ...benchmarks.map((benchmark) => {
      const limit = limitFor({ ...benchmark, lane: 'time' }, gate);
      const rounds = pairsOf(benchmark.rounds, 'control', benchmark.better);
      return { kernel, name: `base against base again, \`${benchmark.benchmark}\``, rounds, limit };
    }),
    ...controls.map(({ bench, rounds }) => ({
      kernel,
      name: `the control program of \`${bench}\``,
      limit: gate.limits.time,
      rounds: pairsOf(rounds, 'head', 'lower'),
    })),
  ]);
  const usable = controls.filter(({ rounds, limit }) => rounds.length > 0 && limit !== 'off');
  const judgements = judgeControls(
    usable.map(({ rounds, limit }) => ({ rounds, tolerance: tolerateHalf(limit === 'off' ? 0 : limit) })),
    { alpha: timeAlpha },
  );
  const doubts = new Map<string, ControlDoubt>();
  for (const [index, { state, ratio }] of judgements.entries()) {
    const control = usable[index];
    if (control === undefined || state === 'steady') continue;
    const { kernel, name, rounds } = control;
    const known = doubts.get(kernel);
    const why =
      state === 'moved'
        ? { moved: `${name} moved by ${percent(ratio - 1)}, so times of this run are not to be trusted` }
        : { blind: `${name} has ${rounds.length} rounds, too few to show whether the machine is steady` };
    doubts.set(kernel, { ...why, ...known });
  }
  return doubts;
}

function toComparison(
  { rounds, ownNames: _, renamedFrom, ...timed }: TimedBenchmark,
  judgement: Judgement | undefined,
  { limit, moved, blind }: ControlDoubt & { readonly limit: Limit },
  findGap: GapFinder,
): Comparison {
  const [base = null, head = null] = revisionNames.map((side) => {
    const values = rounds.flatMap((round) => round[side] ?? []);
    return values.length === 0 ? null : estimateMedian(values);
  });
  const subject: Subject = { ...timed, lane: 'time', renamedFrom: base === null ? undefined : renamedFrom, limit };
  if (base === null || head === null) return compareOneSided(subject, base, head, findGap);
  const pair = { ...subject, base, head };
  if (judgement === undefined) {
    return limit === 'off'
      ? { ...pair, verdict: 'unchanged' }
      : inconclusive(pair, 'no round has it on both sides with a time above 0, so nothing can be said of it');
  }
  // The sides of a throughput are swapped for judging: less of it is slower.
  const growthOf = (ratio: number) => (timed.better === 'lower' ? ratio : 1 / ratio) - 1;
  const bounds = judgement.interval?.map((bound) => growthOf(bound) * base).toSorted((a, b) => a - b);
  const growth = growthOf(judgement.ratio);
  const { verdict, roundsNeeded, adjustedPValue } = judgement;
  const tested: Tested = {
    ...pair,
    delta: growth * base,
    deltaRatio: growth,
    interval: bounds === undefined ? null : [bounds[0] ?? 0, bounds[1] ?? 0],
    pValue: adjustedPValue,
    verdict,
  };
  const isChange = verdict === 'regression' || verdict === 'improvement';
  const doubt = moved ?? (isChange ? blind : undefined);
  if (limit !== 'off') {
    if (doubt !== undefined) return inconclusive(tested, doubt);
    return { ...tested, roundsNeeded, warnings: [...timed.warnings, ...describeDoubt(judgement, rounds.length)] };
  }
  const word = verdict === 'regression' ? 'slower' : 'faster';
  const advice = `it is ${word} by ${percent(Math.abs(growth))}; under emulation that is advice and does not fail the gate`;
  const said = doubt === undefined ? (isChange ? [advice] : describeDoubt(judgement, rounds.length)) : [doubt];
  return { ...tested, verdict: 'unchanged', roundsNeeded, warnings: [...timed.warnings, ...said] };
}

function describeDoubt({ doubt, roundsNeeded }: Judgement, rounds: number): string[] {
  switch (doubt) {
    case null:
      return [];
    case 'boots-differ':
      return ['its boots say different things, so nothing can be said of it'];
    default: {
      const needed = roundsNeeded === null ? '' : `; about ${roundsNeeded} would be, at a larger time-budget`;
      return [`${rounds} rounds are too few to decide${needed}`];
    }
  }
}

function toMeasurements({ rounds, ownNames, renamedFrom, ...timed }: TimedBenchmark): MedianTime[] {
  return revisionNames.flatMap((revision): MedianTime[] => {
    const values = rounds.flatMap((round) => round[revision] ?? []);
    if (values.length === 0) return [];
    const value = estimateMedian(values);
    const bounds = boundMedian(values, 0.95);
    const furthest = bounds === null ? value : Math.max(value - bounds[0], bounds[1] - value);
    return [
      {
        ...timed,
        revision,
        lane: 'time',
        ownName: ownNames?.[revision],
        renamedFrom: revision === 'base' ? renamedFrom : undefined,
        value,
        exact: false,
        resolution: value > 0 ? furthest / value : 1,
        samples: values.map((total) => ({ count: 1, total })),
      },
    ];
  });
}

/** Selects rounds in which base and the other took time, in the direction in which growth is worse. */
function pairsOf(rounds: readonly TimedRound[], other: 'head' | 'control', better: TimedBenchmark['better']): Round[] {
  const isTime = (value: number | undefined): value is number => value !== undefined && value > 0 && value < Infinity;
  return rounds.flatMap((round): Round[] => {
    const { boot, base } = round;
    const value = round[other];
    if (!isTime(base) || !isTime(value)) return [];
    return [better === 'lower' ? { boot, base, head: value } : { boot, base: value, head: base }];
  });
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
