import { expect, test } from 'vitest';
import { readSeen } from '../../src/bench/seen.ts';

test("the plugin's windows are read by their tags", () => {
  const text = `window 7 10 0 1
function 2 8 0
instruction 0 4 1000
call 0 9 ffffffff81000000 10 1040 104 104 104
interruption ffffffff81a00b80 1 900
callbacks
instruction 1 0 20
jump 1 5 ffffffff81000010 2 10 5 5 5
kind 0 100 1f 9 1836 204 204 204
by call ffffffff81000000 1
each 0 4 100
kind 1 10 2e 2 30 15 15 15
by jump ffffffff81000010 1
other 1
end
window 8 10 2 0
end
`;
  const cost = { times: 10, instructions: 1040, least: 104, most: 104, frequent: 104 };
  const jump = { times: 2, instructions: 10, least: 5, most: 5, frequent: 5 };
  expect([...readSeen(text)]).toEqual([
    [
      7,
      {
        ...{ runs: 10, lost: 0, isFollowed: true, others: 1 },
        functions: new Map([[2, { window: 8, function: 0 }]]),
        instructions: [{ function: 0, offset: 4, times: 1000 }],
        exits: [{ ...{ function: 0, offset: 9, way: 'call', target: 'ffffffff81000000' }, ...cost }],
        interruptions: [{ entry: 'ffffffff81a00b80', times: 1, instructions: 900 }],
        callbacks: {
          instructions: [{ function: 1, offset: 0, times: 20 }],
          exits: [{ ...{ function: 1, offset: 5, way: 'jump', target: 'ffffffff81000010' }, ...jump }],
          interruptions: [],
        },
        kinds: [
          {
            ...{ function: 0, own: 100, hash: '1f', times: 9, instructions: 1836 },
            ...{ least: 204, most: 204, frequent: 204 },
            calls: [{ way: 'call', target: 'ffffffff81000000', times: 1 }],
            executed: [{ function: 0, offset: 4, times: 100 }],
          },
          {
            ...{ function: 1, own: 10, hash: '2e', times: 2, instructions: 30, least: 15, most: 15, frequent: 15 },
            calls: [{ way: 'jump', target: 'ffffffff81000010', times: 1 }],
            executed: [],
          },
        ],
      },
    ],
    [8, expect.objectContaining({ runs: 10, lost: 2, isFollowed: false, kinds: [] })],
  ]);
  expect(readSeen('').size).toBe(0);
});

test.each([
  ['instruction 0 4 1000\n', 'line 1'],
  ['window 7 10 0 1\nwindow 8 10 0 1\n', 'line 2'],
  ['window 7 10 0 1\nend\nwindow 7 10 0 1\nend\n', 'line 3'],
  ['window 7 10 0 1\ninstruction 0 4 1e9\n', 'line 2'],
  ['window 7 10 0 1\ncall 0 9 ffffffff81000000 10 1040 104 104\n', 'line 2'],
  ['window 7 10 0 1\ninstruction 0 4 9999999999999999\n', 'line 2'],
  ['window 7 10 0 1\nby call ffffffff81000000 1\n', 'line 2'],
  ['window 7 10 0 1\neach 0 4 1\n', 'line 2'],
  [`window 7 10 0 1\n${'kind 0 100 1f 9 1836 204 204 204\n'.repeat(257)}`, 'line 258'],
  [`window 7 10 0 1\n${Array.from({ length: 4097 }, (_, index) => `function ${index} 8 0\n`).join('')}`, 'line 4098'],
  ['window 7 10 0 1\n', 'ends within a window'],
])('what the plugin does not write is refused: %j', (text, where) => {
  expect(() => readSeen(text)).toThrow(where);
});
