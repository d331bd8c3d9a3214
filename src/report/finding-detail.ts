// Report: what is said of a finding, in the order in which a reader wants it. Pure.

import { fetched } from '../bench/locate-source.ts';
import type { SourceLocation } from '../bench/measurement.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy } from '../common/group-by.ts';
import { compare } from '../common/order.ts';
import { maxDiffLine, maxDiffLines } from '../compare/near-diff.ts';
import type { Names } from './accept.ts';
import { countEach, type Finding, inputOf, ownerOf, programOf } from './findings.ts';
import { formatBrief, formatDelta, formatNumber } from './numbers.ts';
import { countOf, joinWords, type Sentence, toPlainLine, toPlainName } from './plain-text.ts';
import { describeRepeat } from './repeat-command.ts';
import type { ComparisonRecord, Results } from './results.ts';
import { type Cell, isLoads, type KernelColumn, nameKernels, nameUnit, type Row, worstChange } from './row.ts';

export interface FindingDetail {
  readonly id: string;
  readonly verdict: Finding['verdict'];
  /** Whether it is a regression, and each of its comparisons that regressed is accepted. */
  readonly isAccepted: boolean;
  /** What its author says of each regression that is accepted: who, why, and how much. */
  readonly accepted: readonly Sentence[];
  /** Lines that would accept what is left; empty if none would. */
  readonly acceptLines: readonly string[];
  /** `` `fun_xdp` and 2 more ``; `` `fun_xdp`: `source_addr` `` if `change` is about another part of the finding. */
  readonly subject: Sentence;
  /** `+87 to +93 instructions per run on 3 kernels`; `cannot be decided (±0.33%) on 6.1`. */
  readonly change: string;
  /** The subject's place, and the line of the repository that grew most; empty if neither is known. */
  readonly where: Sentence;
  readonly source: SourceLocation | null;
  /** What head changes there, at most three lines with `+` or `-` in front; empty if nothing, or it is not known. */
  readonly diff: readonly string[];
  /** The comparisons that `change` is about. */
  readonly leading: Finding['lead'];
  /** The measure that users feel first, with a row for equal inputs, each load or benchmark; the worst, if many. */
  readonly lead: readonly Row[];
  /** All other rows. */
  readonly rest: readonly Row[];
  /** What the verifier says where kernels no longer load the program; kernels of which it is the same are grouped. */
  readonly refusals: readonly RefusalDetail[];
  /** Growth of a BPF program's machine code; null if that is not known. */
  readonly growth: GrowthDetail | null;
  /** Flame graphs of the benches of `lead`, each on the last kernel that has some. */
  readonly flames: readonly FlamesOfBench[];
  /** The command that measures it again. */
  readonly repeat: Sentence;
}

/** A bench and kernel whose profiles have flame graphs. */
export interface FlamesOfBench {
  /** Id of the profiles in the report, `profile-2`. */
  readonly id: string;
  readonly bench: string;
  readonly kernel: string;
}

export interface GrowthDetail {
  /** Says that these lines compile to more machine instructions, and on which kernel; or that none does. */
  readonly title: string;
  /** Whether these are instructions that a run executes, not those in the code. */
  readonly isExecuted: boolean;
  /** The lines that grew most, most first. */
  readonly lines: readonly GrownLine[];
  /** The called functions that cost most more in a run, with all that they call. */
  readonly calls: readonly Grown[];
}

/** What became more machine instructions. */
export interface Grown {
  /** `src/main.rs:42`, or `aya-ebpf-0.2.1/src/maps/queue.rs:70` in a dependency; a function's name. */
  readonly place: string;
  /** `0 → 18` */
  readonly values: string;
  /** `+18` */
  readonly delta: string;
  readonly base: number;
  readonly head: number;
}

export interface GrownLine extends Grown {
  readonly source: SourceLocation;
}

export interface RefusalDetail {
  /** `EACCES: R1 type=inv expected=fp`: it is part of the finding's `change`. */
  readonly why: string;
  /** `On 5.8 and 5.10 the verifier's log ends with:` */
  readonly title: string;
  /** The end of the verifier's log; empty if there is none. */
  readonly log: readonly string[];
}

