import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { measure } from '../../src/bench/measure.ts';
import type { Measurement } from '../../src/bench/measurement.ts';
import { BenchError, MachineError } from '../../src/common/errors.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import type { BenchRecord, GuestRun, LoadRecord, ProgramRecord } from '../../src/model/guest-run.ts';
import type { Plan, PlannedBench } from '../../src/plan/plan.ts';
import { type MeasurementRecord, recordMeasurement } from '../../src/report/results.ts';

const captured = readFileSync(new URL('fixtures/cargo-criterion-1.1.0.jsonl', import.meta.url), 'utf8');
const revisions = ['base', 'head'] as const;

function planOf(...benches: Partial<PlannedBench>[]): Plan {
  return {
    kernels: [],
    lanes: ['instructions'],
    shard: null,
    sections: {},
    packets: [],
    contexts: [],
    benches: benches.map((bench) => ({
      name: 'x',
      command: 'run',
      guestCommand: 'run',
      format: 'auto',
      observe: true,
      profile: false,
      profileCommand: null,
      savesSamples: false,
      readingsWithoutPrograms: 2,
      line: 1,
      ...bench,
    })),
    keepsCopies: false,
    cargoCommands: [],
    notes: [],
    warnings: [],
  };
}

function bench(fields: Partial<BenchRecord> = {}): BenchRecord {
  return {
    record: 'bench',
    bench: 'x',
    revision: 'base',
    reading: 1,
    exit_code: 0,
    signal: null,
    stdoutText: '',
    stderrTail: '',
    tookMs: 1,
    duration_ns: 1,
    ...fields,
  };
}

function program(fields: Partial<ProgramRecord> = {}): ProgramRecord {
  return {
    record: 'program',
    bench: 'x',
    revision: 'base',
    reading: 1,
    ordinal: 0,
    id: 7,
    name: 'fun_xdp',
    prog_type: 'xdp',
    tag: '0123456789abcdef',
    run_cnt: 1000,
    run_time_ns: 164_000,
    recursion_misses: 0,
    xlated_bytes: 200,
    source: null,
    ...fields,
  };
}

/** A run with one record of each reading for both revisions. */
function runOf(
  fields: { readings?: Partial<BenchRecord>[]; programs?: Partial<ProgramRecord>[] } & Partial<
    Omit<GuestRun, 'programs'>
  >,
): GuestRun {
  const { readings = [{}], programs = [], ...rest } = fields;
  return {
    kernel: '6.1',
    machine: {} as GuestRun['machine'],
    guest: {} as GuestRun['guest'],
    calibrations: [],
    benches: revisions.flatMap((revision) =>
      readings.map((reading, index) => bench({ revision, reading: index + 1, ...reading })),
    ),
    programs: revisions.flatMap((revision) => programs.map((entry) => program({ revision, ...entry }))),
    objects: [],
    loads: [],
    warnings: [],
    ...rest,
  } as GuestRun;
}

function readings(...totals: number[]): Partial<ProgramRecord>[] {
  return totals.map((run_time_ns, index) => ({ reading: index + 1, run_time_ns }));
}

const emptyXdp = {
  record: 'calibration',
  prog_type: 'xdp',
  readings: [49_000, 49_700, 49_000, 49_001].map((run_time_ns) => ({ run_cnt: 1000, run_time_ns })),
} as const;

function only(run: GuestRun, plan = planOf({})): MeasurementRecord {
  const { measurements } = measure(run, plan);
  expect(measurements.map(({ revision }) => revision)).toEqual(['base', 'head']);
  return recordMeasurement(measurements[0] as Measurement);
}

