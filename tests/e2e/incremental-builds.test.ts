// Builds start from the target folder of a kept one, and are byte for byte what a build from nothing gives, whatever was
// edited.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { afterAll, expect, test } from 'vitest';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { onHost } from '../../src/build/build-place.ts';
import { buildRevisions } from '../../src/build/build-revisions.ts';
import { seal } from '../../src/build/seal.ts';
import type { Build } from '../../src/model/build.ts';
import { commit } from './gated-project.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-incremental-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const manifest = (name: string, more = '') =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n${more}`;

/** `app` prints a value from every other part of the workspace, some of which cargo does not track. */
const files: Readonly<Record<string, string>> = {
  'bpfgate.toml': '[build]\ncommand = "cargo build --release --offline"\n[[bench]]\nname = "b"\ncommand = "true"\n',
  '.gitignore': 'target\n',
  'Cargo.toml':
    '[workspace]\nmembers = ["app", "lib", "macros", "nested", "plain"]\nresolver = "2"\nexclude = ["other"]\n',
  'app/Cargo.toml': manifest(
    'app',
    '[dependencies]\nlib = { path = "../lib" }\nmacros = { path = "../macros" }\nnested = { path = "../nested" }\n',
  ),
  'app/src/main.rs':
    'fn main() { println!("{} {} {} {}", lib::value(), macros::silent!(), nested::value(), env!("CARGO_PKG_VERSION")); }\n',
  'plain/Cargo.toml': manifest('plain', '[dependencies]\nlib = { path = "../lib" }\nmacros = { path = "../macros" }\n'),
  'plain/src/main.rs': 'fn main() { println!("{} {}", lib::value(), macros::silent!()); }\n',
  'lib/Cargo.toml': manifest('lib', '[features]\ndefault = []\nmore = []\n'),
  'lib/src/lib.rs':
    'mod part;\npub fn value() -> String { format!("lib {} {} {}", part::VALUE, include_str!("text"), cfg!(feature = "more")) }\n',
  'lib/src/part.rs': 'pub const VALUE: u32 = 1;\n',
  'lib/src/text': 'text',
  // Reads a file of another folder without declaring it to cargo.
  'macros/Cargo.toml': manifest('macros', '[lib]\nproc-macro = true\n'),
  'macros/src/lib.rs': `#[proc_macro]
pub fn silent(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let read = |path: &str| std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap_or_default();
    format!("{:?}", read("data/silent") + &read("other/src/lib.rs").len().to_string()).parse().unwrap()
}
`,
  'data/silent': 'silent',
  // Builds a package that is no member, also without declaring it.
  'nested/Cargo.toml': manifest('nested'),
  'nested/build.rs': `fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::env::var("OUT_DIR").unwrap();
    let rustc = std::env::var("RUSTC").unwrap();
    let built = std::process::Command::new(rustc)
        .args(["--edition=2021", "--crate-type=bin", "../other/src/lib.rs", "-o"]).arg(format!("{out}/other")).status();
    assert!(built.unwrap().success());
    let said = std::process::Command::new(format!("{out}/other")).output().unwrap().stdout;
    std::fs::write(format!("{out}/said"), said).unwrap();
}
`,
  'nested/src/lib.rs': 'pub fn value() -> &\'static str { include_str!(concat!(env!("OUT_DIR"), "/said")) }\n',
  'other/src/lib.rs': 'fn main() { print!("other 1"); }\n',
};

type Edit = Readonly<Record<string, string | null>>;

