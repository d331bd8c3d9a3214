import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Cache, findEntry, locateCache, obtainEntry, openCache, publishEntry } from '../../src/cache/cache.ts';
import { InputError, MachineError } from '../../src/common/errors.ts';

describe('locateCache', () => {
  test.each([
    [{ BPFGATE_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
    [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/bpfgate'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/c' }, '/c/.cache/bpfgate'],
    [{ BPFGATE_CACHE: '', HOME: '/c' }, '/c/.cache/bpfgate'],
  ])('%o gives %s', (env, expected) => {
    expect(locateCache(env)).toBe(expected);
  });

  test('refuses a relative BPFGATE_CACHE', () => {
    expect(() => locateCache({ BPFGATE_CACHE: 'here' })).toThrow(InputError);
  });

  test.each(['/proc/x', '/sys/kernel'])('%s cannot be opened', (root) => {
    expect(() => openCache(root)).toThrow(`the cache cannot be \`${root}\``);
  });
});

describe('publishEntry', () => {
  let cache: Cache;
  beforeEach(async () => {
    cache = openCache(await mkdtemp(join(tmpdir(), 'bpfgate-cache-')));
  });
  afterEach(() => rm(cache.root, { recursive: true }));

  const fillWith = (content: string) => (dir: string) => writeFile(join(dir, 'file'), content);

  test('creates an entry once', async () => {
    expect(findEntry(cache, 'kind', 'key')).toBeUndefined();
    const path = await publishEntry(cache, 'kind', 'key', fillWith('first'));
    expect(findEntry(cache, 'kind', 'key')).toBe(path);
    expect(await publishEntry(cache, 'kind', 'key', fillWith('second'))).toBe(path);
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('first');
  });

  test.each<[string, (entry: string) => Promise<void>]>([
    ['has other content', (entry) => writeFile(join(entry, 'file'), 'other')],
    ['may be run', (entry) => chmod(join(entry, 'file'), 0o755)],
    ['is gone', (entry) => rm(join(entry, 'file'))],
    ['is a link', (entry) => rm(join(entry, 'file')).then(() => symlink('/etc/hostname', join(entry, 'file')))],
    ['is not alone', (entry) => writeFile(join(entry, 'another'), '')],
  ])('an entry with a file that %s since it was created is not used', { tags: ['hostile'] }, async (_, change) => {
    const path = await publishEntry(cache, 'kind', 'key', fillWith('first'));
    await change(path);
    // A fresh module acts as another process, which has not compared it yet.
    vi.resetModules();
    const other = await import('../../src/cache/cache.ts');
    const message = `\`${path}\` was changed after it came into the cache, and is not used`;
    await expect(other.obtainEntry(cache, 'kind', 'key')).rejects.toThrow(message);
    await expect(other.publishEntry(cache, 'kind', 'key', fillWith('second'))).rejects.toThrow(message);
    await rm(path, { recursive: true });
    expect(await other.publishEntry(cache, 'kind', 'key', fillWith('second'))).toBe(path);
  });

  test('an incomplete entry is never visible', async () => {
    await publishEntry(cache, 'kind', 'key', async (dir) => {
      await writeFile(join(dir, 'file'), 'half');
      expect(findEntry(cache, 'kind', 'key')).toBeUndefined();
    });
  });

  test('the loser of a race discards its entry and uses the winner’s', async () => {
    let release = () => {};
    const winnerIsDone = new Promise<void>((resolve) => {
      release = resolve;
    });
    const loser = publishEntry(cache, 'kind', 'key', async (dir) => {
      await fillWith('loser')(dir);
      await winnerIsDone;
    });
    await publishEntry(cache, 'kind', 'key', fillWith('winner'));
    release();
    expect(await readFile(join(await loser, 'file'), 'utf8')).toBe('winner');
    expect(await readdir(join(cache.root, 'kind'))).toEqual(['key']);
  });

  test('many concurrent writers leave one entry', async () => {
    const paths = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publishEntry(cache, 'kind', 'key', fillWith(String(i)))),
    );
    expect(new Set(paths).size).toBe(1);
    expect(await readdir(join(cache.root, 'kind'))).toEqual(['key']);
  });

  test('a failed writer leaves nothing and throws the error', async () => {
    const failing = publishEntry(cache, 'kind', 'key', async (dir) => {
      await fillWith('half')(dir);
      throw new Error('disk on fire');
    });
    await expect(failing).rejects.toThrow('disk on fire');
    expect(await readdir(join(cache.root, 'kind'))).toEqual([]);
  });

  test('removes the unfinished entries of dead processes, and not those of living ones', async () => {
    const folder = join(cache.root, 'kind');
    await publishEntry(cache, 'kind', 'other', async () => {
      // That of a living process, by which those of a dead one and of another container's are named.
      const [alive = ''] = await readdir(folder);
      const dead = alive.replace(`-${process.pid}.`, `-${spawnSync('true').pid}.`);
      const [recent, old] = ['.key.c0ffee-1.aBc123', '.old-1.2.c0ffee-1.aBc123'];
      for (const name of [dead, recent, old]) await mkdir(join(folder, name));
      await utimes(join(folder, old), 0, 0);
      await publishEntry(cache, 'kind', 'key', fillWith('new'));
      expect((await readdir(folder)).sort()).toEqual([recent, alive, 'key'].sort());
    });
  });

  test('an unwritable folder is an error that names it', async () => {
    await writeFile(join(cache.root, 'file'), '');
    const failing = publishEntry(openCache(join(cache.root, 'file')), 'kind', 'key', fillWith(''));
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toThrow('kind');
  });

  test('a restored entry is synced to the disk before it gets its name', async () => {
    const bin = join(cache.root, 'bin');
    const log = join(cache.root, 'synced');
    await mkdir(bin);
    await writeFile(join(bin, 'sync'), `#!/bin/sh\necho "$@: $(ls ${join(cache.root, 'kind')})" >${log}\n`, {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    const staging = join(cache.root, 'staging');
    const remote = {
      made: () => {},
      restore: async (_: string, __: string, place: (folder: string) => Promise<void>) => {
        await mkdir(staging);
        await fillWith('restored')(staging);
        await place(staging);
        return true;
      },
    };
    try {
      const path = await obtainEntry({ ...cache, remote }, 'kind', 'key');
      expect(await readFile(join(path ?? '', 'file'), 'utf8')).toBe('restored');
      expect(await readFile(log, 'utf8')).toBe(`--file-system ${staging}: \n`);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
