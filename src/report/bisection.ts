// Report: what a bisection follows, and what it found. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { isUngated } from '../compare/compare.ts';
import { maxSkips, type Step } from '../compare/find-steps.ts';
import { suggest } from '../inputs/nearest-name.ts';
import type { Commit } from '../model/build.ts';
import type { FindingDetail } from './finding-detail.ts';
import { findFindings, programOf, rankOf, shortOf } from './findings.ts';
import { formatDelta, formatNumber } from './numbers.ts';
import { toPlainLine, toText } from './plain-text.ts';
import { type Options, writeOptions } from './repeat-command.ts';
import { buildReport } from './report-model.ts';
import type { ComparisonRecord, Results } from './results.ts';
import { isLoads, nameUnit } from './row.ts';

/** An exact count that both ends of a bisection have: base is the good end, head the bad one. */
export type Followed = ComparisonRecord & { readonly base: number; readonly head: number };

/** Names that an error lists at most. */
const maxNamed = 10;
const maxSubject = 72;

/** Compares a kernel with another one, by what head costs on each. */
export function compareWithKernel({ comparisons }: Results, first: string, last: string): ComparisonRecord[] {
  return comparisons.flatMap((each) => {
    if (each.kernel !== last) return [];
    const before = comparisons.find((other) => other.kernel === first && isSame(other, each));
    return [{ ...each, base: before?.head ?? null, interval: before?.interval === 'exact' ? each.interval : null }];
  });
}

/**
 * Chooses what is followed. The name is that of a benchmark, or of a program with or without its object or bench, as
 * reports print it. Of several exact counts it is the first that differs, in the order in which reports lead with them;
 * if none does, the first.
 *
 * @throws InputError when there is no such name, only one end has it, or it has no exact count
 */
export function chooseFollowed(comparisons: readonly ComparisonRecord[], name: string): Followed {
  const namesOf = ({ benchmark }: ComparisonRecord) => [benchmark, programOf(benchmark)].map(toPlainLine);
  const named = comparisons.filter((each) => namesOf(each).includes(name));
  const found = named.length > 0 ? named : comparisons.filter((each) => namesOf(each).map(shortOf).includes(name));
  if (found.length === 0) {
    const known = [...new Set(comparisons.flatMap((each) => [...namesOf(each), ...namesOf(each).map(shortOf)]))];
    const programs = [...new Set(comparisons.map((each) => namesOf(each)[1]))];
    throw new InputError(`--bench: nothing that was measured is called \`${name}\`${suggest(name, known)}`, {
      hint: `measured were ${programs.slice(0, maxNamed).join(', ') || 'no programs'}${programs.length > maxNamed ? ', …' : ''}`,
    });
  }
  const isExact = (each: ComparisonRecord): each is Followed =>
    each.base !== null && each.head !== null && each.interval === 'exact' && !isUngated(each);
  const exact = found.filter(isExact).toSorted((a, b) => rankOf(a) - rankOf(b));
  const followed = exact.find(({ base, head }) => base !== head) ?? exact[0];
  if (followed !== undefined) return followed;
  throw new InputError(`--bench: \`${name}\` has no exact count at both ends of the range`, {
    hint: 'choose ends that both have it; counts that vary are compared by `bpfgate run`, two commits at a time',
  });
}

/** Finds the comparison of what is followed in a run with the same base. */
export function findFollowed({ comparisons }: Results, followed: ComparisonRecord): ComparisonRecord | undefined {
  return comparisons.find((each) => isSame(each, followed));
}

/** Finds the finding that contains a benchmark's comparison. Others may come before it. */
export function findFinding(
  results: Results,
  { lane, measure, benchmark }: Pick<ComparisonRecord, 'lane' | 'measure' | 'benchmark'>,
): FindingDetail | undefined {
  const isWanted = (each: ComparisonRecord) =>
    each.lane === lane && each.measure === measure && each.benchmark === benchmark;
  const found = findFindings(results).find(({ comparisons }) => comparisons.some(isWanted));
  return buildReport(results).findings.find(({ id }) => id === found?.id);
}