describe('observed programs', () => {
  test('cost the least total per run, minus that of an empty program', () => {
    const run = runOf({ programs: readings(164_000, 171_300, 164_000), calibrations: [emptyXdp] });
    expect(only(run)).toEqual({
      kernel: '6.1',
      revision: 'base',
      lane: 'instructions',
      benchmark: 'x/fun_xdp',
      measure: 'bpf-instructions',
      unit: 'instructions/run',
      better: 'lower',
      kind: 'bpf-program',
      value: 115,
      gross: 164,
      empty: 49,
      exact: true,
      resolution: 0,
      samples: [164_000, 171_300, 164_000].map((total) => ({ count: 1000, total })),
      confirmations: [],
      refusal: null,
      verification: null,
      runCount: 1000,
      missedRuns: 0,
      behavior: null,
      warnings: [],
      source: null,
    });
    expect(measure(run, planOf({})).warnings).toEqual([]);
  });

  test('have a gross cost, with a warning, if no empty program of the type was counted', () => {
    const run = runOf({ programs: readings(164_000, 164_000), calibrations: [{ ...emptyXdp, prog_type: 'kprobe' }] });
    expect(only(run)).toMatchObject({ value: 164, gross: 164, empty: null });
    expect(measure(run, planOf({})).warnings).toEqual([
      ...['base', 'head'].map(() => ({
        about: ['x/fun_xdp'],
        reason: "no empty xdp program was counted, so the count includes the kernel's own",
      })),
    ]);
  });

  test('have a net cost, with a warning, if an empty program costs more', () => {
    const { value, empty, warnings } = only(runOf({ programs: readings(40_000, 40_000), calibrations: [emptyXdp] }));
    expect([value, empty]).toEqual([-9, 49]);
    expect(warnings).toEqual([
      { reason: 'counts fewer instructions per run than an empty xdp program', detail: '40, not 49' },
    ]);
  });

  test('are exact only if the lowest total was read twice', () => {
    const readTwice = only(runOf({ programs: readings(200_000, 164_000, 164_000) }));
    expect([readTwice.exact, readTwice.resolution]).toEqual([true, 0]);
    const readOnce = only(runOf({ programs: readings(200_000, 180_400, 164_000) }));
    expect([readOnce.exact, readOnce.resolution]).toEqual([false, 0.1]);
  });

  test('are not exact if totals differ by less than a tick, even if the lowest was read twice', () => {
    // Seen: a program that hashes the time, on 6.1.
    const { exact, resolution } = only(runOf({ programs: readings(963_112, 963_112, 963_237, 969_000) }));
    expect([exact, resolution]).toEqual([false, 0.001]);
    expect(only(runOf({ programs: readings(10_000, 10_000, 10_050, 10_400) })).resolution).toBe(0.04);
  });

  test('are exact if such a difference is rare, as from a request to reschedule before the run', () => {
    // Seen: a test run of a program of two instructions, on 6.1.
    const exactOf = (...totals: number[]) => {
      const { value, exact } = only(runOf({ programs: readings(...totals) }));
      return [value, exact];
    };
    expect(exactOf(51_002, 51_000, 51_000)).toEqual([51, false]);
    expect(exactOf(51_002, 51_000, 51_000, 51_000)).toEqual([51, false]);
    expect(exactOf(51_002, 51_000, 51_000, 51_000, 51_000)).toEqual([51, true]);
    expect(exactOf(51_002, 51_000, 51_004, 51_000, 51_000, 51_000)).toEqual([51, false]);
    expect(exactOf(51_002, 51_000, 54_000, 51_000, 51_000, 51_000)).toEqual([51, true]);
  });

  test('are not exact if more totals lie far above the lowest than ticks explain', () => {
    const exactOf = (...totals: number[]) => {
      const { exact, resolution } = only(runOf({ programs: readings(...totals) }));
      return [exact, resolution];
    };
    // Seen: a ring buffer whose reader wakes up, on 6.12. One in 20 readings of 0.2 ms holds a tick.
    const woken = [201_000, 202_000, 202_500, 203_000, 203_500, 204_000, 204_500, 240_000];
    expect(exactOf(200_000, 200_000, ...woken)).toEqual([false, 0.2]);
    // Each reading holds a tick once in 2,000 times: two of four are too many, one never is.
    expect(exactOf(500, 2500, 2500, 500)).toEqual([false, 1]);
    expect(exactOf(500, 2500, 500)).toEqual([true, 0]);
    expect(exactOf(500_000, 502_500, 502_500, 500_000)).toEqual([true, 0]);
    // One total lies further above the lowest than a tick adds. Only more readings can show that this is rare.
    expect(exactOf(51_000, 101_000, 51_000)).toEqual([true, 0]);
    expect(exactOf(51_000, 107_000, 51_000)).toEqual([false, 1]);
    expect(exactOf(51_000, 107_000, 51_000, 51_000, 51_000)).toEqual([true, 0]);
    // A rare outlier does not widen the resolution, which would hide a change.
    expect(exactOf(200_000, 200_100, 420_000, 200_200, 200_250, 200_300)).toEqual([false, 0.0015]);
  });

  test('have a resolution of at least 0.1 % if they are not exact', () => {
    expect(only(runOf({ programs: readings(10_000_000, 10_000_900) })).resolution).toBe(0.001);
  });

  test('use only readings with the most common number of runs', () => {
    const programs = [
      { reading: 1, run_cnt: 1000, run_time_ns: 164_000 },
      { reading: 2, run_cnt: 10, run_time_ns: 1000 },
      { reading: 3, run_cnt: 1000, run_time_ns: 164_000 },
      { reading: 4, run_cnt: 0, run_time_ns: 0 },
    ];
    const measurement = only(runOf({ programs }));
    expect(measurement).toMatchObject({ value: 164, runCount: 1000 });
    expect(measurement.samples).toHaveLength(4);
  });

  describe('with a number of runs that differs between readings', () => {
    /** Run counts and totals as seen on 6.18: now and then one more run of another kind. */
    const at = (...counts: number[]) =>
      counts.map((run_cnt) => ({ run_cnt, run_time_ns: 249_202 + (run_cnt - 144) * 2243 }));
    const pairOf = (base: readonly Partial<ProgramRecord>[], head: readonly Partial<ProgramRecord>[]) => {
      const programs = [base, head].flatMap((own, side) =>
        own.map((fields, index) => program({ ...fields, reading: index + 1, revision: revisions[side] ?? 'base' })),
      );
      return measure({ ...runOf({}), programs }, planOf({})).measurements;
    };

    test('are compared at a number that both revisions reached twice', () => {
      const [base, head] = pairOf(at(145, 144, 144, 145), at(145, 145, 145, 144, 144));
      expect([base, head]).toMatchObject([
        { runCount: 145, exact: true, resolution: 0 },
        { runCount: 145, exact: true, resolution: 0 },
      ]);
      expect(head?.value).toBe(base?.value);
    });

    test('are not exact without such a number, and a difference within its effect is unchanged', () => {
      const measured = pairOf(at(145, 144, 144), at(145, 145, 144));
      expect(measured).toMatchObject([
        { runCount: 144, exact: false },
        { runCount: 145, exact: false },
      ]);
      const gate = { limits: { instructions: 0, verifier: 0, time: 0.05 }, overrides: [] };
      expect(compareMeasurements(measured, [], gate)[0]).toMatchObject({ verdict: 'unchanged' });
    });

    test('stay exact if the number is constant in each revision: it is the change', () => {
      const measured = pairOf(at(144, 144), at(145, 145));
      expect(measured).toMatchObject([
        { exact: true, runCount: 144 },
        { exact: true, runCount: 145 },
      ]);
    });
  });

  test('have missed runs, warnings and a source line', () => {
    const programs = [
      { reading: 1, recursion_misses: 2, warnings: ['w'] },
      { reading: 2, recursion_misses: 5, warnings: ['w'], source: { file: 'src/main.rs', line: 9 } },
    ];
    const { missedRuns, warnings, source } = only(runOf({ programs }));
    expect(missedRuns).toBe(5);
    expect(warnings).toEqual([
      {
        reason: 'the kernel skipped runs because the program was already running',
        detail: 'up to 5 in a reading',
      },
      { reason: 'w' },
    ]);
    expect(source).toEqual({ file: 'src/main.rs', line: 9 });
    expect(only(runOf({ programs: [{ recursion_misses: null }] })).missedRuns).toBeNull();
  });

  describe('of the same name', () => {
    type Fields = Partial<ProgramRecord>;
    /** Measures one reading of each revision. */
    const measured = (base: readonly Fields[], head: readonly Fields[]) => {
      const both = [
        ...base.map((fields, id) => program({ id, ...fields })),
        ...head.map((fields, id) => program({ id, ...fields, revision: 'head' })),
      ];
      const { measurements, warnings } = measure({ ...runOf({}), programs: both }, planOf({}));
      const of = (revision: string) =>
        Object.fromEntries(
          measurements.flatMap((each) =>
            each.revision === revision ? [[each.benchmark, recordMeasurement(each).gross]] : [],
          ),
        );
      return { base: of('base'), head: of('head'), warnings };
    };
    const tagged = (tag: string, run_time_ns: number) => ({ tag: tag.repeat(16), run_time_ns });

    test('and of different types are separate', () => {
      const programs = [
        { name: 'both', prog_type: 'kprobe' },
        { name: 'both', prog_type: 'xdp' },
        { name: '', prog_type: 'xdp' },
      ];
      expect(Object.keys(measured(programs, programs).base).toSorted()).toEqual([
        'x/both (kprobe)',
        'x/both (xdp)',
        'x/unnamed xdp',
      ]);
    });

    test('are distinguished by their tags, whatever the order of loading', () => {
      const [a, b, c] = [tagged('a', 60_000), tagged('b', 70_000), tagged('c', 80_000)];
      const changed = tagged('d', 71_000);
      expect(measured([a, b, c], [c, changed, a])).toMatchObject({
        base: { 'x/fun_xdp (tag aaaaaaaa)': 60, 'x/fun_xdp (tag bbbbbbbb)': 70, 'x/fun_xdp (tag cccccccc)': 80 },
        head: { 'x/fun_xdp (tag aaaaaaaa)': 60, 'x/fun_xdp (tag bbbbbbbb)': 71, 'x/fun_xdp (tag cccccccc)': 80 },
      });
    });

    test('have in each revision the name that this revision alone would give them', () => {
      const [a, b, d] = [tagged('a', 60_000), tagged('b', 70_000), tagged('d', 71_000)];
      const namesOf = (base: readonly Fields[], head: readonly Fields[]) => {
        const programs = [
          ...base.map((own) => program(own)),
          ...head.map((own) => program({ ...own, revision: 'head' })),
        ];
        const { measurements } = measure({ ...runOf({}), programs }, planOf({}));
        return Object.fromEntries(
          measurements.map(({ revision, benchmark, ownName }) => [`${revision} ${benchmark}`, ownName]),
        );
      };
      expect(namesOf([a, b], [a, d])).toEqual({
        'base x/fun_xdp (tag aaaaaaaa)': undefined,
        'base x/fun_xdp (tag bbbbbbbb)': undefined,
        'head x/fun_xdp (tag aaaaaaaa)': undefined,
        'head x/fun_xdp (tag bbbbbbbb)': 'x/fun_xdp (tag dddddddd)',
      });
      expect(namesOf([a, d], [a, d])).toMatchObject({ 'head x/fun_xdp (tag dddddddd)': undefined });
      expect(namesOf([a], [a, d])).toMatchObject({ 'base x/fun_xdp (tag aaaaaaaa)': 'x/fun_xdp' });
    });

    test('are compared as a set, with a warning, if several have changed', () => {
      const [a, b, c] = [tagged('a', 60_000), tagged('b', 70_000), tagged('c', 80_000)];
      const [d, e] = [tagged('d', 72_000), tagged('e', 82_000)];
      const several = measured([a, b, c], [e, d, a]);
      expect(several).toMatchObject({
        base: { 'x/fun_xdp (tag aaaaaaaa)': 60, 'x/fun_xdp': 70, 'x/fun_xdp #2': 80 },
        head: { 'x/fun_xdp (tag aaaaaaaa)': 60, 'x/fun_xdp': 72, 'x/fun_xdp #2': 82 },
      });
      expect(several.warnings).toContainEqual(asSet(2));
    });

    const asSet = (size: number) => ({
      about: ['x/fun_xdp'],
      reason: 'programs that cannot be distinguished, so they are compared as a set, in order of cost',
      detail: `${size} programs`,
    });

    test('with equal tags are numbered by cost, with a warning if they were loaded in another order', () => {
      const [a, often] = [tagged('a', 60_000), { ...tagged('a', 140_000), run_cnt: 2000 }];
      const loaded = measured([a, often], [a, often]);
      expect(loaded.base).toEqual({ 'x/fun_xdp': 60, 'x/fun_xdp #2': 70 });
      expect(loaded.warnings).not.toContainEqual(asSet(2));
      const changed = tagged('b', 61_000);
      expect(measured([a, a], [changed, changed]).head).toEqual({ 'x/fun_xdp': 61, 'x/fun_xdp #2': 61 });
      expect(measured([a, often], [often, a])).toMatchObject({
        base: { 'x/fun_xdp': 60, 'x/fun_xdp #2': 70 },
        head: { 'x/fun_xdp': 60, 'x/fun_xdp #2': 70 },
        warnings: expect.arrayContaining([asSet(2)]),
      });
    });

    test('that differ only in their maps are equal in any order of loading and for any number of readings', () => {
      const [cheap, dear] = [tagged('a', 51_000), tagged('a', 107_000)];
      const readAs = (...orders: (typeof cheap)[][]) =>
        orders.flatMap((own, index) => own.map((fields, id) => ({ ...fields, id, reading: index + 1 })));
      const [forth, back] = [
        [cheap, dear],
        [dear, cheap],
      ];
      for (const [base, head] of [
        [readAs(forth, forth), readAs(back, back)],
        [readAs(forth, back, forth), readAs(back, back)],
      ] as const) {
        const run = runOf({ readings: [{}, {}, {}] });
        const programs = [base, head].flatMap((own, side) =>
          own.map((fields) => program({ ...fields, revision: revisions[side] ?? 'base' })),
        );
        const { measurements, warnings } = measure({ ...run, programs }, planOf({}));
        expect(measurements.map(({ benchmark, value, exact }) => [benchmark, value, exact])).toEqual(
          revisions.flatMap(() => [
            ['x/fun_xdp', 51, true],
            ['x/fun_xdp #2', 107, true],
          ]),
        );
        expect(warnings).toContainEqual(asSet(2));
      }
    });

    test('are matched by cost if one is missing from a revision', () => {
      const all = [51_000, 107_000, 107_000, 300_000].map((total) => tagged('a', total));
      const [cheap, middle, , dear] = all;
      if (cheap === undefined || middle === undefined || dear === undefined) throw new Error('fixture');
      expect(measured(all, [dear, middle]).head).toEqual({ 'x/fun_xdp #2': 107, 'x/fun_xdp #4': 300 });
      expect(measured([dear], all).base).toEqual({ 'x/fun_xdp #4': 300 });
      expect(measured([cheap, middle, dear], all).base).toEqual({
        'x/fun_xdp': 51,
        'x/fun_xdp #2': 107,
        'x/fun_xdp #4': 300,
      });
      // A fourth program, which never runs, is numbered last.
      const idle = { ...tagged('a', 0), run_cnt: 0 };
      expect(measured([idle, cheap, middle], [cheap, idle, middle]).base).toEqual({
        'x/fun_xdp': 51,
        'x/fun_xdp #2': 107,
      });
    });

    test('that are loaded once in each reading are one program, whatever their tags', () => {
      const run = {
        ...runOf({ readings: [{}, {}] }),
        programs: [
          program(tagged('a', 60_000)),
          program({ ...tagged('b', 60_000), reading: 2 }),
          program({ ...tagged('c', 60_000), revision: 'head' }),
        ],
      };
      const names = measure(run, planOf({})).measurements.map(({ benchmark }) => benchmark);
      expect(names).toEqual(['x/fun_xdp', 'x/fun_xdp']);
    });

    test("ignore an unnamed program that only returns: a library's probe of the kernel", () => {
      const probe = { name: '', prog_type: 'socket_filter', xlated_bytes: 24 };
      expect(measured([{}, probe], [{}, probe]).base).toEqual({ 'x/fun_xdp': expect.any(Number) });
    });
  });

  test('that never ran give a warning and no zero', () => {
    const never = { name: 'idle', run_cnt: 0, run_time_ns: 0 };
    const { measurements, warnings } = measure(
      runOf({
        programs: [...readings(1, 1), never, { ...never, name: 'aya_name_check' }, { ...never, name: 'idle too' }],
        calibrations: [{ ...emptyXdp, readings: [] }],
      }),
      planOf({}),
    );
    expect(measurements.map(({ benchmark }) => benchmark)).toEqual(['x/fun_xdp', 'x/fun_xdp']);
    const idle = warnings.filter(({ reason }) => reason === 'loaded, but never ran: not counted');
    expect(idle.map(({ about, revision }) => `${about} ${revision}`).toSorted()).toEqual([
      'x/idle base',
      'x/idle head',
      'x/idle too base',
      'x/idle too head',
    ]);
  });

  test('that were loaded in some readings only give a warning', () => {
    const always = [1, 2, 3].map((reading) => ({ reading }));
    const sometimes = [1, 3].map((reading) => ({ reading, name: 'sometimes' }));
    const { measurements } = measure(
      runOf({ readings: [{}, {}, {}], programs: [...always, ...sometimes] }),
      planOf({}),
    );
    const warnings = measurements.map(({ revision, benchmark, warnings }) => [revision, benchmark, ...warnings]);
    const missing = { reason: 'not loaded in every reading', detail: 'in 2 of 3' };
    expect(warnings).toEqual([
      ['base', 'x/fun_xdp'],
      ['base', 'x/sometimes', missing],
      ['head', 'x/fun_xdp'],
      ['head', 'x/sometimes', missing],
    ]);
  });

  test('that ran in no time are a machine error', () => {
    const run = runOf({ programs: readings(0, 164_000) });
    expect(() => measure(run, planOf({}))).toThrow(MachineError);
    expect(() => measure(run, planOf({}))).toThrow('kernel 6.1 counted 1000 runs of x/fun_xdp on base and no time');
  });

  test('are left out with `observe = false`', () => {
    const run = runOf({ programs: readings(1), readings: [{ stdoutText: '{"a":{"latency":{"value":3}}}' }] });
    expect(only(run, planOf({ observe: false })).benchmark).toBe('x/a');
  });
});

