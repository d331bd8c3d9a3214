// Objects that others wrote: what veristat, and so libbpf, loads, the verifier lane loads. Both CSVs are equal in every
// column but the duration, also of programs that the verifier refuses.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measureForeign } from '../../evidence/foreign-objects/measure.ts';
import { groups, makeProject, obtainCorpus } from '../../evidence/foreign-objects/obtain.ts';
import { isDifferent, isRefusedByBoth } from '../../evidence/foreign-objects/tables.ts';
import { withHost } from '../../evidence/host.ts';
import type { Log } from '../../src/adapters/log.ts';
import { openCache } from '../../src/cache/cache.ts';

/** Compiles one in so many of the kernel's 800 tests; `npm run foreign-objects` compiles all of them. */
const every = 20;
const silent: Log = { progress: () => {}, warn: () => {} };

test('third-party objects have the rows of veristat, and nothing differs from itself', async () => {
  await withHost(['checkout'], { cache: openCache(), log: silent }, async (host) => {
    const folder = join(host.folder, 'corpus');
    await mkdir(folder);
    const corpus = await obtainCorpus(folder, groups, host, every);
    const project = await makeProject(corpus, join(host.folder, 'project'));
    const seed = Date.now();
    const options = { kernel: '6.1', rounds: 1, seed };
    const { run, verdicts } = await measureForeign(corpus, project, options, host);

    const loaded = run.programs.filter(({ reference }) => reference?.isLoaded);
    expect(loaded.length).toBeGreaterThan(300);
    expect(run.programs.filter(isRefusedByBoth).length).toBeGreaterThan(50);
    expect(run.programs.filter(isDifferent)).toEqual([]);
    expect(loaded.filter((each) => !each.ours.isLoaded)).toEqual([]);
    expect(verdicts.comparisons).toBeGreaterThan(1000);
    expect(verdicts.wrong, `objects in the order of seed ${seed}`).toBe(0);
  });
});