function isSame(one: ComparisonRecord, other: ComparisonRecord): boolean {
  const nameOf = ({ renamedFrom, benchmark }: ComparisonRecord) => renamedFrom ?? benchmark;
  return one.lane === other.lane && one.measure === other.measure && nameOf(one) === nameOf(other);
}

/** `` `probe/count/arp`, 18 instructions per run ``: what is followed, at the good end. */
export function describeFollowed(followed: Followed): string {
  return `${nameOf(followed)}, ${formatNumber(followed.base)} ${toPlainLine(nameUnit(followed, formatDelta(followed.base)))}`;
}

/** `25 (+7)` */
export function describeValue({ base }: Followed, value: number): string {
  return `${formatNumber(value)}${value === base ? '' : ` (${formatDelta(value - base)})`}`;
}

/** `7a1b2c3d4e "probe: count interfaces"` */
export function nameCommit({ id, subject }: Commit): string {
  return `${id.slice(0, 10)} "${clipMiddle(toPlainLine(subject), maxSubject)}"`;
}

/** @param options what else the command that bisects inside of a merge is given */
export function describeCommit({ author, date, parents }: Commit, options: Options): string[] {
  const [first, second] = parents.map((id) => id.slice(0, 10));
  // Where the branch has merged the other, their merge base is not among its first parents.
  const range = `--good ${second}~$(git rev-list --first-parent --count ${first}..${second}) --bad ${second}`;
  return [
    `${clipMiddle(toPlainLine(author), maxSubject)}, ${date}`,
    ...(second === undefined
      ? []
      : [`a merge; to look inside: \`bpfgate bisect ${[range, ...writeOptions(options)].join(' ')}\``]),
  ];
}

/** A step, and what is known of the point at which it is. */
export interface FoundStep extends Step {
  /** Names of the points at which it may be; several if those before the last could not be measured. */
  readonly titles: readonly string[];
  readonly about: readonly string[];
  /** The comparison with the point before it, if one was made. */
  readonly finding: FindingDetail | undefined;
}

/** @param where ` on 6.1`, or empty */
export function renderSteps(followed: Followed, steps: readonly FoundStep[], noun: string, where: string): string {
  if (steps.length === 0) {
    return `both ends cost the same: ${describeFollowed(followed)}. What changed and was undone in between is not seen.\n`;
  }
  const total = followed.head - followed.base;
  const [{ from, to }] = steps as [FoundStep];
  const isPart = steps.length === 1 && to.value - from.value !== total;
  const rest = `The ends differ by ${formatDelta(total)} in all: --all finds the other steps.\n`;
  return `${steps.map((step) => renderStep(followed, step, noun, where)).join('\n')}${isPart ? `\n${rest}` : ''}`;
}

function renderStep(followed: Followed, step: FoundStep, noun: string, where: string): string {
  const { from, to, titles, about, finding } = step;
  const delta = formatDelta(to.value - from.value);
  const unit = toPlainLine(nameUnit(followed, delta));
  const values = `${formatNumber(from.value)} → ${formatNumber(to.value)}`;
  const how = isLoads(followed)
    ? `it ${to.value === 0 ? 'no longer' : 'now'} loads${where}`
    : `${delta} ${unit}${where} (${values})`;
  const change = `changes ${nameOf(followed)}: ${how}`;
  const isCut = titles.length > maxSkips + 1;
  const listed = isCut ? [titles[0], '…', titles.at(-1)] : titles;
  const lines =
    titles.length > 1
      ? [
          `One of ${titles.length} ${noun}s ${change}. ${isCut ? `${maxSkips} that were tried` : 'All but the last'} could not be measured:`,
          ...listed,
        ]
      : [
          `${titles[0]} is the first ${noun} that ${change}`,
          ...about,
          ...(finding === undefined || finding.where.length === 0 ? [] : [toText(finding.where)]),
          ...(finding?.refusals.map(({ why }) => why) ?? []),
          ...(finding === undefined ? [] : [toText(finding.repeat)]),
        ];
  return `${lines.join('\n  ')}\n`;
}

function nameOf({ benchmark }: ComparisonRecord): string {
  return `\`${toPlainLine(benchmark)}\``;
}
