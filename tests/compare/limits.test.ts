import { describe, expect, test } from 'vitest';
import { describeLimitChanges, findUnusedOverrides, limitFor } from '../../src/compare/limits.ts';
import { parseConfig } from '../../src/inputs/config.ts';

const gate = {
  limits: { instructions: 0, verifier: 0.01 },
  overrides: [
    { benchmark: 'profiler/*', limit: 0.1 },
    { benchmark: 'profiler/*', kernel: '5.8', limit: 'off' },
    { lane: 'verifier', kernel: '5.8', limit: 0.2 },
  ],
} as const;

test('the last matching override wins, and all its keys must match', () => {
  expect(limitFor({ benchmark: 'xdp', kernel: '6.1', lane: 'verifier' }, gate)).toBe(0.01);
  expect(limitFor({ benchmark: 'profiler/x', kernel: '6.1', lane: 'instructions' }, gate)).toBe(0.1);
  expect(limitFor({ benchmark: 'profiler/x', kernel: '5.8', lane: 'instructions' }, gate)).toBe('off');
  expect(limitFor({ benchmark: 'profiler/x', kernel: '5.8', lane: 'verifier' }, gate)).toBe(0.2);
});

test('an override for one origin of a kernel does not apply to the other', () => {
  const forSource = { ...gate, overrides: [{ kernel: '6.1:source', limit: 0.3 }] } as const;
  const subject = { benchmark: 'x', lane: 'verifier' } as const;
  expect(limitFor({ ...subject, kernel: '6.1:source' }, forSource)).toBe(0.3);
  expect(limitFor({ ...subject, kernel: '6.1' }, forSource)).toBe(0.01);
  const forDefault = { ...gate, overrides: [{ kernel: '6.1', limit: 0.3 }] } as const;
  expect(limitFor({ ...subject, kernel: '6.1:source' }, forDefault)).toBe(0.01);
});

test('an override of 0 is a limit, not a missing one', () => {
  const strict = { ...gate, overrides: [{ lane: 'verifier', limit: 0 }] } as const;
  expect(limitFor({ benchmark: 'x', kernel: '6.1', lane: 'verifier' }, strict)).toBe(0);
});

test('an override for an unknown benchmark is found, one for a benchmark that was not measured is not', () => {
  const subject = { benchmark: 'profiler/x', kernel: '6.1', lane: 'instructions' } as const;
  expect(findUnusedOverrides([subject], gate)).toEqual([]);
  const mistyped = { ...gate, overrides: [...gate.overrides, { benchmark: 'profiller/*', limit: 0.1 }] } as const;
  expect(findUnusedOverrides([subject], mistyped)).toEqual(['profiller/*']);
  expect(findUnusedOverrides([{ ...subject, kernel: '5.8', benchmark: 'xdp/x' }], gate)).toEqual(['profiler/*']);
  expect(findUnusedOverrides([], mistyped)).toEqual([]);
});

describe('a changed limit', () => {
  const gateOf = (text: string) => parseConfig(text, 'bpfgate.toml').gate;
  const override = (benchmark: string, limit: string, more = '') =>
    `[[gate.override]]\nbenchmark = "${benchmark}"\nlimit = "${limit}"\n${more}\n`;
  const changes = (base: string, head: string, ...measured: readonly string[]) =>
    describeLimitChanges(
      gateOf(base),
      gateOf(head),
      measured.map((benchmark) => ({ benchmark, kernel: '6.1', lane: 'instructions' })),
    );
  const lane = 'lane = "instructions"';

  test.each([
    ['', '[gate]\nverifier = "0.7%"', '`gate.verifier` was 0 % and is 0.7 %'],
    ['[gate]\nverifier = "off"', '', '`gate.verifier` was off and is 0 %'],
    ['', override('new/*', '5%', lane), 'the instructions limit of `new/*` was 0 % and is 5 %'],
    ['', override('x', 'off', `${lane}\nkernel = "6.1"`), 'the instructions limit of `x` on 6.1 was 0 % and is off'],
    [override('x', '1%', lane), override('x', '2%', lane), 'the instructions limit of `x` was 1 % and is 2 %'],
    [
      override('x*', 'off', lane),
      override('x*', 'off', lane) + override('xy', '0%', lane),
      'the instructions limit of `xy` was off and is 0 %',
    ],
    ['', '[[gate.override]]\nlane = "verifier"\nlimit = "off"', '`gate.verifier` was 0 % and is off'],
  ])('from %j to %j is named by its effect', (base, head, said) => {
    expect(changes(base, head, 'x', 'y', 'xy')).toEqual([said]);
  });

  test('of what was measured is named where overrides only change places', () => {
    const [a, b] = [override('a*', 'off', lane), override('*b', '0%', lane)];
    expect(changes(a + b, b + a, 'ab', 'aa')).toEqual(['the instructions limit of `ab` on 6.1 was 0 % and is off']);
  });

  test('without an effect is none', () => {
    const strict = override('x', '0%') + override('y', '1%');
    expect(changes(strict, `[gate]\ninstructions = "0%"\n${override('y', '1%')}${override('x', '0%')}`, 'x')).toEqual(
      [],
    );
  });

  test('is named before others, if it is loosened', () => {
    const head = `[gate]\ninstructions = "1%"\n${override('a', '0%')}${override('b', 'off')}`;
    expect(changes('[gate]\ninstructions = "2%"', head)).toEqual([
      'the instructions limit of `b` was 2 % and is off',
      'the verifier limit of `b` was 0 % and is off',
      '`gate.instructions` was 2 % and is 1 %',
      'the instructions limit of `a` was 2 % and is 0 %',
    ]);
  });
});
