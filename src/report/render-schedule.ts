// Report: draws the schedule of a run as text. Pure.

import { toPlainText } from './plain-text.ts';

/** A part of a run, in milliseconds since the process started. */
export interface Part {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Schedule {
  readonly parts: readonly Part[];
  readonly totalMs: number;
  /** Share of the time that each processor of this machine was idle, from 0 to 1, whatever ran on it. */
  readonly idle: readonly number[];
}

/** Shorter parts are not drawn. */
const shortestMs = 100;
const longestName = 32;
/** Columns of the numbers behind the bars. */
const numbers = 10;

/** @param width columns */
export function renderSchedule({ parts, totalMs, idle }: Schedule, width: number): string {
  const drawn = parts.filter(({ startMs, endMs }) => endMs - startMs >= shortestMs);
  const nameOf = ({ name }: { readonly name: string }) => toPlainText(name).slice(0, longestName);
  const names = Math.max(0, ...drawn.map((part) => nameOf(part).length));
  const columns = Math.max(10, width - names - numbers - 2);
  const columnOf = (ms: number) => Math.round((ms / Math.max(1, totalMs)) * columns);
  const rows = drawn.map((part) => {
    const from = Math.min(columnOf(part.startMs), columns - 1);
    const bar = `${' '.repeat(from)}${'#'.repeat(Math.max(1, columnOf(part.endMs) - from))}`;
    return `  ${nameOf(part).padEnd(names)} ${bar.padEnd(columns)}${seconds(part.endMs - part.startMs)}`;
  });
  const shares = idle.map((share, index) => `processor ${index} ${Math.round(share * 100)} %`);
  return [...rows, `  ${'total'.padEnd(names + 1 + columns)}${seconds(totalMs)}`, `  idle: ${shares.join(', ')}`].join(
    '\n',
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(numbers - 1);
}
