// Tests that documents name as evidence: `tests/x.test.ts` "its title".

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/adapters/package-root.ts';

/** The tests that a text names. */
export function testsIn(text: string): { readonly file: string; readonly title: string }[] {
  return [...text.matchAll(/`([\w./-]+\.(?:ts|rs))` "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title }));
}

/** Whether a file declares a test, or a group of tests, of exactly this title. `test.skip(` and `test.todo(` are none. */
export function hasTest(file: string, title: string): boolean {
  const path = join(packageRoot, file);
  if (!existsSync(path)) return false;
  const literal = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (file.endsWith('.rs'))
    return new RegExp(`#\\[test\\]\\s+(?:#\\[[^\\]]*\\]\\s+)*fn ${literal}\\(`).test(readFileSync(path, 'utf8'));
  // The title is the first argument of `test(` and `describe(`, or of what `test.each(…)` and the like give.
  return new RegExp(`(?:\\b(?:test|describe)|\\))\\(\\s*(["'\`])${literal}\\1\\s*,`).test(readFileSync(path, 'utf8'));
}
