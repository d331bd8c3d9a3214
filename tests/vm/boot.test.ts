import { describe, expect, test } from 'vitest';
import { type BootEnd, checkPaths, lostGuest } from '../../src/vm/boot.ts';
import { boot } from './boot-fixture.ts';

test.each(['/a b', '/a,b', '/a"b', "/a'b", '/a$b', '/a`b', '/a;b'])('a path like %s is refused', (path) => {
  expect(() => checkPaths(['/good/path-1.0_x', path])).toThrow(path.slice(1, 2));
  expect(() => checkPaths(['/good/path-1.0_x'])).not.toThrow();
});

describe('a lost guest', () => {
  const end: BootEnd = {
    status: undefined,
    timedOut: false,
    exitCode: 0,
    panic: undefined,
    consoleTail: [],
    timing: [],
  };

  test('panicked, timed out, or ended', () => {
    expect(lostGuest(boot, { ...end, panic: '' }).message).toMatch(/^the guest of kernel \S+ panicked$/);
    expect(lostGuest(boot, { ...end, panic: 'Fatal exception' }).message).toMatch(/ panicked: Fatal exception$/);
    const late = lostGuest(boot, { ...end, timedOut: true });
    expect(late.message).toContain('did not finish within its 1 s');
    expect(late.hint).toMatch(/^raise the limit with --timeout \(input timeout\);/);
    expect(lostGuest(boot, end).hint).not.toContain('--timeout');
    expect(lostGuest(boot, end).message).toContain('ended before the guest agent had finished');
  });

  test('shows the error of the initramfs', () => {
    const consoleTail = [
      "bpfgate-initramfs: cannot mount the host's root over 9p: does the kernel have 9p and virtio?",
      'reboot',
    ];
    const error = lostGuest(boot, { ...end, consoleTail });
    expect(error.message).toContain("cannot mount the host's root over 9p");
    expect(error.consoleTail).toEqual(consoleTail);
  });
});
