// What is seen inside programs whose instructions are known, see fixtures/inside.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bpfgate, temporaryFolder } from './bpfgate.ts';

const folder = join(import.meta.dirname, 'fixtures', 'inside');
const object = join(folder, 'inside.bpf.o');

test('each line and each call has the instructions that it executes, and they add up', async () => {
  const { code, stdout, stderr } = await bpfgate(['count', object, '--kernels', '6.1', '--inside']);
  expect(code, stderr).toBe(0);
  // A hundred times around a loop of ten instructions, and one lookup.
  expect(stdout).toContain(`inside/loops on arp, dns and 14 other inputs, 6.1: 1,116 instructions a run
  instructions  where
           700  inside.bpf.c:32
           300  inside.bpf.c:33
           104  __htab_map_lookup_elem, 1 call of 104
            11  inside.bpf.c:37
             6  inside.bpf.c:27
             2  inside.bpf.c:29
             1  its_return_thunk, 1 jump of 1
            −8  an empty program, which does not count
`);
  // The kernel calls back a function of twelve instructions ten times, which are not the helper's.
  expect(stdout).toContain(`inside/called_back on arp, dns and 14 other inputs, 6.1: 390 instructions a run
  instructions  where
           248  bpf_for_each_array_elem, 1 call of 248
            90  inside.bpf.c:42
            30  inside.bpf.c:43
            11  its_return_thunk, 11 jumps of 1
             6  inside.bpf.c:48
             5  inside.bpf.c:52
             5  inside.bpf.c:53
             3  inside.bpf.c:50
            −8  an empty program, which does not count
`);
  // Runs that execute something else are another kind.
  expect(stdout).toContain(`
  runs  instructions  own  kind of run
     5            30   29  its_return_thunk
     5            81   30  bpf_ktime_get_ns, its_return_thunk
`);
  // The boot without the plugin counted the same.
  expect(stdout).toMatch(/inside\/loops +1,116 .*\n +inside\/called_back +390 /);
  expect(stdout).not.toContain('warning');
});

test('programs of every type that run under the workload add up as well', async () => {
  const types = join(import.meta.dirname, 'fixtures', 'verifier', 'types-base.bpf.o');
  const { code, stdout, stderr } = await bpfgate(['count', types, '--kernels', '6.12', '--inside']);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`types-base/on_kprobe on workload, 6.12: 4 instructions a run
  instructions  where
            13  types.bpf.c:15
             1  its_return_thunk, 1 jump of 1
           −10  an empty program, which does not count
`);
  // It also runs in the system calls that turn the statistics on and off.
  expect(stdout).toContain('types-base/on_raw_tracepoint on zeros, workload, 6.12: 4 instructions a run');
  expect(stdout).not.toContain('it does not add up');
});

test('a regression has the lines and calls in which a run executes more, and they add up to it', async () => {
  const head = join(folder, 'inside-head.bpf.o');
  const given = ['--base-objects', object, '--head-objects', head, '--kernels', '6.1', '--out', temporaryFolder()];
  const { code, stdout, stderr } = await bpfgate(['run', ...given]);
  expect(code, stderr).toBe(1);
  expect(stdout).toContain('`loops` +212 instructions per run on 6.1');
  expect(stdout).toContain('`__htab_map_lookup_elem`\n    executes 104 more instructions');
  expect(stdout).toContain(`
  source lines and called functions in which a run executes more instructions, on 6.1
   inside.bpf.c:32          +70  700 → 770
   inside.bpf.c:33          +30  300 → 330
   inside.bpf.c:35           +6  0 → 6
   inside.bpf.c:37           +2  10 → 12
   __htab_map_lookup_elem  +104  104 → 208
`);
});
