// A tree of "kernel sources" whose Makefile has the targets a build calls, and programs that only say their version.

import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildTools } from '../../../src/kernels/build/source-kernel.ts';

export interface FakeTree {
  /** Shell lines of `make olddefconfig`; `$(O)` is the output folder. Default: leaves all as it is. */
  readonly olddefconfig?: string;
  /** Shell lines before `make bzImage` writes the image. */
  readonly compile?: string;
  readonly release?: string;
}

export async function writeTree(folder: string, fake: FakeTree = {}): Promise<void> {
  const release = fake.release ?? '5.8.18';
  await mkdir(join(folder, 'scripts', 'kconfig'), { recursive: true });
  await mkdir(join(folder, 'kernel'));
  await writeFile(join(folder, 'kernel', 'fork.c'), 'int fork;\n');
  await writeFile(
    join(folder, 'Makefile'),
    `kernelversion:
	@echo ${release}
tinyconfig:
	@echo '# CONFIG_BPF_SYSCALL is not set' >$(O)/.config
olddefconfig:
	@${fake.olddefconfig ?? 'true'}
bzImage:
	@echo '  CC      kernel/fork.o'
	@echo 'flags: $(KCFLAGS)'
	@${fake.compile ?? 'true'}
	@mkdir -p $(O)/arch/x86/boot $(O)/include/config
	@cat kernel/fork.c $(O)/.config >$(O)/arch/x86/boot/bzImage
	@echo "$$KBUILD_BUILD_TIMESTAMP $$SECRET $(CC)" >>$(O)/arch/x86/boot/bzImage
	@echo ${release} >$(O)/include/config/kernel.release
`,
  );
  const merge = join(folder, 'scripts', 'kconfig', 'merge_config.sh');
  // -m -O OUTPUT BASE FRAGMENT
  await writeFile(merge, '#!/bin/sh\ngrep -v BPF_SYSCALL "$4" >"$3/merged"\ncat "$3/merged" "$5" >"$3/.config"\n');
  await chmod(merge, 0o755);
}

export function copyTree(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true });
}

export const fakeTools: BuildTools = {
  environment: { ...process.env, SECRET: 'of the shell', MAKEFLAGS: '--no-such-flag' },
  toolchain: { compiler: 'gcc 12.2.0', linker: 'ld 2.40', pahole: 'v1.24', gzip: 'gzip 1.12' },
};
