import { expect, test } from 'vitest';
import { renderCounts } from '../../src/report/count-table.ts';
import { kernelResult, measurement, resultsOf } from './results-fixtures.ts';

const verification = {
  instructions: 1234,
  totalStates: 17,
  peakStates: 9,
  maxStatesPerInstruction: 3,
  markRead: 5,
  timeUs: 800,
};

function program(
  name: string,
  measures: Record<string, number>,
  refusal: string | null = null,
  log: readonly string[] = [],
) {
  return Object.entries(measures).map(([measure, value]) =>
    measurement({
      revision: 'head',
      lane: 'verifier',
      benchmark: `xdp/${name}`,
      measure,
      value,
      ...(measure === 'loads' && refusal === null ? { verification } : {}),
      ...(refusal === null ? {} : { refusal: { errno: 'EACCES', message: refusal, log } }),
    }),
  );
}

test('shows programs that load with their measures, and why others do not', () => {
  const sizes = { 'verified-instructions': 1234, 'stack-bytes': 64, 'xlated-bytes': 816, 'jited-bytes': 512 };
  const measurements = [
    ...program('pass', { loads: 1, ...sizes }),
    ...program('drop', { loads: 0 }, 'R1\nis\u001b[1m bad'),
  ];
  const gap = { kernel: '6.1', lane: 'verifier', revision: 'head' } as const;
  const gaps = [
    { ...gap, benchmark: 'xdp/newer', needs: '6.6' },
    { ...gap, benchmark: 'old/*', needs: null, reason: 'no such map' },
  ];
  const warnings = [{ about: ['xdp'], revision: 'head' as const, reason: 'other' }];
  expect(renderCounts(resultsOf(measurements, [kernelResult('6.1', { warnings })], undefined, gaps))).toBe(
    `6.1 (6.1.176): 1 program verified, 1 refused, 2 not tried
            verified  states  stack  xlated  jited  maps
  xdp/pass     1,234      17     64     816    512
  xdp/drop: refused: EACCES: R1\\nis\\u{1b}[1m bad
  xdp/newer: not tried: needs kernel 6.6
  old/*: not tried: no such map
  warning: xdp: other

verified: instructions that the verifier walked; states: those it remembered; the others: bytes
`,
  );
});

test("a refused program has the end of the verifier's log, without statistics", () => {
  const steps = [1, 2, 3, 4, 5].map((step) => `${step}: (b7) r1 = 0`);
  const log = [...steps, 'R1\u001b is bad', 'stack depth 4', 'processed 7 insns (limit 1000000) max_states_per_insn 0'];
  const measurements = [
    ...program('drop', { loads: 0 }, 'R1 is bad', log),
    ...program('long', { loads: 0 }, 'too many insns', ['too many insns']),
  ];
  expect(renderCounts(resultsOf(measurements, [kernelResult('6.1')]))).toContain(`2 refused
  xdp/drop: refused: EACCES: R1 is bad
    │ 2: (b7) r1 = 0
    │ 3: (b7) r1 = 0
    │ 4: (b7) r1 = 0
    │ 5: (b7) r1 = 0
    │ R1\\u{1b} is bad
  xdp/long: refused: EACCES: too many insns

`);
});

test('what a program was measured without is said below, once for all programs', () => {
  const warnings = [{ reason: 'maps with one entry:\nits loader would size them', detail: 'sized' }];
  const measurements = [
    ...program('pass', { loads: 1 }),
    ...program('drop', { loads: 1 }),
    measurement({
      revision: 'head',
      lane: 'instructions',
      benchmark: 'xdp/pass/arp',
      warnings: [{ reason: 'another packet' }],
    }),
    measurement({
      revision: 'head',
      lane: 'instructions',
      benchmark: 'xdp/pass/dns',
      warnings: [{ reason: 'another packet' }],
    }),
  ].map((each) => (each.measure === 'loads' ? { ...each, warnings } : each));
  expect(renderCounts(resultsOf(measurements, [kernelResult('6.1')]))).toContain(
    `  warning: xdp/drop and xdp/pass: maps with one entry:\\nits loader would size them (sized)
  warning: xdp/pass: another packet (on arp and dns)
`,
  );
});

test('a kernel that failed has its error', () => {
  const error = { kind: 'vm', message: 'the guest ended', hint: null, consoleTail: [], benches: [] } as const;
  const results = resultsOf(program('pass', { loads: 1 }), [kernelResult('6.1'), kernelResult('6.12', { error })]);
  expect(renderCounts(results)).toContain('6.12 (6.12.107): 0 programs verified\n  error: the guest ended\n');
});

test('runs with one count and return value share a line, and the most common is counted', () => {
  const run = (input: string, value: number, returned: string, exact = true) =>
    measurement({
      revision: 'head',
      lane: 'instructions',
      benchmark: `xdp/pass/${input}`,
      measure: 'bpf-instructions',
      value,
      exact,
      behavior: { returned, left: null },
    });
  const measurements = [
    ...program('pass', { loads: 1 }),
    ...['arp', 'dns', 'icmp', 'vlan'].map((input) => run(input, 1200, 'XDP_PASS')),
    run('gre', 77, 'XDP_PASS'),
    run('tcp-syn', 77, 'XDP_DROP'),
    run('udp-64', 120.5, 'XDP_PASS', false),
  ];
  const workload = { revision: 'head', lane: 'instructions', benchmark: 'xdp/probe/workload' } as const;
  measurements.push(
    measurement({ ...workload, measure: 'bpf-instructions', value: 4 }),
    measurement({ ...workload, measure: 'events', exact: false, samples: [{ count: 480, total: 30 }] }),
  );
  const alike = measurements.filter(({ benchmark, value }) => benchmark.startsWith('xdp/pass/') && value === 1200);
  expect(renderCounts(resultsOf(alike, [kernelResult('6.1')]))).toContain(`
  xdp/pass  1,200  XDP_PASS  all 4 inputs

verified: instructions that the verifier walked; states: those it remembered; the others: bytes
inputs: bpfgate's packets (packets/README.md) and contexts (docs/measurement.md), and those of [[input]]
all inputs: each took the same path: to see others, add packets by [[input]], or entries of maps by [[preset]]
`);
  expect(renderCounts(resultsOf(measurements, [kernelResult('6.1')]))).toContain(`
  instructions per run, and return value
  xdp/pass       77  XDP_PASS  gre
                 77  XDP_DROP  tcp-syn
             ~120.5  XDP_PASS  udp-64
              1,200  XDP_PASS  4 others
  xdp/probe       4            workload: 30 events in 480 calls

verified: instructions that the verifier walked; states: those it remembered; the others: bytes
inputs: bpfgate's packets (packets/README.md) and contexts (docs/measurement.md), and those of [[input]]
events in calls: runs of the program while the process of the workload made that many system calls
~: not exact: a mean of runs in readings that differ
`);
});
