import { expect, test } from 'vitest';
import { nearestName } from '../../src/inputs/nearest-name.ts';

test.each([
  ['formt', ['fromat', 'format', 'fort'], 'format'],
  ['FORMAT', ['format'], 'format'],
  ['abc', ['xyz', 'abcdef', ''], null],
  ['ab', ['abcd', 'b'], 'b'],
  ['xpd', ['tc', 'xdp'], 'xdp'],
  ['kitten sitting', ['sitting kitten', 'kitten setting'], 'kitten setting'],
])('the name that is nearest to %s among %j is %s', (word, names, nearest) => {
  expect(nearestName(word, names)).toBe(nearest);
});
