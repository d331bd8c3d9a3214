// Adapter: sources of the programs that a guest needs: crates of this package.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** The guest agent and QEMU's plugin: each crate's folder, an absolute path, and the file that cargo makes of it. */
export const guestPrograms = {
  'bpfgate-agent': { crate: join(packageRoot, 'vm', 'agent'), made: 'bpfgate-agent' },
  'bpfgate-plugin': { crate: join(packageRoot, 'vm', 'plugin'), made: 'libbpfgate_plugin.so' },
} as const;
export type GuestProgram = keyof typeof guestPrograms;

/** The only target they are compiled for. It is named to cargo, so that flags for it do not reach build scripts. */
export const target = 'x86_64-unknown-linux-gnu';

/** SHA-256 over the files a program is compiled from. */
export async function hashSources(program: GuestProgram): Promise<string> {
  const { crate } = guestPrograms[program];
  const hash = createHash('sha256');
  const names = ['Cargo.toml', 'Cargo.lock', 'build.rs', '.cargo/config.toml'].filter((name) =>
    existsSync(join(crate, name)),
  );
  for (const name of await readdir(join(crate, 'src'))) names.push(`src/${name}`);
  for (const name of names.sort()) hash.update(name).update(await readFile(join(crate, name)));
  return hash.digest('hex');
}
