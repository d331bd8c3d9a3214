// History: collects the lines of a branch, and what github-action-benchmark has kept, for the trend page.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { distinctBy, groupBy } from '../common/group-by.ts';
import { compare, compareNames } from '../common/order.ts';
import { toPlainLine } from '../report/plain-text.ts';
import { type HistoryLine, historyLineSchema, parseJson, toSeconds } from './history-line.ts';
import {
  listChanges,
  maxRecent,
  type Plot,
  packLine,
  type RecentChange,
  type Segment,
  type TrendCommit,
  type TrendFinding,
  type TrendIndex,
} from './trend.ts';

/** Longest name on the page, in characters. */
const maxName = 200;
/** Lines in a part of the page, which is decoded as a whole. */
const linesPerPart = 50;

type Value = Pick<HistoryLine, 'kernel' | 'benchmark' | 'measure' | 'unit' | 'better' | 'value' | 'interval'> &
  Pick<Partial<HistoryLine>, 'renamedFrom' | 'finding'> & {
    readonly fingerprint: string;
    readonly commit: string;
    readonly date: string;
    readonly isImported?: true;
  };

/** All values of a measure on a kernel by column, in the order in which they were read. */
interface Points {
  readonly of: Pick<Value, 'kernel' | 'benchmark' | 'measure' | 'unit' | 'better'>;
  readonly commits: number[];
  readonly fingerprints: number[];
  readonly values: number[];
  readonly lows: (number | null)[];
  readonly highs: (number | null)[];
  readonly findings: Map<number, number>;
}

/** What git knows of the project's commits. */
export interface CommitFacts {
  /** First lines of the messages of the branch's commits, by id, children before their parents. */
  readonly subjects: ReadonlyMap<string, string>;
  /** Whether those are all commits of the branch. */
  readonly isWhole: boolean;
}

/** A number as text, which custom tools may give. */
const numericText = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i)
  .transform(Number)
  .pipe(z.number());

/** `data.js` of github-action-benchmark 1.22: https://github.com/benchmark-action/github-action-benchmark, src/write.ts. */
const benchmarkData = z.object({
  entries: z.record(
    z.string(),
    z.array(
      z.object({
        commit: z.object({ id: z.string(), message: z.string().default(''), timestamp: z.string().optional() }),
        date: z.number(),
        tool: z.string(),
        benches: z.array(
          z.object({
            name: z.string(),
            value: z.union([z.number(), numericText]).optional().catch(undefined),
            unit: z.string(),
            extra: z.string().default(''),
          }),
        ),
      }),
    ),
  ),
});
const biggerIsBetter = ['benchmarkjs', 'pytest', 'customBiggerIsBetter'];

export class TrendCollector {
  readonly #commits = new Map<string, { index: number; date: string; subject: string | null }>();
  readonly #fingerprints = new Map<string, number>();
  readonly #findings = new Map<string, { index: number; finding: TrendFinding }>();
  readonly #points = new Map<string, Points>();
  /** Fingerprints of imported values. */
  readonly #imported = new Set<number>();
  readonly #renames: { readonly from: string; readonly to: string; readonly commit: number }[] = [];
  #unread = 0;

  /** Adds a file's lines. One that is damaged, or of a later version, is counted. */
  addLines(lines: readonly string[]): void {
    for (const line of lines) {
      const parsed = historyLineSchema.safeParse(parseJson(line));
      if (parsed.success) this.#add(parsed.data);
      else this.#unread += 1;
    }
  }

