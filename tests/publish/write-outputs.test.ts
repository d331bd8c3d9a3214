import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BuildError, MachineError } from '../../src/common/errors.ts';
import { publishFailure, publishRun, writeOutputs } from '../../src/publish/write-outputs.ts';
import { parseFailure } from '../../src/report/failure.ts';
import type { GateRun } from '../../src/report/gate-run.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { fixtures } from '../report/results-fixtures.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-outputs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Every file and folder below, sorted. */
async function listAll(path = folder): Promise<string[]> {
  return (await readdir(path, { recursive: true })).sort();
}

test('writes text and bytes unchanged, and creates their folders', async () => {
  const bytes = Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0xc3, 0x28, 0x80]);
  const out = join(folder, 'not', 'there', 'yet');
  await writeOutputs(out, { 'a.txt': 'ü\r\n', 'b/c/d.bin': bytes, 'b/e': '' });
  expect(await listAll(out)).toEqual(['a.txt', 'b', 'b/c', 'b/c/d.bin', 'b/e']);
  expect(await readFile(join(out, 'a.txt'), 'utf8')).toBe('ü\r\n');
  expect(await readFile(join(out, 'b/c/d.bin'))).toEqual(bytes);
});

test('replaces existing files and leaves the others', async () => {
  await writeOutputs(folder, { 'a/x': 'old, and longer', 'a/y': 'kept' });
  await writeOutputs(folder, { 'a/x': 'new' });
  expect(await readFile(join(folder, 'a/x'), 'utf8')).toBe('new');
  expect(await readFile(join(folder, 'a/y'), 'utf8')).toBe('kept');
  expect(await listAll()).toEqual(['a', 'a/x', 'a/y']);
});

describe('a failure', () => {
  beforeEach(() => writeOutputs(folder, { 'a.txt': 'old', file: 'old', 'taken/x': 'old' }));

  test.each([
    ['a file where a folder is needed', { 'a.txt': 'new', 'file/x': 'new' }],
    ['a folder where a file is needed', { 'a.txt': 'new', taken: 'new' }],
    ['a name that cannot be', { 'a.txt': 'new', ['n'.repeat(300)]: 'new' }],
  ])('by %s leaves files unchanged and nothing next to them', async (_what, files) => {
    const before = await listAll();
    const error = await writeOutputs(folder, files).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MachineError);
    expect(error).toMatchObject({ message: expect.stringContaining(folder), hint: 'give another place' });
    expect(await listAll()).toEqual(before);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old');
    expect(await readFile(join(folder, 'taken/x'), 'utf8')).toBe('old');
  });

  test('by an output folder that is a file leaves the file', async () => {
    const out = join(folder, 'file');
    await expect(writeOutputs(out, { x: 'new' })).rejects.toThrow(MachineError);
    expect(await readFile(out, 'utf8')).toBe('old');
  });
});

describe('a prepared output folder cannot redirect a file', { tags: ['hostile'] }, () => {
  let outside = '';
  beforeEach(async () => {
    outside = join(folder, 'outside');
    await mkdir(outside);
    await mkdir(join(folder, 'out'));
  });

  test('by a folder that is a link, which is refused', async () => {
    await symlink('../outside', join(folder, 'out', 'profiles'));
    const write = writeOutputs(join(folder, 'out'), { 'results.json': '', 'profiles/6.1/a': 'x' });
    await expect(write).rejects.toThrow(`${join(folder, 'out', 'profiles')} is a link`);
    expect(await listAll(outside)).toEqual([]);
    expect(await listAll(join(folder, 'out'))).toEqual(['profiles']);
  });

  test('by a file that is a link, which is replaced', async () => {
    await symlink('../outside/file', join(folder, 'out', 'results.json'));
    await writeOutputs(join(folder, 'out'), { 'results.json': 'x' });
    expect(await listAll(outside)).toEqual([]);
    expect(await readFile(join(folder, 'out', 'results.json'), 'utf8')).toBe('x');
  });

  test('by a folder with the name of a temporary file', async () => {
    await symlink('../outside', join(folder, 'out', `.bpfgate-${process.pid}`));
    await writeOutputs(join(folder, 'out'), { 'a/b': 'x' });
    expect(await listAll(outside)).toEqual([]);
  });
});

test('a run without a result leaves the reason and the full output, until a later one has a result', async () => {
  const error = new BuildError('the build of head exited with 2', { logs: { 'build-head.log': 'the whole' } });
  await publishFailure(error, ['6.1'], folder);
  expect(await listAll()).toEqual(['.gitignore', 'error.json', 'logs', 'logs/build-head.log']);
  expect(parseFailure(await readFile(join(folder, 'error.json'), 'utf8'), 'error.json')).toMatchObject({
    kernels: ['6.1'],
    kind: 'build',
  });
  const stages = { plan: {}, builds: [], guestRuns: [] } as unknown as GateRun['stages'];
  const results = Object.values(fixtures)[0];
  if (results === undefined) throw new Error('fixture');
  await publishRun({ results, profiles: [], inside: [], stages, logs: {} }, folder);
  expect(await listAll()).not.toContain('error.json');
});

test("a run's profiles are where its result says, next to the report that links them", async () => {
  const results = fixtures.profiles;
  if (results === undefined) throw new Error('fixture');
  const content = (index: number) => Buffer.from([0xff, index]);
  await mkdir(join(folder, 'profiles'));
  await writeFile(join(folder, 'profiles', 'earlier'), '');
  await publishRun(
    {
      results,
      profiles: results.profiles.map((profile, index) => ({ profile, content: content(index) })),
      inside: [],
      stages: { plan: {}, builds: [], guestRuns: [] } as unknown as GateRun['stages'],
      logs: { 'build-head-6.1.log': 'the whole' },
    },
    folder,
  );
  expect(await readFile(join(folder, 'logs/build-head-6.1.log'), 'utf8')).toBe('the whole');
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  const read = parseResults(await readFile(join(folder, 'results.json'), 'utf8'), 'results.json');
  for (const [index, { file }] of read.profiles.entries()) {
    expect(await readFile(join(folder, file))).toEqual(content(index));
  }
  const links = [...(await readFile(join(folder, 'report.md'), 'utf8')).matchAll(/\]\(([^)]*)\)/g)];
  expect(links.length).toBeGreaterThan(5);
  for (const [, link = ''] of links) await readFile(join(folder, decodeURIComponent(link)));
  expect(await listAll()).toEqual(
    expect.arrayContaining(['profiles/earlier', 'stages/builds.json', 'stages/guest-runs.json', 'stages/plan.json']),
  );
});
