// The page of `bpfgate report --html` in Chromium, as a person meets it: by mouse, keyboard and screen reader, in light
// and dark, on a phone and on paper.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { fixtures, kernelResult, pair, profilesOf, resultsOf } from '../report/results-fixtures.ts';
import { bpfgate, temporaryFolder } from './bpfgate.ts';

const named = (name: string) => fixtures[name] as Results;
/** Findings with names of 10,000 characters, from right to left, and with sequences of a terminal. */
const strange = resultsOf(
  ['x'.repeat(10_000), '\u202e\u05d0\u05d1 \u05d2', '\u001b[31mred', '<img src=x>', '::error::x'].flatMap(
    (name, index) => pair(1, 2 + index, { benchmark: `m/${name}`, source: { file: `${name}.c`, line: 1 } }),
  ),
  [kernelResult('6.1')],
);
const drawn = ['base.cpu.folded', 'head.cpu.folded', 'difference.cpu.svg', 'head.off-cpu.folded', 'head.off-cpu.svg'];
const pages: Readonly<Record<string, Results>> = {
  'grown-lines': { ...named('grown-lines'), profiles: profilesOf('6.1', 'macro', drawn) },
  'one-kernel-failed': named('one-kernel-failed'),
  'needs-newer-kernel': named('needs-newer-kernel'),
  verifier: named('verifier'),
  'hostile-names': named('hostile-names'),
  strange,
  'no finding': named('same-code'),
};
const profile = {
  svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  folded: `main;${'alloc_'.repeat(20)} 50000000\n`,
};

