import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { readPins } from '../../src/kernels/pins.ts';
import { machineArguments, stableCommandLine } from '../../src/vm/machine.ts';
import { type Boot, vmtestConfig } from '../../src/vm/vmtest.ts';

const [pin] = readPins();
if (pin === undefined) throw new Error('no pins');
const boot: Boot = {
  kernel: { pin, image: '/cache/vmlinuz', uname: 'x', modulesRoot: '/cache/modules' },
  accelerator: 'tcg-icount',
  initramfs: { file: '/cache/initramfs.cpio', sha256: '0' },
  memoryMiB: 2048,
  runFolder: '/tmp/run',
  agent: '/cache/agent',
  qemu: '/usr/bin/qemu-system-x86_64',
  path: '/usr/bin',
  timeoutMs: 1000,
};

test('vmtest.toml names kernel, command and one virtual CPU under icount', () => {
  const config = parse(vmtestConfig(boot)) as { target: [{ vm: { extra_args: string[] } }] };
  expect(config.target[0]).toMatchObject({
    kernel: '/cache/vmlinuz',
    command: '/cache/agent /mnt/vmtest',
    vm: { num_cpus: 1, memory: '2048M' },
  });
  expect(config.target[0].vm.extra_args.join(' ')).toContain('-icount shift=0,sleep=off,align=off');
});

test('under icount one CPU model is named and no other clock is left to the guest', () => {
  const { cpuModel, kernel } = machineArguments('tcg-icount');
  expect(cpuModel).not.toMatch(/^(max|host)$/);
  expect(kernel).toEqual(expect.arrayContaining(['tsc=reliable', 'hpet=disable', 'pmtmr=0', 'nokaslr']));
});

test('paths of the host are no part of the fingerprint', () => {
  expect(stableCommandLine('rw init=/tmp/vmtest-init1.sh panic=-1 bpfgate.modules=/root/x nokaslr\n')).toBe(
    'rw panic=-1 nokaslr',
  );
});
