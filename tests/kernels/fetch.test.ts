import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { type Cache, openCache } from '../../src/cache/cache.ts';
import { InterruptedError, KernelError, MachineError } from '../../src/common/errors.ts';
import { obtainSourceKernel } from '../../src/kernels/build/source-kernel.ts';
import { cachedKernel, kernelKind } from '../../src/kernels/cached.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import { sumOfPackages } from '../../src/kernels/pins.ts';
import type { DebianPackage, DebianPin } from '../../src/model/kernel.ts';
import { debianPin, sourcePin, sumOf, treeKernel } from './kernel-fixtures.ts';

vi.mock('../../src/kernels/build/source-kernel.ts', () => ({ obtainSourceKernel: vi.fn() }));

const uname = '6.1.0-50-amd64';
let scratch: string;
/** PATH with an apt that knows no mirrors. */
let withoutMirrors: string;
let packageBytes: Buffer;
let pin: DebianPin;
/** The same kernel in three packages. */
let splitPin: DebianPin;
let cache: Cache;
let server: Server;
let base: string;
/** Answers by path; any other path is a 404. */
const routes = new Map<string, RequestListener>();
const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(line) };

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-fetch-'));
  await mkdir(join(scratch, 'no-mirrors'));
  await writeFile(join(scratch, 'no-mirrors', 'apt-get'), '#!/bin/sh\n', { mode: 0o755 });
  withoutMirrors = `${join(scratch, 'no-mirrors')}:${process.env.PATH}`;
  packageBytes = await buildPackage('linux-image', {
    [`boot/vmlinuz-${uname}`]: 'the image',
    [`boot/config-${uname}`]: 'CONFIG_BPF=y\n',
    ...inModules(modules),
    ...inModules(lists),
  });
  pin = pinOf([describePackage('linux-image', packageBytes)]);
  const split = {
    'linux-binary': await buildPackage('linux-binary', inModules({ vmlinuz: 'the image' })),
    'linux-base': await buildPackage('linux-base', inModules({ config: 'CONFIG_BPF=y\n', ...lists })),
    'linux-modules': await buildPackage('linux-modules', inModules(modules)),
  };
  splitPin = pinOf(Object.entries(split).map(([name, bytes]) => describePackage(name, bytes)));
  for (const [name, bytes] of Object.entries(split)) {
    routes.set(`/split/${name}`, (_, response) => response.end(bytes));
    routes.set(`/altered/${name}`, (_, response) => response.end(Buffer.from(bytes).fill(0, 100, 110)));
    routes.set(`/cut/${name}`, (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100), () => response.destroy());
    });
  }
  server = createServer((request, response) => {
    const answer = routes.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  routes.set('/good', (_, response) => response.end(packageBytes));
  routes.set('/altered', (_, response) => response.end(Buffer.from(packageBytes).fill(0, 100, 110)));
  routes.set('/longer', (_, response) => response.end(Buffer.concat([packageBytes, Buffer.from('x')])));
  routes.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-length': packageBytes.length });
    response.write(packageBytes.subarray(0, 100), () => response.destroy());
  });
  routes.set('/unavailable', (_, response) => response.writeHead(503).end());
  routes.set('/stalled', (_, response) => {
    response.writeHead(200, { 'content-length': packageBytes.length });
    response.write(packageBytes.subarray(0, 100));
  });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(scratch, { recursive: true });
});

beforeEach(async () => {
  lines.length = 0;
  cache = openCache(await mkdtemp(join(scratch, 'cache-')));
  vi.stubEnv('PATH', withoutMirrors);
  vi.stubEnv('BPFGATE_DEBIAN_ARCHIVE', `${base}/archive`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cache.root, { recursive: true });
});

/** Files that are no real modules: depmod only warns about them. */
const modules = { 'kernel/net/9p/9pnet.ko': 'a module', 'kernel/sound/soundcore.ko': 'a module' };
const lists = { 'modules.order': 'kernel/net/9p/9pnet.ko\n', 'modules.builtin': 'kernel/drivers/virtio/virtio.ko\n' };

function inModules(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`usr/lib/modules/${uname}/${path}`, text]));
}

