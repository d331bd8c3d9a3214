// The cache after a power cut: a program that fills it is killed without warning at each of its steps in turn, and then
// run again. What a disk makes of writes that were not flushed is not simulated; src/cache/cache.ts flushes each entry.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/adapters/process.ts';
import { fillCache, fingerprintTree, readdirOrNone } from './sandbox.ts';

export interface PowerCuts {
  /** The number of steps at which the program was killed. */
  readonly steps: number;
  /** The number of entries found after the kills, over all steps: each was whole. */
  readonly entries: number;
  /** The number of unfinished folders found after the kills, which the next run removed. */
  readonly unfinished: number;
  readonly problems: readonly string[];
  readonly seconds: number;
}

/**
 * @param folder a path where nothing exists yet; it is removed afterwards
 * @param prepared a complete cache
 */
export async function cutPowerAtEveryStep(folder: string, prepared: string): Promise<PowerCuts> {
  const startedAt = performance.now();
  mkdirSync(folder);
  const counted = join(folder, 'steps');
  const fill = async (cache: string, step: number) => {
    const preload = ['--expose-gc', '--import', join(import.meta.dirname, 'kill-at-step.ts')];
    const env = { ...process.env, BPFGATE_CACHE: cache, BPFGATE_STEP: String(step), BPFGATE_STEPS: counted };
    return run(process.execPath, [...preload, join(import.meta.dirname, 'fill-cache.ts')], { env });
  };
  const begin = (name: string) => {
    const cache = join(folder, name);
    mkdirSync(cache);
    fillCache(cache, prepared, ['kernels-2']);
    return cache;
  };
  try {
    const whole = begin('whole');
    const undisturbed = await fill(whole, 0);
    if (undisturbed.exitCode !== 0) throw new Error(`the cache cannot be filled:\n${undisturbed.stderr}`);
    const steps = Number(readFileSync(counted, 'utf8'));
    const reference = listEntries(whole);
    const problems: string[] = [];
    let [entries, unfinished] = [0, 0];
    for (let step = 1; step <= steps; step += 1) {
      const cache = begin(String(step));
      const killed = await fill(cache, step);
      if (killed.signal !== 'SIGKILL') problems.push(`step ${step}: the program was not killed`);
      const left = listEntries(cache);
      entries += left.whole.size;
      unfinished += left.unfinished.length;
      for (const [name, print] of left.whole) {
        // The older snapshot is removed once the newer one exists.
        const right = reference.whole.get(name) ?? (name.endsWith('/old') ? print : undefined);
        if (right !== print) problems.push(`step ${step}: ${name} is not whole`);
      }
      const again = await fill(cache, 0);
      if (again.exitCode !== 0) problems.push(`step ${step}: the next run fails: ${again.stderr}`);
      const after = listEntries(cache);
      for (const [name, print] of reference.whole) {
        if (after.whole.get(name) !== print) problems.push(`step ${step}: after the next run ${name} is not whole`);
      }
      for (const name of after.whole.keys()) {
        if (!reference.whole.has(name)) problems.push(`step ${step}: after the next run there is ${name}`);
      }
      for (const name of after.unfinished) problems.push(`step ${step}: the next run leaves ${name}`);
      rmSync(cache, { recursive: true });
    }
    return { steps, entries, unfinished, problems, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    execFileSync('rm', ['-rf', folder]);
  }
}

/** A cache's entries, each path with its whole content as one text; and the folders of entries being filled. */
function listEntries(cache: string) {
  const whole = new Map<string, string>();
  const unfinished: string[] = [];
  const kinds = readdirSync(cache).filter((name) => !['tools', 'rust-src', 'snapshots'].includes(name));
  if (readdirSync(cache).includes('snapshots')) kinds.push('snapshots/kind');
  for (const kind of kinds) {
    for (const name of readdirOrNone(join(cache, kind))) {
      if (name.startsWith('.')) unfinished.push(`${kind}/${name}`);
      else
        whole.set(`${kind}/${name}`, JSON.stringify([...fingerprintTree(join(cache, kind, name), { times: false })]));
    }
  }
  return { whole, unfinished };
}
