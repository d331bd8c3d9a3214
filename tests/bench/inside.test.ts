import { expect, test } from 'vitest';
import { describeInside, type SeenBoot } from '../../src/bench/inside.ts';
import { readSeen } from '../../src/bench/seen.ts';
import type { InputRun, InsideRecord, LoadRecord, ProgramRecord, SeenCode } from '../../src/model/guest-run.ts';

const helper = 'ffffffff81000000';
const interrupts = { ffffffff81a00b80: 'asm_exc_page_fault' };
const code: SeenCode = {
  files: ['x.c', ''],
  functions: [
    {
      name: 'prog',
      stretches: [
        [0, 10, 1, 'EABCFABD'],
        [0, 11, 2, 'CABE'],
      ],
    },
    { name: 'other', stretches: [[1, 0, 0, 'IABFBABG']] },
  ],
  names: { [helper]: '__htab_map_lookup_elem' },
};

/** Ten runs that the kernel counted as 200 each with its own 50, and an empty program as 58. */
function run(fields: Partial<InputRun> = {}, inside: Partial<InsideRecord> = {}): InputRun {
  const reading = { run_cnt: 10, run_time_ns: 2000 };
  return {
    ...{ input: 'udp', readings: [reading], empty: { run_cnt: 10, run_time_ns: 580 }, no_empty: null, calls: null },
    ...{ returned: 2, left: null, instead: null, error: null },
    inside: { window: 7, reading, empty: 8, code, ...inside },
    ...fields,
  };
}

const text = `window 7 10 0 1
instruction 0 0 10
instruction 0 4 300
instruction 0 9 20
instruction 1 8 70
call 0 4 ${helper} 15 750 40 60 50
call 0 9 ${helper} 5 350 70 70 70
kind 0 40 1f 10 1500 130 170 150
by call ${helper} 2
end
window 8 10 0 1
instruction 0 0 80
end
`;

function boot(fields: Partial<SeenBoot>): SeenBoot {
  return { revision: 'head', loads: [], programs: [], calibrations: [], windows: new Map(), interrupts, ...fields };
}

function describe(runs: readonly InputRun[], seen = text) {
  const load = { object: 'x', program: 'prog', inputs: { error: null, runs } };
  return describeInside('6.1', [boot({ loads: [load as unknown as LoadRecord], windows: readSeen(seen) })], []);
}

test('lines and calls add up to what the kernel counted', () => {
  expect(describe([run()])).toEqual([
    {
      kernel: '6.1',
      revision: 'head',
      benchmark: 'x/prog/udp',
      reason: null,
      counted: 142,
      lines: [
        { file: 'x.c', line: 10, instructions: 31 },
        { file: null, line: 0, instructions: 7 },
        { file: 'x.c', line: 11, instructions: 2 },
      ],
      code: [
        { function: 0, offset: 0, source: { file: 'x.c', line: 10 }, text: 1, shape: 'ABC', times: 1 },
        { function: 0, offset: 4, source: { file: 'x.c', line: 10 }, text: 1, shape: 'ABD', times: 30 },
        { function: 0, offset: 9, source: { file: 'x.c', line: 11 }, text: 2, shape: 'ABE', times: 2 },
        { function: 1, offset: 0, source: null, text: 0, shape: 'ABF', times: 0 },
        { function: 1, offset: 8, source: null, text: 0, shape: 'ABG', times: 7 },
      ],
      calls: [
        {
          ...{ way: 'call', name: '__htab_map_lookup_elem', calls: 2, instructions: 110 },
          ...{ least: 40, most: 70, frequent: 50 },
        },
      ],
      kinds: [
        {
          ...{ callback: null, runs: 10, own: 40, calls: [{ way: 'call', name: '__htab_map_lookup_elem', calls: 2 }] },
          ...{ least: 130, most: 170, frequent: 150 },
        },
      ],
      otherKinds: 0,
      ranges: new Map([['__htab_map_lookup_elem', { least: 40, most: 70, times: 20 }]]),
      interruptions: [],
      empty: 8,
      rest: 0,
    },
  ]);
});