describe('criterion benchmarks', () => {
  test('have instructions per iteration, with a resolution of 0.1 %', () => {
    const stdoutText = line([60 + 321, 60 + 642, 60 + 963, 60 + 1284 + 7000]);
    expect(only(runOf({ readings: [{ stdoutText }, { stdoutText }] }))).toMatchObject({
      benchmark: 'x/fib',
      measure: 'instructions',
      unit: 'instructions/iteration',
      kind: 'benchmark',
      value: 321,
      gross: null,
      empty: null,
      exact: false,
      resolution: 0.001,
      warnings: [],
      refusal: null,
      runCount: null,
    });
  });

  test('have a larger resolution, with a warning, if readings differ', () => {
    const { resolution, warnings, samples } = only(
      runOf({ readings: [{ stdoutText: line([1000, 2000, 3000]) }, { stdoutText: line([1010, 2020, 3030]) }] }),
    );
    expect(resolution).toBeCloseTo(0.01, 3);
    expect(warnings).toEqual([
      {
        reason: 'readings differ, so smaller changes cannot be detected',
        detail: expect.stringMatching(/^by (1\.00|0\.99) %/),
      },
    ]);
    expect(samples).toHaveLength(6);
  });

  test('have a finite resolution for any input', () => {
    const read = (...totals: number[][]) =>
      only(runOf({ readings: totals.map((each) => ({ stdoutText: line(each) })) })).resolution;
    expect(read([0, 0, 0], [0, 0, 0])).toBe(0.001);
    expect(read([0, 0, 0], [5, 10, 15])).toBe(0.001);
    expect(read([1e-300, 2e-300, 3e-300], [1e300, 2e300, 3e300])).toBe(1000);
  });

  test('are read from captured output', () => {
    const { measurements } = measure(runOf({ readings: [{ stdoutText: captured }] }), planOf({ format: 'criterion' }));
    const base = measurements.filter(({ revision }) => revision === 'base');
    expect(base.map(({ benchmark }) => benchmark)).toEqual([
      'x/fib',
      'x/fibonacci/loop/10',
      'x/fibonacci/loop/1000',
      'x/flat/large',
    ]);
    expect(base[0]?.value).toBeCloseTo(5.5, 0);
    expect(base[2]?.value).toBeCloseTo(269.5, 0);
    expect(base[3]?.value).toBe(1_206_409);
  });

  test('are a warning if missing from one reading, and an error if missing from all', () => {
    const both = `${line([1, 2, 3])}\n${line([1, 2, 3], 'fob')}`;
    const { measurements } = measure(
      runOf({ readings: [{ stdoutText: both }, { stdoutText: line([1, 2, 3]) }] }),
      planOf({}),
    );
    expect(measurements.find(({ benchmark }) => benchmark === 'x/fob')?.warnings).toEqual([
      { reason: 'not printed in every reading', detail: 'in 1 of 2' },
    ]);
    expect(() => measure(runOf({ readings: [{ stdoutText: both }, {}] }), planOf({}))).toThrow(
      'bench `x` (base, kernel 6.1, reading 2) printed no criterion results',
    );
  });

  test('with invalid output are an error that names bench, revision, kernel, reading and line', () => {
    expect(() => measure(runOf({ readings: [{ stdoutText: `\n${line([-1])}` }] }), planOf({}))).toThrow(
      /^bench `x` \(base, kernel 6\.1, reading 1\): stdout:2: criterion message with a bad `measured_values\.0`/,
    );
  });
});

