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
    const command = toCommand([
      isAgainst ? ['against', reference] : ['base-objects', 'OLD'],
      ['head-objects', 'NEW'],
      ['kernels', kernel],
    ]);
    return ['To repeat: ', command, `, ${isAgainst ? 'NEW' : 'OLD and NEW'} being the objects of this run`];
  }
  // Programs of objects run only with both exact lanes.
  const own = new Set(
    comparisons.flatMap((each): Lane[] => (inputOf(each) === undefined ? [each.lane] : ['instructions', 'verifier'])),
  );
  const benches = new Set(
    comparisons.flatMap((each) =>
      each.lane === 'verifier' || inputOf(each) !== undefined ? [] : ownerOf(each.benchmark),
    ),
  );
  return describeRun({ project, revisions }, base.commit, [
    ['kernels', kernel],
    ['lanes', lanes.filter((lane) => own.has(lane)).join(',')],
    ...(benches.size === 0 ? [] : [['bench', [...benches].join(',')] as const]),
  ]);
}

/** Writes the command that runs a bench on a kernel again; null for results of objects, which have no benches. */
export function describeBenchRepeat(bench: string, kernel: string, results: Results): Sentence | null {
  const { commit } = results.revisions.base;
  if (commit === null) return null;
  return describeRun(results, commit, [
    ['kernels', kernel],
    ['bench', bench],
  ]);
}

type Option = readonly [option: string, value: string];

function describeRun(
  { project, revisions: { head } }: Pick<Results, 'project' | 'revisions'>,
  base: string,
  options: readonly Option[],
): Sentence {
  const { projectPath, configFile } = project;
  const config = projectPath === '' ? configFile : configFile.replace(`${projectPath}/`, '');
  const command = toCommand([
    ...(projectPath === '' ? [] : [['project', projectPath] as const]),
    ...(config === 'bpfgate.toml' ? [] : [['config', config] as const]),
    ['base', base.slice(0, 10)],
    ...(head.commit === null ? [] : [['head', head.commit.slice(0, 10)] as const]),
    ...options,
  ]);
  return ['To repeat: ', command, ...(head.commit === null ? [', in the working tree that was compared'] : [])];
}

function toCommand(options: readonly Option[]): Span {
  return { code: ['bpfgate run', ...options.map(([option, value]) => `--${option} ${quote(value)}`)].join(' ') };
}

/** Quotes a value for a shell, in a command that is shown. */
export function quote(value: string): string {
  const plain = toPlainLine(value);
  return /^[\w./:@%+=,][\w./:@%+=,-]*$/.test(plain) ? plain : shellQuote(plain);
}
