import { describe, expect, test } from 'vitest';
import type { Measurement, PrintedValue } from '../../src/bench/measurement.ts';
import { addConfirmations, compareMeasurements, findVaryingChanges } from '../../src/compare/compare.ts';
import type { Config, Limit, LimitOverride } from '../../src/model/inputs.ts';
import { recordComparison } from '../../src/report/results.ts';
import { measurement, pair, readTenTimes } from '../report/results-fixtures.ts';

function gate(limit: Limit, overrides: readonly LimitOverride[] = []): Config['gate'] {
  return { limits: { instructions: limit, verifier: limit }, overrides };
}

function compareOne(measurements: readonly Measurement[], limit: Limit = 0) {
  const comparisons = compareMeasurements(measurements, [], gate(limit)).map(recordComparison);
  expect(comparisons).toHaveLength(1);
  return comparisons[0];
}

describe('exact measurements', () => {
  test('are unchanged when equal', () => {
    expect(compareOne(pair(160, 160))).toMatchObject({
      delta: 0,
      deltaRatio: 0,
      interval: 'exact',
      verdict: 'unchanged',
    });
  });

  test('regress by one instruction under a limit of 0', () => {
    expect(compareOne(pair(1_000_000, 1_000_001))).toMatchObject({
      delta: 1,
      interval: 'exact',
      verdict: 'regression',
    });
  });

  test('improve by one instruction under a limit of 0', () => {
    expect(compareOne(pair(160, 159))).toMatchObject({ delta: -1, verdict: 'improvement' });
  });

  test.each([
    [105, 'unchanged'],
    [106, 'regression'],
    [95, 'unchanged'],
    [94, 'improvement'],
  ])('from 100 to %d under a limit of 5%% are %s and keep the delta', (head, verdict) => {
    expect(compareOne(pair(100, head), 0.05)).toMatchObject({ delta: head - 100, verdict });
  });

  test('regress from 0 under any limit, without a ratio', () => {
    expect(compareOne(pair(0, 1), 10)).toMatchObject({ delta: 1, deltaRatio: null, verdict: 'regression' });
    expect(compareOne(pair(0, 0))).toMatchObject({ delta: 0, deltaRatio: null, verdict: 'unchanged' });
  });

  test('are larger when they grow from a negative base', () => {
    expect(compareOne(pair(-2, 3))).toMatchObject({ deltaRatio: 2.5, verdict: 'regression' });
  });

  test('are compared as numbers, not as text: 9.8 to 10.2 is no improvement', () => {
    expect(compareOne(pair(9.8, 10.2))?.verdict).toBe('regression');
    expect(compareOne(pair(10.2, 9.8))?.verdict).toBe('improvement');
  });
});

