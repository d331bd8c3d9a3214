// Report: annotations at the lines of a pull request's diff.

import { clipMiddle } from '../common/clip-middle.ts';
import { toCellText } from './cell-text.ts';
import { describeFold, type FindingDetail, isOwn } from './finding-detail.ts';
import { countOf, toPlainLine, toPlainName, toText } from './plain-text.ts';
import { buildReport } from './report-model.ts';
import type { Results } from './results.ts';
import { isLoads, type KernelColumn, nameKernels } from './row.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
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
 * Creates an error for each finding that is a regression and each reason why kernels failed, a warning for each finding
 * that cannot be decided, and a notice for each that is accepted. The worst come first, at most ten of a level.
 * If there are more, the last one counts the rest.
 *
 * @param otherErrors how many other errors the step shows, which count towards the same ten
 */
export function annotationsOf(results: Results, otherErrors = 0): Annotation[] {
  const model = buildReport(results);
  const config = toPlainLine(results.project.configFile);
  const findingsOf = (verdict: FindingDetail['verdict'], isAccepted = false) =>
    model.findings
      .filter((finding) => finding.verdict === verdict && finding.isAccepted === isAccepted)
      .map((finding) => annotate(finding, model.kernels, config));
  const failures = model.failures.map(({ kernels, title, bench, message, output, hint, repeat }): Annotation => {
    const what = bench === null ? title : `bench ${bench.name} failed on ${nameKernels(kernels)}`;
    const next = hint === null ? [] : [`next: ${toText(hint)}`];
    const lines = [toText(message), ...output, ...next, ...(repeat === null ? [] : [toText(repeat)])];
    return {
      level: 'error',
      file: config,
      line: null,
      title: clipMiddle(`bpfgate: ${what}`, 200),
      message: lines.join('\n'),
    };
  });
  return [
    ...limit([...findingsOf('regression'), ...failures], maxPerLevel - otherErrors, config),
    ...limit(findingsOf('inconclusive'), maxPerLevel, config),
    ...limit(findingsOf('regression', true), maxPerLevel, config),
  ];
}

/** Annotates the line that grew most, which the pull request mostly shows; else the program or benchmark. */
function annotate(finding: FindingDetail, kernels: readonly KernelColumn[], config: string): Annotation {
  const { verdict, isAccepted, accepted, subject, change, where, source, lead, growth, repeat } = finding;
  const [first] = lead;
  const what =
    verdict === 'inconclusive' ? 'cannot be decided' : first && isLoads(first) ? 'no longer loads' : 'regressed';
  const values = lead.map((row) => {
    const cells = row.cells.map((cell, index) => {
      const kernel = kernels[index];
      if (cell === null || kernel === undefined) return [];
      const { result, values } = toCellText(row, index, kernel);
      return [`${cell.kernel}: ${values === null ? '' : `${values}, `}${result}`];
    });
    return `${clipMiddle(toPlainName(row.name), 200)}: ${cells.flat().join('; ')}`;
  });
  const fold = describeFold(finding);
  const { lines = [], calls = [] } = growth ?? {};
  const all = [...lines, ...calls];
  const grown = growth === null ? [] : [`${growth.title}${all.length === 0 ? '' : ':'}`];
  return {
    level: isAccepted ? 'notice' : verdict === 'inconclusive' ? 'warning' : 'error',
    file: config,
    line: null,
    ...source,
    ...lines.find(isOwn)?.source,
    title: clipMiddle(`bpfgate: ${toPlainName(subject)} ${what}`, 200),
    message: [
      change,
      ...(where.length === 0 ? [] : [`at ${toText(where)}`]),
      ...accepted.map(toText),
      ...values,
      ...grown,
      ...all.map(({ place, delta, values: counts }) => `${place}: ${delta}, ${counts}`),
      ...(fold === '' ? [] : [`In the report: ${fold}`]),
      toText(repeat),
    ].join('\n'),
  };
}

function limit(annotations: readonly Annotation[], count: number, config: string): Annotation[] {
  if (annotations.length <= count) return [...annotations];
  const level = annotations[0]?.level ?? 'error';
  const rest = annotations.slice(count - 1);
  const titles = rest.slice(0, 20).map(({ title }) => title.replace(/^bpfgate: /, ''));
  const title = `bpfgate: ${countOf(rest.length, `more ${level}`)}`;
  return [...annotations.slice(0, count - 1), { level, file: config, line: null, title, message: titles.join('\n') }];
}
