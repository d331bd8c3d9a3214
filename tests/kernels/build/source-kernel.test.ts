import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Log } from '../../../src/adapters/log.ts';
import { type Cache, openCache } from '../../../src/cache/cache.ts';
import { InputError, InterruptedError, KernelError, MachineError } from '../../../src/common/errors.ts';
import { packAsset } from '../../../src/kernels/build/asset.ts';
import { buildOnRequest } from '../../../src/kernels/build/command.ts';
import { buildSourceKernel, buildTree, obtainSourceKernel } from '../../../src/kernels/build/source-kernel.ts';
import { hashTree } from '../../../src/kernels/build/source-tree.ts';
import { cachedKernel, kernelKind, listTreeKernels, readKernelRecord } from '../../../src/kernels/cached.ts';
import type { SourcePin } from '../../../src/model/kernel.ts';
import { copyTree, fakeTools, writeTree } from './fake-tree.ts';

/** What the disk has left. These trees take little of it, so what this machine's has must not matter. */
const disk = { bavail: 0, bsize: 4096 };
vi.mock('node:fs/promises', async (importOriginal) => ({ ...(await importOriginal<object>()), statfs: () => disk }));

const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(line) };
let scratch: string;
let cache: Cache;
let tree: string;

beforeEach(async () => {
  lines.length = 0;
  disk.bavail = 1_000_000;
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-kernel-build-'));
  cache = openCache(join(scratch, 'cache'));
  tree = join(scratch, 'linux-5.8.18');
});
afterEach(() => rm(scratch, { recursive: true }));

const options = () => ({ cache, log, tools: fakeTools });
const entries = async () => (existsSync(join(cache.root, kernelKind)) ? readdir(join(cache.root, kernelKind)) : []);

describe('a tree', () => {
  test('is built into the cache, and stays unchanged', async () => {
    await writeTree(tree);
    const before = await hashTree(tree);
    const kernel = await buildTree(tree, '5.8', options());
    expect(kernel.pin).toMatchObject({ id: '5.8:tree', origin: 'tree', minor: '5.8', release: '5.8.18' });
    expect(kernel).toMatchObject({ uname: '5.8.18', modulesRoot: undefined });
    expect(await hashTree(tree)).toBe(before);
    const image = await readFile(kernel.image, 'utf8');
    expect(kernel.imageSha256).toBe(createHash('sha256').update(image).digest('hex'));
    expect(image).toContain('CONFIG_BPF_SYSCALL=y\n');
    expect(image.trimEnd().split('\n').at(-1)).toBe('Thu Jan  1 00:00:00 UTC 1970  gcc -std=gnu11');
    expect((await readdir(dirname(kernel.image))).sort()).toEqual(['config', 'kernel.json', 'vmlinuz']);
    expect(readKernelRecord(dirname(kernel.image))).toMatchObject({ madeFrom: before, compiler: 'gcc 12.2.0' });
    expect(listTreeKernels(cache)).toEqual([kernel.pin]);
    expect(cachedKernel(kernel.pin, cache)).toEqual(kernel);
  });

  test('is not built twice, wherever it is; another one is, and the last one asked for is used', async () => {
    await writeTree(tree);
    const other = join(scratch, 'elsewhere');
    const changed = join(scratch, 'changed');
    await copyTree(tree, other);
    await copyTree(tree, changed);
    await writeFile(join(changed, 'kernel', 'fork.c'), 'int spoon;\n');
    const first = await buildTree(tree, '5.8', options());
    expect((await buildTree(other, '5.8', options())).image).toBe(first.image);
    const second = await buildTree(changed, '5.8', options());
    expect(second.imageSha256).not.toBe(first.imageSha256);
    expect(listTreeKernels(cache)).toEqual([second.pin]);
    await buildTree(tree, '5.8', options());
    expect(listTreeKernels(cache)).toEqual([first.pin]);
    expect(await entries()).toHaveLength(2);
  });

  test('another compiler makes another entry', async () => {
    await writeTree(tree);
    await buildTree(tree, '5.8', options());
    const toolchain = { ...fakeTools.toolchain, compiler: 'gcc 15.1.0' };
    await buildTree(tree, '5.8', { ...options(), tools: { ...fakeTools, toolchain } });
    expect(await entries()).toHaveLength(2);
  });

  test.each([
    ['5.8', '5.8.18', true],
    ['5.10', '5.10.1', false],
    ['6.12', '6.12.3', false],
  ])('%s: the compiler tracks variables where pahole looks at that', async (minor, release, spared) => {
    await writeTree(tree, { release });
    await buildTree(tree, minor, options());
    const printed = await readFile(join(cache.root, 'logs', `kernel-${minor}-tree.log`), 'utf8');
    expect(/^flags: .*-ffile-prefix-map=/m.test(printed)).toBe(true);
    expect(/^flags: .* -fno-var-tracking -gno-statement-frontiers$/m.test(printed)).toBe(spared);
  });

  test('of another version is refused with the right command', async () => {
    await writeTree(tree, { release: '6.1.7' });
    const building = buildTree(tree, '5.8', options());
    await expect(building).rejects.toThrow(InputError);
    await expect(building).rejects.toMatchObject({
      message: `\`${tree}\` is 6.1.7, not 5.8`,
      hint: `bpfgate kernels build 6.1 --source ${tree}`,
    });
  });

  test('that was built in place is refused', async () => {
    await writeTree(tree);
    await writeFile(join(tree, '.config'), '');
    await expect(buildTree(tree, '5.8', options())).rejects.toMatchObject({
      message: `\`${tree}\` is not clean: it holds \`.config\``,
      hint: `make -C ${tree} mrproper`,
    });
  });

  test('that is no kernel source is refused', async () => {
    await expect(buildTree(scratch, '5.8', options())).rejects.toThrow('is no tree of kernel sources');
  });
});

