// `[build] where = "guest"`: each revision is built inside a guest of each kernel, without network and without harm to
// the host, and counts equal those of a build on the host. The project is a C program: the host's compiler builds it in
// seconds, also under emulation.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Builds } from '../../src/model/build.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

/** Prints the shortest of many times for the same work, which no interrupt has hit. A submodule defines `ROUNDS`. */
const program = `#include <stdio.h>
#include <time.h>
#include "vendor/rounds/rounds.h"
static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
int main(void) {
	long best = 1L << 62;
	for (int round = 0; round < 100; round++) {
		long start = now();
		for (volatile int i = 0; i < ROUNDS; i++);
		long took = now() - start;
		if (took < best) best = took;
	}
	printf("{\\"work\\": {\\"latency\\": {\\"value\\": %ld}}}\\n", best);
	return 0;
}
`;

function makeProject(files: Record<string, string>): string {
  const project = join(temporaryFolder(), 'project');
  commit(project, 'base', files);
  return project;
}

const config = (where: string, command: string) => `
[build]
where = "${where}"
command = "${command}"
env = ["FLAVOUR"]
[[bench]]
name = "c"
command = "./work"
format = "bmf"
`;

test('a project built in a guest of each kernel has the same counts as one built on the host', async () => {
  const escaped = join(temporaryFolder(), 'escaped');
  const compile = 'cc -O2 -o work work.c';
  const looks = ['uname -r > built-on', 'ls /sys/class/net > network', 'echo $FLAVOUR > flavour', 'echo >> vmlinux.h'];
  const inGuest = [compile, ...looks, `touch ${escaped}`].join(' && ');
  const project = makeProject({
    'bpfgate.toml': config('guest', inGuest),
    'work.c': program,
    'vmlinux.h': '#ifndef __VMLINUX_H__\n',
    '.gitignore': 'work\nbuilt-on\nnetwork\nflavour\n',
  });
  const rounds = join(temporaryFolder(), 'rounds');
  commit(rounds, 'v1', { 'rounds.h': '#define ROUNDS 1000\n' });
  const add = ['submodule', 'add', '--quiet', `file://${rounds}`, 'vendor/rounds'];
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...add], { cwd: project });
  rmSync(rounds, { recursive: true });
  commit(project, 'with-submodule');
  // Head is the working tree, including the submodule's.
  writeFileSync(join(project, 'vendor/rounds/rounds.h'), '#define ROUNDS 1001\n');
  const gate = async (kernels: string) => {
    const out = temporaryFolder();
    const args = ['--project', project, '--base', 'HEAD', '--kernels', kernels, '--out', out];
    const { code, stderr } = await bpfgate(['run', ...args], { env: { FLAVOUR: 'of the host' } });
    expect(code, stderr).toBe(1);
    return {
      stderr,
      results: parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json'),
      builds: JSON.parse(readFileSync(join(out, 'stages/builds.json'), 'utf8')) as readonly Builds[],
    };
  };

  const guest = await gate('6.1,6.12');
  expect(guest.stderr).toMatch(/building base \(HEAD\) in a guest of kernel 6\.1: cc/);
  const dirs = guest.builds.flatMap(({ base, head }) => [base.dir, head.dir]);
  expect(new Set(dirs).size, guest.stderr).toBe(4);
  const builtOn = dirs.map((dir) => readFileSync(join(dir, 'built-on'), 'utf8').trim());
  const unames = guest.results.kernels.map(({ uname }) => uname);
  expect(builtOn.toSorted()).toEqual([...unames, ...unames].toSorted());
  // A guest has only the loopback interface, and its changes to the host's files are gone with it.
  for (const dir of dirs) expect(readFileSync(join(dir, 'network'), 'utf8').trim()).toBe('lo');
  for (const dir of dirs) expect(readFileSync(join(dir, 'flavour'), 'utf8').trim()).toBe('of the host');
  expect(existsSync(escaped)).toBe(false);

  const reason = 'tracked by git and changed by the build; measured as built';
  for (const { warnings } of guest.results.kernels) {
    expect(warnings).toEqual(
      expect.arrayContaining(['base', 'head'].map((revision) => ({ about: ['vmlinux.h'], revision, reason }))),
    );
  }

  writeFileSync(join(project, 'bpfgate.toml'), config('host', compile));
  const host = await gate('6.1');
  expect(host.builds).toHaveLength(1);
  const counts = ({ results }: typeof host) =>
    results.comparisons
      .filter(({ kernel }) => kernel === '6.1')
      .map(({ base, head, delta, interval }) => ({ base, head, delta, interval }));
  expect(counts(guest)).toEqual(counts(host));
  expect(counts(host)).toEqual([expect.objectContaining({ interval: 'exact' })]);
  const executable = (builds: Builds | undefined) => readFileSync(join(builds?.base.dir ?? '', 'work'));
  expect(executable(guest.builds[0]).equals(executable(host.builds[0]))).toBe(true);
});

/** What is said of projects whose build fails. */
const revisions = ['--base', 'HEAD', '--head', 'HEAD', '--kernels', '6.1'];

test('a failed build in a guest is reported with its output and its kernel', async () => {
  const project = makeProject({ 'bpfgate.toml': config('guest', 'echo not today >&2; exit 7') });
  const { code, stdout, stderr } = await bpfgate(['run', '--project', project, ...revisions]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(/the build of base \(HEAD\) in a guest of kernel 6\.1 exited with 7: .*\nnot today/);
  expect(stderr).toContain('there is no network in a guest');
});

test('a device node left by a build is not copied to the host', async () => {
  const project = makeProject({ 'bpfgate.toml': config('guest', 'mknod disk b 8 0') });
  const { code, stderr } = await bpfgate(['run', '--project', project, ...revisions]);
  expect(code).toBe(4);
  expect(stderr).toContain('the build left a device node, "./disk"');
});

test('dependencies are downloaded before the guest is booted', async () => {
  const project = makeProject({
    'bpfgate.toml': config('guest', 'cargo build'),
    'Cargo.toml':
      '[package]\nname = "lacking"\nedition = "2024"\n[lib]\npath = "lib.rs"\n[dependencies]\nx = { path = "x" }\n',
    'lib.rs': '',
  });
  const { code, stderr } = await bpfgate(['run', '--project', project, ...revisions]);
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /cannot download what base \(HEAD\) depends on: cargo fetch --manifest-path \S+\/Cargo\.toml\n/,
  );
  expect(stderr).not.toContain('booting');
});
