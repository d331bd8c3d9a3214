// Compare: finds the programs that head has under another name than base, or in another object.
//
// Otherwise they would be one program removed and another added. Neither fails the gate, whatever was added to them.

import type { SourceLocation } from '../bench/measurement.ts';
import { findObjectError, isProbe, leaveOutCopies, type ProgramName, type Rename } from '../bench/program-names.ts';
import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import { type LineMap, mapLines } from './map-lines.ts';

/** Source files of both revisions. */
export interface Sources {
  /** Finds a file's path below the repository's root from a compiler's name for it; null if it is outside. */
  readonly locate: (revision: RevisionName, compiled: string) => string | null;
  /** Reads a file's texts, by its paths in base and in head; null if one cannot be read. */
  readonly read: (base: string, head: string) => Promise<readonly [base: string, head: string] | null>;
}

/** A program that only one revision has. */
interface Candidate extends ProgramName {
  readonly lane: Rename['lane'];
  readonly revision: RevisionName;
  readonly type: string;
  /** Its name without that of a preset: `count` of `count@deep`. */
  readonly declared: string;
  /** Equal for equal instructions; null if they are not known. */
  readonly code: string | null;
  /** Line on which the program begins. */
  readonly source: SourceLocation | null;
}

type Pair = readonly [base: Candidate, head: Candidate];

/**
 * Pairs the programs that only base has with those that only head has. Both are of one type and, in the instructions
 * lane, of one bench. Programs with equal instructions are paired; in the instructions lane only if they have no
 * source. The others are paired if the same line of the source declares them, as a diff shows, and only their name
 * changed in it. In another file they must have kept their name. If there is a choice, none is made.
 */
export async function findRenames(run: GuestRun, sources: Sources): Promise<Rename[]> {
  const candidates = [...listLoaded(run), ...listOfObjects(run)];
  const [gone, come] = splitByRevision(candidates);
  if (gone.length === 0 || come.length === 0) return [];
  // The kernel's tag leaves out maps and constants. So the source, if known, decides about programs that a bench loads.
  const isByCode = ({ lane, code, source }: Candidate) => code !== null && (lane === 'verifier' || source === null);
  const alike = groupBy(candidates.filter(isByCode), (each) => JSON.stringify([kindOf(each), each.code])).flatMap(
    (group): Pair[] => {
      const [[base], [head]] = splitByRevision(group);
      return base === undefined || head === undefined || group.length > 2 ? [] : [[base, head]];
    },
  );
  const paired = new Set(alike.flat());
  const left = candidates.filter((each) => !paired.has(each));
  return [...alike, ...(await pairBySource(left, sources))].map(([base, head]) => ({
    lane: base.lane,
    type: base.type,
    base: { owner: base.owner, name: base.name },
    head: { owner: head.owner, name: head.name },
  }));
}

/** The properties that both programs of a pair share. */
function kindOf({ lane, type, owner, name, declared }: Candidate): string {
  return JSON.stringify([lane, type, lane === 'instructions' ? owner : null, name.slice(declared.length)]);
}

function splitByRevision<Own extends Candidate>(candidates: readonly Own[]): [base: Own[], head: Own[]] {
  const of = (revision: RevisionName) => candidates.filter((each) => each.revision === revision);
  return [of('base'), of('head')];
}

/** Lists names of a bench's programs that all readings of one revision have, and no reading of the other. */
function listLoaded({ benches, programs }: GuestRun): Candidate[] {
  const named = programs.filter((record) => record.name !== '' && !isProbe(record));
  return groupBy(named, ({ bench, name, prog_type }) => JSON.stringify([bench, name, prog_type])).flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.some(({ revision }) => revision !== first.revision)) return [];
    const { bench, revision, name, prog_type: type } = first;
    const taken = benches.filter((record) => record.bench === bench && record.revision === revision).length;
    // A program that comes and goes may appear in the other revision another time.
    if (new Set(group.map(({ reading }) => reading)).size < taken) return [];
    const places = new Set(group.map(({ source }) => JSON.stringify(source)));
    return {
      lane: 'instructions',
      revision,
      owner: bench,
      name,
      declared: name,
      type,
      code: JSON.stringify([...new Set(group.map(({ tag }) => tag))].toSorted()),
      source: places.size === 1 ? first.source : null,
    };
  });
}

