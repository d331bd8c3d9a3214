import { expect, test } from 'vitest';
import { measureInputs } from '../../src/bench/measure-inputs.ts';
import type { InputRun, LoadRecord } from '../../src/model/guest-run.ts';

const left = 'a'.repeat(64);

function run(fields: Partial<InputRun> = {}): InputRun {
  const own = { input: 'udp-64', run_cnt: 10, run_time_ns: [1270, 1270], empty_ns: 500 };
  return { ...own, returned: 2, left, error: null, ...fields };
}

function side(revision: 'base' | 'head', runs: readonly InputRun[], error: string | null = null) {
  const load = { prog_type: 'xdp', source: { file: 'xdp.c', line: 3 }, inputs: { error, runs } };
  return { revision, load: load as unknown as LoadRecord, renamedFrom: undefined };
}

const measure = (...sides: readonly ReturnType<typeof side>[]) => measureInputs('6.1', 'x/prog', sides);

test('a run costs the lowest total, less an empty program', () => {
  const { measurements, gaps, idle } = measure(side('head', [run({ run_time_ns: [2900, 1270, 1270] })]));
  expect(measurements).toMatchObject([
    {
      lane: 'instructions',
      benchmark: 'x/prog/udp-64',
      measure: 'bpf-instructions',
      unit: 'instructions/run',
      value: 77,
      gross: 127,
      empty: 50,
      exact: true,
      behavior: { returned: 'XDP_PASS', left },
      source: { file: 'xdp.c', line: 3 },
      warnings: [],
    },
  ]);
  expect([gaps, idle]).toEqual([[], []]);
});

test('a count that is not proven is not exact', () => {
  const { measurements } = measure(side('head', [run({ run_time_ns: [1270, 1280, 1290, 1300] })]));
  expect(measurements).toMatchObject([{ exact: false }]);
  expect(measurements[0]?.resolution).toBeGreaterThan(0);
});

test('another return value and another packet are warnings of head', () => {
  const { measurements } = measure(side('base', [run()]), side('head', [run({ returned: 1, left: 'b'.repeat(64) })]));
  expect(measurements.map(({ revision, warnings }) => [revision, warnings])).toEqual([
    ['base', []],
    ['head', ['returns XDP_DROP in the place of XDP_PASS', 'leaves another packet']],
  ]);
});

test.each([
  ['xdp', 4, 'XDP_REDIRECT'],
  ['xdp', 5, '5'],
  ['sched_cls', 2 ** 32 - 1, 'TC_ACT_UNSPEC'],
  ['sched_act', 2, 'TC_ACT_SHOT'],
  ['socket_filter', 2 ** 32 - 1, '-1'],
])('%s returns %d: %s', (prog_type, returned, name) => {
  const { load, ...head } = side('head', [run({ returned })]);
  const { measurements } = measureInputs('6.1', 'x/prog', [{ ...head, load: { ...load, prog_type } }]);
  expect(measurements[0]?.behavior?.returned).toBe(name);
});

test('an input that one revision alone runs on is a gap of the other', () => {
  const { measurements, gaps } = measure(
    side('base', [run()]),
    side('head', [run({ run_time_ns: [], returned: null, left: null, error: 'the kernel does not run it (EINVAL)' })]),
  );
  expect(measurements).toHaveLength(1);
  expect(gaps).toEqual([
    {
      kernel: '6.1',
      lane: 'instructions',
      revision: 'head',
      benchmark: 'x/prog/udp-64',
      needs: null,
      reason: 'the kernel does not run it (EINVAL)',
    },
  ]);
});

test('what runs in no revision says why once', () => {
  const refused = [run({ run_time_ns: [], error: 'the kernel does not run it (EINVAL)' })];
  expect(measure(side('base', refused), side('head', refused))).toEqual({
    measurements: [],
    gaps: [],
    idle: ['the kernel does not run it (EINVAL)'],
  });
  const some = [...refused, run({ input: 'arp' })];
  expect(measure(side('base', some), side('head', some)).idle).toEqual([
    'on udp-64: the kernel does not run it (EINVAL)',
  ]);
  const ended = 'the loader was ended by signal 9 when the kernel ran it';
  expect(measure(side('base', [], ended), side('head', [], ended)).idle).toEqual([ended]);
});
