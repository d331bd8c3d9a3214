// Faults: the tables of docs/reliability.md. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import type { EvidenceRecord, Row, Tables } from '../record.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import type { PowerCuts } from './power-cut.ts';

/** The state of a process after one of its gates. */
export interface GateState {
  /** 1-based. */
  readonly gate: number;
  readonly verdict: string;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly openFiles: number;
  readonly temporaryEntries: number;
  readonly cacheEntries: number;
  readonly warnings: readonly string[];
}

/** The last outcome of a fault. */
export interface FaultRecord {
  readonly name: string;
  readonly code: number | null;
  /** What bpfgate said, or an empty text. */
  readonly message: string;
  /** What was left or not as required, a line each. */
  readonly wrong: readonly string[];
  /** Time of the gate, with boot, builds and time limit. */
  readonly seconds: number;
  /** Peak memory of bpfgate's own process. */
  readonly peakMiB: number;
  /** Peak memory of the processes that it started, except QEMU. Null if it was not measured. */
  readonly othersPeakMiB: number | null;
  /** UTC, such as `2026-11-22 09:53 UTC`. */
  readonly measured: string;
}

export interface FaultsRecord extends EvidenceRecord {
  /** One for each fault of the suite. */
  readonly outcomes: readonly FaultRecord[];
}

/** @param measured date and time of the record */
export function recordOf(outcome: FaultOutcome, measured: string): FaultRecord {
  const { fault, code, message, left, problems, seconds, peakMiB, othersPeakMiB } = outcome;
  return {
    name: fault.name,
    code,
    message,
    wrong: [...left, ...problems.map((text) => text.split('\n')[0] ?? '')],
    seconds: Math.round(seconds),
    peakMiB: Math.round(peakMiB),
    othersPeakMiB: Math.round(othersPeakMiB),
    measured,
  };
}

/** Joins records into one for each fault, in the order of the faults; a later record replaces an earlier one. */
export function mergeRecords(
  records: readonly FaultRecord[],
  faults: readonly Pick<Fault, 'name'>[],
): readonly FaultRecord[] {
  const byName = new Map(records.map((record) => [record.name, record]));
  return faults.flatMap(({ name }) => byName.get(name) ?? []);
}

/** The record of the faults' last outcomes. Those with one outcome share a row of its table. */
export function faultsRecord(outcomes: readonly FaultRecord[], faults: readonly Fault[], commit: string): FaultsRecord {
  const dates = outcomes.map(({ measured }) => measured.slice(0, 10)).toSorted();
  const injected = outcomes.filter(({ name }) => name !== 'no-fault');
  const rows = groupBy(injected, ({ message, code, wrong }) => JSON.stringify([shorten(message), code, wrong]));
  const byMemory = outcomes.toSorted((a, b) => b.peakMiB - a.peakMiB);
  return {
    command: 'npm run test:faults -- --write',
    time: `${dates[0]} to ${dates.at(-1)}`,
    commit,
    tables: {
      faults: rows.map((row) => rowOf(row, faults)),
      memory: [...byMemory.slice(0, 1), ...outcomes.filter(({ name }) => name === 'no-fault')].map((outcome) => ({
        fault: outcome.name,
        'memory of bpfgate, MiB': outcome.peakMiB,
      })),
    },
    outcomes,
  };
}

function rowOf(outcomes: readonly FaultRecord[], faults: readonly Fault[]): Row {
  const own = faults.filter(({ name }) => outcomes.some((outcome) => outcome.name === name));
  const moments = [...new Set(own.flatMap(({ moment }) => moment ?? []))];
  const whats = own
    .filter(({ moment }) => moment === undefined)
    .map(({ what }) => what.replace(/; `--timeout \d+`$/, ''));
  const [first] = outcomes;
  const wrong = first === undefined || first.wrong.length === 0 ? '' : ` WRONG: ${first.wrong.join('; ')}`;
  return {
    'what bpfgate says': `${shorten(first?.message ?? '') || '–'}${wrong}`,
    'exit code': String(first?.code),
    when: [...whats, ...(moments.length === 0 ? [] : [`a signal comes during ${moments.join(', ')}`])].join('; '),
    faults: own.map(({ name }) => name).join(', '),
  };
}

/** Leaves out what every message names: kernel, bench, revision and reading; and the paths of cache entries. */
function shorten(message: string): string {
  return message
    .replace(/, in bench `trouble`.*$/, '')
    .replace(/its \d+ s /, 'its time limit ')
    .replace(/ on head, kernel \S+, reading 1.*$/, '')
    .replace(/^warning: [\d.]+: /, 'warning: ')
    .replace(/ of kernel [\d.]+/g, '')
    .replace(/, copyfile .*$/, '')
    .replace(/`git (\S+) [^`]*`/, '`git $1`')
    .replace(/\/[0-9a-f]{64}\//, '/…/');
}

export function powerCutTables({ steps, entries, unfinished, problems, seconds }: PowerCuts): Tables {
  return {
    cuts: [
      {
        'steps killed at': steps,
        'whole entries found': entries,
        'unfinished folders, removed by the next run': unfinished,
        wrong: problems.join('; ') || 'nothing',
        seconds: Math.round(seconds),
      },
    ],
  };
}

/** Rows for the first, the tenth and the last gate of one process. @param states of at least two gates */
export function gateTables(states: readonly GateState[]): Tables {
  const shown = states.filter(({ gate }) => gate === 1 || gate === 10 || gate === states.length);
  const gates = shown.map((state) => ({
    gate: state.gate,
    verdict: state.verdict,
    'resident, MiB': state.rssMiB.toFixed(0),
    'JavaScript heap, MiB': state.heapMiB.toFixed(1),
    'open files': state.openFiles,
    'in TMPDIR': state.temporaryEntries,
    'in the cache': state.cacheEntries,
  }));
  return { gates };
}

/** Lists what has grown from the tenth gate (the last but one of fewer) to the last, in words; must be empty. */
export function findGrowth(states: readonly GateState[]): string[] {
  const from = states[Math.min(9, states.length - 2)];
  const to = states.at(-1);
  if (from === undefined || to === undefined) return ['there are not two gates to compare'];
  const grown: string[] = [];
  // Allocator fragmentation comes and goes. A leak of what a gate holds would be some MiB each time.
  if (to.rssMiB > from.rssMiB * 1.2 + 10) grown.push(`resident memory: ${from.rssMiB} to ${to.rssMiB} MiB`);
  if (to.heapMiB > from.heapMiB + 5) grown.push(`heap: ${from.heapMiB} to ${to.heapMiB} MiB`);
  if (to.openFiles > from.openFiles) grown.push(`open files: ${from.openFiles} to ${to.openFiles}`);
  if (to.temporaryEntries > 0) grown.push(`${to.temporaryEntries} entries in TMPDIR`);
  if (to.cacheEntries > from.cacheEntries) grown.push(`cache: ${from.cacheEntries} to ${to.cacheEntries} entries`);
  for (const { gate, verdict, warnings } of states) {
    if (verdict !== 'pass') grown.push(`gate ${gate}: ${verdict}`);
    for (const warning of warnings) grown.push(`gate ${gate}: ${warning}`);
  }
  return grown;
}