/** Lists programs that only one revision's objects have, as far as the objects could be read. */
function listOfObjects(given: GuestRun): Candidate[] {
  const run = leaveOutCopies(given);
  return groupBy(run.loads, ({ object, program }) => JSON.stringify([object, program])).flatMap((group) => {
    const [load, other] = group;
    if (load === undefined || other !== undefined) return [];
    const { object: owner, revision, program: name, prog_type: type, code, outcome, source } = load;
    if (findObjectError(run, owner, revision === 'base' ? 'head' : 'base') !== null) return [];
    // The source of a refused program is the line that the verifier complains about.
    const begins = outcome === 'loaded' ? source : load.begins;
    const at = name.lastIndexOf('@');
    const declared = at > 0 ? name.slice(0, at) : name;
    return { lane: 'verifier', revision, owner, name, declared, type, code, source: begins };
  });
}

/** A candidate with its place in the repository. */
interface Located extends Candidate {
  readonly source: SourceLocation;
}

/** Product of the candidates of a kind in base and in head, above which the source is not searched. */
const maxChoices = 1_000_000;

async function pairBySource(candidates: readonly Candidate[], sources: Sources): Promise<Pair[]> {
  const located = candidates.flatMap((candidate): Located[] => {
    const { revision, source } = candidate;
    const file = source === null ? null : sources.locate(revision, source.file);
    return source === null || file === null ? [] : [{ ...candidate, source: { file, line: source.line } }];
  });
  const files = new Map<string, FilePair | null>();
  const readPair = async (base: string, head: string) => {
    const key = JSON.stringify([base, head]);
    const known = files.get(key);
    if (known !== undefined) return known;
    const texts = await sources.read(base, head);
    const pair = texts && { before: texts[0].split('\n'), after: texts[1].split('\n'), map: mapLines(...texts) };
    files.set(key, pair);
    return pair;
  };
  const declarations = new Map<Candidate, number>();
  const declarationOf = (candidate: Located, text: readonly string[]) => {
    const known = declarations.get(candidate) ?? findDeclaration(text, candidate.source.line, candidate.declared);
    declarations.set(candidate, known);
    return known;
  };
  const pairs: Pair[] = [];
  for (const group of groupBy(located, kindOf)) {
    const [gone, come] = splitByRevision(group);
    if (gone.length * come.length > maxChoices) continue;
    for (const base of gone) {
      for (const head of come) {
        const [from, to] = [base.source.file, head.source.file];
        if (from !== to && base.declared !== head.declared) continue;
        const pair = await readPair(from, to);
        if (pair === null) continue;
        const [before, after] = [declarationOf(base, pair.before), declarationOf(head, pair.after)];
        if (pair.map(before) !== after) continue;
        const [one, other] = [pair.before[before - 1], pair.after[after - 1]];
        // Any line of a hunk has a counterpart: a program that took another's place is not the other one renamed.
        if (isRenamed(one ?? '', other ?? '', base.declared, head.declared)) pairs.push([base, head]);
      }
    }
  }
  const times = new Map<Candidate, number>();
  for (const each of pairs.flat()) times.set(each, (times.get(each) ?? 0) + 1);
  return pairs.filter((pair) => pair.every((each) => times.get(each) === 1));
}

interface FilePair {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly map: LineMap;
}

/** Lines above a program's first instruction, and below it, that are searched for its declaration. */
const linesAbove = 100;
const linesBelow = 2;

/**
 * Finds the line that names a program, nearest to the line of its first instruction. BTF has only the latter, and code
 * added to the beginning of a function would change it. The name is below it if that line is an attribute's.
 */
function findDeclaration(text: readonly string[], line: number, name: string): number {
  const word = wordOf(name);
  const isNamed = (each: number) => word.test((text[each - 1] ?? '').slice(0, maxLine));
  for (let distance = 0; distance <= linesAbove; distance++) {
    if (isNamed(line - distance)) return line - distance;
    if (distance <= linesBelow && isNamed(line + distance)) return line + distance;
  }
  return line;
}

/** Whether lines differ only in a name, replaced wherever it stands, as in `try_NAME`, or only as a whole word. */
function isRenamed(before: string, after: string, from: string, to: string): boolean {
  const [old, own] = [before.slice(0, maxLine), after.slice(0, maxLine)];
  const renamed = [old.replaceAll(from, () => to), old.split(wordOf(from)).join(to)];
  return renamed.some((each) => each.trim() === own.trim());
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<!\\w)${name.replace(/\W/g, '\\$&')}(?!\\w)`);
}

/** Characters of a line that are searched and compared. */
const maxLine = 500;
