// The step that begins a matrix, as a runner starts it.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

const plan = async (kernels: string) => {
  const inputs = { project: '.', config: 'bpfgate.toml', kernels };
  return finishStep(await startStep(entry, { folder, workspace, inputs, event: {}, apiUrl: '' }));
};

test.each([
  ['', ['5.10', '6.1']],
  ['6.12,6.1', ['6.1', '6.12']],
  ['5.9..5.11', ['5.9', '5.10', '5.11']],
  ['6.1:source', ['6.1:source']],
])('%s becomes a matrix', async (kernels, ids) => {
  const { exitCode, outputs } = await plan(kernels);
  expect(exitCode).toBe(0);
  const read = (name: string) => new RegExp(`^${name}<<(\\S+)\\n(.*)\\n\\1$`, 'm').exec(outputs)?.[2] ?? '';
  expect(read('kernels')).toBe(ids.join(','));
  expect(JSON.parse(read('matrix'))).toEqual(ids.map((kernel) => ({ kernel, name: kernel.replace(':', '-') })));
});

test('a kernel that there is not is an error', async () => {
  const { exitCode, stdout } = await plan('9.9');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^::error title=bpfgate::.*9\.9/m);
});