test('what does not add up is the rest', () => {
  const more = text.replace('instruction 0 0 10', 'instruction 0 0 11');
  expect(describe([run()], more)).toMatchObject([{ counted: 142, rest: -0.1 }]);
  // Without an empty program the kernel's own code is not known.
  const gross = run({ empty: null }, { empty: null });
  expect(describe([gross])).toMatchObject([{ counted: 200, empty: null, rest: 50 }]);
  const idle = text.replace('window 8 10 0', 'window 8 0 0');
  expect(describe([run()], idle)).toMatchObject([{ counted: 142, empty: null, rest: -8 }]);
});

test('a function without a name has its address', () => {
  const seen = 'window 7 10 0 1\ncall 0 4 ffffffff81000010 10 420 42 42 42\nend\n';
  expect(describe([run()], seen)).toMatchObject([{ calls: [{ name: '0xffffffff81000010' }] }]);
});

test('interruptions are no cost, and add up with it', () => {
  const more = `interruption ffffffff81a00b80 2 300\ninterruption ffffffff81a00000 1 20\ninterruption 0 1 10\nkind`;
  const reading = { run_cnt: 10, run_time_ns: 2330 };
  const own = run({ readings: [reading] }, { reading });
  expect(describe([own], text.replace('kind', more))).toMatchObject([
    {
      counted: 175,
      interruptions: [
        { name: 'asm_exc_page_fault', times: 0.2, instructions: 30 },
        { name: '0xffffffff81a00000', times: 0.1, instructions: 2 },
        { name: null, times: 0.1, instructions: 1 },
      ],
      rest: 0,
    },
  ]);
});

test('runs of a function that the kernel calls are a kind, and not part of the count', () => {
  const more = `callbacks
instruction 1 0 3000
kind 0 40 1f 3 450 150 150 150
kind 1 300 2e 10 3000 300 300 300
other 7
end
window 8`;
  expect(describe([run()], text.replace(/kind.*window 8/s, more))).toMatchObject([
    {
      kinds: [
        { callback: 'other', runs: 10, own: 300, calls: [] },
        { callback: null, runs: 3 },
      ],
      otherKinds: 7,
      rest: 0,
    },
  ]);
});

test("an input without code of its own has the last input's", () => {
  const second = run({ input: 'tcp' }, { code: null });
  const [first, other] = describe([run(), second]);
  expect(other).toEqual({ ...first, benchmark: 'x/prog/tcp' });
});

test('runs that the plugin did not see have a reason', () => {
  const failed = run({ input: 'runt', error: 'EINVAL' });
  expect(describe([failed, run({}, { window: 9 })])).toMatchObject([
    { benchmark: 'x/prog/udp', reason: 'the plugin saw none of its code: is it interpreted?', lines: [] },
  ]);
  const lost = { object: 'x', program: 'prog', inputs: { error: 'it never ends', runs: [] } };
  expect(describeInside('6.1', [boot({ loads: [lost as unknown as LoadRecord] })], [])).toMatchObject([
    { benchmark: 'x/prog/*', reason: 'it never ends', lines: [] },
  ]);
  expect(describe([run()], text.replace('window 7 10', 'window 7 9'))).toMatchObject([
    { reason: 'the plugin saw 9 of 10 runs' },
  ]);
  expect(describe([run()], text.replace('window 7 10 0', 'window 7 10 3'))).toMatchObject([
    { reason: 'the plugin could not follow 3 of its calls' },
  ]);
  expect(describe([run()], text.replace('window 7 10 0 1', 'window 7 10 0 0'))).toMatchObject([
    { reason: 'the plugin does not know where interrupts enter this kernel, or how it switches tasks' },
  ]);
});

