// Bench: instructions per iteration from a benchmark's samples.
//
// A sample of n iterations reads `overhead + n * cost`, exactly, unless a timer tick falls into it; a tick adds some
// thousands of instructions and nothing ever takes any away. So the clean samples lie on one line and the others above
// it. The line is found by least trimmed absolute residuals (after Rousseeuw, "Least Median of Squares Regression",
// JASA 1984): of all lines through two samples, the one nearest to the nearest 40 % of the samples, where samples below
// it count more. It needs no tolerance to separate clean from polluted samples. It is right while 40 % are clean (the
// rest would have to lie on a line of its own), and exact when the clean ones are.

import type { Sample } from './measurement.ts';

/** Share of the samples a line is judged by, and the least number: any two are on one line. */
const judgedShare = 0.4;
const leastJudged = 3;

/** Candidate lines go through at most this many samples; residuals are taken over all. */
const maxCandidates = 100;

/** Samples below a line speak against it more than those above: ticks only add. */
const belowWeight = 10;

/**
 * Estimates instructions per iteration.
 *
 * Samples of equal counts (criterion's flat sampling) have no slope. Then the result is the least total over its count.
 * That includes the clock reading and, for samples longer than a tick period, the ticks.
 *
 * @param samples of one or more readings in any order, with counts above 0; at least one
 */
export function estimatePerIteration(samples: readonly Sample[]): number {
  // Among samples of one count only the least total can be clean. Several readings often choose the same counts.
  const points = samples
    .toSorted((a, b) => a.count - b.count || a.total - b.total)
    .filter(({ count }, index, sorted) => count !== sorted[index - 1]?.count);
  const least = points.reduce((low, point) => Math.min(low, point.total / point.count), Number.POSITIVE_INFINITY);
  const kept = keepCleanest(points);
  const slope = medianSlope(kept);
  return slope !== null && slope > 0 ? slope : least;
}

/** The samples on the best line; none when there is only one. `points` differ in count. */
function keepCleanest(points: readonly Sample[]): readonly Sample[] {
  const judged = Math.min(points.length, Math.max(leastJudged, Math.ceil(points.length * judgedShare)));
  const candidates = thin(points);
  let best: Float64Array = new Float64Array();
  let bestCost = Number.POSITIVE_INFINITY;
  let bestSpan = 0;
  for (const [index, a] of candidates.entries()) {
    for (const b of candidates.slice(index + 1)) {
      const span = b.count - a.count;
      const slope = (b.total - a.total) / span;
      const costs = new Float64Array(points.length);
      for (const [index, point] of points.entries()) {
        const residual = point.total - a.total - slope * (point.count - a.count);
        costs[index] = residual < 0 ? -residual * belowWeight : residual;
      }
      const cost = costs
        .slice()
        .sort()
        .subarray(0, judged)
        .reduce((sum, value) => sum + value, 0);
      // If lines are equally good, as when only two samples are left, the longer one is less wrong.
      if (cost < bestCost || (cost === bestCost && span > bestSpan)) {
        best = costs;
        bestCost = cost;
        bestSpan = span;
      }
    }
  }
  const limit = best.slice().sort()[judged - 1] ?? 0;
  return best.length === 0 ? [] : points.filter((_, index) => (best[index] ?? 0) <= limit);
}

/** Theil-Sen: evens out what little the kept samples differ by; exact when they do not. */
function medianSlope(points: readonly Sample[]): number | null {
  const chosen = thin(points);
  const slopes = chosen
    .flatMap((a, index) => chosen.slice(index + 1).map((b) => (b.total - a.total) / (b.count - a.count)))
    .toSorted((x, y) => x - y);
  const middle = slopes.length / 2;
  const low = slopes[Math.ceil(middle) - 1];
  const high = slopes[Math.floor(middle)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** At most `maxCandidates` samples, evenly spread. */
function thin(points: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(points.length / maxCandidates);
  return points.filter((_, index) => index % step === 0);
}
