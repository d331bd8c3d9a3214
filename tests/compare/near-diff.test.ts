import { expect, test } from 'vitest';
import { findChangedWithin, findHunks, findNearDiff } from '../../src/compare/near-diff.ts';

const near = (base: string, head: string, line: number) => findNearDiff(findHunks(base, head), line);
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);
const text = (...all: (string | string[])[]) => all.flat().join('\n');

test.each([
  ['replaced', 'a\nb\nc', 'a\nx\nc', 2, ['b'], ['x']],
  ['added', 'a\nc', 'a\nx\nc', 2, [], ['x']],
  ['removed', 'a\nb\nc', 'a\nc', 2, ['b'], []],
  ['added at the end', 'a', 'a\nx', 2, [], ['x']],
  ['replaced by more than is shown', 'b', text(lines(1, 9)), 1, ['b'], ['1', '2']],
  ['in the middle of many', 'b', text(lines(1, 9)), 5, [], ['4', '5', '6']],
  ['the last of many', 'b', text(lines(1, 9)), 9, [], ['7', '8', '9']],
  ['replaced by fewer', text('a', 'b', 'c', 'd', 'z'), text('x', 'z'), 1, ['c', 'd'], ['x']],
  ['below a function that stayed', text('f', lines(1, 9)), text('f', lines(1, 8), 'x'), 1, ['9'], ['x']],
])('a line that is %s', (_, base, head, line, removed, added) =>
  expect(near(base, head, line)).toEqual({ removed, added }),
);

test('of two hunks the nearer one is shown, and none that is far away', () => {
  const base = text('a', lines(1, 30), 'b', lines(31, 60));
  const head = text('x', lines(1, 30), 'y', lines(31, 60));
  expect(near(base, head, 2)).toEqual({ removed: ['a'], added: ['x'] });
  expect(near(base, head, 22)).toEqual({ removed: ['b'], added: ['y'] });
  // What is two lines above is of another function.
  for (const line of [3, 15, 34]) expect(near(base, head, line)).toBeNull();
  // Nor is the next function's change this one's.
  const [one, other] = [text('f {', '  a', '}', 'g {', '  b', '}'), text('f {', '  a', '}', 'g {', '  y', '}')];
  expect([1, 2].map((line) => near(one, other, line))).toEqual([null, null]);
  expect(near(one, other, 4)).toEqual({ removed: ['b'], added: ['y'] });
  // Empty lines say nothing.
  expect(near(text('f', 'a', 'b'), text('f', '', 'a', 'y'), 1)).toEqual({ removed: ['b'], added: ['y'] });
});

test('equal texts, texts that differ only in the ends of lines, and texts with nothing in common have no diff', () => {
  expect(near('a\nb', 'a\nb', 1)).toBeNull();
  expect(near('a\nb', 'a \r\nb\n', 1)).toBeNull();
  expect(near(text(lines(1, 4000)), text(lines(5000, 9000)), 1)).toBeNull();
});

test('indentation that all lines share is left out, and long lines are clipped', () => {
  const head = `\tif (a) {\n\t\t${'b'.repeat(1000)}`;
  expect(near('', head, 1)).toEqual({ removed: [''], added: ['if (a) {', `  ${'b'.repeat(78)}…${'b'.repeat(79)}`] });
});

test.each([
  ['a call that head adds below', 'a\nz', 'a\n\nlet x = now();\nz', 1, 4, 3],
  ['itself, if head changed it', 'a\nz', 'b\nx\nz', 1, 3, 1],
  ['itself, if what is new has code of its own', 'a\nz', 'a\nx\nz', 1, 2, 1],
  ['itself above a comment', 'a\nz', 'a\n// note\n * more\nz', 1, 4, 1],
  ['a store through a pointer', 'a\nz', 'a\n// note\n*x = 1;\nz', 1, 4, 3],
  ['itself at the end of its function', 'a\n}\nz', 'a\n}\nx\nz', 1, 9, 1],
  ['itself, far from any change', text('a', lines(1, 20), 'z'), text('a', lines(1, 20), 'x'), 1, 99, 1],
])('what grew on a line is %s', (_, base, head, line, next, expected) =>
  expect(findChangedWithin(findHunks(base, head), line, next)).toBe(expected),
);
