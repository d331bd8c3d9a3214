import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderChange, renderDocument } from '../../../scripts/kernels-update/propose.ts';
import { type UpdateOptions, updatePins } from '../../../scripts/kernels-update/update.ts';
import type { Log } from '../../../src/adapters/log.ts';
import { InputError, InterruptedError, KernelError, MachineError } from '../../../src/common/errors.ts';
import { parsePins } from '../../../src/kernels/pins.ts';

const now = new Date('2026-11-21T12:00:00Z');
const log: Log = { progress: () => {}, warn: () => {} };
const sum = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** A package of an index; its checksum is that of its name and version. */
interface Offer {
  readonly name: string;
  readonly version: string;
  readonly depends?: string;
}
const image = (name: string, version: string): Offer => ({ name: `linux-image-${name}-amd64`, version });
const split = (release: string, version: string): Offer[] => {
  const uname = `${release}-amd64`;
  const parts = ['linux-binary', 'linux-base', 'linux-modules'].map((part) => `${part}-${uname}`);
  const depends = parts.map((part) => `${part} (= ${version})`).join(', ');
  return [{ name: `linux-image-${uname}`, version, depends }, ...parts.map((name) => ({ name, version }))];
};

const debian = { release: '6.1.176', archive: 'debian', version: '6.1.176-1', snapshot: '20261101T000000Z' } as const;
const pinnedPackage = (name: string, version: string) => ({
  name,
  poolPath: `pool/main/l/linux/${name}_${version}_amd64.deb`,
  sha256: sum(name + version),
  sizeBytes: 100,
});
/** 6.1 from both origins and 6.12 only from source. */
const pins = renderDocument({
  schema: 'bpfgate.kernels/2',
  kernels: [
    {
      minor: '6.1',
      support: 'longterm',
      debian: { ...debian, packages: [pinnedPackage('linux-image-6.1.0-50-amd64', '6.1.176-1')] },
      source: {
        release: '6.1.176',
        url: 'https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.176.tar.xz',
        sha256: sum('linux-6.1.176.tar.xz'),
        agreeing: ['a recipe'],
      },
    },
    {
      minor: '6.12',
      support: 'longterm',
      debian: { missing: 'not in Debian' },
      source: {
        release: '6.12.9',
        url: 'https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.12.9.tar.xz',
        sha256: sum('linux-6.12.9.tar.xz'),
        agreeing: ['a recipe'],
      },
    },
  ],
});

const hasGpg = ['gpg', 'gpg-agent', 'gpgv'].every((name) => spawnSync(name, ['--version']).status === 0);

