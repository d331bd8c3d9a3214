// Runs the command line as a user would, in a process of its own.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Send `signal` when stderr shows this. */
  readonly interruptAt?: RegExp;
  /** Default SIGINT; `none`: only `onInterrupt` is called. */
  readonly signal?: NodeJS.Signals | 'none';
  /** Called just before the signal. */
  readonly onInterrupt?: () => void;
}

/** The last runs of this file's tests, not only the current one's: a test may examine a run that several share. */
export const lastRuns: { readonly args: readonly string[]; readonly outcome: Outcome }[] = [];
const keptRuns = 4;

export async function bpfgate(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const outcome = await runBpfgate(args, options);
  lastRuns.push({ args, outcome });
  if (lastRuns.length > keptRuns) lastRuns.shift();
  return outcome;
}

function runBpfgate(args: readonly string[], options: Options): Promise<Outcome> {
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
        options.onInterrupt?.();
        if (options.signal !== 'none') child.kill(options.signal ?? 'SIGINT');
      }
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder that is removed when the test ends, or when what `whenDone` registers is called. */
export function temporaryFolder(whenDone: (cleanUp: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-e2e-'));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a script in the run folders of guests that run with TMPDIR=`folder`. It does what a program could do there that
 * has taken over its guest's kernel; no other program reaches these folders.
 */
export function inRunFolders(folder: string, script: string): void {
  const own = readdirSync(folder).filter((name) => /^bpfgate-run-\w+$/.test(name));
  for (const name of own) execFileSync('sh', ['-c', script], { cwd: join(folder, name) });
}

/** Arguments of every running program, NUL-separated; zombies have none. */
function runningArguments(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // It has ended meanwhile.
      }
    });
}

/** The running programs that name a folder, each by its arguments. */
export function programsOf(folder: string): string[] {
  return runningArguments()
    .filter((text) => text.includes(`${folder}/`))
    .map((text) => text.replaceAll('\0', ' '));
}

/** The leftovers of guests of a run with TMPDIR=`folder`: programs that name the folder, and files in it. */
export function leftovers(folder: string): string[] {
  return [...programsOf(folder), ...readdirSync(folder)];
}

/**
 * Waits until no guest of a killed run with TMPDIR=`folder` is left. Then removes vmtest's sockets, which nothing else
 * removes after a kill and other tests would find.
 */
export async function cleanUpKilled(folder: string): Promise<void> {
  await vi.waitFor(() => expect(programsOf(folder)).toEqual([]), { timeout: 60_000 });
  for (const runFolder of readdirSync(folder).filter((name) => name.startsWith('bpfgate-run-'))) {
    const file = join(folder, runFolder, 'runner.arguments');
    // Without it QEMU was not started, and there are no sockets.
    const given = existsSync(file) ? readFileSync(file, 'utf8') : '';
    for (const [socket] of given.matchAll(/\/tmp\/\w+-\d+\.sock/g)) rmSync(socket, { force: true });
  }
}

/** Files that killed VMs left in /tmp, where vmtest has its sockets: those that belong to no running guest. */
export function findOrphans(): string[] {
  const running = runningArguments();
  // Every socket that a program has open or listens on.
  const sockets = readFileSync('/proc/net/unix', 'utf8');
  return readdirSync('/tmp')
    .filter((name) => /^(qga|qmp|cmdout)-\d+\.sock$|^vmtest-init/.test(name))
    .filter((name) => !sockets.includes(`/tmp/${name}\n`) && !(name.endsWith('.sh') && isVmtestRunning(running)));
}

/** Whether vmtest is running: its init script, which has a random name, exists until vmtest gets its answer. */
function isVmtestRunning(running: readonly string[]): boolean {
  return running.some((text) => text.startsWith('vmtest\0'));
}
