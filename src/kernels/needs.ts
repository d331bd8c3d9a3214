// Kernels, pure: options that a kernel must have been configured with to be a guest of bpfgate, and to be measured.

import { KernelError } from '../common/errors.ts';
import type { KernelPin } from '../model/kernel.ts';

/** Options needed for the guest to start. They may be modules where the kernel comes with modules. */
const loadable = [
  ['CONFIG_VIRTIO_PCI', 'virtio devices'],
  ['CONFIG_NET_9P', '9p, by which the guest sees the host'],
  ['CONFIG_NET_9P_VIRTIO', '9p over virtio'],
  ['CONFIG_9P_FS', '9p, by which the guest sees the host'],
  ['CONFIG_OVERLAY_FS', 'overlayfs, which protects the host'],
] as const;

/** Options needed for the guest to start, which must be built in. */
const builtIn = [
  ['CONFIG_BLK_DEV_INITRD', 'the initramfs'],
  ['CONFIG_DEVTMPFS', 'devices'],
  ['CONFIG_TMPFS', 'what the guest writes'],
  ['CONFIG_SERIAL_8250_CONSOLE', 'the console'],
  ['CONFIG_BPF_SYSCALL', 'BPF'],
  ['CONFIG_PROC_FS', 'the guest agent'],
  ['CONFIG_BINFMT_SCRIPT', 'the start of the guest'],
] as const;

/** Options needed for measuring, which must be built in. */
const toMeasure = [
  ['CONFIG_BPF_JIT', 'machine code of programs, which is what is counted'],
  ['CONFIG_DEBUG_INFO_BTF', 'BTF, which CO-RE, fentry, BPF LSM and source lines need'],
] as const;

/** Everything that a guest needs, a line each, for a kernel whose configuration is not known. */
export const neededOptions = describe([...loadable, ...builtIn, ...toMeasure]);

function describe(options: readonly (readonly [option: string, purpose: string])[]): string {
  return options.map(([option, purpose]) => `  ${option}: ${purpose}`).join('\n');
}

/**
 * @param config text of the kernel's configuration
 * @param options.hasModules whether the kernel's modules are available
 * @param options.measured whether programs are measured in it, or only a command is run
 * @throws KernelError naming each missing option and its purpose
 */
export function requireConfig(
  pin: Pick<KernelPin, 'id' | 'origin'>,
  config: string,
  { hasModules, measured }: { readonly hasModules: boolean; readonly measured: boolean },
): void {
  const isSet = (option: string, asModule: boolean) =>
    new RegExp(`^${option}=(y${asModule ? '|m' : ''})$`, 'm').test(config);
  const missing = [
    ...loadable.filter(([option]) => !isSet(option, hasModules)),
    ...[...builtIn, ...(measured ? toMeasure : [])].filter(([option]) => !isSet(option, false)),
  ];
  if (missing.length === 0) return;
  throw new KernelError(`kernel ${pin.id} is built without what bpfgate needs:\n${describe(missing)}`, {
    hint: hintFor(pin.origin, hasModules),
  });
}

function hintFor(origin: KernelPin['origin'], hasModules: boolean): string {
  if (origin === 'debian') return 'pin a package of the plain -amd64 flavour; the -cloud flavour has no 9p';
  if (origin !== 'own') return 'set these options in kernels/config/ and `bpfgate kernels build` it again';
  return hasModules
    ? 'take a kernel that is built with these options'
    : 'it comes without modules, so these have to be built in (=y): build it so, or give a package or folder that has its modules';
}
