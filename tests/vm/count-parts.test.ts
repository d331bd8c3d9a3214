import { expect, test } from 'vitest';
import type { Builds } from '../../src/model/build.ts';
import type { GuestRun } from '../../src/model/guest-run.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { divide, joinParts, onlyParts, type Part, partOf, share } from '../../src/vm/count-parts.ts';
import type { Counted } from '../../src/vm/kept-counts.ts';

const plan = { lanes: ['instructions', 'verifier'], benches: [{ name: 'a' }, { name: 'ab' }] } as unknown as Plan;
const builds = {
  objects: [
    { name: 'o', revision: 'base' },
    { name: 'o', revision: 'head' },
  ],
} as unknown as Builds;

function counted(revision: 'base' | 'head', empty: number, fields: object = {}): Counted {
  const own = (records: readonly object[]) => records.map((record) => ({ ...record, revision }));
  const run = {
    kernel: '6.1',
    machine: { commandLine: 'quiet', startedFrom: 'boot', acceleratorReason: null },
    kept: [],
    unproven: ['ab'],
    guest: { release: '6.1.176' },
    calibrations: [{ prog_type: 'xdp', readings: [{ run_cnt: 10, run_time_ns: 10 * empty }] }],
    benches: own([{ bench: 'a' }, { bench: 'ab' }]),
    programs: own([
      { bench: 'a', name: 'x' },
      { bench: 'ab', name: 'y' },
    ]),
    objects: own([{ object: 'o' }]),
    loads: own([{ object: 'o', program: 'x' }]),
    warnings: [
      { about: ['a'], bench: 'a', revision, reason: 'odd' },
      { about: ['ab'], bench: 'ab', revision, reason: 'odd' },
      { about: ['o'], object: 'o', revision, reason: 'odd' },
      { about: [], reason: 'no calibration' },
    ],
    ...fields,
  } as unknown as GuestRun;
  const profiles = own([{ bench: 'a', name: 'cpu.folded' }]) as unknown as Counted['profiles'];
  return { run, profiles, lost: [] };
}

const kindsOf = (parts: readonly Part[]) => parts.map(({ revision, benches }) => [revision, ...benches].join(' '));

test('each bench is a part, and so are all objects', () => {
  expect(kindsOf(divide({ plan, builds }))).toEqual(['base a', 'base ab', 'base', 'head a', 'head ab', 'head']);
  expect(kindsOf(divide({ plan, builds: { ...builds, objects: [] } }))).toEqual([
    'base a',
    'base ab',
    'head a',
    'head ab',
  ]);
});

test('a request of some parts has their benches and objects', () => {
  const [, ab, objects] = divide({ plan, builds });
  if (ab === undefined || objects === undefined) throw new Error('no parts');
  const named = onlyParts({ plan, builds }, [ab]);
  expect([named.plan.benches, named.builds.objects]).toEqual([[{ name: 'ab' }], []]);
  const both = onlyParts({ plan, builds }, [ab, objects]);
  expect([both.plan.benches, both.builds.objects]).toEqual([[{ name: 'ab' }], builds.objects]);
});

test('parts are shared among guests by what they take, in the order of the plan', () => {
  const part = (name: string): Part => ({ revision: 'base', kind: 'benches', benches: [name] });
  const weights: Readonly<Record<string, number>> = { a: 1, b: 5, c: 2, d: 3 };
  const groups = (guests: number) =>
    share(['a', 'b', 'c', 'd'].map(part), guests, ({ benches }) => weights[benches[0] ?? ''] ?? 0).map(kindsOf);
  expect(groups(2)).toEqual([
    ['base a', 'base b'],
    ['base c', 'base d'],
  ]);
  expect(groups(1)).toEqual([['base a', 'base b', 'base c', 'base d']]);
  expect(groups(9).flat().toSorted()).toEqual(['base a', 'base b', 'base c', 'base d']);
});

test('parts that a boot is taken apart into are the whole when they are joined', () => {
  const parts = divide({ plan, builds });
  const [base, head] = [counted('base', 50), counted('head', 50)];
  const apart = new Map(parts.map((part) => [part, partOf(part.revision === 'base' ? base : head, part)]));
  const a = parts[0];
  if (a === undefined) throw new Error('no parts');
  expect(apart.get(a)).toMatchObject({
    run: {
      unproven: [],
      benches: [{ bench: 'a' }],
      programs: [{ name: 'x' }],
      loads: [],
      warnings: [{ bench: 'a' }, { reason: 'no calibration' }],
    },
    profiles: [{ bench: 'a' }],
  });
  const joined = joinParts(parts, apart, new Set());
  expect(joined?.run.benches.map(({ revision, bench }) => `${revision} ${bench}`)).toEqual([
    'base a',
    'base ab',
    'head a',
    'head ab',
  ]);
  expect(joined?.run.unproven).toEqual(['ab', 'ab']);
  expect(joined?.run.programs).toHaveLength(4);
  expect(joined?.run.loads).toHaveLength(2);
  expect(joined?.profiles).toHaveLength(2);
  expect(joined?.run.calibrations).toEqual(base.run.calibrations);
  const ofHead = head.run.warnings.filter(({ about }) => about.length > 0);
  expect(joined?.run.warnings).toHaveLength(7);
  expect(joined?.run.warnings).toEqual(expect.arrayContaining([...base.run.warnings, ...ofHead]));
});

test('boots in which an empty program costs otherwise, or on other machines, are not joined', () => {
  const parts = divide({ plan, builds });
  const join = (other: Counted) =>
    joinParts(
      parts,
      new Map(parts.map((part, index) => [part, partOf(index === 1 ? other : counted(part.revision, 50), part)])),
      new Set(),
    );
  expect(join(counted('base', 50))).toBeDefined();
  expect(join(counted('base', 51))).toBeUndefined();
  expect(join(counted('base', 50, { machine: { commandLine: 'other' } }))).toBeUndefined();
});

test('a revision is kept only where all of its parts are', () => {
  const parts = divide({ plan, builds });
  const join = (isKept: (part: Part) => boolean) => {
    const own = (part: Part) => counted(part.revision, 50, { kept: isKept(part) ? [part.revision] : [] });
    return joinParts(parts, new Map(parts.map((part) => [part, partOf(own(part), part)])), new Set())?.run.kept;
  };
  expect(join(({ revision }) => revision === 'base')).toEqual(['base']);
  expect(join(({ revision, kind }) => revision === 'base' && kind === 'benches')).toEqual([]);
});
