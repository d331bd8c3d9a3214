// Adapter: external programs, which are only started here. Each has a folder and an environment that are chosen here, a
// time limit and a cancel signal. Its whole process group is killed at the end.

import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { InterruptedError, MachineError } from '../common/errors.ts';
import { absoluteFolders, hostEnvironment } from '../common/host-environment.ts';

/**
 * A folder in which, and above which, no project or other user can put anything: toolchain files, settings of cargo or
 * git, modules of Python.
 */
const neutralFolder = '/';

export interface Place {
  /** Folder in which the program runs. Default: `neutralFolder`. */
  readonly cwd?: string | undefined;
  /** Source of its environment; only the variables of host-environment.ts are taken. Default: this process's. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Further variables, passed as they are, except that PATH loses folders that are not absolute. Default: none. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export interface RunOptions extends Place {
  /** Default 10 minutes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Its standard input. Default: nothing. */
  readonly input?: string | Buffer;
  /** An open file as its standard input, read from its current position; instead of `input`. */
  readonly stdin?: FileHandle;
  /** Called with every line of stdout and stderr, as it comes. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** File to which stdout and stderr are also written. */
  readonly logFile?: string;
  /** The number of characters that are returned of each stream's end. Default 4 Mi. */
  readonly maxOutput?: number;
}

export interface RunResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** At most the last `maxOutput` characters of each stream. */
  readonly stdout: string;
  readonly stderr: string;
}

const defaultMaxOutput = 4 * 1024 * 1024;
/** Time that sudo may take to end what it has started. */
const sudoMs = 10_000;
/** Time for which the rest of a program's output is read after it has ended. */
const pipeGraceMs = 1000;
/** Pieces of a text that are joined at once. */
const piecesAtOnce = 1024;
/**
 * Limits for a program that writes byte by byte, as a guest does on its console. Its output is read as it comes, this
 * often at once, and this often per millisecond in the long run. Beyond that its output may gather first, because
 * reading each byte takes more memory than is freed meanwhile.
 */
const mostReads = 200_000;
const readsPerMs = 20;
const gatherMs = 5;

/** Starts a program that leads its own process group. */
export function start(file: string, args: readonly string[], stdio: StdioOptions, place: Place = {}): ChildProcess {
  const { cwd = neutralFolder, env = process.env, variables } = place;
  const all: Readonly<Record<string, string>> = { ...hostEnvironment(env), ...variables };
  return spawn(file, args, { cwd, env: { ...all, PATH: absoluteFolders(all.PATH) }, detached: true, stdio });
}

/**
 * Runs a program to its end, however it ends; only a program that cannot be started or an aborted signal throws.
 *
 * The program leads its own process group; the rest of the group is killed when it ends.
 *
 * @throws MachineError when the program cannot be started
 * @throws InterruptedError when `signal` aborts
 */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const stdin = options.stdin?.fd ?? (options.input === undefined ? 'ignore' : 'pipe');
  const child = start(file, args, [stdin, 'pipe', 'pipe'], options);
  const maxOutput = options.maxOutput ?? defaultMaxOutput;
  const log = options.logFile === undefined ? undefined : createWriteStream(options.logFile);
  let timedOut = false;
  let aborted = false;
  let grace: NodeJS.Timeout | undefined;
  const killGroup = () => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup();
  }, options.timeoutMs ?? 600_000);
  const onAbort = () => {
    // A program whose time is up stays so, whatever its end triggers.
    aborted = !timedOut;
    killGroup();
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });

  const collect = (stream: 'stdout' | 'stderr') => {
    const text = new End(maxOutput);
    const pending = new End(maxOutput);
    const readable = child[stream];
    const reads = new Allowance(mostReads, readsPerMs);
    readable?.setEncoding('utf8');
    readable?.on('data', (chunk: string) => {
      log?.write(chunk);
      text.add(chunk);
      if (!reads.take()) {
        readable.pause();
        setTimeout(() => readable.resume(), gatherMs);
      }
      if (options.onLine === undefined) return;
      pending.add(chunk);
      if (!chunk.includes('\n')) return;
      const lines = pending.take().split('\n');
      pending.add(lines.pop() ?? '');
      for (const line of lines) options.onLine(line, stream);
    });
    return () => {
      const rest = pending.take();
      if (rest !== '') options.onLine?.(rest, stream);
      return text.take().slice(-maxOutput);
    };
  };
  const stdout = collect('stdout');
  const stderr = collect('stderr');
  if (options.input !== undefined) {
    // A program may end without reading its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
  }

  try {
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on('error', (cause) =>
        reject(
          new MachineError(`cannot start \`${file}\``, {
            cause,
            hint: 'run `bpfgate doctor` to see what is missing',
          }),
        ),
      );
      // Grandchildren may keep the pipes open after the program has ended. Those in its group are killed. One that left
      // the group (a daemon) is not waited for.
      child.on('exit', () => {
        killGroup();
        grace = setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, pipeGraceMs);
      });
      child.on('close', (code, sig) => resolve([code, sig]));
    });
    if (aborted) throw new InterruptedError(`\`${file}\` was interrupted`, { cause: options.signal?.reason });
    return { exitCode, signal, timedOut, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', onAbort);
    log?.end();
  }
}

