// Report: the command that measures a finding again. Pure.

import { shellQuote } from '../common/shell-quote.ts';
import { type Lane, lanes } from '../model/inputs.ts';
import { type Finding, inputOf, ownerOf } from './findings.ts';
import { type Sentence, toPlainLine } from './plain-text.ts';
import type { Results } from './results.ts';

/** Writes the command for the last kernel that shows the finding, with what a reader has to fill in or provide. */
export function describeRepeat({ lead, comparisons }: Finding, { project, revisions, kernels }: Results): Sentence {
  const kernel = kernels.findLast(({ id }) => lead.some((comparison) => comparison.kernel === id))?.id ?? '';
  const { base, head } = revisions;
  const toCommand = (options: readonly (readonly [option: string, value: string])[]) => ({
    code: ['bpfgate run', ...options.map(([option, value]) => `--${option} ${quote(value)}`)].join(' '),
  });
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
  const { projectPath, configFile } = project;
  const config = projectPath === '' ? configFile : configFile.replace(`${projectPath}/`, '');
  // Programs of objects run only with both exact lanes.
  const own = new Set(
    comparisons.flatMap((each): Lane[] => (inputOf(each) === undefined ? [each.lane] : ['instructions', 'verifier'])),
  );
  const benches = new Set(
    comparisons.flatMap((each) =>
      each.lane === 'verifier' || inputOf(each) !== undefined ? [] : ownerOf(each.benchmark),
    ),
  );
  const command = toCommand([
    ...(projectPath === '' ? [] : [['project', projectPath] as const]),
    ...(config === 'bpfgate.toml' ? [] : [['config', config] as const]),
    ['base', base.commit.slice(0, 10)],
    ...(head.commit === null ? [] : [['head', head.commit.slice(0, 10)] as const]),
    ['kernels', kernel],
    ['lanes', lanes.filter((lane) => own.has(lane)).join(',')],
    ...(benches.size === 0 ? [] : [['bench', [...benches].join(',')] as const]),
  ]);
  return ['To repeat: ', command, ...(head.commit === null ? [', in the working tree that was compared'] : [])];
}

/** Quotes a value for a shell, in a command that is shown. */
export function quote(value: string): string {
  const plain = toPlainLine(value);
  return /^[\w./:@%+=,][\w./:@%+=,-]*$/.test(plain) ? plain : shellQuote(plain);
}
