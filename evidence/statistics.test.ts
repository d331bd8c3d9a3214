import { describe, expect, test } from 'vitest';
import { median, medianRatio, randomFrom, type Sample, shuffle, spreadOf } from './statistics.ts';

const sample = (subject: string, round: number, firstMs: number | null, endMs: number): Sample => ({
  kernel: '6.1',
  subject,
  round,
  times: { firstMs, endMs },
});

describe('median', () => {
  test('is the middle value, or the mean of the two in the middle', () => {
    expect(median([10, 2, 9])).toBe(9);
    expect(median([10, 2, 9, 3])).toBe(6);
    expect(median([])).toBeUndefined();
  });

  test('comes with the smallest and the largest value', () => {
    expect(spreadOf([10, 2, 9])).toEqual({ median: 9, min: 2, max: 10 });
    expect(spreadOf([])).toBeUndefined();
  });
});

describe('medianRatio', () => {
  const own = { kernel: '6.1', subject: 'own' };
  const floor = { kernel: '6.1', subject: 'floor' };

  test('compares what was booted in the same round', () => {
    const samples = [
      ...[sample('floor', 1, null, 10), sample('own', 1, 5, 6)],
      // Everything was slow in this round.
      ...[sample('own', 2, 50, 60), sample('floor', 2, null, 100)],
      ...[sample('floor', 3, null, 10), sample('own', 3, 8, 9)],
    ];
    expect(medianRatio(samples, own, floor)).toBe(0.5);
    const pick = ({ endMs }: { endMs: number }) => endMs;
    expect(medianRatio(samples, { ...own, pick }, { ...floor, pick })).toBe(0.6);
  });

  test('leaves out rounds in which either failed', () => {
    const failed = { kernel: '6.1', subject: 'own', round: 1, times: undefined, error: 'it panicked' };
    const samples = [sample('floor', 1, null, 10), failed, sample('floor', 2, null, 10), sample('own', 2, 5, 6)];
    expect(medianRatio(samples, own, floor)).toBe(0.5);
    expect(medianRatio([sample('floor', 1, null, 10), failed], own, floor)).toBeUndefined();
  });
});

describe('shuffle', () => {
  const items = Array.from({ length: 20 }, (_, index) => index);

  test('gives the same order for the same seed, and another for another one', () => {
    expect(shuffle(items, randomFrom(7))).toEqual(shuffle(items, randomFrom(7)));
    expect(shuffle(items, randomFrom(7))).not.toEqual(shuffle(items, randomFrom(8)));
  });

  test('keeps every item once', () => {
    expect(shuffle(items, randomFrom(7)).sort((a, b) => a - b)).toEqual(items);
  });
});
