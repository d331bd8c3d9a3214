// docs/history.md: a branch with the demo's measurements has the line and the files that the page shows.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../src/publish/record-history.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { type GitRemote, type MeasuredCommit, makeRemote, repositoryName } from './git-remote.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');
const page = read('docs/history.md');
const demo = parseResults(read('tests/export/fixtures/demo.results.json'), 'demo.results.json');

let folder: string;
let remote: GitRemote;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-history-'));
  remote = makeRemote(folder);
  const [base, head] = [Date.UTC(2026, 10, 20, 9, 12, 44), Date.UTC(2026, 10, 22, 5, 6, 44)].map((time) =>
    remote.commit(time / 1000),
  ) as [MeasuredCommit, MeasuredCommit];
  // Not in commit order: the later commit's run ended first.
  await recordAs(head, demo, 16_842_097_531);
  await recordAs(base, withHead(demo, 'base'), 16_842_090_002);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Results with the measurements of one revision as head's. */
function withHead(results: Results, revision: 'base' | 'head'): Results {
  const measurements = results.measurements.filter((each) => each.revision === revision);
  return { ...results, measurements: measurements.map((each) => ({ ...each, revision: 'head' })) };
}

async function recordAs({ id, tree }: MeasuredCommit, results: Results, run: number): Promise<void> {
  const { base, head } = results.revisions;
  const temporaryFolder = join(folder, 'temporary');
  mkdirSync(temporaryFolder, { recursive: true });
  await recordHistory(
    { ...results, revisions: { base, head: { ...head, commit: id, tree } } },
    {
      url: `file://${remote.root}/${repositoryName}`,
      repository: repositoryName,
      run,
      branch: 'bpfgate-history',
      token: 'x',
      projectPath: '',
    },
    { temporaryFolder, log: { progress: () => {}, warn: () => {} } },
  );
}

function blockOf(language: string, after: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page.slice(page.indexOf(after))) ?? [];
  if (text === undefined) throw new Error(`no block of ${language} is after ${after}`);
  return text;
}

test('the documented line is on the branch', () => {
  expect(remote.read()).toContain(blockOf('json', '## A line').trim());
});

test('the branch has the documented files', () => {
  const paths = remote.git('ls-tree', '-r', '--name-only', 'bpfgate-history').split('\n');
  expect(paths).toEqual(['README.md', 'history/6.1/2026-11.jsonl']);
  const drawn = blockOf('', '## The branch');
  for (const path of paths) expect(drawn).toContain(path);
});
