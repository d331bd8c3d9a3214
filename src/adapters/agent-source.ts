// Adapter: the source of the guest agent, which is part of this package.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Absolute path of its crate. */
export const agentSource = join(packageRoot, 'vm', 'agent');

/** SHA-256 over the files the agent is compiled from. */
export async function hashAgentSources(): Promise<string> {
  const hash = createHash('sha256');
  const names = ['Cargo.toml', 'Cargo.lock', 'build.rs', '.cargo/config.toml'];
  for (const name of await readdir(join(agentSource, 'src'))) names.push(`src/${name}`);
  for (const name of names.sort()) hash.update(name).update(await readFile(join(agentSource, name)));
  return hash.digest('hex');
}
