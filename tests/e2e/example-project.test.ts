// The example project's own tests that need a kernel, as root in guests. They run on the instruction lane's machine: a
// second there is a fixed number of instructions, so that load on the host cannot delay a sampler.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bpfgate } from './bpfgate.ts';

const root = join(import.meta.dirname, '..', '..');
const workspace = join(root, 'example-project');

/** Test binaries that load BPF programs: package and name of the target. */
const suites = [
  ['xdp', 'test_run'],
  ['xdp', 'command'],
  ['bpf-bench', 'kernel'],
  ['probe-overhead', 'pairs'],
  ['profiler', 'sampling'],
] as const;

/** The examples of `bpf-bench`. */
const examples = ['xdp', 'socket_filter', 'sched_cls', 'cgroup_skb', 'raw_tracepoint', 'kprobe'];

/** Executables by package, kind and name of the target. */
const executables = new Map<string, string>();
/** The oldest kernel, tested only if the cache has it, and one that is always available. */
const kernels = ['5.8', '6.12'] as const;
/** The id of a 5.8 in the cache, which depends on its origin; undefined if there is none. */
let oldest: string | undefined;

beforeAll(async () => {
  const listed = await bpfgate(['kernels', 'list', '--format', 'json']);
  const { kernels: all } = JSON.parse(listed.stdout) as { kernels: { id: string; cached: string }[] };
  oldest = all.find(({ id, cached }) => /^5\.8(:tree)?$/.test(id) && cached === 'yes')?.id;
  const args = ['test', '--locked', '--no-run', '--message-format=json'];
  const cargo = spawnSync('cargo', args, { cwd: workspace, encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(cargo.status, cargo.stderr).toBe(0);
  for (const line of cargo.stdout.split('\n')) {
    if (!line.startsWith('{"reason":"compiler-artifact"')) continue;
    const {
      manifest_path: manifest,
      target,
      executable,
    } = JSON.parse(line) as {
      readonly manifest_path: string;
      readonly target: { readonly name: string; readonly kind: readonly string[] };
      readonly executable: string | null;
    };
    if (executable === null) continue;
    for (const kind of target.kind) executables.set(`${manifest.split('/').at(-2)}/${kind}/${target.name}`, executable);
  }
});

// Each test has its own guest, which takes one host thread.
describe.for(kernels)("the example project's tests on %s", { concurrent: true }, (kernel) => {
  test.for(suites)('%s: %s', async ([crate, name], context) => {
    const id = kernel === '5.8' ? oldest : kernel;
    if (id === undefined) return context.skip('no 5.8 in the cache');
    const executable = executables.get(`${crate}/test/${name}`);
    expect(executable).toBeDefined();
    const command = `cd example-project/${crate} && ${executable} --test-threads=1 --show-output`;
    const { code, stdout, stderr } = await bpfgate(['exec', '--kernel', id, '--icount', '--', 'sh', '-c', command]);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(/^test result: ok\. [1-9]\d* passed; 0 failed; 0 ignored/m);
    // As root in a guest, only an old kernel is a reason to skip.
    expect(stdout).not.toMatch(/^skipped: (?!programs of type syscall need Linux 5\.14)/m);
  });

  test("bpf-bench's examples print results", async (context) => {
    const id = kernel === '5.8' ? oldest : kernel;
    if (id === undefined) return context.skip('no 5.8 in the cache');
    const files = examples.map((name) => executables.get(`bpf-bench/example/${name}`));
    expect(files).not.toContain(undefined);
    const command = `for example in ${files.join(' ')}; do echo "== $(basename $example)"; $example || exit; done`;
    const { code, stdout, stderr } = await bpfgate(['exec', '--kernel', id, '--icount', '--', 'sh', '-c', command]);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    const printed = new Map<string, string>();
    for (const part of stdout.split(/^== /m).slice(1)) {
      const [name = '', ...lines] = part.split('\n');
      printed.set(name, lines.join('\n').trim());
    }
    expect([...printed.keys()]).toEqual(examples);

    expect(samples(printed.get('xdp'))).toEqual({ 'Short/type=xdp': 8, 'Long/type=xdp': 8 });
    expect(samples(printed.get('kprobe'))).toEqual({ 'Getppid/type=kprobe': 8 });
    expect(latency(printed.get('socket_filter'), 'keep_64')).toBeGreaterThan(0);
    if (kernel === '5.8') expect(printed.get('raw_tracepoint')).toBe('bpfgate: needs 5.10: raw_tracepoint');
    else expect(latency(printed.get('raw_tracepoint'), 'raw_tracepoint')).toBeGreaterThan(0);
    const lines = (printed.get('sched_cls') ?? '').split('\n').map((line) => JSON.parse(line));
    expect(lines.map(({ name }) => name)).toEqual(['length', 'length #2']);
    expect(lines[1].gross.value).toBeGreaterThan(lines[0].gross.value);
    expect(printed.get('cgroup_skb')).toMatch(
      /^let_through: [\d.]+ ns per run \([\d.]+ to [\d.]+\), -?[\d.]+ of them its own; 1000 runs, [0?] missed$/,
    );
  });
});

/** Counts the lines of each benchmark, in text that must be entirely in Go's benchmark format. */
function samples(text = ''): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of text.split('\n')) {
    if (/^(goos|goarch|kernel): \S+$/.test(line) || /^Unit \S+ better=(lower|higher)$/.test(line)) continue;
    const name = /^Benchmark(\p{Lu}\S*) [1-9]\d*( \d[\d.]*(e-?\d+)? \S+)+$/u.exec(line)?.[1];
    expect(name, line).toBeDefined();
    counts[name as string] = (counts[name as string] ?? 0) + 1;
  }
  return counts;
}

/** The latency of a benchmark in Bencher Metric Format, in nanoseconds. */
function latency(text: string | undefined, name: string): number {
  return JSON.parse(text ?? '')[name].latency.value;
}
