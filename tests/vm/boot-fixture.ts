// A boot that is never started, for the tests of both runners.

import { readPins } from '../../src/kernels/pins.ts';
import type { Boot } from '../../src/vm/boot.ts';

const [pin] = readPins();
if (pin === undefined) throw new Error('no pins');
export const boot: Boot = {
  kernel: {
    pin,
    image: '/cache/vmlinuz',
    imageSha256: 'ab'.repeat(32),
    uname: 'x',
    config: '/cache/config',
    modulesRoot: '/cache/modules',
  },
  image: '/cache/vmlinux',
  accelerator: 'tcg-icount',
  initramfs: { file: '/cache/initramfs.cpio', sha256: '0' },
  memoryMiB: 2048,
  cpus: 1,
  runFolder: '/tmp/run',
  agent: '/cache/agent',
  qemu: '/usr/bin/qemu-system-x86_64',
  readable: ['/usr', '/cache'],
  path: '/usr/bin',
  timeoutMs: 1000,
};
