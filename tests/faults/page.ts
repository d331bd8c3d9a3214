// The measured sections of docs/reliability.md. Pure.

import { escapeText } from '../../src/report/markdown-escape.ts';
import type { FaultOutcome } from './fault.ts';
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

const faultHead =
  '| fault | what is done | stage | what bpfgate says | exit code | left, or wrong | s | MiB | others, MiB | measured |\n| - | - | - | - | -: | - | -: | -: | -: | - |';

/**
 * The table of faults with new rows in place of those with the same names.
 *
 * @param before the current section
 * @param names the names of all faults, in order; other rows are left out
 * @param date of the new rows
 */
export function renderFaults(
  before: string,
  outcomes: readonly FaultOutcome[],
  { names, date }: { readonly names: readonly string[]; readonly date: string },
): string {
  const rows = new Map<string, string>();
  for (const line of before.split('\n')) {
    const [, name] = /^\| ([\w-]+) \|.*\|$/.exec(line) ?? [];
    if (name !== undefined) rows.set(name, line);
  }
  for (const outcome of outcomes) rows.set(outcome.fault.name, renderFault(outcome, date));
  return [
    'Each row is made by `npm run test:faults -- --write` when it says.',
    '',
    faultHead,
    ...names.flatMap((name) => rows.get(name) ?? []),
  ].join('\n');
}

function renderFault(outcome: FaultOutcome, date: string): string {
  const { fault, code, message, left, problems, seconds, peakMiB, othersPeakMiB } = outcome;
  const wrong = [...left, ...problems.map((text) => text.split('\n')[0] ?? '')].join('; ');
  const cells = [
    fault.name,
    escapeText(fault.what),
    fault.stage,
    escapeText(message) || '–',
    String(code),
    escapeText(wrong) || 'nothing',
    seconds.toFixed(0),
    peakMiB.toFixed(0),
    othersPeakMiB.toFixed(0),
    date,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Renders the outcome of cutting the power at every step. */
export function renderPowerCuts({ steps, entries, unfinished, problems, seconds }: PowerCuts, when: string): string {
  return [
    `Made by \`npm run test:faults -- --power-cuts --write\`, ${when}, in ${seconds.toFixed(0)} s. Killed at each of ${steps} steps:`,
    `${entries} entries were there by then, each whole; ${unfinished} unfinished folders, each removed by the next run, which`,
    `then had every entry. Wrong: ${problems.length === 0 ? 'nothing' : escapeText(problems.join('; '))}.`,
  ].join('\n');
}

/** Renders the first, every tenth and the last gate of one process. @param states of at least two gates */
export function renderGates(states: readonly GateState[], when: string): string {
  const shown = states.filter(({ gate }) => gate === 1 || gate % 10 === 0 || gate === states.length);
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
