// The data of the trend page: lines to segments, steps and parts, and back.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrendCollector } from '../../src/history/collect-trend.ts';
import { type HistoryLine, historySchemaName } from '../../src/history/history-line.ts';
import { repositoryPage } from '../../src/history/repository-page.ts';
import { addressPlots, listChanges, packLine, readAt, type Segment, unpackLine } from '../../src/history/trend.ts';

const idOf = (commit: number) => String(commit).padStart(40, '0');
const line = (commit: number, fields: Partial<HistoryLine> = {}): HistoryLine => ({
  ...{ schema: historySchemaName, commit: idOf(commit), kernel: '6.1', release: '6.1.176', bpfgate: '0.1.0', run: 1 },
  date: new Date(Date.UTC(2026, 0, 1 + commit)).toISOString(),
  ...{ fingerprint: 'a'.repeat(12), lane: 'instructions', benchmark: 'macro/fun_xdp', measure: 'bpf-instructions' },
  ...{ unit: 'instructions/run', better: 'lower', value: 77, interval: 'exact', ...fields },
});
const nothing = { subjects: new Map<string, string>(), isWhole: false };
const about = { project: 'xdp', repository: null };

function collect(lines: readonly (HistoryLine | string)[], facts = nothing) {
  const collector = new TrendCollector();
  collector.addLines(lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))));
  return open(collector.finish(about, facts));
}

function open({ index, parts }: ReturnType<TrendCollector['finish']>) {
  const segmentsOf = (benchmark: string, kernel = '6.1') => {
    const found = index.plots.find((plot) => plot.benchmark === benchmark)?.lines.find((of) => of.kernel === kernel);
    const text = parts[found?.part ?? -1]?.split('\n')[found?.place ?? -1];
    return text === undefined ? [] : unpackLine(JSON.parse(text));
  };
  return { index, parts, segmentsOf };
}

test('lines of any order are read by date, and equal values of consecutive commits are one segment', () => {
  const { index, segmentsOf } = collect([line(3, { value: 80 }), line(1), line(0), line(2), line(3, { value: 81 })]);
  expect(index.commits.map(({ id }) => id)).toEqual([0, 1, 2, 3].map(idOf));
  const rest = { fingerprint: 0 };
  expect(segmentsOf('macro/fun_xdp')).toEqual([
    { from: 0, to: 2, value: 77, low: 77, high: 77, ...rest },
    // The line that was read last.
    { from: 3, to: 3, value: 81, low: 81, high: 81, ...rest },
  ]);
});

test('commits are in the order of git, whatever their dates; those that it does not know by date', () => {
  // Commit 2 is the parent of 1, after which the clock of a machine was set back.
  const subjects = new Map([4, 1, 2, 0].map((commit) => [idOf(commit), '']));
  const { index } = collect(
    [0, 1, 2, 3, 4, 5].map((commit) => line(commit)),
    { subjects, isWhole: false },
  );
  expect(index.commits.map(({ id }) => Number(id))).toEqual([0, 2, 1, 3, 4, 5]);
});

test('a step has its commit, the one measured before it, and its finding; kernels are in their own order', () => {
  const finding = { id: 'f00', subject: 'fun_xdp', place: 'src/main.rs:78' };
  const others = [0, 1, 2, 3].map((commit) => line(commit, { kernel: '5.10' }));
  // Commit 2 was not measured on 6.1.
  const { index } = collect([line(0), line(1), line(3, { value: 165, finding }), ...others]);
  expect(index.plots[0]?.lines.map(({ kernel, last, at }) => [kernel, last, at])).toEqual([
    ['5.10', 77, 3],
    ['6.1', 165, 3],
  ]);
  expect(index.recent).toEqual([{ plot: 0, line: 1, before: 1, at: 3, from: 77, to: 165, finding: 0 }]);
  expect(index.findings).toEqual([finding]);
});

