import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import {
  formatShard,
  lanesOfShard,
  parseShard,
  parseShards,
  requireWork,
  selectShard,
  usefulShards,
} from '../../src/inputs/shard.ts';
import type { Lane } from '../../src/model/inputs.ts';
import { assertAlways } from '../statistics/assert-always.ts';

describe('a shard as a person writes it', () => {
  test.each([
    ['1/3', { index: 1, count: 3 }],
    ['3/3', { index: 3, count: 3 }],
    ['1000/1000', { index: 1000, count: 1000 }],
    ['1/1', null],
  ])('%s', (text, shard) => expect(parseShard(text, '--shard')).toEqual(shard));

  test.each([
    ...['0/3', '4/3', '1/0', '0/0', '-1/3', '1/-3', '1/1001', '9999/9999', '1/99999'],
    ...['x', '', '2', '/', '1/', '/3', '1/3/3', '1.5/3', '1e0/3', ' 1/3', '1/3\n', '1 / 3', '١/٣'],
  ])('%j is refused with its name and what is allowed', (text) => {
    const parse = () => parseShard(text, 'input shard');
    expect(parse).toThrow(InputError);
    expect(parse).toThrow(`input shard: \`${text}\` is no shard; allowed: INDEX/COUNT, such as 2/3`);
  });

  test('is formatted as it was parsed', () => {
    const shard = fc
      .integer({ min: 2, max: 1000 })
      .chain((count) => fc.record({ count: fc.constant(count), index: fc.integer({ min: 1, max: count }) }));
    assertAlways(
      fc.property(shard, (each) => {
        expect(parseShard(formatShard(each), '')).toEqual(each);
      }),
    );
  });
});

test.each(['0', '-1', '1.5', '1001', 'many', '', '1/3', '0x2'])('%j is an invalid number of shards', (text) => {
  expect(() => parseShards(text, 'input shards')).toThrow(InputError);
  expect(() => parseShards(text, 'input shards')).toThrow(
    `input shards: \`${text}\` is no number of shards; allowed: 1 to 1000`,
  );
});

const shardsOf = (count: number) => Array.from({ length: count }, (_, position) => ({ index: position + 1, count }));
const lane = fc.constantFrom<Lane>('instructions', 'verifier');
const lanesArbitrary = fc.uniqueArray(lane, { minLength: 1 });

describe('shards of one count', () => {
  const benches = fc.uniqueArray(fc.string(), { maxLength: 60 });

  test('have each bench once, in the order of the configuration, and differ in size by one at most', () => {
    assertAlways(
      fc.property(benches, fc.integer({ min: 1, max: 70 }), (items, count) => {
        const parts = shardsOf(count).map((shard) => selectShard(items, shard));
        expect(parts.flat().toSorted()).toEqual(items.toSorted());
        for (const part of parts) expect(part).toEqual(items.filter((item) => part.includes(item)));
        const sizes = parts.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('are filled in turns', () => {
    expect(shardsOf(3).map((shard) => selectShard(['a', 'b', 'c', 'd', 'e'], shard))).toEqual([
      ['a', 'd'],
      ['b', 'e'],
      ['c'],
    ]);
    expect(selectShard(['a', 'b'], null)).toEqual(['a', 'b']);
  });

  test('measure the BPF objects in one shard, and every other lane in each', () => {
    assertAlways(
      fc.property(lanesArbitrary, fc.integer({ min: 2, max: 9 }), (wanted, count) => {
        const [first = [], ...others] = shardsOf(count).map((shard) => lanesOfShard(wanted, shard));
        expect(first).toEqual(wanted);
        for (const lanes of others) expect(lanes).toEqual(wanted.filter((each) => each !== 'verifier'));
        expect(lanesOfShard(wanted, null)).toEqual(wanted);
      }),
    );
  });

  test('up to the useful maximum all have something to measure, and one more does not', () => {
    assertAlways(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 }), lanesArbitrary, (items, lanes) => {
        const work = { benches: items, lanes };
        const most = usefulShards(work);
        const hasWork = (index: number, count: number) => {
          const own = lanesOfShard(lanes, { index, count });
          const isRun = own.some((each) => each !== 'verifier');
          return own.includes('verifier') || (isRun && selectShard(items, { index, count }).length > 0);
        };
        for (let index = 1; index <= most; index++) {
          expect(hasWork(index, most)).toBe(true);
          expect(() => requireWork({ index, count: most + 1 }, work, '', '')).not.toThrow();
        }
        expect(hasWork(most + 1, most + 1)).toBe(false);
        expect(() => requireWork({ index: most + 1, count: most + 1 }, work, '', '')).toThrow(InputError);
      }),
    );
  });
});

describe('a shard without anything to measure is refused', () => {
  const refusal = (benches: number, lanes: readonly Lane[], index: number) => {
    try {
      requireWork({ index, count: 9 }, { benches: Array(benches).fill('b'), lanes }, '--shard', 'bpfgate.toml');
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test('with the number of benches', () => {
    expect(refusal(3, ['instructions', 'verifier'], 4)).toMatchObject({
      message: '--shard: nothing is left for shard 4/9: bpfgate.toml has 3 [[bench]]',
      hint: 'use at most 3 shards',
    });
    expect(refusal(3, ['instructions'], 3)).toBeUndefined();
  });

  test('or the reason that the verifier lane is not divided', () => {
    expect(refusal(3, ['verifier'], 2)).toMatchObject({
      message: "--shard: nothing is left for shard 2/9: the verifier lane, which is the only one, is the first shard's",
      hint: 'leave it out',
    });
    expect(refusal(3, ['verifier'], 1)).toBeUndefined();
  });

  test('but never the whole', () => {
    expect(() => requireWork(null, { benches: [], lanes: ['instructions'] }, '', '')).not.toThrow();
  });
});
