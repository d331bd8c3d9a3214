// Report: a self-contained page with plots, in light and dark, without a request to anywhere.

import { clipMiddle } from '../common/clip-middle.ts';
import type { GateVerdict } from '../compare/comparison.ts';
import { explainSymbols, headsOf, measureCells, type TableKind, toCellText } from './cell-text.ts';
import {
  describeFold,
  type FindingDetail,
  type GrowthDetail,
  howToAccept,
  prefixOf,
  type RefusalDetail,
} from './finding-detail.ts';
import { escapeHtml, toCode, toHtml } from './html-escape.ts';
import { drawBars, drawDots, drawEarlier, renderFigure } from './html-plots.ts';
import { type ReadProfile, renderProfiles } from './html-profiles.ts';
import { maxName, renderDeltas, renderTable } from './html-table.ts';
import { pageScript, pageScriptHash } from './page-script.ts';
import { renderDocument, style } from './page-style.ts';
import { clipNames, countOf, toText } from './plain-text.ts';
import type { ReportModel } from './report-model.ts';
import { isLoads, type KernelColumn, type KernelFailure, nameUnit, type Row } from './row.ts';
import { describeWarning } from './warnings.ts';

/** Kernels whose columns fit a page of the usual width. */
const maxNarrow = 5;
/** Subjects that a warning names. */
const maxWarned = 100;
/** Findings with plots, the worst: the tables of any more have the same numbers. */
const maxPlotted = 50;

/** Returns the values of a row on earlier commits on a kernel, oldest first. */
export type EarlierOf = (row: Row, kernel: string) => readonly number[];

/**
 * Renders the report as a whole HTML document.
 *
 * Its policy forbids every request and every other script, so a name that was not escaped would still do nothing.
 *
 * @param read reads profiles, to embed flame graphs; default: none
 * @param earlier returns what earlier commits had, oldest first; default: nothing
 */
export function renderHtml(
  model: ReportModel,
  read: ReadProfile = () => undefined,
  earlier: EarlierOf = () => [],
): string {
  const { project, verdict, findings, kernels, failures, profiles, warnings, machines, footnotes } = model;
  const sections = [
    {
      id: 'findings',
      title: 'Findings',
      body: findings.map((finding, index) => renderFinding(finding, kernels, index < maxPlotted ? earlier : null)),
    },
    {
      id: 'failures',
      title: countOf(failures.flatMap((failure) => failure.kernels).length, 'failed kernel'),
      body: failures.map(renderFailure),
    },
    { id: 'results', title: 'Results', body: renderResults(model) },
    {
      id: 'warnings',
      title: countOf(warnings.length, 'warning'),
      body: renderList(warnings.map((warning) => toHtml(describeWarning(warning, maxWarned)))),
    },
    { id: 'machines', title: 'Measured with', body: renderList(machines.map(formatMachine)) },
    { id: 'profiles', title: 'Profiles, in the output folder', body: renderProfiles(profiles, read, findings) },
  ].filter(({ body }) => body.length > 0);
  const links = sections.map(({ id, title }) => `<a href="#${id}">${title}</a>`);
  const blocks = [
    renderHeader(model),
    links.length === 0 ? '' : `<nav aria-label="Sections">${links.join(' ')}</nav>`,
    ...sections.map(({ id, title, body }) => `<section id="${id}">\n<h2>${title}</h2>\n${body.join('\n')}\n</section>`),
    footnotes.length === 0 ? '' : `<footer>${footnotes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</footer>`,
  ];
  const body = `<main${kernels.length > maxNarrow ? ' class="wide"' : ''}>
${blocks.filter((block) => block !== '').join('\n')}
</main>
<script>${pageScript}</script>`;
  const allowed = `script-src '${pageScriptHash}'; img-src data:; style-src 'unsafe-inline'`;
  const title = `bpfgate: ${verdict} – ${escapeHtml(clipMiddle(project, maxName))}`;
  return renderDocument(allowed, title, `\n${style}`, body);
}

function renderHeader({ verdict, headline, project, base, head, fetch, notices }: ReportModel): string {
  return `<header>
<p class="subject"><span class="badge ${toneOf(verdict)}">${verdict}</span> <strong>${escapeHtml(project)}</strong> <span class="revisions">${toCode(base)} → ${toCode(head)}</span></p>
${fetch === null ? '' : `<p class="source">${toHtml(fetch)}</p>\n`}<h1>${toHtml(headline)}</h1>
${[...renderList(notices.map(toHtml)), '</header>'].join('\n')}`;
}

function toneOf(verdict: GateVerdict): 'good' | 'bad' | 'unsure' {
  return verdict === 'pass' ? 'good' : verdict === 'inconclusive' ? 'unsure' : 'bad';
}

