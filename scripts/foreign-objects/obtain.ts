// Foreign objects: gets them from Debian's packages, a Go module, and the kernel's own tests, which are compiled here.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { run, runOrThrow } from '../../src/adapters/process.ts';
import { walkTree } from '../../src/adapters/walk-tree.ts';
import { MachineError } from '../../src/errors.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import type { Host } from '../boot-times/host.ts';
import { findObjects } from './elf.ts';
import { runInGuest } from './reference.ts';

/** Debian packages that contain compiled BPF, and two that could: Debian's builds leave their BPF out. */
const packages = ['libbpf-tools', 'xdp-tools', 'libxdp1', 'ir-keytable', 'qemu-system-x86', 'systemd', 'iproute2'];
const module = { path: 'github.com/cilium/ebpf', version: 'v0.22.0' };
/** Kernel source whose tests are compiled, and whose libbpf and veristat are the reference. */
const kernelSource = 'linux-source-6.12';
/** Kernel whose BTF gives the tests' `vmlinux.h`. */
const kernelOfTypes = '6.12';
const compiler = 'clang-19';

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
export const groups = ['debian', 'go', 'selftests'] as const;

/**
 * Gathers the objects below `folder`. Reuses an earlier run's files there.
 *
 * @param wanted names of `groups`
 */
export async function obtainCorpus(folder: string, wanted: readonly string[], host: Host): Promise<Corpus> {
  const record = join(folder, 'corpus.json');
  if (existsSync(record)) return JSON.parse(await readFile(record, 'utf8')) as Corpus;
  const clang = await find(compiler, host);
  for (const name of ['make', 'gcc', 'tar', 'go']) await find(name, host);
  const corpus = new Gathered(join(folder, 'objects'));
  await mkdir(corpus.folder, { recursive: true });
  if (wanted.includes('debian')) for (const name of packages) await addPackage(name, folder, corpus, host);
  if (wanted.includes('go')) await addModule(folder, corpus, host);
  const source = await unpackKernel(folder, host);
  await buildVeristat(folder, source.tools, host);
  if (wanted.includes('selftests')) await addSelftests(folder, source, clang, corpus, host);
  const made: Corpus = {
    folder,
    sources: corpus.sources,
    compiler: /version (\S+)/.exec(await runOrThrow(clang, ['--version'], { env: host.environment }))?.[1] ?? 'unknown',
  };
  await writeFile(record, JSON.stringify(made));
  return made;
}

