// Where a run's comment belongs and what identifies it, out of the event and the runner's variables. Pure.

import { z } from 'zod';
import type { Results } from '../report/results.ts';

export const commentModes = ['always', 'on-change', 'never'] as const;
export type CommentMode = (typeof commentModes)[number];

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.int().positive(),
    head: z.object({ sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  }),
});

/** The variables that GitHub's runner sets. */
const runnerVariables = z.object({
  GITHUB_API_URL: z.url({ protocol: /^https?$/ }),
  GITHUB_SERVER_URL: z.url({ protocol: /^https?$/ }),
  GITHUB_REPOSITORY: z.string().regex(/^[A-Za-z\d][\w.-]*\/(?!\.{1,2}$)[\w.-]+$/),
  GITHUB_RUN_ID: z.coerce.number().int().positive(),
  GITHUB_RUN_ATTEMPT: z.coerce.number().int().positive(),
  /** `owner/repo/.github/workflows/gate.yml@refs/pull/7/merge` */
  GITHUB_WORKFLOW_REF: z.string().default(''),
});

export interface CommentPlace {
  readonly apiUrl: string;
  readonly pullRequest: { readonly owner: string; readonly repo: string; readonly number: number };
  readonly run: { readonly id: number; readonly attempt: number };
  /** Address of the workflow run. */
  readonly runUrl: string;
  readonly headSha: string;
  /** The workflow's file, which tells the gates of a repository apart. */
  readonly workflow: string;
  /** Whether the branch is another repository's, whose runs get a token that can only read. */
  readonly isFork: boolean;
}

/**
 * @param event what GITHUB_EVENT_PATH holds
 * @returns null where the event is about no pull request, or nothing says where it is
 */
export function commentPlaceOf(event: unknown, environment: NodeJS.ProcessEnv): CommentPlace | null {
  const pullRequest = pullRequestEvent.safeParse(event);
  const runner = runnerVariables.safeParse(environment);
  if (!pullRequest.success || !runner.success) return null;
  const { number, head } = pullRequest.data.pull_request;
  const { GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt } = runner.data;
  const [owner = '', repo = ''] = repository.split('/');
  return {
    apiUrl: runner.data.GITHUB_API_URL,
    pullRequest: { owner, repo, number },
    run: { id, attempt },
    runUrl: `${runner.data.GITHUB_SERVER_URL}/${repository}/actions/runs/${id}`,
    headSha: head.sha,
    workflow: runner.data.GITHUB_WORKFLOW_REF.replace(/@.*$/, ''),
    isFork: head.repo?.full_name !== repository,
  };
}

/** Whether there is anything to tell that base did not do as well. */
export function hasNews({ verdict, comparisons }: Pick<Results, 'verdict' | 'comparisons'>): boolean {
  return verdict !== 'pass' || comparisons.some((comparison) => comparison.verdict !== 'unchanged');
}

/** Why there is no comment, and what to do; the report itself is in the job summary. */
export function explainRefusal(error: unknown, { isFork }: Pick<CommentPlace, 'isFork'>): string {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : undefined;
  const said = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return `the pull request has no comment: ${reasonOf(status, String(said), isFork)} (${said}); the report is in the job summary`;
}

function reasonOf(status: number | undefined, said: string, isFork: boolean): string {
  if (status === 429 || /rate limit/i.test(said)) return 'GitHub wants fewer requests; run the job again later';
  if (/\blocked\b/i.test(said)) return 'its conversation is locked';
  if (status === 401) return 'GitHub does not know the token; let input github-token be as it is';
  if (status === 403 && isFork) return 'a run for a fork has a token that can only read';
  if (status === 403) return 'the token may not write it; give the job `permissions: pull-requests: write`';
  if (status === 404) return 'the token cannot see the pull request; give the job `permissions: pull-requests: write`';
  if (status !== undefined && status >= 500) return 'GitHub does not answer as it should; run the job again later';
  return 'GitHub did not take it';
}
