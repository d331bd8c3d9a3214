import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { releaseSource, repositoryOf } from '../../src/cache/release-asset.ts';
import { InputError } from '../../src/common/errors.ts';

const asset = { tag: 'kernels-2026-11', name: 'linux-6.1+x.deb' };
const path = 'releases/download/kernels-2026-11/linux-6.1%2Bx.deb';

async function makeClone(remote?: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'bpfgate-clone-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const git = (...args: string[]) => expect(spawnSync('git', args, { cwd: root }).status).toBe(0);
  git('init', '--quiet');
  if (remote !== undefined) git('remote', 'add', 'origin', remote);
  return root;
}

describe('an asset of a release', () => {
  test("is downloaded from the running action's repository, whatever the clone's remote is", async () => {
    const root = await makeClone('https://github.com/other/clone.git');
    const env = { GITHUB_ACTION_REPOSITORY: 'someone/bpfgate' };
    expect(await releaseSource(asset, { env, root })).toEqual({
      addresses: [`https://github.com/someone/bpfgate/${path}`],
      notAsked: [],
    });
  });

  test("is downloaded from the repository of the clone's remote, on the configured server", async () => {
    const root = await makeClone('https://github.example/team/bpfgate.git');
    const env = { GITHUB_ACTION_REPOSITORY: '', GITHUB_SERVER_URL: 'https://github.example/' };
    expect((await releaseSource(asset, { env, root })).addresses).toEqual([
      `https://github.example/team/bpfgate/${path}`,
    ]);
  });

  test.each([
    ['a clone without a remote', undefined],
    ['a clone of another server', 'https://git.example/team/bpfgate.git'],
    ['a clone of a folder', '/srv/bpfgate'],
  ])('is not requested in %s, and the reason is logged', async (_, remote) => {
    const { addresses, notAsked } = await releaseSource(asset, { env: {}, root: await makeClone(remote) });
    expect(addresses).toEqual([]);
    expect(notAsked).toEqual([expect.stringMatching(/^release kernels-2026-11 of bpfgate: .* no repository/)]);
  });

  test('is not requested if bpfgate is inside another repository', async () => {
    const root = join(await makeClone('https://github.com/someone/project.git'), 'node_modules', 'bpfgate');
    expect((await releaseSource(asset, { env: {}, root })).addresses).toEqual([]);
  });

  test('is not requested if no release has it', async () => {
    const env = { GITHUB_ACTION_REPOSITORY: 'someone/bpfgate' };
    expect(await releaseSource(undefined, { env })).toEqual({
      addresses: [],
      notAsked: ['releases of bpfgate: none has it'],
    });
  });

  test.each(['../..', 'a/b/c', 'a b/c'])('of the repository %j is not requested', async (repository) => {
    const { addresses } = await releaseSource(asset, { env: { GITHUB_ACTION_REPOSITORY: repository } });
    expect(addresses).toEqual([]);
  });

  test('GITHUB_SERVER_URL must be an address', async () => {
    const env = { GITHUB_ACTION_REPOSITORY: 'a/b', GITHUB_SERVER_URL: 'file:///' };
    await expect(releaseSource(asset, { env })).rejects.toThrow(InputError);
  });
});

test.each([
  ['https://github.com/a/b.git', 'a/b'],
  ['https://user:token@github.com/a/b', 'a/b'],
  ['git@github.com:a/b.git', 'a/b'],
  ['ssh://git@github.com:22/a/b.git', 'a/b'],
  ['https://github.com/a/b/', 'a/b'],
  ['https://github.com.example/a/b.git', undefined],
  ['https://github.com/a', undefined],
  ['file:///github.com/a/b', undefined],
])('the remote %s names %s', (remote, repository) => {
  expect(repositoryOf(remote, 'https://github.com')).toBe(repository);
});
