// Recording on real git servers: what is on the branch afterwards, and that a failure leaves nothing there.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InputError, InterruptedError, MachineError } from '../../src/common/errors.ts';
import { recordHistory } from '../../src/publish/record-history.ts';
import {
  type GitRemote,
  type GitServer,
  hasHttpBackend,
  makeRemote,
  repositoryName,
  resultsAt,
  serveGit,
  spyOnGit,
} from '../history/git-remote.ts';

const token = 'ghs_canary0123';
const encoded = Buffer.from(`x-access-token:${token}`).toString('base64');
const november = Date.UTC(2026, 10, 22) / 1000;
const path = process.env.PATH;

let folder: string;
let remote: GitRemote;
let logged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate history '));
  mkdirSync(join(folder, 'temporary'));
  remote = makeRemote(join(folder, 'server'));
  logged = [];
});

afterEach(() => {
  process.env.PATH = path;
  expect(readdirSync(join(folder, 'temporary'))).toEqual([]);
  expect(logged.join('\n')).not.toContain(token);
  expect(logged.join('\n')).not.toContain(encoded);
  rmSync(folder, { recursive: true });
});

interface RecordFields {
  readonly server?: string;
  readonly signal?: AbortSignal;
  readonly projectPath?: string;
  readonly branch?: string;
}

const record = async (results: ReturnType<typeof resultsAt>, fields: RecordFields = {}) => {
  const { server = `file://${remote.root}`, projectPath = '', branch = 'bpfgate-history', signal } = fields;
  const place = { url: `${server}/${repositoryName}`, repository: repositoryName, run: 20, branch, token, projectPath };
  const log = { progress: (text: string) => logged.push(text), warn: (text: string) => logged.push(text) };
  try {
    return await recordHistory(results, place, {
      temporaryFolder: join(folder, 'temporary'),
      log,
      signal,
      delayMs: 5,
    });
  } catch (error) {
    logged.push(String((error as Error).stack), JSON.stringify(error));
    throw error;
  }
};

const tip = (branch = 'bpfgate-history') =>
  remote.git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
const values = (prefix?: string) =>
  remote.read(prefix).map((line) => {
    const { commit, kernel, benchmark, value } = JSON.parse(line);
    return [commit, kernel, benchmark, value];
  });

test('the branch is created, with a README and a file for each kernel and month', async () => {
  const commit = remote.commit(november);
  const recording = await record(resultsAt(commit, 165));
  expect(recording).toEqual({ commit: tip(), lines: 2, path: 'history' });
  expect(remote.git('ls-tree', '-r', '--name-only', tip()).split('\n')).toEqual([
    'README.md',
    'history/6.1/2026-11.jsonl',
    'history/6.12/2026-11.jsonl',
  ]);
  expect(remote.git('show', `${tip()}:README.md`)).toMatch(/bpfgate\.history\/1[\s\S]*schema\/history-1\.schema\.json/);
  expect(remote.git('show', '--no-patch', '--format=%an <%ae>|%cn <%ce>|%P|%B', tip())).toBe(
    [
      'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>',
      'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>',
      '',
      `${commit.id.slice(0, 10)}: 2 values on 6.1, 6.12\n\ncommit ${commit.id}\nrun 20`,
    ].join('|'),
  );
  const [line] = remote.read('history/6.1/');
  // The committer's time, in UTC, not the author's.
  expect(JSON.parse(line ?? '')).toMatchObject({
    commit: commit.id,
    date: '2026-11-22T00:00:00Z',
    value: 165,
    run: 20,
  });
  remote.git('fsck', '--strict');
});

test('lines are added to those of other commits, and to a new file in another month or project', async () => {
  const [first, second, later] = [remote.commit(november), remote.commit(november + 60), remote.commit(november + 1e6)];
  await record(resultsAt(first, 1));
  const before = tip();
  await record(resultsAt(second, 2));
  expect(remote.git('rev-parse', `${tip()}^`)).toBe(before);
  expect(values('history/6.1/')).toEqual([
    [first.id, '6.1', 'macro/fun_xdp', 1],
    [second.id, '6.1', 'macro/fun_xdp', 2],
  ]);
  await record(resultsAt(later, 3));
  expect(values('history/6.1/2026-12')).toEqual([[later.id, '6.1', 'macro/fun_xdp', 3]]);
  await record(resultsAt(later, 4), { projectPath: 'services/xdp' });
  expect(values('history/services/xdp/6.12/')).toEqual([[later.id, '6.12', 'macro/fun_xdp', 4]]);
  expect(values('history/6.1/')).toHaveLength(3);
  expect(remote.git('rev-list', '--count', tip())).toBe('4');
  remote.git('fsck', '--strict');
});

