import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/report/markdown.ts';
import {
  type Found,
  followFindings,
  type Remembered,
  readRemembered,
  writeRemembered,
} from '../../src/report/remembered.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { naughtyStrings } from '../hostile/naughty-strings.ts';
import { kernelResult, pair, resultsOf } from './results-fixtures.ts';

const [first, second, third] = ['1'.repeat(10), '2'.repeat(10), '3'.repeat(10)] as [string, string, string];

const reportOf = (heads: Readonly<Record<string, number>>) =>
  buildReport(
    resultsOf(
      Object.entries(heads).flatMap(([name, head]) => pair(160, head, { benchmark: `macro/${name}` })),
      [kernelResult('6.1')],
    ),
  );
const found = (heads: Readonly<Record<string, number>>, fields: Partial<Found> = {}): Found => ({
  findings: reportOf(heads).findings,
  isComplete: true,
  isSameSetup: true,
  ...fields,
});
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
    'may be there, since a kernel is missing',
    [
      [first, slow],
      [second, found({}, { isComplete: false })],
    ],
    nothing,
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
  const unsure = { ...slow, findings: slow.findings.map((each) => ({ ...each, verdict: 'inconclusive' as const })) };
  expect(follow([first, slow], [second, unsure], [third, slow]).slice(1)).toEqual([
    nothing,
    { since: [first], gone: [] },
  ]);
});

test('what is gone after a change of what is measured is not called fixed', () => {
  const [, { gone } = nothing] = follow([first, slow], [second, { ...good, isSameSetup: false }]);
  expect(gone).toEqual([['Gone since 1111111111: ', ...(fixed[0]?.slice(1) ?? [])]]);
});

test('the comment says both', () => {
  const report = reportOf({ xdp: 168, other: 160 });
  const before = followFindings([], { ...slow, findings: reportOf({ xdp: 168, other: 170 }).findings }, first);
  const { since, gone } = followFindings(before.remembered, { ...slow, findings: report.findings }, second);
  const markdown = renderMarkdown(report, { since, gone });
  expect(markdown).toContain('\n- Fixed since 1111111111: `other` +10 instructions per run on 6.1\n');
  expect(markdown).toContain('\n#### `xdp` +8 instructions per run on 6.1 (still there since 1111111111)\n');
});

test('of many that are gone, ten are named', () => {
  const gone = Array.from({ length: 12 }, (_, index) => [`Fixed ${index + 1}`]);
  expect(renderMarkdown(reportOf({ xdp: 160 }), { gone })).toContain('\n- Fixed 10\n- and 2 more\n');
});

test('any name is remembered in one comment of bounded length, which nothing in it ends', () => {
  const all = naughtyStrings.slice(0, 30).map(([, name], index): Remembered[number] => ({
    id: index.toString(16).padStart(16, '0'),
    since: first,
    last: first,
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
