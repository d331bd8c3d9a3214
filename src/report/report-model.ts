// Report: the facts of a result file in the order in which a reader wants them. The renderers only format them.

import type { SourceLocation } from '../bench/measurement.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy, indexBy } from '../common/group-by.ts';
import { compare, compareNames } from '../common/order.ts';
import { findingVerdicts, type GateVerdict } from '../compare/comparison.ts';
import type { RevisionName } from '../model/build.ts';
import type { Machine } from '../model/guest-run.ts';
import { profileKinds } from '../profile/profile.ts';
import { Names } from './accept.ts';
import { claimed } from './claim.ts';
import { describeRefusal, type FindingDetail, toDetail, withFlames, writeDiffs } from './finding-detail.ts';
import { findFindings, nameLoads, rankOf } from './findings.ts';
import { findAnswered, isFailing } from './gate-verdict.ts';
import { composeHeadline, countVerified, type Unverified } from './headline.ts';
import { decimalsFor, formatDelta, formatGrowth, formatLimit, formatNumber } from './numbers.ts';
import { countOf, type Sentence, toPlainLine, toSentence } from './plain-text.ts';
import { describeBenchRepeat } from './repeat-command.ts';
import type { ComparisonRecord, KernelResult, Results } from './results.ts';
import { describeReturns } from './returns.ts';
import {
  type Cell,
  isLoads,
  type KernelColumn,
  type KernelFailure,
  type KernelGap,
  nameKernels,
  type Row,
  worstChange,
} from './row.ts';
import { findUntried, findWarnings, type WarningLine } from './warnings.ts';

/** A report's facts. No string holds control or bidirectional characters; a renderer escapes each for its syntax. */
export interface ReportModel {
  readonly verdict: GateVerdict;
  readonly headline: Sentence;
  readonly project: string;
  readonly base: string;
  readonly head: string;
  /** The command that fetches what commands to repeat name; null if there is none, or a clone may have it. */
  readonly fetch: Sentence | null;
  /** The table's columns: every kernel of the run. */
  readonly kernels: readonly KernelColumn[];
  /** What changed, by cause, worst first. */
  readonly findings: readonly FindingDetail[];
  /** All else that was compared. */
  readonly unchanged: UnchangedRows;
  readonly failures: readonly KernelFailure[];
  /** Profiles of each bench and kernel that has any. */
  readonly profiles: readonly ProfileGroup[];
  /**
   * What is said at once though it decides nothing: programs that return something else, and lines that should accept a
   * cost and do not accept all that they name, each with its reason.
   */
  readonly notices: readonly Sentence[];
  /** One for each reason. */
  readonly warnings: readonly WarningLine[];
  /** How the kernels were run; kernels that were run alike are grouped. */
  readonly machines: readonly MachineGroup[];
  /** Facts that a reader must know to understand the numbers. */
  readonly footnotes: readonly string[];
}

export interface UnchangedRows {
  /** `598 comparisons unchanged, 1 benchmark added on 3 kernels; 9 BPF programs verified as before`; empty if none is. */
  readonly title: string;
  /** First those that say more than `~`. The verifier lane has rows for programs that do not load, and that were renamed. */
  readonly rows: readonly Row[];
  /** How many of the rows say more than `~`: added, removed, not loaded, not run, changed within the limit. */
  readonly notable: number;
  /** Text about what the verifier lane looked at; most of it has no row. Null if the lane did not run. */
  readonly verified: string | null;
}

interface ProfileGroup {
  /** `profile-2` */
  readonly id: string;
  readonly bench: string;
  readonly kernel: string;
  /** Path of their folder, as `ReportOptions.profilesIn` gives it: `profiles/6.1/micro`. */
  readonly folder: string;
  /** The difference comes first; folded stacks are left out if they are drawn. */
  readonly files: readonly ProfileLink[];
  /** What bpfgate drew: the difference, or one side if there is no other. */
  readonly flames: readonly FlameGraph[];
}

/** Largest flame graph or folded stacks that a page embeds, in bytes. */
export const maxProfile = 4 * 1024 * 1024;

/** Largest sum of what is read for a page, in bytes. */
export const maxProfiles = 64 * 1024 * 1024;

/** Whether a page embeds this profile. */
export function isShownProfile(path: string): boolean {
  return /\.(?:svg|folded)$/.test(path);
}

