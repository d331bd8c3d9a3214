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

test.each([
  ['xdp-f7b6f38063513305', 'deps/xdp-46d36c69cd761df3'],
  ['xdp/f7b6f38063513305', 'build/xdp-ebpf/46d36c69cd761df3/out/xdp'],
])('of the three links that cargo makes to an object in %s, one is used', (unit, link) => {
  const out = `target/release/build/${unit}/out`;
  const release = `${out}/aya-build/target/xdp-ebpf/bpfel-unknown-none/release`;
  const same = { digest: 'same' };
  const all = [found(`${release}/${link}`, same), found(`${release}/xdp`, same), found(`${out}/xdp`, same)];
  expect(named(all)).toEqual([`xdp head ${out}/xdp`]);
});

test('objects that are named by 16 digits of their own stay', () => {
  const paths = ['out/0000000000000000.o', 'out/1111111111111111.o'];
  expect(named(paths.map((path) => found(path)))).toEqual([
    '0000000000000000 head out/0000000000000000.o',
    '1111111111111111 head out/1111111111111111.o',
  ]);
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
  for (const folder of ['deps', 'build/xdp/0000000000000000/out']) {
    const all = [found(`target/${folder}/xdp-0000000000000000`), found('target/xdp')];
    expect(named(all)).toEqual(['xdp head target/xdp']);
  }
});

test.each(['-', '/'])('an object has one name in both revisions, whatever its hash behind %s', (by) => {
  const [old, now] = [`target/build/xdp${by}0000000000000000/out/xdp`, `target/build/xdp${by}1111111111111111/out/xdp`];
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
    [
      found('a b/probe it.o'),
      found('x/.hidden.o'),
      found(`x/${'long'.repeat(60)}.o`),
      found(`x/${'𐐷'.repeat(60)}.o`),
      found('1/1/p.o'),
      found('1/p.o'),
    ],
    null,
  ).map(({ name }) => name);
  for (const name of names) expect(name).toMatch(/^[\p{L}\w+@=-][\p{L}\w.+@=-]{0,99}$/u);
  expect(new Set(names).size).toBe(6);
});

test('letters of all scripts stay, in one form', () => {
  const paths = ['out/u\u0308bung.bpf.o', 'out/测试.bpf.o', 'out/évén\u202ement.o', 'out/a\u{1f600}b.o'];
  expect(
    nameObjects(
      paths.map((path) => found(path)),
      null,
    ).map(({ name }) => name),
  ).toEqual(['a_b', 'évén_ment', 'übung', '测试']);
});

test('what bpf2go makes in several folders has the folder in each name', () => {
  const paths = ['bpf_bpfel.o', 'kprobe/bpf_bpfel.o', 'uretprobe/bpf_x86_bpfel.o', 'xdp/counter_bpfel.o'];
  expect(
    nameObjects(
      paths.map((path) => found(path)),
      null,
    ).map(({ name }) => name),
  ).toEqual(['counter_bpfel', 'kprobe.bpf_bpfel', 'root.bpf_bpfel', 'uretprobe.bpf_x86_bpfel']);
  // In one folder, the names of the targets distinguish them.
  const targets = ['pkg/bpf_arm64_bpfel.o', 'pkg/bpf_x86_bpfel.o'].map((path) => found(path));
  expect(nameObjects(targets, null).map(({ name }) => name)).toEqual(['bpf_arm64_bpfel', 'bpf_x86_bpfel']);
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
