// Prerequisites: the Rust toolchain that a project's file chooses, installed before the project is built. rustup would
// install it during the build, which writes nothing outside of its own folders.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { findToolchainFile } from '../adapters/toolchain-file.ts';
import { findExecutable } from './executables.ts';
import { type InstallContext, withProgress } from './progress.ts';
import { type RustToolchain, readRust } from './rust.ts';
import { installToolchain, rustupFailure } from './rust-src.ts';

/**
 * Installs the missing parts of the toolchain that a project's file names. Does nothing where rustup must not install
 * by itself (RUSTUP_AUTO_INSTALL=0), or where another choice takes precedence (RUSTUP_TOOLCHAIN).
 *
 * @param root root of the checked-out tree
 * @throws MachineError when it cannot be installed, or a component or target cannot be added
 */
export async function installProjectToolchain(root: string, project: string, options: InstallContext): Promise<void> {
  const { env, log, signal } = options;
  const file = await findToolchainFile(root, project);
  if (file === undefined || file.channel === 'other' || env.RUSTUP_TOOLCHAIN || env.RUSTUP_AUTO_INSTALL === '0') return;
  const { channel } = file;
  const rustup = await findExecutable('rustup', env);
  if (rustup === undefined) return;
  if ((await readRust(env, channel)) === undefined) await installToolchain(channel, options);
  const toolchain = await readRust(env, channel);
  if (toolchain === undefined) return;
  for (const [kind, wanted] of [
    ['component', file.components],
    ['target', file.targets],
  ] as const) {
    const missing = await missingOf(toolchain, kind, wanted);
    if (missing.length === 0) continue;
    const args = [kind, 'add', '--toolchain', channel, ...missing];
    const names = missing.join(', ');
    const result = await withProgress(log, `adding ${names} to ${channel} with rustup`, (onLine) =>
      run(rustup, args, { env, signal, timeoutMs: 600_000, onLine }),
    );
    if (result.exitCode !== 0) {
      const command = `\`${['rustup', ...args].join(' ')}\``;
      throw await rustupFailure(`${command}, which the project's file asks for,`, result, env);
    }
  }
}

/** Compares with the list that rustup keeps in a toolchain: `rust-src`, `clippy-preview-TARGET`, `rust-std-TARGET`. */
async function missingOf(
  { sysroot }: RustToolchain,
  kind: 'component' | 'target',
  wanted: readonly string[],
): Promise<string[]> {
  const list = await readFile(join(sysroot, 'lib/rustlib/components'), 'utf8').catch(() => '');
  const installed = list.split('\n');
  return wanted.filter((name) =>
    kind === 'target'
      ? !installed.includes(`rust-std-${name}`)
      : !installed.some((line) => line === name || line.startsWith(`${name}-`)),
  );
}
