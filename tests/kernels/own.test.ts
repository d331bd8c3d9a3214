import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Cache, openCache } from '../../src/cache/cache.ts';
import { KernelError } from '../../src/common/errors.ts';
import { chooseKernels, identityOf } from '../../src/kernels/cached.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import { findOwnKernels } from '../../src/kernels/own/find.ts';
import type { CachedKernel, KernelPin } from '../../src/model/kernel.ts';
import { makeBzImage, withIkconfig } from './fake-image.ts';
import { sumOf } from './kernel-fixtures.ts';

const release = '6.1.7-test';
const log = { progress: () => {}, warn: () => {} };
let scratch: string;
let folder: string;
let cache: Cache;

beforeAll(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'bpfgate-own-')));
});
afterAll(() => rm(scratch, { recursive: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(scratch, 'case-'));
  cache = openCache(join(folder, 'cache'));
});
afterEach(() => vi.unstubAllGlobals());

type Files = Readonly<Record<string, string | Buffer>>;

async function put(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** A kernel as `make dir-pkg` installs it. */
const installed = (files: Files = {}): Files => ({
  [`boot/vmlinuz-${release}`]: makeBzImage(),
  [`boot/config-${release}`]: 'CONFIG_BPF=y\n',
  [`lib/modules/${release}/kernel/net/9p/9pnet.ko`]: 'a module',
  [`lib/modules/${release}/kernel/sound/soundcore.ko`]: 'a module',
  [`lib/modules/${release}/modules.order`]: 'kernel/net/9p/9pnet.ko\n',
  ...files,
});

function call(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

async function pack(name: string, files: Files, ...options: string[]): Promise<string> {
  const root = join(folder, `root-of-${name}`);
  await put(root, files);
  const file = join(folder, name);
  call('tar', '--create', '--auto-compress', '--file', file, '--directory', root, ...options, '.');
  return file;
}

async function choose(selector: string, named: Parameters<typeof findOwnKernels>[1] = []): Promise<KernelPin> {
  const [pin] = chooseKernels([selector], cache, await findOwnKernels([selector], named));
  if (pin === undefined) throw new Error(`${selector} selects nothing`);
  return pin;
}

const fetchFile = async (path: string) => await fetchKernel(await choose(`file:${path}`), { cache, log });

/** Paths of the kept modules' files. */
async function modulesOf({ modulesRoot }: CachedKernel): Promise<string[]> {
  const root = join(modulesRoot ?? '', 'lib', 'modules', release);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /\.ko$|^modules\.order$/.test(entry.name)).map(({ name }) => name);
}

describe('an image', () => {
  test('is named by its release, and its configuration is the one inside', async () => {
    const image = makeBzImage({ kernel: withIkconfig('CONFIG_BPF=y\n') });
    await put(folder, { bzImage: image });
    const kernel = await fetchFile(join(folder, 'bzImage'));
    expect(kernel).toMatchObject({
      pin: { id: release, minor: '6.1', release, origin: 'own', sha256: sumOf(image) },
      uname: release,
      modulesRoot: undefined,
    });
    expect(await readFile(kernel.config ?? '', 'utf8')).toBe('CONFIG_BPF=y\n');
    expect(identityOf(kernel)).toBe(sumOf(image));
  });

  test('without a configuration has none', async () => {
    await put(folder, { bzImage: makeBzImage({ release: '6.2.0' }) });
    expect((await fetchFile(join(folder, 'bzImage'))).config).toBeUndefined();
  });

  test('of the same release as another has a part of its checksum in its name', async () => {
    const [one, two] = ['one', 'two'].map((text) => makeBzImage({ release: '6.3.0', kernel: Buffer.from(text) }));
    await put(folder, { one: one ?? '', two: two ?? '', same: one ?? '' });
    const words = ['one', 'two', 'same'].map((name) => `file:${join(folder, name)}`);
    const pins = chooseKernels(words, cache, await findOwnKernels(words));
    expect(pins.map(({ id }) => id)).toEqual(['6.3.0', `6.3.0:${sumOf(two ?? '').slice(0, 8)}`]);
  });

  test.each([
    ['a text', Buffer.from('no kernel'), 'is no bzImage'],
    ['an ELF file', Buffer.from('\x7fELF\x02\x01'), 'is an ELF file; give the bzImage that was made of it'],
    ['for 32 bits', makeBzImage({ is64Bit: false }), 'is a kernel for 32-bit machines; guests are x86-64'],
    ['for arm64', Buffer.concat([Buffer.alloc(0x38), Buffer.from('ARM\x64')]), 'is a kernel for arm64'],
    ['a release that is a path', makeBzImage({ release: '6.1/../..' }), 'does not say which release it is'],
  ])('%s is refused', async (_, content, why) => {
    await put(folder, { file: content });
    await expect(choose(`file:${join(folder, 'file')}`)).rejects.toThrow(`${join(folder, 'file')}\` ${why}`);
  });

  test('that is missing is refused', async () => {
    await expect(choose(`file:${folder}/none`)).rejects.toThrow(`there is no kernel \`${folder}/none\``);
    await writeFile(join(folder, 'pointer'), 'version https://git-lfs.github.com/spec/v1\noid sha256:4665\nsize 9\n');
    await expect(choose(`file:${folder}/pointer`)).rejects.toThrow('it is a pointer of Git LFS');
  });

  test('that changes between two reads is refused', async () => {
    const file = join(folder, 'bzImage');
    await put(folder, { bzImage: makeBzImage({ release: '6.4.0' }) });
    const pin = await choose(`file:${file}`);
    await writeFile(file, makeBzImage({ release: '6.4.1' }));
    await expect(fetchKernel(pin, { cache, log })).rejects.toThrow(`\`${file}\` changed while it was read`);
  });
});

describe('a folder', () => {
  test('with an installed kernel gives image, configuration and the modules that a guest needs', async () => {
    await put(folder, installed());
    const kernel = await fetchFile(folder);
    expect(kernel.uname).toBe(release);
    expect(await readFile(kernel.config ?? '', 'utf8')).toBe('CONFIG_BPF=y\n');
    expect((await modulesOf(kernel)).sort()).toEqual(['9pnet.ko', 'modules.order']);
  });

  test('that is a built tree gives its modules by their places in the tree', async () => {
    const tree = join(folder, 'linux');
    await put(tree, {
      'arch/x86/boot/bzImage': makeBzImage(),
      '.config': 'CONFIG_BPF=y\n',
      'net/9p/9pnet.ko': 'a module',
      'modules.order': 'net/9p/9pnet.ko\n',
    });
    const kernel = await fetchFile(tree);
    expect((await modulesOf(kernel)).sort()).toEqual(['9pnet.ko', 'modules.order']);
    expect(await readFile(kernel.config ?? '', 'utf8')).toBe('CONFIG_BPF=y\n');
  });

  test('is the same kernel as long as its files are the same', async () => {
    await put(join(folder, 'a'), installed());
    await put(join(folder, 'b'), installed());
    await put(join(folder, 'c'), installed({ [`lib/modules/${release}/kernel/net/9p/9pnet.ko`]: 'another' }));
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => choose(`file:${join(folder, name)}`)));
    expect(b?.sha256).toBe(a?.sha256);
    expect(c?.sha256).not.toBe(a?.sha256);
  });

  test.each<[string, Files, string]>([
    ['without a kernel', { 'boot/readme': '' }, 'has no kernel'],
    ['with two kernels', installed({ 'boot/vmlinuz-6.2.0': '' }), `has 2 kernels: ${release}, 6.2.0`],
    [
      'of sources that are not built',
      { 'scripts/kconfig/Makefile': '' },
      'kernel sources without `arch/x86/boot/bzImage`',
    ],
  ])('%s is refused', async (_, files, why) => {
    await put(folder, files);
    await expect(choose(`file:${folder}`)).rejects.toThrow(why);
  });

  test('is not left by a link', { tags: ['hostile'] }, async () => {
    await put(join(folder, 'outside'), installed());
    const project = join(folder, 'project');
    await mkdir(project);
    await symlink(join(folder, 'outside'), join(project, 'kernel'));
    await symlink(join(folder, 'outside', 'boot', `vmlinuz-${release}`), join(project, 'bzImage'));
    await put(join(project, 'half', 'lib'), {});
    await mkdir(join(project, 'half'));
    await symlink(join(folder, 'outside', 'boot'), join(project, 'half', 'boot'));
    await expect(choose(`file:${project}/kernel`)).rejects.toThrow('it is a link');
    await expect(choose(`file:${project}/kernel/boot/vmlinuz-${release}`)).rejects.toThrow(
      'folder of its path is a link',
    );
    await expect(choose(`file:${project}/bzImage`)).rejects.toThrow('it is a link');
    await expect(choose(`file:${project}/half`)).rejects.toThrow('has no kernel');
  });
});

