// The example project's own tests that need a kernel, as root in guests: on the machine of the instruction lane, where a
// second is as many instructions and no host's load can make a sampler late.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bpfgate } from './bpfgate.ts';

const root = join(import.meta.dirname, '..', '..');
const workspace = join(root, 'example-project');

/** Test binaries that load BPF programs: package and name of the target. */
const suites = [
  ['xdp', 'test_run'],
  ['bpf-bench', 'kernel'],
  ['probe-overhead', 'pairs'],
  ['profiler', 'sampling'],
] as const;

/** Executables by package and target. */
const executables = new Map<string, string>();
/** The oldest kernel there is, where somebody has built it, and one that everybody has. */
const kernels = ['5.8:tree', '6.12'] as const;

beforeAll(() => {
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
    const found = target.kind.includes('test') && executable !== null;
    if (found) executables.set(`${manifest.split('/').at(-2)}/${target.name}`, executable);
  }
});

describe.for(kernels)("the example project's tests on %s", (kernel) => {
  test.for(suites)('%s: %s', async ([crate, name], context) => {
    if ((await bpfgate(['kernels', 'list', kernel])).code !== 0) return context.skip('no 5.8 in the cache');
    const executable = executables.get(`${crate}/${name}`);
    expect(executable).toBeDefined();
    const command = `cd example-project/${crate} && ${executable} --test-threads=1 --show-output`;
    const { code, stdout, stderr } = await bpfgate(['exec', '--kernel', kernel, '--icount', '--', 'sh', '-c', command]);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(/^test result: ok\. [1-9]\d* passed; 0 failed; 0 ignored/m);
    // As root, in a guest, the kernel's age is the only excuse.
    expect(stdout).not.toMatch(/^skipped: (?!programs of type syscall need Linux 5\.14)/m);
  });
});
