// Prerequisites: programs and libraries that builds of projects use, with their packages of Debian and Ubuntu.

import { release } from 'node:os';
import type { LibraryPrerequisite, ProgramPrerequisite } from './prerequisite.ts';

/** Packages by program. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  clang: ['clang'],
  'clang++': ['clang'],
  ...Object.fromEntries(
    ['strip', 'objcopy', 'objdump', 'ar', 'nm', 'link', 'config', 'readelf', 'mc', 'dis'].map((name) => [
      `llvm-${name}`,
      ['llvm'],
    ]),
  ),
  llc: ['llvm'],
  opt: ['llvm'],
  lld: ['lld'],
  'ld.lld': ['lld'],
  mold: ['mold'],
  bpftool: ['bpftool'],
  pahole: ['dwarves'],
  cc: ['gcc', 'libc6-dev'],
  gcc: ['gcc', 'libc6-dev'],
  'c++': ['g++'],
  'g++': ['g++'],
  ld: ['binutils'],
  objcopy: ['binutils'],
  make: ['make'],
  gmake: ['make'],
  cmake: ['cmake'],
  meson: ['meson'],
  ninja: ['ninja-build'],
  autoconf: ['autoconf'],
  autoreconf: ['autoconf'],
  automake: ['automake'],
  libtoolize: ['libtool'],
  autopoint: ['autopoint'],
  'pkg-config': ['pkg-config'],
  pkgconf: ['pkg-config'],
  go: ['golang-go'],
  git: ['git'],
  flex: ['flex'],
  bison: ['bison'],
  m4: ['m4'],
  gawk: ['gawk'],
  gperf: ['gperf'],
  python3: ['python3'],
  perl: ['perl'],
  protoc: ['protobuf-compiler'],
  xxd: ['xxd'],
  jq: ['jq'],
  curl: ['curl'],
  wget: ['wget'],
  rsync: ['rsync'],
  rst2man: ['python3-docutils'],
};

/**
 * Packages of older releases by program. Ubuntu before 25.04 has a script that starts the bpftool of the running kernel,
 * which is a package of its own.
 */
const olderPackagesOf: Readonly<Record<string, readonly string[]>> = {
  bpftool: ['linux-tools-common', `linux-tools-${release()}`],
};

/** A package and a header of it, by the library's name without `lib`. Null: it has none where compilers look. */
const librariesOf: Readonly<Record<string, readonly [string, string | null]>> = {
  elf: ['libelf-dev', 'gelf.h'],
  dw: ['libdw-dev', 'elfutils/libdw.h'],
  z: ['zlib1g-dev', 'zlib.h'],
  zstd: ['libzstd-dev', 'zstd.h'],
  bpf: ['libbpf-dev', 'bpf/libbpf.h'],
  xdp: ['libxdp-dev', 'xdp/libxdp.h'],
  cap: ['libcap-dev', 'sys/capability.h'],
  pcap: ['libpcap-dev', 'pcap/pcap.h'],
  mnl: ['libmnl-dev', 'libmnl/libmnl.h'],
  bfd: ['binutils-dev', 'bfd.h'],
  ssl: ['libssl-dev', 'openssl/ssl.h'],
  seccomp: ['libseccomp-dev', 'seccomp.h'],
  uring: ['liburing-dev', 'liburing.h'],
  'json-c': ['libjson-c-dev', 'json-c/json.h'],
  systemd: ['libsystemd-dev', 'systemd/sd-daemon.h'],
  numa: ['libnuma-dev', 'numa.h'],
  rpm: ['librpm-dev', 'rpm/rpmlib.h'],
  event: ['libevent-dev', 'event.h'],
  'nl-3': ['libnl-3-dev', null],
  'nl-genl-3': ['libnl-genl-3-dev', null],
  'nl-route-3': ['libnl-route-3-dev', null],
  clang: ['libclang-dev', null],
};
const otherNames: Readonly<Record<string, string>> = {
  zlib: 'z',
  crypto: 'ssl',
  openssl: 'ssl',
  'nl-3.0': 'nl-3',
  'nl-genl-3.0': 'nl-genl-3',
  'nl-route-3.0': 'nl-route-3',
};

/** The prerequisite for a program, also for one release of it such as `clang-16`; undefined for one that is not known. */
export function projectProgram(name: string): ProgramPrerequisite | undefined {
  const [, plain = name, version = ''] = /^([a-z][a-z+-]*?)(-\d{1,3})$/.exec(name) ?? [];
  if (!Object.hasOwn(packagesOf, plain)) return undefined;
  const packages = (packagesOf[plain] ?? []).map((each) => `${each}${version}`);
  const olderPackages = olderPackagesOf[name];
  return {
    kind: 'program',
    group: 'project',
    name,
    packages,
    ...(olderPackages === undefined ? {} : { olderPackages }),
    purpose: 'build this project',
    versionArguments: name === 'go' ? ['version'] : ['--version'],
  };
}

/** The prerequisite for a library by its name for pkg-config or the linker; undefined for one that is not known. */
export function projectLibrary(name: string): LibraryPrerequisite | undefined {
  const plain = name.replace(/^lib/, '');
  const key = Object.hasOwn(otherNames, plain) ? (otherNames[plain] ?? '') : plain;
  const known = Object.hasOwn(librariesOf, key) ? librariesOf[key] : undefined;
  return known && library(`lib${key}`, ...known);
}

/** The prerequisite for a package that a Dockerfile installs; undefined for one that no build is known to need. */
export function projectPackage(name: string): ProgramPrerequisite | LibraryPrerequisite | undefined {
  const plain = name.replace(/-\d{1,3}$/, '');
  const program = Object.entries(packagesOf).find(([, [own]]) => own === plain)?.[0];
  if (program !== undefined) return projectProgram(program);
  const known = Object.entries(librariesOf).find(([, [own]]) => own === name)?.[0];
  if (known !== undefined) return projectLibrary(known);
  return /^lib[\w.+-]+-dev$/.test(name) ? library(name, name, null) : undefined;
}

function library(name: string, ofDebian: string, header: string | null): LibraryPrerequisite {
  return { kind: 'library', group: 'project', name, packages: [ofDebian], header, purpose: 'build this project' };
}

/** Headers of no library of their own, by their beginning. Clang's BPF target takes the ones for 32 bits. */
const otherHeaders: Readonly<Record<string, string>> = {
  'gnu/stubs-32.h': 'libc6-dev-i386',
  'asm/': 'gcc-multilib',
  'libelf.h': 'libelf-dev',
};

/** The library that has a header, such as `bpf/libbpf.h`. */
export function libraryOfHeader(header: string): LibraryPrerequisite | undefined {
  const other = Object.entries(otherHeaders).find(([start]) => header.startsWith(start))?.[1];
  if (other !== undefined) return library(other, other, null);
  const folder = header.split('/').slice(0, -1).join('/');
  const found = Object.entries(librariesOf).find(
    ([, [, own]]) => own === header || (folder !== '' && own?.startsWith(`${folder}/`)),
  );
  return found && projectLibrary(found[0]);
}
