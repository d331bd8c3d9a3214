// Boot times: renders docs/benchmarks/boot.md from the samples of one run. Pure.

import { markdownTable } from 'markdown-table';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { MachineDescription } from '../host.ts';
import { medianRatio, type Sample, spreadOf, timesOf, untilFirst } from '../statistics.ts';

/** Every subject, in the order of the tables. */
export const subjectNames = {
  floor: 'floor',
  icountFloor: 'floor under icount',
  vmtest: 'stock vmtest',
  vng: 'stock `vng`',
  execCold: '`bpfgate exec`, cold',
  execSnapshot: '`bpfgate exec`, from a snapshot',
  laneCold: 'instruction lane, cold',
  laneSnapshot: 'instruction lane, from a snapshot',
} as const;

/** Two ways in which bpfgate starts a guest, each cold and from a snapshot. */
const ways = [
  { name: '`bpfgate exec`', cold: subjectNames.execCold, snapshot: subjectNames.execSnapshot },
  { name: 'instruction lane', cold: subjectNames.laneCold, snapshot: subjectNames.laneSnapshot },
] as const;

export interface SavedMachine {
  readonly kernel: string;
  readonly way: (typeof ways)[number]['name'];
  readonly bytes: number;
  /** Time in the initramfs, of the boot that saved the snapshot. */
  readonly initramfsMs?: number | undefined;
}

export interface BootRun {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly versions: { readonly vmtest: string; readonly vng: string };
  /** Why this machine has no KVM. */
  readonly withoutKvm: string;
  readonly rounds: number;
  /** Number of rounds in which the slow subjects took part. */
  readonly slowRounds: { readonly icountFloor: number; readonly vng: number };
  readonly seed: number;
  /** Load average over one minute, before the first round and after the last one. */
  readonly load: { readonly before: number; readonly after: number };
  readonly minutes: number;
  readonly kernels: readonly { readonly id: string; readonly release: string }[];
  readonly samples: readonly Sample[];
  readonly saved: readonly SavedMachine[];
}

/** One requirement for the boots, and the measured ratios. */
export interface Finding {
  readonly requirement: string;
  readonly kernel: string;
  /** Ratio for each of `ways`, in their order; undefined if it was not measured. */
  readonly ratios: readonly (number | undefined)[];
  readonly limit: number;
}

/** Kernels whose boot time has a limit relative to the floor. */
const limited = ['6.1', '6.12'];

/** Compares the boots with the requirements. Every ratio is the median of the ratios within each round. */
export function findFindings({ kernels, samples }: BootRun): Finding[] {
  const ids = kernels.map(({ id }) => id);
  const compare = (start: 'cold' | 'snapshot', kernel: string, to: { kernel?: string; subject?: string }) =>
    ways.map((way) => {
      const series = { kernel, subject: way[start] };
      return medianRatio(samples, series, { ...series, ...to });
    });
  const starts = [
    ['cold', 'cold', 1.5],
    ['snapshot', 'from a snapshot', 0.5],
  ] as const;
  const findings: Finding[] = [];
  for (const [start, said, limit] of starts) {
    for (const kernel of ids.filter((id) => limited.includes(id))) {
      const ratios = compare(start, kernel, { subject: subjectNames.floor });
      findings.push({ requirement: `${said}, at most ${limit} × the floor`, kernel, ratios, limit });
    }
  }
  for (const [start, said] of starts) {
    for (const subject of [subjectNames.vmtest, subjectNames.vng]) {
      for (const kernel of ids) {
        const ratios = compare(start, kernel, { subject });
        findings.push({ requirement: `${said}, ahead of ${subject}`, kernel, ratios, limit: 1 });
      }
    }
  }
  if (ids.includes('5.10') && ids.includes('6.1')) {
    for (const [start, said] of starts) {
      const ratios = compare(start, '5.10', { kernel: '6.1' });
      findings.push({ requirement: `${said}, at most twice 6.1`, kernel: '5.10', ratios, limit: 2 });
    }
  }
  return findings;
}

