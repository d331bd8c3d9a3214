import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { type Accept, acceptCosts, findAccepts, limitAccepts } from '../../src/report/accept.ts';
import { annotationsOf } from '../../src/report/annotations.ts';
import { decideVerdict } from '../../src/report/gate-verdict.ts';
import { joinResults } from '../../src/report/join.ts';
import { toText } from '../../src/report/plain-text.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { fixtures, kernelResult, pair, resultsOf } from './results-fixtures.ts';

const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));
const source = { file: 'src/main.rs', line: 4 };
const verifier = { lane: 'verifier', measure: 'stack-bytes', unit: 'bytes', benchmark: 'xdp/fun_xdp' } as const;
const printed = { kind: 'benchmark', measure: 'latency', unit: 'ns', benchmark: 'macro/parse' } as const;

/** A program with two loads, its stack and what a bench prints, another of the same cause, and a refused one. */
const measurements: readonly Measurement[] = [
  ...pair(160, 247, { kernel: '5.10', source }),
  ...pair(160, 253, { kernel: '6.1', source }),
  ...pair(300, 312, { kernel: '6.1', benchmark: 'macro/fun_xdp #2', source }),
  ...pair(16, 68, { kernel: '6.1', ...verifier, source }),
  ...pair(50, 40, { kernel: '6.1', ...printed, measure: 'throughput', unit: 'op/s', better: 'higher' }),
  ...pair(50, 60, { kernel: '6.1', ...printed }),
  ...pair(70, 90, { kernel: '6.1', benchmark: 'macro/sibling', source }),
  ...pair(1, 2, { kernel: '6.1', benchmark: 'a/twin' }),
  ...pair(1, 2, { kernel: '6.1', benchmark: 'b/twin' }),
  ...pair(1, 0, { kernel: '6.1', ...verifier, benchmark: 'xdp/lost', measure: 'loads', unit: '', better: 'higher' }),
  ...pair(10, 8, { kernel: '6.1', benchmark: 'macro/better' }),
  ...pair(1, 2, { kernel: '6.1', benchmark: 'a/once' }),
  ...pair(1, 1, { kernel: '6.1', benchmark: 'b/once' }),
];

function accepting(texts: readonly string[], own = measurements, ignored?: string): Results {
  const accepts = texts.map((text): Accept => ({ text, by: 'commit 1a2b3c4d5e', ...(ignored ? { ignored } : {}) }));
  const results = { ...resultsOf(own, kernels), accepts };
  const comparisons = acceptCosts(results);
  return { ...results, comparisons, verdict: decideVerdict(comparisons, results.gaps, results.kernels) };
}

const acceptedOf = ({ comparisons }: Results) =>
  comparisons
    .filter(({ accepted }) => accepted !== undefined)
    .map(({ benchmark, measure, kernel }) => `${benchmark} ${measure} ${kernel}`);
const unusedOf = (results: Results) => buildReport(results).notices.map(toText);

describe('a line accepts', () => {
  const runs = ['macro/fun_xdp bpf-instructions 5.10', 'macro/fun_xdp bpf-instructions 6.1'];
  const second = 'macro/fun_xdp #2 bpf-instructions 6.1';
  test.each<[string, string[]]>([
    ['fun_xdp instructions +93 for IPv6', [...runs, second]],
    ['xdp/fun_xdp bpf-instructions +93 for IPv6', [...runs, second]],
    ['fun_xdp instructions +87 less on 6.1', ['macro/fun_xdp bpf-instructions 5.10', second]],
    ['fun_xdp instructions +86 too little', [second]],
    ['macro/fun_xdp instructions +93instructions this load only', runs],
    ['fun_xdp stack-bytes +52bytes stack only', ['xdp/fun_xdp stack-bytes 6.1']],
    ['parse throughput -10 slower', ['macro/parse throughput 6.1']],
    ['parse latency +10 slower', ['macro/parse latency 6.1']],
    ['a/twin instructions +1 why', ['a/twin bpf-instructions 6.1']],
  ])('%s', (text, expected) => {
    const results = accepting([text]);
    expect(acceptedOf(results).toSorted()).toEqual(expected.toSorted());
    expect(results.verdict).toBe('regression');
  });
});

