// Adapter: the file by which a project chooses its Rust toolchain, read as data. Only the project's own build
// obeys it: it can name a folder of the project, whose programs would run in place of Rust's.

import { dirname, join, relative, sep } from 'node:path';
import { parseTable, type Table, table } from '../common/cargo-manifest.ts';
import { readFileBelow } from './regular-file.ts';

const maxBytes = 64 * 1024;
const maxNames = 20;
/** Names that rustup installs: a channel or a release, perhaps with a date. Any other is a custom toolchain. */
const released = /^(stable|beta|nightly|\d+\.\d+(\.\d+)?)(-\d{4}-\d{2}-\d{2})?(-x86_64-unknown-linux-gnu)?$/;

export function isReleasedToolchain(name: string): boolean {
  return released.test(name);
}

/** The part of a project's toolchain file that names what rustup installs. */
export interface ToolchainFile {
  /** A toolchain that rustup installs; `other` for any other choice. */
  readonly channel: string | 'other';
  /** Further components, and targets to compile for. */
  readonly components: readonly string[];
  readonly targets: readonly string[];
}

/**
 * Finds the nearest `rust-toolchain` or `rust-toolchain.toml`, in a folder or one above it
 * (https://rust-lang.github.io/rustup/overrides.html#the-toolchain-file).
 *
 * @param root where the search ends
 * @returns undefined where there is no such file
 */
export async function findToolchainFile(root: string, folder: string): Promise<ToolchainFile | undefined> {
  for (let at = folder; at === root || at.startsWith(root + sep); at = dirname(at)) {
    for (const name of ['rust-toolchain', 'rust-toolchain.toml']) {
      const text = await readFileBelow(root, relative(root, join(at, name)), maxBytes).catch(() => '');
      if (text !== undefined) return parseToolchainFile(text);
    }
    if (at === root) break;
  }
  return undefined;
}

function parseToolchainFile(text: string): ToolchainFile {
  const content = parseTable(text);
  // The older form is one line with a name.
  const chosen: Table = content === undefined ? { channel: text.trim() } : table(content.toolchain);
  const { channel, components, targets } = chosen;
  return {
    channel: typeof channel === 'string' && released.test(channel) ? channel : 'other',
    components: names(components),
    targets: names(targets),
  };
}

function names(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.filter((name) => typeof name === 'string' && /^[a-z0-9][\w.-]*$/i.test(name)).slice(0, maxNames);
}
