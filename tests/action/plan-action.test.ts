// The step that begins a matrix, as a runner starts it.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPins } from '../../src/kernels/pins.ts';
import { makeBzImage } from '../kernels/fake-image.ts';
import { finishStep, startStep } from './step.ts';

const entry = join(import.meta.dirname, '..', '..', 'src', 'plan-action.ts');

let folder: string;
let workspace: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-plan-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace);
  await writeFile(
    join(workspace, 'bpfgate.toml'),
    'kernels = ["5.10", "6.1"]\n[[bench]]\nname = "x"\ncommand = "true"\n',
  );
});

afterEach(() => rm(folder, { recursive: true }));

const plan = async (kernels: string, more: Readonly<Record<string, string>> = {}) => {
  const inputs = { project: '.', config: 'bpfgate.toml', kernels, lanes: '', shards: '1', ...more };
  return finishStep(await startStep(entry, { folder, workspace, inputs, event: {}, apiUrl: '' }));
};

const read = (outputs: string, name: string) =>
  new RegExp(`^${name}<<(\\S+)\\n(.*)\\n\\1$`, 'm').exec(outputs)?.[2] ?? '';

test.each([
  ['', ['5.10', '6.1']],
  ['6.12,6.1', ['6.1', '6.12']],
  ['5.9..5.11', ['5.9', '5.10', '5.11']],
  ['6.1:source', ['6.1:source']],
  // As in examples/workflows/nightly.yml.
  ['all', [...new Set(readPins().map(({ minor }) => minor))]],
])('%s becomes a matrix', async (kernels, ids) => {
  const { exitCode, outputs } = await plan(kernels);
  expect(exitCode).toBe(0);
  expect(read(outputs, 'kernels')).toBe(ids.join(','));
  expect(JSON.parse(read(outputs, 'matrix'))).toEqual(
    ids.map((kernel) => ({ kernel, name: kernel.replace(':', '-') })),
  );
});

test('a kernel that bpfgate.toml names gets a job, and is not fetched', async () => {
  const named = `[[kernel]]\nname = "rhel-9.6"\nurl = "https://example.invalid/linux.rpm"\nsha256 = "${'ab'.repeat(32)}"\n`;
  await writeFile(join(workspace, 'bpfgate.toml'), `${named}[[bench]]\nname = "x"\ncommand = "true"\n`);
  const { exitCode, outputs } = await plan('6.1,rhel-9.6');
  expect({ exitCode, kernels: read(outputs, 'kernels') }).toEqual({ exitCode: 0, kernels: '6.1,rhel-9.6' });
});

describe('a kernel in a file of the checkout', () => {
  const write = (file: string, release: string, kernel?: Buffer) =>
    writeFile(join(workspace, file), makeBzImage({ release, ...(kernel && { kernel }) }));

  test.each([
    ['the input', 'file:./bzImage', ''],
    ['the configuration', '', 'kernels = ["file:bzImage"]\n'],
  ])('of %s gets a job by its path, and is expected by its release', async (_, kernels, config) => {
    await write('bzImage', '6.1.7+test');
    await writeFile(join(workspace, 'bpfgate.toml'), `${config}[[bench]]\nname = "x"\ncommand = "true"\n`);
    const { exitCode, outputs } = await plan(kernels);
    expect({ exitCode, kernels: read(outputs, 'kernels') }).toEqual({ exitCode: 0, kernels: 'file:6.1.7+test' });
    expect(JSON.parse(read(outputs, 'matrix'))).toEqual([{ kernel: 'file:bzImage', name: '6.1.7-test' }]);
  });

  test('is refused next to another of the same release, which the joined results could not tell apart', async () => {
    await write('one', '6.1.7');
    await write('two', '6.1.7', Buffer.from('patched'));
    const { exitCode, stdout } = await plan('file:one,file:two');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^::error .*kernel 6\.1\.7:\w{8} is of the same release as another.*hint: build one of them/m,
    );
  });

  test('of a path that a script would run is refused', async () => {
    await write('$(id)', '6.1.7');
    const { exitCode, stdout } = await plan('file:$(id)');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^::error .*the path of kernel 6\.1\.7, `\$\(id\)`, has other characters than.*hint: rename it/m,
    );
  });

  test('that is not there is an error', async () => {
    const { exitCode, stdout } = await plan('file:./bzImage');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error .*input kernels: there is no file or folder `\.\/bzImage`/m);
  });
});

