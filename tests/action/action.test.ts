// Action: the step in its own process, as a runner starts it, up to the boot of a guest.

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runOrThrow } from '../../src/adapters/process.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { kernelKind } from '../../src/kernels/cached.ts';
import { error, type GitHubServer, startGitHub, token } from '../publish/github-server.ts';
import { finishStep, startStep } from './step.ts';

const action = join(import.meta.dirname, '..', '..', 'src', 'action.ts');

/** The defaults of action.yml. */
const defaults = {
  project: '.',
  config: 'bpfgate.toml',
  base: '',
  kernels: '',
  lanes: '',
  shard: '',
  packages: '',
  timeout: '',
  'accept-costs': 'same-repository',
  'fail-on': 'regression',
  sandbox: 'auto',
  'allow-project-registries': 'false',
  annotations: 'true',
  'check-run': 'false',
  'artifact-name': '',
  cache: 'true',
  comment: 'never',
  'github-token': '',
};

let folder = '';
let workspace = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-action-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace);
  await mkdir(join(folder, 'cache'));
  // Shared with the machine's cache, so that the step need not compile and fetch them first.
  for (const kind of ['tools', 'agent', 'plugin', kernelKind]) {
    await mkdir(join(locateCache(), kind), { recursive: true });
    await symlink(join(locateCache(), kind), join(folder, 'cache', kind));
  }
  await writeConfig('true');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  [{ kernels: '9.9' }, /9\.9/],
  [{ lanes: 'speed' }, /input lanes: unknown lane `speed`/],
  [{ shard: '4/3' }, /input shard: `4\/3` is no shard; allowed: INDEX\/COUNT/],
  [
    { shard: '2/2' },
    /input shard: nothing is left for shard 2\/2: bpfgate\.toml has 1 \[\[bench\]\]%0Ahint: leave it out/,
  ],
  [{ packages: 'make --yes' }, /input packages: "--yes" is no name of a package%0Ahint: /],
  [{ timeout: '30 min' }, /input timeout: `30 min` is no time limit; allowed: whole seconds from 1 to 86400 \(a day\)/],
  [{ project: 'nowhere' }, /input project: there is no folder .*%0Ahint: /],
  [{ 'fail-on': 'sometimes' }, /input fail-on: "sometimes" is not allowed%0Ahint: use one of regression, error, never/],
  [{ comment: 'sometimes' }, /input comment: "sometimes" is not allowed%0Ahint: use one of always, on-change, never/],
  [{ annotations: 'yes' }, /input annotations: "yes" is not allowed%0Ahint: use one of true, false/],
])('a bad input fails with one error, before anything is installed: %j', async (inputs, message) => {
  const { exitCode, stdout, outputs } = await finishStep(await start(inputs));
  expect(exitCode).toBe(1);
  expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^::error title=bpfgate::/)]);
  expect(stdout).toMatch(message);
  expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
});

test('a bad input fails also with `fail-on: never`', async () => {
  const { exitCode } = await finishStep(await start({ 'fail-on': 'never', kernels: '9.9' }));
  expect(exitCode).toBe(1);
});

test('an empty workspace is reported as that', async () => {
  await rm(join(workspace, 'bpfgate.toml'));
  const { exitCode, stdout } = await finishStep(await start({}));
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^::error title=bpfgate::the workspace is empty: .*%0Ahint: add a step with actions\/checkout/,
  );
});

test.each([
  ['pull_request_target', true],
  ['pull_request', false],
])('a build of a pull request on `%s` gives a warning of the secrets: %s', async (eventName, isWarned) => {
  await writeConfig('exit 3');
  const base = await commitBase();
  const event = { pull_request: { base: { ref: 'main', sha: base }, head: { sha: base } } };
  const environment = { GITHUB_EVENT_NAME: eventName, GITHUB_REF: 'refs/heads/main' };
  const { stdout } = await finishStep(await start({ base: 'HEAD' }, event, '', environment));
  expect(stdout).toContain('the build of base');
  expect(/^::warning .*on the event `pull_request_target` have the repository's secrets/m.test(stdout)).toBe(isWarned);
});

test('an error in bpfgate.toml names the file and the line', async () => {
  await writeFile(join(workspace, 'bpfgate.toml'), 'kernels = ["6.1"]\nlane = "x"\n');
  const { exitCode, stdout } = await finishStep(await start({}));
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^::error title=bpfgate::bpfgate\.toml:2: /);
});

