import { describe, expect, test } from 'vitest';
import { measure } from '../../src/bench/measure.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { findRenames } from '../../src/compare/find-renames.ts';
import type { BenchRecord, GuestRun, LoadRecord, ProgramRecord } from '../../src/model/guest-run.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { recordComparison } from '../../src/report/results.ts';
import { strictGate } from '../report/results-fixtures.ts';

const source = (line: number, file = 'probe.bpf.c') => ({ file, line });
const tag = (digit: string) => digit.repeat(16);

function program(fields: Partial<ProgramRecord>): ProgramRecord {
  return {
    record: 'program',
    bench: 'x',
    revision: 'base',
    reading: 1,
    ordinal: 0,
    id: 1,
    name: 'old',
    prog_type: 'xdp',
    tag: tag('a'),
    run_cnt: 1000,
    run_time_ns: 60_000,
    recursion_misses: 0,
    xlated_bytes: 80,
    source: source(2),
    ...fields,
  };
}

function load(fields: Partial<LoadRecord>): LoadRecord {
  return {
    record: 'load',
    object: 'probe',
    revision: 'base',
    program: 'old',
    section: 'xdp',
    prog_type: 'xdp',
    code: 'a',
    outcome: 'loaded',
    verification: null,
    verified_insns: 9,
    stack_bytes: 0,
    xlated_bytes: 80,
    jited_bytes: 60,
    map_bytes: 0,
    load_time_ns: 1,
    errno: null,
    message: null,
    log: '',
    source: source(2),
    begins: null,
    ...fields,
  };
}

/** Two readings of each revision. */
type RunFields = { readonly programs?: readonly Partial<ProgramRecord>[] } & Partial<Omit<GuestRun, 'programs'>>;

function runOf({ programs = [], ...fields }: RunFields) {
  const twice = programs.flatMap((fields) => [program(fields), program({ ...fields, reading: 2 })]);
  const benches = (['base', 'head'] as const).flatMap((revision) =>
    [1, 2].map((reading) => ({
      record: 'bench',
      bench: 'x',
      revision,
      reading,
      exit_code: 0,
      signal: null,
      stdoutText: '',
      stderrTail: '',
      tookMs: 1,
      duration_ns: 1,
    })),
  ) as BenchRecord[];
  const calibrations = [{ record: 'calibration', prog_type: 'xdp', readings: [{ run_cnt: 1, run_time_ns: 10 }] }];
  const loads = { objects: [], loads: [] };
  return {
    kernel: '6.1',
    warnings: [],
    calibrations,
    benches,
    programs: twice,
    ...loads,
    ...fields,
  } as unknown as GuestRun;
}

const planOf = (run: GuestRun) =>
  ({
    benches: run.programs.length === 0 ? [] : [{ name: 'x', command: 'run', format: 'none', observe: true }],
  }) as unknown as Plan;

const before = ['SEC("xdp")', 'int old(struct xdp_md *ctx)', '{', '  return 1;', '}'];
const after = ['// More.', 'SEC("xdp")', 'int new(struct xdp_md *ctx)', '{', '  return more();', '}'];

/** Lists what the report says, given the source of both revisions. */
async function compare(run: GuestRun, base: readonly string[] = before, head: readonly string[] = after) {
  const read = async () => [base.join('\n'), head.join('\n')] as const;
  const renames = await findRenames(run, { locate: (_, file) => file, read });
  const { measurements, gaps } = measure(run, planOf(run), renames);
  return compareMeasurements(measurements, gaps, strictGate)
    .map(recordComparison)
    .filter(({ measure }) => ['bpf-instructions', 'loads', 'jited-bytes'].includes(measure))
    .map(({ benchmark, measure, verdict, delta, renamedFrom }) => [
      `${benchmark} ${measure}: ${verdict} ${delta}`,
      ...(renamedFrom === undefined ? [] : [renamedFrom]),
    ]);
}