describe('Bencher Metric Format', () => {
  const bmf = (value: number, more = '') => ({ stdoutText: `{"a":{"latency":{"value":${value}}${more}}}` });

  test('is exact if the lowest value was read twice', () => {
    expect(only(runOf({ readings: [bmf(165), bmf(165.5), bmf(165)] }))).toMatchObject({
      benchmark: 'x/a',
      measure: 'latency',
      unit: 'instructions',
      value: 165,
      exact: true,
      resolution: 0,
      samples: [165, 165.5, 165].map((total) => ({ count: 1, total })),
      warnings: [],
    });
  });

  test('is the lowest value, with the distance to the second lowest as resolution, if that was read once', () => {
    expect(only(runOf({ readings: [bmf(172), bmf(160), bmf(164)] }))).toMatchObject({
      value: 160,
      exact: false,
      resolution: 0.025,
      warnings: [{ reason: 'its lowest value, which is shown, was read only once', detail: 'in 3 readings' }],
    });
  });

  test('is not exact if two readings agree and a better one does not', () => {
    expect(only(runOf({ readings: [bmf(105), bmf(105), bmf(100), bmf(101)] }))).toMatchObject({
      value: 100,
      exact: false,
      resolution: 0.01,
      warnings: [{ reason: 'its lowest value, which is shown, was read only once', detail: 'in 4 readings' }],
    });
    expect(sizes('throughput', 95, 95, 100)).toMatchObject({
      value: 100,
      exact: false,
      resolution: 0.05,
      warnings: [{ reason: 'its highest value, which is shown, was read only once', detail: 'in 3 readings' }],
    });
  });

  test('has a resolution of at least 0.1 % if it is not exact', () => {
    const { resolution } = only(runOf({ readings: [bmf(100_000), bmf(100_001)] }));
    expect(resolution).toBe(0.001);
    expect(only(runOf({ readings: [bmf(165)] }))).toMatchObject({ value: 165, exact: false, resolution, warnings: [] });
  });

  const sizes = (measure: string, ...values: number[]) =>
    only(runOf({ readings: values.map((value) => ({ stdoutText: `{"a":{"${measure}":{"value":${value}}}}` })) }));

  test.each([
    ['latency', 'instructions', 'lower'],
    ['net-latency', 'instructions', 'lower'],
    ['total-bytes', 'bytes', 'lower'],
    ['peak-blocks', 'blocks', 'lower'],
    ['bytes', 'bytes', 'lower'],
    ['megabytes', 'megabytes', 'lower'],
    ['lost-samples', 'lost-samples', 'lower'],
    ['throughput', 'throughput', 'higher'],
    ['net-throughput', 'net-throughput', 'higher'],
    ['throughput-lost', 'throughput-lost', 'lower'],
    ['nothroughput', 'nothroughput', 'lower'],
    ['drops/s', 'drops/s', 'lower'],
  ])('has %s in %s, and %s is better', (measure, unit, better) => {
    expect(sizes(measure, 5, 5)).toMatchObject({ benchmark: 'x/a', measure, unit, better, value: 5, exact: true });
  });

  test('is better if it is higher where the output says so', () => {
    const stdoutText = 'Unit hits better=higher\nBenchmarkA 1 5 hits\n';
    expect(only(runOf({ readings: [{ stdoutText }, { stdoutText }] }))).toMatchObject({
      benchmark: 'x/A',
      measure: 'hits',
      better: 'higher',
    });
    const rates = ['5 gas/s', '7 gas/s', '7 gas/s'].map((rate) => ({ stdoutText: `BenchmarkA 1 ${rate}\n` }));
    expect(only(runOf({ readings: rates }))).toMatchObject({ better: 'higher', value: 7, exact: true });
  });

  test('keeps several measures of one benchmark separate', () => {
    const stdoutText = '{"a":{"total-bytes":{"value":7},"peak-bytes":{"value":3}}}';
    const { measurements } = measure(runOf({ readings: [{ stdoutText }, { stdoutText }] }), planOf({}));
    expect(measurements.map(({ revision, measure, value }) => [revision, measure, value])).toEqual([
      ['base', 'total-bytes', 7],
      ['base', 'peak-bytes', 3],
      ['head', 'total-bytes', 7],
      ['head', 'peak-bytes', 3],
    ]);
  });

  test('of a size is exact only if all readings agree, since two can agree by chance', () => {
    expect(sizes('total-bytes', 80, 100, 80)).toMatchObject({
      value: 100,
      exact: false,
      resolution: 0.2,
      warnings: [{ reason: 'readings differ, so smaller changes cannot be detected', detail: 'between 80 and 100' }],
    });
    expect(sizes('total-bytes', 0, 64)).toMatchObject({ value: 64, exact: false, resolution: 1 });
    expect(sizes('drift', -4, 2)).toMatchObject({ value: -4, exact: false, resolution: 1.5 });
    expect(sizes('total-bytes', 80)).toMatchObject({ value: 80, exact: false, resolution: 0.001, warnings: [] });
    expect(sizes('total-bytes', 0, 0)).toMatchObject({ value: 0, exact: true, resolution: 0 });
  });

  test('has the highest throughput, because a tick lowers it', () => {
    expect(sizes('throughput', 90, 100, 80)).toMatchObject({
      value: 100,
      exact: false,
      resolution: 0.1,
      warnings: [{ reason: 'its highest value, which is shown, was read only once', detail: 'in 3 readings' }],
    });
    expect(sizes('throughput', 90, 90, 100, 100)).toMatchObject({ value: 100, exact: true });
    expect(sizes('net-throughput', 80, 100, 90, 100)).toMatchObject({ value: 100, exact: true });
    expect(sizes('net-latency', 100, 90, 90)).toMatchObject({ value: 90, exact: true });
  });

  test('with names that vary between readings gives a warning, and is compared if both revisions have the name', () => {
    const print = (name: string) => ({
      stdoutText: `{"always":{"latency":{"value":1}},"${name}":{"latency":{"value":2}}}`,
    });
    const run = runOf({ readings: [print('first'), print('second')] });
    const benches = run.benches.filter(({ revision, reading }) => revision === 'base' || reading === 1);
    const { measurements } = measure({ ...run, benches }, planOf({}));
    expect(
      measurements.map(({ revision, benchmark, exact, warnings }) => [revision, benchmark, exact, warnings]),
    ).toEqual([
      ['base', 'x/always', true, []],
      ['base', 'x/first', false, [{ reason: 'not printed in every reading', detail: 'in 1 of 2' }]],
      ['base', 'x/second', false, [{ reason: 'not printed in every reading', detail: 'in 1 of 2' }]],
      ['head', 'x/always', false, []],
      ['head', 'x/first', false, []],
    ]);
    const compared = compareMeasurements(measurements, [], {
      limits: { instructions: 0, verifier: 0 },
      overrides: [],
    });
    expect(compared.map(({ benchmark, verdict }) => [benchmark, verdict])).toEqual([
      ['x/always', 'unchanged'],
      ['x/first', 'unchanged'],
      ['x/second', 'removed'],
    ]);
  });

  test('missing from one revision is an error, not a removed benchmark', () => {
    const run = runOf({});
    const benches = [bench({ ...bmf(1) }), bench({ revision: 'head' })];
    expect(() => measure({ ...run, benches }, planOf({}))).toThrow(
      'bench `x` (head, kernel 6.1, reading 1) printed nothing',
    );
  });
});