/** Finds the URL of a line of head; null where it is not known. */
export type UrlOf = (place: SourceLocation) => string | null;

/** Rows of the first measure that are shown at once. */
const maxLead = 6;
/** Inputs with equal rows that are all named; of more, the first two. */
const maxInputs = 3;
/** Groups of kernels with different deltas that are listed one by one. */
const maxGroups = 3;
const maxName = 80;
/** Longest reason of a refusal in a title, in characters. */
const maxRefusal = 160;

/**
 * @param rowOf finds the row of a comparison
 * @param loadNames names of loads, by benchmark
 * @param diffs see {@link writeDiffs}
 * @param urlOf finds where a line of head is shown
 */
export function toDetail(
  finding: Finding,
  rowOf: (comparison: ComparisonRecord) => Row,
  loadNames: ReadonlyMap<string, string>,
  kernels: readonly KernelColumn[],
  results: Results,
  accepting: Names,
  diffs: ReadonlyMap<string, readonly string[]>,
  urlOf: UrlOf,
): FindingDetail {
  const { id, verdict, names, comparisons } = finding;
  const labels = new Map(finding.lead.map((each) => [rowOf(each), labelOf(each, loadNames)]));
  const all = [...new Set(comparisons.map(rowOf))];
  const lead = all.filter((row) => labels.has(row));
  const groups = groupBy(all, keyButInput);
  const leading = groups.filter(([row]) => labels.has(row));
  const worstFirst = leading.toSorted(([a], [b]) => compare(worstChange(b), worstChange(a)));
  const shown = lead.length > maxLead ? worstFirst.slice(0, maxLead) : leading;
  const withName = makeNames(all, labels);
  const growth = describeGrowth(finding.lead) ?? describeGrowth(comparisons);
  const lost = all.filter((row) => isLoads(row) && row.verdict === 'regression' && !labels.has(row));
  // The diff of another place than the line that grew would not say why.
  const place = growth?.lines.find(isOwn)?.source ?? finding.source;
  const origin = lead.find((row) => row.origin !== null)?.origin ?? [];
  return {
    id,
    verdict,
    isAccepted: finding.accepted,
    accepted: describeAccepted(comparisons),
    acceptLines: verdict === 'regression' && !finding.accepted ? accepting.suggest(comparisons) : [],
    subject: [
      ...nameFirst([finding.subject, ...names.slice(1)]),
      ...(finding.leaders.length === 0 ? [] : [': ', ...nameFirst(finding.leaders)]),
    ],
    change: [
      describeChange(lead, verdict, kernels),
      ...(lost.length === 0 ? [] : [describeChange(lost, 'regression', kernels)]),
      ...(origin.length === 0 ? [] : [toPlainName(origin)]),
    ].join(', '),
    where: describePlaces(finding, growth, urlOf),
    source: finding.source && { ...finding.source, file: toPlainLine(finding.source.file) },
    diff: (place && diffs.get(nameOf(place))) ?? [],
    leading: finding.lead,
    lead: shown.map(withName),
    rest: groups.filter((group) => !shown.includes(group)).map(withName),
    refusals: describeRefusals(comparisons),
    growth,
    flames: [],
    repeat: describeRepeat(finding, results),
  };
}

/** Adds the flame graphs of the benches of `lead`, and says so where no line is known to have changed. */
export function withFlames(detail: FindingDetail, known: readonly FlamesOfBench[]): FindingDetail {
  const ran = detail.lead.filter((row) => row.lane !== 'verifier' && inputOf(row) === undefined);
  const benches = new Set(ran.map(({ benchmark }) => ownerOf(benchmark)));
  const flames = [...benches].flatMap((bench) => known.findLast((each) => each.bench === bench) ?? []);
  if (flames.length === 0 || detail.growth !== null || ran.some(({ kind }) => kind !== 'benchmark')) {
    return { ...detail, flames };
  }
  const where = [
    ...(detail.where.length === 0 ? [] : [...detail.where, ', ']),
    'user-space code of which no line is known to have changed; its flame graphs show where it runs and waits',
  ];
  return { ...detail, flames, where };
}

