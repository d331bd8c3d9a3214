// docs/threat-model.md: each of its lines has evidence, and the evidence is there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/adapters/package-root.ts';
import { hasTest, testsIn } from './named-tests.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const text = read('docs/threat-model.md');

interface Line {
  readonly actor: string;
  readonly assets: readonly string[];
  readonly claim: string;
  readonly holds: string;
  readonly evidence: string;
}

/** The rows of every section's table. */
const lines: Line[] = text.split(/^## /m).flatMap((section) => {
  const actor = section.slice(0, section.indexOf('\n'));
  return section
    .split('\n')
    .filter((line) => /^\| (?!asset |- )/.test(line) && !actor.startsWith('# '))
    .map((line) => {
      const [, assets = '', claim = '', holds = '', evidence = '', ...rest] = line
        .split('|')
        .map((cell) => cell.trim());
      if (rest.join('') !== '') throw new Error(`another number of cells than four: ${line}`);
      return { actor, assets: assets.split(', '), claim, holds, evidence };
    });
});

/** The assets of the first table, whose columns are two. */
const assets = [...text.slice(0, text.indexOf('\n## ')).matchAll(/^\| (\w+) +\| \S/gm)]
  .map(([, asset]) => asset as string)
  .filter((asset) => asset !== 'asset');

const rulesIn = (evidence: string) => [...evidence.matchAll(/zizmor `([\w-]+)`/g)].map(([, rule]) => rule as string);
const scriptsIn = (evidence: string) =>
  [...evidence.matchAll(/`(scripts\/[\w-]+\.ts)`/g)].map(([, file]) => file as string);
/** What is said beside evidence, such as why a risk is accepted. */
const wordsIn = (evidence: string) =>
  evidence
    .replace(/^none: /, '')
    .replace(/`[\w./-]+` "[^"]+"|zizmor `[\w-]+`|`scripts\/[\w-]+\.ts`|[;.]/g, '')
    .trim();

test('is read', () => {
  expect(assets).toEqual([
    'token',
    'secrets',
    'caches',
    'host',
    'results',
    'comment',
    'check',
    'annotations',
    'log',
    'page',
  ]);
  expect(lines.length).toBeGreaterThan(60);
  for (const line of lines) {
    expect(
      line.assets.filter((asset) => !assets.includes(asset)),
      line.claim,
    ).toEqual([]);
    expect(['yes', 'accepted'], line.claim).toContain(line.holds);
  }
});

test.each([
  'Author of a pull request from a branch',
  'Author of a pull request from a fork',
  'Their code in a build on the host',
  'Their code in a guest, as root',
  'The artifact of a fork',
])('%s: something is said of every asset', (actor) => {
  const named = new Set(lines.filter((line) => line.actor === actor).flatMap((line) => line.assets));
  expect(assets.filter((asset) => !named.has(asset))).toEqual([]);
});

describe.each(lines)('$actor, $assets: $claim', ({ holds, evidence }) => {
  test('has evidence, or a reason', () => {
    const proofs = testsIn(evidence).length + rulesIn(evidence).length + scriptsIn(evidence).length;
    if (holds === 'yes') return expect(proofs).toBeGreaterThan(0);
    expect(proofs > 0 || evidence.startsWith('none: ')).toBe(true);
    expect(wordsIn(evidence).length).toBeGreaterThan(20);
  });

  test('names nothing that is not understood', () => {
    // A path without a title, or one that is mistyped, would be no evidence.
    const left = evidence.replace(/`[\w./-]+\.(?:ts|rs)` "[^"]+"|zizmor `[\w-]+`|`scripts\/[\w-]+\.ts`/g, '');
    expect(left.match(/`(?:tests|vm|scripts)\/[^`]*`|"/g) ?? []).toEqual([]);
  });

  test('names tests that there are', () => {
    for (const { file, title } of testsIn(evidence)) expect(hasTest(file, title), `${file} "${title}"`).toBe(true);
  });

  test('names scripts that `npm run check` runs', () => {
    for (const file of scriptsIn(evidence)) expect(JSON.parse(read('package.json')).scripts.check).toContain(file);
  });
});

describe('a test is found', () => {
  test('by its own title, which is not that of another', () => {
    expect(hasTest('tests/threat-model.test.ts', 'by its own title, which is not that of another')).toBe(true);
    expect(hasTest('tests/threat-model.test.ts', 'by its own title')).toBe(false);
    expect(hasTest('tests/no.test.ts', 'is read')).toBe(false);
    expect(hasTest('vm/agent/src/flame_graph.rs', 'names_cannot_break_out_of_the_picture')).toBe(true);
    expect(hasTest('vm/agent/src/flame_graph.rs', 'main')).toBe(false);
  });
});
