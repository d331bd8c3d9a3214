// The quickest and most revealing faults of evidence/faults; `npm run test:faults` runs all of them.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { faults } from '../../evidence/faults/faults.ts';
import { injectFault, type Prepared } from '../../evidence/faults/inject-fault.ts';
import { prepareCache } from '../../evidence/faults/prepare-cache.ts';
import { temporaryFolder } from './bpfgate.ts';

let folder: string;
let prepared: Prepared;

beforeAll(async () => {
  let cleanUp = () => {};
  folder = temporaryFolder((work) => {
    cleanUp = work;
  });
  prepared = await prepareCache(join(folder, 'prepared'));
  return cleanUp;
});

const isRoot = process.getuid?.() === 0;

test.for(faults.filter(({ inShort }) => inShort))('$name: $what', async (fault, context) => {
  if (fault.needsRoot && !isRoot) context.skip('cannot mount a small file system: not root');
  const outcome = await injectFault(fault, join(folder, fault.name), prepared, false);
  expect({ left: outcome.left, problems: outcome.problems }).toEqual({ left: [], problems: [] });
});
