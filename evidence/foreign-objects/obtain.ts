// Foreign objects: gets them from Debian's packages and a Go module, and compiles those of source packages, a crate and the
// kernel's own tests.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { run, runOrThrow } from '../../src/adapters/process.ts';
import { walkTree } from '../../src/adapters/walk-tree.ts';
import { MachineError } from '../../src/common/errors.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import type { Host } from '../host.ts';
import { downloadModule, listSources, unpackCrate, unpackPackage, unpackSource } from '../packages.ts';
import { commitAll } from '../repository.ts';
import { findObjects } from './elf.ts';
import { runInGuest } from './run-in-guest.ts';

/** Debian packages that contain compiled BPF. */
const packages = ['libbpf-tools', 'xdp-tools', 'libxdp1', 'ir-keytable', 'qemu-system-x86'];
/** Debian packages whose binaries do not have the BPF of their source. */
const sourcePackages = [
  { name: 'suricata', suite: 'trixie', programs: /^ebpf\/[^/]+\.c$/ },
  { name: 'systemd', suite: 'bookworm', programs: /\/bpf\/.*\.bpf\.c$/ },
  { name: 'iproute2', suite: 'bookworm', programs: /^examples\/bpf\/.*\.c$/ },
] as const;
const module = { path: 'github.com/cilium/ebpf', version: 'v0.22.0' };
const crate = { name: 'libbpf-rs', version: '0.27.2', programs: /^tests\/bin\/src\/.*\.bpf\.c$/ };
/** Kernel source whose tests are compiled, and whose libbpf and veristat are the reference. */
const kernelSource = 'linux-source-6.12';
/** Kernel whose BTF gives the tests' `vmlinux.h`. */
const kernelOfTypes = '6.12';
/** The compilers to try, best first. The second may be too old for some of the kernel's tests. */
export const compilers = ['clang-19', 'clang'];

/** One origin of objects. */
export interface Source {
  readonly name: string;
  readonly version: string;
  /** Names, without `.bpf.o`; one for each distinct content over all sources. */
  readonly objects: readonly string[];
  /** Number of objects left out because another has the same content. */
  readonly copies: number;
  /** Files that the compiler rejects; null if nothing is compiled. */
  readonly failed: readonly string[] | null;
}

export interface Corpus {
  /** Holds the program `veristat`, and the objects as `objects/NAME.bpf.o`. */
  readonly folder: string;
  readonly sources: readonly Source[];
  /** Version of the compiler. */
  readonly compiler: string;
}

/** Groups of sources that can be left out because they take long. */
export const groups = ['debian', 'go', 'crates', 'selftests'] as const;

/**
 * Gathers the objects below `folder`. Reuses an earlier run's files there.
 *
 * @param wanted names of `groups`
 * @param every compiles one in so many of the kernel's tests; default 1, all of them
 */
export async function obtainCorpus(folder: string, wanted: readonly string[], host: Host, every = 1): Promise<Corpus> {
  const record = join(folder, 'corpus.json');
  if (existsSync(record)) return JSON.parse(await readFile(record, 'utf8')) as Corpus;
  const clang = await findFirst(compilers, host);
  for (const name of ['make', 'gcc', 'tar', 'go', 'cargo']) await findFirst([name], host);
  const corpus = new Gathered(join(folder, 'objects'));
  await mkdir(corpus.folder, { recursive: true });
  if (wanted.includes('debian')) for (const name of packages) await addPackage(name, folder, corpus, host);
  if (wanted.includes('go')) await addModule(corpus, host);
  const source = await unpackKernel(folder, host);
  await buildVeristat(folder, source.tools, host);
  await makeTypes(folder, host);
  const compile: Compile = (root, files, options) => compileAll(root, files, { folder, clang, options, host });
  if (wanted.includes('debian')) await addSourcePackages(folder, compile, corpus, host);
  if (wanted.includes('crates')) await addCrate(folder, compile, corpus, host);
  if (wanted.includes('selftests')) await addSelftests(source, every, compile, corpus);
  const made: Corpus = {
    folder,
    sources: corpus.sources,
    compiler: /version (\S+)/.exec(await runOrThrow(clang, ['--version'], { env: host.environment }))?.[1] ?? 'unknown',
  };
  await writeFile(record, JSON.stringify(made));
  return made;
}

export async function findFirst(names: readonly string[], host: Host): Promise<string> {
  for (const name of names) {
    const path = await findExecutable(name, host.environment);
    if (path !== undefined) return path;
  }
  const hint = `apt-get install ${compilers[0]} gcc make libelf-dev zlib1g-dev golang-go`;
  throw new MachineError(`${names.join(' or ')} is missing`, { hint });
}

