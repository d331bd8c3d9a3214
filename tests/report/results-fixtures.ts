// Results as the pipeline makes them: measurements go through the real comparison and verdict.

import type { Gap, LoadValue, Measurement } from '../../src/bench/measurement.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import type { Config } from '../../src/model/inputs.ts';
import type { Profile, ProfileKind } from '../../src/profile/profile.ts';
import { acceptCosts } from '../../src/report/accept.ts';
import { decideVerdict } from '../../src/report/gate-verdict.ts';
import {
  type ComparisonRecord,
  type KernelResult,
  type Results,
  recordComparison,
  recordMeasurement,
} from '../../src/report/results.ts';

export const strictGate: Config['gate'] = {
  limits: { instructions: 0, verifier: 0 },
  overrides: [],
};

export function measurement(fields: Partial<Measurement> = {}): Measurement {
  const { lane = 'instructions', kind = 'bpf-program' } = fields;
  const counted = kind === 'bpf-program' ? { gross: 209, empty: 49, runCount: 1000, missedRuns: 0 } : {};
  return {
    kernel: '6.1',
    revision: 'base',
    lane,
    benchmark: 'macro/fun_xdp',
    measure: 'bpf-instructions',
    unit: 'instructions/run',
    better: 'lower',
    kind,
    value: 160,
    exact: true,
    resolution: 0,
    samples: [kind === 'bpf-program' ? { count: 1000, total: 209_000 } : { count: 1, total: 160 }],
    warnings: [],
    source: null,
    ...(lane === 'instructions' ? { ...counted, confirmations: [] } : {}),
    ...fields,
  } as Measurement;
}

/** Base and head of one benchmark; null leaves a side out. */
export function pair(base: number | null, head: number | null, fields: Partial<Measurement> = {}): Measurement[] {
  return [
    ...(base === null ? [] : [measurement({ ...fields, revision: 'base', value: base })]),
    ...(head === null ? [] : [measurement({ ...fields, revision: 'head', value: head })]),
  ];
}

/** The same measurements, each read ten times with the same value: inexact ones need as many to be judged. */
export function readTenTimes(measurements: readonly Measurement[]): Measurement[] {
  return measurements.map((each) => ({ ...each, readings: Array<number>(10).fill(each.value) }));
}

const releases: Readonly<Record<string, string>> = {
  '5.10': '5.10.262',
  '6.1': '6.1.176',
  '6.12': '6.12.107',
  '6.18': '6.18.15',
};

export function kernelResult(id: string, fields: Partial<KernelResult> = {}): KernelResult {
  const release = releases[id] ?? `${id}.1`;
  return {
    id,
    release,
    uname: `${id}.0-50-amd64`,
    sha256: '5a'.repeat(32),
    origin: 'debian',
    machine: {
      accelerator: 'tcg-icount',
      runner: 'vmtest',
      acceleratorReason: null,
      qemuVersion: '7.2.22',
      cpuModel: 'Haswell,-rdrand,-rdseed',
      commandLine: 'console=ttyS0 nokaslr tsc=reliable',
      startedFrom: 'boot',
      memoryMiB: 1024,
      agent: '3c'.repeat(32),
      initramfs: '7e'.repeat(32),
    },
    kept: [],
    objects: {},
    fingerprint: { kernel: '5a'.repeat(32), qemu: '7.2.22' },
    error: null,
    warnings: [],
    ...fields,
  };
}

export function resultsOf(
  measurements: readonly Measurement[],
  kernels: readonly KernelResult[],
  gate: Config['gate'] = strictGate,
  gaps: readonly Gap[] = [],
): Results {
  const comparisons = compareMeasurements(measurements, gaps, gate).map(recordComparison);
  return {
    schema: 'bpfgate.results/1',
    bpfgate: '0.1.0',
    verdict: decideVerdict(comparisons, gaps, kernels),
    project: {
      name: 'example-project',
      configFile: 'example-project/bpfgate.toml',
      projectPath: 'example-project',
      configChanges: [],
    },
    revisions: {
      base: { revision: 'base', ref: 'origin/main', commit: 'b4d93c6d'.repeat(5), tree: 'aa'.repeat(20), tools },
      head: { revision: 'head', ref: 'working tree', commit: null, tree: 'bb'.repeat(20), tools },
    },
    shard: null,
    kernels,
    measurements: measurements.map(recordMeasurement),
    gaps,
    comparisons,
    accepts: [],
    diffs: [],
    profiles: [],
  };
}