test('a commit that is recorded again has no duplicate lines, and equal values make no commit', async () => {
  const [first, second] = [remote.commit(november), remote.commit(november + 60)];
  await record(resultsAt(first, 1, ['a', 'b']));
  await record(resultsAt(second, 2, ['a']));
  await record(resultsAt(first, 7, ['b', 'c']));
  expect(values('history/6.1/')).toEqual([
    [first.id, '6.1', 'a', 1],
    [first.id, '6.1', 'b', 7],
    [second.id, '6.1', 'a', 2],
    [first.id, '6.1', 'c', 7],
  ]);
  const before = tip();
  expect(await record(resultsAt(first, 7, ['b', 'c']))).toEqual({ commit: before, lines: 4, path: 'history' });
  expect(tip()).toBe(before);
});

test('other files on the branch stay', async () => {
  remote.git('branch', 'bpfgate-history', remote.commit(november).id);
  const commit = remote.commit(november);
  await record(resultsAt(commit, 1));
  expect(remote.git('ls-tree', '--name-only', tip()).split('\n')).toEqual(['file', 'history']);
});

test('a file longer than the usual output limit is extended, not cut', async () => {
  const [first, second] = [remote.commit(november), remote.commit(november)];
  const names = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(200_000)}`);
  await record(resultsAt(first, 1, names));
  await record(resultsAt(second, 2, ['a']));
  const lines = remote.git('cat-file', '-s', `${tip()}:history/6.1/2026-11.jsonl`);
  expect(Number(lines)).toBeGreaterThan(6_000_000);
  expect(remote.git('diff', '--numstat', `${tip()}^`, tip(), '--', 'history/6.1')).toMatch(/^1\t0\t/);
});

test('without measurements nothing is recorded, and no branch is created', async () => {
  const commit = remote.commit(november);
  expect(await record({ ...resultsAt(commit, 1), measurements: [] })).toEqual({
    commit: null,
    lines: 0,
    path: 'history',
  });
  expect(tip()).toBe('');
});

describe('a push that loses a race', () => {
  // Another run creates the branch, or adds to it, before the first push.
  const rival = (script: string) =>
    `case "$1" in push) if mkdir '${folder}/rival' 2>/dev/null; then (${script}) >/dev/null; fi;; esac`;
  const outrun = (script: string) => {
    const { path: spy } = spyOnGit(folder, rival(script));
    process.env.PATH = `${spy}:${path}`;
  };

  test.each([[false], [true]])('is tried again on top of the other one (the branch existed: %s)', async (isThere) => {
    const [first, second] = [remote.commit(november), remote.commit(november)];
    await record(resultsAt(first, 1), { branch: 'rival' });
    if (isThere) {
      await record(resultsAt(first, 1));
      await record(resultsAt(first, 2), { branch: 'rival' });
    }
    outrun(`cd '${remote.folder}' && git update-ref refs/heads/bpfgate-history refs/heads/rival`);
    if (isThere) remote.git('update-ref', 'refs/heads/bpfgate-history', 'rival^');
    await record(resultsAt(second, 3));
    expect(values('history/6.1/')).toEqual([
      [first.id, '6.1', 'macro/fun_xdp', isThere ? 2 : 1],
      [second.id, '6.1', 'macro/fun_xdp', 3],
    ]);
    expect(remote.git('rev-parse', `${tip()}^`)).toBe(tip('rival'));
    expect(logged).toEqual(['another run was quicker; trying again']);
  });

  test('repeatedly fails with an error', async () => {
    const [first, second] = [remote.commit(november), remote.commit(november)];
    await record(resultsAt(first, 1));
    // Each push finds a commit more than was fetched.
    const { path: spy } = spyOnGit(
      folder,
      `case "$1" in push) (
        cd '${remote.folder}' && unset GIT_CONFIG_COUNT
        export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
        tip=$(git rev-parse bpfgate-history)
        git update-ref refs/heads/bpfgate-history $(git commit-tree -p $tip -m rival "$tip^{tree}")
      );; esac`,
    );
    process.env.PATH = `${spy}:${path}`;
    const failure = await record(resultsAt(second, 2)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MachineError);
    expect(String(failure)).toMatch(/others were quicker 10 times/);
    expect(values('history/6.1/')).toHaveLength(1);
  });
});

describe('a refused recording leaves the branch unchanged', () => {
  const refuse = async (what: ReturnType<typeof resultsAt>, fields: RecordFields = {}) => {
    const before = [tip(), remote.git('for-each-ref')];
    const failure = await record(what, fields).catch((error: unknown) => error);
    expect([tip(), remote.git('for-each-ref')]).toEqual(before);
    expect(failure).toBeInstanceOf(Error);
    return failure as InputError;
  };

  test('by a hook of the repository, as on a protected branch, at once', async () => {
    const [first, second] = [remote.commit(november), remote.commit(november)];
    await record(resultsAt(first, 1));
    const hook = join(remote.folder, 'hooks', 'pre-receive');
    mkdirSync(join(remote.folder, 'hooks'), { recursive: true });
    writeFileSync(
      hook,
      '#!/bin/sh\necho "error: GH006: Protected branch update failed for $(cut -d" " -f3)." >&2\nexit 1\n',
    );
    chmodSync(hook, 0o755);
    const failure = await refuse(resultsAt(second, 2));
    expect(failure).toBeInstanceOf(InputError);
    expect(failure.message).toMatch(
      /^the push to branch `bpfgate-history` of example\/xdp was refused: .*GH006: Protected branch update failed for refs\/heads\/bpfgate-history/,
    );
    expect(failure.hint).toMatch(/repository.s rules/);
    expect(logged.filter((text) => text.includes('trying again'))).toEqual([]);
  });

  test('without the commit in the repository, or with another tree', async () => {
    const commit = remote.commit(november);
    await record(resultsAt(commit, 1));
    const foreign = await refuse(resultsAt({ ...commit, id: 'a'.repeat(40) }, 2));
    expect(foreign).toBeInstanceOf(InputError);
    expect(foreign.message).toBe(`example/xdp has no commit ${'a'.repeat(40)}`);
    const changed = await refuse(resultsAt({ ...commit, tree: 'b'.repeat(40) }, 2));
    expect(changed).toBeInstanceOf(InputError);
    expect(changed.message).toMatch(/has tree [0-9a-f]{40}, and what was measured has another/);
  });

  test.each(['a..b', '-x', 'a b', 'x.lock', 'a:b', ''])('with the invalid branch name %j', async (branch) => {
    const failure = await refuse(resultsAt(remote.commit(november), 1), { branch });
    expect(failure).toBeInstanceOf(InputError);
    expect(failure.message).toBe(`no branch can be called ${JSON.stringify(branch)}`);
  });

  test('without such a repository', async () => {
    const failure = await refuse(resultsAt(remote.commit(november), 1), { server: `file://${folder}/nowhere` });
    expect(failure).toBeInstanceOf(InputError);
    expect(failure.message).toMatch(/^the token may not read example\/xdp: /);
    expect(failure.hint).toBe('give the job `permissions: contents: write`');
  });

  test('without a network, after a retry', async () => {
    const failure = await refuse(resultsAt(remote.commit(november), 1), { server: 'http://127.0.0.1:1' });
    expect(failure).toBeInstanceOf(MachineError);
    expect(failure.message).toMatch(/^git cannot reach http:\/\/127\.0\.0\.1:1\/example\/xdp: /);
    expect(logged.filter((text) => text.endsWith('trying again'))).toHaveLength(4);
  });

  test('when it is interrupted', async () => {
    const interruption = new AbortController();
    const commit = remote.commit(november);
    // The push does not end before it is interrupted.
    const { path: spy } = spyOnGit(folder, `case "$1" in push) : > '${folder}/pushing'; exec sleep 1000;; esac`);
    process.env.PATH = `${spy}:${path}`;
    const watch = setInterval(() => {
      if (readdirSync(folder).includes('pushing')) interruption.abort(new InterruptedError('interrupted by SIGTERM'));
    }, 20);
    const failure = await refuse(resultsAt(commit, 1), { signal: interruption.signal });
    clearInterval(watch);
    expect(failure).toBeInstanceOf(InterruptedError);
  });
});