/** Runs a program like `run`; undefined when it cannot be started. */
export async function runIfPossible(...given: Parameters<typeof run>): Promise<RunResult | undefined> {
  try {
    return await run(...given);
  } catch (error) {
    if (error instanceof MachineError) return undefined;
    throw error;
  }
}

/**
 * The end of a text that comes in pieces, as a guest's console does byte by byte. A string to which each piece is added
 * takes some thirty times their length in memory, since it refers to all of them.
 */
class End {
  readonly #maxLength: number;
  #text = '';
  #pieces: string[] = [];

  /** @param maxLength units kept at least, in UTF-16; never more than twice that and a thousand pieces */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= piecesAtOnce) this.#text = this.take();
  }

  /** Returns the kept text and empties it. */
  take(): string {
    const text = this.#text + this.#pieces.join('');
    this.#text = '';
    this.#pieces = [];
    // Cut only now and then, because a cut copies the text.
    return text.length > 2 * this.#maxLength ? text.slice(-this.#maxLength) : text;
  }
}

/** Limits how often something is done: `most` times at once, and `perMs` times per millisecond in the long run. */
class Allowance {
  readonly #most: number;
  readonly #perMs: number;
  #left: number;
  #at = performance.now();

  constructor(most: number, perMs: number) {
    this.#most = most;
    this.#perMs = perMs;
    this.#left = most;
  }

  /** Whether one more is within the limit. */
  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#left >= 0;
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    // With any other error the group has ended already. What sudo has started is root's, and only sudo may end it. If
    // sudo does not allow that, as when it would ask for a password, it started nothing.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return;
    // The shell's own kill: the program of that name is in procps, which a minimal Debian does not have.
    const kill = ['sh', '-c', 'kill -s KILL -- "-$1"', 'sh', String(leader)];
    const env = hostEnvironment(process.env);
    spawnSync('sudo', ['-n', ...kill], { cwd: neutralFolder, env, stdio: 'ignore', timeout: sudoMs });
  }
}

/**
 * Runs a program that must succeed and returns its stdout.
 *
 * @throws MachineError naming the command and the end of its stderr when it exits with anything but 0
 */
export async function runOrThrow(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await run(file, args, options);
  if (result.exitCode === 0) return result.stdout;
  const how = result.timedOut
    ? 'ran out of time'
    : result.signal === null
      ? `exited with ${result.exitCode}`
      : `was ended by ${result.signal}`;
  throw new MachineError(`\`${[file, ...args].join(' ')}\` ${how}${tail(result.stderr)}`);
}

function tail(text: string): string {
  const lines = text.trim().split('\n').slice(-10).join('\n');
  return lines === '' ? '' : `:\n${lines}`;
}
