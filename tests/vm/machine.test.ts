import { expect, test } from 'vitest';
import { machineArguments, qemuArguments } from '../../src/vm/machine.ts';
import { boot } from './boot-fixture.ts';

test('under icount there is one CPU model, and the guest has no other clock', () => {
  const { cpuModel, kernel, qemu } = machineArguments('tcg-icount');
  expect(qemu.join(' ')).toContain('-icount shift=0,sleep=off,align=off');
  expect(cpuModel).not.toMatch(/^(max|host)$/);
  expect(kernel).toEqual(expect.arrayContaining(['tsc=reliable', 'hpet=disable', 'pmtmr=0', 'nokaslr', 'norandmaps']));
});

test('under emulation a kernel without ACPI gets the address of the PM timer', () => {
  expect(machineArguments('tcg').kernel).toContain('pmtmr=0x608');
  expect(machineArguments('tcg-icount').kernel).not.toContain('pmtmr=0x608');
});

test('the machine has the image, memory and CPUs of the boot, each CPU in a socket of its own', () => {
  const given = qemuArguments({ ...boot, cpus: 3 }).join(' ');
  expect(given).toContain('-smp 3,sockets=3 -m 2048M');
  expect(given).toContain('-kernel /cache/vmlinux -initrd /cache/initramfs.cpio');
});

test('the root is exported read-only, the run folder writable, and there is no network', () => {
  const given = qemuArguments(boot).join(' ');
  expect(given).toContain('path=/,mount_tag=/dev/root,security_model=none,multidevs=remap,readonly=on ');
  expect(given).toContain('path=/tmp/run,mount_tag=vmtest-shared,security_model=none,multidevs=remap ');
  expect(given).not.toMatch(/-net|-nic/);
});

test('a saved machine is restored only if requested', () => {
  expect(qemuArguments(boot)).not.toContain('-incoming');
  expect(qemuArguments(boot, true).slice(-2)).toEqual(['-incoming', 'fd:9']);
});

test("QEMU's plugin is loaded with the secret of its messages", () => {
  const plugin = { file: '/cache/plugin.so', secret: '12ab' };
  expect(qemuArguments({ ...boot, plugin }).join(' ')).toContain('-plugin /cache/plugin.so,secret=12ab');
  expect(qemuArguments(boot)).not.toContain('-plugin');
});
