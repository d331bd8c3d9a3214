// Report: costs that an author accepts, by lines `bpfgate-accept: SUBJECT MEASURE +N REASON`. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy } from '../common/group-by.ts';
import { suggest } from '../inputs/nearest-name.ts';
import { nameSubjects, shortOf } from './findings.ts';
import { isFailing } from './gate-verdict.ts';
import { formatDelta } from './numbers.ts';
import { joinWords, type Sentence, toPlainLine, toSentence } from './plain-text.ts';
import { type ComparisonRecord, maxAccepts, type Results } from './results.ts';
import { isLoads } from './row.ts';

/** The trailer of a commit message, and the start of a line in a pull request's description. */
export const acceptKey = 'bpfgate-accept';
/** The longest line behind it that is read, in characters. */
const maxLength = 500;
/** Lines for which the name that was meant is looked for, among so many names, of so many characters. */
const maxGuesses = 5;
const maxNames = 1000;
const maxName = 80;

/** What follows the key in a line, and who wrote it. */
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
/** What stands for the reason in lines that a report suggests. */
const noReason = 'REASON';

function parseLine(text: string): Line | undefined {
  const parts = text.length > maxLength ? null : form.exec(text);
  const { subject = '', measure = '', most = '', unit = '', reason = noReason } = parts?.groups ?? {};
  const number = Number(most.replace('−', '-').replaceAll(',', ''));
  return reason === noReason || !Number.isFinite(number) ? undefined : { subject, measure, most: number, unit, reason };
}

/** Takes as many lines, and as much of each, as are read. */
export function limitAccepts(accepts: readonly Accept[]): Accept[] {
  return accepts.slice(0, maxAccepts).map((each) => ({ ...each, text: each.text.slice(0, maxLength + 1) }));
}

/**
 * Finds lines in a pull request's description, each without its key, and joined with indented ones below it, as git
 * joins a trailer's. Comments do not count: nobody sees them.
 */
export function findAcceptLines(description: string): string[] {
  const shown = description.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const lines = shown.matchAll(/^[ \t]*bpfgate-accept:(.*(?:\r?\n[ \t]+(?!bpfgate-accept:)\S.*)*)/gim);
  return [...lines].map(([, text = '']) => text.trim().replace(/\r?\n[ \t]+/g, ' '));
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
  /** Its subject and measure. */
  readonly key: string;
  readonly names: readonly [own: string, subject: string, subjectWithoutObject: string];
  /** Of its measure. */
  readonly words: readonly string[];
}

/** Finds comparisons by the names that reports show. */
export class Names {
  readonly #comparisons: Results['comparisons'];
  readonly #subjectOf: (comparison: ComparisonRecord) => string;
  readonly #regressions: ReadonlyMap<ComparisonRecord, Named>;
  /** Regressions by a name and a word for the measure; those of the longest names first. */
  readonly #found: readonly ReadonlyMap<string, readonly Named[]>[];

  constructor({ comparisons, project }: Pick<Results, 'comparisons' | 'project'>) {
    this.#comparisons = comparisons;
    this.#subjectOf = nameSubjects(comparisons, project);
    const regressions = comparisons.filter(({ verdict }) => verdict === 'regression').map((each) => this.#name(each));
    this.#regressions = new Map(regressions.map((named) => [named.comparison, named]));
    this.#found = ([0, 1, 2] as const).map((level) => {
      const entries = regressions.flatMap((named) =>
        named.words.map((word) => ({ named, by: JSON.stringify([named.names[level], word]) })),
      );
      return new Map(groupBy(entries, ({ by }) => by).map((own) => [own[0].by, own.map(({ named }) => named)]));
    });
  }

  #name(comparison: ComparisonRecord): Named {
    const subject = this.#subjectOf(comparison);
    const [name = ''] = JSON.parse(subject) as string[];
    return {
      comparison,
      key: JSON.stringify([subject, comparison.measure, comparison.lane]),
      names: [toPlainLine(comparison.benchmark), toPlainLine(name), toPlainLine(shortOf(name))],
      words: wordsOf(comparison),
    };
  }

  /** Finds the regressions of one subject's one measure; `several` if more than one has the name. */
  find({ subject, measure }: Line): readonly ComparisonRecord[] | 'several' {
    const by = JSON.stringify([subject, measure]);
    const own = this.#found.map((each) => each.get(by)).find((each) => each !== undefined) ?? [];
    return own.some(({ key }) => key !== own[0]?.key) ? 'several' : own.map(({ comparison }) => comparison);
  }

  /** Writes the lines that accept these, one for each measure of each subject; none if no lines can accept all. */
  suggest(comparisons: readonly ComparisonRecord[]): string[] {
    const failing = comparisons.filter(isFailing);
    const groups = groupBy(
      failing.flatMap((each) => this.#regressions.get(each) ?? []),
      ({ key }) => key,
    );
    if (groups.length > maxAccepts || !failing.every(hasSize)) return [];
    return groups.flatMap((group) => {
      const [{ comparison: first, names, words }] = group;
      const most = group.reduce((max, { comparison }) => Math.max(max, roundUp(Math.abs(comparison.delta ?? 0))), 0);
      const bound = `${(first.delta ?? 0) < 0 ? '-' : '+'}${most}`;
      const pairs = [names[2], names[1]].flatMap((name) =>
        words.toReversed().map((word) => `${name} ${word} ${bound}`),
      );
      const right = pairs.find((pair) => {
        const line = parseLine(`${pair} reason`);
        const found = line === undefined ? 'several' : this.find(line);
        return (
          found !== 'several' && found.includes(first) && group.every((each) => line && covers(line, each.comparison))
        );
      });
      return right === undefined ? [] : [`${acceptKey}: ${right} ${noReason}`];
    });
  }

  /** Says of each line that does not accept all that it names why. */
  describeUnused({ accepts, shard }: Pick<Results, 'accepts' | 'shard'>): Sentence[] {
    const named = accepts.length === 0 ? [] : this.#comparisons.map((each) => this.#name(each));
    const entries = named.flatMap(({ names, words }) => names.map((name) => ({ name, words })));
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
