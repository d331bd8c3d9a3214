// Prerequisites, pure: what the machine needs, what for, and where each comes from.

import { oldestRust } from './versions.ts';

/**
 * What prerequisites are needed for, as a clause after "needed", and when a group is asked for. This list and
 * `prerequisites` are the only declaration: checks, installations and the table in docs/supply-chain.md are made from
 * them.
 */
export const needs = {
  vm: { title: 'to boot kernels', when: 'always' },
  checkout: { title: 'to check out base and head', when: 'two revisions are compared' },
  agent: { title: "to compile the guest agent and QEMU's plugin", when: 'no release of bpfgate has them ready-made' },
  compile: {
    title: 'to compile tools',
    when: 'a tool that is missing has to be compiled; vmtest where no release of bpfgate has it ready-made',
  },
  cargo: { title: 'to build a project with cargo', when: 'a command of bpfgate.toml runs cargo' },
  'rust-bpf': {
    title: 'to build eBPF programs in Rust',
    when: 'a package of the project depends on aya-ebpf or aya-build',
  },
  'rust-src': {
    title: 'to build eBPF programs with the default Rust toolchain',
    when: 'its build script computes the toolchain it gives to aya-build, or a command has cargo `build-std`',
  },
  'bpf-toolchain': {
    title: 'to build eBPF programs with a Rust toolchain of their own',
    when: 'aya-build compiles them, with nightly unless the build script names another; or `cargo +NAME` or a rust-toolchain.toml names one',
  },
  project: {
    title: 'to build this project',
    when: 'the files of its build name it: Makefile, CMakeLists.txt, meson.build, configure.ac, scripts, `go:generate`, Cargo.lock, Dockerfile; a build is tried without it',
  },
  'cargo-criterion': { title: 'to run `cargo criterion`', when: 'a command of bpfgate.toml runs `cargo criterion`' },
  'kernel-build': {
    title: 'to build kernels from source, which few need',
    when: 'a chosen kernel has no ready-made image, or it cannot be had',
  },
  'kernel-rpm': {
    title: 'to unpack kernels from rpms',
    when: "a chosen kernel of the user's own is an rpm",
  },
  'virtme-ng': {
    title: 'to boot kernels with the runner virtme-ng, which is not the default',
    when: 'the runner is virtme-ng',
  },
  sandbox: {
    title: 'to sandbox builds on this host, which else run without a sandbox',
    when: 'a project is built on the host; it is installed where apt is',
  },
  'sandbox-network': {
    title: 'to give builds in the sandbox a network',
    when: "the project's `[build]` has `network = true`",
  },
  tests: { title: "to build what bpfgate's own tests measure", when: "bpfgate's own tests run" },
} as const;

export type PrerequisiteGroup = keyof typeof needs;
export const prerequisiteGroups = Object.keys(needs) as PrerequisiteGroup[];

/**
 * Groups a machine may do without. Kernels that are not fetched ready-made need `kernel-build`, rpms need `kernel-rpm`,
 * and both are installed for them. The runner virtme-ng needs `virtme-ng`, and builds with a network `sandbox-network`.
 * Without `sandbox` builds have none.
 */
export const optionalGroups: readonly PrerequisiteGroup[] = [
  'kernel-build',
  'kernel-rpm',
  'virtme-ng',
  'sandbox',
  'sandbox-network',
];

/** A group that something needs. */
export interface Demand {
  readonly group: PrerequisiteGroup;
  /** What needs it: a clause before "needs": `xdp's build script uses aya-build, which`. */
  readonly by: string;
  /**
   * The rustup toolchain that compiles the eBPF programs, for `bpf-toolchain` and `rust-bpf`. Default: the one that is
   * active outside of the project.
   */
  readonly toolchain?: string;
  /** What `project` needs; of the other groups, the declaration says that. */
  readonly tool?: ProgramPrerequisite | LibraryPrerequisite;
}