interface Origin extends Pick<Source, 'name' | 'version'> {
  /** Start of its objects' names. Default: its own name. */
  readonly prefix?: string;
  readonly failed?: readonly string[] | null;
}

class Gathered {
  readonly folder: string;
  readonly sources: Source[] = [];
  readonly #digests = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param found objects by their names without the source's prefix */
  async add(
    { name, version, prefix = name, failed = null }: Origin,
    found: ReadonlyMap<string, Buffer>,
  ): Promise<void> {
    const objects: string[] = [];
    for (const [part, bytes] of found) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      if (this.#digests.has(digest)) continue;
      this.#digests.add(digest);
      const object = `${prefix}.${part.replace(/(\.bpf)?\.(o|elf)$/, '').replace(/[^\w.+@=-]/g, '_')}`;
      objects.push(object);
      await writeFile(join(this.folder, `${object}.bpf.o`), bytes);
    }
    this.sources.push({ name, version, objects, copies: found.size - objects.length, failed });
  }
}

async function addPackage(name: string, folder: string, corpus: Gathered, host: Host): Promise<void> {
  const { root, version } = await unpackPackage(name, folder, host);
  await corpus.add({ name, version }, await objectsBelow(root, basename));
}

async function addModule(corpus: Gathered, host: Host): Promise<void> {
  const { root, version } = await downloadModule(module, host);
  await corpus.add({ name: module.path, version, prefix: 'cilium-ebpf' }, await objectsBelow(root, (file) => file));
}

/** Finds the objects in all files below a folder. If a file contains several, they are numbered. */
async function objectsBelow(root: string, nameOf: (file: string) => string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const files: string[] = [];
  for await (const file of walkTree(root, new Set())) files.push(file);
  for (const file of files.sort()) {
    // A symbolic link may be broken or lead out of the package.
    const bytes = await readFile(join(root, file)).catch(() => Buffer.alloc(0));
    const objects = findObjects(bytes);
    for (const [index, object] of objects.entries()) {
      found.set(objects.length === 1 ? nameOf(file) : `${nameOf(file)}.${index + 1}`, object);
    }
  }
  return found;
}

interface KernelSource {
  readonly version: string;
  /** Path of its folder `tools`. */
  readonly tools: string;
}

async function unpackKernel(folder: string, host: Host): Promise<KernelSource> {
  const { root, version } = await unpackPackage(kernelSource, folder, host);
  host.log.progress(`unpacking ${kernelSource}`);
  const archive = join(root, 'usr', 'src', `${kernelSource}.tar.xz`);
  const wanted = ['tools', 'scripts', 'include/uapi'].map((name) => `${kernelSource}/${name}`);
  await runOrThrow('tar', ['--extract', '--file', archive, ...wanted], { cwd: folder, env: host.environment });
  return { version, tools: join(folder, kernelSource, 'tools') };
}

/** Builds libbpf and veristat from the kernel's source. */
async function buildVeristat(folder: string, tools: string, { environment: env, log }: Host): Promise<void> {
  log.progress('building libbpf and veristat');
  const output = join(folder, 'libbpf');
  const headers = join(folder, 'headers');
  await mkdir(output, { recursive: true });
  const options = [`OUTPUT=${output}/`, `DESTDIR=${headers}`, 'prefix='];
  await runOrThrow('make', ['-C', join(tools, 'lib', 'bpf'), ...options, 'install_headers', join(output, 'libbpf.a')], {
    env,
  });
  const program = join(folder, 'veristat');
  const include = [join(headers, 'include'), join(tools, 'include', 'uapi'), join(tools, 'include')];
  const source = join(tools, 'testing', 'selftests', 'bpf', 'veristat.c');
  const libraries = [join(output, 'libbpf.a'), '-lelf', '-lz'];
  await runOrThrow('gcc', ['-O2', ...include.map((each) => `-I${each}`), source, ...libraries, '-o', program], { env });
}

/** Makes `types/vmlinux.h` of a kernel's own types. */
export async function makeTypes(folder: string, host: Host): Promise<void> {
  const { environment: env } = host;
  const types = join(folder, 'types');
  await mkdir(types, { recursive: true });
  const shown = await runInGuest(kernelOfTypes, 'gzip -c /sys/kernel/btf/vmlinux | base64', folder, host);
  await writeFile(join(types, 'vmlinux.gz'), Buffer.from(shown, 'base64'));
  await runOrThrow('gzip', ['--decompress', '--force', join(types, 'vmlinux.gz')], { env });
  const { root } = await unpackPackage('bpftool', folder, host);
  const dump = ['-c', '"$1" btf dump file "$2" format c >"$3"', 'bash', join(root, 'usr', 'sbin', 'bpftool')];
  await runOrThrow('bash', [...dump, join(types, 'vmlinux'), join(types, 'vmlinux.h')], { env });
}