/** Files as the results name them. */
export interface FlameGraph {
  /** `cpu`, `off-cpu` */
  readonly name: string;
  readonly unit: string;
  readonly picture: string;
  readonly isDifference: boolean;
  /** Folded stacks. */
  readonly base: string | null;
  readonly head: string | null;
}

interface ProfileLink {
  readonly name: string;
  /** Relative URL, of characters that mean nothing in HTML and Markdown; null if the file is only named. */
  readonly url: string | null;
}

export interface MachineGroup {
  /** Releases of the kernels. */
  readonly kernels: readonly string[];
  /** `tcg-icount`, QEMU, CPU model, and why KVM was not used. */
  readonly description: string;
}

/** Characters shown of a change of the configuration. */
const maxChange = 400;

const badness: readonly Row['verdict'][] = [
  'regression',
  'inconclusive',
  'removed',
  'added',
  'improvement',
  'unsupported',
  'unchanged',
];

const countFootnote =
  'Counts are machine instructions executed, under emulation with one instruction per virtual nanosecond; ' +
  'a count is not a time.';
const userFootnote = 'In user space a sleep counts as instructions too.';

export interface ReportOptions {
  /**
   * Path of the output folder that has the profiles of a kernel's bench, from the report's folder, or as a reader of
   * the report would write it. Default for all: empty, since the report is in that folder.
   */
  readonly profilesIn?: (kernel: string, bench: string) => string;
  /** Whether profiles are linked; links work from a file. Default true. */
  readonly linkProfiles?: boolean;
  /** Whether it is a workflow's run: its commits may be in no clone, as a pull request's merge commit. Default false. */
  readonly ofWorkflow?: boolean;
  /** URL below which head's files are shown, as `codeUrlOf` finds it. Default null: places are not linked. */
  readonly codeUrl?: string | null;
  /** Whether it shows what `toClaim` leaves: it says so, and has nothing that a reader might run. Default false. */
  readonly isClaim?: boolean;
}

/** Programs that return something else, named below the headline, which counts them all. */
const maxReturns = 20;

export function buildReport(results: Results, options: ReportOptions = {}): ReportModel {
  const { shard } = results;
  const answered = findAnswered(results);
  const { isClaim = false } = options;
  const found = findFailures(results, answered);
  const failures = isClaim ? found.map((failure) => ({ ...failure, repeat: null })) : found;
  const failed = new Set(failures.flatMap((failure) => failure.kernels));
  const kernels = results.kernels.map(({ id, release, error }) => ({
    id: toPlainLine(id),
    release: toPlainLine(release),
    failed: failed.has(toPlainLine(id)),
    failedBenches: answered.has(id) ? (error?.benches ?? []).map(({ name }) => toPlainLine(name)) : ('all' as const),
  }));
  const grouped = toRows(results);
  const all = grouped.map(({ row }) => row);
  const rowOf = new Map(grouped.flatMap(({ row, comparisons }) => comparisons.map((each) => [each, row] as const)));
  const loadNames = nameLoads(results.comparisons);
  const names = new Names(results);
  const diffs = writeDiffs(results);
  const profiles = groupProfiles(results, options);
  const drawn = profiles.filter(({ flames }) => flames.length > 0);
  const findings = findFindings(results).map((finding) => {
    const detail = toDetail(
      { ...finding, comparisons: finding.comparisons.toSorted((a, b) => rankOf(a) - rankOf(b)) },
      (comparison) => rowOf.get(comparison) as Row,
      loadNames,
      kernels,
      results,
      names,
      diffs,
      (place) => linkLine(options.codeUrl ?? null, place),
    );
    return withFlames(isClaim ? { ...detail, repeat: [], acceptLines: [] } : detail, drawn);
  });
  const returns = describeReturns(results);
  const configChanges = results.project.configChanges.map((change) => toSentence(clipMiddle(change, maxChange)));
  const headline = composeHeadline(
    findings,
    all,
    kernels,
    failures,
    results.revisions.base.tree === results.revisions.head.tree,
    configChanges,
    findUnverified(results),
    returns.length,
  );
  return {
    verdict: results.verdict,
    headline: isClaim ? [...claimed, ...headline] : headline,
    project: toPlainLine(results.project.name),
    base: describeRevision(results.revisions.base),
    head: describeRevision(results.revisions.head),
    fetch: options.ofWorkflow && !isClaim && findings.length > 0 ? describeFetch(results) : null,
    kernels,
    findings,
    unchanged: describeUnchanged(all, results.comparisons),
    failures,
    profiles,
    notices: [...returns.slice(0, maxReturns), ...names.describeUnused(results)],
    // The headline only has room for a few.
    warnings: [
      ...configChanges.map((change) => ({
        subjects: [],
        reason: [`${toPlainLine(results.project.configFile)}: `, ...change],
      })),
      ...findWarnings(results),
    ],
    machines: groupMachines(results.kernels),
    footnotes: [
      ...(shard === null
        ? []
        : [`This is shard ${shard.index} of ${shard.count}: what the other shards measure is not in it.`]),
      ...describeCounts(results.comparisons),
    ],
  };
}

