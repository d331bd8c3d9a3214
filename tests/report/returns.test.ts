import { expect, test } from 'vitest';
import { toText } from '../../src/report/plain-text.ts';
import type { Results } from '../../src/report/results.ts';
import { describeReturns } from '../../src/report/returns.ts';

const run = (kernel: string, input: string, base: string, head: string) =>
  [base, head].map((returned, index) => ({
    kernel,
    benchmark: `x/one/${input}`,
    revision: index === 0 ? 'base' : 'head',
    behavior: { returned, left: null },
  }));
const describe = (...runs: ReturnType<typeof run>[]) =>
  describeReturns({ measurements: runs.flat() } as unknown as Results).map(toText);

test('a program that returns something else on every input is named once, with its kernels', () => {
  const changed = ['udp-64', 'arp'].flatMap((input) =>
    ['6.1', '6.12'].map((kernel) => run(kernel, input, 'XDP_PASS', 'XDP_DROP')),
  );
  expect(describe(...changed)).toEqual([
    '`x/one` returns XDP_DROP in the place of XDP_PASS on all 2 inputs (6.1 and 6.12)',
  ]);
});

test('on some inputs, the first is named; on none, nothing is said', () => {
  const same = run('6.1', 'arp', 'XDP_PASS', 'XDP_PASS');
  const changed = ['udp-64', 'dns'].map((input) => run('6.1', input, 'XDP_PASS', 'XDP_TX'));
  expect(describe(same, ...changed)).toEqual([
    '`x/one` returns XDP_TX in the place of XDP_PASS on `udp-64` and 1 more (6.1)',
  ]);
  expect(describe(same)).toEqual([]);
});
