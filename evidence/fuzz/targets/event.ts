// An event's payload, as GitHub writes it. A pull request's author chooses names of branches and repositories in it.

import { InputError } from '../../../src/common/errors.ts';
import { recordRequestOf } from '../../../src/history/record-request.ts';
import { baseOfEvent, type CheckedOut } from '../../../src/inputs/event-base.ts';
import { acceptsOf, workflowRunOf } from '../../../src/workflow/workflow-run.ts';
import { check, type Target } from '../target.ts';

const environment = {
  GITHUB_API_URL: 'https://api.github.test',
  GITHUB_SERVER_URL: 'https://github.test',
  GITHUB_REPOSITORY: 'owner/repo',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_SHA: 'aa'.repeat(20),
  GITHUB_REF: 'refs/heads/main',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_WORKFLOW_REF: 'owner/repo/.github/workflows/gate.yml@refs/heads/main',
};

export const target: Target = {
  shape: 'json',
  refusals: [InputError],
  words: ['pull_request', 'workflow_run', 'merge_group', 'head_branch', 'refs/heads/main'],
  run(input) {
    let event: unknown;
    try {
      event = JSON.parse(input.toString('utf8'));
    } catch {
      // GitHub writes JSON.
      return;
    }
    const sha = 'aa'.repeat(20);
    for (const parents of [[], ['bb'.repeat(20)], ['bb'.repeat(20), 'cc'.repeat(20)]]) {
      for (const eventName of ['push', 'pull_request', 'workflow_run']) {
        const checkedOut = { eventName, ref: 'refs/heads/main', sha, commit: sha, parents, isPullMerge: false };
        const names = Object.values(tryBase(event, checkedOut) ?? {}).filter((each) => typeof each === 'string');
        // Git never takes these names for options.
        check(!names.some((name) => name.startsWith('-')), JSON.stringify(names));
      }
    }
    const run = workflowRunOf(event, environment);
    if (run !== null) {
      check(Number.isSafeInteger(run.run.id) && run.run.id > 0, `the run ${run.run.id}`);
      check(run.runUrl === `https://github.test/owner/repo/actions/runs/${run.run.id}`, run.runUrl);
    }
    const origin = {
      event: 'push',
      payload: event,
      repository: 'owner/repo',
      ref: '',
      isProtected: false,
      sha,
      checkedOut: sha,
    };
    for (const { text } of acceptsOf(origin, 'always', [])) check(!/[\r\n]/.test(text), JSON.stringify(text));
    const { url, run: id } = recordRequestOf(event, environment, 'bpfgate-history');
    check(url === 'https://github.test/owner/repo' && Number.isSafeInteger(id) && id > 0, `${url} ${id}`);
  },
};

function tryBase(event: unknown, checkedOut: CheckedOut) {
  try {
    return baseOfEvent(event, checkedOut);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}
