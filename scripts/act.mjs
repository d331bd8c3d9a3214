// What the scripts share that run workflows with nektos/act on this machine. Plain JavaScript for Node 20, because it
// runs before anything is installed.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment, installPackages, root, runHere } from './pinned-node.mjs';

const actVersion = 'v0.2.89';
const runTimeoutMs = 3_600_000;

const checks = [];

export function check(what, ok) {
  checks.push({ what, ok });
}

/** Prints every check, and ends with 0 if all passed. */
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

/** Stdout of a program that must succeed, without white space at its ends. */
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
 * Installs what is missing, act too, and fetches the kernels.
 *
 * @param {{ kernels: string, groups: string[], keep: boolean }} options `keep`: leave the temporary folder
 * @returns act's path, a temporary folder that is removed at the end, and in it `cache`: hard links to the machine's, but
 * for builds. act gives each job a new workspace path, under which nobody would ever find a build again
 */
export function prepare({ kernels, groups, keep }) {
  installPackages();
  const doctor = ['src/cli.ts', 'doctor', '--install', ...groups];
  if (runHere('node', doctor, { stdio: ['ignore', 2, 2] }) !== 0) {
    fail('not everything could be installed; the lines above name each lack and the command that mends it');
  }
  const cache = capture('node', [
    '--input-type=module',
    '--eval',
    `import { locateCache } from ${JSON.stringify(join(root, 'src/cache/cache.ts'))}; console.log(locateCache());`,
  ]);
  const act = installAct(cache);

  // Beside what it links to.
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
  if (runHere('node', ['src/cli.ts', 'kernels', 'fetch', ...kernels.split(',')], { stdio: ['ignore', 2, 2] }) !== 0) {
    fail(`cannot fetch ${kernels}`);
  }
  const own = join(temporary, 'cache');
  mkdirSync(own);
  for (const kind of ['agent', 'boot-images', 'initramfs', 'kernels-2', 'tools']) {
    if (existsSync(join(cache, kind))) capture('cp', ['--archive', '--link', join(cache, kind), join(own, kind)]);
  }
  return { act, temporary };
}

let running;
let interrupted = false;

/** The absolute path of act, built into the cache when it is not there. */
function installAct(cache) {
  const folder = join(cache, 'tools', `act-${actVersion}`);
  const program = join(folder, 'act');
  if (existsSync(program)) return program;
  const source = `github.com/nektos/act@${actVersion}`;
  if (spawnSync('go', ['version'], { env: environment }).status !== 0) {
    fail(`act is missing, and so is Go to build it with: install Go 1.24 or later from https://go.dev/dl, such that
\`go install ${source}\` works`);
  }
  console.error(`act: building ${source}`);
  mkdirSync(dirname(folder), { recursive: true });
  const staging = mkdtempSync(join(dirname(folder), '.act-'));
  const { status } = spawnSync('go', ['install', source], {
    cwd: staging,
    env: { ...environment, GOBIN: staging, GOFLAGS: '' },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    fail(`\`go install ${source}\` failed; run it by hand to see why`);
  }
  try {
    renameSync(staging, folder);
  } catch {
    // Another run has built the same meanwhile.
    rmSync(staging, { recursive: true, force: true });
  }
  return program;
}

/** Git in a folder, with nothing of the user's configuration. */
export function gitIn(folder, home) {
  const who = { NAME: 'bpfgate e2e', EMAIL: 'e2e@bpfgate.invalid' };
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
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
 * Makes a pull request that changes one file, checks its merge commit out, as GitHub does, and writes its event.
 *
 * @param {(...args: string[]) => string} git in `project`, whose branch main is `base`
 * @param change `fork`: whose repository the branch is in; default: `repository`
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
 * Runs a workflow in act's host mode and reads what it shows from act's log.
 *
 * @param options `on`: the event's name; default `pull_request`. `replaced`: actions and reusable workflows from elsewhere by the folders that stand for them;
 * actions/checkout act does itself. `args`, `env`: more of act's own
 * @returns act's exit code, and of the workflow: steps' results, outputs and annotations, and the job summaries
 */
export async function runAct(
  { act, temporary },
  { project, workflow, on = 'pull_request', event, replaced, args = [], env = {} },
) {
  const config = join(temporary, 'config');
  mkdirSync(join(config, 'act'), { recursive: true });
  writeFileSync(join(config, 'act', 'actrc'), '');
  const all = [
    ...[on, '--json', '--eventpath', event, '--workflows', workflow],
    ...['--platform', 'ubuntu-24.04=-self-hosted'],
    ...['--action-cache-path', join(temporary, 'act'), '--no-cache-server'],
    ...Object.entries(replaced).flatMap(([uses, folder]) => ['--local-repository', `${uses}=${folder}`]),
    ...args,
  ];
  // `env.ACT` is act's own doing; nothing of a workflow that this script itself may run in is handed on.
  const inherited = Object.entries(environment).filter(([key]) => !/^(GITHUB|ACTIONS|RUNNER|INPUT)_/.test(key));
  const own = { XDG_CONFIG_HOME: config, BPFGATE_CACHE: join(temporary, 'cache'), ...env };

  running = spawn(act, all, {
    cwd: project,
    env: { ...Object.fromEntries(inherited), ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => running.kill('SIGTERM'), runTimeoutMs);
  const seen = { steps: {}, outputs: {}, annotations: [], summary: '' };
  createInterface({ input: running.stdout }).on('line', (line) => readActLine(line, seen));
  const exitCode = await new Promise((resolve, reject) => {
    running.on('error', reject);
    running.on('close', (code) => resolve(code));
  });
  clearTimeout(timer);
  running = undefined;
  if (interrupted) process.exit(130);
  return { exitCode, ...seen };
}

/** Every action a workflow takes from elsewhere, but for actions/checkout. */
export function foreignActions(workflow) {
  const text = readFileSync(workflow, 'utf8');
  const used = [...text.matchAll(/uses: ([\w-]+\/[\w-]+@\S+)/g)].map(([, action]) => action);
  return [...new Set(used)].filter((action) => !action.startsWith('actions/checkout@'));
}

/**
 * Writes a composite action that stands for one which this machine cannot fetch.
 *
 * @param options `inputs` with their defaults; the script has `path` as `$IN_PATH`
 * @returns its folder
 */
export function writeStandIn(temporary, action, { script, inputs = {} }) {
  const folder = join(temporary, 'act', 'stand-ins', action.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  const toVariable = (name) => `IN_${name.toUpperCase().replaceAll('-', '_')}`;
  const env = Object.fromEntries(Object.keys(inputs).map((name) => [toVariable(name), `\${{ inputs.${name} }}`]));
  const described = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { default: value }]));
  const steps = [{ run: script, shell: 'bash', env }];
  // JSON is YAML.
  const file = { name: 'stand-in', inputs: described, runs: { using: 'composite', steps } };
  writeFileSync(join(folder, 'action.yml'), JSON.stringify(file));
  return folder;
}

/** Shows a line of act's log and keeps what it tells. */
function readActLine(line, seen) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    console.error(line);
    return;
  }
  console.error(`act | ${String(entry.msg).trimEnd()}`);
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

/** Prints what a person would see of a run. */
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
