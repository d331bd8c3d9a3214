// Report: GitHub's Markdown for a pull request comment and a job summary, within a length.

import { markdownTable } from 'markdown-table';
import { clipMiddle } from '../common/clip-middle.ts';
import { explainSymbols, headsOf, measureCells, type TableKind, toCellText } from './cell-text.ts';
import { describeFold, type FindingDetail, type GrowthDetail, howToAccept, prefixOf } from './finding-detail.ts';
import { escapeText, toCellCode, toCodeBlock, toCodeSpan } from './markdown-escape.ts';
import { countOf, type Sentence } from './plain-text.ts';
import type { Followed } from './remembered.ts';
import type { ReportModel } from './report-model.ts';
import type { KernelColumn, KernelFailure, Row } from './row.ts';
import { describeWarning } from './warnings.ts';

export interface MarkdownOptions {
  /** Largest length. Default 65,000: a comment may have 65,536, and its publisher adds a marker. */
  readonly maxLength?: number;
  /**
   * Measures a text. Default: in UTF-16 units, which is never less than GitHub's count of characters in a comment. In a
   * job summary GitHub counts bytes.
   */
  readonly lengthOf?: (text: string) => number;
  /** What is known of earlier heads. Default: nothing. */
  readonly since?: Followed['since'];
  readonly gone?: Followed['gone'];
}

/** The least length of a row or a finding. */
const leastLength = 10;

/** How much of each part is shown. */
interface Extent {
  /** Findings that are more than their title, and those of them that have their folded part. */
  readonly findings: number;
  readonly folds: number;
  readonly titles: number;
  readonly rows: number;
  readonly profiles: number;
  readonly warnings: number;
  readonly consoleLines: number;
  readonly failures: number;
  readonly machines: number;
}

/** What is shortened, the least important first, and how much of it stays: a few whole findings tell more than titles. */
const partsByWorth: readonly (readonly [part: keyof Extent, least: number])[] = [
  ['rows', 0],
  ['consoleLines', 0],
  ['warnings', 0],
  ['profiles', 0],
  ['machines', 0],
  ['folds', 10],
  ['findings', 10],
  ['titles', 50],
  ['folds', 0],
  ['titles', 10],
  ['findings', 0],
  ['titles', 0],
  ['failures', 0],
];

const maxName = 120;
/** Findings of an earlier head that are listed, and lines that accept nothing. */
const maxListed = 10;
const maxMessage = 1000;
const maxConsoleLine = 300;
/** Lines shown of a verifier's log; the page and results.json have all that is kept. */
const maxLogLines = 20;

/**
 * The report as Markdown of at most `maxLength`.
 *
 * Parts that do not fit are left out with a count of what is missing, the least important first: unchanged rows,
 * console lines, warnings, profiles, machines, the folded parts of findings, all but their titles, and the last titles;
 * the first ten findings stay whole as long as they can.
 */
export function renderMarkdown(model: ReportModel, options: MarkdownOptions = {}): string {
  const { maxLength = 65_000, lengthOf = (text: string) => text.length, since, gone = [] } = options;
  const { findings, unchanged, profiles, warnings, failures, machines } = model;
  let extent: Extent = {
    findings: findings.length,
    folds: findings.length,
    titles: findings.length,
    rows: unchanged.rows.length,
    profiles: profiles.length,
    warnings: warnings.length,
    consoleLines: 40,
    failures: failures.length,
    machines: machines.length,
  };
  // The search for what fits shows the same findings again and again.
  const rendered = { all: new Map<FindingDetail, string>(), part: new Map(), title: new Map() };
  const renderOnce = (finding: FindingDetail, form: Form) => {
    const known = rendered[form].get(finding) ?? renderFinding(finding, model.kernels, form, since?.get(finding.id));
    rendered[form].set(finding, known);
    return known;
  };
  // A text that cannot fit is not rendered: a hundred thousand rows would be rendered again and again.
  const fits = (candidate: Extent) =>
    (candidate.rows + candidate.titles) * leastLength <= maxLength &&
    lengthOf(render(model, gone, candidate, renderOnce)) <= maxLength;
  for (const [part, least] of partsByWorth) {
    if (fits(extent)) break;
    let low = Math.min(least, extent[part]);
    let high = extent[part];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits({ ...extent, [part]: middle })) low = middle;
      else high = middle - 1;
    }
    extent = { ...extent, [part]: low };
  }
  const text = render(model, gone, extent, renderOnce);
  // Only a run of hundreds of kernels, or a length in which no report fits, gets here.
  return lengthOf(text) <= maxLength ? text : `${titleOf(model)}\n\nThe report is too long to be shown here.\n`;
}

