import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExecutedInstruction } from '../../src/bench/inside.ts';
import { readInstructions } from '../../src/bench/machine-code.ts';
import type { MeasuredCode } from '../../src/bench/measurement.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import type { Comparison } from '../../src/compare/comparison.ts';
import { codeOf, findGrownLines } from '../../src/compare/grown-lines.ts';
import type { ProgramCode, Stretch } from '../../src/model/guest-run.ts';
import { pair, strictGate } from '../report/results-fixtures.ts';

/** A line: its number, its text, and a letter for each instruction. Capitals are executed ten times. */
type Line = readonly [line: number, text: string, instructions: string];

const textOf = (text: string) => [...text].reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 2 ** 31, 0);

function program(lines: readonly Line[], file = 'x.c'): ExecutedInstruction[] {
  return lines.flatMap(([line, text, instructions]) =>
    [...instructions].map((letter): ExecutedInstruction => {
      const times = letter === letter.toLowerCase() ? 1 : 10;
      return { function: 0, offset: 0, source: { file, line }, text: textOf(text), shape: letter.toLowerCase(), times };
    }),
  );
}

const find = (base: readonly ExecutedInstruction[], head: readonly ExecutedInstruction[]) =>
  findGrownLines(base, head, 'new-first');

const grown = (base: readonly Line[], head: readonly Line[]) =>
  find(program(base), program(head)).lines.map(({ source, base: from, head: to }) => [source.line, from, to]);

const base: Line[] = [
  [1, 'check(ctx);', 'abc'],
  [2, 'value = look(&map);', 'defg'],
  [3, 'return value;', 'hi'],
];

