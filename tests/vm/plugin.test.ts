import { expect, test } from 'vitest';
import { requirePlugins } from '../../src/vm/plugin.ts';

const qemu = { qemu: '/usr/bin/qemu-system-x86_64', qemuVersion: '7.2.22' };

test('a QEMU without plugins is refused by name', () => {
  expect(() => requirePlugins('-snapshot\n-plugin [file=]<file>[,<argname>=<argvalue>]\n', qemu)).not.toThrow();
  expect(() => requirePlugins('-snapshot       write to temporary files\n', qemu)).toThrow(
    '/usr/bin/qemu-system-x86_64 (QEMU 7.2.22) was built without TCG plugins, which see what runs execute',
  );
});
