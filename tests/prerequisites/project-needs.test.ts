import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { SourceTree } from '../../src/adapters/source-tree.ts';
import { parseConfig } from '../../src/inputs/config.ts';
import { gateDemands } from '../../src/prerequisites/gate-needs.ts';
import { bpfToolchains, projectDemands, readNeeds } from '../../src/prerequisites/project-needs.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'bpfgate-needs-'));
});
afterEach(() => rmSync(scratch, { recursive: true }));

type Files = Readonly<Record<string, string>>;

function write(files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch, path)), { recursive: true });
    writeFileSync(join(scratch, path), text);
  }
}

/** The project's demands, as `group [toolchain]: by`. */
async function needs(files: Files, { build = 'cargo build', bench = './bench', project = '.' } = {}) {
  write(files);
  const config = parseConfig(`[build]\ncommand = "${build}"\n[[bench]]\nname = "b"\ncommand = "${bench}"\n`, 'x');
  const demands = await projectDemands(join(scratch, project), config);
  return demands
    .filter(({ group }) => group !== 'project')
    .map(({ group, toolchain, by }) => `${group}${toolchain === undefined ? '' : ` ${toolchain}`}: ${by}`);
}

const crate = (name: string, rest = '') => `[package]\nname = "${name}"\n${rest}`;
const cargo = 'cargo: build.command runs `cargo`, which';
const ayaBuild = (name: string) => `${name}'s build script uses aya-build, which`;
const template: Files = {
  'Cargo.toml':
    '[workspace]\nmembers = ["app", "app-*"]\n[workspace.dependencies]\naya-build = "0.2"\naya-ebpf = "0.2"\n',
  'app/Cargo.toml': crate('app', '[build-dependencies]\naya-build = { workspace = true }\n'),
  'app/build.rs': 'aya_build::build_ebpf([package], Toolchain::default())',
  'app-ebpf/Cargo.toml': crate('app-ebpf', '[dependencies]\naya-ebpf = { workspace = true }\n'),
};

describe('a project needs', () => {
  test('nothing of Rust if it is written in C or Go', async () => {
    const files = { Makefile: '', 'go.mod': 'module x\n', 'tools/Cargo.toml': template['app/Cargo.toml'] ?? '' };
    expect(await needs(files, { build: 'make', bench: './loader' })).toEqual([]);
    expect(await needs(files, { build: 'go test -c ./cargo' })).toEqual([]);
  });

  test('only cargo with Criterion and no BPF, and cargo-criterion if a bench runs it', async () => {
    const files = { 'Cargo.toml': crate('x', '[dev-dependencies]\ncriterion = "0.7"\n') };
    expect(await needs(files, { bench: 'cargo bench' })).toEqual([cargo]);
    expect(await needs(files, { bench: 'cargo criterion --bench x' })).toEqual([
      cargo,
      'cargo-criterion: bench `b` runs `cargo criterion`, which',
    ]);
  });

  test('nightly and bpf-linker if a member’s build script uses aya-build', async () => {
    expect(await needs(template)).toEqual([
      cargo,
      `rust-bpf nightly: ${ayaBuild('app')}`,
      `bpf-toolchain nightly: ${ayaBuild('app')}`,
    ]);
  });

  test('the toolchain that the build script names, or the default one if it is computed', async () => {
    const custom = (text: string) => needs({ ...template, 'app/build.rs': `Toolchain::Custom(${text})` });
    expect(await custom('"nightly-2026-01-01"')).toContain(`bpf-toolchain nightly-2026-01-01: ${ayaBuild('app')}`);
    const tree = await SourceTree.open(scratch);
    expect(bpfToolchains(await readNeeds(tree, parseConfig('', 'x')))).toEqual(['nightly-2026-01-01']);
    for (const text of ['&toolchain', '"../../somewhere"', '"--help"']) {
      expect(await custom(text)).toEqual([cargo, `rust-bpf: ${ayaBuild('app')}`, `rust-src: ${ayaBuild('app')}`]);
    }
  });

  test('the toolchain of the command or of a file that compiles the programs', async () => {
    const { 'app-ebpf/Cargo.toml': ebpf = '' } = template;
    const files = {
      'Cargo.toml': '[workspace]\nmembers = ["xtask"]\nexclude = ["app-ebpf"]\n',
      'app-ebpf/Cargo.toml': ebpf,
    };
    const by = 'app-ebpf depends on aya-ebpf, which';
    expect(await needs(files)).toEqual([cargo, `rust-bpf: ${by}`]);
    expect(await needs(files, { build: 'cargo build -Z build-std=core' })).toEqual([
      ...[cargo, `rust-bpf: ${by}`, `rust-src: ${by}`],
    ]);
    expect(await needs(files, { build: 'cargo +nightly build && cargo +mine build' })).toContain(
      `bpf-toolchain nightly: ${by}`,
    );
    const pinned = { ...files, 'app-ebpf/rust-toolchain.toml': '[toolchain]\nchannel = "nightly-2026-02-02"\n' };
    expect(await needs(pinned)).toContain(`rust-bpf nightly-2026-02-02: ${by}`);
  });

  test.each(['[dependencies]', "[target.'cfg(unix)'.dependencies]"])(
    'what a package renames, takes by path, or for one target only, is found: %s',
    async (section) => {
      const path = '[target.\'cfg(unix)\'.build-dependencies]\nbuilder = { package = "aya-build", version = "0.2" }\n';
      const files = {
        'Cargo.toml': crate('x', `${section}\ny = { path = "../y" }\n`),
        '../y/Cargo.toml': crate('y', path),
      };
      const moved = Object.fromEntries(Object.entries(files).map(([name, text]) => [join('project', name), text]));
      mkdirSync(join(scratch, '.git'));
      expect(await needs(moved, { project: 'project' })).toContain(`rust-bpf nightly: ${ayaBuild('y')}`);
    },
  );

  test('what it inherits from a workspace above it', async () => {
    mkdirSync(join(scratch, '.git'));
    expect(await needs(template, { project: 'app' })).toContain(`rust-bpf nightly: ${ayaBuild('app')}`);
  });
});

