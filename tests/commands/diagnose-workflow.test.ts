// `bpfgate doctor --workflow` in its own process, in a repository whose files are unchecked.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-doctor-'));
  mkdirSync(join(folder, 'repository'));
  write('repository/bpfgate.toml', '[[bench]]\nname = "a"\ncommand = "./a"\n');
  write('outside.toml', 'a secret\n');
  write('gate.yml', workflow());
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const workflow = (more = '') => `on:
  pull_request:
  push:
jobs:
  gate:
    permissions: { contents: read }
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v7
        with: { fetch-depth: 2, persist-credentials: false }
      - uses: somebody/bpfgate@v1
        with: { kernels: "6.1"${more} }
`;

function doctor(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'doctor', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('no findings exit with 0, a finding with 3 and its line on stdout', () => {
  const fine = doctor('--workflow', 'gate.yml', '--project', 'repository');
  expect(fine.stdout).toMatch(/^no findings; compared with ubuntu-24\.04, image \d+/);
  expect(fine).toMatchObject({ status: 0, stderr: '' });
  const other = doctor('--workflow', 'gate.yml');
  expect(other.stdout).toMatch(/^gate\.yml:11: no bpfgate\.toml in `\.`\n {4}why: {2}.*\n {4}next: .*\n1 finding; /);
  expect(other).toMatchObject({ status: 3, stderr: '' });
});

test('the repository is the one that holds the workflow, wherever bpfgate runs', () => {
  mkdirSync(join(folder, 'repository/.github/workflows'), { recursive: true });
  write('repository/.github/workflows/gate.yml', workflow());
  expect(doctor('--workflow', 'repository/.github/workflows/gate.yml')).toMatchObject({ status: 0, stderr: '' });
});

describe('the inputs of a build are read', () => {
  const missing = () => doctor('--workflow', 'gate.yml', '--project', 'repository').stdout;
  const files = (texts: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(join(folder, 'repository', dirname(name)), { recursive: true });
      write(`repository/${name}`, text);
    }
  };

  test("members of cargo's workspace, and their path dependencies", () => {
    const members = { 'Cargo.toml': '[workspace]\nmembers = ["loader"]\n' };
    const loader = '[package]\nname = "loader"\n[dependencies]\nbpf = { path = "../bpf" }\n';
    files({ ...members, 'loader/Cargo.toml': loader, 'bpf/Cargo.toml': '[dependencies]\nlibbpf-rs = "0.26"\n' });
    expect(missing()).toMatch(/^gate\.yml:11: libelf is missing on the runner\n/);
  });

  test('folders that Makefiles name, and no others', () => {
    const link = 'a: a.o\n\t$(CC) -o $@ $< -lelf\n';
    files({ Makefile: 'all:\n\t$(MAKE) -C src\n', 'src/Makefile': 'all:\n', 'other/Makefile': link });
    expect(missing()).toMatch(/^no findings/);
    files({ 'src/Makefile': 'all:\n\t$(MAKE) -C tools\n', 'src/tools/Makefile': link });
    expect(missing()).toMatch(/^gate\.yml:11: libelf is missing on the runner\n/);
  });

  test('nothing outside the repository, nor through a link', () => {
    mkdirSync(join(folder, 'outside'));
    write('outside/Makefile', '\t-lelf\n');
    symlinkSync('../outside', join(folder, 'repository/link'));
    files({ Makefile: 'all:\n\t$(MAKE) -C ../outside\n\t$(MAKE) -C link\n\t$(MAKE) -C .\n' });
    expect(missing()).toMatch(/^no findings/);
  });
});

test('submodules are found in .gitmodules', () => {
  write('repository/.gitmodules', '[submodule "libbpf"]\n');
  const { status, stdout } = doctor('--workflow', 'gate.yml', '--project', 'repository');
  expect(stdout).toMatch(/^gate\.yml:9: the submodules of the project are not checked out\n/);
  expect(status).toBe(3);
});

describe('no link in the project is followed, and nothing outside is read', () => {
  test.each<[string, string, () => void]>([
    ['bpfgate.toml', '', () => symlinkSync('../outside.toml', join(folder, 'repository/bpfgate.toml'))],
    ['a folder of its path', ', project: linked', () => symlinkSync('..', join(folder, 'repository/linked'))],
    ['a path that leads out', ', project: .., config: outside.toml', () => {}],
    ['a long file', '', () => truncateSync(join(folder, 'repository/bpfgate.toml'), 2_000_000)],
    ['a folder in its place', '', () => mkdirSync(join(folder, 'repository/bpfgate.toml'))],
  ])('%s', (what, more, change) => {
    if (what === 'a folder of its path') write('bpfgate.toml', 'a secret\n');
    else if (what !== 'a long file') rmSync(join(folder, 'repository/bpfgate.toml'));
    else write('repository/bpfgate.toml', '');
    change();
    write('gate.yml', workflow(more));
    const { status, stdout } = doctor('--workflow', 'gate.yml', '--project', 'repository');
    expect(stdout).toMatch(/^gate\.yml:1[12]: cannot read (bpfgate|outside)\.toml in `/);
    expect(stdout).not.toContain('secret');
    expect(status).toBe(3);
  });
});

describe('an unreadable workflow exits with 2', () => {
  test.each<[string, string[], RegExp]>([
    ['no such file', ['--workflow', 'none.yml'], /^bpfgate: there is no file none\.yml\n {2}hint: /],
    ['a folder', ['--workflow', 'repository'], /^bpfgate: cannot read repository: it is not a regular file\n/],
    ['a link', ['--workflow', 'link.yml'], /^bpfgate: cannot read link\.yml: it is a link\n/],
    ['not YAML', ['--workflow', 'bad.yml'], /^bpfgate: bad\.yml:3:1: not YAML: Flow sequence .*end with a \]\n$/],
    ['another workflow', ['--workflow', 'other.yml'], /^bpfgate: other\.yml has no step or job that uses bpfgate\n/],
    ['no such project', ['--workflow', 'gate.yml', '--project', 'x'], /^bpfgate: --project: there is no folder /],
    ['another option', ['--workflow', 'gate.yml', '--install'], /cannot be used with option '--install'/],
  ])('%s', (_, args, message) => {
    symlinkSync('gate.yml', join(folder, 'link.yml'));
    write('bad.yml', 'on: push\njobs: [\n');
    write('other.yml', 'on: push\njobs:\n  a:\n    steps: [{ run: make }]\n');
    const { status, stdout, stderr } = doctor(...args);
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});
