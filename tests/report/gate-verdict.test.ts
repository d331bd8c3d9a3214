import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { exitCodeOf } from '../../src/report/gate-verdict.ts';
import type { KernelErrorKind, KernelResult } from '../../src/report/results.ts';
import { kernelResult, pair, resultsOf, strictGate } from './results-fixtures.ts';

const same = pair(160, 160);
const slower = pair(160, 161);
const undecided = [...pair(1, null, { unit: 'ms' }), ...pair(null, 1, { unit: 'us' })];
const failed = (kind: KernelErrorKind, id = '5.10') =>
  kernelResult(id, { error: { kind, message: 'it failed', hint: null, consoleTail: [], benches: [] } });

describe.each<[string, Measurement[], KernelResult[], string, number]>([
  ['nothing changed', same, [kernelResult('6.1')], 'pass', 0],
  ['only an added benchmark', pair(null, 1), [kernelResult('6.1')], 'pass', 0],
  ['only a removed benchmark', pair(1, null), [kernelResult('6.1')], 'pass', 0],
  ['a regression', slower, [kernelResult('6.1')], 'regression', 1],
  ['a regression and a failed kernel', slower, [kernelResult('6.1'), failed('vm')], 'regression', 1],
  ['an undecided comparison', undecided, [kernelResult('6.1')], 'inconclusive', 0],
  ['an undecided comparison and a failed kernel', undecided, [kernelResult('6.1'), failed('vm')], 'error', 3],
  ['a kernel that did not boot', same, [kernelResult('6.1'), failed('vm')], 'error', 3],
  ['a kernel on which a benchmark failed', same, [kernelResult('6.1'), failed('bench')], 'error', 4],
  ['a kernel for which the project did not build', same, [kernelResult('6.1'), failed('build')], 'error', 4],
  ['both kinds of failure', same, [kernelResult('6.1'), failed('vm'), failed('bench', '6.12')], 'error', 4],
  ['a kernel without an error or a measurement', same, [kernelResult('6.1'), kernelResult('6.12')], 'error', 4],
  ['no measurement at all', [], [kernelResult('6.1')], 'error', 4],
  ['no kernel at all', [], [], 'error', 4],
])('%s', (_case, measurements, kernels, verdict, exitCode) => {
  const results = resultsOf(measurements, kernels);

  test(`is ${verdict}`, () => expect(results.verdict).toBe(verdict));
  test(`exits with ${exitCode}`, () => expect(exitCodeOf(results)).toBe(exitCode));
});

describe('a kernel that is too old for every benchmark', () => {
  const gaps = (['base', 'head'] as const).map((revision) => ({
    kernel: '5.10',
    lane: 'instructions' as const,
    revision,
    benchmark: 'probes/multi',
    needs: '5.18',
  }));
  const kernels = [kernelResult('5.10'), kernelResult('6.1')];

  test('does not fail if another kernel measured something', () => {
    expect(resultsOf(same, kernels, strictGate, gaps).verdict).toBe('pass');
    expect(resultsOf(same, kernels, strictGate, []).verdict).toBe('error');
  });

  test('does not pass if no kernel measured anything', () => {
    const results = resultsOf([], [kernelResult('5.10')], strictGate, gaps);
    expect([results.verdict, exitCodeOf(results)]).toEqual(['error', 4]);
  });
});

test('a kernel on which no BPF program could be tried was not measured', () => {
  const gaps = (['base', 'head'] as const).map(
    (revision) =>
      ({ kernel: '5.10', lane: 'verifier', revision, benchmark: 'xdp/a', needs: null, reason: 'no fentry' }) as const,
  );
  const kernels = [kernelResult('5.10'), kernelResult('6.1')];
  expect(resultsOf(same, kernels, strictGate, gaps).verdict).toBe('error');
});

test('a benchmark that head no longer runs fails the gate', () => {
  const gap = {
    kernel: '6.1',
    lane: 'instructions',
    revision: 'head',
    benchmark: 'macro/fun_xdp',
    needs: '6.6',
  } as const;
  const results = resultsOf(pair(160, null), [kernelResult('6.1')], strictGate, [gap]);
  expect([results.verdict, exitCodeOf(results)]).toEqual(['regression', 1]);
});