test('what is not read of the output is a warning', () => {
  const run = runOf({});
  const text = 'BenchmarkX 1 2 ns/op\nBenchmarkY \t12\ntest z ... bench:  3 ns/iter (+/- 0)\n';
  const benches = [bench({ stdoutText: text }), bench({ stdoutText: text, revision: 'head' })];
  const unread = { reason: 'printed what is not read', detail: 'line 2 looks like a Go result: BenchmarkY \t12' };
  const others = {
    reason: 'printed results of format `libtest` too, which are not read: make a [[bench]] of each format',
  };
  const each = { base: { about: ['x'], revision: 'base' }, head: { about: ['x'], revision: 'head' } };
  expect(measure({ ...run, benches }, planOf({})).warnings).toEqual([
    { ...each.base, ...unread },
    { ...each.head, ...unread },
    { ...each.base, ...others },
    { ...each.head, ...others },
  ]);
});

describe('a benchmark that needs a newer kernel', () => {
  const line = (version: string, name = 'multi') => `bpfgate: needs ${version}: ${name}\n`;
  const bmf = '{"plain":{"latency":{"value":9}}}\n';
  const measureText = (base: string, head = base, fields: Partial<PlannedBench> = {}) => {
    const run = runOf({});
    const benches = [bench({ stdoutText: base }), bench({ stdoutText: head, revision: 'head' })];
    return measure({ ...run, benches }, planOf(fields));
  };
  const gap = (revision: 'base' | 'head', needs: string, benchmark = 'x/multi') => ({
    kernel: '6.1',
    revision,
    benchmark,
    needs,
    lane: 'instructions',
  });

  test('is a gap, and the other benchmarks are measured', () => {
    const { measurements, gaps, warnings } = measureText(line('6.6') + bmf);
    expect(gaps).toEqual([gap('base', '6.6'), gap('head', '6.6')]);
    expect(measurements.map(({ benchmark }) => benchmark)).toEqual(['x/plain', 'x/plain']);
    expect(warnings).toEqual([]);
  });

  test.each(['auto', 'bmf', 'criterion', 'none'] as const)(
    'can be the only output of a bench of format %s',
    (format) => {
      const { measurements, gaps } = measureText(line('6.6'), line('6.6'), { format });
      expect(measurements).toEqual([]);
      expect(gaps).toHaveLength(2);
      expect(measureText(`${line('6.6')}{}\n`, line('6.6'), { format: 'bmf' }).gaps).toHaveLength(2);
    },
  );

  test('does not hide results that are no objects', () => {
    const { measurements, gaps } = measureText(`${line('6.6')}BenchmarkX 1 2 ns/op\n`);
    expect(measurements.map(({ benchmark, value }) => [benchmark, value])).toEqual([
      ['x/X', 2],
      ['x/X', 2],
    ]);
    expect(gaps).toHaveLength(2);
  });

  test('does not hide a broken document', () => {
    expect(() => measureText(`${line('6.6')}${bmf.slice(0, -3)}`, line('6.6'), { format: 'bmf' })).toThrow(
      'printed no Bencher Metric Format',
    );
  });

  test('can be one in head only', () => {
    const { measurements, gaps } = measureText('{"multi":{"latency":{"value":1}}}', line('6.6'), { format: 'bmf' });
    expect(gaps).toEqual([gap('head', '6.6')]);
    expect(measurements.map(({ benchmark, revision }) => [benchmark, revision])).toEqual([['x/multi', 'base']]);
  });

  test('is an error if it was also measured on that kernel', () => {
    expect(() => measureText(line('6.6', 'plain') + bmf)).toThrow(
      'bench `x` says that `plain` needs 6.6 and measures it on base, kernel 6.1',
    );
  });

  test('has to need the same version in every reading', () => {
    const run = runOf({ readings: [{ stdoutText: line('6.6') + bmf }, { stdoutText: line('6.9') + bmf }] });
    expect(() => measure(run, planOf({}))).toThrow(
      'bench `x` (base, kernel 6.1, reading 2) says that `multi` needs 6.9, an earlier reading that it needs 6.6',
    );
    expect(catchError(() => measure(run, planOf({}))).hint).toContain('in every reading');
  });

  test('is an error if the running kernel is that new', () => {
    expect(() => measureText(line('5.18') + bmf)).toThrow(BenchError);
    expect(() => measureText(line('5.18') + bmf)).toThrow(
      'bench `x` (base, kernel 6.1, reading 1) says that `multi` needs 5.18, but it ran on 6.1',
    );
  });
});

