// Fuzzing: runs one target in its own process with a memory limit, and ends it if an input takes too long.

import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleInstrumented } from './instrument.ts';
import type { Counts, FromWorker, WorkerOptions } from './messages.ts';

/** Heap limit of a target's process, in MiB. Exceeding it ends the process, which is a finding. */
const maxOldSpaceMiB = 512;
/** Clock ticks per second, on Linux on x86-64. */
const ticksPerSecond = 100;

export interface Finding {
  readonly kind: string;
  /** Path of the saved input. */
  readonly file: string;
  readonly detail: string;
}

export interface Outcome extends Counts {
  readonly name: string;
  /** Run time, including its corpus. */
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

export interface WatchOptions {
  readonly name: string;
  /** Absolute path of the target's module. */
  readonly module: string;
  readonly seed: number;
  readonly seconds: number;
  /** Folder of the target's inputs in the repository. */
  readonly corpus: string;
  /** A folder for this target alone. */
  readonly scratch: string;
  /** Folder for the inputs of findings. */
  readonly findings: string;
  /** CPU time after which an input hangs, in seconds. Default 20. */
  readonly hangSeconds?: number;
  /** Ends at the first finding. Default false. */
  readonly untilFound?: boolean;
  /** Called about twice a second. */
  readonly onProgress?: (counts: Counts) => void;
}

export async function watchTarget(options: WatchOptions): Promise<Outcome> {
  const { name, seconds, scratch } = options;
  const queue = join(scratch, 'queue');
  const current = join(scratch, 'current');
  const bundle = join(scratch, 'target.mjs');
  mkdirSync(queue, { recursive: true });
  const { branches, words } = await bundleInstrumented(options.module, bundle);
  const findings: Finding[] = [];
  const total = { executions: 0, accepted: 0, corpus: 0, slowestMs: 0, largestHeap: 0, reached: 0 };
  const startedAt = performance.now();
  const left = () => seconds - (performance.now() - startedAt) / 1000;
  // A dead worker is replaced, up to 9 times. The next one continues with the inputs found so far.
  for (let attempt = 0; attempt < 10 && (attempt === 0 || left() > 1); attempt++) {
    const given: WorkerOptions = {
      bundle,
      branches,
      words,
      seed: (options.seed + attempt * 7919) >>> 0,
      seconds: Math.max(1, left()),
      corpus: options.corpus,
      queue,
      current,
    };
    const ended = await runWorker(given, options, findings);
    total.executions += ended.counts.executions;
    total.accepted += ended.counts.accepted;
    total.corpus = Math.max(total.corpus, ended.counts.corpus);
    total.slowestMs = Math.max(total.slowestMs, ended.counts.slowestMs);
    total.largestHeap = Math.max(total.largestHeap, ended.counts.largestHeap);
    total.reached = Math.max(total.reached, ended.counts.reached);
    if (ended.isDone) break;
    findings.push(saveFinding(options, ended.kind, readCurrent(current), ended.detail));
    if (options.untilFound === true) break;
  }
  return { name, seconds: (performance.now() - startedAt) / 1000, findings, ...total };
}

interface Ended {
  readonly counts: Counts;
  readonly isDone: boolean;
  readonly kind: string;
  readonly detail: string;
}

function runWorker(given: WorkerOptions, options: WatchOptions, findings: Finding[]): Promise<Ended> {
  const { hangSeconds = 20 } = options;
  return new Promise((resolve, reject) => {
    const worker = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(given)], {
      execArgv: [`--max-old-space-size=${maxOldSpaceMiB}`, '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let counts: Counts = { executions: 0, accepted: 0, corpus: 0, slowestMs: 0, largestHeap: 0, reached: 0 };
    let isDone = false;
    let isHung = false;
    let stderr = '';
    let lastRun = { number: -1, at: 0 };
    worker.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'done') isDone = true;
      if (message.type === 'progress') {
        counts = message;
        options.onProgress?.(counts);
      }
      if (message.type === 'finding') {
        findings.push(saveFinding(options, message.kind, Buffer.from(message.input, 'base64'), message.detail));
        if (options.untilFound !== true) return;
        isDone = true;
        worker.kill('SIGKILL');
      }
    });
    const watch = setInterval(() => {
      const number = readNumber(given.current);
      const now = readCpuSeconds(worker.pid);
      if (number !== lastRun.number) lastRun = { number, at: now };
      else if (now - lastRun.at > hangSeconds) {
        isHung = true;
        worker.kill('SIGKILL');
      }
    }, 500);
    const stop = () => worker.kill('SIGKILL');
    process.once('exit', stop);
    worker.on('error', reject);
    worker.on('close', (code, signal) => {
      clearInterval(watch);
      process.off('exit', stop);
      const isMemory = /heap out of memory|invalid (array|string) length/i.test(stderr);
      const kind = isHung ? 'hang' : isMemory ? 'memory' : 'crash';
      const how = isHung
        ? `no end after ${hangSeconds} s`
        : `the process ended with ${code ?? signal}: ${stderr.trim()}`;
      resolve({ counts, isDone, kind, detail: how });
    });
  });
}

/** CPU time, because wall-clock time says nothing on a machine that others use. */
function readCpuSeconds(pid: number | undefined): number {
  try {
    // The second field is a name that may contain blanks; user and system are the 14th and 15th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}

function readNumber(file: string): number {
  try {
    return readFileSync(file).readUInt32LE(0);
  } catch {
    return -1;
  }
}

function readCurrent(file: string): Buffer {
  const bytes = readFileSync(file);
  return bytes.length < 8 ? Buffer.alloc(0) : bytes.subarray(8, 8 + bytes.readUInt32LE(4));
}

function saveFinding({ name, findings }: WatchOptions, kind: string, input: Buffer, detail: string): Finding {
  const folder = join(findings, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`);
  writeFileSync(file, input);
  return { kind, file, detail };
}
