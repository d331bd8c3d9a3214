import { expect, test } from 'vitest';
import type { Gap } from '../../src/bench/measurement.ts';
import { toText } from '../../src/report/plain-text.ts';
import type { Results } from '../../src/report/results.ts';
import { describeWarning, findWarnings, joinWarnings } from '../../src/report/warnings.ts';
import { kernelResult, measurement, pair, resultsOf, strictGate } from './results-fixtures.ts';

const kernels = [kernelResult('5.10'), kernelResult('6.1')];
const linesOf = (results: Results) => findWarnings(results).map((line) => toText(describeWarning(line)));
const warned = (id: string, ...warnings: Results['kernels'][number]['warnings']) => kernelResult(id, { warnings });

test('warnings of one reason are one line, which names three subjects and counts the others', () => {
  const reason = 'no such map';
  const of = (count: number, more: string[] = []) =>
    linesOf(
      resultsOf(
        [],
        [warned('6.1', ...Array.from({ length: count }, (_, index) => ({ about: [`o/p${index}`, ...more], reason })))],
      ),
    );
  expect(of(1)).toEqual(['`o/p0`: no such map']);
  expect(of(4)).toEqual(['`o/p0`, `o/p1`, `o/p2` and `o/p3`: no such map']);
  expect(of(43)).toEqual(['`o/p0`, `o/p1`, `o/p2` and 40 others: no such map']);
  expect(of(2, ['a'])).toEqual(['`a`, `o/p0` and `o/p1`: no such map']);
});

test('a line says on which kernels and of which revision it is, and which subjects are of fewer', () => {
  const lost = { about: ['a'], reason: 'lost' };
  const both = [lost, { ...lost, about: ['b'] }];
  const results = resultsOf(
    [],
    [
      warned('5.10', ...both, { about: [], revision: 'base', reason: 'changed' }, { about: [], reason: 'slow' }),
      warned('6.1', lost, { about: [], revision: 'base', reason: 'changed', detail: 'twice' }),
    ],
  );
  expect(linesOf(results)).toEqual([
    '`a` and `b` (on 5.10): lost (on 5.10 and 6.1)',
    'changed (twice; base only, on 5.10 and 6.1)',
    'slow (on 5.10)',
  ]);
  const of = (...revisions: ('base' | 'head')[]) =>
    linesOf(resultsOf([], [warned('6.1', ...revisions.map((revision) => ({ ...lost, revision })))]));
  expect([of('base'), of('base', 'head')]).toEqual([['`a`: lost (base only)'], ['`a`: lost']]);
  const three = [...kernels, kernelResult('6.12')].map(({ id }) => warned(id, lost));
  expect(linesOf(resultsOf([], three))).toEqual(['`a`: lost (on all 3 kernels)']);
});

test('what only one subject has stands behind its name, and what all have behind the reason', () => {
  const read = (name: string, detail: string) => ({ kernel: null, about: [name], reason: 'not printed', detail });
  const lines = (...noted: ReturnType<typeof read>[]) =>
    joinWarnings(noted).map((line) => toText(describeWarning(line)));
  expect(lines(read('a', 'in `1` of 2'), read('b', 'in 2 of 3'))).toEqual([
    '`a` (in `1` of 2) and `b` (in 2 of 3): not printed',
  ]);
  expect(lines(read('a', 'in 1'), read('b', 'in 1'))).toEqual(['`a` and `b`: not printed (in 1)']);
  expect(lines(...[1, 2, 3, 4].map((index) => read('a', `in ${index}`)))).toEqual([
    '`a`: not printed (in 1; in 2; and 2 more)',
  ]);
});

