// The machine a guest gets, as QEMU arguments and kernel parameters. Pure.

import type { Accelerator } from './guest-run.ts';

/**
 * CPU model under emulation. A named one, because `max` changes with QEMU's version; Nehalem is x86-64-v2, has no
 * rdrand and rdseed (TCG takes those from the host's randomness) and no la57, which slows 5.10's boot by seconds.
 */
const emulatedCpu = 'Nehalem';

/**
 * Only about speed. Page-table isolation guards processors of Nehalem's age against Meltdown, on later ones kernels leave
 * it off; under emulation it flushes the translation cache at every system call. Whether the timer is wired up and
 * whether the crypto algorithms work need not be found out at every boot. And programs lie at the same addresses each
 * time: there QEMU finds what it has translated before, which makes a compiler's second run twice as fast.
 */
const emulatedKernel = ['pti=off', 'no_timer_check', 'cryptomgr.notests', 'norandmaps'];

/**
 * Where QEMU's firmware puts the PM timer, on both of its PC machines. Kernels with ACPI read it from a table; those that
 * bpfgate builds have no ACPI, and nothing else to measure the TSC against.
 */
const pmTimer = 'pmtmr=0x608';

export interface MachineArguments {
  readonly cpuModel: string;
  /** For QEMU, beyond what vmtest passes. */
  readonly qemu: readonly string[];
  /** For the kernel, beyond what vmtest passes. */
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
        // shift=0: one instruction is one nanosecond of the guest's clock; sleep=off: idle time is jumped over.
        qemu: [
          ...['-accel', 'tcg,thread=single'],
          ...['-icount', 'shift=0,sleep=off,align=off'],
          ...['-rtc', 'clock=vm'],
          ...['-cpu', emulatedCpu],
        ],
        kernel: [
          ...emulatedKernel,
          // The frequency is given, and no other clock is left to refine it against: a refined one is off by a few
          // parts in a million on some boots, and counts with it.
          ...['tsc=reliable', 'tsc_early_khz=1000000', 'hpet=disable', 'pmtmr=0'],
          // The kernel at the same addresses each time, and as above programs: what memcpy executes depends on alignment.
          'nokaslr',
          // The kernel measures this timer's frequency by spinning for 0.2 s on `pause`, at each of which QEMU leaves
          // the translated code: 12 s under icount. The PIT gives the ticks instead.
          'nolapic_timer',
        ],
      };
  }
}

/**
 * QEMU arguments by which a guest finds all of its CPUs: the firmware's MP table, which kernels without ACPI go by, names
 * one for each socket.
 */
export function socketArguments(cpus: number): string[] {
  return cpus === 1 ? [] : ['-smp', `sockets=${cpus}`];
}