/** Makes a demand from a group that is asked for as a whole, as by `bpfgate doctor`. */
export function demandOf(which: PrerequisiteGroup | Demand): Demand {
  return typeof which === 'string' ? { group: which, by: '' } : which;
}

interface Common {
  readonly name: string;
  readonly group: PrerequisiteGroup;
  /** What it is needed for; a clause after "needed to". */
  readonly purpose: string;
}

/** A program of the distribution. */
export interface ProgramPrerequisite extends Common {
  readonly kind: 'program';
  /** Debian and Ubuntu packages. */
  readonly packages: readonly string[];
  /** Packages of releases that do not have those. */
  readonly olderPackages?: readonly string[];
  /** Arguments that make it print its version. */
  readonly versionArguments: readonly string[];
  /** It is copied into an initramfs, where there are no libraries. */
  readonly mustBeStatic?: true;
}

/** A C library to compile against. */
export interface LibraryPrerequisite extends Common {
  readonly kind: 'library';
  /** Debian and Ubuntu packages. */
  readonly packages: readonly string[];
  /** A header of it, below a folder that the compiler searches; null where dpkg has to be asked. */
  readonly header: string | null;
}

/** A part of the Rust toolchain, which only the user installs. */
export interface RustPrerequisite extends Common {
  readonly kind: 'rust';
  readonly name: 'rustc' | 'cargo';
  /** The oldest usable version; null where the project decides. */
  readonly minimum: string | null;
}

/** A further rustup toolchain, with the standard library's source. */
export interface RustToolchainPrerequisite extends Common {
  readonly kind: 'rust-toolchain';
}

/** A program of a crate that carries its lock file, built into the cache. */
export interface CargoTool {
  /** Name of the crate and of the program. */
  readonly name: string;
  /** The version that is installed. A newer patch release on PATH is accepted; so is any working bpf-linker. */
  readonly version: string;
  /** SHA-256 of the `.crate` file, in lower-case hexadecimal. */
  readonly sha256: string;
}

export interface CargoToolPrerequisite extends Common, CargoTool {
  readonly kind: 'cargo-tool';
  readonly name: 'vmtest' | 'bpf-linker' | 'cargo-criterion';
}

/** A program of a Python package that needs no other, installed into the cache. */
export interface PythonTool {
  /** Name of the package. */
  readonly name: string;
  /** The version that is installed; no other is accepted. */
  readonly version: string;
  /** SHA-256 of the package's wheel, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly program: string;
  /** Module with the function `main`; null where the wheel has the program as an executable. */
  readonly module: string | null;
  /** Debian and Ubuntu packages to install it with. */
  readonly packages: readonly string[];
}

export interface PythonToolPrerequisite extends Common, PythonTool {
  readonly kind: 'python-tool';
  readonly name: 'virtme-ng';
}

/** The standard library's source, for `-Z build-std`. */
export interface RustSrcPrerequisite extends Common {
  readonly kind: 'rust-src';
  readonly name: 'rust-src';
}

export type Prerequisite =
  | ProgramPrerequisite
  | LibraryPrerequisite
  | RustPrerequisite
  | RustToolchainPrerequisite
  | CargoToolPrerequisite
  | PythonToolPrerequisite
  | RustSrcPrerequisite;

/** Whether the machine has one prerequisite. */
export interface PrerequisiteStatus {
  readonly prerequisite: Prerequisite;
  /** Whether it is there and usable. */
  readonly present: boolean;
  readonly version: string | null;
  /** Identity of a tool whose version alone does not determine what it makes. */
  readonly identity?: string;
  /** Absolute path of what was found. */
  readonly path: string | null;
  /** Why it is unusable, as a clause after its name: `is missing`; null when it is present. */
  readonly problem: string | null;
  /** The command that fixes it; null when it is present. */
  readonly remedy: string | null;
  /** What needs it, from `Demand.by`; empty where the whole group was asked for. */
  readonly neededBy: readonly string[];
}

