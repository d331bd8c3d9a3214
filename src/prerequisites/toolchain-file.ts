// Prerequisites: the file by which a project chooses its Rust toolchain, read as data. Obeying it is for the project's own
// build: it can name a folder of the project's, whose programs would run in the place of Rust's.

import { dirname, join, relative, sep } from 'node:path';
import { parse } from 'smol-toml';
import { readFileBelow } from '../adapters/regular-file.ts';

const maxBytes = 64 * 1024;
/** Names that rustup installs: a channel or a release, of a day perhaps. Any other is a toolchain somebody made. */
const released = /^(stable|beta|nightly|\d+\.\d+(\.\d+)?)(-\d{4}-\d{2}-\d{2})?(-x86_64-unknown-linux-gnu)?$/;

export function isReleasedToolchain(name: string): boolean {
  return released.test(name);
}

/**
 * What the nearest `rust-toolchain` or `rust-toolchain.toml` chooses, in a folder or one above it
 * (https://rust-lang.github.io/rustup/overrides.html#the-toolchain-file).
 *
 * @param root where the search ends
 * @returns a toolchain that rustup installs, `other` for any other choice, undefined where there is no such file
 */
export async function readToolchainFile(root: string, folder: string): Promise<string | 'other' | undefined> {
  for (let at = folder; at === root || at.startsWith(root + sep); at = dirname(at)) {
    for (const name of ['rust-toolchain', 'rust-toolchain.toml']) {
      const text = await readFileBelow(root, relative(root, join(at, name)), maxBytes).catch(() => '');
      if (text === undefined) continue;
      const chosen = channelOf(text);
      return released.test(chosen) ? chosen : 'other';
    }
    if (at === root) break;
  }
  return undefined;
}

function channelOf(text: string): string {
  try {
    const { toolchain } = parse(text) as { toolchain?: { channel?: unknown } };
    return typeof toolchain?.channel === 'string' ? toolchain.channel : '';
  } catch {
    // The older form: one line with a name.
    return text.trim();
  }
}
