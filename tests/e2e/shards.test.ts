// Shards of a project's benches, in real guests: joined, they are what one run of all benches measures, with nothing
// measured twice and nothing left out.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ComparisonRecord } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));
const benches = ['./many 1 20', './many 2 30', './many 3 10'];
const toml = [
  'lanes = ["instructions", "verifier"]\n[build]\ncommand = "cc -O2 -o many many.c"\n',
  ...benches.map((command, index) => `[[bench]]\nname = "b${index}"\ncommand = "${command}"\n`),
].join('');

/** Three benches whose programs run three instructions more in head, and a compiled object that has grown as well. */
function makeProject(folder: string): string {
  const project = join(folder, 'project');
  const many = fixture('raw-bpf/many.c').toString();
  const files = { 'bpfgate.toml': toml, 'bpf.h': fixture('raw-bpf/bpf.h') };
  const same = { ...files, 'probe.bpf.c': fixture('verifier/probe.bpf.c') };
  commit(project, 'base', { ...same, 'many.c': many, 'probe.bpf.o': fixture('verifier/base.bpf.o') });
  const changed = many.replace('XDP, 100, ', 'XDP, 103, ');
  commit(project, 'head', { 'many.c': changed, 'probe.bpf.o': fixture('verifier/head.bpf.o') });
  return project;
}

const nameOf = ({ lane, benchmark, measure }: ComparisonRecord) => `${lane} ${benchmark} ${measure}`;

/** Comparisons without load times, which are reported but never judged because they differ between guests. */
const judged = (comparisons: readonly ComparisonRecord[]) =>
  comparisons.filter(({ measure }) => measure !== 'load-time').toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

test('shards 1/2 and 2/2, joined, give the comparisons of the whole run', async () => {
  const folder = temporaryFolder();
  const project = makeProject(folder);
  const run = async (name: string, ...args: string[]) => {
    const out = join(folder, name);
    const which = ['--project', project, '--base', 'base', '--head', 'head', '--kernels', '6.1'];
    const { code, stderr } = await bpfgate(['run', ...which, '--out', out, ...args]);
    expect(code, stderr).toBe(1);
    const file = join(out, 'results.json');
    return { file, results: parseResults(readFileSync(file, 'utf8'), name) };
  };
  const whole = await run('whole');
  const first = await run('first', '--shard', '1/2', '--fresh');
  const second = await run('second', '--shard', '2/2', '--audit', '0');

  const benchesOf = (comparisons: readonly ComparisonRecord[]) => [
    ...new Set(comparisons.map(({ lane, benchmark }) => `${lane} ${benchmark.split('/')[0]}`)),
  ];
  expect(whole.results.shard).toBeNull();
  expect(first.results.shard).toEqual({ index: 1, count: 2 });
  expect(benchesOf(first.results.comparisons)).toEqual(['instructions b0', 'instructions b2', 'verifier probe']);
  expect(second.results.shard).toEqual({ index: 2, count: 2 });
  expect(benchesOf(second.results.comparisons)).toEqual(['instructions b1']);
  for (const { results } of [first, second]) expect(results.kernels.map(({ kept }) => kept)).toEqual([[]]);
  // Cached counts are those of the same benches, so the whole run's are not the shard's, whose own are.
  const cached = await run('cached', '--shard', '2/2', '--audit', '0');
  expect(cached.results.kernels.map(({ kept }) => kept)).toEqual([['base', 'head']]);

  const report = await bpfgate(['report', second.file, first.file, '--format', 'json']);
  expect(report.code, report.stderr).toBe(1);
  const joined = parseResults(report.stdout, 'joined');
  expect(joined.kernels).toMatchObject([{ id: '6.1', error: null }]);
  expect(joined.comparisons.map(nameOf).toSorted()).toEqual(whole.results.comparisons.map(nameOf).toSorted());
  expect(judged(joined.comparisons)).toEqual(judged(whole.results.comparisons));
  const grown = joined.comparisons.filter(({ lane, verdict }) => lane === 'instructions' && verdict === 'regression');
  const names = ['b0/many', 'b1/many', 'b1/many #2', 'b2/many', 'b2/many #2', 'b2/many #3'];
  expect(grown).toHaveLength(names.length);
  expect(new Map(grown.map(({ benchmark, delta }) => [benchmark, delta]))).toEqual(
    new Map(names.map((name) => [name, 3])),
  );

  const alone = await bpfgate(['report', first.file]);
  expect(alone.stdout).toContain('was not measured completely: shard 2 of 2 left no result');
});
