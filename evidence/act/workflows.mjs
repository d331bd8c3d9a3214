// `npm run e2e:act-workflows`: runs the example workflows that `e2e:act` leaves out, with nektos/act on this machine in
// real VMs, each with a regression: one step, your own steps, shards, your own runners, every night, and a push that is
// recorded. It also checks that a pull request on a machine without files uses the workflows' cache that a push has
// filled. Plain JavaScript for Node 20, because it runs before anything is installed.
//
//   --keep        leave the temporary folder
//   --only NAMES  runs these, separated by commas: single-step, matrix, sharded, self-hosted, nightly, record, cache

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, fail, finish, prepare, show } from './act.mjs';
import { examplesUnderAct } from './examples.mjs';
import { repository, startProject, tomlOfC, words } from './project.mjs';

const kernels = '6.1';
const { values: options } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const scenarios = {
  'single-step': singleStep,
  matrix,
  sharded,
  'self-hosted': selfHosted,
  nightly,
  record,
  cache: caches,
};
for (const name of examplesUnderAct['e2e:act-workflows']) if (!(name in scenarios)) fail(`nothing runs ${name}.yml`);
const only = options.only?.split(',');
for (const name of only ?? [])
  if (!(name in scenarios)) fail(`--only ${name}: use ${Object.keys(scenarios).join(', ')}`);

const prepared = prepare({ kernels, groups: ['--tests'], keep: options.keep });
const { temporary } = prepared;
const own = await startProject(prepared, { kernels, toml: tomlOfC(['c', 'c2']) });
const { project, git, base, github, bare, lineOf, runPullRequest, runWorkflow } = own;
const regressed = /\| `c\/sum_words` \| \*\*\+2 /;
const harmless = { file: 'Makefile', from: '', to: '# A change that costs nothing.\n' };
let runs = 0;
// In this order, since each leaves the project as it ends.
for (const name of Object.keys(scenarios)) {
  if (only !== undefined && !only.includes(name)) continue;
  await github.set({ comments: [], checks: [] });
  await scenarios[name]();
}
check('every request was as GitHub describes it', github.violations().length === 0);
for (const violation of github.violations()) console.log(violation);
github.stop();
finish(runs);

async function onPullRequest(name, more = {}) {
  runs += 1;
  const run = await runPullRequest(name, words, { workflow: `${name}.yml`, ...more });
  show(name, run);
  check(`${name}: the workflow fails`, run.exitCode !== 0);
  check(`${name}: the verdict is regression`, run.outputs.verdict === 'regression');
  check(`${name}: the job summary has the table`, regressed.test(run.summary));
  const isAtLine = ({ level, file, line }) => level === 'error' && file === words.file && line === lineOf('sum +=');
  check(`${name}: the line that grew is annotated`, run.annotations.some(isAtLine));
  return run;
}

function hasOneComment(name) {
  const [comment, ...others] = github.comments();
  check(`${name}: there is one comment`, regressed.test(comment ?? '') && others.length === 0);
}

async function singleStep() {
  await onPullRequest('single-step');
  check('single-step: nothing is asked of GitHub', github.comments().length === 0 && github.checks().length === 0);
}

async function matrix() {
  await onPullRequest('matrix');
  hasOneComment('matrix');
}

async function sharded() {
  const { artifacts } = await onPullRequest('sharded');
  hasOneComment('sharded');
  // There are never more jobs than benches.
  const left = readdirSync(join(artifacts, '1')).filter((name) => name.startsWith('bpfgate@'));
  check('sharded: each shard left its own', left.join() === 'bpfgate@6.1-1-of-2,bpfgate@6.1-2-of-2');
  check('sharded: the comment has both benches', /`c2\/sum_words`/.test(github.comments()[0] ?? ''));
}

async function selfHosted() {
  await onPullRequest('self-hosted', { args: ['--platform', 'bpfgate-kvm=-self-hosted'] });
  hasOneComment('self-hosted');
}

