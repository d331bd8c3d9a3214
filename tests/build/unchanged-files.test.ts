import { expect, test } from 'vitest';
import { findUnchanged } from '../../src/build/unchanged-files.ts';

const entry = (content: string) => `100644 blob ${content}`;
const manifest = (more = '') => `[package]\nname = "x"\n${more}`;

const files: Readonly<Record<string, string>> = {
  'Cargo.toml': entry('workspace'),
  'a/Cargo.toml': entry('a'),
  'a/src/lib.rs': entry('a'),
  'a/data': entry('data'),
  'a/link': '120000 blob a/data',
  'b/Cargo.toml': entry('b'),
  'b/src/main.rs': entry('b'),
  'b/inner/Cargo.toml': entry('inner'),
  'b/inner/src/lib.rs': entry('inner'),
};

function unchanged(
  edit: Readonly<Record<string, string | null>>,
  manifests: Readonly<Record<string, string>> = {},
  rebuilt: readonly string[] = [],
): string[] {
  const before = new Map(Object.entries(files));
  const after = new Map(before);
  for (const [path, content] of Object.entries(edit)) {
    if (content === null) after.delete(path);
    else after.set(path, entry(content));
  }
  const texts = { 'Cargo.toml': '[workspace]', 'a/Cargo.toml': manifest(), 'b/Cargo.toml': manifest(), ...manifests };
  return findUnchanged(before, after, new Map(Object.entries(texts)), rebuilt);
}

const ofA = ['a/Cargo.toml', 'a/src/lib.rs', 'a/data'];
const ofB = ['b/Cargo.toml', 'b/src/main.rs'];
const ofInner = ['b/inner/Cargo.toml', 'b/inner/src/lib.rs'];

test.each([
  ['a source', { 'b/src/main.rs': 'new' }, {}, ['Cargo.toml', ...ofA, ...ofInner]],
  ['a source of a package in another', { 'b/inner/src/lib.rs': 'new' }, {}, ['Cargo.toml', ...ofA, ...ofB]],
  ['a source that is new', { 'a/src/more.rs': 'new' }, {}, ['Cargo.toml', ...ofB, ...ofInner]],
  ['a source that is gone', { 'a/src/lib.rs': null }, {}, ['Cargo.toml', ...ofB, ...ofInner]],
  ['a manifest that is gone', { 'b/inner/Cargo.toml': null }, {}, ['Cargo.toml', ...ofA, ...ofB]],
  ["the workspace's manifest", { 'Cargo.toml': 'new' }, {}, [...ofA, ...ofB, ...ofInner]],
  ['data', { 'a/data': 'new' }, {}, []],
  ['nothing', {}, {}, ['Cargo.toml', ...ofA, ...ofB, ...ofInner]],
  [
    'a source next to a build script',
    { 'b/src/main.rs': 'n' },
    { 'a/Cargo.toml': manifest('build = "x.rs"\n') },
    ['Cargo.toml', ...ofInner],
  ],
  [
    'a source next to one in an inline table',
    { 'b/src/main.rs': 'n' },
    { 'a/Cargo.toml': 'package = { name = "x", build = "x.rs" }' },
    ['Cargo.toml', ...ofInner],
  ],
  ['a source next to macros', { 'b/src/main.rs': 'n' }, { 'a/Cargo.toml': manifest('[lib]\nproc-macro = true\n') }, []],
  ['a source next to what is no TOML', { 'b/src/main.rs': 'n' }, { 'a/Cargo.toml': '[' }, []],
] as const)('where head changes %s, the rest keeps its times', (_, edit, manifests, kept) => {
  expect(unchanged(edit, manifests).toSorted()).toEqual([...kept].toSorted());
});

test("a file that base's build changed gets a new time, and so does its package", () => {
  expect(unchanged({}, {}, ['b/src/main.rs']).toSorted()).toEqual(['Cargo.toml', ...ofA, ...ofInner].toSorted());
});

test('build.rs is a build script also without an entry in the manifest', () => {
  expect(unchanged({ 'a/build.rs': 'new' }).toSorted()).toEqual(['Cargo.toml', ...ofB, ...ofInner].toSorted());
});
