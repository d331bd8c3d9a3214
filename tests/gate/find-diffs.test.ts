import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findDiffs } from '../../src/gate/find-diffs.ts';
import type { Builds } from '../../src/model/build.ts';
import type { ComparisonRecord } from '../../src/report/results.ts';

test('a file that head moved is compared with what it was in base', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-diffs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('base/old/a.c', 'one\ntwo\n');
  write('head/new/a.c', 'one\nmore\n');
  const builds = { base: { dir: join(folder, 'base') }, head: { dir: join(folder, 'head') } } as Builds;
  const source = { file: 'new/a.c', line: 2 };
  const comparisons = [{ verdict: 'regression', head: 2, source, lines: null }] as unknown as ComparisonRecord[];
  const found = await findDiffs(comparisons, builds, new Map([['new/a.c', 'old/a.c']]));
  expect(found).toEqual([{ source, removed: ['two'], added: ['more'] }]);
  expect(await findDiffs(comparisons, builds)).toEqual([]);
});