describe('a printed value whose readings vary', () => {
  const vary = { exact: false, resolution: 0.0001, kind: 'benchmark' } as const;
  const of = (values: readonly number[]) => ({
    ...vary,
    value: Math.min(...values),
    samples: values.map((total) => ({ count: 1, total })),
  });
  const judge = (base: readonly number[], head: readonly number[], programs = 1, limit = 0) => {
    const pairs = Array.from({ length: programs }, (_, index) =>
      sides({ ...of(base), benchmark: `x/${index}` }, { ...of(head), benchmark: `x/${index}` }),
    );
    return compareMeasurements(pairs.flat(), [], gate(limit))[0];
  };
  const spread = (from: number) => Array.from({ length: 10 }, (_, index) => from + 13 * index);

  test('is inconclusive if readings overlap, though the lowest differ by more than the lowest two do', () => {
    // Ten readings of each side of one commit: a kprobe of a new aya-template project.
    const base = [2214, 2253, 2301, 2310, 2344, 2360, 2391, 2402, 2450, 2507];
    const head = [2255, 2256, 2262, 2299, 2318, 2351, 2377, 2405, 2466, 2512];
    expect(judge(base, head)).toMatchObject({ verdict: 'inconclusive', delta: 41 });
    expect(judge(base, head)?.warnings[0]).toMatch(
      /^the change cannot be distinguished from its own variation of ±0.01 % \(p = 0.5\)$/,
    );
    expect(judge(head, base)?.verdict).toBe('inconclusive');
  });

  test('is a regression where all readings are higher, however many programs are compared', () => {
    expect(judge(spread(1000), spread(1200))).toMatchObject({ verdict: 'regression', pValue: 1 / 184_756 });
    expect(judge(spread(1000), spread(1200), 500)?.verdict).toBe('regression');
    expect(judge(spread(1200), spread(1000))?.verdict).toBe('improvement');
    // Within a limit of 20 %, and beyond one of 10 %.
    expect(judge(spread(1000), spread(1200), 1, 0.2)?.verdict).toBe('unchanged');
    expect(judge(spread(1000), spread(1300), 1, 0.1)?.verdict).toBe('regression');
  });

  test('is inconclusive with few readings among many programs', () => {
    const few = (from: number) => spread(from).slice(0, 5);
    expect(judge(few(1000), few(1200))?.verdict).toBe('regression');
    expect(judge(few(1000), few(1200), 3)?.verdict).toBe('inconclusive');
  });

  /** A count that was the same in all its readings. */
  const steady = (value: number, readings = 2) => ({
    exact: true,
    resolution: 0,
    kind: 'benchmark' as const,
    value,
    samples: Array.from({ length: readings }, () => ({ count: 1, total: value })),
  });
  const sides = (base: Partial<PrintedValue>, head: Partial<PrintedValue>) => [
    measurement({ ...base, revision: 'base' }),
    measurement({ ...head, revision: 'head' }),
  ];

  test('is a regression only after further boots if the other side is exact, whatever the number of programs', () => {
    // Two readings against ten: p is at best 1 of 66.
    const first = sides(steady(1000), of(spread(100_000)));
    expect(compareOne(first)).toMatchObject({ verdict: 'inconclusive', pValue: 1 / 66 });
    expect(findVaryingChanges(first, [], gate(0))).toHaveLength(1);
    const again = sides(steady(1000, 10), of(spread(100_000)));
    const confirmed = [again, again].reduce(
      (known, boot) => addConfirmations(known, findVaryingChanges(known, [], gate(0)), boot),
      first,
    );
    expect(compareOne(confirmed)).toMatchObject({ verdict: 'regression' });
    const other = sides(of(spread(1000)), steady(1150));
    expect(compareOne(other)?.verdict).toBe('inconclusive');
    expect(findVaryingChanges(other, [], gate(0))).toHaveLength(1);
    expect(compareOne(sides(steady(1000), of([1001, 1400])))?.verdict).toBe('inconclusive');
    // With 40 of them in the run, all are still regressions.
    const many = Array.from({ length: 40 }, (_, index) =>
      confirmed.map((side) => ({ ...side, benchmark: `x/${index}` })),
    );
    expect(new Set(compareMeasurements(many.flat(), [], gate(0)).map(({ verdict }) => verdict))).toEqual(
      new Set(['regression']),
    );
  });

  test('needs further boots only if it leans towards a change', () => {
    const changes = (base: readonly number[], head: readonly number[]) =>
      findVaryingChanges(sides(of(base), of(head)), [], gate(0)).length;
    expect(changes([1000, 1010, 1020], [1005, 1015, 1025])).toBe(1);
    // Its lowest reading is higher, the others are lower.
    expect(changes([1000, 1030, 1040], [1005, 1006, 1007])).toBe(0);
    expect(changes([1000, 1010, 1020], [1000, 1010, 1020])).toBe(0);
  });

  /** The measurements of one pair of boots. */
  const boots = (base: number, head: number) => sides(of(spread(base)), of(spread(head)));

  /** Compares measurements after adding further boots, each only while a change is left to confirm. */
  const confirm = (measured: Measurement[], ...further: Measurement[][]) =>
    compareOne(
      further.reduce((known, boot) => addConfirmations(known, findVaryingChanges(known, [], gate(0)), boot), measured),
    );

  test('is a regression only if every further boot confirms it', () => {
    const measured = boots(1000, 1580);
    expect(confirm(measured, boots(1000, 1590))).toMatchObject({ verdict: 'regression', delta: 580 });
    expect(confirm(measured, boots(1000, 1590), boots(1010, 990), boots(1000, 1590))).toMatchObject({
      verdict: 'inconclusive',
      delta: 580,
      // All readings differ by 716 in head and by 128 in base, so the interval contains 0, as one boot does.
      interval: [580 - 844, 580 + 844],
      warnings: [
        'not every boot shows the change: base 1000, 1000, 1010, head 1580, 1590, 990; the count varies by ±45.38 %',
      ],
    });
    // Each pair of boots shows it, but a boot of base lies above one of head.
    expect(confirm(measured, boots(1700, 1900))?.verdict).toBe('inconclusive');
  });

  test('is inconclusive if a further boot did not measure it', () => {
    const [base] = boots(1000, 1580);
    if (base === undefined) throw new Error('fixture');
    expect(confirm(boots(1000, 1580), [base])).toMatchObject({
      verdict: 'inconclusive',
      warnings: [
        'not every boot shows the change: base 1000, 1000, head 1580, not measured; the count varies by ±11.70 %',
      ],
    });
  });

  test('is decided by a further boot in which both sides are exact', () => {
    expect(confirm(boots(1000, 1200), sides(steady(1000), steady(1001)))?.verdict).toBe('inconclusive');
    expect(confirm(boots(1000, 1200), sides(steady(1150), steady(1400)))?.verdict).toBe('regression');
  });

  test('without readings is inconclusive', () => {
    expect(compareOne(pair(1000, 1200, { ...vary, samples: [] }))?.verdict).toBe('inconclusive');
  });
});

