// `bpfgate report` as a process of its own.

import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addLines, filesOf } from '../../src/history/history-files.ts';
import { makeLines } from '../../src/history/make-lines.ts';
import { writeOutputs } from '../../src/publish/write-outputs.ts';
import type { Results } from '../../src/report/results.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { kernelResult, pair, profilesOf, resultsOf } from './results-fixtures.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-report-'));
  await writeRun('a', '5.10', 'cpu');
  await writeRun('b (1)/[x]', '6.1', 'cpu');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeRun(out: string, kernel: string, name: string): Promise<void> {
  const profiles = profilesOf(kernel, 'micro', [`head.${name}.svg`, `head.${name}.html`]);
  const results: Results = { ...resultsOf(pair(1, 1, { kernel }), [kernelResult(kernel)]), profiles };
  await writeOutputs(join(folder, out), {
    'results.json': serializeResults(results),
    ...Object.fromEntries(profiles.map(({ file }) => [file, kernel])),
  });
}

function report(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const files = ['a/results.json', 'b (1)/[x]/results.json'];
  return spawnSync(process.execPath, [cli, 'report', ...files, ...args], { cwd: folder, encoding: 'utf8' });
}

/** Reads the targets of a page's links, in order. */
async function follow(page: string, pattern: RegExp): Promise<string[]> {
  const text = await readFile(join(folder, page), 'utf8');
  const links = [...text.matchAll(pattern)].map(([, link = '']) => link);
  return Promise.all(
    links.map((link) => readFile(fileURLToPath(new URL(link, pathToFileURL(join(folder, page)))), 'utf8')),
  );
}

describe('the page links to the profile folder of each result', () => {
  test.each(['r.html', 'a/r.html', 'out/deep/r.html', 'b (1)/[x]/r.html'])('from %s', async (page) => {
    await mkdir(dirname(join(folder, page)), { recursive: true });
    expect(report('--html', page)).toMatchObject({ status: 0, stderr: '' });
    expect(await follow(page, /href="([^"#]+)"/g)).toEqual(['5.10', '6.1']);
  });
});

describe('--history', () => {
  test('draws the last commits on the page', async () => {
    const results = resultsOf(pair(1, 2, { kernel: '6.1' }), [kernelResult('6.1')]);
    await writeOutputs(join(folder, 'c'), { 'results.json': serializeResults(results) });
    const recorded = { commit: 'c'.repeat(40), date: new Date('2026-01-01T00:00:00Z'), run: 1 };
    const lines = makeLines(results, { ...recorded, digest: (text) => hash('sha256', text) });
    const [{ path } = { path: '' }] = filesOf(results.project.projectPath, lines);
    const git = (args: string[], input?: string) => execFileSync('git', args, { cwd: folder, input });
    git(['init', '--quiet']);
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const head = `commit refs/heads/kept\ncommitter x <x> 1767225600 +0000\n${data('x')}`;
    git(['fast-import', '--quiet'], `${head}M 100644 inline ${path}\n${data(addLines(null, lines))}`);
    const args = [cli, 'report', 'c/results.json', '--html', 'page.html', '--history', 'kept'];
    expect(spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).status).toBe(1);
    expect(await readFile(join(folder, 'page.html'), 'utf8')).toContain(
      ': 1 earlier commit, base and head on 1 kernel"',
    );
  });

  test('without a page is an error', () => {
    const { status, stderr } = report('--history', 'kept');
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^bpfgate: --history needs --html: /)]);
  });
});

test.each([
  ['text', 'on 5.10, in a/profiles\n', 'on 6.1, in b (1)/[x]/profiles\n'],
  ['markdown', 'a/profiles/5.10/micro', 'b (1)/[x]/profiles/6.1/micro'],
])('%s on stdout names the folders without links', (format, ...folders) => {
  const { stdout } = report('--format', format);
  for (const each of folders) expect(stdout).toContain(each);
  expect(stdout).not.toContain('](');
});

test.each([
  ['a link to a pipe', 'it is a link'],
  ['a pipe', 'it is not a regular file'],
])('a result file that is %s is refused at once', async (what, reason) => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  if (what !== 'a pipe') await symlink('pipe', join(folder, 'link'));
  const file = what === 'a pipe' ? 'pipe' : 'link';
  const { status, stderr } = spawnSync(process.execPath, [cli, 'report', file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 40_000,
    killSignal: 'SIGKILL',
  });
  expect(stderr).toBe(
    `bpfgate: cannot read \`${file}\`: ${reason}\n  hint: give a results.json that \`bpfgate run\` wrote\n`,
  );
  expect(status).toBe(2);
});
