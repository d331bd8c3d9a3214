// One run's rounds to verdicts: the time lane's, Criterion's, and that of one ratio. Pure.

import { compareTimes } from '../../src/compare/compare-times.ts';
import type { Comparison } from '../../src/compare/comparison.ts';
import { judgeAsCriterion, meanTime } from './criterion-rule.ts';
import type { Run, RunBenchmark, RunKernel } from './data.ts';

/** Why the time lane left a comparison undecided. */
export type Undecided = 'control moved' | 'control blind' | 'boots differ' | 'rounds';

/** One benchmark of one run, judged in every way. */
export interface Judged {
  readonly kernel: string;
  readonly benchmark: string;
  readonly kind: Comparison['kind'];
  readonly rounds: number;
  /** The time lane's, as it would be on a real processor: under emulation a change is advice. */
  readonly verdict: Comparison['verdict'];
  /** Null unless the verdict is `inconclusive`. */
  readonly undecided: Undecided | null;
  /** How many more it asks for; null where it asks for none. */
  readonly moreRounds: number | null;
  /** Whether the report, of a guest that is emulated, warns that it is slower. */
  readonly isAdvised: boolean;
  /** Growth as the time lane tells it, as a fraction. */
  readonly growth: number | null;
  /** Criterion's, of the first round that is used; null for what Criterion does not measure. */
  readonly criterion: 'regressed' | 'improved' | 'unchanged' | null;
  /** Mean of head over mean of base in that round. */
  readonly ratio: number | null;
}

/**
 * All of a run. What is withheld or not enough is told by the time lane in words only, which the tests of this hold
 * against the real ones.
 *
 * @param limit of the time lane, as a fraction
 */
export function judgeRun(run: Pick<Run, 'number' | 'kernels'>, limit: number): Judged[] {
  const kernels = run.kernels.map((kernel) => ({
    kernel: kernel.kernel,
    benchmarks: kernel.benchmarks.map((benchmark) => ({
      ...{ ...benchmark, kernel: kernel.kernel, source: null, warnings: [] },
    })),
    controls: kernel.controls.map((control) => ({ ...control, kernel: kernel.kernel })),
    gaps: [],
  }));
  const gate = { limits: { instructions: 0, verifier: 0, time: limit }, overrides: [] };
  const compare = (isReal: boolean) =>
    compareTimes(
      kernels.map((kernel) => ({ ...kernel, isReal })),
      gate,
    ).comparisons;
  const advised = compare(false);
  return compare(true).flatMap((comparison, index) => {
    const found = findBenchmark(run.kernels, comparison);
    if (found === undefined) return [];
    const { samples, rounds } = found;
    const first = samples?.[0] ?? null;
    const [firstRound] = rounds;
    const means =
      first === null
        ? { base: firstRound?.base, head: firstRound?.head }
        : { base: meanTime(first.base), head: meanTime(first.head) };
    const { kernel, benchmark, kind, verdict, roundsNeeded, deltaRatio } = comparison;
    return {
      ...{ kernel, benchmark, kind, verdict, rounds: rounds.length, growth: deltaRatio },
      isAdvised: advised[index]?.warnings.some((warning) => warning.startsWith('it is slower')) ?? false,
      undecided: verdict === 'inconclusive' ? whyUndecided(comparison) : null,
      moreRounds: roundsNeeded === null ? null : roundsNeeded - rounds.length,
      // Another seed for each, so that one odd draw is not in all.
      criterion: first === null ? null : judgeAsCriterion(first.base, first.head, run.number * 1000 + index).verdict,
      ratio: means.base === undefined || means.head === undefined ? null : means.head / means.base,
    };
  });
}

function findBenchmark(kernels: readonly RunKernel[], comparison: Comparison): RunBenchmark | undefined {
  return kernels
    .find(({ kernel }) => kernel === comparison.kernel)
    ?.benchmarks.find(({ benchmark, measure }) => benchmark === comparison.benchmark && measure === comparison.measure);
}

function whyUndecided({ warnings }: Comparison): Undecided {
  const said = (text: string) => warnings.some((warning) => warning.includes(text));
  if (said('are not to be trusted')) return 'control moved';
  if (said('too few to show whether the machine is steady')) return 'control blind';
  return said('its boots say different things') ? 'boots differ' : 'rounds';
}

/**
 * The largest rate of which `found` or fewer of `trials` would still be seen with a chance of 5 %: the one-sided upper
 * bound of Clopper and Pearson (Biometrika 26, 1934) with a confidence of 95 %.
 *
 * @returns from 0 to 1; 1 without trials
 */
export function boundRate(found: number, trials: number): number {
  if (found >= trials) return 1;
  const chanceOf = (rate: number) => {
    let [term, sum] = [(1 - rate) ** trials, 0];
    for (let count = 0; count <= found; count++) {
      sum += term;
      term *= ((trials - count) / (count + 1)) * (rate / (1 - rate));
    }
    return sum;
  };
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (chanceOf(middle) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}
