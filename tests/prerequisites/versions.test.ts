import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { findVersion, isAdequate, isAtLeast, oldestRust } from '../../src/prerequisites/versions.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

describe('the oldest supported version', () => {
  test.each([
    ['vm/agent/Cargo.toml', /^rust-version = "(.*)"$/m],
    ['vm/agent/fuzz/Cargo.toml', /^rust-version = "(.*)"$/m],
    ['example-project/Cargo.toml', /^rust-version = "(.*)"$/m],
    ['README.md', /Rust (\S+) or\s+newer/],
    ['examples/arc/values.yaml', /Rust (\S+) or newer/],
  ])('Rust is the same in %s', (file, pattern) => {
    expect(pattern.exec(read(file))?.[1]).toBe(oldestRust);
  });

  test.each([
    ['18.20.8', 3],
    ['20.18.3', 3],
    ['20.19.0', 0],
    ['21.7.3', 3],
    ['22.0.0', 0],
  ])('Node is the one in the README: bpfgate under %s exits with %i and the reason', (version, code) => {
    expect(read('README.md')).toContain('Node 20.19 or newer');
    expect(JSON.parse(read('package.json')).engines.node).toBe('^20.19 || >=22');
    // Otherwise Node 20.9 and older would fail with their own error before the first line.
    expect(JSON.parse(read('bin/package.json')).type).toBe('commonjs');
    const folder = mkdtempSync(join(tmpdir(), 'bpfgate-node-'));
    try {
      const pretence = join(folder, 'pretence.cjs');
      const versions = `{ ...process.versions, node: '${version}' }`;
      writeFileSync(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} });\n`);
      const args = ['--require', pretence, join(packageRoot, 'bin/bpfgate'), '--version'];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stderr).toMatch(
        code === 0 ? /^$/ : /^bpfgate: this is Node \S+, and Node 20\.19 or newer is needed\n {2}hint: install .*\n$/,
      );
      expect(status).toBe(code);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('findVersion', () => {
  test.each([
    ['QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c) 2003-2022', '7.2.22'],
    ['QEMU Guest Agent 8.2.2', '8.2.2'],
    ['BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.', '1.35.0'],
    ['*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***', '1.5.4'],
    ['cpio (GNU cpio) 2.13', '2.13'],
    ['GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)', '5.2.15'],
    ['vmtest 0.18.0', '0.18.0'],
    ['rustc 1.97.0-nightly (abc 2026-04-14)', '1.97.0'],
    ['kmod version 30', undefined],
    ['', undefined],
  ])('%j', (output, expected) => {
    expect(findVersion(output)).toBe(expected);
  });
});

test.each([
  ['1.95.0', '1.87', true],
  ['1.87.0', '1.87', true],
  ['1.87', '1.87.0', true],
  ['1.86.9', '1.87', false],
  ['2.0', '1.87', true],
  ['1.9.0', '1.87', false],
])('%s is at least %s: %s', (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});

test.each([
  ['0.18.0', '0.18.0', true],
  ['0.18.3', '0.18.0', true],
  ['0.19.0', '0.18.0', false],
  ['0.17.9', '0.18.0', false],
  ['1.1.0', '1.1.1', false],
])('%s can replace %s: %s', (version, pinned, expected) => {
  expect(isAdequate(version, pinned)).toBe(expected);
});
