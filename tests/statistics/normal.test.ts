import { expect, test } from 'vitest';
import { normalCdf, normalQuantile } from '../../src/statistics/normal.ts';

// scipy 1.17.1: stats.norm.cdf(x)
test.each([
  [-10, 7.61985302416047e-24],
  [-5, 2.866515718791933e-7],
  [-3.0001, 0.0013494549132607172],
  [-3, 0.0013498980316300933],
  [-1.5, 0.06680720126885807],
  [0, 0.5],
  [1, 0.8413447460685429],
  [3, 0.9986501019683699],
  [4, 0.9999683287581669],
])('the probability below %d is %d, as in scipy', (x, probability) => {
  expect(Math.abs(normalCdf(x) / probability - 1)).toBeLessThan(1e-12);
});

// scipy 1.17.1: stats.norm.ppf(probability)
test.each([
  [1e-300, -37.0470962993612],
  [1e-10, -6.361340902404056],
  [0.0001, -3.7190164854556804],
  [0.025, -1.9599639845400545],
  [0.2, -0.8416212335729142],
  [0.5, 0],
  [0.9, 1.2815515655446004],
  [0.975, 1.959963984540054],
  [0.9996875, 3.4205267011318305],
])('the quantile of %d is %d, as in scipy', (probability, x) => {
  expect(normalQuantile(probability)).toBeCloseTo(x, 11);
});

test.each([0, 1, -1, Number.NaN])('refuses the quantile of %d', (probability) => {
  expect(() => normalQuantile(probability)).toThrow(RangeError);
});