test('a program of a bench has the name of its measurement, and the empty program of its type', () => {
  const program = (revision: 'base' | 'head', name: string): ProgramRecord => ({
    ...{ record: 'program', bench: 'macro', revision, reading: 1, ordinal: 0, id: 5, name, prog_type: 'xdp' },
    ...{ tag: 'a', run_cnt: 10, run_time_ns: 2000, recursion_misses: 0, xlated_bytes: 64, source: null },
    inside: { window: 7, reading: { run_cnt: 10, run_time_ns: 2000 }, empty: null, code },
  });
  const calibration = {
    record: 'calibration',
    prog_type: 'xdp',
    readings: [{ run_cnt: 10, run_time_ns: 580 }],
  } as const;
  const boots = (['base', 'head'] as const).map((revision) => {
    const own = program(revision, revision === 'base' ? 'old' : 'new');
    const idle = { ...program(revision, 'idle'), run_cnt: 0, inside: undefined };
    const calibrations = [{ ...calibration, window: 8 }];
    return boot({ revision, programs: [own, idle], calibrations, windows: readSeen(text) });
  });
  const of = (name: string) => ({ owner: 'macro', name });
  const rename = { lane: 'instructions', type: 'xdp', base: of('old'), head: of('new') } as const;
  expect(describeInside('6.1', boots, [rename])).toMatchObject([
    { revision: 'base', benchmark: 'macro/old', counted: 142, empty: 8, rest: 0 },
    { revision: 'head', benchmark: 'macro/new', counted: 142, empty: 8, rest: 0 },
  ]);
  // The kernel's own part of a run is the rest, where no empty program was counted.
  const gross = boots.map((own) => ({ ...own, calibrations: [] }));
  expect(describeInside('6.1', gross, [rename])[0]).toMatchObject({
    benchmark: 'macro/old',
    counted: 200,
    empty: null,
    rest: 50,
  });
});

test('a program that is tail-called is part of the run, with its own lines and names', () => {
  const program = (window: number, fields: Partial<ProgramRecord>, own: SeenCode): ProgramRecord => ({
    ...{
      record: 'program',
      bench: 'macro',
      revision: 'head',
      reading: 1,
      ordinal: 0,
      id: window,
      name: `of_${window}`,
    },
    ...{ prog_type: 'xdp', tag: 'a', run_cnt: 10, run_time_ns: 2000, recursion_misses: 0, xlated_bytes: 64 },
    ...{ source: null, ...fields },
    inside: { window, reading: { run_cnt: 10, run_time_ns: 2000 }, empty: null, code: own },
  });
  const other: SeenCode = {
    files: ['y.c'],
    functions: [{ name: 'tail', stretches: [[0, 5, 1, 'EABH']] }],
    names: { ffffffff81000010: 'bpf_ktime_get_ns' },
  };
  const seen = `window 7 10 0 1
function 2 9 0
instruction 0 0 10
instruction 2 0 20
call 2 0 ffffffff81000010 10 50 5 5 5
end
window 9 0 0 1
end
`;
  const programs = [program(7, {}, code), program(9, { run_cnt: 0 }, other)];
  expect(describeInside('6.1', [boot({ programs, windows: readSeen(seen) })], [])).toMatchObject([
    {
      benchmark: 'macro/of_7',
      lines: [
        { file: 'y.c', line: 5, instructions: 2 },
        { file: 'x.c', line: 10, instructions: 1 },
      ],
      calls: [{ name: 'bpf_ktime_get_ns', calls: 1 }],
    },
  ]);
});

test('more exits than a call has arguments are read', () => {
  const exits = Array.from({ length: 200_000 }, (_, index) => `call 0 ${index} ${helper} 1 40 40 40 40\n`).join('');
  const [own] = describe([run()], text.replace('kind 0', `${exits}kind 0`));
  expect(own?.ranges.get('__htab_map_lookup_elem')).toMatchObject({ least: 40, most: 70 });
});
