// Build: the tools that compile and link a project; part of the fingerprint and of the key of kept builds.

import { run, runOrThrow } from '../adapters/process.ts';
import { readToolchainFile } from '../prerequisites/toolchain-file.ts';

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
  const chosen = await readToolchainFile(workDir, project);
  const variables = { ...environment, GOTOOLCHAIN: 'local', ...toolchainVariables(chosen, environment) };
  const versions: Record<string, string> = {};
  for (const [name, args] of [
    ['rustc', ['-vV']],
    ['bpf-linker', ['--version']],
    ['cc', ['--version']],
    ['clang', ['--version']],
    ['go', ['version']],
  ] as const) {
    const result = await run(name, args, { env: {}, variables }).catch(() => null);
    if (result?.exitCode === 0) versions[name] = result.stdout.trim().split('\n')[0] ?? '';
  }
  const linker = ['-c', 'ld --version 2>/dev/null | head -n 1'];
  versions.ld = (await runOrThrow('bash', linker, { env: {}, variables })).trim();
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
