import { expect, test } from 'vitest';
import { namedFolders } from '../../src/workflow/named-folders.ts';

test.each<[string, string[]]>([
  ['command = "make -j4 -C src && ./run"', ['src']],
  ['command = "cd loader && make"', ['loader']],
  ['all:\n\t$(MAKE) --directory=src/bpf\n\t+$(MAKE) -C $(CURDIR)/lib install\n', ['src/bpf', 'lib']],
  ['add_subdirectory(src)\nadd_subdirectory( tools bin )\n', ['src', 'tools']],
  ["subdir('src')\nsubdir ( 'tools' )\n", ['src', 'tools']],
  ['SUBDIRS := lib ./tools/\nall:\n\tfor d in $(SUBDIRS); do $(MAKE) -C $$d; done\n', ['lib', 'tools']],
  ['all: lib tools\nlib tools:\n\t$(MAKE) -C $@\n', ['lib', 'tools']],
  ['\t$(MAKE) -C $(LIBBPF_SRC)\n', []],
  ['clean:\n\trm -rf lib\n', []],
])('%j names the folders %j', (text, folders) => {
  expect(namedFolders(text, ['lib', 'tools', 'vendor'])).toEqual(folders);
});