type Form = 'all' | 'part' | 'title';

/** The verdict is a value of results.json, printed as it is. */
const titleOf = ({ verdict }: ReportModel) => `### bpfgate: ${verdict}`;

function render(
  model: ReportModel,
  gone: readonly Sentence[],
  extent: Extent,
  renderOnce: (finding: FindingDetail, form: Form) => string,
): string {
  const { findings, kernels, unchanged } = model;
  const hidden = findings.length - extent.titles;
  const short = extent.titles - Math.min(extent.titles, extent.findings);
  const hiddenFailures = model.failures.slice(extent.failures).flatMap((failure) => failure.kernels).length;
  const more = unchanged.rows.length - extent.rows;
  const [what, from, to] = [model.project, model.base, model.head].map((name) => toCodeSpan(clipMiddle(name, maxName)));
  const unchangedTitle = escapeText(clipMiddle(unchanged.title, maxMessage));
  const blocks = [
    titleOf(model),
    toMarkdown(model.headline),
    `${what}: ${from} → ${to}`,
    model.fetch === null ? '' : toMarkdown(model.fetch),
    ...[gone, model.notices].map((each) => renderList(each.map(toMarkdown), maxListed)),
    ...findings
      .slice(0, extent.titles)
      .map((finding, index) =>
        renderOnce(finding, index < extent.folds ? 'all' : index < extent.findings ? 'part' : 'title'),
      ),
    short > 0 ? `_All but the titles of the last ${countOf(short, 'finding')} left out to keep this short._` : '',
    hidden > 0 ? `_${countOf(hidden, 'more finding')} left out to keep this short._` : '',
    ...model.failures.slice(0, extent.failures).map((failure) => renderFailure(failure, extent.consoleLines)),
    hiddenFailures > 0 ? `_${countOf(hiddenFailures, 'failed kernel')} left out to keep this short._` : '',
    extent.rows === 0
      ? unchangedTitle
      : fold(unchangedTitle, [
          renderTable('unchanged', unchanged.rows.slice(0, extent.rows), kernels),
          more > 0 ? `_${countOf(more, 'more row')}._` : '',
          unchanged.verified === null ? '' : `<sub>${escapeText(unchanged.verified)}</sub>`,
        ]),
    renderFolded('Profiles, in the output folder', model.profiles.map(formatProfiles), extent.profiles),
    renderFolded(
      countOf(model.warnings.length, 'warning'),
      model.warnings.map((warning) => toMarkdown(describeWarning(warning))),
      extent.warnings,
    ),
    renderFolded('How it was measured', model.machines.map(formatMachine), extent.machines),
    ...model.footnotes.map((note) => `<sub>${escapeText(note)}</sub>`),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderList(items: readonly string[], most: number): string {
  const more = items.length - most;
  return [...items.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].map((item) => `- ${item}`).join('\n');
}

function renderTable(kind: TableKind, rows: readonly Row[], kernels: readonly KernelColumn[]): string {
  if (rows.length === 0) return '';
  const heads = headsOf(kind, rows);
  const table = markdownTable(
    [
      [...heads, ...kernels.map(({ id }) => id)].map((text) => escapeText(clipMiddle(text, maxName))),
      ...rows.map((row) => [
        [row.name, row.origin].flatMap((each) => (each === null ? [] : toCellMarkdown(each))).join('<br>'),
        ...measureCells(kind, row).map((text) => escapeText(clipMiddle(text, maxName))),
        ...kernels.map((kernel, index) => {
          const cell = row.cells[index] ?? null;
          const { result, values } = toCellText(row, index, kernel);
          const emphasised = cell?.verdict === 'regression' ? `**${result}**` : result;
          return values === null ? emphasised : `${emphasised}<br>${values}`;
        }),
      ]),
    ],
    { align: [...heads.map(() => 'l'), ...kernels.map(() => 'r')], alignDelimiters: false },
  );
  const legend = explainSymbols(rows, kernels);
  return legend === '' ? table : `${table}\n\n<sub>${legend}</sub>`;
}

function renderFinding(finding: FindingDetail, kernels: readonly KernelColumn[], form: Form, since?: string): string {
  const { subject, change } = finding;
  const known = since === undefined ? '' : ` (still there since ${since})`;
  const title = `#### ${prefixOf(finding)}${toMarkdown(subject)} ${escapeText(clipMiddle(change, maxMessage))}${known}`;
  if (form === 'title') return title;
  const { where, diff, accepted, lead, rest, refusals, growth, repeat, acceptLines } = finding;
  const logs = refusals.flatMap(({ title, log }) =>
    log.length === 0
      ? []
      : [
          escapeText(clipMiddle(title, maxMessage)),
          toCodeBlock(log.slice(-maxLogLines).map((line) => clipMiddle(line, maxConsoleLine))),
        ],
  );
  const accept = acceptLines.length === 0 ? [] : [`${howToAccept}:`, toCodeBlock(acceptLines)];
  const folded = describeFold(finding);
  return [
    title,
    toMarkdown(where),
    diff.length === 0 ? '' : toCodeBlock(diff, 'diff'),
    ...accepted.map(toMarkdown),
    renderTable('lead', lead, kernels),
    toMarkdown(repeat),
    folded === ''
      ? ''
      : form === 'all'
        ? fold(folded, [
            ...(growth === null ? [] : renderGrowth(growth)),
            renderTable('rest', rest, kernels),
            ...logs,
            ...accept,
          ])
        : `_${folded}: left out to keep this short._`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function renderGrowth({ title, lines, calls }: GrowthDetail): string[] {
  const heading = escapeText(clipMiddle(`${title.charAt(0).toUpperCase()}${title.slice(1)}`, maxMessage));
  const all = [...lines, ...calls];
  if (all.length === 0) return [`${heading}.`];
  const rows = all.map(({ place, values, delta }) => [toCellCode(clipMiddle(place, maxName)), delta, values]);
  const table = markdownTable([[calls.length === 0 ? 'line' : 'line or function', 'delta', 'base → head'], ...rows], {
    align: ['l', 'r', 'r'],
    alignDelimiters: false,
  });
  return [`${heading}:`, table];
}

function renderFailure(
  { title, message, output, hint, repeat, consoleTail }: KernelFailure,
  consoleLines: number,
): string {
  const blockOf = (lines: readonly string[]) =>
    consoleLines === 0 || lines.length === 0
      ? []
      : [toCodeBlock(lines.slice(-consoleLines).map((line) => clipMiddle(line, maxConsoleLine)))];
  const console = blockOf(consoleTail);
  return [
    `**${escapeText(clipMiddle(title, 2 * maxName))}:** ${toMarkdown(message)}`,
    ...blockOf(output),
    ...(hint === null ? [] : [`Next: ${toMarkdown(hint)}`]),
    ...(repeat === null ? [] : [toMarkdown(repeat)]),
    ...(console.length === 0 ? [] : [fold('The end of its console', console)]),
  ].join('\n\n');
}

function renderFolded(title: string, items: readonly string[], count: number): string {
  if (items.length === 0) return '';
  return count === 0 ? `_${title}: left out to keep this short._` : fold(title, [renderList(items, count)]);
}

/** Folds the body. The blank line behind `<summary>` lets GitHub read it as Markdown. */
function fold(summary: string, body: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...body.filter((block) => block !== ''), '</details>'].join('\n\n');
}

function formatProfiles({ bench, kernel, folder, files }: ReportModel['profiles'][number]): string {
  const names = files.map(({ name, url }) => {
    const text = toCodeSpan(clipMiddle(name, maxName));
    return url === null ? text : `[${text}](${url})`;
  });
  const what = `${toCodeSpan(clipMiddle(bench, maxName))} on ${escapeText(clipMiddle(kernel, maxName))}`;
  return `${what}, in ${toCodeSpan(clipMiddle(folder, maxMessage))}: ${names.join(', ')}`;
}

function formatMachine({ kernels, description }: ReportModel['machines'][number]): string {
  return escapeText(clipMiddle(`${kernels.join(', ')}: ${description}`, maxMessage));
}

function toCellMarkdown(sentence: Sentence): string {
  return sentence
    .map((span) => (typeof span === 'string' ? escapeText(span) : toCellCode(clipMiddle(span.code, maxName))))
    .join('');
}

function toMarkdown(sentence: Sentence): string {
  const parts = sentence.map((span) => {
    if (typeof span === 'string') return escapeText(clipMiddle(span, maxMessage));
    const code = toCodeSpan(clipMiddle(span.code, maxMessage));
    return span.url === undefined ? code : `[${code}](${span.url})`;
  });
  return parts.join('');
}