export function renderBootPage(run: BootRun): string {
  const { machine, load } = run;
  const findings = findFindings(run);
  const blocks = [
    '# How long a boot takes',
    `Made by \`${run.command}\`, ${run.time}, which took ${countOf(Math.round(run.minutes), 'minute')}; not written by hand.`,
    'From the start of the first process on the host until a benchmark can run, for every way to boot one pinned kernel, against a floor: plain QEMU with an initramfs that ends the machine at once. Every guest has one CPU and 2048 MiB and is emulated (TCG).',
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}`,
      `- load over a minute: ${load.before.toFixed(1)} before the first round, ${load.after.toFixed(1)} after the last; the benchmark by itself makes about 1, and more than ${machine.cores} means that others were waited for`,
      `- ${countOf(run.rounds, 'round')}, every subject of every kernel once a round (\`vng\` in the first ${run.slowRounds.vng} and the floor under icount in the first ${run.slowRounds.icountFloor}, which are slow), in an order shuffled from seed ${run.seed}`,
    ].join('\n'),
    renderReading(run, findings),
    ...run.kernels.map((kernel) => renderKernel(run, kernel)),
    renderSaved(run),
    renderFailures(run.samples),
    renderSubjects(run),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderReading({ samples, kernels }: BootRun, findings: readonly Finding[]): string {
  const answers = findings.flatMap(({ ratios, limit }) => ratios.map((ratio) => holds(ratio, limit)));
  const count = (answer: boolean) => answers.filter((each) => each === answer).length;
  const unknown = answers.length - count(true) - count(false);
  const rows = findings.map(({ requirement, kernel, ratios, limit }) => [
    requirement,
    kernel,
    ...ratios.map((ratio) => {
      const answer = holds(ratio, limit);
      if (ratio === undefined || answer === undefined) return 'not measured';
      return answer ? `${formatRatio(ratio)}: holds` : `${formatRatio(ratio)}: **does not hold**`;
    }),
  ]);
  const icount = kernels.flatMap(({ id }) => {
    const ratioOf = (subject: string) =>
      medianRatio(samples, { kernel: id, subject }, { kernel: id, subject: subjectNames.icountFloor });
    const [cold, snapshot] = [ratioOf(subjectNames.laneCold), ratioOf(subjectNames.laneSnapshot)];
    return cold === undefined || snapshot === undefined
      ? []
      : [`${formatRatio(cold)} cold and ${formatRatio(snapshot)} from a snapshot on ${id}`];
  });
  return [
    '## What is asked of it',
    `Of ${answers.length} statements ${count(true)} hold, ${count(false)} ${count(false) === 1 ? 'does' : 'do'} not${unknown === 0 ? '' : `, ${unknown} could not be measured`}. Each number is ours over theirs: the median of the ratios within each round, from the start until the first benchmark.`,
    markdownTable([['requirement', 'kernel', ...ways.map(({ name }) => name)], ...rows]),
    icount.length === 0
      ? ''
      : `The instruction lane counts under icount, where the same kernel on plain QEMU is slower than the floor. Against that second floor the lane is at ${icount.join('; ')}.`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

/** @returns undefined if nothing was measured */
function holds(ratio: number | undefined, limit: number): boolean | undefined {
  if (ratio === undefined) return undefined;
  // A limit of 1 means strictly faster.
  return limit === 1 ? ratio < 1 : ratio <= limit;
}

function renderKernel({ samples }: BootRun, kernel: { readonly id: string; readonly release: string }): string {
  const floor = { kernel: kernel.id, subject: subjectNames.floor };
  const rows = Object.values(subjectNames).map((subject) => {
    const times = timesOf(samples, kernel.id, subject);
    const isFloor = subject === subjectNames.floor || subject === subjectNames.icountFloor;
    const own = { kernel: kernel.id, subject };
    const ends = { pick: ({ endMs }: { endMs: number }) => endMs };
    return [
      subject,
      String(times.length),
      isFloor ? '' : formatSpread(times.map(untilFirst)),
      isFloor ? '' : formatRatio(medianRatio(samples, own, floor)),
      formatSpread(times.map(({ endMs }) => endMs)),
      formatRatio(medianRatio(samples, { ...own, ...ends }, { ...floor, ...ends })),
    ];
  });
  return [
    `## ${kernel.release}`,
    markdownTable([['', 'boots', 'to the first benchmark, s', '× floor', 'to the end, s', '× floor'], ...rows], {
      align: ['l', 'r', 'r', 'r', 'r', 'r'],
    }),
  ].join('\n\n');
}

function renderSaved({ saved, samples }: BootRun): string {
  if (saved.length === 0) return '';
  const rows = saved.map(({ kernel, way, bytes, initramfsMs }) => {
    const subject = ways.find(({ name }) => name === way)?.cold ?? '';
    const without = spreadOf(timesOf(samples, kernel, subject).flatMap((times) => times.initramfsMs ?? []))?.median;
    const adds = initramfsMs === undefined || without === undefined ? undefined : (initramfsMs - without) / 1000;
    return [kernel, way, `${Math.round(bytes / 2 ** 20)}`, adds === undefined ? '' : adds.toFixed(2)];
  });
  return [
    '## What a snapshot costs',
    'Each was saved before the first round, in one boot that is in no other table. What saving adds is the time that boot spent in the initramfs, less the median of the boots that saved none.',
    markdownTable([['kernel', 'of', 'size, MiB', 'saving adds, s'], ...rows], { align: ['l', 'l', 'r', 'r'] }),
  ].join('\n\n');
}

function renderFailures(samples: readonly Sample[]): string {
  const failures = samples.filter(({ error }) => error !== undefined);
  if (failures.length === 0) return '';
  const lines = failures.map(
    ({ kernel, subject, round, error = '' }) => `- ${kernel}, ${subject}, round ${round}: ${escapeText(error)}`,
  );
  return ['## What failed', lines.join('\n')].join('\n\n');
}

function renderSubjects({ versions, withoutKvm }: BootRun): string {
  return [
    '## What each row is',
    [
      "- **floor**: `qemu-system-x86_64 -nodefaults -display none -no-reboot -serial stdio -smp 1 -m 2048 -accel tcg`, QEMU's default CPU model, `console=ttyS0 panic=-1`, the pinned `vmlinuz` and an initramfs whose init, a static busybox, reboots, which `-no-reboot` takes for the end. From the start of QEMU to its end.",
      "- **floor under icount**: the same with the QEMU arguments of the instruction lane's machine (`-icount shift=0,sleep=off,align=off` among them). A stock kernel measures its timer there by spinning for 0.2 s, which takes about 12 s.",
      `- **stock vmtest** (${versions.vmtest}): the pinned \`vmlinuz\` and a command that makes a file in the shared folder; the first benchmark is when the file is there. Where \`/dev/kvm\` exists, vmtest asks for KVM; \`extra_args\` take that back and give the CPU model it would else choose (qemu64). Debian's kernels have 9p, virtio and overlayfs as modules, so it is also given an initramfs that loads these, mounts the host's root as vmtest's parameters say, under an overlay, and starts vmtest's own init.`,
      `- **stock \`vng\`** (${versions.vng}): \`vng --run vmlinuz --disable-kvm --cpus 1 --memory 2048M --rwdir FOLDER -- touch FOLDER/started\`, with the kernel's modules in \`lib/modules\` beside it. Measured as vmtest is.`,
      '- **`bpfgate exec`**: the whole command, bundled from these sources as `dist/` is: `bpfgate exec --kernel K [--no-snapshot] -- echo started`. The first benchmark is the first byte of output on the host.',
      '- **instruction lane**: the machine on which `bpfgate run` counts, from the start of the runner until the agent in the guest is ready to start a command. What a run does once, and before any boot (finding tools, builds), is not in it.',
    ].join('\n'),
    'Ours can be below the floor, which is as slow as a stock start is: bpfgate gives QEMU the kernel unpacked, a CPU model that is cheap to emulate, and parameters that leave out self-tests and page-table isolation.',
    `Not measured: KVM (${escapeText(withoutKvm)}), kernels that bpfgate compiles itself, and more than one guest at once.`,
  ].join('\n\n');
}

/** Median and range in seconds: `5.32 (5.21–6.02)`. */
function formatSpread(values: readonly number[]): string {
  const spread = spreadOf(values);
  if (spread === undefined) return 'failed';
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  const range = values.length === 1 ? '' : ` (${seconds(spread.min)}–${seconds(spread.max)})`;
  return `${seconds(spread.median)}${range}`;
}

function formatRatio(ratio: number | undefined): string {
  return ratio === undefined ? '' : ratio.toFixed(2);
}
