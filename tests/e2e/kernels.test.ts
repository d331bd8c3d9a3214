// `bpfgate kernels` from the command line, on a cache made by hand: nothing is fetched and no VM is booted.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cachedKernel, kernelKind, writeKernelRecord } from '../../src/kernels/cached.ts';
import { readPins } from '../../src/kernels/pins.ts';
import type { KernelPin } from '../../src/model/kernel.ts';
import { makeBootImage } from '../../src/vm/boot-image.ts';
import { bpfgate, temporaryFolder } from './bpfgate.ts';

const pin = readPins().find(({ id }) => id === '6.1');
if (pin === undefined) throw new Error('6.1 is not pinned');

/** Makes a cache with a fake 6.1, which only a boot would expose. */
async function makeCache(): Promise<{ cache: string; entry: string }> {
  const cache = temporaryFolder();
  const entry = join(cache, kernelKind, pin?.sha256 ?? '');
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, 'vmlinuz'), 'an image');
  writeFileSync(join(entry, 'config'), 'CONFIG_DEBUG_INFO_BTF=y\n');
  const known = { origin: 'debian', minor: '6.1', release: '6.1.176', uname: '6.1.0-50-amd64' } as const;
  await writeKernelRecord(entry, { ...known, madeFrom: pin?.sha256 ?? '' });
  return { cache, entry };
}

/** Unpacks the kernel's image, as a boot would. */
async function putBootImage(cache: string, entry: string): Promise<{ image: string }> {
  const kernel = cachedKernel(pin as KernelPin, { root: cache });
  if (kernel === undefined) throw new Error(`${entry} is not in the cache`);
  // A file that is no bzImage is started directly; here it takes the place of an unpacked image.
  await makeBootImage(kernel, { root: cache }, process.env);
  const [name = ''] = readdirSync(join(cache, 'boot-images'));
  const image = join(cache, 'boot-images', name, 'vmlinux');
  writeFileSync(image, 'unpacked');
  writeFileSync(join(cache, 'boot-images', name, 'sha256'), createHash('sha256').update('unpacked').digest('hex'));
  return { image };
}

test('list shows every kernel, including those that are not selected by default, also as JSON', async () => {
  const { cache } = await makeCache();
  const env = { BPFGATE_CACHE: cache };
  const [text, json] = await Promise.all([
    bpfgate(['kernels', 'list'], { env }),
    bpfgate(['kernels', 'list', '--format', 'json'], { env }),
  ]);
  expect([text.code, json.code]).toEqual([0, 0]);
  const { kernels } = JSON.parse(json.stdout) as { kernels: { id: string; cached: string }[] };
  expect(kernels.map(({ id }) => id)).toEqual(readPins().map(({ id }) => id));
  expect(kernels.filter(({ cached }) => cached === 'yes').map(({ id }) => id)).toEqual(['6.1']);
  expect(text.stdout.split('\n').filter((line) => /^\d/.test(line))).toHaveLength(kernels.length);
});

test('list creates no cache', async () => {
  const cache = join(temporaryFolder(), 'none');
  expect(await bpfgate(['kernels', 'list', 'lts'], { env: { BPFGATE_CACHE: cache } })).toMatchObject({ code: 0 });
  expect(existsSync(cache)).toBe(false);
});

test('verify reports for each kernel whether it is unchanged, and exits with 3 if one is not', async () => {
  const { cache, entry } = await makeCache();
  const verify = (...selectors: string[]) =>
    bpfgate(['kernels', 'verify', ...selectors], { env: { BPFGATE_CACHE: cache } });

  expect(await verify('6.1', '6.12')).toEqual({
    code: 0,
    stdout: '6.1 6.1.176 ok\n6.12 6.12.107 not cached\n',
    stderr: '',
  });

  // QEMU starts another file than the image.
  const { image } = await putBootImage(cache, entry);
  expect((await verify('6.1')).stdout).toBe('6.1 6.1.176 ok\n');
  appendFileSync(image, 'x');
  const unpacked = await verify('6.1', '6.12');
  expect(unpacked).toMatchObject({ code: 3, stdout: '6.1 6.1.176 broken\n6.12 6.12.107 not cached\n' });
  expect(unpacked.stderr).toContain('the unpacked image changed since it was put into the cache');
  rmSync(join(cache, 'boot-images'), { recursive: true });

  writeFileSync(join(entry, 'vmlinuz'), 'another image');
  const changed = await verify();
  expect(changed.code).toBe(3);
  expect(changed.stdout).toContain('6.1 6.1.176 broken\n');
  expect(changed.stdout).toContain('7.2 7.2.12 not cached\n');
  expect(changed.stderr).toContain('the image changed since it was put into the cache');
  expect((await verify('6.12')).code).toBe(0);

  // An entry without a record of its kernel.
  rmSync(entry, { recursive: true });
  mkdirSync(join(cache, kernelKind, 'stray'));
  const stray = await verify();
  expect(stray).toMatchObject({ code: 3, stderr: expect.stringContaining(join('stray', 'kernel.json')) });
});

test('an unpinned kernel is refused with the reason', async () => {
  const { code, stdout, stderr } = await bpfgate(['kernels', 'fetch', '7.2:source']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/kernel "7\.2:source" is not pinned; source: .+\n {2}hint: of 7\.2 there is "7\.2"/);
});
