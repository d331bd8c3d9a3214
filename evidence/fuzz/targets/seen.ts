// What QEMU's plugin writes into a folder that root in the guest can write as well.

import { describeInside } from '../../../src/bench/inside.ts';
import { readSeen } from '../../../src/bench/seen.ts';
import { VmError } from '../../../src/common/errors.ts';
import { compareRuns } from '../../../src/compare/compare-runs.ts';
import type { LoadRecord } from '../../../src/model/guest-run.ts';
import { check, type Target } from '../target.ts';

const reading = { run_cnt: 10, run_time_ns: 1000 };
const code = { files: ['x.c'], functions: [{ name: 'prog', stretches: [[0, 10, 1, 'EAAAFAAB']] }], names: {} };
const run = { input: 'udp', error: null, empty: null, returned: 2, inside: { window: 7, reading, empty: 8, code } };
const load = { object: 'x', program: 'prog', inputs: { error: null, runs: [run] } } as unknown as LoadRecord;

export const target: Target = {
  shape: 'text',
  refusals: [VmError],
  words: [
    'window 7 10 0 1\n',
    'function 1 8 0\n',
    'instruction 0 4 10\n',
    'call 0 9 ffffffff81000000 10 420 42 42 42\n',
    'interruption ffffffff81a00b80 1 900\n',
    'callbacks\n',
    'kind 0 14 1f 10 560 56 56 56\n',
    'by call ffffffff81000000 1\n',
    'each 0 4 1\n',
    'other 3\n',
    'end\n',
  ],
  run(input) {
    const windows = readSeen(input.toString('latin1'));
    const boot = { revision: 'head' as const, loads: [load], programs: [], calibrations: [], windows, interrupts: {} };
    const [own] = describeInside('6.1', [boot], []);
    check(own !== undefined && Number.isFinite(own.rest), 'a rest');
    check(own === undefined || compareRuns(own, own, false).delta === 0, 'runs that are as they are');
    const all = [...windows.values()].flatMap(({ instructions, exits, interruptions, kinds }) => [
      ...[...instructions, ...exits, ...interruptions],
      ...[...kinds, ...kinds.flatMap(({ calls, executed }) => [...calls, ...executed])],
    ]);
    check(
      all.every(({ times }) => Number.isSafeInteger(times)),
      'a number of times',
    );
  },
};
