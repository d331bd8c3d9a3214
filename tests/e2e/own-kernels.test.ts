// Kernels of the user's own, in real guests: a package of Debian that a guest cannot boot, and the pinned 6.1 taken
// apart: as an rpm, as a folder, and as an image alone.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { locateCache } from '../../src/cache/cache.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, temporaryFolder } from './bpfgate.ts';

const object = new URL('fixtures/verifier/head.bpf.o', import.meta.url);

function call(program: string, args: readonly string[], cwd = '/'): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd });
  expect(status, error?.message ?? stderr).toBe(0);
  return stdout;
}

function requirePrograms(context: TestContext, ...programs: string[]): void {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0) context.skip(`${missing.join(', ')} missing`);
}

/** A folder with an object, and a cache that has the tools of the usual one and no kernel. */
function makePlace(): { folder: string; options: { cwd: string; env: Record<string, string> } } {
  const folder = temporaryFolder();
  copyFileSync(object, join(folder, 'probe.bpf.o'));
  const cache = join(folder, 'cache');
  mkdirSync(cache);
  for (const name of ['tools', 'programs'].filter((each) => existsSync(join(locateCache(), each)))) {
    symlinkSync(join(locateCache(), name), join(cache, name));
  }
  for (const name of ['agent', 'plugin'].filter((each) => existsSync(join(locateCache(), each)))) {
    cpSync(join(locateCache(), name), join(cache, name), { recursive: true });
  }
  return { folder, options: { cwd: folder, env: { BPFGATE_CACHE: cache } } };
}

const counts = ({ measurements }: Results, kernel: string) =>
  measurements
    .filter((each) => each.kernel === kernel && each.measure !== 'load-time')
    .map(({ benchmark, measure, value }) => ({ benchmark, measure, value }));

/** Unpacks 6.1 as Debian's package has it. */
async function unpackPinned(folder: string): Promise<{ root: string; uname: string }> {
  const { stdout } = await bpfgate(['kernels', 'fetch', '6.1']);
  const entry = dirname(stdout.trim().split(' ')[2] ?? '');
  const root = join(folder, 'kernel');
  cpSync(join(entry, 'modules'), root, { recursive: true });
  const [uname = ''] = readdirSync(join(root, 'lib', 'modules'));
  mkdirSync(join(root, 'boot'));
  copyFileSync(join(entry, 'vmlinuz'), join(root, 'boot', `vmlinuz-${uname}`));
  copyFileSync(join(entry, 'config'), join(root, 'boot', `config-${uname}`));
  return { root, uname };
}

