// What `count --inside` says of programs whose instructions are known, see fixtures/inside.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bpfgate } from './bpfgate.ts';

const object = join(import.meta.dirname, 'fixtures', 'inside', 'inside.bpf.o');

test('each line and each call has the instructions that it executes, and they add up', async () => {
  const { code, stdout, stderr } = await bpfgate(['count', object, '--kernels', '6.1', '--inside']);
  expect(code, stderr).toBe(0);
  // A hundred times around a loop of ten instructions, and one lookup.
  expect(stdout).toContain(`inside/loops on arp, dns and 14 other inputs, 6.1: 1,116 instructions a run
  instructions  where
           700  ./inside.bpf.c:26
           300  ./inside.bpf.c:27
           104  __htab_map_lookup_elem, 1 call of 104
            11  ./inside.bpf.c:28
             6  ./inside.bpf.c:21
             2  ./inside.bpf.c:23
             1  its_return_thunk, 1 jump of 1
            −8  an empty program, which does not count
`);
  // The kernel calls back a function of twelve instructions ten times, which are not the helper's.
  expect(stdout).toContain(`inside/called_back on arp, dns and 14 other inputs, 6.1: 390 instructions a run
  instructions  where
           248  bpf_for_each_array_elem, 1 call of 248
            90  ./inside.bpf.c:33
            30  ./inside.bpf.c:34
            11  its_return_thunk, 11 jumps of 1
             6  ./inside.bpf.c:39
             5  ./inside.bpf.c:43
             5  ./inside.bpf.c:44
             3  ./inside.bpf.c:41
            −8  an empty program, which does not count
`);
  // The boot without the plugin counted the same.
  expect(stdout).toMatch(/inside\/loops +1,116 .*\n +inside\/called_back +390 /);
  expect(stdout).not.toContain('warning');
});
