// Report: plain text of a given width, for a terminal or a log; colour only if asked for.

import { clipMiddle } from '../common/clip-middle.ts';
import { columnGap, layOutColumns, widthOf } from '../common/columns.ts';
import { groupBy } from '../common/group-by.ts';
import type { ComparisonVerdict, GateVerdict } from '../compare/comparison.ts';
import { type CellText, explainTexts, headsOf, measureCells, type TableKind, toCellText } from './cell-text.ts';
import { type FindingDetail, type GrowthDetail, howToAcceptSome, prefixOf } from './finding-detail.ts';
import { countOf, joinWords, toPlainName, toText } from './plain-text.ts';
import type { ReportModel } from './report-model.ts';
import { type KernelColumn, type KernelFailure, nameKernels, type Row } from './row.ts';
import { describeWarning } from './warnings.ts';

export interface TextOptions {
  /** Default false. */
  readonly colour?: boolean;
  /** Width in columns; at least 40. Default 100. */
  readonly width?: number;
}

interface Layout {
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
type Style = keyof typeof styles;
/** Styles of cells, and of the verdicts of the gate. */
const styleOf = {
  regression: 'red',
  error: 'red',
  inconclusive: 'yellow',
  improvement: 'green',
  pass: 'green',
  unchanged: 'dim',
  added: null,
  removed: null,
} as const satisfies Record<ComparisonVerdict | GateVerdict, Style | null>;

const maxConsoleLines = 20;
/** Findings that are more than their title, and those that are shown at all: a job's log has no fold. */
const maxFindings = 50;
const maxTitles = 500;
const maxAcceptLines = 50;

/** The report as text; its last line is `verdict: <verdict>`. */
export function renderText(model: ReportModel, options: TextOptions = {}): string {
  const layout: Layout = {
    width: Math.max(40, options.width ?? 100),
    paint: options.colour ? (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m` : (_style, text) => text,
  };
  const blocks = [
    [`${model.project}: ${model.base} → ${model.head}`, ...(model.fetch === null ? [] : [toText(model.fetch)])]
      .map((line) => wrap(line, layout.width))
      .join('\n'),
    paintLines('bold', wrap(toText(model.headline), layout.width), layout),
    model.notices.map((each) => wrap(toText(each), layout.width, '  ')).join('\n'),
    ...model.findings.slice(0, maxFindings).map((finding) => renderFinding(finding, model.kernels, layout)),
    renderTitles(model.findings.slice(maxFindings), layout),
    renderAcceptLines(model.findings, layout),
    ...model.failures.map((failure) => renderFailure(failure, layout)),
    ...renderUnchanged(model, layout),
    renderProfiles(model.profiles, layout),
    renderList(
      'warnings',
      model.warnings.map((warning) => toText(describeWarning(warning))),
      layout,
    ),
    renderList(
      'measured with',
      model.machines.map(({ kernels, description }) => `${kernels.join(', ')}: ${description}`),
      layout,
    ),
    ...model.footnotes.map((note) => paintLines('dim', wrap(note, layout.width), layout)),
    paintLines(styleOf[model.verdict], `verdict: ${model.verdict}`, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/**
 * How much a table shows of a change, the most first: `+28 (+17.5%)` above `160 → 188 (+27 to +29)`, with the range on
 * its own line, without it, without the values, or `+28`.
 */
const details = ['range', 'wrapped', 'values', 'change', 'delta'] as const;
type Detail = (typeof details)[number];

/** Renders one table with as much detail as the width allows; otherwise several, each with the kernels that fit. */
function renderTables(
  kind: TableKind,
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  layout: Layout,
): string[] {
  if (rows.length === 0) return [];
  const { detail, names, widths } = chooseDetail(kind, rows, kernels, layout);
  const tables: string[] = [];
  for (let start = 0; start < kernels.length; ) {
    let end = kernels.length;
    while (end > start + 1 && lineWidth([...names, ...widths.slice(start, end)]) > layout.width) end--;
    const columnWidths = [...names, ...widths.slice(start, end)];
    tables.push(renderTable(kind, rows, kernels, { start, end, columnWidths, detail }, layout));
    start = end;
  }
  return tables;
}

function lineWidth(columns: readonly number[]): number {
  return columns.reduce((sum, each) => sum + columnGap + each, -columnGap);
}

/** Returns what a table's cells show with the detail that the width allows. */
function shownTexts(
  kind: TableKind,
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  layout: Layout,
): CellText[] {
  const { detail } = chooseDetail(kind, rows, kernels, layout);
  return rows.flatMap((row) => kernels.map((kernel, index) => toShown(row, index, kernel, detail)));
}

/** Chooses the most detail that fits, else the least, with the widths of the columns in front of and of the kernels. */
function chooseDetail(kind: TableKind, rows: readonly Row[], kernels: readonly KernelColumn[], { width }: Layout) {
  const cells = [clipHeads(headsOf(kind, rows), width), ...rows.map((row) => nameCells(kind, row, width))];
  const names = headsOf(kind, rows).map((_, index) => widthOf(cells.map((row) => row[index] ?? '')));
  const measure = (detail: Detail) => {
    const widths = kernels.map((kernel, index) =>
      widthOf([kernel.id, ...rows.map((row) => toLines(row, index, kernel, detail, (_style, text) => text))]),
    );
    return { detail, names, widths };
  };
  for (const detail of details) {
    const measured = measure(detail);
    if (lineWidth([...names, ...measured.widths]) <= width) return measured;
  }
  return measure('delta');
}

function nameCells(kind: TableKind, row: Row, width: number): string[] {
  const lines = [toPlainName(row.name), ...(row.origin === null ? [] : [`  ${toText(row.origin)}`])];
  return clipHeads([lines.join('\n'), ...measureCells(kind, row)], width);
}

/** Clips each line of a table's columns in front of the kernels. */
function clipHeads(texts: readonly string[], width: number): string[] {
  return texts.map((text, index) => {
    const most = index === 0 ? Math.max(14, Math.floor(width * 0.4)) : Math.max(12, Math.floor(width * 0.27));
    return text
      .split('\n')
      .map((line) => clipMiddle(line, most))
      .join('\n');
  });
}

function toLines(row: Row, column: number, kernel: KernelColumn, detail: Detail, paint: Layout['paint']): string {
  const cell = row.cells[column] ?? null;
  const { result, values } = toShown(row, column, kernel, detail);
  const style = cell === null ? 'dim' : styleOf[cell.verdict];
  const below = values?.split('\n').map((line) => paint('dim', line)) ?? [];
  return [style === null ? result : paint(style, result), ...below].join('\n');
}

function toShown(row: Row, column: number, kernel: KernelColumn, detail: Detail): CellText {
  const { result, values } = toCellText(row, column, kernel);
  switch (detail) {
    case 'range':
      return { result, values };
    case 'wrapped':
      return { result, values: values?.replace(' (', '\n(') ?? null };
    case 'values':
      return { result, values: values?.replace(/ \(.*\)$/, '') ?? null };
    case 'change':
      return { result, values: null };
    case 'delta':
      return { result: result.replace(/ \(.*\)$/, ''), values: null };
  }
}

/** The kernels that a table shows, and how. */
interface TableShape {
  readonly start: number;
  readonly end: number;
  /** Widths of the columns in front of the kernels and of those. */
  readonly columnWidths: readonly number[];
  readonly detail: Detail;
}

function renderTable(
  kind: TableKind,
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  { start, end, columnWidths, detail }: TableShape,
  { width, paint }: Layout,
): string {
  const names = clipHeads(headsOf(kind, rows), width);
  const shown = kernels.slice(start, end);
  const cells = rows.map((row) => [
    ...nameCells(kind, row, width),
    ...shown.map((kernel, index) => toLines(row, start + index, kernel, detail, paint)),
  ]);
  const alignments = [...names.map(() => 'left' as const), ...shown.map(() => 'right' as const)];
  const head = [...names, ...shown.map(({ id }) => id)];
  const [title = '', ...lines] = layOutColumns([head, ...cells], alignments, columnWidths);
  return [title, '─'.repeat(lineWidth(columnWidths)), ...lines].join('\n');
}

function renderFinding(finding: FindingDetail, kernels: readonly KernelColumn[], layout: Layout): string {
  const { where, accepted, lead, rest, refusals, growth, repeat } = finding;
  const inner = { ...layout, width: layout.width - 2 };
  const table = (kind: TableKind, rows: readonly Row[]) =>
    renderTables(kind, rows, kernels, inner)
      .join('\n\n')
      .split('\n')
      .map((line) => `  ${line}`.trimEnd());
  return [
    renderTitle(finding, layout),
    ...(where.length === 0 ? [] : [wrap(`  at ${toText(where)}`, layout.width, '    ')]),
    ...finding.diff.map((line) =>
      layout.paint(line.startsWith('+') ? 'green' : 'red', clipMiddle(`    ${line}`, layout.width)),
    ),
    ...accepted.map((each) => wrap(`  ${toText(each)}`, layout.width, '    ')),
    ...table('lead', lead),
    ...(growth === null ? [] : ['', ...renderGrowth(growth, layout)]),
    ...(rest.length === 0 ? [] : ['', ...table('rest', rest)]),
    ...refusals.flatMap(({ title, log }) =>
      log.length === 0
        ? []
        : [wrap(`  ${title}`, layout.width, '    '), ...log.slice(-maxConsoleLines).map((line) => `  │ ${line}`)],
    ),
    '',
    wrap(`  ${toText(repeat)}`, layout.width, '    '),
  ].join('\n');
}

function renderTitle(finding: FindingDetail, layout: Layout): string {
  const style = finding.isAccepted ? 'bold' : styleOf[finding.verdict];
  return paintLines(
    style,
    wrap(`${prefixOf(finding)}${toText(finding.subject)} ${finding.change}`, layout.width),
    layout,
  );
}

/** Renders findings of which there is no room for more. */
function renderTitles(findings: readonly FindingDetail[], layout: Layout): string {
  if (findings.length === 0) return '';
  const shown = findings.slice(0, maxTitles - maxFindings);
  const more = findings.length - shown.length;
  return [
    `${countOf(shown.length, 'more finding')}, by title only:`,
    ...shown.map((finding) => renderTitle(finding, layout)),
    ...(more > 0 ? [`and ${countOf(more, 'more finding')}, in results.json`] : []),
  ].join('\n');
}

/** Renders the lines of all findings in one place, with one introduction. */
function renderAcceptLines(findings: readonly FindingDetail[], layout: Layout): string {
  const lines = findings.flatMap(({ acceptLines }) => acceptLines);
  const more = lines.length - maxAcceptLines;
  if (lines.length === 0) return '';
  return [
    wrap(`${howToAcceptSome}:`, layout.width),
    ...lines.slice(0, maxAcceptLines).map((line) => wrap(`  ${line}`, layout.width, '    ')),
    ...(more > 0 ? [`  and ${countOf(more, 'more line')}`] : []),
  ].join('\n');
}

/** Renders what is in no finding. Rows that only say that nothing changed are left to the other reports. */
function renderUnchanged({ unchanged, findings, kernels }: ReportModel, layout: Layout): string[] {
  const { title, rows, notable, verified } = unchanged;
  const whole = findings.slice(0, maxFindings);
  const shown = rows.slice(0, notable);
  const inner = { ...layout, width: layout.width - 2 };
  const explained = [
    ...whole.flatMap(({ lead, rest }) => [
      ...shownTexts('lead', lead, kernels, inner),
      ...shownTexts('rest', rest, kernels, inner),
    ]),
    ...shownTexts('unchanged', shown, kernels, layout),
  ];
  return [
    title,
    ...renderTables('unchanged', shown, kernels, layout),
    ...[explainTexts(explained), verified ?? ''].map((text) => paintLines('dim', wrap(text, layout.width), layout)),
  ];
}

function renderGrowth({ title, lines, calls }: GrowthDetail, layout: Layout): string[] {
  const rows = [...lines, ...calls].map(({ place, delta, values }) => [`   ${place}`, delta, values]);
  return [wrap(`  ${title}`, layout.width, '    '), ...layOutColumns(rows, ['left', 'right', 'left'])];
}

function renderFailure({ title, message, output, hint, repeat, consoleTail }: KernelFailure, layout: Layout): string {
  const shown = consoleTail.slice(-maxConsoleLines);
  return [
    paintLines('red', wrap(`${title}: ${toText(message)}`, layout.width), layout),
    ...output.slice(-maxConsoleLines).map((line) => `  │ ${line}`),
    ...(hint === null ? [] : [wrap(`  next: ${toText(hint)}`, layout.width, '    ')]),
    ...(repeat === null ? [] : [wrap(`  ${toText(repeat)}`, layout.width, '    ')]),
    ...(shown.length === 0 ? [] : ['  the end of its console:', ...shown.map((line) => `  │ ${line}`)]),
  ].join('\n');
}

function renderList(title: string, items: readonly string[], { width }: Layout): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => wrap(`  ${item}`, width, '    '))].join('\n');
}

/** `profiles of profiler and heap on 5.10 and 6.1, in bpfgate-out/profiles`, for each output folder. */
function renderProfiles(profiles: ReportModel['profiles'], { width }: Layout): string {
  const lines = groupBy(profiles, parentOf).map((all) => {
    const benches = groupBy(all, ({ bench }) => bench).map((own) => ({
      bench: own[0].bench,
      kernels: nameKernels(own.map(({ kernel }) => kernel)),
    }));
    const what = groupBy(benches, ({ kernels }) => kernels).map(
      (own) => `of ${joinWords(own.map(({ bench }) => bench))} on ${own[0].kernels}`,
    );
    return wrap(`profiles ${what.join('; ')}, in ${parentOf(all[0])}`, width, '  ');
  });
  return lines.join('\n');
}

/** The folder with those of all kernels and benches. */
function parentOf({ folder }: ReportModel['profiles'][number]): string {
  return folder.split('/').slice(0, -2).join('/');
}

/** Colours line by line, so that a pager or a log that cuts between lines keeps the colour right. */
function paintLines(style: Style, text: string, { paint }: Layout): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : paint(style, line)))
    .join('\n');
}

/** Breaks at spaces; a word longer than the line stays whole. Later lines begin with `indent`. */
function wrap(text: string, width: number, indent = ''): string {
  const [first = '', ...words] = text.split(/(?<=\S) /);
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else {
      line += ` ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
