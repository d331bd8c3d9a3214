// Probe overhead: renders docs/benchmarks/probe-overhead.md: costs by kernel, next to published ones. Pure.

import { markdownTable } from 'markdown-table';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { formatDelta, formatNumber } from '../../src/report/numbers.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { MachineDescription } from '../host.ts';
import {
  bodies,
  findSwaps,
  hooks,
  orderHooks,
  overheadOf,
  type ProbeCosts,
  published,
  publishedOrder,
  type Target,
} from './results.ts';

/** Costs found by one run of the bench, or the first line of its error. */
export type LaneCosts = { readonly found: ProbeCosts } | { readonly error: string };

export interface KernelCosts {
  readonly id: string;
  /** Null if this machine does not have the kernel. */
  readonly release: string | null;
  readonly instructions: LaneCosts;
  readonly nanoseconds: LaneCosts;
}

export interface ProbeRun {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly minutes: number;
  readonly load: { readonly before: number; readonly after: number };
  readonly rounds: { readonly instructions: number; readonly nanoseconds: number };
  /** Number of measurements of each nanosecond value; the lowest is used. */
  readonly passes: number;
  readonly calls: number;
  /** Oldest first. */
  readonly kernels: readonly KernelCosts[];
}

/** Kernel whose order is compared with the published one, if it was measured. */
const orderedKernel = '6.12';

export function renderProbePage(run: ProbeRun): string {
  const { machine, load } = run;
  const blocks = [
    '# What a probe costs',
    `Made by \`${run.command}\`, ${run.time}, which took ${countOf(Math.round(run.minutes), 'minute')}; not written by hand.`,
    'A call of `getpid()` and of a user function, with no probe and with a BPF program of three sizes on every hook that sees the call. The bench is `example-project/probe-overhead`; what it does is described in [its README](../../example-project/README.md#what-a-probe-costs).',
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}; load over a minute ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`,
      `- **instructions**: in a guest under icount, where a nanosecond of the guest's clock is an instruction. The lowest of ${run.rounds.instructions} rounds of ${run.calls} calls. Exact but for parts of an instruction, and the same on every machine; caches, mispredicted branches and the hardware's own work at an exception or a system call cost nothing.`,
      `- **nanoseconds**: in a guest under plain emulation (TCG), the lowest of ${run.passes} × ${run.rounds.nanoseconds} rounds of ${run.calls} calls. They are of this machine and of an emulator: several times the real ones, dear where QEMU leaves its translated code (exceptions above all), and as noisy as the host. **Nothing here was measured under KVM or on bare metal.**`,
      '- **published**: by others, on an M1 (arm64), Linux 6.5-rc1, QEMU, in nanoseconds. What they call a tracepoint is `tp_btf/sys_enter` in [their source](https://github.com/cloudflare/ebpf_exporter/blob/master/benchmark/probes/benchmark.bpf.h), so it stands beside `btf_tracepoint`. For uprobes no call without a probe was given: there is a cost and no overhead.',
      '- BPF statistics are off while calls are timed; under `bpfgate run`, which turns them on, each run costs two readings of the clock more.',
      "- `raw_tracepoint` and `btf_tracepoint` are on `sys_enter`, which every system call passes. Their programs have no filter. The tracepoint is `sys_enter_getpid`, the others are on the system call's function in the kernel.",
      '- Every map was read: `simple` and `complex` counted each call once, and the kernel counted a run for each call of `empty` too. Else there would be an error instead of a number.',
    ].join('\n'),
    'On real hardware, as root, in `example-project`; and in a guest, which is under KVM where a pinned kernel boots under it:',
    '```sh\ncargo bench -p probe-overhead --bench probe_overhead -- --table --passes 5 --rounds 200\nbpfgate exec --kernel 6.12 -- target/release/deps/probe_overhead-* --table --passes 5 --rounds 200\n```',
    ...renderOrder(run),
    ...run.kernels.flatMap(renderKernel),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function found(lane: LaneCosts): ProbeCosts | undefined {
  return 'found' in lane ? lane.found : undefined;
}

function renderOrder({ kernels }: ProbeRun): string[] {
  const measured = kernels.filter(({ instructions }) => found(instructions) !== undefined);
  const kernel = measured.find(({ id }) => id === orderedKernel) ?? measured.at(-1);
  if (kernel === undefined) return [];
  const lanes = [
    ['instructions', found(kernel.instructions)],
    ['nanoseconds', found(kernel.nanoseconds)],
  ] as const;
  const rows = lanes.flatMap(([unit, costs]) =>
    costs === undefined ? [] : bodies.map((body) => [unit, body, orderHooks(costs.costs, body).join(' < ')]),
  );
  const swaps = lanes.flatMap(([unit, costs]) =>
    costs === undefined
      ? []
      : bodies.flatMap((body) =>
          findSwaps(orderHooks(costs.costs, body)).map(([cheaper, dearer]) => ({ unit, body, cheaper, dearer })),
        ),
  );
  const said = new Map<string, string[]>();
  for (const { unit, body, cheaper, dearer } of swaps) {
    const pair = `${cheaper} is cheaper than ${dearer}`;
    said.set(pair, [...(said.get(pair) ?? []), `${unit}, ${body}`]);
  }
  const order = publishedOrder.join(' < ');
  return [
    `## The order on ${kernel.id}`,
    `By what they add to a call, the cheapest first. Published, for every body: ${order}.`,
    markdownTable([['', 'body', 'order'], ...rows]),
    said.size === 0
      ? 'It is the published order wherever both have a hook.'
      : `Where it is not the published order:\n\n${[...said].map(([pair, where]) => `- ${pair} (${where.join('; ')})`).join('\n')}`,
    explanation,
  ];
}

