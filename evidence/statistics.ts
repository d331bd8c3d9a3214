// Medians, spreads, ratios within a round, and a reproducible random order. Pure.

/** One boot of one subject. */
export interface Sample {
  /** Kernel id. */
  readonly kernel: string;
  /** The name of what was booted. */
  readonly subject: string;
  /** 1-based. */
  readonly round: number;
  /** Undefined if the boot failed. */
  readonly times: BootTimes | undefined;
  /** First line of the error; undefined if the boot succeeded. */
  readonly error?: string | undefined;
}

export interface BootTimes {
  /** Time from the start of the first process until the command in the guest runs; null if there is no command. */
  readonly firstMs: number | null;
  /** Time from the start of the first process to its end. */
  readonly endMs: number;
  /** Part of it that is spent in the initramfs, if known. A snapshot is saved there. */
  readonly initramfsMs?: number | undefined;
}

/** Time until a benchmark could run. The floor runs none, so its end is used. */
export function untilFirst({ firstMs, endMs }: BootTimes): number {
  return firstMs ?? endMs;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @returns undefined for no values */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** @returns undefined for no values */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  return middle === undefined ? undefined : { median: middle, min: Math.min(...values), max: Math.max(...values) };
}

/** Median and range: `16 (13 to 18)`. */
export function describeSpread(values: readonly number[], digits = 0): string {
  const spread = spreadOf(values);
  if (spread === undefined) return 'none';
  return `${spread.median.toFixed(digits)} (${spread.min.toFixed(digits)} to ${spread.max.toFixed(digits)})`;
}

/** Median and range of milliseconds, in seconds: `5.32 (5.21–6.02)`. */
export function formatSpread(values: readonly number[]): string {
  const spread = spreadOf(values);
  if (spread === undefined) return 'failed';
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  const range = values.length === 1 ? '' : ` (${seconds(spread.min)}–${seconds(spread.max)})`;
  return `${seconds(spread.median)}${range}`;
}

/** An empty text if it was not measured. */
export function formatRatio(ratio: number | undefined): string {
  return ratio === undefined ? '' : ratio.toFixed(2);
}

/** Times of a subject's successful boots. */
export function timesOf(samples: readonly Sample[], kernel: string, subject: string): BootTimes[] {
  return samples.flatMap((sample) =>
    sample.kernel === kernel && sample.subject === subject && sample.times !== undefined ? [sample.times] : [],
  );
}

/** A subject's boots of one kernel, and which of their times is used. */
export interface Series {
  readonly kernel: string;
  readonly subject: string;
  /** Default `untilFirst`. */
  readonly pick?: (times: BootTimes) => number;
}

/**
 * The median ratio of two boots in the same round. A slow round slows both, so it does not change the ratio.
 *
 * @returns undefined if no round has both
 */
export function medianRatio(samples: readonly Sample[], of: Series, to: Series): number | undefined {
  const inRound = ({ kernel, subject, pick = untilFirst }: Series, round: number): number | undefined => {
    const times = samples.find(
      (sample) => sample.kernel === kernel && sample.subject === subject && sample.round === round,
    )?.times;
    return times === undefined ? undefined : pick(times);
  };
  const rounds = [...new Set(samples.map(({ round }) => round))];
  return median(
    rounds.flatMap((round) => {
      const [a, b] = [inRound(of, round), inRound(to, round)];
      return a === undefined || b === undefined ? [] : [a / b];
    }),
  );
}

/** Random numbers, at least 0 and below 1, reproducible from the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Shuffles by Fisher and Yates's method. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}
