// A go that downloads what it is told to and builds by copying, in the place of the real one.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

const sum = 'h1:d9oFeJ6jUkaVExuG+XzAaMPDqoDrNHaGeiRb8IU+N5w=';
const tool = { module: 'example.invalid/linter', folder: 'cmd/lint', version: 'v1.2.3', sum };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-go-tools-'));
  await mkdir(join(scratch, 'bin'));
  await mkdir(join(scratch, 'downloaded'));
});
afterEach(() => rm(scratch, { recursive: true }));

async function install(received: string, build = 'echo "echo lint" >"$5"; chmod +x "$5"') {
  await writeFile(
    join(scratch, 'bin/go'),
    `#!/bin/sh
echo "$*" >>'${scratch}/calls'
case $1 in
  mod) echo '${JSON.stringify({ Dir: join(scratch, 'downloaded'), Sum: received })}' ;;
  build) ${build} ;;
esac
`,
    { mode: 0o755 },
  );
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

test('a program in Go is built from the module that is pinned, with the versions of its go.sum', async () => {
  expect(await install(sum)).toEqual({ program: join(scratch, 'cache/tools/lint-v1.2.3/lint') });
  expect(calls()).toMatch(
    /^version\nmod download -json example\.invalid\/linter@v1\.2\.3\nbuild -mod=readonly -buildvcs=false -o \S+\/lint \.\/cmd\/lint\n$/,
  );
});

test('a module of another checksum is not built', async () => {
  expect(await install('h1:another=')).toEqual({
    problem: `wrong checksum of example.invalid/linter@v1.2.3:\npinned:   ${sum}\nreceived: h1:another=`,
    wrong: true,
  });
  expect(calls()).not.toContain('build');
  expect(entries()).toEqual([]);
});

test('what a module depends on is compared with its go.sum by Go, whose refusal is a fault', async () => {
  const refusal = 'echo "verifying example.invalid/dependency@v1.0.0: checksum mismatch" >&2; exit 1';
  expect(await install(sum, refusal)).toMatchObject({
    problem: expect.stringContaining('checksum mismatch'),
    wrong: true,
  });
  expect(existsSync(join(scratch, 'cache/tools/lint-v1.2.3'))).toBe(false);
});
