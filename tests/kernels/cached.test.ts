import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, openCache, publishEntry } from '../../src/cache/cache.ts';
import { InputError, KernelError } from '../../src/common/errors.ts';
import { sourceConfigSha256 } from '../../src/kernels/build/config.ts';
import {
  cachedKernel,
  chooseKernels,
  findUnreadable,
  identityOf,
  type KernelRecord,
  kernelKind,
  listTreeKernels,
  readKernelRecord,
  verifyKernel,
  writeKernelRecord,
} from '../../src/kernels/cached.ts';
import { debianPin, sourcePin, sumOf, treeKernel } from './kernel-fixtures.ts';

let cache: Cache;

beforeEach(async () => {
  cache = openCache(await mkdtemp(join(tmpdir(), 'bpfgate-cached-')));
});

afterEach(() => rm(cache.root, { recursive: true }));

interface Entry {
  readonly image?: string;
  /** Text of each module, by its name. */
  readonly modules?: Readonly<Record<string, string>>;
  readonly record: Pick<KernelRecord, 'origin' | 'madeFrom'> & Partial<KernelRecord>;
  /** Seconds since 1970. */
  readonly madeAt?: number;
}

async function publish(key: string, { image = 'the image', modules, record, madeAt = 1 }: Entry): Promise<string> {
  const entry = await publishEntry(cache, kernelKind, key, async (folder) => {
    await writeFile(join(folder, 'vmlinuz'), image);
    await writeFile(join(folder, 'config'), 'CONFIG_BPF=y\n');
    for (const [name, text] of Object.entries(modules ?? {})) {
      await mkdir(join(folder, 'modules', 'lib'), { recursive: true });
      await writeFile(join(folder, 'modules', 'lib', name), text);
    }
    await writeKernelRecord(folder, { minor: '5.8', release: '5.8.18', uname: '5.8.18', ...record });
  });
  await utimes(join(entry, 'kernel.json'), madeAt, madeAt);
  return entry;
}

const modules = { 'a.ko': 'a module', 'b.ko': 'another' };
const debian = debianPin('5.8.18');
const publishDebian = () => publish(debian.sha256, { modules, record: { origin: 'debian', madeFrom: debian.sha256 } });
const source = sourcePin('5.8.18');
const built = (fields: Partial<KernelRecord> = {}) =>
  ({ origin: 'source', madeFrom: source.sha256, configSha256: sourceConfigSha256(), ...fields }) as const;

describe('cachedKernel', () => {
  test('finds an entry with modules and one without', async () => {
    const withModules = await publishDebian();
    expect(cachedKernel(debian, cache)).toEqual({
      pin: debian,
      image: join(withModules, 'vmlinuz'),
      imageSha256: sumOf('the image'),
      uname: '5.8.18',
      config: join(withModules, 'config'),
      modulesRoot: join(withModules, 'modules'),
    });
    await publish('any key', { record: built() });
    expect(cachedKernel(source, cache)).toMatchObject({ pin: source, modulesRoot: undefined });
  });

  test('a build of another tarball or with another configuration is not the pinned kernel', async () => {
    await publish('1', { record: built({ madeFrom: sumOf('another tarball') }) });
    await publish('2', { record: built({ configSha256: sumOf('earlier options') }) });
    await publish('3', { record: { origin: 'tree', madeFrom: source.sha256, configSha256: sourceConfigSha256() } });
    expect(cachedKernel(source, cache)).toBeUndefined();
  });

  test('of builds by several compilers the latest is used', async () => {
    await publish('1', { image: 'by gcc 12', record: built({ compiler: 'gcc 12' }), madeAt: 1 });
    await publish('2', { image: 'by gcc 14', record: built({ compiler: 'gcc 14' }), madeAt: 3 });
    await publish('3', { image: 'by gcc 13', record: built({ compiler: 'gcc 13' }), madeAt: 2 });
    expect(cachedKernel(source, cache)?.imageSha256).toBe(sumOf('by gcc 14'));
  });

  test('the image of a release is preferred to one built here', async () => {
    const asset = { tag: 'kernels-1', name: 'image', sha256: sumOf('asset'), sizeBytes: 1 };
    await publish('1', { image: 'built here', record: built(), madeAt: 9 });
    expect(cachedKernel({ ...source, asset }, cache)?.imageSha256).toBe(sumOf('built here'));
    await publish(asset.sha256, { image: 'the published one', record: built() });
    expect(cachedKernel({ ...source, asset }, cache)?.imageSha256).toBe(sumOf('the published one'));
  });

  test('an unreadable record is an error if the key names its kernel, and is skipped otherwise', async () => {
    const entry = await publishDebian();
    await writeFile(join(entry, 'kernel.json'), '{');
    expect(() => cachedKernel(debian, cache)).toThrow(KernelError);
    expect(cachedKernel(source, cache)).toBeUndefined();
    expect(listTreeKernels(cache)).toEqual([]);
    expect(findUnreadable(cache).map(({ message }) => message)).toEqual([
      `cannot read \`${join(entry, 'kernel.json')}\``,
    ]);
  });

  test('an entry that is still being created is skipped', async () => {
    const entry = await publish('1', { record: built() });
    await rename(entry, join(cache.root, kernelKind, '.1.4711.abc'));
    expect(cachedKernel(source, cache)).toBeUndefined();
    expect(findUnreadable(cache)).toEqual([]);
  });
});