test('of `lts`, kernels that would be compiled are left out, and the log says which and how to include them', async () => {
  const longterm = readPins().filter(({ id, minor, support }) => id === minor && support === 'longterm');
  const compiled = longterm.filter((pin) => pin.origin === 'source' && pin.asset === undefined).map(({ id }) => id);
  const { exitCode, outputs, stdout } = await plan('lts');
  expect(exitCode).toBe(0);
  const ids = longterm.map(({ id }) => id).filter((id) => !compiled.includes(id));
  expect(read(outputs, 'kernels')).toBe(ids.join(','));
  const lines = stdout.split('\n').filter((line) => line.startsWith('lts leaves out kernel'));
  expect(lines.map((line) => line.split(' ').at(-1))).toEqual(compiled.length === 0 ? [] : [`lts,${compiled}`]);
});

describe('shards of the benches', () => {
  const benches = ['x', 'y', 'z'].map((name) => `[[bench]]\nname = "${name}"\ncommand = "true"\n`).join('');

  beforeEach(() => writeFile(join(workspace, 'bpfgate.toml'), `kernels = ["5.10", "6.1"]\n${benches}`));

  const names = (outputs: string) =>
    (JSON.parse(read(outputs, 'matrix')) as { readonly name: string }[]).map(({ name }) => name);

  test('each get a job on every kernel', async () => {
    const { exitCode, outputs, stdout } = await plan('', { shards: '2' });
    expect(exitCode).toBe(0);
    expect(read(outputs, 'kernels')).toBe('5.10,6.1');
    expect(JSON.parse(read(outputs, 'matrix'))).toEqual([
      { kernel: '5.10', shard: '1/2', name: '5.10-1-of-2' },
      { kernel: '5.10', shard: '2/2', name: '5.10-2-of-2' },
      { kernel: '6.1', shard: '1/2', name: '6.1-1-of-2' },
      { kernel: '6.1', shard: '2/2', name: '6.1-2-of-2' },
    ]);
    expect(stdout).toMatch(/^shards of each: 2$/m);
  });

  test('are limited to the number of benches', async () => {
    const { outputs, stdout } = await plan('6.1', { shards: '300' });
    expect(names(outputs)).toEqual(['6.1-1-of-3', '6.1-2-of-3', '6.1-3-of-3']);
    expect(stdout).toMatch(/^shards of each: 3, because more of the wanted 300 would have nothing to measure$/m);
  });

  test.each([
    ['the input', 'verifier', ''],
    ['the configuration', '', 'lanes = ["verifier"]\n'],
  ])('are one job if %s selects the verifier lane alone, which is not divided', async (_, lanes, more) => {
    await writeFile(join(workspace, 'bpfgate.toml'), `${more}${benches}`);
    expect(names((await plan('6.1', { shards: '2', lanes })).outputs)).toEqual(['6.1']);
  });

  test('are one job in a project without benches', async () => {
    await writeFile(join(workspace, 'bpfgate.toml'), 'lanes = ["verifier"]\n');
    expect(names((await plan('6.1', { shards: '2' })).outputs)).toEqual(['6.1']);
  });

  test.each(['0', 'x', '1.5', '-2'])('cannot be %s', async (shards) => {
    const { exitCode, stdout } = await plan('', { shards });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error title=bpfgate::input shards: `.*` is no number of shards; allowed: 1 to 1000/m);
  });

  test("times kernels cannot exceed GitHub's limit of jobs", async () => {
    const many = Array.from({ length: 100 }, (_, index) => `[[bench]]\nname = "b${index}"\ncommand = "true"\n`);
    await writeFile(join(workspace, 'bpfgate.toml'), many.join(''));
    const { exitCode, stdout, outputs } = await plan('5.10,6.1,6.12', { shards: '90' });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^::error .*3 kernels in 90 shards each are 270 jobs, and GitHub starts at most 256 of a matrix%0Ahint: choose fewer kernels, or at most 85 shards/m,
    );
    expect(read(outputs, 'matrix')).toBe('');
  });
});

test('an unknown kernel is an error', async () => {
  const { exitCode, stdout } = await plan('9.9');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^::error title=bpfgate::.*9\.9/m);
});
