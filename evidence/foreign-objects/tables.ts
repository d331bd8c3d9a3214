// Foreign objects: third-party objects in veristat and the lane. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import { exportVeristat } from '../../src/export/veristat.ts';
import type { Results } from '../../src/report/results.ts';
import type { Row, Tables } from '../record.ts';
import type { Corpus, Source } from './obtain.ts';
import { parseVeristat, type Verified } from './reference.ts';

/** A program of an object, on one kernel. */
export interface Program {
  readonly source: string;
  /** `OBJECT/PROGRAM`. */
  readonly name: string;
  /** Result of veristat; null if libbpf does not open the object. */
  readonly reference: Verified | null;
  readonly ours: {
    readonly isLoaded: boolean;
    /** Its row of `--format veristat`; null if it is not in the results. */
    readonly row: Verified | null;
    /** Whether the kernel's verifier has seen it. */
    readonly isTried: boolean;
    /** Why it is not loaded. */
    readonly reason: string | null;
  };
}

export interface KernelRun {
  readonly kernel: string;
  readonly release: string;
  readonly programs: readonly Program[];
}

export interface ForeignReport {
  readonly corpus: Pick<Corpus, 'sources' | 'compiler'>;
  readonly kernels: readonly KernelRun[];
  /** Comparisons of the commit with itself: their number, and how many are not `unchanged`. */
  readonly verdicts: { readonly comparisons: number; readonly wrong: number };
}

/** Counts comparisons, and those that are not `unchanged`. */
export function countVerdicts({ comparisons }: Results): { comparisons: number; wrong: number } {
  return {
    comparisons: comparisons.length,
    wrong: comparisons.filter(({ verdict }) => verdict !== 'unchanged').length,
  };
}

/** Pairs every program that either veristat or the lane names. */
export function pairPrograms(
  sources: readonly Source[],
  reference: ReadonlyMap<string, Verified>,
  results: Results,
): Program[] {
  const loads = new Map(
    results.measurements
      .filter(({ revision, measure }) => revision === 'head' && measure === 'loads')
      .map((each) => [each.benchmark, each]),
  );
  const rows = parseVeristat(exportVeristat(results));
  const gaps = new Map(
    results.gaps.filter(({ revision }) => revision === 'head').map(({ benchmark, reason }) => [benchmark, reason]),
  );
  const sourceOf = new Map(sources.flatMap(({ name, objects }) => objects.map((object) => [object, name])));
  const names = new Set([...reference.keys(), ...loads.keys(), ...gaps.keys()].filter((name) => !name.endsWith('/*')));
  const listed = new Set([...loads.keys(), ...gaps.keys()].map((name) => name.split('/')[0]));
  /** The lane skips an object that only repeats another's programs. Finds such a program with this one's numbers. */
  const copyOf = (name: string) =>
    [...loads.keys()].find(
      (each) => each.split('/')[1] === name.split('/')[1] && rows.get(each)?.numbers === reference.get(name)?.numbers,
    );
  return [...names].sort().map((name) => {
    const [object = ''] = name.split('/');
    const shown = listed.has(object) ? name : (copyOf(name) ?? name);
    const load = loads.get(shown);
    const refusal = load?.refusal;
    const refused = refusal && [refusal.errno, refusal.message].filter((part) => part !== null).join(': ');
    const untried = gaps.get(name) ?? gaps.get(`${object}/*`) ?? 'not in the results';
    return {
      source: sourceOf.get(object) ?? '',
      name,
      reference: reference.get(name) ?? null,
      ours: {
        isLoaded: load?.value === 1,
        row: rows.get(shown) ?? null,
        isTried: load !== undefined,
        reason: load?.value === 1 ? null : (refused ?? untried),
      },
    };
  });
}

const isLoadedByReference = ({ reference }: Program) => reference?.isLoaded === true;
const isLoadedByBoth = (program: Program) => isLoadedByReference(program) && program.ours.isLoaded;
const isOnlyReference = (program: Program) => isLoadedByReference(program) && !program.ours.isLoaded;
const isOnlyOurs = (program: Program) => !isLoadedByReference(program) && program.ours.isLoaded;
const isNeither = (program: Program) => !isLoadedByReference(program) && !program.ours.isLoaded;
/**
 * Whether the rows differ by more than how long it took, of a program that veristat has given to the verifier. Its
 * failure can be that of another part of the object, so the lane may load the program, after equal work.
 */
