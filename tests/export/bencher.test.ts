// Bencher: our export fits its JSON schema, and our recipes use its options.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { exportBmf } from '../../src/export/bmf.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { fixtures } from '../report/results-fixtures.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const validate = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(
  JSON.parse(read('fixtures/bencher-bmf.schema.json')),
);

/** The first error that Bencher's schema finds in the text; null if it is valid. */
function fault(text: string): string | null {
  if (validate(JSON.parse(text))) return null;
  const error = validate.errors?.[0];
  return `${error?.instancePath}: ${error?.message}`;
}

const real = ['demo', 'sizes'].map(
  (name) => [name, parseResults(read(`fixtures/${name}.results.json`), `${name}.results.json`)] as const,
);

describe.each([...real, ...Object.entries(fixtures)])('the export of %s', (_name, results) => {
  test.each(['base', 'head'] as const)('of %s is valid', (revision) => {
    expect(fault(exportBmf(results, revision))).toBeNull();
  });

  test('has names that Bencher accepts', () => {
    const benchmarks = Object.entries(JSON.parse(exportBmf(results)) as Record<string, Record<string, unknown>>);
    for (const [benchmark, measures] of benchmarks) {
      expect(Buffer.byteLength(benchmark)).toBeLessThanOrEqual(1024);
      for (const measure of Object.keys(measures)) {
        expect(measure).toBe(measure.trim());
        expect(Buffer.byteLength(measure)).toBeLessThanOrEqual(64);
      }
    }
  });
});

test('a real result has all its values in the export, under the measures that the recipes use', () => {
  const exported = real.map(([, results]) => JSON.parse(exportBmf(results)) as Record<string, Record<string, unknown>>);
  expect(exported[0]?.['macro/fun_xdp (6.1)']).toEqual({
    'bpf-instructions': { value: 165 },
    'latency-instructions': { value: 216 },
  });
  const perIteration = exported[0]?.['micro/source_addr (6.1)']?.instructions;
  expect(Object.keys(perIteration ?? {})).toEqual(['value', 'lower_value', 'upper_value']);
  expect(exported[1]?.['heap/process_sample (6.1)']).toEqual({
    'total-bytes': { value: 144_000 },
    'total-blocks': { value: 2000 },
    'peak-bytes': { value: 256 },
    throughput: { value: 990 },
  });
  // A benchmark that 5.10 is too old for has no value there, and no zero.
  expect(exported[1]).toHaveProperty(['probes/lost (6.1)']);
  expect(exported[1]).not.toHaveProperty(['probes/lost (5.10)']);
});

test.each([
  ['a value as text', '{"a": {"latency": {"value": "1"}}}', '/a/latency/value: must be number'],
  [
    'a bound of null',
    '{"a": {"latency": {"value": 1, "lower_value": null}}}',
    '/a/latency/lower_value: must be number',
  ],
  ['no value', '{"a": {"latency": {}}}', "/a/latency: must have required property 'value'"],
  ['a list', '[]', ': must be object'],
])('the schema refuses %s', (_, text, expected) => {
  expect(fault(text)).toBe(expected);
});

describe('the recipes', () => {
  const page = ['docs/continuous-benchmarking.md', 'examples/bencher.yml']
    .map((file) => read(`../../${file}`))
    .join('\n');
  const options = JSON.parse(read('fixtures/bencher-run-options.json')) as {
    version: string;
    adapters: string[];
    thresholdTests: string[];
    run: Record<string, string[]>;
    archive: Record<string, string[]>;
    measureCreate: Record<string, string[]>;
  };
  /** The words after `bencher NAME` in code, continued lines joined. */
  const commands = (name: string) =>
    [...page.replace(/\\\n\s*/g, '').matchAll(new RegExp(`^ *bencher ${name} (.*)$`, 'gm'))].map(([, rest = '']) =>
      rest.split(/ +/),
    );
  const valuesOf = (words: readonly string[], option: string) =>
    words.flatMap((word, index) => (word === `--${option}` ? [words[index + 1]] : []));

  test('name the version that has these options', () => {
    expect(page).toContain(`Bencher ${options.version}`);
    expect(page).toContain(`version: ${options.version}`);
  });

  test.each([
    ['run', 'run'],
    ['archive', 'archive'],
    ['measure create', 'measureCreate'],
  ] as const)('of bencher %s use options it has, with those they require', (name, key) => {
    const found = commands(name);
    expect(found.length).toBeGreaterThan(0);
    for (const words of found) {
      const used = words.flatMap((word) => (word.startsWith('--') ? [word.slice(2)] : []));
      for (const option of used) {
        expect(Object.keys(options[key])).toContain(option);
        for (const required of options[key][option] ?? []) expect(used).toContain(required);
      }
    }
  });

  test("create measures in a project, with the export's names and units", () => {
    const results = [...real.map(([, results]) => results), ...Object.values(fixtures)];
    const measured = results.flatMap(({ measurements }) => measurements);
    const exported = results.flatMap((each) =>
      Object.values(JSON.parse(exportBmf(each)) as Record<string, object>).flatMap(Object.keys),
    );
    for (const words of commands('measure create')) {
      // The project is an argument here; the other commands have an option for it.
      expect(words[0]).toBe('"$BENCHER_PROJECT"');
      const [name = ''] = valuesOf(words, 'name');
      expect(exported).toContain(name);
      const [unit = ''] = valuesOf(words, 'units');
      expect(measured.some((each) => name.startsWith(each.measure) && each.unit.split('/')[0] === unit)).toBe(true);
    }
  });

  test('give every threshold the same options, known tests and the json adapter a file', () => {
    const runs = commands('run');
    expect(runs.length).toBeGreaterThanOrEqual(2);
    for (const words of runs) {
      expect(valuesOf(words, 'adapter')).toEqual(['json']);
      expect(valuesOf(words, 'file')).toHaveLength(1);
      const measures = valuesOf(words, 'threshold-measure').length;
      for (const option of ['threshold-test', 'threshold-max-sample-size', 'threshold-upper-boundary']) {
        expect(valuesOf(words, option)).toHaveLength(measures);
      }
      for (const test of valuesOf(words, 'threshold-test')) expect(options.thresholdTests).toContain(test);
    }
  });
});
