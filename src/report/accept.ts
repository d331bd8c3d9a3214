// Report: costs that an author accepts, by lines `bpfgate-accept: SUBJECT MEASURE +N REASON`. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy, indexBy } from '../common/group-by.ts';
import { suggest } from '../inputs/nearest-name.ts';
import { nameSubjects, shortOf } from './findings.ts';
import { isFailing } from './gate-verdict.ts';
import { formatDelta } from './numbers.ts';
import { joinWords, type Sentence, toPlainLine, toSentence } from './plain-text.ts';
import { type ComparisonRecord, maxAccepts, type Results } from './results.ts';
import { isLoads } from './row.ts';

/** The start of a line in a commit message or a pull request's description. */
export const acceptKey = 'bpfgate-accept';
/** Why lines of a bot do not count: it embeds what others wrote. */
export const ofBot = 'is ignored: a bot wrote the text that it is in';
/** The longest line behind it that is read, in characters. */
const maxLength = 500;
/** Lines for which the name that was meant is looked for. */
const maxGuesses = 5;
/** Names among which it is looked for, and the longest that is compared whole, in characters. */
const maxNames = 1000;
const maxName = 80;
/** Inputs or loads of a program that get a line each, if their changes differ by more than this ratio. */
const maxOwn = 6;
const maxRatio = 1.1;

/** The text behind the key of a line, and who wrote it. */
export type Accept = Results['accepts'][number];

/** A line that says what it should. */
interface Line {
  readonly subject: string;
  readonly measure: string;
  /** The greatest change that is accepted, in the measure's unit, with its sign. */
  readonly most: number;
  /** Empty if the line names none. */
  readonly unit: string;
  readonly reason: string;
}

