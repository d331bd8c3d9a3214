import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import type { Commit } from '../../src/model/build.ts';
import {
  chooseFollowed,
  compareWithKernel,
  describeCommit,
  type FoundStep,
  findFinding,
  findFollowed,
  nameCommit,
  renderSteps,
} from '../../src/report/bisection.ts';
import { pair, resultsOf } from './results-fixtures.ts';

const measured = (measurements: Parameters<typeof resultsOf>[0]) => resultsOf(measurements, []);

const input = (name: string, base: number | null, head: number | null) =>
  pair(base, head, { benchmark: `xdp/parse/${name}` });
const loaded = (measure: string, base: number, head: number) =>
  pair(base, head, { lane: 'verifier', benchmark: 'xdp/parse', measure, unit: 'instructions' });
const comparisons = measured([
  ...loaded('load-time', 900, 1000),
  ...loaded('verified-instructions', 20, 25),
  ...input('arp', 10, 10),
  ...input('dns', 10, 12),
  ...input('gre', 10, 19),
  ...pair(5, 6, { benchmark: 'xdp/varying', exact: false, resolution: 0.01 }),
  ...pair(5, null, { benchmark: 'xdp/removed' }),
]).comparisons;

describe('what is followed', () => {
  test.for([
    ['a program', 'xdp/parse', 'xdp/parse/dns', 'bpf-instructions'],
    ['a program without its object', 'parse', 'xdp/parse/dns', 'bpf-instructions'],
    ['a run on one input', 'xdp/parse/gre', 'xdp/parse/gre', 'bpf-instructions'],
    ['a run that did not change', 'xdp/parse/arp', 'xdp/parse/arp', 'bpf-instructions'],
  ] as const)('is the first exact count that differs, of %s', ([, name, benchmark, measure]) => {
    expect(chooseFollowed(comparisons, name)).toMatchObject({ benchmark, measure });
  });

  test('is what users feel later if nothing else differs, but never how long loading takes', () => {
    const others = comparisons.filter(({ lane }) => lane === 'verifier');
    expect(chooseFollowed(others, 'parse')).toMatchObject({ measure: 'verified-instructions' });
    const time = others.filter(({ measure }) => measure === 'load-time');
    expect(() => chooseFollowed(time, 'parse')).toThrow(InputError);
  });

  test.for([
    ['xdp/prase', /called `xdp\/prase`; did you mean `xdp\/parse`\?/],
    ['xdp/varying', /no exact count at both ends/],
    ['xdp/removed', /no exact count at both ends/],
  ] as const)('cannot be %s', ([name, message]) => {
    expect(() => chooseFollowed(comparisons, name)).toThrow(message);
  });

  test('is found under the name that a later commit has for it', () => {
    const followed = chooseFollowed(comparisons, 'xdp/parse/dns');
    const renamed = measured(pair(10, 11, { benchmark: 'xdp/parse_v2/dns', renamedFrom: 'xdp/parse/dns' }));
    expect(findFollowed(renamed, followed)).toMatchObject({ benchmark: 'xdp/parse_v2/dns', head: 11 });
  });

  test('compares kernels by what head costs', () => {
    const results = measured([...pair(1, 18, { kernel: '5.10' }), ...pair(2, 25, { kernel: '6.1' })]);
    expect(compareWithKernel(results, '5.10', '6.1')).toMatchObject([{ kernel: '6.1', base: 18, head: 25 }]);
  });
});

describe('the answer', () => {
  const followed = chooseFollowed(comparisons, 'xdp/parse/gre');
  const commit: Commit = {
    id: '7a1b2c3d4e'.repeat(4),
    parents: ['1'.repeat(40), '2'.repeat(40)],
    author: 'Jane\u001b[31m Doe',
    date: '2026-11-03',
    subject: 'parse:\u202e GRE',
  };
  const step: FoundStep = {
    from: { at: 3, value: 10 },
    to: { at: 4, value: 11 },
    titles: [nameCommit(commit)],
    about: describeCommit(commit, { config: undefined, bench: 'parse it', sandbox: 'off', 'no-snapshot': true }),
    finding: undefined,
  };
  const where = ' on 6.1';

  test('names the commit in harmless characters, how to look inside of a merge, and what else there is to find', () => {
    expect(
      renderSteps(followed, [step], 'commit', where),
    ).toBe(`7a1b2c3d4e "parse:\\u{202e} GRE" is the first commit that changes \`xdp/parse/gre\`: +1 instruction per run on 6.1 (10 → 11)
  Jane\\u{1b}[31m Doe, 2026-11-03
  a merge; to look inside: \`bpfgate bisect --good 2222222222~$(git rev-list --first-parent --count 1111111111..2222222222) --bad 2222222222 --bench 'parse it' --sandbox off --no-snapshot\`

The ends differ by +9 in all: --all finds the other steps.
`);
  });

  test('lists the commits of which all but the last could not be measured', () => {
    const found = { ...step, to: { at: 5, value: 19 }, titles: ['one', 'two'], about: [] };
    expect(
      renderSteps(followed, [found], 'commit', where),
    ).toBe(`One of 2 commits changes \`xdp/parse/gre\`: +9 instructions per run on 6.1 (10 → 19). All but the last could not be measured:
  one
  two
`);
  });

  test('lists the ends of a range that was given up', () => {
    const titles = Array.from({ length: 40 }, (_, at) => `c${at}`);
    expect(renderSteps(followed, [{ ...step, titles, about: [] }], 'commit', where)).toContain(
      '(10 → 11). 32 that were tried could not be measured:\n  c0\n  …\n  c39\n',
    );
  });

  test('has the finding of what was followed, not one before it', () => {
    const results = measured([
      ...pair(10, 90, { benchmark: 'xdp/other' }),
      ...pair(10, 11, { benchmark: 'xdp/parse' }),
    ]);
    const { lane, measure } = followed;
    const names = ['xdp/parse', 'xdp/same'].map(
      (benchmark) => findFinding(results, { lane, measure, benchmark })?.subject,
    );
    expect(names).toEqual([[{ code: 'parse' }], undefined]);
  });
});
