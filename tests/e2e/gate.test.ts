// The whole gate on the example project and real kernels: the planted regressions are found exactly, on every kernel,
// under load and again, and nothing else is.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, demoHead, makeDemoRepository } from '../../src/commands/demo-project.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit, gate } from './gated-project.ts';

const kernels = ['5.10', '6.1', '6.12'];

function readResults(out: string): Results {
  return parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
}

/** Maps revision and name of every BPF program counted on a kernel to its raw minimum. */
function programCounts(results: Results, kernel: string): Map<string, number> {
  const programs = results.measurements.filter(
    (each) => each.lane === 'instructions' && each.kind === 'bpf-program' && each.kernel === kernel,
  );
  return new Map(programs.map(({ revision, benchmark, value }) => [`${revision} ${benchmark}`, value]));
}

/**
 * Expects every program that was counted on 6.1 to have the count that it had in the demo.
 *
 * @param as the demo's revision that both revisions are compared with; default: each with its own
 */
function expectSameCounts(again: Results, demo: Results, as?: 'base' | 'head'): void {
  const counts = programCounts(again, '6.1');
  const before = programCounts(demo, '6.1');
  expect(counts.size).toBeGreaterThanOrEqual(8);
  const expected = [...counts.keys()].map((name): [string, number | undefined] => [
    name,
    before.get(as === undefined ? name : name.replace(/^\w+/, as)),
  ]);
  expect([...counts]).toEqual(expected);
}