const edits: Readonly<Record<string, Edit>> = {
  'a source of a dependency': { 'lib/src/part.rs': 'pub const VALUE: u32 = 2;\n' },
  'a module that moved': {
    'lib/src/part.rs': null,
    'lib/src/part/mod.rs': 'pub const VALUE: u32 = 3;\n',
  },
  'a source that got longer': { 'app/src/main.rs': `${files['app/src/main.rs']}// more\n` },
  'a feature that is on by default': {
    'plain/Cargo.toml': manifest(
      'plain',
      '[dependencies]\nlib = { path = "../lib" }\nmacros = { path = "../macros" }\n',
    ),
    'plain/src/main.rs': 'fn main() { println!("{} {}", lib::value(), macros::silent!()); }\n',
    'lib/Cargo.toml': manifest('lib', '[features]\ndefault = ["more"]\nmore = []\n'),
  },
  'a version': { 'app/Cargo.toml': files['app/Cargo.toml']?.replace('0.1.0', '0.2.0') ?? null },
  'a profile': { 'Cargo.toml': `${files['Cargo.toml']}[profile.release]\nopt-level = 1\n` },
  'a file that a source includes': { 'lib/src/text': 'other' },
  'a file that a macro reads': { 'data/silent': 'loud' },
  'a source that a build script compiles': { 'other/src/lib.rs': 'fn main() { print!("other is 2"); }\n' },
  'a build script': { 'nested/build.rs': files['nested/build.rs']?.replace('said).', 'said.repeat(2)).') ?? null },
  'a build script that is new': { 'lib/build.rs': 'fn main() { println!("cargo::rustc-cfg=feature=\\"more\\""); }\n' },
  'a program that is new': { 'app/src/bin/more.rs': 'fn main() {}\n' },
  'nothing that is compiled': { 'README.md': 'read me\n' },
};