/** @param all rows, also those of findings */
function describeUnchanged(all: readonly Row[], comparisons: Results['comparisons']): UnchangedRows {
  const others = all.filter(({ verdict }) => !findingVerdicts.some((each) => each === verdict));
  const notable = others.filter(isNotable);
  const plain = others.filter((row) => row.lane !== 'verifier' && !isNotable(row));
  const benchmarksOf = (verdict: Row['verdict']) =>
    new Set(others.filter((row) => row.verdict === verdict).map(({ benchmark }) => benchmark)).size;
  const same = comparisons.filter(({ verdict }) => verdict === 'unchanged').length;
  const counts = [
    ...(same === 0 ? [] : [`${countOf(same, 'comparison')} unchanged`]),
    ...(['added', 'removed', 'unsupported'] as const).flatMap((verdict) => {
      const count = benchmarksOf(verdict);
      const word = verdict === 'unsupported' ? 'not run' : verdict;
      return count === 0 ? [] : [`${countOf(count, 'benchmark')} ${word}`];
    }),
  ];
  const on = [...new Set(comparisons.map(({ kernel }) => toPlainLine(kernel)))];
  const where = on.length === 0 ? '' : ` on ${on.length === 1 ? on[0] : `${on.length} kernels`}`;
  const verified = all.filter(({ lane }) => lane === 'verifier');
  const programs = new Set(verified.map(({ benchmark }) => benchmark)).size;
  // The headline counts them if nothing is worse.
  const before = comparisons.some(isFailing) ? countVerified(all).join(', ') : '';
  const hidden = others.length - notable.length - plain.length;
  const rest = hidden === 0 ? '' : `; ${countOf(hidden, 'measure')} of theirs that did not change are not shown`;
  return {
    title: counts.length === 0 ? '' : [`${counts.join(', ')}${where}`, before].filter(Boolean).join('; '),
    rows: [...notable, ...plain],
    notable: notable.length,
    verified: programs === 0 ? null : `The verifier was given ${countOf(programs, 'BPF program')}${rest}.`,
  };
}

/** Whether a row of no finding says more than that nothing changed. */
function isNotable(row: Row): boolean {
  if (row.measure === 'load-time') return false;
  // A program that was added or removed needs only one row.
  if (row.lane === 'verifier' && !isLoads(row) && row.verdict !== 'unchanged') return false;
  return (
    row.verdict !== 'unchanged' ||
    (row.origin !== null && (row.lane !== 'verifier' || isLoads(row))) ||
    row.gaps.some((gap) => gap !== null) ||
    row.cells.some((cell) => cell !== null && (cell.differs || (isLoads(row) && cell.values.head === 0)))
  );
}

function describeCounts(comparisons: Results['comparisons']): string[] {
  // Sizes and the like come from the same lane and need no such note.
  const counts = comparisons.filter(({ lane, unit }) => lane === 'instructions' && unit.startsWith('instructions'));
  if (counts.length === 0) return [];
  return [counts.some(({ kind }) => kind === 'benchmark') ? `${countFootnote} ${userFootnote}` : countFootnote];
}

/** Finds parts of head that the verifier lane could not try and that have no comparison, with their kernels. */
function findUnverified(results: Results): Unverified[] {
  const untried = findUntried(results).filter(({ revision }) => revision === 'head');
  return groupBy(untried, ({ benchmark }) => benchmark).map((group) => {
    const [{ benchmark, reason }] = group;
    const own = new Set(group.map(({ kernel }) => kernel));
    return {
      benchmark: toPlainLine(benchmark),
      kernels: results.kernels.filter(({ id }) => own.has(id)).map(({ id }) => toPlainLine(id)),
      reason: toSentence(reason ?? 'no reason is known'),
    };
  });
}