describe('a line that accepts nothing says why', () => {
  test.each([
    ['fun_xdp instructions +93', 'is not understood: write SUBJECT MEASURE +N REASON'],
    ['fun_xdp instructions +93 REASON', 'is not understood'],
    ['fun_xdp instructions +93 REASON Fixes #2', 'is not understood'],
    ['fun_xdp +93 why', 'is not understood'],
    ['fun_xdp instructions 93 why', 'is not understood'],
    ['fun_xdp instructions +9,3 why', 'is not understood'],
    [`fun_xdp instructions +${'9'.repeat(400)} why`, 'is not understood'],
    [`fun_xdp instructions +93 ${'y'.repeat(500)}`, 'is not understood'],
    ['* instructions +93 why', 'matches no regression'],
    ['fun_.* instructions +93 why', 'matches no regression'],
    ['macro/* instructions +93 why', 'matches no regression'],
    ['fun_xdp * +93 why', 'matches no regression'],
    ['fun_xd instructions +93 why', 'matches no regression; did you mean `fun_xdp`?'],
    ['fun_xdp instruction +93 why', 'matches no regression; did you mean `instructions`?'],
    ['better instructions +93 why', 'matches no regression'],
    ['twin instructions +93 why', 'names several programs or benchmarks'],
    ['once instructions +93 why', 'names several programs or benchmarks'],
    ['lost loads -1 why', 'cannot accept what no longer loads or runs on 6.1'],
    ['sibling instructions -93 why', 'does not cover +20 instructions/run on 6.1'],
    ['sibling instructions +93bytes why', 'does not cover +20 instructions/run on 6.1'],
  ])('%s', (text, why) => {
    const results = accepting([text]);
    expect(acceptedOf(results)).toEqual([]);
    expect(unusedOf(results).join('\n')).toContain(`(commit 1a2b3c4d5e) ${why}`);
  });

  test('or that it is ignored', () => {
    const results = accepting(['fun_xdp instructions +93 why'], measurements, 'is ignored');
    expect(acceptedOf(results)).toEqual([]);
    expect(unusedOf(results)).toEqual([
      '`bpfgate-accept: fun_xdp instructions +93 why` (commit 1a2b3c4d5e) is ignored',
    ]);
  });

  test('and looks for what a few lines mean, not all', () => {
    const name = (end: string) => `macro/${'n'.repeat(400)}${end}`;
    const own = Array.from({ length: 300 }, (_, n) => pair(1, 1, { kernel: '6.1', benchmark: name(`${n}z`) })).flat();
    const results = accepting(
      Array.from({ length: 20 }, (_, n) => `${name(`${n}y`)} instructions +1 why`),
      own,
    );
    const guessed = unusedOf(results).filter((each) => each.includes('did you mean `macro/'));
    expect(guessed.length).toBe(5);
  });

  test('but not in a shard, where another one may have what it names', () => {
    const results = { ...accepting(['elsewhere instructions +93 why']), shard: { index: 1, count: 2 } };
    expect(unusedOf(results)).toEqual([]);
  });
});

test('a line never accepts what it does not name', () => {
  const names = ['fun_xdp', 'macro/fun_xdp', 'macro/fun_xdp #2', 'sibling', 'twin', 'lost', '*', 'fun', '__proto__'];
  const words = ['instructions', 'bpf-instructions', 'stack-bytes', 'latency', 'loads', '*'];
  const line = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...words), fc.integer({ min: -99, max: 99 }));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      const results = accepting(lines.map(([name, word, n]) => `${name} ${word} ${n < 0 ? n : `+${n}`} why`));
      for (const { benchmark, measure, delta, verdict, accepted } of results.comparisons) {
        if (accepted === undefined) continue;
        expect([verdict, measure]).not.toContain('loads');
        const named = lines.some(
          ([name, word, n]) =>
            (benchmark === name || benchmark.replace(/^.*\//, '').replace(/ #2$/, '') === name) &&
            measure.endsWith(word) &&
            (delta ?? Infinity) <= n,
        );
        expect([verdict, named]).toEqual(['regression', true]);
      }
    }),
  );
});