describe('kernels built from trees', () => {
  const tree = (fields: Partial<KernelRecord> & { tree: string }) =>
    ({ origin: 'tree', madeFrom: sumOf(fields.tree), configSha256: sourceConfigSha256(), ...fields }) as const;

  test('are listed oldest first, for each minor version the one built last', async () => {
    await publish('1', { image: 'first', record: tree({ tree: 'a' }), madeAt: 1 });
    await publish('2', { image: 'second', record: tree({ tree: 'b' }), madeAt: 2 });
    await publish('3', { record: tree({ tree: 'c', minor: '5.10', release: '5.10.7' }), madeAt: 1 });
    const earlier = tree({ tree: 'd', configSha256: sumOf('earlier options') });
    await publish('4', { image: 'of other options', record: earlier, madeAt: 3 });
    await publish('4', { record: built(), madeAt: 5 });
    await publishDebian();
    expect(listTreeKernels(cache)).toEqual([
      treeKernel('5.8.18', 'second'),
      { ...treeKernel('5.10.7', 'the image'), support: 'longterm' },
    ]);
  });

  test('are chosen by their id and found in the cache', async () => {
    expect(() => chooseKernels(['5.8:tree'], cache)).toThrow(InputError);
    const entry = await publish('1', { record: tree({ tree: 'a' }) });
    const [chosen, ...others] = chooseKernels(['5.8:tree'], cache);
    expect(others).toEqual([]);
    expect(chosen).toEqual(treeKernel('5.8.18', 'the image'));
    if (chosen === undefined) throw new Error('none');
    expect(cachedKernel(chosen, cache)?.image).toBe(join(entry, 'vmlinuz'));
  });

  test("do not change a minor version's default", async () => {
    const before = chooseKernels(['all'], cache);
    await publish('1', { record: tree({ tree: 'a' }) });
    expect(chooseKernels(['all'], cache)).toEqual(before);
  });
});

describe('verifyKernel', () => {
  const broken = async () => (await verifyKernel(debian, cache).catch((reason: unknown) => reason)) as KernelError;

  test('accepts an unchanged entry, and reports a missing one', async () => {
    expect(await verifyKernel(debian, cache)).toBeUndefined();
    await publishDebian();
    expect(await verifyKernel(debian, cache)).toEqual(cachedKernel(debian, cache));
    await publish('1', { record: built() });
    expect(await verifyKernel(source, cache)).toEqual(cachedKernel(source, cache));
  });

  test('reports both checksums of a changed image, and the command that fixes it', async () => {
    const entry = await publishDebian();
    await writeFile(join(entry, 'vmlinuz'), 'another image');
    const error = await broken();
    expect(error).toBeInstanceOf(KernelError);
    expect(error.message).toContain(sumOf('the image'));
    expect(error.message).toContain(sumOf('another image'));
    expect(error.hint).toBe(`rm -r ${entry} && bpfgate kernels fetch 5.8`);
  });

  test.each<[string, (folder: string) => Promise<void>]>([
    ['changed', (folder) => writeFile(join(folder, 'a.ko'), 'b module')],
    ['removed', (folder) => rm(join(folder, 'a.ko'))],
    ['added', (folder) => writeFile(join(folder, 'c.ko'), '')],
    ['renamed', (folder) => rename(join(folder, 'a.ko'), join(folder, 'c.ko'))],
  ])('detects a module that was %s', async (_, change) => {
    const entry = await publishDebian();
    await change(join(entry, 'modules', 'lib'));
    expect((await broken()).message).toContain('a module changed since');
  });

  test.each(['vmlinuz', 'config', 'modules', 'kernel.json'])('a missing %s is broken', async (name) => {
    const entry = await publishDebian();
    await rm(join(entry, name), { recursive: true });
    expect(await broken()).toMatchObject({ name: 'KernelError', hint: expect.stringContaining(`rm -r ${entry}`) });
  });

  test('an entry that another package was unpacked into is broken', async () => {
    await publish(debian.sha256, { record: { origin: 'debian', madeFrom: sumOf('another package') } });
    expect((await broken()).message).toContain('was not made from what is pinned');
  });
});

test('a kernel is identified by its Debian package, or else by its image', () => {
  const kernel = { image: '', imageSha256: sumOf('image'), uname: '', config: '', modulesRoot: undefined };
  expect(identityOf({ ...kernel, pin: debian })).toBe(debian.sha256);
  expect(identityOf({ ...kernel, pin: source })).toBe(sumOf('image'));
});

test('a record has the given values and the checksums of the files', async () => {
  const entry = await publish('1', { modules, record: built({ compiler: 'gcc 12.2.0' }) });
  expect(readKernelRecord(entry)).toEqual({
    schema: 'bpfgate.cached-kernel/2',
    minor: '5.8',
    release: '5.8.18',
    uname: '5.8.18',
    imageSha256: sumOf('the image'),
    modulesSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    ...built({ compiler: 'gcc 12.2.0' }),
  });
});
