// Probe overhead: parses the output of the bench `probe_overhead`: costs, and features missing in a kernel. Pure.

import { parseBmf } from '../../src/bench/bmf.ts';

/** Results of one run of the bench. */
export interface ProbeCosts {
  /** Cost per call by benchmark, `getpid/kprobe/empty`; nanoseconds, which are instructions under icount. */
  readonly costs: ReadonlyMap<string, number>;
  /** Requirement that is missing, by benchmark: `Linux 5.18`, `CONFIG_FPROBE`. */
  readonly gaps: ReadonlyMap<string, string>;
}

const needsKernel = /^bpfgate: needs (\d+\.\d+): (.+)$/gm;
const needsOption = /^warning: cannot measure (\S+): this kernel was built without (\S+)/gm;

/**
 * @param file name of the output in errors
 * @throws BenchError if it contains no Bencher Metric Format
 */
export function parseProbeCosts({ stdout, stderr }: { stdout: string; stderr: string }, file: string): ProbeCosts {
  const metrics = parseBmf(stdout, file).filter(({ measure }) => measure === 'latency');
  return {
    costs: new Map(metrics.map(({ benchmark, value }) => [benchmark, value])),
    gaps: new Map([
      ...[...stdout.matchAll(needsKernel)].map(([, version, name = '']) => [name, `Linux ${version}`] as const),
      ...[...stderr.matchAll(needsOption)].map(([, name = '', option = '']) => [name, option] as const),
    ]),
  };
}

export const bodies = ['empty', 'simple', 'complex'] as const;

/** Hooks by the function called, in the order of the bench. */
export const hooks = {
  getpid: [
    ...['tracepoint', 'raw_tracepoint', 'btf_tracepoint', 'fentry', 'fexit'],
    ...['kprobe', 'kretprobe', 'kprobe_multi'],
  ],
  function: ['uprobe', 'uretprobe'],
} as const;

export type Target = keyof typeof hooks;

/**
 * Published measurements by others: M1, Linux 6.5-rc1, QEMU, nanoseconds per call. Their tracepoint is
 * `tp_btf/sys_enter` in their source, the BTF one. They published no uprobe call without a probe.
 */
export const published: ReadonlyMap<string, number> = new Map([
  ['getpid/none', 117.3],
  ...nameBodies('getpid/btf_tracepoint', [132.2, 152.2, 212.8]),
  ...nameBodies('getpid/fentry', [141.0, 159.1, 220.7]),
  ...nameBodies('getpid/kprobe', [253.8, 277.1, 346.3]),
  ...nameBodies('function/uprobe', [1695, 1717, 1833]),
]);

function nameBodies(hook: string, costs: readonly number[]): [string, number][] {
  return bodies.map((body, index) => [`${hook}/${body}`, costs[index] ?? Number.NaN]);
}

/** The cost that a probe adds to a call. */
export interface Overhead {
  readonly added: number;
  /** Fraction of the cost of a call without a probe: 0.5 is half as much again. */
  readonly growth: number;
}

/** @returns undefined if either was not measured */
export function overheadOf(costs: ReadonlyMap<string, number>, benchmark: string): Overhead | undefined {
  const bare = costs.get(`${benchmark.split('/')[0]}/none`);
  const cost = costs.get(benchmark);
  if (bare === undefined || cost === undefined || benchmark.endsWith('/none')) return undefined;
  return { added: cost - bare, growth: (cost - bare) / bare };
}
