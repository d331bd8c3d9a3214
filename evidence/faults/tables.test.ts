import { describe, expect, test } from 'vitest';
import { readRecord } from '../record.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { faults } from './faults.ts';
import { type FaultsRecord, faultsRecord, findGrowth, type GateState, mergeRecords, recordOf } from './tables.ts';

const state = (gate: number, more: Partial<GateState> = {}): GateState => ({
  gate,
  verdict: 'pass',
  rssMiB: 100,
  heapMiB: 20,
  openFiles: 30,
  temporaryEntries: 0,
  cacheEntries: 9,
  warnings: [],
  ...more,
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

describe('the table of faults', () => {
  const fault = (name: string, more: Partial<Fault> = {}): Fault => ({
    name,
    what: 'b | c',
    expect: { codes: [3] },
    ...more,
  });
  const outcome = (of: Fault, more: Partial<FaultOutcome> = {}): FaultOutcome => ({
    fault: of,
    code: 3,
    message: 'lost',
    seconds: 1.2,
    peakMiB: 99.9,
    othersPeakMiB: 30.1,
    left: [],
    problems: [],
    ...more,
  });
  const rowsOf = (outcomes: readonly FaultOutcome[]) => {
    const records = outcomes.map((each) => recordOf(each, '2026-11-22 09:53 UTC'));
    const all = outcomes.map((each) => each.fault);
    return faultsRecord(records, all, 'b411a8e').tables.faults?.map((row) => Object.values(row).join(' | '));
  };

  test('a fault is a row with what it left', () => {
    expect(rowsOf([outcome(fault('a')), outcome(fault('z-1'), { left: ['/tmp/x.sock'] })])).toEqual([
      'lost | 3 | b | c | a',
      'lost WRONG: /tmp/x.sock | 3 | b | c | z-1',
    ]);
  });

  test('a message is shown without what all of them name', () => {
    const message = 'warning: 6.1: the guest of kernel 6.1 ended, in bench `trouble`, head, reading 1';
    expect(rowsOf([outcome(fault('a'), { message })])).toEqual(['warning: the guest ended | 3 | b | c | a']);
  });

  test('faults with one outcome share a row', () => {
    const at = (moment: string, more: Partial<FaultOutcome> = {}) =>
      outcome(fault(`sigint-during-${moment}`, { what: `SIGINT comes during ${moment}`, moment }), more);
    const [late, later] = ['40', '30'].map((limit) =>
      outcome(fault(`after-${limit}`, { what: `a bench takes ${limit}; \`--timeout ${limit}\`` }), {
        message: `the guest did not finish within its ${limit} s and was ended`,
      }),
    ) as [FaultOutcome, FaultOutcome];
    expect(rowsOf([at('build'), late, at('boot'), at('fetch', { left: ['a process'] }), later])).toEqual([
      'lost | 3 | a signal comes during build, boot | sigint-during-build, sigint-during-boot',
      'the guest did not finish within its time limit and was ended | 3 | a bench takes 40; a bench takes 30 | after-40, after-30',
      'lost WRONG: a process | 3 | a signal comes during fetch | sigint-during-fetch',
    ]);
  });

  test('a new outcome replaces the one before, and that of a fault that is gone is left out', () => {
    const [a, z] = [fault('a'), fault('z-1')];
    const before = [z, a].map((each) => recordOf(outcome(each), 'before'));
    expect(mergeRecords([...before, recordOf(outcome(a), 'now')], [a, z]).map(({ measured }) => measured)).toEqual([
      'now',
      'before',
    ]);
    expect(mergeRecords(before, [a])).toHaveLength(1);
  });

  test('is that of the outcomes', () => {
    const { outcomes, commit, tables } = readRecord<FaultsRecord>('faults');
    expect(faultsRecord(outcomes, faults, commit).tables).toEqual(tables);
  });
});
