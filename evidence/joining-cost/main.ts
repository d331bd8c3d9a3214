// `npm run joining-cost`: measures how long a matrix's result files take to read, join and render, with the same
// results in different numbers of shards. docs/scaling.md shows it.

import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { renderHtml } from '../../src/report/html.ts';
import { joinResults } from '../../src/report/join.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { renderText } from '../../src/report/text.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive } from '../options.ts';
import { formatLoad, readLoad } from '../record.ts';
import { randomFrom, shuffle } from '../statistics.ts';
import { type MatrixSize, makeFiles } from './made-up-files.ts';
import { type JoiningSample, joiningTables, type Step } from './tables.ts';

const { given, command } = readOptions('joining-cost', { rounds: '5', seed: '1' });

const sizes: readonly MatrixSize[] = [300, 3000].flatMap((benchmarks) =>
  [1, 4, 16].map((shards) => ({ kernels: 12, benchmarks, shards })),
);

const log = openLog();
await runScript(log, async () => {
  const rounds = readPositive('rounds', given.rounds);
  const random = randomFrom(readPositive('seed', given.seed));
  const before = readLoad();
  const texts = new Map(sizes.map((size) => [size, makeFiles(size).map(serializeResults)]));
  const textsOf = (size: MatrixSize) => texts.get(size) ?? [];
  const samples: JoiningSample[] = [];
  // Round 0 warms up the JavaScript compiler.
  for (let round = 0; round <= rounds; round++) {
    for (const size of shuffle(sizes, random)) {
      const seconds = take(textsOf(size));
      if (round > 0) samples.push({ size, round, seconds });
      log.progress(`round ${round} of ${rounds}: ${size.benchmarks} benchmarks in ${size.shards} shards`);
    }
  }
  const bytesOf = (size: MatrixSize) => textsOf(size).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  await keepMeasured('joining-cost', {
    command,
    conditions: { Node: process.versions.node, rounds, load: formatLoad(before) },
    tables: joiningTables(
      sizes.map((size) => ({ size, bytes: bytesOf(size) })),
      samples,
    ),
    out: given.out,
    log,
  });
});

/** Does the step `report`'s work between its input files and its output. Returns CPU seconds: the machine is shared. */
function take(texts: readonly string[]): Record<Step, number> {
  globalThis.gc?.();
  let last = process.cpuUsage();
  const lap = () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const files = texts.map((text, index) => ({ file: `${index}.json`, results: parseResults(text, `${index}.json`) }));
  const read = lap();
  const report = buildReport(joinResults(files));
  const join = lap();
  renderText(report, { width: 120 });
  const text = lap();
  renderMarkdown(report);
  const markdown = lap();
  renderHtml(report);
  return { read, join, text, Markdown: markdown, HTML: lap() };
}
