// Draws report.svg, the picture in the README: the terminal report of a results.json, from its first line to the end of
// the table, and the verdict. Usage: node docs/images/render-report.mjs RESULTS.json COMMAND [BENCH...] >docs/images/report.svg
// The rows of each BENCH are left out.

import { readFileSync } from 'node:fs';
import { buildReport } from '../../src/report/report-model.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { renderText } from '../../src/report/text.ts';

const escapeCode = String.fromCharCode(27);
const [file, command, ...leftOut] = process.argv.slice(2);
const results = parseResults(readFileSync(file, 'utf8'), file);
const isShown = ({ benchmark }) => !leftOut.some((bench) => benchmark.startsWith(`${bench}/`));
const report = buildReport({
  ...results,
  measurements: results.measurements.filter(isShown),
  comparisons: results.comparisons.filter(isShown),
  gaps: results.gaps.filter(isShown),
});
const blocks = renderText(report, { width: 100, colour: true }).trimEnd().split('\n\n');
const [title, headline, table, legend] = blocks;
const shown = [`$ ${command}`, title, headline, table, legend, blocks.at(-1)].join('\n\n').split('\n');

// A column of 13 px monospace; every word is put at its own column, so that any monospace font lines up.
const column = 7.8;
const lineHeight = 19;
const margin = 24;
const top = 46;
const columns = Math.max(...shown.map((line) => plain(line).length));
const width = Math.ceil(2 * margin + columns * column);
const height = top + shown.length * lineHeight + 12;
const classes = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' };

const body = shown.flatMap((line, index) => drawLine(line, top + index * lineHeight)).join('\n');
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="bpfgate's terminal report">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6deeb; white-space: pre }
.bold { font-weight: bold; fill: #ffffff } .dim { fill: #8b98a9 } .red { fill: #ff7b72 } .green { fill: #7ee787 } .yellow { fill: #e3b341 }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1520"/>
<circle cx="22" cy="18" r="5" fill="#ff5f57"/><circle cx="40" cy="18" r="5" fill="#febc2e"/><circle cx="58" cy="18" r="5" fill="#28c840"/>
${body}
</svg>
`);

function plain(line) {
  return line.replaceAll(new RegExp(`${escapeCode}\\[\\d+m`, 'g'), '');
}

/** The words of a line as text elements, a rule as a line. */
function drawLine(line, y) {
  if (/^─+$/.test(plain(line))) {
    const end = margin + plain(line).length * column;
    return [`<path d="M${margin} ${y - 4}H${round(end)}" stroke="#3b4a5c"/>`];
  }
  const drawn = [];
  let style = line.startsWith('$') ? 'dim' : '';
  let at = 0;
  for (const [part, code] of line.matchAll(new RegExp(`${escapeCode}\\[(\\d+)m|[^${escapeCode}]+`, 'g'))) {
    if (code !== undefined) {
      style = classes[code] ?? '';
      continue;
    }
    for (const { 0: word, index } of part.matchAll(/\S+(?: \S+)*/g)) {
      const attributes = style === '' ? '' : ` class="${style}"`;
      const length = round(word.length * column);
      const x = round(margin + (at + index) * column);
      drawn.push(`<text x="${x}" y="${y}" textLength="${length}"${attributes}>${escapeXml(word)}</text>`);
    }
    at += part.length;
  }
  return drawn;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
