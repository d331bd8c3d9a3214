import { expect, test } from 'vitest';
import { pairObjects } from '../../src/build/pair-objects.ts';

const given = (...paths: string[]) => paths.map((path) => ({ file: `/somewhere/${path}`, path }));
const headPaths = (base: string[], head: string[]) =>
  pairObjects({ base: given(...base), head: given(...head) }).head.map(({ path }) => path);

test('objects pair by path, else by a name that only one of each side is left with', () => {
  expect(headPaths(['a/x.o', 'b/y.o'], ['a/x.o', 'c/y.o'])).toEqual(['a/x.o', 'b/y.o']);
});

test('an object whose name is not unique among those left stays by itself', () => {
  expect(headPaths(['a/x.o', 'b/x.o'], ['c/x.o'])).toEqual(['c/x.o']);
  expect(headPaths(['a/x.o'], ['b/x.o', 'c/x.o'])).toEqual(['b/x.o', 'c/x.o']);
});

test('an object that has its pair by path is no candidate by name', () => {
  expect(headPaths(['a/x.o'], ['a/x.o', 'b/x.o'])).toEqual(['a/x.o', 'b/x.o']);
});
