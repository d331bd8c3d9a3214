import { expect, test } from 'vitest';
import type { FaultOutcome } from './fault.ts';
import { findGrowth, type GateState, renderFaults } from './page.ts';

const state = (gate: number, more: Partial<GateState> = {}): GateState => ({
  ...{ gate, verdict: 'pass', rssMiB: 100, heapMiB: 20, openFiles: 30 },
  ...{ temporaryEntries: 0, cacheEntries: 9, warnings: [], ...more },
});

test('a series of gates without growth is correct', () => {
  expect(findGrowth([state(1, { rssMiB: 70 }), ...Array.from({ length: 20 }, (_, i) => state(i + 2))])).toEqual([]);
});

test.each([
  ['resident memory', { rssMiB: 140 }],
  ['heap', { heapMiB: 26 }],
  ['open files', { openFiles: 31 }],
  ['TMPDIR', { temporaryEntries: 1 }],
  ['cache', { cacheEntries: 10 }],
  ['regression', { verdict: 'regression' }],
  ['a leak', { warnings: ['a leak'] }],
] as const)('%s that grows is named', (name, more) => {
  const gates = [...Array.from({ length: 20 }, (_, i) => state(i + 1)), state(21, more)];
  expect(findGrowth(gates).join()).toContain(name);
});

test('a single gate shows no growth, and the page says so', () => {
  expect(findGrowth([state(1)])).toEqual(['there are not two gates to compare']);
});

test('each fault has a row with what it left behind, or nothing', () => {
  const outcome: FaultOutcome = {
    fault: { name: 'a', what: 'b | c', stage: 'boot', expect: { codes: [3] } },
    ...{ code: 3, message: 'lost', seconds: 1.2, peakMiB: 99.9, othersPeakMiB: 30.1, left: [], problems: [] },
  };
  const other: FaultOutcome = { ...outcome, fault: { ...outcome.fault, name: 'z-1' }, left: ['/tmp/x.sock'] };
  const names = ['a', 'c', 'z-1'];
  const before = renderFaults('Not yet measured.', [other], { names, date: 'before' });
  const rows = renderFaults(before, [outcome], { names, date: 'now' }).split('\n').slice(-2);
  expect(rows).toEqual([
    '| a | b &#124; c | boot | lost | 3 | nothing | 1 | 100 | 30 | now |',
    expect.stringMatching(/^\| z-1 \| .* \| \/tmp\/x\.sock \| 1 \| 100 \| 30 \| before \|$/),
  ]);
  expect(renderFaults(before, [outcome], { names: ['a'], date: 'now' })).not.toContain('z-1');
});