test('a run without a result appends the reason to the job summary', async () => {
  await writeFile(join(folder, 'summary.md'), 'earlier\n');
  await finishStep(await start({ kernels: '9.9' }));
  const summary = await readFile(join(folder, 'summary.md'), 'utf8');
  expect(summary).toMatch(/^earlier\n### bpfgate: no result\n\n```text\n.*9\.9/);
});

test("a pull request's build gets no variable of the runner, and is compared with the merge's first parent", {
  tags: ['hostile'],
}, async () => {
  await writeConfig('echo "seen: $(env | tr "\\n" " ")"; exit 3');
  const base = await commitAll('base');
  await writeFile(join(workspace, 'changed'), '');
  const head = await commitAll('head');
  const merge = await git('commit-tree', '-p', base, '-p', head, '-m', 'merge', `${head}^{tree}`);
  await git('checkout', '--quiet', '--detach', merge);

  const stale = { ref: 'main', sha: 'b'.repeat(40) };
  const { exitCode, stdout } = await finishStep(
    await start({ 'github-token': 'canary' }, { pull_request: { base: stale, head: { sha: head } } }),
  );
  expect(exitCode).toBe(1);
  expect(stdout).toContain('building base (what the pull request is merged into)');
  expect(stdout).toMatch(/^::error title=bpfgate::the build of base \(.*\) exited with 3/m);
  const [environment = ''] = /seen: .*PATH=.*/.exec(stdout) ?? [];
  expect(environment).not.toBe('');
  expect(environment).not.toContain('canary');
  expect(environment).not.toMatch(/ (INPUT|GITHUB|ACTIONS|RUNNER)_/);
});

describe('the comment on the pull request', () => {
  let github: GitHubServer;

  beforeEach(async () => {
    github = await startGitHub();
  });

  afterEach(async () => {
    await github.close();
    expect(github.violations).toEqual([]);
  });

  /** Runs a step for a pull request whose build fails. */
  async function fail(inputs: Record<string, string> = {}, from = 'example/xdp') {
    await writeConfig('echo "@everyone --> **x**" >&2; exit 3');
    const base = await commitBase();
    const head = { sha: base, repo: { full_name: from } };
    const event = { pull_request: { number: 7, base: { ref: 'main', sha: base }, head } };
    const given = { comment: 'on-change', 'github-token': token, base: 'HEAD', ...inputs };
    return finishStep(await start(given, event, github.url));
  }

  test('gives the reason when there is no result', async () => {
    const { exitCode, stdout } = await fail();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^comment on pull request 7: created$/m);
    const [comment, ...others] = github.comments;
    expect(others).toEqual([]);
    expect(comment?.body).toMatch(
      /^<!-- bpfgate [0-9a-f]{16} run 20\.1 -->\n### bpfgate: no result\n\n```text\nthe build of base/,
    );
    expect(comment?.body).toContain(`[run 20](${github.url}/example/xdp/actions/runs/20)`);
    // The build's output is in the code block, where it is plain text.
    expect(comment?.body.split('```')[1]).toContain('@everyone --> **x**');
  });

  test.each([
    [
      'a token that may not write',
      'example/xdp',
      /^::warning title=bpfgate::the pull request has no comment: .*pull-requests: write/m,
    ],
    ['a fork', 'somebody/xdp', /^the pull request has no comment: a run for a fork has a token that can only read/m],
  ])('%s: the outcome is the same', async (_, from, said) => {
    github.intercept = (request) =>
      request.startsWith('POST /repos')
        ? { status: 403, body: error('Resource not accessible by integration') }
        : undefined;
    const { exitCode, stdout, outputs } = await fail({}, from);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(said);
    expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
    expect(github.comments).toEqual([]);
  });

  test.each([
    ['never', { comment: 'never' }],
    ['no token, which is reported', { 'github-token': '' }],
  ])('%s: no request is sent to GitHub', async (_, inputs) => {
    const { stdout } = await fail(inputs);
    expect(github.requests).toEqual([]);
    expect(/there is no github-token/.test(stdout)).toBe('github-token' in inputs);
  });
});

