import { expect, test } from 'vitest';
import { readSeen } from '../../src/bench/seen.ts';

test("the plugin's windows are read by their tags", () => {
  const text = `window 7 10 0
instruction 0 4 1000
call 0 9 ffffffff81000000 10 1040 104 104 104
end
window 8 10 2
interruption 1 0 0 1 50 50 50 50
end
`;
  expect([...readSeen(text)]).toEqual([
    [
      7,
      {
        runs: 10,
        lost: 0,
        instructions: [{ function: 0, offset: 4, times: 1000 }],
        exits: [
          {
            ...{ function: 0, offset: 9, way: 'call', target: 'ffffffff81000000' },
            ...{ times: 10, instructions: 1040, least: 104, most: 104, frequent: 104 },
          },
        ],
      },
    ],
    [8, expect.objectContaining({ runs: 10, lost: 2, exits: [expect.objectContaining({ way: 'interruption' })] })],
  ]);
  expect(readSeen('').size).toBe(0);
});

test.each([
  ['instruction 0 4 1000\n', 'line 1'],
  ['window 7 10 0\nwindow 8 10 0\n', 'line 2'],
  ['window 7 10 0\nend\nwindow 7 10 0\nend\n', 'line 3'],
  ['window 7 10 0\ninstruction 0 4 1e9\n', 'line 2'],
  ['window 7 10 0\ncall 0 9 ffffffff81000000 10 1040 104 104\n', 'line 2'],
  ['window 7 10 0\ninstruction 0 4 9999999999999999\n', 'line 2'],
  ['window 7 10 0\n', 'ends within a window'],
])('what the plugin does not write is refused: %j', (text, where) => {
  expect(() => readSeen(text)).toThrow(where);
});
