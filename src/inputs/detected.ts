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
  /** Whether its source has a benchmark of libtest. */
  readonly hasLibtestBench: boolean;
  readonly features: readonly string[];
  /** Crates that its package depends on, in whatever way. */
  readonly dependencies: ReadonlySet<string>;
}

/** Crates whose results are read, and crates that load BPF programs. */
const useful = ['criterion', 'divan', 'gungraun', 'iai-callgrind', 'aya', 'libbpf-rs', 'libbpf-sys'];
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

function whyNot(target: CargoTarget): string | undefined {
  const { package: owner, name, hasHarness, hasLibtestBench, features, dependencies } = target;
  if (![owner, name, ...features].every((each) => allowedName.test(each))) return 'its name cannot be in a command';
  if (hasHarness) return hasLibtestBench ? undefined : 'it has the harness of libtest, and no #[bench]';
  if (useful.some((crate) => dependencies.has(crate))) return undefined;
  return 'its package uses no benchmark harness that is read, nor a crate that loads BPF programs';
}

/** @param folders paths of the packages with benchmarks, below the module; `.` at its root */
export function detectGo(manifest: Manifest, folders: readonly string[]): Detected {
  const notes: string[] = [];
  const builds = [manifest.build];
  const benches: Detected['benches'][number][] = [];
  for (const folder of folders.toSorted()) {
    if (!folder.split('/').every((part) => part === '.' || allowedName.test(part))) {
      notes.push(`benchmarks of package ${JSON.stringify(folder)}: its name cannot be in a command`);
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
    lines.push(
      "# Without a benchmark, the BPF programs of the build run on bpfgate's own packets.",
      'standard-inputs = true',
      '',
    );
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
