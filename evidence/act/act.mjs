// Shared code of the scripts that run workflows with nektos/act on this machine. Plain JavaScript for Node 20, because
// it runs before anything is installed.

import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { installGoTool } from '../../scripts/go-tools.mjs';
import { environment, installPackages, root, runHere } from '../../scripts/pinned-node.mjs';
import { act } from '../../scripts/pinned-tools.mjs';
import { startArtifactProxy } from './artifact-proxy.mjs';

const runTimeoutMs = 3_600_000;

const checks = [];

export function check(what, ok) {
  checks.push({ what, ok });
}

/** Prints every check and ends the process: exit code 0 if all passed, else 1. */
export function finish(runs) {
  console.log('\n== checks');
  for (const { what, ok } of checks) console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`);
  const passed = checks.filter(({ ok }) => ok).length;
  const failed = checks.length - passed;
  console.log(`act: ${runs} runs, ${passed} checks passed${failed === 0 ? '' : `, ${failed} failed`}`);
  process.exit(failed === 0 ? 0 : 1);
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Returns the trimmed stdout of a program that must succeed. */
export function capture(command, args, given = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...given,
  });
  if (status !== 0)
    fail(`\`${[command, ...args].join(' ')}\` failed${error === undefined ? '' : `: ${error.message}`}`);
  return stdout.trim();
}

/**
 * Installs what is missing, including act, and fetches the kernels.
 *
 * @param {{ kernels: string, groups: string[], keep: boolean }} options `keep`: leave the temporary folder
 * @returns act's path, a temporary folder that is removed at the end, and in it `cache`: hard links to the machine's
 * cache without its builds. act gives each job a new workspace path, so no job would find an earlier build
 */
export function prepare({ kernels, groups, keep }) {
  const prepared = prepareAct({ keep });
  const { cache, temporary } = prepared;
  const doctor = ['src/cli.ts', 'doctor', '--install', ...groups];
  if (runHere('node', doctor, { stdio: ['ignore', 2, 2] }) !== 0) {
    fail('not everything could be installed; the lines above name what is missing and the command that installs it');
  }
  if (runHere('node', ['src/cli.ts', 'kernels', 'fetch', ...kernels.split(',')], { stdio: ['ignore', 2, 2] }) !== 0) {
    fail(`cannot fetch ${kernels}`);
  }
  const own = join(temporary, 'cache');
  mkdirSync(own);
  for (const kind of ['agent', 'boot-images', 'initramfs', 'kernels-2', 'plugin', 'tools']) {
    if (existsSync(join(cache, kind))) capture('cp', ['--archive', '--link', join(cache, kind), join(own, kind)]);
  }
  return prepared;
}

/**
 * Installs act.
 *
 * @returns its path, bpfgate's cache, and in it a temporary folder that is removed at the end unless `keep` is set
 */
export function prepareAct({ keep }) {
  installPackages();
  const cache = capture('node', [
    '--input-type=module',
    '--eval',
    `import { locateCache } from ${JSON.stringify(join(root, 'src/cache/cache.ts'))}; console.log(locateCache());`,
  ]);
  const installed = installGoTool(cache, act);
  if ('problem' in installed) fail(installed.problem);

  // In the cache itself, so that hard links to its files are possible.
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'e2e-act-'));
  process.on('exit', () => {
    if (keep) console.error(`kept: ${temporary}`);
    else rmSync(temporary, { recursive: true, force: true });
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      interrupted = true;
      if (running === undefined) process.exit(130);
      running.kill('SIGTERM');
    });
  }
  return { act: installed.program, cache, temporary };
}

let running;
let interrupted = false;

/** Returns a function that runs Git in a folder, without the user's configuration. */
export function gitIn(folder, home, more = {}) {
  const who = { NAME: 'bpfgate e2e', EMAIL: 'e2e@bpfgate.invalid' };
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    ...more,
    ...Object.fromEntries(
      Object.entries(who).flatMap(([part, value]) => [
        [`GIT_AUTHOR_${part}`, value],
        [`GIT_COMMITTER_${part}`, value],
      ]),
    ),
  };
  return (...args) => capture('git', args, { cwd: folder, env });
}

/**
 * Clones this checkout. The clone's branch main ends with a commit of the working tree as it is, without ignored files,
 * so without node_modules.
 *
 * @param {(...args: string[]) => string} git in `project`
 * @param given `repository`: the repository that `origin` names. `build`: whether to bundle dist/ again in the clone.
 * `change`: changes the clone's files before that
 * @returns the id of main's last commit
 */
export function cloneWorkingTree(git, { project, repository, build, change = () => {} }) {
  capture('git', ['-c', 'safe.directory=*', 'clone', '--quiet', '--no-hardlinks', root, project]);
  git('checkout', '--quiet', '-B', 'main');
  const listed = capture('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    const [from, to] = [join(root, path), join(project, path)];
    rmSync(to, { recursive: true, force: true });
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
  change();
  if (build) {
    const modules = join(project, 'node_modules');
    symlinkSync(join(root, 'node_modules'), modules);
    runHere('rolldown', ['--config', '--logLevel', 'warn'], { cwd: project });
    unlinkSync(modules);
  }
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'the working tree');
  git('remote', 'set-url', 'origin', `https://github.com/${repository}.git`);
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return git('rev-parse', 'HEAD');
}

