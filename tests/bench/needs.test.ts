import { describe, expect, test } from 'vitest';
import { compareMinors, parseNeeds } from '../../src/bench/needs.ts';
import { BenchError } from '../../src/common/errors.ts';

const parse = (text: string, kernel = '5.10') => parseNeeds(text, kernel, 'bench `x` (head)', 'libtest');

test('finds `needs` lines in other output', () => {
  const text =
    'start\nbpfgate: needs 5.18: getpid/kprobe_multi/empty\r\n{}\nbpfgate: needs 6.1: a b: c\nno bpfgate: needs 7.1: x';
  expect(parse(text)).toEqual(
    new Map([
      ['getpid/kprobe_multi/empty', '5.18'],
      ['a b: c', '6.1'],
    ]),
  );
  expect(parse('')).toEqual(new Map());
});

test('a known target is part of the name, as it is in results', () => {
  const text =
    'bpfgate: output of /v4\nbpfgate: needs 5.18: multi\nbpfgate: output of x/v6\nbpfgate: needs 6.1: multi\n';
  expect([...parse(text).keys()]).toEqual(['v4/multi', 'x/v6/multi']);
  expect([...parseNeeds('bpfgate: output of x/v6\nbpfgate: needs 6.1: multi', '5.10', 'b', 'bmf').keys()]).toEqual([
    'multi',
  ]);
});

test('a repeated line counts once', () => {
  expect(parse('bpfgate: needs 5.18: a\n'.repeat(2))).toEqual(new Map([['a', '5.18']]));
});

describe('an invalid line is an error', () => {
  test.each([
    ['a kernel that is running', 'bpfgate: needs 5.10: a', 'says that `a` needs 5.10, but it ran on 5.10'],
    ['an older kernel, by number and not by letter', 'bpfgate: needs 5.9: a', 'needs 5.9, but it ran on 5.10'],
    ['an older major version', 'bpfgate: needs 4.20: a', 'needs 4.20, but it ran on 5.10'],
    ['a release', 'bpfgate: needs 5.18.2: a', 'printed a bad line: bpfgate: needs 5.18.2: a'],
    ['no name', 'bpfgate: needs 5.18: ', 'printed a bad line: bpfgate: needs 5.18:'],
    ['a word', 'bpfgate: needs BTF: a', 'printed a bad line'],
    ['an endless version', `bpfgate: needs ${'9'.repeat(400)}.1: a`, 'printed a bad line'],
    ['an endless name', `bpfgate: needs 5.18: ${'a'.repeat(201)}`, 'printed a bad line'],
    ['two kernels for one', 'bpfgate: needs 5.18: a\nbpfgate: needs 6.1: a', 'needs 5.18 and that it needs 6.1'],
    ['too many', 'bpfgate: needs 5.18: a\n'.repeat(1001), 'more than 1000 lines'],
  ])('%s', (_, text, message) => {
    expect(() => parse(text)).toThrow(BenchError);
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(expect.objectContaining({ hint: expect.any(String) }));
  });

  test('with a message of limited length', () => {
    for (const text of [`bpfgate: needs 5.18: ${'a'.repeat(1e6)}`, `bpfgate: needs ${'9'.repeat(1e6)}.1: a`]) {
      const message = (() => {
        try {
          return String(parse(text));
        } catch (error) {
          return (error as Error).message;
        }
      })();
      expect(message).toContain('bad line');
      expect(message.length).toBeLessThan(250);
    }
  });
});

test.each([
  ['5.10', '5.9', 1],
  ['5.18', '6.1', -1],
  ['6.1:source', '6.1', 0],
  ['5.8:tree', '5.8.18', 0],
  ['7.2', '6.18', 1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareMinors(a, b))).toBe(sign);
});
