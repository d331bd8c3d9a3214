import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { InterruptedError, MachineError, VmError } from '../../src/common/errors.ts';
import { launchGuest } from '../../src/vm/boot.ts';
import { FileTail, type TailOptions } from '../../src/vm/guest.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
let file: string;
const never = AbortSignal.any([]);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-tail-'));
  file = join(folder, 'stdout');
});
afterEach(() => rm(folder, { recursive: true }));

/** Collects what is passed on of the file; `tail` is closed at the end of the test. */
function follow(maxBytes: number, options: Partial<TailOptions> = {}) {
  const seen: Buffer[] = [];
  const tail = new FileTail(file, (chunk) => seen.push(chunk), { maxBytes, ...options });
  onTestFinished(() => tail.close());
  return { tail, text: () => Buffer.concat(seen).toString(), length: () => Buffer.concat(seen).length };
}

describe('a file that a guest appends to', () => {
  test('is passed on as it grows', async () => {
    const { tail, text } = follow(100);
    await tail.read(never);
    await writeFile(file, 'one\n');
    await tail.read(never);
    await writeFile(file, 'two\n', { flag: 'a' });
    await tail.read(never);
    expect(text()).toBe('one\ntwo\n');
  });

  test('is refused if it is too long, before a hole of a terabyte is read', async () => {
    await writeFile(file, 'x');
    await truncate(file, 2 ** 40);
    const { tail, length } = follow(2 ** 30);
    const error = await tail.read(never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VmError);
    expect(error).toMatchObject({ message: 'the guest left stdout of more than 1073741824 bytes' });
    expect(length()).toBe(0);
  });

  test('of a guest that was ended gives no error', async () => {
    await writeFile(file, 'abcd');
    await expect(follow(3).tail.finish(AbortSignal.abort())).resolves.toBeUndefined();
  });

  test("is refused with the caller's error", async () => {
    await writeFile(file, 'abcd');
    const { tail } = follow(3, { tooLong: () => new MachineError('too much') });
    await expect(tail.read(never)).rejects.toThrow('too much');
  });

  test('is not read after the time limit', async () => {
    await writeFile(file, '');
    await truncate(file, 2 ** 30);
    const stop = new AbortController();
    let chunks = 0;
    const untilTaken = () => {
      chunks += 1;
      if (chunks === 3) stop.abort();
      return undefined;
    };
    const { tail } = follow(2 ** 30, { untilTaken });
    await tail.read(stop.signal);
    expect(chunks).toBe(3);
  });

  test('waits if its reader is slow, and is passed on completely at the end', async () => {
    await writeFile(file, Buffer.alloc(200_000, 'x'));
    const taken: (() => void)[] = [];
    const untilTaken = () => new Promise<void>((resolve) => taken.push(resolve));
    const { tail, length } = follow(2 ** 30, { untilTaken });
    await tail.read(never);
    await tail.read(never);
    expect(length()).toBe(65_536);
    const finished = tail.finish(never);
    while (length() < 200_000) {
      taken.at(-1)?.();
      await setImmediate();
    }
    taken.at(-1)?.();
    await finished;
    expect([length(), taken.length]).toEqual([200_000, 4]);
  });

  test('is not waited for at the end after the time limit', async () => {
    await writeFile(file, Buffer.alloc(200_000, 'x'));
    const stop = new AbortController();
    const { tail, length } = follow(2 ** 30, { untilTaken: () => new Promise(() => {}) });
    const finished = tail.finish(stop.signal);
    stop.abort();
    await finished;
    expect(length()).toBeLessThanOrEqual(65_536);
  });
});

describe('endless output of a guest', () => {
  /** Stands in for reading it. */
  const readOn = async (stop: AbortSignal) => {
    while (!stop.aborted) await setImmediate();
  };
  const sleeping = {
    argv: ['sleep', 'infinity'],
    variables: { PATH: process.env.PATH ?? '' },
    cleanUp: async () => {},
  } as const;

  test('does not delay the interruption of a guest', async () => {
    const interruption = new AbortController();
    const onTick = async (stop: AbortSignal) => {
      interruption.abort(new InterruptedError('interrupted'));
      await readOn(stop);
    };
    const ended = launchGuest({ ...boot, runFolder: folder, signal: interruption.signal, onTick }, sleeping);
    await expect(ended).rejects.toBeInstanceOf(InterruptedError);
  });

  test('does not delay the time limit, and is read at the end until an interruption', async () => {
    const interruption = new AbortController();
    let reads = 0;
    const onTick = async (stop: AbortSignal) => {
      reads += 1;
      if (reads === 2) interruption.abort(new InterruptedError('interrupted'));
      await readOn(stop);
    };
    const given = { ...boot, runFolder: folder, timeoutMs: 300, signal: interruption.signal, onTick };
    await expect(launchGuest(given, sleeping)).rejects.toBeInstanceOf(InterruptedError);
    expect(reads).toBe(2);
  });
});
