import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { type FuzzRecord, recordOf, renderSection, renderTable } from './tables.ts';

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
  const [, , row = ''] = renderTable([recordOf(outcome, '2026-11-22')]).split('\n');
  expect(row.split('|').map((cell) => cell.trim())).toEqual([
    '',
    '`config`',
    '602 s',
    '1,200',
    '3 %',
    '323',
    '1,622',
    '89 ms',
    '57.9 MiB',
    '0',
    '',
  ]);
});

test('the summary names targets that crashed and those that were not run', () => {
  const crashed: FuzzRecord = { ...recordOf(outcome, '2026-11-24'), name: 'event', crashes: 2 };
  const section = renderSection([recordOf(outcome, '2026-11-22'), crashed], ['config', 'event', 'workflow']);
  expect(section).toBe(
    'Made by `npm run fuzz`, 2026-11-22 to 2026-11-24: 2 targets, 20 minutes and\n' +
      '2,400 executions in all. Crashes: `event` 2.\nNot run yet: `workflow`.',
  );
});

test('docs/fuzzing.md has the summary of the records, and names every target', () => {
  const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8');
  const targets = readdirSync(join(packageRoot, 'evidence/fuzz/corpus'));
  const page = read('docs/fuzzing.md');
  expect(page).toContain(renderSection(JSON.parse(read('evidence/fuzz/outcomes.json')), targets));
  expect(targets.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
