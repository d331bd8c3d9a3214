// Strangers: what results say of code that did not change, and of a planted cost. Pure.

import type { ComparisonRecord, Results } from '../../src/report/results.ts';

/** What is known of a planted cost. */
export interface Planted {
  /** `PROGRAM`, or `OBJECT/PROGRAM` where other objects have a program of that name. */
  readonly program: string;
  readonly file: string;
  readonly line: number;
}

export interface PlantedOutcome {
  /** The largest growth of the program in instructions of a run, or else in another measure; null if it did not grow. */
  readonly grown: string | null;
  /** Changes of other programs, which are false. */
  readonly elsewhere: readonly string[];
  /** Place of the line that is named first; null if no line is. */
  readonly line: string | null;
  readonly isRightLine: boolean;
}

/** Why there is nothing to judge; null if there is. */
export function whyNotJudged({ kernels, comparisons }: Results): string | null {
  const failed = kernels.find(({ error }) => error !== null);
  if (failed !== undefined) return `${failed.id}: ${failed.error?.message}`;
  return comparisons.length === 0 ? 'nothing was compared' : null;
}

/** Comparisons of both sides that are not `unchanged`, of code that did not change. */
export function falseVerdicts({ comparisons }: Results): string[] {
  return comparisons.filter(isChanged).map(describe);
}

const isChanged = ({ verdict }: ComparisonRecord) => verdict !== 'unchanged' && verdict !== 'added';

export function judgePlanted(results: Results, { program, file, line }: Planted): PlantedOutcome {
  const changed = results.comparisons.filter(isChanged);
  const own = changed.filter(({ benchmark }) => isOf(benchmark, program));
  const grown = own
    .filter(({ verdict, delta }) => verdict === 'regression' && (delta ?? 0) > 0)
    .toSorted((a, b) => rank(a) - rank(b) || (b.delta ?? 0) - (a.delta ?? 0));
  const named = grown.flatMap(({ lines }) => lines?.[0]?.source ?? []);
  const isRight = (each: (typeof named)[number]) =>
    each.line === line && (isBelow(each.file, file) || isBelow(file, each.file));
  const shown = named.find((each) => !isRight(each)) ?? named[0];
  return {
    grown: grown[0] === undefined ? null : describe(grown[0]),
    elsewhere: changed.filter((each) => !own.includes(each)).map(describe),
    line: shown === undefined ? null : `${shown.file}:${shown.line}`,
    isRightLine: named.length > 0 && named.every(isRight),
  };
}

/** Whether a benchmark such as `OBJECT/PROGRAM/INPUT` is of a program. */
function isOf(benchmark: string, program: string): boolean {
  const parts = benchmark.split('/');
  const [name = '', object = ''] = program.split('/').reverse();
  const at = parts.indexOf(name);
  return at !== -1 && parts.slice(0, at).join('/').includes(object);
}

const rank = ({ measure }: ComparisonRecord) => ['bpf-instructions', 'verified-instructions'].indexOf(measure) >>> 0;
const isBelow = (path: string, end: string) => path === end || path.endsWith(`/${end}`);

function describe({ benchmark, measure, verdict, delta }: ComparisonRecord): string {
  const difference = delta === null ? verdict : `${delta < 0 ? '−' : '+'}${Number(Math.abs(delta).toFixed(2))}`;
  return `${benchmark} ${measure} ${difference}`;
}
