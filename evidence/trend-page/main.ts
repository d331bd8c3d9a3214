// `npm run trend-page`: measures how large the page of a long history is, how long it takes to write and, in Chromium, to
// open, and what memory it takes. docs/history.md shows it.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { TrendCollector } from '../../src/history/collect-trend.ts';
import { renderTrendPage } from '../../src/history/trend-page.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import { keepMeasured } from '../keep.ts';
import { commandOf } from '../options.ts';
import { formatLoad, type Row, readLoad } from '../record.ts';
import { median, randomFrom } from '../statistics.ts';

const { values: given } = parseArgs({ options: { out: { type: 'string' } } });
const [commits, benchmarks, kernels] = [5000, 300, ['5.10', '6.1', '6.6', '6.12']];
const opened = 3;

/** Values of a benchmark at consecutive commits. */
const histories = {
  'counts, a step in 500 commits': { chance: 1 / 500, isExact: true },
  'counts, a step at each commit': { chance: 1, isExact: true },
  'counts that vary, each with its interval': { chance: 1, isExact: false },
};

const log = openLog();
await runScript(log, async () => {
  const before = readLoad();
  const folder = await mkdtemp(join(tmpdir(), 'bpfgate-trend-page-'));
  const executablePath = await findExecutable('chromium', process.env);
  if (executablePath === undefined) throw new Error('there is no chromium on PATH');
  const browser = await chromium.launch({ executablePath, args: ['--enable-precise-memory-info'] });
  try {
    const rows: Row[] = [];
    for (const [name, { chance, isExact }] of Object.entries(histories)) {
      log.progress(`writing: ${name}`);
      const started = process.cpuUsage();
      const file = join(folder, `${rows.length}.html`);
      await writeFile(file, await renderHistory(chance, isExact));
      const { user, system } = process.cpuUsage(started);
      rows.push({
        history: name,
        'page (MB)': toTenths((await stat(file)).size / 1e6),
        'written in (CPU s)': Math.round((user + system) / 1e6),
        ...(await openPage(browser, pathToFileURL(file).href)),
      });
    }
    await keepMeasured('trend-page', {
      command: commandOf('trend-page', {}, {}),
      conditions: { Node: process.versions.node, Chromium: browser.version(), load: formatLoad(before) },
      tables: { 'trend-page': rows },
      out: given.out,
      log,
    });
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
});

async function renderHistory(chance: number, isExact: boolean): Promise<string> {
  const random = randomFrom(1);
  const collector = new TrendCollector();
  const idOf = (commit: number) => createHash('sha1').update(String(commit)).digest('hex');
  const dateOf = (commit: number) => new Date(Date.UTC(2020, 0, 1, 6 * commit)).toISOString().replace('.000', '');
  const made = Array.from({ length: commits }, (_, commit) => ({ commit: idOf(commit), date: dateOf(commit) }));
  for (const kernel of kernels) {
    const counts = Array.from({ length: benchmarks }, () => 100 + Math.floor(random() * 10_000));
    for (const [at, commit] of made.entries()) {
      const lines = counts.map((last, benchmark) => {
        if (isExact && random() < chance) counts[benchmark] = Math.max(1, last + Math.floor(random() * 200) - 100);
        const value = isExact ? counts[benchmark] : last * (0.98 + 0.04 * random());
        return JSON.stringify({
          ...{ schema: 'bpfgate.history/1', ...commit, kernel, release: `${kernel}.1`, bpfgate: '0.1.0', run: 1 },
          fingerprint: at < commits / 2 ? 'a'.repeat(12) : 'b'.repeat(12),
          ...{ lane: 'instructions', benchmark: `bench/program_${benchmark}`, measure: 'bpf' },
          ...{ unit: 'instructions/run', better: 'lower', value },
          interval: isExact
            ? 'exact'
            : [(value ?? 0) * (0.985 + 0.01 * random()), (value ?? 0) * (1.005 + 0.01 * random())],
        });
      });
      collector.addLines(lines);
    }
  }
  const facts = {
    subjects: new Map(made.map(({ commit }, at) => [commit, `Change ${at} of the parser`])),
    isWhole: true,
  };
  const { index, parts } = collector.finish({ project: 'made up', repository: null }, facts);
  return renderTrendPage(index, parts, {
    script: await readFile(join(packageRoot, 'dist', 'trend-page.js'), 'utf8'),
    digest: (text) => createHash('sha256').update(text).digest('base64'),
    compress: (text) => gzipSync(text, { level: 9 }).toString('base64'),
  });
}

/** Opens the page several times, in a new context each. Returns medians. */
async function openPage(browser: Awaited<ReturnType<typeof chromium.launch>>, address: string): Promise<Row> {
  const taken: number[][] = [];
  for (let round = 0; round < opened; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const until = async (hash: string, selector: string) => {
      const started = performance.now();
      await page.goto(`${address}#${hash}`);
      await page.waitForSelector(selector, { timeout: 600_000 });
      return (performance.now() - started) / 1000;
    };
    const first = await until('plot/bench%2Fprogram_7/bpf/instructions%2Frun', 'canvas');
    const session = await context.newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    const heapOfPlot = await heap();
    const other = await until('plot/bench%2Fprogram_250/bpf/instructions%2Frun', 'h2:has-text("program_250")');
    const comparison = await until('compare', 'p[role=status] strong');
    taken.push([first, other, comparison, heapOfPlot, await heap()]);
    await context.close();
  }
  const medianOf = (column: number) => toTenths(median(taken.map((row) => row[column] ?? 0)) ?? 0);
  return {
    'first plot (s)': medianOf(0),
    'another plot (s)': medianOf(1),
    'comparison (s)': medianOf(2),
    'heap, plot (MB)': medianOf(3),
    'heap, comparison (MB)': medianOf(4),
  };
}

function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