describe('findGrownLines', () => {
  test('names lines that are new, though lines above them moved, and no others', () => {
    const head: Line[] = [
      [5, 'check(ctx);', 'abc'],
      [8, 'if (look(&planted))', 'defgj'],
      [9, 'return drop;', 'hi'],
      [10, 'value = look(&map);', 'defg'],
      [11, 'return value;', 'hi'],
    ];
    expect(grown(base, head)).toEqual([
      [8, 0, 5],
      [9, 0, 2],
    ]);
  });

  test('names a line that has more instructions than in base', () => {
    expect(grown(base, [base[0], [2, 'value = look(&map);', 'dxyefg'], base[2]] as Line[])).toEqual([[2, 4, 6]]);
  });

  test('a line that is new comes before those of which code grew more, unless the order is by growth', () => {
    const head: Line[] = [
      [1, 'check(ctx);', 'abcwxyz'],
      [2, 'value = more(&map);', 'defgk'],
      [3, 'return value;', 'hi'],
    ];
    expect(grown(base, head)).toEqual([
      [2, 4, 5],
      [1, 3, 7],
    ]);
    const { lines } = findGrownLines(program(base), program(head), 'most-first');
    expect(lines.map(({ source }) => source.line)).toEqual([1, 2]);
  });

  test.each<[string, readonly Line[]]>([
    ['equal code on other lines', base.map(([line, text, code]) => [line + 40, text, code])],
    ['equal code with other names', base.map(([line, text, code]) => [line, text.replace('value', 'x'), code])],
    ['equal code on fewer lines', [[1, 'check(ctx); value = look(&map); return value;', 'abcdefghi']]],
    ['code that a compiler moved', [base[2], base[0], base[1]] as Line[]],
    ['a line with another constant', [base[0], [2, 'value = look(&other);', 'dzfg'], base[2]] as Line[]],
  ])('%s has no line', (_, head) => expect(grown(base, head)).toEqual([]));

  test('what replaces other code counts as far as there is more of it', () => {
    const head: Line[] = [
      [1, 'check(other);', 'xyz'],
      [2, 'value = look(&map);', 'defg'],
      [3, 'return drop(value);', 'pqr'],
    ];
    expect(grown(base, head)).toEqual([[3, 2, 3]]);
  });

  test('all lines together grow by no more than the code', () => {
    const line = fc.tuple(
      fc.nat(9),
      fc.constantFrom('', 'one', 'two', 'three'),
      fc.string({ unit: fc.constantFrom(...'abcDE') }),
    );
    const code = fc.array(line, { maxLength: 12 }).map((lines) => program(lines));
    const sum = (all: readonly ExecutedInstruction[]) => all.reduce((total, { times }) => total + times, 0);
    fc.assert(
      fc.property(code, code, (before, after) => {
        const found = find(before, after).lines;
        const total = found.reduce((all, { base: from, head: to }) => all + to - from, 0);
        return total <= Math.max(0, sum(after) - sum(before)) && found.every(({ base: from, head: to }) => from < to);
      }),
    );
  });

  test('without the text of lines, their code alone says which are new', () => {
    const head: Line[] = [
      [4, '', 'abc'],
      [5, '', 'jkl'],
      [6, '', 'defg'],
      [7, '', 'hi'],
    ];
    expect(
      grown(
        base.map(([line, , code]) => [line, '', code]),
        head,
      ),
    ).toEqual([[5, 0, 3]]);
  });

  test('of runs, names lines that are executed more often', () => {
    expect(grown(base, [base[0], [2, 'value = look(&map);', 'dEFg'], base[2]] as Line[])).toEqual([[2, 4, 22]]);
  });

  test('code that differs in more than is aligned is compared by its lines', () => {
    const lines = (from: number, count: number) =>
      Array.from({ length: count }, (_, index): Line => [from + index, `line ${from + index}`, 'ab']);
    const [one, ...others] = lines(1, 2000);
    expect(grown([one, ...others] as Line[], [...others, one, ...lines(5000, 2)] as Line[])).toEqual([
      [5000, 0, 2],
      [5001, 0, 2],
    ]);
    expect(grown(lines(1, 800), lines(5000, 800))).toEqual([]);
  });

  test('smaller code has no line that grew, and the new line with most code', () => {
    const head: Line[] = [base[0], [4, 'value = call();', 'jk'], [5, 'use(value);', 'l']] as Line[];
    const { lines, changed } = find(program(base), program(head));
    expect([lines, changed]).toEqual([[], { file: 'x.c', line: 4 }]);
  });

  test('code that was added among code like it is in one piece', () => {
    const [first, second] = [1, 2].map((line): Line => [line, '', line === 1 ? 'abc' : 'mslacj']) as [Line, Line];
    expect(grown([first, second], [first, [2, '', 'bsalcn'], [3, '', 'mslacj']])).toEqual([[2, 0, 6]]);
  });

  test('lists five lines at most', () => {
    const head = Array.from({ length: 9 }, (_, index): Line => [index + 10, `new ${index}`, 'z'.repeat(9 - index)]);
    expect(grown([], head).map(([line]) => line)).toEqual([10, 11, 12, 13, 14]);
  });

  test('lists lines that grew alike by place, those of dependencies last', () => {
    const head = [
      ...program([[1, 'x', 'ab']], '/registry/x.rs'),
      ...program([[3, 'y', 'ab']], 'b.rs'),
      ...program([[9, 'z', 'ab']], 'a.rs'),
    ];
    const places = find([], head).lines.map(({ source }) => `${source.file}:${source.line}`);
    expect(places).toEqual(['a.rs:9', 'b.rs:3', '/registry/x.rs:1']);
  });

  test('knows the former name of a file', () => {
    const { lines, moved } = find(
      [...program(base, 'src/x.c'), ...program([[9, 'other', 'pq']], 'src/y.c')],
      [...program(base, 'core/z.c'), ...program([[8, 'other', 'pq']], 'src/y.c')],
    );
    expect([lines, [...moved]]).toEqual([[], [['core/z.c', 'src/x.c']]]);
  });
});

