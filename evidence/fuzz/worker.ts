// Fuzzing: the process in which one target runs. It writes each input to a file first, so that the watching process has
// it if the worker hangs or dies.

import { createHash } from 'node:crypto';
import { openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { FromWorker, WorkerOptions } from './messages.ts';
import { mutate, openRandom, repeat } from './mutate.ts';
import type { Target } from './target.ts';

const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
const branches = new Uint8Array(options.branches);
Object.assign(globalThis, { branches });
const { target } = (await import(pathToFileURL(options.bundle).href)) as { readonly target: Target };

const maxBytes = target.maxBytes ?? 65_536;
const maxRepeated = 16 * maxBytes;
const baseMs = 250;
const msPerKiB = target.msPerKiB ?? 2;
/** Heap growth in bytes that one input may cause, in addition to an amount for each of its bytes. */
const heapBase = 192 * 1024 * 1024;
const maxMessage = 16 * 1024;
/** Share of the time that may go to long inputs. */
const repeatedShare = 0.1;

const random = openRandom(options.seed);
const words = [...options.words, ...(target.words ?? [])];
/** Counts seen for each branch, one bit each: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more. */
const seen = new Uint8Array(options.branches);
// No bit for 0: the lowest 8 bits of `1 << -1` are 0.
const leastCounts = [1, 2, 3, 4, 8, 16, 32, 128];
const bitOf = Uint8Array.from({ length: 256 }, (_, count) => 1 << leastCounts.findLastIndex((least) => count >= least));

let isFinished = false;
const corpus: Buffer[] = [];
const known = new Set<string>();
const current = openSync(options.current, 'w');
const header = Buffer.alloc(8);
let executions = 0;
let accepted = 0;
let slowestMs = 0;
let largestHeap = 0;
let reached = 0;

/** CPU time of this thread, because others may use the machine. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function send(message: FromWorker): void {
  process.send?.(message);
}

function report(kind: string, input: Buffer, detail: string, signature: string): void {
  if (known.has(signature)) return;
  known.add(signature);
  send({ type: 'finding', kind, input: input.toString('base64'), detail });
  // Each finding is reported once. So many findings usually share a few causes.
  if (known.size >= 20) finish();
}

async function execute(input: Buffer): Promise<{ readonly isNew: boolean }> {
  executions += 1;
  header.writeUInt32LE(executions, 0);
  header.writeUInt32LE(input.length, 4);
  writeSync(current, header, 0, 8, 0);
  if (input.length > 0) writeSync(current, input, 0, input.length, 8);
  branches.fill(0);
  const heapBefore = getHeapStatistics().used_heap_size;
  const startedAt = cpuMs();
  let refused: unknown;
  try {
    const result = target.run(Buffer.from(input));
    if (result !== undefined) await result;
    accepted += 1;
  } catch (error) {
    refused = error ?? 'undefined was thrown';
  }
  const ms = cpuMs() - startedAt;
  const heap = getHeapStatistics().used_heap_size - heapBefore;
  if (heap > largestHeap) largestHeap = heap;
  if (heap > heapBase + 256 * input.length) report('memory', input, `the heap grew by ${heap} bytes`, 'memory');
  if (refused !== undefined) judge(refused, input);
  const limitMs = baseMs + (msPerKiB * input.length) / 1024;
  if (ms > slowestMs) {
    // A repetition may take less: the code is compiled and the memory allocated.
    const leastMs = ms > limitMs / 4 ? await again(input, ms) : ms;
    if (leastMs > slowestMs) slowestMs = leastMs;
    if (leastMs > limitMs) {
      const allowed = `of which each KiB may take ${msPerKiB}, and all together ${baseMs}`;
      report('slow', input, `${Math.round(leastMs)} ms for ${input.length} bytes, ${allowed}`, 'slow');
    }
  }
  let isNew = false;
  for (let index = 0; index < branches.length; index++) {
    const count = branches[index] as number;
    if (count === 0) continue;
    const bit = bitOf[count] as number;
    const before = seen[index] as number;
    if ((before & bit) !== 0) continue;
    if (before === 0) reached += 1;
    seen[index] = before | bit;
    isNew = true;
  }
  return { isNew };
}

async function again(input: Buffer, ms: number): Promise<number> {
  let least = ms;
  for (let round = 0; round < 3; round++) {
    const startedAt = cpuMs();
    try {
      await target.run(Buffer.from(input));
    } catch {
      // The error has already been judged.
    }
    least = Math.min(least, cpuMs() - startedAt);
  }
  return least;
}

function judge(error: unknown, input: Buffer): void {
  const isRefusal = target.refusals.some(
    (allowed) => error instanceof Error && (allowed === Error ? error.constructor === Error : error instanceof allowed),
  );
  if (isRefusal) {
    const { message } = error as Error;
    if (message.length > maxMessage) {
      const detail = `a message of ${message.length} characters: ${message.slice(0, 300)}`;
      report('message', input, detail, 'message');
    } else if (message === '') report('message', input, 'an empty message', 'empty message');
    return;
  }
  const stack = error instanceof Error ? (error.stack ?? String(error)) : `not an Error: ${String(error)}`;
  // The place where a stack overflows is arbitrary.
  const isDeep = error instanceof RangeError && /call stack/.test(error.message);
  const place = isDeep ? 'deep' : stack.split('\n').slice(0, 3).join('\n');
  report('crash', input, stack, place.replace(/\d+/g, '0').slice(0, 600));
}

function keep(input: Buffer): void {
  corpus.push(input);
  const name = createHash('sha256').update(input).digest('hex').slice(0, 20);
  writeFileSync(join(options.queue, name), input);
}

function progress(): void {
  send({ type: 'progress', executions, accepted, corpus: corpus.length, slowestMs, largestHeap, reached });
}

/** Ends the process after its messages are sent. */
function finish(): void {
  isFinished = true;
  progress();
  process.send?.({ type: 'done' } satisfies FromWorker, () => process.exit(0));
}

process.on('unhandledRejection', (error) => {
  const detail = `unhandled: ${error instanceof Error ? error.stack : String(error)}`;
  report('crash', Buffer.from(lastInput), detail, 'unhandled');
});

let lastInput: Buffer = Buffer.alloc(0);
for (const folder of [options.corpus, options.queue]) {
  for (const name of readdirSync(folder).toSorted()) {
    lastInput = readFileSync(join(folder, name));
    const { isNew } = await execute(lastInput);
    if (isNew || folder === options.corpus) corpus.push(lastInput);
  }
}
if (corpus.length === 0) corpus.push(Buffer.alloc(0));
// The corpus runs to its end, and at least one more input is tried, however busy the machine is.
const endAt = Date.now() + options.seconds * 1000;
const ofCorpus = executions;
send({ type: 'started' });
let sentAt = 0;
const startedAt = performance.now();
let repeatedMs = 0;
while (!isFinished) {
  const now = Date.now();
  if (now - sentAt > 500) {
    progress();
    sentAt = now;
    // Lets messages and signals arrive.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (now >= endAt && executions > ofCorpus) {
    finish();
    break;
  }
  // Prefers recently found inputs.
  const from = random(3) === 0 ? corpus.length - 1 - random(Math.min(corpus.length, 20)) : random(corpus.length);
  const base = corpus[from] as Buffer;
  const other = corpus[random(corpus.length)] as Buffer;
  const isRepeated = repeatedMs < repeatedShare * (performance.now() - startedAt) && random(20) === 0;
  lastInput = isRepeated
    ? repeat(base, random, maxRepeated)
    : mutate(base, random, { shape: target.shape, words, maxBytes, other });
  const before = performance.now();
  const { isNew } = await execute(lastInput);
  if (isRepeated) repeatedMs += performance.now() - before;
  if (isNew && lastInput.length <= maxBytes) keep(Buffer.from(lastInput));
}