describe('a package', () => {
  test.each(['kernel.tar', 'kernel.tar.gz', 'kernel.tar.xz', 'kernel.tar.zst'])('%s is unpacked', async (name) => {
    const kernel = await fetchFile(await pack(name, installed()));
    expect(kernel.pin).toMatchObject({ id: expect.stringMatching(/^kernel(:\w{8})?$/), release, minor: '6.1' });
    expect((await modulesOf(kernel)).sort()).toEqual(['9pnet.ko', 'modules.order']);
  });

  test('of Debian is unpacked', async () => {
    const control = `Package: linux\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: x\n`;
    await put(join(folder, 'root'), installed({ 'DEBIAN/control': control }));
    const file = join(folder, 'linux.deb');
    call('dpkg-deb', '--root-owner-group', '--build', join(folder, 'root'), file);
    expect(await fetchFile(file)).toMatchObject({ uname: release });
  });

  test.each<[string, Files, string]>([
    ['without a kernel', { 'usr/bin/true': '' }, 'the package of kernel \\S+ has no kernel'],
    ['with two kernels', installed({ 'boot/vmlinuz-6.2.0': makeBzImage() }), 'has 2 kernels'],
    ['for another architecture', { [`boot/vmlinuz-${release}`]: makeBzImage({ is64Bit: false }) }, '32-bit machines'],
    [
      'with modules of another release',
      installed({ [`boot/vmlinuz-${release}`]: makeBzImage({ release: '6.2.0' }) }),
      'its modules are of another release than its image, 6.2.0',
    ],
  ])('%s is refused, and nothing stays in the cache', async (_, files, why) => {
    const failing = fetchFile(await pack('kernel.tar', files));
    await expect(failing).rejects.toThrow(KernelError);
    await expect(failing).rejects.toThrow(new RegExp(why));
    expect(await readdir(join(cache.root, 'kernels-2'))).toEqual([]);
  });

  test('that is cut off is refused', async () => {
    const file = await pack('kernel.tar.gz', installed());
    await writeFile(file, (await readFile(file)).subarray(0, 300));
    await expect(fetchFile(file)).rejects.toThrow(/^unpacking the package of kernel kernel\S* exited with/);
  });

  test('writes nothing outside of its folder', { tags: ['hostile'] }, async () => {
    const file = await pack(
      'kernel.tar',
      installed({ evil: 'x' }),
      '--absolute-names',
      '--transform',
      's,^./evil,../../../evil,',
    );
    await expect(fetchFile(file)).rejects.toThrow('a path that leaves its folder: ../../../evil');
    expect(await readdir(folder)).not.toContain('evil');
  });

  test('gives no link and no file that it has twice', { tags: ['hostile'] }, async () => {
    const { [`boot/vmlinuz-${release}`]: image = '', ...others } = installed();
    const root = join(folder, 'root');
    await put(root, others);
    await symlink('/etc/passwd', join(root, 'boot', `vmlinuz-${release}`));
    const file = join(folder, 'kernel.tar');
    call('tar', '--create', '--file', file, '--directory', root, '.');
    await expect(fetchFile(file)).rejects.toThrow('has no kernel');
    await rm(join(root, 'boot', `vmlinuz-${release}`));
    await put(root, { [`boot/vmlinuz-${release}`]: image });
    const twice = join(folder, 'twice.tar');
    await writeFile(twice, await readFile(file));
    call('tar', '--append', '--file', twice, '--directory', root, `./boot/vmlinuz-${release}`);
    await expect(fetchFile(twice)).rejects.toThrow('has no kernel');
  });
});

