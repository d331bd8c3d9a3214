// Report: annotations at the lines of a pull request's diff.

import { clipMiddle } from '../common/clip-middle.ts';
import { formatChange, formatValues } from './cell-text.ts';
import { countOf, toPlainLine, toText } from './plain-text.ts';
import { buildReport, type RegressionDetail } from './report-model.ts';
import type { Results } from './results.ts';
import { type Cell, isLoads, type Row } from './row.ts';

export interface Annotation {
  readonly level: 'error' | 'warning';
  /** Path relative to the repository's root. */
  readonly file: string;
  /** 1-based; null for the file as a whole. */
  readonly line: number | null;
  readonly title: string;
  readonly message: string;
}

/** GitHub keeps ten of each level in a step. */
const maxPerLevel = 10;

/**
 * Creates an error for each regression and each kernel that could not be measured, and a warning for each comparison
 * that cannot be decided. A benchmark's measure on all kernels is one annotation. The worst come first, at most ten of
 * a level. If there are more, the last one counts the rest.
 *
 * @param otherErrors how many other errors the step shows, which count towards the same ten
 */
export function annotationsOf(results: Results, otherErrors = 0): Annotation[] {
  const model = buildReport(results);
  const config = toPlainLine(results.project.configFile);
  const errors = [
    ...model.regressions.map(annotateRegression(config)),
    ...model.failures.map(
      ({ kernel, problem, message }): Annotation => ({
        level: 'error',
        file: config,
        line: null,
        title: clipMiddle(`bpfgate: ${kernel} ${problem}`, 200),
        message: toText(message),
      }),
    ),
  ];
  const warnings = model.rows
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map((row) => annotateRow(row, 'warning', config, 'cannot be decided', row.measure));
  return [...limit(errors, maxPerLevel - otherErrors, config), ...limit(warnings, maxPerLevel, config)];
}

/** Annotates the line that grew most, which the pull request mostly shows; else the program or benchmark. */
function annotateRegression(config: string): (detail: RegressionDetail) => Annotation {
  return ({ row, change, refusals, growth, sources }) => {
    if (isLoads(row)) {
      const reasons = refusals.map(({ title }) => title);
      return annotateRow(row, 'error', config, 'no longer loads', [change, ...reasons].join('\n'));
    }
    const note = annotateRow(row, 'error', config, 'regressed', change);
    if (growth === null) return note;
    const lines = growth.lines.map(({ place, delta, values }) => `${place}: ${delta}, ${values}`);
    const message = [note.message, `${growth.title}${lines.length === 0 ? '' : ':'}`, ...lines];
    // Files outside the repository have absolute paths.
    const [first] = growth.lines.filter(({ source }) => !source.file.startsWith('/'));
    return first === undefined
      ? { ...note, message: message.join('\n') }
      : {
          ...note,
          ...first.source,
          message: [...message, ...sources.map((source) => `program: ${source}`)].join('\n'),
        };
  };
}

function annotateRow(row: Row, level: Annotation['level'], config: string, what: string, summary: string): Annotation {
  const cells = row.cells.filter((cell): cell is Cell => cell?.verdict === row.verdict);
  const source = cells.find((cell) => cell.source !== null)?.source ?? null;
  const values = cells.map((cell) => {
    const change = formatChange(cell);
    return `${cell.kernel}: ${formatValues(cell)}${change === '' ? '' : `, ${change}`}`;
  });
  return {
    level,
    file: source?.file ?? config,
    line: source?.line ?? null,
    title: clipMiddle(`bpfgate: ${row.benchmark} ${what}`, 200),
    message: [summary, ...values].join('\n'),
  };
}

function limit(annotations: readonly Annotation[], count: number, config: string): Annotation[] {
  if (annotations.length <= count) return [...annotations];
  const shown = annotations.slice(0, count - 1);
  const level = annotations[0]?.level ?? 'error';
  const rest = annotations.slice(count - 1);
  return [
    ...shown,
    {
      level,
      file: config,
      line: null,
      title: `bpfgate: ${countOf(rest.length, `more ${level}`)}`,
      message: rest
        .map(({ title }) => title.replace(/^bpfgate: /, ''))
        .slice(0, 20)
        .join('\n'),
    },
  ];
}
