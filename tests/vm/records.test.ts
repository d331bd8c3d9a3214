// @module-tag hostile

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run } from '../../src/adapters/process.ts';
import { checkLength, parseRecords, parseStatus, requirePlanned, sortRecords } from '../../src/vm/records.ts';

const guest = { record: 'guest', release: '6.1.0', cmdline: 'a=b' };
const bench = {
  record: 'bench',
  bench: 'macro',
  reading: 1,
  exit_code: 0,
  signal: null,
  duration_ns: 5,
};
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const program = {
  record: 'program',
  bench: 'macro',
  reading: 1,
  ordinal: 0,
  id: 7,
  name: 'fun_xdp',
  prog_type: 'xdp',
  tag: '01',
  run_cnt: 5,
  run_time_ns: 500,
  recursion_misses: 0,
  xlated_bytes: 16,
  source: null,
  machine_code: null,
  warning: null,
};

const load = {
  record: 'load',
  object: 'x',
  program: 'p',
  section: 'kprobe/f',
  prog_type: 'kprobe',
  code: null,
  outcome: 'loaded',
  verification: null,
  verified_insns: 2,
  stack_bytes: 0,
  xlated_bytes: 16,
  jited_bytes: 16,
  map_bytes: 0,
  load_time_ns: 1,
  errno: null,
  message: null,
  log: '',
  source: null,
  begins: null,
  machine_code: null,
  runs: false,
};
const ofObject = { object: 'x' };
const inputRun = {
  input: 'workload',
  readings: [{ run_cnt: 4, run_time_ns: 400 }],
  empty: null,
  no_empty: 'EBUSY',
  calls: 448,
  returned: null,
  left: null,
  instead: null,
  error: null,
};

describe('runs of attached programs', () => {
  const attaching = { record: 'attaching', ...ofObject, programs: ['p', 'q'] };
  const attached = { record: 'attached', ...ofObject, error: null };
  const sort = (...records: object[]) => {
    const { loads } = sortRecords(parseRecords(lines(guest, load, { ...load, program: 'q' }, ...records)), 'head');
    return loads.map(({ inputs }) => inputs?.runs.map(({ input, error }) => error ?? input));
  };

  test('belong to the programs that they name, next to runs on inputs', () => {
    const inputs = { record: 'inputs', ...ofObject, error: null, runs: [{ ...inputRun, input: 'zeros' }] };
    const runs = ['p', 'q'].map((program) => [program, inputRun]);
    expect(sort(inputs, attaching, { ...attached, runs })).toEqual([['workload'], ['zeros', 'workload']]);
  });

  test('have the error of a loader that crashed meanwhile', () => {
    expect(sort(attaching, { ...attached, error: 'crashed', runs: [] })).toEqual([['crashed'], ['crashed']]);
  });

  test.each([
    ['of a program that is not there', { ...attached, runs: [['r', inputRun]] }],
    ['of another object', { ...attached, object: 'y', runs: [['p', inputRun]] }],
    ['given twice', { ...attached, runs: Array(2).fill(['p', inputRun]) }],
  ])('are refused: %s', (_, record) => {
    expect(() => sort(attaching, record)).toThrow(/runs of no program of/);
  });
});

