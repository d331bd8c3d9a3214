import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryBelow } from './machine.ts';

const MiB = 1024;
/** A program that takes 64 MiB, says so, and waits for its standard input to end. */
const take = "globalThis.taken = Buffer.alloc(64 << 20, 1); console.log('ready'); process.stdin.resume()";
/** A program that starts the program in its arguments, and waits for it. */
const start = "require('child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' })";

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-memory-'));
});
afterEach(async () => {
  child?.stdin?.end();
  if (child !== undefined) await once(child, 'close');
  rmSync(folder, { recursive: true });
});

/** Starts a small process that starts a large one. Returns the memory counted below it, in KiB. */
async function memoryOf(large: string): Promise<number> {
  child = spawn(process.execPath, ['-e', start, large, '-e', take], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return memoryBelow(child.pid ?? 0);
}

test('memory below a process includes that of its descendants', async () => {
  const below = await memoryOf(process.execPath);
  expect(below).toBeGreaterThan(64 * MiB);
  // Includes what those have started.
  expect(memoryBelow(process.pid)).toBeGreaterThan(below);
});

test('memory of QEMU, which is the guest’s, is not counted', async () => {
  const qemu = join(folder, 'qemu-system-x86_64');
  copyFileSync(process.execPath, qemu);
  expect(await memoryOf(qemu)).toBe(0);
});
