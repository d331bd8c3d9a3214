import { describe, expect, test } from 'vitest';
import { parseRecords, parseStatus, sortRecords } from '../../src/vm/records.ts';

const guest = { record: 'guest', agent: '0.1.0', release: '6.1.0', version: '#1', cmdline: 'a=b' };
const bench = {
  ...{ record: 'bench', bench: 'macro', revision: 'base', reading: 1, exit_code: 0, signal: null },
  ...{ stdout: 'output/macro.base.1.stdout', stderr: 'output/macro.base.1.stderr', duration_ns: 5 },
};
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const program = {
  ...{ record: 'program', bench: 'macro', revision: 'base', reading: 1, ordinal: 0, id: 7, name: 'fun_xdp' },
  ...{ prog_type: 'xdp', tag: '01', run_cnt: 5, run_time_ns: 500, recursion_misses: 0, verified_insns: 2 },
  ...{ xlated_bytes: 16, jited_bytes: 16, source: null, lines: [], warning: null },
};

describe("the agent's records", () => {
  test('are sorted by kind', () => {
    const warning = { record: 'warning', message: 'careful' };
    const unconverged = { record: 'converged', bench: 'macro', readings: 10, converged: false };
    const output = sortRecords(parseRecords(lines(guest, warning, bench, program, unconverged)));
    expect(output.programs).toMatchObject([{ name: 'fun_xdp', run_time_ns: 500 }]);
    expect(output.guest).toMatchObject({ release: '6.1.0' });
    expect(output.benches).toHaveLength(1);
    expect(output.profiles).toEqual([]);
    expect(output.warnings).toEqual(['careful', 'bench `macro`: no clean total was seen twice in 10 readings']);
  });

  test.each([
    ['a half-written line', '{"record":"guest"', 'records.jsonl:1'],
    ['an unknown record', lines(guest, { record: 'surprise' }), 'records.jsonl:2'],
    ['a negative count', lines({ ...bench, duration_ns: -1 }), 'duration_ns'],
    ['a negative time', lines({ ...program, run_time_ns: -1 }), 'run_time_ns'],
    ['runs that are no whole number', lines({ ...program, run_cnt: 0.5 }), 'run_cnt'],
    ['a time beyond range', lines(program).replace('500', '1e999'), 'run_time_ns'],
    ['a time beyond what a number holds exactly', lines({ ...program, run_time_ns: 2 ** 53 }), 'run_time_ns'],
    ['a negative line', lines({ ...program, lines: [{ file: 'a.rs', counts: [[-1, 2]] }] }), 'counts'],
    ['a line without instructions', lines({ ...program, lines: [{ file: 'a.rs', counts: [[1]] }] }), 'counts'],
    ['a path out of the run folder', lines({ ...bench, stdout: 'output/../../etc/passwd' }), 'stdout'],
    ['an absolute path', lines({ ...bench, stderr: '/etc/passwd' }), 'stderr'],
  ])('are refused with %s', (_, text, said) => {
    expect(() => parseRecords(text)).toThrow(said);
  });

  test('name the files of profiles', () => {
    const file = { bench: 'macro', revision: 'head', name: 'cpu.folded', file: 'profiles/macro.head.cpu.folded' };
    const started = { record: 'profiling', bench: 'macro', revision: 'head' };
    const records = parseRecords(lines(guest, started, { record: 'profile', ...file }));
    expect(sortRecords(records).profiles).toEqual([file]);
    for (const wrong of [
      { file: 'profiles/../../etc/passwd' },
      { file: 'profiles/macro.head./etc/passwd' },
      { file: 'output/macro.base.1.stdout' },
      { name: '../cpu.folded' },
      { name: '.hidden' },
      { bench: '../macro' },
      { bench: 'a'.repeat(101) },
      { bench: 'a\0b' },
    ]) {
      expect(() => parseRecords(lines({ record: 'profile', ...file, ...wrong }))).toThrow('records.jsonl:1');
    }
  });

  test('need the guest to have introduced itself once', () => {
    expect(() => sortRecords(parseRecords(lines(bench)))).toThrow('0 guest records');
    expect(() => sortRecords(parseRecords(lines(guest, guest)))).toThrow('2 guest records');
  });
});

describe("the agent's status", () => {
  test('is one of the known outcomes', () => {
    expect(parseStatus('{"outcome":"signaled","exit_code":null,"signal":9}')).toMatchObject({ signal: 9 });
    expect(() => parseStatus('{"outcome":"fine"}')).toThrow('status.json');
    expect(() => parseStatus('')).toThrow('status.json');
  });
});
