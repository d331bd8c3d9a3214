import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balanceOrders } from '../../src/statistics/balanced-orders.ts';
import { assertAlways } from './assert-always.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test.each([
  [1, 1],
  [2, 2],
  [3, 6],
  [4, 24],
])('with %i slots every order occurs equally often in each block of %i rounds', (slots, block) => {
  assertAlways(
    fc.property(seeds, (seed) => {
      const orders = balanceOrders(slots, 3 * block, seed).map(String);
      for (const start of [0, block, 2 * block]) {
        expect(new Set(orders.slice(start, start + block)).size).toBe(block);
      }
    }),
  );
});

test('every slot is once in every place in each run of as many rounds as slots', () => {
  assertAlways(
    fc.property(fc.integer({ min: 1, max: 4 }), seeds, (slots, seed) => {
      const orders = balanceOrders(slots, 12 * slots, seed);
      for (let start = 0; start < orders.length; start += slots) {
        const square = orders.slice(start, start + slots);
        for (let place = 0; place < slots; place++) {
          expect(new Set(square.map((order) => order[place])).size).toBe(slots);
        }
      }
    }),
  );
});

test.each([2, 3, 4])('with %i slots each follows every other one equally often', (slots) => {
  const block = [1, 1, 2, 6, 24][slots];
  const followers = new Map<string, number>();
  for (const order of balanceOrders(slots, block ?? 0, 5)) {
    for (const [place, slot] of order.slice(1).entries()) {
      const pair = `${order[place]} ${slot}`;
      followers.set(pair, (followers.get(pair) ?? 0) + 1);
    }
  }
  expect(followers.size).toBe(slots * (slots - 1));
  expect(new Set(followers.values()).size).toBe(1);
});

describe('a seed', () => {
  test('always gives the same orders', () => {
    // Recorded, so that a result's seed still gives the same orders after an update of the generator.
    expect(
      balanceOrders(3, 8, 2026)
        .map((order) => order.join(''))
        .join(' '),
    ).toBe('201 120 012 021 102 210 120 201');
  });

  test('of another number gives other orders', () => {
    const orders = Array.from({ length: 50 }, (_, seed) => String(balanceOrders(3, 12, seed)));
    expect(new Set(orders).size).toBe(50);
  });

  test('puts each slot first about as often', () => {
    const first = Array.from({ length: 3000 }, (_, seed) => balanceOrders(3, 1, seed)[0]?.[0]);
    for (const slot of [0, 1, 2]) {
      // 1000 expected, with a standard deviation of 26.
      expect(Math.abs(first.filter((own) => own === slot).length - 1000)).toBeLessThan(80);
    }
  });
});

test('more rounds start with the same ones', () => {
  expect(balanceOrders(3, 20, 9).slice(0, 7)).toEqual(balanceOrders(3, 7, 9));
  expect(balanceOrders(3, 0, 9)).toEqual([]);
});

test.each([
  [0, 1, 1],
  [101, 1, 1],
  [2.5, 1, 1],
  [2, -1, 1],
  [2, Number.NaN, 1],
  [2, 1, -1],
  [2, 1, 2 ** 32],
])('refuses %d slots, %d rounds and a seed of %d', (slots, rounds, seed) => {
  expect(() => balanceOrders(slots, rounds, seed)).toThrow(RangeError);
});
