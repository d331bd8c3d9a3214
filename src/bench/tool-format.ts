// Bench: what the parsers of tools' results have in common. Pure.

import type { BmfMetric } from './bmf.ts';

/** The next step where a benchmark failed. */
export const runItHint = 'run the command in the project to see why';

/** One result, under the name that the tool distinguishes benchmarks by. */
export interface ToolResult extends BmfMetric {
  /** Where it stands: `line 12`, `result 2`. */
  readonly at: string;
  /** Equal for results that the tool itself calls repetitions of one benchmark. Default: it has none. */
  readonly repeats?: string;
}

export interface ToolOutput {
  readonly results: readonly ToolResult[];
  /** What looks like a result and was not read, each with its place. */
  readonly warnings: readonly string[];
}

export interface ToolFormat {
  /** Whether the text holds a result of the tool. */
  readonly isIn: (text: string) => boolean;
  /** @throws BenchError when a result is damaged, or its benchmark failed */
  readonly parse: (text: string, file: string) => ToolOutput;
}

const factors: Readonly<Record<string, number>> = { ps: 1e-3, ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9, m: 6e10 };

/** Nanoseconds of a duration such as `1,234.5` `µs`. */
export function toNanoseconds(number: string, unit: string): number {
  return Number(number.replaceAll(',', '')) * (factors[unit] ?? Number.NaN);
}
