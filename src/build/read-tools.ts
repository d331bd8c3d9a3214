// Build: the tools that compile and link a project; part of the fingerprint and of the key of kept builds.

import { run, runOrThrow } from '../adapters/process.ts';
import { findToolchainFile } from '../adapters/toolchain-file.ts';

/**
 * Reads the version line of each tool, by name; a missing tool is left out. The tools run outside of the project, whose
 * files can make rustup start a program of the project in place of rustc, and make Go download another release.
 *
 * @param environment of the build
 * @param workDir absolute path of the checked-out tree
 * @param project absolute path of the project in it
 */
export async function readTools(
  environment: Readonly<Record<string, string>>,
  workDir: string,
  project: string,
): Promise<Record<string, string>> {
  const chosen = (await findToolchainFile(workDir, project))?.channel;
  const variables = { ...environment, GOTOOLCHAIN: 'local', ...toolchainVariables(chosen, environment) };
  const read = async (name: string, ...args: string[]) => {
    const result = await run(name, args, { env: {}, variables }).catch(() => null);
    return result?.exitCode === 0 ? [[name, result.stdout.trim().split('\n')[0] ?? '']] : [];
  };
  const linker = ['-c', 'ld --version 2>/dev/null | head -n 1'];
  const [ld, ...others] = await Promise.all([
    runOrThrow('bash', linker, { env: {}, variables }),
    read('rustc', '-vV'),
    read('bpf-linker', '--version'),
    read('cc', '--version'),
    read('clang', '--version'),
    read('go', 'version'),
  ]);
  const versions: Record<string, string> = { ...Object.fromEntries(others.flat()), ld: ld.trim() };
  // The tree says which toolchain that is, and its content is part of every key that this is part of.
  if (chosen === 'other') versions.rustc = "the toolchain of the project's toolchain file";
  return versions;
}

/** Makes rustup run the toolchain that a project's file chooses. The user's RUSTUP_TOOLCHAIN overrides the file. */
export function toolchainVariables(
  chosen: string | undefined,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  if (chosen === undefined || chosen === 'other' || environment.RUSTUP_TOOLCHAIN !== undefined) return {};
  return { RUSTUP_TOOLCHAIN: chosen };
}
