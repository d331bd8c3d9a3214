import { expect, test } from 'vitest';
import { pairObjects } from '../../src/inputs/pair-objects.ts';

const given = (...paths: string[]) => paths.map((path) => ({ file: `/somewhere/${path}`, path }));
const headPaths = (base: string[], head: string[], areFiles = false) =>
  pairObjects({ base: given(...base), head: given(...head) }, areFiles).head.map(({ path }) => path);

test('objects pair by path, else by a name that only one of each side is left with', () => {
  expect(headPaths(['a/x.o', 'b/y.o'], ['a/x.o', 'c/y.o'])).toEqual(['a/x.o', 'b/y.o']);
});

test('an object whose name is not unique among those left stays by itself', () => {
  expect(headPaths(['y.o', 'a/x.o', 'b/x.o'], ['y.o', 'c/x.o'])).toEqual(['y.o', 'c/x.o']);
  expect(headPaths(['y.o', 'a/x.o'], ['y.o', 'b/x.o', 'c/x.o'])).toEqual(['y.o', 'b/x.o', 'c/x.o']);
});

test('an object that has its pair by path is no candidate by name', () => {
  expect(headPaths(['a/x.o'], ['a/x.o', 'b/x.o'])).toEqual(['a/x.o', 'b/x.o']);
});

test('one file of each side pairs with the other, whatever its name', () => {
  expect(headPaths(['v1.o'], ['v2.o'], true)).toEqual(['v1.o']);
});

test('sides of which nothing pairs are an error, not all removed and added', () => {
  expect(() => headPaths(['v1.o'], ['v2.o'])).toThrow(
    'no object of base has a counterpart in head: base has v1.o, head has v2.o',
  );
});