const form =
  /^(?<subject>\S.*?)\s+(?<measure>\S+)\s+(?<most>[+−-](?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?<unit>[a-z]*)\s+(?<reason>\S.*)$/u;
/** The placeholder for the reason in lines that a report suggests. */
const noReason = 'REASON';

function parseLine(text: string): Line | undefined {
  const parts = text.length > maxLength ? null : form.exec(text);
  const { subject = '', measure = '', most = '', unit = '', reason = noReason } = parts?.groups ?? {};
  const number = Number(most.replace('−', '-').replaceAll(',', ''));
  // A line that was wrapped may go on behind it.
  return reason.split(' ', 1)[0] === noReason || !Number.isFinite(number)
    ? undefined
    : { subject, measure, most: number, unit, reason };
}

/**
 * Takes as many lines, and as much of each, as are read: those that count come first. If some are left out, the last one
 * says how many.
 */
export function limitAccepts(accepts: readonly Accept[]): Accept[] {
  const left = accepts.length - maxAccepts;
  const ignored = `is ignored, as are ${left} more: of more than ${maxAccepts} lines, ${maxAccepts - 1} are read`;
  const ordered = accepts.toSorted((a, b) => Number(a.ignored !== undefined) - Number(b.ignored !== undefined));
  return ordered.slice(0, maxAccepts).map((each, index) => ({
    ...each,
    text: each.text.slice(0, maxLength + 1),
    ...(left > 0 && index === maxAccepts - 1 ? { ignored } : {}),
  }));
}

/** Parts of HTML that show what somebody else wrote. */
const quotingTag = /<(\/?)(?:pre|code|blockquote|details)\b/gi;
/** Column at which GitHub wraps each line of a squash, as people do, without an indent. */
const wrapColumn = 72;

/**
 * Finds the lines in a commit's message or a pull request's description, each without its key, and joined with indented
 * ones below it, as git joins a trailer's, and with what was wrapped. A person writes them last: release notes and
 * quotes that others wrote come before. So those in the last paragraph count, and in the message of a squash, below
 * whose commits GitHub adds more paragraphs, all. None counts in a quote, code or HTML. One that does not count says
 * so. Those in HTML comments, which templates have, are not found. Below the start of a comment without an end none
 * counts, even if the start seems to be in code: GitHub may hide them.
 */
export function findAccepts(text: string, of: 'commit' | 'description', by: string): Accept[] {
  const lines = text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, (found) => (found.endsWith('-->') ? '' : found))
    .trimEnd()
    .split(/\r?\n/);
  const end = lines.findLastIndex((line) => line.trim() === '');
  const isSquash = of === 'commit' && /\(#\d+\)$/.test(lines[0]?.trimEnd() ?? '');
  // The title of a commit is no trailer.
  const start = isSquash ? 1 : of === 'commit' && end === -1 ? lines.length : end + 1;
  const ignored =
    of === 'commit'
      ? 'is ignored: it has to be a trailer, in the last paragraph of the message, and in no quote or code'
      : 'is ignored: it has to be in the last paragraph of the description, and in no quote or code';
  const found: Accept[] = [];
  /** The fence of a block of code, in which the line is. */
  let fence = '';
  /** Open tags of quoting HTML, around the line. */
  let depth = 0;
  let isQuote = false;
  let isHidden = false;
  /** Whether an indented line belongs to the last that was found. */
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const isCode = fence !== '';
    if (isCode && marks.startsWith(fence) && rest.trim() === '') fence = '';
    else if (!isCode && !rest.includes('`')) fence = marks;
    // A paragraph that begins as a quote is one to its end.
    isQuote = line.trim() !== '' && (isQuote || /^ {0,3}>/.test(line));
    for (const [, close] of isCode ? [] : line.replace(/`[^`]*`/g, '').matchAll(quotingTag)) {
      depth = Math.max(0, depth + (close === '' ? 1 : -1));
    }
    isHidden ||= line.includes('<!--');
    const [, before = '', own] = /^([^\p{L}]*)bpfgate-accept:(.*)$/iu.exec(line) ?? [];
    const goesOn = /^[ \t]+\S/.test(line) || isWrapped(lines[index - 1] ?? '', line);
    const last: Accept | undefined = isOpen && own === undefined && goesOn ? found.pop() : undefined;
    isOpen = own !== undefined || last !== undefined;
    if (last !== undefined) found.push({ ...last, text: `${last.text} ${line.trim()}`.trim() });
    if (own === undefined) continue;
    const counts = index >= start && /^ {0,3}$/.test(before) && !isCode && !isQuote && !isHidden && depth === 0;
    found.push({ text: own.trim(), by, ...(counts ? {} : { ignored }) });
  }
  return found;
}

/** Whether a line goes on with the next one, for whose first word it had no room. Another trailer is not part of it. */
function isWrapped(line: string, next: string): boolean {
  const [word = ''] = next.split(' ', 1);
  // Only a word alone is longer.
  if (line.length > wrapColumn && line.includes(' ')) return false;
  return word !== '' && line.length + 1 + word.length > wrapColumn && !/^[\w-]+:$/.test(word);
}

/** Names of a comparison's measure: its own, and its unit's if that names it. `bpf-instructions` is `instructions`. */
function wordsOf({ measure, unit }: ComparisonRecord): string[] {
  const [noun = ''] = unit.split('/');
  return [toPlainLine(measure), ...(measure === `bpf-${noun}` ? [noun] : [])];
}

/** Whether a line could accept it: a load or run that is lost has no size. */
function hasSize(comparison: ComparisonRecord): boolean {
  return comparison.delta !== null && !isLoads(comparison);
}

function covers({ most, unit }: Line, comparison: ComparisonRecord): boolean {
  const { delta } = comparison;
  if (delta === null || !hasSize(comparison)) return false;
  if (unit !== '' && unit !== comparison.unit.split('/')[0]) return false;
  return Math.sign(delta) === Math.sign(most) && Math.abs(delta) <= Math.abs(most);
}

interface Named {
  readonly comparison: ComparisonRecord;
  readonly subject: string;
  /** Its subject, measure and lane. */
  readonly key: string;
  readonly names: readonly [own: string, subject: string, subjectWithoutObject: string];
  /** Words that name its measure. */
  readonly words: readonly string[];
}

/** Finds comparisons by the names that reports show. */
export class Names {
  readonly #results: Pick<Results, 'comparisons' | 'project'>;
  #known: ReadonlyMap<ComparisonRecord, Named> | undefined;
  /** Comparisons by a name and a word for the measure; those of the longest names first. */
  #levels: readonly ReadonlyMap<string, readonly Named[]>[] | undefined;

  constructor(results: Pick<Results, 'comparisons' | 'project'>) {
    this.#results = results;
  }

  /** All comparisons, named when they are first needed. */
  get #named(): ReadonlyMap<ComparisonRecord, Named> {
    if (this.#known !== undefined) return this.#known;
    const { comparisons, project } = this.#results;
    const subjectOf = nameSubjects(comparisons, project);
    const named = comparisons.map((comparison): Named => {
      const subject = subjectOf(comparison);
      const [name = ''] = JSON.parse(subject) as string[];
      return {
        comparison,
        subject,
        key: JSON.stringify([subject, comparison.measure, comparison.lane]),
        names: [toPlainLine(comparison.benchmark), toPlainLine(name), toPlainLine(shortOf(name))],
        words: wordsOf(comparison),
      };
    });
    this.#known = new Map(named.map((each) => [each.comparison, each]));
    return this.#known;
  }

  #index(named: readonly Named[]): readonly ReadonlyMap<string, readonly Named[]>[] {
    return ([0, 1, 2] as const).map((level) => {
      const entries = named.flatMap((each) =>
        each.words.map((word) => ({ ...each, by: JSON.stringify([each.names[level], word]) })),
      );
      return indexBy(entries, ({ by }) => by);
    });
  }

  /**
   * Finds the regressions of one subject's one measure; `several` if more than one has the name. Subjects that did not
   * regress count too, so that a line never comes to mean another one.
   */
  find({ subject, measure }: Line): readonly ComparisonRecord[] | 'several' {
    this.#levels ??= this.#index([...this.#named.values()]);
    const by = JSON.stringify([subject, measure]);
    const own = this.#levels.map((each) => each.get(by)).find((each) => each !== undefined) ?? [];
    const regressions = own.filter(({ comparison }) => comparison.verdict === 'regression');
    const isOne =
      own.every((each) => each.subject === own[0]?.subject) &&
      regressions.every(({ key }) => key === regressions[0]?.key);
    return isOne ? regressions.map(({ comparison }) => comparison) : 'several';
  }

  /**
   * Writes lines that accept these: one for each measure of each subject, or one for each of its inputs or loads if
   * these are few and changed differently. None if no lines can accept all.
   */
  suggest(comparisons: readonly ComparisonRecord[]): string[] {
    const failing = comparisons.filter(isFailing);
    if (!failing.every(hasSize)) return [];
    const named = this.#named;
    const groups = groupBy(
      failing.flatMap((each) => named.get(each) ?? []),
      ({ key }) => key,
    ).map((group) => this.#linesFor(group));
    const lines = groups.flat();
    return lines.length > maxAccepts || groups.some((group) => group.length === 0) ? [] : lines;
  }

  /** @returns empty if no line can accept all of one subject's one measure */
  #linesFor(group: readonly [Named, ...Named[]]): string[] {
    const [, subject, short] = group[0].names;
    const own = groupBy(group, ({ names: [name] }) => name);
    const bounds = own.slice(0, maxOwn).map(boundOf);
    const isNear = Math.max(...bounds) <= maxRatio * Math.min(...bounds);
    const one = [this.#lineFor(group, short) ?? this.#lineFor(group, subject)];
    const each = own.length > maxOwn ? [] : own.map((part) => this.#lineFor(part, part[0].names[0]));
    const choices = isNear ? [one, each] : [each, one];
    return choices.find((lines): lines is string[] => lines.length > 0 && !lines.includes(undefined)) ?? [];
  }

  #lineFor(group: readonly [Named, ...Named[]], name: string): string | undefined {
    const [{ comparison, words }] = group;
    const bound = `${(comparison.delta ?? 0) < 0 ? '-' : '+'}${toDigits(boundOf(group))}`;
    const right = words
      .toReversed()
      .map((word) => `${name} ${word} ${bound}`)
      .find((pair) => {
        const line = parseLine(`${pair} reason`);
        if (line === undefined) return false;
        const found = new Set<unknown>(this.find(line));
        return group.every((each) => found.has(each.comparison) && covers(line, each.comparison));
      });
    return right === undefined ? undefined : `${acceptKey}: ${right} ${noReason}`;
  }

  /** Says of each line that does not accept all that it names why. */
  describeUnused({ accepts, shard }: Pick<Results, 'accepts' | 'shard'>): Sentence[] {
    if (accepts.length === 0) return [];
    const entries = [...this.#named.values()].flatMap(({ names, words }) => names.map((name) => ({ name, words })));
    const groups = groupBy(entries, ({ name }) => name);
    const words = new Map(groups.map((own) => [own[0].name, [...new Set(own.flatMap((each) => each.words))]]));
    let guesses = maxGuesses;
    const guess = (word: string, others: readonly string[]) => {
      const near = guesses-- > 0 ? others.slice(0, maxNames) : [];
      return suggest(
        clipMiddle(word, maxName),
        near.map((name) => clipMiddle(name, maxName)),
      );
    };
    return accepts.flatMap(({ text, by, ignored }) => {
      const why = ignored ?? this.#explain(text, words, shard !== null, guess);
      const line = { code: toPlainLine(clipMiddle(`${acceptKey}: ${text}`, maxLength)) };
      return why === null ? [] : [[line, ` (${toPlainLine(by)}) `, ...toSentence(why)]];
    });
  }

  /** @param measures words for the measures of each name */
  #explain(
    text: string,
    measures: ReadonlyMap<string, readonly string[]>,
    isShard: boolean,
    guess: typeof suggest,
  ): string | null {
    const line = parseLine(text);
    if (line === undefined) return 'is not understood: write SUBJECT MEASURE +N REASON';
    const found = this.find(line);
    if (found === 'several') return 'names several programs or benchmarks: write the name with its object or bench';
    const failing = found.filter(isFailing);
    if (failing.length > 0) {
      const where = joinWords([...new Set(failing.map(({ kernel }) => kernel))]);
      if (!failing.every(hasSize)) return `cannot accept what no longer loads or runs on ${where}`;
      const [worst] = failing.toSorted((a, b) => Math.abs(b.delta ?? 0) - Math.abs(a.delta ?? 0));
      return `does not cover ${formatDelta(worst?.delta ?? 0)} ${worst?.unit ?? ''} on ${where}`;
    }
    // Another shard may have what it names.
    if (found.length > 0 || isShard) return null;
    const words = measures.get(line.subject);
    if (words?.includes(line.measure)) return 'matches no regression';
    const meant = words === undefined ? guess(line.subject, [...measures.keys()]) : guess(line.measure, words);
    return `matches no regression${meant}`;
  }
}

/** The least that covers each of them. */
function boundOf(group: readonly Named[]): number {
  return group.reduce((most, { comparison }) => Math.max(most, roundUp(Math.abs(comparison.delta ?? 0))), 0);
}

/** Writes a number without an exponent, which a line does not have. */
function toDigits(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 21 });
}

/** Rounds what is not whole away from zero, to three digits: it varies. */
function roundUp(value: number): number {
  if (Number.isInteger(value)) return value;
  const step = 10 ** (Math.floor(Math.log10(value)) - 2);
  return Number((Math.ceil(value / step) * step).toPrecision(3));
}

/**
 * Marks the regressions that a line accepts: those of the one subject and measure that it names exactly, which changed
 * by no more than it says, on each kernel by itself. Marks that were there before are dropped.
 */
export function acceptCosts(results: Pick<Results, 'comparisons' | 'project' | 'accepts'>): Results['comparisons'] {
  const accepted = new Map<ComparisonRecord, ComparisonRecord['accepted']>();
  const given = results.accepts.filter(({ ignored }) => ignored === undefined);
  const names = given.length === 0 ? undefined : new Names(results);
  for (const { text, by } of given) {
    const line = parseLine(text);
    const found = line === undefined ? undefined : names?.find(line);
    if (line === undefined || found === undefined || found === 'several') continue;
    for (const each of found) {
      if (!accepted.has(each) && covers(line, each)) accepted.set(each, { reason: line.reason, by, text });
    }
  }
  return results.comparisons.map((comparison) => {
    const { accepted: former, ...own } = comparison;
    const mark = accepted.get(comparison);
    return mark !== undefined ? { ...own, accepted: mark } : former === undefined ? comparison : own;
  });
}
