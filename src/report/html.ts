// Report: a self-contained page with plots; no script, no request to anywhere, in light and dark.

import { clipMiddle } from '../common/clip-middle.ts';
import type { GateVerdict } from '../compare/comparison.ts';
import { explainSymbols, formatChange, headsOf, measureCells, type TableKind, toCellText } from './cell-text.ts';
import {
  describeFold,
  type FindingDetail,
  type GrowthDetail,
  howToAccept,
  prefixOf,
  type RefusalDetail,
} from './finding-detail.ts';
import { clipNames, countOf, type Sentence, toPlainName, toText } from './plain-text.ts';
import type { ReportModel } from './report-model.ts';
import { type Cell, isLoads, type KernelColumn, type KernelFailure, type Row } from './row.ts';

/** Kernels whose columns fit a page of the usual width. */
const maxNarrow = 5;
const maxName = 120;

/**
 * Renders the report as a whole HTML document.
 *
 * Its policy forbids scripts and every request, so a name that was not escaped would still do nothing.
 */
export function renderHtml(model: ReportModel): string {
  const { project, verdict, findings, kernels, failures, profiles, warnings, machines, footnotes } = model;
  const blocks = [
    renderHeader(model),
    renderSection(
      'Findings',
      findings.map((finding) => renderFinding(finding, kernels)),
    ),
    renderSection(countOf(failures.length, 'failed kernel'), failures.map(renderFailure)),
    renderUnchanged(model),
    renderSection('Profiles, in the output folder', renderList(profiles.map(formatProfiles))),
    renderSection(countOf(warnings.length, 'warning'), renderList(warnings.map(toHtml))),
    renderSection('Measured with', renderList(machines.map(formatMachine))),
    footnotes.length === 0 ? '' : `<footer>${footnotes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</footer>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>bpfgate: ${verdict} – ${escapeHtml(clipMiddle(project, maxName))}</title>
<style>
${style}</style>
</head>
<body>
<main${kernels.length > maxNarrow ? ' class="wide"' : ''}>
${blocks.filter((block) => block !== '').join('\n')}
</main>
</body>
</html>
`;
}

function renderHeader({ verdict, headline, project, base, head }: ReportModel): string {
  return `<header>
<p class="subject"><span class="badge ${toneOf(verdict)}">${verdict}</span> <strong>${escapeHtml(project)}</strong> <span class="revisions">${toCode(base)} → ${toCode(head)}</span></p>
<h1>${toHtml(headline)}</h1>
</header>`;
}

function toneOf(verdict: GateVerdict): 'good' | 'bad' | 'unsure' {
  return verdict === 'pass' ? 'good' : verdict === 'inconclusive' ? 'unsure' : 'bad';
}

function renderTable(kind: TableKind, rows: readonly Row[], kernels: readonly KernelColumn[], label: string): string {
  if (rows.length === 0) return '';
  const heads = kernels.map(
    ({ id, release }) =>
      `<th scope="col" class="number">${[id, release].map((text) => escapeHtml(clipMiddle(text, maxName))).join('<small>')}</small></th>`,
  );
  const names = headsOf(kind, rows).map((text) => `<th scope="col">${escapeHtml(clipMiddle(text, maxName))}</th>`);
  const body = rows.map((row) => {
    const name = toHtml(clipNames(row.name, maxName));
    const origin = row.origin === null ? '' : `<small>${toHtml(row.origin)}</small>`;
    const measures = measureCells(kind, row).map((text) => `<td>${escapeHtml(clipMiddle(text, maxName))}</td>`);
    const cells = kernels.map((kernel, index) => renderCell(row, index, kernel));
    return `<tr><th scope="row">${name}${origin}</th>${measures.join('')}${cells.join('')}</tr>`;
  });
  const legend = explainSymbols(rows, kernels);
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(label)}">
<table class="overview">
<thead><tr>${names.join('')}${heads.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
</div>
${legend === '' ? '' : `<p class="legend">${escapeHtml(legend)}</p>\n`}`;
}

function renderCell(row: Row, index: number, kernel: KernelColumn): string {
  const { result, values } = toCellText(row, index, kernel);
  const tone = row.cells[index]?.verdict ?? (kernel.failed ? 'failed' : 'missing');
  return `<td class="number ${tone}">${escapeHtml(result)}${values === null ? '' : `<small>${escapeHtml(values)}</small>`}</td>`;
}

function renderFinding(finding: FindingDetail, kernels: readonly KernelColumn[]): string {
  const { id, isAccepted, subject, change, where, accepted, lead, rest, refusals, growth, repeat, acceptLines } =
    finding;
  const tone = isAccepted ? 'accepted' : finding.verdict;
  const name = clipMiddle(toText(subject), maxName);
  const [worst] = lead;
  const folded = describeFold(finding);
  const details = [
    growth === null ? '' : renderGrowth(growth),
    renderTable('rest', rest, kernels, `Other measures of ${name}`),
    ...refusals.map(renderRefusal),
    ...(acceptLines.length === 0
      ? []
      : [`<p>${howToAccept}:</p>\n<pre>${acceptLines.map(escapeHtml).join('\n')}</pre>\n`]),
  ];
  return `<article id="finding-${id}" class="finding ${tone}-edge">
<h3>${prefixOf(finding)}${toHtml(subject)} <a href="#finding-${id}" class="${tone}">${escapeHtml(change)}</a></h3>
${where.length === 0 ? '' : `<p class="source">${toHtml(where)}</p>\n`}${accepted.map((each) => `<p>${toHtml(each)}</p>\n`).join('')}${renderTable('lead', lead, kernels, `${name} on every kernel`)}${
  worst === undefined || isLoads(worst)
    ? ''
    : `${renderPlot(
        worst,
        worst.cells.filter((cell) => cell !== null),
      )}\n`
}<p class="source">${toHtml(repeat)}</p>
${folded === '' ? '' : `<details><summary>${folded}</summary>\n${details.join('')}</details>\n`}</article>`;
}

/** What is in no finding, folded. */
function renderUnchanged({ unchanged: { title, rows, verified }, kernels }: ReportModel): string {
  if (title === '') return '';
  const legend = verified === null ? '' : `<p class="legend">${escapeHtml(verified)}</p>\n`;
  const body = `${renderTable('unchanged', rows, kernels, 'What did not change')}${legend}`;
  return `<section>\n<details><summary>${title}</summary>\n${body}</details>\n</section>`;
}

function renderGrowth({ title, lines }: GrowthDetail): string {
  const heading = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  if (lines.length === 0) return `<p class="source">${escapeHtml(heading)}.</p>\n`;
  const rows = lines.map(
    ({ place, delta, values }) =>
      `<tr><th scope="row">${toCode(clipMiddle(place, maxName))}</th><td class="number">${escapeHtml(delta)}</td><td class="number">${escapeHtml(values)}</td></tr>`,
  );
  return `<p class="source">${escapeHtml(heading)}:</p>
<div class="scroll">
<table>
<thead><tr><th scope="col">line</th><th scope="col" class="number">delta</th><th scope="col" class="number">base → head</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
`;
}

function renderRefusal({ title, log }: RefusalDetail): string {
  const lines = log.length === 0 ? '' : `<pre>${log.map(escapeHtml).join('\n')}</pre>\n`;
  return `<p>${escapeHtml(title)}</p>\n${lines}`;
}

/** Sizes in CSS pixels; `letter` is a generous bold digit, as fonts differ. */
const plot = { width: 1000, bar: 13, gap: 2, between: 12, letter: 8, labelSpace: 10, minWhisker: 4 } as const;

/** Draws head's bar under base's for each kernel, from zero, additions in full colour; a whisker if it is not exact. */
function renderPlot(row: Row, cells: readonly Cell[]): string {
  const nameOf = (cell: Cell) => clipMiddle(cell.kernel, 20);
  const absent = (cell: Cell) => (cell.needs === null ? 'removed' : formatChange(cell));
  const headLabel = (cell: Cell) => (cell.head === null ? absent(cell) : `${cell.head} ${formatChange(cell)}`);
  const widthOf = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => [...text].length)) * plot.letter;
  const left = Math.ceil(widthOf(cells.map(nameOf))) + plot.labelSpace;
  const right = Math.ceil(widthOf(cells.flatMap((cell) => [cell.base ?? '', headLabel(cell)]))) + plot.labelSpace;
  const room = Math.max(120, plot.width - left - right);
  const toX = makeScale(cells, left, room);

  const groupHeight = 2 * plot.bar + plot.gap + plot.between;
  const groups = cells.map((cell, index) => {
    const top = index * groupHeight + plot.between / 2;
    const { base, head } = cell.values;
    const below = top + plot.bar + plot.gap;
    return [
      `<text class="kernel" x="${left - plot.labelSpace}" y="${round(top + plot.bar + plot.gap / 2)}">${escapeHtml(nameOf(cell))}</text>`,
      ...(base === null ? [] : [renderBar('base', toX(0), toX(base), top), renderLabel(toX, [base], top, cell.base)]),
      ...(head === null
        ? [renderLabel(toX, [], below, absent(cell))]
        : [
            ...renderHeadBars(cell, head, toX, below),
            renderLabel(toX, [head, isChange(cell) ? (base ?? 0) : 0, ...whiskerOf(cell)], below, cell.head, cell),
          ]),
    ].join('\n');
  });
  const height = cells.length * groupHeight;
  const width = left + room + right;
  const zero = round(toX(0));
  const title = `${toPlainName(row.name)}: base against head on ${countOf(cells.length, 'kernel')}`;
  const unit = row.unit === '' ? row.measure : row.unit.replace('/', ' per ');
  return `<figure>
<div class="plot">
<svg role="img" aria-label="${escapeHtml(title)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<line class="axis" x1="${zero}" x2="${zero}" y1="0" y2="${height}"/>
${groups.join('\n')}
</svg>
</div>
<figcaption>${toHtml(clipNames(row.name, maxName))} <span class="key base"></span>base <span class="key head"></span>head <span class="key growth"></span>growth, in ${escapeHtml(unit)}; bars start at 0</figcaption>
</figure>`;
}

type Scale = (value: number) => number;

/** Scales from the least to the greatest value, zero included. Dividing first keeps the largest numbers finite. */
function makeScale(cells: readonly Cell[], left: number, room: number): Scale {
  const values = cells.flatMap((cell) => [cell.values.base ?? 0, cell.values.head ?? 0, ...whiskerOf(cell)]);
  const unit = Math.max(...values.map(Math.abs)) || 1;
  const low = Math.min(0, ...values.map((value) => value / unit));
  const high = Math.max(0, ...values.map((value) => value / unit));
  return (value) => left + ((value / unit - low) / (high - low || 1)) * room;
}

/** The range of head's true value, by the interval of its delta; empty if it is exact or not known. */
function whiskerOf({ values: { base, interval } }: Cell): number[] {
  if (base === null || interval === null || interval === 'exact') return [];
  const ends = interval.map((bound) => base + bound);
  return ends.every(Number.isFinite) ? ends : [];
}

/** Whether a change is drawn between the ends of base and head. */
function isChange({ differs, verdict, values }: Cell): boolean {
  return values.base !== null && differs && (verdict === 'regression' || verdict === 'improvement');
}

function renderHeadBars(cell: Cell, head: number, toX: Scale, top: number): string[] {
  const { base } = cell.values;
  const [low = 0, high = 0] = whiskerOf(cell).map((value) => round(toX(value)));
  const middle = round(top + plot.bar / 2);
  return [
    renderBar('head', toX(0), toX(head), top),
    ...(base !== null && isChange(cell) ? [renderBar(`change ${cell.verdict}`, toX(base), toX(head), top)] : []),
    ...(high - low < plot.minWhisker
      ? []
      : [`<path class="whisker" d="M${low} ${middle - 4}v8M${low} ${middle}H${high}M${high} ${middle - 4}v8"/>`]),
  ];
}

/** Draws a bar, at least two pixels wide if there is anything, so one added instruction is visible. */
function renderBar(kind: string, from: number, to: number, top: number): string {
  const width = from === to ? 0 : Math.max(2, Math.abs(to - from));
  const x = to < from ? from - width : from;
  return `<rect class="${kind}" x="${round(x)}" y="${round(top)}" width="${round(width)}" height="${plot.bar}"/>`;
}

function renderLabel(toX: Scale, values: readonly number[], top: number, text: string | null, change?: Cell): string {
  const x = Math.max(toX(0), ...values.map(toX)) + 6;
  const delta = change === undefined ? '' : change.differs ? formatChange(change) : change.delta === null ? '' : '~';
  const tail = delta === '' ? '' : ` <tspan class="${change?.verdict}">${escapeHtml(delta)}</tspan>`;
  return `<text x="${round(x)}" y="${round(top + plot.bar / 2)}">${escapeHtml(text ?? '')}${tail}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function renderFailure({ kernel, release, problem, message, hint, consoleTail }: KernelFailure): string {
  const console =
    consoleTail.length === 0
      ? ''
      : `\n<details open><summary>The end of its console</summary><pre>${consoleTail.map(escapeHtml).join('\n')}</pre></details>`;
  return `<article class="failure">
<p><strong>${escapeHtml(kernel)} (${escapeHtml(release)}) ${problem}:</strong> ${toHtml(message)}</p>${
    hint === null ? '' : `\n<p>Next: ${toHtml(hint)}</p>`
  }${console}
</article>`;
}

function renderSection(title: string, body: readonly string[]): string {
  return body.length === 0 ? '' : `<section>\n<h2>${escapeHtml(title)}</h2>\n${body.join('\n')}\n</section>`;
}

function renderList(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`];
}

function formatProfiles({ bench, kernel, folder, files }: ReportModel['profiles'][number]): string {
  const names = files.map(({ name, url }) => {
    const text = escapeHtml(name);
    return url === null ? text : `<a href="${escapeHtml(url)}">${text}</a>`;
  });
  return `${toCode(bench)} on ${escapeHtml(kernel)}, in ${toCode(folder)}: ${names.join(', ')}`;
}

function formatMachine({ kernels, description }: ReportModel['machines'][number]): string {
  return `<strong>${escapeHtml(kernels.join(', '))}</strong>: ${escapeHtml(description)}`;
}

function toHtml(sentence: Sentence): string {
  return sentence.map((span) => (typeof span === 'string' ? escapeHtml(span) : toCode(span.code))).join('');
}

function toCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Escapes text for HTML, also for attributes in double quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root {
  --page: #fff; --panel: #f6f8fa; --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --link: #0969da;
  --bad: #c21c2b; --bad-fill: #ffebe9; --good: #1a7f37; --good-fill: #e6f7ea; --unsure: #875a00; --unsure-fill: #fff6d6;
  --base-bar: #afb8c1; --head-bar: #6e93c4; --on-badge: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --panel: #161b22; --ink: #e6edf3; --quiet: #9ba5b0; --line: #30363d; --link: #6cb0ff;
    --bad: #ff7b72; --bad-fill: #3a1618; --good: #56d364; --good-fill: #12301b; --unsure: #e3b341; --unsure-fill: #332701;
    --base-bar: #57606a; --head-bar: #4f7ab3; --on-badge: #0d1117;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 48px; }
main.wide { max-width: 1680px; }
.wide .overview th, .wide .overview td { padding: 6px 9px; font-size: 14px; }
h1 { margin: 12px 0 24px; font-size: 21px; line-height: 1.45; font-weight: 600; }
h2 { margin: 36px 0 12px; font-size: 17px; }
p { margin: 8px 0; }
h1, h3, p, li, th, summary, code { overflow-wrap: anywhere; }
code, pre { font: 0.92em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { unicode-bidi: isolate; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; text-underline-offset: 4px; }
small { display: block; font-size: 12px; font-weight: 400; color: var(--quiet); }
ul { margin: 8px 0; padding-left: 20px; }
.subject { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin: 0; }
.revisions, .legend, .source, figcaption, footer { color: var(--quiet); }
.badge { padding: 2px 12px; border-radius: 999px; color: var(--on-badge); font-weight: 600; }
.badge.good { background: var(--good); }
.badge.bad { background: var(--bad); }
.badge.unsure { background: var(--unsure); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 14px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--panel); vertical-align: bottom; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; min-width: 180px; }
.overview tr > :first-child { position: sticky; left: 0; }
.overview tbody th { background: var(--page); }
@media (max-width: 700px) {
  main { padding: 20px 14px 32px; }
  th, td { padding: 6px 8px; }
  .finding { padding-left: 10px; }
  .overview tr > :first-child { position: static; min-width: 124px; white-space: normal; }
}
.number { text-align: right; white-space: nowrap; }
.regression, .failed { color: var(--bad); font-weight: 600; }
.improvement { color: var(--good); font-weight: 600; }
.inconclusive, .added, .removed { color: var(--unsure); }
.unchanged, .missing { color: var(--quiet); }
td.regression, td.failed { background: var(--bad-fill); }
td.improvement { background: var(--good-fill); }
td.inconclusive { background: var(--unsure-fill); }
.legend, figcaption, footer { font-size: 13px; }
section > details { margin: 12px 0; border: 1px solid var(--line); border-radius: 8px; }
section > details > summary { padding: 10px 14px; background: var(--panel); border-radius: 8px; cursor: pointer; }
section > details > :not(summary) { margin-left: 14px; margin-right: 14px; }
h3 { margin: 0 0 8px; font-size: 16px; line-height: 1.4; }
.finding { margin: 16px 0; padding: 4px 0 4px 16px; border-left: 4px solid var(--line); scroll-margin-top: 16px; }
.finding:target { background: var(--panel); }
.finding summary { padding: 6px 0; cursor: pointer; }
.regression-edge { border-color: var(--bad); }
.improvement-edge { border-color: var(--good); }
.inconclusive-edge { border-color: var(--unsure); }
figure { margin: 12px 0 16px; }
.plot { overflow-x: auto; margin-bottom: 6px; }
.plot svg { display: block; max-width: 100%; min-width: 720px; height: auto; }
.plot text { fill: var(--ink); font: 12px system-ui, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums; dominant-baseline: central; }
.plot .kernel { text-anchor: end; font-weight: 600; }
.plot tspan { fill: var(--quiet); }
.plot tspan.regression { fill: var(--bad); }
.plot tspan.improvement { fill: var(--good); }
.plot .base { fill: var(--base-bar); }
.plot .head { fill: var(--head-bar); }
.plot .change.regression { fill: var(--bad); }
.plot .change.improvement { fill: var(--good); }
.plot .axis { stroke: var(--quiet); }
.plot .whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.key { display: inline-block; width: 10px; height: 10px; margin: 0 5px 0 10px; }
.key.base { background: var(--base-bar); }
.key.head { background: var(--head-bar); }
.key.growth { background: var(--bad); }
.failure { border-left: 4px solid var(--bad); padding: 2px 14px; margin: 12px 0; }
.failure summary { cursor: pointer; }
pre { margin: 8px 0; padding: 10px 14px; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 8px; }
`.trimStart();
