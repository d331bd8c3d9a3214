// Report: what the kernel's verifier and JIT made of each program of given objects, a table for each kernel. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { layOutColumns } from '../common/columns.ts';
import { groupBy } from '../common/group-by.ts';
import { formatNumber } from './numbers.ts';
import { countOf, toPlainLine, toPlainName } from './plain-text.ts';
import type { KernelResult, MeasurementRecord, Results } from './results.ts';
import { describeWarning, joinWarnings, noteMeasurements } from './warnings.ts';

type Measures = readonly MeasurementRecord[];

/** Columns, and the measures that they show; the verifier's states are no measure. */
const columns = {
  verified: 'verified-instructions',
  states: null,
  stack: 'stack-bytes',
  xlated: 'xlated-bytes',
  jited: 'jited-bytes',
  maps: 'map-bytes',
};
const maxReason = 600;
/** Number of lines of a verifier's log that are shown, the last. */
const maxLog = 5;

/** Renders head's programs as text. */
export function renderCounts(results: Results): string {
  const blocks = results.kernels.map((kernel) => `${renderKernel(kernel, results)}\n`);
  const runs = results.measurements.filter(({ revision, lane }) => revision === 'head' && lane === 'instructions');
  return `${blocks.join('')}verified: instructions that the verifier walked; states: those it remembered; the others: bytes\n${explainRuns(runs)}`;
}

/** Explains what the tables of runs have; empty without any. */
function explainRuns(runs: Measures): string {
  const explained = [
    runs.some(({ behavior }) => behavior !== null) &&
      "inputs: bpfgate's packets (packets/README.md) and contexts (docs/measurement.md), and those of [[input]]\n",
    groupBy(runs, ({ kernel, benchmark }) => `${kernel}/${programOf(benchmark)}`).some(takesOnePath) &&
      'all inputs: each took the same path: to see others, add packets by [[input]], or entries of maps by [[preset]]\n',
    runs.some(({ measure }) => measure === 'events') &&
      'events in calls: runs of the program while the process of the workload made that many system calls\n',
    runs.some(({ measure, exact }) => measure !== 'events' && !exact) &&
      '~: not exact: a mean of runs in readings that differ\n',
  ];
  return explained.filter(Boolean).join('');
}

/** Whether all of several inputs have the same count and return value. */
function takesOnePath([first, ...others]: Measures): boolean {
  return (
    others.length >= maxNamed &&
    others.every(({ value, behavior }) => value === first?.value && behavior?.returned === first.behavior?.returned)
  );
}

function renderKernel({ id, release, error, warnings }: KernelResult, { measurements, gaps }: Results): string {
  const own = measurements.filter(({ kernel, revision }) => kernel === id && revision === 'head');
  const programs = groupBy(
    own.filter(({ lane }) => lane === 'verifier'),
    ({ benchmark }) => benchmark,
  );
  const missing = gaps.filter(
    ({ kernel, revision, lane }) => kernel === id && revision === 'head' && lane === 'verifier',
  );
  const loaded = programs.filter((measures) => amountOf(measures, 'loads') === 1);
  const refused = programs.filter((measures) => amountOf(measures, 'loads') === 0);
  const parts = [
    `${countOf(loaded.length, 'program')} verified`,
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
    ...(missing.length > 0 ? [`${missing.length} not tried`] : []),
  ];
  const table = layOutColumns(
    [
      ['', ...Object.keys(columns)],
      ...loaded.map((measures) => [
        nameOf(measures),
        ...Object.values(columns).map((measure) => {
          const value = measure === null ? statesOf(measures) : amountOf(measures, measure);
          return value == null ? '' : formatNumber(value);
        }),
      ]),
    ],
    ['left', ...Object.keys(columns).map(() => 'right' as const)],
  );
  const noted = [...noteMeasurements(own), ...warnings.map((warning) => ({ ...warning, kernel: id }))];
  const lines = [
    ...(loaded.length > 0 ? table : []),
    ...refused.flatMap((measures) => [
      `${nameOf(measures)}: refused: ${reasonOf(measures)}`,
      ...logOf(measures).map((line) => `  │ ${line}`),
    ]),
    ...missing.map(({ benchmark, needs, reason }) => {
      const why = needs === null ? (reason ?? 'unsupported') : `needs kernel ${needs}`;
      return `${toPlainLine(benchmark)}: not tried: ${clip(why)}`;
    }),
    ...renderRuns(own.filter(({ lane }) => lane === 'instructions')),
    ...(error === null ? [] : [`error: ${clip(error.message)}`]),
    // There is only head.
    ...joinWarnings(noted.map((warning) => ({ ...warning, revision: undefined }))).map(
      (warning) => `warning: ${clip(toPlainName(describeWarning(warning)))}`,
    ),
  ];
  return `${toPlainLine(id)} (${toPlainLine(release)}): ${parts.join(', ')}\n${lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('')}`;
}

