// A user's project with the examples as its workflows; bpfgate as they refer to it; and a GitHub on loopback that
// checks every request against GitHub's own API description. Plain JavaScript for Node 20, because it runs before
// anything is installed.
//
// Differences from GitHub: act does not know `$/`, so it is written out, and accepts no expression for `max-parallel`.
// Artifacts and caches are on act's own servers.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment, root } from '../../scripts/pinned-node.mjs';
import { fail, gitIn, makePullRequest, runAct } from './act.mjs';

export const repository = 'somebody/packets';
/** The name and commit of bpfgate in the examples. */
const bpfgate = { uses: 'OWNER/bpfgate', commit: '0'.repeat(40) };
const token = 'ghs_test';
/** Time of the base commit: three days ago, because a nightly run needs an old one. */
const baseTime = new Date(Date.now() - 3 * 86_400_000).toISOString();

/** The line of the C project's program that sets its number of words; more words cost more. */
export const words = { file: 'packets.bpf.c', from: '#define WORDS 4', to: '#define WORDS 5' };

/**
 * @param prepared result of `prepareAct`
 * @param options.source folder of the project, without `.git`; default: the tests' project in C
 * @param options.toml bpfgate.toml, written if the project has none
 * @param options.inputs further inputs of the step or the reusable workflow in each example, as YAML: `packages: make`
 * @param options.kernels replaces each example's kernels; default: they are kept
 * @param options.parallel how many jobs of the reusable workflow run at once
 */
export async function startProject(prepared, { parallel = 4, ...options }) {
  const { temporary } = prepared;
  const reusable = copyBpfgate(temporary, parallel);
  const project = makeProject(temporary, options);
  const git = gitIn(project, temporary);
  const base = git('rev-parse', 'HEAD');
  const github = await startGitHub();
  const remote = await serveRepository(github, { git, project, temporary });

  /** Runs a workflow of the project; `run` names its artifacts folder, so that a later run can use it. */
  async function runWorkflow(workflow, { on, event, run, args = [] }) {
    const artifacts = join(temporary, 'artifacts', run);
    mkdirSync(artifacts, { recursive: true });
    await github.set({ artifacts });
    const env = { GITHUB_API_URL: github.url, GITHUB_SERVER_URL: remote.url };
    const done = await runAct(prepared, {
      project,
      on,
      event,
      artifacts,
      workflow: `.github/workflows/${workflow}`,
      replaced: { [`${bpfgate.uses}@${bpfgate.commit}`]: reusable },
      args: [
        ...['--secret', `GITHUB_TOKEN=${token}`, ...args],
        ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ],
    });
    return { ...done, artifacts };
  }

  return {
    project,
    git,
    base,
    github,
    bare: remote.bare,
    runWorkflow,
    /** Makes a pull request that changes one file, and runs `workflow` on it. */
    async runPullRequest(name, change, { workflow = 'gate.yml', ...more } = {}) {
      const { event, head } = makePullRequest(git, { project, base, repository, temporary, name, ...change });
      return { ...(await runWorkflow(workflow, { event, run: name, ...more })), name, head };
    },
    lineOf(text) {
      const lines = readFileSync(join(project, words.file), 'utf8').split('\n');
      return String(lines.findIndex((line) => line.includes(text)) + 1);
    },
  };
}

/** Serves a bare clone of the project, in which the history is read and written. @returns its address and its folder */
async function serveRepository(github, { git, project, temporary }) {
  const served = join(temporary, 'git-server');
  const bare = join(served, repository);
  mkdirSync(bare, { recursive: true });
  git('clone', '--quiet', '--bare', project, `${bare}/`);
  for (const name of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant', 'http.receivepack']) {
    git('--git-dir', bare, 'config', name, 'true');
  }
  await github.set({ git: served });
  // A loopback name that @actions/artifact does not mistake for an enterprise server.
  return { url: github.gitUrl().replace('127.0.0.1', 'github.localhost'), bare };
}

