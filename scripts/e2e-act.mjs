// `npm run e2e:act`: runs .github/workflows/example.yml with nektos/act on this machine, once for a pull request with
// the planted regression and once for one without, and checks what a person would see. Plain JavaScript for Node 20,
// because it runs before anything is installed.
//
//   --build  bundle dist/ anew in the copy that is tested, instead of testing dist/ as it is
//   --keep   leave the temporary folder

import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { environment, installPackages, root, runHere } from './pinned-node.mjs';

const actVersion = 'v0.2.89';
const workflow = '.github/workflows/example.yml';
/** Those of the workflow. */
const kernels = '6.1';
const runTimeoutMs = 3_600_000;
const repository = 'example/bpfgate';

const { values: options } = parseArgs({
  options: { build: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
});

installPackages();
if (runHere('node', ['src/cli.ts', 'doctor', '--install'], { stdio: ['ignore', 2, 2] }) !== 0) {
  fail('not everything could be installed; the lines above name each lack and the command that mends it');
}
const cache = capture('node', [
  '--input-type=module',
  '--eval',
  `import { locateCache } from ${JSON.stringify(join(root, 'src/cache/cache.ts'))}; console.log(locateCache());`,
]);
const act = installAct();

// Beside what it links to.
const temporary = mkdtempSync(join(cache, 'e2e-act-'));
let running;
let interrupted = false;
process.on('exit', () => {
  if (options.keep) console.error(`kept: ${temporary}`);
  else rmSync(temporary, { recursive: true, force: true });
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    interrupted = true;
    if (running === undefined) process.exit(130);
    running.kill('SIGTERM');
  });
}

const checks = [];
const checkout = join(temporary, 'checkout');
const base = cloneWorkingTree();
linkCache();

const regression = await runPullRequest('regression', {
  file: 'example-project/xdp-common/Cargo.toml',
  from: 'default = []',
  to: 'default = ["slow-fibonacci"]',
});
check('the step fails', regression.exitCode !== 0 && regression.steps.gate === 'failure');
check('the output verdict is regression', regression.outputs.verdict === 'regression');
check('the output regressions counts them', Number(regression.outputs.regressions) > 0);
check(
  'an error is annotated at a line of the eBPF program, with a title',
  regression.annotations.some(
    ({ level, file, line, title }) =>
      level === 'error' &&
      file === 'example-project/xdp-ebpf/src/main.rs' &&
      Number(line) > 0 &&
      title === 'bpfgate: macro/fun_xdp regressed',
  ),
);
check(
  'every annotated file is in the repository',
  regression.annotations.every(({ file }) => file === undefined || existsSync(join(checkout, file))),
);
check('the job summary has the table', /^\| .*macro\/fun_xdp.*\|$/m.test(regression.summary));
check('the job summary names the kernel', regression.summary.includes(`| ${kernels} |`));

const same = await runPullRequest('same', {
  file: 'example-project/README.md',
  from: '# Example project\n',
  to: '# Example project\n\n<!-- A change that costs nothing. -->\n',
});
check('without the regression the workflow passes', same.exitCode === 0 && same.steps.gate === 'success');
check('its output verdict is pass', same.outputs.verdict === 'pass');
check('its output regressions is 0', same.outputs.regressions === '0');
check('nothing is annotated', same.annotations.length === 0);
check('its job summary has the table', /^\| .*macro\/fun_xdp.*\|$/m.test(same.summary));

