// `npm run e2e:act`: a project of somebody else's, in C, whose workflow is examples/workflows/gate.yml, with
// nektos/act on this machine: the reusable workflow on three kernels in real VMs, and a GitHub on loopback that checks
// every request against GitHub's own API description. A regression, no regression, and a
// regression in a fork, whose token can only read, with the run that follows it. Plain JavaScript for
// Node 20, because it runs before anything is installed.
//
//   --keep   leave the temporary folder
//
// What is not real: act knows neither `$/` nor has it the artifact actions, which this machine cannot fetch. `$/` is
// written out, and artifacts are copied to a folder and back.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  check,
  fail,
  finish,
  foreignActions,
  gitIn,
  makePullRequest,
  prepare,
  runAct,
  show,
  writeStandIn,
} from './act.mjs';
import { environment, root } from './pinned-node.mjs';

const kernels = '5.10,6.1,6.12';
const repository = 'somebody/packets';
/** What the example calls bpfgate, and what this script calls it. */
const bpfgate = { uses: 'OWNER/bpfgate', commit: '0'.repeat(40) };
const token = 'ghs_test';

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const prepared = prepare({ kernels, groups: ['--tests'], keep: options.keep });
const { temporary } = prepared;
const reusable = copyBpfgate();
const { project, base } = makeProject();
const git = gitIn(project, temporary);
const github = await startGitHub();

const words = { file: 'packets.bpf.c', from: '#define WORDS 4', to: '#define WORDS 5' };
const regression = await runPullRequest('regression', words);
const [comment, ...more] = github.comments();
check('the workflow fails', regression.exitCode !== 0);
check('the verdict is regression', regression.outputs.verdict === 'regression');
check('there is one comment', comment !== undefined && more.length === 0);
check('it has the three kernels', comment?.includes('| benchmark | measure | 5.10 | 6.1 | 6.12 |') ?? false);
check(
  'it has the regression, by two instructions',
  /\| `c\/sum_words` \| bpf-instructions \| \*\*\+2 /.test(comment ?? ''),
);
check(
  'the line that grew is annotated',
  regression.annotations.some(
    ({ level, file, line, title }) =>
      level === 'error' && file === 'packets.bpf.c' && line === lineOf('sum +=') && /sum_words regressed/.test(title),
  ),
);
check('the job summary has the table', /^\| `c\/sum_words` .*\|$/m.test(regression.summary));

const same = await runPullRequest('same', { file: 'Makefile', from: '', to: '# A change that costs nothing.\n' });
check('without the regression the workflow passes', same.exitCode === 0 && same.outputs.verdict === 'pass');
check('nothing is annotated', same.annotations.length === 0);
check(
  'there is still one comment, and it says so',
  github.comments().length === 1 && /### bpfgate: pass/.test(github.comments()[0]),
);
// A stranger's branch: the run's own token can only read, and a run on the default branch follows.
await github.tell({ comments: [], readOnly: true });
const fork = await runPullRequest('fork', { ...words, fork: 'stranger/packets' });
check('of a fork the gate fails as well, and writes no comment', fork.exitCode !== 0 && github.comments().length === 0);
check(
  'it has its verdict and its summary',
  fork.outputs.verdict === 'regression' && fork.summary.includes('c/sum_words'),
);
await github.tell({ readOnly: false, pulls: [[1, { owner: 'stranger', branch: 'fork', sha: fork.head }]] });
const following = await runAfter(fork);
check('the run that follows passes', following.exitCode === 0);
check('it annotates nothing', following.annotations.length === 0);
const [ofFork, ...others] = github.comments();
check(
  'it has written the comment',
  /\| `c\/sum_words` \| bpf-instructions \| \*\*\+2 /.test(ofFork ?? '') && others.length === 0,
);

check('every request was as GitHub describes it', github.violations().length === 0);
for (const violation of github.violations()) console.log(violation);

show('regression', regression);
show('same', same);
show('fork', fork);
console.log(`\n== comment\n${github.comments().join('\n----\n')}`);
github.stop();
finish(4);

/** bpfgate as its own checkout has it, with `$/` written out. @returns the folder */
function copyBpfgate() {
  const folder = join(temporary, 'bpfgate');
  for (const name of ['.github/workflows', 'action.yml', 'plan', 'report', 'dist', 'vm', 'kernels', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.includes('/target/') });
  }
  for (const name of ['gate.yml', 'publish.yml']) {
    const workflow = join(folder, '.github/workflows', name);
    const text = readFileSync(workflow, 'utf8');
    const own = text.replace(/uses: \$\/(\w*)/g, (_, path) => {
      return `uses: ${bpfgate.uses}${path === '' ? '' : `/${path}`}@${bpfgate.commit}`;
    });
    if (own === text) fail(`${name} refers to no action of its own by \`$/\``);
    writeFileSync(workflow, own);
  }
  return folder;
}

