// `bpfgate history` in a real browser: a branch of a repository becomes a page whose views a person can use.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';

const markup = '<img src=x onerror=document.title=1>';
let folder: string;
let browser: Browser;
let address: string;
let ids: string[];

beforeAll(async () => {
  const executablePath = await findExecutable('chromium', process.env);
  if (executablePath === undefined) throw new Error('there is no chromium: run `bpfgate doctor --install --tests`');
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-trend-page-'));
  const git = (args: string[], input?: string) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] }).trim();
  git(['init', '--quiet', '--initial-branch=main']);
  git(['config', 'user.name', 'x']);
  git(['config', 'user.email', 'x@localhost']);
  git(['remote', 'add', 'origin', 'https://secret@github.com/example/xdp.git']);
  const commits = [1, 2, 3, 4].map((day) => ({ day, data: (text: string) => `data ${text.length}\n${text}\n` }));
  const made = commits.map(
    ({ day, data }) =>
      `commit refs/heads/main\ncommitter x <x> ${1767225600 + 86400 * day} +0000\n${data(`Change ${day}`)}`,
  );
  git(['fast-import', '--quiet'], made.join(''));
  ids = git(['rev-list', '--reverse', 'main']).split('\n');
  const lines = ['6.1', '6.12'].flatMap((kernel) =>
    ['macro/fun_xdp', markup].flatMap((benchmark) =>
      ids.map((commit, at) =>
        JSON.stringify({
          ...{ schema: 'bpfgate.history/1', commit, date: `2026-01-0${at + 2}T00:00:00Z`, kernel, release: '6.1.1' },
          ...{ fingerprint: (at < 3 ? 'a' : 'b').repeat(12), bpfgate: '0.1.0', lane: 'instructions', benchmark },
          ...{ measure: 'bpf-instructions', unit: 'instructions/run', better: 'lower', interval: 'exact', run: 1 },
          value: at === 1 || at === 2 ? 165 : 77,
          ...(at === 1 ? { finding: { id: 'f00', subject: 'fun_xdp', place: 'src/main.rs:78' } } : {}),
        }),
      ),
    ),
  );
  const text = `${lines.join('\n')}\n{"damaged\n`;
  git(
    ['fast-import', '--quiet'],
    `commit refs/heads/bpfgate-history\ncommitter x <x> 1 +0000\ndata 1\nx\nM 100644 inline history/6.1/2026-01.jsonl\ndata ${text.length}\n${text}\n`,
  );
  // The third commit is gone after a forced push.
  git(['update-ref', 'refs/heads/main', git(['commit-tree', '-p', ids[1] ?? '', '-m', 'Other', 'main^{tree}'])]);
  const [file, imported] = [join(folder, 'trend.html'), join(folder, 'data.js')];
  const runs = ids.map((id, at) => ({
    ...{ commit: { id, timestamp: `2026-01-0${at + 2}T00:00:00Z` }, date: 0, tool: 'go' },
    benches: [{ name: 'BenchmarkTime', unit: 'ns/op', value: 10 ** (at + 1) }],
  }));
  writeFileSync(imported, JSON.stringify({ entries: { go: runs } }));
  const command = [
    join(packageRoot, 'src/cli.ts'),
    'history',
    '--project',
    folder,
    '--html',
    file,
    '--import',
    imported,
  ];
  execFileSync(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(readFileSync(file, 'utf8')).not.toContain('secret');
  address = pathToFileURL(file).href;
  browser = await chromium.launch({ executablePath, chromiumSandbox: false });
});
afterAll(async () => {
  await browser?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

async function openPage(hash: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => problems.push(message.text()));
  await page.goto(`${address}${hash}`);
  await page.locator('main h2').waitFor();
  // Also what the policy forbids.
  expect(problems).toEqual([]);
  return page;
}

const plot = '#plot/macro%2Ffun_xdp/bpf-instructions/instructions%2Frun';

test('shows a step with its commit and finding, by mouse and by keyboard', async () => {
  const page = await openPage('');
  const change = page.locator('article').filter({ hasText: 'Change 2' });
  expect(await change.textContent()).toContain('src/main.rs:78');
  expect(await change.getByRole('link', { name: /^[0-9a-f]{10}$/ }).getAttribute('href')).toBe(
    `https://github.com/example/xdp/commit/${ids[1]}`,
  );
  expect(await page.locator('main').textContent()).toMatch(
    /2 commits not in HEAD[\s\S]*1 line of the history not read/,
  );
  await change.getByRole('link', { name: 'macro/fun_xdp bpf-instructions' }).click();
  await page.locator('canvas').waitFor();
  const rows = await page.locator('tbody tr').allTextContents();
  expect(rows).toHaveLength(4);
  expect(rows[0]).toContain('new fingerprint: not compared');
  expect(rows[2]).toMatch(/Change 2[\s\S]*6\.1[\s\S]*77 → 165[\s\S]*\+88 \(\+114%\)[\s\S]*fun_xdp src\/main\.rs:78/);
  await page.getByRole('group').focus();
  for (let pressed = 0; pressed < 2; pressed++) await page.keyboard.press('ArrowLeft');
  expect(await page.locator('output').textContent()).toMatch(/Change 2[\s\S]*6\.1: 165, 6\.12: 165/);
});

test('compares any two commits', async () => {
  const page = await openPage(`#compare/${ids[0]?.slice(0, 8)}/${ids[2]}`);
  await page.locator('tbody tr').first().waitFor();
  expect(await page.getByRole('status').textContent()).toBe(
    '4 worse, 0 better, 0 unchanged; 1 not compared: no interval',
  );
  await page.getByRole('searchbox').fill('6.12 macro');
  expect(await page.locator('tbody tr').allTextContents()).toEqual([
    expect.stringMatching(/fun_xdp[\s\S]*\+88 \(\+114%\)/),
  ]);
  await page.getByRole('searchbox').fill('no interval');
  expect(await page.locator('tbody tr').allTextContents()).toEqual([
    expect.stringMatching(/BenchmarkTime[\s\S]*\+990 \(\+9,?900%\); no interval: not compared/),
  ]);
  await page.getByLabel('To').selectOption({ index: 0 });
  await page.getByText('not compared: other fingerprint').waitFor();
});

test.each([
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 375, height: 800 } },
] as const)('every view is accessible and fits: %j', async (options) => {
  for (const hash of [
    '',
    '#benchmarks',
    '#compare',
    `#compare/${ids[0]}/${ids[1]}`,
    plot,
    '#plot/%',
    '#compare/ffff',
  ]) {
    const page = await openPage(hash, options);
    await page.getByText('Reading…').waitFor({ state: 'detached' });
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual(
      [],
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(options.viewport.width);
    expect(await page.locator('img').count()).toBe(0);
    await page.context().close();
  }
});
