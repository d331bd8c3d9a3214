// Inputs: the base revision that a workflow's event implies. Pure.

import { z } from 'zod';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const pullRequestEvent = z.object({
  pull_request: z.object({ base: z.object({ sha, ref: z.string() }), head: z.object({ sha }) }),
});
const mergeGroupEvent = z.object({ merge_group: z.object({ base_sha: sha }) });
const pushEvent = z.object({ before: sha, forced: z.boolean().optional() });

/** What the workflow has checked out. */
export interface CheckedOut {
  /** Commit ids of HEAD's parents; empty where the history was not fetched. */
  readonly parents: readonly string[];
  /** Branches of origin that were fetched, without `origin/`. */
  readonly branches: readonly string[];
  /** GITHUB_REF, such as `refs/heads/main`. */
  readonly ref: string;
}

export interface EventBase {
  /** The revision to compare with. */
  readonly base?: string;
  /** A revision whose merge-base with the head is the base. */
  readonly baseBranch?: string;
  /** Fallback where `base` was not fetched: for a push of several commits, the parent of the last one. */
  readonly otherwise?: string;
}

/**
 * - A pull request's merge commit, which actions/checkout takes by default, is compared with its first parent: the base
 *   branch as it was merged. The event's own `base.sha` is older where the base branch has moved on, and comparing with
 *   it would blame the pull request for what others did.
 * - A pull request checked out at its head is compared with its merge-base with the base branch.
 * - A merge group is compared with its merge-base with the commit it will be merged into.
 * - A push is compared with the commit before it. After a forced push that commit may be gone, so HEAD's first parent
 *   is used. The same holds for any other event on the default branch.
 * - Every other event implies no base.
 *
 * @param event the payload GitHub writes to GITHUB_EVENT_PATH
 */
export function baseOfEvent(event: unknown, { parents, branches, ref }: CheckedOut): EventBase {
  const [first, second] = parents;
  const pullRequest = pullRequestEvent.safeParse(event);
  if (pullRequest.success) {
    const { base, head } = pullRequest.data.pull_request;
    if (first !== undefined && second === head.sha) return { base: first };
    return { baseBranch: branches.includes(base.ref) ? `refs/remotes/origin/${base.ref}` : base.sha };
  }
  const mergeGroup = mergeGroupEvent.safeParse(event);
  if (mergeGroup.success) return { baseBranch: mergeGroup.data.merge_group.base_sha };
  const push = pushEvent.safeParse(event);
  // A push that creates a branch has no commit before it.
  if (push.success && !push.data.forced && !/^0+$/.test(push.data.before)) {
    return { base: push.data.before, ...(first === undefined ? {} : { otherwise: first }) };
  }
  if (first !== undefined && (push.data?.forced || ref === `refs/heads/${defaultBranchOf(event)}`))
    return { base: first };
  return {};
}

/** The name of the default branch of an event's repository. */
export function defaultBranchOf(event: unknown): string | undefined {
  const parsed = z.object({ repository: z.object({ default_branch: z.string() }) }).safeParse(event);
  return parsed.data?.repository.default_branch;
}
