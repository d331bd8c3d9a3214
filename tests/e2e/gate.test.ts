// The whole gate on the example project and real kernels: the planted regressions are found exactly, on every kernel,
// under load and again, and nothing else is.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, makeDemoRepository } from '../../src/demo.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, type Outcome, temporaryFolder } from './bpfgate.ts';

const kernels = ['5.10', '6.1', '6.12'];

function readResults(out: string): Results {
  return parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
}

/** Every count of a BPF program: kernel, revision and name to its raw minimum. */
function programCounts(results: Results, on = results.kernels.map(({ id }) => id)): Record<string, number> {
  const programs = results.measurements.filter(({ kind, kernel }) => kind === 'bpf-program' && on.includes(kernel));
  expect(programs.length).toBeGreaterThanOrEqual(8 * on.length);
  return Object.fromEntries(
    programs.map(({ kernel, revision, benchmark, value }) => [`${kernel} ${revision} ${benchmark}`, value]),
  );
}

describe('the demo', () => {
  let out: string;
  let outcome: Outcome;
  let results: Results;

  beforeAll(async () => {
    let cleanUp = () => {};
    out = temporaryFolder((work) => {
      cleanUp = work;
    });
    outcome = await bpfgate(['demo', '--kernels', kernels.join(','), '--out', out]);
    results = readResults(out);
    return cleanUp;
  });

  test('exits with 0 and prints the verdict', () => {
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(/^verdict: regression$/m);
    expect(results.verdict).toBe('regression');
  });

  test.for(kernels)('finds fun_xdp slower by a whole number of instructions on %s', (kernel) => {
    const found = results.comparisons.filter(
      (each) => each.kernel === kernel && each.lane === 'instructions' && each.benchmark === 'macro/fun_xdp',
    );
    expect(found.map(({ kind }) => kind).sort()).toEqual(['benchmark', 'bpf-program']);
    for (const { verdict, delta, base, head, interval } of found) {
      expect(verdict).toBe('regression');
      expect(interval).toBe('exact');
      for (const value of [delta, base, head]) expect(value).toSatisfy(Number.isInteger);
      expect(delta).toBeGreaterThan(0);
    }
    // What bpfgate counted and what the benchmark itself printed are the same growth.
    expect(found[0]?.delta).toBe(found[1]?.delta);
  });

  test.for(kernels)('finds the profiler slower and asking for more memory on %s', (kernel) => {
    const found = results.comparisons.filter(
      (each) => each.kernel === kernel && /^(profiler|heap)\/process_sample$/.test(each.benchmark),
    );
    const verdicts = Object.fromEntries(
      found.map(({ benchmark, measure, verdict }) => [`${benchmark} ${measure}`, verdict]),
    );
    expect(verdicts).toEqual({
      'profiler/process_sample instructions': 'regression',
      'heap/process_sample total-bytes': 'regression',
      'heap/process_sample total-blocks': 'regression',
      'heap/process_sample peak-bytes': 'unchanged',
      'heap/process_sample end-bytes': 'unchanged',
    });
    // Allocations are read twice, so they are found, not assumed, to be the same on every run.
    const heap = found.filter(({ benchmark }) => benchmark.startsWith('heap/'));
    expect(heap.map(({ interval, unit }) => [interval, unit]).sort()).toEqual([
      ['exact', 'blocks'],
      ['exact', 'bytes'],
      ['exact', 'bytes'],
      ['exact', 'bytes'],
    ]);
  });

  test('draws the profiler and its heap, head against base, on every kernel', () => {
    const files = results.profiles.map(({ kernel, bench, file }) => `${kernel} ${bench} ${file.split('/').at(-1)}`);
    for (const kernel of kernels) {
      expect(files).toContain(`${kernel} profiler difference.cpu.svg`);
      for (const side of ['base', 'head']) expect(files).toContain(`${kernel} heap ${side}.dhat-heap.json`);
    }
    const folded = (side: string) => readFileSync(join(out, `profiles/6.1/profiler/${side}.cpu.folded`), 'utf8');
    expect(folded('base')).toMatch(/^process_sample;.*profiler::.*process_sample/m);
    // Of head little is seen: it sleeps, and a sample is of the CPU.
    expect(folded('head')).toMatch(/^process_sample;/m);
    const picture = readFileSync(join(out, 'profiles/6.1/profiler/difference.cpu.svg'), 'utf8');
    expect(picture).toContain('<svg');
    expect(picture).toContain('head against base, kernel 6.1');
  });

  test('points at the program in its source', () => {
    const program = results.comparisons.find(
      ({ benchmark, kind }) => benchmark === 'macro/fun_xdp' && kind === 'bpf-program',
    );
    expect(program?.source?.file).toBe('xdp-ebpf/src/main.rs');
    expect(program?.source?.line).toBeGreaterThan(0);
  });

  test('finds the unchanged BPF program exactly unchanged and user space within 0.1 %', () => {
    const pass = results.comparisons.filter(({ benchmark }) => benchmark === 'macro/xdp_pass');
    expect(pass).toHaveLength(2 * kernels.length);
    for (const { delta, verdict } of pass) expect([delta, verdict]).toEqual([0, 'unchanged']);
    const control = results.comparisons.filter(({ benchmark }) => benchmark === 'micro/parse_headers');
    expect(control).toHaveLength(kernels.length);
    for (const { deltaRatio, verdict } of control) {
      expect(Math.abs(deltaRatio ?? 1)).toBeLessThanOrEqual(0.001);
      expect(verdict).toBe('unchanged');
    }
  });

  test('says which machine was measured on', () => {
    for (const { machine, fingerprint, error } of results.kernels) {
      expect(error).toBeNull();
      expect(machine?.accelerator).toBe('tcg-icount');
      expect(Object.keys(fingerprint ?? {})).toEqual(
        expect.arrayContaining(['kernel', 'qemu', 'cpu', 'commandLine', 'agent', 'rustc', 'ld']),
      );
    }
  });

  test('counts the same to the last digit again, booted anew, with both cores busy', async () => {
    const out = temporaryFolder();
    const burners = [0, 1].map(() => spawn('sh', ['-c', 'while :; do :; done']));
    try {
      expect((await bpfgate(['demo', '--kernels', '6.1', '--no-snapshot', '--out', out])).code).toBe(0);
    } finally {
      for (const burner of burners) burner.kill('SIGKILL');
    }
    const again = readResults(out);
    expect(again.kernels.map(({ machine }) => machine?.startedFrom)).toEqual(['boot']);
    expect(programCounts(again)).toEqual(programCounts(results, ['6.1']));
  });

  test('counts the same from a snapshot', async () => {
    const out = temporaryFolder();
    expect((await bpfgate(['demo', '--kernels', '6.12', '--out', out])).code).toBe(0);
    const again = readResults(out);
    // The first run has saved one, if there was none.
    expect(again.kernels.map(({ machine }) => machine?.startedFrom)).toEqual(['snapshot']);
    expect(programCounts(again)).toEqual(programCounts(results, ['6.12']));
  });
});

describe('bpfgate run', () => {
  test('passes when base and head are the same commit', async () => {
    const project = await makeDemoRepository(openCache());
    const out = temporaryFolder();
    const args = ['--project', project, '--base', demoBase, '--head', demoBase, '--kernels', '6.1', '--out', out];
    const { code, stdout } = await bpfgate(['run', ...args]);
    expect(stdout).toMatch(/^verdict: pass$/m);
    expect(code).toBe(0);
    const verdicts = readResults(out).comparisons.map(({ verdict }) => verdict);
    expect(verdicts.length).toBeGreaterThan(8);
    expect(new Set(verdicts)).toEqual(new Set(['unchanged']));
  });
});
