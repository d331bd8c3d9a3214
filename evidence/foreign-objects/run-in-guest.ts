// Foreign objects: runs scripts in a kernel's guest.

import { join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import type { Host } from '../host.ts';

const guestSeconds = 2 * 60 * 60;

/** Runs a shell script in a guest that can read its working folder. Returns its standard output. */
export async function runInGuest(kernel: string, script: string, cwd: string, host: Host): Promise<string> {
  const command = [join(packageRoot, 'src', 'cli.ts'), 'exec', '--kernel', kernel, '--timeout', `${guestSeconds}`];
  return await runOrThrow(process.execPath, [...command, '--', 'bash', '-c', script], {
    cwd,
    env: host.environment,
    timeoutMs: guestSeconds * 1000,
    signal: host.signal,
    maxOutput: 64 * 1024 * 1024,
  });
}
