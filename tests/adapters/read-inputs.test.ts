// @module-tag hostile

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readInputs } from '../../src/adapters/read-inputs.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-inputs-')));
  mkdirSync(join(folder, 'repository/.git'), { recursive: true });
  mkdirSync(join(folder, 'repository/app'));
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'repository/app/bpfgate.toml'), '[[bench]]\nname = "a"\ncommand = "./a"\n');
  symlinkSync('../elsewhere', join(folder, 'repository/linked'));
  symlinkSync('nothing', join(folder, 'repository/dangling'));
  symlinkSync('repository', join(folder, 'way'));
  symlinkSync('elsewhere', join(folder, 'own'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (out: string) => readInputs({ project: join(folder, 'repository/app'), out: join(folder, out) });

test('an empty option is named as it is given', async () => {
  const read = readInputs({ project: folder, baseObjects: '' });
  await expect(read).rejects.toThrow('--base-objects is empty');
});

describe('a configuration', () => {
  const config = () => join(folder, 'repository/app/bpfgate.toml');

  test('in a subfolder is named in the error', async () => {
    const readRoot = (config?: string) => readInputs({ project: join(folder, 'repository'), config });
    const path = (name: string) => relative('.', join(folder, 'repository', name));
    await expect(readRoot()).rejects.toMatchObject({
      hint: `there is one in ${path('app')}: choose that project by --project (input project)`,
    });
    for (const name of ['other', 'target']) {
      mkdirSync(join(folder, 'repository', name));
      writeFileSync(join(folder, 'repository', name, 'bpfgate.toml'), '');
    }
    await expect(readRoot()).rejects.toMatchObject({
      hint: `choose a project that has one, by --project (input project): ${path('app')}, ${path('other')}`,
    });
    mkdirSync(join(folder, 'repository/other/ci'));
    writeFileSync(join(folder, 'repository/other/ci/gate.toml'), '');
    await expect(readRoot('ci/gate.toml')).rejects.toMatchObject({
      hint: `there is one in ${path('other')}: choose that project by --project (input project)`,
    });
  });

  test.each(['../bpfgate.toml', '/dev/zero', '/proc/kmsg', 'nothing'])(
    'is refused where it is a link: to %s',
    async (target) => {
      rmSync(config());
      symlinkSync(target, config());
      await expect(read('out')).rejects.toMatchObject({
        message: `cannot read ${config()}: it is a link`,
        exitCode: 2,
      });
    },
  );

  test('cannot choose a kernel outside of the project, which the command line can', async () => {
    writeFileSync(config(), 'kernels = ["6.1", "file:../../elsewhere"]\n[[bench]]\nname = "a"\ncommand = "./a"\n');
    await expect(read('out')).rejects.toMatchObject({
      message: 'bpfgate.toml: kernel `file:../../elsewhere` is outside of the project',
      exitCode: 2,
    });
    const given = { project: join(folder, 'repository/app'), kernels: `6.1,file:${join(folder, 'own')}` };
    const { kernels } = await readInputs({ ...given, out: join(folder, 'out') });
    expect(kernels).toEqual([`6.1,file:${join(folder, 'elsewhere')}`]);
  });

  test('longer than a mebibyte is refused', async () => {
    truncateSync(config(), 2 ** 20 + 1);
    await expect(read('out')).rejects.toThrow(`cannot read ${config()}: it is longer than 1048576 bytes`);
  });
});

describe('a given output folder', () => {
  test.each([
    ['a link of the repository', 'repository/linked'],
    ['below one', 'repository/linked/out'],
    ['a link of it to nothing', 'repository/dangling'],
    ["below one, by the user's own link to the repository", 'way/linked/out'],
  ])('is refused where it is %s', async (_what, out) => {
    await expect(read(out)).rejects.toMatchObject({
      message: expect.stringMatching(/repository\/(linked|dangling) is a link, which the project may have made$/),
      hint: expect.stringContaining('--out'),
      exitCode: 2,
    });
  });

  test.each([
    ["the user's own link outside of it", 'own'],
    ['below that', 'own/out'],
    ['a folder of it', 'repository/out'],
  ])('is accepted if it is %s', async (_what, out) => {
    expect((await read(out)).out).toBe(join(folder, out));
  });
});

describe('given objects', () => {
  const object = join(import.meta.dirname, '..', '..', 'vm', 'agent', 'tests', 'fixtures', 'good.bpf.o');
  const readObjects = (fields: object) =>
    readInputs({ project: folder, out: join(folder, 'out'), headObjects: object, ...fields });

  test("need no bpfgate.toml; they are verified, and run on bpfgate's own packets", async () => {
    const { objects, lanes, config, packets } = await readObjects({});
    expect(objects).toEqual({ base: [], head: [{ file: object, path: 'good.bpf.o' }] });
    expect({ lanes, benches: config.benches, kernels: config.kernels }).toEqual({
      lanes: ['instructions', 'verifier'],
      benches: [],
      kernels: ['lts'],
    });
    expect(packets.length).toBeGreaterThan(10);
    writeFileSync(join(folder, 'bpfgate.toml'), 'standard-inputs = false\n');
    expect((await readObjects({})).packets).toEqual([]);
  });

  test("have the project's limits and kernels", async () => {
    writeFileSync(join(folder, 'bpfgate.toml'), 'kernels = ["6.1"]\n[gate]\nverifier = "2%"\n');
    const { kernels, config } = await readObjects({});
    expect(kernels).toEqual(['6.1']);
    expect(config.gate.limits.verifier).toBe(0.02);
  });

  test('of base are compared with those of head, which have to be given', async () => {
    copyFileSync(object, join(folder, 'v1.o'));
    const file = join(folder, 'v1.o');
    const { objects } = await readObjects({ baseObjects: file });
    expect(objects).toEqual({ base: [{ file, path: 'v1.o' }], head: [{ file: object, path: 'v1.o' }] });
    await expect(readObjects({ baseObjects: join(folder, 'v*.o') })).rejects.toThrow('has a counterpart in head');
    await expect(readObjects({ baseObjects: file, headObjects: undefined })).rejects.toMatchObject({
      message: '--base-objects is given without --head-objects',
      exitCode: 2,
    });
    await expect(readObjects({ headObjects: ',' })).rejects.toThrow('--head-objects names no file');
  });

  test.each(['base', 'lanes', 'shard'])('do not go together with --%s', async (option) => {
    await expect(readObjects({ [option]: '1' })).rejects.toThrow(
      `--${option} is for a project that is built, and cannot be given with --head-objects`,
    );
  });
});