function renderRows(kind: TableKind, rows: readonly Row[], kernels: readonly KernelColumn[], label: string): string {
  if (rows.length === 0) return '';
  const names = headsOf(kind, rows).map((text) => `<th scope="col">${escapeHtml(clipMiddle(text, maxName))}</th>`);
  const body = rows.map((row) => `<tr>${renderCells(kind, row, kernels)}</tr>`);
  const table = renderTable(label, names.join('') + renderKernelHeads(kernels), body, 'overview');
  return table + renderLegend(explainSymbols(rows, kernels));
}

function renderLegend(text: string): string {
  return text === '' ? '' : `<p class="legend">${escapeHtml(text)}</p>\n`;
}

/** @param about HTML that stands below the row's name */
function renderCells(kind: TableKind, row: Row, kernels: readonly KernelColumn[], about = ''): string {
  const origin = row.origin === null ? '' : `<small>${toHtml(row.origin)}</small>`;
  const measures = measureCells(kind, row).map((text) => `<td>${escapeHtml(clipMiddle(text, maxName))}</td>`);
  const cells = kernels.map((kernel, index) => renderCell(row, index, kernel));
  return `<th scope="row">${toHtml(clipNames(row.name, maxName))}${about}${origin}</th>${measures.join('')}${cells.join('')}`;
}

function renderKernelHeads(kernels: readonly KernelColumn[]): string {
  const heads = kernels.map(
    ({ id, release }) =>
      `<th scope="col" class="number">${[id, release].map((text) => escapeHtml(clipMiddle(text, maxName))).join('<small>')}</small></th>`,
  );
  return heads.join('');
}

function renderCell(row: Row, index: number, kernel: KernelColumn): string {
  const text = toCellText(row, index, kernel);
  const { verdict, values: { delta, deltaRatio } = { delta: null, deltaRatio: null } } = row.cells[index] ?? {};
  const tone = verdict ?? (text.result === 'failed' ? 'failed' : 'missing');
  // From a base of 0 any growth is the worst there is.
  const change = deltaRatio ?? (delta === null ? '' : Math.sign(delta) * Number.MAX_VALUE);
  return `<td class="number ${tone}" data-value="${change}">${escapeHtml(text.result)}${text.values === null ? '' : `<small>${escapeHtml(text.values)}</small>`}</td>`;
}

/** @param earlier null: the finding has no plots */
function renderFinding(finding: FindingDetail, kernels: readonly KernelColumn[], earlier: EarlierOf | null): string {
  const { id, isAccepted, subject, change, where, diff, accepted, lead, rest, refusals, growth, repeat, acceptLines } =
    finding;
  const tone = isAccepted ? 'accepted' : finding.verdict;
  const name = clipMiddle(toText(subject), maxName);
  const folded = describeFold(finding);
  const details = [
    growth === null ? '' : renderGrowth(growth),
    renderRows('rest', rest, kernels, `Other measures of ${name}`),
    ...refusals.map(renderRefusal),
    ...(acceptLines.length === 0
      ? []
      : [`<p>${howToAccept}:</p>\n<pre>${acceptLines.map(escapeHtml).join('\n')}</pre>\n`]),
  ];
  return `<article id="finding-${id}" class="finding ${tone}-edge">
<h3>${prefixOf(finding)}${toHtml(subject)} <span class="${tone}">${escapeHtml(change)}</span> <a class="anchor" href="#finding-${id}" aria-label="Link to ${escapeHtml(name)}">#</a></h3>
${where.length === 0 ? '' : `<p class="source">${toHtml(where)}</p>\n`}${renderDiff(diff)}${accepted.map((each) => `<p>${toHtml(each)}</p>\n`).join('')}${renderRows('lead', lead, kernels, `${name} on every kernel`)}${
  earlier === null ? '' : renderPlots(finding, kernels, earlier)
}${renderLinks(finding.flames)}<p class="source">${toHtml(repeat)}</p>
${folded === '' ? '' : `<details><summary>${folded}</summary>\n${details.join('')}</details>\n`}</article>`;
}

function renderLinks(flames: FindingDetail['flames']): string {
  const links = flames.map(
    ({ id, bench, kernel }) =>
      `<a href="#${id}">Flame graphs of ${escapeHtml([bench, kernel].map((name) => clipMiddle(name, maxName)).join(' on '))} ↓</a>`,
  );
  return links.length === 0 ? '' : `<p>${links.join(', ')}</p>\n`;
}

/** Colours lines by their sign, which they keep. */
function renderDiff(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const coloured = lines.map(
    (line) => `<span class="${line.startsWith('+') ? 'plus' : 'minus'}">${escapeHtml(line)}</span>`,
  );
  return `<pre class="diff">${coloured.join('\n')}</pre>\n`;
}

