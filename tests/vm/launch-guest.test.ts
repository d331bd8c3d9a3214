import { getEventListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchGuest } from '../../src/vm/boot.ts';
import { boot } from './boot-fixture.ts';

test('waiting for a guest with endless output does not accumulate listeners, about which Node would warn', async () => {
  const runFolder = await mkdtemp(join(tmpdir(), 'bpfgate-launch-'));
  onTestFinished(() => rm(runFolder, { recursive: true }));
  const listeners: number[] = [];
  const onTick = async (stop: AbortSignal) => void listeners.push(getEventListeners(stop, 'abort').length);
  const script = 'for i in {1..60}; do echo "$i" >records; sleep 0.005; done; echo {} >status.json';
  await launchGuest(
    { ...boot, runFolder, timeoutMs: 60_000, onTick },
    { argv: ['bash', '-c', script], variables: { PATH: process.env.PATH ?? '' }, cleanUp: async () => {} },
  );
  expect(listeners.length).toBeGreaterThan(10);
  expect(Math.max(...listeners)).toBeLessThan(4);
});
