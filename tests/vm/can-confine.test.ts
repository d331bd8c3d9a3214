import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-confine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('confining QEMU', () => {
  /** Asks twice, on a kernel whose Landlock has this version. */
  async function ask(version: number): Promise<{ readonly answers: boolean[]; readonly warnings: string[] }> {
    const agent = join(folder, 'agent');
    writeFileSync(agent, `#!/bin/sh\ntest "$1" = landlock && echo ${version}\n`, { mode: 0o755 });
    vi.resetModules(); // It says so once in a process.
    const { canConfine } = await import('../../src/vm/can-confine.ts');
    const warnings: string[] = [];
    const log = { progress: () => {}, warn: (text: string) => warnings.push(text) };
    return { answers: [await canConfine(agent, log), await canConfine(agent, log)], warnings };
  }

  test.each([6, 7, 8])('works with Landlock %i, without a warning', async (version) => {
    expect(await ask(version)).toEqual({ answers: [true, true], warnings: [] });
  });

  test('does not work without Landlock, with one warning that says what a guest can read', async () => {
    const { answers, warnings } = await ask(0);
    expect(answers).toEqual([false, false]);
    expect(warnings).toEqual([expect.stringMatching(/no Landlock.*every file that you can.*lsm=/)]);
  });

  test.each([
    [
      1,
      'truncating files (Linux 6.2), TCP (Linux 6.7), controlling devices (Linux 6.10), signalling processes (Linux 6.12).',
    ],
    [3, 'TCP (Linux 6.7), controlling devices (Linux 6.10), signalling processes (Linux 6.12).'],
    [4, 'controlling devices (Linux 6.10), signalling processes (Linux 6.12).'],
    [5, 'signalling processes (Linux 6.12).'],
  ])('works with Landlock %i, with one warning about what it cannot prevent', async (version, free) => {
    const { answers, warnings } = await ask(version);
    expect(answers).toEqual([true, true]);
    expect(warnings).toEqual([expect.stringContaining(`(version ${version}) cannot keep QEMU from ${free}`)]);
  });
});