describe.skipIf(!hasGpg)('updatePins (skipped without gpg: apt-get install gpg gpg-agent gpgv)', () => {
  let scratch: string;
  let server: Server;
  let base: string;
  /** Published files, by path; a path in neither map is a 404. */
  const files = new Map<string, string | Buffer>();
  const routes = new Map<string, RequestListener>();
  const asked: string[] = [];

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'bpfgate-update-'));
    await mkdir(join(scratch, 'gnupg'), { mode: 0o700 });
    for (const name of ['archive', 'stranger']) {
      gpg(['--quick-generate-key', `${name}@example.org`, 'ed25519', 'sign', 'never']);
      await writeFile(join(scratch, `${name}.gpg`), gpg(['--export', name]));
    }
    server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '');
      asked.push(path);
      const answer = routes.get(path);
      const file = files.get(path);
      if (answer !== undefined) answer(request, response);
      else if (file !== undefined) response.end(file);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    spawnSync('gpgconf', ['--homedir', join(scratch, 'gnupg'), '--kill', 'all']);
    await rm(scratch, { recursive: true });
  });

  beforeEach(async () => {
    routes.clear();
    files.clear();
    asked.length = 0;
    files.set('/key', await readFile(join(scratch, 'archive.gpg')));
  });

  function gpg(args: readonly string[], options: SpawnSyncOptions = {}): Buffer {
    const home = ['--homedir', join(scratch, 'gnupg'), '--batch', '--quiet', '--passphrase', ''];
    const { status, stdout, stderr } = spawnSync('gpg', [...home, '--pinentry-mode', 'loopback', ...args], options);
    expect(status, String(stderr)).toBe(0);
    return stdout as Buffer;
  }

  function sign(text: string, ...keys: string[]): string {
    const users = keys.flatMap((key) => ['--local-user', key]);
    return gpg(['--clearsign', ...users], { input: text }).toString();
  }

  const fingerprintOf = (key: string) =>
    /^fpr:{9}([0-9A-F]{40}):/m.exec(gpg(['--with-colons', '--fingerprint', key]).toString())?.[1] ?? '';

  const suitePath = (suite: string) => `/debian${suite.includes('security') ? '-security' : ''}/dists/${suite}`;
  const packagesFile = 'main/binary-amd64/Packages.xz';

  interface Suite {
    readonly keys?: string[];
    readonly fields?: Record<string, string>;
    readonly root?: string;
  }

  /** Publishes a suite as Debian does. */
  function publish(codename: string, offers: readonly Offer[], { keys = ['archive'], fields, root }: Suite = {}): void {
    const stanzas = offers.map(({ name, version, depends = 'kmod' }) =>
      [
        `Package: ${name}`,
        `Version: ${version}`,
        `Depends: ${depends}`,
        `Filename: pool/main/l/linux/${name}_${version}_amd64.deb`,
        'Size: 100',
        `SHA256: ${sum(name + version)}`,
      ].join('\n'),
    );
    const { stdout: packed } = spawnSync('xz', ['--stdout'], { input: `${stanzas.join('\n\n')}\n` });
    const release = {
      Suite: 'some',
      Codename: codename,
      Date: 'Fri, 20 Nov 2026 02:11:10 UTC',
      'Valid-Until': 'Fri, 27 Nov 2026 02:11:10 UTC',
      ...fields,
    };
    const lines = Object.entries(release).map(([name, value]) => `${name}: ${value}`);
    const text = `${lines.join('\n')}\nSHA256:\n ${sum(packed)} ${packed.length} ${packagesFile}\n`;
    const folder = root ?? suitePath(codename);
    files.set(`${folder}/InRelease`, sign(text, ...keys));
    files.set(`${folder}/${packagesFile}`, packed);
  }

  function publishSums(folder: string, tarballs: readonly string[], key = 'archive'): void {
    const text = tarballs.map((file) => `${sum(file)}  ${file}`).join('\n');
    files.set(`/kernel/${folder}/sha256sums.asc`, sign(`${text}\n`, key));
  }

  const options = (suites: readonly string[], folders: readonly string[] = []): UpdateOptions => ({
    log,
    now,
    stallMs: 5000,
    origins: [
      ...(suites.length > 0 ? (['debian'] as const) : []),
      ...(folders.length > 0 ? (['source'] as const) : []),
    ],
    debian: {
      suites: suites.map((codename) => ({
        codename,
        archive: codename.includes('security') ? 'debian-security' : 'debian',
      })),
      sites: [`${base}/debian`, `${base}/debian-security`],
      permanent: `${base}/permanent`,
      keyring: join(scratch, 'archive.gpg'),
    },
    kernelOrg: { root: `${base}/kernel`, folders, keyAddress: `${base}/key`, fingerprint: fingerprintOf('archive') },
  });

  const update = (suites: readonly string[], folders?: readonly string[], more: Partial<UpdateOptions> = {}) =>
    updatePins(pins, { ...options(suites, folders), ...more });

  /** The pins after `git apply` of the patch. */
  async function applyPatch(diff: string): Promise<string> {
    const repository = await mkdtemp(join(scratch, 'repository-'));
    await mkdir(join(repository, 'kernels'));
    await writeFile(join(repository, 'kernels/kernels.json'), pins);
    const applied = spawnSync('git', ['apply'], { cwd: repository, input: diff, encoding: 'utf8' });
    expect(applied.status, applied.stderr).toBe(0);
    return await readFile(join(repository, 'kernels/kernels.json'), 'utf8');
  }

  test('proposes the newest kernels of all indexes as a patch that applies', async () => {
    publish('bullseye-security', [image('6.1.0-0.deb11.52', '6.1.180-1~deb11u1')]);
    publish('bookworm', [image('6.1.0-50', '6.1.176-1'), image('6.1.0-50-cloud', '6.1.999-1')]);
    publish('bookworm-security', [image('6.1.0-51', '6.1.177-1'), image('6.1.0-52', '6.1.180-1')]);
    publish('trixie-backports', [
      ...split('7.3.4+deb13', '7.3.4-1~bpo13+1'),
      image('6.12.10+bpo', '6.12.10-1~bpo13+1'),
    ]);
    publishSums('v6.x', ['linux-6.1.181.tar.xz', 'linux-6.12.9.tar.xz', 'linux-6.19.1.tar.xz']);
    publishSums('v7.x', ['linux-7.3.5.tar.xz', 'linux-7.3.tar.xz']);
    const suites = ['bullseye-security', 'bookworm', 'bookworm-security', 'trixie-backports'];
    const { diff, changes, unreachable, faults } = await update(suites, ['v6.x', 'v7.x']);
    expect({ unreachable, faults }).toEqual({ unreachable: [], faults: [] });
    expect(changes.map(renderChange)).toEqual([
      '6.1 debian 6.1.176 -> 6.1.180 (bookworm-security)',
      '6.1 source 6.1.176 -> 6.1.181 (kernel.org v6.x)',
      '6.12 debian missing -> 6.12.10 (trixie-backports)',
      '6.19 source new -> 6.19.1 (kernel.org v6.x)',
      '7.3 debian new -> 7.3.4 (trixie-backports)',
      '7.3 source new -> 7.3.5 (kernel.org v7.x)',
    ]);
    const proposed = JSON.parse(await applyPatch(diff));
    expect(parsePins(proposed).pins.map(({ id, release }) => `${id} ${release}`)).toEqual([
      '6.1 6.1.180',
      '6.1:source 6.1.181',
      '6.12:source 6.12.9',
      '6.12 6.12.10',
      '6.19 6.19.1',
      '7.3 7.3.4',
      '7.3:source 7.3.5',
    ]);
    expect(proposed.kernels[0].debian).toEqual({
      release: '6.1.180',
      archive: 'debian-security',
      version: '6.1.180-1',
      snapshot: '20261121T021110Z',
      packages: [pinnedPackage('linux-image-6.1.0-52-amd64', '6.1.180-1')],
    });
    const names = ['binary', 'base', 'modules'].map((part) => `linux-${part}-7.3.4+deb13-amd64`);
    expect(proposed.kernels[3].debian.packages).toEqual(names.map((name) => pinnedPackage(name, '7.3.4-1~bpo13+1')));
  });

  test('makes an empty patch if nothing is newer', async () => {
    publish('bookworm', [image('6.1.0-50', '6.1.176-1')]);
    publishSums('v6.x', ['linux-6.1.176.tar.xz']);
    expect(await update(['bookworm'], ['v6.x'])).toEqual({ diff: '', changes: [], unreachable: [], faults: [] });
  });

  test('requests files by checksum if the suite supports that', async () => {
    publish('bookworm', [image('6.1.0-52', '6.1.180-1')], { fields: { 'Acquire-By-Hash': 'yes' } });
    expect((await update(['bookworm'])).changes).toHaveLength(1);
    expect(asked[1]).toMatch(/^\/debian\/dists\/bookworm\/main\/binary-amd64\/by-hash\/SHA256\/[0-9a-f]{64}$/);
    expect(asked[2]).toBe('/debian/dists/bookworm/main/binary-amd64/Packages.xz');
  });

  test('uses the permanent archive at the current time for files that no mirror has', async () => {
    publish('bookworm', [image('6.1.0-52', '6.1.180-1')], {
      root: '/permanent/debian/20261121T120000Z/dists/bookworm',
    });
    expect((await update(['bookworm'])).changes).toHaveLength(1);
  });

  test('considers only chosen minor versions, and reads only their folders', async () => {
    publishSums('v6.x', ['linux-6.1.181.tar.xz', 'linux-6.12.10.tar.xz', 'linux-6.19.1.tar.xz']);
    const { changes, unreachable } = await update([], ['v5.x', 'v6.x'], { minors: new Set(['6.12']) });
    expect(changes.map(({ to }) => to)).toEqual(['6.12.10']);
    expect(unreachable).toEqual([]);
  });

  test('reports and leaves out an index that is unavailable, and uses the others', async () => {
    publish('bookworm', [image('6.1.0-52', '6.1.180-1')]);
    const { changes, unreachable, faults } = await update(['trixie', 'bookworm'], ['v6.x']);
    expect(changes.map(({ to }) => to)).toEqual(['6.1.180']);
    expect(unreachable.map(({ index }) => index)).toEqual(['trixie', 'kernel.org v6.x']);
    expect(unreachable[0]?.error.message).toContain(`${base}/debian/dists/trixie/InRelease: HTTP 404`);
    expect(faults).toEqual([]);
  });

  test('requests nothing of kernel.org without its key', async () => {
    files.delete('/key');
    publish('bookworm', []);
    const { unreachable } = await update(['bookworm'], ['v6.x', 'v7.x']);
    expect(unreachable.map(({ index }) => index)).toEqual(['kernel.org']);
    expect(unreachable[0]?.error.hint).toContain('--keyring');
    expect(asked.filter((path) => path.startsWith('/kernel'))).toEqual([]);
  });

  test('reports all indexes in one error if none could be read', async () => {
    const failing = update(['bookworm', 'trixie'], ['v6.x']);
    await expect(failing).rejects.toThrow(KernelError);
    await expect(failing).rejects.toThrow(/no index could be read:.*bookworm.*trixie.*v6\.x/s);
  });

  test('leaves out an index that stalls', async () => {
    publish('bookworm', []);
    routes.set('/debian/dists/trixie/InRelease', (_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('-----BEGIN PGP');
    });
    const { unreachable } = await update(['bookworm', 'trixie'], [], { stallMs: 200 });
    expect(unreachable.map(({ error }) => error.message)).toEqual([expect.stringContaining('aborted due to timeout')]);
  });

  test('ends when interrupted', async () => {
    const controller = new AbortController();
    routes.set('/debian/dists/trixie/InRelease', () => controller.abort());
    await expect(update(['trixie'], [], { signal: controller.signal })).rejects.toThrow(InterruptedError);
  });

  describe('rejects', () => {
    /** Expects one fault, for trixie, while bookworm's offer is taken. */
    async function expectRefused(message: string, more: Partial<UpdateOptions> = {}): Promise<void> {
      publish('bookworm', [image('6.1.0-51', '6.1.177-1')]);
      const { changes, unreachable, faults } = await update(['trixie', 'bookworm'], [], more);
      expect(faults.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
      expect(faults[0]).toBeInstanceOf(KernelError);
      expect(unreachable).toEqual([]);
      expect(changes.map(({ to }) => to)).toEqual(['6.1.177']);
      await expect(update(['trixie'], [], more)).rejects.toThrow(message);
    }

    const offer = [image('6.1.0-52', '6.1.180-1')];
    const inRelease = '/debian/dists/trixie/InRelease';
    const publishChanged = (change: (message: string) => string) => {
      publish('trixie', offer);
      files.set(inRelease, change(String(files.get(inRelease))));
    };

    test('an index changed after it was signed', async () => {
      publishChanged((text) => text.replace('Suite: some', 'Suite: other'));
      await expectRefused('what was signed is not what was sent');
    });

    test('an index that a stranger signed', async () => {
      publish('trixie', offer, { keys: ['stranger'] });
      await expectRefused('no good signature of a known key');
    });

    test('an index that nobody signed', async () => {
      files.set(inRelease, 'Codename: trixie\n');
      await expectRefused('not one clear-signed message');
    });

    test("a stranger's message before a good one", async () => {
      publishChanged((text) => sign('Codename: trixie\n', 'stranger') + text);
      await expectRefused('not one clear-signed message');
    });

    test('an index cut off', async () => {
      publishChanged((text) => text.slice(0, -60));
      await expectRefused('not one clear-signed message');
    });

    test('an index signed with SHA-1', async () => {
      publishChanged((message) => {
        const input = message.slice(message.indexOf('Suite:'), message.indexOf('-----BEGIN PGP SIGNATURE'));
        return gpg(['--clearsign', '--digest-algo', 'SHA1', '--local-user', 'archive'], { input }).toString();
      });
      await expectRefused('no good signature');
    });

    test('an expired index', async () => {
      publish('trixie', offer, { fields: { 'Valid-Until': 'Sat, 21 Nov 2026 11:59:59 UTC' } });
      await expectRefused('the index of trixie expired at 2026-11-21T11:59:59.000Z');
    });

    test('the index of another suite', async () => {
      publish('trixie', offer, { fields: { Codename: 'sid' } });
      await expectRefused('the index of trixie is that of "sid"');
    });

    test('a list of packages that is not the signed one', async () => {
      publish('trixie', offer);
      const path = `/debian/dists/trixie/${packagesFile}`;
      files.set(path, Buffer.from(files.get(path) ?? '').fill(0, 20, 30));
      await expectRefused(`${base}${path}: wrong SHA-256`);
    });

    test('an endless index', async () => {
      files.set(inRelease, Buffer.alloc(5 * 1024 * 1024));
      await expectRefused('is too long');
    });
  });

  test('a signature next to a good one may be of an unknown key, as of a newer release', async () => {
    publish('trixie', [image('6.1.0-52', '6.1.180-1')], { keys: ['stranger', 'archive'] });
    expect((await update(['trixie'])).changes).toHaveLength(1);
  });

  test('a truncated list of packages is requested from the next source', async () => {
    publish('bookworm', [image('6.1.0-52', '6.1.180-1')], {
      root: '/permanent/debian/20261121T120000Z/dists/bookworm',
    });
    publish('bookworm', [image('6.1.0-52', '6.1.180-1')]);
    files.set(`/debian/dists/bookworm/${packagesFile}`, 'x');
    expect((await update(['bookworm'])).changes).toHaveLength(1);
  });

  describe("kernel.org's list", () => {
    test('is refused if another key signed it, also one of the keyring', async () => {
      await writeFile(
        join(scratch, 'both.gpg'),
        Buffer.concat([await readFile(join(scratch, 'stranger.gpg')), await readFile(join(scratch, 'archive.gpg'))]),
      );
      publishSums('v6.x', ['linux-6.1.181.tar.xz'], 'stranger');
      const keyring = join(scratch, 'both.gpg');
      await expect(update([], ['v6.x'], { keyring })).rejects.toThrow(`not by ${fingerprintOf('archive')}`);
      publishSums('v6.x', ['linux-6.1.181.tar.xz']);
      expect((await update([], ['v6.x'], { keyring })).changes).toHaveLength(1);
    });

    test('is refused if the downloaded key is another one', async () => {
      const stranger = await readFile(join(scratch, 'stranger.gpg'));
      files.set('/key', stranger);
      publishSums('v6.x', ['linux-6.1.181.tar.xz'], 'stranger');
      await expect(update([], ['v6.x'])).rejects.toThrow(`signed by ${fingerprintOf('stranger')}`);
    });

    test('with another checksum for a pinned release is an error', async () => {
      files.set('/kernel/v6.x/sha256sums.asc', sign(`${sum('other')}  linux-6.1.176.tar.xz\n`, 'archive'));
      const { changes, faults } = await update([], ['v6.x']);
      expect(changes).toEqual([]);
      expect(faults.map(({ message }) => message)).toEqual([
        'kernel.org v6.x lists https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.176.tar.xz with another SHA-256 than the one pinned',
      ]);
    });
  });

  test('an unusable keyring that was given is an input error', async () => {
    await expect(update([], ['v6.x'], { keyring: join(scratch, 'none') })).rejects.toThrow(InputError);
    const armoured = join(scratch, 'armoured');
    await writeFile(armoured, gpg(['--armor', '--export', 'archive']));
    await expect(update([], ['v6.x'], { keyring: armoured })).rejects.toThrow('ASCII-armoured');
  });

  test("without Debian's keyring there is a machine error with the command that installs it", async () => {
    const given = options(['bookworm']);
    const failing = updatePins(pins, { ...given, debian: { ...given.debian, keyring: join(scratch, 'none') } });
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toMatchObject({ hint: 'apt-get install debian-archive-keyring' });
  });
});

test('an invalid kernels.json is reported before anything is downloaded', async () => {
  await expect(updatePins('{', { log })).rejects.toThrow('kernels/kernels.json is not JSON');
  await expect(updatePins('{}', { log })).rejects.toThrow('kernels/kernels.json is not valid');
});