test('across fingerprints nothing is compared', () => {
  const { index, segmentsOf } = collect([line(0), line(1, { value: 99, fingerprint: 'b'.repeat(12) })]);
  expect(listChanges(segmentsOf('macro/fun_xdp'))).toMatchObject([{ comparison: 'other fingerprint' }]);
  expect(index.recent).toEqual([]);
});

test('a value with an interval steps where the intervals do not overlap, one without never', () => {
  const times = (intervals: readonly HistoryLine['interval'][]) =>
    collect(intervals.map((interval, commit) => line(commit, { value: 100.123456 + commit, interval })));
  const overlapping = times([
    [99, 103],
    [102.9, 107],
  ]);
  expect(overlapping.index.recent).toEqual([]);
  // A hundredth of the interval is kept.
  expect(overlapping.segmentsOf('macro/fun_xdp').map(({ value, low }) => [value, low])).toEqual([
    [100.12, 99],
    [101.12, 102.9],
  ]);
  expect(
    times([
      [99, 101],
      [101.5, 104],
    ]).index.recent,
  ).toHaveLength(1);
  const unknown = times([null, null]);
  expect(unknown.index.recent).toEqual([]);
  expect(listChanges(unknown.segmentsOf('macro/fun_xdp'))).toMatchObject([{ comparison: 'no interval' }]);
});

test('a renamed benchmark continues the line of its former name, unless that was measured again', () => {
  const renamed = line(1, { benchmark: 'new', renamedFrom: 'macro/fun_xdp' });
  expect(collect([line(0), renamed]).segmentsOf('new')).toMatchObject([{ from: 0, to: 1 }]);
  const both = collect([line(0), renamed, line(2)]);
  expect(both.index.plots.map(({ benchmark }) => benchmark)).toEqual(['macro/fun_xdp', 'new']);
});

test('names that shift, are swapped or are taken back keep their lines', () => {
  const value = (benchmark: string, at: number, of: number, renamedFrom?: string) =>
    line(at, { benchmark, value: of, ...(renamedFrom === undefined ? {} : { renamedFrom }) });
  const valuesOf = (lines: HistoryLine[]) => {
    const { index, segmentsOf } = collect(lines);
    return index.plots.map(({ benchmark }) => [
      benchmark,
      ...segmentsOf(benchmark).map(({ from, to, value }) => [from, to, value]),
    ]);
  };
  const start = [value('f', 0, 10), value('g', 0, 99)];
  expect(valuesOf([...start, value('g', 1, 10, 'f'), value('h', 1, 99, 'g'), value('h', 2, 99)])).toEqual([
    ['g', [0, 1, 10]],
    ['h', [0, 2, 99]],
  ]);
  expect(valuesOf([...start, value('g', 1, 10, 'f'), value('f', 1, 99, 'g')])).toEqual([
    ['f', [0, 1, 99]],
    ['g', [0, 1, 10]],
  ]);
  expect(valuesOf([value('f', 0, 10), value('g', 1, 10, 'f'), value('f', 2, 10, 'g')])).toEqual([['f', [0, 2, 10]]]);
  // The former g ends under its own name, so the new one cannot have it.
  expect(valuesOf([...start, value('g', 1, 10, 'f')])).toEqual([
    ['f', [0, 0, 10]],
    ['g', [0, 0, 99], [1, 1, 10]],
  ]);
});

test('damaged lines and those of later versions are counted, and names of any kind are shown in one line', () => {
  const later = JSON.stringify({ ...line(0), schema: 'bpfgate.history/2' });
  const { index } = collect(['{"commit', later, '[]', line(0, { benchmark: `\u202e${'n'.repeat(10_000)}` })]);
  expect(index.unread).toBe(3);
  expect(index.plots[0]?.benchmark).toMatch(/^\\u\{202e\}n+…n+$/);
  expect(index.plots[0]?.benchmark.length).toBeLessThanOrEqual(200);
});