test("the user's configuration, templates with hooks and git's hook variables are ignored", async () => {
  const home = join(folder, 'home');
  const template = join(folder, 'template');
  mkdirSync(join(template, 'hooks'), { recursive: true });
  mkdirSync(home);
  for (const name of ['pre-push', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(template, 'hooks', name), `#!/bin/sh\n: > '${folder}/hooked'\nexit 1\n`, { mode: 0o755 });
  }
  const elsewhere = `[url "file:///nowhere/"]\n\tinsteadOf = file://\n[commit]\n\tgpgSign = true\n`;
  const settings = `${elsewhere}[init]\n\ttemplateDir = ${template}\n[core]\n\thooksPath = ${template}/hooks\n`;
  writeFileSync(join(home, '.gitconfig'), settings);
  const commit = remote.commit(november);
  vi.stubEnv('HOME', home);
  for (const name of ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']) vi.stubEnv(name, '/nowhere');
  vi.stubEnv('GIT_TEMPLATE_DIR', template);
  try {
    await record(resultsAt(commit, 1));
  } finally {
    vi.unstubAllEnvs();
  }
  expect(values()).toHaveLength(2);
  expect(readdirSync(folder)).not.toContain('hooked');
});

describe.skipIf(!hasHttpBackend)('over HTTP', () => {
  let server: GitServer;
  beforeEach(async () => {
    server = await serveGit(remote, { [token]: 'write', ghs_reader: 'read' });
  });
  afterEach(() => server.close());

  test('the token is sent with each request, and is in no argument, file or log', async () => {
    const { path: spy, log } = spyOnGit(folder);
    process.env.PATH = `${spy}:${path}`;
    const [first, second] = [remote.commit(november), remote.commit(november)];
    await record(resultsAt(first, 1), { server: server.url });
    await record(resultsAt(second, 2), { server: server.url });
    process.env.PATH = path;
    expect(values('history/6.1/')).toHaveLength(2);
    expect(server.requests.filter(({ line }) => line === 'POST /example/xdp/git-receive-pack').length).toBe(2);
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set([`basic ${encoded}`]));
    const traced = readFileSync(log, 'utf8');
    const commands = traced
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'start')
      .map(({ argv }) => argv.join(' '));
    expect(commands).toContainEqual(expect.stringMatching(/ push .*bpfgate-history$/));
    expect(commands).toContainEqual(expect.stringMatching(/remote-http/));
    for (const secret of [token, encoded, 'x-access-token']) expect(traced).not.toContain(secret);
  });

  test('only the files to be written are fetched: no project content, no other months and kernels', async () => {
    const [first, second] = [remote.commit(november), remote.commit(november + 1e6)];
    await record(resultsAt(first, 1), { server: server.url });
    const { path: spy, log } = spyOnGit(folder);
    process.env.PATH = `${spy}:${path}`;
    await record(resultsAt(second, 2), { server: server.url });
    process.env.PATH = path;
    const fetches = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event, argv }) => event === 'start' && argv.some((each: string) => each === 'fetch'));
    // One for the commit and one for the branch: nothing had to be fetched later.
    expect(fetches).toHaveLength(2);
    expect(server.requests.filter(({ line }) => line === 'POST /example/xdp/git-receive-pack')).toHaveLength(2);
    expect(values('history/6.1/')).toHaveLength(2);
  });

  test.each([
    ['that may only read', 'ghs_reader', /^the token may not push to branch `bpfgate-history` of example\/xdp: .*403/],
    ['that GitHub does not know', 'ghs_else', /^the token may not read example\/xdp: /],
  ])('a token %s is an error that names the missing permission', async (_, other, message) => {
    const place = { url: `${server.url}/${repositoryName}`, repository: repositoryName, run: 20, token: other };
    const log = { progress: () => {}, warn: () => {} };
    const failure = await recordHistory(
      resultsAt(remote.commit(november), 1),
      { ...place, branch: 'bpfgate-history', projectPath: '' },
      { temporaryFolder: join(folder, 'temporary'), log, delayMs: 5 },
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect((failure as InputError).message).toMatch(message);
    expect((failure as InputError).hint).toBe('give the job `permissions: contents: write`');
    expect(tip()).toBe('');
  });
});
