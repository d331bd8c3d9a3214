import { expect, test } from 'vitest';
import { requireConfig } from '../../src/kernels/needs.ts';

const whole = [
  ...['VIRTIO_PCI=m', 'NET_9P=m', 'NET_9P_VIRTIO=m', '9P_FS=m', 'OVERLAY_FS=m'],
  ...['BLK_DEV_INITRD=y', 'DEVTMPFS=y', 'TMPFS=y', 'SERIAL_8250_CONSOLE=y', 'BPF_SYSCALL=y', 'DEBUG_INFO_BTF=y'],
  ...['PROC_FS=y', 'BINFMT_SCRIPT=y', 'BPF_JIT=y'],
].map((line) => `CONFIG_${line}`);
const without = (option: string) =>
  whole.map((line) => (line.startsWith(`CONFIG_${option}=`) ? `# CONFIG_${option} is not set` : line)).join('\n');
const debian = { id: '6.1', origin: 'debian' } as const;
const tree = { id: '5.8:tree', origin: 'tree' } as const;
const measured = { hasModules: true, measured: true };

test('a kernel with all options passes', () => {
  expect(() => requireConfig(debian, whole.join('\n'), measured)).not.toThrow();
});

test("a kernel without 9p is refused with the option's name", () => {
  const refused = () => requireConfig(debian, without('9P_FS'), measured);
  expect(refused).toThrow(/^kernel 6\.1 is built without what bpfgate needs:\n {2}CONFIG_9P_FS: 9p, [^\n]*$/);
  expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining('-cloud flavour has no 9p') }));
});

test('options as modules do not count for a kernel without modules', () => {
  const options = { hasModules: false, measured: false };
  expect(() => requireConfig(tree, whole.join('\n'), options)).toThrow('CONFIG_NET_9P_VIRTIO');
  expect(() => requireConfig(tree, whole.join('\n').replaceAll('=m', '=y'), options)).not.toThrow();
});

test('a kernel without BTF runs commands, and is not measured', () => {
  const config = without('DEBUG_INFO_BTF');
  expect(() => requireConfig(tree, config, { ...measured, measured: false })).not.toThrow();
  const refused = () => requireConfig(tree, config, measured);
  expect(refused).toThrow('CONFIG_DEBUG_INFO_BTF: BTF');
  expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining('kernels build') }));
});

test('the console and the initramfs must be built in', () => {
  const config = whole.join('\n').replace('SERIAL_8250_CONSOLE=y', 'SERIAL_8250_CONSOLE=m');
  expect(() => requireConfig(debian, config, measured)).toThrow('CONFIG_SERIAL_8250_CONSOLE: the console');
});
