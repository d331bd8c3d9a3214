// `bpfgate run` in its own process, as far as it gets without a tool.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeOutputs } from '../../src/publish/write-outputs.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-run-'));
  // Each file has a different mistake, so that the error shows which one was read.
  await writeOutputs(folder, { 'app/bpfgate.toml': 'usual = 1\n', 'app/ci/gate.toml': '\nother = 1\n' });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(...args: string[]): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, [cli, 'run', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 40_000,
    killSignal: 'SIGKILL',
  });
}

describe('the configuration', () => {
  test.each([
    ['is bpfgate.toml of the project', [], 'bpfgate: bpfgate.toml:1: unknown key `usual`'],
    [
      'is what --config names below the project',
      ['--config', 'ci/gate.toml'],
      'bpfgate: ci/gate.toml:2: unknown key `other`',
    ],
    [
      'may be above the project',
      ['--config', '../app/ci/gate.toml'],
      'bpfgate: ../app/ci/gate.toml:2: unknown key `other`',
    ],
    [
      'must be there',
      ['--config', 'gate.toml'],
      /^bpfgate: no configuration: `.*\/app\/gate\.toml` does not exist\n {2}hint: /,
    ],
    ['must have a name', ['--config', ''], 'bpfgate: --config is empty\n  hint: '],
  ])('%s', (_what, args, message) => {
    const { status, stderr } = run('--project', 'app', ...args);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  test('is refused at once if it is a link to a pipe', { tags: ['hostile'] }, async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await rm(join(folder, 'app/bpfgate.toml'));
    await symlink('../pipe', join(folder, 'app/bpfgate.toml'));
    const { status, stderr } = run('--project', 'app');
    expect(stderr).toMatch(/^bpfgate: cannot read .*\/app\/bpfgate\.toml: it is a link\n {2}hint: .*\n$/);
    expect(status).toBe(2);
  });
});

test('the default output folder is refused if it is a link', { tags: ['hostile'] }, async () => {
  await writeOutputs(folder, { 'app/bpfgate.toml': '[[bench]]\nname = "a"\ncommand = "true"\n' });
  await symlink('app', join(folder, 'bpfgate-out'));
  const { status, stderr } = run('--project', 'app');
  expect(stderr).toMatch(/^bpfgate: --out: cannot write to .*bpfgate-out is a link, .*\n {2}hint: .*--out\n$/);
  expect(status).toBe(2);
});

test('an invalid time limit is refused', () => {
  const { status, stderr } = run('--project', 'app', '--timeout', '30 min');
  expect(stderr).toContain(
    'bpfgate: --timeout: `30 min` is no time limit; allowed: whole seconds from 1 to 86400 (a day)',
  );
  expect(status).toBe(2);
});

describe('a shard', () => {
  const lanes = (...names: string[]) => ['--lanes', names.join(',')];
  beforeEach(() =>
    writeOutputs(folder, {
      'app/bpfgate.toml': ['a', 'b'].map((name) => `[[bench]]\nname = "${name}"\ncommand = "true"\n`).join(''),
    }),
  );

  test.each([
    ['0/3', [], 'bpfgate: --shard: `0/3` is no shard; allowed: INDEX/COUNT, such as 2/3'],
    ['4/3', [], 'bpfgate: --shard: `4/3` is no shard'],
    ['x', [], 'bpfgate: --shard: `x` is no shard'],
    ['', [], 'bpfgate: --shard is empty'],
    [
      '3/3',
      [],
      /^bpfgate: --shard: nothing is left for shard 3\/3: bpfgate\.toml has 2 \[\[bench\]\]\n {2}hint: use at most 2 shards\n$/,
    ],
    ['2/2', lanes('verifier'), 'bpfgate: --shard: nothing is left for shard 2/2: the verifier lane'],
  ])('%j is refused before anything is done', (shard, more, message) => {
    const { status, stderr } = run('--project', 'app', '--shard', shard, ...more);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});

test('--help lists every option', () => {
  const { stdout } = spawnSync(process.execPath, [cli, 'run', '--help'], { encoding: 'utf8' });
  for (const option of [
    'project',
    'config',
    'base',
    'head',
    'kernels',
    'lanes',
    'shard',
    'out',
    'timeout',
    'runner',
    'format',
  ]) {
    expect(stdout).toMatch(new RegExp(`^ {2}--${option} <`, 'm'));
  }
});