/** Number of inputs with one result that are named; of more, the rest is counted. */
export const maxNamed = 3;

/** Renders what a run of each program took: a line for each number of instructions and return value. */
function renderRuns(runs: Measures): string[] {
  const rows = groupBy(runs, ({ benchmark }) => programOf(benchmark)).flatMap((own) => {
    const runs = own.filter(({ measure }) => measure !== 'events');
    const groups = groupBy(runs, ({ value, behavior }) => JSON.stringify([value, behavior?.returned]));
    const most = Math.max(...groups.map((group) => group.length));
    const rest = most > maxNamed ? groups.find((group) => group.length === most) : undefined;
    const ordered = [...groups.filter((group) => group !== rest), ...(rest === undefined ? [] : [rest])];
    return ordered.map((group, index) => {
      const [{ benchmark, value, exact, behavior }] = group;
      const names = group.map((each) => inputName(each.benchmark));
      const which = group !== rest ? names.join(', ') : groups.length === 1 ? `all ${most} inputs` : `${most} others`;
      const events = own.find((each) => each.measure === 'events' && each.benchmark === benchmark)?.samples[0];
      const often = events === undefined ? '' : `: ${countOf(events.total, 'event')} in ${events.count} calls`;
      const name = index === 0 ? toPlainLine(programOf(benchmark)) : '';
      return [
        name,
        `${exact ? '' : '~'}${formatNumber(value)}`,
        toPlainLine(behavior?.returned ?? ''),
        `${which}${often}`,
      ];
    });
  });
  if (rows.length === 0) return [];
  return ['', 'instructions per run, and return value', ...layOutColumns(rows, ['left', 'right', 'left', 'left'])];
}

/** Name of the program that ran on an input. */
export function programOf(benchmark: string): string {
  return benchmark.slice(0, benchmark.lastIndexOf('/'));
}

/** Name of the input that a program ran on. */
export function inputName(benchmark: string): string {
  return benchmark.slice(programOf(benchmark).length + 1);
}

function nameOf([first]: Measures): string {
  return toPlainLine(first?.benchmark ?? '');
}

function amountOf(measures: Measures, wanted: string): number | undefined {
  return measures.find(({ measure }) => measure === wanted)?.value;
}

function statesOf(measures: Measures): number | null | undefined {
  return measures.find(({ verification }) => verification !== null)?.verification?.totalStates;
}

function refusalOf(measures: Measures): MeasurementRecord['refusal'] | undefined {
  return measures.find(({ measure }) => measure === 'loads')?.refusal;
}

function reasonOf(measures: Measures): string {
  const refusal = refusalOf(measures);
  return clip([refusal?.errno, refusal?.message].filter((part) => part != null).join(': '));
}

/** The end of the verifier's log without its statistics; empty where it says no more than the reason. */
function logOf(measures: Measures): string[] {
  const { log = [], message = '' } = refusalOf(measures) ?? {};
  const lines = log.filter((line) => !/^(?:processed \d+ insns|stack depth )/.test(line));
  return lines.every((line) => message.startsWith(line)) ? [] : lines.slice(-maxLog).map(clip);
}

function clip(text: string): string {
  return clipMiddle(toPlainLine(text), maxReason);
}
