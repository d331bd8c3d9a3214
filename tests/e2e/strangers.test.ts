// Projects that do not know bpfgate: nothing changes where no code does, and a planted cost is found in its program and at
// its line. `npm run strangers` tries all of them.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withHost } from '../../evidence/host.ts';
import { strangers } from '../../evidence/strangers/projects.ts';
import { findFaults, nameOf } from '../../evidence/strangers/tables.ts';
import { openRegistries, tryProject } from '../../evidence/strangers/try-project.ts';
import type { Log } from '../../src/adapters/log.ts';
import { openCache } from '../../src/cache/cache.ts';

/** Small ones: an object, an object whose section names no type, several objects, and a project with a Makefile. */
const small = ['knot', 'fastnetmon', 'suricata', 'bpftune'];
const silent: Log = { progress: () => {}, warn: () => {} };

test('in projects of others only a planted cost is found, in its program and at its line', async () => {
  await withHost(['checkout'], { cache: openCache(), log: silent }, async (host) => {
    const wanted = strangers.filter((each) => small.includes(nameOf(each)));
    expect(wanted).toHaveLength(small.length);
    const folder = join(host.folder, 'strangers');
    mkdirSync(folder);
    const registries = await openRegistries(wanted, folder, host);
    for (const stranger of wanted) {
      const tried = await tryProject(stranger, '6.1', registries, host);
      expect(findFaults(tried), nameOf(stranger)).toEqual([]);
      expect(tried.planted, nameOf(stranger)).toMatchObject({ isRightLine: true });
    }
  });
});
