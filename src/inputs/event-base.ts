// Inputs: the base that a workflow's event implies for the commit that is checked out. Pure.

import { z } from 'zod';
import { InputError } from '../common/errors.ts';
import type { EventBase } from '../model/inputs.ts';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const branchName = z.string().regex(/^[^-\s~^:?*[\\][^\s~^:?*[\\]*$/);
const repository = z.object({ id: z.number() }).nullish();
const pullRequest = z.object({
  base: z.object({ sha, ref: branchName, repo: repository }),
  head: z.object({ sha }),
});
type PullRequest = z.infer<typeof pullRequest>;

/** What ran for another event, and ended or changed. */
const run = z.object({
  head_sha: sha,
  head_branch: branchName.nullish().catch(undefined),
  event: z.string().optional(),
  pull_requests: z.array(z.unknown()),
});
type Run = z.infer<typeof run>;

/** Fields of the events that can start a workflow, as far as they say something about a base. */
const fields = {
  pullRequest: z.object({ pull_request: pullRequest }),
  head: z.object({
    pull_request: z.object({
      head: z.object({ sha: z.string().optional(), repo: z.object({ full_name: z.string() }).nullish() }),
    }),
  }),
  run: z.object({
    workflow_run: run.extend({ event: z.string() }).optional(),
    check_suite: run.optional(),
    check_run: run.extend({ check_suite: run.pick({ head_branch: true }).nullish() }).optional(),
  }),
  status: z.object({ sha, context: z.string(), branches: z.array(z.object({ name: branchName })) }),
  comment: z.object({ issue: z.object({ pull_request: z.object({}) }) }),
  mergeGroup: z.object({ merge_group: z.object({ base_sha: sha, base_ref: z.string(), head_sha: sha }) }),
  push: z.object({ before: sha, after: sha, ref: z.string(), forced: z.boolean().optional() }),
  repository: z.object({ repository: z.object({ default_branch: branchName, id: z.number().optional() }) }),
};

/** What started a run, and what its step has checked out. */
export interface RunOrigin {
  /** GITHUB_EVENT_NAME. */
  readonly event: string | undefined;
  /** What GitHub writes to GITHUB_EVENT_PATH. */
  readonly payload: unknown;
  /** GITHUB_REPOSITORY. */
  readonly repository: string | undefined;
  /** GITHUB_REF, such as `refs/heads/main`. */
  readonly ref: string | undefined;
  /** GITHUB_REF_PROTECTED. */
  readonly isProtected: boolean;
  /** GITHUB_SHA: the commit that the event is about. */
  readonly sha: string | undefined;
  /** The commit that is checked out. */
  readonly checkedOut: string | undefined;
}

type StrangeEvent = Pick<RunOrigin, 'event' | 'payload' | 'repository' | 'ref'>;

/** Events of commits that a person with the right to push brought into the repository. */
const ownEvents: readonly string[] = ['push', 'schedule', 'merge_group', 'workflow_dispatch'];

/**
 * Says why the code of an event is not known to be the repository's own; null if it is. Known is an event of the list
 * above, and a pull request from a branch of the repository. A fork that was deleted has no name.
 */
export function whyStrangeEvent({ event = '', payload, repository, ref }: StrangeEvent): string | null {
  if (/^pull_request(_target)?$/.test(event)) {
    const from = headOf(payload)?.repo?.full_name;
    return from !== undefined && from === repository ? null : 'the pull request is from a fork';
  }
  if (!ownEvents.includes(event)) return `the event \`${event}\` does not say whose commit it is`;
  return event !== 'workflow_dispatch' || ref?.startsWith('refs/heads/') ? null : `\`${ref ?? ''}\` is no branch`;
}

/**
 * Says why what is checked out is not known to be the repository's own commit; null if it is. Accept lines, logins and
 * what is cached for others are taken from no other.
 */
export function whyStranger(run: RunOrigin): string | null {
  const { event, payload, sha, checkedOut } = run;
  // GITHUB_SHA of `pull_request_target` is base.
  const known = [event === 'pull_request_target' ? undefined : sha, headOf(payload)?.sha];
  const isKnown = checkedOut !== undefined && known.includes(checkedOut);
  const other = `what is checked out is not the commit of the event, but ${checkedOut ?? 'no commit'}`;
  return whyStrangeEvent(run) ?? (isKnown ? null : other);
}

function headOf(payload: unknown) {
  return fields.head.safeParse(payload).data?.pull_request.head;
}

/** What the workflow has checked out, and what started it. */
export interface CheckedOut {
  /** GITHUB_EVENT_NAME. */
  readonly eventName: string;
  /** GITHUB_REF, such as `refs/heads/main`. */
  readonly ref: string;
  /** GITHUB_SHA: the commit that actions/checkout takes by default. */
  readonly sha: string;
  /** HEAD's commit id. */
  readonly commit: string;
  /** Commit ids of HEAD's parents, also of those that were not fetched. */
  readonly parents: readonly string[];
  /** Whether a ref `refs/remotes/pull/NUMBER/merge` is at HEAD, as actions/checkout makes for `ref: refs/pull/NUMBER/merge`. */
  readonly isPullMerge: boolean;
}

/**
 * Finds the base by what is checked out first, and by the event second.
 *
 * - GitHub's merge commit of a pull request is compared with its first parent: the branch as it was merged. The event's
 *   own `base.sha` can be older, and comparing with it would blame the pull request for what others did.
 * - Any other commit of a pull request is compared with its merge-base with the branch that the pull request is for.
 * - A merge group is compared with the commit it follows: the branch, or the group before it.
 * - A push is compared with the commit before it; one that rewrites or creates a branch, with the branch's merge-base
 *   with the default branch.
 * - Everything else is compared with its merge-base with the default branch, and what is on the default branch with the
 *   commit before it.
 *
 * @param event the payload GitHub writes to GITHUB_EVENT_PATH
 * @throws InputError when nothing would be compared
 */
export function baseOfEvent(event: unknown, checkedOut: CheckedOut): EventBase {
  const { commit, parents, ref, sha, eventName } = checkedOut;
  const [first, second, third] = parents;
  const pulls = pullRequestsOf(event);
  const run = runOf(event);
  const heads = [...pulls.map(({ head }) => head.sha), run?.head_sha];
  const isMergeCommit = first !== undefined && second !== undefined && third === undefined;
  const isPullMerge = checkedOut.isPullMerge || (/^refs\/pull\/\d+\/merge$/.test(ref) && commit === sha);
  if (isMergeCommit && (isPullMerge || heads.includes(second))) {
    return { commit: first, name: 'what the pull request is merged into' };
  }

  const defaultBranch = defaultBranchOf(event);
  const isDefaultCheckout = commit === sha;
  const own = pulls.find(({ head }) => head.sha === commit);
  if (own !== undefined || isOfPullRequest(event, eventName)) {
    const { base } = own ?? (pulls.length === 1 ? pulls[0] : undefined) ?? {};
    const branch = base?.ref ?? defaultBranch;
    const target = describeBranch(branch);
    if (own === undefined && isDefaultCheckout && !ref.startsWith('refs/pull/')) {
      const is = describeBranch(ref.replace('refs/heads/', ''));
      const [message, hint] =
        eventName === 'pull_request'
          ? [
              `nothing to compare: the pull request is closed, and what is checked out is ${is}, which has it`,
              'measure what was merged in a workflow that runs on `push`, and remove `closed` from the types of `pull_request`',
            ]
          : [
              `nothing of the pull request is checked out: for the event \`${eventName}\` actions/checkout takes ${is}`,
              'measure pull requests in a workflow that runs on `pull_request`',
            ];
      throw new InputError(message, { hint });
    }
    const merged = {
      message: `nothing to compare: ${target} already has the pull request's commit ${short(commit)}, so that would be its own base`,
      hint: 'measure what was merged in a workflow that runs on `push`, or give a commit as input base',
    };
    return { branch, tip: base?.sha, merged };
  }
  if (isDefaultCheckout && run !== undefined && run.head_branch !== defaultBranch && run.head_sha !== commit) {
    const ran = run.head_branch == null ? `commit ${short(run.head_sha)}` : describeBranch(run.head_branch);
    const taken = describeBranch(defaultBranch);
    throw new InputError(
      `nothing of ${ran} is checked out: for the event \`${eventName}\` actions/checkout takes ${taken}`,
      { hint: 'measure branches and tags in a workflow that runs on `push`' },
    );
  }

  const group = fields.mergeGroup.safeParse(event).data?.merge_group;
  if (group !== undefined && group.head_sha === commit) {
    return { commit: group.base_sha, name: 'the commit that the merge group follows' };
  }
  const push = fields.push.safeParse(event).data;
  if (push?.after === commit && push.ref.startsWith('refs/heads/') && !isNone(push.before)) {
    const isDefault = push.ref === `refs/heads/${defaultBranch}`;
    if (!push.forced) return { commit: push.before, name: 'the commit before this push' };
    if (isDefault) return { commit: push.before, name: 'the commit that this push replaced' };
  }
  if (eventName === 'delete' || (push !== undefined && isNone(push.after))) {
    throw new InputError('nothing to compare: the event is that a branch or tag was deleted', {
      hint: 'give the job `if: github.event.deleted == false`, or remove `delete` from `on`',
    });
  }
  const queued = queuedFor(ref) ?? queuedFor(`refs/heads/${run?.head_branch}`);
  const branch = (group && nameOf(group.base_ref)) ?? queued ?? defaultBranch;
  if (isDefaultCheckout && ref === `refs/heads/${branch}` && first !== undefined) {
    return { commit: first, name: `the commit before ${short(commit)}` };
  }
  const isNewBranch = ref.startsWith('refs/heads/') && (push !== undefined || eventName === 'create');
  if (!isNewBranch || ref === `refs/heads/${branch}`) return { branch, merged: 'commit-before' };
  return {
    branch,
    merged: {
      message: `nothing to compare: branch \`${nameOf(ref)}\` has no commit that ${describeBranch(branch)} does not have`,
      hint: 'run on `pull_request`, and on `push` only of the branches that pull requests are merged into',
    },
  };
}

/**
 * Lists commits that are on the default branch by the word of a pull request's event: what the pull request is merged
 * into. Empty where it is for another branch, which may be another pull request's.
 */
export function mergedCommits(event: unknown, { commit, parents, ref, sha }: CheckedOut): string[] {
  const { base } = fields.pullRequest.safeParse(event).data?.pull_request ?? {};
  if (base === undefined || base.ref !== defaultBranchOf(event)) return [];
  // GitHub makes this commit. The branch may be further than when the event was made.
  const isMergeCommit = /^refs\/pull\/\d+\/merge$/.test(ref) && commit === sha && parents.length === 2;
  return isMergeCommit ? [base.sha, ...parents.slice(0, 1)] : [base.sha];
}

/** The name of the default branch of an event's repository. */
export function defaultBranchOf(event: unknown): string | undefined {
  return fields.repository.safeParse(event).data?.repository.default_branch;
}

/** Lists the pull requests that an event names, of this repository: a fork's own may have the same commits. */
function pullRequestsOf(event: unknown): PullRequest[] {
  const own = fields.pullRequest.safeParse(event).data?.pull_request;
  if (own !== undefined) return [own];
  const { id, default_branch: defaultBranch } = fields.repository.safeParse(event).data?.repository ?? {};
  const run = runOf(event);
  // A pull request may also lead from the default branch into another one. A push to it is not about that.
  const isOfBranch = run?.event?.startsWith('pull_request') === false && run.head_branch === defaultBranch;
  const named = (isOfBranch ? [] : (run?.pull_requests ?? [])).flatMap(
    (each) => pullRequest.safeParse(each).data ?? [],
  );
  return named.filter(({ base }) => id === undefined || base.repo == null || base.repo.id === id);
}

/** The run that an event is about; for one from a fork it names no pull request, and a check no branch either. */
function runOf(event: unknown): Run | undefined {
  const { workflow_run, check_suite, check_run } = fields.run.safeParse(event).data ?? {};
  if (check_run !== undefined) return { ...check_run, head_branch: check_run.check_suite?.head_branch };
  const own = workflow_run ?? check_suite;
  const status = fields.status.safeParse(event).data;
  if (own !== undefined || status === undefined) return own;
  const { sha: head_sha, branches } = status;
  const branch = branches.find(({ name }) => name === defaultBranchOf(event)) ?? branches[0];
  return { head_sha, head_branch: branch?.name, pull_requests: [] };
}

/** Whether an event is about a pull request, also where it does not say which one. */
export function isOfPullRequest(event: unknown, eventName: string): boolean {
  return (
    eventName.startsWith('pull_request') ||
    pullRequestsOf(event).length > 0 ||
    fields.comment.safeParse(event).success ||
    runOf(event)?.event?.startsWith('pull_request') === true
  );
}

/** Events whose runs have the repository's secrets, also if they are about a pull request from a fork. */
const eventsWithSecrets = ['pull_request_target', 'issue_comment', 'workflow_run', 'check_suite', 'check_run'];

/** Warns of a run that builds the code of a pull request and has the repository's secrets; undefined for others. */
export function describeExposure(event: unknown, eventName: string): string | undefined {
  if (!eventsWithSecrets.includes(eventName) || !isOfPullRequest(event, eventName)) return undefined;
  return `this job builds the code of a pull request, and runs on the event \`${eventName}\` have the repository's secrets and a token that may write: measure in a workflow that runs on \`pull_request\``;
}

/** The branch into which a merge queue merges its own branch. */
function queuedFor(ref: string): string | undefined {
  return /^refs\/heads\/gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]{40}$/.exec(ref)?.[1];
}

function nameOf(ref: string): string | undefined {
  const name = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
  return branchName.safeParse(name).data;
}

/** Whether an id says that there is no commit: before a branch was created, and after it was deleted. */
function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function short(commit: string): string {
  return commit.slice(0, 7);
}

function describeBranch(name: string | undefined): string {
  return name === undefined ? 'the default branch' : `\`${name}\``;
}
