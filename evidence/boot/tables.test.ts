import { describe, expect, test } from 'vitest';
import type { Sample } from '../statistics.ts';
import { type BootRun, bootTables, findFindings, subjectNames } from './tables.ts';

/** Milliseconds until the first benchmark on 6.1; 5.10 takes twice as long. */
const untilFirst = {
  [subjectNames.floor]: 6000,
  [subjectNames.icountFloor]: 20_000,
  [subjectNames.vmtest]: 12_000,
  [subjectNames.vng]: 15_000,
  [subjectNames.execCold]: 9600,
  [subjectNames.execSnapshot]: 2400,
  [subjectNames.laneCold]: 9000,
  [subjectNames.laneSnapshot]: 1800,
};

function sampleOf(kernel: string, subject: keyof typeof untilFirst, round: number): Sample {
  const ms = untilFirst[subject] * (kernel === '5.10' ? 2 : 1);
  const isFloor = subject === subjectNames.floor || subject === subjectNames.icountFloor;
  return { kernel, subject, round, times: { firstMs: isFloor ? null : ms, endMs: isFloor ? ms : ms + 500 } };
}

const samples = ['5.10', '6.1'].flatMap((kernel) =>
  Object.values(subjectNames).flatMap((subject) =>
    (subject === subjectNames.icountFloor ? [1] : [1, 2]).map((round) => sampleOf(kernel, subject, round)),
  ),
);

const bootRun: BootRun = {
  kernels: ['5.10', '6.1'],
  samples,
  saved: [{ kernel: '6.1', way: 'instruction lane', bytes: 100 * 2 ** 20, initramfsMs: 900 }],
};

describe('findFindings', () => {
  const findings = findFindings(bootRun);

  test('requires a distance to the floor on 6.1 and 6.12 only', () => {
    const toFloor = findings.filter(({ requirement }) => requirement.includes('floor'));
    expect(toFloor).toEqual([
      { requirement: 'cold, at most 1.5 × the floor', kernel: '6.1', ratios: [1.6, 1.5], limit: 1.5 },
      { requirement: 'from a snapshot, at most 0.5 × the floor', kernel: '6.1', ratios: [0.4, 0.3], limit: 0.5 },
    ]);
  });

  test('requires to be ahead of both others on every kernel, and 5.10 against 6.1', () => {
    expect(findings.filter(({ requirement }) => requirement.includes('ahead of'))).toHaveLength(8);
    expect(findings.filter(({ requirement }) => requirement.includes('twice 6.1'))).toEqual([
      { requirement: 'cold, at most twice 6.1', kernel: '5.10', ratios: [2, 2], limit: 2 },
      { requirement: 'from a snapshot, at most twice 6.1', kernel: '5.10', ratios: [2, 2], limit: 2 },
    ]);
  });
});

test('shows failures, and what could not be measured', () => {
  const failing = samples.map((sample) =>
    sample.subject === subjectNames.vng && sample.kernel === '6.1'
      ? { ...sample, times: undefined, error: 'vng ended with 1' }
      : sample,
  );
  const { times = [], requirements = [], failures = [] } = bootTables({ ...bootRun, samples: failing });
  expect(requirements.filter((row) => row.holds === 'no')).toMatchObject([
    { 'bpfgate exec': '1.60', 'instruction lane': '1.50' },
    { 'bpfgate exec': '', 'instruction lane': '' },
    { 'bpfgate exec': '', 'instruction lane': '' },
  ]);
  expect(failures[0]).toEqual({ kernel: '6.1', way: 'stock vng', round: 1, error: 'vng ended with 1' });
  expect(times.find((row) => row.kernel === '6.1' && row.way === 'stock vng')).toMatchObject({
    boots: 0,
    'to the first benchmark, s': 'failed',
  });
});
