// What compiles and links a project: part of the fingerprint and of the key of kept builds.

import { run, runOrThrow } from '../adapters/process.ts';
import { readToolchainFile } from '../prerequisites/toolchain-file.ts';

/**
 * What each tool says of its version, by name; one that is not there is left out. Asked outside of the project, whose
 * files can have rustup start a program of the project's in the place of rustc, and Go download another release.
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
  // Which that is the tree says, whose content is part of whatever this is.
  if (chosen === 'other') versions.rustc = "the toolchain of the project's toolchain file";
  return versions;
}

/** Has rustup run the toolchain that a project's file chooses. An RUSTUP_TOOLCHAIN of the user's counts more than the file. */
export function toolchainVariables(
  chosen: string | undefined,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  if (chosen === undefined || chosen === 'other' || environment.RUSTUP_TOOLCHAIN !== undefined) return {};
  return { RUSTUP_TOOLCHAIN: chosen };
}
