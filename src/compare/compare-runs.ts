// Compare: compares what the runs of a program did in base and in head, by their kinds. Pure.

import type { CallRange, RunKind } from '../bench/inside.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy } from '../common/group-by.ts';

/** The runs of one side. */
export interface Runs {
  readonly kinds: readonly RunKind[];
  /** Instructions of one call of each function that they call, by its name. */
  readonly ranges: ReadonlyMap<string, CallRange>;
}

export interface RunsChange {
  /** Growth of the mean run, in instructions: the program's own, and its calls at their least cost. */
  readonly delta: number;
  /**
   * `exact`: the difference is the change of the code; `about`: runs vary; `open`: they have changed, and by how much is
   * not decided; `unknown`: whether they have is not.
   */
  readonly certainty: 'exact' | 'about' | 'open' | 'unknown';
  /** Sentences for the report: which calls cost another number, which kind of run is new, why nothing is decided. */
  readonly notes: readonly string[];
}

/** Runs of one kind, and the cost of each at the prices of their side. */
interface Priced {
  readonly kind: RunKind;
  readonly key: string;
  readonly runs: number;
  readonly cost: number;
}

/** Calls that a note names, and characters of each. */
const [maxNamed, maxName] = [5, 80];
/** Probability below which a difference is not put down to chance, and the standard deviations to which that comes. */
const [rarest, farthest] = [1e-4, 4];

/**
 * Compares two sides.
 *
 * A kind of run is how many instructions of the program's own it executes, and how often it calls each function. A call
 * counts at its least cost: on each side at its own, where it is the same each time, by no chance; otherwise at the
 * lower one, so that what varies in the kernel cancels. Runs that the kernel begins at the program, and at each function
 * that it calls by itself, are compared separately:
 *
 * - Equal sets of kinds are unchanged, however often each occurs, but for what one call costs.
 * - Kinds that only one side has and that occur equally often are pairs, in order of cost. The change is exact.
 * - Sets that have no kind in common have changed, if their means differ by more than chance.
 * - Other sets are unchanged, unless head has a new kind, or has lost one and costs more. Then this is not decided, and
 *   the kind is named.
 *
 * Kinds of a program that varies can be on one side by chance. Of runs that are alike on both sides, `n` of a kind are on
 * one side with a chance of 2^(1 − n), and more if one side has more runs. Only what is rarer than one in ten thousand
 * counts.
 *
 * @param isSteady whether both sides count the same each time, so that no kind is there by chance
 */
export function compareRuns(base: Runs, head: Runs, isSteady: boolean): RunsChange {
  const prices = priceCalls(base.ranges, head.ranges, isSteady);
  const [before, after] = [price(base.kinds, prices.base), price(head.kinds, prices.head)];
  const entries = [...new Set([...before, ...after].map(({ kind }) => kind.callback))];
  const parts = entries.map((callback) => {
    const [own, other] = [before, after].map((side) => side.filter(({ kind }) => kind.callback === callback));
    return comparePart(partOf(own ?? [], before), partOf(other ?? [], after), isSteady);
  });
  const found = (['unknown', 'open', 'about'] as const).find((each) =>
    parts.some(({ certainty }) => certainty === each),
  );
  return {
    delta: parts.reduce((sum, { delta }) => sum + delta, 0),
    certainty: found ?? 'exact',
    notes: [...parts.flatMap(({ notes }) => notes), ...prices.notes],
  };
}

/** Finds what a call of each function counts on both sides, and describes those that cost another number each time. */
function priceCalls(base: Runs['ranges'], head: Runs['ranges'], isSteady: boolean) {
  const changed: { readonly name: string; readonly base: number; readonly head: number }[] = [];
  const prices = { base: new Map<string, number>(), head: new Map<string, number>() };
  for (const name of new Set([...base.keys(), ...head.keys()])) {
    const [own = head.get(name), other = base.get(name)] = [base.get(name), head.get(name)];
    if (own === undefined || other === undefined) continue;
    const areMany = isSteady || isRarelySplit(own.times, other.times);
    const isFixed = areMany && own.least === own.most && other.least === other.most;
    const least = Math.min(own.least, other.least);
    prices.base.set(name, isFixed ? own.least : least);
    prices.head.set(name, isFixed ? other.least : least);
    if (isFixed && own.least !== other.least) {
      changed.push({ name, base: own.least, head: other.least });
    }
  }
  const most = changed.toSorted((a, b) => Math.abs(b.head - b.base) - Math.abs(a.head - a.base)).slice(0, maxNamed);
  const notes = most.map(
    (each) =>
      `each call of ${clipMiddle(each.name, maxName)} costs ${each.head} instructions, and ${each.base} in base`,
  );
  return { ...prices, notes };
}

