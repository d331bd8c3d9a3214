// Observing does not change counts. A bench reads the counters of its own programs: once where bpfgate does not look on
// (`exec`), once with `observe = false` and once observed. All are the same to the last digit.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bpfgate, temporaryFolder } from './bpfgate.ts';
import { gate, makeProject } from './gated-project.ts';

const compile = 'cc -O2 -o own-counts own-counts.c';
const toml = `
[build]
command = "${compile}"
[[bench]]
name = "observed"
command = "./own-counts"
format = "bmf"
[[bench]]
name = "alone"
command = "./own-counts"
format = "bmf"
observe = false
`;

const revisions = ['base', 'head'] as const;
const programs = ['adds', 'calls', 'traces'];

type Printed = Record<string, { readonly runs: { value: number }; readonly latency: { value: number } }>;

/** `NAME: RUNS runs, TOTAL` of each program, with the lowest total that several runs of the bench printed. */
function leastPrinted(lines: readonly Printed[]): string[] {
  return programs.map((name) => {
    const counts = lines.map((line) => line[name]);
    const total = Math.min(...counts.map((count) => count?.latency.value ?? Number.NaN));
    return `${name}: ${counts[0]?.runs.value} runs, ${total}`;
  });
}

test('programs have the same counts whether the agent observes them, does not, or is absent', async () => {
  const edit = { file: 'own-counts.c', from: 'XDP, 100, ', to: 'XDP, 103, ' };
  const project = makeProject(temporaryFolder(), join(import.meta.dirname, 'fixtures', 'raw-bpf'), toml, edit);
  const gated = await gate(project, '6.1');
  expect(gated.outcome.code).toBe(1);
  const { measurements } = gated.results;

  for (const revision of revisions) {
    execFileSync('sh', ['-c', `git checkout --quiet ${revision} && ${compile} && mv own-counts ${revision}`], {
      cwd: project,
    });
  }
  const command = 'for i in 1 2 3 4 5; do ./base && ./head || exit; done';
  const machine = ['--kernel', '6.1', '--icount'];
  const { code, stdout, stderr } = await bpfgate(['exec', ...machine, '--', 'sh', '-c', command], { cwd: project });
  expect(code, stderr).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(10);

  for (const [index, revision] of revisions.entries()) {
    const own = lines.filter((_, line) => line % 2 === index).map((line) => JSON.parse(line) as Printed);
    const unseen = leastPrinted(own);
    const find = (benchmark: string, measure: string) =>
      measurements.find(
        (each) => each.revision === revision && each.benchmark === benchmark && each.measure === measure,
      );
    const printed = (bench: string) =>
      programs.map((name) => {
        const value = (measure: string) => find(`${bench}/${name}`, measure)?.value;
        return `${name}: ${value('runs')} runs, ${value('latency')}`;
      });
    expect(printed('alone')).toEqual(unseen);
    expect(printed('observed')).toEqual(unseen);
    const counted = programs.map((name) => {
      const found = find(`observed/${name}`, 'bpf-instructions');
      const total = Math.min(...(found?.samples ?? []).map((sample) => sample.total));
      return `${name}: ${found?.runCount} runs, ${total}`;
    });
    expect(counted).toEqual(unseen);
    expect(unseen.map((line) => line.replace(/\d+$/, ''))).toEqual(programs.map((name) => `${name}: 200 runs, `));
  }
  // bpfgate counted nothing of the benches with `observe = false`.
  const own = measurements.filter(({ kind }) => kind === 'bpf-program').map(({ benchmark }) => benchmark);
  expect(new Set(own)).toEqual(new Set(programs.map((name) => `observed/${name}`)));
});
