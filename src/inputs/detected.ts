// Inputs: the configuration of a project that has none, from what was found in it. Pure.

import type { Manifest } from '../model/inputs.ts';

/** What a project's own files say about its build and benchmarks. */
export interface Detected {
  readonly manifest: Manifest;
  readonly build: string;
  readonly benches: readonly { readonly name: string; readonly command: string }[];
  /** Whether the build makes BPF programs that no benchmark may run. */
  readonly makesPrograms: boolean;
  /** What is left out, with the reason. */
  readonly notes: readonly string[];
}

/** A bench target of cargo. */
export interface CargoTarget {
  readonly package: string;
  /** Whether its package is in the project's own folder. */
  readonly isRoot: boolean;
  readonly name: string;
  /** Whether it uses libtest, as targets do without `harness = false`. */
  readonly hasHarness: boolean;
  /** Whether its source has a benchmark of libtest. */
  readonly hasLibtestBench: boolean;
  readonly features: readonly string[];
  /** Crates that its package depends on, those for builds and tests included. */
  readonly dependencies: ReadonlySet<string>;
}

/** Crates whose results are read, and crates that load BPF programs. */
const useful = ['criterion', 'divan', 'gungraun', 'iai-callgrind', 'aya', 'libbpf-rs', 'libbpf-sys'];
const allowedName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** Iterations of a Go benchmark: fixed, because Go would choose them by time. */
const goIterations = 200;

/** Whether a path can stand in a command as it is. */
export function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => part === '.' || allowedName.test(part));
}

/**
 * @param programs commands that build eBPF programs which cargo's own build does not
 * @param makesPrograms whether there are eBPF programs at all
 */
export function detectCargo(
  manifest: Manifest,
  targets: readonly CargoTarget[],
  programs: readonly string[],
  makesPrograms: boolean,
): Detected {
  const benches: Detected['benches'][number][] = [];
  const notes: string[] = [];
  const compiling = new Set<string>();
  for (const target of targets) {
    const { package: owner, name, isRoot, features } = target;
    const refused = whyNot(target);
    if (refused !== undefined) {
      notes.push(`bench target ${JSON.stringify(name)} of ${JSON.stringify(owner)}: ${refused}`);
      continue;
    }
    const isShared = targets.some((other) => other !== target && other.name === name);
    const ofPackage = isRoot ? [] : ['-p', owner];
    const enabled = features.length === 0 ? [] : ['--features', features.join(',')];
    const command = ['cargo', 'bench', ...ofPackage, '--bench', name, ...enabled].join(' ');
    benches.push({ name: isShared ? `${owner}-${name}` : name, command });
    // Not all packages at once: their features would be joined, with which a package may not compile.
    compiling.add(['cargo', 'bench', '--no-run', ...ofPackage, ...enabled].join(' '));
  }
  const build = [...programs, 'cargo build --release', ...compiling].join(' && ');
  return { manifest, build, benches, makesPrograms, notes };
}

function whyNot(target: CargoTarget): string | undefined {
  const { package: owner, name, hasHarness, hasLibtestBench, features, dependencies } = target;
  if (![owner, name, ...features].every((each) => allowedName.test(each))) return 'its name cannot be in a command';
  if (hasHarness) return hasLibtestBench ? undefined : 'it has the harness of libtest, and no #[bench]';
  if (useful.some((crate) => dependencies.has(crate))) return undefined;
  return 'its package uses no benchmark harness that is read, nor a crate that loads BPF programs';
}

/** Where a Go module's BPF programs come from. */
export interface GoPrograms {
  /** Folders whose objects bpf2go has to make, because they are not in the tree. */
  readonly generated: readonly string[];
  /** Variables that their directives expand, and nothing sets. */
  readonly unset: readonly string[];
  /** Folders with C programs and a Makefile that compiles them. */
  readonly made: readonly string[];
  /** The command, if any, of the module's Makefile, in the place of `go generate` or where nothing else compiles. */
  readonly make: readonly string[];
  /** Whether objects are in the tree. */
  readonly hasObjects: boolean;
  /** A folder with C programs. */
  readonly sources: string | undefined;
}

/** @param folders paths of the packages with benchmarks, below the module; `.` at its root */
export function detectGo(manifest: Manifest, folders: readonly string[], programs: GoPrograms): Detected {
  const { generated, unset, made, make, hasObjects, sources } = programs;
  const notes: string[] = [];
  const plain = (path: string, what: string) => {
    if (isPlainPath(path)) return true;
    notes.push(`${what} ${JSON.stringify(path)}: its name cannot be in a command`);
    return false;
  };
  const below = (folder: string) => (folder === '.' ? './' : `./${folder}`);
  const generates = () =>
    generated.filter((folder) => plain(folder, 'go:generate of')).map((folder) => `go generate ${below(folder)}`);
  const isMade = made.length > 0 || make.length > 0;
  const makesPrograms = isMade || generated.length > 0 || hasObjects;
  if (make.length === 0 && unset.length > 0)
    notes.push(`values of ${unset.map((name) => `$${name}`).join(', ')}, for \`go generate\`: export them in [build]`);
  if (!makesPrograms && sources === undefined && folders.length === 0)
    notes.push('a benchmark, or BPF programs: none are found; write the command that makes them to [build]');
  if (!makesPrograms && sources !== undefined)
    notes.push(
      `BPF programs in ${JSON.stringify(sources)}: no command that compiles them is found; write it to [build]`,
    );
  const builds = [
    ...(make.length === 0 ? generates() : make),
    ...made.filter((folder) => plain(folder, 'the Makefile of')).map((folder) => `make -C ${folder}`),
    // Its programs for user space may need more than the programs that are measured.
    ...(isMade && generated.length === 0 ? [] : [manifest.build]),
  ];
  const benches: Detected['benches'][number][] = [];
  for (const folder of folders.toSorted()) {
    if (!plain(folder, 'benchmarks of package')) continue;
    const name = folder === '.' ? 'go' : folder.replaceAll('/', '.');
    const up = folder === '.' ? './' : '../'.repeat(folder.split('/').length);
    builds.push(`go test -c -o bpfgate-${name}.test ${below(folder)}`);
    const run = `${up}bpfgate-${name}.test -test.run none -test.bench . -test.benchtime ${goIterations}x`;
    benches.push({ name, command: folder === '.' ? run : `cd ${folder} && ${run}` });
  }
  return { manifest, build: builds.join(' && '), benches, makesPrograms, notes };
}

/** Writes the bpfgate.toml that detection amounts to. */
export function renderDetected({ manifest, build, benches, makesPrograms, notes }: Detected): string {
  const lines = [`# As bpfgate found it in ${manifest.file}.`];
  if (benches.length === 0) {
    lines.push("# Without a benchmark, the BPF programs of the build run on bpfgate's own packets.");
  } else if (makesPrograms) {
    lines.push("# The BPF programs of the build also run on bpfgate's own packets: a benchmark may run none of them.");
  }
  if (benches.length === 0 || makesPrograms) lines.push('standard-inputs = true', '');
  lines.push('[build]', `command = ${JSON.stringify(build)}`);
  for (const { name, command } of benches) {
    lines.push('', '[[bench]]', `name    = ${JSON.stringify(name)}`, `command = ${JSON.stringify(command)}`);
  }
  if (notes.length > 0) lines.push('', '# Left out, or missing:', ...notes.map((note) => `# - ${note}`));
  return `${lines.join('\n')}\n`;
}

export function describeDetected(config: string): string {
  return `bpfgate: there is no bpfgate.toml; this one is used, which \`bpfgate init\` writes:\n\n${config}`;
}