describe('a bench error', () => {
  test.each([
    [
      { exit_code: 101, stderrTail: 'panicked\n' },
      'exited with 101 on base, kernel 6.1, reading 1; its stderr ends with:\npanicked',
    ],
    [
      // Go's tests and libtest fail like this.
      { exit_code: 1, stdoutText: '--- FAIL: TestRun\nFAIL\n', stderrTail: 'exit status 1\n' },
      'exited with 1 on base, kernel 6.1, reading 1; its stdout ends with:\n--- FAIL: TestRun\nFAIL\nits stderr ends with:\nexit status 1',
    ],
    [{ exit_code: null, signal: 9 }, 'was ended by signal 9 on base, kernel 6.1, reading 1; it printed nothing'],
    [{ exit_code: null }, 'ended without an exit code on base, kernel 6.1, reading 1; it printed nothing'],
  ])('%j', (fields, message) => {
    expect(() => measure(runOf({ readings: [fields] }), planOf({}))).toThrow(BenchError);
    expect(() => measure(runOf({ readings: [fields] }), planOf({}))).toThrow(`bench \`x\` ${message}`);
  });

  const failed = { exit_code: 3, stderrTail: 'no\n' };
  // The agent stops at the first command that fails; from the second round on, head comes first.
  test.each<[where: string, records: Partial<BenchRecord>[], named: string]>([
    ['on base only', [failed], 'base, kernel 6.1, reading 1'],
    ['on head only', [{}, { revision: 'head', ...failed }], 'head, kernel 6.1, reading 1'],
    [
      'on head in a later reading',
      [{}, { revision: 'head' }, { revision: 'head', reading: 2, ...failed }],
      'head, kernel 6.1, reading 2',
    ],
    ['on both', [failed, { revision: 'head', ...failed }], 'base, kernel 6.1, reading 1'],
  ])('%s is reported, whatever the other revision printed', (_, records, named) => {
    const benches = records.map((record) => bench({ stdoutText: '{"a":{"latency":{"value":1}}}', ...record }));
    expect(() => measure({ ...runOf({}), benches }, planOf({}))).toThrow(BenchError);
    const error = catchError(() => measure({ ...runOf({}), benches }, planOf({})));
    expect(error.bench).toEqual({ name: 'x', revision: named.split(',')[0] });
    expect(error.message).toMatch(
      new RegExp(`^bench \`x\` exited with 3 on ${named}; its stdout .*stderr ends with:\nno$`, 's'),
    );
  });

  test('about flags that bpfgate added says which target to select', () => {
    const run = runOf({ readings: [{ exit_code: 1, stderrTail: "error: Unrecognized option: 'sample-size'" }] });
    const error = catchError(() =>
      measure(run, planOf({ command: 'cargo criterion', guestCommand: 'cargo criterion -- x' })),
    );
    expect(error.hint).toContain('--bench NAME');
  });

  test('is reported if the bench did not run for one revision', () => {
    const run = { ...runOf({}), benches: [bench()] };
    expect(() => measure(run, planOf({}))).toThrow('bench `x` was not run for head on kernel 6.1');
  });

  test('names the programs that never ran, if nothing else was measured', () => {
    const idle = { run_cnt: 0, run_time_ns: 0 };
    const programs = [
      { ...idle, name: 'on_exec' },
      { ...idle, name: 'on_exit' },
      { ...idle, name: 'aya_name_check' },
    ];
    const error = catchError(() => measure(runOf({ programs }), planOf({})));
    expect(error.message).toBe(
      'bench `x` loaded BPF programs that never ran on base, kernel 6.1: on_exec, on_exit; it printed no results either',
    );
    expect(error.hint).toContain('let the bench cause the events');
  });

  test.each([
    ['Google Benchmark', 'Benchmark             Time             CPU   Iterations\n', '--benchmark_format=json'],
    ['Google Benchmark', 'name,iterations,real_time,cpu_time,time_unit\n', '--benchmark_format=json'],
    ['hyperfine', '  Time (mean ± σ):       1.2 ms ±   0.1 ms\n', '--export-json FILE'],
    ['gungraun', '  Instructions:                1735|N/A             (*********)\n', '--output-format=json'],
    ['Criterion', 'fib 20    time:   [26.029 us 26.251 us 26.505 us]\n', 'format = "criterion"'],
  ])('about results that %s prints for people says how to print others', (tool, stdoutText, option) => {
    const { message, hint } = catchError(() => measure(runOf({ readings: [{ stdoutText }] }), planOf({})));
    expect(message).toContain(`printed results of ${tool} for people and ran no BPF program on base`);
    expect(hint).toContain(option);
    const idle = runOf({ readings: [{ stdoutText }], programs: [{ run_cnt: 0, run_time_ns: 0, name: 'on_exec' }] });
    expect(catchError(() => measure(idle, planOf({}))).message).toMatch(
      / for people and loaded BPF programs that never ran on base, kernel 6\.1: on_exec$/,
    );
    const { warnings } = measure(runOf({ readings: [{ stdoutText }], programs: [{ name: 'on_exec' }] }), planOf({}));
    const reason = `printed results of ${tool} for people, which are not read: ${hint}`;
    expect(warnings).toContainEqual({ about: ['x'], revision: 'base', reason });
  });

  test('keeps the results of other benches', () => {
    const load: Omit<LoadRecord, 'revision'> = {
      record: 'load',
      object: 'xdp',
      program: 'fun_xdp',
      section: 'xdp',
      prog_type: 'xdp',
      code: null,
      outcome: 'refused',
      verification: null,
      verified_insns: null,
      stack_bytes: null,
      xlated_bytes: null,
      jited_bytes: null,
      map_bytes: null,
      load_time_ns: null,
      errno: 'EACCES',
      message: null,
      log: '',
      source: null,
      begins: null,
    };
    const one = runOf({ programs: [{}], loads: revisions.map((revision) => ({ ...load, revision })) });
    const failed = revisions.map((revision) => bench({ bench: 'y', revision, exit_code: 2, stderrTail: 'no' }));
    const plan = planOf({});
    const [first] = plan.benches;
    if (first === undefined) throw new Error('plan');
    const both = { ...plan, benches: [first, { ...first, name: 'y' }, { ...first, name: 'z' }] };
    const more = failed.map((record) => ({ ...record, bench: 'z' }));
    const { measurements, error } = measure({ ...one, benches: [...one.benches, ...failed, ...more] }, both);
    expect(measurements.map(({ lane, benchmark }) => `${lane} ${benchmark}`)).toEqual([
      ...['instructions x/fun_xdp', 'instructions x/fun_xdp', 'verifier xdp/fun_xdp', 'verifier xdp/fun_xdp'],
    ]);
    // The same if only the verifier lane measured something.
    const alone = measure({ ...one, programs: [], benches: failed }, { ...plan, benches: [{ ...first, name: 'y' }] });
    expect(alone.measurements.map(({ lane }) => lane)).toEqual(['verifier', 'verifier']);
    expect(alone.error?.message).toContain('bench `y` exited with 2 on base');
    expect(error?.message).toContain('bench `y` exited with 2 on base');
    expect(Object.keys(error?.logs ?? {})).toEqual(['bench-y-base-6.1.log', 'bench-z-base-6.1.log']);
  });

  test('is reported if the bench gave no results, with the next step', () => {
    const error = catchError(() => measure(runOf({}), planOf({ format: 'none' })));
    expect(error.message).toBe('bench `x` printed no results and ran no BPF program on base, kernel 6.1');
    const text = 'fib                     time:   [5.0 ns 5.1 ns 5.2 ns]\n';
    expect(catchError(() => measure(runOf({ readings: [{ stdoutText: text }] }), planOf({}))).hint).toContain(
      'cargo bench',
    );
  });
});