const program = (
  group: PrerequisiteGroup,
  name: string,
  packages: readonly string[],
  purpose: string,
  versionArguments: readonly string[] = ['--version'],
): ProgramPrerequisite => ({ kind: 'program', group, name, packages, purpose, versionArguments });

export const vmtest: CargoToolPrerequisite = {
  kind: 'cargo-tool',
  group: 'vm',
  name: 'vmtest',
  version: '0.18.0',
  sha256: 'd5704b34016b1f57bf85797adf5fbc8e0cd97f4455160dd0754e947e609a14b8',
  purpose: 'run commands in the VM',
};

export const prerequisites: readonly Prerequisite[] = [
  program('vm', 'qemu-system-x86_64', ['qemu-system-x86'], 'run the VM'),
  { ...program('vm', 'busybox', ['busybox-static'], 'boot into the guest', []), mustBeStatic: true },
  program('vm', 'depmod', ['kmod'], 'index kernel modules'),
  program('vm', 'cpio', ['cpio'], 'build the initramfs'),
  program('vm', 'xz', ['xz-utils'], 'unpack kernel modules'),
  program('vm', 'zstd', ['zstd'], 'unpack kernel modules'),
  program('vm', 'dpkg-deb', ['dpkg'], 'unpack pinned kernels'),
  program('vm', 'bash', ['bash'], 'start the guest'),
  program('vm', 'setpriv', ['util-linux'], 'end the guest with bpfgate'),
  program('vm', 'flock', ['util-linux'], 'build one revision at a time'),
  vmtest,
  program('checkout', 'git', ['git'], 'check out base and head'),
  { kind: 'rust', group: 'agent', name: 'rustc', minimum: oldestRust, purpose: "compile the guest's programs" },
  { kind: 'rust', group: 'agent', name: 'cargo', minimum: oldestRust, purpose: "compile the guest's programs" },
  program('agent', 'cc', ['gcc', 'libc6-dev'], "link the guest's programs"),
  { kind: 'rust', group: 'compile', name: 'rustc', minimum: oldestRust, purpose: 'compile tools' },
  { kind: 'rust', group: 'compile', name: 'cargo', minimum: oldestRust, purpose: 'compile tools' },
  program('compile', 'cc', ['gcc', 'libc6-dev'], 'link tools'),
  { kind: 'rust', group: 'cargo', name: 'cargo', minimum: null, purpose: 'build the project' },
  program('cargo', 'cc', ['gcc', 'libc6-dev'], 'link Rust programs'),
  { kind: 'rust-src', group: 'rust-src', name: 'rust-src', purpose: 'build eBPF programs in Rust' },
  { kind: 'rust-toolchain', group: 'bpf-toolchain', name: 'nightly', purpose: 'build eBPF programs in Rust' },
  {
    kind: 'cargo-tool',
    group: 'rust-bpf',
    name: 'bpf-linker',
    version: '0.13.0',
    sha256: '998bea250d009a4719ed16ab6d772d519b77b031a0261e69223a35013972594b',
    purpose: 'link eBPF programs',
  },
  {
    kind: 'cargo-tool',
    group: 'cargo-criterion',
    name: 'cargo-criterion',
    version: '1.1.0',
    sha256: 'f62cde69bd45212662b4a0e126c2b038b1ed5bdae154d89061967c76aa11894e',
    purpose: 'run the benchmarks',
  },
  program('kernel-build', 'gcc', ['gcc', 'libc6-dev'], 'compile kernels'),
  program('kernel-build', 'ld', ['binutils'], 'link kernels'),
  program('kernel-build', 'make', ['make'], 'compile kernels'),
  program('kernel-build', 'flex', ['flex'], 'configure kernels'),
  program('kernel-build', 'bison', ['bison'], 'configure kernels'),
  program('kernel-build', 'bc', ['bc'], 'compile kernels'),
  program('kernel-build', 'perl', ['perl'], 'compile kernels'),
  program('kernel-build', 'python3', ['python3-minimal'], 'compile newer kernels'),
  program('kernel-build', 'pahole', ['dwarves'], 'make the type information of kernels'),
  program('kernel-build', 'gzip', ['gzip'], 'compress kernels'),
  program('kernel-build', 'tar', ['tar'], 'unpack kernel sources'),
  program('kernel-build', 'xz', ['xz-utils'], 'unpack kernel sources'),
  {
    kind: 'library',
    group: 'kernel-build',
    name: 'libelf',
    packages: ['libelf-dev'],
    header: 'gelf.h',
    purpose: 'build what kernels are checked with',
  },
  program('kernel-rpm', 'bsdtar', ['libarchive-tools'], 'unpack kernels'),
  program('virtme-ng', 'python3', ['python3'], 'run virtme-ng'),
  program('virtme-ng', 'file', ['file'], "read a kernel's version"),
  program('virtme-ng', 'strings', ['binutils'], 'read the version of a kernel that `file` does not know'),
  {
    kind: 'python-tool',
    group: 'virtme-ng',
    name: 'virtme-ng',
    version: '1.42',
    sha256: '99589f1f5d74249038fe3c52aad9d3c33cb82a2d9617997511d4489fc709a707',
    program: 'virtme-run',
    module: 'virtme.commands.run',
    packages: ['python3-venv'],
    purpose: 'boot kernels with the runner virtme-ng',
  },
  program('sandbox', 'bwrap', ['bubblewrap'], 'keep builds from the rest of this host'),
  program('sandbox-network', 'slirp4netns', ['slirp4netns'], 'connect builds to a network'),
  program('sandbox-network', 'ip', ['iproute2'], 'keep these builds from this host', ['-Version']),
  program('tests', 'clang', ['clang'], 'compile the BPF program of a test in C'),
  program('tests', 'make', ['make'], 'build the C project of a test'),
  {
    kind: 'library',
    group: 'tests',
    name: 'libbpf',
    packages: ['libbpf-dev'],
    header: 'bpf/libbpf.h',
    purpose: 'build the C project of a test',
  },
  program('tests', 'gpg', ['gpg'], "sign a test's indexes of kernels"),
  program('tests', 'gpg-agent', ['gpg-agent'], "make the keys of a test's indexes"),
  program('tests', 'gpgv', ['gpgv'], "verify a test's indexes of kernels"),
  program('tests', 'go', ['golang-go'], 'build the Go project of a test', ['version']),
  program('tests', 'rpmbuild', ['rpm'], 'make an rpm of a kernel'),
  program('tests', 'bsdtar', ['libarchive-tools'], 'unpack the rpm of a test'),
  program('tests', 'openssl', ['openssl'], 'serve the kernel of a test', ['version']),
  program('tests', 'strace', ['strace'], 'list the programs that a run on a hostile tree starts'),
  program('tests', 'tshark', ['tshark'], "dissect bpfgate's own packets"),
  program('tests', 'chromium', ['chromium'], "show a report's page"),
];

/** A prerequisite that something needs. */
export interface Needed {
  readonly prerequisite: Prerequisite;
  readonly demands: readonly Demand[];
}

/** Selects the prerequisites of the demands, each once; the toolchains for eBPF programs once for each name. */
export function selectPrerequisites(demands: readonly Demand[]): Needed[] {
  const ofProject = demands.flatMap((demand) =>
    demand.tool === undefined ? [] : [{ prerequisite: demand.tool, demands: [demand] }],
  );
  const declared = prerequisites.flatMap((prerequisite): Needed[] => {
    const own = demands.filter(({ group }) => group === prerequisite.group);
    if (own.length === 0) return [];
    if (prerequisite.kind !== 'rust-toolchain') return [{ prerequisite, demands: own }];
    return [...new Set(own.map(({ toolchain }) => toolchain ?? prerequisite.name))].map((name) => ({
      prerequisite: { ...prerequisite, name },
      demands: own.filter(({ toolchain }) => (toolchain ?? prerequisite.name) === name),
    }));
  });
  return [...declared, ...ofProject];
}
