// Whole runs under strace, on one tree with every trick by which a tree has started its own program on the host.
// @module-tag hostile

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

const wrappers =
  'rustc = "./wrapper"\nrustc-wrapper = "./wrapper"\n[registry]\nglobal-credential-providers = ["./wrapper"]';
const bench = '[[bench]]\nname = "b"\ncommand = "./bench"\nformat = "bmf"\n';
const hasGo = Number(/go1\.(\d+)/.exec(`${spawnSync('go', ['version']).stdout}`)?.[1]) >= 21;
const files = (where: string, project: string) => ({
  'Cargo.toml': '[package]\nname = "hostile"\nversion = "0.1.0"\n',
  'src/lib.rs': '',
  'build.rs': 'fn main() {}',
  '.cargo/config.toml': `[build]\n${wrappers}\n`,
  'rust-toolchain.toml': `[toolchain]\npath = "${project}/toolchain"\n`,
  ...(hasGo ? { 'go.mod': 'module example.invalid/hostile\n\ngo 1.21\n\ntoolchain go1.99.0\n' } : {}),
  '.gitattributes': '* filter=x diff=x merge=x\n',
  'venv.py': 'import os; os.system("./wrapper")\n',
  '.gitmodules': '[submodule "../../x"]\n\tpath = x\n\turl = "ext::sh -c ./wrapper"\n\tupdate = !./wrapper\n',
  'bpfgate.toml': `[build]\nwhere = "${where}"\ncommand = "./wrapper; ./cargo; true"\n${bench}`,
  bench: `#!/bin/sh\necho '{"work": {"latency": {"value": 1}}}'\n`,
});
const programs = [
  'wrapper',
  ...['bash', 'bwrap', 'cargo', 'cc', 'clang', 'find', 'git', 'go', 'ld', 'python3', 'rustc', 'tar'],
];
const settings = ['core.fsmonitor', 'core.sshCommand', 'filter.x.clean', 'filter.x.smudge', 'filter.x.process'];

/** The programs in a trace that were looked for or started outside a sandbox. */
function outsideOfSandbox(trace: string): string[] {
  const lines = [...trace.matchAll(/^(\d+) +(.*)$/gm)].map(([, pid = '', text = '']) => ({ pid, text }));
  const child = /(?:clone3?|v?fork)\b.* = (\d+)(?: \/\* (\d+) in strace's PID NS \*\/)?$/;
  const parents = new Map(
    lines.flatMap(({ pid, text }) => [child.exec(text)].map((match) => [match?.[2] ?? match?.[1], pid])),
  );
  const sandboxes = new Set(lines.filter(({ text }) => /^execve\("[^"]*\/bwrap"/.test(text)).map(({ pid }) => pid));
  const isOutside = (parent?: string): boolean =>
    parent === undefined || (!sandboxes.has(parent) && isOutside(parents.get(parent)));
  const outside = lines.filter(({ pid }) => isOutside(parents.get(pid)));
  return outside.flatMap(({ text }) => /^execve\("([^"]*)"/.exec(text)?.[1] ?? []);
}

beforeEach(({ skip }) => {
  for (const program of ['strace', 'bwrap'])
    if (spawnSync(program, ['--version']).status !== 0) skip(`${program} is not installed`);
});

test.each(['guest', 'host'])(
  'a tree built with `where = "%s"` gets no program of its own started outside of that',
  (where) => {
    const folder = realpathSync(temporaryFolder());
    const [root, canary, home] = [join(folder, 'root'), join(folder, 'canary'), join(folder, 'home')];
    const [project, trace] = [join(root, 'project'), join(folder, 'trace')];
    for (const name of ['src', '.cargo', 'toolchain/bin']) mkdirSync(join(project, name), { recursive: true });
    for (const [name, text] of Object.entries(files(where, project))) writeFileSync(join(project, name), text);
    for (const name of programs.flatMap((program) => [program, `toolchain/bin/${program}`]))
      writeFileSync(join(project, name), `#!/bin/sh\necho "$0 $*" >>${canary}\nexit 1\n`, { mode: 0o755 });
    chmodSync(join(project, 'bench'), 0o755);
    commit(root, 'base');
    // Anyone can commit a folder with these files, which is a bare repository to git.
    cpSync(join(root, '.git'), project, { recursive: true });
    mkdirSync(home);
    for (const file of [join(project, 'config'), join(home, '.gitconfig')])
      for (const name of settings) execFileSync('git', ['config', '--file', file, name, join(project, 'wrapper')]);
    execFileSync('git', ['config', '--file', join(project, 'config'), 'core.bare', 'false']);
    commit(root, 'head');

    const { CARGO_HOME = join(homedir(), '.cargo'), RUSTUP_HOME = join(homedir(), '.rustup') } = process.env;
    const tools = { CARGO_HOME, RUSTUP_HOME, BPFGATE_CACHE: locateCache() };
    const env = { ...process.env, ...tools, HOME: home, PATH: `.::toolchain/bin:${process.env.PATH}` };
    const calls = 'trace=execve,chdir,fchdir,fork,vfork,clone,clone3';
    const strace = ['--seccomp-bpf', '-f', '-qq', '-y', '-s', '4096', '--decode-pids=pidns', '-e', calls, '-o', trace];
    const run = [
      join(packageRoot, 'src/cli.ts'),
      'run',
      '--base',
      'base',
      '--kernels',
      '6.1',
      '--out',
      join(folder, 'out'),
    ];
    const { status, stderr } = spawnSync('strace', [...strace, process.execPath, ...run], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const started = outsideOfSandbox(readFileSync(trace, 'utf8'));
    expect(started.length).toBeGreaterThan(50);
    expect(started.filter((name) => !isAbsolute(name) || name.startsWith(root))).toEqual([]);
    expect(started.filter((name) => name.startsWith(join(locateCache(), 'builds')))).toEqual([]);
    expect(existsSync(canary)).toBe(false);
  },
);