/** The comparisons of a row are those that it is made of. */
interface MadeRow {
  readonly row: Row;
  readonly comparisons: readonly ComparisonRecord[];
}

/** @returns worst first */
function toRows({ kernels, comparisons, gaps }: Results): MadeRow[] {
  const tooOld = gaps.filter(({ needs }) => needs !== null);
  const keyOf = ({ lane, benchmark }: Pick<ComparisonRecord, 'lane' | 'benchmark'>) =>
    JSON.stringify([lane, benchmark]);
  const byBenchmark = indexBy(tooOld, keyOf);
  const gapsOf = (subject: Pick<ComparisonRecord, 'lane' | 'benchmark'>) =>
    kernels.map(({ id }) => toGap(byBenchmark.get(keyOf(subject)), id));
  const compared = new Set(comparisons.map(keyOf));
  const rows = groupBy(comparisons, ({ lane, benchmark, measure }) => JSON.stringify([lane, benchmark, measure])).map(
    (group): MadeRow => {
      const byKernel = new Map(group.map((comparison) => [comparison.kernel, toCell(comparison)]));
      const cells = kernels.map(({ id }) => byKernel.get(id) ?? null);
      return { row: toRow(group, cells, gapsOf(group[0])), comparisons: group };
    },
  );
  const unsupported = [...byBenchmark].flatMap(([key, [gap]]): MadeRow[] => {
    if (compared.has(key)) return [];
    const { lane, benchmark } = gap;
    const row: Row = {
      benchmark: toPlainLine(benchmark),
      name: [{ code: toPlainLine(benchmark) }],
      // It has not run anywhere, so its measure is not known.
      measure: '–',
      unit: '',
      lane,
      kind: 'benchmark',
      origin: null,
      verdict: 'unsupported',
      limit: '–',
      cells: kernels.map(() => null),
      gaps: gapsOf(gap),
    };
    return [{ row, comparisons: [] }];
  });
  return [...rows, ...unsupported].sort(
    ({ row: a }, { row: b }) =>
      badness.indexOf(a.verdict) - badness.indexOf(b.verdict) ||
      compare(worstChange(b), worstChange(a)) ||
      compareNames(a.benchmark, b.benchmark) ||
      compareNames(a.measure, b.measure),
  );
}

function toGap(gaps: Results['gaps'] | undefined, kernel: string): KernelGap | null {
  const own = gaps?.filter((gap) => gap.kernel === kernel) ?? [];
  const needs = (revision: RevisionName) => own.find((gap) => gap.revision === revision)?.needs ?? null;
  return own.length === 0 ? null : { base: needs('base'), head: needs('head') };
}

/** @param comparisons those of the row */
function toRow(
  comparisons: readonly [ComparisonRecord, ...ComparisonRecord[]],
  cells: Row['cells'],
  gaps: Row['gaps'],
): Row {
  const [{ benchmark, measure, unit, lane, kind }] = comparisons;
  return {
    benchmark: toPlainLine(benchmark),
    name: [{ code: toPlainLine(benchmark) }],
    measure: toPlainLine(measure),
    unit: toPlainLine(unit),
    lane,
    kind,
    origin: describeOrigin(comparisons.find(({ renamedFrom }) => renamedFrom !== undefined)),
    verdict: badness.find((verdict) => comparisons.some((comparison) => comparison.verdict === verdict)) ?? 'unchanged',
    limit: [...new Set(comparisons.map((each) => formatLimit(each.limit)))].join(', '),
    cells,
    gaps,
  };
}

/** `renamed from `old``, `moved from `object``, or both in one: `renamed from `object/old``. */
function describeOrigin(comparison: ComparisonRecord | undefined): Sentence | null {
  if (comparison?.renamedFrom === undefined) return null;
  const split = (name: string) => [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)];
  const [owner, program] = split(comparison.benchmark);
  const [formerOwner = '', former = ''] = split(comparison.renamedFrom);
  if (former === program) return ['moved from ', { code: toPlainLine(formerOwner) }];
  return ['renamed from ', { code: toPlainLine(formerOwner === owner ? former : comparison.renamedFrom) }];
}

