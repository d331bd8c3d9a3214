// docs/loader.md: its table's claims about the agent are tested, or at least implemented, where it says so.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/adapters/package-root.ts';

const read = (...path: string[]) => readFileSync(join(packageRoot, ...path), 'utf8');
const rows = read('docs', 'loader.md')
  .split('\n')
  .filter((line) => /^\| (?!what |---)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));
const folders = ['vm/agent/src', 'vm/agent/tests', 'tests/e2e'];

interface Evidence {
  readonly file: string;
  /** The title of a test, or a word of the code. */
  readonly name: string;
  readonly isTest: boolean;
}

/** Reads `` `file.rs` "its test", "another", `other.rs` `function` ``. */
function readEvidence(cell: string): Evidence[] {
  let file = '';
  const evidence: Evidence[] = [];
  for (const [, code, title] of cell.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
    if (code !== undefined && /\.(rs|ts)$/.test(code)) file = code;
    else evidence.push({ file, name: title ?? code ?? '', isTest: title !== undefined });
  }
  return evidence;
}

function isThere({ file, name, isTest }: Evidence): boolean {
  const folder = folders.find((each) => existsSync(join(packageRoot, each, file)));
  if (folder === undefined) return false;
  const text = read(folder, file);
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (!isTest) return new RegExp(`\\b${word}\\b`).test(text);
  const declared = file.endsWith('.rs')
    ? `#\\[test\\]\\s+(#\\[ignore[^\\n]*\\]\\s+)?fn ${word}\\(\\)`
    : `(test|describe)\\('${word}',`;
  return new RegExp(declared).test(text);
}

/** The agent's errors that name what else is needed; those in its tests are left out. */
const needs = ['elf.rs', 'maps.rs', 'object.rs', 'section.rs', 'struct_ops.rs'].flatMap((file) => {
  const [code = ''] = read('vm/agent/src', file).split('#[cfg(test)]');
  return [...code.matchAll(/needs (?:a |another |`)[^":\n]+/g)].map(([text]) => text);
});

describe('docs/loader.md', () => {
  test('is read', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([6]));
    expect(needs.length).toBeGreaterThan(8);
  });

  test.each(rows)('%s: is tested, or done, where it says', (...cells) => {
    const evidence = readEvidence(cells.at(-1) ?? '');
    expect(evidence.length).toBeGreaterThan(0);
    expect(evidence.filter((each) => !isThere(each))).toEqual([]);
  });

  test('quotes the errors as they are', () => {
    const quoted = rows.flatMap(([, , , , agent = '']) =>
      [...agent.matchAll(/`(needs [^`]+)`/g)].map(([, text]) => text),
    );
    expect(quoted.length).toBeGreaterThan(5);
    // The table quotes every error that asks for another kind of loader.
    const loaders = needs.filter((text) => /^needs a (loader|NUMA)/.test(text)).map((text) => text.split(',')[0]);
    const has = (text = '') => needs.some((each) => each.startsWith(text.replace('NAME', '`{name}`')));
    expect(quoted.filter((text) => !has(text))).toEqual([]);
    const isQuoted = (text = '') => quoted.some((each = '') => text.startsWith(each));
    expect(loaders.filter((text) => !isQuoted(text))).toEqual([]);
  });

  test('evidence that is not there is found out', () => {
    const evidence = readEvidence('`maps.rs` "sizes_left_to_the_loader", "no_such_test", `create`, `no.rs` `create`');
    expect(evidence.map(isThere)).toEqual([true, false, true, false]);
  });
});