/** Compiles files below `root`. Returns the objects by file, and the files that the compiler rejects. */
type Compile = (root: string, files: readonly string[], options: readonly string[]) => Promise<Compiled>;

interface Compiled {
  readonly found: Map<string, Buffer>;
  readonly failed: string[];
}

interface CompileOptions {
  readonly folder: string;
  readonly clang: string;
  readonly options: readonly string[];
  readonly host: Host;
}

/** Compiles as the Makefile of the kernel's tests does, but against this machine's headers. */
export async function compileAll(
  root: string,
  files: readonly string[],
  { folder, clang, options, host: { environment: env, log } }: CompileOptions,
): Promise<Compiled> {
  const builtIn = (await runOrThrow(clang, ['-print-resource-dir'], { env })).trim();
  const all = [
    ...['-g', '-O2', '-w', '--target=bpfel', '-mcpu=v3', '-std=gnu11', '-fno-strict-aliasing'],
    '-D__TARGET_ARCH_x86',
    ...[join(folder, 'types'), join(folder, 'headers', 'include')].map((each) => `-I${each}`),
    ...options,
    ...[join(builtIn, 'include'), '/usr/include/x86_64-linux-gnu', '/usr/include'].flatMap((each) => [
      '-idirafter',
      each,
    ]),
  ];
  const limit = pLimit(availableParallelism());
  const objects = new Map<string, Buffer>();
  const failed: string[] = [];
  let count = 0;
  const made = await mkdtemp(join(folder, 'compiled-'));
  const compile = async (file: string) => {
    const object = join(made, `${files.indexOf(file)}.bpf.o`);
    const result = await run(clang, [...all, '-c', join(root, file), '-o', object], { env });
    if (result.exitCode === 0) objects.set(file, await readFile(object));
    else failed.push(file);
    log.progress(`compiled ${++count} of ${files.length} files`);
  };
  await Promise.all(files.map((file) => limit(() => compile(file))));
  await rm(made, { recursive: true });
  const found = new Map<string, Buffer>();
  for (const file of files) {
    const bytes = objects.get(file);
    if (bytes !== undefined) found.set(file.replace(/(\.bpf)?\.c$/, ''), bytes);
  }
  return { found, failed: failed.sort() };
}

/** Finds the files below `root` that match, in order. */
export async function filesBelow(root: string, wanted: RegExp): Promise<string[]> {
  const found: string[] = [];
  for await (const file of walkTree(root, new Set())) if (wanted.test(file)) found.push(file);
  return found.sort();
}

async function addSourcePackages(folder: string, compile: Compile, corpus: Gathered, host: Host): Promise<void> {
  const suites = sourcePackages.map(({ suite }) => suite);
  const options = await listSources(folder, suites, host);
  for (const { programs, ...source } of sourcePackages) {
    const { root, version } = await unpackSource(source, options, folder, host);
    // Without it glibc's headers are those of 32 bits.
    const { found, failed } = await compile(root, await filesBelow(root, programs), ['-D__x86_64__']);
    await corpus.add({ name: `${source.name}'s source`, version, prefix: source.name, failed }, found);
  }
}

async function addCrate(folder: string, compile: Compile, corpus: Gathered, host: Host): Promise<void> {
  const { root, version } = await unpackCrate(crate, folder, host);
  const { found, failed } = await compile(root, await filesBelow(root, crate.programs), []);
  await corpus.add({ name: crate.name, version, failed }, found);
}

async function addSelftests(
  { version, tools }: KernelSource,
  every: number,
  compile: Compile,
  corpus: Gathered,
): Promise<void> {
  const tests = join(tools, 'testing', 'selftests', 'bpf');
  const files = await filesBelow(join(tests, 'progs'), /^[^/]+\.c$/);
  const options = ['-DENABLE_ATOMICS_TESTS', '-mlittle-endian', `-I${tests}`, `-I${join(tools, 'include', 'uapi')}`];
  const some = files.filter((_, index) => index % every === 0);
  const { found, failed } = await compile(join(tests, 'progs'), some, options);
  await corpus.add({ name: kernelSource, version, prefix: 'selftests', failed }, found);
}

/** Names of all objects. */
export function objectsOf({ sources }: Corpus): string[] {
  return sources.flatMap(({ objects }) => objects);
}

/** Makes a repository with the objects, in one commit with the tag `base`. Returns its path. */
export async function makeProject(corpus: Corpus, project: string): Promise<string> {
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'bpfgate.toml'), 'lanes = ["verifier"]\n[build]\ncommand = "true"\n');
  for (const object of objectsOf(corpus)) {
    const file = `${object}.bpf.o`;
    await copyFile(join(corpus.folder, 'objects', file), join(project, file));
  }
  await commitAll(project, 'base');
  return project;
}