test('a warning of values names the program once for all its inputs, and the measure where that is not implied', () => {
  const program = { lane: 'instructions', measure: 'bpf-instructions', kind: 'bpf-program', exact: true } as const;
  const warnings = [{ reason: 'leaves another packet' }];
  const run = (input: string) => measurement({ ...program, benchmark: `o/p/${input}`, warnings });
  const printed = pair(1, 1, {
    benchmark: 'x/parse',
    kind: 'benchmark',
    measure: 'latency',
    warnings: [{ reason: 'odd' }],
  });
  const only = [kernelResult('6.1')];
  expect(linesOf(resultsOf(['arp', 'dns'].map(run), only))).toEqual([
    '`o/p`: leaves another packet (on arp and dns; base only)',
  ]);
  expect(linesOf(resultsOf([...['arp', 'dns', 'vlan'].map(run), ...printed], only))).toEqual([
    '`o/p`: leaves another packet (on 3 inputs; base only)',
    '`x/parse`: odd (latency)',
  ]);
  expect(linesOf(resultsOf([run('workload')], only))).toEqual(['`o/p`: leaves another packet (base only)']);
});

test('what could not be tried, or loads nowhere, is a warning, unless a comparison says it', () => {
  const gap = (revision: 'base' | 'head', benchmark: string): Gap => ({
    kernel: '6.1',
    lane: 'verifier',
    revision,
    benchmark,
    needs: null,
    reason: 'no fentry',
  });
  const loads = { lane: 'verifier', measure: 'loads', unit: '', better: 'higher' } as const;
  const refusal = { errno: 'EACCES', message: 'R1 is bad', log: [] };
  const measurements = [
    ...pair(0, 0, { ...loads, benchmark: 'o/refused', refusal }),
    measurement({ ...loads, benchmark: 'o/half', value: 1 }),
  ];
  const gaps = [gap('base', 'o/a'), gap('head', 'o/a'), gap('head', 'o/b'), gap('head', 'o/half')];
  expect(linesOf(resultsOf(measurements, [kernelResult('6.1')], strictGate, gaps))).toEqual([
    '`o/a` and `o/b` (head only): could not be verified: no fentry',
    '`o/refused`: does not load: EACCES: R1 is bad',
    '`o/half` (loads): head could not be tried: no fentry'.replace(' (loads)', ''),
  ]);
});

test('the programs of benches with varying counts share a line, with how to make them exact', () => {
  const samples = [190, 210, 190].map((count) => ({ count, total: count * 209 }));
  const measurements = kernels.flatMap(({ id }, index) => [
    ...pair(160, 160, { kernel: id, exact: false, resolution: 0.002 + index / 100, samples }),
    ...pair(160, 160, { kernel: id, benchmark: 'macro/steady', exact: false, resolution: 0.003 }),
    ...pair(160, 160, { kernel: id, benchmark: 'macro/exact', samples }),
  ]);
  expect(linesOf(resultsOf(measurements, kernels))).toEqual([
    '`macro/fun_xdp`: not counted exactly, because the number of runs in a reading varies: give the benchmark a fixed number of iterations, as `-test.benchtime 200x` does in Go (by up to 1.20%, in 190 to 210 runs; on 5.10 and 6.1)',
    '`macro/steady`: not counted exactly, because it was read only once (on 5.10 and 6.1)',
  ]);
});

test('runs that vary only from kernel to kernel, or in the workload of bpfgate itself, are nothing to fix', () => {
  const readings = (count: number) => [count, count].map((each) => ({ count: each, total: each * 200 }));
  const varying = { exact: false, resolution: 0.02 } as const;
  const measurements = [
    ...pair(160, 160, { ...varying, kernel: '5.10', samples: readings(10) }),
    ...pair(160, 160, { ...varying, kernel: '6.1', samples: readings(3034) }),
    ...pair(160, 160, {
      ...varying,
      kernel: '6.1',
      benchmark: 'o/p/workload',
      samples: [...readings(5), ...readings(6)],
    }),
  ];
  expect(linesOf(resultsOf(measurements, kernels))).toEqual([
    '`macro/fun_xdp`: not counted exactly, because readings vary (by up to 2.00%; on 5.10 and 6.1)',
  ]);
});
