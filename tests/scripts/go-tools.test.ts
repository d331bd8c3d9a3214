// A fake Go, which answers with existing folders and builds by writing a script.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { goToolchain } from '../../scripts/pinned-tools.mjs';
import { packageRoot } from '../../src/adapters/package-root.ts';

const sum = 'h1:d9oFeJ6jUkaVExuG+XzAaMPDqoDrNHaGeiRb8IU+N5w=';
const tool = { module: 'example.invalid/linter', folder: 'cmd/lint', version: 'v1.2.3', sum };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-go-tools-'));
  await mkdir(join(scratch, 'bin'));
  await mkdir(join(scratch, 'downloaded'));
  await writeFile(join(scratch, 'downloaded/go.mod'), 'module example.invalid/linter\n\ngo 1.25.0\n');
  for (const folder of ['bin', 'pkg/tool/linux_amd64']) {
    await mkdir(join(scratch, 'toolchain', folder), { recursive: true });
  }
  // As Go unpacks a module: nothing in it is executable.
  const toolchain = goProgram('1.26.8', 'toolchain', { received: sum });
  await writeFile(join(scratch, 'toolchain/bin/go'), toolchain, { mode: 0o444 });
  await writeFile(join(scratch, 'toolchain/pkg/tool/linux_amd64/compile'), '', { mode: 0o444 });
});
afterEach(() => rm(scratch, { recursive: true }));

interface Go {
  readonly version?: string;
  /** Checksum of the tool's module, and of the toolchain's. */
  readonly received?: string;
  readonly toolchain?: string;
  readonly build?: string;
}

function goProgram(version: string, name: string, { received, toolchain, build }: Go = {}): string {
  const answer = (folder: string, checksum: string | undefined) =>
    JSON.stringify({ GoMod: join(scratch, 'downloaded/go.mod'), Dir: join(scratch, folder), Sum: checksum });
  // Go 1.21 and newer do not unpack a module for a newer Go; see https://go.dev/ref/mod#go-mod-file-go.
  const refusal = JSON.stringify({
    GoMod: join(scratch, 'downloaded/go.mod'),
    Error: `example.invalid/linter@v1.2.3 requires go >= 1.25.0 (running go ${version}; GOTOOLCHAIN=local)`,
  });
  const module = version.startsWith('1.24.') ? `echo '${refusal}'; exit 1` : `echo '${answer('downloaded', received)}'`;
  return `#!/bin/sh
echo "${name}: $*" >>'${scratch}/calls'
case "$*" in
  version) echo 'go version go${version} linux/amd64' ;;
  *golang.org/toolchain@*) echo '${answer('toolchain', toolchain)}' ;;
  mod*) ${module} ;;
  build*) ${build ?? 'echo "echo lint" >"$5"; chmod +x "$5"'} ;;
esac
`;
}

async function install(given: Go = {}) {
  const { version = '1.26.0' } = given;
  const go = goProgram(version, 'go', { received: sum, toolchain: goToolchain.sum, ...given });
  await writeFile(join(scratch, 'bin/go'), go, { mode: 0o755 });
  const script = `import { installGoTool } from ${JSON.stringify(join(packageRoot, 'scripts/go-tools.mjs'))};
console.log(JSON.stringify(installGoTool(${JSON.stringify(join(scratch, 'cache'))}, ${JSON.stringify(tool)})));`;
  const env = { ...process.env, PATH: `${join(scratch, 'bin')}:/usr/bin:/bin` };
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse(
    execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}
const calls = () => readFileSync(join(scratch, 'calls'), 'utf8');
const entries = () => readdirSync(join(scratch, 'cache/tools'));

test('a Go program is built from the pinned module, with the versions of its go.sum', async () => {
  expect(await install()).toEqual({ program: join(scratch, 'cache/tools/lint-v1.2.3/lint') });
  expect(calls()).toMatch(
    /^go: version\n(go: mod download -json example\.invalid\/linter@v1\.2\.3\n)\1go: build -mod=readonly -buildvcs=false -o \S+\/lint \.\/cmd\/lint\n$/,
  );
});

test.each(['1.19.8', '1.24.13'])(
  'Go %s, which is too old for the program, downloads the pinned one',
  async (version) => {
    expect(await install({ version })).toEqual({ program: join(scratch, 'cache/tools/lint-v1.2.3/lint') });
    expect(calls()).toContain(`go: mod download -json golang.org/toolchain@${goToolchain.version}\n`);
    expect(calls()).toMatch(/\ntoolchain: build .*\n$/);
    for (const file of ['bin/go', 'pkg/tool/linux_amd64/compile']) {
      expect(statSync(join(scratch, 'toolchain', file)).mode & 0o111, file).toBe(0o111);
    }
  },
);

test.each([
  ['the program', 'example.invalid/linter@v1.2.3', sum, { received: 'h1:another=' }],
  [
    'the Go that is to build it',
    `golang.org/toolchain@${goToolchain.version}`,
    goToolchain.sum,
    { version: '1.19.8', toolchain: 'h1:another=' },
  ],
])('a module of another checksum is not used, of %s', async (_, source, pinned, go) => {
  expect(await install(go)).toEqual({
    problem: `wrong checksum of ${source}:\npinned:   ${pinned}\nreceived: h1:another=`,
    wrong: true,
  });
  expect(calls()).not.toContain('build');
  expect(entries()).toEqual([]);
});

test("Go compares a module's dependencies with its go.sum, and its refusal is an error", async () => {
  const build = 'echo "verifying example.invalid/dependency@v1.0.0: checksum mismatch" >&2; exit 1';
  expect(await install({ build })).toMatchObject({
    problem: expect.stringContaining('checksum mismatch'),
    wrong: true,
  });
  expect(existsSync(join(scratch, 'cache/tools/lint-v1.2.3'))).toBe(false);
});
