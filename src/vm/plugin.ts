// Guest: builds QEMU's plugin (vm/plugin) once per source and compiler, and keeps it in the cache.

import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { publishFetched } from '../cache/downloads.ts';
import { MachineError } from '../common/errors.ts';
import { cargoFailure } from '../prerequisites/cargo-tools.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { environmentOf, readRust, rustMissing, rustRemedy } from '../prerequisites/rust.ts';
import { type GuestContext, prepareHost } from './guest.ts';

const source = join(packageRoot, 'vm', 'plugin');

/**
 * Compiles the plugin, unless it is in the cache.
 *
 * @returns its absolute path
 * @throws MachineError when QEMU has no plugins, or it does not build
 */
export async function obtainPlugin(context: GuestContext): Promise<string> {
  const { cache, environment, log, signal } = context;
  const host = await prepareHost(context);
  requirePlugins(await runOrThrow(host.qemu, ['--help'], { env: environment }), host);
  const rust = await readRust(environment);
  if (rust === undefined) {
    const hasRustup = (await findExecutable('rustup', environment)) !== undefined;
    throw rustMissing('rustc does not run, and --inside has to compile a plugin of QEMU', rustRemedy(hasRustup));
  }
  const hash = createHash('sha256').update(rust.about);
  const files = (await readdir(join(source, 'src'))).map((name) => `src/${name}`);
  for (const name of ['Cargo.lock', 'Cargo.toml', ...files].sort()) {
    hash.update(name).update(await readFile(join(source, name)));
  }
  const name = "QEMU's plugin";
  const entry = await publishFetched(cache, 'plugin', hash.digest('hex'), { log, signal, name }, async (folder) => {
    const args = ['build', '--release', '--locked', '--offline', '--target-dir', join(folder, 'target')];
    const env = environmentOf(rust, environment);
    const result = await run('cargo', args, { cwd: source, env, signal, timeoutMs: 300_000 });
    if (result.exitCode !== 0) {
      throw await cargoFailure(`building ${name}`, result, folder, environment, 'run `bpfgate doctor`');
    }
    await copyFile(join(folder, 'target', 'release', 'libbpfgate_plugin.so'), join(folder, 'plugin.so'));
    await runOrThrow('rm', ['-rf', join(folder, 'target')]);
  });
  return join(entry, 'plugin.so');
}

/**
 * @param help output of `qemu-system-x86_64 --help`
 * @throws MachineError when this QEMU was built without plugins
 */
export function requirePlugins(help: string, { qemu, qemuVersion }: { qemu: string; qemuVersion: string }): void {
  if (/^-plugin /m.test(help)) return;
  throw new MachineError(`${qemu} (QEMU ${qemuVersion}) was built without TCG plugins, which --inside needs`, {
    hint: "put a QEMU built with --enable-plugins first on PATH, such as Debian's qemu-system-x86",
  });
}