let browser: Browser;
beforeAll(async () => {
  const executablePath = await findExecutable('chromium', process.env);
  if (executablePath === undefined) throw new Error('there is no chromium: run `bpfgate doctor --install --tests`');
  // Its sandbox does not work as root, as which CI runs. The pages are our own.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser?.close());

/** URLs of the pages of results: each is made once. */
const urls = new Map<Results, Promise<string>>();
const cleanUps: (() => void)[] = [];
afterAll(() => {
  for (const cleanUp of cleanUps) cleanUp();
});

/** Writes results with their profiles, and has the command line make the page. */
async function makePage(results: Results): Promise<string> {
  const folder = temporaryFolder((cleanUp) => cleanUps.push(cleanUp));
  const files = results.profiles.map(({ file }) => [file, profile[file.endsWith('.svg') ? 'svg' : 'folded']] as const);
  for (const [name, text] of [['results.json', serializeResults(results)] as const, ...files]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { stderr } = await bpfgate(['report', join(folder, 'results.json'), '--html', join(folder, 'page.html')]);
  expect(stderr).toBe('');
  return pathToFileURL(join(folder, 'page.html')).href;
}

/** Opens the page of results. When the test ends, it must have asked for nothing else, and have no error. */
async function open(results: Results, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  if (!urls.has(results)) urls.set(results, makePage(results));
  const url = (await urls.get(results)) ?? '';
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const strays: string[] = [];
  page.on('console', (message) => strays.push(message.text()));
  page.on('pageerror', (error) => strays.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) strays.push(request.url());
  });
  onTestFinished(() => expect(strays, 'messages and requests').toEqual([]));
  await page.goto(url);
  return page;
}

const unfold = (page: Page) =>
  page.locator('details').evaluateAll((all) => {
    for (const each of all) each.setAttribute('open', '');
  });

describe.each(Object.entries(pages))('%s', (_name, results) => {
  test.each(['light', 'dark'] as const)('axe finds nothing in %s, folded or not', async (colorScheme) => {
    const page = await open(results, { colorScheme });
    for (const isUnfolded of [false, true]) {
      if (isUnfolded) await unfold(page);
      const { violations, passes } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
      expect(passes.length).toBeGreaterThan(10);
    }
  });

  test('fits a phone without scrolling sideways', async () => {
    const page = await open(results, { viewport: { width: 375, height: 700 } });
    await unfold(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  });

  test('leads to every finding by the keyboard alone, and by its link', async () => {
    const page = await open(results);
    const ids = buildReport(results).findings.map(({ id }) => `finding-${id}`);
    const reached = new Set<string>();
    for (let steps = 0; steps < 40 * (ids.length + 1) && reached.size < ids.length; steps++) {
      await page.keyboard.press('Tab');
      const target = await page.evaluate('document.activeElement.closest("article .anchor")?.hash.slice(1) ?? ""');
      if (typeof target === 'string' && target !== '') reached.add(target);
    }
    expect([...reached]).toEqual(ids);
    for (const id of ids) {
      await page.goto(`${page.url().replace(/#.*/, '')}#${id}`);
      const box = await page.locator(`#${id} h3`).boundingBox();
      expect(box?.height).toBeGreaterThan(0);
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect(box?.y).toBeLessThan(720);
    }
  });
});

describe('the table of results', () => {
  const firstCells = (page: Page) => page.locator('.results tbody tr:not([hidden]) th > code').allTextContents();

  test('is sorted by the heads, by the keyboard too', async () => {
    const page = await open(named('regression-on-one-kernel'));
    await unfold(page);
    const written = await firstCells(page);
    const head = page.getByRole('columnheader', { name: '5.10' }).last();
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    const falling = await firstCells(page);
    expect(falling[0]).toBe('micro/parse header');
    expect(falling.toSorted()).toEqual(written.toSorted());
    await page.keyboard.press('Space');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    expect((await firstCells(page))[0]).toBe('overhead/fentry simple');
    await page.getByRole('button', { name: 'benchmark' }).click();
    expect(await head.getAttribute('aria-sort')).toBe('none');
    const collator = new Intl.Collator('en', { numeric: true });
    expect(await firstCells(page)).toEqual(written.toSorted(collator.compare));
  });

  test('shows what is looked for, and how much that is, among 10,000 findings', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      pair(100, 101, { benchmark: `m/p${index}`, source: { file: `${index}.c`, line: 1 } }),
    );
    const page = await open(resultsOf(many.flat(), [kernelResult('6.1')]));
    await page.locator('.results summary').click();
    // Roles of a page this large take Playwright minutes to compute.
    const count = page.locator('.results output');
    expect(await count.textContent()).toBe('10000 of 10000 rows, the first 500 shown');
    await page.locator('.results input').fill('P777 bpf-');
    expect(await firstCells(page)).toEqual(['m/p777', ...Array.from({ length: 10 }, (_, digit) => `m/p777${digit}`)]);
    expect(await count.textContent()).toBe('11 of 10000 rows');
    await page.locator('.results tbody tr:not([hidden]) a').last().click();
    expect(await page.locator('article:target h3 code').textContent()).toBe('p7779');
    await page.locator('.results select').selectOption('regression');
    expect(await count.textContent()).toBe('11 of 10000 rows');
  });

  test('is complete without scripts', async () => {
    const page = await open(named('regression-on-one-kernel'), { javaScriptEnabled: false });
    await page.locator('.results summary').click();
    expect((await firstCells(page)).length).toBeGreaterThan(4);
    expect(await page.locator('.filters').isVisible()).toBe(false);
  });
});

test('paper has the plots and the folded parts of findings, in dark mode too, and nothing to click', async () => {
  const page = await open(pages['grown-lines'] as Results, { colorScheme: 'dark' });
  const lines = page.locator('.finding details table').first();
  expect(await lines.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await lines.isVisible()).toBe(true);
  expect(await page.locator('svg.plot').first().isVisible()).toBe(true);
  expect(await page.locator('nav, .filters, .anchor').filter({ visible: true }).count()).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
});

test('a flame graph is shown, with its functions', async () => {
  const page = await open(pages['grown-lines'] as Results);
  const picture = page.getByRole('img', { name: /^Flame graph of/ }).first();
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(9);
  await unfold(page);
  expect(await page.getByRole('cell', { name: '50,000,000 → 50,000,000' }).count()).toBeGreaterThan(0);
});
