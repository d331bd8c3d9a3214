import { expect, test } from 'vitest';
import { findUnchanged, unchangedFolders } from '../../src/build/unchanged-files.ts';

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

/** Packages `app` with a build script, `ebpf` that depends on `common`, and `other`, of which one file changes. */
function keepsTimesOfApp(script: string, changed: string, texts: Readonly<Record<string, string>> = {}): boolean {
  const all = {
    'Cargo.toml': '[workspace]\n[workspace.dependencies]\ncommon = { path = "common" }\n',
    'app/Cargo.toml': manifest(),
    'app/build.rs': script,
    'ebpf/Cargo.toml': '[package]\nname = "own-ebpf"\n[dependencies]\ncommon.workspace = true\n',
    'common/Cargo.toml': '[package]\nname = "own-common"\n',
    'other/Cargo.toml':
      '[package]\nname = "own-other"\n[target."cfg(unix)".dependencies]\ncommon = { path = "../common" }\n',
    ...texts,
  };
  const before = new Map(
    [
      ...Object.keys(all),
      'app/src/lib.rs',
      'ebpf/src/main.rs',
      'common/src/lib.rs',
      'other/src/lib.rs',
      'tools/x.rs',
    ].map((path) => [path, entry(path)]),
  );
  const after = new Map([...before, [changed, entry('new')]]);
  return findUnchanged(before, after, new Map(Object.entries(all)), []).includes('app/src/lib.rs');
}

test.each([
  ['names no other package', 'fn main() {}', 'other/src/lib.rs', true],
  ['names its own file', 'println!("cargo:rerun-if-changed=src/lib.rs")', 'app/src/lib.rs', false],
  ['names another package than the changed one', 'build("../ebpf")', 'other/src/lib.rs', true],
  ['names the changed package by its path', 'build("../ebpf")', 'ebpf/src/main.rs', false],
  ['names a package that depends on the changed one', 'build("../ebpf")', 'common/src/lib.rs', false],
  ['names one by its name', 'build("own-ebpf")', 'common/src/lib.rs', false],
  ['names one that depends on it for some targets', 'build("../other")', 'common/src/lib.rs', false],
  ['joins a path to its own folder', 'concat!(env!("CARGO_MANIFEST_DIR"), "/../ebpf")', 'ebpf/src/main.rs', false],
  ['names a folder outside of any package', 'read("../tools/x.rs")', 'tools/x.rs', false],
  ['names all folders', 'read(format!("../{name}"))', 'other/src/lib.rs', false],
  ['goes up without a name', 'dir.join("..").join(name)', 'other/src/lib.rs', false],
  ['goes up by code', 'dir.parent().unwrap().join(name)', 'other/src/lib.rs', false],
  ['has a part in another file', 'mod more; fn main() {}', 'other/src/lib.rs', false],
  ['builds the workspace', 'cargo(["build", "--workspace"])', 'other/src/lib.rs', false],
  ['has a range', 'fn main() { for _ in 0..2 {} let _ = Package { ..Package::default() }; }', 'other/src/lib.rs', true],
] as const)('a package keeps its times or not where its build script %s', (_, script, changed, keeps) => {
  expect(keepsTimesOfApp(script, changed)).toBe(keeps);
});

test.each([
  [
    'a helper of the workspace',
    { 'app/Cargo.toml': manifest('[build-dependencies]\nown-other = { path = "../other" }\n') },
  ],
  ['a variable of cargo’s settings', { '.cargo/config.toml': '[env]\nEBPF = { value = "ebpf", relative = true }\n' }],
  [
    'a package that takes the place of another',
    { 'Cargo.toml': '[workspace]\n[patch.crates-io]\nx = { path = "other" }\n' },
  ],
])('a build script that may get a path from %s may have read any change', (_, texts) => {
  expect(keepsTimesOfApp('fn main() { read(var("EBPF")) }', 'ebpf/src/main.rs')).toBe(true);
  expect(keepsTimesOfApp('fn main() { read(var("EBPF")) }', 'ebpf/src/main.rs', texts)).toBe(false);
});

test('a folder keeps its time where all files below it are there as before', () => {
  const before = new Map([...Object.entries(files), ['b/old.rs', entry('old')] as const]);
  const after = new Map([...Object.entries(files), ['b/inner/src/new.rs', entry('new')] as const]);
  const folders = unchangedFolders(before, after, Object.keys(files));
  expect(folders.toSorted()).toEqual(['a', 'a/src', 'b/src']);
  expect(unchangedFolders(after, after, ['a/src/lib.rs'])).toEqual(['a/src']);
});
