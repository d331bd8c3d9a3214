// Fuzzing: the printed table, and the summary in docs/fuzzing.md. Pure.

import { markdownTable } from 'markdown-table';
import type { Outcome } from './watch.ts';

/** The last outcome of a target, as `evidence/fuzz/outcomes.json` keeps it. */
export interface FuzzRecord {
  readonly name: string;
  readonly seconds: number;
  readonly executions: number;
  /** Share of inputs without an error. Null if unknown. */
  readonly acceptedPercent: number | null;
  readonly corpus: number;
  readonly branches: number;
  /** 0: below one second, because libFuzzer counts whole seconds. */
  readonly slowestMs: number;
  /** Largest growth of memory. */
  readonly largestMiB: number;
  readonly crashes: number;
  /** Such as `2026-11-22`. */
  readonly date: string;
}

export function recordOf(outcome: Outcome, date: string): FuzzRecord {
  const { name, seconds, executions, accepted, corpus, reached, slowestMs, largestHeap, findings } = outcome;
  return {
    name,
    seconds: Math.round(seconds),
    executions,
    acceptedPercent: accepted < 0 ? null : Math.round((100 * accepted) / Math.max(1, executions)),
    corpus,
    branches: reached,
    slowestMs: Math.round(slowestMs),
    largestMiB: Math.round((10 * largestHeap) / 1024 / 1024) / 10,
    crashes: findings.length,
    date,
  };
}

/** The table that is printed. */
export function renderTable(records: readonly FuzzRecord[]): string {
  const rows = records.map((record) => [
    `\`${record.name}\``,
    `${record.seconds} s`,
    formatCount(record.executions),
    record.acceptedPercent === null ? '–' : `${record.acceptedPercent} %`,
    formatCount(record.corpus),
    formatCount(record.branches),
    record.slowestMs === 0 ? '< 1 s' : `${record.slowestMs} ms`,
    `${record.largestMiB.toFixed(1)} MiB`,
    `${record.crashes}`,
  ]);
  const head = [
    'target',
    'ran for',
    'executions',
    'accepted',
    'corpus',
    'branches',
    'slowest input',
    'memory',
    'crashes',
  ];
  return markdownTable([head, ...rows], { align: ['l', ...head.slice(1).map(() => 'r')] });
}

/**
 * The summary in the page.
 *
 * @param targets the names of all targets
 */
export function renderSection(records: readonly FuzzRecord[], targets: readonly string[]): string {
  const sum = (of: (record: FuzzRecord) => number) => records.reduce((total, record) => total + of(record), 0);
  const dates = records.map(({ date }) => date).toSorted();
  const days = dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`;
  const crashed = records.filter(({ crashes }) => crashes > 0).map(({ name, crashes }) => `\`${name}\` ${crashes}`);
  const missing = targets.filter((target) => !records.some(({ name }) => name === target));
  const minutes = formatCount(Math.round(sum(({ seconds }) => seconds) / 60));
  return [
    `Made by \`npm run fuzz\`, ${days}: ${records.length} targets, ${minutes} minutes and`,
    `${formatCount(sum(({ executions }) => executions))} executions in all. Crashes: ${crashed.join(', ') || 'none'}.`,
    ...(missing.length === 0 ? [] : [`Not run yet: ${missing.map((name) => `\`${name}\``).join(', ')}.`]),
  ].join('\n');
}

function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
