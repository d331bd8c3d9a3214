import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEarlierValues } from '../../src/publish/read-earlier-values.ts';
import { recordHistory } from '../../src/publish/record-history.ts';
import { makeRemote, repositoryName, resultsAt } from '../history/git-remote.ts';

test('a report has what the history branch has, and goes without it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-earlier-'));
  try {
    const temporaryFolder = join(folder, 'temporary');
    mkdirSync(temporaryFolder);
    const remote = makeRemote(join(folder, 'server'));
    const warnings: string[] = [];
    const log = { progress: () => {}, warn: (text: string) => warnings.push(text) };
    const place = { token: 'none', temporaryFolder, log };
    const url = `file://${remote.root}/${repositoryName}`;
    const november = Date.UTC(2026, 10, 22) / 1000;
    for (const value of [3, 1, 2]) {
      const run = { url, repository: repositoryName, run: 20, branch: 'h', token: 'none', projectPath: '' };
      await recordHistory(resultsAt(remote.commit(november + value), value), run, { temporaryFolder, log });
    }
    const results = resultsAt(remote.commit(november + 9), 9);
    const row = { lane: 'instructions', benchmark: 'macro/fun_xdp', measure: 'bpf-instructions' };
    const read = async (branch: string, month: number, from = url) => {
      const now = new Date(Date.UTC(2026, month, 1));
      const earlier = await readEarlierValues(results, branch, { ...place, name: repositoryName, url: from, now });
      return earlier(row as Parameters<typeof earlier>[0], '6.1');
    };
    expect(await read('h', 10)).toEqual([1, 2, 3]);
    // January: the last months are two of the year before.
    expect(await read('h', 12)).toEqual([1, 2, 3]);
    expect(await read('h', 13)).toEqual([]);
    expect(await read('none', 10)).toEqual([]);
    expect(warnings).toEqual([]);
    expect(await read('h', 10, `${url}-none`)).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^the report shows no earlier commits: /)]);
    expect(readdirSync(temporaryFolder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
