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
command = "cargo build --release && cargo bench --no-run -p probe && cargo bench --no-run -p xdp && cargo bench --no-run -p xdp --features slow,more"

[[bench]]
name    = "probe-parse"
command = "cargo bench -p probe --bench parse"

[[bench]]
name    = "xdp-parse"
command = "cargo bench -p xdp --bench parse"

[[bench]]
name    = "deep"
command = "cargo bench -p xdp --bench deep --features slow,more"

# Left out, or missing:
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
    'tools/go.mod': 'module example.com/tools\n',
    'tools/tools_test.go': 'package tools\n\nfunc BenchmarkTools(b *testing.B) {}\n',
  });
  expect(await detected()).toBe(`# As bpfgate found it in go.mod.
[build]
command = "go build ./... && go test -c -o bpfgate-pkg.probe.test ./pkg/probe"

[[bench]]
name    = "pkg.probe"
command = "cd pkg/probe && ../../bpfgate-pkg.probe.test -test.run none -test.bench . -test.benchtime 200x"

# Left out, or missing:
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

const ebpf = (name: string, more = '') => crate(name, `[dependencies]\naya-ebpf = "0.1"\n[workspace]\n${more}`);
const lines = "CARGO_TARGET_BPFEL_UNKNOWN_NONE_RUSTFLAGS='-C debuginfo=2 -C link-arg=--btf'";
const xtask = {
  '.cargo/config.toml': '[alias]\nxtask = "run --package xtask --"\n',
  'xtask/Cargo.toml': crate('xtask'),
  'xtask/src/main.rs': 'enum Command {\n    BuildEbpf(build::Options),\n}\n',
  'xtask/src/build.rs': 'pub release: bool,\nlet args = ["build", "-Z", "build-std=core"];\n',
};

test('an eBPF crate that is its own workspace is built by the task that knows how', async () => {
  const files = {
    'Cargo.toml': '[workspace]\nmembers = ["xtask", "probe"]\n',
    'probe/Cargo.toml': crate(
      'probe',
      '[dev-dependencies]\ncriterion = "0.5"\n[[bench]]\nname = "x"\nharness = false\n',
    ),
    'probe-ebpf/Cargo.toml': ebpf('probe-ebpf'),
    'examples/other/Cargo.toml': crate('other', '[workspace]\n'),
    'examples/other/other-ebpf/Cargo.toml': ebpf('other-ebpf'),
  };
  make({ ...files, ...xtask });
  expect(await detected()).toBe(`# As bpfgate found it in Cargo.toml.
# The BPF programs of the build also run on bpfgate's own packets: a benchmark may run none of them.
standard-inputs = true

[build]
command = "${lines} cargo xtask build-ebpf --release && cargo build --release && cargo bench --no-run -p probe"

[[bench]]
name    = "x"
command = "cargo bench -p probe --bench x"
`);
});

test.each([
  ['', '', '(cd p-ebpf && LINES cargo +nightly build --release --target bpfel-unknown-none -Z build-std=core) && '],
  [
    '[toolchain]\nchannel = "nightly-2026-01-01"\n',
    '[build]\ntarget = "bpfel-unknown-none"\n[unstable]\nbuild-std = ["core"]\n',
    '(cd p-ebpf && LINES cargo build --release) && ',
  ],
])('without such a task it is built in its folder, toolchain file %j', async (toolchain, settings, command) => {
  make({ 'Cargo.toml': crate('p'), 'p-ebpf/Cargo.toml': ebpf('p-ebpf'), 'p-ebpf/.cargo/config.toml': settings });
  if (toolchain !== '') make({ 'p-ebpf/rust-toolchain.toml': toolchain });
  expect(await detected()).toContain(`command = "${command.replace('LINES', lines)}cargo build --release"`);
});

test('flags of an eBPF crate of its own stay as they are', async () => {
  const settings = '[target.bpfel-unknown-none]\nrustflags = ["-C", "link-arg=--btf"]\n';
  make({ 'Cargo.toml': crate('p'), 'p-ebpf/Cargo.toml': ebpf('p-ebpf'), 'p-ebpf/.cargo/config.toml': settings });
  expect(await detected()).not.toContain('CARGO_TARGET_');
});

test('a path dependency that is not there is named, and a submodule that is not checked out', async () => {
  make({ 'Cargo.toml': crate('p', '[dependencies]\ny = { path = "lib/y" }\n') });
  await expect(detectProject(project)).rejects.toMatchObject({
    message: 'Cargo.toml depends on the path lib/y, which is not in this tree',
    hint: expect.stringContaining('correct the path'),
  });
  make({ '.gitmodules': '[submodule "y"]\n\tpath = lib\n' });
  await expect(detectProject(project)).rejects.toMatchObject({ hint: expect.stringContaining('git submodule update') });
  rmSync(join(project, 'Cargo.toml'));
  make({ 'go.mod': 'module m\n' });
  expect(await detected()).toContain('# - submodule that is not checked out: "lib"; run `git submodule update');
});

test('the hint to a path dependency that is a folder short says the path that is there', async () => {
  make({
    'Cargo.toml': '[workspace]\nmembers = ["a"]\n',
    'a/Cargo.toml': crate('a', '[dependencies]\ny = { path = "lib/y" }\n'),
    'lib/y/Cargo.toml': crate('y'),
  });
  await expect(detectProject(project)).rejects.toMatchObject({
    hint: 'cargo cannot read such a project: correct the path, for example to ../lib/y',
  });
});

