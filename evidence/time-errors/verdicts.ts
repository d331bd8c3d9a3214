// Time errors: turns one run's rounds into verdicts of the time lane, of Criterion, and of one ratio. Pure.

import { compareTimes } from '../../src/compare/compare-times.ts';
import { type ComparisonRecord, recordComparison } from '../../src/report/results.ts';
import { judgeAsCriterion, meanTime } from './criterion-rule.ts';
import type { Run, RunBenchmark, RunKernel } from './data.ts';

/** Why the time lane left a comparison undecided. */
export type Undecided = 'control moved' | 'control blind' | 'boots differ' | 'rounds';

/** One benchmark of one run, judged by every rule. */
export interface Judged {
  readonly kernel: string;
  readonly benchmark: string;
  readonly kind: ComparisonRecord['kind'];
  readonly rounds: number;
  /** The time lane's verdict, as on a real processor: under emulation a change is only advice. */
  readonly verdict: ComparisonRecord['verdict'];
  /** Null unless the verdict is `inconclusive`. */
  readonly undecided: Undecided | null;
  /** Number of further rounds requested; null if none. */
  readonly moreRounds: number | null;
  /** Whether the report of an emulated guest warns that it is slower. */
  readonly isAdvised: boolean;
  /** Growth reported by the time lane, as a fraction. */
  readonly growth: number | null;
  /** Criterion's verdict on the first round that is used; null for benchmarks that Criterion does not measure. */
  readonly criterion: 'regressed' | 'improved' | 'unchanged' | null;
  /** Head's mean over base's in that round. */
  readonly ratio: number | null;
}

/**
 * Judges all benchmarks of a run. The time lane reports withheld and insufficient results only in words, which the
 * tests here compare with the real ones.
 *
 * @param limit the time lane's limit, as a fraction
 */
export function judgeRun(run: Pick<Run, 'number' | 'kernels'>, limit: number): Judged[] {
  const kernels = run.kernels.map((kernel) => ({
    kernel: kernel.kernel,
    benchmarks: kernel.benchmarks.map((benchmark) => ({
      ...benchmark,
      kernel: kernel.kernel,
      source: null,
      warnings: [],
    })),
    controls: kernel.controls.map((control) => ({ ...control, kernel: kernel.kernel })),
    gaps: [],
  }));
  const gate = { limits: { instructions: 0, verifier: 0, time: limit }, overrides: [] };
  const compare = (isReal: boolean) =>
    compareTimes(
      kernels.map((kernel) => ({ ...kernel, isReal })),
      gate,
    ).comparisons.map(recordComparison);
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
      kernel,
      benchmark,
      kind,
      verdict,
      rounds: rounds.length,
      growth: deltaRatio,
      isAdvised: advised[index]?.warnings.some((warning) => warning.startsWith('it is slower')) ?? false,
      undecided: verdict === 'inconclusive' ? whyUndecided(comparison) : null,
      moreRounds: roundsNeeded === null ? null : roundsNeeded - rounds.length,
      // A different seed for each, so that one odd draw does not affect all.
      criterion: first === null ? null : judgeAsCriterion(first.base, first.head, run.number * 1000 + index).verdict,
      ratio: means.base === undefined || means.head === undefined ? null : means.head / means.base,
    };
  });
}

function findBenchmark(kernels: readonly RunKernel[], comparison: ComparisonRecord): RunBenchmark | undefined {
  return kernels
    .find(({ kernel }) => kernel === comparison.kernel)
    ?.benchmarks.find(({ benchmark, measure }) => benchmark === comparison.benchmark && measure === comparison.measure);
}

function whyUndecided({ warnings }: ComparisonRecord): Undecided {
  const said = (text: string) => warnings.some((warning) => warning.includes(text));
  if (said('are not to be trusted')) return 'control moved';
  if (said('too few to show whether the machine is steady')) return 'control blind';
  return said('its boots say different things') ? 'boots differ' : 'rounds';
}

/**
 * The largest rate at which `found` or fewer of `trials` still has a probability of 5 %: the one-sided upper bound of
 * Clopper and Pearson (Biometrika 26, 1934) with a confidence of 95 %.
 *
 * @returns a rate from 0 to 1; 1 without trials
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
