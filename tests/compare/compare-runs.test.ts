import { describe, expect, test } from 'vitest';
import type { InsideCount, RunKind } from '../../src/bench/inside.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { compareRuns, type Runs } from '../../src/compare/compare-runs.ts';
import { pair, strictGate } from '../report/results-fixtures.ts';

type Calls = Readonly<Record<string, number>>;

/** A kind of run: its number of runs, own instructions, and calls by function. */
function kind(runs: number, own: number, calls: Calls = {}, callback: string | null = null): RunKind {
  const made = Object.entries(calls).map(([name, times]) => ({ way: 'call' as const, name, calls: times }));
  return { callback, runs, own, calls: made, least: 0, most: 0, frequent: 0 };
}

/** @param ranges instructions of one call, the least and the most, and the number of calls if few, by function */
function runs(
  kinds: readonly RunKind[],
  ranges: Readonly<Record<string, readonly [least: number, most: number, times?: number]>> = {},
): Runs {
  const toRange = ([least, most, times = 100]: readonly [number, number, number?]) => ({ least, most, times });
  return { kinds, ranges: new Map(Object.entries(ranges).map(([name, range]) => [name, toRange(range)])) };
}

const compare = (base: Runs, head: Runs, isSteady = false) => {
  const { delta, certainty, notes } = compareRuns(base, head, isSteady);
  return { delta: Math.round(delta * 1e6) / 1e6, certainty, notes };
};
const exactly = (delta: number, ...notes: string[]) => ({ delta, certainty: 'exact', notes });

