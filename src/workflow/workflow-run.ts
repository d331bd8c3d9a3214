// Workflow: finds which run of a workflow measured, what it measured, and where its results belong, from the event and
// the runner's variables. Pure.

import { z } from 'zod';
import { type RunOrigin, whyStrangeEvent, whyStranger } from '../inputs/event-base.ts';
import { type Accept, findAccepts, ofBot } from '../report/accept.ts';
import type { Results } from '../report/results.ts';

/** Results that make a step fail. */
export const failOnValues = ['regression', 'error', 'never'] as const;
export const commentModes = ['always', 'on-change', 'never'] as const;
export type CommentMode = (typeof commentModes)[number];

/** `owner/repo` */
export const repository = z.string().regex(/^[A-Za-z\d][\w.-]*\/(?!\.{1,2}$)[\w.-]+$/);
export const counter = z.coerce.number().int().positive();

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.int().positive(),
    head: z.object({ sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  }),
});

/** Event that another workflow of this repository has ended. GitHub says which one, and whose branch it ran for. */
const workflowRunEvent = z.object({
  workflow_run: z.object({
    id: counter,
    run_attempt: counter,
    event: z.literal('pull_request'),
    /** `.github/workflows/gate.yml`, or the same with `@` and a revision. */
    path: z.string(),
    head_sha: z.string().regex(/^[0-9a-f]{40}$/),
    head_branch: z.string().min(1),
    head_repository: z.object({ full_name: repository, owner: z.object({ login: z.string().min(1) }) }),
  }),
});

/** The variables that GitHub's runner sets. */
const runnerVariables = z.object({
  GITHUB_API_URL: z.url({ protocol: /^https?$/ }),
  GITHUB_SERVER_URL: z.url({ protocol: /^https?$/ }),
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: counter,
  GITHUB_RUN_ATTEMPT: counter,
  GITHUB_EVENT_NAME: z.string().default(''),
  GITHUB_REF: z.string().default(''),
  GITHUB_SHA: z.string().default(''),
  /** `owner/repo/.github/workflows/gate.yml@refs/pull/7/merge` */
  GITHUB_WORKFLOW_REF: z.string().default(''),
});

/** A pull request that the event does not number: GitHub says nothing more about one from a fork. */
export interface HeadOfPullRequest {
  readonly owner: string;
  readonly branch: string;
  readonly sha: string;
}

export interface WorkflowRun {
  readonly apiUrl: string;
  readonly repository: { readonly owner: string; readonly repo: string };
  /** Its number, or what identifies it; null if the run belongs to none, as after a push. */
  readonly pullRequest: number | HeadOfPullRequest | null;
  /** The run that measured. */
  readonly run: { readonly id: number; readonly attempt: number };
  /** Address of the workflow run. */
  readonly runUrl: string;
  /** The commit that a check of the run belongs to. */
  readonly headSha: string;
  /** The workflow's file, which distinguishes the gates of a repository. */
  readonly workflow: string;
  /** Whether the token can only read, because the branch is another repository's. */
  readonly isReadOnly: boolean;
  /** Whether what it measured may be another repository's, which could have forged its results. */
  readonly isStrangers: boolean;
}

/** A run that a comment belongs to. */
export type RunOfPullRequest = WorkflowRun & { readonly pullRequest: number | HeadOfPullRequest };

/** The server and repository where a step runs; null outside GitHub's runners. */
export function serverOf(environment: NodeJS.ProcessEnv): Pick<WorkflowRun, 'apiUrl' | 'repository'> | null {
  const runner = runnerVariables.safeParse(environment);
  if (!runner.success) return null;
  const [owner = '', repo = ''] = runner.data.GITHUB_REPOSITORY.split('/');
  return { apiUrl: runner.data.GITHUB_API_URL, repository: { owner, repo } };
}

/**
 * Finds the run that this step belongs to. After another run (`workflow_run`) it is that one, for which this step may
 * write where the other may not.
 *
 * @param event the content of GITHUB_EVENT_PATH
 * @returns null if nothing says where it is, or it follows a run that was not a pull request's
 */