/** `` `fun_xdp` and 2 more `` */
function nameFirst(names: readonly string[]): Sentence {
  const name = { code: clipMiddle(toPlainLine(names[0] ?? ''), maxName) };
  return names.length <= 1 ? [name] : [name, ` and ${names.length - 1} more`];
}

/** `` Accepted by commit 1a2b3c4d5e: reason (`fun_xdp instructions +88`) `` */
function describeAccepted(comparisons: readonly ComparisonRecord[]): Sentence[] {
  const lines = comparisons.flatMap(({ accepted }) => accepted ?? []);
  return groupBy(lines, ({ by, text }) => JSON.stringify([by, text])).map(([{ by, text, reason }]) => {
    const line = { code: toPlainLine(text.slice(0, -reason.length).trim()) };
    return [`Accepted by ${toPlainLine(by)}: ${toPlainLine(reason)} (`, line, ')'];
  });
}

/** Introduces the lines that accept a finding. */
export const howToAccept =
  "To accept it, add these lines to a commit message or to the pull request's description, with your reason for REASON";
/** Introduces the lines of all findings, in one list. */
export const howToAcceptSome =
  "To accept a change, add its lines to a commit message or to the pull request's description, with your reason for REASON";

/** The word in front of a finding's title, if any. */
export function prefixOf({ verdict, isAccepted }: FindingDetail): string {
  return isAccepted ? 'Accepted: ' : verdict === 'improvement' ? 'Better: ' : '';
}

/** A key that rows have in common if they differ only in the program's input, as far as a reader sees. */
function keyButInput({ name: _, ...row }: Row): string {
  const benchmark = inputOf(row) === undefined ? row.benchmark : [programOf(row.benchmark)];
  return JSON.stringify({ ...row, benchmark }, (key, value) => (key === 'values' ? undefined : value));
}

/**
 * Makes the function that makes one row of those that differ only in the input: `` `arp`, `dns`, `gre` ``, `all 15
 * inputs` or `` `arp`, `dns` and 9 more inputs``. Inputs have their program's name if the finding has several.
 */
function makeNames(all: readonly Row[], labels: ReadonlyMap<Row, string>): (rows: readonly [Row, ...Row[]]) => Row {
  const onInputs = all.filter((row) => inputOf(row) !== undefined);
  const isOne = new Set(onInputs.map(({ benchmark }) => programOf(benchmark))).size === 1;
  const isClear = new Set(labels.values()).size === labels.size;
  const measureOf = ({ lane, measure }: Row) => JSON.stringify([lane, measure]);
  const totals = countEach(onInputs.map(measureOf));
  const nameOf = (row: Row) =>
    (inputOf(row) === undefined ? isClear && labels.get(row) : isOne && inputOf(row)) || row.benchmark;
  return (rows) => {
    const more = rows.length > maxInputs ? rows.length - 2 : 0;
    const isEvery = isOne && more > 0 && rows.length === totals.get(measureOf(rows[0]));
    const named = rows.slice(0, rows.length - more);
    const names = named.flatMap((row, index): Sentence => [...(index === 0 ? [] : [', ']), { code: nameOf(row) }]);
    const name = isEvery ? [`all ${rows.length} inputs`] : more > 0 ? [...names, ` and ${more} more inputs`] : names;
    return { ...rows[0], name };
  };
}

/** The name of a load by what the bench printed; else the benchmark. */
function labelOf({ kind, benchmark }: ComparisonRecord, loadNames: ReadonlyMap<string, string>): string {
  const loadName = kind === 'bpf-program' ? loadNames.get(benchmark) : undefined;
  return toPlainLine(loadName ?? benchmark);
}

/** The place of the subject, and the line that grew most. */
function describePlaces({ source, lead }: Finding, growth: GrowthDetail | null, urlOf: UrlOf): Sentence {
  const link = (code: string, place: SourceLocation) => {
    const url = urlOf(place);
    return url === null ? { code } : { code, url };
  };
  const grown = growth?.lines.find(isOwn);
  const [call] = growth?.calls ?? [];
  const more = ({ delta }: Grown) => {
    const number = `${delta.replace('+', '')} more`;
    const what = `instruction${delta === '+1' ? '' : 's'}`;
    return growth?.isExecuted ? ` executes ${number} ${what}` : ` compiles to ${number} machine ${what}`;
  };
  const isOneLine = source !== null && grown !== undefined && nameOf(source) === nameOf(grown.source);
  const parts: Sentence[] = [
    ...(source === null || isOneLine ? [] : [[link(nameOf(source), source)]]),
    ...(grown === undefined ? [] : [[link(grown.place, grown.source), more(grown)]]),
    ...(call === undefined ? [] : [[{ code: call.place }, more(call)]]),
  ];
  const isUnknown = parts.length === 0 && lead.every((each) => each.kind === 'bpf-program' && !isLoads(each));
  if (isUnknown) return ['code of which no source line is known'];
  return parts.flatMap((part, index) => (index === 0 ? part : ['; ', ...part]));
}