test('plots whose shortened names are the same have addresses of their own', () => {
  const names = ['short', ...['a', 'b'].map((middle) => `m/${'n'.repeat(200)}${middle}${'n'.repeat(200)}`)];
  const { plots } = collect(names.map((benchmark) => line(0, { benchmark }))).index;
  const addresses = [...addressPlots(plots).keys()];
  expect(addresses).toHaveLength(3);
  expect(addresses[1]).toBe(`${addresses[0]}/2`);
  expect(addresses[2]).toBe('#plot/short/bpf-instructions/instructions%2Frun');
});

test('commits that HEAD lost are marked, if the clone has them all', () => {
  const subjects = new Map([[idOf(0), 'First']]);
  const marks = (isWhole: boolean) => collect([line(0), line(1)], { subjects, isWhole }).index.commits;
  expect(marks(true).map(({ subject, isGone }) => [subject, isGone])).toEqual([
    ['First', false],
    [null, true],
  ]);
  expect(marks(false).map(({ isGone }) => isGone)).toEqual([false, false]);
});

test('packed lines are read as they were, whole and at each commit', () => {
  const value = fc.integer({ min: 0, max: 3 });
  const step = fc.record({
    gap: value,
    length: fc.integer({ min: 1, max: 3 }),
    fingerprint: value,
    value,
    half: value,
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let next = 0;
      const segments = steps.map(({ gap, length, fingerprint, value, half }): Segment => {
        const from = next + gap;
        next = from + length;
        const [low, high] = half === 3 ? [null, null] : [value - half, value + half];
        return { from, to: next - 1, fingerprint, value, low, high };
      });
      const packed = packLine(segments, []);
      expect(unpackLine(packed)).toEqual(segments);
      for (let commit = 0; commit <= next; commit++) {
        expect(readAt(packed, commit)).toEqual(segments.find(({ from, to }) => from <= commit && commit <= to));
      }
    }),
  );
});

