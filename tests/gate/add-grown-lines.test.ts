import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SourceTree } from '../../src/bench/locate-source.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { addGrownLines } from '../../src/gate/add-grown-lines.ts';
import type { Builds } from '../../src/model/build.ts';
import type { Stretch } from '../../src/model/guest-run.ts';
import { pair, strictGate } from '../report/results-fixtures.ts';

const call = ['AAAA', 'AAAB', 'AAAC'].join('');

/** Names the lines that grew in a program of two files, of which head has more instructions on the first's line 3. */
async function grown(head: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-grown-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = { 'prog.c': 'one\ntwo\nthree\nfour\nfive\nsix\n', 'helper.h': 'seven\n' };
  for (const [revision, files] of Object.entries({ base: before, head: { ...before, ...head } })) {
    mkdirSync(join(folder, revision));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, revision, name), text);
  }
  const tree: SourceTree = {
    ...{ workDir: folder, projectPath: '', configFile: '', benches: [], objects: [], isPartial: false },
    ...{ files: Object.keys(before), hasFile: (path: string) => path in before },
  };
  const of = (revision: 'base' | 'head', more: readonly Stretch[]) => {
    const stretches: Stretch[] = [[1, 1, 7, 'BAAA'], [0, 3, 3, 'CAAA'], ...more, [0, 6, 6, 'DAAA']];
    const code = { files: ['prog.c', 'helper.h'], functions: [{ name: 'prog', stretches }] };
    return { kernel: '6.1', revision, lane: 'instructions' as const, benchmark: 'micro/prog', code };
  };
  const measured = pair(70, 90, { benchmark: 'micro/prog', kernel: '6.1' });
  const { comparisons } = await addGrownLines(
    compareMeasurements(measured, [], strictGate),
    // A helper inlined from a dependency, after code of line 3.
    [of('base', []), of('head', [[0, 3, 3, call]])],
    [],
    { base: tree, head: tree },
    { base: { dir: join(folder, 'base') }, head: { dir: join(folder, 'head') } } as Builds,
    undefined,
  );
  const [first] = comparisons;
  return first !== undefined && 'lines' in first ? first.lines?.map(({ source }) => source) : undefined;
}

test('a call that head adds, of which all code is inlined from a dependency, is the line that grew', async () => {
  const planted = 'one\ntwo\nthree\nfour\nnow();\nsix\n';
  expect(await grown({ 'prog.c': planted })).toEqual([{ file: 'prog.c', line: 5 }]);
  // The code before it can be of another file, if head changes nothing else of the program.
  const above = '  zero();\ntwo\nthree\nfour\nfive\nsix\n';
  expect(await grown({ 'prog.c': above })).toEqual([{ file: 'prog.c', line: 1 }]);
  expect(await grown({ 'prog.c': above, 'helper.h': '  eight\n' })).toEqual([{ file: 'prog.c', line: 3 }]);
  // What is no code, such as a constant, is not the line that executes more.
  expect(await grown({ 'prog.c': '#define N 5\ntwo\nthree\nfour\nfive\nsix\n' })).toEqual([
    { file: 'prog.c', line: 3 },
  ]);
  expect(await grown({ 'prog.c': 'one\ntwo\n3\nfour\nnow();\nsix\n' })).toEqual([{ file: 'prog.c', line: 3 }]);
});
