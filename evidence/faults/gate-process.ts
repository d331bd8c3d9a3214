// A gate in a process of its own, as a user starts it, that can be watched and disturbed.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { memoryBelow } from './machine.ts';
import { type Sandbox, sandboxEnvironment } from './sandbox.ts';

export interface GateOptions {
  /** Kernel selectors. */
  readonly kernels: string;
  /** More options of `bpfgate run`. */
  readonly options?: readonly string[] | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Options of node itself. */
  readonly nodeOptions?: readonly string[] | undefined;
  /** A program that starts node, and its arguments. */
  readonly wrapper?: readonly string[] | undefined;
  /** Default: the sandbox's. */
  readonly out?: string | undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: Buffer;
  readonly seconds: number;
  /** Peak memory of bpfgate's process. */
  readonly peakMiB: number;
  /** Peak of the total memory of all processes that it started, except QEMU. */
  readonly othersPeakMiB: number;
}

/** The time limit of any gate of this suite. */
const limitMs = 600_000;
/** The number of last bytes of output that are kept; no fault prints more. */
const maxPrinted = 64 * 1024 * 1024;

export class GateProcess {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();
  #stdout = '';
  #stderr = Buffer.alloc(0);
  #peakKiB = 0;
  #othersPeakKiB = 0;
  #hasEnded = false;

  constructor(sandbox: Sandbox, args: readonly string[], given: Partial<GateOptions> = {}) {
    const node = [process.execPath, ...(given.nodeOptions ?? []), join(packageRoot, 'src', 'cli.ts'), ...args];
    const [program = '', ...programArguments] = [...(given.wrapper ?? []), ...node];
    this.#child = spawn(program, programArguments, {
      cwd: sandbox.project,
      env: { ...sandboxEnvironment(sandbox), ...given.environment },
      // Its own process group, so that an interruption of the suite does not reach it directly.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A suite that ends also ends its gate, and with it the gate's guests.
    const endWithSuite = () => this.kill('SIGKILL');
    // Runs before the suite's folder is removed, because the gate writes to it.
    process.prependListener('exit', endWithSuite);
    const sampling = setInterval(() => this.#sample(), 20);
    const timer = globalThis.setTimeout(() => this.kill('SIGKILL'), limitMs);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-maxPrinted);
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-maxPrinted);
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code, signal) => {
        process.off('exit', endWithSuite);
        clearInterval(sampling);
        clearTimeout(timer);
        this.#hasEnded = true;
        resolve({
          code,
          signal,
          stdout: this.#stdout,
          stderr: this.#stderr,
          seconds: (performance.now() - this.#startedAt) / 1000,
          peakMiB: this.#peakKiB / 1024,
          othersPeakMiB: this.#othersPeakKiB / 1024,
        });
      });
    });
  }

  /** Starts `bpfgate run` on the sandbox's project: its working tree against `base`. */
  static run(sandbox: Sandbox, given: GateOptions): GateProcess {
    const revisions = ['--project', sandbox.project, '--base', 'base'];
    const what = ['--kernels', given.kernels, '--lanes', 'instructions', '--out', given.out ?? sandbox.out];
    return new GateProcess(sandbox, ['run', ...revisions, ...what, ...(given.options ?? [])], given);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the gate could not be started');
    return this.#child.pid;
  }

  get stderr(): string {
    return this.#stderr.toString('utf8');
  }

  /** Restarts the measurement of `othersPeakMiB`: compilers take more memory than the fault under test. */
  forgetOthers(): void {
    this.#othersPeakKiB = 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when stderr matches. @throws Error if the gate ends before */
  async said(pattern: RegExp): Promise<void> {
    await this.until(() => pattern.test(this.stderr), `it said ${pattern}`);
  }

  /**
   * Resolves with the result of `find`, as soon as that is neither undefined nor false.
   *
   * @throws Error if the gate ends before
   */
  async until<T>(find: () => T | undefined | false, what: string): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      if (this.#hasEnded) throw new Error(`the gate ended before ${what}:\n${this.stderr}`);
      await setTimeout(10);
    }
  }

  #sample(): void {
    try {
      this.#othersPeakKiB = Math.max(this.#othersPeakKiB, memoryBelow(this.pid));
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      this.#peakKiB = Math.max(this.#peakKiB, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  }
}
