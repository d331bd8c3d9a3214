// Export: the CSV of veristat, https://github.com/libbpf/veristat, with the columns that `veristat -o csv` has by
// default in Linux 6.12. Later versions print more columns after these, and read files without them.

import type { Verification } from '../bench/measurement.ts';
import { InputError } from '../common/errors.ts';
import { compare } from '../common/order.ts';
import type { RevisionName } from '../model/build.ts';
import { toPlainLine } from '../report/plain-text.ts';
import type { KernelResult, Results } from '../report/results.ts';

/** A program of one revision on one kernel. */
interface Row {
  readonly file: string;
  readonly program: string;
  /** Those of `valueColumns`, in that order. */
  readonly cells: readonly Cell[];
}

type Cell = string | number;

const numbers: readonly (readonly [column: string, key: keyof Verification])[] = [
  ['duration', 'timeUs'],
  ['total_insns', 'instructions'],
  ['total_states', 'totalStates'],
  ['peak_states', 'peakStates'],
  ['max_states_per_insn', 'maxStatesPerInstruction'],
  ['max_mark_read_len', 'markRead'],
];
const keyColumns = ['file_name', 'prog_name'];
const valueColumns = ['verdict', ...numbers.map(([column]) => column)];

/**
 * Exports a row for each program of one revision, as `veristat -o csv` prints it. Where several kernels are in the
 * results, their ids come in a first column `kernel`, which veristat does not have.
 *
 * @throws InputError when the verifier lane has not measured the revision
 */
export function exportVeristat(results: Results, revision: RevisionName = 'head'): string {
  if (hasRows(results, revision)) return formatRows(results, revision);
  throw new InputError(`the result file holds no program of ${revision} from the verifier lane`, {
    hint: 'give the results.json of a run with `verifier` among its lanes',
  });
}

/** Formats what `veristat -C -o csv` prints of base and head, or head's rows as they are where base has none. */
export function renderVeristat(results: Results): string {
  return hasRows(results, 'base') ? formatPairs(results) : formatRows(results, 'head');
}

function hasRows(results: Results, revision: RevisionName): boolean {
  return results.kernels.some((kernel) => listRows(results, kernel, revision).length > 0);
}

function formatRows(results: Results, revision: RevisionName): string {
  return formatTable(results, valueColumns, (kernel) =>
    listRows(results, kernel, revision).map((row) => [...keysOf(row), ...row.cells]),
  );
}

function formatPairs(results: Results): string {
  const columns = valueColumns.flatMap((column) => [`${column}_base`, `${column}_comp`, `${column}_diff`]);
  return formatTable(results, columns, (kernel) =>
    joinRows(listRows(results, kernel, 'base'), listRows(results, kernel, 'head')).map(([base, head]) => {
      const cells = valueColumns.flatMap((_, index) => {
        const [from, to] = [base?.cells[index] ?? 'N/A', head?.cells[index] ?? 'N/A'];
        return [from, to, formatDifference(from, to)];
      });
      return [...keysOf(base ?? head), ...cells];
    }),
  );
}

function formatTable(
  { kernels }: Results,
  columns: readonly string[],
  rowsOf: (kernel: KernelResult) => readonly (readonly Cell[])[],
): string {
  const isSingle = kernels.length <= 1;
  const lines = [
    [...(isSingle ? [] : ['kernel']), ...keyColumns, ...columns],
    ...kernels.flatMap((kernel) => rowsOf(kernel).map((row) => [...(isSingle ? [] : [toField(kernel.id)]), ...row])),
  ];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}

/** Lists the programs of a revision in veristat's order. One that could not be tried failed with zeros, as there. */
function listRows({ measurements, gaps }: Results, kernel: KernelResult, revision: RevisionName): Row[] {
  const files = new Map(Object.entries(kernel.objects));
  const toRow = (name: string, isLoaded: boolean, verification: Verification | null): Row => {
    const slash = name.indexOf('/');
    const object = name.slice(0, slash);
    const path = files.get(object) ?? `${object}.bpf.o`;
    return {
      file: path.slice(path.lastIndexOf('/') + 1),
      program: name.slice(slash + 1),
      cells: [isLoaded ? 'success' : 'failure', ...numbers.map(([, key]) => verification?.[key] ?? 0)],
    };
  };
  const isOwn = (each: Pick<Results['gaps'][number], 'kernel' | 'lane' | 'revision'>) =>
    each.kernel === kernel.id && each.lane === 'verifier' && each.revision === revision;
  const tried = measurements.filter((each) => isOwn(each) && each.measure === 'loads');
  // Of an object that could not be read, neither knows the programs.
  const untried = gaps.filter((each) => isOwn(each) && !each.benchmark.endsWith('/*'));
  return [
    ...tried.map((each) => toRow(each.renamedFrom ?? each.benchmark, each.value === 1, each.verification)),
    ...untried.map(({ benchmark }) => toRow(benchmark, false, null)),
  ].sort(compareRows);
}

function compareRows(a: Row, b: Row): number {
  return compare(a.file, b.file) || compare(a.program, b.program);
}

/** Joins sorted rows by file and program. A renamed program is two rows, since veristat knows names only. */
function joinRows(base: readonly Row[], head: readonly Row[]): [base: Row | undefined, head: Row | undefined][] {
  const pairs: [Row | undefined, Row | undefined][] = [];
  for (let [b, h] = [0, 0]; b < base.length || h < head.length; ) {
    const [from, to] = [base[b], head[h]];
    const order = from === undefined ? 1 : to === undefined ? -1 : compareRows(from, to);
    pairs.push([order <= 0 ? from : undefined, order >= 0 ? to : undefined]);
    if (order <= 0) b += 1;
    if (order >= 0) h += 1;
  }
  return pairs;
}

function keysOf(row: Row | undefined): Cell[] {
  return [toField(row?.file ?? ''), toField(row?.program ?? '')];
}

/** `MATCH`, `+12 (+3.50%)`; `N/A` where a side has no row. */
function formatDifference(base: Cell, head: Cell): string {
  if (base === 'N/A' || head === 'N/A') return 'N/A';
  if (typeof base === 'string' || typeof head === 'string') return base === head ? 'MATCH' : 'MISMATCH';
  const delta = head - base;
  const percent = base === 0 ? 100 * Math.sign(delta) : (delta * 100) / base;
  const sign = delta < 0 ? '-' : '+';
  return `${sign}${Math.abs(delta)} (${sign}${formatHundredths(Math.abs(percent))}%)`;
}

/** Rounds as C does, which takes the even digit where two are equally near. */
function formatHundredths(value: number): string {
  const isRoundedUp = (value * 8) % 4 === 1;
  return (isRoundedUp ? value - 0.005 : value).toFixed(2);
}

/** Quotes a name that has a comma or a quote. veristat does not, so that its own row has a column too many. */
function toField(name: string): string {
  const plain = toPlainLine(name);
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
