import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { addLines, filesOf, folderOf } from '../../src/history/history-files.ts';
import { formatHistoryJsonSchema, formatLine, historyLineSchema } from '../../src/history/history-line.ts';
import { makeLines } from '../../src/history/make-lines.ts';
import { recordMeasurement } from '../../src/report/results.ts';
import { fixtures, kernelResult, measurement, pair, resultsOf } from '../report/results-fixtures.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const recorded = { commit: 'c'.repeat(40), date: new Date('2026-11-30T23:59:59Z'), run: 20, digest };
const ajv = new Ajv2020({ strict: true, validateFormats: false });
const isValid = ajv.compile(JSON.parse(formatHistoryJsonSchema()));

describe('the lines of a run', () => {
  test("have head's values and what a trend needs", () => {
    const results = resultsOf(pair(160, 165, { kernel: '6.1' }), [kernelResult('6.1')]);
    expect(makeLines(results, recorded)).toEqual([
      {
        schema: 'bpfgate.history/1',
        commit: 'c'.repeat(40),
        date: '2026-11-30T23:59:59Z',
        kernel: '6.1',
        release: '6.1.176',
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        bpfgate: '0.1.0',
        lane: 'instructions',
        benchmark: 'macro/fun_xdp',
        measure: 'bpf-instructions',
        unit: 'instructions/run',
        better: 'lower',
        value: 165,
        interval: 'exact',
        finding: { id: expect.stringMatching(/^[0-9a-f]+$/), subject: 'fun_xdp', place: null },
        run: 20,
      },
    ]);
  });

  test("have the line of the repository that grew most, and no path of the host's", () => {
    const results = fixtures['grown-lines'] as (typeof fixtures)[string];
    // The line that grew least is in a dependency.
    const comparisons = results.comparisons.map((each) => ({ ...each, lines: each.lines?.toReversed() ?? null }));
    const places = makeLines({ ...results, comparisons }, recorded).flatMap(({ finding }) => finding?.place ?? []);
    expect(places).toContain('example-project/xdp-ebpf/src/main.rs:48');
    expect(places.filter((place) => place.startsWith('/'))).toEqual([]);
  });

  test("have the program's name in head alone, and its former name", () => {
    const called = (base: Partial<Measurement>, head: Partial<Measurement>) => {
      const [before, after] = pair(1, 2, { benchmark: 'x/f (tag aaaaaaaa)' });
      const both = [{ ...before, ...base } as Measurement, { ...after, ...head } as Measurement];
      const [line] = makeLines(resultsOf(both, [kernelResult('6.1')]), recorded);
      return [line?.benchmark, line?.renamedFrom];
    };
    expect(called({}, {})).toEqual(['x/f (tag aaaaaaaa)', undefined]);
    expect(called({}, { ownName: 'x/f (tag bbbbbbbb)' })).toEqual(['x/f (tag bbbbbbbb)', 'x/f (tag aaaaaaaa)']);
    expect(called({ ownName: 'x/f' }, {})).toEqual(['x/f (tag aaaaaaaa)', 'x/f']);
    expect(called({ renamedFrom: 'x/old' }, {})).toEqual(['x/f (tag aaaaaaaa)', 'x/old']);
  });

  test('cover what head has, on kernels that were measured', () => {
    const values = (name: string) =>
      makeLines(fixtures[name] as (typeof fixtures)[string], recorded).map(({ kernel, benchmark }) => [
        kernel,
        benchmark,
      ]);
    const added = values('added-and-removed').map(([, benchmark]) => benchmark);
    expect(added).toContain('macro/new_program');
    expect(added).not.toContain('macro/old_program');
    expect(new Set(values('one-kernel-failed').map(([kernel]) => kernel))).toEqual(new Set(['6.1', '6.12']));
    const unknown = resultsOf(pair(1, 2), [kernelResult('6.1', { fingerprint: null })]);
    expect(makeLines(unknown, recorded)).toEqual([]);
  });

  test('have a fingerprint that depends on every part, and not on their order', () => {
    const fingerprintOf = (fingerprint: Record<string, string>) =>
      makeLines(resultsOf(pair(1, 2), [kernelResult('6.1', { fingerprint })]), recorded)[0]?.fingerprint;
    const one = fingerprintOf({ qemu: '7.2', rustc: '1.95' });
    expect(fingerprintOf({ rustc: '1.95', qemu: '7.2' })).toBe(one);
    expect(fingerprintOf({ rustc: '1.96', qemu: '7.2' })).not.toBe(one);
    expect(fingerprintOf({ rustc: '1.95' })).not.toBe(one);
    expect(fingerprintOf({ qemu: '1.95', rustc: '7.2' })).not.toBe(one);
  });

  test('have an interval: of a count that is not exact the uncertainty', () => {
    const intervalOf = (one: ReturnType<typeof measurement>) =>
      makeLines(resultsOf([one], [kernelResult('6.1')]), recorded)[0]?.interval;
    const counted = measurement({ revision: 'head', value: 1000, exact: false, resolution: 0.01 });
    expect(intervalOf(counted)).toEqual([990, 1010]);
    expect(intervalOf({ ...counted, value: -1000 })).toEqual([-1010, -990]);
    expect(
      intervalOf(measurement({ revision: 'head', lane: 'verifier', measure: 'load-time', unit: 'us' })),
    ).toBeNull();
  });
});

