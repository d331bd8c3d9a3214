// Guest, pure: the machine a guest gets, as QEMU arguments and kernel parameters. Runners start exactly this.

import type { Accelerator } from '../model/guest-run.ts';
import type { Boot } from './boot.ts';

/**
 * CPU model under emulation. It is a named one, because `max` changes with QEMU's version. Nehalem is x86-64-v2. It has
 * no rdrand and rdseed, which TCG takes from the host's randomness, and no la57, which slows 5.10's boot by seconds.
 */
const emulatedCpu = 'Nehalem';

/**
 * Kernel parameters that only affect speed. Page-table isolation protects processors of Nehalem's age against Meltdown;
 * kernels leave it off on later ones. Under emulation it flushes the translation cache at every system call. The
 * timer's wiring and the crypto algorithms need not be tested at every boot. Programs lie at the same addresses each
 * time, so that QEMU finds its earlier translations: a compiler's second run is twice as fast.
 */
const emulatedKernel = ['pti=off', 'no_timer_check', 'cryptomgr.notests', 'norandmaps'];

/**
 * Port of the PM timer in QEMU's firmware, on both of its PC machines. Kernels with ACPI read it from a table. Those
 * that bpfgate builds have no ACPI, and nothing else to measure the TSC against.
 */
const pmTimer = 'pmtmr=0x608';

/** Descriptor of the snapshot to start from, which vm/qemu opens. */
const snapshotDescriptor = 9;

/** QEMU arguments of every guest. The paths are in the run folder. */
const everyMachine = [
  ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio'],
  // ttyS1, on which the host sends the start signal, and a monitor for taking the snapshot.
  ...['-chardev', 'socket,id=start,path=start.sock,server=on,wait=off', '-device', 'isa-serial,chardev=start'],
  ...['-qmp', 'unix:monitor.sock,server=on,wait=off'],
];

/** Kernel parameters of every guest: the whole log on the first serial port, and an end of QEMU at a panic. */
const everyKernel = [
  ...['earlyprintk=serial,ttyS0,115200', 'console=ttyS0,115200', 'loglevel=7', 'printk.devkmsg=on'],
  'panic=-1',
];

export interface MachineArguments {
  readonly cpuModel: string;
  readonly qemu: readonly string[];
  /** Kernel parameters. */
  readonly kernel: readonly string[];
}

/** QEMU and kernel arguments of a machine with the given accelerator. */
export function machineArguments(accelerator: Accelerator): MachineArguments {
  const make = (cpuModel: string, qemu: readonly string[], kernel: readonly string[]) => ({
    cpuModel,
    qemu: [...everyMachine, ...qemu, '-cpu', cpuModel],
    kernel: [...everyKernel, ...kernel],
  });
  switch (accelerator) {
    case 'kvm':
      return make('host', ['-accel', 'kvm'], []);
    case 'tcg':
      return make(emulatedCpu, ['-accel', 'tcg'], [...emulatedKernel, pmTimer]);
    case 'tcg-icount':
      return make(
        emulatedCpu,
        // shift=0: one instruction is one nanosecond of the guest's clock. sleep=off: idle time is skipped.
        [...['-accel', 'tcg,thread=single'], ...['-icount', 'shift=0,sleep=off,align=off'], ...['-rtc', 'clock=vm']],
        [
          ...emulatedKernel,
          // The frequency is given, and no other clock is left to refine it against. A refined frequency, and the
          // counts with it, would be off by a few parts in a million on some boots.
          ...['tsc=reliable', 'tsc_early_khz=1000000', 'hpet=disable', 'pmtmr=0'],
          // The kernel, like programs above, is at the same addresses each time: what memcpy executes depends on
          // alignment.
          'nokaslr',
          // The kernel measures this timer's frequency by spinning for 0.2 s on `pause`. At each `pause` QEMU leaves
          // the translated code, so that this takes 12 s under icount. The PIT gives the ticks instead.
          'nolapic_timer',
        ],
      );
  }
}

/**
 * QEMU's arguments for a boot. The host's root is exported read-only, the run folder writable.
 *
 * @param restored whether the machine comes from a snapshot instead of the kernel
 */
export function qemuArguments(
  boot: Pick<Boot, 'accelerator' | 'image' | 'initramfs' | 'memoryMiB' | 'cpus' | 'runFolder' | 'plugin'>,
  restored = false,
): string[] {
  const { qemu, kernel } = machineArguments(boot.accelerator);
  const share = (path: string, tag: string, id: string) =>
    `local,id=${id},path=${path},mount_tag=${tag},security_model=none,multidevs=remap`;
  return [
    ...qemu,
    // Kernels without ACPI find their CPUs by the firmware's table, which names one for each socket.
    ...['-smp', `${boot.cpus},sockets=${boot.cpus}`, '-m', `${boot.memoryMiB}M`],
    ...['-virtfs', `${share('/', '/dev/root', 'root')},readonly=on`],
    ...['-virtfs', share(boot.runFolder, 'vmtest-shared', 'shared')],
    ...['-kernel', boot.image, '-initrd', boot.initramfs.file, '-append', kernel.join(' ')],
    ...(boot.plugin === undefined ? [] : ['-plugin', `${boot.plugin.file},secret=${boot.plugin.secret}`]),
    ...(restored ? ['-incoming', `fd:${snapshotDescriptor}`] : []),
  ];
}
