import { expect, test } from 'vitest';
import { type FoundObject, nameObjects } from '../../src/build/name-objects.ts';

let digests = 0;

function found(path: string, fields: Partial<FoundObject> = {}): FoundObject {
  digests += 1;
  return { revision: 'head', path, projectPath: path, digest: `${digests}`, modifiedMs: 1, ...fields };
}

function named(objects: readonly FoundObject[], globs: readonly string[] | null = null): string[] {
  return nameObjects(objects, globs).map(({ name, revision, path }) => `${name} ${revision} ${path}`);
}

test('of the three links that cargo makes to an object, one is used', () => {
  const out = 'target/release/build/xdp-f7b6f38063513305/out';
  const release = `${out}/aya-build/target/xdp-ebpf/bpfel-unknown-none/release`;
  const same = { digest: 'same' };
  expect(
    named([
      found(`${release}/deps/xdp-46d36c69cd761df3`, same),
      found(`${release}/xdp`, same),
      found(`${out}/xdp`, same),
    ]),
  ).toEqual([`xdp head ${out}/xdp`]);
});

test('copies that differ in head are two objects, also in base', () => {
  const same = { digest: 'same' };
  const objects = [
    found('a.bpf.o', { revision: 'base', ...same }),
    found('bb.bpf.o', { revision: 'base', ...same }),
    found('a.bpf.o', same),
    found('bb.bpf.o'),
  ];
  expect(named(objects)).toEqual(['a base a.bpf.o', 'a head a.bpf.o', 'bb base bb.bpf.o', 'bb head bb.bpf.o']);
  const copies = objects.slice(0, 3);
  expect(named(copies)).toEqual(['a base a.bpf.o', 'a head a.bpf.o']);
  // Where the user named them, each stays.
  expect(nameObjects(copies, null, true).map(({ name }) => name)).toEqual(['a', 'a', 'bb']);
});

test('an object of an earlier build with another hash is ignored', () => {
  const [old, now] = ['target/build/xdp-0000000000000000/out/xdp', 'target/build/xdp-1111111111111111/out/xdp'];
  expect(named([found(now, { modifiedMs: 5 }), found(old, { modifiedMs: 4 })])).toEqual([`xdp head ${now}`]);
  expect(named([found('target/deps/xdp-0000000000000000'), found('target/xdp')])).toEqual(['xdp head target/xdp']);
});

test('an object has one name in both revisions, whatever its hash', () => {
  const [old, now] = ['target/build/xdp-0000000000000000/out/xdp', 'target/build/xdp-1111111111111111/out/xdp'];
  expect(named([found(old, { revision: 'base' }), found(now)])).toEqual([`xdp base ${old}`, `xdp head ${now}`]);
});

test('names are without .bpf.o', () => {
  expect(named([found('.output/probe.bpf.o'), found('counter_bpfel.o')])).toEqual([
    'counter_bpfel head counter_bpfel.o',
    'probe head .output/probe.bpf.o',
  ]);
});

test('objects with the same name are distinguished by a folder, also if one revision has only one of them', () => {
  const objects = [
    found('agent/build/probe.bpf.o', { revision: 'base' }),
    found('agent/build/probe.bpf.o'),
    found('server/build/probe.bpf.o'),
  ];
  expect(named(objects)).toEqual([
    'agent.probe base agent/build/probe.bpf.o',
    'agent.probe head agent/build/probe.bpf.o',
    'server.probe head server/build/probe.bpf.o',
  ]);
  expect(named(objects.toReversed()).toSorted()).toEqual(named(objects).toSorted());
});

test('names have only characters that the agent accepts, and are unique', () => {
  const names = nameObjects(
    [found('a b/pröbe.o'), found('x/.hidden.o'), found(`x/${'long'.repeat(60)}.o`), found('1/1/p.o'), found('1/p.o')],
    null,
  ).map(({ name }) => name);
  for (const name of names) expect(name).toMatch(/^[\w+@=-][\w.+@=-]{0,99}$/);
  expect(new Set(names).size).toBe(5);
});

test('globs match all objects, including links in deps', () => {
  const objects = [found('src/a.bpf.o'), found('src/a.tmp.bpf.o'), found('deps/b-0000000000000000')];
  expect(named(objects, ['src/a.bpf.o'])).toEqual(['a head src/a.bpf.o']);
  expect(named(objects, ['deps/*'])).toEqual(['b head deps/b-0000000000000000']);
  expect(named(objects, ['nothing'])).toEqual([]);
});

test.each(['one name', 'names of their own'])('takes linear time for many objects with %s', (names) => {
  const own = names !== 'one name';
  const objects = Array.from({ length: 10_000 }, (_, index) => found(own ? `out/${index}.o` : `${index}/x.o`));
  expect(new Set(nameObjects(objects, null).map(({ name }) => name)).size).toBe(10_000);
});