async function find(name: string, host: Host): Promise<string> {
  const path = await findExecutable(name, host.environment);
  if (path !== undefined) return path;
  const hint = `apt-get install ${compiler} gcc make libelf-dev zlib1g-dev golang-go`;
  throw new MachineError(`${name} is missing`, { hint });
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

/** Downloads a Debian package into a folder of its own, and unpacks it. */
async function unpackPackage(name: string, folder: string, { environment: env, log }: Host) {
  log.progress(`downloading ${name}`);
  const cwd = join(folder, name);
  await mkdir(join(cwd, 'root'), { recursive: true });
  await runOrThrow('apt-get', ['download', name], { cwd, env });
  const file = (await readdir(cwd)).find((each) => each.endsWith('.deb'));
  if (file === undefined) throw new MachineError(`apt-get has not downloaded ${name}`);
  await runOrThrow('dpkg-deb', ['--extract', file, 'root'], { cwd, env });
  const version = await runOrThrow('dpkg-deb', ['--field', file, 'Version'], { cwd, env });
  return { root: join(cwd, 'root'), version: version.trim() };
}

async function addPackage(name: string, folder: string, corpus: Gathered, host: Host): Promise<void> {
  const { root, version } = await unpackPackage(name, folder, host);
  await corpus.add({ name, version }, await objectsBelow(root, basename));
}

async function addModule(folder: string, corpus: Gathered, { environment: env, log }: Host): Promise<void> {
  log.progress(`downloading ${module.path}`);
  const cwd = join(folder, 'go');
  await mkdir(cwd, { recursive: true });
  const printed = await runOrThrow('go', ['mod', 'download', '-json', `${module.path}@${module.version}`], {
    cwd,
    env,
  });
  const { Dir: root } = JSON.parse(printed) as { readonly Dir: string };
  await corpus.add(
    { name: module.path, version: module.version, prefix: 'cilium-ebpf' },
    await objectsBelow(root, (file) => file),
  );
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

/** Compiles the kernel's own tests as its Makefile does, but against this machine's headers. */
async function addSelftests(
  folder: string,
  { version, tools }: KernelSource,
  clang: string,
  corpus: Gathered,
  host: Host,
): Promise<void> {
  const { environment: env, log } = host;
  const types = join(folder, 'types');
  const compiled = join(folder, 'selftests');
  for (const each of [types, compiled]) await mkdir(each, { recursive: true });
  const shown = await runInGuest(kernelOfTypes, 'gzip -c /sys/kernel/btf/vmlinux | base64', folder, host);
  await writeFile(join(types, 'vmlinux.gz'), Buffer.from(shown, 'base64'));
  await runOrThrow('gzip', ['--decompress', '--force', join(types, 'vmlinux.gz')], { env });
  const { root } = await unpackPackage('bpftool', folder, host);
  const dump = ['-c', '"$1" btf dump file "$2" format c >"$3"', 'bash', join(root, 'usr', 'sbin', 'bpftool')];
  await runOrThrow('bash', [...dump, join(types, 'vmlinux'), join(types, 'vmlinux.h')], { env });

  const tests = join(tools, 'testing', 'selftests', 'bpf');
  const builtIn = (await runOrThrow(clang, ['-print-resource-dir'], { env })).trim();
  const options = [
    ...['-g', '-O2', '-w', '--target=bpfel', '-mcpu=v3', '-std=gnu11', '-fno-strict-aliasing'],
    ...['-D__TARGET_ARCH_x86', '-DENABLE_ATOMICS_TESTS', '-mlittle-endian'],
    ...[types, join(folder, 'headers', 'include'), tests, join(tools, 'include', 'uapi')].map((each) => `-I${each}`),
    ...[join(builtIn, 'include'), '/usr/include/x86_64-linux-gnu', '/usr/include'].flatMap((each) => [
      '-idirafter',
      each,
    ]),
  ];
  const files = (await readdir(join(tests, 'progs'))).filter((name) => name.endsWith('.c')).sort();
  const limit = pLimit(availableParallelism());
  const failed: string[] = [];
  let count = 0;
  const found = new Map<string, Buffer>();
  const compile = async (file: string) => {
    const object = join(compiled, file.replace(/\.c$/, '.bpf.o'));
    const result = await run(clang, [...options, '-c', join(tests, 'progs', file), '-o', object], { env });
    if (result.exitCode !== 0) failed.push(file);
    log.progress(`compiled ${++count} of ${files.length} tests`);
  };
  await Promise.all(files.map((file) => limit(() => compile(file))));
  for (const file of files.filter((each) => !failed.includes(each))) {
    const name = file.replace(/\.c$/, '.bpf.o');
    found.set(name, await readFile(join(compiled, name)));
  }
  await corpus.add({ name: kernelSource, version, prefix: 'selftests', failed: failed.sort() }, found);
}

/** Makes a repository with the objects, in one commit with the tag `base`. */
export async function makeProject(corpus: Corpus, objects: readonly string[], project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'bpfgate.toml'), 'lanes = ["verifier"]\n[build]\ncommand = "true"\n');
  for (const object of objects) {
    const file = `${object}.bpf.o`;
    await copyFile(join(corpus.folder, 'objects', file), join(project, file));
  }
  const who = ['-c', 'user.name=bpfgate', '-c', 'user.email=foreign@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'base'],
    ['tag', 'base'],
  ])
    await runOrThrow('git', [...who, ...args], { cwd: project });
}
