// Kernels that panic: the message, and when a guest is booted once more.

import { describe, expect, test, vi } from 'vitest';
import { VmError } from '../../src/common/errors.ts';
import { type BootEnd, lostGuest, readPanic } from '../../src/vm/boot.ts';
import { againAfterBootPanic } from '../../src/vm/build-in-guest.ts';
import { boot } from './boot-fixture.ts';

describe('the reason for a kernel panic', () => {
  test.each([
    [
      '[    1.2] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
      'VFS: Unable to mount root fs on unknown-block(0,0)',
    ],
    ['Kernel panic - not syncing', ''],
    [
      'PANIC: early exception 0x0d IP 10:ffffffff81000000 error 0 cr2 0x0',
      'early exception 0x0d IP 10:ffffffff81000000 error 0 cr2 0x0',
    ],
    ['[    0.0] Kernel command line: panic=-1', undefined],
  ])('%s', (line, why) => {
    expect(readPanic(line)).toBe(why);
  });

  test('is one line, with a limited length', () => {
    expect(readPanic(`Kernel panic - not syncing: ${'x'.repeat(60_000)}`)?.length).toBeLessThanOrEqual(200);
  });
});

describe('a panic', () => {
  const end: BootEnd = {
    status: undefined,
    timedOut: false,
    exitCode: 0,
    panic: 'Fatal exception',
    consoleTail: [],
    timing: [{ stage: 'kernel', ms: 1 }],
  };

  test('counts as one of the boot until the agent has started', () => {
    expect(lostGuest(boot, end).panickedInBoot).toBe(true);
    const begun: BootEnd = { ...end, timing: [...end.timing, { stage: 'command', ms: 1 }] };
    expect(lostGuest(boot, begun).panickedInBoot).toBe(false);
    expect(lostGuest(boot, { ...end, panic: undefined }).panickedInBoot).toBe(false);
  });

  test("caused by the end of init has init's message", () => {
    const consoleTail = ['bpfgate-initramfs: cannot mount the overlay'];
    expect(lostGuest(boot, { ...end, panic: 'Attempted to kill init!', consoleTail }).message).toMatch(
      / panicked: cannot mount the overlay$/,
    );
  });
});

describe('a guest that builds', () => {
  const inBoot = () => new VmError('the guest of kernel 6.12 panicked', { panickedInBoot: true });

  test('is booted once more after a panic in its boot, with a warning', async () => {
    const start = vi.fn<() => Promise<string>>().mockRejectedValueOnce(inBoot()).mockResolvedValue('built');
    const warn = vi.fn();
    expect(await againAfterBootPanic(start, { warn })).toBe('built');
    expect(warn.mock.calls).toEqual([['the guest of kernel 6.12 panicked; it is booted once more']]);
  });

  test('is not booted a third time', async () => {
    const start = vi.fn<() => Promise<string>>().mockImplementation(() => Promise.reject(inBoot()));
    await expect(againAfterBootPanic(start, { warn: vi.fn() })).rejects.toThrow('panicked');
    expect(start).toHaveBeenCalledTimes(2);
  });

  test('is not booted again when it panicked in the build, or failed otherwise', async () => {
    for (const error of [new VmError('panicked in the build'), new Error('no disk')]) {
      const start = vi.fn<() => Promise<string>>().mockRejectedValue(error);
      await expect(againAfterBootPanic(start, { warn: vi.fn() })).rejects.toThrow(error);
      expect(start).toHaveBeenCalledTimes(1);
    }
  });
});
