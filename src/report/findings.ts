// Report: groups the comparisons that changed by their cause in the source. Pure.

import type { SourceLocation } from '../bench/measurement.ts';
import { distinctBy, groupBy, indexBy } from '../common/group-by.ts';
import { compare } from '../common/order.ts';
import { findingVerdicts } from '../compare/comparison.ts';
import { isFailing } from './gate-verdict.ts';
import type { ComparisonRecord, Results } from './results.ts';

/** Everything that changed for one cause, over all kernels, lanes, measures, inputs and loads. */
export interface Finding {
  /** Hash of the cause's file and name: the same for the same cause in the next push. Unique among a run's findings. */
  readonly id: string;
  /** The worst of its comparisons; undecided ones come before regressions that are all accepted. */
  readonly verdict: (typeof findingVerdicts)[number];
  /** Whether it is a regression, and each of its comparisons that regressed is accepted. */
  readonly accepted: boolean;
  /** `fun_xdp`: the program or benchmark without its object or bench, or with it if several findings share the name. */
  readonly subject: string;
  /** Every program, or else every benchmark, that it is about; the first is the subject. */
  readonly names: readonly string[];
  /** Other parts, such as a benchmark of the program, that `lead` is about; empty if it is about the subject. */
  readonly leaders: readonly string[];
  /** Where the subject is, or the line for which it is refused. */
  readonly source: SourceLocation | null;
  readonly comparisons: readonly ComparisonRecord[];
  /** The measure that users feel first, of the finding's verdict: see {@link rankOf}. The subject's come first. */
  readonly lead: readonly [ComparisonRecord, ...ComparisonRecord[]];
}

/** A program in all lanes, or a benchmark that prints values. */
interface Subject {
  readonly key: string;
  /** `<object>/<program>` if an object of the verifier lane is known to hold it; else `<bench>/<program or benchmark>`. */
  readonly name: string;
  readonly short: string;
  readonly isProgram: boolean;
  readonly verdict: Finding['verdict'];
  /** Those that changed. */
  readonly comparisons: readonly ComparisonRecord[];
  /** Places in the code; the configuration is none. */
  readonly places: readonly SourceLocation[];
  /** Lines of the repository that became more machine instructions, those that grew most first. */
  readonly grown: readonly SourceLocation[];
}

/**
 * Groups comparisons that are a regression, an improvement or undecided; lost and won support are among them.
 *
 * A program is one subject in all lanes if its object, or its name and file, say that it is the same. Subjects are one
 * finding if they
 * - have a place in the code in common, or the line of the repository that grew most;
 * - are a program and what the bench that ran it printed: by its name, by the same delta on every kernel, or since no
 *   other program of that bench changed in the same way;
 * - are a benchmark and the one cause that changed in the same way and has a file of the benchmark's name: one that
 *   grew, or that of another benchmark where the former has no place in the code.
 *
 * @returns worst first: what no longer loads or runs, then by the measure that users feel first, and by its growth
 */
