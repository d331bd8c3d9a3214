import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapLines } from '../../src/compare/map-lines.ts';

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
