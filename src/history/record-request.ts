// History: whether a run may be recorded and as what, from the event, the runner's variables and the inputs. Pure.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { normalizeRelative } from '../common/paths.ts';
import { toPlainLine } from '../report/plain-text.ts';
import type { Results } from '../report/results.ts';
import { counter, repository } from '../workflow/workflow-run.ts';

/** The variables that GitHub's runner sets. */
const runnerVariables = z.object({
  GITHUB_EVENT_NAME: z.string().min(1),
  GITHUB_SERVER_URL: z.url(),
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: counter,
  GITHUB_REF: z.string().default(''),
  GITHUB_SHA: z.string().default(''),
});

/** Parts of a payload that mark a run about a pull request, whatever the event is called. */
const pullRequestMarks = [
  z.object({ pull_request: z.looseObject({}) }),
  z.object({ issue: z.object({ pull_request: z.looseObject({}) }) }),
];
const workflowRunEvent = z.object({ workflow_run: z.object({ event: z.string() }) });
const followedRun = z.object({
  workflow_run: z.object({ id: counter, head_sha: z.string(), head_branch: z.string().nullable() }),
});
const repositoryOfEvent = z.object({ repository: z.object({ default_branch: z.string() }) });

export interface RecordRequest {
  /** Address of the repository, for git. */
  readonly url: string;
  /** `owner/repo` */
  readonly repository: string;
  /** Id of the run that measured. */
  readonly run: number;
  /** The commit it ran on, which is what it may have measured. */
  readonly sha: string;
}

/**
 * @param event the content of GITHUB_EVENT_PATH
 * @param branch the branch that holds the history
 * @throws InputError when the run is a pull request's or merge group's, whose code could have written the results of a
 * commit that the base never had; when the branch is one with the project's code; or when a variable is missing
 */
export function recordRequestOf(event: unknown, environment: NodeJS.ProcessEnv, branch: string): RecordRequest {
  const runner = runnerVariables.safeParse(environment);
  if (!runner.success) {
    const names = [...new Set(runner.error.issues.map(({ path }) => String(path[0])))].join(', ');
    throw new InputError(`the runner does not say what to record: ${names} is missing or wrong`, {
      hint: 'run the step in a workflow of GitHub Actions',
    });
  }
  const { GITHUB_EVENT_NAME: name, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: ofRun, GITHUB_REF: ref } = runner.data;
  const following = workflowRunEvent.safeParse(event);
  const measuredOn = following.success ? following.data.workflow_run.event : name;
  if (
    isPullRequest(measuredOn) ||
    isPullRequest(name) ||
    pullRequestMarks.some((mark) => mark.safeParse(event).success)
  ) {
    const eventName = clipMiddle(toPlainLine(measuredOn), 60);
    throw new InputError(`a pull request's run is not the base's history: the event is \`${eventName}\``, {
      hint: 'record in a workflow on `push` to the base branch',
    });
  }
  const defaultBranch = repositoryOfEvent.safeParse(event).data?.repository.default_branch;
  if (branch === defaultBranch || `refs/heads/${branch}` === ref) {
    throw new InputError(
      `branch \`${toPlainLine(branch)}\` holds the project, and the history is to have one of its own`,
      {
        hint: 'leave input branch as it is, or name a branch that nothing else is on',
      },
    );
  }
  const followed = followedRun.safeParse(event);
  if (following.success && !followed.success) {
    throw new InputError('the event does not say which run was followed, and of which commit', {
      hint: 'record in a workflow on `push`, or on `workflow_run`, as GitHub starts it',
    });
  }
  const measured = followed.data?.workflow_run;
  if (measured !== undefined && measured.head_branch !== defaultBranch) {
    const branch = measured.head_branch ?? '';
    throw new InputError(`branch \`${clipMiddle(toPlainLine(branch), 60)}\` is not the default branch`, {
      hint: 'record after runs on the default branch: `branches: [main]` below `workflow_run`',
    });
  }
  return {
    url: `${server.replace(/\/+$/, '')}/${ofRun}`,
    repository: ofRun,
    run: measured?.id ?? runner.data.GITHUB_RUN_ID,
    sha: measured?.head_sha ?? runner.data.GITHUB_SHA,
  };
}

/** @throws InputError when head is another commit than the run's, as an artifact may claim */
export function requireMeasured({ revisions: { head } }: Pick<Results, 'revisions'>, sha: string): void {
  if (head.commit === null || head.commit === sha) return;
  throw new InputError(
    `what was measured is commit ${toPlainLine(head.commit).slice(0, 64)}, and the run is of ${sha}`,
    {
      hint: 'record what the run itself has checked out and measured',
    },
  );
}

/** Whether it is a pull request's event. A merge group is what pull requests would become; it may never be merged. */
function isPullRequest(event: string): boolean {
  return event.startsWith('pull_request') || event === 'merge_group';
}

/** @throws InputError when head is no commit, so that nothing could be found again by it */
export function requireCommit({ revisions: { head } }: Pick<Results, 'revisions'>): string {
  if (head.commit !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head.commit)) return head.commit;
  const what =
    head.commit === null
      ? 'a working tree with changes'
      : `\`${clipMiddle(toPlainLine(head.commit), 60)}\`, which is no commit id`;
  throw new InputError(`what was measured as head is ${what}, and only a commit has a place in the history`, {
    hint: 'measure a checkout that nothing was changed in, or give the measuring step a commit as head',
  });
}

/**
 * Returns the folder of the results' project, empty at the root.
 *
 * @param wanted the input, if it was given
 * @throws InputError when it names another project
 */
export function requireProject({ project }: Pick<Results, 'project'>, wanted: string | undefined): string {
  const { projectPath } = project;
  if (wanted !== undefined && normalizeRelative(wanted) !== normalizeRelative(projectPath)) {
    const [asked, found] = [wanted, projectPath || '.'].map((path) => clipMiddle(toPlainLine(path), 120));
    throw new InputError(`input project: the results are of \`${found}\`, not of \`${asked}\``, {
      hint: 'give the folder with the results of that project, or leave input project empty',
    });
  }
  return normalizeRelative(projectPath);
}
