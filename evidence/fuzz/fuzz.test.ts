// The fuzzer itself, for a short time: it runs each target, and finds the fault of a target that has one.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, expect, test } from 'vitest';
import { targetModule } from './instrument.ts';
import { type WatchOptions, watchTarget } from './watch.ts';

/** Printed, and the same each time, so that what is found here is found again. */
const seed = 20_261_122;
const seconds = 2;
const scratch = mkdtempSync(join(tmpdir(), 'bpfgate-fuzz-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function fuzz(
  name: string,
  module: string,
  corpus: string,
  more: Pick<WatchOptions, 'seconds' | 'untilFound' | 'hangSeconds'>,
) {
  return await watchTarget({
    name,
    module,
    seed,
    corpus,
    scratch: mkdtempSync(join(scratch, `${name}-`)),
    ...more,
    findings: join(import.meta.dirname, 'findings'),
  });
}

test(`nothing is found in ${seconds} s of each target, seed ${seed}`, { timeout: 300_000 }, async () => {
  const names = readdirSync(join(import.meta.dirname, 'targets')).map((file) => basename(file, '.ts'));
  const limit = pLimit(2);
  const outcomes = await Promise.all(
    names.map((name) =>
      limit(() => fuzz(name, targetModule(name), join(import.meta.dirname, 'corpus', name), { seconds })),
    ),
  );
  expect(outcomes.flatMap(({ name, findings }) => findings.map((finding) => ({ name, ...finding })))).toEqual([]);
  for (const { name, executions, reached } of outcomes) {
    expect(executions, `executions of ${name}`).toBeGreaterThan(
      readdirSync(join(import.meta.dirname, 'corpus', name)).length,
    );
    expect(reached, `branches of ${name}`).toBeGreaterThan(5);
  }
});

test.each([
  ['throws what it must not', "if (text.includes('ab')) if (text.includes('cd')) null.x;", 'crash', /null/],
  ['never ends', "while (text.includes('b'));", 'hang', /no end/],
  [
    'takes memory without end',
    "if (text.includes('b')) for (const all = [];;) all.push(text.repeat(2) + all.length);",
    'memory',
    /./,
  ],
  [
    'takes the square of its input',
    'for (const a of text) for (const b of text) if (a < b) count++;',
    'slow',
    /ms for/,
  ],
  ['says too much', "throw new TypeError('x'.repeat(100_000));", 'message', /100000/],
])('a target that %s is detected', { timeout: 120_000 }, async (what, body, kind, detail) => {
  const own = mkdtempSync(join(scratch, 'wrong-'));
  const module = join(own, 'wrong.ts');
  const corpus = join(own, 'corpus');
  mkdirSync(corpus);
  writeFileSync(join(corpus, 'input'), what.startsWith('takes the square') ? 'x' : 'a c');
  writeFileSync(
    module,
    `let count = 0;
export const target = { shape: 'text', refusals: [TypeError], words: ['b', 'd'], maxBytes: 512, run(input) {
  const text = input.toString('latin1');
  ${body.replace('null.x', "(() => { throw new RangeError('null'); })()")}
} };`,
  );
  const { findings } = await fuzz('wrong', module, corpus, {
    seconds: 60,
    untilFound: true,
    hangSeconds: what === 'never ends' ? 5 : 30,
  });
  const found = findings.find((finding) => finding.kind === kind);
  expect(found?.detail).toMatch(detail);
  expect(readFileSync(found?.file ?? '').length).toBeGreaterThan(0);
  rmSync(join(import.meta.dirname, 'findings', 'wrong'), { recursive: true, force: true });
});
