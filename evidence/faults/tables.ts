// The measured sections of docs/reliability.md. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import { escapeText } from '../../src/report/markdown-escape.ts';
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

/** The last outcome of a fault, as `evidence/faults/outcomes.json` keeps it. */
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

/** The table of faults. Interruptions with one outcome share a row. */
export function renderFaults(records: readonly FaultRecord[], faults: readonly Fault[]): string {
  const dates = records.map(({ measured }) => measured.slice(0, 10)).toSorted();
  const largest = records.toSorted((a, b) => b.peakMiB - a.peakMiB)[0];
  const without = records.find(({ name }) => name === 'no-fault');
  const injected = records.filter(({ name }) => name !== 'no-fault');
  const rows = groupBy(injected, (record) => {
    const moment = faults.find(({ name }) => name === record.name)?.moment;
    return moment === undefined ? record.name : JSON.stringify([record.message, record.code, record.wrong]);
  });
  return [
    `Made by \`npm run test:faults -- --write\`, each row by its last run (${dates[0]} to ${dates.at(-1)}).`,
    '',
    '| fault | what is done | what bpfgate says | exit code |',
    '| - | - | - | -: |',
    ...rows.map((row) => renderRow(row, faults)),
    '',
    `Most memory of bpfgate's own process: ${largest?.peakMiB} MiB (\`${largest?.name}\`); without a fault ${without?.peakMiB ?? '–'} MiB.`,
  ].join('\n');
}

function renderRow(records: readonly FaultRecord[], faults: readonly Fault[]): string {
  const own = faults.filter(({ name }) => records.some((record) => record.name === name));
  const moments = [...new Set(own.flatMap(({ moment }) => moment ?? []))];
  const [first] = records;
  const wrong =
    first === undefined || first.wrong.length === 0 ? '' : ` **Wrong: ${escapeText(first.wrong.join('; '))}**`;
  const cells = [
    own.length === 1 ? own[0]?.name : '`sigint-during-…`, `sigterm-during-…`',
    own.length === 1 ? escapeText(own[0]?.what ?? '') : `a signal comes during ${moments.join(', ')}`,
    `${escapeText(shorten(first?.message ?? '')) || '–'}${wrong}`,
    String(first?.code),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Leaves out what every message names: kernel, bench, revision and reading; and the paths of cache entries. */
function shorten(message: string): string {
  return message
    .replace(/, in bench `trouble`.*$/, '')
    .replace(/ on head, kernel \S+, reading 1.*$/, '')
    .replace(/^warning: [\d.]+: /, 'warning: ')
    .replace(/ of kernel [\d.]+/g, '')
    .replace(/, copyfile .*$/, '')
    .replace(/`git (\S+) [^`]*`/, '`git $1`')
    .replace(/\/[0-9a-f]{64}\//, '/…/');
}

/** Renders the outcome of cutting the power at every step. */
export function renderPowerCuts({ steps, entries, unfinished, problems, seconds }: PowerCuts, when: string): string {
  return [
    `Made by \`npm run test:faults -- --power-cuts --write\`, ${when}, in ${seconds.toFixed(0)} s. Killed at each of ${steps} steps:`,
    `${entries} entries were there, each whole, and ${unfinished} unfinished folders, each removed by the next run, which then`,
    `had every entry. Wrong: ${problems.length === 0 ? 'nothing' : escapeText(problems.join('; '))}.`,
  ].join('\n');
}

/** Renders the first, the tenth and the last gate of one process. @param states of at least two gates */
export function renderGates(states: readonly GateState[], when: string): string {
  const shown = states.filter(({ gate }) => gate === 1 || gate === 10 || gate === states.length);
  const row = (state: GateState) =>
    [state.gate, state.verdict, state.rssMiB.toFixed(0), state.heapMiB.toFixed(1), state.openFiles].join(' | ');
  return [
    `Made by \`npm run test:faults -- --gates ${states.length} --write\`, ${when}.`,
    '',
    '| gate | verdict | resident, MiB | JavaScript heap, MiB | open files | in TMPDIR | in the cache |',
    '| -: | - | -: | -: | -: | -: | -: |',
    ...shown.map((state) => `| ${row(state)} | ${state.temporaryEntries} | ${state.cacheEntries} |`),
  ].join('\n');
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
