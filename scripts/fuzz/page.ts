// Fuzzing: the table of docs/fuzzing.md, which is also printed. Pure.

import { markdownTable } from 'markdown-table';
import type { Outcome } from './watch.ts';

/** A row as it appears in the table. */
export interface FuzzRow {
  readonly name: string;
  readonly cells: readonly string[];
}

const head = [
  'target',
  'ran for',
  'executions',
  'per second',
  'accepted',
  'corpus',
  'branches',
  'slowest input',
  'largest growth of memory',
  'crashes',
  'date',
];

/** @param date such as `2026-11-22` */
export function rowOf(outcome: Outcome, date: string): FuzzRow {
  const { name, seconds, executions, accepted, corpus, reached, slowestMs, largestHeap, findings } = outcome;
  const unknown = (value: number, text: string) => (value < 0 ? '–' : text);
  return {
    name,
    cells: [
      `${Math.round(seconds)} s`,
      formatCount(executions),
      formatCount(Math.round(executions / seconds)),
      unknown(accepted, `${Math.round((100 * accepted) / Math.max(1, executions))} %`),
      formatCount(corpus),
      formatCount(reached),
      formatTime(slowestMs),
      `${(largestHeap / 1024 / 1024).toFixed(1)} MiB`,
      String(findings.length),
      date,
    ],
  };
}

export function renderSection(rows: readonly FuzzRow[], command: string): string {
  const table = markdownTable([head, ...rows.map(({ name, cells }) => [`\`${name}\``, ...cells])], {
    align: ['l', ...Array.from({ length: head.length - 2 }, () => 'r'), 'l'],
  });
  return `Made by \`${command}\`; where a date differs, by an earlier one for that target alone.\n\n${table}`;
}

/** Reads the rows of a page's table. */
export function readSection(page: string): FuzzRow[] {
  return page.split('\n').flatMap((line): FuzzRow[] => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [, inner] = /^`([a-z-]+)`$/.exec(name) ?? [];
    return inner === undefined || cells.length !== head.length - 1 ? [] : [{ name: inner, cells }];
  });
}

/** Formats milliseconds; 0 is below one second, because libFuzzer counts whole seconds. */
function formatTime(ms: number): string {
  if (ms === 0) return '< 1 s';
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
