// `npm run test:hostile` finds its tests by their tag.
// @module-tag hostile

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('every file in this folder is a part of the suite', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const isTagged = (name: string) =>
    readFileSync(join(import.meta.dirname, name), 'utf8').includes('// @module-tag hostile\n');
  expect(files.filter((name) => !isTagged(name))).toEqual([]);
});