describe('every line', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a\nb', '::error::x', '\r\n::warning::', '\u2028', '\u0085', '\u202e', '\ud800', '\u{e0001}', '"'),
  );

  test('is one printable line, and says what was measured', () => {
    fc.assert(
      fc.property(
        fc.record({
          benchmark: fc.array(hostile).map((parts) => parts.join('')),
          measure: hostile,
          unit: hostile,
          value: fc.double({ noNaN: true, noDefaultInfinity: true }),
          exact: fc.boolean(),
          resolution: fc.double({ min: 0, max: 1e300, noNaN: true }),
          better: fc.constantFrom('lower' as const, 'higher' as const),
        }),
        hostile,
        (fields, kernel) => {
          const results = {
            ...resultsOf([], [kernelResult(kernel, { release: kernel })]),
            measurements: [recordMeasurement(measurement({ ...fields, kernel, revision: 'head' }))],
          };
          const [line, ...others] = makeLines(results, recorded);
          if (line === undefined || others.length > 0) throw new Error('not one line');
          const text = formatLine(line);
          expect(text).toMatch(/^\{"schema":"bpfgate\.history\/1",[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*\}$/u);
          const parsed = JSON.parse(text);
          expect(isValid(parsed), ajv.errorsText(isValid.errors)).toBe(true);
          // JSON has no -0.
          expect(historyLineSchema.parse(parsed)).toEqual({
            ...line,
            value: line.value + 0,
            interval: parsed.interval,
          });
          expect({ ...fields, kernel }).toMatchObject({
            benchmark: parsed.benchmark,
            measure: parsed.measure,
            unit: parsed.unit,
            kernel: parsed.kernel,
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each(Object.keys(fixtures))('of the report fixture %s passes the schema', (name) => {
    const lines = makeLines(fixtures[name] as (typeof fixtures)[string], recorded);
    for (const line of lines) expect(isValid(JSON.parse(formatLine(line))), ajv.errorsText(isValid.errors)).toBe(true);
    const heads = fixtures[name]?.measurements.filter(({ revision }) => revision === 'head');
    expect(lines).toHaveLength(heads?.length ?? -1);
  });

  test('that misses a field or has one of the wrong type does not', () => {
    const [line] = makeLines(resultsOf(pair(1, 2), [kernelResult('6.1')]), recorded);
    for (const wrong of [{ commit: 'HEAD' }, { date: '2026-11-30' }, { value: '2' }, { interval: [1] }, { run: 0 }]) {
      expect(historyLineSchema.safeParse({ ...line, ...wrong }).success).toBe(false);
    }
    const { fingerprint: _, ...without } = line ?? { fingerprint: '' };
    expect(isValid(without)).toBe(false);
  });
});

describe('a file of lines', () => {
  const linesOf = (value: number, benchmarks: readonly string[], commit = recorded.commit) =>
    makeLines(
      resultsOf(
        benchmarks.flatMap((benchmark) => pair(1, value, { benchmark })),
        [kernelResult('6.1')],
      ),
      { ...recorded, commit },
    );

  test('is extended, and its existing lines stay unchanged, whatever they are', () => {
    const older = addLines(null, linesOf(1, ['a', 'b'], 'a'.repeat(40)));
    const foreign = `${older}{"schema":"bpfgate.history/2"}\nnot JSON\n{"cut": `;
    const added = addLines(foreign, linesOf(2, ['a', 'b']));
    expect(added.startsWith(`${foreign}\n`)).toBe(true);
    expect(added.endsWith('\n')).toBe(true);
    expect(
      added
        .slice(foreign.length + 1)
        .trimEnd()
        .split('\n'),
    ).toEqual(linesOf(2, ['a', 'b']).map(formatLine));
  });

  test('has no duplicates: a line with the same commit, kernel, lane, benchmark and measure is replaced in place', () => {
    const first = addLines(null, linesOf(1, ['a', 'b', 'c']));
    const next = addLines(first, linesOf(7, ['a'], 'd'.repeat(40)));
    const again = addLines(`${next}${formatLine(linesOf(3, ['b'])[0] as never)}\n`, linesOf(2, ['b', 'e']));
    const shown = again
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ commit, benchmark, value }) => [commit[0], benchmark, value]);
    expect(shown).toEqual([
      ['c', 'a', 1],
      ['c', 'b', 2],
      ['c', 'c', 1],
      ['d', 'a', 7],
      ['c', 'e', 2],
    ]);
    expect(addLines(again, linesOf(2, ['b', 'e']))).toBe(again);
  });

  test("is for one kernel and month, in the project's folder", () => {
    const lines = makeLines(
      resultsOf(
        [...pair(1, 1, { kernel: '6.1:source' }), ...pair(1, 1)],
        [kernelResult('6.1:source'), kernelResult('6.1')],
      ),
      recorded,
    );
    expect(filesOf('', lines).map(({ path }) => path)).toEqual([
      'history/6.1-source/2026-11.jsonl',
      'history/6.1/2026-11.jsonl',
    ]);
    expect(filesOf('services/xdp', lines).map(({ path }) => path)).toEqual([
      'history/services/xdp/6.1-source/2026-11.jsonl',
      'history/services/xdp/6.1/2026-11.jsonl',
    ]);
  });

  test.each([
    ['', 'history'],
    ['services/xdp', 'history/services/xdp'],
    ['../.git/hooks', 'history/%2E%2E/%2Egit/hooks'],
    ['-rf/a b/%41', 'history/%2Drf/a%20b/%2541'],
    ['6.1/2026-11.jsonl', 'history/6.1/2026-11%2Ejsonl'],
    ['a\nb/"ü"', 'history/a%0Ab/%22%C3%BC%22'],
  ])('of project %j is below %s', (project, folder) => {
    expect(folderOf(project)).toBe(folder);
  });

  test('of two projects are always different', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '.', '-', '%', '2', 'E', ' ', '~', '.jsonl'), minLength: 1 });
    const project = fc.array(part, { maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(project, project, (a, b) => {
        expect(folderOf(a) === folderOf(b)).toBe(a === b);
        expect(folderOf(a)).toMatch(/^history(\/[\w%][\w.%-]*)*$/);
        expect(folderOf(a)).not.toMatch(/\.jsonl(\/|$)/);
      }),
      { numRuns: 1000 },
    );
  });
});
