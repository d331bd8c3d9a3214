// The revision a workflow's event says to compare with. Pure.

import { z } from 'zod';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const pullRequestEvent = z.object({ pull_request: z.object({ base: z.object({ sha }) }) });
const pushEvent = z.object({ before: sha });

/**
 * A pull request is compared with its merge-base with the base branch (`baseBranch`), a push with the commit before it
 * (`base`); every other event says nothing.
 *
 * @param event the payload GitHub writes to GITHUB_EVENT_PATH
 */
export function baseOfEvent(event: unknown): { base?: string; baseBranch?: string } {
  const pullRequest = pullRequestEvent.safeParse(event);
  if (pullRequest.success) return { baseBranch: pullRequest.data.pull_request.base.sha };
  const push = pushEvent.safeParse(event);
  // A push that makes a branch has no commit before it.
  if (push.success && !/^0+$/.test(push.data.before)) return { base: push.data.before };
  return {};
}
