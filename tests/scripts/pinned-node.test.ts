// A checkout of two files, with a fake npm that installs nothing.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

test.each([
  [
    'is full',
    'npm error nospc ENOSPC: no space left on device, write',
    /: the disk of \S+ or of npm's cache .* is full; /,
  ],
  ['is not', 'npm error network', /: run it by hand in the checkout to see why$/m],
])('an npm ci that fails because the disk %s is reported as such, and run again the next time', (_, says, expected) => {
  const root = mkdtempSync(join(tmpdir(), 'bpfgate-pinned-node-'));
  try {
    for (const folder of ['scripts', 'bin', 'node_modules']) mkdirSync(join(root, folder));
    copyFileSync(join(packageRoot, 'scripts/pinned-node.mjs'), join(root, 'scripts/pinned-node.mjs'));
    writeFileSync(join(root, 'package-lock.json'), '{}');
    const npm = `#!/bin/sh\n[ -e '${root}/fixed' ] || { echo '${says}' >&2; exit 228; }\n`;
    writeFileSync(join(root, 'bin/npm'), npm, { mode: 0o755 });
    const code = `import('${root}/scripts/pinned-node.mjs').then(({ installPackages }) => installPackages())`;
    const install = () =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` },
        encoding: 'utf8',
      });
    const first = install();
    expect(first.status).toBe(3);
    expect(first.stderr).toContain(says);
    expect(first.stderr).toMatch(expected);
    writeFileSync(join(root, 'fixed'), '');
    expect(install().status).toBe(0);
    expect(existsSync(join(root, 'node_modules/.bpfgate-lock'))).toBe(true);
    expect(install().stderr).toBe('npm packages: nothing to install\n');
  } finally {
    rmSync(root, { recursive: true });
  }
});
