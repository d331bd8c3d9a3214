import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { type Cache, openCache } from '../../src/cache/cache.ts';
import { InterruptedError, KernelError } from '../../src/errors.ts';
import { cachedKernel, fetchKernel, verifyKernel } from '../../src/kernels/fetch.ts';
import type { KernelPin } from '../../src/kernels/kernel.ts';

const uname = '6.1.0-50-amd64';
let scratch: string;
let packageBytes: Buffer;
let pin: KernelPin;
let cache: Cache;
let server: Server;
let base: string;
/** Answers by path; what is not here is a 404. */
const routes = new Map<string, RequestListener>();
const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(line) };

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-fetch-'));
  packageBytes = await buildPackage();
  pin = {
    id: '6.1',
    release: '6.1.176',
    origin: 'debian',
    debian: {
      archive: 'debian',
      package: `linux-image-${uname}`,
      version: '6.1.176-1',
      poolPath: 'pool/main/l/linux/kernel.deb',
      snapshot: '20261121T000000Z',
    },
    sha256: createHash('sha256').update(packageBytes).digest('hex'),
    sizeBytes: packageBytes.length,
  };
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
});

afterEach(() => rm(cache.root, { recursive: true }));

/** A real package with the layout of Debian's, and a module that is none: depmod only warns of it. */
async function buildPackage(): Promise<Buffer> {
  const root = join(scratch, 'package');
  const modules = join(root, 'usr/lib/modules', uname);
  await mkdir(join(root, 'DEBIAN'), { recursive: true });
  await mkdir(join(root, 'boot'));
  await mkdir(join(modules, 'kernel/net/9p'), { recursive: true });
  await mkdir(join(modules, 'kernel/sound'), { recursive: true });
  await writeFile(
    join(root, 'DEBIAN/control'),
    `Package: linux-image-${uname}\nVersion: 6.1.176-1\nArchitecture: amd64\nMaintainer: nobody <nobody@example.org>\nDescription: not a kernel\n`,
  );
  await writeFile(join(root, `boot/vmlinuz-${uname}`), 'the image');
  await writeFile(join(root, `boot/config-${uname}`), 'CONFIG_BPF=y\n');
  await writeFile(join(modules, 'kernel/net/9p/9pnet.ko'), 'a module');
  await writeFile(join(modules, 'kernel/sound/soundcore.ko'), 'a module');
  await writeFile(join(modules, 'modules.order'), 'kernel/net/9p/9pnet.ko\n');
  await writeFile(join(modules, 'modules.builtin'), '');
  const file = join(scratch, 'package.deb');
  const built = spawnSync('dpkg-deb', ['--root-owner-group', '-b', root, file], { encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
  return await readFile(file);
}

const fetchFrom = (...paths: string[]) =>
  fetchKernel(pin, { cache, log, sources: paths.map((path) => (path.startsWith('/') ? base + path : path)) });

async function expectEmptyCache(): Promise<void> {
  expect(cachedKernel(pin, cache)).toBeUndefined();
  expect(await readdir(join(cache.root, 'kernels'))).toEqual([]);
}

describe('fetchKernel', () => {
  test('verifies, unpacks and indexes the kernel', async () => {
    const kernel = await fetchFrom('/good');
    const entry = join(cache.root, 'kernels', pin.sha256);
    expect(kernel).toEqual({ pin, uname, image: join(entry, 'vmlinuz'), modulesRoot: join(entry, 'modules') });
    expect(await readFile(kernel.image, 'utf8')).toBe('the image');
    expect((await readdir(entry)).sort()).toEqual(['config', 'kernel.json', 'modules', 'vmlinuz']);
    const modules = join(kernel.modulesRoot, 'lib/modules', uname);
    expect(existsSync(join(modules, 'kernel/net/9p/9pnet.ko'))).toBe(true);
    expect(existsSync(join(modules, 'kernel/sound'))).toBe(false);
    expect(existsSync(join(modules, 'modules.dep'))).toBe(true);
    expect(lines).toContainEqual(expect.stringMatching(/^fetching linux-image/));
  });

  test('a kernel in the cache is fetched from nowhere', async () => {
    const kernel = await fetchFrom('/good');
    lines.length = 0;
    expect(await fetchFrom()).toEqual(kernel);
    expect(lines).toEqual([]);
  });

  test('a 404, a refused connection and a cut transfer fall to the next source', async () => {
    await fetchFrom('/absent', 'http://127.0.0.1:9/closed', '/cut', '/good');
    expect(cachedKernel(pin, cache)).toBeDefined();
  });

  test('when every source fails, one error lists every address with its reason', async () => {
    const failing = fetchFrom('/absent', '/cut');
    await expect(failing).rejects.toThrow(KernelError);
    await expect(failing).rejects.toThrow(`${base}/absent: HTTP 404`);
    await expect(failing).rejects.toThrow(`${base}/cut: `);
    await expectEmptyCache();
  });

  test('a wrong checksum stops at once, names both sums and the address, and leaves nothing', async () => {
    const failing = fetchFrom('/altered', '/good');
    await expect(failing).rejects.toThrow(KernelError);
    const error = (await failing.catch((reason: unknown) => reason)) as Error;
    const received = createHash('sha256')
      .update(Buffer.from(packageBytes).fill(0, 100, 110))
      .digest('hex');
    expect(error.message).toContain(pin.sha256);
    expect(error.message).toContain(received);
    expect(error.message).toContain(`${base}/altered`);
    await expectEmptyCache();
  });

  test('more bytes than pinned are refused', async () => {
    await expect(fetchFrom('/longer')).rejects.toThrow(`more than the ${pin.sizeBytes} bytes pinned`);
    await expectEmptyCache();
  });

  test('a stalled transfer is given up and leaves nothing', async () => {
    const failing = fetchKernel(pin, { cache, log, sources: [`${base}/stalled`], stallMs: 100 });
    await expect(failing).rejects.toThrow('sent nothing for 0.1 s');
    await expectEmptyCache();
  });

  test('an interruption ends the transfer and leaves nothing', async () => {
    const controller = new AbortController();
    const interruptingLog: Log = { ...log, progress: () => controller.abort() };
    const failing = fetchKernel(pin, {
      cache,
      log: interruptingLog,
      sources: [`${base}/stalled`],
      signal: controller.signal,
    });
    await expect(failing).rejects.toThrow(InterruptedError);
    await expectEmptyCache();
  });

  test('two at once leave one entry', async () => {
    const [one, other] = await Promise.all([fetchFrom('/good'), fetchFrom('/good')]);
    expect(one).toEqual(other);
    expect(await readdir(join(cache.root, 'kernels'))).toEqual([pin.sha256]);
  });

  test('a package without a kernel is refused and leaves nothing', async () => {
    const bytes = await readFile(join(scratch, 'package.deb'));
    expect(bytes.subarray(0, 7).toString()).toBe('!<arch>');
    const noPackage = Buffer.from('not a package');
    routes.set('/none', (_, response) => response.end(noPackage));
    const wrong = { ...pin, sha256: createHash('sha256').update(noPackage).digest('hex'), sizeBytes: noPackage.length };
    await expect(fetchKernel(wrong, { cache, log, sources: [`${base}/none`] })).rejects.toThrow('package.deb');
    await expectEmptyCache();
  });
});

describe('verifyKernel', () => {
  test('accepts the image as unpacked', async () => {
    const kernel = await fetchFrom('/good');
    expect(await verifyKernel(pin, cache)).toEqual(kernel);
  });

  test('names both sums of a changed image, and the command that mends it', async () => {
    const kernel = await fetchFrom('/good');
    await writeFile(kernel.image, 'another image');
    const sum = (text: string) => createHash('sha256').update(text).digest('hex');
    const error = (await verifyKernel(pin, cache).catch((reason: unknown) => reason)) as KernelError;
    expect(error).toBeInstanceOf(KernelError);
    expect(error.message).toContain(sum('the image'));
    expect(error.message).toContain(sum('another image'));
    expect(error.hint).toContain('bpfgate kernels fetch 6.1');
  });

  test('tells that a kernel is not in the cache', async () => {
    await expect(verifyKernel(pin, cache)).rejects.toThrow('kernel 6.1.176 is not in the cache');
  });

  test('an unreadable record is an error, not a missing kernel', async () => {
    const kernel = await fetchFrom('/good');
    await writeFile(join(kernel.modulesRoot, '../kernel.json'), '{');
    expect(() => cachedKernel(pin, cache)).toThrow(KernelError);
  });
});
