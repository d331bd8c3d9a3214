// Report: warnings, one line for all of one reason: what they are about, why, and where. Pure.

import { groupBy } from '../common/group-by.ts';
import { compareNames } from '../common/order.ts';
import type { Warning } from '../model/warning.ts';
import { describeRefusal } from './finding-detail.ts';
import { inputOf, programOf } from './findings.ts';
import { formatGrowth } from './numbers.ts';
import { countOf, joinWords, type Sentence, toPlainLine, toSentence } from './plain-text.ts';
import type { ComparisonRecord, MeasurementRecord, Results } from './results.ts';
import { isLoads, nameKernels } from './row.ts';

/** All warnings of one reason. */
export interface WarningLine {
  /** What they are about, each with what only it has. None: the whole run. */
  readonly subjects: readonly Sentence[];
  /** Why, with the revision if it is one, and the kernels. */
  readonly reason: Sentence;
}

/** A warning, and where it was found. */
export interface Noted extends Warning {
  /** Null: on no kernel, as of a build on the host. */
  readonly kernel: string | null;
  /** The inputs, of a program that ran on inputs. */
  readonly input?: string | undefined;
}

/** Subjects that a line names, and details that it shows of each. */
const [maxNamed, maxDetails] = [3, 2];

/** Writes a line that names a few subjects and counts the others. */
export function describeWarning({ subjects, reason }: WarningLine, most = maxNamed): Sentence {
  if (subjects.length === 0) return reason;
  const named = subjects.length > most + 1 ? subjects.slice(0, most) : subjects;
  const more = subjects.length - named.length;
  const names: Sentence[] = [...named, ...(more > 0 ? [[`${more} others`]] : [])];
  const separator = (index: number) => (index === 0 ? '' : index === names.length - 1 ? ' and ' : ', ');
  return [...names.flatMap((name, index): Sentence => [separator(index), ...name]), ': ', ...reason].filter(Boolean);
}

/**
 * Joins warnings of one reason.
 *
 * @param kernels ids of all kernels of the run; a line names no kernel if there is only one
 */
export function joinWarnings(noted: readonly Noted[], kernels: readonly string[] = []): WarningLine[] {
  return groupBy(noted, ({ reason }) => reason).map((group) => {
    const where = describePlace(group, kernels);
    const each = group.flatMap((warning) => warning.about.map((name) => ({ ...warning, name })));
    const byName = groupBy(each, ({ name }) => name).toSorted(([a], [b]) => compareNames(a.name, b.name));
    const subjects = byName.map((own) => {
      const place = describePlace(own, kernels);
      return { name: toPlainLine(own[0].name), notes: [...describeDetails(own), ...(place === where ? [] : [place])] };
    });
    // What all have in common stands once, behind the reason.
    const isCommon = new Set(subjects.map(({ notes }) => notes.join())).size === 1;
    const ofRun = describeDetails(group.filter(({ about }) => about.length === 0));
    const common = [...(isCommon ? (subjects[0]?.notes ?? []) : []), ...ofRun, where];
    return {
      subjects: subjects.map(({ name, notes }): Sentence => [{ code: name }, ...inBrackets(isCommon ? [] : notes)]),
      reason: [...toSentence(group[0].reason), ...inBrackets(common)],
    };
  });
}

function inBrackets(parts: readonly string[]): Sentence {
  const said = parts.filter((part) => part !== '').join('; ');
  return said === '' ? [] : [' (', ...toSentence(said), ')'];
}

/** `base only, on 5.10 and 6.1` */
function describePlace(warnings: readonly Noted[], kernels: readonly string[]): string {
  const revisions = new Set(warnings.map(({ revision }) => revision));
  const [only] = revisions.size === 1 ? revisions : [];
  const on = [...new Set(warnings.flatMap(({ kernel }) => kernel ?? []))];
  const names = on.length === kernels.length && on.length > 2 ? `all ${on.length} kernels` : nameKernels(on);
  return [
    ...(only === undefined ? [] : [`${only} only`]),
    ...(on.length === 0 || kernels.length < 2 ? [] : [`on ${names}`]),
  ].join(', ');
}

