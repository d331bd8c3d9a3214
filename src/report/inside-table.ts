// Report: where the instructions of programs' runs go, a table for each program and result. Pure.

import type { CallCount, InsideCount, InterruptionCount, LineCount, RunKind } from '../bench/inside.ts';
import { layOutColumns } from '../common/columns.ts';
import { groupBy } from '../common/group-by.ts';
import { inputName, maxNamed, programOf } from './count-table.ts';
import { formatNumber } from './numbers.ts';
import { toPlainLine } from './plain-text.ts';
import type { MeasurementRecord, Results } from './results.ts';

/** Number of rows of lines and calls that are shown, the most expensive. */
const maxRows = 20;

/** Renders the tables. */
export function renderInside(inside: readonly InsideCount[], { measurements }: Pick<Results, 'measurements'>): string {
  const counts = new Map(
    measurements
      .filter(({ revision, lane, measure }) => revision === 'head' && lane === 'instructions' && measure !== 'events')
      .map(({ kernel, benchmark, value, exact }) => [JSON.stringify([kernel, benchmark]), { value, exact }]),
  );
  const seen = inside.filter(({ lines }) => lines.length > 0);
  const blocks = groupBy(seen, ({ kernel, benchmark }) => JSON.stringify([kernel, programOf(benchmark)])).flatMap(
    (ofProgram) =>
      groupBy(ofProgram, ({ benchmark: _, code: __, kinds, ...found }) =>
        JSON.stringify([found, shownKinds(kinds)]),
      ).map((group) => {
        const differing = group.flatMap(({ kernel, benchmark, counted }) => {
          const record = counts.get(JSON.stringify([kernel, benchmark]));
          return record === undefined || Math.abs(record.value - counted) < 1e-6 ? [] : [{ benchmark, ...record }];
        });
        return renderGroup(group, differing);
      }),
  );
  const unseen = groupBy(
    inside.filter(({ lines }) => lines.length === 0),
    ({ kernel, reason }) => JSON.stringify([kernel, reason]),
  ).map((group) => {
    const names = [...new Set(group.map(({ benchmark }) => toPlainLine(programOf(benchmark))))];
    return `not seen inside, ${toPlainLine(group[0].kernel)}: ${names.join(', ')}: ${group[0].reason}\n`;
  });
  return [...(blocks.length === 0 ? ['not seen inside: no program ran on an input\n'] : blocks), ...unseen].join('\n');
}

/** Whether the instructions of all programs that were seen add up to the kernel's count. */
export function addsUp(inside: readonly InsideCount[]): boolean {
  return inside.every(({ lines, reason, rest }) => lines.length === 0 || (reason === null && rest === 0));
}

