import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runOrThrow } from '../../src/adapters/process.ts';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, demoFailures, demoHead, makeDemoRepository } from '../../src/commands/demo-project.ts';
import type { KernelResult } from '../../src/report/results.ts';
import { kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

test('head differs from base only in the two features that it enables', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bpfgate-demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const project = await makeDemoRepository(openCache(folder));
  const diff = await runOrThrow('git', ['diff', '--unified=0', demoBase, demoHead], { cwd: project });
  const changes = diff.split('\n').filter((line) => /^[-+]/.test(line));
  expect(changes).toEqual([
    '--- a/profiler/Cargo.toml',
    '+++ b/profiler/Cargo.toml',
    '-default = []',
    '+default = ["oops"]',
    '--- a/xdp-common/Cargo.toml',
    '+++ b/xdp-common/Cargo.toml',
    '-default = []',
    '+default = ["slow-fibonacci"]',
  ]);
  expect(await makeDemoRepository(openCache(folder))).toBe(project);
});

const size = { measure: 'total-bytes', unit: 'bytes', kind: 'benchmark' } as const;
const perIteration = { measure: 'instructions', unit: 'instructions/iteration', kind: 'benchmark' } as const;

const code = { lane: 'verifier', benchmark: 'xdp/fun_xdp' } as const;

/** The measurements that the gate must make of the demo. */
function measured(kernel: string) {
  return [
    ...pair(95, 187, { kernel, benchmark: 'macro/fun_xdp' }),
    ...pair(151, 244, { kernel, benchmark: 'macro/fun_xdp #2' }),
    ...pair(146, 238, { kernel, benchmark: 'macro/fun_xdp', measure: 'latency', unit: 'instructions' }),
    ...pair(1, 1, { kernel, benchmark: 'macro/xdp_pass' }),
    ...pair(6037, 24_561, { ...perIteration, kernel, benchmark: 'micro/xdp/source_addr' }),
    ...pair(2223, 2223, { ...perIteration, kernel, benchmark: 'micro/parse_headers' }),
    ...pair(310, 102_000, { ...perIteration, kernel, benchmark: 'profiler/profiler/process_sample' }),
    ...pair(128_000, 144_000, { ...size, kernel, benchmark: 'heap/process_sample' }),
    ...pair(1000, 2000, { ...size, kernel, benchmark: 'heap/process_sample', measure: 'total-blocks', unit: 'blocks' }),
    ...pair(256, 256, { ...size, kernel, benchmark: 'heap/process_sample', measure: 'peak-bytes' }),
    ...pair(95, 179, { ...code, kernel, measure: 'verified-instructions', unit: 'instructions' }),
    ...pair(4, 56, { ...code, kernel, measure: 'stack-bytes', unit: 'bytes' }),
    ...pair(592, 1160, { ...code, kernel, measure: 'xlated-bytes', unit: 'bytes' }),
    ...pair(428, 725, { ...code, kernel, measure: 'jited-bytes', unit: 'bytes' }),
  ];
}

function failuresOf(measurements: ReturnType<typeof measured>, kernels: KernelResult[] = [kernelResult('6.1')]) {
  return demoFailures(resultsOf(measurements, kernels));
}

test('the demo passes if it finds both regressions and nothing else', () => {
  const kernels = ['5.10', '6.1'];
  expect(
    failuresOf(
      kernels.flatMap(measured),
      kernels.map((id) => kernelResult(id)),
    ),
  ).toEqual([]);
});

test.each([
  'macro/fun_xdp bpf-instructions',
  'macro/fun_xdp latency',
  'micro/xdp/source_addr instructions',
  'profiler/profiler/process_sample instructions',
  'heap/process_sample total-bytes',
  'heap/process_sample total-blocks',
  'xdp/fun_xdp verified-instructions',
  'xdp/fun_xdp stack-bytes',
  'xdp/fun_xdp xlated-bytes',
  'xdp/fun_xdp jited-bytes',
])('%s must be compared on every kernel', (name) => {
  const [benchmark = '', measure] = name.split(' ');
  const less = measured('6.1').filter((own) => !(own.benchmark.startsWith(benchmark) && own.measure === measure));
  expect(failuresOf([...measured('5.10'), ...less], [kernelResult('5.10'), kernelResult('6.1')])).toEqual([
    `${name} was not compared on 6.1`,
  ]);
});

test('a missing regression, and an extra one, are failures', () => {
  const others = [
    ...pair(7, 8, { ...size, benchmark: 'heap/process_sample', measure: 'end-bytes' }),
    ...pair(7, 8, { benchmark: 'sample-cost/perf_profiler' }),
  ];
  const unfound = measured('6.1').map((own) =>
    own.benchmark === 'micro/xdp/source_addr' ? { ...own, value: 6037 } : own,
  );
  expect(failuresOf([...unfound, ...others])).toEqual([
    'micro/xdp/source_addr (instructions) on 6.1: unchanged (0), expected regression',
    'heap/process_sample (end-bytes) on 6.1: regression (1), expected unchanged',
    'sample-cost/perf_profiler (bpf-instructions) on 6.1: regression (1), expected unchanged',
  ]);
});

test('a kernel that failed is one failure, not one for each benchmark', () => {
  const error = { kind: 'vm', message: 'no boot', hint: null, consoleTail: [], benches: [] } as const;
  expect(failuresOf(measured('6.1'), [kernelResult('6.1'), kernelResult('5.10', { error })])).toEqual([
    '5.10 could not be measured: no boot',
  ]);
});