function toCell(comparison: ComparisonRecord): Cell {
  const { base, head, needs, delta, deltaRatio, interval } = comparison;
  const decimals = decimalsFor(
    [base, head].filter((value) => value !== null),
    delta,
  );
  const isReal = interval === 'exact' || interval === null || interval[0] > 0 || interval[1] < 0;
  const cell = {
    kernel: toPlainLine(comparison.kernel),
    verdict: comparison.verdict,
    values: { base, head, delta, deltaRatio, interval },
    base: base === null ? null : formatNumber(base, decimals),
    head: head === null ? null : formatNumber(head, decimals),
    delta: delta === null ? null : formatDelta(delta, decimals),
    percent: deltaRatio === null ? null : formatGrowth(deltaRatio),
    refusal: comparison.refusal && describeRefusal(comparison.refusal),
    needs,
    differs: needs !== null || (delta !== null && delta !== 0 && isReal),
    spread:
      (isReal && comparison.verdict !== 'inconclusive') ||
      delta === 0 ||
      base === null ||
      base === 0 ||
      !Array.isArray(interval)
        ? null
        : `±${formatGrowth((interval[1] - interval[0]) / 2 / Math.abs(base)).slice(1)}`,
    interval: formatInterval(interval, decimals),
  };
  if (!isLoads(comparison)) return cell;
  const toWord = (value: number | null) => (value === null ? null : value === 1 ? 'loads' : 'refused');
  return { ...cell, base: toWord(base), head: toWord(head), delta: null, percent: null };
}

function formatInterval(interval: ComparisonRecord['interval'], decimals: number): string | null {
  if (interval === null || interval === 'exact') return interval;
  const [least, most] = interval.map((bound) => formatDelta(bound, decimals));
  // A range within the last digit that is shown says nothing.
  return least === most ? null : `${least} to ${most}`;
}

/** `origin/main (b4d93c6db4)`; `b4d93c6db4` where that is all that is known; `head (b4d93c6db4)` of a clean working tree. */
function describeRevision({ revision, ref, commit }: Results['revisions']['base']): string {
  if (commit === null) return toPlainLine(ref);
  const short = commit.slice(0, 10);
  if (commit.startsWith(ref)) return toPlainLine(short);
  return toPlainLine(`${ref === 'working tree' ? revision : ref} (${short})`);
}

function describeFetch({ revisions: { base, head } }: Results): Sentence | null {
  const commits = [base, head].flatMap(({ commit }) => (commit !== null && commitId.test(commit) ? [commit] : []));
  return commits.length < 2 ? null : ['To have both commits: ', { code: `git fetch origin ${commits.join(' ')}` }];
}

const commitId = /^[0-9a-f]{40}$/;

/** Finds why kernels failed: kernels that failed alike but for the kernel's name and the reading are one failure. */
function findFailures(results: Results, answered: ReadonlySet<string>): KernelFailure[] {
  const failed = results.kernels
    .filter(({ id, error }) => error !== null || !answered.has(id))
    .map(({ id, release, error }) => {
      const [message = '', ...output] = (error?.message ?? 'nothing was measured').split('\n');
      const alike = {
        message: message.replace(`, kernel ${id}`, '').replace(/, reading \d+/, ''),
        output,
        hint: error?.hint ?? null,
        consoleTail: error?.consoleTail ?? [],
        problem: answered.has(id) ? ('was not measured completely' as const) : ('could not be measured' as const),
        bench: findFailedBench(results, id, error),
      };
      return { id, release, message, alike };
    });
  return groupBy(failed, ({ alike }) => JSON.stringify(alike)).map((group): KernelFailure => {
    const [{ id, release, message, alike }] = group;
    const { problem, bench } = alike;
    const kernels = group.map((each) => toPlainLine(each.id));
    const isOne = group.length === 1;
    const named = isOne ? `${toPlainLine(id)} (${toPlainLine(release)})` : nameKernels(kernels);
    const last = group.at(-1)?.id ?? id;
    return {
      kernels,
      title: bench === null ? `${named} ${isOne ? problem : problem.replace('was', 'were')}` : named,
      problem,
      bench: bench && { ...bench, name: toPlainLine(bench.name) },
      message: toSentence(isOne ? message : alike.message),
      output: alike.output.map(toPlainLine),
      hint: alike.hint === null ? null : toSentence(alike.hint),
      repeat: bench && describeBenchRepeat(bench.name, last, results),
      consoleTail: alike.consoleTail.map(toPlainLine),
    };
  });
}

