import { expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import {
  type Found,
  followFindings,
  type Remembered,
  readRemembered,
  writeRemembered,
} from '../../src/report/remembered.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { naughtyStrings } from '../hostile/naughty-strings.ts';
import { kernelResult, pair, resultsOf } from './results-fixtures.ts';

const [first, second, third] = ['1'.repeat(10), '2'.repeat(10), '3'.repeat(10)] as [string, string, string];

/** What a run finds whose base has 160 instructions of each program. */
const resultsFor = (heads: Readonly<Record<string, number>>, fields: Partial<Measurement> = {}) =>
  resultsOf(
    Object.entries(heads).flatMap(([name, head]) => pair(160, head, { ...fields, benchmark: `macro/${name}` })),
    [kernelResult('6.1')],
  );
const findIn = (results: Results): Found => ({ findings: buildReport(results).findings, results });
const found = (...given: Parameters<typeof resultsFor>) => findIn(resultsFor(...given));
/** Comments of heads one after another, as their text keeps what is remembered. */
const follow = (...heads: readonly (readonly [commit: string, found: Found | null])[]) => {
  let text = '';
  return heads.map(([commit, run]) => {
    const followed = followFindings(readRemembered(text), run, commit);
    text = `${writeRemembered(followed.remembered)}### bpfgate`;
    return { since: [...followed.since.values()], gone: followed.gone };
  });
};
const fixed = [['Fixed since 1111111111: ', { code: 'xdp' }, ' +8 instructions per run on 6.1']];
const nothing = { since: [], gone: [] };
const source = { file: 'src/main.rs', line: 42 };
const slow = found({ xdp: 168 });
const good = found({ xdp: 160 });

test.each([
  [
    'is still there',
    [
      [first, slow],
      [second, slow],
    ],
    { since: [first], gone: [] },
  ],
  [
    'is still there, larger',
    [
      [first, slow],
      [second, slow],
      [third, found({ xdp: 170 })],
    ],
    { since: [first], gone: [] },
  ],
  [
    'is fixed',
    [
      [first, slow],
      [second, good],
    ],
    { since: [], gone: fixed },
  ],
  [
    'is fixed, in a second run of the same head too',
    [
      [first, slow],
      [second, good],
      [second, good],
    ],
    { since: [], gone: fixed },
  ],
  [
    'another run of the same head does not have',
    [
      [first, slow],
      [first, good],
    ],
    nothing,
  ],
  [
    'was fixed before',
    [
      [first, slow],
      [second, good],
      [third, good],
    ],
    nothing,
  ],
  [
    'came back is new',
    [
      [first, slow],
      [second, good],
      [third, slow],
    ],
    nothing,
  ],
  [
    'is an improvement now',
    [
      [first, slow],
      [second, found({ xdp: 150 })],
    ],
    { since: [], gone: fixed },
  ],
  [
    'is of the same head',
    [
      [first, slow],
      [first, slow],
    ],
    nothing,
  ],
  [
    'was not measured may be there',
    [
      [first, slow],
      [second, found({})],
      [third, slow],
    ],
    { since: [first], gone: [] },
  ],
  [
    'is missing in another run of its head is still known',
    [
      [first, slow],
      [second, slow],
      [second, good],
      [third, slow],
    ],
    { since: [first], gone: [] },
  ],
  [
    'was fixed is not called so if the next run of that head has no result',
    [
      [first, slow],
      [second, good],
      [second, null],
    ],
    nothing,
  ],
  [
    'is part of a larger one is still there',
    [
      [first, found({ xdp: 168 }, { source })],
      [second, found({ xdp: 168, a_tc: 200 }, { source })],
    ],
    { since: [first], gone: [] },
  ],
  [
    'moved to another file is still there',
    [
      [first, found({ xdp: 168 }, { source })],
      [second, found({ xdp: 168 }, { source: { ...source, file: 'src/xdp.rs' } })],
    ],
    { since: [first], gone: [] },
  ],
  [
    'was there before a run without a result',
    [
      [first, slow],
      [second, null],
      [third, slow],
    ],
    { since: [first], gone: [] },
  ],
] as const)('a regression that %s', (_, heads, last) => expect(follow(...heads).at(-1)).toEqual(last));

test('a regression that can no longer be decided is neither fixed nor still there, and stays known', () => {
  const results = resultsFor({ xdp: 168 });
  const comparisons = results.comparisons.map((each) => ({ ...each, verdict: 'inconclusive' as const }));
  expect(follow([first, slow], [second, findIn({ ...results, comparisons })], [third, slow]).slice(1)).toEqual([
    nothing,
    { since: [first], gone: [] },
  ]);
});

test('a renamed program is still the same', () => {
  const results = resultsFor({ xdp_new: 168 });
  const comparisons = results.comparisons.map((each) => ({ ...each, renamedFrom: 'macro/xdp' }));
  expect(follow([first, slow], [second, findIn({ ...results, comparisons })]).at(-1)).toEqual({
    since: [first],
    gone: [],
  });
});

test.each([
  ['the configuration differs', ({ project }: Results) => ({ project: { ...project, configChanges: ['a limit'] } })],
  [
    'base is another',
    ({ revisions }: Results) => ({ revisions: { ...revisions, base: { ...revisions.base, tree: 'f'.repeat(40) } } }),
  ],
])('what is gone is not called fixed if %s', (_, change) => {
  const results = resultsFor({ xdp: 160 });
  const [, { gone } = nothing] = follow([first, slow], [second, findIn({ ...results, ...change(results) })]);
  expect(gone).toEqual([['Gone since 1111111111: ', ...(fixed[0]?.slice(1) ?? [])]]);
});

test('the comment says both', () => {
  const before = followFindings([], found({ xdp: 168, other: 170 }), first);
  const results = resultsFor({ xdp: 168, other: 160 });
  const { since, gone } = followFindings(before.remembered, findIn(results), second);
  const markdown = renderMarkdown(buildReport(results), { since, gone });
  expect(markdown).toContain('\n- Fixed since 1111111111: `other` +10 instructions per run on 6.1\n');
  expect(markdown).toContain('\n#### `xdp` +8 instructions per run on 6.1 (still there since 1111111111)\n');
});

test('of many that are gone, ten are named', () => {
  const gone = Array.from({ length: 12 }, (_, index) => [`Fixed ${index + 1}`]);
  expect(renderMarkdown(buildReport(resultsFor({ xdp: 160 })), { gone })).toContain('\n- Fixed 10\n- and 2 more\n');
});

test('any name is remembered in one comment of bounded length, which nothing in it ends', () => {
  const all = naughtyStrings.slice(0, 30).map(([, name], index): Remembered[number] => ({
    id: index.toString(16).padStart(16, '0'),
    since: first,
    last: first,
    keys: ['0123abcd'],
    base: '0'.repeat(10),
    title: `${name}-->\n@octocat #1`.slice(0, 200),
  }));
  const text = writeRemembered(all);
  expect(text.length).toBeLessThanOrEqual(8000);
  expect(text).toMatch(/^<!-- bpfgate findings [^\n<>@#-]+ -->\n$/);
  const read = readRemembered(`${text}more`);
  expect(read.length).toBeGreaterThan(5);
  expect(read).toEqual(all.slice(0, read.length));
});

const [one] = followFindings([], slow, first).remembered;
test.each([
  ['not at the start', ` ${writeRemembered([one] as Remembered)}`],
  ['no JSON', '<!-- bpfgate findings [} -->'],
  ['another shape', '<!-- bpfgate findings [1] -->'],
  ['a further key', `<!-- bpfgate findings ${JSON.stringify([{ ...one, more: 1 }])} -->`],
  ['a commit that is none', `<!-- bpfgate findings ${JSON.stringify([{ ...one, since: 'main' }])} -->`],
  ['too many', `<!-- bpfgate findings ${JSON.stringify(Array(31).fill(one))} -->`],
  ['longer than any', `<!-- bpfgate findings [${' '.repeat(8000)}] -->`],
  ['nested without end', `<!-- bpfgate findings ${'['.repeat(7000)}] -->`],
])('nothing is read if it is %s', (_, text) => expect(readRemembered(text)).toEqual([]));
