import { describe, expect, test } from 'vitest';
import { measureLoads } from '../../src/bench/measure-loads.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import type { GuestRun, LoadRecord, ObjectRecord } from '../../src/model/guest-run.ts';
import { recordComparison } from '../../src/report/results.ts';
import { strictGate } from '../report/results-fixtures.ts';

const source = { file: 'src/main.rs', line: 12 };

const statistics = { total_states: 11, peak_states: 9, max_states_per_insn: 3, mark_read: 5, time_us: 800 };

function loaded(fields: Partial<LoadRecord> = {}): LoadRecord {
  return {
    record: 'load',
    object: 'xdp',
    revision: 'base',
    program: 'fun_xdp',
    section: 'xdp',
    prog_type: 'xdp',
    code: null,
    outcome: 'loaded',
    verification: { ...statistics, insns: 120 },
    verified_insns: 120,
    stack_bytes: 16,
    xlated_bytes: 800,
    jited_bytes: 500,
    map_bytes: 4096,
    load_time_ns: 90_000,
    errno: null,
    message: null,
    log: '',
    source,
    begins: null,
    ...fields,
  };
}

function refused(fields: Partial<LoadRecord> = {}): LoadRecord {
  return loaded({
    outcome: 'refused',
    verification: { ...statistics, insns: 7, mark_read: null },
    verified_insns: null,
    stack_bytes: null,
    xlated_bytes: null,
    jited_bytes: null,
    map_bytes: null,
    load_time_ns: null,
    errno: 'EACCES',
    message: "R1 invalid mem access 'inv'",
    log: "5: (79) r1 = *(u64 *)(r10 -8)\n\nR1 invalid mem access 'inv'\n",
    source: { file: 'src/main.rs', line: 40 },
    ...fields,
  });
}

const unsupported = (fields: Partial<LoadRecord>) =>
  refused({
    outcome: 'unsupported',
    verification: null,
    errno: null,
    message: 'the kernel has no fentry',
    log: '',
    ...fields,
  });

const head = (record: LoadRecord): LoadRecord => ({ ...record, revision: 'head' });

function runOf(loads: readonly LoadRecord[], objects: readonly ObjectRecord[] = []): GuestRun {
  return { kernel: '5.8', loads, objects } as unknown as GuestRun;
}

function compare(run: GuestRun, gate = strictGate) {
  const { measurements, gaps } = measureLoads(run);
  return compareMeasurements(measurements, gaps, gate)
    .map(recordComparison)
    .map(({ benchmark, measure, verdict, delta }) => `${benchmark} ${measure} ${verdict} ${delta}`);
}

describe('a program that loads in both revisions', () => {
  test('has every size, exactly', () => {
    const { measurements, gaps, warnings } = measureLoads(runOf([loaded(), head(loaded())]));
    expect(measurements.filter(({ revision }) => revision === 'head')).toMatchObject([
      { measure: 'loads', unit: '', value: 1, better: 'higher', exact: true, lane: 'verifier', source },
      { measure: 'verified-instructions', unit: 'instructions', value: 120, better: 'lower', exact: true },
      { measure: 'stack-bytes', unit: 'bytes', value: 16 },
      { measure: 'xlated-bytes', unit: 'bytes', value: 800 },
      { measure: 'jited-bytes', unit: 'bytes', value: 500 },
      { measure: 'map-bytes', unit: 'bytes', value: 4096 },
      { measure: 'load-time', unit: 'instructions', value: 90_000 },
    ]);
    expect([gaps, warnings]).toEqual([[], []]);
  });

  test('regresses by one verified instruction, but not by its load time', () => {
    expect(compare(runOf([loaded(), head(loaded({ verified_insns: 121, load_time_ns: 900_000 }))]))).toEqual([
      'xdp/fun_xdp loads unchanged 0',
      'xdp/fun_xdp verified-instructions regression 1',
      'xdp/fun_xdp stack-bytes unchanged 0',
      'xdp/fun_xdp xlated-bytes unchanged 0',
      'xdp/fun_xdp jited-bytes unchanged 0',
      'xdp/fun_xdp map-bytes unchanged 0',
      'xdp/fun_xdp load-time unchanged 810000',
    ]);
  });

  test("has the verifier's statistics, next to whether it loads", () => {
    const verification = { instructions: 120, totalStates: 11, peakStates: 9, maxStatesPerInstruction: 3, timeUs: 800 };
    const { measurements } = measureLoads(runOf([loaded(), head(refused())]));
    expect(measurements).toMatchObject([
      { measure: 'loads', value: 1, verification: { ...verification, markRead: 5 } },
      { measure: 'loads', value: 0, verification: { ...verification, instructions: 7, markRead: null } },
    ]);
    const others = measureLoads(runOf([loaded(), head(loaded({ verification: null }))])).measurements;
    expect(others.filter((each) => 'verification' in each).map(({ measure, revision }) => [measure, revision])).toEqual(
      [['loads', 'base']],
    );
  });

  test('has only the sizes that the kernel reports', () => {
    const plain = loaded({ verified_insns: null, stack_bytes: null, map_bytes: null });
    const { measurements } = measureLoads(runOf([plain]));
    expect(measurements.map(({ measure }) => measure)).toEqual(['loads', 'xlated-bytes', 'jited-bytes', 'load-time']);
  });
});

