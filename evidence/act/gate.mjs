// `npm run e2e:act`: runs a user's project with examples/workflows/gate.yml under nektos/act on this machine: the
// reusable workflow on three kernels in real VMs. It tests a regression, no regression, and a regression in a fork,
// whose token is read-only, with the run that follows it. Plain JavaScript for Node 20, because it runs before anything
// is installed.
//
//   --keep   leave the temporary folder

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, finish, prepare, show } from './act.mjs';
import { repository, startProject, words } from './project.mjs';

const kernels = '5.10,6.1,6.12';

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const prepared = prepare({ kernels, groups: ['--tests'], keep: options.keep });
const { temporary } = prepared;
const { git, github, lineOf, runPullRequest, runWorkflow } = await startProject(prepared, { kernels });

const regression = await runPullRequest('regression', words);
const [comment, ...more] = github.comments();
check('the workflow fails', regression.exitCode !== 0);
check('the verdict is regression', regression.outputs.verdict === 'regression');
check('there is one comment', comment !== undefined && more.length === 0);
check('it has the three kernels', comment?.includes('| benchmark | measure | 5.10 | 6.1 | 6.12 |') ?? false);
check('it says what a run executes', comment?.includes('executes 2 more instructions') ?? false);
check('it has the regression, by two instructions', /\| `c\/sum_words` \| \*\*\+2 /.test(comment ?? ''));
check(
  'the line that grew is annotated',
  regression.annotations.some(
    ({ level, file, line, title }) =>
      level === 'error' && file === 'packets.bpf.c' && line === lineOf('sum +=') && /sum_words regressed/.test(title),
  ),
);
const [checkRun] = github.checks();
check(
  'a check run of the head commit has the table',
  checkRun?.conclusion === 'failure' &&
    checkRun.head_sha === regression.head &&
    /\| `c\/sum_words` \| \*\*\+2 /.test(checkRun.output.summary),
);
check('the job summary has the table', /^\| `c\/sum_words` .*\|$/m.test(regression.summary));

const same = await runPullRequest('same', { file: 'Makefile', from: '', to: '# A change that costs nothing.\n' });
check('without the regression the workflow passes', same.exitCode === 0 && same.outputs.verdict === 'pass');
check('nothing is annotated', same.annotations.length === 0);
check('its check run is a success', github.checks().at(-1)?.conclusion === 'success');
check(
  'there is still one comment, and it says so',
  github.comments().length === 1 && /### bpfgate: pass/.test(github.comments()[0]),
);
// A branch in a fork: the run's own token is read-only, and a run on the default branch follows.
await github.set({ comments: [], readOnly: true });
const fork = await runPullRequest('fork', { ...words, fork: 'stranger/packets' });
check('of a fork the gate fails as well, and writes no comment', fork.exitCode !== 0 && github.comments().length === 0);
check(
  'it has its verdict and its summary',
  fork.outputs.verdict === 'regression' && fork.summary.includes('c/sum_words'),
);
await github.set({ readOnly: false, pulls: [[1, { owner: 'stranger', branch: 'fork', sha: fork.head }]] });
const following = await runAfter(fork);
check('the run that follows passes', following.exitCode === 0);
check('it annotates nothing', following.annotations.length === 0);
const [ofFork, ...others] = github.comments();
check('it has written the comment', /\| `c\/sum_words` \| \*\*\+2 /.test(ofFork ?? '') && others.length === 0);

check('every request was as GitHub describes it', github.violations().length === 0);
for (const violation of github.violations()) console.log(violation);

show('regression', regression);
show('same', same);
show('fork', fork);
console.log(`\n== comment\n${github.comments().join('\n----\n')}`);
github.stop();
finish(4);

/** Makes the run on the default branch that GitHub starts after a pull request's run. */
function runAfter({ name, head }) {
  git('checkout', '--quiet', 'main');
  const event = join(temporary, `after-${name}.json`);
  const repo = { full_name: 'stranger/packets', owner: { login: 'stranger' } };
  const run = {
    id: 1,
    run_attempt: 1,
    event: 'pull_request',
    path: '.github/workflows/gate.yml',
    conclusion: 'failure',
  };
  const workflow_run = { ...run, head_sha: head, head_branch: name, head_repository: repo };
  writeFileSync(event, JSON.stringify({ action: 'completed', repository: { full_name: repository }, workflow_run }));
  return runWorkflow('forks.yml', { on: 'workflow_run', event, run: name });
}
