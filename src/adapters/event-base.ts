// Adapter: the base that a workflow's event implies, in the checkout of its step.

import { baseOfEvent, type CheckedOut, defaultBranchOf } from '../inputs/event-base.ts';
import type { Inputs } from '../model/inputs.ts';
import { readRepository } from './git.ts';
import type { Log } from './log.ts';

/**
 * Finds the base of an event. A checkout may not have it: with `fetch-depth: 2` it has only HEAD and HEAD's parents.
 *
 * @param event the result of `readEvent`; undefined outside a workflow
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

/**
 * Reads the origin of this run, and the commit that it has checked out.
 *
 * @param event the result of `readEvent`
 */
export async function readOrigin(
  project: string,
  event: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunOrigin> {
  const [checkedOut] = (await readRepository(project, ['rev-parse', '--verify', '--quiet', 'HEAD'])) ?? [];
  return {
    event: env.GITHUB_EVENT_NAME,
    ref: env.GITHUB_REF,
    isProtected: env.GITHUB_REF_PROTECTED === 'true',
    defaultBranch: defaultBranchOf(event),
    sha: env.GITHUB_SHA,
    checkedOut,
  };
}

/** Reads the checkout. Nothing is found without a git repository, which the gate reports. */
async function readCheckedOut(project: string, ref: string): Promise<CheckedOut> {
  const [commits = ''] = (await readRepository(project, ['rev-list', '--parents', '--max-count=1', 'HEAD'])) ?? [];
  const [, ...parents] = commits.split(' ');
  const list = ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/origin'];
  return { parents, branches: (await readRepository(project, list)) ?? [], ref };
}

async function hasCommit(project: string, commit: string): Promise<boolean> {
  return (await readRepository(project, ['cat-file', '-e', `${commit}^{commit}`])) !== undefined;
}

/** The origin of a run, and what it measures. */
export interface RunOrigin {
  /** GITHUB_EVENT_NAME. */
  readonly event: string | undefined;
  /** GITHUB_REF, such as `refs/heads/main`. */
  readonly ref: string | undefined;
  /** GITHUB_REF_PROTECTED. */
  readonly isProtected: boolean;
  /** The default branch of the event's repository. */
  readonly defaultBranch: string | undefined;
  /** GITHUB_SHA: the commit that the event is about. */
  readonly sha: string | undefined;
  /** The commit that is checked out. */
  readonly checkedOut: string | undefined;
}
