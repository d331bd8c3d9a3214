// Bad input on the command line: one clear message, an exit code, and an untouched output folder.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bpfgate, temporaryFolder } from './bpfgate.ts';

const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false'];

/** A committed project with one bench. */
function makeProject({ build = 'true', bench = 'true', format = 'bmf' } = {}): string {
  const project = join(temporaryFolder(), 'project');
  mkdirSync(project);
  const toml = [
    '[build]',
    `command = ${JSON.stringify(build)}`,
    '[[bench]]',
    'name = "speed"',
    `command = ${JSON.stringify(bench)}`,
    `format = "${format}"`,
  ];
  writeFileSync(join(project, 'bpfgate.toml'), `${toml.join('\n')}\n`);
  writeFileSync(join(project, 'tracked.txt'), 'as committed\n');
  git(project, 'init', '--quiet', '--initial-branch=main');
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '--message', 'all');
  git(project, 'commit', '--quiet', '--allow-empty', '--message', 'head');
  return project;
}

function git(project: string, ...args: string[]): string {
  return execFileSync('git', [...who, ...args], { cwd: project, encoding: 'utf8' });
}

/**
 * Runs the gate and expects it to fail without touching the repository. On wrong input, the output folder must stay
 * untouched too. Returns stderr.
 */
async function fails(project: string, code: number, ...args: string[]): Promise<string> {
  const out = join(temporaryFolder(), 'out');
  const state = existsSync(join(project, '.git')) ? git(project, 'status', '--porcelain=v2', '--branch') : '';
  const outcome = await bpfgate(['run', '--project', project, '--out', out, '--kernels', '6.1', ...args]);
  expect(outcome).toMatchObject({ code, stdout: '' });
  const left = existsSync(out) ? readdirSync(out).sort() : [];
  expect(left).toEqual(code === 2 ? [] : ['.gitignore', 'error.json', ...left.filter((name) => name === 'logs')]);
  if (state !== '') expect(git(project, 'status', '--porcelain=v2', '--branch')).toBe(state);
  return outcome.stderr;
}

test('an unknown kernel selector', async () => {
  const said = await fails(makeProject(), 2, '--kernels', '9.9');
  expect(said).toContain('no pinned kernel matches "9.9"');
  expect(said).toContain('6.1.176');
});

test('a missing project', async () => {
  expect(await fails('/nonexistent/project', 2)).toContain('there is no folder /nonexistent/project');
});

test('a project without bpfgate.toml', async () => {
  expect(await fails(temporaryFolder(), 2)).toContain('bpfgate.toml` does not exist');
});

test('a bpfgate.toml with a typo', async () => {
  const project = makeProject();
  const file = join(project, 'bpfgate.toml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('format', 'fromat'));
  const said = await fails(project, 2);
  expect(said).toContain('bpfgate.toml:6: unknown key `fromat`');
  expect(said).toContain('format');
});

test('an unknown revision', async () => {
  expect(await fails(makeProject(), 2, '--base', 'no-such-ref')).toContain('unknown revision "no-such-ref"');
});

test('a build that fails', async () => {
  const said = await fails(makeProject({ build: 'echo the reason >&2; exit 5' }), 4);
  expect(said).toContain('the build of base');
  expect(said).toContain('exited with 5');
  expect(said).toContain('the reason');
  const [, log = ''] = /the whole output is in (\S+build-base\.log)/.exec(said) ?? [];
  expect(readFileSync(log, 'utf8')).toContain('the reason\n');
});

test('a build that changes tracked files', async () => {
  const said = await fails(makeProject({ build: 'echo dirty >> tracked.txt' }), 4);
  expect(said).toContain('changed files that git tracks: tracked.txt');
});

test('a working tree with unresolved conflicts', async () => {
  const project = makeProject();
  git(project, 'checkout', '--quiet', '-b', 'other');
  writeFileSync(join(project, 'tracked.txt'), 'theirs\n');
  git(project, 'commit', '--quiet', '--all', '--message', 'theirs');
  git(project, 'checkout', '--quiet', 'main');
  writeFileSync(join(project, 'tracked.txt'), 'ours\n');
  git(project, 'commit', '--quiet', '--all', '--message', 'ours');
  expect(() => git(project, 'merge', '--quiet', 'other')).toThrow();
  expect(await fails(project, 2)).toContain('unresolved conflicts: tracked.txt');
});

test('kernels that are not separated by commas', async () => {
  const { code, stderr } = await bpfgate(['count', 'probe.o', '--kernels', '6.1', '6.12']);
  expect(code).toBe(2);
  expect(stderr).toContain('separate kernels by commas: --kernels 6.1,6.12');
});

test('a benchmark that prints nothing', async () => {
  const said = await fails(makeProject(), 4);
  expect(said).toMatch(/bench `speed` \(base, kernel 6\.1.*\) printed nothing/);
});

test('a benchmark that fails', async () => {
  const said = await fails(makeProject({ bench: 'echo no such device >&2; exit 9' }), 4);
  expect(said).toContain('speed');
  expect(said).toMatch(/exited with (code )?9/);
  expect(said).toContain('no such device');
});

test('a benchmark that fails on head only, even if base printed results', async () => {
  const bench = `cat tracked.txt; grep -q '^{' tracked.txt || exit 9`;
  const project = makeProject({ bench });
  const tracked = join(project, 'tracked.txt');
  writeFileSync(tracked, '{"a": {"latency": {"value": 1}}}\n');
  git(project, 'commit', '--quiet', '--all', '--message', 'base');
  // Head is the working tree.
  writeFileSync(tracked, 'no result\n');
  const said = await fails(project, 4, '--base', 'HEAD');
  expect(said).toContain(
    'bench `speed` exited with 9 on head, kernel 6.1, reading 1; its stdout ends with:\nno result',
  );
});

test('an empty option', async () => {
  expect(await fails(makeProject(), 2, '--kernels=')).toContain('--kernels is empty');
  expect(await fails(makeProject(), 2, '--base=')).toContain('--base is empty');
});

test('an output folder that is a file', async () => {
  const project = makeProject();
  const outcome = await bpfgate(['run', '--project', project, '--out', join(project, 'tracked.txt')]);
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toContain('tracked.txt is not a folder');
});

test('a relative cache folder', async () => {
  const { code, stderr } = await bpfgate(['kernels', 'list'], { env: { BPFGATE_CACHE: 'relative' } });
  expect(code).toBe(2);
  expect(stderr).toContain('BPFGATE_CACHE must be an absolute path');
});

test('a build that leaves a daemon behind does not delay the end', async () => {
  const said = await fails(makeProject({ build: 'setsid sleep 300 & exit 5' }), 4);
  expect(said).toContain('exited with 5');
});

test('an unknown command, option and format', async () => {
  expect((await bpfgate(['frobnicate'])).code).toBe(2);
  expect((await bpfgate(['run', '--no-such-option'])).code).toBe(2);
  expect((await bpfgate(['run', '--format', 'pdf'])).code).toBe(2);
  expect((await bpfgate(['exec', '--kernel', 'lts', '--', 'true'])).code).toBe(2);
});