/** Findings of a manual analysis on 6.12.107 and 5.10.262. Its statements about the tables can be checked there. */
const explanation = [
  'Why, as far as it was looked into by hand on 6.12.107, in instructions under icount:',
  '',
  '- **fentry against the tracepoints on `sys_enter`.** What is dear about the latter is not the program but the way there: while any tracepoint of system calls is on, every system call of every process takes the slow way in and out. `getpid()` without a program costs 321.5; with the trace event of another system call on (`sys_enter_acct`), which has nothing to do for `getpid()`, it costs 447.5. Those 126 are nearly all of what a raw or BTF tracepoint adds. A trampoline has no such price: it is a call from the function itself. It has become dearer all the same, from 32 on 5.10 to 114 and more from 6.1 on, which is why the two are now so close; that was not looked into. On arm64 both ways are other code; they were not measured here.',
  '- **raw against BTF tracepoint.** The same to the instruction where both are called with two arguments that the program ignores. What tells them apart is what a program may read.',
  '- **tracepoint.** `sys_enter_getpid` is a perf event behind the same `sys_enter`: the kernel looks the system call up, takes a buffer and copies the arguments before it asks the program. So it is dearer than the raw one by a multiple, and on x86-64 dearer than a kprobe.',
  '- **kprobe.** At the first instruction of a function it is no breakpoint on x86-64: `enabled_functions` shows `kprobe_ftrace_handler` there, and `kprobes/list` marks return probes `[FTRACE]`. It is a call that saves all registers. arm64 has no kprobes on ftrace ([arch-support.txt](https://github.com/torvalds/linux/blob/master/Documentation/features/debug/kprobes-on-ftrace/arch-support.txt)): there it is an exception, and the published kprobe is six times as dear as the published fentry.',
  '- **kprobe.multi** has fprobe in place of kprobe and perf event. It is cheaper than a kprobe on 6.12 and 7.3 and dearer on 6.18, where the function graph tracer calls it (`enabled_functions` shows `ftrace_graph_func`; on 7.3 it is `fprobe_ftrace_entry`). Where a kernel of 5.18 or later needs `CONFIG_FPROBE`, that was left out when it was built, as in Debian 12.',
  '- **uprobe and uretprobe** are a breakpoint in user space: an exception each, and for uretprobe one more way into the kernel at the return. Icount counts the instructions of the handlers, not what the processor does to get there and back, so on hardware the distance is larger than in instructions. The probed function begins with `push`, which the kernel emulates; most other first instructions would be stepped over by one more exception.',
].join('\n');

function renderKernel(kernel: KernelCosts): string[] {
  const { id, release, instructions, nanoseconds } = kernel;
  const title = `## ${release === null || release === id ? id : `${release} (\`${id}\`)`}`;
  const both = [found(instructions), found(nanoseconds)] as const;
  const errors = (
    [
      ['instructions', instructions],
      ['nanoseconds', nanoseconds],
    ] as const
  ).flatMap(([unit, lane]) =>
    'error' in lane ? [`- no ${unit}: ${escapeText(lane.error.replace(/^error: /, ''))}`] : [],
  );
  if (both.every((costs) => costs === undefined)) return [title, `It was not run.\n\n${errors[0] ?? ''}`];
  return [title, renderTable(...both), errors.join('\n')];
}

function renderTable(instructions: ProbeCosts | undefined, nanoseconds: ProbeCosts | undefined): string {
  const rows = (Object.keys(hooks) as Target[]).flatMap((target) => [
    [target, 'none', ...cellsOf(`${target}/none`)],
    ...hooks[target].flatMap((hook) => bodies.map((body) => [hook, body, ...cellsOf(`${target}/${hook}/${body}`)])),
  ]);
  function cellsOf(benchmark: string): string[] {
    return [...laneCells(instructions, benchmark), ...laneCells(nanoseconds, benchmark), ...publishedCells(benchmark)];
  }
  const columns = (unit: string) => [unit, 'overhead', '%'];
  return markdownTable(
    [['hook', 'body', ...columns('instructions'), ...columns('ns'), ...columns('published, ns')], ...rows],
    { align: ['l', 'l', 'r', 'r', 'r', 'r', 'r', 'r', 'r', 'r', 'r'] },
  );
}

function laneCells(found: ProbeCosts | undefined, benchmark: string): string[] {
  if (found === undefined) return ['', '', ''];
  const gap = found.gaps.get(benchmark);
  if (gap !== undefined) return [`needs ${gap.replace('Linux ', '')}`, '', ''];
  return costCells(found.costs, benchmark);
}

function publishedCells(benchmark: string): string[] {
  return costCells(published, benchmark);
}

function costCells(costs: ReadonlyMap<string, number>, benchmark: string): string[] {
  const cost = costs.get(benchmark);
  if (cost === undefined) return ['', '', ''];
  const overhead = overheadOf(costs, benchmark);
  return [
    formatNumber(cost, 1),
    overhead === undefined ? '' : formatDelta(overhead.added, 1),
    overhead === undefined ? '' : formatDelta(overhead.growth * 100, 0),
  ];
}
