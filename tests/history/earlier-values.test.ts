import { createHash, hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { EarlierValues } from '../../src/history/earlier-values.ts';
import { formatLine, type HistoryLine } from '../../src/history/history-line.ts';
import { makeLines } from '../../src/history/make-lines.ts';
import { kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const results = resultsOf(pair(160, 165, { kernel: '6.1' }), [kernelResult('6.1')]);
const row = { lane: 'instructions', benchmark: 'macro/fun_xdp', measure: 'bpf-instructions' } as const;

/** A line of another commit, of that day of the month. */
function lineOf(day: number, fields: Partial<HistoryLine> = {}): string {
  const date = new Date(Date.UTC(2026, 10, day));
  const [line] = makeLines(results, { commit: hash('sha1', `${day}`), date, run: 1, digest });
  if (line === undefined) throw new Error('there is no line');
  return formatLine({ ...line, value: day, ...fields });
}

function valuesOf(lines: readonly string[]): number[] {
  const earlier = new EarlierValues(results, digest);
  earlier.addLines(lines);
  return earlier.of(row, '6.1');
}

test('earlier values are by date, and at most the newest 30', () => {
  expect(valuesOf([3, 1, 2].map((day) => lineOf(day)))).toEqual([1, 2, 3]);
  const long = Array.from({ length: 40 }, (_, index) => lineOf(index + 1));
  expect(valuesOf(long)).toEqual(Array.from({ length: 30 }, (_, index) => index + 11));
});

test('what the run cannot be compared with is left out, and its own base', () => {
  const own = lineOf(1, { commit: results.revisions.base.commit ?? '' });
  const others = [
    { fingerprint: '0'.repeat(12) },
    { kernel: '6.12' },
    { measure: 'latency' },
    { lane: 'verifier' },
  ] as const;
  const damaged = ['', 'null', '{', lineOf(2).slice(0, -9)];
  expect(valuesOf([own, ...others.map((fields) => lineOf(3, fields)), ...damaged, lineOf(4)])).toEqual([4]);
});

test('a renamed program has the values of its former name', () => {
  const [base, head] = pair(160, 165, { kernel: '6.1' });
  const renamed = [{ ...base, renamedFrom: 'macro/old' } as Measurement, head as Measurement];
  const earlier = new EarlierValues(resultsOf(renamed, [kernelResult('6.1')]), digest);
  earlier.addLines([lineOf(1, { benchmark: 'macro/old' }), lineOf(2)]);
  expect(earlier.of(row, '6.1')).toEqual([1, 2]);
});
