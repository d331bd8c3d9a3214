import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProgramLines } from '../../src/bench/measurement.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { findGrownLines, type LineMap, linesOf, mapLines, pairFiles } from '../../src/compare/grown-lines.ts';
import type { FileLines } from '../../src/model/guest-run.ts';
import { pair, strictGate } from '../report/results-fixtures.ts';

/** Finds grown lines with files paired by name. Lines keep their numbers unless `map` says otherwise. */
const find = (base: FileLines[], head: FileLines[], map?: LineMap) =>
  findGrownLines(base, head, pairFiles(base, head), () => map);

const of = (file: string, ...counts: [number, number][]): FileLines => ({ file, counts });
const grown = (file: string, line: number, base: number, head: number) => ({ source: { file, line }, base, head });

describe('findGrownLines', () => {
  test('names the lines that grew, most first, and no others', () => {
    const base = [of('a.rs', [1, 5], [2, 5], [3, 5]), of('b.rs', [1, 9])];
    const head = [of('a.rs', [1, 6], [2, 5], [3, 2]), of('b.rs', [1, 12], [7, 1])];
    expect(find(base, head)).toEqual([grown('b.rs', 1, 9, 12), grown('a.rs', 1, 5, 6), grown('b.rs', 7, 0, 1)]);
  });

  test('lists lines that grew alike by place, those of dependencies last', () => {
    const head = [of('/registry/x.rs', [1, 2]), of('b.rs', [3, 2]), of('a.rs', [9, 2], [4, 2])];
    const places = find([], head).map(({ source }) => `${source.file}:${source.line}`);
    expect(places).toEqual(['a.rs:4', 'a.rs:9', 'b.rs:3', '/registry/x.rs:1']);
  });

  test('lists five at most', () => {
    const head = [of('a.rs', ...Array.from({ length: 9 }, (_, index): [number, number] => [index + 1, 9 - index]))];
    expect(find([], head).map(({ head }) => head)).toEqual([9, 8, 7, 6, 5]);
  });

  test('compares a moved line with its old place', () => {
    const moved = mapLines('one\ntwo\nthree', 'new\none\ntwo, changed\nthree');
    const base = [of('a.rs', [1, 4], [2, 4], [3, 4])];
    const head = [of('a.rs', [1, 1], [2, 4], [3, 6], [4, 4])];
    expect(find(base, head, moved)).toEqual([grown('a.rs', 3, 4, 6), grown('a.rs', 1, 0, 1)]);
  });

  test('one file under two names counts once', () => {
    const head = [of('a.c', [1, 2]), of('a.c', [1, 3])];
    expect(find([of('a.c', [1, 5])], head)).toEqual([]);
  });
});

describe('a file that was moved', () => {
  test('is matched with its old path', () => {
    const base = [of('src/a.rs', [1, 4], [2, 4]), of('src/b.rs', [1, 1])];
    const head = [of('src/parse/a.rs', [1, 4], [2, 9]), of('src/b.rs', [1, 1])];
    expect(find(base, head)).toEqual([grown('src/parse/a.rs', 2, 4, 9)]);
  });

  test.each([
    ['two in head', [of('x/a.rs', [1, 4])], [of('y/a.rs', [1, 4]), of('z/a.rs', [1, 4])]],
    ['two in base', [of('x/a.rs', [1, 4]), of('w/a.rs', [1, 4])], [of('y/a.rs', [1, 4])]],
    ['another name', [of('x/a.rs', [1, 4])], [of('x/b.rs', [1, 4])]],
  ])('is not matched: %s', (_, base, head) => expect(pairFiles(base, head)).toEqual([]));
});

describe('mapLines', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));

  test('equal texts: every line keeps its place', () => {
    fc.assert(
      fc.property(text, (text) => {
        const map = mapLines(text, text);
        return text.split('\n').every((_, index) => map(index + 1) === index + 1);
      }),
    );
  });

  test('no two lines are matched to one, and their order is kept', () => {
    fc.assert(
      fc.property(text, text, (base, head) => {
        const map = mapLines(base, head);
        const lines = base.split('\n').flatMap((_, index) => map(index + 1) ?? []);
        const last = head.split('\n').length;
        return lines.every(
          (line, index) => line >= 1 && line <= last && (index === 0 || line > (lines[index - 1] ?? 0)),
        );
      }),
    );
  });

  test.each([
    ['inserted', 'a\nb', 'x\na\nb', [2, 3]],
    ['deleted', 'a\nb\nc', 'a\nc', [1, null, 2]],
    ['replaced', 'a\nb\nc', 'a\nx\nc', [1, 2, 3]],
    ['replaced by more', 'a\nb\nc', 'a\nx\ny\nc', [1, 2, 4]],
    ['added before a changed one', 'a\nlet x = f(y);\nc', 'a\nsum += 1;\nlet x = f(y, z);\nc', [1, 3, 4]],
    ['added after a changed one', 'a\nlet x = f(y);\nc', 'a\nlet x = f(y, z);\nsum += 1;\nc', [1, 2, 4]],
    ['removed before a changed one', 'sum += 1;\nlet x = f(y);', 'let x = f(y, z);', [null, 1]],
    ['replaced by fewer', 'a\nb\nc\nd', 'a\nx\nd', [1, 2, null, 3]],
    ['appended', 'a', 'a\nb', [1]],
  ])('%s', (_, base, head, lines) => {
    const map = mapLines(base, head);
    expect(base.split('\n').map((_, index) => map(index + 1))).toEqual(lines);
  });

  test('texts with no common part within the limit are left unmatched', () => {
    const many = (word: string) => Array.from({ length: 4000 }, (_, index) => `${word}${index}`).join('\n');
    expect(mapLines(many('a'), many('b'))(17)).toBe(17);
  });
});

describe('linesOf', () => {
  const lines = (['instructions', 'verifier'] as const).map(
    (lane): ProgramLines => ({
      kernel: '6.1',
      revision: 'head',
      lane,
      benchmark: 'macro/fun_xdp',
      files: [of(`${lane}.rs`, [1, 1])],
    }),
  );
  const compare = (head: number, fields: Parameters<typeof pair>[2] = {}) => {
    const [comparison] = compareMeasurements(pair(160, head, fields), [], strictGate);
    if (comparison === undefined) throw new Error('nothing was compared');
    return comparison;
  };

  test('of a regression, by its lane', () => {
    expect(linesOf(compare(161), 'head', lines)?.[0]?.file).toBe('instructions.rs');
    const jited = compare(161, { lane: 'verifier', measure: 'jited-bytes', unit: 'bytes' });
    expect(linesOf(jited, 'head', lines)?.[0]?.file).toBe('verifier.rs');
    expect(linesOf({ ...compare(161), lane: 'time', measure: 'bpf-time' }, 'head', lines)?.[0]?.file).toBe(
      'instructions.rs',
    );
  });

  test.each([
    ['what did not change', compare(160)],
    ['what the machine code does not explain', compare(161, { measure: 'latency', kind: 'benchmark' })],
    ['another kernel', compare(161, { kernel: '6.12' })],
    ['another program', compare(161, { benchmark: 'macro/other' })],
  ])('not of %s', (_, comparison) => expect(linesOf(comparison, 'head', lines)).toBeUndefined());

  test('not of a revision whose lines are not known', () =>
    expect(linesOf(compare(161), 'base', lines)).toBeUndefined());
});