describe('inexact measurements', () => {
  const inexact = { exact: false, resolution: 0.01, kind: 'benchmark' } as const;
  const printed = (base: number, head: number) => readTenTimes(pair(base, head, inexact));

  test.each([
    [1010, 'unchanged'],
    [1011, 'regression'],
    [990, 'unchanged'],
    [989, 'improvement'],
  ])('from 1000 to %d with a resolution of 1%% are %s', (head, verdict) => {
    expect(compareOne(printed(1000, head))?.verdict).toBe(verdict);
  });

  test('use the limit if it is wider than the resolution', () => {
    expect(compareOne(printed(1000, 1040), 0.05)?.verdict).toBe('unchanged');
    expect(compareOne(printed(1000, 1060), 0.05)?.verdict).toBe('regression');
  });

  test('of few readings are inconclusive, however far apart, until further boots show the change', () => {
    const of = (base: readonly number[], head: readonly number[]) =>
      pair(base[0] ?? 0, head[0] ?? 0, inexact).map((side) => ({
        ...side,
        readings: side.revision === 'base' ? base : head,
      }));
    const two = of([1000, 1005], [1020, 1022]);
    expect(compareOne(two)).toMatchObject({ verdict: 'inconclusive', pValue: 1 / 6 });
    // A benchmark of Criterion's, with one reading a side.
    const one = of([341], [400]);
    expect(compareOne(one)).toMatchObject({ verdict: 'inconclusive', pValue: 0.5 });
    const confirm = (first: Measurement[], ...further: Measurement[][]) =>
      compareOne(
        further.reduce((known, boot) => addConfirmations(known, findVaryingChanges(known, [], gate(0)), boot), first),
      );
    const five = (from: number) => Array.from({ length: 5 }, (_, index) => from + index);
    const again = of(five(341), five(400));
    expect(confirm(one, again)).toMatchObject({ verdict: 'regression', pValue: 1 / 924 });
    expect(confirm(one, again, again)).toMatchObject({ verdict: 'regression', pValue: 1 / 705_432 });
    expect(confirm(one, of(five(341), five(341)), again)).toMatchObject({
      verdict: 'inconclusive',
      warnings: ['not every boot shows the change: base 341, 341, head 400, 341; the count varies by ±14.75 %'],
    });
  });

  test('that differ by fifty times the range of five readings in two boots need no test', () => {
    const of = (value: number, readings: readonly number[], head: readonly number[]) =>
      pair(1000, value, inexact).map((side) => ({ ...side, readings: side.revision === 'base' ? readings : head }));
    const first = (value: number) => of(value, [1000], [value]);
    const confirmed = (value: number, ...further: Measurement[]) => {
      const measured = first(value);
      return addConfirmations(measured, findVaryingChanges(measured, [], gate(0)), further);
    };
    // The resolution is 10.
    const [four, more] = [
      [1000, 1004, 1002, 1003],
      [1501, 1502, 1502, 1504],
    ];
    const clear = confirmed(1501, ...of(1501, four, more));
    expect(compareOne(clear)).toMatchObject({ verdict: 'regression', pValue: null, interval: [491, 511] });
    expect(findVaryingChanges(clear, [], gate(0))).toEqual([]);
    for (const unclear of [
      first(1501),
      confirmed(1500, ...of(1500, four, more)),
      confirmed(1501, ...of(1501, [...four, 1011], more)),
      confirmed(1501, ...of(1501, four.slice(1), more)),
    ]) {
      expect(compareOne(unclear)?.pValue).toBeGreaterThan(0);
      expect(findVaryingChanges(unclear, [], gate(0))).toHaveLength(1);
    }
    // A boot that measured nothing confirms nothing.
    const lost = of(1501, [...four, 1001], [...more, 1503]);
    expect(compareOne(addConfirmations(lost, findVaryingChanges(lost, [], gate(0)), []))?.verdict).toBe('inconclusive');
  });

  test('have an interval of the delta plus or minus the resolution', () => {
    expect(compareOne(pair(1000, 1020, inexact))?.interval).toEqual([10, 30]);
  });

  test('make the pair inexact if only one side is, with the larger resolution', () => {
    const [base] = pair(1000, null);
    const [head] = pair(null, 1005, inexact);
    if (base === undefined || head === undefined) throw new Error('fixture');
    expect(compareOne([base, head])).toMatchObject({ interval: [-5, 15] });
    expect(compareOne([base, { ...head, value: 1000 }])).toMatchObject({ interval: [-10, 10], verdict: 'unchanged' });
  });

  test.each([
    ['exact', 0, 1800, 'inconclusive'],
    ['exact', 0, 800, 'unchanged'],
    ['less certain by a little', 0.01, 1800, 'inconclusive'],
    ['as uncertain', 0.9, 1800, 'unchanged'],
  ] as const)(
    'where base is %s (%d), a head of %d that varies by nine tenths is %s',
    (_, resolution, value, verdict) => {
      const [base] = pair(1000, null, { exact: resolution === 0, resolution });
      const [head] = pair(null, value, { exact: false, resolution: 0.9 });
      if (base === undefined || head === undefined) throw new Error('fixture');
      const warning = 'head is less certain than base: a change of less than 90.00 % cannot be detected';
      const warnings = verdict === 'inconclusive' ? [warning] : [];
      expect(compareOne([base, head])).toMatchObject({ verdict, warnings });
    },
  );
});

