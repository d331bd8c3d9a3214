// Report: what a table says of one benchmark on one kernel, the same words in every renderer.

import type { Cell, KernelColumn, Row } from './report-model.ts';

export interface CellText {
  /** `~`, `+28 (+17.5%)`, `added`. */
  readonly result: string;
  /** `160 → 188`; null where nothing changed. */
  readonly values: string | null;
}

export function toCellText(cell: Cell | null, kernel: KernelColumn): CellText {
  if (cell === null) return { result: kernel.failed ? 'failed' : '–', values: null };
  const values = `${cell.base ?? '–'} → ${cell.head ?? '–'}`;
  switch (cell.verdict) {
    case 'regression':
    case 'improvement':
      return { result: formatChange(cell), values };
    case 'unchanged':
      return { result: cell.differs ? `~ ${formatChange(cell)}` : '~', values: null };
    case 'inconclusive':
      return { result: '?', values };
    case 'added':
    case 'removed':
      return { result: cell.verdict, values };
  }
}

/** True for `instructions/run` of `bpf-instructions`: saying both would be saying it twice. */
export function tellsMeasure({ measure, unit }: Row): boolean {
  const [noun = ''] = unit.split('/');
  return noun !== '' && measure.includes(noun);
}

/** `bpf-instructions`, `latency (ns)`. */
export function formatMeasure(row: Row): string {
  return row.unit === '' || tellsMeasure(row) ? row.measure : `${row.measure} (${row.unit})`;
}

/** `+28 (+17.5%)`, or `+28` from a base of 0. */
export function formatChange({ delta, percent }: Cell): string {
  if (delta === null) return '';
  return percent === null || delta === '0' ? delta : `${delta} (${percent})`;
}

/** Says what the symbols mean that are in the table, and only those. */
export function explainSymbols(results: readonly string[]): string {
  const has = (symbol: string) => results.some((result) => result === symbol || result.startsWith(`${symbol} `));
  return [
    ...(has('~') ? ['~ unchanged'] : []),
    ...(results.some((result) => result.startsWith('~ ')) ? ['~ +n changed within its limit'] : []),
    ...(has('?') ? ['? cannot be decided'] : []),
    ...(has('–') ? ['– not measured'] : []),
  ].join(' · ');
}