/** Makes a commit on main that changes one file, and its push event. */
function push(name, { file, from, to }) {
  git('checkout', '--quiet', '-B', 'main', base);
  const before = git('rev-parse', 'HEAD');
  writeFileSync(join(project, file), readFileSync(join(project, file), 'utf8').replace(from, to));
  git('commit', '--quiet', '--all', '--message', name);
  const after = git('rev-parse', 'HEAD');
  git('update-ref', 'refs/remotes/origin/main', after);
  git('push', '--quiet', '--force', bare, 'main');
  const event = join(temporary, `${name}.json`);
  const of = { full_name: repository, default_branch: 'main' };
  writeFileSync(event, JSON.stringify({ ref: 'refs/heads/main', before, after, repository: of }));
  return { event, after };
}

async function nightly() {
  runs += 1;
  const { event } = push('nightly', words);
  const run = await runWorkflow('nightly.yml', { on: 'schedule', event, run: 'nightly' });
  show('nightly', run);
  check('nightly: the workflow fails', run.exitCode !== 0 && run.outputs.verdict === 'regression');
  check(
    'nightly: base is the last commit before yesterday',
    run.log.includes(`(${base}`) && regressed.test(run.summary),
  );
  check('nightly: there is no comment', github.comments().length === 0);
}

async function record() {
  const { event, after } = push('record', harmless);
  for (const attempt of ['first', 'again']) {
    runs += 1;
    const run = await runWorkflow('record.yml', { on: 'push', event, run: `record-${attempt}` });
    show(`record, ${attempt}`, run);
    // act runs no further jobs after a failed workflow, whatever their `if` says.
    check(`record, ${attempt}: the workflow passes`, run.exitCode === 0 && run.outputs.verdict === 'pass');
    check(`record, ${attempt}: the step has recorded`, Number(run.outputs.lines) > 0);
  }
  const names = git('--git-dir', bare, 'ls-tree', '-r', '--name-only', 'bpfgate-history').split('\n');
  const file = names.find((name) => name.endsWith('.jsonl'));
  const text = file === undefined ? '' : git('--git-dir', bare, 'show', `bpfgate-history:${file}`);
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const counts = lines.filter(
    ({ benchmark, measure }) => benchmark === 'c/sum_words' && measure === 'bpf-instructions',
  );
  console.log(`\n== history: ${file}, ${lines.length} lines\n${JSON.stringify(counts[0])}`);
  check(
    'record: the branch has one line for each measurement, of the commit that was pushed',
    counts.length === 1 && lines.every(({ commit }) => commit === after),
  );
}

/** Tests the cache, without an example: act gives each checkout another path, and a build is valid only for one. */
async function caches() {
  const workflow = {
    name: 'cache',
    on: ['push', 'pull_request'],
    permissions: {},
    jobs: {
      gate: {
        'runs-on': 'ubuntu-24.04',
        steps: [{ uses: `OWNER/bpfgate@${'0'.repeat(40)}`, with: { project, kernels } }],
      },
    },
  };
  // Not committed to the repository, whose commits are for the examples.
  writeFileSync(join(project, '.github/workflows/cache.yml'), JSON.stringify(workflow));
  git('config', 'core.excludesFile', join(temporary, 'excluded'));
  writeFileSync(join(temporary, 'excluded'), '.github/workflows/cache.yml\n');
  emptyMachine();
  runs += 2;
  const { event } = push('cache', words);
  const pushed = await runWorkflow('cache.yml', { on: 'push', event, run: 'cache-push' });
  show('cache, push', pushed);
  check('cache: the push is measured', pushed.outputs.verdict === 'regression');
  check('cache: it finds nothing', !pushed.log.includes("taken from the workflows' cache"));

  emptyMachine();
  const pulled = await runPullRequest('cache', harmless, { workflow: 'cache.yml' });
  show('cache, pull request', pulled);
  check('cache: the pull request passes', pulled.outputs.verdict === 'pass');
  for (const kind of ['kernels-2', 'agent', 'plugin', 'builds/', 'counts']) {
    check(
      `cache: it takes ${kind} from the push`,
      new RegExp(`^\\s*\\|?\\s*${kind}.*: taken from`, 'm').test(pulled.log),
    );
  }
  check(
    'cache: base is neither built nor measured again',
    /base \(.*\) is already built/.test(pulled.log) && pulled.log.includes('base as an earlier run counted it'),
  );
}

/** Removes the machine's cache except tools, which take minutes to compile and are not under test. */
function emptyMachine() {
  const cache = join(temporary, 'cache');
  for (const name of readdirSync(cache)) if (name !== 'tools') rmSync(join(cache, name), { recursive: true });
}