describe('a program that head no longer loads', () => {
  test("is a regression at the line that the verifier rejects, with the end of the verifier's log", () => {
    const { measurements, gaps } = measureLoads(runOf([loaded(), head(refused())]));
    const comparisons = compareMeasurements(measurements, gaps, strictGate);
    expect(comparisons).toMatchObject([
      {
        measure: 'loads',
        base: 1,
        head: 0,
        verdict: 'regression',
        source: { line: 40 },
        refusal: {
          errno: 'EACCES',
          message: "R1 invalid mem access 'inv'",
          log: ['5: (79) r1 = *(u64 *)(r10 -8)', "R1 invalid mem access 'inv'"],
        },
      },
    ]);
  });

  test('is a regression under any limit except `off`', () => {
    const run = runOf([loaded(), head(refused())]);
    const gate = (limit: number | 'off') => ({ ...strictGate, limits: { ...strictGate.limits, verifier: limit } });
    expect(compare(run, gate(50))).toEqual(['xdp/fun_xdp loads regression -1']);
    expect(compare(run, gate('off'))).toEqual(['xdp/fun_xdp loads unchanged -1']);
  });
});

test('a program that only head loads is an improvement', () => {
  expect(compare(runOf([refused(), head(loaded())]))).toEqual(['xdp/fun_xdp loads improvement 1']);
});

test('a program that neither revision loads is unchanged', () => {
  const run = runOf([refused(), head(refused())]);
  expect(compare(run)).toEqual(['xdp/fun_xdp loads unchanged 0']);
});

test('a program of one revision only is added or removed', () => {
  const small = { stack_bytes: null, xlated_bytes: null, jited_bytes: null, map_bytes: null, load_time_ns: null };
  expect(compare(runOf([loaded(small), head(loaded({ ...small, program: 'new' }))]))).toEqual([
    'xdp/fun_xdp loads removed null',
    'xdp/fun_xdp verified-instructions removed null',
    'xdp/new loads added null',
    'xdp/new verified-instructions added null',
  ]);
});