export function findFindings({ comparisons, project }: Pick<Results, 'comparisons' | 'project'>): Finding[] {
  const subjects = findSubjects(comparisons, project);
  const causes = new Causes(subjects);
  causes.joinBy(({ places }) => places.map(placeKey));
  causes.joinBy(({ grown: [most], verdict }) => (most === undefined ? [] : [`${verdict} ${placeKey(most)}`]));
  const benchmarks = subjects.filter(({ isProgram }) => !isProgram);
  const isPlaced = ({ places }: Subject) => places.length > 0;
  const ownFile = ({ verdict, short }: Subject) => [`${verdict} ${short}`];
  causes.attach(benchmarks.filter(isPlaced), ({ grown }, verdict) => stemsOf(grown, verdict), ownFile);
  let left = benchmarks.filter((subject) => !isPlaced(subject));
  left = causes.attach(
    left,
    (subject) => runsOf(subject).map(({ benchmark }) => withoutNumber(benchmark)),
    ({ name }) => [name],
  );
  left = causes.attach(
    left,
    (subject) => deltaKeys(runsOf(subject)),
    ({ comparisons: own }) => deltaKeys(own),
  );
  left = causes.attach(
    left,
    (subject, verdict) => runsOf(subject).map(({ benchmark }) => `${verdict} ${ownerOf(benchmark)}`),
    ({ verdict, name }) => [`${verdict} ${ownerOf(name)}`],
  );
  causes.attach(left, ({ isProgram, grown, places }, verdict) => stemsOf(isProgram ? grown : places, verdict), ownFile);

  const groups = causes.groups().map((group) => group.sort(compareSubjects));
  const shorts = countEach(groups.map(([{ short }]) => short));
  const identities = groups.map(([{ places, short, name }]) =>
    JSON.stringify(places[0] === undefined ? [name] : [places[0].file, short]),
  );
  const shared = countEach(identities);
  const found = groups.map((group, index): Finding => {
    const [lead] = group;
    const isShared = (shared.get(identities[index] ?? '') ?? 0) > 1;
    const all = group.flatMap((each) => each.comparisons);
    const isFailed = all.some(isFailing);
    const isUndecided = !isFailed && all.some((each) => each.verdict === 'inconclusive');
    const verdict = isUndecided ? 'inconclusive' : worst(group.map((each) => each.verdict));
    const own = group.filter(({ isProgram }) => isProgram === lead.isProgram);
    const names = [...new Set(own.map(({ short }) => short))];
    const deciding = group.map((each) => ({
      ...each,
      comparisons: each.comparisons.filter((comparison) => comparison.verdict === verdict),
    }));
    const [first = [], second = []] = [true, false].map((isOwn) =>
      deciding.filter(({ short }) => names.includes(short) === isOwn).flatMap(({ comparisons: each }) => each),
    );
    const bestOf = (each: readonly ComparisonRecord[]) => Math.min(...each.map(rankOf));
    // What the subject itself costs comes before what another part of the finding does, unless only that one runs.
    const isOther = second.length > 0 && bestOf(first) >= 3 && (first.length === 0 || bestOf(second) <= 1);
    const leading = findLead(isOther ? second : first);
    const leaders = deciding.filter((each) => isOther && each.comparisons.some((own) => leading.includes(own)));
    const places = [
      // The line that the verifier complains about, if that is what the finding is about.
      ...(leading[0].measure === 'loads' ? leading : []).map(({ source }) => source),
      lead.places[0] ?? null,
      ...lead.comparisons.map(({ source }) => source),
    ];
    return {
      id: hash(JSON.stringify([identities[index], ...(isShared ? [lead.key] : [])])),
      verdict,
      accepted: verdict === 'regression' && !isFailed,
      subject: shorts.get(lead.short) === 1 ? lead.short : lead.name,
      names,
      leaders: [...new Set(leaders.map(({ short }) => short))],
      source: places.find((place) => place !== null) ?? null,
      comparisons: all,
      lead: leading,
    };
  });
  return found.toSorted(compareFindings);
}

/** Returns the comparisons of the one measure that users feel first. */
function findLead(comparisons: readonly ComparisonRecord[]): Finding['lead'] {
  const groups = groupBy(comparisons, ({ lane, measure, unit }) => JSON.stringify([lane, measure, unit]));
  const [lead] = groups.toSorted((a, b) => rankOf(a[0]) - rankOf(b[0]) || Math.sign(growthOf(b) - growthOf(a)));
  if (lead === undefined) throw new Error('a finding has a comparison of its verdict');
  return lead;
}

/** Ranks measures by how soon users feel them: runs of programs, other runs, loads, the verifier's work, sizes. */
export function rankOf({ kind, lane, measure, unit }: Pick<ComparisonRecord, 'kind' | 'lane' | 'measure' | 'unit'>) {
  if (lane !== 'verifier') return kind === 'bpf-program' ? 0 : /^(bytes|blocks)\b/.test(unit) ? 4 : 1;
  return measure === 'loads' ? 2 : measure === 'verified-instructions' ? 3 : 4;
}

/** The largest growth; from 0 any growth is the worst there is. */
function growthOf(comparisons: readonly ComparisonRecord[]): number {
  return comparisons.reduce((most, { deltaRatio }) => Math.max(most, Math.abs(deltaRatio ?? Number.MAX_VALUE)), 0);
}

function compareFindings(a: Finding, b: Finding): number {
  const isLost = ({ verdict, comparisons }: Finding) =>
    verdict === 'regression' &&
    comparisons.some((each) => each.verdict === verdict && (each.needs !== null || each.measure === 'loads'));
  return (
    findingVerdicts.indexOf(a.verdict) - findingVerdicts.indexOf(b.verdict) ||
    Number(a.accepted) - Number(b.accepted) ||
    Number(isLost(b)) - Number(isLost(a)) ||
    rankOf(a.lead[0]) - rankOf(b.lead[0]) ||
    Math.sign(growthOf(b.lead) - growthOf(a.lead)) ||
    compare(a.subject, b.subject)
  );
}

/** Sets of subjects that are joined step by step. */
class Causes {
  readonly #subjects: readonly Subject[];
  readonly #parents = new Map<string, string>();

  constructor(subjects: readonly Subject[]) {
    this.#subjects = subjects;
  }

