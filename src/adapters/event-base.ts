// Adapter: the base that a workflow's event implies, in the checkout of its step.

import { baseOfEvent, type CheckedOut, isOfPullRequest, mergedCommits, type RunOrigin } from '../inputs/event-base.ts';
import type { Inputs } from '../model/inputs.ts';
import { parentsIn, readRepository } from './git.ts';

/**
 * Finds the base of an event. Where another repository is checked out, only an event about a pull request says something
 * about it: its code is a fork's then, whose branches are not what it is merged into.
 *
 * @param event the result of `readEvent`; undefined outside a workflow
 * @throws InputError when nothing would be compared
 */
export async function findEventBase(
  project: string,
  event: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Pick<Inputs, 'eventBase'>> {
  if (event === undefined) return {};
  const checkedOut = await readCheckedOut(project, env);
  // Without a commit, or without a repository, which the gate reports.
  if (checkedOut === undefined) return {};
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  const [origin] = (await readRepository(project, ['config', '--get', 'remote.origin.url'])) ?? [];
  if (!isOther(origin, repository)) return { eventBase: baseOfEvent(event, checkedOut) };
  if (!isOfPullRequest(event, checkedOut.eventName)) return {};
  return { eventBase: { ...baseOfEvent(event, checkedOut), remote: `${server}/${repository}` } };
}

/** Lists commits that an event says to be on the branch that pull requests are merged into. */
export async function findMerged(project: string, event: unknown, env: NodeJS.ProcessEnv = process.env) {
  const checkedOut = await readCheckedOut(project, env);
  return checkedOut === undefined ? [] : mergedCommits(event, checkedOut);
}

/** Whether an address is another repository's than `owner/repo`. */
function isOther(url: string | undefined, repository: string | undefined): boolean {
  const named = /[:/]([^:/]+\/[^:/]+?)(?:\.git)?\/?$/.exec(url ?? '')?.[1];
  return named !== undefined && repository !== undefined && named.toLowerCase() !== repository.toLowerCase();
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
    payload: event,
    repository: env.GITHUB_REPOSITORY,
    ref: env.GITHUB_REF,
    isProtected: env.GITHUB_REF_PROTECTED === 'true',
    sha: env.GITHUB_SHA,
    checkedOut,
  };
}

/** Reads the checkout; undefined if no commit is checked out. */
async function readCheckedOut(project: string, env: NodeJS.ProcessEnv): Promise<CheckedOut | undefined> {
  const [commit] = (await readRepository(project, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) ?? [];
  if (commit === undefined) return undefined;
  // Not `rev-list --parents`, for which a shallow clone's last commit has none.
  const lines = (await readRepository(project, ['cat-file', 'commit', commit])) ?? [];
  const pulls = ['for-each-ref', '--format=%(refname)', `--points-at=${commit}`, 'refs/remotes/pull'];
  const refs = (await readRepository(project, pulls)) ?? [];
  return {
    eventName: env.GITHUB_EVENT_NAME ?? '',
    ref: env.GITHUB_REF ?? '',
    sha: env.GITHUB_SHA ?? '',
    commit,
    parents: parentsIn(lines),
    isPullMerge: refs.some((name) => /^refs\/remotes\/pull\/\d+\/merge$/.test(name)),
  };
}
