import { expect, test } from 'vitest';
import { measureInputs } from '../../src/bench/measure-inputs.ts';
import type { InputRun, LoadRecord } from '../../src/model/guest-run.ts';

const left = 'a'.repeat(64);

/** Readings of ten runs with these totals. */
function ten(...totals: readonly number[]) {
  return totals.map((total) => ({ run_cnt: 10, run_time_ns: total }));
}

function run(fields: Partial<InputRun> = {}): InputRun {
  const empty = { run_cnt: 10, run_time_ns: 500 };
  const own = { empty, no_empty: null, calls: null, returned: 2, left, instead: null, error: null };
  return { input: 'udp-64', readings: ten(1270, 1270), ...own, ...fields };
}

function side(revision: 'base' | 'head', runs: readonly InputRun[], error: string | null = null) {
  const load = { prog_type: 'xdp', source: { file: 'xdp.c', line: 3 }, inputs: { error, runs } };
  return { revision, load: load as unknown as LoadRecord, renamedFrom: undefined };
}

const measure = (...sides: readonly ReturnType<typeof side>[]) => measureInputs('6.1', 'x/prog', sides);

test('a run costs the lowest total, less an empty program', () => {
  const { measurements, gaps, idle } = measure(side('head', [run({ readings: ten(2900, 1270, 1270) })]));
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

test('both revisions include the kernel if an empty program was not counted in one', () => {
  const { measurements } = measure(side('base', [run()]), side('head', [run({ empty: null, no_empty: 'EBUSY' })]));
  expect(measurements).toMatchObject([{ value: 127 }, { value: 127 }]);
  expect(measurements[0]?.warnings).toEqual([
    { reason: "no empty xdp program was counted (EBUSY), so the count includes the kernel's own" },
  ]);
});

test('a kprobe without its function is counted at another one, but not beside one at its own', () => {
  const instead = { at: 'vfs_read', because: 'the kernel has no kprobe at f (ENOENT)' };
  const elsewhere = run({ instead });
  const missing =
    'the kernel has no kprobe at f (ENOENT): if its loader chooses the function, name it by [[program]] in bpfgate.toml';
  const { measurements, gaps } = measure(side('base', [elsewhere]), side('head', [elsewhere]));
  const warnings = [
    {
      reason: expect.stringMatching(/^counted at another function than the section names: if its loader .*toml$/),
      detail: 'at vfs_read, because the kernel has no kprobe at f (ENOENT)',
    },
  ];
  expect(measurements).toMatchObject([{ warnings }, { warnings }]);
  expect(gaps).toEqual([]);

  const mixed = measure(side('base', [run()]), side('head', [elsewhere]));
  expect(mixed.measurements).toMatchObject([{ revision: 'base', warnings: [] }]);
  expect(mixed.gaps).toMatchObject([{ revision: 'head', reason: missing }]);

  const idle = run({ readings: [], error: 'never runs' });
  expect(measure(side('base', [idle]), side('head', [elsewhere]))).toEqual({
    measurements: [],
    gaps: [],
    idle: [{ reason: 'did not run: never runs' }],
  });
  const refused = run({ readings: [], error: 'EINVAL', instead });
  expect(measure(side('head', [refused]))).toEqual({
    measurements: [],
    gaps: [],
    idle: [{ reason: `did not run: ${missing}` }],
  });
});

test('a count that is not proven is not exact', () => {
  const { measurements } = measure(side('head', [run({ readings: ten(1270, 1280, 1290, 1300) })]));
  expect(measurements).toMatchObject([{ exact: false }]);
  expect(measurements[0]?.resolution).toBeGreaterThan(0);
});

test('another return value and another packet are warnings of head', () => {
  const { measurements } = measure(side('base', [run()]), side('head', [run({ returned: 1, left: 'b'.repeat(64) })]));
  expect(measurements.map(({ revision, warnings }) => [revision, warnings])).toEqual([
    ['base', []],
    ['head', [{ reason: 'leaves another packet than in base' }]],
  ]);
});

test('an attached program also has its events, for each call of the workload', () => {
  const attached = (counts: readonly number[], ofFirstRun = 0) => ({
    input: 'workload',
    readings: counts.map((run_cnt) => ({ run_cnt, run_time_ns: 127 * run_cnt + ofFirstRun })),
    calls: 400,
    returned: null,
    left: null,
  });
  const eventsOf = (...counts: readonly number[]) => {
    const { measurements } = measure(side('head', [run(attached(counts))]));
    return measurements.map(({ measure: name, value, exact }) => [name, value, exact]);
  };
  expect(eventsOf(20, 20)).toEqual([
    ['bpf-instructions', 77, true],
    ['events', 0.05, true],
  ]);
  expect(eventsOf(20, 22, 20)[1]).toEqual(['events', 0.05, false]);
  // Runs that other processes cause are not the same in two boots.
  const certainty = (before: readonly number[], after: readonly number[], ofFirstRun = 7) => {
    const [base, head] = [before, after].map((counts) => run(attached(counts, ofFirstRun)));
    const { measurements } = measure(side('base', [base as InputRun]), side('head', [head as InputRun]));
    const counts = measurements.filter(({ measure: name }) => name === 'bpf-instructions');
    return counts.map(({ exact, resolution }) => [exact, resolution]);
  };
  expect(certainty([20, 20], [25, 25])).toEqual(Array(2).fill([false, 0.2]));
  expect(certainty([20, 25, 20], [20, 20])).toEqual(Array(2).fill([false, 0.2]));
  expect(certainty([20, 20], [20, 20, 20])).toEqual(Array(2).fill([true, 0]));
  // They matter only to a program whose runs cost different amounts.
  expect(certainty([20, 25, 20, 20], [25, 25], 0)).toEqual(Array(2).fill([true, 0]));
  expect(certainty([20, 20], [25, 25], 20)).toEqual(Array(2).fill([false, 0.2]));
  const [stray, ...others] = attached([25, 20, 20]).readings;
  const once = run({
    ...attached([]),
    readings: [{ run_cnt: 25, run_time_ns: (stray?.run_time_ns ?? 0) + 2 }, ...others],
  });
  expect(measure(side('head', [once])).measurements[0]).toMatchObject({ value: 77, exact: true });
  expect(measure(side('head', [run(attached([20, 20]))])).measurements[0]).not.toHaveProperty('behavior');
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
  expect(measurements[0]).toMatchObject({ behavior: { returned: name } });
});

test('an input that one revision alone runs on is a gap of the other', () => {
  const { measurements, gaps } = measure(
    side('base', [run()]),
    side('head', [run({ readings: ten(), returned: null, left: null, error: 'the kernel does not run it (EINVAL)' })]),
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
  const refused = [run({ readings: ten(), error: 'the kernel does not run it (EINVAL)' })];
  expect(measure(side('base', refused), side('head', refused))).toEqual({
    measurements: [],
    gaps: [],
    idle: [{ reason: 'did not run: the kernel does not run it (EINVAL)' }],
  });
  const some = [...refused, run({ input: 'arp' })];
  expect(measure(side('base', some), side('head', some)).idle).toEqual([
    { reason: 'did not run: the kernel does not run it (EINVAL)', detail: 'on udp-64' },
  ]);
  const ended = 'the loader was ended by signal 9 when the kernel ran it';
  expect(measure(side('base', [], ended), side('head', [], ended)).idle).toEqual([{ reason: `did not run: ${ended}` }]);
});