let project: string;
async function build(base: string, head: string, variables: Readonly<Record<string, string>> = {}) {
  const { config } = await readInputs({ project, kernels: '6.1', out: join(root, 'out') }, (option) => option);
  const git = await GitSession.open(await openRepository(project));
  const said: string[] = [];
  const log = { progress: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
  const uses: (() => Promise<void>)[] = [];
  try {
    const builds = await buildRevisions({
      git,
      config,
      log,
      place: onHost,
      environment: { ...process.env, ...variables },
      cache: { root: join(root, 'cache') },
      base: await git.commitTree(base),
      head: await git.commitTree(head),
      onUse: (use) => uses.push(use),
    });
    const program = ({ dir }: Build) =>
      Buffer.concat(['app', 'plain'].map((name) => readFileSync(join(dir, 'target/release', name))));
    return { ...builds, programs: [program(builds.base), program(builds.head)] as const };
  } finally {
    await git.close();
    await Promise.all(uses.map((use) => use()));
  }
}

const forget = () => rmSync(join(root, 'cache'), { recursive: true, force: true });

function textsOf(edit: Edit): Record<string, string> {
  return Object.fromEntries(Object.entries(edit).filter((entry): entry is [string, string] => entry[1] !== null));
}

function makeProject(edit: Edit, base: Edit): void {
  project = realpathSync(mkdtempSync(join(root, 'project-')));
  commit(project, 'base', textsOf(base));
  commitEdit('head', edit);
}

function commitEdit(tag: string, edit: Edit): void {
  const gone = Object.keys(edit).filter((path) => edit[path] === null);
  for (const path of gone) rmSync(join(project, path), { force: true });
  commit(project, tag, textsOf(edit));
}

/** Removes macros from an edit: with macros in the workspace, no file keeps its time. */
const withoutMacros = (edit: Edit): Edit =>
  Object.fromEntries(
    Object.entries(edit).flatMap(([path, text]) => {
      if (path.startsWith('macros/')) return [];
      return [[path, text?.replace(/"macros", |macros = .*\n/g, '').replace(', macros::silent!()', ', ""') ?? null]];
    }),
  );

/** When the library was compiled: once for each hash. */
function compiledAt({ dir }: Build): number[] {
  const deps = join(dir, 'target/release/deps');
  return readdirSync(deps).flatMap((name) => (/^liblib-.*rlib$/.test(name) ? statSync(join(deps, name)).mtimeMs : []));
}

test('what no edit can affect is not compiled again, unless a clock was set back', async () => {
  makeProject({ 'app/src/main.rs': 'fn main() {}\n' }, withoutMacros(files));
  const { base, head } = await build('base', 'head');
  expect(compiledAt(head)).toEqual(compiledAt(base));

  rmSync(head.dir, { recursive: true });
  utimesSync(join(base.dir, 'target/release/app'), new Date(), new Date(Date.now() + 60_000));
  await seal(base.dir);
  const { head: again } = await build('base', 'head');
  expect(Math.min(...compiledAt(again))).toBeGreaterThan(Math.max(...compiledAt(base)));
});

test('a head starts from the previous head of its pull request, and a base or another pull request does not', async () => {
  makeProject({ 'lib/src/part.rs': 'pub const VALUE: u32 = 7;\n' }, withoutMacros(files));
  commitEdit('next', { 'app/src/main.rs': 'fn main() {}\n' });
  const ownPull = { GITHUB_REF: 'refs/pull/1/merge' };
  const { head: first } = await build('base', 'head', ownPull);
  const { head: next } = await build('base', 'next', ownPull);
  expect(compiledAt(next)).toEqual(compiledAt(first));
  const { head: others } = await build('base', 'next', { GITHUB_REF: 'refs/pull/2/merge' });
  expect(compiledAt(others)).not.toEqual(compiledAt(first));
  const { base: merged } = await build('next', 'next', ownPull);
  expect(compiledAt(merged)).not.toEqual(compiledAt(first));
  forget();
});

test('an object that head no longer builds is not in head', async () => {
  const script = (...names: readonly string[]) =>
    `fn main() {
    for name in [${names.map((name) => `"${name}"`).join(', ')}] {
        let mut object = vec![0u8; 20];
        object[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        (object[16], object[18]) = (1, 247);
        object.extend(name.bytes());
        std::fs::write(format!("{}/{name}.bpf.o", std::env::var("OUT_DIR").unwrap()), &object).unwrap();
    }
}
`;
  makeProject(
    { 'lib/build.rs': script('first') },
    { ...withoutMacros(files), 'lib/build.rs': script('first', 'second') },
  );
  const { objects } = await build('base', 'head');
  expect(objects.map(({ revision, name }) => `${revision} ${name}`).toSorted()).toEqual([
    'base first',
    'base second',
    'head first',
  ]);
  forget();
});

test.each(
  Object.entries(edits).flatMap(([name, edit]) => [
    [name, withoutMacros(edit), withoutMacros(files)] as const,
    ...(/silent|other/.test(Object.keys(edit).join()) ? [[`${name}, with macros`, edit, files] as const] : []),
  ]),
)('%s, and reverted', async (_, edit, base) => {
  makeProject(edit, base);
  const forth = await build('base', 'head');
  forget();
  const back = await build('head', 'base');
  forget();
  expect(forth.programs[1].equals(back.programs[0]), 'head').toBe(true);
  expect(forth.programs[0].equals(back.programs[1]), 'base').toBe(true);
});

// BPFGATE_EDIT_SEQUENCES=1000 takes hours.
const sequences = Number(process.env.BPFGATE_EDIT_SEQUENCES ?? 3);
const msPerSequence = 600_000;

test(
  `${sequences} random sequences of edits, each built on the cached builds of the previous ones`,
  async () => {
    const random = mersenne(20_261_125);
    forget();
    for (let sequence = 1; sequence <= sequences; sequence++) {
      // With macros in the workspace, no file keeps its time.
      const own = sequence % 2 === 0 ? (edit: Edit) => edit : withoutMacros;
      makeProject({ 'README.md': `${sequence}` }, own(files));
      const applied = new Set<string>();
      const steps: string[] = [];
      let before = 'head';
      for (let step = 1; step <= 3; step++) {
        const names = Object.keys(edits);
        const name = names[uniformInt(random, 0, names.length - 1)] ?? '';
        // An edit that is already applied is undone.
        if (!applied.delete(name)) applied.add(name);
        steps.push(name);
        const wanted = mergeEdits([...applied].map((each) => edits[each] ?? {}));
        const known = new Set([...Object.keys(files), ...Object.values(edits).flatMap(Object.keys)]);
        const edit = Object.fromEntries([...known].map((path) => [path, wanted[path] ?? null]));
        // One edit can hide another, and a commit must change something.
        commitEdit(`step${step}`, { ...own(edit), step: `${step}` });
        const kept = await build(before, `step${step}`);
        before = `step${step}`;

        renameSync(join(root, 'cache'), join(root, 'kept'));
        const fromNothing = await build(before, before);
        forget();
        renameSync(join(root, 'kept'), join(root, 'cache'));
        expect(kept.programs[1].equals(fromNothing.programs[0]), `${sequence}: ${steps.join(', ')}`).toBe(true);
      }
      rmSync(project, { recursive: true });
    }
  },
  sequences * msPerSequence,
);

function mergeEdits(chosen: readonly Edit[]): Edit {
  const merged = Object.assign({}, files, ...chosen);
  // A module is in only one of the two files.
  return merged['lib/src/part/mod.rs'] === undefined ? merged : { ...merged, 'lib/src/part.rs': null };
}
