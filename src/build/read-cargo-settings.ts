// Build: reads cargo's configuration files, as cargo looks for them from a project's folder:
// https://doc.rust-lang.org/cargo/reference/config.html

import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readFileBelow, readRegularFile } from '../adapters/regular-file.ts';
import type { CargoConfig } from './cargo-runner.ts';

/** Maximum size of one file, in bytes. */
const maxBytes = 1024 * 1024;
/** Names of the file in a folder: cargo reads the first that is there. */
const names = ['config', 'config.toml'];

/**
 * Reads the files outside of a tree, which can set flags and profiles; the nearest first.
 *
 * @returns undefined in place of a file that exists and cannot be read
 */
export async function readCargoSettings(
  environment: Readonly<Record<string, string>>,
  workDir: string,
): Promise<(CargoConfig | undefined)[]> {
  const folders = [];
  for (let folder = dirname(workDir); folder !== dirname(folder); folder = dirname(folder)) {
    folders.push({ folder, holder: join(folder, '.cargo') });
  }
  const home = environment.CARGO_HOME ?? join(environment.HOME ?? homedir(), '.cargo');
  // They may be links. Where the cache lies in a project, such a link can lead to anything.
  return await readEach([...folders, { folder: dirname(home), holder: home }], async (file) => {
    const real = await realpath(file).catch(() => undefined);
    return real === undefined ? undefined : (await readRegularFile(real, maxBytes))?.toString();
  });
}

/**
 * Reads the files of a built tree that apply to the project in it; the nearest first.
 *
 * @param dir where the tree is
 * @param workDir where it was built, and is shown in guests
 * @returns undefined in place of a file that exists and cannot be read
 */
export async function readTreeSettings(
  dir: string,
  workDir: string,
  projectPath: string,
): Promise<(CargoConfig | undefined)[]> {
  const paths = [projectPath];
  for (let path = projectPath; path !== '' && path !== '.'; path = dirname(path)) paths.push(dirname(path));
  const folders = paths.map((path) => ({ folder: join(workDir, path), holder: join(path, '.cargo') }));
  return await readEach(folders, (file) => readFileBelow(dir, file, maxBytes));
}

async function readEach(
  folders: readonly { readonly folder: string; readonly holder: string }[],
  read: (file: string) => Promise<string | undefined>,
): Promise<(CargoConfig | undefined)[]> {
  const found = await Promise.all(
    folders.map(async ({ folder, holder }) => {
      try {
        for (const name of names) {
          const text = await read(join(holder, name));
          if (text !== undefined) return [{ folder, text }];
        }
        return [];
      } catch {
        return [undefined];
      }
    }),
  );
  return found.flat();
}