/**
 * Makes a pull request that changes one file, checks out its merge commit, as GitHub does, and writes its event.
 *
 * @param {(...args: string[]) => string} git in `project`, whose branch main is `base`
 * @param change `fork`: the repository of the branch; default: `repository`
 * @returns the event's file, and the head's commit
 */
export function makePullRequest(
  git,
  { project, base, repository, fork = repository, name, file, from, to, temporary },
) {
  console.error(`\n== ${name}: ${file}`);
  git('checkout', '--quiet', '-B', name, 'main');
  const before = readFileSync(join(project, file), 'utf8');
  if (!before.includes(from)) fail(`${file} does not contain ${JSON.stringify(from)}`);
  writeFileSync(join(project, file), before.replace(from, to));
  git('commit', '--quiet', '--all', '--message', name);
  const head = git('rev-parse', 'HEAD');
  git('checkout', '--quiet', '--detach', 'main');
  git('merge', '--quiet', '--no-ff', '--message', `Merge ${head} into ${base}`, head);

  const event = join(temporary, `${name}.json`);
  const repo = { full_name: repository, default_branch: 'main' };
  writeFileSync(
    event,
    JSON.stringify({
      action: 'synchronize',
      number: 1,
      repository: repo,
      pull_request: {
        number: 1,
        base: { ref: 'main', sha: base, repo },
        head: { ref: name, sha: head, repo: { ...repo, full_name: fork } },
      },
    }),
  );
  return { event, head };
}

/**
 * Runs a workflow in act's host mode and reads the results from act's log.
 *
 * @param options `on`: the event's name; default `pull_request`. `replaced`: maps actions and reusable workflows from
 * elsewhere to local folders that replace them; act itself does actions/checkout. `artifacts`: folder for the run's
 * artifacts. `args`, `env`: further arguments and variables for act
 * @returns act's exit code, and of the workflow: steps' results, outputs and annotations, the job summaries and the log
 */
export async function runAct(
  { act, temporary },
  { project, workflow, on = 'pull_request', event, replaced, artifacts, args = [], env = {} },
) {
  const config = join(temporary, 'config');
  mkdirSync(join(config, 'act'), { recursive: true });
  writeFileSync(join(config, 'act', 'actrc'), '');
  const artifactPort = await findFreePort();
  const proxy = await startArtifactProxy(`http://127.0.0.1:${artifactPort}`);
  const all = [
    ...[on, '--json', '--eventpath', event, '--workflows', workflow],
    ...['--platform', 'ubuntu-24.04=-self-hosted'],
    ...['--action-cache-path', join(temporary, 'act')],
    // act's own servers on loopback keep the artifacts and caches that GitHub would keep.
    ...['--artifact-server-path', artifacts, '--artifact-server-addr', '127.0.0.1'],
    ...['--artifact-server-port', String(artifactPort)],
    ...['--cache-server-path', join(temporary, 'act-cache'), '--cache-server-addr', '127.0.0.1'],
    ...Object.entries(replaced).flatMap(([uses, folder]) => ['--local-repository', `${uses}=${folder}`]),
    ...args,
  ];
  // Variables of a workflow that this script itself may run in are not passed on. act sets `env.ACT` itself.
  const inherited = Object.entries(environment).filter(([key]) => !/^(GITHUB|ACTIONS|RUNNER|INPUT)_/.test(key));
  const cache = join(temporary, 'cache');
  const own = { XDG_CONFIG_HOME: config, BPFGATE_CACHE: cache, ACTIONS_RUNTIME_URL: `${proxy.url}/`, ...env };

  running = spawn(act, all, {
    cwd: project,
    env: { ...Object.fromEntries(inherited), ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => running.kill('SIGTERM'), runTimeoutMs);
  const seen = { steps: {}, outputs: {}, annotations: [], summary: '', log: '' };
  createInterface({ input: running.stdout }).on('line', (line) => readActLine(line, seen));
  const exitCode = await new Promise((resolve, reject) => {
    running.on('error', reject);
    running.on('close', (code) => resolve(code));
  });
  clearTimeout(timer);
  proxy.stop();
  running = undefined;
  if (interrupted) process.exit(130);
  return { exitCode, ...seen };
}

async function findFreePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Prints a line of act's log and keeps the results in it. */
function readActLine(line, seen) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    console.error(line);
    return;
  }
  const message = String(entry.msg).trimEnd();
  console.error(`act | ${message}`);
  seen.log += `${message}\n`;
  const values = entry.kvPairs ?? {};
  switch (entry.command) {
    case 'error':
    case 'warning':
    case 'notice':
      seen.annotations.push({
        level: entry.command,
        file: values.file,
        line: values.line,
        title: values.title,
        message: entry.arg,
      });
      break;
    case 'set-output':
      seen.outputs[entry.name] = entry.arg;
      break;
    case 'summary':
      seen.summary += entry.content;
      break;
  }
  if (entry.stepResult !== undefined && entry.stage === 'Main') seen.steps[entry.stepID?.[0]] = entry.stepResult;
}

/** Prints what a user would see of a run. */
export function show(name, { annotations, summary }) {
  console.log(`\n== ${name}: annotations`);
  if (annotations.length === 0) console.log('none');
  for (const { level, file, line, title, message } of annotations) {
    const place = [file, line].filter((part) => part !== undefined).join(':');
    console.log([level, place, title].filter((part) => part).join(': '));
    for (const text of message.split('\n')) console.log(`  ${text}`);
  }
  console.log(`\n== ${name}: job summary`);
  console.log(summary.trimEnd());
}
