// Guest, pure: the machine a guest gets, as QEMU arguments and kernel parameters.

import type { Accelerator } from '../model/guest-run.ts';

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

export interface MachineArguments {
  readonly cpuModel: string;
  /** QEMU arguments in addition to those that vmtest passes. */
  readonly qemu: readonly string[];
  /** Kernel parameters in addition to those that vmtest passes. */
  readonly kernel: readonly string[];
}

/** QEMU and kernel arguments of a machine with the given accelerator. */
export function machineArguments(accelerator: Accelerator): MachineArguments {
  switch (accelerator) {
    case 'kvm':
      return { cpuModel: 'host', qemu: ['-accel', 'kvm', '-cpu', 'host'], kernel: [] };
    case 'tcg':
      return {
        cpuModel: emulatedCpu,
        qemu: ['-accel', 'tcg', '-cpu', emulatedCpu],
        kernel: [...emulatedKernel, pmTimer],
      };
    case 'tcg-icount':
      return {
        cpuModel: emulatedCpu,
        // shift=0: one instruction is one nanosecond of the guest's clock. sleep=off: idle time is skipped.
        qemu: [
          ...['-accel', 'tcg,thread=single'],
          ...['-icount', 'shift=0,sleep=off,align=off'],
          ...['-rtc', 'clock=vm'],
          ...['-cpu', emulatedCpu],
        ],
        kernel: [
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
      };
  }
}

/**
 * QEMU arguments that let a guest find all of its CPUs. Kernels without ACPI use the firmware's MP table, which names
 * one CPU for each socket.
 */
export function socketArguments(cpus: number): string[] {
  return cpus === 1 ? [] : ['-smp', `sockets=${cpus}`];
}