test('the lines that a report suggests accept each finding that has no lost program, and nothing else', () => {
  const all = { ...fixtures, own: resultsOf(measurements, kernels) };
  for (const [name, fixture] of Object.entries(all)) {
    const none = { ...fixture, accepts: [] };
    const results = { ...none, comparisons: acceptCosts(none) };
    for (const { id, acceptLines } of buildReport(results).findings) {
      const texts = acceptLines.map((each) => each.replace('bpfgate-accept: ', '').replace(/REASON$/, 'why'));
      const given = { ...results, accepts: texts.map((text) => ({ text, by: 'me' })) };
      const { findings, notices } = buildReport({ ...given, comparisons: acceptCosts(given) });
      expect([name, findings.filter(({ isAccepted }) => isAccepted).map((each) => each.id)]).toEqual([
        name,
        texts.length === 0 ? [] : [id],
      ]);
      expect(notices).toEqual(buildReport(results).notices);
    }
  }
});

describe('the lines that a report suggests', () => {
  const ofRuns = (...runs: readonly [name: string, delta: number][]) =>
    runs.flatMap(([name, delta]) => pair(100, 100 + delta, { kernel: '6.1', benchmark: `a/twin${name}`, source }));
  const latency = pair(1e-8, 3e-7, { kernel: '6.1', ...printed, source });
  const nameless = pair(1, 2, { kernel: '6.1', benchmark: `a/${'n'.repeat(500)}`, source });

  test.each<[string, Measurement[], string[]]>([
    ['are one for changes that are near', ofRuns(['', 92], [' #2', 93], [' #3', 89]), ['twin instructions +93']],
    [
      'are one for each input that changed differently',
      ofRuns(['/big', 1000], ['/small', 1]),
      ['a/twin/big instructions +1000', 'a/twin/small instructions +1'],
    ],
    [
      'are one for many inputs',
      ofRuns(...Array.from({ length: 7 }, (_, n): [string, number] => [`/${n}`, 10 ** n])),
      ['twin instructions +1000000'],
    ],
    [
      'have the object of a name that another program has',
      [...ofRuns(['', 9]), ...pair(1, 1, { kernel: '6.1', benchmark: 'b/twin' })],
      ['a/twin instructions +9'],
    ],
    [
      'accept one load of which the program has the name',
      [...ofRuns([' #2', 9], ['', 0]), ...pair(1, 1, { kernel: '6.1', benchmark: 'b/twin' })],
      ['a/twin #2 instructions +9'],
    ],
    ['have no exponent', latency, ['parse latency +0.00000029']],
    ['are none if one part has none', [...latency, ...nameless], []],
  ])('%s', (_, own, expected) => {
    const lines = buildReport(accepting([], own)).findings.flatMap(({ acceptLines }) => acceptLines);
    expect(lines).toEqual(expected.map((each) => `bpfgate-accept: ${each} REASON`));
  });
});

