import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { publishAssets } from '../../scripts/publish-assets.mjs';
import { describeRelease, type Pinned, pinAssets, type ReleaseFile } from '../../scripts/release/pin-assets.ts';
import { InputError } from '../../src/common/errors.ts';
import { parseEntries } from '../../src/kernels/pins.ts';
import { error, type GitHubServer, startGitHub, token } from '../publish/github-server.ts';

describe('pins of the files of a release', () => {
  const sum = (digit: string) => digit.repeat(64);
  const earlier = { tag: 'kernels-1', name: 'old.tar.xz', sha256: sum('9'), sizeBytes: 9 };
  const debian = {
    release: '6.1.176',
    archive: 'debian' as const,
    version: '6.1.176-1',
    snapshot: '20261121T000000Z',
    packages: [{ name: 'linux-image', poolPath: 'pool/linux-image.deb', sha256: sum('a'), sizeBytes: 5 }],
  };
  const sourceOf = (release: string, digit: string) => ({
    release,
    url: `https://example.org/linux-${release}.tar.xz`,
    sha256: sum(digit),
    agreeing: ['a/recipe'],
  });
  const before = {
    kernels: {
      schema: 'bpfgate.kernels/2',
      kernels: [
        { minor: '5.8', support: 'eol' as const, debian: { missing: 'none' }, source: sourceOf('5.8.18', 'b') },
        { minor: '6.1', support: 'longterm' as const, debian, source: { ...sourceOf('6.1.176', 'c'), asset: earlier } },
      ],
    },
    programs: {
      schema: 'bpfgate.programs/1' as const,
      programs: [{ name: 'vmtest' as const, madeFrom: sum('8'), asset: earlier }],
    },
  } satisfies Pinned;
  const file = { name: 'file', sha256: sum('1'), sizeBytes: 7 };
  const files: ReleaseFile[] = [
    { ...file, name: 'linux-image.deb', sha256: sum('a'), sizeBytes: 5, kind: 'package' },
    { ...file, name: 'linux-5.8.tar.xz', kind: 'image', madeFrom: sum('b') },
    { ...file, name: 'vmtest-x86_64', kind: 'program', program: 'vmtest', madeFrom: sum('2') },
    { ...file, name: 'bpfgate-agent-x86_64', kind: 'program', program: 'bpfgate-agent', madeFrom: sum('3') },
  ];

  test('are set where they belong, and the others stay', () => {
    const { kernels, programs } = pinAssets(before, files, 'kernels-2');
    const [old, newer] = parseEntries(kernels);
    expect(old?.source).toMatchObject({ asset: { ...file, tag: 'kernels-2', name: 'linux-5.8.tar.xz' } });
    expect(newer?.debian).toMatchObject({ packages: [{ asset: { tag: 'kernels-2', name: 'linux-image.deb' } }] });
    expect(newer?.source).toEqual(before.kernels.kernels[1]?.source);
    expect(programs.programs).toEqual([
      { name: 'bpfgate-agent', madeFrom: sum('3'), asset: { ...file, tag: 'kernels-2', name: 'bpfgate-agent-x86_64' } },
      { name: 'vmtest', madeFrom: sum('2'), asset: { ...file, tag: 'kernels-2', name: 'vmtest-x86_64' } },
    ]);
    const notes = describeRelease(kernels, files, 'kernels-2');
    expect(notes).toContain(`${sum('a')}  linux-image.deb\n`);
    expect(notes).toContain('5.8 built by bpfgate: https://example.org/linux-5.8.18.tar.xz');
    expect(notes).toContain('6.1 of Debian: source package of version 6.1.176-1');
    expect(notes).not.toContain('linux-6.1.176.tar.xz');
  });

  test('are refused for a file of another commit', () => {
    const strange: ReleaseFile = { ...file, kind: 'image', madeFrom: sum('7') };
    expect(() => pinAssets(before, [...files, strange], 'kernels-2')).toThrow(InputError);
  });
});

describe('publishing', () => {
  let folder: string;
  let github: GitHubServer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bpfgate-publish-'));
    github = await startGitHub();
    await write('assets/one.tar.xz', 'an image');
    await write('assets/vmtest-x86_64', 'a program');
    await write('change/notes.md', 'what is in it');
    await write('change/files/kernels/kernels.json', '{"pins": true}');
    await write('change/files/dist/cli.js', 'bundle');
    await write('change/removed', 'dist/old-chunk.js\n');
  });
  afterEach(async () => {
    await github.close();
    await rm(folder, { recursive: true });
  });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const sha = '1'.repeat(40);
  const publish = () =>
    publishAssets({
      assets: join(folder, 'assets'),
      change: join(folder, 'change'),
      tag: 'kernels-2',
      sha,
      base: 'main',
      apiUrl: github.url,
      token,
      repository: 'somebody/packets',
      pauseMs: 0,
      say: () => {},
    });

  test('creates a release of all files, and then a pull request that pins them', async () => {
    await publish();
    const [release, ...others] = github.releases;
    expect(others).toEqual([]);
    expect(release).toMatchObject({
      tag_name: 'kernels-2',
      target_commitish: sha,
      draft: false,
      body: 'what is in it',
    });
    expect(release?.assets.map(({ name, content }) => [name, content.toString()])).toEqual([
      ['one.tar.xz', 'an image'],
      ['vmtest-x86_64', 'a program'],
    ]);
    expect(github.proposals).toEqual([
      {
        title: 'kernels: pin the files of release kernels-2',
        head: 'pin-kernels-2',
        base: 'main',
        parents: [sha],
        files: {
          'dist/cli.js': Buffer.from('bundle'),
          'kernels/kernels.json': Buffer.from('{"pins": true}'),
          'dist/old-chunk.js': null,
        },
      },
    ]);
    expect(github.violations).toEqual([]);
  });

  test('of a tag with a release creates nothing', async () => {
    await publish();
    const requests = github.requests.length;
    await expect(publish()).rejects.toThrow('there is a release kernels-2 already');
    expect(github.requests.slice(requests)).toEqual(['GET /repos/somebody/packets/releases/tags/kernels-2']);
  });

  test('uploads a file again if the server failed', async () => {
    let failures = 1;
    github.intercept = (request) =>
      /^POST .*\/assets$/.test(request) && failures-- > 0 ? { status: 502, body: error('Bad Gateway') } : undefined;
    await publish();
    expect(github.releases[0]?.assets).toHaveLength(2);
    expect(github.violations).toEqual([]);
  });

  test('leaves no draft if a file cannot be uploaded, so that the next try can create it', async () => {
    github.intercept = (request) =>
      /^POST .*\/assets$/.test(request) ? { status: 422, body: error('Validation Failed') } : undefined;
    await expect(publish()).rejects.toThrow('HTTP 422');
    expect([github.releases, github.proposals]).toEqual([[], []]);
    github.intercept = () => undefined;
    await publish();
    expect(github.releases).toHaveLength(1);
  });

  test('reports how to allow workflows to open pull requests', async () => {
    const refusal = { status: 403, body: error('GitHub Actions is not permitted to create pull requests') };
    github.intercept = (request) => (request.endsWith('/pulls') ? refusal : undefined);
    await expect(publish()).rejects.toThrow(/HTTP 403.*\n {2}hint: .*branch pin-kernels-2 pushed/);
  });

  test('changes only pins and the bundle', async () => {
    await write('change/files/.github/workflows/ci.yml', 'on: push');
    await expect(publish()).rejects.toThrow('.github/workflows/ci.yml is nothing that a release of kernels changes');
    expect(github.requests).toEqual([]);
  });
});