test('the order of the records does not matter, and equal revisions give equal values', () => {
  const programs = [
    ...readings(164_000, 171_000, 164_000),
    ...readings(90_000, 90_000).map((entry) => ({ ...entry, tag: 'b'.repeat(16) })),
  ];
  const run = runOf({
    readings: [{ stdoutText: captured }, { stdoutText: captured }, { stdoutText: captured }],
    programs,
    calibrations: [emptyXdp, { ...emptyXdp, readings: emptyXdp.readings.toReversed() }],
  });
  const measured = measure(run, planOf({}));
  const reversed = {
    ...run,
    benches: run.benches.toReversed(),
    programs: run.programs.toReversed(),
    calibrations: run.calibrations.toReversed(),
  };
  expect(measure(reversed, planOf({}))).toEqual(measured);
  const [base, head] = revisions.map((revision) =>
    measured.measurements.filter((entry) => entry.revision === revision).map((entry) => ({ ...entry, revision: null })),
  );
  expect(head).toEqual(base);
  expect(base).toHaveLength(6);
});

function line(totals: number[], id = 'fib'): string {
  const message = { id, iteration_count: totals.map((_, index) => index + 1), measured_values: totals, unit: 'ns' };
  return JSON.stringify({ reason: 'benchmark-complete', ...message });
}

function catchError(run: () => unknown): BenchError {
  try {
    run();
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a sample too large for a line fit within a minute is refused', () => {
  const print = (samples: number) =>
    JSON.stringify({
      reason: 'benchmark-complete',
      id: 'a',
      unit: 'ns',
      iteration_count: Array(samples).fill(1),
      measured_values: Array(samples).fill(1),
    });
  const measured = (samples: number) => measure(runOf({ readings: [{ stdoutText: print(samples) }] }), planOf({}));
  expect(measured(100_000).measurements).toHaveLength(2);
  expect(() => measured(100_001)).toThrow('bench `x` (base, kernel 6.1) printed 100001 samples, more than 100000');
});
