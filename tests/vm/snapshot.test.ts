import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Boot } from '../../src/vm/boot.ts';
import { addSnapshot, findSnapshot, removeSnapshot, snapshotOf } from '../../src/vm/snapshot.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('snapshots', () => {
  const versions = { qemu: 'QEMU 7.2' };

  test('have a key that depends on every part of the machine, and not on the run', async () => {
    const cache = { root: folder };
    const key = async (change: Partial<Boot>, of = versions) =>
      (await snapshotOf({ ...boot, ...change }, cache, of)).key;
    const keys = await Promise.all([
      key({}),
      key({ kernel: { ...boot.kernel, imageSha256: 'cd'.repeat(32) } }),
      key({ image: '/cache/vmlinuz' }),
      key({ accelerator: 'tcg' }),
      key({ initramfs: { file: '/cache/initramfs.cpio', sha256: '1' } }),
      key({ memoryMiB: 1024 }),
      key({ cpus: 2 }),
      key({}, { qemu: 'QEMU 10.0' }),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    const unshaping = {
      runFolder: '/tmp/other',
      agent: '/other/agent',
      timeoutMs: 1,
      plugin: { file: '/cache/plugin.so', secret: 'a' },
    };
    expect(await key(unshaping)).toBe(keys[0]);
  });

  test('replace those of the same kernel, accelerator and memory', async () => {
    const cache = { root: join(folder, 'cache') };
    const save = (text: string) => (file: string) => writeFile(file, text);
    const first = await snapshotOf(boot, cache, versions);
    const other = await snapshotOf({ ...boot, memoryMiB: 512 }, cache, versions);
    const second = await snapshotOf(boot, cache, { qemu: 'QEMU 10.0' });
    await addSnapshot(first, save('first'));
    await addSnapshot(other, save('other'));
    await addSnapshot(second, save('second'));
    expect(findSnapshot(first)).toBeUndefined();
    expect(await readFile(findSnapshot(second) ?? '', 'utf8')).toBe('second');
    expect(await readFile(findSnapshot(other) ?? '', 'utf8')).toBe('other');
    await removeSnapshot(second);
    expect(findSnapshot(second)).toBeUndefined();
  });

  test('that could not be saved leave nothing', async () => {
    const cache = { root: join(folder, 'failing') };
    const snapshot = await snapshotOf(boot, cache, versions);
    const failing = addSnapshot(snapshot, () => Promise.reject(new Error('No space left on device')));
    await expect(failing).rejects.toThrow('No space left');
    expect(findSnapshot(snapshot)).toBeUndefined();
    expect(await readdir(join(cache.root, snapshot.kind))).toEqual([]);
  });
});