/** Draws each row of the first measure, also on earlier commits, and the lines that grew. */
function renderPlots({ lead, growth, subject }: FindingDetail, kernels: readonly KernelColumn[], earlier: EarlierOf) {
  const dots = lead.flatMap((row) => {
    if (isLoads(row)) return [];
    const unit = clipMiddle(row.unit === '' ? row.measure : nameUnit(row, ''), maxName);
    const figure = (svg: string, what: string) =>
      svg === '' ? [] : renderFigure(`${toHtml(clipNames(row.name, maxName))}, ${what}`, ['ring', 'dot'], svg);
    const commits = drawEarlier(row, kernels, (kernel) => earlier(row, kernel));
    return [figure(drawDots(row, kernels), escapeHtml(unit)), figure(commits, 'the last commits')].flat();
  });
  const { title = '', lines = [], calls = [] } = growth ?? {};
  const all = [...lines, ...calls];
  const grown = all.length === 0 ? [] : [drawBars(title, `What grew in ${clipMiddle(toText(subject), maxName)}`, all)];
  const plots = [...dots, ...grown];
  return plots.length === 0 ? '' : `<div class="plots">\n${plots.join('\n')}\n</div>\n`;
}

/** The rows of findings and of what is unchanged, in one table that the page's script can sort and filter; folded. */
function renderResults({ findings, unchanged, kernels }: ReportModel): string[] {
  const changed = findings.flatMap((finding) => [...finding.lead, ...finding.rest].map((row) => ({ row, finding })));
  const all = [...changed, ...unchanged.rows.map((row) => ({ row, finding: null }))];
  if (all.length === 0 && unchanged.title === '') return [];
  const rows = all.map(({ row, finding }) => {
    const subject = finding === null ? '' : `<small>${toHtml(clipNames(finding.subject, maxName))}</small>`;
    const verdict = finding === null ? row.verdict : `<a href="#finding-${finding.id}">${row.verdict}</a>`;
    return `<tr data-verdict="${row.verdict}">${renderCells('rest', row, kernels, subject)}<td>${verdict}</td></tr>`;
  });
  const verdicts = [...new Set(all.map(({ row }) => row.verdict))];
  const [name, measure, verdict] = ['benchmark', 'measure, limit', 'verdict'].map(
    (head) => `<th scope="col">${head}</th>`,
  );
  const heads = `${name}${measure}${renderKernelHeads(kernels)}${verdict}`;
  const symbols = explainSymbols(
    all.map(({ row }) => row),
    kernels,
  );
  const isMixed = changed.length > 0 && unchanged.rows.length > 0;
  const rest = countOf(unchanged.rows.length, 'other row');
  const counted = isMixed ? `${changed.length} changed and ${rest}` : countOf(all.length, 'row');
  return [
    `<details class="results"><summary>${unchanged.title === '' ? 'Nothing is unchanged' : escapeHtml(unchanged.title)}. The table: ${counted}</summary>
<p class="filters" hidden><label>Filter <input type="search"></label> <label>Verdict <select><option value="">all</option>${verdicts.map((verdict) => `<option>${verdict}</option>`).join('')}</select></label> <output></output></p>
${renderTable('Results', heads, rows, 'overview')}${[symbols, unchanged.verified ?? ''].map(renderLegend).join('')}</details>`,
  ];
}

function renderGrowth({ title, lines, calls }: GrowthDetail): string {
  const heading = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  const all = [...lines, ...calls];
  if (all.length === 0) return `<p class="source">${escapeHtml(heading)}.</p>\n`;
  const table = renderDeltas('Lines that grew', calls.length === 0 ? 'line' : 'line or function', all);
  return `<p class="source">${escapeHtml(heading)}:</p>\n${table}`;
}

function renderRefusal({ title, log }: RefusalDetail): string {
  return log.length === 0 ? '' : `<p>${escapeHtml(title)}</p>\n<pre>${log.map(escapeHtml).join('\n')}</pre>\n`;
}

function renderFailure({ title, message, output, hint, repeat, consoleTail }: KernelFailure): string {
  const said = output.length === 0 ? '' : `\n<pre>${output.map(escapeHtml).join('\n')}</pre>`;
  const console =
    consoleTail.length === 0
      ? ''
      : `\n<details open><summary>The end of its console</summary><pre>${consoleTail.map(escapeHtml).join('\n')}</pre></details>`;
  return `<article class="failure">
<p><strong>${escapeHtml(title)}:</strong> ${toHtml(message)}</p>${said}${
    hint === null ? '' : `\n<p>Next: ${toHtml(hint)}</p>`
  }${repeat === null ? '' : `\n<p class="source">${toHtml(repeat)}</p>`}${console}
</article>`;
}

function renderList(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`];
}

function formatMachine({ kernels, description }: ReportModel['machines'][number]): string {
  return `<strong>${escapeHtml(kernels.join(', '))}</strong>: ${escapeHtml(description)}`;
}