function describeDetails(warnings: readonly Noted[]): string[] {
  const inputs = [...new Set(warnings.flatMap(({ input }) => input ?? []))];
  const details = [...new Set(warnings.flatMap(({ detail }) => detail ?? []))];
  const on = inputs.length > maxDetails ? countOf(inputs.length, 'input') : joinWords(inputs);
  const more = details.length - maxDetails;
  return [
    ...(inputs.length === 0 ? [] : [`on ${on}`]),
    ...details.slice(0, maxDetails),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/** Finds all warnings of a run. */
export function findWarnings(results: Results): WarningLine[] {
  const { kernels, measurements, comparisons } = results;
  const noted: Noted[] = [
    ...findInexact(measurements),
    ...kernels.flatMap(({ id, warnings }) => warnings.map((warning) => ({ ...warning, kernel: id }))),
    ...findUntried(results).map(({ kernel, revision, benchmark, reason }) => ({
      kernel,
      revision,
      about: [benchmark],
      reason: `could not be verified: ${reason ?? 'no reason is known'}`,
    })),
    ...findRefused(comparisons),
    ...noteMeasurements(measurements),
    ...comparisons.flatMap((each) => each.warnings.map((reason) => ({ ...nameValue(each), reason }))),
  ];
  return joinWarnings(
    noted,
    kernels.map(({ id }) => id),
  );
}

/** The warnings of measurements. */
export function noteMeasurements(measurements: readonly MeasurementRecord[]): Noted[] {
  return measurements.flatMap((each) =>
    each.warnings.map(({ reason, detail }) => {
      const value = nameValue(each);
      return {
        ...value,
        revision: each.revision,
        reason,
        detail: [value.detail, detail].filter(Boolean).join(', ') || undefined,
      };
    }),
  );
}

/** Measures that a program's name alone stands for. */
const implied = new Set(['loads', 'bpf-instructions']);
/** The input of a program that was attached while bpfgate's workload ran. */
const workload = 'workload';

function nameValue(value: Pick<ComparisonRecord, 'kernel' | 'kind' | 'lane' | 'benchmark' | 'measure'>) {
  const { kernel, benchmark, measure } = value;
  const input = inputOf(value);
  return {
    kernel,
    about: [input === undefined ? benchmark : programOf(benchmark)],
    input: input === workload ? undefined : input,
    detail: implied.has(measure) ? undefined : measure,
  };
}

/** Finds what the verifier lane could not try, and has no comparison of. */
export function findUntried({ comparisons, gaps }: Pick<Results, 'comparisons' | 'gaps'>): Results['gaps'] {
  const keyOf = ({ kernel, benchmark }: Pick<ComparisonRecord, 'kernel' | 'benchmark'>) =>
    JSON.stringify([kernel, benchmark]);
  const compared = new Set(comparisons.filter(({ lane }) => lane === 'verifier').map(keyOf));
  return gaps.filter((gap) => gap.lane === 'verifier' && gap.needs === null && !compared.has(keyOf(gap)));
}

/** Finds programs that no revision loads. */
function findRefused(comparisons: readonly ComparisonRecord[]): Noted[] {
  return comparisons.flatMap(({ kernel, lane, measure, benchmark, base, head, refusal }) =>
    !isLoads({ lane, measure }) || refusal === null || base === 1 || head === 1
      ? []
      : { kernel, about: [benchmark], reason: `does not load: ${describeRefusal(refusal)}` },
  );
}

/**
 * Finds BPF programs of benches whose counts vary, with what would make them exact. What else a guest does causes runs
 * in bpfgate's own workload, which nobody can change.
 */
function findInexact(measurements: readonly MeasurementRecord[]): Noted[] {
  const inexact = measurements.filter(
    (each) => each.kind === 'bpf-program' && each.lane === 'instructions' && !each.exact && inputOf(each) === undefined,
  );
  return groupBy(inexact, ({ benchmark }) => benchmark).flatMap((group) => {
    const widest = `by up to ${formatGrowth(Math.max(...group.map(({ resolution }) => resolution))).slice(1)}`;
    // Kernels and revisions may differ in the number: only what varies in one of them can be fixed.
    const [runs] = group.map(rangeOfRuns).toSorted((a, b) => b.most / b.fewest - a.most / a.fewest);
    return group.map(({ kernel, benchmark, samples }): Noted => {
      const subject = { kernel, about: [benchmark] };
      if (runs !== undefined && runs.most > runs.fewest) {
        return { ...subject, reason: varyingRuns, detail: `${widest}, in ${runs.fewest} to ${runs.most} runs` };
      }
      return samples.length === 1
        ? { ...subject, reason: 'not counted exactly, because it was read only once' }
        : { ...subject, reason: 'not counted exactly, because readings vary', detail: widest };
    });
  });
}

const varyingRuns =
  'not counted exactly, because the number of runs in a reading varies: give the benchmark a fixed number of ' +
  'iterations, as `-test.benchtime 200x` does in Go';

function rangeOfRuns({ samples }: MeasurementRecord) {
  const counts = samples.map(({ count }) => count);
  return { fewest: Math.min(...counts), most: Math.max(...counts) };
}