test('a Go module generates the objects that are not in the tree, and makes those of a Makefile', async () => {
  const directive = '//go:generate go run github.com/cilium/ebpf/cmd/bpf2go bpf x.c\n';
  make({
    'go.mod': 'module m\n',
    'a/main.go': `package a\n${directive}`,
    'b/main.go': `package b\n${directive}`,
    'b/bpf_x86_bpfel.o': '',
    'a/bpf_bpfel.go': '',
    'bpf/x.bpf.c': '',
    'bpf/Makefile': 'all: x.bpf.o\n',
  });
  expect(await detected()).toContain('command = "go generate ./a && make -C bpf && go build ./..."');
  rmSync(join(project, 'a'), { recursive: true });
  expect(await detected()).toContain('command = "make -C bpf"');
});

test('a Makefile that knows how compiles the programs of a Go module or a crate', async () => {
  const directive = '//go:generate go run github.com/cilium/ebpf/cmd/bpf2go -target $TARGET bpf x.c\n';
  const others = 'export CGO_ENABLED = 0\ngen: mockgen\n\tGOBIN=x go generate ./...\n';
  make({ 'go.mod': 'module m\n', 'a/main.go': directive, Makefile: others });
  expect(await detected()).toContain('command = "go generate ./a && go build ./..."');
  expect(await detected()).toContain('# - values of $TARGET, for `go generate`: export them in [build]');
  make({ Makefile: 'export TARGET\ngen:\n\tgo generate ./a\n' });
  expect(await detected()).toContain('command = "make gen && go build ./..."');
  const rule = 'all: test gen\ntest out.go gen: x\n\tTARGET=amd64 $(GO) generate ./a\n';
  make({ Makefile: `GO = go\nbpf:\n\tclang -target bpf -c x.c\n${rule}docker:\n\tdocker run make\n`, 'out.go': '' });
  expect(await detected()).toContain('command = "make gen && go build ./..."');
  make({ Makefile: 'all-bpf: gen\ngen:\n\tcd a; BPF2GO_CFLAGS="-O2 -I.." go generate\n' });
  expect(await detected()).toContain('command = "make all-bpf && go build ./..."');

  rmSync(join(project, 'a'), { recursive: true });
  const compile =
    'OBJ = x.o\nclean_bpf:\n\trm x\nrun-bpf:\n\t./x\nebpf: $(OBJ)\n$(OBJ): %.o: %.c\n\tclang -target bpf -c $< -o $@\n';
  make({ Makefile: compile });
  expect(await detected()).toContain('command = "make ebpf"');
  rmSync(join(project, 'go.mod'));
  make({ 'Cargo.toml': crate('x', '[build-dependencies]\nlibbpf-cargo = "0.25"\n') });
  expect(await detected()).toContain('command = "make ebpf && cargo build --release"');
});

test('programs run without a benchmark that runs them: objects in the tree, and those of libbpf-cargo', async () => {
  make({ 'go.mod': 'module m\n' });
  expect(await detected()).toContain('# - a benchmark, or BPF programs: none are found');
  make({ 'm_test.go': 'func BenchmarkM(b *testing.B) {}\n', 'ebpf/lib/x.c': '', 'examples/x_bpfel.o': '' });
  const missing = '# - BPF programs in "ebpf/lib": no command that compiles them is found; write it to [build]';
  expect(await detected()).toContain(missing);
  expect(await detected()).not.toContain('standard-inputs');
  make({ 'pkg/bpf_x86_bpfel.o': '' });
  expect(await detected()).toContain('standard-inputs = true');
  expect(await detected()).not.toContain(missing);
  rmSync(join(project, 'go.mod'));
  const manifest = crate('x', '[dev-dependencies]\ncriterion = "0.5"\n[build-dependencies]\nlibbpf-cargo = "0.25"\n');
  make({ 'Cargo.toml': `${manifest}[[bench]]\nname = "b"\nharness = false\n` });
  const ofCargo = await detected();
  expect(ofCargo).toContain('standard-inputs = true');
  expect(ofCargo).toContain('[[bench]]');
});

test.each([
  [{ 'configure.ac': '' }, 'autoreconf --install && ./configure && make'],
  [{ 'configure.ac': '', 'autogen.sh': '' }, 'NOCONFIGURE=1 ./autogen.sh && ./configure && make'],
  [{ 'configure.ac': '', configure: '' }, './configure && make'],
  [{ configure: '', Makefile: '' }, './configure && make'],
])('%j is configured before it is made', async (files, command) => {
  make(files);
  expect(await detected()).toContain(`command = "${command}"`);
});

test.each([
  ['build.zig', 'Zig', 'zig build'],
  ['flake.nix', 'Nix', 'nix build'],
])('%s is refused, with what to write', async (file, tool, command) => {
  make({ [file]: '', 'src/x.bpf.c': '' });
  await expect(detectProject(project)).rejects.toMatchObject({
    message: `${project} is built by ${tool} (${file}), whose files bpfgate does not read`,
    hint: expect.stringContaining(`command = "${command}"`),
  });
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
  make(Object.fromEntries([...'cdefg'].map((name) => [`${name}/go.mod`, ''])));
  await expect(detectProject(project)).rejects.toMatchObject({ hint: expect.stringMatching(/\/e and 2 more$/) });
});

test('where nothing is below, the project that the folder is a part of is named', async () => {
  make({ '.git/HEAD': '', 'go.mod': 'module m\n', 'examples/x/x.bpf.c': '' });
  const found = /^found `..\/..\/go\.mod`: use --project \S+ \(input project\)$/;
  await expect(detectProject(join(project, 'examples/x'))).rejects.toMatchObject({
    hint: expect.stringMatching(found),
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