describe('kinds of run', () => {
  test('that both sides have are unchanged, however often each occurs', () => {
    const base = runs([kind(90, 10), kind(10, 25, { print: 1 })], { print: [1281, 1652] });
    const head = runs([kind(40, 10), kind(60, 25, { print: 1 })], { print: [1290, 1700] });
    expect(compare(base, head)).toEqual(exactly(0));
    expect(compare(head, base)).toEqual(exactly(0));
  });

  test('one on each side differ by own instructions and calls, at the least cost of both', () => {
    const base = runs([kind(10, 40, { lookup: 1, update: 1 })], { lookup: [40, 60], update: [400, 430] });
    const head = runs([kind(10, 43, { lookup: 2, update: 1, time: 1 })], {
      ...{ lookup: [45, 60], update: [390, 500], time: [21, 21] },
    });
    expect(compare(base, head)).toEqual(exactly(3 + 40 + 21));
    expect(compare(head, base)).toEqual(exactly(-3 - 40 - 21));
  });

  test('a call that costs another number each time is named', () => {
    const base = runs([kind(10, 40, { lookup: 2 })], { lookup: [40, 40] });
    const head = runs([kind(10, 40, { lookup: 2 })], { lookup: [47, 47] });
    expect(compare(base, head)).toEqual(exactly(14, 'each call of lookup costs 47 instructions, and 40 in base'));
    // What varies in one of them is the kernel's.
    expect(compare(base, runs(head.kinds, { lookup: [47, 52] }))).toEqual(exactly(0));
    // So can be what happened once, unless each side counts the same each time.
    const [once, again] = [40, 47].map((cost) =>
      runs([kind(10, 40), kind(1, 60, { update: 1 })], { update: [cost, cost, 1] }),
    );
    expect(compare(once as Runs, again as Runs)).toEqual(exactly(0));
    const often = runs(base.kinds, { lookup: [40, 40, 100] });
    expect(compare(often, runs(base.kinds, { lookup: [47, 47, 1] }))).toEqual(exactly(0));
    expect(compare(often, runs(base.kinds, { lookup: [47, 47, 10] })).delta).toBe(14);
    expect(compare(once as Runs, again as Runs, true)).toMatchObject({ delta: expect.closeTo(7 / 11) });
  });

  test('one path of ten that calls more changes a tenth of the runs', () => {
    const paths = Array.from({ length: 9 }, (_, index) => kind(100, 50 + index));
    const base = runs([...paths, kind(100, 80, { lookup: 1 })], { lookup: [40, 40] });
    const head = runs([...paths, kind(100, 82, { lookup: 2 })], { lookup: [40, 40] });
    expect(compare(base, head)).toEqual(exactly(4.2));
  });

  test('that pair off in order of cost have all changed', () => {
    expect(compare(runs([kind(30, 10), kind(20, 20)]), runs([kind(30, 11), kind(20, 23)]))).toEqual(exactly(1.8));
    // By a whole number, of means that are none.
    const [base, head] = [0, 1].map((more) => runs([kind(70, 60 + more), kind(30, 71 + more)]));
    expect(compareRuns(base as Runs, head as Runs, false).delta).toBe(1);
  });

  test('of sets without one in common have changed, by about their means', () => {
    const base = runs([10, 12, 14].map((own) => kind(100, own)));
    const head = runs([kind(50, 11), kind(50, 13), kind(200, 15)]);
    expect(compare(base, head)).toEqual({
      delta: 2,
      certainty: 'about',
      notes: ['its runs vary: in base 10 to 14 instructions, mostly 10, in head 11 to 15 instructions, mostly 15'],
    });
  });

  test('that occur as often as chance has it are pairs, and means that differ by chance are no change', () => {
    const base = runs([kind(55, 10), kind(45, 60)]);
    const head = runs([kind(42, 11), kind(58, 61)]);
    expect(compare(base, head)).toEqual(exactly(1));
    expect(compare(base, head, true)).toMatchObject({ certainty: 'about', delta: 7.5 });
    // Where kinds are so rare that others can be missing, the same distance can be that to a neighbour.
    const alike = (runs: number, ...all: number[]) => all.map((own) => kind(runs, own));
    expect(compare(runs(alike(9, 10, 30, 50)), runs(alike(9, 11, 31, 51)))).toEqual(exactly(1));
    expect(compare(runs(alike(7, 10, 30, 50)), runs(alike(7, 11, 31, 51)))).toMatchObject({ certainty: 'open' });
    // And one that base does not have leaves the others without pairs.
    const other = runs([kind(42, 11), kind(57, 61), kind(1, 62)]);
    expect(compare(base, other)).toMatchObject({ certainty: 'open', notes: [expect.stringMatching(/^its runs vary/)] });
  });

  test('that occur seldom can be on one side by chance', () => {
    expect(compare(runs([kind(9, 10), kind(1, 30)]), runs([kind(9, 10), kind(1, 50)]))).toEqual(exactly(0));
    const loops = (...all: number[]) => runs(all.map((own) => kind(1, own)));
    expect(compare(loops(10, 20, 30), loops(40, 50, 60))).toEqual({
      delta: 30,
      certainty: 'unknown',
      notes: ['its runs differ from each other too much to be compared'],
    });
    // Not if each side counts the same each time.
    expect(compare(loops(10, 20, 30), loops(11, 21, 31), true)).toEqual(exactly(1));
  });

  test('a new one beside those of base is named', () => {
    const found = compare(runs([kind(100, 10)]), runs([kind(60, 10), kind(40, 30, { print: 2 })]));
    expect(found).toMatchObject({
      certainty: 'open',
      notes: ['head has a kind of run that base does not have: 30 instructions of its own, 2 × print, in 40 runs'],
    });
    expect(compare(runs([kind(60, 10), kind(40, 30)]), runs([kind(100, 10)]))).toEqual(exactly(0));
    // Where head has many times more runs, the kind can be there by chance.
    expect(compare(runs([kind(10, 10)]), runs([kind(985, 10), kind(15, 30)]))).toEqual(exactly(0));
  });

  test('a cheap one that head has lost is named', () => {
    expect(compare(runs([kind(90, 10), kind(10, 500)]), runs([kind(100, 500)]))).toMatchObject({
      certainty: 'open',
      notes: ['base has a kind of run that head does not have: 10 instructions of its own, in 90 runs'],
    });
    expect(compare(runs([kind(5, 10), kind(95, 500)]), runs([kind(100, 500)]))).toEqual(exactly(0));
  });

  test('and calls are described in a few words, whatever they are called', () => {
    const calls = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}${'f'.repeat(60_000)}`, 1]));
    const ranges = (cost: number) =>
      Object.fromEntries(Object.keys(calls).map((name) => [name, [cost, cost] as const]));
    const base = runs([kind(100, 10)], ranges(40));
    const head = runs([kind(60, 10), kind(40, 30, calls)], ranges(41));
    const { notes } = compare(base, head);
    expect(notes).toHaveLength(6);
    expect(notes.join('').length).toBeLessThan(1500);
    expect(notes[0]).toMatch(/4 more calls, in 40 runs$/);
  });

  test('that differ only in which instructions they execute are one', () => {
    expect(compare(runs([kind(4, 10), kind(6, 10)]), runs([kind(10, 11)]))).toEqual(exactly(1));
  });

  test('of a function that the kernel calls by itself cost what they add to each run', () => {
    const timer = (runs: number, own: number) => kind(runs, own, {}, 'on_timer');
    expect(compare(runs([kind(100, 90)]), runs([kind(100, 10), timer(100, 80)]))).toEqual({
      delta: 0,
      certainty: 'about',
      notes: ['only head runs on_timer'],
    });
    // How often a timer runs is not the program's.
    expect(compare(runs([kind(100, 10), timer(50, 80)]), runs([kind(100, 10), timer(70, 80)]))).toEqual(exactly(0));
    expect(compare(runs([kind(100, 10), timer(50, 80)]), runs([kind(100, 10), timer(70, 82)]))).toEqual(exactly(1));
    // What runs too seldom to be compared does not hide what the program does.
    expect(compare(runs([kind(100, 10), timer(1, 80)]), runs([kind(100, 11), timer(1, 90)]))).toEqual(
      exactly(1, 'on_timer runs too seldom to be compared'),
    );
    expect(compare(runs([kind(100, 10), timer(1, 80)]), runs([kind(100, 10)]))).toEqual(exactly(0));
  });
});

describe('a BPF program whose count changed', () => {
  const seen = (
    revision: 'base' | 'head',
    kinds: readonly RunKind[],
    fields: Partial<InsideCount> = {},
  ): InsideCount => ({
    ...{
      kernel: '6.1',
      revision,
      benchmark: 'micro/fun_xdp',
      reason: null,
      counted: 100,
      lines: [],
      code: [],
      calls: [],
    },
    ...{ ranges: new Map(), kinds, otherKinds: 0, interruptions: [], empty: 4, rest: 0 },
    ...fields,
  });
  const judge = (
    base: InsideCount,
    head: InsideCount,
    isExact: boolean,
    values: readonly [number, number] = [100, 130],
  ) => {
    const inexact = isExact ? {} : { exact: false, resolution: 0.01 };
    const measured = pair(...values, { benchmark: 'micro/fun_xdp', kernel: '6.1', ...inexact });
    return compareMeasurements(measured, [], strictGate, [base, head])[0];
  };
  const [same, more] = [[kind(10, 70)], [kind(10, 72)]];

  test('is unchanged if its runs did the same, though its count was exact', () => {
    expect(judge(seen('base', same), seen('head', same), true)).toMatchObject({
      ...{ verdict: 'unchanged', base: 100, head: 100, delta: 0, interval: 'exact' },
    });
  });

  test('has changed by its exact count if the boots that saw its runs counted that as well', () => {
    const found = { verdict: 'regression', head: 130, delta: 30, interval: 'exact', warnings: [] };
    const [fast, slow] = [kind(9, 70), kind(1, 500)];
    // No run takes the fast path any more, a slow one is not as rare, or calls read more.
    for (const kinds of [[kind(10, 500)], [kind(5, 70), kind(5, 500)], [fast, slow]]) {
      const head = seen('head', kinds, { counted: 130 });
      expect(judge(seen('base', [fast, slow]), head, true)).toMatchObject(found);
      expect(judge(seen('base', [fast, slow]), { ...head, counted: 131 }, true)).not.toMatchObject(found);
      const ticked = { ...head, counted: 131.5, interruptions: [{ name: 'tick', times: 0.1, instructions: 1.5 }] };
      expect(judge(seen('base', [fast, slow]), ticked, true)).toMatchObject(found);
    }
  });

  test('has changed by what its runs do more, also where its count varies by more than that', () => {
    const found = { verdict: 'regression', base: 100, head: 102, delta: 2, interval: 'exact' };
    expect(judge(seen('base', same), seen('head', more), false)).toMatchObject(found);
    expect(judge(seen('base', same), seen('head', more), false, [100, 100.5])).toMatchObject(found);
  });

  test('says nothing of a printed value, or of a program that was loaded, with its name', () => {
    const inside = [seen('base', same), seen('head', same)];
    const of = { benchmark: 'micro/fun_xdp', kernel: '6.1' };
    const printed = pair(100, 130, { ...of, kind: 'benchmark', measure: 'latency' });
    const loaded = pair(100, 130, { ...of, lane: 'verifier', measure: 'verified-instructions' });
    for (const each of compareMeasurements([...printed, ...loaded], [], strictGate, inside)) {
      expect(each).toMatchObject({ verdict: 'regression', delta: 30 });
    }
  });

  test('of which a kind is new is undecided only beyond its limit', () => {
    const beside = [kind(60, 70), kind(40, 90)];
    const judgeBy = (limit: number) => {
      const measured = pair(100, 108, { benchmark: 'micro/fun_xdp', kernel: '6.1', exact: false, resolution: 0.01 });
      const gate = { ...strictGate, limits: { ...strictGate.limits, instructions: limit } };
      return compareMeasurements(measured, [], gate, [seen('base', [kind(100, 70)]), seen('head', beside)])[0]?.verdict;
    };
    expect([judgeBy(0), judgeBy(0.05), judgeBy(0.1)]).toEqual(['inconclusive', 'inconclusive', 'unchanged']);
  });

  test('by fifty times what its readings differ needs no look at its runs', () => {
    const judgeAt = (value: number) =>
      compareMeasurements(pair(100, value, { exact: false, resolution: 0.01 }), [], strictGate)[0]?.verdict;
    expect([judgeAt(150), judgeAt(151)]).toEqual(['inconclusive', 'regression']);
  });

  test('is judged by its count if its runs were not seen, do not add up, or are of too many kinds', () => {
    const lost = seen('head', same, { reason: 'the plugin saw 9 of 10 runs' });
    for (const head of [lost, seen('head', same, { rest: 40 }), seen('head', same, { otherKinds: 1 })]) {
      expect(judge(seen('base', same), head, true)).toMatchObject({ verdict: 'regression', delta: 30 });
      expect(judge(seen('base', same), head, false)).toMatchObject({
        verdict: 'inconclusive',
        warnings: ['its readings differ, and its runs were not seen one by one'],
      });
    }
    const [one, other] = [seen('base', [kind(1, 70)]), seen('head', [kind(1, 71)])];
    expect(judge(one, other, false, [100, 100.5])?.verdict).toBe('unchanged');
    expect(judge(one, other, false)).toMatchObject({
      verdict: 'inconclusive',
      warnings: ['its readings differ, and its runs differ from each other too much to be compared'],
    });
  });
});
