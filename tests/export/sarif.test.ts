// SARIF: the export fits the standard's schema and GitHub's limits, and says what the report does.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { exportResults } from '../../src/export/export.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { fixtures, kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
// Of draft 4, of which it uses nothing but `id` that later drafts read otherwise.
const { id: _, $schema: __, ...schema } = JSON.parse(read('fixtures/sarif-2.1.0-rtm.5.schema.json'));
const ajv = new Ajv({ strict: false, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile(schema);

interface Result {
  readonly partialFingerprints: { readonly primaryLocationLineHash: string };
}

test('a revision is refused: findings are about both', () => {
  expect(() => exportResults(resultsOf([], [kernelResult('6.1')]), 'sarif', 'base')).toThrow('--revision');
});

function sarifOf(results: Results) {
  const log = JSON.parse(exportResults(results, 'sarif'));
  expect(validate(log), ajv.errorsText(validate.errors)).toBe(true);
  return log.runs[0];
}

const withPlaces = (source: { file: string; line: number }, fields: Partial<Measurement> = {}) =>
  resultsOf(pair(160, 188, { source, ...fields }), [kernelResult('6.1')]);

const demo: Results = { ...resultsOf([], [kernelResult('6.1')]), ...JSON.parse(read('../report/fixtures/demo.json')) };
const all = { ...fixtures, demo };

test.each(Object.entries(all))('%s fits the schema: a result for each finding that is no improvement', (_, results) => {
  const worse = buildReport(results).findings.filter(({ verdict }) => verdict !== 'improvement');
  const run = sarifOf(results);
  const hashes = run.results.map((each: Result) => each.partialFingerprints.primaryLocationLineHash);
  expect(hashes).toEqual(worse.map(({ id }) => id));
  const ids = run.tool.driver.rules.map(({ id }: { id: string }) => id);
  for (const { ruleId, message, locations } of run.results) {
    expect(ids).toContain(ruleId);
    expect(message.text.length).toBeLessThanOrEqual(1000);
    expect(locations).toHaveLength(1);
  }
});

test('of the demo', async () => {
  await expect(exportResults(demo, 'sarif')).toMatchFileSnapshot('golden/demo.sarif.json');
});

describe('a result', () => {
  test('is at the line that grew most; the other lines of the repository and the program are related', () => {
    const line = (file: string, line: number, head: number) => ({ source: { file, line }, base: 0, head });
    const results = withPlaces({ file: 'src/main.rs', line: 4 });
    const lines = [line('/cargo/queue.rs', 70, 90), line('src/a b.rs', 7, 21), line('src/c.rs', 9, 3)];
    const comparisons = results.comparisons.map((each) => ({ ...each, lines }));
    const [result] = sarifOf({ ...results, comparisons }).results;
    const places = [...result.locations, ...result.relatedLocations].map(({ physicalLocation, message }) => [
      physicalLocation.artifactLocation.uri,
      physicalLocation.region.startLine,
      message?.text,
    ]);
    expect(places).toEqual([
      ['src/a%20b.rs', 7, undefined],
      ['src/c.rs', 9, '+3 machine instructions'],
      ['src/main.rs', 4, 'the subject'],
    ]);
  });

  test('without a place in the repository is at the configuration', () => {
    const [result] = sarifOf(withPlaces({ file: '/usr/src/x.rs', line: 4 })).results;
    expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe('example-project/bpfgate.toml');
  });

  test('has no link, mention or placeholder in its message', () => {
    const benchmark = 'x/[a](http://b) {0} @all www.c.d \u202e';
    const [result] = sarifOf(withPlaces({ file: 'a://b/../c?d#e', line: 1 }, { benchmark, kind: 'benchmark' })).results;
    const [{ physicalLocation }] = result.locations;
    expect(result.message.text).toBe(
      '[a]\u200b(http:\u200b//b) {{0}} @\u200ball www\u200b.c.d \\u{{202e}} +28 instructions per run on 6.1. At a:\u200b//b/../c?d#e:1. To repeat: `bpfgate run --project example-project --base b4d93c6db4 --kernels 6.1 --lanes instructions --bench x`, in the working tree that was compared',
    );
    expect(physicalLocation.artifactLocation.uri).toBe('a%3A//b/../c%3Fd%23e');
  });
});

test('a finding that is accepted is a note, suppressed for its reason', () => {
  const [open, accepted] = sarifOf(fixtures.accepted as Results).results;
  expect([open.level, open.suppressions]).toEqual(['error', undefined]);
  expect([accepted.level, accepted.suppressions[0].kind]).toEqual(['note', 'external']);
  expect(accepted.suppressions[0].justification).toContain('<b>IPv6</b>');
});

test('a kernel that failed is a notification, and the run no success', () => {
  const error = {
    kind: 'bench',
    message: 'it failed:\n[no](queue)\u202e',
    hint: null,
    consoleTail: [],
    benches: [],
  } as const;
  const { invocations } = sarifOf(resultsOf(pair(1, 1), [kernelResult('6.1'), kernelResult('6.12', { error })]));
  expect(invocations[0].executionSuccessful).toBe(false);
  expect(invocations[0].toolExecutionNotifications[0].message.text).toBe(
    '6.12 (6.12.107) could not be measured: it failed:\n[no]\u200b(queue)\\u{{202e}}',
  );
});

test('more findings than GitHub takes are counted', () => {
  const many = Array.from({ length: 25_001 }, (_, index) => pair(1, 2, { benchmark: `x/f${index}` })).flat();
  const [{ results, invocations }] = JSON.parse(exportResults(resultsOf(many, [kernelResult('6.1')]), 'sarif')).runs;
  expect(results).toHaveLength(25_000);
  expect(invocations[0].toolExecutionNotifications[0].message.text).toBe('1 more finding left out');
});
