import { expect, test } from 'vitest';
import { explainFailure } from '../../src/build/explain-failure.ts';

const nothing = { PATH: '/nowhere' };
const place = { hint: 'look at the sandbox', downloadHint: 'write `network = true`' };

test.each([
  ['bash: line 1: clang-99: command not found', '`clang-99` is missing (Debian: clang-99)'],
  ['/bin/sh: 1: llvm-strip-99: not found', 'Debian: llvm-99'],
  ['make[1]: xyz-tool: No such file or directory', 'the build needs `xyz-tool`, which this machine does not have'],
  ['error: linker `xyz-linker` not found', '`xyz-linker`'],
  ["clang: error: invalid linker name in argument '-fuse-ld=xyz-mold'", '`xyz-mold`'],
  ["meson.build:3:0: ERROR: Program 'xyz-meson' not found or not executable", '`xyz-meson`'],
  ['bpf.go:9: running "go": exec: "xyz-clang": executable file not found in $PATH', '`xyz-clang`'],
  ["a.c:1:10: fatal error: 'bpf/libbpf.h' file not found", '`libbpf` is missing (Debian: libbpf-dev)'],
  ['a.c:1:10: fatal error: gelf.h: No such file or directory', 'Debian: libelf-dev'],
  ["stubs.h:7:11: fatal error: 'gnu/stubs-32.h' file not found", 'Debian: libc6-dev-i386'],
  ["x.bpf.c:1:10: fatal error: 'vmlinux.h' file not found", 'the build includes `vmlinux.h`, which is neither'],
  ['/usr/bin/ld: cannot find -lcap: No such file', 'Debian: libcap-dev'],
  ["Package 'libxdp', required by 'virtual:world', not found", 'Debian: libxdp-dev'],
  ['Package libnl-3.0 was not found in the pkg-config search path.', 'Debian: libnl-3-dev'],
  ['  Could NOT find LibElf (missing: LIBELF_LIBRARIES)', 'Debian: libelf-dev'],
  ['-- Could NOT find Zstd (missing: X)\n  Could NOT find LibElf (missing: X)', 'Debian: libelf-dev'],
  ['error occurred: Failed to find tool. Is `xyz-cc` installed?', '`xyz-cc`'],
  ['The pkg-config command could not be found.', 'Debian: pkg-config'],
  ["make: *** No rule to make target '../libbpf/src/x.h', needed by 'a'.  Stop.", 'check out submodules'],
  ["error[E0463]: can't find crate for `core`", 'has no rust-src'],
  ["error: toolchain 'nightly-2023-03-24-x86_64-unknown-linux-gnu' is not installed", 'toolchain nightly-2023-03-24'],
  ['this version of Cargo is older than the `2024` edition, and only supports `2021`', 'a newer Rust than the project'],
])('%s', async (line, hint) => {
  expect(await explainFailure(`before\n${line}\nafter`, nothing, place)).toContain(hint);
});

test.each([
  ["fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org", 'example.org'],
  ['curl: (6) Could not resolve host: example.org', 'example.org'],
  ['wget: unable to resolve host address ‘example.org’', 'example.org'],
  ['go: m@v1: Get "https://example.org/m": dial tcp: lookup example.org: no such host', 'example.org'],
  ['npm error network request failed, reason: getaddrinfo EAI_AGAIN example.org', 'example.org'],
  ["W: Failed to fetch http://example.org/InRelease  Temporary failure resolving 'example.org'", undefined],
  ['curl: (7) Failed to connect to 192.0.2.1 port 80: Network is unreachable', undefined],
  ['urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>', undefined],
  ["As a reminder, you're using offline mode (--offline) which can sometimes cause surprising failures", undefined],
  ['  attempting to make an HTTP request, but --offline was specified', undefined],
  ["can't checkout from 'https://example.org/x.git': you are in the offline mode (--offline)", undefined],
  ['main.go:3:8: m@v1: module lookup disabled by GOPROXY=off', undefined],
  ['go: download go1.99 for linux/amd64: toolchain not available', undefined],
])('names the next step where a build wants to download: %s', async (line, from) => {
  const hint = `the build could not download ${from === undefined ? 'something' : `from ${from}`}: write \`network = true\``;
  expect(await explainFailure(`before\n${line}\nafter`, nothing, place)).toBe(hint);
});

test('a program of this machine that the build does not find is hidden from it', async () => {
  const hint = await explainFailure('bash: line 1: bash: command not found', process.env, place);
  expect(hint).toMatch(/^`\/\S+\/bash` is there, but the build does not see it: look at the sandbox$/);
});

test('a failure of the sources is theirs, and any other is not explained', async () => {
  const hint = 'the compiler refuses the sources: see that the same command builds a fresh clone';
  for (const line of ['a.c:3:1: error: expected ;', 'error[E0433]: cannot find `x`']) {
    expect(await explainFailure(`${line}\nmake: *** [a.o] Error 1`, nothing, place)).toBe(hint);
  }
  expect(await explainFailure('make: *** [a.o] Error 1', nothing, place)).toBeUndefined();
});
