import { expect, test } from 'vitest';
import type { InputRun, LoadRecord } from '../../src/model/guest-run.ts';
import { countedTables } from './tables.ts';

const ran = { error: null, readings: [{ run_cnt: 1, run_time_ns: 5 }], instead: null } as unknown as InputRun;
const elsewhere = { ...ran, instead: { at: 'vfs_read', because: 'no kprobe' } } as InputRun;
const failed = (error: string) => ({ error, readings: [], instead: null }) as unknown as InputRun;

function load(object: string, program: string, outcome: string, inputs?: LoadRecord['inputs']): LoadRecord {
  return { object, program, outcome, inputs } as unknown as LoadRecord;
}

test('a loaded program is counted if it ran on one input; reasons of the others are grouped', () => {
  const sources = ['s', 't'].map((name) => ({ name, version: '1', objects: [`${name}.a`], copies: 0, failed: null }));
  const { counted, uncounted } = countedTables(sources, [
    load('s.a', 'p', 'loaded', { error: null, runs: [failed('no'), ran] }),
    load('s.a', 'q', 'loaded', { error: null, runs: [failed('no kprobe at x (ENOENT)')] }),
    load('s.a', 'r', 'loaded', { error: null, runs: [failed('no kprobe at y (ENOENT)')] }),
    load('s.a', 's', 'loaded', { error: 'hangs', runs: [] }),
    load('t.a', 'p', 'refused'),
    load('t.a', 'q', 'loaded'),
    load('t.a', 'r', 'loaded', { error: null, runs: [elsewhere] }),
  ]);
  expect(counted?.map((row) => Object.values(row))).toEqual([
    ['s', 4, 4, 1, 0, '25.0 %'],
    ['t', 3, 2, 1, 1, '50.0 %'],
    ['all', 7, 6, 2, 1, '33.3 %'],
  ]);
  expect(uncounted?.map((row) => Object.values(row))).toEqual([
    [2, 'no kprobe at … (ENOENT)', 's.a/q'],
    [1, 'hangs', 's.a/s'],
    [1, 'it takes no input, and nothing is known to attach it to', 't.a/q'],
  ]);
});
