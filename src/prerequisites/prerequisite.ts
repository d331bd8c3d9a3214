// Prerequisites: what the machine needs, for whom, and where each comes from.

/**
 * `vm` boots kernels, `agent` builds what runs in the guest, `example` builds the bundled example project, `kernel-build`
 * compiles kernels, `virtme-ng` boots them with the runner of that name, `isolation` keeps guests from the host, `tests`
 * builds the projects that bpfgate's own tests measure; nobody else is told of those.
 */
export const prerequisiteGroups = [
  'vm',
  'agent',
  'example',
  'kernel-build',
  'virtme-ng',
  'isolation',
  'tests',
] as const;
export type PrerequisiteGroup = (typeof prerequisiteGroups)[number];

/**
 * Groups a machine may lack: kernels that are not fetched ready-made need the one, and have it installed; the runner
 * virtme-ng needs the other. What isolates nobody can install.
 */
export const optionalGroups: readonly PrerequisiteGroup[] = ['kernel-build', 'virtme-ng', 'isolation'];

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
  /** A header of it, below a folder the compiler looks into. */
  readonly header: string;
}

/** A part of the Rust toolchain, which only the user installs. */
export interface RustPrerequisite extends Common {
  readonly kind: 'rust';
  readonly name: 'rustc' | 'cargo';
  /** The oldest that will do. */
  readonly minimum: string;
}

/** A program of a crate that carries its lock file, built into the cache. */
export interface CargoTool {
  /** Of the crate and of the program. */
  readonly name: string;
  /** The version that is installed; a newer patch release on PATH will do. */
  readonly version: string;
  /** Lower-case hexadecimal; of the `.crate` file. */
  readonly sha256: string;
}

export interface CargoToolPrerequisite extends Common, CargoTool {
  readonly kind: 'cargo-tool';
  readonly name: 'vmtest' | 'bpf-linker' | 'cargo-criterion';
}

/** A program of a Python package that needs no other, installed into the cache. */
export interface PythonTool {
  /** Of the package. */
  readonly name: string;
  /** The version that is installed; no other will do. */
  readonly version: string;
  /** Lower-case hexadecimal; of the package's wheel. */
  readonly sha256: string;
  readonly program: string;
  /** Holds the function `main`; null where the wheel brings the program as an executable. */
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

/** A security module of the kernel that runs. */
export interface LandlockPrerequisite extends Common {
  readonly kind: 'landlock';
}

export type Prerequisite =
  | ProgramPrerequisite
  | LibraryPrerequisite
  | RustPrerequisite
  | CargoToolPrerequisite
  | PythonToolPrerequisite
  | RustSrcPrerequisite
  | LandlockPrerequisite;

/** Whether the machine has one prerequisite. */
export interface PrerequisiteStatus {
  readonly prerequisite: Prerequisite;
  /** Whether it is there and will do. */
  readonly present: boolean;
  readonly version: string | null;
  /** Absolute path of what was found. */
  readonly path: string | null;
  /** Why it will not do, to be read after its name: `is missing`; null when it is present. */
  readonly problem: string | null;
  /** The command that mends the lack; null when it is present. */
  readonly remedy: string | null;
}

const program = (
  group: PrerequisiteGroup,
  name: string,
  packages: readonly string[],
  purpose: string,
  versionArguments: readonly string[] = ['--version'],
): ProgramPrerequisite => ({ kind: 'program', group, name, packages, purpose, versionArguments });

export const prerequisites: readonly Prerequisite[] = [
  program('vm', 'qemu-system-x86_64', ['qemu-system-x86'], 'run the VM'),
  program('vm', 'qemu-ga', ['qemu-guest-agent'], "take commands in the guest, which sees the host's files"),
  { ...program('vm', 'busybox', ['busybox-static'], 'boot into the guest', []), mustBeStatic: true },
  program('vm', 'depmod', ['kmod'], 'index kernel modules'),
  program('vm', 'cpio', ['cpio'], 'build the initramfs'),
  program('vm', 'xz', ['xz-utils'], 'unpack kernel modules'),
  program('vm', 'zstd', ['zstd'], 'unpack kernel modules'),
  program('vm', 'dpkg-deb', ['dpkg'], 'unpack pinned kernels'),
  program('vm', 'bash', ['bash'], 'start the guest'),
  program('vm', 'setpriv', ['util-linux'], 'end the guest with bpfgate'),
  program('vm', 'flock', ['util-linux'], 'build one revision at a time'),
  program('vm', 'git', ['git'], 'check out base and head'),
  {
    kind: 'cargo-tool',
    group: 'vm',
    name: 'vmtest',
    version: '0.18.0',
    sha256: 'd5704b34016b1f57bf85797adf5fbc8e0cd97f4455160dd0754e947e609a14b8',
    purpose: 'run commands in the VM',
  },
  { kind: 'rust', group: 'agent', name: 'rustc', minimum: '1.87', purpose: 'build the guest agent' },
  { kind: 'rust', group: 'agent', name: 'cargo', minimum: '1.87', purpose: 'build the guest agent' },
  program('agent', 'cc', ['gcc', 'libc6-dev'], 'link Rust programs'),
  { kind: 'rust-src', group: 'example', name: 'rust-src', purpose: 'build eBPF programs in Rust' },
  {
    kind: 'cargo-tool',
    group: 'example',
    name: 'bpf-linker',
    version: '0.13.0',
    sha256: '998bea250d009a4719ed16ab6d772d519b77b031a0261e69223a35013972594b',
    purpose: 'link eBPF programs',
  },
  {
    kind: 'cargo-tool',
    group: 'example',
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
  program('virtme-ng', 'python3', ['python3'], 'run virtme-ng'),
  program('virtme-ng', 'modprobe', ['kmod'], 'find the modules virtme-ng boots with'),
  program('virtme-ng', 'strings', ['binutils'], "read a kernel's version"),
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
  {
    kind: 'landlock',
    group: 'isolation',
    name: 'landlock',
    purpose: 'keep guests from the files of this host, and what breaks out of QEMU from more',
  },
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
  program('tests', 'go', ['golang-go'], 'build the Go project of a test', ['version']),
];

export function selectPrerequisites(which: readonly PrerequisiteGroup[]): Prerequisite[] {
  return prerequisites.filter((prerequisite) => which.includes(prerequisite.group));
}
