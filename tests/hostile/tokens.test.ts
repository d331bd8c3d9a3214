// The step as a runner starts it, with tokens in its environment and in the runner's files: each program that it starts
// looks for them, in its own environment and in that of all processes it can see.
// @module-tag hostile

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { kernelKind } from '../../src/kernels/cached.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import { finishStep, startStep } from '../action/step.ts';
import { commit } from '../e2e/gated-project.ts';

const inputs = {
  project: '.',
  config: 'bpfgate.toml',
  base: 'base',
  kernels: '6.1',
  'fail-on': 'regression',
  annotations: 'true',
  'check-run': 'false',
  cache: 'true',
  comment: 'never',
  sandbox: 'auto',
  'allow-project-registries': 'false',
  'accept-costs': 'same-repository',
};

let folder: string;
let token: string;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-tokens-')));
  token = `canary-${randomBytes(8).toString('hex')}`;
  // Shared with the machine's cache, so that the step need not compile and fetch them first.
  await mkdir(join(folder, 'cache'));
  for (const kind of ['tools', 'agent', 'plugin', kernelKind]) {
    await mkdir(join(locateCache(), kind), { recursive: true });
    await symlink(join(locateCache(), kind), join(folder, 'cache', kind));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const workspace = () => join(folder, 'jobs/project');

/** Prints how many variables with the token are in its own environment and in that of each process it can read. */
const count = () => `{ env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; } | grep -c ${token}`;

/** Runs the step on a project, with programs on PATH that look for tokens before they do what they are for. */
async function runStep(where: 'host' | 'guest', sandbox: string, files: Record<string, string>) {
  mkdirSync(join(folder, 'jobs'));
  commit(workspace(), 'base', {
    'bpfgate.toml': `[build]\nwhere = "${where}"\ncommand = "sh build.sh"\n[[bench]]\nname = "b"\ncommand = "true"\n`,
    ...files,
  });
  commit(workspace(), 'head', { changed: '' });
  // The places of actions/checkout's login: before version 6, and since.
  const header = `[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic ${token}\n`;
  writeFileSync(join(workspace(), '.git/config'), header, { flag: 'a' });
  // The runner's own folders are not shown to a build merely because a program is installed in them.
  const programs = join(folder, 'temp/bin');
  for (const path of [programs, join(folder, 'jobs/bin')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'temp/git-credentials-1.config'), header);
  for (const name of ['git', 'cargo', 'rustc', 'cp', 'sh']) {
    const real = await findExecutable(name, process.env);
    const look = `echo "${name} $(${count()})" >>${folder}/seen`;
    writeFileSync(join(programs, name), `#!/bin/bash\n{ ${look}; } 2>/dev/null\nexec ${real} "$@"\n`, { mode: 0o755 });
  }
  const step = await startStep(join(packageRoot, 'src/action.ts'), {
    folder,
    workspace: workspace(),
    event: {},
    apiUrl: '',
    inputs: { ...inputs, sandbox, 'github-token': token },
    environment: {
      PATH: `${programs}:${folder}/jobs/bin:${process.env.PATH}`,
      RUNNER_WORKSPACE: join(folder, 'jobs'),
      GITHUB_TOKEN: token,
      ACTIONS_RUNTIME_TOKEN: token,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
      NPM_TOKEN: token,
      // A value longer than a page.
      DEPLOY_SECRET: `${'x'.repeat(8192)}${token}`,
    },
  });
  const { stdout } = await finishStep(step);
  const seen = existsSync(join(folder, 'seen')) ? readFileSync(join(folder, 'seen'), 'utf8') : '';
  return { stdout, seen: seen.trim().split('\n') };
}

/** A build that fails, so that what it prints is shown. */
const build = (command: string) => ({ 'build.sh': `echo "found $(${count()})"\n${command}\nexit 3\n` });

/** @param programs some of those that must have started; if the cache has no agent, it is compiled first */
function expectNoneFound(seen: readonly string[], programs: readonly string[]) {
  expect(seen.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(programs.map((name) => `${name} 0`)));
}

// A step may compile the agent.
vi.setConfig({ testTimeout: 600_000 });

test('no program that the step starts gets a token, nor does a build without a sandbox', async () => {
  const { stdout, seen } = await runStep('host', 'off', build(''));
  expect(stdout).toContain('found 0');
  expectNoneFound(seen, ['git', 'rustc', 'sh']);
});

test('no program that the step starts for a build in a guest gets a token', async () => {
  const { stdout, seen } = await runStep('guest', 'auto', {
    'Cargo.toml':
      '[package]\nname = "p"\nversion = "0.1.0"\n[lib]\npath = "build.rs"\n[dependencies]\nd = { git = "file:///nowhere" }\n',
    'build.rs': 'fn main() {}',
  });
  expect(stdout).toContain('cannot download what base');
  expectNoneFound(seen, ['git', 'sh', 'cargo', 'rustc']);
});

test("a build in a sandbox gets no token, and cannot read the runner's files or git's configuration", async () => {
  const names = ['temp/git-credentials-1.config', 'jobs/project/.git/config', 'output', 'summary.md', 'event.json'];
  const files = names.map((name) => join(folder, name)).join(' ');
  const read = `for file in ${files}; do cat $file >/dev/null 2>&1 && echo "read $file"; done`;
  const { stdout, seen } = await runStep('host', 'required', build(read));
  expect(stdout).toContain('found 0');
  expect(stdout).not.toContain(`read ${folder}`);
  expectNoneFound(seen, ['git', 'rustc', 'sh']);
});

test("GitHub's libraries read the runner's token by name, and programs that they start do not get it", () => {
  const module = join(packageRoot, 'src/adapters/step-secrets.ts');
  const script = `import { spawnSync } from 'node:child_process';
    import { hideSecrets } from ${JSON.stringify(module)};
    const problem = hideSecrets();
    const { stdout } = spawnSync('env', { encoding: 'utf8' });
    const { ACTIONS_RUNTIME_TOKEN, NPM_TOKEN, NETRC } = process.env;
    console.log(JSON.stringify({ problem, ACTIONS_RUNTIME_TOKEN, NPM_TOKEN, NETRC, PATH: /^PATH=/m.test(stdout),
      isFound: stdout.includes(${JSON.stringify(token)}), copy: Object.values({ ...process.env }).includes(${JSON.stringify(token)}) }));`;
  const env = { PATH: process.env.PATH, ACTIONS_RUNTIME_TOKEN: token, NPM_TOKEN: token, NETRC: '/path' };
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual({
    ACTIONS_RUNTIME_TOKEN: token,
    NETRC: '/path',
    PATH: true,
    isFound: false,
    copy: false,
  });
});

test('a step that cannot clear its environment is an error', () => {
  const step = [process.execPath, join(packageRoot, 'src/plan-action.ts')];
  const env = { PATH: process.env.PATH, GITHUB_TOKEN: token, INPUT_PROJECT: join(folder, 'nowhere') };
  const readOnly = ['--dev-bind', '/', '/', '--ro-bind', '/proc', '/proc', '--'];
  const run = (file: string, args: readonly string[]) => spawnSync(file, args, { env, encoding: 'utf8' }).stdout;
  const said = /^::warning title=bpfgate::the step cannot remove the job's tokens from .*\(EROFS: .*`required`$/m;
  expect(run('bwrap', [...readOnly, ...step])).toMatch(said);
  expect(run(step[0] ?? '', step.slice(1))).not.toMatch(said);
});
