// A gate counts nothing again that was counted for the same files, in real VMs: not after it was killed, nor for another
// commit.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { expect, test } from 'vitest';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, cleanUpKilled, leftovers, type Options, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

test('a finished kernel of a killed gate is not booted again, and its numbers are kept', async () => {
  const folder = temporaryFolder();
  const [project, data] = [join(folder, 'project'), join(folder, 'data')];
  // The bench prints a number from outside the trees, so that a value shows when it was counted. One kernel hangs as
  // long as the host says.
  const say = (name: string, text: string) => {
    writeFileSync(join(data, name), text);
    // Kept counts are valid for files of these sizes and times, so both stay the same.
    utimesSync(join(data, name), 1, 1);
  };
  const script = `while grep -q yes ${data}/hang && uname -r | grep -q '^5[.]10'; do :; done
echo '{"x": {"latency": {"value": '$(cat ${data}/count)'}}}'`;
  const toml =
    '[build]\ncommand = "true"\n' +
    '[[bench]]\nname = "counted"\ncommand = "sh counted.sh"\nformat = "bmf"\nobserve = false\n';
  let builds = 0;
  mkdirSync(data);
  say('count', '100');
  say('hang', 'yes');
  commit(project, 'base', { 'bpfgate.toml': toml, 'counted.sh': script });
  commit(project, 'head', { 'other.txt': 'a change\n' });
  const run = async (kernels: string, head: string, options: Options = {}, further = ['--audit', '0']) => {
    const temporary = temporaryFolder();
    const args = [
      '--project',
      project,
      '--base',
      'base',
      '--head',
      head,
      '--kernels',
      kernels,
      '--format',
      'markdown',
      ...further,
    ];
    const out = join(folder, 'out');
    rmSync(out, { recursive: true, force: true });
    const env = { TMPDIR: temporary, BPFGATE_GUEST_READ: data };
    const outcome = await bpfgate(['run', ...args, '--out', out], { ...options, env });
    builds += (outcome.stderr.match(/building (base|head) \(/g) ?? []).length;
    if (outcome.code === null) {
      await cleanUpKilled(temporary);
      return { ...outcome, results: undefined };
    }
    expect(leftovers(temporary)).toEqual([]);
    if (outcome.code === 3) return { ...outcome, results: undefined };
    const text = readFileSync(join(out, 'results.json'), 'utf8');
    return { ...outcome, results: parseResults(text, 'results.json') };
  };

  const killed = await run('5.10,6.1', 'head', { interruptAt: /6\.1: measured/, signal: 'SIGKILL' });
  expect(killed.code).toBeNull();
  expect(killed.stderr).not.toContain('5.10: measured');
  expect(builds).toBe(2);

  // With another head, only base is reused.
  say('hang', 'not');
  commit(project, 'later', { 'other.txt': 'another change\n' });
  const later = await run('6.1', 'later');
  expect(later.stderr).toMatch(/6\.1: booting .* for head/);
  expect(later.stderr).not.toMatch(/6\.1: booting .* for base/);
  expect(builds).toBe(3);
  expect(later.results?.kernels).toMatchObject([{ id: '6.1', kept: ['base'] }]);

  say('count', '200');
  const repeated = await run('5.10,6.1', 'head');
  expect(repeated.code).toBe(0);
  // Its trees are not built again either.
  for (const name of ['base', 'head']) expect(repeated.stderr).toContain(`${name} (${name}) is already built`);
  expect(builds).toBe(3);
  expect(repeated.stderr).toMatch(
    /6\.1: benches of head are taken from a run on this machine, which counted them at 20\d\d-/,
  );
  expect(repeated.stderr).not.toContain('6.1: booting');
  expect(repeated.stderr).toContain('5.10: booting');
  expect(repeated.results?.verdict).toBe('pass');
  expect(repeated.results?.kernels).toMatchObject([
    { id: '5.10', kept: [] },
    { id: '6.1', kept: ['base', 'head'] },
  ]);
  const valuesOf = (kernel: string) =>
    repeated.results?.measurements.flatMap((each) => (each.kernel === kernel ? each.value : []));
  expect(valuesOf('6.1')).toEqual([100, 100]);
  expect(valuesOf('5.10')).toEqual([200, 200]);
  expect(repeated.stdout).toContain('base and head as an earlier run counted them');

  const fresh = await run('6.1', 'head', {}, ['--fresh']);
  expect(fresh.stderr).toContain('6.1: booting');
  expect(fresh.results?.kernels).toMatchObject([{ id: '6.1', kept: [] }]);

  // The kept counts differ from what is counted now: an audit finds this and removes them.
  const audited = await run('6.1', 'head', {}, ['--audit', '100']);
  expect(audited.code).toBe(3);
  expect(audited.stderr).toMatch(
    /audit: kernel 6\.1 counts base differently from a run on this machine at \S+: counted\/x latency was 100 then and is 200 now/,
  );
  const again = await run('6.1', 'head');
  expect(again.results?.measurements.map(({ value }) => value)).toEqual([200, 200]);
});

test('a bench is counted again only where a file that it opened has changed, or was counted by foreign code', async () => {
  const folder = temporaryFolder();
  const [project, data] = [join(folder, 'project'), join(folder, 'data')];
  mkdirSync(data);
  // A number from outside of the trees shows when a value was counted.
  const countNow = (number: string) => {
    writeFileSync(join(data, 'count'), number);
    utimesSync(join(data, 'count'), 1, 1);
  };
  const bench = (name: string) => `[[bench]]
name = "${name}"
command = "cargo bench --bench ${name}"
format = "bmf"
observe = false
`;
  const source = (path: string) => `fn main() {
    let number = |path: &str| std::fs::read_to_string(path).unwrap().trim().parse::<u32>().unwrap();
    println!(r#"{{"x": {{"latency": {{"value": {}}}}}}}"#, number("${data}/count") + number("${path}"));
}
`;
  const target = (name: string) => `[[bench]]\nname = "${name}"\nharness = false\n`;
  const changed = { 'number.txt': '2' };
  countNow('100');
  commit(project, 'base', {
    'bpfgate.toml': `[build]\ncommand = "cargo bench --no-run --offline"\n${bench('fixed')}${bench('reader')}`,
    '.gitignore': 'target\n',
    'Cargo.toml': `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n${target('fixed')}${target('reader')}`,
    'Cargo.lock':
      '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n',
    'src/lib.rs': '',
    'benches/fixed.rs': source('zero.txt'),
    'benches/reader.rs': source('number.txt'),
    'zero.txt': '0',
    'number.txt': '1',
    'unread.txt': '1',
  });
  commit(project, 'foreign', changed);
  execFileSync('git', ['checkout', '--quiet', 'base'], { cwd: project });
  commit(project, 'head', { ...changed, 'unread.txt': '2' });
  commit(project, 'changed', { 'number.txt': '3' });
  commit(project, 'later', { 'unread.txt': '3' });
  /** Returns the values of base and head, and which guests were booted. */
  const run = async (head: string) => {
    const out = join(folder, 'out');
    const revisions = ['--base', 'base', '--head', head, '--kernels', '6.1', '--audit', '0'];
    const { stderr } = await bpfgate(['run', '--project', project, ...revisions, '--out', out], {
      env: { BPFGATE_GUEST_READ: data },
    });
    const results = parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
    return {
      values: Object.fromEntries(
        results.measurements.map(({ benchmark, revision, value }) => [`${benchmark}, ${revision}`, value]),
      ),
      booted: [...stderr.matchAll(/booting .* for (\w+)/g)].map(([, revision]) => revision).toSorted(),
    };
  };
  const base = { 'fixed/x, base': 100, 'reader/x, base': 101 };
  expect(await run('foreign')).toEqual({
    values: { ...base, 'fixed/x, head': 100, 'reader/x, head': 102 },
    booted: ['base', 'head'],
  });
  countNow('200');
  // `fixed` is as in base. What `reader` opens was counted by a commit that is not an ancestor.
  expect(await run('head')).toEqual({
    values: { ...base, 'fixed/x, head': 100, 'reader/x, head': 202 },
    booted: ['head'],
  });
  countNow('300');
  const afterChange = { ...base, 'fixed/x, head': 100, 'reader/x, head': 303 };
  expect(await run('changed')).toEqual({ values: afterChange, booted: ['head'] });
  countNow('400');
  expect(await run('later')).toEqual({ values: afterChange, booted: [] });
  commit(project, 'last', { 'number.txt': '5' });
  expect(await run('last')).toEqual({
    values: { ...base, 'fixed/x, head': 100, 'reader/x, head': 405 },
    booted: ['head'],
  });
});

/**
 * A project whose benches each find their input in another way, and print a hash of it; the contents that its files can
 * get, `new` for one that no file had before, and the files that can be removed.
 */
const readers = (() => {
  const bodies = {
    follows: 'read(read("name").trim())',
    lists: 'names("folder")',
    links: 'read("link")',
    includes: 'include_str!("../included").to_owned() + &app::library()',
    builds: 'env!("BUILT").to_owned()',
    starts:
      'String::from_utf8(std::process::Command::new("sh").args(["-c", "cat two script 2>&1; . ./script"]).output().unwrap().stdout).unwrap()',
    looks: 'format!("{:?}", ["one", "folder/more", "script"].map(|path| std::path::Path::new(path).exists()))',
  };
  const source = (body: string) => `use std::hash::{DefaultHasher, Hash, Hasher};
fn read(path: &str) -> String { std::fs::read_to_string(path).unwrap_or_default() }
fn names(path: &str) -> String {
    let mut names: Vec<_> = std::fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    format!("{names:?}")
}
fn main() {
    let _: (fn(&str) -> String, fn(&str) -> String) = (read, names);
    let mut hasher = DefaultHasher::new();
    (${body}).hash(&mut hasher);
    println!(r#"{{"x": {{"latency": {{"value": {}}}}}}}"#, hasher.finish() >> 16);
}
`;
  const names = Object.keys(bodies);
  const toml = (more = '') =>
    `[build]\ncommand = "cargo bench --no-run --offline"\n${names.map((name) => `[[bench]]\nname = "${name}"\ncommand = "cargo bench --bench ${name}"\nformat = "bmf"\nobserve = false\n`).join('')}${more}`;
  const targets = names.map((name) => `[[bench]]\nname = "${name}"\nharness = false\n`).join('');
  const library = (text: string) => `pub fn library() -> String { "${text}".to_owned() }\n`;
  const manifest = (more = '') => `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n${targets}${more}`;
  const edits: Readonly<Record<string, readonly string[]>> = {
    one: ['new'],
    two: ['new'],
    name: ['one', 'two', 'missing', 'folder/first'],
    link: ['one', 'two', 'folder/first'],
    'folder/first': ['new'],
    'folder/more': ['new'],
    included: ['new'],
    'build.txt': ['new'],
    script: ['echo 1', 'cat one', 'ls folder'],
    unread: ['new'],
    'src/lib.rs': [library('1'), library('2'), `// A comment.\n${library('1')}`],
    'benches/looks.rs': [source(bodies.looks), `// A comment.\n${source(bodies.looks)}`, source('"another"')],
    'Cargo.toml': [manifest(), manifest('[profile.bench]\nopt-level = 1\n')],
    'bpfgate.toml': [toml(), toml('[gate]\ninstructions = "1%"\n')],
  };
  const files: Readonly<Record<string, string>> = {
    '.gitignore': 'target\n',
    'Cargo.lock':
      '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n',
    'build.rs':
      'fn main() {\n    println!("cargo::rerun-if-changed=build.txt");\n    println!("cargo::rustc-env=BUILT={}", std::fs::read_to_string("build.txt").unwrap().trim());\n}\n',
    ...Object.fromEntries(names.map((name) => [`benches/${name}.rs`, source(bodies[name as keyof typeof bodies])])),
    'bpfgate.toml': toml(),
    'Cargo.toml': manifest(),
    'src/lib.rs': library('1'),
    one: '1',
    two: '2',
    name: 'one',
    'folder/first': 'f',
    included: 'i',
    'build.txt': 'b',
    script: 'echo 1',
    unread: 'u',
  };
  const removable = ['one', 'two', 'folder/first', 'folder/more', 'script', 'unread'];
  return { names, edits, removable, files };
})();

// BPFGATE_EDIT_SEQUENCES=100 takes two hours.
const sequences = Number(process.env.BPFGATE_EDIT_SEQUENCES ?? 2);
const edits = 4;
const msPerSequence = 1_200_000;

test(
  `after ${sequences} x ${edits} random edits, what is taken from earlier runs is what is counted now`,
  async () => {
    const random = mersenne(20_261_128);
    const pick = <Item>(items: readonly Item[]) => items[uniformInt(random, 0, items.length - 1)] as Item;
    let taken = 0;
    for (let sequence = 0; sequence < sequences; sequence++) {
      const folder = temporaryFolder();
      const project = join(folder, 'project');
      // Content of each file now; null where it is removed. An edit gives one file another, or removes it.
      const files = new Map<string, string | null>(Object.entries(readers.files));
      mkdirSync(project);
      symlinkSync('one', join(project, 'link'));
      commit(project, 'step0', readers.files);
      const steps: string[] = [];
      for (let step = 1; step <= edits; step++) {
        const [path, choices] = pick(Object.entries(readers.edits));
        const isRemoved = readers.removable.includes(path) && files.get(path) !== null && pick([0, 1, 2, 3, 4]) === 0;
        const next = isRemoved ? null : pick(choices.filter((choice) => choice !== files.get(path)));
        const text = next === 'new' ? `new ${step}` : next;
        files.set(path, text);
        steps.push(`${path}: ${text?.slice(0, 40) ?? 'removed'}`);
        const at = join(project, path);
        rmSync(at, { force: true });
        if (path === 'link') symlinkSync(text ?? '', at);
        else if (text !== null) {
          mkdirSync(join(at, '..'), { recursive: true });
          writeFileSync(at, text);
        }
        commit(project, `step${step}`, { step: `${step}` });
        const run = async (...further: string[]) => {
          const out = join(folder, 'out');
          rmSync(out, { recursive: true, force: true });
          const revisions = ['--base', `step${step - 1}`, '--head', `step${step}`, '--kernels', '6.1'];
          const { stderr } = await bpfgate(['run', '--project', project, ...revisions, '--out', out, ...further]);
          const results = parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
          expect(results.gaps, stderr).toEqual([]);
          const values = results.measurements.map((each) => [`${each.benchmark}, ${each.revision}`, each.value]);
          const { kept } = results.kernels[0] ?? {};
          return {
            values: Object.fromEntries(values),
            kept,
            isHeadTaken: /benches .*of head are taken from/.test(stderr),
          };
        };
        const cached = await run('--audit', '0');
        const fresh = await run('--fresh');
        expect(fresh.kept).toEqual([]);
        expect(cached.values, steps.join('\n')).toEqual(fresh.values);
        expect(Object.keys(fresh.values)).toHaveLength(2 * readers.names.length);
        if (cached.isHeadTaken) taken += 1;
      }
    }
    expect(taken).toBeGreaterThan(0);
  },
  sequences * msPerSequence,
);
