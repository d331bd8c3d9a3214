// Inputs: the configuration of a project that has none, from what was found in it. Pure.

import type { Manifest } from '../model/inputs.ts';

/** What a project's own files say about its build and benchmarks. */
export interface Detected {
  readonly manifest: Manifest;
  readonly build: string;
  readonly benches: readonly { readonly name: string; readonly command: string }[];
  /** Benchmarks that are left out, with the reason. */
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
  readonly features: readonly string[];
  /** Crates that its package depends on, in whatever way. */
  readonly dependencies: ReadonlySet<string>;
}

/** A Go package with benchmarks. */
export interface GoPackage {
  /** Path below the module; `.` at its root. */
  readonly folder: string;
  /** Whether one of its files imports a package that loads BPF programs. */
  readonly usesBpf: boolean;
}

/** Crates that load BPF programs. */
const loaders = ['aya', 'libbpf-rs', 'libbpf-sys'];
const allowedName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** Iterations of a Go benchmark: fixed, because Go would choose them by time. */
const goIterations = 200;

export function detectCargo(manifest: Manifest, targets: readonly CargoTarget[]): Detected {
  const benches: Detected['benches'][number][] = [];
  const notes: string[] = [];
  for (const target of targets) {
    const { package: owner, name, isRoot, features } = target;
    const refused = whyNot(target);
    if (refused !== undefined) {
      notes.push(`bench target ${JSON.stringify(name)} of ${JSON.stringify(owner)}: ${refused}`);
      continue;
    }
    const isShared = targets.some((other) => other !== target && other.name === name);
    const options = [
      ...(isRoot ? [] : ['-p', owner]),
      ...['--bench', name],
      ...(features.length === 0 ? [] : ['--features', features.join(',')]),
    ];
    benches.push({ name: isShared ? `${owner}-${name}` : name, command: `cargo bench ${options.join(' ')}` });
  }
  const build = benches.length === 0 ? 'cargo build --release' : manifest.build;
  return { manifest, build, benches, notes };
}

function whyNot({ package: owner, name, hasHarness, features, dependencies }: CargoTarget): string | undefined {
  if (![owner, name, ...features].every((each) => allowedName.test(each))) return 'its name cannot be in a command';
  if (hasHarness) return 'it has the harness of libtest, whose output is not read';
  if (dependencies.has('criterion') || loaders.some((crate) => dependencies.has(crate))) return undefined;
  return 'its package uses neither Criterion nor a crate that loads BPF programs';
}

export function detectGo(manifest: Manifest, packages: readonly GoPackage[]): Detected {
  const notes: string[] = [];
  const builds = [manifest.build];
  const benches: Detected['benches'][number][] = [];
  for (const { folder, usesBpf } of packages.toSorted((a, b) => (a.folder < b.folder ? -1 : 1))) {
    if (!usesBpf || !folder.split('/').every((part) => part === '.' || allowedName.test(part))) {
      const reason = usesBpf ? 'its name cannot be in a command' : 'it imports no package that loads BPF programs';
      notes.push(`benchmarks of package ${JSON.stringify(folder)}: ${reason}`);
      continue;
    }
    const name = folder === '.' ? 'go' : folder.replaceAll('/', '.');
    const up = folder === '.' ? './' : '../'.repeat(folder.split('/').length);
    builds.push(`go test -c -o bpfgate-${name}.test ./${folder === '.' ? '' : folder}`);
    const run = `${up}bpfgate-${name}.test -test.run none -test.bench . -test.benchtime ${goIterations}x`;
    benches.push({ name, command: folder === '.' ? run : `cd ${folder} && ${run}` });
  }
  return { manifest, build: builds.join(' && '), benches, notes };
}

/** Writes the bpfgate.toml that detection amounts to. */
export function renderDetected({ manifest, build, benches, notes }: Detected): string {
  const lines = [`# As bpfgate found it in ${manifest.file}.`];
  if (benches.length === 0)
    lines.push('# Without a benchmark, the BPF objects of the build are verified.', 'lanes = ["verifier"]', '');
  lines.push('[build]', `command = ${JSON.stringify(build)}`);
  for (const { name, command } of benches) {
    lines.push('', '[[bench]]', `name    = ${JSON.stringify(name)}`, `command = ${JSON.stringify(command)}`);
  }
  if (notes.length > 0) lines.push('', '# Not run:', ...notes.map((note) => `# - ${note}`));
  return `${lines.join('\n')}\n`;
}

export function describeDetected(config: string): string {
  return `bpfgate: there is no bpfgate.toml; this one is used, which \`bpfgate init\` writes:\n\n${config}`;
}