test.each([
  ['example/xdp', /^::warning title=bpfgate::dependencies are downloaded by the project's own settings/m],
  [
    'somebody/xdp',
    /^::error title=bpfgate::input allow-project-registries: `true` is refused: the pull request is from a fork/m,
  ],
])('input allow-project-registries gives a warning, and is refused for a fork: %s', async (from, said) => {
  await writeConfig('echo "it was built"; exit 3');
  await commitBase();
  const sha = (await git('rev-parse', 'HEAD')).trim();
  const event = { pull_request: { head: { sha, repo: { full_name: from } } } };
  const { exitCode, stdout } = await finishStep(
    await start({ 'allow-project-registries': 'true', base: 'HEAD' }, event),
  );
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(said);
  expect(stdout.includes('it was built')).toBe(from === 'example/xdp');
});

test('a failed build passes with `fail-on: never`, and its output is in the output folder', async () => {
  await writeConfig('seq 1000; exit 3');
  await commitBase();
  const { exitCode, stdout, outputs } = await finishStep(await start({ 'fail-on': 'never', base: 'HEAD' }));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^::warning title=bpfgate::the build of base/m);
  expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
  const [, log = ''] =
    /the whole output is in (\S+), until the job ends: input artifact-name keeps it/.exec(stdout) ?? [];
  expect((await readFile(log, 'utf8')).match(/^\d+$/gm)).toHaveLength(1000);
});

test('input timeout ends a guest that is still booting', async () => {
  await writeConfig('true');
  await commitBase();
  const { exitCode, stdout } = await finishStep(await start({ timeout: '1', base: 'HEAD' }));
  expect(exitCode).toBe(1);
  const said =
    /^::error title=bpfgate::the guest of kernel 6\.1 did not finish within its 1 s and was ended%0Ahint: raise the limit/m;
  expect(stdout).toMatch(said);
});

test('text from bpfgate.toml is not run as a workflow command', async () => {
  await writeConfig('echo "##[stop-commands]x"\n::add-mask::bpfgate');
  await commitBase();
  const { stdout } = await finishStep(await start({ base: 'HEAD' }));
  const shown = stdout.replace(/^::error .*$/m, '');
  expect(shown).toContain('stop-commands');
  expect(shown).toContain('add-mask');
  expect(shown).not.toContain('##[');
  expect(shown).not.toMatch(/^\s*::add-mask/m);
});

test('a run in which nothing would be compared is an error, not a pass', async () => {
  const base = await commitAll('base');
  const repository = { default_branch: 'main' };
  const event = { repository, pull_request: { base: { ref: 'main', sha: base }, head: { sha: 'd'.repeat(40) } } };
  const environment = { GITHUB_EVENT_NAME: 'pull_request_target', GITHUB_REF: 'refs/heads/main', GITHUB_SHA: base };
  const found = await finishStep(await start({}, event, '', environment));
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toMatch(
    /^::error title=bpfgate::nothing of the pull request is checked out: .*%0Ahint: measure pull requests in a workflow/,
  );
  const given = await finishStep(await start({ base: 'main' }));
  expect(given.exitCode).toBe(1);
  expect(given.stdout).toMatch(/^::error title=bpfgate::nothing to compare: base and head are both [0-9a-f]{7}, and/m);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends running programs and the step', async (signal) => {
  // A length that no other process sleeps for.
  const length = `1000.${process.pid}`;
  await writeConfig(`setsid sleep ${length} & wait`);
  await commitBase();
  const step = await start({ base: 'HEAD' });
  await vi.waitFor(async () => expect(await isSleeping(length)).toBe(true), { timeout: 50_000, interval: 100 });
  step.child.kill(signal);
  const { exitCode, stdout } = await finishStep(step);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^::error::bpfgate: interrupted; nothing was left running$/m);
  expect(await isSleeping(length)).toBe(false);
});

function writeConfig(build: string): Promise<void> {
  const text = `kernels = ["6.1"]
[build]
command = '''${build}'''
[[bench]]
name = "none"
command = "true"
format = "none"
`;
  return writeFile(join(workspace, 'bpfgate.toml'), text);
}

async function git(...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  return (await runOrThrow('git', [...who, ...args], { cwd: workspace })).trim();
}

async function commitAll(message: string): Promise<string> {
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}

/** Commits all as `base`. The working tree then has a change, because otherwise there is nothing to compare. */
async function commitBase(): Promise<string> {
  const base = await commitAll('base');
  await writeFile(join(workspace, 'changed'), '');
  return base;
}

const start = (inputs: Record<string, string>, event: unknown = {}, apiUrl = '', environment = {}) =>
  startStep(action, { folder, workspace, inputs: { ...defaults, ...inputs }, event, apiUrl, environment });

/** Whether a process sleeps for this length. Searches all of /proc: a build's PIDs are those of its own namespace. */
async function isSleeping(length: string): Promise<boolean> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')));
  return lines.includes(`sleep\0${length}\0`);
}
