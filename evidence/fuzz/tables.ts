// Fuzzing: the record of the targets' outcomes. Pure.

import { formatNumber } from '../../src/report/numbers.ts';
import type { EvidenceRecord, Row } from '../record.ts';
import type { Outcome } from './watch.ts';

/** The last outcome of a target. */
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

export interface FuzzOutcomes extends EvidenceRecord {
  readonly outcomes: readonly FuzzRecord[];
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

/**
 * The record of the targets' last outcomes.
 *
 * @param targets the names of all targets
 */
export function fuzzRecord(outcomes: readonly FuzzRecord[], targets: readonly string[], commit: string): FuzzOutcomes {
  const sum = (of: (outcome: FuzzRecord) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const dates = outcomes.map(({ date }) => date).toSorted();
  return {
    command: 'npm run fuzz -- --write',
    time: dates[0] === dates.at(-1) ? `${dates[0]}` : `${dates[0]} to ${dates.at(-1)}`,
    commit,
    tables: {
      totals: [
        {
          targets: outcomes.length,
          minutes: Math.round(sum(({ seconds }) => seconds) / 60),
          executions: formatNumber(sum(({ executions }) => executions)),
          crashes: sum(({ crashes }) => crashes),
          'not run yet': targets.filter((target) => !outcomes.some(({ name }) => name === target)).join(', ') || 'none',
        },
      ],
    },
    outcomes,
  };
}

/** A row of the printed table. */
export function targetRow(outcome: FuzzRecord): Row {
  return {
    target: outcome.name,
    'ran for': `${outcome.seconds} s`,
    executions: formatNumber(outcome.executions),
    accepted: outcome.acceptedPercent === null ? '–' : `${outcome.acceptedPercent} %`,
    corpus: formatNumber(outcome.corpus),
    branches: formatNumber(outcome.branches),
    'slowest input': outcome.slowestMs === 0 ? '< 1 s' : `${outcome.slowestMs} ms`,
    memory: `${outcome.largestMiB.toFixed(1)} MiB`,
    crashes: outcome.crashes,
  };
}
