// Every BPF program that lives while a bench runs is counted exactly once: two of one name, short-lived ones, one that
// is replaced while packets come in, one that only a pin keeps alive. All are in one bench, raw-bpf/lives.c.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from './bpfgate.ts';
import { type Gated, gate, makeProject } from './gated-project.ts';

const kernels = ['5.10', '6.1'];

/** The programs in loading order: name, place among those of that name, runs, and additions of base. */
const lives = [
  { name: 'twin', ordinal: 0, runs: 100, additions: 10, attached: false },
  { name: 'twin', ordinal: 1, runs: 101, additions: 20, attached: false },
  { name: 'brief', ordinal: 0, runs: 102, additions: 30, attached: false },
  { name: 'gone', ordinal: 0, runs: 103, additions: 40, attached: false },
  { name: 'old', ordinal: 0, runs: 104, additions: 50, attached: true },
  { name: 'new', ordinal: 0, runs: 105, additions: 60, attached: true },
  { name: 'pinned', ordinal: 0, runs: 106, additions: 70, attached: false },
];

let gated: Gated;

beforeAll(async () => {
  let cleanUp = () => {};
  const folder = temporaryFolder((work) => {
    cleanUp = work;
  });
  const toml = '[build]\ncommand = "cc -O2 -o lives lives.c"\n[[bench]]\nname = "lives"\ncommand = "./lives"\n';
  const edit = { file: 'lives.c', from: 'load_adder("twin", XDP, 20', to: 'load_adder("twin", XDP, 21' };
  const project = makeProject(folder, join(import.meta.dirname, 'fixtures', 'raw-bpf'), toml, edit);
  gated = await gate(project, kernels.join(','));
  return cleanUp;
});

test.for(kernels)('every program occurs once in every reading on %s, with all of its runs', (kernel) => {
  const run = gated.guestRuns.find((each) => each.kernel === kernel);
  expect(run?.warnings).toEqual([]);
  const readings = run?.benches ?? [];
  expect(readings.length).toBeGreaterThanOrEqual(4);
  for (const { revision, reading } of readings) {
    const programs = run?.programs.filter((each) => each.revision === revision && each.reading === reading) ?? [];
    expect(programs.map(({ name, ordinal, run_cnt }) => [name, ordinal, run_cnt])).toEqual(
      lives.map(({ name, ordinal, runs }) => [name, ordinal, runs]),
    );
    expect(new Set(programs.map(({ id }) => id)).size).toBe(lives.length);
  }
});

test.for(kernels)('every program has its own instruction count on %s, and only the changed one has grown', (kernel) => {
  const of = <Item extends { readonly kernel: string; readonly benchmark: string }>(items: readonly Item[]) =>
    lives.map(({ name, ordinal }) => {
      const run = gated.guestRuns.find((each) => each.kernel === kernel);
      const { tag = '' } =
        run?.programs.find((each) => each.revision === 'base' && each.name === name && each.ordinal === ordinal) ?? {};
      const benchmark = `lives/${name}${name === 'twin' ? ` (tag ${tag.slice(0, 8)})` : ''}`;
      return items.filter((each) => each.kernel === kernel && each.benchmark === benchmark);
    });
  const { comparisons, measurements } = gated.results;
  expect(of(comparisons).map((found) => found.map(({ delta, interval }) => [delta, interval]))).toEqual(
    lives.map(({ ordinal }) => [[ordinal, 'exact']]),
  );
  expect(comparisons.filter((each) => each.kernel === kernel)).toHaveLength(lives.length);
  // On top of its additions, each program has one move more than an empty program. On 6.1, calling an attached program
  // takes one instruction more than a test run.
  const expected = lives.map(({ additions, attached }) => additions + 1 + (attached && kernel === '6.1' ? 1 : 0));
  const base = of(measurements.filter(({ revision }) => revision === 'base'));
  expect(base.map((found) => found.map(({ value }) => value))).toEqual(expected.map((value) => [value]));
  expect(gated.outcome.code).toBe(1);
});

test('programs that differ only in their maps are unchanged when loaded in another order', async () => {
  const toml = '[build]\ncommand = "cc -O2 -o shuffled shuffled.c"\n[[bench]]\nname = "set"\ncommand = "./shuffled"\n';
  const edit = { file: 'shuffled.c', from: 'FIRST = 0', to: 'FIRST = 1' };
  const project = makeProject(temporaryFolder(), join(import.meta.dirname, 'fixtures', 'raw-bpf'), toml, edit);
  const { outcome, results, guestRuns } = await gate(project, '6.1');
  expect(outcome.code, outcome.stderr).toBe(0);
  const programs = guestRuns.flatMap((run) => run.programs);
  expect(new Set(programs.map(({ name, tag }) => `${name} ${tag}`)).size).toBe(1);
  const found = results.comparisons.map(({ benchmark, delta, interval }) => [benchmark, delta, interval]);
  expect(found).toEqual([
    ['set/classify_packet', 0, 'exact'],
    ['set/classify_packet #2', 0, 'exact'],
  ]);
  const [cheap, dear] = results.comparisons.map(({ head }) => head ?? 0);
  expect(dear).toBeGreaterThan(cheap ?? 0);
  expect(results.kernels[0]?.warnings).toContainEqual({
    about: ['set/classify_packet'],
    reason: 'programs that cannot be distinguished, so they are compared as a set, in order of cost',
    detail: '2 programs',
  });
});
