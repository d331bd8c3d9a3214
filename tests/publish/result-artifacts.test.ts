// Contents that a run's artifacts may have, served by the fake GitHub. yazl writes the zip files; those that no writer
// would make are broken by hand.
// @module-tag hostile

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openArtifacts } from '../../src/adapters/github/artifacts.ts';
import { readResultArtifacts } from '../../src/adapters/result-artifacts.ts';
import type { Results } from '../../src/report/results.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { fixtures } from '../report/results-fixtures.ts';
import { error, type GitHubServer, startGitHub, token } from './github-server.ts';
import { zipOf } from './zip.ts';

const mebibyte = 1024 * 1024;
const result = serializeResults(fixtures['same-code'] as Results);

let folder: string;
let github: GitHubServer;
let nextId = 1;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-artifacts-'));
  github = await startGitHub();
});

afterEach(async () => {
  await github.close();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  expect(github.violations).toEqual([]);
});

/** Adds an artifact of run 20. */
function leave(name: string, archive: Buffer, fields: { readonly run?: number; readonly size?: number } = {}): void {
  github.artifacts.push({ id: nextId++, name, run: 20, zip: archive, ...fields });
}

const open = () => {
  const log = { progress: () => {}, warn: () => {} };
  return openArtifacts({ owner: 'example', repo: 'xdp' }, 20, { apiUrl: github.url, token, log, secondMs: 1 });
};
const read = () => readResultArtifacts(open(), 'bpfgate', folder);
const filesOf = async () => (await read()).files.map(({ file }) => file);

describe('of a run', () => {
  test("only the gate's are read, whatever else is in them", async () => {
    leave(
      'bpfgate@6.12',
      await zipOf({ 'results.json': result, 'report.md': '#', 'profiles/6.12/b/cpu.svg': '<svg/>' }),
    );
    leave('bpfgate@6.1', await zipOf({ 'below/results.json': result, 'x-results.json': 'none' }));
    leave('bpfgate', await zipOf({ 'results.json': result }));
    leave('bpfgate-time@6.1', await zipOf({ 'results.json': 'another gate’s' }));
    leave('report-bpfgate', await zipOf({ 'results.json': 'its own' }));
    leave('bpfgate@6.6', await zipOf({ 'results.json': 'another run’s' }), { run: 21 });
    expect(await filesOf()).toEqual([
      'bpfgate/results.json',
      'bpfgate@6.1/below/results.json',
      'bpfgate@6.12/results.json',
    ]);
  });

  test('flame graphs that a result names are read with it, but for those too large', async () => {
    const results = fixtures.profiles as Results;
    const shown = results.profiles.map(({ file }) => file).filter((file) => /\.(svg|folded)$/.test(file));
    const [first = '', second = ''] = shown;
    expect(shown.length).toBeGreaterThan(1);
    leave(
      'bpfgate@6.12',
      await zipOf({
        'below/results.json': serializeResults(results),
        [`below/${first}`]: 'of it',
        [`below/${second}`]: ' '.repeat(4 * mebibyte + 1),
        [`${second}`]: 'of another folder',
        'below/profiles/6.12/b/other.svg': 'named by no result',
      }),
    );
    const { profiles } = await read();
    expect([...profiles].map(([file, content]) => [file, content.toString()])).toEqual([[first, 'of it']]);
  });

  test('the newest is read if several attempts used one name', async () => {
    leave('bpfgate@6.1', await zipOf({ 'results.json': 'of the first attempt' }));
    leave('bpfgate@6.1', await zipOf({ 'results.json': result }));
    expect(await filesOf()).toEqual(['bpfgate@6.1/results.json']);
  });

  test('all pages are read', async () => {
    github.pageSize = 2;
    const archive = await zipOf({ 'results.json': result });
    for (let index = 0; index < 5; index++) leave(`bpfgate@6.${index}`, archive);
    expect(await filesOf()).toHaveLength(5);
  });
});

/** Changes a file's declared length to `size`, in the central directory and in the header before the file. */
function lie(archive: Buffer, size: number): Buffer {
  const lying = Buffer.from(archive);
  const central = lying.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  lying.writeUInt32LE(size, central + 24);
  return lying;
}

/** Replaces `name` with another of the same length, which no writer would give. */
function rename(archive: Buffer, name: string, other: string): Buffer {
  return Buffer.from(archive.toString('latin1').replaceAll(name, other), 'latin1');
}