describe('a program that a bench loads under another name', () => {
  const renamed = { name: 'new', revision: 'head' } as const;

  test('is matched by its tag', async () => {
    expect(await compare(runOf({ programs: [{ source: null }, { ...renamed, source: null }] }))).toEqual([
      ['x/new bpf-instructions: unchanged 0', 'x/old'],
    ]);
    // A variant with a larger map has the same tag. Its source shows that it is another program.
    const larger = { ...renamed, run_time_ns: 240_000 };
    const head = ['int new(struct larger *ctx)', '{', '  return 1;', '}'];
    expect((await compare(runOf({ programs: [{}, larger] }), before, head)).flat()).toEqual([
      'x/old bpf-instructions: removed null',
      'x/new bpf-instructions: added null',
    ]);
  });

  test('is a regression if it also grew, matched by its place in the source', async () => {
    const grown = { ...renamed, tag: tag('b'), run_time_ns: 90_000, source: source(3) };
    expect(await compare(runOf({ programs: [{}, grown] }))).toEqual([
      ['x/new bpf-instructions: regression 30', 'x/old'],
    ]);
  });

  test("is matched if its first instructions or its attribute's line changed", async () => {
    const base = ['#[xdp]', 'pub fn old(ctx: XdpContext) -> u32 {', '    try_old(ctx)', '}'];
    const head = ['#[xdp]', 'pub fn new(ctx: XdpContext) -> u32 {', '    let old = more();', '    try_old(ctx)', '}'];
    const named = ['int old(struct threshold *old_data)', '{', '  return 1;', '}'];
    const inPart = runOf({ programs: [{ source: source(3) }, { ...renamed, tag: tag('b'), source: source(3) }] });
    const afterwards = named.map((line) => line.replace('int old', 'int new'));
    expect((await compare(inPart, named, afterwards))[0]?.[1]).toBe('x/old');
    const from = (line: number) => ({ source: source(line) });
    const grown = { ...renamed, tag: tag('b'), run_time_ns: 90_000 };
    for (const [before, after] of [
      [3, 3],
      [1, 1],
      [3, 1],
    ] as const) {
      const run = runOf({ programs: [from(before), { ...grown, ...from(after) }] });
      expect(await compare(run, base, head)).toEqual([['x/new bpf-instructions: regression 30', 'x/old']]);
    }
  });

  test('keeps its cases if it is loaded several times', async () => {
    const programs = [{ id: 1 }, { id: 2, run_time_ns: 70_000 }, { ...renamed, id: 1 }];
    const second = { ...renamed, id: 2, run_time_ns: 75_000 };
    expect(await compare(runOf({ programs: [...programs, second] }))).toEqual([
      ['x/new bpf-instructions: unchanged 0', 'x/old'],
      ['x/new #2 bpf-instructions: regression 5', 'x/old #2'],
    ]);
  });

  test('is another program if the source says so, or nothing matches', async () => {
    const apart = [['x/old bpf-instructions: removed null'], ['x/new bpf-instructions: added null']];
    const other = { ...renamed, tag: tag('b'), source: source(3) };
    expect(await compare(runOf({ programs: [{}, { ...other, source: null }] }))).toEqual(apart);
    expect(await compare(runOf({ programs: [{}, { ...other, prog_type: 'kprobe' }] }))).toEqual(apart);
    // The same place, but another signature.
    const changed = after.map((line) => line.replace('struct xdp_md *ctx', 'void *ctx'));
    expect(await compare(runOf({ programs: [{}, other] }), before, changed)).toEqual(apart);
    // Another place in the file.
    const elsewhere = [
      'int new(struct xdp_md *ctx)',
      ...before.slice(2),
      ...before.map((line) => line.replace('old', 'x')),
    ];
    expect(await compare(runOf({ programs: [{}, { ...other, source: source(1) }] }), before, elsewhere)).toEqual(apart);
  });

  test('stays removed and added if the match is ambiguous', async () => {
    const both = (tags: string) => [
      { name: 'new', tag: tag(tags) },
      { name: 'newer', tag: tag(tags) },
    ];
    const heads = both('a').map((fields) => ({ ...renamed, ...fields, source: null }));
    const verdicts = (await compare(runOf({ programs: [{}, ...heads] }))).map(([line]) => line?.split(' ')[2]);
    expect(verdicts).toEqual(['removed', 'added', 'added']);
  });

  test('is not matched if it never ran, or was not loaded in every reading', async () => {
    const idle = { name: 'old', revision: 'head', run_cnt: 0, run_time_ns: 0 } as const;
    const isRenamed = (lines: readonly (readonly string[])[]) => lines.some(([, from]) => from !== undefined);
    expect(isRenamed(await compare(runOf({ programs: [{}, renamed, idle] })))).toBe(false);
    const run = runOf({ programs: [{}, renamed] });
    const programs = run.programs.filter(({ revision, reading }) => revision === 'base' || reading === 1);
    expect(isRenamed(await compare({ ...run, programs }))).toBe(false);
  });
});

