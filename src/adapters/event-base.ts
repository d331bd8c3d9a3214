// Adapter: the base that a workflow's event implies, in the checkout that its step runs in.

import { baseOfEvent, type CheckedOut } from '../inputs/event-base.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { readRepository } from './git.ts';
import type { Log } from './log.ts';

/**
 * Finds the base of an event. A checkout may lack it: with `fetch-depth: 2` it has HEAD and HEAD's parents alone.
 *
 * @param event what `readEvent` gives; undefined outside of a workflow
 * @param ref GITHUB_REF
 */
export async function findEventBase(
  project: string,
  { event, ref, log }: { event: unknown; ref: string; log: Log },
): Promise<Pick<Inputs, 'base' | 'baseBranch'>> {
  if (event === undefined) return {};
  const { otherwise, ...implied } = baseOfEvent(event, await readCheckedOut(project, ref));
  const { base } = implied;
  if (base === undefined || otherwise === undefined || (await hasCommit(project, base))) return implied;
  log.warn(
    `the commit before this push, ${base}, is not in the checkout: compared with ${otherwise}, the parent of the last commit. For pushes of several commits, set \`fetch-depth: 0\` for actions/checkout`,
  );
  return { base: otherwise };
}

/** Nothing is found where there is no git repository, which the gate reports. */
async function readCheckedOut(project: string, ref: string): Promise<CheckedOut> {
  const [commits = ''] = (await readRepository(project, ['rev-list', '--parents', '--max-count=1', 'HEAD'])) ?? [];
  const [, ...parents] = commits.split(' ');
  const list = ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/origin'];
  return { parents, branches: (await readRepository(project, list)) ?? [], ref };
}

async function hasCommit(project: string, commit: string): Promise<boolean> {
  return (await readRepository(project, ['cat-file', '-e', `${commit}^{commit}`])) !== undefined;
}