describe('a finding', () => {
  const both = ['fun_xdp instructions +93 for IPv6', 'fun_xdp stack-bytes +52 its header'];
  const own = measurements.filter(({ benchmark }) => benchmark.includes('fun_xdp'));

  test('whose regressions are all accepted is accepted, and the gate passes', () => {
    const results = accepting(both, own);
    const model = buildReport(results);
    expect(results.verdict).toBe('pass');
    expect(toText(model.headline)).toBe(
      '1 finding accepted: `fun_xdp` +12 to +93 instructions per run on 2 kernels. No other regression on 5.10 and 6.1.',
    );
    expect(annotationsOf(results)).toMatchObject([{ level: 'notice', title: 'bpfgate: fun_xdp regressed' }]);
    expect(model.findings[0]?.accepted.map(toText)).toEqual([
      'Accepted by commit 1a2b3c4d5e: for IPv6 (`fun_xdp instructions +93`)',
      'Accepted by commit 1a2b3c4d5e: its header (`fun_xdp stack-bytes +52`)',
    ]);
  });

  test('that is accepted in part stays a regression, and says which part is', () => {
    const results = accepting(both.slice(0, 1), own);
    const [finding] = buildReport(results).findings;
    expect(results.verdict).toBe('regression');
    expect([finding?.isAccepted, finding?.accepted.length, finding?.acceptLines]).toEqual([
      false,
      1,
      ['bpfgate-accept: fun_xdp stack-bytes +52 REASON'],
    ]);
  });

  test('that is accepted on one kernel and undecided on another cannot be decided', () => {
    const undecided = pair(1000, 1100, { kernel: '5.10', source, exact: false, resolution: 0.01 });
    const results = accepting(both, [...pair(160, 247, { kernel: '6.1', source }), ...undecided]);
    const model = buildReport(results);
    expect(results.verdict).toBe('inconclusive');
    expect(model.findings).toMatchObject([
      { verdict: 'inconclusive', isAccepted: false, accepted: [expect.anything()] },
    ]);
    expect(toText(model.headline)).toContain('No unaccepted regression on 5.10 and 6.1. 1 finding cannot be decided');
    expect(annotationsOf(results)).toMatchObject([{ level: 'warning', title: 'bpfgate: fun_xdp cannot be decided' }]);
  });

  test('is accepted in joined results by the lines alone, whatever their files mark', () => {
    const parts = kernels.map(({ id }): Results => {
      const results = accepting(both, own);
      const ofKernel = <Item extends { kernel: string }>(items: readonly Item[]) =>
        items.filter(({ kernel }) => kernel === id);
      return {
        ...results,
        kernels: results.kernels.filter((kernel) => kernel.id === id),
        comparisons: ofKernel(results.comparisons),
        measurements: ofKernel(results.measurements),
      };
    });
    const read = (results: Results) => parseResults(serializeResults(results), 'a');
    const files = parts.map((results) => ({ file: 'a', results: read(results) }));
    expect(joinResults(files)).toMatchObject({ verdict: 'pass', accepts: parts[0]?.accepts });
    const forged = parts.map((results) => ({ file: 'a', results: read({ ...results, accepts: [] }) }));
    expect(joinResults(forged).verdict).toBe('regression');
  });
});

test('of too many lines the last that is read says how many are left out', () => {
  const many = Array.from({ length: 103 }, (_, n): Accept => ({ text: `a${n} b +1 why`, by: 'the pull request' }));
  expect(limitAccepts(many.slice(0, 100))).toEqual(many.slice(0, 100));
  const limited = limitAccepts(many);
  expect(limited.slice(0, 99)).toEqual(many.slice(0, 99));
  expect(limitAccepts([...many.map((each) => ({ ...each, ignored: 'why' })), ...many])[0]).toEqual(many[0]);
  expect(limited.slice(99)).toEqual([{ ...many[99], ignored: expect.stringContaining('is ignored, as are 3 more') }]);
});

const dependabot = [
  'Bumps libbpf.',
  '<details><summary>Release notes</summary>',
  '<blockquote>',
  '',
  'bpfgate-accept: pass instructions +900 from the release notes',
];

/** Texts of the lines that count, and of those that are reported only. */
const split = (text: string, of: 'commit' | 'description') => {
  const found = findAccepts(text, of, 'me');
  const textsOf = (counts: boolean) =>
    found.filter(({ ignored }) => (ignored === undefined) === counts).map((each) => each.text);
  return [textsOf(true), textsOf(false)];
};