  /**
   * Adds what github-action-benchmark has kept. Its suites stand in the place of kernels, and its tools in the place of
   * fingerprints. Its ranges are of other kinds for each tool, so only exact values from `bpfgate export` have steps. A
   * value of a commit for which there is a line is not used.
   *
   * @param file its name, for errors
   * @throws InputError when the text is something else
   */
  addBenchmarkData(text: string, file: string): void {
    const json = text.slice(text.indexOf('=') + 1).replace(/;\s*$/, '');
    const parsed = benchmarkData.safeParse(parseJson(json));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.length ? `${toPlainLine(issue.path.join('.'))}: ` : '';
      throw new InputError(`\`${file}\` is not data of github-action-benchmark: ${where}${issue?.message}`, {
        hint: 'give the data.js that the action has written to its branch, such as dev/bench/data.js of gh-pages',
      });
    }
    for (const [suite, runs] of Object.entries(parsed.data.entries)) {
      for (const { commit, date, tool, benches } of runs) {
        const time = new Date(commit.timestamp ?? date);
        if (Number.isNaN(time.getTime())) {
          this.#unread += benches.length;
          continue;
        }
        const better = biggerIsBetter.includes(tool) ? 'higher' : 'lower';
        for (const { name, value, unit, extra } of benches) {
          if (value === undefined) {
            this.#unread += 1;
            continue;
          }
          const own = /^kernel \S/.test(extra) ? splitExportedName(name) : null;
          this.#add({
            ...(own ?? { measure: 'value', benchmark: name, kernel: suite }),
            commit: commit.id,
            date: toSeconds(time),
            unit,
            better,
            value,
            fingerprint: own === null ? tool : `${tool}, ${extra.split('\n')[0]}`,
            interval: own !== null && /^exact$/m.test(extra) ? 'exact' : null,
            isImported: true,
          });
          const known = this.#commits.get(commit.id);
          if (known !== undefined) known.subject ??= commit.message.split('\n')[0] ?? null;
        }
      }
    }
  }

  #add(line: Value): void {
    const { commit, date, fingerprint, kernel, benchmark, measure, unit, better, value, interval } = line;
    const keyOf = (name: string) => JSON.stringify([name, measure, unit, kernel]);
    const key = keyOf(benchmark);
    const of = { kernel, benchmark, measure, unit, better };
    const none = () => ({ of, commits: [], fingerprints: [], values: [], lows: [], highs: [], findings: new Map() });
    const points: Points = this.#points.get(key) ?? none();
    this.#points.set(key, points);
    const known = this.#commits.get(commit) ?? { index: this.#commits.size, date, subject: null };
    this.#commits.set(commit, known);
    const machine = this.#fingerprints.get(fingerprint) ?? this.#fingerprints.size;
    if (line.isImported && machine === this.#fingerprints.size) this.#imported.add(machine);
    this.#fingerprints.set(fingerprint, machine);
    const [low, high] = interval === 'exact' ? [value, value] : (interval ?? [null, null]);
    const digit = digitOf(low, high);
    points.commits.push(known.index);
    points.fingerprints.push(machine);
    points.values.push(round(value, digit));
    points.lows.push(low === null ? null : round(low, digit));
    points.highs.push(high === null ? null : round(high, digit));
    if (line.renamedFrom !== undefined)
      this.#renames.push({ from: keyOf(line.renamedFrom), to: key, commit: known.index });
    if (line.finding !== undefined) points.findings.set(known.index, this.#findingIndex(line.finding));
  }

  #findingIndex({ id, subject, place }: TrendFinding): number {
    const finding = { id, subject: toName(subject), place: place === null ? null : toName(place) };
    const key = JSON.stringify(finding);
    const known = this.#findings.get(key) ?? { index: this.#findings.size, finding };
    this.#findings.set(key, known);
    return known.index;
  }

  /**
   * Makes the page's data: its index, and the lines in parts, each of which is text with the JSON of a line on each line.
   * A benchmark's line continues that of its former name, unless that name was measured again later. Names may shift or
   * be swapped in one commit.
   */
  finish(
    about: Pick<TrendIndex, 'project' | 'repository'>,
    facts: CommitFacts,
  ): { index: TrendIndex; parts: string[] } {
    const known = [...this.#commits].map(([id, commit]) => ({ id, ...commit }));
    const sorted = sortCommits(known, facts);
    const order = new Map(sorted.map(({ index }, place) => [index, place]));
    this.#joinRenamed(order);
    const commits = sorted.map(({ id, date, subject }): TrendCommit => {
      const message = facts.subjects.get(id) ?? subject;
      return {
        id: toName(id),
        date,
        subject: message === null ? null : clipMiddle(toPlainLine(message), 100),
        isGone: facts.isWhole && !facts.subjects.has(id),
      };
    });
    const parts: string[][] = [];
    let recent: RecentChange[] = [];
    const keepNewest = () => {
      recent = recent.sort((a, b) => b.at - a.at || a.plot - b.plot || a.line - b.line).slice(0, maxRecent);
    };
    const byName = [...this.#points.values()]
      .filter(({ commits }) => commits.length > 0)
      .toSorted(({ of: a }, { of: b }) => compare(a.benchmark, b.benchmark) || compare(a.measure, b.measure));
    const plots = groupBy(byName, ({ of }) => JSON.stringify([of.benchmark, of.measure, of.unit])).map(
      (group, plot): Plot => ({
        benchmark: toName(group[0].of.benchmark),
        measure: toName(group[0].of.measure),
        unit: toName(group[0].of.unit),
        better: group[0].of.better,
        lines: group
          .toSorted(({ of: a }, { of: b }) => compareNames(a.kernel, b.kernel))
          .map((points, line) => {
            const segments = toSegments(points, order, this.#imported);
            const findings = new Map(
              [...points.findings].map(([commit, finding]) => [order.get(commit) ?? 0, finding]),
            );
            for (const { before, after, comparison } of listChanges(segments)) {
              if (comparison !== 'apart') continue;
              const finding = findings.get(after.from) ?? null;
              const { value: from } = before;
              recent.push({ plot, line, before: before.to, at: after.from, from, to: after.value, finding });
              if (recent.length > 50 * maxRecent) keepNewest();
            }
            if ((parts.at(-1)?.length ?? linesPerPart) === linesPerPart) parts.push([]);
            const part = parts.at(-1) ?? [];
            part.push(JSON.stringify(packLine(segments, [...findings])));
            const newest = segments.at(-1);
            return {
              kernel: toName(points.of.kernel),
              part: parts.length - 1,
              place: part.length - 1,
              last: newest?.value ?? 0,
              at: newest?.to ?? 0,
            };
          }),
      }),
    );
    keepNewest();
    const fingerprints = [...this.#fingerprints.keys()].map(toName);
    const findings = [...this.#findings.values()].map(({ finding }) => finding);
    const index = { ...about, commits, fingerprints, findings, plots, recent, unread: this.#unread };
    return { index, parts: parts.map((lines) => lines.join('\n')) };
  }

  #joinRenamed(order: ReadonlyMap<number, number>): void {
    const placeOf = (commit: number) => order.get(commit) ?? 0;
    const placesOf = (key: string) =>
      this.#points
        .get(key)
        ?.commits.map(placeOf)
        .sort((a, b) => a - b) ?? [];
    const found = this.#renames
      .map(({ from, to, commit }) => {
        const [at, former] = [placeOf(commit), placesOf(from)];
        const isBefore = (place: number) => place < at;
        const [last, next] = [former.findLast(isBefore), former.find((place) => !isBefore(place))];
        return { from, to, at, last, next, lastOfOther: placesOf(to).findLast(isBefore) };
      })
      .filter(({ from, to, last }) => from !== to && last !== undefined)
      .sort((a, b) => a.at - b.at || compare(a.from, b.from));
    // A line has one former name, and goes on under one name.
    let renames = distinctBy(
      distinctBy(found, ({ to, at }) => `${at} ${to}`),
      ({ from, last }) => `${last} ${from}`,
    );
    // One that does not hold can be what another depends on.
    for (let count = -1; count !== renames.length; ) {
      count = renames.length;
      const begun = new Set(renames.map(({ to, at }) => `${at} ${to}`));
      const continued = new Set(renames.map(({ from, last }) => `${last} ${from}`));
      renames = renames.filter(
        ({ from, to, next, lastOfOther }) =>
          (next === undefined || begun.has(`${next} ${from}`)) &&
          (lastOfOther === undefined || continued.has(`${lastOfOther} ${to}`)),
      );
    }
    for (const group of groupBy(renames, ({ at }) => String(at))) {
      const [{ at }] = group;
      const isBefore = (commit: number) => placeOf(commit) < at;
      // All are taken off before the first is added, since names may be swapped.
      const parted = group.map(({ from, to }) => {
        const all = this.#points.get(from);
        if (all !== undefined)
          this.#points.set(
            from,
            pickCommits(all, (commit) => !isBefore(commit)),
          );
        return { to, former: all === undefined ? undefined : pickCommits(all, isBefore) };
      });
      for (const { to, former } of parted) {
        const own = this.#points.get(to);
        if (own !== undefined && former !== undefined) this.#points.set(to, joinPoints(former, own));
      }
    }
  }
}

function pickCommits(points: Points, isWanted: (commit: number) => boolean): Points {
  const wanted = points.commits.flatMap((commit, place) => (isWanted(commit) ? [place] : []));
  const pick = <Cell>(column: readonly Cell[]) => wanted.map((place) => column[place] as Cell);
  return {
    of: points.of,
    commits: pick(points.commits),
    fingerprints: pick(points.fingerprints),
    values: pick(points.values),
    lows: pick(points.lows),
    highs: pick(points.highs),
    findings: new Map([...points.findings].filter(([commit]) => isWanted(commit))),
  };
}

/** Puts values of a former name before a benchmark's own. */
function joinPoints(former: Points, own: Points): Points {
  return {
    of: own.of,
    commits: former.commits.concat(own.commits),
    fingerprints: former.fingerprints.concat(own.fingerprints),
    values: former.values.concat(own.values),
    lows: former.lows.concat(own.lows),
    highs: former.highs.concat(own.highs),
    findings: new Map([...former.findings, ...own.findings]),
  };
}

/** Sorts commits as git has them, whatever their dates, and those that it does not know by date among them. */
function sortCommits<Commit extends { readonly id: string; readonly date: string }>(
  commits: readonly Commit[],
  { subjects }: CommitFacts,
): Commit[] {
  const places = new Map([...subjects.keys()].map((id, place) => [id, subjects.size - place]));
  const placeOf = ({ id }: Commit) => places.get(id) ?? 0;
  const known = commits.filter(({ id }) => places.has(id)).sort((a, b) => placeOf(a) - placeOf(b));
  const dates = new Map<Commit, string>();
  let latest = '';
  for (const commit of known) {
    if (commit.date > latest) latest = commit.date;
    dates.set(commit, latest);
  }
  const dateOf = (commit: Commit) => dates.get(commit) ?? commit.date;
  return commits.toSorted((a, b) => compare(dateOf(a), dateOf(b)) || placeOf(a) - placeOf(b) || compare(a.id, b.id));
}

/** Splits a name of `bpfgate export --format github-action-benchmark`: `<measure> of <benchmark> (<kernel>)`. */
function splitExportedName(name: string): Pick<Value, 'measure' | 'benchmark' | 'kernel'> | null {
  const [middle, end] = [name.indexOf(' of ', 1), name.lastIndexOf(' (', name.length - 4)];
  if (middle === -1 || end <= middle + 4 || !name.endsWith(')')) return null;
  return { measure: name.slice(0, middle), benchmark: name.slice(middle + 4, end), kernel: name.slice(end + 2, -1) };
}

/**
 * Joins consecutive commits with equal values. Of a commit's values one that is not imported is taken, and of several the
 * one that was read last.
 */
function toSegments(
  { commits, ...points }: Points,
  order: ReadonlyMap<number, number>,
  imported: ReadonlySet<number>,
): Segment[] {
  const places = commits.map((commit) => order.get(commit) ?? 0);
  const isOwn = (index: number) => Number(!imported.has(points.fingerprints[index] ?? -1));
  const sorted = places
    .map((_, index) => index)
    .sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || isOwn(a) - isOwn(b) || a - b);
  const segments: { -readonly [Key in keyof Segment]: Segment[Key] }[] = [];
  for (const [position, index] of sorted.entries()) {
    const from = places[index] ?? 0;
    if (places[sorted[position + 1] ?? -1] === from) continue;
    const [value = 0, fingerprint = 0] = [points.values[index], points.fingerprints[index]];
    const [low = null, high = null] = [points.lows[index], points.highs[index]];
    const last = segments.at(-1);
    const isSame = last?.value === value && last.fingerprint === fingerprint && last.low === low && last.high === high;
    if (isSame && last.to === from - 1) last.to = from;
    else segments.push({ from, to: from, fingerprint, value, low, high });
  }
  return segments;
}

/** The place of the digit up to which a value is kept: a hundredth of its interval. Undefined if it is exact. */
function digitOf(low: number | null, high: number | null): number | undefined {
  if (low === null || high === null || !(high > low)) return undefined;
  return 2 - Math.floor(Math.log10(high - low));
}

function round(value: number, digit: number | undefined): number {
  if (digit === undefined || digit > 15) return value;
  return digit > 0 ? Number(value.toFixed(digit)) : Math.round(value * 10 ** digit) / 10 ** digit;
}

function toName(text: string): string {
  return clipMiddle(toPlainLine(text), maxName);
}