/** Writes the lines of each diff, by the place of which it is. */
export function writeDiffs({ diffs }: Pick<Results, 'diffs'>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    diffs.map(({ source, removed, added }) => {
      const lines = [...removed.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)];
      return [
        nameOf(source),
        lines.slice(0, maxDiffLines).map((line) => clipMiddle(toPlainLine(line), maxDiffLine + 2)),
      ];
    }),
  );
}

function nameOf({ file, line }: SourceLocation): string {
  return `${toPlainLine(file)}:${line}`;
}

/** Whether a line is in the repository. Files outside of it have absolute paths. */
export function isOwn({ source }: Pick<GrownLine, 'source'>): boolean {
  return !source.file.startsWith('/');
}

/**
 * Describes how the cells of a verdict changed: `+28 instructions per run on 3 kernels`. Where kernels differ:
 * `+28 instructions per run on 5.10 and 6.1, +3 more on 6.12`; several rows: `+87 to +93 instructions per run only on
 * 5.10`. Then it says where the benchmark was lost or won: `no longer runs on 5.10 (needs 5.18)`; and of what is not an
 * improvement, where it is one: `better on 6.1 (−10)`.
 *
 * @param rows of one measure
 */
function describeChange(rows: readonly Row[], verdict: Finding['verdict'], kernels: readonly KernelColumn[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const cells = rows.flatMap((row) => row.cells.filter((cell): cell is Cell => cell?.verdict === verdict));
  const where = (own: readonly Cell[]) => nameWhere(own, kernels);
  const changed = new Set(cells.map(({ kernel }) => kernel));
  const isElsewhere = rows.some((row) => row.cells.some((cell) => cell !== null && !changed.has(cell.kernel)));
  const whereOnly = (own: readonly Cell[]) =>
    `${isElsewhere && own.length === cells.length ? 'only ' : ''}${where(own)}`;
  const better = verdict === 'improvement' ? [] : describeBetter(rows, where);
  if (verdict === 'inconclusive') {
    const spread = widestSpread(cells);
    return [`cannot be decided${spread === null ? '' : ` (${spread})`} ${where(cells)}`, ...better].join(', ');
  }
  if (isLoads(first)) {
    return [verdict === 'regression' ? describeLost(cells, where) : `now loads ${where(cells)}`, ...better].join(', ');
  }
  return [...describeDeltas(rows, cells, whereOnly), ...describeGaps(cells, where), ...better].join(', ');
}

/** `no longer loads on 5.10: EACCES: R1 invalid mem access 'inv'` */
function describeLost(cells: readonly Cell[], where: (own: readonly Cell[]) => string): string {
  const groups = groupBy(cells, ({ refusal }) => refusal ?? '').toSorted((a, b) => b.length - a.length);
  const whyOf = ([{ refusal }]: (typeof groups)[number]) =>
    refusal === null ? '' : `: ${clipMiddle(refusal, maxRefusal)}`;
  const [most] = groups;
  const named =
    groups.length > maxGroups && most !== undefined
      ? [`${where(cells)}${whyOf(most)}`, `and ${groups.length - 1} other reasons`]
      : groups.map((group) => `${where(group)}${whyOf(group)}`);
  return `no longer loads ${named.join(', ')}`;
}

/** `better on 6.1 (−10)`, `now loads on 6.1`. */
function describeBetter(rows: readonly Row[], where: (own: readonly Cell[]) => string): string[] {
  const cells = rows.flatMap((row) => row.cells.filter((cell): cell is Cell => cell?.verdict === 'improvement'));
  const changed = cells.filter(({ delta }) => delta !== null);
  const loads = rows.some(isLoads) ? cells : [];
  return [
    ...(loads.length === 0 ? [] : [`now loads ${where(loads)}`]),
    ...(changed.length === 0 ? [] : [`better ${where(changed)} (${formatRange(changed)})`]),
    ...describeGaps(cells, where),
  ];
}

function describeDeltas(
  rows: readonly Row[],
  cells: readonly Cell[],
  where: (own: readonly Cell[]) => string,
): string[] {
  const changed = cells.filter(({ delta }) => delta !== null);
  const [first] = rows;
  if (changed.length === 0 || first === undefined) return [];
  const deltasOf = (own: readonly Cell[]) =>
    rows.map((row) => own.find((cell) => row.cells.includes(cell))?.values.delta ?? null);
  const groups = groupBy(
    groupBy(changed, ({ kernel }) => kernel),
    (own) => JSON.stringify(deltasOf(own)),
  ).toSorted((a, b) => b.length - a.length);
  const isExact = changed.every(({ values }) => values.interval === 'exact');
  const [[usual = []] = [], ...others] = groups;
  const more = others.map((group) => describeMore(deltasOf(usual), deltasOf(group[0])));
  const isMixed = more.includes(undefined) && doOverlap(groups.map((group) => group.flat()));
  if (!isExact || groups.length > maxGroups || isMixed) return [`${formatRange(changed, first)} ${where(changed)}`];
  return groups.map((group, index) => {
    const own = group.flat();
    if (index === 0) return `${formatRange(own, first)} ${where(own)}`;
    return `${more[index - 1] ?? formatRange(own)} ${where(own)}`;
  });
}

/** Whether two kernels have deltas in a common range, so that neither has more than the other. */
function doOverlap(groups: readonly (readonly Cell[])[]): boolean {
  const ranges = groups.map((cells) => {
    const deltas = cells.map(({ values }) => values.delta ?? 0);
    return { least: Math.min(...deltas), most: Math.max(...deltas) };
  });
  return ranges.some((a, index) => ranges.slice(index + 1).some((b) => a.least <= b.most && b.least <= a.most));
}

/** `+3 more`, if all are larger by as much; else undefined. */
function describeMore(usual: readonly (number | null)[], other: readonly (number | null)[]): string | undefined {
  const more = other.map((delta, index) => Math.abs(delta ?? Number.NaN) - Math.abs(usual[index] ?? Number.NaN));
  const [first = Number.NaN] = more;
  if (!Number.isInteger(first) || first <= 0 || more.some((each) => each !== first)) return undefined;
  return `${formatDelta((other[0] ?? 0) < 0 ? -first : first, 0)} more`;
}

/** `+87 to +93 instructions per run`, the smaller change first; without a row no unit. */
function formatRange(cells: readonly Cell[], row?: Row): string {
  const ordered = cells.toSorted((a, b) => Math.abs(a.values.delta ?? 0) - Math.abs(b.values.delta ?? 0));
  const [least = '', most = ''] = [ordered[0], ordered.at(-1)].map((cell) =>
    formatBrief(cell?.values.delta ?? 0, cell?.delta ?? ''),
  );
  return [least === most ? most : `${least} to ${most}`, ...(row === undefined ? [] : [nameUnit(row, most)])].join(' ');
}

function describeGaps(cells: readonly Cell[], where: (own: readonly Cell[]) => string): string[] {
  return groupBy(cells, ({ needs }) => JSON.stringify(needs)).flatMap((group) => {
    const { needs } = group[0];
    if (needs === null) return [];
    return needs.side === 'head'
      ? `no longer runs ${where(group)} (needs ${needs.kernel})`
      : `now runs ${where(group)} (base needs ${needs.kernel})`;
  });
}

/** `on 3 kernels`, `on 6.1`. */
function nameWhere(own: readonly Cell[], kernels: readonly KernelColumn[]): string {
  const on = new Set(own.map(({ kernel }) => kernel));
  const measured = kernels.filter(({ failed }) => !failed);
  if (on.size > 1 && on.size === kernels.length) return `on ${on.size} kernels`;
  const isEvery = on.size > 1 && measured.length === on.size && measured.every(({ id }) => on.has(id));
  return isEvery ? 'on every measured kernel' : `on ${nameKernels([...on])}`;
}

/** `±0.33%`; null if none is known. */
export function widestSpread(cells: readonly Cell[]): string | null {
  const spreads = cells.flatMap(({ verdict, spread }) => (verdict === 'inconclusive' ? (spread ?? []) : []));
  return spreads.toSorted((a, b) => Number.parseFloat(b.slice(1)) - Number.parseFloat(a.slice(1)))[0] ?? null;
}

/** Describes the last kernel only: a JIT does alike on all, and its newest form is the one that stays. */
function describeGrowth(comparisons: readonly ComparisonRecord[]): GrowthDetail | null {
  const known = comparisons.findLast(({ calls }) => calls) ?? comparisons.findLast(({ lines }) => lines !== null);
  if (known === undefined || known.lines === null) return null;
  const where = `on ${toPlainLine(known.kernel)}`;
  const isExecuted = Boolean(known.calls);
  const calls = (known.calls ?? []).map((call) => ({
    place: clipMiddle(toPlainLine(call.name), maxName),
    ...compareAmounts(call.base, call.head),
  }));
  if (known.lines.length === 0 && calls.length === 0) {
    if (isExecuted) return null;
    // Code can become larger without more instructions.
    if (known.unit.startsWith('bytes')) return null;
    const title = `no source line compiles to more machine instructions ${where}: what was there runs more often, or calls what costs more`;
    return { title, isExecuted, lines: [], calls };
  }
  const lines = known.lines.map(({ source, base, head }): GrownLine => {
    const file = toPlainLine(source.file);
    const short = file.replace(fetched, '');
    return { place: `${short}:${source.line}`, ...compareAmounts(base, head), source: { file, line: source.line } };
  });
  const title = isExecuted
    ? `source lines and called functions in which a run executes more instructions, ${where}`
    : `source lines that compile to more machine instructions, ${where}`;
  return { title, isExecuted, lines, calls };
}

/** Writes whole numbers whole, and others with one decimal. */
export function compareAmounts(base: number, head: number): Omit<Grown, 'place'> {
  const decimals = Number.isInteger(base) && Number.isInteger(head) ? 0 : 1;
  const [from, to] = [formatNumber(base, decimals), formatNumber(head, decimals)];
  return { values: `${from} → ${to}`, delta: formatDelta(head - base, decimals), base, head };
}

function describeRefusals(comparisons: readonly ComparisonRecord[]): RefusalDetail[] {
  const refused = comparisons.filter((each) => isLoads(each) && each.verdict === 'regression');
  return groupBy(refused, ({ refusal }) => JSON.stringify(refusal)).flatMap((group) => {
    const [{ refusal }] = group;
    if (refusal === null) return [];
    const where = joinWords([...new Set(group.map(({ kernel }) => toPlainLine(kernel)))]);
    return {
      why: describeRefusal(refusal),
      title: `On ${where} the verifier's log ends with:`,
      log: refusal.log.map(toPlainLine),
    };
  });
}

/** `EACCES: R1 type=inv expected=fp` */
export function describeRefusal({ errno, message }: NonNullable<ComparisonRecord['refusal']>): string {
  return [errno, message].flatMap((part) => (part === null ? [] : toPlainLine(part))).join(': ');
}

function describeGrown({ lines, calls }: GrowthDetail): string {
  const names = [...(lines.length === 0 ? [] : ['lines']), ...(calls.length === 0 ? [] : ['called functions'])];
  return names.length === 0 ? 'no line grew' : `${joinWords(names)} that grew`;
}

/** `11 more rows, lines that grew, the verifier's log`: what is folded; empty if nothing is. */
export function describeFold({ rest, growth, refusals, acceptLines }: FindingDetail): string {
  return [
    ...(rest.length === 0 ? [] : [countOf(rest.length, 'more row')]),
    ...(growth === null ? [] : [describeGrown(growth)]),
    ...(refusals.every(({ log }) => log.length === 0) ? [] : ["the verifier's log"]),
    ...(acceptLines.length === 0 ? [] : ['how to accept it']),
  ].join(', ');
}
