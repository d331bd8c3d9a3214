// Projects in C with libbpf and in Go with cilium/ebpf, which do not know bpfgate. The programs that they load are
// counted under their own names; only a bpfgate.toml was added.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../src/cache/cache.ts';
import { checkPrerequisites, findMissing } from '../../src/prerequisites/prerequisites.ts';
import { temporaryFolder } from './bpfgate.ts';
import { type Gated, gate, makeProject } from './gated-project.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

/** Why this machine cannot build a project with these; undefined when it can. */
async function whyMissing(...names: string[]): Promise<string | undefined> {
  const missing = findMissing(await checkPrerequisites(['tests'], { cache: openCache() }));
  const [first] = missing.filter(({ prerequisite }) => names.includes(prerequisite.name));
  return first && `skipped: ${first.prerequisite.name} ${first.problem}; ${first.remedy}`;
}

/** Name, number of runs in a reading, difference and verdict of every comparison. */
function rows({ results }: Gated) {
  const counts = new Map(results.measurements.map(({ benchmark, runCount }) => [benchmark, runCount]));
  return results.comparisons
    .map(({ benchmark, measure, delta, interval, verdict }) =>
      [benchmark, measure, `${counts.get(benchmark)} runs`, delta, interval, verdict].join(' '),
    )
    .toSorted();
}

test('a C project built with clang and libbpf is measured without changes', async (context) => {
  const lack = await whyMissing('clang', 'libbpf', 'make');
  if (lack !== undefined) return context.skip(lack);
  const toml = '[build]\ncommand = "make"\n[[bench]]\nname = "c"\ncommand = "./loader"\n';
  const edit = { file: 'packets.bpf.c', from: '#define WORDS 4', to: '#define WORDS 5' };
  const gated = await gate(makeProject(temporaryFolder(), join(fixtures, 'c-libbpf'), toml, edit), '6.1');
  // A word is loaded and added: two instructions. The other program is attached, and has not changed.
  expect(rows(gated)).toEqual([
    'c/count_getppid bpf-instructions 100 runs 0 exact unchanged',
    'c/sum_words bpf-instructions 1000 runs 2 exact regression',
  ]);
  expect(gated.outcome.code, gated.outcome.stderr).toBe(1);
  // Seen in a bench: a run executes two instructions more at the loop's line.
  const [, slower] = gated.results.comparisons.toSorted((a, b) => (a.benchmark < b.benchmark ? -1 : 1));
  expect(slower).toMatchObject({
    lines: [{ source: { file: 'packets.bpf.c', line: 19 }, base: 7, head: 9 }],
    calls: [],
  });
  expect(gated.results.comparisons.map(({ source }) => source?.file)).toEqual(['packets.bpf.c', 'packets.bpf.c']);
  expect(Object.keys(gated.results.revisions.head.tools)).toEqual(expect.arrayContaining(['cc', 'clang']));
});

test('a Go project with cilium/ebpf is measured without changes', async (context) => {
  const lack = await whyMissing('go');
  if (lack !== undefined) return context.skip(lack);
  const folder = join(fixtures, 'go-cilium');
  // Without the Go modules, cached or downloaded, no build can succeed.
  const modules = spawnSync('go', ['mod', 'download'], { cwd: folder, encoding: 'utf8' });
  if (modules.status !== 0) return context.skip(`skipped: the Go modules cannot be downloaded: ${modules.stderr}`);
  const toml = '[build]\ncommand = "go build"\n[[bench]]\nname = "go"\ncommand = "./packets"\n';
  const edit = { file: 'main.go', from: 'additions = 8', to: 'additions = 9' };
  const gated = await gate(makeProject(temporaryFolder(), folder, toml, edit), '6.1');
  expect(rows(gated)).toEqual(['go/add_threes bpf-instructions 1000 runs 1 exact regression']);
  expect(gated.outcome.code).toBe(1);
  expect(Object.keys(gated.results.revisions.head.tools)).toContain('go');
});
