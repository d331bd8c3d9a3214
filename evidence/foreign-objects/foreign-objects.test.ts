import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelResult, measurement, resultsOf } from '../../tests/report/results-fixtures.ts';
import { findObjects } from './elf.ts';
import { readMeasured } from './measure.ts';
import { parseVeristat } from './reference.ts';
import { isWrong, pairPrograms } from './tables.ts';

const object = readFileSync(new URL('../../vm/agent/tests/fixtures/good.bpf.o', import.meta.url));

test('finds whole objects in another file, and none that is cut off', () => {
  const program = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01 no object'), Buffer.alloc(64), object, object]);
  const found = findObjects(program);
  expect(found).toHaveLength(2);
  for (const each of found) expect(each.equals(object.subarray(0, each.length))).toBe(true);
  expect(findObjects(object.subarray(0, -1 - (object.length - (found[0]?.length ?? 0))))).toEqual([]);
});

test('reads what veristat prints between its headings', () => {
  const text =
    'file_name,prog_name,verdict,duration,total_insns,total_states,peak_states,max_states_per_insn,max_mark_read_len\n' +
    'a.b.bpf.o,f,success,40,12,3,2,1,0\na.b.bpf.o,g,failure,0,0,0,0,0,0\n';
  expect(Object.fromEntries(parseVeristat(text))).toEqual({
    'a.b/f': { isLoaded: true, isTimed: true, numbers: '12,3,2,1,0' },
    'a.b/g': { isLoaded: false, isTimed: false, numbers: '0,0,0,0,0' },
  });
});

test('says of a program that the lane did not try what its object says', () => {
  const sources = [{ name: 's', version: '1', objects: ['a'], copies: 0, failed: null }];
  const gap = {
    kernel: '6.1',
    lane: 'verifier',
    revision: 'head',
    benchmark: 'a/*',
    needs: null,
    reason: 'why',
  } as const;
  const results = resultsOf([], [kernelResult('6.1')], undefined, [gap, { ...gap, benchmark: 'a/g' }]);
  const [program] = pairPrograms(sources, parseVeristat('a.bpf.o,f,success,40,12,3,2,1,0'), results);
  expect(program).toMatchObject({ source: 's', ours: { isLoaded: false, isTried: false, reason: 'why' } });
});

test('of an object that the lane leaves out, its programs are those of another one', () => {
  const sources = [{ name: 's', version: '1', objects: ['a', 'b'], copies: 0, failed: null }];
  const reference = parseVeristat(
    'a.bpf.o,f,success,40,12,3,2,1,0\nb.bpf.o,f,success,50,12,3,2,1,0\nb.bpf.o,g,success,30,9,3,2,1,0\n',
  );
  const verification = {
    instructions: 12,
    totalStates: 3,
    peakStates: 2,
    maxStatesPerInstruction: 1,
    markRead: 0,
    timeUs: 60,
  };
  const own = { lane: 'verifier', revision: 'head', benchmark: 'a/f', measure: 'loads', value: 1 } as const;
  const results = resultsOf([measurement({ ...own, verification })], [kernelResult('6.1')]);
  const programs = pairPrograms(sources, reference, results).map(({ name, ours }) => [name, ours.row, ours.reason]);
  const row = { isLoaded: true, isTimed: true, numbers: '12,3,2,1,0' };
  expect(programs).toEqual([
    ['a/f', row, null],
    ['b/f', row, null],
    ['b/g', null, 'not in the results'],
  ]);
});

test('the run fails where a verdict is wrong or a row is not that of veristat', () => {
  const row = { isLoaded: true, isTimed: true, numbers: '12,3,2,1,0' };
  const program = (numbers: string, isLoaded = true, isTimed = true) => ({
    source: 's',
    name: 'a/f',
    reference: { ...row, isLoaded },
    ours: { isLoaded, row: { isLoaded, isTimed, numbers }, isTried: true, reason: null },
  });
  const wrongWith = (wrong: number, ...programs: ReturnType<typeof program>[]) =>
    isWrong({ kernels: [{ kernel: '6.1', release: '6.1.176', programs }], verdicts: { comparisons: 1, wrong } });
  const { numbers } = row;
  expect(wrongWith(0, program(numbers), program(numbers, false))).toBe(false);
  expect(wrongWith(1, program(numbers))).toBe(true);
  expect(wrongWith(0, program(numbers), program('12,3,2,1,1'))).toBe(true);
  expect(wrongWith(0, program('12,3,2,2,0', false))).toBe(true);
  expect(wrongWith(0, program('0,0,0,0,0', true, false), program(numbers))).toBe(true);
  expect(wrongWith(0, program('0,0,0,0,0', false, false))).toBe(true);
});

test('what a folder has is read, whichever version measured it; the newest of several', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-foreign-'));
  mkdirSync(join(folder, 'measured'));
  const program = { source: 's', name: 'a/f', reference: null };
  const keep = (name: string, result: unknown, age = 0) => {
    const file = join(folder, 'measured', `${name}.json`);
    writeFileSync(file, JSON.stringify({ result, minutes: 2 }));
    utimesSync(file, new Date(2_000_000 - age), new Date(2_000_000 - age));
  };
  const round = (comparisons: number) => ({
    run: { kernel: '6.1', release: '6.1.176', programs: [program] },
    verdicts: { comparisons, wrong: 0 },
  });
  keep('veristat-6.1-aaaaaaaaaaaa', []);
  keep('0123456789ab-6.1-1000-1-aaaaaaaaaaaa', round(7), 5000);
  keep('ba9876543210-6.1-1000-1-bbbbbbbbbbbb', round(8));
  keep('ba9876543210-6.1-1000-2-bbbbbbbbbbbb', round(9));
  keep('ba9876543210-6.12-1000-1-bbbbbbbbbbbb', round(100));
  const { run, verdicts, minutes } = await readMeasured(folder, { kernel: '6.1', rounds: 2, seed: 1000 });
  expect([run.programs, verdicts, minutes]).toEqual([[program], { comparisons: 17, wrong: 0 }, 6]);
  await expect(readMeasured(folder, { kernel: '6.12', rounds: 1, seed: 1000 })).rejects.toThrow('veristat-6.12');
  rmSync(folder, { recursive: true });
});