describe('one-sided and incomparable measurements', () => {
  test('only in head are added, with a value in the head column', () => {
    expect(compareOne(pair(null, 77))).toMatchObject({ base: null, head: 77, delta: null, verdict: 'added' });
  });

  test('only in base are removed', () => {
    expect(compareOne(pair(91, null))).toMatchObject({ base: 91, head: null, delta: null, verdict: 'removed' });
  });

  test('in different units are inconclusive, with the reason', () => {
    const comparison = compareOne([...pair(1, null, { unit: 'ms' }), ...pair(null, 1000, { unit: 'us' })]);
    expect(comparison).toMatchObject({ verdict: 'inconclusive', delta: null });
    expect(comparison?.warnings).toEqual(['base is in ms and head in us, so they cannot be compared']);
  });

  test.each<[what: string, base: number, head: number, resolution: number, Limit]>([
    ['growth', 1e-309, 1, 0, 0],
    ['difference', -1.7e308, 1.7e308, 0, 0],
    ['difference under a limit of off', -1.7e308, 1.7e308, 0, 'off'],
    ['interval', 1e306, 1e306, 1000, 0],
  ])('with a %s beyond the range of numbers are inconclusive, with the reason', (_, base, head, resolution, limit) => {
    const comparison = compareOne(pair(base, head, { exact: resolution === 0, resolution }), limit);
    expect(comparison).toMatchObject({ base, head, delta: null, deltaRatio: null, interval: null });
    expect(comparison).toMatchObject({
      verdict: 'inconclusive',
      warnings: [`base is ${base} and head ${head}, too far apart or too uncertain to be compared`],
    });
  });

  test('that are far apart are compared as long as their difference is a finite number', () => {
    expect(compareOne(pair(1e-300, 1))?.verdict).toBe('regression');
    expect(compareOne(pair(1.7e308, 1))?.verdict).toBe('improvement');
  });

  test('that are not finite are an error, never unchanged', () => {
    expect(() => compareOne(pair(1, Number.NaN))).toThrow(
      '`macro/fun_xdp` has a bpf-instructions of NaN in head on 6.1',
    );
  });

  test('of one name in one revision are an error, never overwritten', () => {
    expect(() => compareOne([...pair(1, 1), ...pair(null, 2)])).toThrow(
      'two values of bpf-instructions in head on 6.1',
    );
  });
});

