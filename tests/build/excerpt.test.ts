import { expect, test } from 'vitest';
import { excerptOf } from '../../src/build/excerpt.ts';

const numbered = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`);

test.each([
  ['rustc', 'error[E0425]: cannot find value `x` in this scope'],
  [
    'cargo, behind a build script’s name',
    '  warning: xdp@0.1.0: error: "library/Cargo.lock" does not exist, unable to build',
  ],
  ['a build script that panics', "thread 'main' panicked at build.rs:7:5:"],
  ['clang', 'src/x.bpf.c:4:10: fatal error: vmlinux.h: No such file or directory'],
  ['ld', 'main.c:(.text+0x5): undefined reference to `bpf_object__open`'],
  ['make', 'make[1]: *** [Makefile:3: x.o] Error 1'],
  ['a shell', 'sh: 1: bpftool: command not found'],
])('shows the first error of %s, however much follows, and the end', (_, error) => {
  const lines = [...numbered('compiling', 100), error, 'try: rustup component add rust-src', ...numbered('frame', 200)];
  const excerpt = excerptOf(lines.join('\n')).split('\n');
  expect(excerpt.slice(0, 3)).toEqual(['…', error, 'try: rustup component add rust-src']);
  expect(excerpt.at(-1)).toBe('frame 199');
  expect(excerpt.length).toBeLessThan(35);
});

test('shows all of a short output, and the end of one without an error', () => {
  expect(excerptOf('error: one\ntwo\n')).toBe('error: one\ntwo');
  expect(excerptOf(numbered('errors', 100).join('\n')).split('\n')).toEqual([
    '…',
    ...numbered('errors', 100).slice(-15),
  ]);
});

test('takes linear time for a line that could begin with an error anywhere', () => {
  const line = ']'.repeat(200_000);
  expect(excerptOf([line, ...numbered('line', 20)].join('\n'))).toContain('line 19');
});
