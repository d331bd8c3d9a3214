// The step that records, as a runner starts it, with results that other jobs left and its own repository.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findResultFiles } from '../../src/adapters/result-files.ts';
import { type Results, readMeasurements } from '../../src/report/results.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { type GitRemote, makeRemote, resultsAt } from '../history/git-remote.ts';
import { measurement, resultsOf } from '../report/results-fixtures.ts';
import { finishStep, startStep } from './step.ts';

const entry = join(import.meta.dirname, '..', '..', 'src', 'record-action.ts');
const token = 'ghs_canary0123';
/** The defaults of action.yml. */
const defaults = {
  results: '.',
  kernels: '',
  project: '',
  branch: 'bpfgate-history',
  'github-token': token,
};
const november = Date.UTC(2026, 10, 22) / 1000;
const pushed = { ref: 'refs/heads/main', repository: { default_branch: 'main' } };

let folder: string;
let remote: GitRemote;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-record-'));
  remote = makeRemote(join(folder, 'server'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Writes a job's results of each kernel, as download-artifact leaves them. @returns the workspace */
async function leave(results: Results, name = 'workspace'): Promise<string> {
  const workspace = join(folder, name);
  for (const { id } of results.kernels) {
    const file = join(workspace, `bpfgate-${id}`, 'results.json');
    const of = <Item extends { readonly kernel: string }>(items: readonly Item[]) =>
      items.filter(({ kernel }) => kernel === id);
    const own = { measurements: of(results.measurements), comparisons: of(results.comparisons) };
    await mkdir(dirname(file), { recursive: true });
    await writeFile(
      file,
      serializeResults({ ...results, ...own, kernels: results.kernels.filter((k) => k.id === id) }),
    );
  }
  return workspace;
}

/** The commit that the results measured, as the run's GITHUB_SHA. */
async function shaOf(workspace: string): Promise<{ GITHUB_SHA?: string }> {
  const [first] = (await findResultFiles(workspace).catch(() => [])).map(
    ({ results }) => results.revisions.head.commit,
  );
  return first == null ? {} : { GITHUB_SHA: first };
}

/** @param runs one step each, all started at the same time */
async function recordAll(
  runs: readonly { readonly workspace: string; readonly inputs?: Partial<typeof defaults>; readonly name?: string }[],
  event: unknown = pushed,
) {
  const steps = await Promise.all(
    runs.map(async ({ workspace, inputs = {}, name = 'push' }, index) => {
      const own = join(folder, `runner ${index}`);
      await rm(own, { recursive: true, force: true });
      await mkdir(own);
      return startStep(entry, {
        folder: own,
        workspace,
        inputs: { ...defaults, ...inputs },
        event,
        apiUrl: '',
        runId: 20 + index,
        environment: {
          GITHUB_EVENT_NAME: name,
          GITHUB_SERVER_URL: `file://${remote.root}`,
          GITHUB_REF: 'refs/heads/main',
          ...(await shaOf(workspace)),
        },
      });
    }),
  );
  return Promise.all(
    steps.map(async (step) => {
      const outcome = await finishStep(step);
      expect(await readdir(join(step.folder, 'temp'))).toEqual([]);
      expect(outcome.stdout).not.toContain(token);
      const output = (name: string) => new RegExp(`^${name}<<(\\S+)\\n(.*)\\n\\1$`, 'm').exec(outcome.outputs)?.[2];
      return { ...outcome, output, summary: await readFile(join(step.folder, 'summary.md'), 'utf8') };
    }),
  );
}

async function record(results: Results, inputs: Partial<typeof defaults> = {}, name = 'push', event: unknown = pushed) {
  const workspace = await leave(results);
  const [outcome] = await recordAll([{ workspace, inputs, name }], event);
  if (outcome === undefined) throw new Error('no step was run');
  return outcome;
}

test('a push adds lines, and the outputs name the files', async () => {
  const commit = remote.commit(november);
  const { exitCode, stdout, output } = await record(resultsAt(commit, 165));
  expect(stdout).toMatch(/^2 lines in history on branch bpfgate-history, commit [0-9a-f]{40}$/m);
  expect(exitCode).toBe(0);
  expect(output('commit')).toBe(remote.git('rev-parse', 'bpfgate-history'));
  expect([output('lines'), output('path')]).toEqual(['2', 'history']);
  const lines = remote.read().map((line) => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({ commit: commit.id, kernel: '6.1', value: 165, date: '2026-11-22T00:00:00Z', run: 20 }),
    expect.objectContaining({ commit: commit.id, kernel: '6.12', value: 165 }),
  ]);
  expect((await record(resultsAt(commit, 165))).output('commit')).toBe(output('commit'));
});

test('concurrent runs lose no lines', async () => {
  const commits = Array.from({ length: 5 }, (_, index) => remote.commit(november + index));
  const runs = await Promise.all(
    commits.map(async (commit, index) => ({ workspace: await leave(resultsAt(commit, index), `workspace ${index}`) })),
  );
  const outcomes = await recordAll(runs);
  expect(outcomes.map(({ exitCode, stdout }) => [exitCode, exitCode === 0 ? '' : stdout])).toEqual(
    commits.map(() => [0, '']),
  );
  const lines = remote.read('history/6.1/').map((line) => JSON.parse(line));
  expect(lines.map(({ commit, run }) => [commit, run]).toSorted()).toEqual(
    commits.map(({ id }, index) => [id, 20 + index]).toSorted(),
  );
  expect(remote.git('rev-list', '--count', 'bpfgate-history')).toBe('5');
  expect(remote.git('rev-list', '--min-parents=2', 'bpfgate-history')).toBe('');
  for (const { output } of outcomes) {
    expect(() => remote.git('merge-base', '--is-ancestor', output('commit') ?? '', 'bpfgate-history')).not.toThrow();
  }
});

test('a kernel without an artifact is a warning, and the others are recorded', async () => {
  const { exitCode, stdout, output } = await record(resultsAt(remote.commit(november), 1), {
    kernels: '5.10,6.1,6.12',
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^::warning title=bpfgate::no measurements for 5\.10; skipped$/m);
  expect(output('lines')).toBe('2');
});

test('a run without measurements is no error, and creates no branch', async () => {
  const { exitCode, stdout, output } = await record({
    ...resultsAt(remote.commit(november), 1),
    measurements: [],
    comparisons: [],
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^::warning title=bpfgate::nothing was measured, so nothing is recorded$/m);
  expect([output('commit'), output('lines')]).toEqual(['', '0']);
  expect(remote.git('branch', '--list')).not.toContain('bpfgate-history');
});

test('names from a project are not run as workflow commands, and add no lines', async () => {
  const commit = remote.commit(november);
  const name = 'a\n::error::b\r\n::stop-commands::x\u2028"\u202e';
  const results = resultsAt(commit, 1, [name]);
  const other = measurement({ revision: 'head', measure: name, unit: name });
  const { measurements, comparisons } = resultsOf([...readMeasurements(results.measurements), other], results.kernels);
  const { stdout, exitCode } = await record({ ...results, measurements, comparisons });
  expect(exitCode).toBe(0);
  expect(stdout).not.toMatch(/::(error|stop-commands)/);
  const lines = remote.read();
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^\{"schema":"bpfgate\.history\/1",.*\}$/);
  expect(lines.map((line) => JSON.parse(line)).filter(({ benchmark }) => benchmark === name)).toHaveLength(2);
});

describe('an invalid request fails and changes nothing', () => {
  const pullRequest = { pull_request: { number: 7 }, repository: { default_branch: 'main' } };
  const changed = (results: Results): Results => ({
    ...results,
    revisions: { ...results.revisions, head: { ...results.revisions.head, commit: null } },
  });
  const same = (results: Results) => results;

  test.each([
    ['a pull request', 'pull_request', pullRequest, {}, same, /a pull request's run is not the base's history/],
    ['its like', 'pull_request_target', pullRequest, {}, same, /a pull request's run is not the base's history/],
    [
      'the run after one',
      'workflow_run',
      { workflow_run: { id: 1, event: 'pull_request' } },
      {},
      same,
      /a pull request's/,
    ],
    ['the branch of the project', 'push', pushed, { branch: 'main' }, same, /branch `main` holds the project/],
    ['changes in no commit', 'push', pushed, {}, changed, /what was measured as head is a working tree with changes/],
    ['another project', 'push', pushed, { project: 'a' }, same, /the results are of `\.`, not of `a`/],
    ['no token', 'push', pushed, { 'github-token': '' }, same, /there is no github-token/],
    ['no results', 'push', pushed, { results: 'nowhere' }, same, /no results\.json is below/],
  ])('%s', async (_, name, event, inputs, change, said) => {
    const results = change(resultsAt(remote.commit(november), 1));
    const before = remote.git('for-each-ref');
    const { exitCode, stdout, summary } = await record(results, inputs, name, event);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error title=bpfgate::/m);
    expect(stdout).toMatch(said);
    expect(summary).toMatch(/^### bpfgate: nothing recorded$/m);
    expect(remote.git('for-each-ref')).toBe(before);
  });
});