test.each([
  ['the last paragraph', 'Faster.\r\n\r\nBpfgate-Accept: a b +1 why\r\n  so', ['a b +1 why so'], []],
  ['no earlier one', 'bpfgate-accept: a b +1 why\n\nText.', [], ['a b +1 why']],
  [
    'no HTML comment, as templates have',
    'Text.\n\nbpfgate-accept: a b +1 why\n<!-- bpfgate-accept: c d +1 x\n-->',
    ['a b +1 why'],
    [],
  ],
  ['no line that does not begin with the key', 'text bpfgate-accept: a b +1 why', [], []],
  ['no quote', 'Text.\n\n> bpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no line by which a quote goes on', 'Text.\n\n> quote\nbpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no block of code', 'Text.\n\n```sh\nbpfgate-accept: a b +1 why\n~~~\n```', [], ['a b +1 why']],
  ['no block of code that does not end', '~~~\nx\n\nbpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no indented code', 'Text.\n\n    bpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no item of a list', '1. [ ] bpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no code in a table', '| `bpfgate-accept: a b +1 why`', [], ['a b +1 why`']],
  ['no line below what may hide it', '\\`<!-- `\n\nbpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no comment that does not end', 'Text.\n<!--\n\nbpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no element that quotes', dependabot.join('\n'), [], ['pass instructions +900 from the release notes']],
  ['what follows such an element', '<pre>\nx\n</pre> `<pre>`\n\nbpfgate-accept: a b +1 why', ['a b +1 why'], []],
])('of a description %s counts', { tags: ['hostile'] }, (_, text, counted, reported) => {
  expect(split(text, 'description')).toEqual([counted, reported]);
});

const squash = [
  'Parse more (#12)',
  '',
  '* first',
  '',
  'bpfgate-accept: pass verified-instructions +45 it also parses options',
  'bpfgate-accept: pass stack-bytes +8 same',
  '',
  '* fix typo',
  '',
  '---------',
  '',
  'Co-authored-by: X Y <x@y.z>',
];
const wrapped = [
  'Parse more (#12)',
  '',
  'bpfgate-accept: pass verified-instructions +45 it also parses each of',
  'the options',
  'Signed-off-by: X',
];
const ofSquash = ['pass verified-instructions +45 it also parses options', 'pass stack-bytes +8 same'];

test.each([
  ['a trailer', 'change\n\nbpfgate-accept: a b +1 why\nSigned-off-by: X Y <x@y.z>', ['a b +1 why'], []],
  ['no title', 'bpfgate-accept: a b +1 why', [], ['a b +1 why']],
  ['no line above the trailers', 'change\n\nbpfgate-accept: a b +1 why\n\nSigned-off-by: X', [], ['a b +1 why']],
  ['a line of a squash', squash.join('\n'), ofSquash, []],
  ['no line of a commit whose title is no squash', squash.with(0, 'Parse more').join('\n'), [], ofSquash],
  [
    'a line that GitHub has wrapped',
    wrapped.join('\n'),
    ['pass verified-instructions +45 it also parses each of the options'],
    [],
  ],
  ['no line below one that had room', 'x (#1)\n\nbpfgate-accept: a b +1 why\nFixes #2', ['a b +1 why'], []],
  [
    'no line below one that was not wrapped',
    `x (#1)\n\nbpfgate-accept: a b +1 ${'why '.repeat(20)}\nFixes #2`,
    [`a b +1 ${'why '.repeat(20).trim()}`],
    [],
  ],
  ['no code that a squash quotes', squash.toSpliced(4, 0, '```').join('\n'), [], ofSquash],
])('of a commit %s counts', (_, text, counted, reported) => {
  expect(split(text, 'commit')).toEqual([counted, reported]);
});

test('a line that stands elsewhere is reported with the place where it counts', () => {
  const found = findAccepts('bpfgate-accept: a b +1 why\n\nText.', 'description', 'the pull request');
  const ignored = 'is ignored: it has to be in the last paragraph of the description, and in no quote or code';
  expect(found).toEqual([{ text: 'a b +1 why', by: 'the pull request', ignored }]);
});

test('a description of many fences and comments is read in linear time', { tags: ['hostile'], timeout: 5_000 }, () => {
  const parts = ['```', '<!--', ' '.repeat(1000), 'bpfgate-accept:', '`'.repeat(1000), '>'.repeat(1000), '<pre>'];
  const text = Array.from({ length: 20_000 }, (_, n) => parts[(n * n) % 7]).join('\n');
  expect(findAccepts(text, 'description', '').length).toBeLessThan(20_000);
});
