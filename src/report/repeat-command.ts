// Report: the command that measures a finding again, or runs a bench that failed. Pure.

import { shellQuote } from '../common/shell-quote.ts';
import { type Lane, lanes } from '../model/inputs.ts';
import { type Finding, inputOf, ownerOf } from './findings.ts';
import { type Sentence, type Span, toPlainLine } from './plain-text.ts';
import type { Results } from './results.ts';

/** Writes the command for the last kernel that shows the finding, with what a reader has to fill in or provide. */
export function describeRepeat({ lead, comparisons }: Finding, { project, revisions, kernels }: Results): Sentence {
  const kernel = kernels.findLast(({ id }) => lead.some((comparison) => comparison.kernel === id))?.id ?? '';
  const { base } = revisions;
  if (base.commit === null) {
    // Results of objects do not say where the objects are.
    const [, reference] = /^kernel (\S+) \(/.exec(base.ref) ?? [];
    const isAgainst = reference !== undefined;
    const other = isAgainst ? { against: reference } : { 'base-objects': 'OLD' };
    const command = toCommand({ ...other, 'head-objects': 'NEW', kernels: kernel });
    return ['To repeat: ', command, `, ${isAgainst ? 'NEW' : 'OLD and NEW'} being the objects of this run`];
  }
  // Programs of objects run only with both lanes.
  const own = new Set(
    comparisons.flatMap((each): Lane[] => (inputOf(each) === undefined ? [each.lane] : ['instructions', 'verifier'])),
  );
  const benches = new Set(
    comparisons.flatMap((each) =>
      each.lane === 'verifier' || inputOf(each) !== undefined ? [] : ownerOf(each.benchmark),
    ),
  );
  return describeRun({ project, revisions }, base.commit, {
    kernels: kernel,
    lanes: lanes.filter((lane) => own.has(lane)).join(','),
    bench: benches.size > 0 && [...benches].join(','),
  });
}

/** Writes the command that runs a bench on a kernel again; null for results of objects, which have no benches. */
export function describeBenchRepeat(bench: string, kernel: string, results: Results): Sentence | null {
  const { commit } = results.revisions.base;
  return commit === null ? null : describeRun(results, commit, { kernels: kernel, bench });
}

/** Values of options by their names; true for a flag. What is false or not defined is left out. */
export type Options = Readonly<Record<string, string | boolean | undefined>>;

function describeRun(
  { project, revisions: { head } }: Pick<Results, 'project' | 'revisions'>,
  base: string,
  options: Options,
): Sentence {
  const { projectPath, configFile } = project;
  const config = projectPath === '' ? configFile : configFile.replace(`${projectPath}/`, '');
  const command = toCommand({
    project: projectPath !== '' && projectPath,
    config: config !== 'bpfgate.toml' && config,
    base: base.slice(0, 10),
    head: head.commit?.slice(0, 10),
    ...options,
  });
  return ['To repeat: ', command, ...(head.commit === null ? [', in the working tree that was compared'] : [])];
}

function toCommand(options: Options): Span {
  return { code: ['bpfgate run', ...writeOptions(options)].join(' ') };
}

export function writeOptions(options: Options): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : `--${name}${value === true ? '' : ` ${quote(value)}`}`,
  );
}

/** Quotes a value for a shell, in a command that is shown. */
function quote(value: string): string {
  const plain = toPlainLine(value);
  return /^[\w./:@%+=,][\w./:@%+=,-]*$/.test(plain) ? plain : shellQuote(plain);
}