/** Copies bpfgate as its own checkout would be, with `$/` written out. @returns the folder */
function copyBpfgate(temporary, parallel) {
  const folder = join(temporary, 'bpfgate');
  const steps = ['action.yml', 'plan', 'report', 'publish', 'record'];
  for (const name of ['.github/workflows', ...steps, 'dist', 'vm', 'kernels', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.includes('/target/') });
  }
  for (const name of ['gate.yml', 'publish.yml']) {
    const workflow = join(folder, '.github/workflows', name);
    const text = readFileSync(workflow, 'utf8');
    const own = text.replace(/uses: \$\/(\w*)/g, (_, path) => {
      return `uses: ${bpfgate.uses}${path === '' ? '' : `/${path}`}@${bpfgate.commit}`;
    });
    if (own === text) fail(`${name} refers to no action of its own by \`$/\``);
    // act accepts a number there, but no expression.
    writeFileSync(workflow, own.replace(/max-parallel: \$.*/, `max-parallel: ${parallel}`));
  }
  return folder;
}

/** Returns a bpfgate.toml of the C project. @param names of its benches, which all run the same command */
export function tomlOfC(names) {
  const tables = names.map((name) => `[[bench]]\nname = "${name}"\ncommand = "./loader"\n`);
  return `[build]\ncommand = "make"\n${tables.join('')}`;
}

/** Makes a repository of the project with all examples. */
function makeProject(
  temporary,
  { source = 'tests/e2e/fixtures/c-libbpf', toml = tomlOfC(['c']), inputs = [], kernels },
) {
  const folder = join(temporary, 'packets');
  cpSync(join(root, source), folder, { recursive: true, filter: (path) => !path.endsWith('/target') });
  if (!existsSync(join(folder, 'bpfgate.toml'))) writeFileSync(join(folder, 'bpfgate.toml'), toml);
  const workflows = join(folder, '.github/workflows');
  mkdirSync(workflows, { recursive: true });
  for (const name of readdirSync(join(root, 'examples/workflows'))) {
    const example = readFileSync(join(root, 'examples/workflows', name), 'utf8');
    const wanted = kernels === undefined ? example : replaceKernels(example, kernels);
    if (wanted === example && kernels !== undefined && name !== 'forks.yml') fail(`${name} names no kernels`);
    const more = inputs.map((input) => `\n$1${input}`).join('');
    writeFileSync(join(workflows, name), wanted.replace(/^( *)kernels: .*/m, `$&${more}`));
  }
  const own = gitIn(folder, temporary, { GIT_AUTHOR_DATE: baseTime, GIT_COMMITTER_DATE: baseTime });
  own('init', '--quiet', '--initial-branch=main');
  own('add', '--all');
  own('commit', '--quiet', '--message', 'base');
  own('remote', 'add', 'origin', `https://github.com/${repository}.git`);
  own('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return folder;
}

function replaceKernels(workflow, kernels) {
  const list = kernels.split(',').map((kernel) => `"${kernel}"`);
  return workflow
    .replace(/kernels: .*/g, `kernels: "${kernels}"`)
    .replace(/kernel: \[.*\]/, `kernel: [${list.join(', ')}]`);
}

/** Starts the tests' server in a process of the pinned Node. It prints its state after each request and command. */
export async function startGitHub() {
  const server = spawn('node', ['tests/publish/serve-github.ts'], {
    cwd: root,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let state = { url: '', gitUrl: '', comments: [], checks: [], releases: [], proposals: [], violations: [] };
  const lines = createInterface({ input: server.stdout });
  const next = () => new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => {
    state = JSON.parse(line);
  });
  await next();
  process.on('exit', () => server.kill());
  return {
    url: state.url,
    gitUrl: () => state.gitUrl,
    comments: () => state.comments,
    checks: () => state.checks,
    releases: () => state.releases,
    proposals: () => state.proposals,
    violations: () => state.violations,
    async set(command) {
      server.stdin.write(`${JSON.stringify(command)}\n`);
      await next();
    },
    stop: () => server.kill(),
  };
}
