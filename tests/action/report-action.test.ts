// The step that ends a matrix, as a runner starts it, with results as other jobs have left them and a GitHub of its own.

import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { error, type GitHubServer, startGitHub, token } from '../publish/github-server.ts';
import { fixtures, kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';
import { finishStep, startStep } from './step.ts';

const entry = join(import.meta.dirname, '..', '..', 'src', 'report-action.ts');
const defaults = {
  ...{ results: '.', kernels: '', project: '.', 'fail-on': 'regression', annotations: 'true', comment: 'on-change' },
  'github-token': token,
};
const event = { pull_request: { number: 7, head: { sha: 'abcdef0123456789', repo: { full_name: 'example/xdp' } } } };

let folder: string;
let workspace: string;
let github: GitHubServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-report-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace);
  github = await startGitHub();
});

afterEach(async () => {
  await github.close();
  await rm(folder, { recursive: true });
  expect(github.violations).toEqual([]);
});

/** A job's results of one kernel, as download-artifact leaves them. */
async function leave(results: Results, kernel: string): Promise<void> {
  const of = <Item extends { readonly kernel: string }>(items: readonly Item[]) =>
    items.filter((item) => item.kernel === kernel);
  const { kernels, measurements, comparisons, gaps, profiles } = results;
  const file = join(workspace, `bpfgate-${kernel}`, 'results.json');
  await mkdir(dirname(file), { recursive: true });
  const own = { measurements: of(measurements), comparisons: of(comparisons), gaps: of(gaps), profiles: of(profiles) };
  await writeFile(file, serializeResults({ ...results, ...own, kernels: kernels.filter(({ id }) => id === kernel) }));
}

async function leaveAll(name: string): Promise<Results> {
  const results = fixtures[name];
  if (results === undefined) throw new Error(`no fixture ${name}`);
  for (const { id } of results.kernels) await leave(results, id);
  return results;
}

const report = async (inputs: Partial<typeof defaults> = {}, runId = 20, of: unknown = event) =>
  finishStep(
    await startStep(entry, {
      ...{ folder, workspace, inputs: { ...defaults, ...inputs }, event: of, apiUrl: github.url, runId },
    }),
  );

test('a matrix becomes one comment, one summary, annotations and one verdict; the next run updates the comment', async () => {
  await leaveAll('grown-lines');
  const { exitCode, stdout, outputs } = await report();
  expect(exitCode).toBe(1);
  expect(outputs).toMatch(/^verdict<<(\S+)\nregression\n\1$/m);
  const [annotation] = stdout
    .split('\n')
    .filter((line) => line.startsWith('::error') && line.includes('fun_xdp regressed'));
  expect(annotation).toContain('file=example-project/xdp-ebpf/src/main.rs,line=51');
  expect(github.comments).toHaveLength(1);
  const body = github.comments[0]?.body ?? '';
  expect(body).toContain('| benchmark | measure | 5.10 | 6.1 | 6.12 |');
  expect(body).toContain(`[run 20](${github.url}/example/xdp/actions/runs/20)`);
  const summary = await readFile(join(folder, 'summary.md'), 'utf8');
  expect(body).toContain(summary.trim());
  const joined = await readFile(join(folder, 'temp', 'bpfgate-report', 'results.json'), 'utf8');
  expect(parseResults(joined, 'results.json').kernels.map(({ id }) => id)).toEqual(['5.10', '6.1', '6.12']);

  await leaveAll('same-code');
  const next = await report({}, 21);
  expect(next.exitCode).toBe(0);
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toContain('### bpfgate: pass');
});

test('what passed unchanged has no comment, unless it is always wanted', async () => {
  await leaveAll('same-code');
  expect((await report()).stdout).toMatch(/^comment on pull request 7: not needed$/m);
  expect(github.comments).toEqual([]);
  await report({ comment: 'always' });
  expect(github.comments).toHaveLength(1);
});

test('a kernel whose job has left nothing is an error', async () => {
  const results = fixtures['same-code'] as Results;
  await leave(results, '6.1');
  const { exitCode, outputs } = await report({ kernels: '6.1,6.12' });
  expect(exitCode).toBe(1);
  expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
  expect(github.comments[0]?.body).toContain('could not be measured');
  expect((await report({ kernels: '6.1' }, 21)).exitCode).toBe(0);
});

test('a run whose plan has failed, so that nobody knows the kernels, is told in the same comment', async () => {
  const results = await leaveAll('same-code');
  await report({ comment: 'always', kernels: results.kernels.map(({ id }) => id).join(',') });
  await rm(workspace, { recursive: true });
  await mkdir(workspace);
  expect((await report({ kernels: '' }, 21)).exitCode).toBe(1);
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('### bpfgate: no result')]);
});