describe('github-action-benchmark', () => {
  const data = readFileSync(join(import.meta.dirname, 'fixtures', 'data.js'), 'utf8');
  const read = (text: string) => {
    const collector = new TrendCollector();
    collector.addBenchmarkData(text, 'data.js');
    return open(collector.finish(about, nothing));
  };

  test('its own data is read', () => {
    const { index, segmentsOf } = read(data);
    expect(index.commits.map(({ id, date, subject }) => [id.slice(0, 7), date, subject])).toEqual([
      ['45d7825', '2019-11-09T15:06:58Z', 'add benchmark.js example workflow'],
      ['b840614', '2019-11-09T15:10:02Z', 'add benchmark.js example workflow'],
    ]);
    expect(index.plots.map(({ benchmark, unit, better }) => [benchmark, unit, better])).toEqual([
      ['bench_fib_10', 'ns/iter', 'lower'],
      ['bench_fib_20', 'ns/iter', 'lower'],
    ]);
    expect(segmentsOf('bench_fib_10', 'Rust Benchmark').map(({ value, low }) => [value, low])).toEqual([
      [254, null],
      [242, null],
    ]);
    expect(index.fingerprints).toEqual(['cargo']);
  });

  test("values of `bpfgate export` continue in bpfgate's own plot", () => {
    const [name, extra] = ['bpf-instructions of macro/fun_xdp (6.1)', 'kernel 6.1.170\nexact'];
    const benches = [{ name, value: 70, unit: 'instructions/run', extra }];
    const entry = { commit: { id: idOf(0), message: 'x' }, date: 0, tool: 'customSmallerIsBetter', benches };
    const collector = new TrendCollector();
    collector.addBenchmarkData(`window.BENCHMARK_DATA = ${JSON.stringify({ entries: { bpfgate: [entry] } })};\n`, '');
    collector.addLines([JSON.stringify(line(1))]);
    const { index, segmentsOf } = open(collector.finish(about, nothing));
    expect(segmentsOf('macro/fun_xdp')).toMatchObject([{ value: 70, low: 70 }, { value: 77 }]);
    expect(index.fingerprints).toEqual(['customSmallerIsBetter, kernel 6.1.170', 'a'.repeat(12)]);
  });

  test('a value never replaces that of a line', () => {
    const bench = { name: 'bpf-instructions of macro/fun_xdp (6.1)', unit: 'instructions/run', value: 70 };
    const runs = [0, 1].map((commit) => ({
      ...{ commit: { id: idOf(commit) }, date: 0, tool: 'customSmallerIsBetter' },
      benches: [{ ...bench, extra: 'kernel 6.1.170\nexact' }],
    }));
    const imported = JSON.stringify({ entries: { bpfgate: runs } });
    const own = [0, 1, 2].map((commit) => JSON.stringify(line(commit)));
    for (const isFirst of [true, false]) {
      const collector = new TrendCollector();
      if (isFirst) collector.addBenchmarkData(imported, '');
      collector.addLines(own);
      if (!isFirst) collector.addBenchmarkData(imported, '');
      const { segmentsOf } = open(collector.finish(about, nothing));
      expect(segmentsOf('macro/fun_xdp')).toMatchObject([{ from: 0, to: 2, value: 77 }]);
    }
  });

  const readBenches = (...benches: object[]) => {
    const run = { commit: { id: idOf(0) }, date: 0, tool: 'go', benches };
    return read(JSON.stringify({ entries: { suite: [run] } }));
  };

  test.each([
    ['bpf-instructions of macro/f of g (h) (6.1)', 'bpf-instructions', 'macro/f of g (h)', '6.1'],
    ['a of b ()', 'value', 'a of b ()', 'suite'],
    [' of b (6.1)', 'value', ' of b (6.1)', 'suite'],
    ['a of  (6.1)', 'value', 'a of  (6.1)', 'suite'],
  ])('name %j of `bpfgate export`', (name, measure, benchmark, kernel) => {
    const { plots } = readBenches({ name, value: 1, unit: 'ns', extra: 'kernel 6.1.170' }).index;
    expect(plots.map((plot) => [plot.measure, plot.benchmark, plot.lines[0]?.kernel])).toEqual([
      [measure, benchmark, kernel],
    ]);
  });

  // A superlinear expression took minutes.
  test('a long name is split at once', { timeout: 5000 }, () => {
    const name = `${'x of ('.repeat(20_000)}y`;
    expect(readBenches({ name, value: 1, unit: 'ns', extra: 'kernel 6' }).index.plots).toHaveLength(1);
  });

  test('values are numbers and texts of one; others are counted', () => {
    const values = [1.5, '-2.5e3', null, '', true, '0x10', '1e999', ' ', [7], undefined];
    const { index } = readBenches(...values.map((value, at) => ({ name: `b${at}`, value, unit: 'ns' })));
    expect(index.plots.map(({ lines }) => lines[0]?.last)).toEqual([1.5, -2500]);
    expect(index.unread).toBe(8);
  });

  test.each(['window.BENCHMARK_DATA = alert(1)', '', 'window.BENCHMARK_DATA = {"entries": {"x": [{}]}}'])(
    '%j is refused',
    (text) => expect(() => read(text)).toThrow(/^`data.js` is not data of github-action-benchmark: /),
  );
});

test.each([
  ['https://github.com/example/xdp.git', 'https://github.com/example/xdp'],
  ['https://x-access-token:secret@github.com/example/xdp', 'https://github.com/example/xdp'],
  ['git@github.com:example/xdp.git', 'https://github.com/example/xdp'],
  ['ssh://git@host.example:22/a/b/c.git', 'https://host.example/a/b/c'],
  ['/srv/git/xdp', null],
  ['javascript:alert(1)//x/y', null],
  ['', null],
])('the page of remote %j', (remote, page) => {
  expect(repositoryPage(remote)).toBe(page);
});
