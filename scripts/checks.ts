// Scripts: prints the outcome of each check of a script, and their counts.

export type Outcome = 'passed' | 'failed' | 'skipped';
const outcomes: Outcome[] = [];

export function reportCheck(outcome: Outcome, what: string, details = ''): void {
  outcomes.push(outcome);
  const lines = details.trimEnd() === '' ? [] : details.trimEnd().split('\n');
  console.log([`${outcome.padEnd(7)} ${what}`, ...lines.map((line) => `        ${line}`)].join('\n'));
}

/** Prints the counts, and makes the script fail if a check has failed or, with `requireAll`, was skipped. */
export function reportCounts(script: string, requireAll = false): void {
  const count = (outcome: Outcome) => outcomes.filter((other) => other === outcome).length;
  console.log(`${script}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  if (count('failed') > 0 || (requireAll && count('skipped') > 0)) process.exitCode ||= 1;
}
