// Installs the project's npm packages, including the pinned Node, if they differ from the lock file.
// Plain JavaScript for Node 20, because it runs before anything is installed.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');

/** Environment in which the pinned Node and the installed tools come first. */
export const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };

/** Runs `npm ci` unless the installed packages match the lock file. */
export function installPackages() {
  if (process.arch !== 'x64') {
    console.error(`bpfgate runs on x86-64 only, and this machine is ${process.arch}`);
    process.exit(3);
  }
  const stamp = join(root, 'node_modules', '.bpfgate-lock');
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) {
    console.error('npm packages: nothing to install');
    return;
  }
  console.error('npm packages: installing with `npm ci`');
  // Node 24 comes as one of the packages, so it does not matter that the Node running npm is older.
  const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 'pipe'],
    encoding: 'utf8',
  });
  process.stderr.write(stderr ?? '');
  if (status !== 0) {
    const isFull = /ENOSPC|no space left on device/i.test(stderr ?? '');
    const why = isFull
      ? `the disk of ${root} or of npm's cache (\`npm config get cache\`) is full; free space on it, then try again`
      : 'run it by hand in the checkout to see why';
    console.error(`npm ci failed: ${why}`);
    process.exit(3);
  }
  writeFileSync(stamp, lock);
}

/**
 * Runs a program in the project's folder and passes its output through.
 *
 * @returns {number} its exit code; 1 if a signal ended it
 */
export function runHere(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: environment, ...options });
  return status ?? 1;
}