/** @param differing what the boot of record counted, where that is something else */
function renderGroup(
  group: readonly [InsideCount, ...InsideCount[]],
  differing: readonly Pick<MeasurementRecord, 'benchmark' | 'value' | 'exact'>[],
): string {
  const [{ kernel, benchmark, reason, counted, lines, calls, interruptions, empty, rest }] = group;
  const names = group.map((each) => toPlainLine(inputName(each.benchmark)));
  const inputs =
    names.length > maxNamed
      ? `${names.slice(0, maxNamed - 1).join(', ')} and ${names.length - maxNamed + 1} other inputs`
      : names.join(', ');
  const title = `${toPlainLine(programOf(benchmark))} on ${inputs}, ${toPlainLine(kernel)}`;
  // One decimal shows all, as there are ten runs (vm/agent/src/inputs.rs).
  const amounts = [counted, ...[...lines, ...calls, ...interruptions].map(({ instructions }) => instructions)];
  const numbers = [...calls.map((each) => each.calls), ...interruptions.map(({ times }) => times)];
  const decimals = [...amounts, ...numbers].every(Number.isInteger) ? 0 : 1;
  const toText = (value: number) => formatNumber(value, decimals);
  const all = [
    ...lines.map(toLineRow),
    ...calls.map((call) => toCallRow(call, toText)),
    ...interruptions.map((each) => toInterruptionRow(each, toText)),
  ].toSorted((a, b) => b.amount - a.amount);
  const further = all.slice(maxRows);
  const rows = [
    ...all.slice(0, maxRows),
    ...(further.length === 0
      ? []
      : [{ amount: further.reduce((sum, { amount }) => sum + amount, 0), where: `${further.length} others` }]),
    ...(empty === null ? [] : [{ amount: -empty, where: 'an empty program, which does not count' }]),
    ...(rest === 0 ? [] : [{ amount: rest, where: 'not seen: it does not add up' }]),
  ];
  const table = layOutColumns(
    [['instructions', 'where'], ...rows.map(({ amount, where }) => [toText(amount), where])],
    ['right', 'left'],
  );
  const warnings = [
    ...(reason === null ? [] : [reason]),
    ...differing.map(
      ({ benchmark: own, value, exact }) =>
        `${toPlainLine(own)}: the boot of record counted ${exact ? '' : '~'}${formatNumber(value)}`,
    ),
  ];
  return [
    `${title}: ${toText(counted)} instructions a run`,
    ...[...table, ...renderKinds(group[0]), ...warnings.map((warning) => `warning: ${warning}`)].map(
      (line) => `  ${line}`,
    ),
  ]
    .join('\n')
    .concat('\n');
}

function toLineRow({ file, line, instructions }: LineCount) {
  return { amount: instructions, where: file === null ? 'code without a known line' : toPlainLine(`${file}:${line}`) };
}

function toCallRow(
  { way, name, calls, instructions, least, most, frequent }: CallCount,
  toText: (value: number) => string,
) {
  const times = `${Number.isInteger(calls) ? formatNumber(calls) : toText(calls)} ${way}${calls === 1 ? '' : 's'}`;
  return { amount: instructions, where: `${toPlainLine(name)}, ${times} of ${toRange({ least, most, frequent })}` };
}

function toInterruptionRow({ name, times, instructions }: InterruptionCount, toText: (value: number) => string) {
  const what =
    name === null ? 'other threads' : name === pageFault ? 'page faults' : `interrupts by ${toPlainLine(name)}`;
  return { amount: instructions, where: `${what}, ${toText(times)} a run` };
}

/** Where the kernel's page faults enter it. */
const pageFault = 'asm_exc_page_fault';

function toRange({ least, most, frequent }: Pick<CallCount, 'least' | 'most' | 'frequent'>): string {
  return `${formatNumber(frequent)}${least === most ? '' : ` (${formatNumber(least)} to ${formatNumber(most)})`}`;
}

/** One kind of run has nothing to show that the table does not say. */
function shownKinds(kinds: readonly RunKind[]): readonly RunKind[] {
  return kinds.length < 2 ? [] : kinds;
}

function renderKinds({ kinds: all, otherKinds }: InsideCount): string[] {
  const kinds = shownKinds(all);
  if (kinds.length === 0) return [];
  const shown = kinds.slice(0, maxRows);
  const further = kinds.slice(maxRows).reduce((sum, { runs }) => sum + runs, otherKinds);
  const rows = [
    ...shown.map((kind) => [formatNumber(kind.runs), toRange(kind), formatNumber(kind.own), describeKind(kind)]),
    ...(further === 0 ? [] : [[formatNumber(further), '', '', 'other kinds']]),
  ];
  return layOutColumns([['runs', 'instructions', 'own', 'kind of run'], ...rows], ['right', 'right', 'right', 'left']);
}

function describeKind({ callback, calls }: RunKind): string {
  const made = calls.map(({ way, name, calls: times }) => {
    const several = times === 1 ? '' : `${formatNumber(times)} ${way === 'call' ? 'calls' : 'jumps'} of `;
    return `${several}${toPlainLine(name)}`;
  });
  const what = made.length === 0 ? 'no calls' : made.join(', ');
  return callback === null ? what : `${toPlainLine(callback)}, called by the kernel: ${what}`;
}
