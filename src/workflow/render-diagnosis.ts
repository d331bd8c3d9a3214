// Workflow: the output of `bpfgate doctor --workflow`. Pure.

import { countOf, toPlainLine } from '../report/plain-text.ts';
import type { Diagnosis } from './check-workflow.ts';
import { hostedRunner } from './hosted-runner.ts';

/** @param path of the workflow, as messages name it */
export function renderDiagnosis({ findings, notes }: Diagnosis, path: string): string {
  const file = toPlainLine(path);
  const lines = [
    ...findings.flatMap(({ line, what, why, next }) => [
      `${file}:${line}: ${toPlainLine(what)}`,
      `    why:  ${toPlainLine(why)}`,
      `    next: ${toPlainLine(next)}`,
    ]),
    ...notes.map(({ line, text }) => `${file}:${line}: note: ${toPlainLine(text)}`),
  ];
  const count = findings.length === 0 ? 'no findings' : countOf(findings.length, 'finding');
  return [...lines, `${count}; compared with ${hostedRunner.labels[0]}, image ${hostedRunner.image}`].join('\n');
}
