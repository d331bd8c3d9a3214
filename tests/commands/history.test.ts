// `bpfgate history`: what it reads of a repository.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-history-'));
  git(['init', '--quiet', '--initial-branch=main']);
  commit('main', 'Before\u2028after');
});
afterAll(() => rmSync(folder, { recursive: true }));

function git(args: string[], input?: string): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] }).trim();
}

function commit(branch: string, message: string, file = ''): void {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const head = `commit refs/heads/${branch}\ncommitter x <x> 1767225600 +0000\n${data(message)}`;
  git(['fast-import', '--quiet', '--force'], `${head}M 100644 inline history/6.1/2026-01.jsonl\n${data(file)}`);
}

function runHistory(lines: readonly string[]) {
  commit('bpfgate-history', 'x', `${lines.join('\n')}\n`);
  const file = join(folder, 'trend.html');
  const args = ['src/cli.ts', 'history', '--project', folder, '--html', file];
  return { file, ...spawnSync(process.execPath, args, { cwd: packageRoot, encoding: 'utf8' }) };
}

test('a branch on which no line can be read says so', () => {
  const { status, stderr } = runHistory(['{"damaged', '{"schema":"bpfgate.history/2"}']);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/has no values on branch `bpfgate-history` that can be read, and 2 lines not read/);
});

test('a commit is known by its id, whatever its message', () => {
  const id = git(['rev-parse', 'main']);
  const line = JSON.stringify({
    ...{ schema: 'bpfgate.history/1', commit: id, date: '2026-01-01T00:00:00Z', kernel: '6.1', release: '6.1.1' },
    ...{ fingerprint: 'a'.repeat(12), bpfgate: '0.1.0', lane: 'instructions', benchmark: 'macro/f', value: 77, run: 1 },
    ...{ measure: 'bpf-instructions', unit: 'instructions/run', better: 'lower', interval: 'exact' },
  });
  const { file, stderr } = runHistory([line]);
  expect(stderr).not.toContain('error');
  const [, data = ''] = /id="index">([^<]*)</.exec(readFileSync(file, 'utf8')) ?? [];
  const { commits } = JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString());
  expect(commits).toMatchObject([{ id, subject: 'Before\\u{2028}after', isGone: false }]);
});