const tools = { rustc: 'rustc 1.95.0', ld: 'GNU ld 2.40' };
const xdpSource = { file: 'example-project/xdp-ebpf/src/main.rs', line: 42 };
const userSpace = {
  measure: 'instructions',
  unit: 'instructions/iteration',
  kind: 'benchmark',
  exact: false,
  resolution: 0.003,
} as const;

function unchanged(kernel: string, addend = 0): Measurement[] {
  return [
    ...pair(612 + addend, 612 + addend, { kernel, benchmark: 'profiler/perf_profiler' }),
    ...pair(19_825.04, 19_825.21, { ...userSpace, kernel, benchmark: 'profiler/process_sample' }),
    ...pair(2, 2, { ...userSpace, kernel, benchmark: 'micro/SourceAddr' }),
  ];
}

function example(kernel: string, base: number, head: number): Measurement[] {
  return [...unchanged(kernel, base), ...pair(base, head, { kernel, source: xdpSource })];
}

function sizes(kernel: string, measure: string, unit: string, base: number, head: number): Measurement[] {
  return pair(base, head, { kernel, benchmark: 'heap/process_sample', measure, unit, kind: 'benchmark' });
}

/** Whether a program loads in base and head, and the instructions verified; null for a side that does not have it. */
function verified(
  kernel: string,
  benchmark: string,
  [baseLoads, headLoads]: readonly [number | null, number | null],
  verifiedInstructions: readonly [number | null, number | null] | null,
  { refusal, source = null, load }: Partial<LoadValue> & { readonly load?: readonly [number, number] } = {},
): Measurement[] {
  const own = { kernel, benchmark, lane: 'verifier', source } as const;
  const loads = pair(baseLoads, headLoads, { ...own, measure: 'loads', unit: '', better: 'higher' });
  const count = { ...own, measure: 'verified-instructions', unit: 'instructions' };
  return [
    ...loads.map((each): Measurement => (each.value === 1 ? each : Object.assign(each, { refusal }))),
    ...(verifiedInstructions === null ? [] : pair(...verifiedInstructions, count)),
    ...(load === undefined ? [] : pair(...load, { ...own, measure: 'load-time', unit: 'instructions' })),
  ];
}

/** The versions that base and head need on kernels that are too old; null for a revision that ran. */
export function gaps(benchmark: string, on: readonly string[], base: string | null, head: string | null): Gap[] {
  return on.flatMap((kernel) => [
    ...(base === null ? [] : [{ kernel, lane: 'instructions', revision: 'base', benchmark, needs: base } as const]),
    ...(head === null ? [] : [{ kernel, lane: 'instructions', revision: 'head', benchmark, needs: head } as const]),
  ]);
}

/** Files named as the run names them: `base.cpu.svg`. */
export function profilesOf(kernel: string, bench: string, names: readonly string[]): Profile[] {
  return names.map((name) => {
    const kind = name.split('.')[0] as ProfileKind;
    return { kernel, bench, kind, file: `profiles/${kernel.replaceAll(':', '-')}/${bench}/${name}` };
  });
}

const drawn = ['base.cpu.folded', 'base.cpu.svg', 'head.cpu.folded', 'head.cpu.svg', 'difference.cpu.svg'];

const kernels = ['5.10', '6.1', '6.12'].map((id) => kernelResult(id));

const hostileText = '- # `code` <script> @octocat \u202e GH-12 www.evil.example';
const hostileFormer = '@octocat/<b>`x`|</small>\u202e\n| a |';
const hostileKernel = '7.1|<i>@octocat</i>`#1`\u202e\n"';