describe('a measure for which higher is better', () => {
  const throughput = { measure: 'throughput', unit: 'throughput', better: 'higher' } as const;

  test.each([
    [99, 'regression', -1],
    [101, 'improvement', 1],
    [100, 'unchanged', 0],
  ])('from 100 to %d is %s', (head, verdict, delta) => {
    expect(compareOne(pair(100, head, throughput))).toMatchObject({ verdict, delta, better: 'higher' });
  });

  test.each([
    [95, 'unchanged'],
    [94, 'regression'],
    [106, 'improvement'],
  ])('from 100 to %d under a limit of 5%% is %s', (head, verdict) => {
    expect(compareOne(pair(100, head, throughput), 0.05)?.verdict).toBe(verdict);
  });

  test('is compared with its resolution, and improves from 0', () => {
    const inexact = { ...throughput, kind: 'benchmark', exact: false, resolution: 0.1 } as const;
    const read = (head: number) => readTenTimes(pair(100, head, inexact));
    expect(compareOne(read(90))?.verdict).toBe('unchanged');
    expect(compareOne(read(89))?.verdict).toBe('regression');
    expect(compareOne(pair(0, 1, throughput), 10)?.verdict).toBe('improvement');
    expect(compareOne(pair(1, 0, throughput))?.verdict).toBe('regression');
  });

  test('gives a warning under the limit `off` if it shrank', () => {
    expect(compareOne(pair(100, 50, throughput), 'off')).toMatchObject({
      verdict: 'unchanged',
      warnings: ['it shrank, but its limit is off, so it does not fail the gate'],
    });
    expect(compareOne(pair(100, 150, throughput), 'off')?.warnings).toEqual([]);
  });
});