describe("the machine code of a project to which a lookup was added, and comments above it, by Linux 6.1's JIT", () => {
  const path = new URL('fixtures/machine-code.json', import.meta.url);
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<'base' | 'head', ProgramCode>>;

  test.each([
    ['ebpf_exporter', ['examples/tcp-syn-backlog.bpf.c:23 +10', 'examples/tcp-syn-backlog.bpf.c:22 +4']],
    ['aya-template', ['src/main.rs:23 +11', 'src/main.rs:24 +3']],
  ])('%s', (name, expected) => {
    const read = (code: ProgramCode | undefined) =>
      code === undefined ? [] : readInstructions(code).map((each) => ({ ...each, times: 1 }));
    const [before, after] = [read(recorded[name]?.base), read(recorded[name]?.head)];
    const { lines } = find(before, after);
    const found = lines.map((line) => `${line.source.file}:${line.source.line} +${line.head - line.base}`);
    expect(found.slice(0, 2)).toEqual(expected.map((each) => `/build/head/${each}`));
    expect(lines.reduce((sum, line) => sum + line.head - line.base, 0)).toBeLessThanOrEqual(
      after.length - before.length,
    );
    // Equal code, compiled elsewhere.
    const moved = before.map((each) => ({ ...each, source: each.source && { file: 'y', line: each.source.line + 9 } }));
    expect(find(before, moved).lines).toEqual([]);
  });
});

test('instructions have their lines and offsets, and functions the order of their names after the main one', () => {
  const stretch: Stretch = [0, 7, 9, 'CABCEABD'];
  const code: ProgramCode = {
    files: ['x.c'],
    functions: [
      { name: 'main', stretches: [stretch, [0, 0, 0, 'BABE']] },
      { name: 'z', stretches: [stretch] },
      { name: 'a', stretches: [stretch] },
    ],
  };
  const source = { file: 'x.c', line: 7 };
  const own = { source, text: 9 };
  expect(readInstructions(code)).toEqual([
    { ...own, function: 0, offset: 0, shape: 'ABC' },
    { ...own, function: 0, offset: 2, shape: 'ABD' },
    { function: 0, offset: 6, source: null, text: 0, shape: 'ABE' },
    { ...own, function: 2, offset: 0, shape: 'ABC' },
    { ...own, function: 2, offset: 2, shape: 'ABD' },
    { ...own, function: 1, offset: 0, shape: 'ABC' },
    { ...own, function: 1, offset: 2, shape: 'ABD' },
  ]);
});

describe('codeOf', () => {
  const codes = (['instructions', 'verifier'] as const).map(
    (lane): MeasuredCode => ({
      kernel: '6.1',
      revision: 'head',
      lane,
      benchmark: 'macro/fun_xdp',
      code: { files: [`${lane}.rs`], functions: [{ name: 'fun_xdp', stretches: [[0, 1, 1, 'BAAA']] }] },
    }),
  );
  const compare = (head: number, fields: Parameters<typeof pair>[2] = {}) => {
    const [comparison] = compareMeasurements(pair(160, head, fields), [], strictGate);
    if (comparison === undefined) throw new Error('nothing was compared');
    return comparison;
  };
  const fileOf = (comparison: Comparison) => codeOf(comparison, 'head', codes)?.[0]?.source?.file;

  test('of a regression, by its lane', () => {
    expect(fileOf(compare(161))).toBe('instructions.rs');
    expect(fileOf(compare(161, { lane: 'verifier', measure: 'jited-bytes', unit: 'bytes' }))).toBe('verifier.rs');
  });

  test.each([
    ['what did not change', compare(160)],
    ['what the machine code does not explain', compare(161, { measure: 'latency', kind: 'benchmark' })],
    ['another kernel', compare(161, { kernel: '6.12' })],
    ['another program', compare(161, { benchmark: 'macro/other' })],
  ])('not of %s', (_, comparison) => expect(codeOf(comparison, 'head', codes)).toBeUndefined());

  test('not of a revision whose lines are not known', () =>
    expect(codeOf(compare(161), 'base', codes)).toBeUndefined());
});
