import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { run } from '../../src/adapters/process.ts';

describe('a program that sudo runs as root', () => {
  let folder: string;
  const { kill } = process;

  /** Makes killing the program fail with EPERM, unless the sudo on PATH does it. */
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bpfgate-sudo-'));
    await writeFile(join(folder, 'sudo'), `#!/bin/sh\nshift\necho "$@" >>${folder}/asked\nexec "$@"\n`);
    await chmod(join(folder, 'sudo'), 0o755);
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid < 0) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      return kill.call(process, pid, signal);
    });
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  test('is ended by sudo at its time limit', async () => {
    expect(await run('sleep', ['1000'], { timeoutMs: 100 })).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  });

  test('is ended by sudo when the run is interrupted', async () => {
    const interruption = new AbortController();
    const onLine = () => interruption.abort();
    const running = run('sh', ['-c', 'echo; sleep 1000'], { signal: interruption.signal, onLine });
    await expect(running).rejects.toThrow('`sh` was interrupted');
  });
});

/** Runs a program that writes these texts one after the other, each as its own chunk. */
async function write(texts: readonly string[], maxOutput?: number) {
  const script = `for (const text of ${JSON.stringify(texts)}) {
  process.stdout.write(text);
  await new Promise((resolve) => setTimeout(resolve, 2));
}`;
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    onLine,
    ...(maxOutput === undefined ? {} : { maxOutput }),
  });
  return { lines, stdout };
}

test('lines are passed on whole, however they are written, also the last one without a line break', async () => {
  const { lines, stdout } = await write(['a', 'b', '\n', 'c\n\nd', 'e', '\nf', 'g']);
  expect(lines).toEqual(['ab', 'c', '', 'de', 'fg']);
  expect(stdout).toBe('ab\nc\n\nde\nfg');
});

test('of a line without an end only the last part is kept, and output is limited to the given size', async () => {
  const { lines, stdout } = await write(
    [...Array.from({ length: 50 }, (_, index) => `${index}`.padStart(10)), '\nx'],
    20,
  );
  expect(stdout).toBe('       48        49\nx'.slice(-20));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/ 49$/);
  expect(lines[0]?.length).toBeLessThanOrEqual(2 * 20 + 2);
  expect(lines[1]).toBe('x');
});

test('a program that reached its time limit is reported as timed out, also if it is cancelled before its output ends', async () => {
  const cancel = new AbortController();
  // Another session holds the output open after the end.
  const script = 'setsid sleep 1 & echo started; sleep 60';
  const ended = run('sh', ['-c', script], { timeoutMs: 300, signal: cancel.signal });
  setTimeout(() => cancel.abort(), 600);
  expect(await ended).toMatchObject({ timedOut: true, stdout: 'started\n' });
});
