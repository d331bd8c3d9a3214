import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { sectionTypes, typeOfSection } from '../../src/inputs/section-types.ts';

test('the types are those that the agent knows', () => {
  const code = readFileSync(join(packageRoot, 'vm/agent/src/section.rs'), 'utf8');
  /** Names of the arms of a match, which begin with so many spaces. */
  const armsOf = (start: string, indent: number) => {
    const [, after = ''] = code.split(start);
    const [body = ''] = after.split(`\n${' '.repeat(indent - 4)}}`);
    const arms = new RegExp(String.raw`^ {${indent}}(?=\S)((?:\|?\s*"[\w.]+"\s*)+)=>`, 'gm');
    return [...body.matchAll(arms)].flatMap(([, names = '']) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
    );
  };
  const traced = armsOf('match plain {', 8).flatMap((name) => [name, `${name}.s`]);
  const others = armsOf('Ok(match kind {', 12);
  expect(traced.length).toBeGreaterThan(10);
  expect([...traced, ...others].toSorted()).toEqual(sectionTypes.toSorted());
});

test('the type of a section is what comes before its first slash', () => {
  expect(['xdp', '?tc', 'kprobe/vfs_read', 'tracepoint/sched/sched_switch'].map(typeOfSection)).toEqual([
    ...['xdp', 'tc', 'kprobe', 'tracepoint'],
  ]);
});
