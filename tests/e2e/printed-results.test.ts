// Values that benches print in addition to a latency, through the whole gate in a real guest: sizes, a throughput, and
// what the kernel is too old for. Shell scripts stand in for benchmarks, so nothing is built and no BPF program runs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

const config = `
[build]
command = "true"

[[bench]]
name = "heap"
command = "cat heap.json"
format = "bmf"

[[bench]]
name = "probes"
command = "cat probes.txt"
format = "bmf"
`;

const heap = (bytes: number, throughput: number) => {
  const measures = { 'total-bytes': { value: bytes }, 'peak-bytes': { value: 256 }, throughput: { value: throughput } };
  return JSON.stringify({ process_sample: measures });
};
const none = '{"none": {"latency": {"value": 113}}';

let outcome: Outcome;
let results: Results;

beforeAll(async () => {
  let cleanUp = () => {};
  const register = (work: () => void) => {
    const before = cleanUp;
    cleanUp = () => {
      before();
      work();
    };
  };
  const project = temporaryFolder(register);
  const out = temporaryFolder(register);
  commit(project, 'base', {
    'bpfgate.toml': config,
    'heap.json': heap(128_000, 1000),
    'probes.txt': `bpfgate: needs 6.6: multi\n${none}, "lost": {"latency": {"value": 50}}}\n`,
  });
  commit(project, 'head', {
    'heap.json': heap(144_000, 990),
    'probes.txt': `bpfgate: needs 6.6: multi\nbpfgate: needs 6.2: lost\n${none}}\n`,
  });
  const revisions = ['--base', 'base', '--head', 'head'];
  outcome = await bpfgate(['run', '--project', project, ...revisions, '--kernels', '6.1', '--out', out]);
  results = parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
  return cleanUp;
});

test('every measure is compared with its unit and direction, exactly after two readings', () => {
  const found = results.comparisons.map(({ benchmark, measure, unit, delta, interval, verdict }) =>
    [benchmark, measure, unit, delta, interval, verdict].join(' '),
  );
  expect(found.sort()).toEqual([
    'heap/process_sample peak-bytes bytes 0 exact unchanged',
    'heap/process_sample throughput throughput -10 exact regression',
    'heap/process_sample total-bytes bytes 16000 exact regression',
    'probes/lost latency instructions   regression',
    'probes/none latency instructions 0 exact unchanged',
  ]);
  expect(results.measurements.map(({ samples }) => samples.length)).toEqual(results.measurements.map(() => 2));
});

test('a benchmark that needs a newer kernel is a gap, and a regression if base ran', () => {
  expect(results.gaps).toEqual([
    { kernel: '6.1', lane: 'instructions', revision: 'base', benchmark: 'probes/multi', needs: '6.6' },
    { kernel: '6.1', lane: 'instructions', revision: 'head', benchmark: 'probes/multi', needs: '6.6' },
    { kernel: '6.1', lane: 'instructions', revision: 'head', benchmark: 'probes/lost', needs: '6.2' },
  ]);
  expect(results.kernels.map(({ error }) => error)).toEqual([null]);
  expect(outcome.stdout).toMatch(/^probes\/multi +– +needs 6\.6$/m);
  expect(outcome.stdout).toMatch(/^`lost` no longer runs on 6\.1 \(needs 6\.2\)$/m);
  expect(outcome.code).toBe(1);
});
