// Prerequisites, pure: versions as programs print them, and the oldest usable Rust.

import { compareVersions } from '../common/versions.ts';

/**
 * The oldest Rust that compiles the guest agent, every tool and the example project. Crates of the agent and of bpf-linker
 * ask for 1.88, one of the example's for 1.91; that is also the first whose toolchain has an LLVM that bpf-linker can be
 * built with (21). Manifests and documents say the same, which tests/prerequisites/versions.test.ts checks.
 */
export const oldestRust = '1.91';

/** The first thing in a program's output that looks like a version, `7.2.22`; undefined when there is none. */
export function findVersion(output: string): string | undefined {
  return /(?<![\d.])\d+\.\d+(?:\.\d+)?(?![\d.]*\.\d)/.exec(output)?.[0];
}

/** Whether `version` is `minimum` or newer. */
export function isAtLeast(version: string, minimum: string): boolean {
  return compareVersions(version, minimum) >= 0;
}

/** Whether `version` can stand in for `pinned`: the same minor version, and not older. */
export function isAdequate(version: string, pinned: string): boolean {
  const minor = (text: string) => text.split('.').slice(0, 2).join('.');
  return minor(version) === minor(pinned) && isAtLeast(version, pinned);
}