describe('the sum of a tree', () => {
  test('covers names, contents, links and executable bits, without .git', async () => {
    await writeTree(tree);
    const sum = await hashTree(tree);
    await mkdir(join(tree, '.git'));
    await writeFile(join(tree, '.git', 'HEAD'), 'x');
    await chmod(join(tree, 'Makefile'), 0o600);
    expect(await hashTree(tree)).toBe(sum);
    const sums = new Set([sum]);
    await chmod(join(tree, 'Makefile'), 0o700);
    sums.add(await hashTree(tree));
    await symlink('Makefile', join(tree, 'link'));
    sums.add(await hashTree(tree));
    await rm(join(tree, 'link'));
    await symlink('kernel', join(tree, 'link'));
    sums.add(await hashTree(tree));
    expect(sums.size).toBe(4);
  });
});

describe('errors of a build', () => {
  async function expectClean(): Promise<void> {
    expect(await entries()).toEqual([]);
  }

  test('an option that was not accepted', async () => {
    await writeTree(tree, { olddefconfig: `sed -i -e /CONFIG_VETH=/d -e s/^CONFIG_NET=y/CONFIG_NET=m/ $(O)/.config` });
    const building = buildTree(tree, '5.8', options());
    await expect(building).rejects.toThrow(KernelError);
    await expect(building).rejects.toThrow(
      'kernel 5.8.18 did not take options:\n  CONFIG_VETH: wanted y, found n\n  CONFIG_NET: wanted y, found m',
    );
    await expectClean();
  });

  test('a compiler error: its lines, and where the rest is', async () => {
    await writeTree(tree, { compile: `echo "kernel/fork.c:1: error: no forks left" >&2; exit 1` });
    const error = await buildTree(tree, '5.8', options()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(KernelError);
    expect((error as KernelError).message).toContain(
      'building kernel 5.8.18 failed: `make bzImage` exited with 2:\n  kernel/fork.c:1: error: no forks left',
    );
    const logFile = (error as KernelError).hint?.split(' ').at(-1) ?? '';
    expect(await readFile(logFile, 'utf8')).toContain('CC      kernel/fork.o');
    await expectClean();
  });

  test('a disk with too little room, before anything is built', async () => {
    disk.bavail = 600_000;
    await writeTree(tree);
    await expect(buildTree(tree, '5.8', options())).rejects.toThrow(
      /^building kernel 5\.8\.18 may take 4\.0 GB, and the disk of .+ has 2\.5 GB left$/,
    );
    await expectClean();
  });

  test('a full disk', async () => {
    await writeTree(tree, { compile: `echo "fork.c: fatal error: fork.o: No space left on device" >&2; exit 1` });
    const building = buildTree(tree, '5.8', options());
    await expect(building).rejects.toThrow(MachineError);
    await expect(building).rejects.toThrow('cannot build kernel 5.8.18: the disk of the cache is full');
    await expectClean();
  });

  test('an interruption ends the compilers', async () => {
    const pidFile = join(scratch, 'pid');
    await writeTree(tree, { compile: `sleep 600 & echo $$! >${pidFile}; wait` });
    const controller = new AbortController();
    const building = buildTree(tree, '5.8', { ...options(), signal: controller.signal });
    const rejection = expect(building).rejects.toThrow(InterruptedError);
    while (!existsSync(pidFile) || (await readFile(pidFile, 'utf8')) === '') {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    controller.abort();
    await rejection;
    const pid = Number(await readFile(pidFile, 'utf8'));
    // It may have ended without having been reaped yet.
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone) Z');
    expect(state).toMatch(/\) Z/);
    await expectClean();
  });

  test('a cache at a path that make cannot use', async () => {
    await writeTree(tree);
    const spaced = openCache(join(scratch, 'my cache'));
    await expect(buildTree(tree, '5.8', { ...options(), cache: spaced })).rejects.toThrow(
      'make does not take such a path',
    );
  });

  test('a machine without the tools: all of them, and one command', async () => {
    await writeTree(tree);
    const environment = { PATH: join(scratch, 'nothing'), HOME: scratch };
    const building = buildTree(tree, '5.8', { cache, log, environment });
    await expect(building).rejects.toThrow(MachineError);
    await expect(building).rejects.toThrow(/this machine does not have:\n {2}gcc is missing/);
    await expect(building).rejects.toMatchObject({ hint: expect.stringContaining('flex bison bc') });
  });
});

