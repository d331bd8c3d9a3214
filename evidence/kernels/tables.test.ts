import { expect, test } from 'vitest';
import type { DebianPin, SourcePin, TreeKernel } from '../../src/model/kernel.ts';
import { recordMeasurement } from '../../src/report/results.ts';
import { type KernelsRun, kernelTables, starts } from './tables.ts';

const common = { sha256: '0'.repeat(64), support: 'eol' } as const;
const debian = (minor: string, release: string): DebianPin => ({
  ...common,
  id: minor,
  minor,
  release,
  origin: 'debian',
  support: 'longterm',
  archive: 'debian',
  version: `${release}-1`,
  snapshot: '20261121T000000Z',
  packages: [],
});
const source: SourcePin = {
  ...common,
  id: '5.9',
  minor: '5.9',
  release: '5.9.16',
  origin: 'source',
  url: 'https://example.org/linux-5.9.16.tar.xz',
  agreeing: ['a recipe'],
};
const tree: TreeKernel = { ...common, id: '5.8:tree', minor: '5.8', release: '5.8.18', origin: 'tree' };

function measurement(kernel: string, benchmark: string, value: number, exact = true) {
  return recordMeasurement({
    kernel,
    revision: 'base',
    lane: 'instructions',
    benchmark,
    measure: 'bpf-instructions',
    unit: 'instructions',
    better: 'lower',
    kind: 'bpf-program',
    value,
    gross: value + 51,
    empty: 51,
    exact,
    resolution: 0,
    samples: [],
    runCount: 136,
    missedRuns: 0,
    warnings: [],
    source: null,
  });
}

const kernelsRun: KernelsRun = {
  ran: [
    { pin: tree },
    { pin: debian('5.10', '5.10.262'), error: 'the guest of kernel 5.10 panicked' },
    { pin: debian('6.1', '6.1.176') },
  ],
  leftOut: [{ pin: source, reason: 'it has not been built on this machine' }],
  missing: [
    { minor: '5.8', origin: 'debian', reason: 'Debian ships no image of it any more' },
    { minor: '5.9', origin: 'debian', reason: 'Debian ships no image of it any more' },
  ],
  samples: ['5.8:tree', '6.1'].flatMap((kernel) => [
    { kernel, subject: starts.floor, round: 1, times: { firstMs: null, endMs: 6000 } },
    { kernel, subject: starts.cold, round: 1, times: { firstMs: 9000, endMs: 9500 } },
    { kernel, subject: starts.snapshot, round: 1, times: { firstMs: 1800, endMs: 2000 } },
  ]),
  measurements: [
    measurement('5.8:tree', 'macro/fun_xdp', 95),
    measurement('6.1', 'macro/fun_xdp', 77),
    measurement('6.1', 'macro/fun_xdp #2', 147, false),
    measurement('6.1', 'macro/fun_xdp #3', 1162),
  ],
};

test('a kernel that failed has no count, and one that was not confirmed a mark', () => {
  const { ran = [], failures = [] } = kernelTables(kernelsRun);
  expect(ran.map((row) => [row.kernel, row['cold, × floor'], row.fun_xdp, row['#2']])).toEqual([
    ['5.8:tree', '1.50', '95 / 146', 'failed'],
    ['5.10', 'failed', 'failed', 'failed'],
    ['6.1', '1.50', '77 / 128', '~ 147 / 198'],
  ]);
  expect(failures).toEqual([{ what: '5.10', error: 'the guest of kernel 5.10 panicked' }]);
});

test('kernels that were left out for different reasons have a row each', () => {
  const other = { pin: { ...source, id: '5.11', minor: '5.11' }, reason: 'its tarball cannot be fetched' };
  const tables = kernelTables({ ...kernelsRun, leftOut: [...kernelsRun.leftOut, other] });
  expect(tables['not-run']?.map(({ kernels, releases }) => [kernels, releases])).toEqual([
    ['5.9', '5.9.16'],
    ['5.11', '5.9.16'],
  ]);
  expect(tables['not-pinned']).toEqual([
    { origin: 'debian', why: 'Debian ships no image of it any more', of: '5.8, 5.9' },
  ]);
});