describe('an invalid result is refused', () => {
  test.each<[string, () => Promise<void>, RegExp]>([
    ['no artifact', async () => {}, /^the run has no artifact called `bpfgate` or `bpfgate@…`$/],
    [
      'no result file',
      async () => leave('bpfgate@6.1', await zipOf({ 'report.md': '#' })),
      /^no results\.json is in the artifacts called `bpfgate`$/,
    ],
    [
      'a zip bomb',
      async () => leave('bpfgate@6.1', await zipOf({ 'results.json': '\0'.repeat(65 * mebibyte) })),
      /`results\.json` would have 68157440 bytes, more than 67108864$/,
    ],
    [
      'a zip bomb that lies',
      async () => leave('bpfgate@6.1', lie(await zipOf({ 'results.json': '\0'.repeat(65 * mebibyte) }), 1000)),
      /is not what a job of bpfgate leaves: too many bytes in the stream\. expected 1000/,
    ],
    [
      'a file shorter than it says',
      async () => leave('bpfgate@6.1', lie(await zipOf({ 'results.json': result }), mebibyte)),
      /is not what a job of bpfgate leaves: not enough bytes in the stream/,
    ],
    [
      'files without end',
      async () => {
        const names = Array.from({ length: 20_001 }, (_, index) => [`${index}`, ''] as const);
        leave('bpfgate@6.1', await zipOf(Object.fromEntries(names)));
      },
      /it has 20001 files, more than 20000$/,
    ],
    [
      'results without end',
      async () => {
        const names = Array.from({ length: 257 }, (_, index) => [`${index}/results.json`, '{}'] as const);
        leave('bpfgate@6.1', await zipOf(Object.fromEntries(names)));
      },
      /it has more than 256 result files$/,
    ],
    [
      'a link',
      async () => leave('bpfgate@6.1', await zipOf({ 'results.json': { content: '/etc/passwd', mode: 0o120777 } })),
      /`results\.json` is a link, or no file at all$/,
    ],
    [
      'a name that leads elsewhere',
      async () => leave('bpfgate@6.1', rename(await zipOf({ 'aa/bb/results.json': result }), 'aa/bb/', '../../')),
      /invalid relative path: \.\.\/\.\.\/results\.json$/,
    ],
    [
      'an absolute name',
      async () => leave('bpfgate@6.1', rename(await zipOf({ 'aetc/results.json': result }), 'aetc/', '/etc/')),
      /absolute path: \/etc\/results\.json$/,
    ],
    ['no archive', async () => leave('bpfgate@6.1', Buffer.from('<html>')), /is not what a job of bpfgate leaves: /],
    [
      'half an archive',
      async () => leave('bpfgate@6.1', (await zipOf({ 'results.json': result })).subarray(0, 500)),
      /is not what a job of bpfgate leaves: /,
    ],
    [
      'another schema',
      async () => leave('bpfgate@6.1', await zipOf({ 'results.json': '{"schema": "other/1"}' })),
      /bpfgate@6\.1\/results\.json/,
    ],
    [
      'several that are too much together',
      async () => {
        const archive = await zipOf({ 'results.json': `${result}${' '.repeat(60 * mebibyte)}` });
        for (let index = 0; index < 5; index++) leave(`bpfgate@6.${index}`, archive);
      },
      /artifact `bpfgate@6\.4` .* would have \d+ bytes, more than \d+$/,
    ],
  ])('%s', async (_, prepare, said) => {
    await prepare();
    await expect(read()).rejects.toThrow(said);
  });

  test('an archive whose stated size is too large is not downloaded', async () => {
    leave('bpfgate@6.1', await zipOf({ 'results.json': result }), { size: 513 * mebibyte });
    await expect(read()).rejects.toThrow('it has 537919488 bytes, more than 536870912');
    expect(github.requests.filter((request) => request.endsWith('/zip'))).toEqual([]);
  });

  test('an archive larger than stated is written only up to the limit', async () => {
    leave('bpfgate@6.1', Buffer.alloc(mebibyte), { size: 10 });
    const [artifact] = await open().list();
    if (artifact === undefined) throw new Error('none is listed');
    const file = join(folder, 'archive');
    await expect(open().download(artifact, file, 1000)).rejects.toThrow('it has more than 1000 bytes');
    await rm(file);
  });
});

describe('a download that GitHub refuses is an error with the next step', () => {
  test.each([
    [403, 'actions: read'],
    [404, 'actions: read'],
    [410, 'again'],
    [502, 'again'],
  ])('%i', async (status, hint) => {
    leave('bpfgate@6.1', await zipOf({ 'results.json': result }));
    for (const part of ['/artifacts', '/zip']) {
      github.intercept = (request) => (request.endsWith(part) ? { status, body: error('no') } : undefined);
      await expect(read()).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
    }
  });
});