describe('a pinned tarball', () => {
  let server: Server;
  let base: string;
  const routes = new Map<string, Buffer>();

  beforeAll(async () => {
    server = createServer((request, response) => {
      const content = routes.get(request.url ?? '');
      if (content === undefined) response.writeHead(404).end();
      else response.end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const sum = (content: Buffer) => createHash('sha256').update(content).digest('hex');

  async function makePin(): Promise<SourcePin> {
    await writeTree(tree);
    const file = join(scratch, 'linux-5.8.18.tar.xz');
    const made = spawnSync('tar', ['-cJf', file, '-C', scratch, 'linux-5.8.18'], { encoding: 'utf8' });
    expect(made.status, made.stderr).toBe(0);
    const tarball = await readFile(file);
    routes.set('/linux-5.8.18.tar.xz', tarball);
    return {
      id: '5.8',
      origin: 'source',
      minor: '5.8',
      release: '5.8.18',
      support: 'eol',
      sha256: sum(tarball),
      url: `${base}/linux-5.8.18.tar.xz`,
      agreeing: [],
    };
  }

  test('is fetched, built and found again', async () => {
    const pin = await makePin();
    const kernel = await obtainSourceKernel(pin, options());
    expect(kernel.pin).toBe(pin);
    expect(readKernelRecord(dirname(kernel.image))).toMatchObject({ origin: 'source', madeFrom: pin.sha256 });
    expect(cachedKernel(pin, cache)).toEqual(kernel);
    routes.clear();
    expect(await obtainSourceKernel(pin, options())).toEqual(kernel);
    expect(await entries()).toHaveLength(1);
  });

  test('is not unpacked if its checksum is wrong', async () => {
    const pin = await makePin();
    routes.set('/linux-5.8.18.tar.xz', Buffer.from('something else'));
    await expect(obtainSourceKernel(pin, options())).rejects.toThrow('wrong SHA-256: it sends');
    expect(await entries()).toEqual([]);
  });

  test('that cannot be downloaded is an error with its address', async () => {
    const pin = await makePin();
    routes.clear();
    await expect(obtainSourceKernel(pin, options())).rejects.toThrow(`${pin.url}: HTTP 404`);
    expect(await entries()).toEqual([]);
  });

  async function makeAsset(pin: SourcePin): Promise<{ asset: Buffer; imageSha256: string }> {
    const elsewhere = openCache(join(scratch, 'elsewhere'));
    const kernel = await buildSourceKernel(pin, { ...options(), cache: elsewhere });
    const [first, second] = [join(scratch, 'first.tar.xz'), join(scratch, 'second.tar.xz')];
    await packAsset(dirname(kernel.image), first);
    await packAsset(dirname(kernel.image), second);
    const asset = await readFile(first);
    expect(await readFile(second)).toEqual(asset);
    return { asset, imageSha256: kernel.imageSha256 };
  }

  const place = { tag: 'kernels-1', name: 'linux-5.8.tar.xz' };
  const path = '/someone/bpfgate/releases/download/kernels-1/linux-5.8.tar.xz';
  /** Options with the test server's releases. */
  const released = () => ({
    ...options(),
    origin: { env: { GITHUB_SERVER_URL: base, GITHUB_ACTION_REPOSITORY: 'someone/bpfgate' } },
  });

  test('is not needed if the built image can be downloaded', async () => {
    const pin = await makePin();
    const { asset, imageSha256 } = await makeAsset(pin);
    routes.clear();
    routes.set(path, asset);
    const withAsset = { ...pin, asset: { ...place, sha256: sum(asset), sizeBytes: asset.length } };
    const kernel = await obtainSourceKernel(withAsset, released());
    expect(kernel.imageSha256).toBe(imageSha256);
    expect(cachedKernel(withAsset, cache)).toEqual(kernel);
    expect((await readdir(dirname(kernel.image))).sort()).toEqual(['config', 'kernel.json', 'vmlinuz']);
  });

  test.each([
    ['is gone', undefined, 'HTTP 404'],
    ['is another file', 'x', 'wrong SHA-256: it sends'],
  ])('is built if the built image %s, which is logged', async (_, content, reason) => {
    const pin = await makePin();
    if (content === undefined) routes.delete(path);
    else routes.set(path, Buffer.from(content));
    const asset = { ...place, sha256: '0'.repeat(64), sizeBytes: 1 };
    const kernel = await obtainSourceKernel({ ...pin, asset }, released());
    expect(readKernelRecord(dirname(kernel.image))).toMatchObject({ madeFrom: pin.sha256 });
    const said = lines.find((line) => line.endsWith('it is built from source instead'));
    expect(said).toContain(`${base}${path}: ${reason}`);
  });

  /** A machine without the tools that build kernels, on which apt-get "installs" them. */
  async function bareMachine(): Promise<NodeJS.ProcessEnv> {
    const bin = join(scratch, 'bin');
    await mkdir(bin);
    const compilers = ['gcc', 'ld', 'make', 'flex', 'bison', 'bc', 'pahole'];
    const left = (await readdir('/usr/bin')).filter((name) => ![...compilers, 'apt-get', 'sudo'].includes(name));
    for (const name of left) await symlink(join('/usr/bin', name), join(bin, name));
    const install = compilers.map((name) =>
      name === 'make'
        ? `ln -s /usr/bin/make ${bin}/make`
        : `printf '#!/bin/sh\\necho ${name} 1.24\\n' >${bin}/${name}; chmod +x ${bin}/${name}`,
    );
    const script = `#!/bin/sh\necho "$*" >>${scratch}/calls\n${install.join('\n')}\n`;
    await writeFile(join(bin, 'apt-get'), script, { mode: 0o755 });
    await writeFile(join(bin, 'sudo'), '#!/bin/sh\nshift; exec "$@"\n', { mode: 0o755 });
    return { PATH: bin, HOME: scratch };
  }
  const unreachable = { ...place, sha256: '0'.repeat(64), sizeBytes: 1 };

  // One of the headers is looked for in the system's own folders.
  test.runIf(existsSync('/usr/include/gelf.h'))(
    'is built where the built image cannot be had, with compilers that are installed for it',
    async () => {
      const pin = await makePin();
      routes.delete(path);
      const { tools: _, ...given } = { ...released(), environment: await bareMachine(), install: true };
      const kernel = await obtainSourceKernel({ ...pin, asset: unreachable }, given);
      expect(readKernelRecord(dirname(kernel.image))).toMatchObject({ madeFrom: pin.sha256, compiler: 'gcc 1.24' });
      expect(await readFile(join(scratch, 'calls'), 'utf8')).toMatch(
        / install -y --no-install-recommends gcc libc6-dev binutils make flex bison bc dwarves\n$/,
      );
    },
  );

  test('is not built if nothing may be installed: the error has the missing packages and the command', async () => {
    const pin = await makePin();
    routes.delete(path);
    const { tools: _, ...given } = { ...released(), environment: await bareMachine() };
    await expect(obtainSourceKernel({ ...pin, asset: unreachable }, given)).rejects.toMatchObject({
      message: expect.stringContaining('flex is missing; kernel 5.8 has to be compiled, which needs flex: '),
      hint: expect.stringMatching(/apt-get install -y --no-install-recommends gcc .* flex bison bc dwarves/),
    });
    expect(existsSync(join(scratch, 'calls'))).toBe(false);
  });

  test('a built image of another kernel is refused', async () => {
    const pin = await makePin();
    const { asset } = await makeAsset(pin);
    routes.set(path, asset);
    const other = {
      ...pin,
      sha256: '1'.repeat(64),
      asset: { ...place, sha256: sum(asset), sizeBytes: asset.length },
    };
    await expect(obtainSourceKernel(other, released())).rejects.toThrow('is not one of 5.8.18');
    expect(await entries()).toEqual([]);
  });
});

describe('the command', () => {
  test.each(['lts', '5.8..6.1', '5.8.18', ''])('refuses "%s"', async (selector) => {
    await expect(buildOnRequest({ selector }, options())).rejects.toThrow(`"${selector}" is not one kernel to build`);
  });

  test('an asset of a tree, and of a version without a tarball, is refused', async () => {
    const both = buildOnRequest({ selector: '5.8', source: tree, asset: 'file' }, options());
    await expect(both).rejects.toThrow('it does not go with --source');
    await expect(buildOnRequest({ selector: '4.4' }, options())).rejects.toMatchObject({
      message: 'no tarball of 4.4 is pinned',
      hint: expect.stringContaining('--source DIR'),
    });
  });
});