describe('a build needs', () => {
  /** Names of the tools that the build's files name, each with its packages and what names it. */
  async function tools(files: Files, build: string) {
    write(files);
    const config = parseConfig(`standard-inputs = true\n[build]\ncommand = "${build}"\n`, 'x');
    const demands = await projectDemands(scratch, config);
    return demands.flatMap(({ by, tool }) => (tool === undefined ? [] : [`${tool.name}: ${tool.packages} (${by})`]));
  }

  test('what its Makefiles run and are linked with, but for libraries of its own', async () => {
    const files = {
      Makefile: 'include common.mk\nall:\n\t$(MAKE) --directory=src\n\t./gen.sh\n\tout/llc\nlint:\n\tmeson x\n',
      'common.mk': 'CLANG ?= clang-16\nexport CLANG\nLLVM_STRIP := $(shell which llvm-strip-16)\n',
      'src/Makefile':
        'include ../common.mk\nx: x.o\n\tcc x.o -lelf -lbpf\nx.o:\n\t$(CLANG) -c x.c\n\t$(LLVM_STRIP) x.o\n',
      'gen.sh': 'bpftool btf dump file x\n',
      'libbpf/src/bpf.c': '',
    };
    expect(await tools(files, 'make')).toEqual([
      'make: make (build.command)',
      'cc: gcc,libc6-dev (src/Makefile)',
      'clang-16: clang-16 (src/Makefile)',
      'llvm-strip: llvm (src/Makefile)',
      'bpftool: bpftool (gen.sh)',
      'libelf: libelf-dev (src/Makefile)',
    ]);
  });

  test('what bpf2go uses, where it is run', async () => {
    const files = { 'go.mod': 'module m\n', 'p/p.go': '//go:generate go tool bpf2go bpf x.c\n' };
    expect(await tools(files, 'go build ./...')).toEqual(['go: golang-go (build.command)']);
    expect(await tools(files, 'go generate ./... && go build ./...')).toEqual([
      ...['go: golang-go (build.command)', 'clang: clang (p/p.go)', 'llvm-strip: llvm (p/p.go)'],
    ]);
    const flags = '-cc clang-17 -strip $STRIP';
    expect(await tools({ 'p/p.go': `//go:generate go run m/bpf2go@v1 ${flags} bpf x.c\n` }, 'go generate ./p')).toEqual(
      [...['go: golang-go (build.command)', 'clang-17: clang-17 (p/p.go)', 'llvm-strip: llvm (p/p.go)']],
    );
  });

  test('what directives run that run each other', { tags: ['hostile'] }, async () => {
    const files = { 'go.mod': 'module m\n', 'p/p.go': '//go:generate go generate ./...\n//go:generate bison x.y\n' };
    expect(await tools(files, 'go generate ./...')).toEqual([
      ...['go: golang-go (build.command)', 'bison: bison (p/p.go)'],
    ]);
  });

  test('libraries that pkg-config is asked for, and those of libbpf-rs also without a lock file', async () => {
    const files = {
      Makefile: 'LIBS := $(shell pkg-config --libs "libxdp >= 1.2")\nx: x.c\n\tcc x.c $(LIBS)\n\tcargo build\n',
      'Cargo.toml': crate('x', '[dependencies]\nlibbpf-rs = "0.25"\n'),
    };
    expect((await tools(files, 'make')).filter((line) => line.startsWith('lib'))).toEqual([
      'libxdp: libxdp-dev (Makefile)',
      'libelf: libelf-dev (crate libbpf-rs)',
      'libz: zlib1g-dev (crate libbpf-rs)',
    ]);
  });

  test('what crates of the lock file use, and packages that a Dockerfile installs', async () => {
    const files = {
      'Cargo.toml': crate('x', '[build-dependencies]\nlibbpf-cargo = "0.25"\n'),
      'Cargo.lock': '[[package]]\nname = "libbpf-cargo"\nversion = "0.25.0"\n[[package]]\nname = "libbpf-sys"\n',
      Dockerfile: 'FROM debian\nRUN apt-get install -y clang libpcap-dev libodd-dev vim\nRUN cargo build\n',
      'testing/Dockerfile': 'FROM debian\nRUN apt-get install -y rsync\nRUN make\n',
    };
    expect(await tools(files, 'cargo build')).toEqual([
      'clang: clang (crate libbpf-cargo)',
      'make: make (crate libbpf-sys)',
      'pkg-config: pkg-config (crate libbpf-sys)',
      'libelf: libelf-dev (crate libbpf-sys)',
      'libz: zlib1g-dev (crate libbpf-sys)',
      'libpcap: libpcap-dev (Dockerfile)',
      'libodd-dev: libodd-dev (Dockerfile)',
    ]);
  });

  test("the linkers of cargo's configuration, also of a folder above, for this machine", async () => {
    const files = {
      'Cargo.toml': '[workspace]\nmembers = ["x"]\n',
      'x/Cargo.toml': crate('x'),
      'x/.cargo/config.toml': '[build]\nrustflags = "-C link-arg=-fuse-ld=lld"\n',
      '.cargo/config.toml':
        '[target.x86_64-unknown-linux-gnu]\nrustflags = ["-C", "linker=clang", "-C", "link-arg=-fuse-ld=mold"]\n[target.aarch64-unknown-linux-gnu]\nlinker = "aarch64-linux-gnu-gcc"\n',
    };
    expect(await tools(files, 'cd x && cargo build')).toEqual([
      'ld.lld: lld (x/.cargo/config.toml)',
      'clang: clang (.cargo/config.toml)',
      'mold: mold (.cargo/config.toml)',
    ]);
  });

  test('CMake, Meson and the autotools with what each uses itself', async () => {
    const files = {
      'CMakeLists.txt': 'project(x C)\ninclude(programs)\n',
      'cmake/programs.cmake': `add_subdirectory(\${TOP_DIR}/bpf)\n`,
      'bpf/CMakeLists.txt': 'find_program(B bpftool)\n',
      'meson.build': "dependency('libxdp')\n",
      'configure.ac': 'AM_INIT_AUTOMAKE\n',
      'Makefile.am': 'SUBDIRS = . bpf\n',
      'bpf/Makefile.am': 'y: y.c\n\tcc y.c\nx.o: x.c\n\tclang x.c\ncheck:\n\tgo test\n',
    };
    const build = 'cmake -B b && cmake --build b && meson setup c && autoreconf -i && ./configure && make';
    const names = (await tools(files, build)).map((line) => line.split(':')[0]);
    expect(names.toSorted()).toEqual([
      'autoconf',
      'automake',
      'autoreconf',
      'bpftool',
      'cc',
      'clang',
      'cmake',
      'libxdp',
      'make',
      'meson',
      'ninja',
      'pkg-config',
    ]);
  });

  test('for eBPF crates that are workspaces of their own: bpf-linker, their toolchain and their lock files', async () => {
    const files = {
      'Cargo.toml': '[workspace]\nmembers = ["app"]\n',
      'app/Cargo.toml': crate('app'),
      'app-ebpf/Cargo.toml': crate('app-ebpf', '[dependencies]\naya-bpf = { git = "https://x" }\n[workspace]\n'),
      'app-ebpf/rust-toolchain.toml': '[toolchain]\nchannel = "nightly-2023-03-24"\n',
      'gen/go.mod': 'module gen\n',
    };
    const by = 'app-ebpf depends on aya-bpf, which';
    expect(await needs(files)).toEqual([
      ...[cargo, `rust-bpf nightly-2023-03-24: ${by}`, `bpf-toolchain nightly-2023-03-24: ${by}`],
    ]);
    const config = parseConfig('[build]\ncommand = "cargo build && (cd gen && go run .)"\n', 'x');
    const found = await readNeeds(await SourceTree.open(scratch), config);
    expect([[...found.cargo], [...found.go]]).toEqual([['.', 'app-ebpf'], ['gen']]);
  });
});

