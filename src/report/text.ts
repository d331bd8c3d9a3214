// Report: plain text of a given width, for a terminal or a log; colour only if asked for.

import { clipMiddle } from '../common/clip-middle.ts';
import { columnGap, layOutColumns, widthOf } from '../common/columns.ts';
import type { ComparisonVerdict, GateVerdict } from '../compare/comparison.ts';
import { explainSymbols, formatChange, formatMeasure, formatValues, toCellText } from './cell-text.ts';
import { toText } from './plain-text.ts';
import type { GrowthDetail, RegressionDetail, ReportModel } from './report-model.ts';
import { isLoads, type KernelColumn, type KernelFailure, type Row } from './row.ts';

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

const maxConsoleLines = 20;

/** The report as text; its last line is `verdict: <verdict>`. */
export function renderText(model: ReportModel, options: TextOptions = {}): string {
  const layout: Layout = {
    width: Math.max(40, options.width ?? 100),
    paint: options.colour ? (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m` : (_style, text) => text,
  };
  const blocks = [
    wrap(`${model.project}: ${model.base} → ${model.head}`, layout.width),
    renderHeadline(model, layout),
    ...renderTables(model, layout),
    model.verified === null ? '' : paintLines('dim', wrap(model.verified, layout.width), layout),
    ...renderRegressions(model.regressions, layout),
    ...model.failures.map((failure) => renderFailure(failure, layout)),
    renderList('profiles, in the output folder', model.profiles.map(formatProfiles), layout),
    renderList('warnings', model.warnings.map(toText), layout),
    renderList(
      'measured with',
      model.machines.map(({ kernels, description }) => `${kernels.join(', ')}: ${description}`),
      layout,
    ),
    ...model.footnotes.map((note) => paintLines('dim', wrap(note, layout.width), layout)),
    paintVerdict(model.verdict, `verdict: ${model.verdict}`, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderHeadline({ headline }: ReportModel, layout: Layout): string {
  return paintLines('bold', wrap(toText(headline), layout.width), layout);
}

/** How much a table shows of a change: `+28 (+17.5%)` above `160 → 188`, the former only, or `+28`. */
type Detail = 'values' | 'change' | 'delta';

/** Renders one table with as much detail as the width allows; otherwise several, each with the kernels that fit. */
function renderTables({ rows, kernels }: ReportModel, layout: Layout): string[] {
  if (rows.length === 0) return [];
  const all = kernels.map((_, index) => index);
  const widths = measureColumns(rows, kernels, layout);
  const fits = (columns: readonly number[], detail: Detail) =>
    widths.names[0] +
      columnGap +
      widths.names[1] +
      columns.reduce((sum, column) => sum + columnGap + (widths[detail][column] ?? 0), 0) <=
    layout.width;
  const detail = (['values', 'change'] as const).find((detail) => fits(all, detail)) ?? 'delta';
  const tables: string[] = [];
  for (let start = 0; start < all.length; ) {
    let end = all.length;
    while (end > start + 1 && !fits(all.slice(start, end), detail)) end--;
    const columns = all.slice(start, end);
    const columnWidths = [...widths.names, ...columns.map((column) => widths[detail][column] ?? 0)];
    tables.push(renderTable(rows, kernels, { columns, columnWidths, detail }, layout));
    start = end;
  }
  return [...tables, paintLines('dim', explainSymbols(rows, kernels), layout)];
}

/** Measures a table's first two columns, and each kernel's by detail. */
function measureColumns(rows: readonly Row[], kernels: readonly KernelColumn[], { width }: Layout) {
  const names = rows.map((row) => nameCells(row, width));
  const column = (detail: Detail) =>
    kernels.map((kernel, index) =>
      widthOf([kernel.id, ...rows.map((row) => toLines(row, index, kernel, detail, (_style, text) => text))]),
    );
  return {
    names: [
      widthOf(['benchmark', ...names.map(([name]) => name)]),
      widthOf(['measure', ...names.map(([, measure]) => measure)]),
    ] as const,
    values: column('values'),
    change: column('change'),
    delta: column('delta'),
  };
}

function nameCells(row: Row, width: number): [name: string, measure: string] {
  return [
    [row.benchmark, ...(row.origin === null ? [] : [`  ${toText(row.origin)}`])]
      .map((line) => clipMiddle(line, Math.max(14, Math.floor(width * 0.4))))
      .join('\n'),
    clipMiddle(formatMeasure(row), Math.max(12, Math.floor(width * 0.25))),
  ];
}

function toLines(row: Row, column: number, kernel: KernelColumn, detail: Detail, paint: Layout['paint']): string {
  const cell = row.cells[column] ?? null;
  const { result: full, values } = toCellText(row, column, kernel);
  const result = detail === 'delta' ? full.replace(/ \(.*\)$/, '') : full;
  const style = cell === null ? 'dim' : styleOf(cell.verdict);
  const painted = style === null ? result : paint(style, result);
  return detail === 'values' && values !== null ? `${painted}\n${paint('dim', values)}` : painted;
}

/** The kernels that a table shows, and how. */
interface TableShape {
  readonly columns: readonly number[];
  /** Widths of the first two columns and of `columns`. */
  readonly columnWidths: readonly number[];
  readonly detail: Detail;
}

function renderTable(
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  { columns, columnWidths, detail }: TableShape,
  { width, paint }: Layout,
): string {
  const head = ['benchmark', 'measure', ...columns.map((column) => kernels[column]?.id ?? '')];
  const cells = rows.map((row) => [
    ...nameCells(row, width),
    ...columns.map((column) => {
      const kernel = kernels[column];
      return kernel === undefined ? '' : toLines(row, column, kernel, detail, paint);
    }),
  ]);
  const alignments = ['left', 'left', ...columns.map(() => 'right' as const)] as const;
  const [title = '', ...lines] = layOutColumns([head, ...cells], alignments, columnWidths);
  const rule = columnWidths.reduce((sum, each) => sum + columnGap + each, -columnGap);
  return [title, '─'.repeat(rule), ...lines].join('\n');
}

function renderRegressions(regressions: readonly RegressionDetail[], layout: Layout): string[] {
  return regressions.map(({ row, change, cells, sources, refusals, growth }) => {
    const title = `${clipMiddle(row.benchmark, 120)}: ${change}`;
    const shown = cells.filter(({ delta, needs }) => isLoads(row) || delta !== null || needs !== null);
    const kernelWidth = Math.max(...shown.map(({ kernel }) => kernel.length));
    const valueWidth = Math.max(...shown.map((cell) => formatValues(cell).length));
    const lines = shown.map((cell) => {
      const values = formatValues(cell).padStart(valueWidth);
      const facts = [
        ...(isLoads(row) ? [] : [cell.differs ? formatChange(cell) : '~']),
        ...(cell.interval === null ? [] : [cell.interval === 'exact' ? 'exact' : `interval ${cell.interval}`]),
        `limit ${cell.limit}`,
        ...(cell.verdict === 'regression' ? [] : [cell.verdict]),
      ];
      return wrap(`  ${cell.kernel.padEnd(kernelWidth)}  ${values}  ${facts.join(', ')}`, layout.width, '    ');
    });
    return [
      paintLines('red', wrap(title, layout.width), layout),
      ...sources.map((source) => `  at ${source}`),
      ...lines,
      ...(growth === null ? [] : renderGrowth(growth, layout)),
      ...refusals.flatMap(({ title, log }) => [
        wrap(`  ${title}`, layout.width, '    '),
        ...log.slice(-maxConsoleLines).map((line) => `  │ ${line}`),
      ]),
    ].join('\n');
  });
}

function renderGrowth({ title, lines, sameAs }: GrowthDetail, layout: Layout): string[] {
  if (sameAs !== null) return [wrap(`  ${title}: those of ${clipMiddle(sameAs, 120)}`, layout.width, '    ')];
  const placeWidth = Math.max(...lines.map(({ place }) => place.length));
  const deltaWidth = Math.max(...lines.map(({ delta }) => delta.length));
  return [
    wrap(`  ${title}`, layout.width, '    '),
    ...lines.map(({ place, values, delta }) =>
      `    ${place.padEnd(placeWidth)}  ${delta.padStart(deltaWidth)}  ${values}`.trimEnd(),
    ),
  ];
}

function renderFailure(
  { kernel, release, problem, message, hint, consoleTail }: KernelFailure,
  layout: Layout,
): string {
  const shown = consoleTail.slice(-maxConsoleLines);
  return [
    paintLines('red', wrap(`${kernel} (${release}) ${problem}: ${toText(message)}`, layout.width), layout),
    ...(hint === null ? [] : [wrap(`  next: ${toText(hint)}`, layout.width, '    ')]),
    ...(shown.length === 0 ? [] : ['  the end of its console:', ...shown.map((line) => `  │ ${line}`)]),
  ].join('\n');
}

function renderList(title: string, items: readonly string[], { width }: Layout): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => wrap(`  ${item}`, width, '    '))].join('\n');
}

function formatProfiles({ bench, kernel, folder, files }: ReportModel['profiles'][number]): string {
  return `${bench} on ${kernel}, in ${folder}: ${files.map(({ name }) => name).join(', ')}`;
}

function styleOf(verdict: ComparisonVerdict): Style | null {
  switch (verdict) {
    case 'regression':
      return 'red';
    case 'improvement':
      return 'green';
    case 'inconclusive':
      return 'yellow';
    case 'unchanged':
      return 'dim';
    default:
      return null;
  }
}

function paintVerdict(verdict: GateVerdict, text: string, { paint }: Layout): string {
  return paint(verdict === 'pass' ? 'green' : verdict === 'inconclusive' ? 'yellow' : 'red', text);
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
