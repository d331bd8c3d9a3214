import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import type { Results } from '../../src/report/results.ts';
import { formatResultsJsonSchema, parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { fixtures, kernelResult, pair, profilesOf, resultsOf } from './results-fixtures.ts';

test.each(Object.entries(fixtures))('%s is read back unchanged', (_name, results) => {
  expect(parseResults(serializeResults(results), 'results.json')).toEqual(results);
});

test('a local path is not written', () => {
  const [results] = Object.values(fixtures);
  if (results === undefined) throw new Error('fixture');
  const build = { ...results.revisions.base, dir: '/home/me/secret' };
  expect(serializeResults({ ...results, revisions: { ...results.revisions, base: build } })).not.toContain('secret');
});

test('a value that JSON cannot hold is refused, not written as null', () => {
  const results = resultsOf(pair(1, 1), [kernelResult('6.1')]);
  const broken = results.measurements.map((measurement) => ({ ...measurement, value: Number.NaN }));
  expect(() => serializeResults({ ...results, measurements: broken })).toThrow();
});

test.each([
  [1e-309, 1],
  [-1.7e308, 1.7e308],
  [1e306, 1e306],
])('a pair of %d and %d loses no result', (base, head) => {
  const results = resultsOf(pair(base, head, { exact: false, resolution: 1000 }), [kernelResult('6.1')]);
  expect(parseResults(serializeResults(results), 'r.json')).toEqual(results);
});

test('a file from before `better` and too old kernels can be read', () => {
  const { gaps: _, ...results } = resultsOf(pair(1, 2), [kernelResult('6.1')]);
  const old = {
    ...results,
    measurements: results.measurements.map(({ better: _, ...rest }) => rest),
    comparisons: results.comparisons.map(({ better: _, needs: __, ...rest }) => rest),
  };
  expect(parseResults(JSON.stringify(old), 'r.json')).toEqual(resultsOf(pair(1, 2), [kernelResult('6.1')]));
});

test('a file from before shards has all benches', () => {
  const whole = resultsOf(pair(1, 2), [kernelResult('6.1')]);
  const { shard: _, ...old } = whole;
  expect(parseResults(JSON.stringify(old), 'r.json')).toEqual(whole);
  const sharded = { ...whole, shard: { index: 2, count: 3 } };
  expect(parseResults(serializeResults(sharded), 'r.json')).toEqual(sharded);
});

test.each([
  { index: 0, count: 3 },
  { index: 4, count: 3 },
  { index: 1, count: 1 },
  { index: 1, count: 1e9 },
  { index: 1.5, count: 2 },
])('shard %j is invalid', (shard) => {
  const text = JSON.stringify({ ...resultsOf(pair(1, 2), [kernelResult('6.1')]), shard });
  expect(() => parseResults(text, 'r.json')).toThrow(/`r\.json` is not a valid result file: `shard/);
});

describe('an invalid result file', () => {
  const valid = resultsOf(pair(1, 1), [kernelResult('6.1')]);
  const withFile = (profile: object) => ({ ...profile, file: 'profiles/a.svg' });
  test.each<[string, string, string]>([
    ['is no JSON', '{"schema": ', '`r.json` is not JSON'],
    ['is another JSON', '[]', '`r.json` is not a result file of bpfgate: it has no `schema`'],
    [
      'is of another version',
      '{"schema":"bpfgate.results/2"}',
      '`r.json` has schema "bpfgate.results/2", but this bpfgate reads "bpfgate.results/1"',
    ],
    [
      'has a wrong value',
      JSON.stringify({ ...valid, comparisons: [{ ...valid.comparisons[0], verdict: 'fine' }] }),
      '`r.json` is not a valid result file: `comparisons[0].verdict`: ',
    ],
    [
      'compares on a kernel it has not',
      JSON.stringify({ ...valid, kernels: [kernelResult('6.12')] }),
      'kernel `6.1` is not among its kernels',
    ],
    [
      'has a gap on a kernel it has not',
      JSON.stringify({ ...valid, gaps: [{ kernel: '5.10', revision: 'head', benchmark: 'a', needs: '5.18' }] }),
      'kernel `5.10` is not among its kernels',
    ],
    [
      'has a profile of a kernel it has not',
      JSON.stringify({ ...valid, profiles: profilesOf('5.10', 'a', ['head.cpu.svg']) }),
      'kernel `5.10` is not among its kernels',
    ],
    [
      'has a kernel that means something to a terminal',
      JSON.stringify({ ...valid, profiles: profilesOf('\u001b[2J', 'a', ['head.cpu.svg']).map(withFile) }),
      'kernel `\\u{1b}[2J` is not among its kernels',
    ],
    [
      'has a value beyond range',
      JSON.stringify(valid).replace('"value":1', '"value":1e999'),
      '`r.json` is not a valid result file: `measurements[0].value`: ',
    ],
    [
      'has a value that is not a number',
      JSON.stringify({ ...valid, measurements: valid.measurements.map((each) => ({ ...each, value: Number.NaN })) }),
      '`r.json` is not a valid result file: `measurements[0].value`: ',
    ],
    [
      'has a negative uncertainty',
      JSON.stringify({ ...valid, measurements: valid.measurements.map((each) => ({ ...each, resolution: -0.1 })) }),
      '`r.json` is not a valid result file: `measurements[0].resolution`: ',
    ],
    [
      'has two values of one name',
      JSON.stringify({ ...valid, measurements: [...valid.measurements, ...pair(2, 2)] }),
      '`r.json` is not a valid result file: `macro/fun_xdp` has two values of bpf-instructions in base on 6.1',
    ],
    [
      'compares one name twice',
      JSON.stringify({ ...valid, comparisons: [...valid.comparisons, ...valid.comparisons] }),
      '`r.json` is not a valid result file: `macro/fun_xdp` is compared twice by bpf-instructions on 6.1',
    ],
    [
      'has a gap that names no kernel',
      JSON.stringify({ ...valid, gaps: [{ kernel: '6.1', revision: 'head', benchmark: 'a', needs: '<b>' }] }),
      '`r.json` is not a valid result file: `gaps[0].needs`: ',
    ],
    [
      'has a kernel twice',
      JSON.stringify({ ...valid, kernels: [kernelResult('6.1'), kernelResult('6.1')] }),
      'a kernel is there twice',
    ],
  ])('that %s is an input error', (_case, text, message) => {
    const parse = () => parseResults(text, 'r.json');
    expect(parse).toThrow(InputError);
    expect(parse).toThrow(message);
  });
});

describe('a file with more than a run can produce', { tags: ['hostile'] }, () => {
  const valid = resultsOf(pair(1, 1), [kernelResult('6.1')]);
  const [measurement] = valid.measurements;
  const manyKernels = Array.from({ length: 257 }, (_, index) => kernelResult(`6.${index}`));
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...valid.comparisons[0], benchmark: `macro/${index}` }));
  test.each<[string, object, string]>([
    ['kernels', { kernels: manyKernels }, 'it has 257 kernels, more than 256'],
    ['profiles', { profiles: Array(250_001).fill(null) }, 'it has 250001 profiles, more than 250000'],
    [
      'samples of one measurement',
      { measurements: [{ ...measurement, values: Array(20_001).fill(1) }] },
      'one of its measurements has more than 20000 parts',
    ],
    [
      'samples of one further boot',
      { measurements: [{ ...measurement, confirmations: [{ samples: Array(20_001).fill(1) }] }] },
      'one of its measurements has more than 20000 parts',
    ],
    [
      'tools',
      {
        revisions: {
          ...valid.revisions,
          base: { tools: Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [index, ''])) },
        },
      },
      'its revisions have more than 20000 parts',
    ],
    [
      'characters of a name',
      { measurements: [{ ...measurement, benchmark: 'x'.repeat(262_145) }] },
      '`measurements.0.benchmark` has 262145 characters, more than 262144',
    ],
    [
      'cells of its table',
      { kernels: manyKernels.slice(1), comparisons: named(391).map((each) => ({ ...each, kernel: '6.1' })) },
      'compares 391 measures on 256 kernels: that would be a table of 100096 cells, and at most 100000 are reported',
    ],
  ])('is refused: %s', (_what, given, message) => {
    const parse = () => parseResults(JSON.stringify({ ...valid, ...given }), 'r.json');
    expect(parse).toThrow(InputError);
    expect(parse).toThrow(message);
  });

  test('is refused after the first errors, however many there are', () => {
    const text = JSON.stringify({ ...valid, measurements: Array(250_000).fill({ kernel: 7 }) });
    expect(() => parseResults(text, 'r.json')).toThrow(
      /^`r\.json` is not a valid result file: [\s\S]{0,1000}; and \d{1,3} more$/,
    );
  });
});

test.each([
  ['lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
  ['objects', `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`],
  [
    'lists where a text belongs',
    `{"schema":"bpfgate.results/1","verdict":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ],
])('a file of %s a hundred thousand deep and more is an input error', (_, text) => {
  expect(() => parseResults(text, 'r.json')).toThrow(InputError);
});

test('a schema of a million characters is shortened in the error', () => {
  const parse = () => parseResults(JSON.stringify({ schema: 'x'.repeat(1_000_000) }), 'r.json');
  expect(parse).toThrow(/^`r\.json` has schema "x{30}…x{29}", but this bpfgate reads "bpfgate\.results\/1"$/);
});

test('an unknown key is ignored, however deep it is, and left out', () => {
  const results = resultsOf(pair(1, 1), [kernelResult('6.1')]);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(parseResults(JSON.stringify(results).replace('{', `{"deep":${deep},`), 'r.json')).toEqual(results);
});

test('a file that was cut anywhere is an input error', () => {
  const whole = readFileSync(new URL('../export/fixtures/demo.results.json', import.meta.url));
  expect(whole.at(-1)).toBe('\n'.charCodeAt(0));
  parseResults(whole.toString('utf8', 0, whole.length - 1), 'r.json');
  const notRefused = Array.from({ length: whole.length - 1 }, (_, length) => length).filter((length) => {
    try {
      parseResults(whole.toString('utf8', 0, length), 'r.json');
      return true;
    } catch (error) {
      return !(error instanceof InputError && error.message === '`r.json` is not JSON');
    }
  });
  expect(notRefused).toEqual([]);
});

describe("the path of a profile's file", () => {
  const withFile = (file: string): Results => ({
    ...resultsOf(pair(1, 1), [kernelResult('6.1')]),
    profiles: [{ kernel: '6.1', bench: 'a', kind: 'base', file }],
  });

  test.each(['profiles/5.8-tree/a.b/base.cpu.svg', 'profiles/6.1/a..b/base.x', 'profiles/6.1/-a/base.@+=_'])(
    'may be %s',
    (file) => {
      const results = withFile(file);
      expect(parseResults(serializeResults(results), 'r.json')).toEqual(results);
    },
  );

  test.each([
    'profiles/../results.json',
    'profiles/6.1/../../x.svg',
    'profiles/6.1/..',
    '../profiles/6.1/x.svg',
    '/profiles/6.1/a/x.svg',
    '/etc/passwd',
    'profiles//a/x.svg',
    'profiles/6.1/a//x.svg',
    'profiles/6.1/a/',
    'profiles/.x/y',
    'profiles/x/.y',
    'profiles/./y',
    'profiles',
    'profiles/',
    'profiles\\6.1\\x.svg',
    'profiles/6.1\\..\\x.svg',
    'profiles/6.1/a/x.svg\n',
    'profiles/6.1/a b/x.svg',
    'profiles/6.1/%2e%2e/x.svg',
    'profiles/6.1:tree/x.svg',
    'stages/plan.json',
    'javascript:alert(1)',
    '',
  ])('cannot be %j', (file) => {
    expect(() => serializeResults(withFile(file))).toThrow();
    const parse = () => parseResults(JSON.stringify(withFile(file)), 'r.json');
    expect(parse).toThrow(InputError);
    expect(parse).toThrow('`r.json` is not a valid result file: `profiles[0].file`: ');
  });
});

test('the JSON Schema allows keys of later versions and has its own id', () => {
  const schema = JSON.parse(formatResultsJsonSchema());
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'bpfgate.results/1',
    type: 'object',
    properties: { schema: { const: 'bpfgate.results/1' } },
  });
  expect(schema.additionalProperties).not.toBe(false);
});