export const isDifferent = (program: Program) =>
  program.reference?.isTimed === true &&
  !isOnlyReference(program) &&
  (program.ours.row?.isTimed !== true || program.ours.row.numbers !== program.reference.numbers);
/** Whether both verifiers refused it. */
export const isRefusedByBoth = (program: Program) =>
  isNeither(program) && program.reference?.isTimed === true && program.ours.isTried;

function describeRow(row: Verified | null): string {
  return row === null ? 'none' : `${row.isLoaded ? 'success' : 'failure'},${row.numbers}`;
}

/** Whether the lane was wrong: equal objects not `unchanged`, or a count that differs from veristat's. */
export function isWrong({ kernels, verdicts }: Pick<ForeignReport, 'kernels' | 'verdicts'>): boolean {
  return verdicts.wrong > 0 || kernels.some(({ programs }) => programs.some(isDifferent));
}

export function foreignTables({ corpus: { sources, compiler }, kernels, verdicts }: ForeignReport): Tables {
  const programs = kernels.flatMap((run) => run.programs);
  const total = countLoaded(programs);
  return {
    totals: [
      { what: 'loaded by veristat', number: total.both + total['veristat only'] },
      { what: 'of these by the lane as well', number: total.both },
      { what: "of these with every column of veristat's CSV equal", number: total.equal },
      { what: "refused by both verifiers, with every column of veristat's CSV equal", number: total.refused },
      { what: 'with a different column', number: total.different },
      { what: 'loaded by veristat only', number: total['veristat only'] },
      { what: 'loaded by the lane only', number: total['lane only'] },
      { what: 'loaded by neither', number: total.neither },
      {
        what: "of these refused by the kernel's verifier in the lane",
        number: programs.filter((each) => isNeither(each) && each.ours.isTried).length,
      },
      { what: 'comparisons of the commit with itself', number: verdicts.comparisons },
      { what: 'of these not called unchanged', number: verdicts.wrong },
    ],
    sources: sources.map(({ name, version, objects, copies, failed }) => ({
      source: name,
      version,
      objects: objects.length,
      'copies left out': copies,
      'compiled by': failed === null ? '' : `clang ${compiler}`,
      'files it refuses': failed?.join(', ') ?? '',
    })),
    loaded: sources
      .filter(({ objects }) => objects.length > 0)
      .flatMap(({ name }) =>
        kernels.map((run) => ({
          source: name,
          kernel: run.kernel,
          ...countLoaded(run.programs.filter(({ source }) => source === name)),
        })),
      ),
    'veristat-only': reasonRows(kernels),
    different: kernels.flatMap(({ kernel, programs: own }) =>
      own.filter(isDifferent).map(({ name, reference, ours }) => ({
        kernel,
        program: name,
        veristat: describeRow(reference),
        lane: describeRow(ours.row),
      })),
    ),
  };
}

function countLoaded(programs: readonly Program[]) {
  const count = (isWanted: (program: Program) => boolean) => programs.filter(isWanted).length;
  return {
    programs: programs.length,
    both: count(isLoadedByBoth),
    'veristat only': count(isOnlyReference),
    'lane only': count(isOnlyOurs),
    neither: count(isNeither),
    equal: count((each) => isLoadedByBoth(each) && !isDifferent(each)),
    refused: count((each) => isRefusedByBoth(each) && !isDifferent(each)),
    different: count(isDifferent),
  };
}

const maxNamed = 4;

/** Programs that only veristat loads, by the lane's reason without numbers and quoted text, most frequent first. */
function reasonRows(kernels: readonly KernelRun[]): Row[] {
  const found = kernels.flatMap(({ kernel, programs }) =>
    programs.filter(isOnlyReference).map(({ name, ours }) => ({ kernel, name, reason: ours.reason ?? '' })),
  );
  const kindOf = (reason: string) => reason.replace(/`[^`]*`|"[^"]*"/g, '…').replace(/\d+/g, 'N');
  const groups = groupBy(found, ({ reason }) => kindOf(reason)).toSorted((a, b) => b.length - a.length);
  return groups.map((group) => {
    const names = [...new Set(group.map(({ name }) => name))];
    const more = names.length - maxNamed;
    return {
      programs: group.length,
      kernels: [...new Set(group.map(({ kernel }) => kernel))].join(', '),
      'reason, of the first': group[0]?.reason ?? '',
      which: `${names.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    };
  });
}