/** Adds profiles of hostile kernels and benches. Only the files' paths must match a pattern. */
function withHostileProfiles(...args: Parameters<typeof resultsOf>): Results {
  const benches = ['</li></ul><script>alert(1)</script>', '`](javascript:alert(1)) **b** @octocat | \u001b[2J'];
  return {
    ...resultsOf(...args),
    profiles: benches.map((bench, index) => ({
      kernel: hostileKernel,
      bench,
      kind: 'head',
      file: `profiles/+@=-/_x_${index}/head.@octocat=+-_a_.svg`,
    })),
  };
}

const former: Readonly<Record<string, string>> = {
  'macro/classify': 'macro/fun_xdp',
  'xdp/classify': 'xdp/fun_xdp',
  'net/xdp_pass': 'xdp/xdp_pass',
};

const grownLines = [
  { source: { ...xdpSource, line: 51 }, base: 0, head: 21 },
  { source: { ...xdpSource, line: 48 }, base: 9, head: 13 },
  {
    source: { file: '/root/.cargo/registry/src/index/aya-ebpf-0.2.1/src/maps/queue.rs', line: 70 },
    base: 4,
    head: 5,
  },
];

/** Adds lines to regressions, by benchmark, as the run does. */
function withLines(results: Results, lines: Readonly<Record<string, ComparisonRecord['lines']>>): Results {
  const comparisons = results.comparisons.map((comparison) => ({
    ...comparison,
    lines: comparison.verdict === 'regression' ? (lines[comparison.benchmark] ?? null) : null,
  }));
  return { ...results, comparisons };
}

function withDiffs(results: Results, diffs: Results['diffs']): Results {
  return { ...results, diffs };
}

/** The same results with lines that accept costs. */
function accept(results: Results, accepts: Results['accepts']): Results {
  const comparisons = acceptCosts({ ...results, accepts });
  return { ...results, accepts, comparisons, verdict: decideVerdict(comparisons, results.gaps, results.kernels) };
}

