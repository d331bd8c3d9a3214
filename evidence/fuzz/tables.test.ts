import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readRecord } from '../record.ts';
import { type FuzzOutcomes, type FuzzRecord, fuzzRecord, recordOf, targetRow } from './tables.ts';

const outcome = {
  name: 'config',
  seconds: 601.6,
  executions: 1200,
  accepted: 36,
  corpus: 323,
  reached: 1622,
  slowestMs: 89.2,
  largestHeap: 57.9 * 1024 * 1024,
  findings: [],
};

test('an outcome is a row of the printed table', () => {
  expect(Object.values(targetRow(recordOf(outcome, '2026-11-22')))).toEqual([
    ...['config', '602 s', '1,200', '3 %', '323', '1,622', '89 ms', '57.9 MiB', 0],
  ]);
});

test('the totals count crashes, and name targets that were not run', () => {
  const crashed: FuzzRecord = { ...recordOf(outcome, '2026-11-24'), name: 'event', crashes: 2 };
  const record = fuzzRecord([recordOf(outcome, '2026-11-22'), crashed], ['config', 'event', 'seen'], 'b411a8e');
  expect(record.time).toBe('2026-11-22 to 2026-11-24');
  expect(record.tables.totals).toEqual([
    { targets: 2, minutes: 20, executions: '2,400', crashes: 2, 'not run yet': 'seen' },
  ]);
});

test('the record is of all targets, and docs/fuzzing.md names each', () => {
  const { outcomes, commit, tables } = readRecord<FuzzOutcomes>('fuzz');
  const targets = readdirSync(join(import.meta.dirname, 'corpus'));
  expect(fuzzRecord(outcomes, targets, commit).tables).toEqual(tables);
  const page = readFileSync(join(packageRoot, 'docs/fuzzing.md'), 'utf8');
  expect(targets.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