describe('the pinned 6.1', () => {
  test('gives the same counts as an rpm and as a folder', async (context) => {
    requirePrograms(context, 'rpmbuild', 'bsdtar');
    const { folder, options } = makePlace();
    const { root, uname } = await unpackPinned(folder);
    const spec = `Name: kernel
Version: 6.1
Release: 1
Summary: a kernel
License: GPLv2
AutoReqProv: no
%define __os_install_post %{nil}
%define debug_package %{nil}
%description
A kernel.
%install
cp -a ${root}/. %{buildroot}/
%files
/boot
/lib
`;
    writeFileSync(join(folder, 'kernel.spec'), spec);
    call('rpmbuild', ['-bb', '--define', `_topdir ${folder}/rpm`, `${folder}/kernel.spec`]);
    const [rpm = ''] = readdirSync(join(folder, 'rpm', 'RPMS', 'x86_64'));
    copyFileSync(join(folder, 'rpm', 'RPMS', 'x86_64', rpm), join(folder, 'kernel.rpm'));
    const given = ['count', 'probe.bpf.o', '--format', 'json'];
    const own = await bpfgate([...given, '--kernels', 'file:kernel.rpm,file:kernel'], options);
    expect(own).toMatchObject({ code: 0 });
    const results = parseResults(own.stdout, 'stdout');
    expect(results.kernels.map(({ id, release, origin }) => ({ id, release, origin }))).toEqual(
      ['kernel', uname].map((id) => ({ id, release: uname, origin: 'own' })),
    );
    const pinned = parseResults((await bpfgate([...given, '--kernels', '6.1'], { cwd: folder })).stdout, 'stdout');
    expect(counts(pinned, '6.1').length).toBeGreaterThan(5);
    for (const id of ['kernel', uname]) expect(counts(results, id)).toEqual(counts(pinned, '6.1'));

    // Counts that were cached are found under another name.
    copyFileSync(join(folder, 'kernel.rpm'), join(folder, 'other.rpm'));
    const other = await bpfgate([...given, '--kernels', 'file:other.rpm', '--audit', '0'], options);
    expect(other.stderr).toContain('other: objects of head are taken from a run on this machine');
    expect(counts(parseResults(other.stdout, 'stdout'), 'other')).toEqual(counts(pinned, '6.1'));

    // The same objects on one kernel and another.
    const against = ['--head-objects', 'probe.bpf.o', '--kernels', 'file:kernel', '--against', 'file:kernel.rpm'];
    expect(await bpfgate(['run', ...against, '--out', 'out'], options)).toMatchObject({ code: 0 });
    const compared = parseResults(readFileSync(join(folder, 'out', 'results.json'), 'utf8'), 'results.json');
    expect(compared.revisions.base.ref).toBe(`kernel kernel (${uname})`);
    expect(compared.verdict).toBe('pass');
  });

  test('as an image alone cannot mount the host, and the error lists what a guest needs', async () => {
    const { folder, options } = makePlace();
    const { root, uname } = await unpackPinned(folder);
    const exec = ['exec', '--kernel', `file:${root}/boot/vmlinuz-${uname}`, '--', 'true'];
    const { code, stderr } = await bpfgate(exec, options);
    expect(code).toBe(3);
    expect(stderr).toContain(`kernel ${uname} ended before the guest agent had finished: cannot mount the host's root`);
    expect(stderr).toMatch(
      /its configuration is not known; a guest needs:\n {2}CONFIG_VIRTIO_PCI: .*\n(.*\n)* {2}CONFIG_9P_FS: /,
    );
  });
});

test("Debian's cloud kernel is fetched by its checksum, and refused with the options that it is missing", async (context) => {
  requirePrograms(context, 'apt-get', 'openssl');
  const { folder, options } = makePlace();
  const name = /linux-image-\d\S*-cloud-amd64/.exec(call('apt-cache', ['depends', 'linux-image-cloud-amd64']))?.[0];
  if (name === undefined) return context.skip('apt has no linux-image-cloud-amd64');
  call('apt-get', ['download', name], folder);
  const [file = ''] = readdirSync(folder).filter((each) => each.endsWith('.deb'));
  const content = readFileSync(join(folder, file));
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
  const about = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  call('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about, ...files]);
  const [key, cert] = ['key', 'cert'].map((each) => readFileSync(`${folder}/${each}.pem`));
  const server = createServer({ key, cert }, (_, response) => response.end(content));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  const sum = createHash('sha256').update(content).digest('hex');
  const configure = (sha256: string) =>
    writeFileSync(
      join(folder, 'bpfgate.toml'),
      `kernels = ["cloud"]\n[[kernel]]\nname = "cloud"\nurl = "https://localhost:${(server.address() as AddressInfo).port}/${file}"\nsha256 = "${sha256}"\n`,
    );
  const trusting = { ...options, env: { ...options.env, NODE_EXTRA_CA_CERTS: `${folder}/cert.pem` } };
  const count = () => bpfgate(['count', 'probe.bpf.o'], trusting);

  configure(sum);
  const refused = await count();
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(
    /kernel cloud is built without what bpfgate needs:\n( {2}CONFIG_\w+: .*\n)* {2}CONFIG_NET_9P: 9p/,
  );
  const list = await bpfgate(['kernels', 'list', 'cloud'], trusting);
  expect(list.stdout).toMatch(/^cloud +\d+\.\d+\.\d+-\S+-cloud-amd64 +own +\d+ MB +unknown +yes /m);

  configure('0'.repeat(64));
  const other = await count();
  expect(other.code).toBe(3);
  expect(other.stderr).toContain(`wrong SHA-256: it sends ${sum}, and ${'0'.repeat(64)} is pinned`);
});
