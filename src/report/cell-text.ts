// Report: the text of a table's cell, one benchmark on one kernel, in the same words in every renderer.

import { namesUnit } from '../bench/measurement.ts';
import { ownerOf } from './findings.ts';
import { type Cell, isLoads, type KernelColumn, type KernelGap, type Row } from './row.ts';

export interface CellText {
  /** `~`, `+28 (+17.5%)`, `added`, `needs 5.18`. */
  readonly result: string;
  /** `160 → 188`, and the range of the true delta if that is not exact; null where nothing changed. */
  readonly values: string | null;
}

/** @param index the kernel's index in the model */
export function toCellText(row: Row, index: number, kernel: KernelColumn): CellText {
  const cell = row.cells[index] ?? null;
  const gap = row.gaps[index] ?? null;
  if (cell === null) {
    return { result: gap !== null ? formatGap(gap) : hasFailed(row, kernel) ? 'failed' : '–', values: null };
  }
  if (isLoads(row)) return { result: describeLoads(cell), values: cell.verdict === 'added' ? cell.head : null };
  const range = cell.interval === null || cell.interval === 'exact' ? '' : ` (${cell.interval})`;
  const values = `${cell.base ?? '–'} → ${cell.head ?? '–'}${range}`;
  switch (cell.verdict) {
    case 'regression':
    case 'improvement':
      return { result: formatChange(cell), values };
    case 'unchanged':
      return { result: cell.differs ? `~ ${formatChange(cell)}` : withSpread('~', cell), values: null };
    case 'inconclusive':
      return { result: withSpread('?', cell), values };
    case 'added':
    case 'removed':
      return { result: cell.verdict, values };
  }
}

/** Whether a row has no value on a kernel since its bench, or all of the kernel, failed there. */
function hasFailed({ lane, benchmark }: Row, { failedBenches }: KernelColumn): boolean {
  return failedBenches === 'all' || (lane !== 'verifier' && failedBenches.includes(ownerOf(benchmark)));
}

/** `~ ±1%` where the values vary on their own by more than they differ. */
function withSpread(symbol: '~' | '?', { spread }: Cell): string {
  return spread === null ? symbol : `${symbol} ${spread}`;
}

function describeLoads({ verdict, head }: Cell): string {
  if (verdict === 'regression') return 'no longer loads';
  if (verdict === 'improvement') return 'now loads';
  if (verdict === 'unchanged') return head === 'loads' ? '~' : 'does not load';
  return verdict === 'inconclusive' ? '?' : verdict;
}

/** `needs 5.18`, or `needs 5.15 → 5.18` where head needs another kernel than base. */
function formatGap({ base, head }: KernelGap): string {
  const needs = base === null || head === null || base === head ? (head ?? base) : `${base} → ${head}`;
  return `needs ${needs}`;
}

/** `bpf-instructions`, `latency (instructions)`. */
function formatMeasure(row: Row): string {
  return namesUnit(row) ? row.measure : `${row.measure} (${row.unit})`;
}

/** The first measure of a finding on what ran it, its other rows, and what is in no finding. */
export type TableKind = 'lead' | 'rest' | 'unchanged';

/** Heads of a table's columns in front of the kernels: the name, and the measure where rows differ in it. */
export function headsOf(kind: TableKind, [first]: readonly Row[]): readonly string[] {
  if (kind === 'lead') return first === undefined ? [] : [`${formatMeasure(first)}, limit ${first.limit}`];
  return ['benchmark', kind === 'rest' ? 'measure, limit' : 'measure'];
}

/** The cells between the name and the kernels. */
export function measureCells(kind: TableKind, row: Row): readonly string[] {
  return kind === 'lead' ? [] : [`${formatMeasure(row)}${kind === 'rest' ? `, ${row.limit}` : ''}`];
}

/** `+28 (+17.5%)`, or `+28` from a base of 0, or `head needs 5.18`. */
export function formatChange({ delta, percent, needs }: Cell): string {
  if (needs !== null) return `${needs.side} needs ${needs.kernel}`;
  if (delta === null) return '';
  return percent === null || delta === '0' ? delta : `${delta} (${percent})`;
}

/** Explains the symbols that are in the table, and only those. */
export function explainSymbols(rows: readonly Row[], kernels: readonly KernelColumn[]): string {
  return explainTexts(rows.flatMap((row) => kernels.map((kernel, index) => toCellText(row, index, kernel))));
}

/** Explanations of symbols, by the part of a cell that has them. */
const explanations: readonly (readonly [part: keyof CellText, pattern: RegExp, text: string])[] = [
  ['result', /^~( |$)/, '~ unchanged'],
  ['result', /^~ ±/, '~ ±n differs by less than it varies on its own'],
  ['result', /^~ [^±]/, '~ +n changed within its limit'],
  ['result', /^\?( |$)/, '? cannot be decided'],
  ['result', /^\? ±/, '? ±n varies by so much on its own'],
  ['result', /^–( |$)/, '– not measured'],
  ['values', /\)$/, '(a to b) confidence interval of the change'],
  ['result', /^needs( |$)/, 'needs n runs from kernel n on'],
];

/** Explains the symbols in the texts of cells, of which a narrow table shows only a part. */
export function explainTexts(cells: readonly CellText[]): string {
  const found = explanations.filter(([part, pattern]) => cells.some((cell) => pattern.test(cell[part] ?? '')));
  return found.map(([, , text]) => text).join(' · ');
}