/** The C project that the tests have, with the example workflow. */
function makeProject() {
  const folder = join(temporary, 'packets');
  cpSync(join(root, 'tests/e2e/fixtures/c-libbpf'), folder, { recursive: true });
  const toml = '[build]\ncommand = "make"\n[[bench]]\nname = "c"\ncommand = "./loader"\n';
  writeFileSync(join(folder, 'bpfgate.toml'), toml);
  const workflows = join(folder, '.github/workflows');
  mkdirSync(workflows, { recursive: true });
  const example = readFileSync(join(root, 'examples/workflows/gate.yml'), 'utf8');
  const wanted = example.replace(/kernels: .*/, `kernels: "${kernels}"`);
  if (wanted === example) fail('the example names no kernels');
  writeFileSync(join(workflows, 'gate.yml'), wanted);
  cpSync(join(root, 'examples/workflows/forks.yml'), join(workflows, 'forks.yml'));
  const own = gitIn(folder, temporary);
  own('init', '--quiet', '--initial-branch=main');
  own('add', '--all');
  own('commit', '--quiet', '--message', 'base');
  own('remote', 'add', 'origin', `https://github.com/${repository}.git`);
  own('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return { project: folder, base: own('rev-parse', 'HEAD') };
}

async function runPullRequest(name, change) {
  const { event, head } = makePullRequest(git, { project, base, repository, temporary, name, ...change });
  const run = await runWorkflow('gate.yml', { event, artifacts: name });
  return { ...run, name, head };
}

/** The run on the default branch that GitHub starts when the one of a pull request has ended. */
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
  return runWorkflow('forks.yml', { on: 'workflow_run', event, artifacts: name });
}

function runWorkflow(workflow, { on, event, artifacts: name }) {
  const artifacts = join(temporary, 'artifacts', name);
  mkdirSync(artifacts, { recursive: true });
  const standIns = {
    'actions/upload-artifact': {
      inputs: { name: '', path: '', 'if-no-files-found': '', overwrite: '' },
      script: `[ ! -d "$IN_PATH" ] || cp -r "$IN_PATH" "${artifacts}/$IN_NAME"`,
    },
    'actions/download-artifact': {
      inputs: { pattern: '', path: '', 'run-id': '', 'github-token': '' },
      script: `mkdir -p "$IN_PATH" && cp -r "${artifacts}"/$IN_PATTERN "$IN_PATH"`,
    },
    'actions/cache': { script: 'echo act must skip this step; exit 1' },
  };
  const used = ['gate.yml', 'publish.yml'].flatMap((file) => foreignActions(join(reusable, '.github/workflows', file)));
  const replaced = Object.fromEntries(
    used
      .filter((action) => !action.startsWith(bpfgate.uses))
      .map((action) => [action, writeStandIn(temporary, `${name}/${action}`, standIns[action.split('@')[0]])]),
  );
  const own = `${bpfgate.uses}@${bpfgate.commit}`;
  return runAct(prepared, {
    project,
    workflow: `.github/workflows/${workflow}`,
    on,
    event,
    replaced: { ...replaced, [own]: reusable },
    args: ['--secret', `GITHUB_TOKEN=${token}`, '--env', `GITHUB_API_URL=${github.url}`],
  });
}

function lineOf(text) {
  const lines = readFileSync(join(project, words.file), 'utf8').split('\n');
  return String(lines.findIndex((line) => line.includes(text)) + 1);
}

/** The server of the tests, in a process of the pinned Node, which tells what it has after each request and command. */
async function startGitHub() {
  const server = spawn('node', ['tests/publish/serve-github.ts'], {
    cwd: root,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let state = { url: '', comments: [], violations: [] };
  const lines = createInterface({ input: server.stdout });
  const next = () => new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => {
    state = JSON.parse(line);
  });
  await next();
  process.on('exit', () => server.kill());
  return {
    url: state.url,
    comments: () => state.comments,
    violations: () => state.violations,
    async tell(command) {
      server.stdin.write(`${JSON.stringify(command)}\n`);
      await next();
    },
    stop: () => server.kill(),
  };
}
