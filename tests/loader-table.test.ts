// docs/loader.md: its table quotes the agent's errors as they are.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/adapters/package-root.ts';

const read = (...path: string[]) => readFileSync(join(packageRoot, ...path), 'utf8');

test('docs/loader.md quotes every error that asks for another kind of loader, as it is', () => {
  // The agent's errors that name what else is needed; those in its tests are left out.
  const needs = ['elf.rs', 'maps.rs', 'object.rs', 'section.rs', 'struct_ops.rs'].flatMap((file) => {
    const [code = ''] = read('vm/agent/src', file).split('#[cfg(test)]');
    return [...code.matchAll(/needs (?:a |another |`)[^":\n]+/g)].map(([text]) => text);
  });
  expect(needs.length).toBeGreaterThan(8);
  const quoted = [...read('docs', 'loader.md').matchAll(/`(needs [^`]+)`/g)].map(([, text = '']) => text);
  expect(quoted.length).toBeGreaterThan(5);
  const isSaid = (text: string) => needs.some((each) => each.startsWith(text.replace('NAME', '`{name}`')));
  expect(quoted.filter((text) => !isSaid(text))).toEqual([]);
  const loaders = needs.filter((text) => /^needs a (loader|NUMA)/.test(text)).map((text) => text.split(',')[0] ?? '');
  expect(loaders.filter((text) => !quoted.some((each) => text.startsWith(each)))).toEqual([]);
});