describe('what is no result is refused, and the comment says so', () => {
  test.each([
    ['nothing', async () => {}, /no results\.json is below/],
    ['a cut file', () => write('a/results.json', '{"schema": "bpfgate.results/1", "bpf'), /a\/results\.json/],
    ['another schema', () => write('a/results.json', '{"schema": "other/1"}'), /a\/results\.json/],
    ['a link', () => link('a/results.json', '/etc/passwd'), /no results\.json is below/],
    ['a link to a folder that has one', linkFolder, /no results\.json is below/],
    ['a file without end', () => link('a/results.json', '/dev/zero'), /no results\.json is below/],
    ['a file of 65 MiB', sparse, /a\/results\.json`: it has 68157440 bytes, more than 67108864/],
  ])('%s', async (_, prepare, said) => {
    await prepare();
    const { exitCode, stdout } = await report();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(said);
    expect(github.comments[0]?.body).toContain('### bpfgate: no result');
    expect(github.comments[0]?.body).not.toContain('root:');
  });

  test('two runs in one folder', async () => {
    const results = fixtures['same-code'] as Results;
    await leave(results, '6.1');
    await write('again/results.json', await readFile(join(workspace, 'bpfgate-6.1', 'results.json'), 'utf8'));
    expect((await report()).stdout).toMatch(/6\.1/);
  });

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await writeFile(join(workspace, name), text);
  }

  /** A whole result, but elsewhere. */
  async function linkFolder(): Promise<void> {
    await mkdir(join(folder, 'elsewhere'));
    await writeFile(join(folder, 'elsewhere', 'results.json'), serializeResults(fixtures['same-code'] as Results));
    await link('a', join(folder, 'elsewhere'));
  }

  async function sparse(): Promise<void> {
    await write('a/results.json', '');
    await truncate(join(workspace, 'a/results.json'), 65 * 1024 * 1024);
  }

  async function link(name: string, target: string): Promise<void> {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await symlink(target, join(workspace, name));
  }
});

test('300 benchmarks on 12 kernels fit a comment, which GitHub takes', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `6.${index + 1}`);
  const measurements = ids.flatMap((kernel) =>
    Array.from({ length: 300 }, (_, index) =>
      pair(1000, 1000 + (index % 5), { kernel, benchmark: `bench ${index}/a program with a long name ${index}` }),
    ).flat(),
  );
  const results = resultsOf(
    measurements,
    ids.map((id) => kernelResult(id)),
  );
  for (const id of ids) await leave(results, id);
  expect((await report()).exitCode).toBe(1);
  const body = github.comments[0]?.body ?? '';
  expect(body.length).toBeGreaterThan(50_000);
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body).toMatch(/_\d+ more rows\._/);
});

test('names from a project do no harm in the comment: it is the report, whose escapes have tests of their own', async () => {
  await leaveAll('hostile-names');
  await report({ comment: 'always' });
  const golden = new URL('../report/golden/hostile-names.md', import.meta.url);
  const [marker, ...lines] = (github.comments[0]?.body ?? '').split('\n');
  expect(marker).toMatch(/^<!-- bpfgate [0-9a-f]{16} run 20\.1 -->$/);
  const rows = (await readFile(golden, 'utf8')).split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(5);
  expect(lines).toEqual(expect.arrayContaining(rows));
});

describe('a pull request from a fork', () => {
  const sha = 'a'.repeat(40);
  const fork = { full_name: 'somebody/xdp', owner: { login: 'somebody' } };
  const run = { id: 20, run_attempt: 1, event: 'pull_request', path: '.github/workflows/gate.yml', head_sha: sha };
  const following = { workflow_run: { ...run, head_branch: 'faster', head_repository: fork } };
  const pull = { owner: 'somebody', branch: 'faster', sha };

  test('gets its comment from the run that follows: its own has a token that can only read', async () => {
    await leaveAll('regression-everywhere');
    github.pulls.set(7, pull);
    github.intercept = (request) =>
      /^(POST|PATCH|DELETE) \/repos/.test(request)
        ? { status: 403, body: error('Resource not accessible by integration') }
        : undefined;
    const own = await report({}, 20, { pull_request: { number: 7, head: { sha, repo: fork } } });
    expect(own.exitCode).toBe(1);
    expect(own.outputs).toMatch(/^verdict<<(\S+)\nregression\n\1$/m);
    expect(own.stdout).not.toContain('::warning');
    expect(github.comments).toEqual([]);

    github.intercept = () => undefined;
    const next = await report({ 'fail-on': 'never', annotations: 'false' }, 21, following);
    expect(next.exitCode).toBe(0);
    expect(next.stdout).toMatch(/^comment on pull request 7: created$/m);
    expect(next.stdout).not.toContain('::error');
    expect(github.comments[0]?.body).toContain(`[run 20](${github.url}/example/xdp/actions/runs/20)`);
  });

  test.each([
    ['has gone on since', { ...pull, sha: 'b'.repeat(40) }],
    ['is of another fork', { ...pull, owner: 'else' }],
  ])('that %s gets none', async (_, other) => {
    await leaveAll('regression-everywhere');
    github.pulls.set(7, other);
    const { stdout } = await report({ 'fail-on': 'never', annotations: 'false' }, 21, following);
    expect(stdout).toMatch(/^no open pull request has commit a{40}/m);
    expect(github.comments).toEqual([]);
  });
});