/** A bpfgate.toml without the other benches. */
function onlyBenches(toml: string, names: readonly string[]): string {
  const tables = toml.split(/^(?=\[)/m);
  return tables
    .filter((table) => !table.startsWith('[[bench]]') || names.some((name) => table.includes(`name = "${name}"\n`)))
    .join('');
}

const machines = ({ kernels }: Results) => kernels.map(({ machine }) => `${machine?.runner} ${machine?.startedFrom}`);

describe('the demo', () => {
  let out: string;
  let outcome: Outcome;
  let results: Results;

  beforeAll(async () => {
    let cleanUp = () => {};
    out = temporaryFolder((work) => {
      cleanUp = work;
    });
    outcome = await bpfgate(['demo', '--audit', '100', '--kernels', kernels.join(','), '--out', out]);
    results = readResults(out);
    return cleanUp;
  });

  test('exits with 0 and prints the verdict', () => {
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(/^verdict: regression$/m);
    expect(results.verdict).toBe('regression');
    expect(outcome.stderr, 'Node warned').not.toMatch(/^\(node:/m);
  });

  test('writes a page of less than 1 MB, with flame graphs', () => {
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    expect(page.length).toBeLessThan(1_000_000);
    expect(page).toContain('alt="Flame graph of profiler on 6.1, cpu: ');
  });

  test.for(kernels)('reports fun_xdp as slower by a whole number of instructions on %s', (kernel) => {
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
    // The line that the planted feature adds, in a crate that is inlined into the program.
    const [program] = found.filter(({ kind }) => kind === 'bpf-program');
    const file = 'xdp-common/src/source_addr.rs';
    const source = readFileSync(join(packageRoot, 'example-project', file), 'utf8').split('\n');
    const line = source.findIndex((text) => text.includes('black_box(term + next)')) + 1;
    expect(program?.lines?.[0]).toEqual({ source: { file, line }, base: 0, head: expect.any(Number) });
    // What bpfgate counted and what the benchmark itself printed are the same growth.
    expect(found[0]?.delta).toBe(found[1]?.delta);
  });

  test.for(kernels)('reports the profiler as slower and using more memory on %s', (kernel) => {
    const found = results.comparisons.filter(
      (each) => each.kernel === kernel && /^(profiler\/profiler|heap)\/process_sample$/.test(each.benchmark),
    );
    const verdicts = Object.fromEntries(
      found.map(({ benchmark, measure, verdict }) => [`${benchmark} ${measure}`, verdict]),
    );
    expect(verdicts).toEqual({
      'profiler/profiler/process_sample instructions': 'regression',
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
    // Little of head is seen here: it sleeps, which a later test checks.
    expect(folded('head')).toMatch(/^process_sample;/m);
    const picture = readFileSync(join(out, 'profiles/6.1/profiler/difference.cpu.svg'), 'utf8');
    expect(picture).toContain('<svg');
    expect(picture).toContain('head against base, kernel 6.1');
  });

  test("has the program's source line", () => {
    const program = results.comparisons.find(
      ({ benchmark, kind }) => benchmark === 'macro/fun_xdp' && kind === 'bpf-program',
    );
    expect(program?.source?.file).toBe('xdp-ebpf/src/main.rs');
    expect(program?.source?.line).toBeGreaterThan(0);
  });

  test("has the source lines of Criterion's benchmarks", () => {
    const { source } = results.comparisons.find(({ benchmark }) => benchmark === 'micro/xdp/source_addr') ?? {};
    expect(source?.file).toBe('xdp/benches/source_addr.rs');
    const text = readFileSync(join(import.meta.dirname, '../../example-project', source?.file ?? ''), 'utf8');
    expect(text.split('\n')[(source?.line ?? 0) - 1]).toContain('bench_function("source_addr"');
  });

  test.for(kernels)('verifies every program of the example on %s', (kernel) => {
    const verified = results.comparisons.filter((each) => each.kernel === kernel && each.lane === 'verifier');
    const loads = verified.filter(({ measure }) => measure === 'loads');
    expect(loads.map(({ benchmark }) => benchmark)).toEqual(
      expect.arrayContaining(['profiler/perf_profiler', 'profiler/off_cpu', 'xdp/fun_xdp', 'xdp/xdp_pass']),
    );
    for (const { head, verdict } of loads) expect([head, verdict]).toEqual([1, 'unchanged']);
    const changed = verified.filter(({ verdict }) => verdict !== 'unchanged').map(({ benchmark }) => benchmark);
    expect(new Set(changed)).toEqual(new Set(['xdp/fun_xdp']));
    expect(results.gaps.filter((gap) => gap.kernel === kernel && gap.lane === 'verifier')).toEqual([]);
  });

  test('reports the unchanged BPF program as exactly unchanged, and user space within 0.1 %', () => {
    const pass = results.comparisons.filter(({ benchmark }) => benchmark === 'macro/xdp_pass');
    expect(pass).toHaveLength(2 * kernels.length);
    for (const { delta, verdict } of pass) expect([delta, verdict]).toEqual([0, 'unchanged']);
    const control = results.comparisons.filter(({ benchmark }) => benchmark === 'micro/xdp/parse_headers');
    expect(control).toHaveLength(kernels.length);
    for (const { deltaRatio, verdict } of control) {
      expect(Math.abs(deltaRatio ?? 1)).toBeLessThanOrEqual(0.001);
      expect(verdict).toBe('unchanged');
    }
  });

  test.for(kernels)('lists every benchmark on %s, and what that kernel is too old for', (kernel) => {
    const names = new Set(results.comparisons.filter((each) => each.kernel === kernel).map((each) => each.benchmark));
    const missing = new Map(
      results.gaps
        .filter((gap) => gap.kernel === kernel && gap.lane === 'instructions')
        .map(({ benchmark, needs }) => [benchmark, needs]),
    );
    const bodies = ['empty', 'simple', 'complex'];
    const hooks = ['tracepoint', 'raw_tracepoint', 'btf_tracepoint', 'fentry', 'fexit', 'kprobe', 'kretprobe'];
    const probed = [...hooks.map((hook) => `getpid/${hook}`), 'function/uprobe', 'function/uretprobe'];
    const expected = [
      ...[
        'micro/xdp/source_addr',
        'micro/xdp/parse_headers',
        'macro/fun_xdp',
        'macro/xdp_pass',
        'profiler/profiler/process_sample',
      ],
      ...['heap/process_sample', 'sample-cost/perf_profiler'],
      ...['probe-overhead/getpid/none', 'probe-overhead/function/none'],
      ...probed.flatMap((pair) => bodies.map((body) => `probe-overhead/${pair}/${body}`)),
    ];
    expect([...names]).toEqual(expect.arrayContaining(expected));
    const multi = bodies.map((body) => `probe-overhead/getpid/kprobe_multi/${body}`);
    if (kernel === '5.10') expect(missing).toEqual(new Map(multi.map((name) => [name, '5.18'])));
    // 6.1 is not checked: Debian's was built without CONFIG_FPROBE, which does not depend on the version.
    if (kernel === '6.12') expect([...names]).toEqual(expect.arrayContaining(multi));
  });

  test('reports the machine that measured', () => {
    for (const { machine, fingerprint, error } of results.kernels) {
      expect(error).toBeNull();
      expect(machine?.accelerator).toBe('tcg-icount');
      expect(Object.keys(fingerprint ?? {})).toEqual(
        expect.arrayContaining(['kernel', 'qemu', 'cpu', 'commandLine', 'agent', 'rustc', 'ld']),
      );
    }
  });

  test("draws the profiler's waits: none in base, a sleep in head", () => {
    const folded = (side: string) => readFileSync(join(out, `profiles/6.1/profiler/${side}.off-cpu.folded`), 'utf8');
    const slept = (side: string) =>
      folded(side)
        .split('\n')
        .filter((line) => line.includes('oops_boxed_sleep'))
        .reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)?.[1] ?? 0), 0);
    expect(slept('base')).toBe(0);
    // Microseconds.
    expect(slept('head')).toBeGreaterThan(1000);
    const picture = readFileSync(join(out, 'profiles/6.1/profiler/difference.off-cpu.svg'), 'utf8');
    expect(picture).toContain('oops_boxed_sleep');
  });

  describe('measured again, in three concurrent guests that share two cores', () => {
    let again: Results;
    let same: Results;
    let sameOutcome: Outcome;
    let virtmeNg: Results;
    let known: { readonly outcome: Outcome; readonly results: Results };

    beforeAll(async () => {
      let cleanUp = () => {};
      const folder = temporaryFolder((work) => {
        cleanUp = work;
      });
      const project = await makeDemoRepository(openCache());
      // The benches that run most BPF programs; all benches take four times as long.
      const short = join(folder, 'short.toml');
      writeFileSync(short, onlyBenches(readFileSync(join(project, 'bpfgate.toml'), 'utf8'), ['macro', 'sample-cost']));
      const run = async (name: string, head: string, args: readonly string[]) => {
        const folderOf = join(folder, name);
        const which = ['--project', project, '--base', demoBase, '--head', head, '--kernels', '6.1'];
        const outcome = await bpfgate(['run', ...which, '--out', folderOf, ...args]);
        return { outcome, results: readResults(folderOf) };
      };
      const shortened = ['--config', relative(project, short)];
      const [first, second, third] = await Promise.all([
        run('again', demoHead, [...shortened, '--audit', '100', '--no-snapshot']),
        run('same', demoBase, ['--audit', '100']),
        run('virtme-ng', demoBase, [...shortened, '--audit', '100', '--runner', 'virtme-ng']),
      ]);
      again = first.results;
      ({ outcome: sameOutcome, results: same } = second);
      virtmeNg = third.results;
      known = await run('known', demoHead, ['--audit', '0']);
      return cleanUp;
    });

    test('every BPF program has exactly the same count after a new boot', () => {
      expect(machines(again)).toEqual(['vmtest boot']);
      expectSameCounts(again, results);
    });

    test('and after a restored snapshot', () => {
      // The demo saved a snapshot, if there was none.
      expect(machines(same)).toEqual(['vmtest snapshot']);
      expectSameCounts(same, results, 'base');
    });

    test('cached results are used, and nothing is booted to count them', () => {
      // But to see the runs of what changed, which is not cached.
      expect(known.outcome.stderr).not.toMatch(/booting \S+ under/);
      expect(known.results.kernels.map(({ kept }) => kept)).toEqual([['base', 'head']]);
      // Inexact values and load times are compared by verdict only: they were counted twice, for the cache and for the
      // audit, in families of different sizes. Probe overheads are left out: probes that hash the time can seem exact.
      const of = (run: Results) => {
        const own = run.comparisons.filter(
          ({ kernel, benchmark }) => kernel === '6.1' && !benchmark.startsWith('probe-overhead/'),
        );
        const verdicts = own.map(({ benchmark, measure, verdict }) => `${benchmark} ${measure}: ${verdict}`);
        return { exact: own.filter((each) => each.interval === 'exact' && each.measure !== 'load-time'), verdicts };
      };
      expect(of(known.results)).toEqual(of(results));
      expect([again, same].flatMap(({ kernels }) => kernels.map(({ kept }) => kept))).toEqual([[], []]);
    });

    test('and with virtme-ng', () => {
      expect(machines(virtmeNg)).toEqual(['virtme-ng snapshot']);
      expectSameCounts(virtmeNg, results, 'base');
    });

    test('nothing differs with base and head at the same commit, and the gate passes', () => {
      expect(sameOutcome.stdout).toMatch(/^verdict: pass$/m);
      expect(sameOutcome.code).toBe(0);
      for (const { comparisons } of [same, virtmeNg]) {
        expect(comparisons.length).toBeGreaterThan(8);
        expect(comparisons.filter(({ verdict }) => verdict !== 'unchanged')).toEqual([]);
      }
    });
  });
});

test('a pull request that adds, removes and changes benches passes, each revision measured by its own', async () => {
  const folder = temporaryFolder();
  const bench = (name: string, file: string) =>
    `[[bench]]\nname = "${name}"\ncommand = "cat ${file}"\nformat = "bmf"\nobserve = false\n`;
  const config = (...benches: string[]) => ['[build]\ncommand = "true"\n', ...benches].join('');
  const size = '{"parse": {"peak-bytes": {"value": 100}}}';
  const ofBase = config(bench('kept', 'a'), bench('old', 'a'), bench('moved', 'a'));
  const ofHead = config(bench('kept', 'b'), bench('new', 'b'), bench('moved', 'b'));
  commit(folder, 'base', { 'bpfgate.toml': ofBase, a: size });
  rmSync(join(folder, 'a'));
  commit(folder, 'head', { 'bpfgate.toml': ofHead, b: size });
  const out = temporaryFolder();
  const which = [
    '--project',
    folder,
    '--base',
    'base',
    '--head',
    'head',
    '--kernels',
    '6.1',
    '--lanes',
    'instructions',
  ];
  const { code, stdout, stderr } = await bpfgate(['run', ...which, '--out', out]);
  expect(code, stderr).toBe(0);
  const verdicts = readResults(out).comparisons.map(({ benchmark, verdict }) => `${benchmark} ${verdict}`);
  expect(verdicts.toSorted()).toEqual([
    'kept/parse unchanged',
    'moved/parse unchanged',
    'new/parse added',
    'old/parse removed',
  ]);
  const said = stdout.replace(/\s+/g, ' ');
  expect(said).toContain(
    'Changed configuration: `command` of bench `kept` was cat a and is cat b; bench `old` is gone;',
  );
  expect(said).toContain('1 benchmark removed: `old/parse`. 1 benchmark added: `new/parse`.');
});

test('a bench that head adds reaches no guest of base', { tags: ['hostile'] }, async () => {
  const project = join(temporaryFolder(), 'project');
  const bench = (name: string, command: string) =>
    `[[bench]]\nname = "${name}"\ncommand = ${JSON.stringify(command)}\nformat = "bmf"\nobserve = false\n`;
  const canary = '/sys/fs/bpf/canary-of-head';
  const counted = bench(
    'counted',
    `test -e ${canary} && n=9 || n=1; echo "{\\"x\\": {\\"count\\": {\\"value\\": $n}}}"`,
  );
  const first = bench('a', `mkdir ${canary}; echo '{"x": {"count": {"value": 1}}}'`);
  const build = '[build]\ncommand = "true"\n';
  commit(project, 'base', { 'bpfgate.toml': build + counted });
  commit(project, 'head', { 'bpfgate.toml': build + first + counted });
  const { results, guestRuns } = await gate(project, '6.1');
  const values = results.measurements.map(({ revision, benchmark, value }) => `${revision} ${benchmark} ${value}`);
  expect(values).toContain('base counted/x 1');
  const ran = guestRuns.flatMap(({ benches }) => benches.map(({ bench: name, revision }) => `${revision} ${name}`));
  expect([...new Set(ran)].toSorted()).toEqual(['base counted', 'head a', 'head counted']);
});
