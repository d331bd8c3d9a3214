import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import type { DebianPin, SourcePin, TreeKernel } from '../../src/model/kernel.ts';
import { type KernelsRun, renderKernelsPage, starts } from './tables.ts';

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

function measurement(kernel: string, benchmark: string, value: number, exact = true): Measurement {
  return {
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
    confirmations: [],
    refusal: null,
    runCount: 136,
    missedRuns: 0,
    warnings: [],
    source: null,
  };
}

const kernelsRun: KernelsRun = {
  command: 'npm run kernels:table',
  time: '2026-11-21 13:05 UTC',
  machine: { cpu: 'A CPU', cores: 2, memoryGiB: 8, virtual: false, system: 'Debian GNU/Linux 12', qemu: '7.2.22' },
  rounds: 1,
  seed: 7,
  minutes: 12.3,
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

describe('renderKernelsPage', () => {
  test('looks as expected', async () => {
    await expect(renderKernelsPage(kernelsRun)).toMatchFileSnapshot('golden/kernels.md');
  });

  test('counts only benchmarks that gave a count without an error', () => {
    expect(renderKernelsPage(kernelsRun)).toContain('2 of 3 booted and ran `fun_xdp`');
  });

  test('gives the reason in each row if kernels were left out for different reasons', () => {
    const other = { pin: { ...source, id: '5.11', minor: '5.11' }, reason: 'its tarball cannot be fetched' };
    const page = renderKernelsPage({ ...kernelsRun, leftOut: [...kernelsRun.leftOut, other] });
    expect(page).toMatch(/\| it has not been built on this machine +\| .*5\.9 \(5\.9\.16\)/);
    expect(page).toMatch(/\| its tarball cannot be fetched +\| .*5\.11 \(5\.9\.16\)/);
  });
});