describe('a program of an object', () => {
  const inHead = { revision: 'head', program: 'new', source: source(3) } as const;

  test('a renamed program is the same one under each preset', async () => {
    const deep = (fields: Partial<LoadRecord>) => load({ ...fields, program: `${fields.program ?? 'old'}@deep` });
    const loads = [load({}), deep({}), load({ ...inHead, code: 'b' }), deep({ ...inHead, code: 'b' })];
    expect(await compare(runOf({ loads }))).toEqual([
      ['probe/new loads: unchanged 0', 'probe/old'],
      ['probe/new jited-bytes: unchanged 0', 'probe/old'],
      ['probe/new@deep loads: unchanged 0', 'probe/old@deep'],
      ['probe/new@deep jited-bytes: unchanged 0', 'probe/old@deep'],
    ]);
  });

  test('has a name that may begin with an at sign, on a line of which the beginning is compared', async () => {
    const at = (line: string, tail: string) => [`${line.padEnd(500)}${tail}`];
    const loads = [load({ program: '@old', source: source(1) })];
    loads.push(load({ ...inHead, program: '@new', code: 'b', source: source(1) }));
    const line = (name: string) => `int f(struct xdp_md *ctx) asm("@${name}");`;
    expect(await compare(runOf({ loads }), at(line('old'), '1'), at(line('new'), '2'))).toEqual([
      ['probe/@new loads: unchanged 0', 'probe/@old'],
      ['probe/@new jited-bytes: unchanged 0', 'probe/@old'],
    ]);
  });

  test('is matched if it was renamed or moved', async () => {
    const moved = load({ revision: 'head', object: 'other', source: source(8, 'other.bpf.c') });
    expect(await compare(runOf({ loads: [load({}), moved] }))).toEqual([
      ['other/old loads: unchanged 0', 'probe/old'],
      ['other/old jited-bytes: unchanged 0', 'probe/old'],
    ]);
    const grown = load({ ...inHead, code: 'b', jited_bytes: 99 });
    expect(await compare(runOf({ loads: [load({}), grown] }))).toEqual([
      ['probe/new loads: unchanged 0', 'probe/old'],
      ['probe/new jited-bytes: regression 39', 'probe/old'],
    ]);
  });

  test('that moved with its file and grew is matched by its name and its place', async () => {
    const head = ['// Moved.', ...before.slice(0, -2), '  return more();', '}'];
    const moved = load({
      revision: 'head',
      object: 'other',
      code: 'b',
      source: source(3, 'other.bpf.c'),
      jited_bytes: 99,
    });
    const found = await compare(runOf({ loads: [load({}), moved] }), before, head);
    expect(found).toContainEqual(['other/old jited-bytes: regression 39', 'probe/old']);
  });

  test('is a regression if it no longer loads', async () => {
    const refused = load({
      ...inHead,
      code: 'b',
      outcome: 'refused',
      errno: 'EACCES',
      message: 'R1 is bad',
      source: source(5),
      begins: source(3),
    });
    expect(await compare(runOf({ loads: [load({}), refused] }))).toEqual([
      ['probe/new loads: regression -1', 'probe/old'],
    ]);
  });

  test('is another one if its object could not be read completely', async () => {
    const objects = [{ record: 'object', object: 'probe', revision: 'head', programs: 2, error: null }] as const;
    const lines = await compare(runOf({ objects, loads: [load({}), load(inHead)] }));
    expect(lines).toContainEqual(['probe/old loads: inconclusive null']);
  });

  test('that was removed leaves the others of its object decided', async () => {
    const objects = (['base', 'head'] as const).map((revision) => ({
      ...({ record: 'object', object: 'probe', programs: 1, error: null } as const),
      revision,
    }));
    const others = [load({ revision: 'head', object: 'other' }), load({ ...inHead, code: 'c', source: null })];
    const lines = await compare(runOf({ objects, loads: [load({}), ...others] }));
    expect(lines).toContainEqual(['other/old loads: unchanged 0', 'probe/old']);
    expect(lines).toContainEqual(['probe/new loads: added null']);
  });
});