describe("the agent's records", () => {
  test('are sorted by kind', () => {
    const warning = { record: 'warning', bench: 'macro', message: 'careful' };
    const unconverged = { record: 'converged', bench: 'macro', readings: 10, converged: false };
    const output = sortRecords(parseRecords(lines(guest, warning, bench, program, unconverged)), 'base');
    expect(output.programs).toMatchObject([{ name: 'fun_xdp', run_time_ns: 500 }]);
    expect(output.guest).toMatchObject({ release: '6.1.0' });
    expect(output.benches).toHaveLength(1);
    expect(output.profiles).toEqual([]);
    // Its programs are named with their own spread.
    expect(output.warnings).toEqual([{ about: ['macro'], bench: 'macro', revision: 'base', reason: 'careful' }]);
    const alone = sortRecords(parseRecords(lines(guest, bench, unconverged)), 'base');
    expect(alone.warnings).toEqual([
      { about: ['macro'], bench: 'macro', reason: 'no clean total was seen twice', detail: 'in 10 readings' },
    ]);
  });

  test('are refused if there are more than a boot can have', () => {
    const line = '{"record":"warning","message":""}\n';
    expect(parseRecords(line.repeat(200_000))).toHaveLength(200_000);
    expect(() => parseRecords(line.repeat(200_001))).toThrow('the guest left more than 200000 records');
  });

  const describing = (stretches: unknown) =>
    lines({ ...program, machine_code: { files: ['a.rs'], functions: [{ name: 'f', stretches }] } });
  const counting = (stretches: number) => describing(Array(stretches).fill([0, 1, 1, 'EAAA']));

  test("are refused if they are larger than a boot's, though each is valid", () => {
    const list = counting(60_000);
    expect(parseRecords(list.repeat(2))).toHaveLength(2);
    expect(() => parseRecords(list.repeat(50))).toThrow(
      'the guest left records of more than 3000000 lists and objects',
    );
    const readings = Array(1001).fill({ run_cnt: 1, run_time_ns: 1 });
    expect(() => parseRecords(lines({ record: 'calibration', prog_type: 'xdp', readings }))).toThrow('readings');
    expect(() => parseRecords(counting(65_537))).toThrow('not at most 65536 lists of three whole numbers');
  });

  test('fit in the memory for the longest allowed text', async () => {
    const script = `const { parseRecords } = await import(${JSON.stringify(join(packageRoot, 'src/vm/records.ts'))});
console.log(parseRecords(${JSON.stringify(counting(60_000))}.repeat(49)).length);`;
    const args = ['--max-old-space-size=320', '--input-type=module', '-'];
    const { exitCode, stdout, stderr } = await run(process.execPath, args, { input: script });
    expect([exitCode, stdout], stderr).toEqual([0, '49\n']);
  });

  test('are refused if one is too long, also before its end has arrived', () => {
    const long = `${JSON.stringify({ record: 'warning', message: 'x'.repeat(2 ** 22) })}\n`;
    expect(() => parseRecords(lines(guest) + long)).toThrow(
      'the guest left a record of more than 4194304 characters, records.jsonl:2',
    );
    expect(() => checkLength('x'.repeat(2 ** 22))).not.toThrow();
    expect(() => checkLength('x'.repeat(2 ** 22 + 1))).toThrow('the guest left a record of more than');
  });

  test('a record with many errors is reported with a few of them', () => {
    const text = lines({ ...program, machine_code: { files: Array(15_000).fill(7), functions: [] } });
    expect(() => parseRecords(text)).toThrow(/^the guest agent left an unreadable [\s\S]{0,1000}\nand 14995 more$/);
  });

  test.each([
    ['a half-written line', '{"record":"guest"', 'records.jsonl:1'],
    ['an unknown record', lines(guest, { record: 'surprise' }), 'records.jsonl:2'],
    ['a negative count', lines({ ...bench, duration_ns: -1 }), 'duration_ns'],
    ['a negative time', lines({ ...program, run_time_ns: -1 }), 'run_time_ns'],
    ['runs that are no whole number', lines({ ...program, run_cnt: 0.5 }), 'run_cnt'],
    ['a time beyond range', lines(program).replace('500', '1e999'), 'run_time_ns'],
    ['a time beyond what a number holds exactly', lines({ ...program, run_time_ns: 2 ** 53 }), 'run_time_ns'],
    ['a negative line', describing([[0, -1, 1, 'EAAA']]), 'stretches'],
    ['a stretch of another number', describing([[0, 1, 1, 'EAAA', 1]]), 'stretches'],
    ['half an instruction', describing([[0, 1, 1, 'EAAAEA']]), 'stretches'],
    ['an instruction of other digits', describing([[0, 1, 1, 'EAA*']]), 'stretches'],
    ['too many instructions', describing([[0, 1, 1, 'EAAA'.repeat(65_537)]]), 'stretches'],
    ['stretches that are none', describing('none'), 'stretches'],
    ['a stretch without instructions', describing([[0, 1, 1, '']]), 'stretches'],
    ['a name that no report takes', lines({ ...program, name: 'x'.repeat(65_537) }), 'name'],
    ['a warning that no report takes', lines({ record: 'warning', message: 'x'.repeat(65_537) }), 'message'],
  ])('are refused with %s', (_, text, said) => {
    expect(() => parseRecords(text)).toThrow(said);
  });

  test('name the files of profiles', () => {
    const profile = { record: 'profile', bench: 'macro', name: 'cpu.folded' };
    const records = parseRecords(lines(guest, { record: 'profiling', bench: 'macro' }, profile));
    const expected = [{ bench: 'macro', revision: 'head', name: 'cpu.folded' }];
    expect(sortRecords(records, 'head').profiles).toEqual(expected);
    for (const wrong of [
      { name: '../cpu.folded' },
      { name: '.hidden' },
      { name: 'a'.repeat(101) },
      { bench: '../macro' },
      { bench: 'a'.repeat(101) },
      { bench: 'a\0b' },
    ]) {
      expect(() => parseRecords(lines({ ...profile, ...wrong }))).toThrow('records.jsonl:1');
    }
  });

  test('are all of the revision that the guest runs, whatever revision they name', () => {
    const others = [
      bench,
      program,
      load,
      { record: 'object', object: 'x', programs: 1, error: null },
      { record: 'warning', bench: 'macro', message: 'base is slow' },
      { record: 'profile', bench: 'macro', name: 'cpu.folded' },
    ];
    const records = parseRecords(lines(guest, ...others.map((record) => ({ ...record, revision: 'base' }))));
    const { benches, programs, loads, objects, warnings, profiles } = sortRecords(records, 'head');
    const sorted = [benches, programs, loads, objects, warnings, profiles];
    expect(sorted.map((own) => own.map(({ revision }) => revision))).toEqual(Array(6).fill(['head']));
  });

  describe('are refused if they are not in the plan:', () => {
    const plan = { benches: [{ name: 'macro' }], readings: { max: 2 } };
    const check = (...records: object[]) =>
      requirePlanned(sortRecords(parseRecords(lines(guest, ...records)), 'base'), plan);
    const profile = { record: 'profile', bench: 'macro' };

    test('but not those of each planned reading, program and number', () => {
      const second = { ...program, ordinal: 1 };
      const own = [bench, program, second].flatMap((each) => [each, { ...each, reading: 2 }]);
      expect(() => check(...own)).not.toThrow();
    });

    test.each([
      ['one run twice', [bench, bench], 'a run of bench `macro` (reading 1) twice'],
      ['one program twice', [program, { ...program, id: 8 }], 'a program of bench `macro` (reading 1) twice'],
      ['a reading too many', [{ ...program, reading: 3 }], '(reading 3) which was not planned'],
      ['reading 0', [{ ...bench, reading: 0 }], '(reading 0) which was not planned'],
      ['another bench', [{ ...bench, bench: 'x'.repeat(5000) }], 'x` (reading 1) which was not planned'],
      ['5001 warnings', Array(5001).fill({ record: 'warning', message: '' }), 'left 5001 warnings, more than 5000'],
      ['33 profiles', Array(33).fill({ ...profile, name: 'a' }), 'left 33 profiles, more than 32 of each bench'],
    ])('%s', (_, records, said) => {
      expect(() => check(...records)).toThrow(said);
    });
  });

  test('have to introduce the guest once', () => {
    expect(() => sortRecords(parseRecords(lines(bench)), 'base')).toThrow('0 guest records');
    expect(() => sortRecords(parseRecords(lines(guest, guest)), 'base')).toThrow('2 guest records');
  });
});

describe("the agent's status", () => {
  test('has a known outcome', () => {
    expect(parseStatus('{"outcome":"signaled","signal":9}')).toMatchObject({ signal: 9 });
    expect(() => parseStatus('{"outcome":"fine"}')).toThrow('status.json');
    expect(() => parseStatus('')).toThrow('status.json');
  });
});