describe('a side that needs a newer kernel', () => {
  const gap = (revision: 'base' | 'head', kernel = '6.1') => ({
    kernel,
    lane: 'instructions' as const,
    revision,
    benchmark: 'macro/fun_xdp',
    needs: '6.6',
  });
  const compareWith = (measurements: ReturnType<typeof pair>, gaps: ReturnType<typeof gap>[], limit: Limit = 0) =>
    compareMeasurements(measurements, gaps, gate(limit)).map(recordComparison);

  test('is a regression if base ran, whatever the limit', () => {
    const [comparison] = compareWith(pair(160, null), [gap('head')], 0.5);
    expect(comparison).toMatchObject({
      base: 160,
      head: null,
      delta: null,
      needs: { side: 'head', kernel: '6.6' },
      verdict: 'regression',
    });
  });

  test('is an improvement if only head runs', () => {
    expect(compareWith(pair(null, 160), [gap('base')])).toMatchObject([
      { needs: { side: 'base', kernel: '6.6' }, verdict: 'improvement' },
    ]);
  });

  test('does not fail the gate with the limit `off`, and gives a warning', () => {
    expect(compareWith(pair(160, null), [gap('head')], 'off')).toMatchObject([
      {
        verdict: 'unchanged',
        needs: { side: 'head', kernel: '6.6' },
        warnings: ['head needs 6.6, but its limit is off, so it does not fail the gate'],
      },
    ]);
    expect(compareWith(pair(null, 160), [gap('base')], 'off')[0]?.warnings).toEqual([]);
  });

  test('applies only to its own lane: an object can have the name of a bench', () => {
    const untried = {
      kernel: '6.1',
      lane: 'verifier',
      revision: 'head',
      benchmark: 'macro/fun_xdp',
      needs: null,
    } as const;
    const both = [gap('head'), { ...untried, reason: 'no such type' }];
    expect(compareMeasurements(pair(160, null), both, gate(0))).toMatchObject([{ verdict: 'regression' }]);
    expect(compareMeasurements(pair(160, null), both.toReversed(), gate(0))).toMatchObject([{ verdict: 'regression' }]);
  });

  test('applies only to its own kernel, revision and benchmark', () => {
    const others = [gap('head', '5.10'), gap('base'), { ...gap('head'), benchmark: 'macro/other' }];
    expect(compareWith(pair(160, null), others)).toMatchObject([{ verdict: 'removed', needs: null }]);
  });

  test.each([
    { lane: 'verifier', measure: 'load-time', unit: 'instructions' },
    { lane: 'instructions', kind: 'benchmark', measure: 'events', unit: 'events/call' },
  ] as const)('does not judge $measure, which is only reported', (measured) => {
    for (const [base, head, verdict] of [
      [160, null, 'removed'],
      [null, 160, 'added'],
    ] as const) {
      for (const needs of ['6.6', null]) {
        const own = { ...gap(base === null ? 'base' : 'head'), lane: measured.lane, needs };
        expect(compareMeasurements(pair(base, head, measured), [own], gate(0))).toMatchObject([
          { verdict, warnings: [] },
        ]);
      }
    }
  });

  test('is not compared if neither side ran', () => {
    expect(compareWith([], [gap('base'), gap('head')])).toEqual([]);
  });
});

test('measurements are joined by kernel, lane, benchmark and measure, in any order', () => {
  const measurements = [
    ...pair(1, 2, { kernel: '5.10' }),
    ...pair(3, 3, { kernel: '6.1' }),
    ...pair(5, 4, { kernel: '6.1', measure: 'latency' }),
    ...pair(6, 6, { kernel: '6.1', lane: 'verifier' }),
  ].reverse();
  const found = compareMeasurements(measurements, [], gate(0))
    .map(recordComparison)
    .map(({ kernel, lane, measure, delta }) => [`${kernel} ${lane} ${measure}`, delta]);
  expect(Object.fromEntries(found)).toEqual({
    '5.10 instructions bpf-instructions': 1,
    '6.1 instructions bpf-instructions': 0,
    '6.1 instructions latency': -1,
    '6.1 verifier bpf-instructions': 0,
  });
});

test('the limit `off` keeps the delta, warns of growth and never fails', () => {
  expect(compareOne(pair(100, 900), 'off')).toMatchObject({
    delta: 800,
    limit: 'off',
    verdict: 'unchanged',
    warnings: ['it grew, but its limit is off, so it does not fail the gate'],
  });
  expect(compareOne(pair(100, 50), 'off')).toMatchObject({ verdict: 'unchanged', warnings: [] });
});
