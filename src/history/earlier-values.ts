// History: what earlier commits had of the measures of a run.

import { compare } from '../common/order.ts';
import { toPlainLine } from '../report/plain-text.ts';
import type { Results } from '../report/results.ts';
import type { Row } from '../report/row.ts';
import { type HistoryLine, historyLineSchema, parseJson } from './history-line.ts';
import { lineMaker } from './make-lines.ts';

/** The most commits of a measure; the newest are kept. */
const maxCommits = 30;

interface Earlier {
  readonly fingerprint: string;
  /** Values by commit. */
  readonly values: Map<string, { readonly date: string; readonly value: number }>;
}

/** Collects the values of earlier commits that a run's can be compared with: those of the same fingerprint. */
export class EarlierValues {
  /** Measures by the key of their lines. One that was renamed has the lines of its former name too. */
  readonly #wanted = new Map<string, Earlier[]>();
  /** Measures by the key of their row. */
  readonly #found = new Map<string, Earlier>();
  readonly #own: ReadonlySet<string | null>;

  /** @param digest SHA-256 of a text, in hex */
  constructor(results: Results, digest: (text: string) => string) {
    const { base, head } = results.revisions;
    this.#own = new Set([base.commit, head.commit]);
    const makeLine = lineMaker(results, { commit: '', date: new Date(0), run: 1, digest });
    for (const measurement of results.measurements) {
      const line = makeLine(measurement);
      if (line === null) continue;
      const earlier = { fingerprint: line.fingerprint, values: new Map() };
      const { kernel, lane, benchmark, measure } = measurement;
      const of = { lane, benchmark: toPlainLine(benchmark), measure: toPlainLine(measure) };
      this.#found.set(rowKey(of, toPlainLine(kernel)), earlier);
      for (const name of new Set([line.benchmark, line.renamedFrom ?? line.benchmark])) {
        const key = lineKey({ ...line, benchmark: name });
        this.#wanted.set(key, [...(this.#wanted.get(key) ?? []), earlier]);
      }
    }
  }

  /** Adds a file's lines. Damaged ones are left out. */
  addLines(lines: readonly string[]): void {
    for (const text of lines) {
      const json = parseJson(text);
      // Most lines are of other measures.
      const wanted = this.#wanted.get(lineKey(json ?? {})) ?? [];
      const line = wanted.length === 0 ? undefined : historyLineSchema.safeParse(json).data;
      if (line === undefined || this.#own.has(line.commit)) continue;
      for (const { fingerprint, values } of wanted) {
        if (line.fingerprint === fingerprint) values.set(line.commit, { date: line.date, value: line.value });
      }
    }
  }

  /** Returns a row's values on a kernel, oldest first. */
  of(row: RowName, kernel: string): number[] {
    const values = [...(this.#found.get(rowKey(row, kernel))?.values.values() ?? [])];
    const sorted = values.toSorted((a, b) => compare(a.date, b.date));
    return sorted.slice(-maxCommits).map(({ value }) => value);
  }
}

type RowName = Pick<Row, 'lane' | 'benchmark' | 'measure'>;

function rowKey({ lane, benchmark, measure }: RowName, kernel: string): string {
  return JSON.stringify([kernel, lane, benchmark, measure]);
}

function lineKey({ kernel, lane, benchmark, measure, unit }: Partial<HistoryLine>): string {
  return JSON.stringify([kernel, lane, benchmark, measure, unit]);
}