describe('a hostile manifest', () => {
  test.each([
    ['a link', () => symlinkSync(join(packageRoot, 'example-project/Cargo.toml'), join(scratch, 'Cargo.toml'))],
    ['no TOML', () => write({ 'Cargo.toml': '[[[' })],
    ['nested without end', () => write({ 'Cargo.toml': `x = ${'['.repeat(100_000)}` })],
    ['too long', () => write({ 'Cargo.toml': `${template['app/Cargo.toml']}#${'x'.repeat(300_000)}\n` })],
    ['a folder', () => mkdirSync(join(scratch, 'Cargo.toml'))],
    ['of other types', () => write({ 'Cargo.toml': 'workspace = 1\ndependencies = [1]\npackage = "x"\n' })],
  ])('that is %s is skipped', async (_, make) => {
    make();
    expect(await needs({})).toEqual([cargo]);
  });

  test('members outside the repository are not read, nor through a link', async () => {
    mkdirSync(join(scratch, 'repository/.git'), { recursive: true });
    write({ 'outside/Cargo.toml': template['app/Cargo.toml'] ?? '' });
    write({ 'repository/Cargo.toml': '[workspace]\nmembers = ["../outside", "link", "l*"]\n' });
    symlinkSync('../outside', join(scratch, 'repository/link'));
    expect(await needs({}, { project: 'repository' })).toEqual([cargo]);
    write({
      'repository/Cargo.toml': '[workspace]\nmembers = ["inside"]\n',
      'repository/inside/Cargo.toml': template['app/Cargo.toml'] ?? '',
    });
    expect(await needs({}, { project: 'repository' })).toHaveLength(3);
  });
});

