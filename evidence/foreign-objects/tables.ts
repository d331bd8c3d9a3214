// Foreign objects: third-party objects in veristat and the lane. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import type { Results } from '../../src/report/results.ts';
import type { Row, Tables } from '../record.ts';
import type { Corpus, Source } from './obtain.ts';
import type { Verified } from './reference.ts';

/** A program of an object, on one kernel. */
export interface Program {
  readonly source: string;
  /** `OBJECT/PROGRAM`. */
  readonly name: string;
  /** Result of veristat; null if libbpf does not open the object. */
  readonly reference: Verified | null;
  readonly ours: {
    readonly isLoaded: boolean;
    readonly instructions: number | null;
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

type GateResults = Pick<Results, 'measurements' | 'gaps' | 'comparisons'>;

/** Counts comparisons, and those that are not `unchanged`. */
export function countVerdicts({ comparisons }: GateResults): { comparisons: number; wrong: number } {
  return {
    comparisons: comparisons.length,
    wrong: comparisons.filter(({ verdict }) => verdict !== 'unchanged').length,
  };
}

/** Pairs every program that either veristat or the lane names. */
export function pairPrograms(
  sources: readonly Source[],
  reference: ReadonlyMap<string, Verified>,
  results: GateResults,
): Program[] {
  const ofHead = results.measurements.filter(({ revision }) => revision === 'head');
  const valuesOf = (measure: string) =>
    new Map(ofHead.filter((each) => each.measure === measure).map((each) => [each.benchmark, each]));
  const loads = valuesOf('loads');
  const counts = valuesOf('verified-instructions');
  const gaps = new Map(
    results.gaps.filter(({ revision }) => revision === 'head').map(({ benchmark, reason }) => [benchmark, reason]),
  );
  const sourceOf = new Map(sources.flatMap(({ name, objects }) => objects.map((object) => [object, name])));
  const names = new Set([...reference.keys(), ...loads.keys(), ...gaps.keys()].filter((name) => !name.endsWith('/*')));
  const listed = new Set([...loads.keys(), ...gaps.keys()].map((name) => name.split('/')[0]));
  /** The lane skips an object that only repeats another's programs. Finds such a program with this one's count. */
  const copyOf = (name: string) =>
    [...loads.keys()].find(
      (each) =>
        each.split('/')[1] === name.split('/')[1] && counts.get(each)?.value === reference.get(name)?.instructions,
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
        instructions: counts.get(shown)?.value ?? null,
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
const isDifferent = (program: Program) =>
  isLoadedByBoth(program) && program.reference?.instructions !== program.ours.instructions;

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
      { what: 'with equal counts of verified instructions', number: total.equal },
      { what: 'with different counts', number: total.different },
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
        veristat: reference?.instructions ?? '',
        lane: ours.instructions ?? 'none',
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