/** Whether this many calls on each side, of one distribution, rarely have one cost here and another one there. */
function isRarelySplit(one: number, other: number): boolean {
  const [few, many] = one < other ? [one, other] : [other, one];
  let chance = 1;
  for (let call = 1; call <= few && chance >= rarest; call++) chance *= call / (many + call);
  return chance < rarest;
}

/** Adds what each kind costs. Kinds that differ only in which instructions they execute are one. */
function price(kinds: readonly RunKind[], prices: ReadonlyMap<string, number>): Priced[] {
  const keyOf = ({ callback, own, calls }: RunKind) =>
    JSON.stringify([callback, own, calls.map(({ name, calls: times }) => `${times} ${name}`).toSorted()]);
  return groupBy(kinds, keyOf).map((same) => {
    const [kind] = same;
    const called = kind.calls.reduce((sum, { name, calls }) => sum + calls * (prices.get(name) ?? 0), 0);
    return { kind, key: keyOf(kind), runs: countRuns(same), cost: kind.own + called };
  });
}

function countRuns(kinds: readonly { readonly runs: number }[]): number {
  return kinds.reduce((sum, { runs }) => sum + runs, 0);
}

/** Runs that the kernel begins at one function. */
interface Part {
  readonly kinds: readonly Priced[];
  readonly runs: number;
  /** Such runs for each run of the program. */
  readonly share: number;
  /** Mean cost. */
  readonly cost: number;
}

function partOf(kinds: readonly Priced[], all: readonly Priced[]): Part {
  const runs = countRuns(kinds);
  const cost = kinds.reduce((sum, each) => sum + each.runs * each.cost, 0) / Math.max(1, runs);
  const isOfProgram = kinds.some(({ kind }) => kind.callback === null);
  const programRuns = countRuns(all.filter(({ kind }) => kind.callback === null));
  return { kinds, runs, share: isOfProgram ? 1 : runs / Math.max(1, programRuns), cost };
}