export function workflowRunOf(event: unknown, environment: NodeJS.ProcessEnv): WorkflowRun | null {
  const runner = runnerVariables.safeParse(environment);
  const common = serverOf(environment);
  if (!runner.success || common === null) return null;
  const { GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: serverUrl } = runner.data;
  const urlOf = (run: number) => `${serverUrl}/${name}/actions/runs/${run}`;
  const { GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt, GITHUB_WORKFLOW_REF: workflow } = runner.data;
  const own = { ...common, run: { id, attempt }, runUrl: urlOf(id), workflow: withoutRevision(workflow) };

  // What a run by hand has measured is not known here.
  const { GITHUB_EVENT_NAME: eventName, GITHUB_REF: ref, GITHUB_SHA: sha } = runner.data;
  const origin = { event: eventName, payload: event, repository: name, ref };
  const isStrangers = eventName === 'workflow_dispatch' || whyStrangeEvent(origin) !== null;
  const isObject = typeof event === 'object' && event !== null;
  if (isObject && 'workflow_run' in event) {
    const following = workflowRunEvent.safeParse(event);
    if (!following.success) return null;
    const { id, run_attempt: attempt, path, head_sha: sha, head_branch: branch } = following.data.workflow_run;
    return {
      ...common,
      pullRequest: { owner: following.data.workflow_run.head_repository.owner.login, branch, sha },
      run: { id, attempt },
      runUrl: urlOf(id),
      headSha: sha,
      workflow: `${name}/${withoutRevision(path)}`,
      isReadOnly: false,
      isStrangers: following.data.workflow_run.head_repository.full_name !== name,
    };
  }
  if (isObject && 'pull_request' in event) {
    const ofPullRequest = pullRequestEvent.safeParse(event);
    if (!ofPullRequest.success) return null;
    const { number, head } = ofPullRequest.data.pull_request;
    return { ...own, pullRequest: number, headSha: head.sha, isReadOnly: head.repo?.full_name !== name, isStrangers };
  }
  return { ...own, pullRequest: null, headSha: sha, isReadOnly: false, isStrangers };
}

/**
 * Returns the URL below which GitHub shows a commit's files; null if the commit is not known to be what started this
 * run, and so may be of another repository.
 *
 * @param event the content of GITHUB_EVENT_PATH
 */
export function codeUrlOf(commit: string | null, event: unknown, environment: NodeJS.ProcessEnv): string | null {
  const { GITHUB_SERVER_URL: serverUrl, GITHUB_REPOSITORY: name, GITHUB_SHA: sha } = environment;
  const known = [sha, workflowRunOf(event, environment)?.headSha];
  const isKnown = commit !== null && /^[0-9a-f]{40}$/.test(commit) && known.includes(commit);
  return isKnown && serverOf(environment) !== null ? `${serverUrl}/${name}/blob/${commit}` : null;
}

/** The authors whose lines accept costs: all, those of this repository's branches, or none. */
export const acceptPolicies = ['same-repository', 'always', 'never'] as const;

const described = z.object({
  pull_request: z.object({ body: z.string().nullish(), user: z.object({ type: z.string() }).nullish() }),
});

/**
 * Makes the lines that accept costs: those of commits, and of the pull request's description. Where those of strangers do
 * not count, each says why.
 */
export function acceptsOf(
  run: RunOrigin,
  policy: (typeof acceptPolicies)[number],
  ofCommits: readonly Accept[],
): Accept[] {
  if (policy === 'never') return [];
  const { body, user } = described.safeParse(run.payload).data?.pull_request ?? {};
  const ofBody = findAccepts(body ?? '', 'description', 'the pull request');
  const isBots = user != null && user.type !== 'User';
  const all = [...ofCommits, ...(isBots ? ofBody.map((each) => ({ ...each, ignored: ofBot })) : ofBody)];
  const stranger = policy === 'always' ? null : whyStranger(run);
  if (stranger === null) return all;
  const ignored = `is ignored: only this repository's own commits accept costs here (input accept-costs), and ${stranger}`;
  return all.map((each) => ({ ...each, ignored }));
}

function withoutRevision(workflow: string): string {
  return workflow.replace(/@.*$/, '');
}

/** Whether there is anything to report: a verdict other than pass, a configuration change, or a changed comparison. */
export function hasNews({
  verdict,
  comparisons,
  project,
}: Pick<Results, 'verdict' | 'comparisons' | 'project'>): boolean {
  return (
    verdict !== 'pass' ||
    project.configChanges.length > 0 ||
    comparisons.some((comparison) => comparison.verdict !== 'unchanged')
  );
}

/** Explains why there is no comment, and what to do; the report itself is in the job summary. */
export function explainRefusal(error: unknown, { isReadOnly }: Pick<WorkflowRun, 'isReadOnly'>): string {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : undefined;
  const said = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return `the pull request has no comment: ${reasonOf(status, String(said), isReadOnly)} (${said}); the report is in the job summary`;
}

function reasonOf(status: number | undefined, said: string, isReadOnly: boolean): string {
  if (status === 429 || /rate limit/i.test(said)) return 'GitHub wants fewer requests; run the job again later';
  if (/\blocked\b/i.test(said)) return 'its conversation is locked';
  if (status === 401) return 'GitHub does not know the token; do not override input github-token';
  if (status === 403 && isReadOnly) return 'a run for a fork has a token that can only read';
  if (status === 403) return 'the token may not write it; give the job `permissions: pull-requests: write`';
  if (status === 404) return 'the token cannot see the pull request; give the job `permissions: pull-requests: write`';
  if (status !== undefined && status >= 500) return 'GitHub does not answer as it should; run the job again later';
  return 'GitHub did not take it';
}