  #rootOf({ key }: Subject): string {
    let root = key;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    if (root !== key) this.#parents.set(key, root);
    return root;
  }

  groups(): [Subject, ...Subject[]][] {
    return groupBy(this.#subjects, (subject) => this.#rootOf(subject));
  }

  /** Lists the subjects of each key. */
  index(keysOf: (subject: Subject, verdict: Finding['verdict']) => readonly string[]) {
    const keyed = this.groups().flatMap((group) => {
      const verdict = worst(group.map((each) => each.verdict));
      return group.flatMap((subject) => keysOf(subject, verdict).map((key) => ({ key, subject })));
    });
    return indexBy(keyed, ({ key }) => key);
  }

  /** Joins all that have a key in common. */
  joinBy(keysOf: (subject: Subject) => readonly string[]): void {
    for (const [first, ...others] of this.index(keysOf).values()) {
      for (const other of others) this.#join(other.subject, [first.subject]);
    }
  }

  /** Joins each subject to the one cause that has one of its keys. Returns those that found none, or several. */
  attach(
    subjects: readonly Subject[],
    keysOf: (subject: Subject, verdict: Finding['verdict']) => readonly string[],
    ownKeysOf: (subject: Subject) => readonly string[],
  ): Subject[] {
    const found = this.index(keysOf);
    return subjects.filter((subject) => {
      const others = ownKeysOf(subject).flatMap((key) => (found.get(key) ?? []).map((each) => each.subject));
      return !this.#join(subject, others);
    });
  }

  /** Joins a subject to others if they are of one cause. */
  #join(subject: Subject, others: readonly Subject[]): boolean {
    const own = this.#rootOf(subject);
    const [root, ...more] = new Set(others.map((each) => this.#rootOf(each)).filter((each) => each !== own));
    if (root === undefined || more.length > 0) return false;
    this.#parents.set(own, root);
    return true;
  }
}

/** `regression source_addr`: names of files, without folder and ending, after a verdict. */
function stemsOf(places: readonly SourceLocation[], verdict: Finding['verdict']): string[] {
  return places.map(({ file }) => `${verdict} ${file.replace(/^.*\//, '').replace(/\.\w+$/, '')}`);
}

/** A program's runs by benches; runs on inputs have a third part in their names. */
function runsOf({ isProgram, comparisons }: Subject): readonly ComparisonRecord[] {
  if (!isProgram) return [];
  return comparisons.filter(({ lane, benchmark }) => lane !== 'verifier' && benchmark.split('/').length === 2);
}

/** A key for each row: its bench, and its deltas on all kernels where it changed. */
function deltaKeys(comparisons: readonly ComparisonRecord[]): string[] {
  return groupBy(comparisons, ({ benchmark, measure }) => JSON.stringify([benchmark, measure])).map(deltaKey);
}

function deltaKey(row: readonly [ComparisonRecord, ...ComparisonRecord[]]): string {
  return JSON.stringify([ownerOf(row[0].benchmark), row.map(({ kernel, delta }) => [kernel, delta])]);
}

/**
 * Names the loads of programs that a bench loads several times by what the bench printed for them: the one value that
 * changed by the same delta on every kernel.
 *
 * @returns names by benchmark: `macro/fun_xdp #2` is `fun_xdp_fibonacci`
 */
export function nameLoads(comparisons: readonly ComparisonRecord[]): ReadonlyMap<string, string> {
  const changed = comparisons.filter(({ lane, delta }) => lane === 'instructions' && delta !== null && delta !== 0);
  const rows = groupBy(changed, ({ benchmark, measure }) => JSON.stringify([benchmark, measure]));
  const loads = new Set(changed.flatMap(({ kind, benchmark }) => (kind === 'bpf-program' ? [benchmark] : [])));
  const counts = countEach([...loads].map(programOf));
  return new Map(
    groupBy(rows, deltaKey).flatMap((alike) => {
      const [load, printed, ...others] = alike.toSorted(([a], [b]) => compare(b.kind, a.kind));
      if (load?.[0].kind !== 'bpf-program' || printed?.[0].kind !== 'benchmark' || others.length > 0) return [];
      if (counts.get(programOf(load[0].benchmark)) === 1) return [];
      return [[load[0].benchmark, shortOf(printed[0].benchmark)] as const];
    }),
  );
}

function findSubjects(
  comparisons: readonly ComparisonRecord[],
  project: Pick<Results['project'], 'configFile'>,
): Subject[] {
  const isCode = isCodeOf(project);
  const keyOf = nameSubjects(comparisons, project);
  const changed = comparisons.flatMap((comparison) => {
    const verdict = findingVerdicts.find((each) => each === comparison.verdict);
    return verdict === undefined ? [] : [{ comparison, verdict }];
  });
  const groups = groupBy(changed, ({ comparison }) => keyOf(comparison));
  return groups.map((group): Subject => {
    const key = keyOf(group[0].comparison);
    const own = group.map(({ comparison }) => comparison);
    const [{ kind }] = own as [ComparisonRecord];
    const [name = ''] = JSON.parse(key) as string[];
    // The place of a refused program is the line that the verifier complains about, so it comes last.
    const ordered = [...own.filter(({ measure }) => measure !== 'loads'), ...own];
    const places = ordered.map(({ source }) => source).filter(isCode);
    const lines = own.findLast((each) => each.lines !== null)?.lines ?? [];
    return {
      key,
      name,
      short: shortOf(name),
      isProgram: kind === 'bpf-program',
      verdict: worst(group.map(({ verdict }) => verdict)),
      comparisons: own,
      places: distinctBy(places, placeKey),
      // Files outside the repository have absolute paths.
      grown: lines.map(({ source }) => source).filter(({ file }) => !file.startsWith('/')),
    };
  });
}

/** Whether a place is in the code, and not in the configuration. */
function isCodeOf({ configFile }: Pick<Results['project'], 'configFile'>) {
  return (source: SourceLocation | null): source is SourceLocation => source !== null && source.file !== configFile;
}

/**
 * Makes keys of subjects: the name first, as JSON. A program that a bench or an input runs has the name of an object's
 * program if it is known to be the same: the object is the same, or the only one with that name in that file. Where no
 * file is known, it has to be the only one of that name.
 */
export function nameSubjects(
  comparisons: readonly ComparisonRecord[],
  project: Pick<Results['project'], 'configFile'>,
): (comparison: ComparisonRecord) => string {
  const isCode = isCodeOf(project);
  const programs = comparisons.filter(({ kind }) => kind === 'bpf-program');
  const filesOf = (own: readonly ComparisonRecord[]) =>
    new Set(own.flatMap(({ source }) => (isCode(source) ? [source.file] : [])));
  const loaded = groupBy(
    programs.filter(({ lane }) => lane === 'verifier'),
    ({ benchmark }) => benchmark,
  ).map((own) => ({ name: own[0].benchmark, files: filesOf(own) }));
  const byShort = indexBy(loaded, ({ name }) => shortOf(name));
  const runs = groupBy(
    programs.filter(({ lane }) => lane !== 'verifier'),
    ({ benchmark }) => programOf(benchmark),
  );
  const names = new Map(
    runs.map((own) => {
      const name = programOf(own[0].benchmark);
      const files = filesOf(own);
      const alike = byShort.get(shortOf(name)) ?? [];
      const isUnknown = (each: (typeof alike)[number]) => files.size === 0 || each.files.size === 0;
      const inFile = alike.filter((each) => [...files].some((file) => each.files.has(file)));
      const same =
        [...inFile, ...alike.filter(isUnknown)].find((each) => each.name === name) ??
        (inFile.length === 1 ? inFile[0] : alike.length === 1 ? alike.find(isUnknown) : undefined);
      return [name, same === undefined ? [name, 'run'] : [same.name, 'object']] as const;
    }),
  );
  return ({ kind, lane, benchmark }) => {
    if (kind === 'benchmark') return JSON.stringify([benchmark, kind]);
    return JSON.stringify(lane === 'verifier' ? [benchmark, 'object'] : names.get(programOf(benchmark)));
  };
}

/** `<bench or object>/<program>`, without number, tag and input. */
export function programOf(benchmark: string): string {
  return withoutNumber(benchmark).split('/').slice(0, 2).join('/');
}

/** The name of an input on which a program was run: the third part of `<object>/<program>/<input>`; else undefined. */
export function inputOf({ kind, lane, benchmark }: Pick<ComparisonRecord, 'kind' | 'lane' | 'benchmark'>) {
  if (kind !== 'bpf-program' || lane === 'verifier') return undefined;
  return benchmark.split('/').slice(2).join('/') || undefined;
}

function withoutNumber(benchmark: string): string {
  return benchmark.replace(/ #\d+$/, '').replace(/ \(tag \w+\)$/, '');
}

/** The bench of a benchmark, or the object of a program. */
export function ownerOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('/')));
}

/** A name without its object or bench. */
export function shortOf(name: string): string {
  return name.slice(name.indexOf('/') + 1) || name;
}

function worst(verdicts: readonly Finding['verdict'][]): Finding['verdict'] {
  return findingVerdicts.find((verdict) => verdicts.includes(verdict)) ?? 'improvement';
}

/** Programs first, then what has a place in the code, by name. */
function compareSubjects(a: Subject, b: Subject): number {
  return (
    Number(b.isProgram) - Number(a.isProgram) ||
    Math.sign(b.places.length) - Math.sign(a.places.length) ||
    compare(a.short, b.short) ||
    compare(a.name, b.name)
  );
}

function placeKey({ file, line }: SourceLocation): string {
  return `${file}:${line}`;
}

export function countEach(texts: readonly string[]): Map<string, number> {
  return new Map(groupBy(texts, (text) => text).map((own) => [own[0], own.length]));
}

/** FNV-1a of 64 bits, as 16 hexadecimal digits. */
export function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, '0');
}