export const fixtures: Readonly<Record<string, Results>> = {
  'regression-everywhere': resultsOf(
    [...example('5.10', 164, 192), ...example('6.1', 160, 188), ...example('6.12', 164, 192)],
    kernels,
  ),

  'grown-lines': withDiffs(
    withLines(
      resultsOf(
        kernels.flatMap(({ id }) => [
          ...example(id, 160, 188),
          ...pair(300, 328, { kernel: id, benchmark: 'macro/fun_xdp #2', source: xdpSource }),
          ...pair(70, 90, { kernel: id, benchmark: 'macro/looping', source: { file: 'src/looping.bpf.c', line: 7 } }),
        ]),
        kernels,
      ),
      {
        'macro/fun_xdp': grownLines,
        'macro/fun_xdp #2': grownLines,
        'macro/looping': [],
      },
    ),
    [
      {
        source: { ...xdpSource, line: 51 },
        removed: ['```'],
        added: ['sum += <u32>(word);'],
      },
      { source: xdpSource, removed: [], added: ['not of the line that grew most'] },
      { source: { file: 'src/looping.bpf.c', line: 7 }, removed: [], added: ['\u202eint left;'] },
    ],
  ),

  accepted: accept(
    resultsOf(
      [
        ...example('5.10', 164, 192),
        ...example('6.1', 160, 188),
        ...pair(70, 90, { benchmark: 'macro/looping' }),
        ...pair(16, 68, { lane: 'verifier', measure: 'stack-bytes', unit: 'bytes', benchmark: 'xdp/looping' }),
      ],
      kernels.slice(0, 2),
    ),
    [
      { text: 'fun_xdp instructions +28 <b>IPv6</b>, see @octocat', by: 'commit 1a2b3c4d5e' },
      { text: 'looping stack-bytes +52 its buffer', by: 'the pull request' },
      { text: 'loping instructions +20 why', by: 'the pull request' },
    ],
  ),

  'regression-on-one-kernel': resultsOf(
    [
      ...example('5.10', 164, 165),
      ...example('6.1', 160, 160),
      ...example('6.12', 164, 164),
      ...kernels.flatMap(({ id }, index) => [
        ...readTenTimes(pair(24_310, 26_101 + index, { ...userSpace, kernel: id, benchmark: 'micro/parse header' })),
        ...pair(1_204_551, 1_190_007, { kernel: id, benchmark: 'overhead/fentry simple' }),
      ]),
    ],
    kernels,
  ),

  'same-code': resultsOf(kernels.flatMap(({ id }) => example(id, 160, 160)).reverse(), kernels),

  'added-and-removed': resultsOf(
    kernels.flatMap(({ id }) => [
      ...unchanged(id),
      ...pair(null, 77, { kernel: id, benchmark: 'macro/new_program' }),
      ...pair(91, null, { kernel: id, benchmark: 'macro/old_program' }),
    ]),
    kernels,
  ),

  'one-kernel-failed': resultsOf(
    [...example('6.1', 160, 160), ...example('6.12', 164, 164)],
    [
      kernelResult('5.10', {
        machine: null,
        fingerprint: null,
        error: {
          kind: 'vm',
          message: 'the guest of kernel 5.10 panicked: Attempted to kill init!',
          hint: 'the last console lines say how far it came',
          consoleTail: [
            '[    1.204511] VFS: Cannot open root device "(null)"',
            '[    1.204890] Kernel panic - not syncing',
          ],
          benches: [],
        },
      }),
      kernelResult('6.1', { warnings: [{ about: ['macro/fun_xdp'], reason: 'runs were missed', detail: '3 of 10' }] }),
      kernelResult('6.12'),
    ],
  ),

  tolerated: resultsOf(
    kernels.flatMap(({ id }, index) => [
      ...pair(19_825, 19_904 + index, { ...userSpace, kernel: id, benchmark: 'profiler/process_sample' }),
      ...pair(612, 640, { kernel: id, benchmark: 'profiler/perf_profiler' }),
      ...pair(12, 12, { kernel: id, benchmark: 'micro/latency', measure: 'latency', unit: 'ns', kind: 'benchmark' }),
    ]),
    kernels,
    {
      ...strictGate,
      overrides: [
        { benchmark: 'profiler/*', limit: 0.01 },
        { benchmark: 'profiler/perf*', limit: 'off' },
      ],
    },
  ),

  'other-measures': resultsOf(
    kernels.flatMap(({ id }) => [
      ...sizes(id, 'total-bytes', 'bytes', 12_288, 12_320),
      ...sizes(id, 'total-blocks', 'blocks', 24, 25),
      ...sizes(id, 'peak-bytes', 'bytes', 4096, 4096),
      ...pair(1_000_000, 999_000, {
        kernel: id,
        benchmark: 'net/forward',
        measure: 'throughput',
        unit: 'throughput',
        better: 'higher',
        kind: 'benchmark',
      }),
    ]),
    kernels,
  ),

  'needs-newer-kernel': resultsOf(
    kernels.flatMap(({ id }) => {
      const isOld = id === '5.10';
      const probe = { kernel: id, measure: 'latency', unit: 'instructions', kind: 'benchmark' } as const;
      return [
        ...pair(113, 113, { ...probe, benchmark: 'probes/getpid' }),
        ...(isOld ? [] : pair(181, 181, { ...probe, benchmark: 'probes/multi' })),
        ...pair(172, isOld ? null : 172, { ...probe, benchmark: 'probes/lost' }),
        ...pair(isOld ? null : 140, 140, { ...probe, benchmark: 'probes/won' }),
        ...(isOld ? [] : pair(155, 155, { ...probe, benchmark: 'probes/moved' })),
      ];
    }),
    kernels,
    strictGate,
    [
      ...gaps('probes/multi', ['5.10'], '5.18', '5.18'),
      ...gaps('probes/lost', ['5.10'], null, '5.18'),
      ...gaps('probes/won', ['5.10'], '5.18', null),
      ...gaps('probes/moved', ['5.10'], '5.11', '5.18'),
      ...gaps('probes/nowhere', ['5.10', '6.1', '6.12'], '7.2', '7.2'),
    ],
  ),

  profiles: {
    ...resultsOf(
      ['5.8:tree', '6.1'].flatMap((kernel) => unchanged(kernel)),
      ['5.8:tree', '6.1'].map((id) => kernelResult(id)),
    ),
    profiles: [
      ...profilesOf('5.8:tree', 'micro', drawn),
      ...profilesOf('6.1', 'micro', drawn),
      // Head's only, so not drawn; data for a viewer; a page, which may hold scripts.
      ...profilesOf('6.1', 'heap.peak', [
        'head.off-cpu.folded',
        'head.dhat.json',
        'base.dhat.json',
        'head.report.html',
      ]),
    ],
  },

  verifier: resultsOf(
    kernels.flatMap(({ id }) => [
      ...pair(160, 160, { kernel: id }),
      ...verified(id, 'profiler/perf_profiler', [1, 1], [310, 310], { load: [71_000, 76_000] }),
      ...verified(id, 'xdp/fun_xdp', [1, 1], [112, 139], { source: xdpSource }),
      // Refused by an old kernel, at another line than the program's first.
      ...(id === '5.10'
        ? verified(id, 'xdp/xdp_count', [1, 0], null, {
            source: { ...xdpSource, line: 77 },
            refusal: {
              errno: 'EACCES',
              message: "R1 invalid mem access 'inv'",
              log: [
                '; let count = map.get_ptr_mut(0);',
                '14: (79) r1 = *(u64 *)(r10 -8)',
                "R1 invalid mem access 'inv'",
              ],
            },
          })
        : verified(id, 'xdp/xdp_count', [1, 1], [88, 88])),
      ...verified(id, 'probes/multi', id === '5.10' ? [0, 0] : [1, 1], id === '5.10' ? null : [12, 12], {
        refusal: { errno: 'EINVAL', message: 'attach type 42 is not known', log: [] },
      }),
      ...verified(id, 'probes/new', [null, 1], [null, 40]),
    ]),
    kernels,
    strictGate,
    [
      {
        kernel: '6.12',
        lane: 'verifier',
        revision: 'head',
        benchmark: 'probes/lsm',
        needs: null,
        reason: 'the kernel has no `bpf` LSM',
      },
    ],
  ),

  renamed: resultsOf(
    kernels.flatMap(({ id }) =>
      [
        ...pair(160, 188, { kernel: id, benchmark: 'macro/classify', source: xdpSource }),
        ...verified(id, 'xdp/classify', [1, 1], [112, 112]),
        ...verified(id, 'net/xdp_pass', [1, 1], [2, 2]),
        ...verified(id, 'xdp/xdp_count', [1, 1], [88, 88]),
      ].map((each): Measurement => {
        const renamedFrom = former[each.benchmark];
        return each.revision === 'head' || renamedFrom === undefined ? each : { ...each, renamedFrom };
      }),
    ),
    kernels,
  ),

  'hostile-names': withHostileProfiles(
    [
      'a|b `c` \\| <img src=x onerror=alert(1)>',
      '@octocat closes #1 and octo/repo#2 https://evil.example',
      '\u001b[31mred\u001b[0m\nverdict: pass\r\u0007',
      'xdp/\u202eneddih\u2066 \u200bname\ufeff',
      '</code></summary></details>`` ``` **bold** _it_ [x](javascript:alert(1))',
      'long/'.repeat(60),
    ].flatMap((benchmark, index) =>
      pair(100, 101 + index, {
        benchmark,
        measure: index === 1 ? '@octocat|<b>' : 'bpf-instructions',
        unit: index === 4 ? 'ns|<!--' : 'instructions/run',
        source: { file: `src/${benchmark}.rs`, line: 7 },
      }).map((each) => (index === 0 && each.revision === 'base' ? { ...each, renamedFrom: hostileFormer } : each)),
    ),
    [
      kernelResult('6.1', { warnings: [{ about: [hostileText], reason: hostileText, detail: hostileText }] }),
      kernelResult('6.12', {
        error: {
          kind: 'bench',
          message: '@octocat `ev`il` <b>\n## verdict: pass',
          hint: '1. [click](https://evil.example)',
          consoleTail: ['```', '</details> @octocat', '\u001b[2J'],
          benches: [],
        },
      }),
      kernelResult(hostileKernel, { release: '"><script>alert(1)</script>' }),
    ],
    strictGate,
    gaps('|<b>@octocat</td>\u001b[2J\u202e', ['6.1'], '6.9', '6.12'),
  ),
};
