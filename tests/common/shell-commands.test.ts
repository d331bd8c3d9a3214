import { expect, test } from 'vitest';
import { shellCommands } from '../../src/common/shell-commands.ts';

test.each([
  ['CC=clang make -j4 && cmake --build build', ['make -j4', 'cmake --build build']],
  ['cd src && make; (cd ../go && go build ./...) && ninja', ['src: make', 'go: go build ./...', 'src: ninja']],
  ['cd "$TOP/src" && make', ['?: make']],
  ['sudo -E env X=1 clang -c a.c # && gcc\n! meson setup b', ['clang -c a.c', 'meson setup b']],
  [
    'bash -ec \'cd a && make\' && x=$(pkg-config --libs libbpf) y=`llvm-config` cc "$(bpftool version)"',
    ['a: make', 'pkg-config --libs libbpf', 'llvm-config', 'bpftool version', 'cc $(bpftool version)'],
  ],
  ['apt-get install -y \\\n  clang \\\n  llvm', ['apt-get install -y clang llvm']],
  ['gcc $(pkg-config --cflags a) -o b', ['pkg-config --cflags a', 'gcc -o b']],
  ['echo "a; make" \'b && ninja\' c\\;d', ['echo a; make b && ninja c;d']],
  ["echo 'unclosed", ["echo 'unclosed"]],
])('%j has these commands', (text, commands) => {
  const found = shellCommands(text).map(({ folder = '?', words }) => {
    return `${folder === '.' ? '' : `${folder}: `}${words.join(' ')}`;
  });
  expect(found).toEqual(commands);
});

test('a text of nothing but beginnings is read in time that grows with it', () => {
  // Time that grows with the square would be more than a test may take.
  const open = ['$', '{'].join('');
  for (const part of ['$(', open, '"', "'", '(', '`', 'cd a && ', '\\', 'x$(y ', 'a']) {
    expect(shellCommands(part.repeat(200_000)).length).toBeLessThan(200_000);
  }
});
