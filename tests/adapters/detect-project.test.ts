import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectProject } from '../../src/adapters/detect-project.ts';
import { parseConfig } from '../../src/inputs/config.ts';
import { renderDetected } from '../../src/inputs/detected.ts';

let project: string;
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-detect-')));
});
afterEach(() => rmSync(project, { recursive: true }));

function make(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

async function detected(wanted?: string): Promise<string> {
  const found = await detectProject(project, wanted);
  if (found === undefined) throw new Error('nothing was detected');
  const text = renderDetected(found);
  // What is written must be a configuration that is read.
  parseConfig(text, 'bpfgate.toml', found.manifest);
  return text;
}

const crate = (name: string, more = '') => `[package]\nname = "${name}"\nversion = "0.1.0"\n${more}`;

test('benches of a workspace are those that cargo finds, and whose results are read', async () => {
  make({
    'Cargo.toml':
      '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/left"]\n[workspace.dependencies]\ncriterion = "0.7"\n',
    'crates/xdp/Cargo.toml': crate(
      'xdp',
      '[dev-dependencies]\ncriterion.workspace = true\n[[bench]]\nname = "parse"\nharness = false\n[[bench]]\nname = "deep"\nharness = false\nrequired-features = ["slow", "more"]\n',
    ),
    'crates/xdp/benches/parse.rs': '',
    'crates/xdp/benches/plain.rs': '',
    'crates/xdp/benches/deep/main.rs': '',
    'crates/xdp/benches/deep/part.rs': '',
    'crates/probe/Cargo.toml': crate(
      'probe',
      'autobenches = false\n[dependencies]\naya = "0.14"\n[[bench]]\nname = "parse"\nharness = false\n',
    ),
    'crates/probe/benches/unlisted.rs': '',
    'crates/text/Cargo.toml': crate('text', '[[bench]]\nname = "own"\nharness = false\n'),
  });
  expect(await detected()).toBe(`# As bpfgate found it in Cargo.toml.
[build]
command = "cargo build --release && cargo bench --no-run"

[[bench]]
name    = "probe-parse"
command = "cargo bench -p probe --bench parse"

[[bench]]
name    = "xdp-parse"
command = "cargo bench -p xdp --bench parse"

[[bench]]
name    = "deep"
command = "cargo bench -p xdp --bench deep --features slow,more"

# Not run:
# - bench target "own" of "text": its package uses no benchmark harness that is read, nor a crate that loads BPF programs
# - bench target "plain" of "xdp": it has the harness of libtest, and no #[bench]
`);
});

test('a crate without benches is built for its objects', async () => {
  make({ 'Cargo.toml': crate('a'), Makefile: '' });
  expect(await detected()).toBe(`# As bpfgate found it in Cargo.toml.
# Without a benchmark, the BPF programs of the build run on bpfgate's own packets.
standard-inputs = true

[build]
command = "cargo build --release"
`);
});

test('a name from the tree is no shell code', async () => {
  make({
    'Cargo.toml': crate(
      'a',
      '[dependencies]\naya = "0.14"\n[[bench]]\nname = "x; reboot\\n[build]"\nharness = false\n',
    ),
  });
  const text = await detected();
  expect(text).toContain('# - bench target "x; reboot\\n[build]" of "a": its name cannot be in a command');
  expect(text).not.toContain('[[bench]]');
});

test('benchmarks of Go run a fixed number of times', async () => {
  make({
    'go.mod': 'module example.com/m\n',
    Makefile: 'all:\n',
    'pkg/probe/probe_test.go': 'package probe\n\nfunc BenchmarkProbe(b *testing.B) {}\n',
    'text/text_test.go': 'package text\n\nfunc TestText(t *testing.T) {}\n',
    'a b/odd_test.go': 'package odd\n\nfunc BenchmarkOdd(b *testing.B) {}\n',
    'vendor/other/other_test.go': 'package other\n\nfunc BenchmarkOther(b *testing.B) {}\n',
  });
  expect(await detected()).toBe(`# As bpfgate found it in go.mod.
[build]
command = "go build ./... && go test -c -o bpfgate-pkg.probe.test ./pkg/probe"

[[bench]]
name    = "pkg.probe"
command = "cd pkg/probe && ../../bpfgate-pkg.probe.test -test.run none -test.bench . -test.benchtime 200x"

# Not run:
# - benchmarks of package "a b": its name cannot be in a command
`);
});

test.each([
  ['meson.build', 'meson setup build'],
  ['CMakeLists.txt', 'cmake -B build'],
  ['Makefile', 'command = "make"'],
])('%s has its build, and no benches', async (file, command) => {
  make({ [file]: '', 'src/x.bpf.c': '' });
  expect(await detected()).toContain(command);
});

test('of two manifests one is asked for, and taken if it is named', async () => {
  make({ 'Cargo.toml': crate('a'), 'go.mod': 'module m\n' });
  await expect(detectProject(project)).rejects.toMatchObject({
    message: `Cargo.toml and go.mod are in ${project}, and no bpfgate.toml`,
    hint: expect.stringContaining('bpfgate init --manifest Cargo.toml'),
  });
  expect(await detected('go.mod')).toContain('go build ./...');
  await expect(detectProject(project, 'meson.build')).rejects.toThrow('has no meson.build');
});

test('projects below are named, and none is guessed', async () => {
  make({ 'b/go.mod': '', 'a/Cargo.toml': crate('a'), 'a/inner/Cargo.toml': crate('inner') });
  await expect(detectProject(project)).rejects.toMatchObject({
    hint: expect.stringMatching(/^found `a\/Cargo\.toml`: use --project \S*\/a \(input project\), or choose \S*\/b$/),
  });
});

test('a Makefile below is named where there is nothing else', async () => {
  make({ 'bpf/Makefile': '', 'bpf/inner/Makefile': '' });
  const hint = expect.stringMatching(/^found `bpf\/Makefile`: use --project \S*\/bpf \(input project\)$/);
  await expect(detectProject(project)).rejects.toMatchObject({ hint });
  make({ 'go/go.mod': '' });
  await expect(detectProject(project)).rejects.toMatchObject({ hint: expect.stringContaining('`go/go.mod`') });
});

test('nothing is detected where no build tool has a file', async () => {
  make({ 'src/x.c': '' });
  expect(await detectProject(project)).toBeUndefined();
});
