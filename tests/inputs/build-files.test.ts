import { expect, test } from 'vitest';
import {
  type BuildFile,
  readAutoconf,
  readCMake,
  readDockerfile,
  readGo,
  readMakefile,
  readMeson,
  readRust,
  readScript,
} from '../../src/inputs/build-files.ts';

const programs = ({ commands }: BuildFile) => [...new Set(commands.map(({ words: [program] }) => program))];

test('a Makefile runs what the recipes of its goal run, by the values of its variables', () => {
  const text = `
CLANG ?= clang
BPFTOOL := $(abspath tools)/bpftool
Q = @
CC := $(CROSS)gcc
OUT := $(abspath .out)
INC = $(shell llvm-config --includedir)
include ../common.mk
.PHONY: all lint
all: app
lint:
\tclang-format --dry-run a.c
ifeq ($(V),1)
Q =
endif
%.bpf.o: %.bpf.c
\t$(Q)$(CLANG) -target bpf $(INC) -c $< \\
\t\t-o $@ && llvm-strip -g $@
$(OUT)/app: app.o | out
app: $(OUT)/app
\t-$(CC) $^ -lelf -l z -o $@
out:
\t@for d in a b; do $(MAKE) -C $$d; done
app.skel.h: app.bpf.o
\t$(BPFTOOL) gen skeleton $< > $@
app.o: app.skel.h
`;
  const file = readMakefile(text);
  expect(programs(file)).toEqual(
    expect.arrayContaining(['clang', 'llvm-config', 'llvm-strip', 'tools/bpftool', 'make']),
  );
  expect(programs(file)).not.toContain('clang-format');
  expect(file.libraries).toEqual(['elf', 'z']);
  expect(file.includes).toEqual(['../common.mk']);
  expect(programs(readMakefile(text, ['lint']))).toContain('clang-format');
});

test('CMake runs what it looks for and its commands, also of modules and subfolders', () => {
  const file = readCMake(`
project(x C) # find_program(NO no)
list(APPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_SOURCE_DIR}/../cmake)
find_program(TOOL NAMES bpftool)
find_package(BpfObject REQUIRED)
pkg_check_modules(LIBBPF REQUIRED libbpf>=1.0 libelf)
add_custom_command(OUTPUT a.h COMMAND \${TOOL} gen skeleton a.o > a.h COMMAND clang -c a.c)
ExternalProject_Add(y BUILD_COMMAND make
  install)
target_link_libraries(x z)
add_subdirectory(src)
`);
  expect(programs(file)).toEqual(['cc', 'bpftool', 'pkg-config', 'clang', 'make']);
  expect(file.libraries).toEqual(expect.arrayContaining(['libbpf', 'libelf', 'z']));
  expect(file.includes).toEqual(expect.arrayContaining(['./../cmake/FindBpfObject.cmake', 'src']));
});

test('Meson runs what it looks for, except for what it can do without', () => {
  const file = readMeson(`
project('x', ['c', 'cpp'], version : '1')
clang = find_program('clang', required : true)
doc = find_program('rst2man', required : false)
elf = dependency('libelf')
lz = meson.get_compiler('c').find_library('z')
custom_target('skel', command : ['bpftool', 'gen', 'skeleton', '@INPUT@'])
subdir('src')
`);
  expect(programs(file)).toEqual(['cc', 'c++', 'clang', 'bpftool', 'pkg-config']);
  expect(file.libraries).toEqual(['libelf', 'z']);
  expect(file.includes).toEqual(['src']);
});

test('the autotools run what their macros stand for', () => {
  const file = readAutoconf(`
AC_INIT([x], [1])
AM_INIT_AUTOMAKE([foreign])
LT_INIT
AC_PROG_CC
AC_PATH_PROG([CLANG], [clang], [no])
dnl AC_PROG_YACC
PKG_CHECK_MODULES([LIBBPF], [libbpf >= 0.5])
AC_CHECK_LIB([elf], [elf_begin])
`);
  expect(programs(file)).toEqual(['autoconf', 'make', 'automake', 'libtoolize', 'cc', 'clang', 'pkg-config']);
  expect(file.libraries).toEqual(expect.arrayContaining(['libbpf', 'elf']));
});

test('a script runs the defaults of its variables', () => {
  const text = `: \${CLANG:=clang}
BPFTOOL=bpftool
check() {
  $BPFTOOL version
}
cc -lcap x.c
`;
  expect(programs(readScript(text))).toEqual(expect.arrayContaining(['clang', 'bpftool', 'cc']));
  expect(readScript(text).libraries).toEqual(['cap']);
});

test('Go runs its directives, and is linked by cgo', () => {
  const file = readGo(
    'package x\n\n//go:generate go tool bpf2go -tags linux bpf a.c -- -I../h\n\n/*\n#cgo LDFLAGS: -lbpf -lelf\n*/\nimport "C"\n',
  );
  expect(file.commands.map(({ words }) => words.join(' '))).toEqual([
    'go tool bpf2go -tags linux bpf a.c -- -I../h',
    'cc',
  ]);
  expect(file.libraries).toEqual(['bpf', 'elf']);
});

test('Rust runs what a Command names', () => {
  expect(programs(readRust('let x = Command::new("clang").arg("-c"); Command::new(path)'))).toEqual(['clang']);
});

test('a Dockerfile counts in the stages that build', () => {
  const text = `FROM debian AS build
RUN apt-get update && \\
    apt-get install -y clang libelf-dev
RUN make -C /src
FROM debian
RUN apt-get install -y libelf1
`;
  expect(readDockerfile(text)).toEqual(expect.arrayContaining(['clang', 'libelf-dev']));
  expect(readDockerfile(text)).not.toContain('libelf1');
});

test.each([
  ['Makefile', readMakefile],
  ['script', readScript],
  ['CMakeLists.txt', readCMake],
  ['meson.build', readMeson],
  ['configure.ac', readAutoconf],
  ['Go file', readGo],
])('a hostile %s is read in time that grows with it', (_, read) => {
  for (const part of [
    '(',
    '$(',
    'a(',
    "f('x",
    'A = $(A)$(A)\n',
    ': $X ',
    'x: ',
    '\n',
    '\n ',
    'A',
    ' ',
    '\t',
    'COMMAND x ',
    '-l',
    '#',
    'AC_X(',
    '//go:generate ',
  ]) {
    // Time that grows with the square would be more than a test may take.
    const all = part.repeat(250_000 / part.length);
    expect(read(`${all}\n\t$(A)`).includes).toBeDefined();
    expect(read(`a${all}b`).includes).toBeDefined();
  }
});

test.each([
  ['a chain of rules', Array.from({ length: 20_000 }, (_, index) => `a${index}: a${index + 1}\n`).join('')],
  ['rules of patterns', Array.from({ length: 20_000 }, (_, index) => `%${index}: b\n`).join('')],
  ['a long value that many lines use', `A = ${'x '.repeat(9_000)}\nall:\n${'\t$(A)\n'.repeat(40_000)}`],
])('%s in a Makefile does not take time that grows with its square', { tags: ['hostile'] }, (_, text) => {
  expect(readMakefile(text).includes).toEqual([]);
});