describe('a kernel of bpfgate.toml', () => {
  const url = 'https://example.org/linux.tar';

  test('is fetched and named as the file says', async () => {
    const bytes = await readFile(await pack('kernel.tar', installed()));
    vi.stubGlobal('fetch', async () => new Response(bytes));
    const pin = await choose('rhel-9.6', [{ name: 'rhel-9.6', url, sha256: sumOf(bytes) }]);
    expect(pin).toMatchObject({ id: 'rhel-9.6', release: 'unknown' });
    expect((await fetchKernel(pin, { cache, log })).pin).toMatchObject({ id: 'rhel-9.6', release, minor: '6.1' });
  });

  test('with another checksum is refused with both', async () => {
    vi.stubGlobal('fetch', async () => new Response('another file'));
    const pin = await choose('rhel-8', [{ name: 'rhel-8', url, sha256: sumOf('a file') }]);
    const failing = fetchKernel(pin, { cache, log });
    await expect(failing).rejects.toThrow(`it sends ${sumOf('another file')}, and ${sumOf('a file')} is pinned`);
    await expect(failing).rejects.toMatchObject({
      hint: expect.stringContaining('url or sha256 of [[kernel]] rhel-8'),
    });
  });

  test('is not fetched without https, even after a redirect', { tags: ['hostile'] }, async () => {
    const headers = { location: 'http://example.org/' };
    const fetched = vi.fn(async () => new Response(null, { status: 302, headers }));
    vi.stubGlobal('fetch', fetched);
    const pin = await choose('plain', [{ name: 'plain', url, sha256: sumOf('x') }]);
    await expect(fetchKernel(pin, { cache, log })).rejects.toThrow(
      'redirects to http://example.org/, which is not https',
    );
    expect(fetched).toHaveBeenCalledOnce();
  });
});

test('a name that no table has is refused', async () => {
  await expect(choose('rhel-9.5')).rejects.toThrow('unknown kernel selector "rhel-9.5"; allowed: ');
});