describe('a program that could not be tried', () => {
  test('in one revision is inconclusive, with the reason', () => {
    const { measurements, gaps } = measureLoads(runOf([loaded(), unsupported({ revision: 'head' })]));
    const [only, ...others] = compareMeasurements(measurements, gaps, strictGate);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      verdict: 'inconclusive',
      warnings: ['head could not be tried: the kernel has no fentry'],
    });
  });

  test('because of its object is not removed', () => {
    const broken = {
      record: 'object',
      object: 'xdp',
      revision: 'head',
      programs: 0,
      error: 'no such map type',
    } as const;
    const run = runOf([loaded()], [broken]);
    expect(compare(run)).toEqual(['xdp/fun_xdp loads inconclusive null']);
    expect(measureLoads(run).warnings).toEqual([]);
  });

  test('because of its object is a gap in each revision', () => {
    const broken = { record: 'object', object: 'xdp', programs: 0, error: 'no such map type' } as const;
    const run = runOf(
      [],
      [
        { ...broken, revision: 'base' },
        { ...broken, revision: 'head' },
      ],
    );
    const { gaps, warnings } = measureLoads(run);
    expect(gaps).toMatchObject([
      { benchmark: 'xdp/*', revision: 'base', needs: null, reason: 'no such map type' },
      { benchmark: 'xdp/*', revision: 'head' },
    ]);
    expect(warnings).toEqual([]);
  });

  test('because an object has none is a warning if the user named the object or there is no other program', () => {
    const library = (object: string) =>
      ({ record: 'object', object, revision: 'head', programs: 0, error: null }) as const;
    const reason = 'has no BPF programs: a program is a function that is not static, in a section such as `SEC("xdp")`';
    const alone = measureLoads(runOf([], [library('common'), library('lib')]));
    expect(alone.warnings).toEqual([
      { about: ['common'], reason },
      { about: ['lib'], reason },
    ]);
    expect([...alone.measurements, ...alone.gaps]).toEqual([]);
    const others = runOf([head(loaded())], [library('lib')]);
    expect(measureLoads(others).warnings).toEqual([]);
    expect(measureLoads(others, [], true).warnings).toEqual([{ about: ['lib'], reason }]);
  });

  test('because of a map gives a gap, and a warning only for what else the object has', () => {
    const message = 'map "events" could not be made: EINVAL';
    const object = { record: 'object', object: 'xdp', programs: 1, error: message } as const;
    const error = `${message}; map "unused" could not be made: EINVAL`;
    const run = runOf(
      [unsupported({ message }), unsupported({ message, revision: 'head' })],
      [
        { ...object, revision: 'base' },
        { ...object, revision: 'head' },
      ],
    );
    expect(measureLoads(run).warnings).toEqual([]);
    const [, ofHead] = run.objects;
    if (ofHead === undefined) throw new Error('no object');
    expect(measureLoads({ ...run, objects: [{ ...ofHead, error }] }).warnings).toEqual([
      { about: ['xdp'], revision: 'head', reason: error },
    ]);
  });

  test('in both revisions is a gap of both', () => {
    const programs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((program) => [
      unsupported({ program }),
      unsupported({ program, revision: 'head' }),
    ]);
    const { measurements, gaps, warnings } = measureLoads(runOf(programs));
    expect(measurements).toEqual([]);
    expect(gaps.map(({ benchmark, revision }) => `${benchmark} ${revision}`).slice(0, 3)).toEqual([
      'xdp/a base',
      'xdp/a head',
      'xdp/b base',
    ]);
    expect(warnings).toEqual([]);
  });
});

describe('an object', () => {
  const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
  const object = (name: string, codes: Record<string, string>, revision: 'base' | 'head' = 'head') =>
    Object.entries(codes).map(([program, code]) => loaded({ object: name, program, code, revision }));
  const named = (...loads: readonly LoadRecord[][]) => [
    ...new Set(measureLoads(runOf(loads.flat())).measurements.map(({ benchmark }) => benchmark)),
  ];

  test('and the objects linked into it have the same programs, which are measured once', () => {
    const linked = object('app', { probe: one, count: other });
    expect(named(object('app.tmp', { probe: one, count: other }), linked)).toEqual(['app/probe', 'app/count']);
    expect(named(object('probe', { probe: one }), linked, object('count', { count: other }))).toEqual([
      'app/probe',
      'app/count',
    ]);
  });

  test('that the user named is measured, whatever other objects have', () => {
    const loads = [...object('app', { probe: one }), ...object('copy', { probe: one })];
    const { measurements } = measureLoads(runOf(loads), [], true);
    expect([...new Set(measurements.map(({ benchmark }) => benchmark))]).toEqual(['app/probe', 'copy/probe']);
  });

  test('with a program that exists in one revision only is no copy', () => {
    const both = [...object('app', { probe: one }, 'base'), ...object('app', { probe: one })];
    const changed = [...object('tool', { probe: one }, 'base'), ...object('tool', { probe: other })];
    expect(named(both, changed)).toEqual(['app/probe', 'tool/probe']);
  });

  test('that could not be read completely is no copy', () => {
    const read = { record: 'object', object: 'app.tmp', revision: 'head', programs: 2, error: null } as const;
    const part = runOf([...object('app', { probe: one }), ...object('app.tmp', { probe: one })], [read]);
    expect(measureLoads(part).measurements.some(({ benchmark }) => benchmark === 'app.tmp/probe')).toBe(true);
    // Whole in base, and damaged in head.
    const loads = [...object('app', { probe: one }, 'base'), ...object('app', { probe: one })];
    const damaged = runOf(
      [...loads, ...object('app.tmp', { probe: one }, 'base')],
      [{ ...read, programs: 0, error: 'it is damaged' }],
    );
    expect(measureLoads(damaged).gaps).toMatchObject([{ benchmark: 'app.tmp/probe', revision: 'head' }]);
  });
});