/** Builds a real package with these files. */
async function buildPackage(name: string, files: Readonly<Record<string, string>>): Promise<Buffer> {
  const root = join(scratch, name);
  const control = `Package: ${name}\nVersion: 6.1.176-1\nArchitecture: amd64\nMaintainer: nobody <nobody@example.org>\nDescription: not a kernel\n`;
  for (const [path, text] of Object.entries({ 'DEBIAN/control': control, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const file = join(scratch, `${name}.deb`);
  const built = spawnSync('dpkg-deb', ['--root-owner-group', '-b', root, file], { encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
  return await readFile(file);
}

function describePackage(name: string, bytes: Buffer): DebianPackage {
  return { name, poolPath: `pool/${name}.deb`, sha256: sumOf(bytes), sizeBytes: bytes.length };
}

function pinOf(packages: readonly DebianPackage[]): DebianPin {
  return debianPin('6.1.176', { sha256: sumOfPackages(packages), packages });
}

const pathOf = (name: string) => `/archive/debian/20261121T000000Z/pool/${name}.deb`;
/** Address of a package in the permanent archive, which is its only source. */
const addressOf = (name = 'linux-image') => base + pathOf(name);

/** Lets the permanent archive answer for a package as another path does. */
function serve(name: string, path: string): void {
  routes.set(pathOf(name), routes.get(path) ?? ((_, response) => response.writeHead(404).end()));
}

/** @param path the path that answers for the package; default: one that has nothing */
function fetchFrom(path = '/absent', of = pin, signal?: AbortSignal) {
  serve('linux-image', path);
  return fetchKernel(of, { cache, log, signal });
}

/** @param paths the path of each package, by its name; default: the right one */
function fetchSplit(paths: Readonly<Record<string, string>> = {}, of = splitPin) {
  for (const { name } of splitPin.packages) serve(name, paths[name] ?? `/split/${name}`);
  return fetchKernel(of, { cache, log });
}

async function expectEmptyCache(of: DebianPin = pin): Promise<void> {
  expect(cachedKernel(of, cache)).toBeUndefined();
  expect(await readdir(join(cache.root, kernelKind))).toEqual([]);
}

describe('fetchKernel', () => {
  test('verifies, unpacks and indexes the kernel', async () => {
    await expectKernel(await fetchFrom('/good'), pin);
    expect(lines).toContainEqual(expect.stringMatching(/^fetching linux-image/));
  });

  test('a cached kernel is not downloaded again', async () => {
    const kernel = await fetchFrom('/good');
    lines.length = 0;
    expect(await fetchFrom()).toEqual(kernel);
    expect(lines).toEqual([]);
  });

  test('a kernel that was changed in the cache is not booted', { tags: ['hostile'] }, async () => {
    const { image } = await fetchFrom('/good');
    await writeFile(image, 'another image');
    await expect(fetchFrom('/good')).rejects.toThrow('the image changed since it was put into the cache');
  });

  test('a package that cannot be had is an error with its address, and leaves nothing', async () => {
    const failing = fetchFrom('/absent');
    await expect(failing).rejects.toThrow(KernelError);
    await expect(failing).rejects.toThrow(`${addressOf()}: HTTP 404`);
    await expectEmptyCache();
  });

  test('a wrong checksum is an error with both checksums and the address, and leaves nothing', async () => {
    const failing = fetchFrom('/altered');
    await expect(failing).rejects.toThrow(KernelError);
    const error = (await failing.catch((reason: unknown) => reason)) as Error;
    const received = sumOf(Buffer.from(packageBytes).fill(0, 100, 110));
    expect(error.message).toContain(pin.sha256);
    expect(error.message).toContain(received);
    expect(error.message).toContain(addressOf());
    await expectEmptyCache();
  });

  test('more bytes than pinned are refused', async () => {
    await expect(fetchFrom('/longer')).rejects.toThrow(`more than the ${packageBytes.length} bytes pinned`);
    await expectEmptyCache();
  });

  test('an interruption ends the transfer, and leaves nothing', async () => {
    const failing = fetchFrom('/stalled', pin, AbortSignal.timeout(500));
    await expect(failing).rejects.toThrow(InterruptedError);
    await expectEmptyCache();
  });

  test('two concurrent calls make one download and one entry', async () => {
    const asked = vi.fn();
    routes.set('/counted', (_, response) => {
      asked();
      response.end(packageBytes);
    });
    const [one, other] = await Promise.all([fetchFrom('/counted'), fetchFrom('/counted')]);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(one).toEqual(other);
    expect(await readdir(join(cache.root, kernelKind))).toEqual([pin.sha256]);
  });

  test('an invalid package is refused and leaves nothing', async () => {
    const noPackage = Buffer.from('not a package');
    routes.set('/none', (_, response) => response.end(noPackage));
    const wrong = pinOf([describePackage('linux-image', noPackage)]);
    await expect(fetchFrom('/none', wrong)).rejects.toThrow('package-0.deb');
    await expectEmptyCache(wrong);
  });

  test('an entry of an earlier bpfgate, without such a record, is not used', async () => {
    await mkdir(join(cache.root, 'kernels', pin.sha256), { recursive: true });
    expect(cachedKernel(pin, cache)).toBeUndefined();
    await expectKernel(await fetchFrom('/good'), pin);
  });

  test.skipIf(process.getuid?.() !== 0)('a full disk is reported and leaves nothing', async ({ skip }) => {
    const bytes = randomBytes(300_000);
    routes.set('/big', (_, response) => response.end(bytes));
    const big = pinOf([describePackage('linux-image', bytes)]);
    const small = join(cache.root, 'small');
    await mkdir(small);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'tmpfs', small], { encoding: 'utf8' });
    if (mounted.status !== 0) skip(`needs to mount: ${mounted.stderr}`);
    try {
      serve('linux-image', '/big');
      const failing = fetchKernel(big, { cache: openCache(small), log });
      const error = (await failing.catch((reason: unknown) => reason)) as MachineError;
      expect(error).toBeInstanceOf(MachineError);
      expect(error.message).toMatch(/^cannot write linux-image to `.*`: ENOSPC/);
      expect(error.hint).toContain('free space');
      expect(await readdir(join(small, kernelKind))).toEqual([]);
      // Once there is room again, leftovers of this run do not block the next one.
      expect(spawnSync('mount', ['-o', 'remount,size=10m', small]).status).toBe(0);
      serve('linux-image', '/good');
      const kernel = await fetchKernel(pin, { cache: openCache(small), log });
      expect(await readFile(kernel.image, 'utf8')).toBe('the image');
    } finally {
      expect(spawnSync('umount', [small]).status).toBe(0);
    }
  });
});

describe('sources of a Debian package', () => {
  const released = '/someone/bpfgate/releases/download/kernels-1/linux-image.deb';
  const mirrored = '/mirror/debian/pool/linux-image.deb';
  const permanent = '/archive/debian/20261121T000000Z/pool/linux-image.deb';
  const asked: string[] = [];
  const withAsset = () => {
    const packages = pin.packages.map((each) => ({ ...each, asset: { tag: 'kernels-1', name: 'linux-image.deb' } }));
    return { ...pin, packages };
  };
  beforeEach(async () => {
    vi.unstubAllEnvs();
    asked.length = 0;
    for (const path of [released, mirrored, permanent]) answer(path, (_, response) => response.writeHead(404).end());
    const folder = await mkdtemp(join(scratch, 'apt-'));
    // A list of mirrors, as in Debian's cloud images, of which apt has downloaded no index.
    await writeFile(join(folder, 'mirrors'), `${base}/mirror/debian\tpriority:1\n`);
    await writeFile(join(folder, 'sources.list'), `deb mirror+file:${folder}/mirrors bookworm main\n`);
    const lists = `Dir::Etc::sourcelist "${folder}/sources.list";\nDir::Etc::sourceparts "/dev/null";\n`;
    await writeFile(join(folder, 'apt.conf'), lists);
    vi.stubEnv('APT_CONFIG', join(folder, 'apt.conf'));
    vi.stubEnv('GITHUB_SERVER_URL', base);
    vi.stubEnv('GITHUB_ACTION_REPOSITORY', 'someone/bpfgate');
    vi.stubEnv('BPFGATE_DEBIAN_ARCHIVE', `${base}/archive`);
  });
  function answer(path: string, listener: RequestListener): void {
    routes.set(path, (request, response) => {
      asked.push(path);
      listener(request, response);
    });
  }
  const good: RequestListener = (_, response) => response.end(packageBytes);

  test('a release of bpfgate comes first, and no other source is asked', async () => {
    answer(released, good);
    await expectKernel(await fetchKernel(withAsset(), { cache, log }), withAsset());
    expect(asked).toEqual([released]);
  });

  test("then apt's mirrors, then the permanent archive: each once, without waiting", async () => {
    answer(permanent, good);
    await expectKernel(await fetchKernel(withAsset(), { cache, log }), withAsset());
    expect(asked).toEqual([released, mirrored, permanent]);
    expect(lines.join('\n')).not.toContain('trying again');
  });

  test('a pin without an asset in a release asks for none', async () => {
    answer(mirrored, good);
    await expectKernel(await fetchKernel(pin, { cache, log }), pin);
    expect(asked).toEqual([mirrored]);
  });

  test('a package that no source has is one error with the reason for each, also for those that could not be asked', async () => {
    vi.stubEnv('GITHUB_ACTION_REPOSITORY', 'not a repository');
    vi.stubEnv('PATH', withoutMirrors);
    const failing = fetchKernel(withAsset(), { cache, log });
    await expect(failing).rejects.toThrow(
      [
        'cannot fetch linux-image from any source:',
        `  release kernels-1 of bpfgate: this copy of bpfgate is from no repository on ${base}`,
        '  mirrors that apt knows: none is one of debian',
        `  ${base}${permanent}: HTTP 404`,
      ].join('\n'),
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('BPFGATE_DEBIAN_ARCHIVE') });
  });
});

describe('fetchKernel of a kernel in several packages', () => {
  test('combines image, configuration and modules', async () => {
    const kernel = await fetchSplit();
    await expectKernel(kernel, splitPin);
    const builtin = join(kernel.modulesRoot ?? '', 'lib/modules', uname, 'modules.builtin');
    expect(await readFile(builtin, 'utf8')).toBe(lists['modules.builtin']);
    // The index of built-in modules is what lets modprobe find them.
    expect(existsSync(`${builtin}.bin`)).toBe(true);
  });

  test.each([
    ['linux-binary', '/absent', 'HTTP 404'],
    ['linux-base', '/unavailable', 'HTTP 503'],
    ['linux-modules', '/cut/linux-modules', ''],
  ])('with one that is unavailable (%s) is an error and leaves nothing', async (name, path, reason) => {
    const failing = fetchSplit({ [name]: path });
    await expect(failing).rejects.toThrow(KernelError);
    await expect(failing).rejects.toThrow(`  ${addressOf(name)}: ${reason}`);
    await expectEmptyCache(splitPin);
  });

  test.each(['linux-binary', 'linux-base', 'linux-modules'])('a wrong checksum of %s leaves nothing', async (name) => {
    await expect(fetchSplit({ [name]: `/altered/${name}` })).rejects.toThrow(`  ${addressOf(name)}: wrong SHA-256`);
    await expectEmptyCache(splitPin);
  });

  test('with one package in place of another is refused', async () => {
    await expect(fetchSplit({ 'linux-modules': '/split/linux-binary' })).rejects.toThrow(KernelError);
    await expectEmptyCache(splitPin);
  });

  test('with a pin that leaves out a package is an error and leaves nothing', async () => {
    for (const left of splitPin.packages) {
      const partial = pinOf(splitPin.packages.filter((each) => each !== left));
      const failing = fetchSplit({}, partial);
      await expect(failing).rejects.toThrow(/ 6\.1\.176-1 has no (kernel|configuration|modules)$/);
      await expectEmptyCache(partial);
    }
  });
});

describe('fetchKernel of a kernel that Debian did not compile', () => {
  test('passes a kernel from source to the builder, with the options', async () => {
    const source = sourcePin('5.8.18');
    const options = { cache, log, environment: { CC: 'cc' } };
    const built = { pin: source, image: '/image' };
    vi.mocked(obtainSourceKernel).mockResolvedValueOnce(built as Awaited<ReturnType<typeof obtainSourceKernel>>);
    expect(await fetchKernel(source, options)).toBe(built);
    expect(obtainSourceKernel).toHaveBeenCalledExactlyOnceWith(source, options);
  });

  test('reports a kernel of a tree that is not in the cache, with the command that builds it', async () => {
    const failing = fetchKernel(treeKernel('5.8.18', 'an image'), { cache, log });
    await expect(failing).rejects.toThrow('kernel 5.8:tree (5.8.18) is not in the cache');
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('bpfgate kernels build --source') });
  });
});

async function expectKernel(kernel: Awaited<ReturnType<typeof fetchKernel>>, of: DebianPin): Promise<void> {
  const entry = join(cache.root, kernelKind, of.sha256);
  expect(kernel).toEqual({
    pin: of,
    uname,
    image: join(entry, 'vmlinuz'),
    imageSha256: sumOf('the image'),
    config: join(entry, 'config'),
    modulesRoot: join(entry, 'modules'),
  });
  expect(await readFile(kernel.image, 'utf8')).toBe('the image');
  expect(await readFile(kernel.config ?? '', 'utf8')).toBe('CONFIG_BPF=y\n');
  expect((await readdir(entry)).sort()).toEqual(['config', 'kernel.json', 'modules', 'vmlinuz']);
  const kept = join(entry, 'modules/lib/modules', uname);
  expect(existsSync(join(kept, 'kernel/net/9p/9pnet.ko'))).toBe(true);
  expect(existsSync(join(kept, 'kernel/sound'))).toBe(false);
  expect(existsSync(join(kept, 'modules.dep'))).toBe(true);
}