/** Finds the only bench that failed, if nothing of it is compared on the kernel. */
function findFailedBench(
  { comparisons }: Results,
  kernel: string,
  error: KernelResult['error'],
): KernelFailure['bench'] {
  const [bench, ...others] = error?.benches ?? [];
  if (error?.kind !== 'bench' || bench === undefined || others.length > 0) return null;
  const isCompared = comparisons.some(
    (each) => each.kernel === kernel && each.lane !== 'verifier' && each.benchmark.startsWith(`${bench.name}/`),
  );
  const { name, revision } = bench;
  return isCompared || revision === null ? null : { name, revision };
}

function groupProfiles({ profiles }: Results, options: ReportOptions): ProfileGroup[] {
  const { profilesIn = () => '', linkProfiles = true } = options;
  const files = new Set(profiles.map(({ file }) => file));
  const isDrawn = (file: string) => file.endsWith('.folded') && files.has(file.replace(/\.folded$/, '.svg'));
  const placed = profiles.map((profile) => {
    const out = profilesIn(profile.kernel, profile.bench);
    const path = out === '' ? profile.file : `${out}/${profile.file}`;
    const slash = path.lastIndexOf('/');
    return { ...profile, path, folder: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
  });
  return groupBy(placed, ({ bench, kernel, folder }) => JSON.stringify([bench, kernel, folder])).map((group, index) => {
    const [{ bench, kernel, folder }] = group;
    const shown = profileKinds
      .toReversed()
      .flatMap((kind) => group.filter((profile) => profile.kind === kind && !isDrawn(profile.file)));
    return {
      id: `profile-${index + 1}`,
      bench: toPlainLine(bench),
      kernel: toPlainLine(kernel),
      folder: toPlainLine(folder),
      files: shown.map(({ name, path }) => ({
        name: toPlainLine(name),
        url: linkProfiles && linkable.test(name) ? toUrl(path) : null,
      })),
      flames: findFlames(group.map(({ file }) => file)),
    };
  });
}

/** @param files of one bench on one kernel */
function findFlames(files: readonly string[]): FlameGraph[] {
  const folder = (files[0] ?? '').replace(/[^/]*$/, '');
  const find = (name: string) => files.find((file) => file === `${folder}${name}`) ?? null;
  const names = files.flatMap((file) => file.slice(folder.length).match(/^(?:base|head)\.(.+)\.folded$/)?.[1] ?? []);
  return [...new Set(names)].flatMap((name): FlameGraph[] => {
    const [kind] = profileKinds.toReversed().filter((each) => find(`${each}.${name}.svg`) !== null);
    if (kind === undefined) return [];
    return [
      {
        name: toPlainLine(name),
        unit: name === 'off-cpu' ? 'microseconds' : 'samples',
        picture: `${folder}${kind}.${name}.svg`,
        isDifference: kind === 'difference',
        base: find(`base.${name}.folded`),
        head: find(`head.${name}.folded`),
      },
    ];
  });
}

/** Files that are linked: bpfgate's drawings and common viewers' data. A bench may leave any file, even scripts. */
const linkable = /\.(svg|folded|json)$/;

export function toUrl(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

const maxUrl = 1000;

/** Returns the URL of a line of head; null if it is not known, or the file is not below the repository's root. */
function linkLine(codeUrl: string | null, { file, line }: SourceLocation): string | null {
  const path = toPlainLine(file);
  // A browser would climb out of the repository by such a part.
  if (codeUrl === null || path.split('/').some((part) => /^\.{0,2}$/.test(part))) return null;
  const url = `${codeUrl}/${toUrl(path)}#L${line}`;
  return url.length > maxUrl ? null : url;
}

function groupMachines(kernels: readonly KernelResult[]): MachineGroup[] {
  const describe = (
    release: string,
    { accelerator, qemuVersion, cpuModel, acceleratorReason: reason }: Machine,
    more: string,
  ) => ({
    release: toPlainLine(release),
    description: toPlainLine(
      `${accelerator}, QEMU ${qemuVersion}, CPU ${cpuModel}${more}${reason === null ? '' : `; no KVM: ${reason}`}`,
    ),
  });
  const counted = kernels.flatMap(({ release, machine, kept }) => {
    const earlier =
      kept.length === 0 ? '' : `; ${kept.join(' and ')} as an earlier run counted ${kept.length > 1 ? 'them' : 'it'}`;
    return machine === null ? [] : describe(release, machine, earlier);
  });
  return groupBy(counted, ({ description }) => description).map((group) => ({
    kernels: group.map(({ release }) => release),
    description: group[0].description,
  }));
}