for (const { name, annotations, summary } of [regression, same]) {
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

console.log('\n== checks');
for (const { what, ok } of checks) console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`);
const passed = checks.filter(({ ok }) => ok).length;
const failed = checks.length - passed;
console.log(`act: 2 runs, ${passed} checks passed${failed === 0 ? '' : `, ${failed} failed`}`);
process.exit(failed === 0 ? 0 : 1);

function check(what, ok) {
  checks.push({ what, ok });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Stdout of a program that must succeed, without white space at its ends. */
function capture(command, args, given = {}) {
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

/** The absolute path of act, built into the cache when it is not there. */
function installAct() {
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

function git(...args) {
  const who = { NAME: 'bpfgate e2e', EMAIL: 'e2e@bpfgate.invalid' };
  return capture('git', args, {
    cwd: existsSync(checkout) ? checkout : root,
    env: {
      PATH: process.env.PATH,
      HOME: temporary,
      GIT_CONFIG_NOSYSTEM: '1',
      ...Object.fromEntries(
        Object.entries(who).flatMap(([part, value]) => [
          [`GIT_AUTHOR_${part}`, value],
          [`GIT_COMMITTER_${part}`, value],
        ]),
      ),
    },
  });
}

/**
 * A clone of this checkout whose branch main ends with the working tree as it is, what git ignores left out, so that
 * there are no node_modules.
 *
 * @returns the id of main's last commit
 */
function cloneWorkingTree() {
  git('-c', 'safe.directory=*', 'clone', '--quiet', '--no-hardlinks', root, checkout);
  git('checkout', '--quiet', '-B', 'main');
  const listed = capture('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    const [from, to] = [join(root, path), join(checkout, path)];
    rmSync(to, { recursive: true, force: true });
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
  if (options.build) {
    const modules = join(checkout, 'node_modules');
    symlinkSync(join(root, 'node_modules'), modules);
    runHere('rolldown', ['--config', '--logLevel', 'warn'], { cwd: checkout });
    unlinkSync(modules);
  }
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'the working tree');
  git('remote', 'set-url', 'origin', `https://github.com/${repository}.git`);
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return git('rev-parse', 'HEAD');
}

/**
 * A cache of hard links to the machine's, with builds of its own: act gives each job a new workspace path, under which
 * nobody would ever find a build again.
 */
function linkCache() {
  if (runHere('node', ['src/cli.ts', 'kernels', 'fetch', kernels], { stdio: ['ignore', 2, 2] }) !== 0) {
    fail(`cannot fetch ${kernels}`);
  }
  const own = join(temporary, 'cache');
  mkdirSync(own);
  for (const kind of ['agent', 'initramfs', 'kernels', 'tools']) {
    if (existsSync(join(cache, kind))) capture('cp', ['--archive', '--link', join(cache, kind), join(own, kind)]);
  }
}

/** Makes a pull request that changes one file and runs the workflow on its merge commit, as GitHub does. */
async function runPullRequest(name, { file, from, to }) {
  console.error(`\n== ${name}: ${file}`);
  git('checkout', '--quiet', '-B', name, 'main');
  const before = readFileSync(join(checkout, file), 'utf8');
  if (!before.includes(from)) fail(`${file} does not contain ${JSON.stringify(from)}`);
  writeFileSync(join(checkout, file), before.replace(from, to));
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
        head: { ref: name, sha: head, repo },
      },
    }),
  );
  return { name, ...(await runAct(event)) };
}

/**
 * Runs the workflow in act's host mode and reads what it shows from act's log.
 *
 * @returns act's exit code, and of the workflow: steps' results, outputs and annotations, and the job summary
 */
async function runAct(event) {
  const state = join(temporary, 'act');
  const config = join(temporary, 'config');
  mkdirSync(join(config, 'act'), { recursive: true });
  writeFileSync(join(config, 'act', 'actrc'), '');
  const args = [
    ...['pull_request', '--json', '--eventpath', event, '--workflows', workflow],
    ...['--platform', 'ubuntu-24.04=-self-hosted'],
    ...['--action-cache-path', state, '--no-cache-server'],
    ...skippedActions(state).flatMap((replacement) => ['--local-repository', replacement]),
  ];
  // `env.ACT` is act's own doing; nothing of a workflow that this script itself may run in is handed on.
  const inherited = Object.entries(environment).filter(([key]) => !/^(GITHUB|ACTIONS|RUNNER|INPUT)_/.test(key));
  const env = { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: config, BPFGATE_CACHE: join(temporary, 'cache') };

  running = spawn(act, args, { cwd: checkout, env, stdio: ['ignore', 'pipe', 'inherit'] });
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

/**
 * Actions from elsewhere, which act would fetch although their step's `if` is false, each replaced by one that fails
 * when it is run all the same. actions/checkout act does itself.
 */
function skippedActions(state) {
  const text = readFileSync(join(checkout, workflow), 'utf8');
  const used = [...text.matchAll(/uses: ([\w-]+\/[\w-]+@\S+)/g)].map(([, action]) => action);
  return used
    .filter((action) => !action.startsWith('actions/checkout@'))
    .map((action) => {
      const folder = join(state, 'skipped', action.replaceAll('/', '-'));
      mkdirSync(folder, { recursive: true });
      const steps = '[{ run: "echo act must skip this step; exit 1", shell: bash }]';
      writeFileSync(join(folder, 'action.yml'), `name: skipped\nruns: { using: composite, steps: ${steps} }\n`);
      return `${action}=${folder}`;
    });
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
