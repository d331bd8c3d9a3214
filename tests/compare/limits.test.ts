import { expect, test } from 'vitest';
import { findUnusedOverrides, limitFor } from '../../src/compare/limits.ts';

const gate = {
  limits: { instructions: 0, verifier: 0.01, time: 0.05 },
  overrides: [
    { benchmark: 'profiler/*', limit: 0.1 },
    { benchmark: 'profiler/*', kernel: '5.8', limit: 'off' },
    { lane: 'time', kernel: '5.8', limit: 0.2 },
  ],
} as const;

test('the last matching override wins, and all its keys must match', () => {
  expect(limitFor({ benchmark: 'xdp', kernel: '6.1', lane: 'verifier' }, gate)).toBe(0.01);
  expect(limitFor({ benchmark: 'profiler/x', kernel: '6.1', lane: 'instructions' }, gate)).toBe(0.1);
  expect(limitFor({ benchmark: 'profiler/x', kernel: '5.8', lane: 'instructions' }, gate)).toBe('off');
  expect(limitFor({ benchmark: 'profiler/x', kernel: '5.8', lane: 'time' }, gate)).toBe(0.2);
});

test('an override for one origin of a kernel does not apply to the other', () => {
  const forSource = { ...gate, overrides: [{ kernel: '6.1:source', limit: 0.3 }] } as const;
  const subject = { benchmark: 'x', lane: 'time' } as const;
  expect(limitFor({ ...subject, kernel: '6.1:source' }, forSource)).toBe(0.3);
  expect(limitFor({ ...subject, kernel: '6.1' }, forSource)).toBe(0.05);
  const forDefault = { ...gate, overrides: [{ kernel: '6.1', limit: 0.3 }] } as const;
  expect(limitFor({ ...subject, kernel: '6.1:source' }, forDefault)).toBe(0.05);
});

test('an override of 0 is a limit, not a missing one', () => {
  const strict = { ...gate, overrides: [{ lane: 'time', limit: 0 }] } as const;
  expect(limitFor({ benchmark: 'x', kernel: '6.1', lane: 'time' }, strict)).toBe(0);
});

test('an override for an unknown benchmark is found, one for a benchmark that was not measured is not', () => {
  const subject = { benchmark: 'profiler/x', kernel: '6.1', lane: 'instructions' } as const;
  expect(findUnusedOverrides([subject], gate)).toEqual([]);
  const mistyped = { ...gate, overrides: [...gate.overrides, { benchmark: 'profiller/*', limit: 0.1 }] } as const;
  expect(findUnusedOverrides([subject], mistyped)).toEqual(['profiller/*']);
  expect(findUnusedOverrides([{ ...subject, kernel: '5.8', benchmark: 'xdp/x' }], gate)).toEqual(['profiler/*']);
  expect(findUnusedOverrides([], mistyped)).toEqual([]);
});