function comparePart(before: Part, after: Part, isSteady: boolean): RunsChange {
  // Difference of the means.
  const delta = after.share * after.cost - before.share * before.cost;
  const callback = [...before.kinds, ...after.kinds][0]?.kind.callback ?? null;
  const entered = callback === null ? 'the program' : clipMiddle(callback, maxName);
  const unchanged: RunsChange = { delta: 0, certainty: 'exact', notes: [] };
  if (before.runs === 0 || after.runs === 0) {
    if (!isSteady && 2 ** (1 - before.runs - after.runs) >= rarest) return unchanged;
    const notes = [`only ${before.runs > 0 ? 'base' : 'head'} runs ${entered}`];
    return { delta, certainty: 'about', notes };
  }
  const inBase = new Map(before.kinds.map((each) => [each.key, each]));
  const inHead = new Set(after.kinds.map(({ key }) => key));
  const shared = after.kinds.flatMap((to) => {
    const from = inBase.get(to.key);
    return from === undefined ? [] : [[from, to] as const];
  });
  const kinds = inBase.size + inHead.size - shared.length;
  // The chance that a run is on the side that has more.
  const larger = Math.max(before.runs, after.runs) / (before.runs + after.runs);
  const isTelling = ({ runs }: Priced) => isSteady || 2 * kinds * larger ** runs < rarest;
  const gone = before.kinds.filter(({ key }) => !inHead.has(key));
  const fresh = after.kinds.filter(({ key }) => !inBase.has(key));
  // Base's runs, each at the cost of its counterpart in head.
  const exactly = (pairs: readonly (readonly [Priced, Priced])[]): RunsChange => {
    const grown = pairs.reduce((sum, [from, to]) => sum + from.runs * (to.cost - from.cost), 0) / before.runs;
    return { delta: before.share * grown, certainty: 'exact', notes: [] };
  };
  const areApart = shared.length === 0 && (isSteady || 2 ** kinds * larger ** (before.runs + after.runs) < rarest);
  if (shared.length === 0 && !areApart) {
    if (callback !== null) return { ...unchanged, notes: [`${entered} runs too seldom to be compared`] };
    return { delta, certainty: 'unknown', notes: ['its runs differ from each other too much to be compared'] };
  }
  const commonest = (all: readonly Priced[]) => all.filter(isTelling).toSorted((a, b) => b.runs - a.runs)[0];
  if (!areApart && !fresh.some(isTelling)) {
    const lost = commonest(gone);
    if (lost === undefined || after.cost <= before.cost) return exactly(shared);
    return {
      delta,
      certainty: 'open',
      notes: [`base has a kind of run that head does not have: ${describeKind(lost)}`],
    };
  }
  const byCost = (all: readonly Priced[]) => all.toSorted((a, b) => a.cost - b.cost);
  const pairs = byCost(gone).flatMap((from, index) => {
    const to = byCost(fresh)[index];
    return to === undefined ? [] : [[from, to] as const];
  });
  const all = [...shared, ...pairs];
  const areCertain = pairs.flat().every(isTelling) || (areApart && areShifted(pairs));
  const occurEqually = all.every(([from, to]) =>
    isSteady ? from.runs === to.runs : canBeAlike(from.runs / before.runs, to.runs / after.runs, before, after),
  );
  if (gone.length === fresh.length && areCertain && (occurEqually || kinds === 2)) return exactly(all);
  if (areApart) {
    const error = isSteady ? 0 : Math.hypot(errorOf(before), errorOf(after));
    const isClear = Math.abs(after.cost - before.cost) > farthest * error;
    return { delta, certainty: isClear ? 'about' : 'open', notes: [describeRanges(before, after)] };
  }
  const first = commonest(fresh);
  const notes = first === undefined ? [] : [`head has a kind of run that base does not have: ${describeKind(first)}`];
  return { delta, certainty: 'open', notes };
}

/**
 * Whether kinds in order of cost are pairs, though some have so few runs that others can be missing: all differ by the
 * same, and not because the first of one side and the last of the other are missing.
 */
function areShifted(pairs: readonly (readonly [from: Priced, to: Priced])[]): boolean {
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return false;
  const shifts = new Set(pairs.map(([from, to]) => to.cost - from.cost));
  const areMany = (one: Priced, other: Priced) => 2 ** (1 - one.runs - other.runs) < rarest;
  return shifts.size === 1 && areMany(first[0], last[1]) && areMany(last[0], first[1]);
}

/** Whether kinds that are these shares of both sides' runs can be equally frequent. */
function canBeAlike(inBase: number, inHead: number, before: Part, after: Part): boolean {
  const share = (inBase * before.runs + inHead * after.runs) / (before.runs + after.runs);
  const deviation = Math.sqrt(share * (1 - share) * (1 / before.runs + 1 / after.runs));
  return Math.abs(inHead - inBase) <= farthest * deviation;
}

/** The standard error of the mean cost. */
function errorOf({ kinds, runs, cost }: Part): number {
  return Math.sqrt(kinds.reduce((sum, each) => sum + each.runs * (each.cost - cost) ** 2, 0)) / runs;
}

function describeRanges(before: Part, after: Part): string {
  const [base, head] = [before, after].map(({ kinds }) => {
    const costs = kinds.map(({ cost }) => cost);
    const [common] = kinds.toSorted((a, b) => b.runs - a.runs);
    return `${Math.min(...costs)} to ${Math.max(...costs)} instructions, mostly ${common?.cost}`;
  });
  return `its runs vary: in base ${base}, in head ${head}`;
}

function describeKind({ kind: { own, calls }, runs }: Priced): string {
  const called = calls.map(
    ({ name, calls: times }) => `${times === 1 ? '' : `${times} × `}${clipMiddle(name, maxName)}`,
  );
  const more = called.length > maxNamed ? [`${called.length - maxNamed} more calls`] : [];
  const parts = [
    `${own} instructions of its own`,
    ...called.slice(0, maxNamed),
    ...more,
    `in ${runs} run${runs === 1 ? '' : 's'}`,
  ];
  return parts.join(', ');
}
