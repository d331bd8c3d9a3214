import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderTiming, TimeLine } from '../../src/vm/timing.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('stages of a boot', () => {
  test('are read from the console and the run folder', async () => {
    const runFolder = await mkdtemp(join(folder, 'run-'));
    const timeLine = new TimeLine(runFolder);
    await writeFile(join(runFolder, 'runner.arguments'), 'x');
    timeLine.look();
    timeLine.read('[    0.000000] Linux version 6.1.0');
    timeLine.read('[    0.500000] Run /init as init process');
    timeLine.read('bpfgate-initramfs: start signal received');
    timeLine.read('bpfgate-initramfs: starting the agent');
    await writeFile(join(runFolder, 'records.jsonl'), '{}');
    timeLine.look();
    await writeFile(join(runFolder, 'status.json'), '{}');
    timeLine.look();
    timeLine.end();
    const stages = timeLine.stages().map(({ stage }) => stage);
    const all = ['runner', 'firmware', 'kernel', 'initramfs', 'init', 'agent', 'command', 'shutdown'];
    expect(stages).toEqual(all);
    expect(
      renderTiming(timeLine.stages())
        .split('\n')
        .map((line) => line.trim().split(/\s/)[0]),
    ).toEqual([...all, 'total']);
  });

  test('have no kernel if a saved machine was restored', async () => {
    const runFolder = await mkdtemp(join(folder, 'run-'));
    const timeLine = new TimeLine(runFolder);
    await writeFile(join(runFolder, 'runner.arguments'), 'x');
    timeLine.look();
    timeLine.read('bpfgate-initramfs: start signal received');
    timeLine.look();
    expect(timeLine.stages().map(({ stage }) => stage)).toEqual(['runner', 'restore', 'init']);
  });
});
