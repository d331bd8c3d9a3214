// Runs the command line as a user would, in a process of its own.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Send SIGINT when stderr shows this. */
  readonly interruptAt?: RegExp;
}

export function bpfgate(args: readonly string[], options: Options = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'src', 'cli.ts'), ...args], {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let interrupted = false;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      if (options.interruptAt?.test(stderr) && !interrupted) {
        interrupted = true;
        child.kill('SIGINT');
      }
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder that is gone when the test has ended, or when what `whenDone` registers is called. */
export function temporaryFolder(whenDone: (cleanUp: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-e2e-'));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Running programs of guests, by name and process id; those that have ended and wait to be reaped do not count. */
export function guestProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return name !== undefined && state !== 'Z' && /^(qemu|vmtest)/.test(name) ? [`${name} ${pid}`] : [];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
}

/** What guests leave in the temporary folder while they run: vmtest's sockets and init, bpfgate's run folders. */
export function guestFiles(): string[] {
  return readdirSync('/tmp').filter((name) =>
    /^(qga|qmp|cmdout)-\d+\.sock$|^vmtest-init|^bpfgate-(run|git)-/.test(name),
  );
}