test('the example project needs no nightly: its build scripts compute the toolchain', async () => {
  const config = parseConfig('[build]\ncommand = "cargo build"\n[[bench]]\nname = "b"\ncommand = "x"\n', 'x');
  const demands = await projectDemands(join(packageRoot, 'example-project'), config);
  expect(new Set(demands.map(({ group }) => group))).toEqual(new Set(['cargo', 'rust-bpf', 'rust-src']));
});

test('a gate needs compilers for a kernel that has to be built, and for guest programs that are not there', async () => {
  const config = parseConfig('[build]\ncommand = "make"\n[[bench]]\nname = "b"\ncommand = "x"\n', 'x');
  const groups = async (
    kernelsToBuild: string[],
    programsToBuild: string[],
    runner: 'vmtest' | 'virtme-ng' = 'vmtest',
    kernelsInRpms: string[] = [],
  ) => {
    const inputs = { project: scratch, config, runner };
    return (await gateDemands({ inputs, kernelsToBuild, kernelsInRpms, programsToBuild })).map(({ group }) => group);
  };
  expect(await groups([], [])).toEqual(['vm', 'checkout', 'project']);
  expect(await groups(['5.15'], ["QEMU's plugin"])).toEqual(['vm', 'agent', 'checkout', 'kernel-build', 'project']);
  expect(await groups([], [], 'vmtest', ['rhel-9.6'])).toEqual(['vm', 'checkout', 'kernel-rpm', 'project']);
  expect(await groups([], [], 'virtme-ng')).toEqual(['vm', 'virtme-ng', 'checkout', 'project']);
});
