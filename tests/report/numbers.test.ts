import { expect, test } from 'vitest';
import { decimalsFor, formatDelta, formatGrowth, formatLimit, formatNumber } from '../../src/report/numbers.ts';

test.each([
  [0, '0'],
  [160, '160'],
  [1_204_551, '1,204,551'],
  [-1234, '−1,234'],
  [19_825.04, '19,825'],
  [2.5, '2.500'],
  [0.0123, '0.01230'],
  [1e-9, '1.0e-9'],
])('%d prints as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test.each([
  [28, '+28'],
  [-12, '−12'],
  [0.04, '+0.040'],
  [0.4, '+0.40'],
  [12.34, '+12'],
  [1e-9, '+1.0e-9'],
  [0, '0'],
])('a delta of %d prints as %s', (value, text) => {
  expect(formatDelta(value)).toBe(text);
});

test('base and head have enough digits to differ', () => {
  const [base, head] = [19_825.04, 19_825.09];
  const decimals = decimalsFor([base, head], head - base);
  expect([formatNumber(base, decimals), formatNumber(head, decimals)]).toEqual(['19,825.040', '19,825.090']);
});

test.each([
  [0.175, '+17.5%'],
  [-0.0121, '−1.21%'],
  [12.4, '+1,240%'],
  [0.0004, '+0.040%'],
  [0.000021, '+0.0021%'],
  [1e-9, '+<0.0001%'],
  [0, '0%'],
])('a growth of %d prints as %s', (ratio, text) => {
  expect(formatGrowth(ratio)).toBe(text);
});

test('limits are shown as configured', () => {
  expect([0, 0.05, 0.025, 0.07, 'off' as const].map(formatLimit)).toEqual(['0%', '5%', '2.5%', '7%', 'off']);
});
