import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { equalizeStarts, readStarts, recordStarts, startsFile, withoutCargo } from '../../src/build/cargo-starts.ts';
import { readTreeSettings } from '../../src/build/read-cargo-settings.ts';
import type { CargoStart, StartedProgram } from '../../src/model/build.ts';
import { startsKey } from '../../src/plan/cargo-command.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A program that prints everything it was started with. */
const printer = `fn main() {
    println!("folder {:?}", std::env::current_dir().unwrap());
    println!("words {:?}", std::env::args().collect::<Vec<_>>());
    let mut variables: Vec<_> = std::env::vars().collect();
    variables.sort();
    for (name, value) in variables {
        println!("{name}={value:?}");
    }
}
`;

function projectOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'bpfgate-starts-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function sh(command: string, cwd: string): string {
  const { CARGO_TARGET_DIR: _, ...env } = process.env;
  return execFileSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Builds a project, and asks cargo what some commands start. */
async function startsOf(root: string, commands: readonly string[], project = '') {
  const keys = commands.flatMap((command) => {
    const found = startsKey(command);
    return found !== undefined && 'key' in found ? [found.key] : [];
  });
  execFileSync('bash', ['-c', recordStarts('true', keys, root)], { cwd: join(root, project), stdio: 'pipe' });
  const text = readFileSync(join(root, startsFile), 'utf8');
  const configs = (await readTreeSettings(root, root, project)).filter((config) => config !== undefined);
  return readStarts(text, configs, root, project);
}

const manifest = (name: string, more = '') => `[package]
name = "${name}"
version = "1.2.3"
edition = "2021"
authors = ["It's me"]
${more}`;

describe('a program that cargo runs gets the same arguments and variables when run without cargo', () => {
  const root = projectOf({
    'Cargo.toml': '[workspace]\nmembers = ["one", "two"]\nresolver = "2"\n',
    'one/Cargo.toml': manifest(
      'one',
      '[[bench]]\nname = "b"\nharness = false\n[[bench]]\nname = "c"\nharness = false\n',
    ),
    'one/build.rs': 'fn main() { println!("cargo::rustc-env=MADE=by \'build.rs\' $HOME"); }\n',
    'one/benches/b.rs': printer,
    'one/benches/c.rs': printer,
    'one/src/main.rs': printer,
    'two/Cargo.toml': manifest('two', '[[test]]\nname = "t"\nharness = false\n'),
    'two/src/lib.rs': '',
    'two/tests/t.rs': printer,
  });
  const commands = [
    'cargo bench --bench b',
    "cargo bench -p one -- --exact 'a b'",
    `GIVEN="x y" cargo bench -p one --bench c filter -- --list`,
    'cargo test --test t -- --nocapture',
  ];
  let starts: ReturnType<typeof startsOf> | undefined;

  test.each(commands)('%s', async (command) => {
    starts ??= startsOf(root, commands);
    const direct = withoutCargo(command, await starts);
    expect(direct).not.toMatch(/\bcargo (bench|test|run)\b/);
    const run = (line: string) =>
      sh(line, root)
        .replace(/finished in [\d.]+s/, 'finished')
        .replace(/(?:^|\n)bpfgate: output of .*\n/g, '');
    expect(run(direct)).toBe(run(command));
  });
});

describe('a runner', () => {
  const rust = {
    'Cargo.toml': manifest('one', '[[bench]]\nname = "b"\nharness = false\n'),
    'benches/b.rs': printer,
    'src/lib.rs': '',
  };
  const cfg = (condition: string, runner: string) => `[target.'cfg(${condition})']\nrunner = ${runner}\n`;

  test.each([
    ['for all targets', cfg('all()', '"env WRAPPED=1"'), /WRAPPED/],
    ['in words', cfg('target_os = "linux"', '["env", "WRAPPED=a b"]'), /WRAPPED="a b"/],
    ['for others', cfg('any(windows, not(target_family = "unix"))', '"false"'), /^folder/],
    ['next to the configuration', cfg('unix', '"tools/run"'), /WRAPPED/],
  ])('%s', async (_, config, printed) => {
    const root = projectOf({
      ...rust,
      '.cargo/config.toml': config,
      'tools/run': '#!/bin/sh\nWRAPPED=1 exec "$@"\n',
    });
    chmodSync(join(root, 'tools/run'), 0o755);
    const command = 'cargo bench --bench b';
    const direct = withoutCargo(command, await startsOf(root, [command]));
    expect(direct).not.toBe(command);
    const said = sh(direct, root);
    expect(said).toBe(sh(command, root));
    expect(said).toMatch(printed);
  });

  test('with an unreadable condition leaves the command unchanged', async () => {
    const root = projectOf({ ...rust, '.cargo/config.toml': cfg('all(unix', '"env"') });
    const starts = await startsOf(root, ['cargo bench']);
    expect(withoutCargo('cargo bench', starts)).toBe('cargo bench');
  });
});

test.each([
  ['cd one && cargo bench', 'it is more than one simple cargo command'],
  ['cargo xtask bench', '`cargo xtask` is none of `bench`, `criterion`, `test`'],
  ['cargo test', 'it may test documentation; name its targets, as with `--test NAME`'],
  ['cargo bench --config a=1', 'it has `--config`'],
  ['cargo criterion --history-id x', 'it has `--history-id`'],
  ['cargo run --release', '`cargo run` is none of `bench`, `criterion`, `test`'],
  ['CARGO_TARGET_DIR=/x cargo bench', 'it sets `CARGO_TARGET_DIR`'],
  ['cargo bench -- data/*', 'a shell makes names of files of its arguments'],
])('%s is run through cargo: %s', (command, unknown) => {
  expect(startsKey(command)).toEqual({ unknown });
  expect(withoutCargo(command, {})).toBe(command);
});

test.each(['make bench', './cargo-bench', 'go test -bench . ./cargo'])('%s is not cargo', (command) => {
  expect(startsKey(command)).toBeUndefined();
});

test('a command that cargo refuses is run through cargo in the guest, which reports why', async () => {
  const root = projectOf({ 'Cargo.toml': manifest('one'), 'src/lib.rs': '' });
  const command = 'cargo bench --bench gone';
  const starts = await startsOf(root, [command]);
  expect(starts).toEqual({ [command]: { unknown: 'where it is built, cargo exits with 101' } });
  expect(withoutCargo(command, starts)).toBe(command);
});

test('the recording script has the output and exit code of the build', () => {
  const script = recordStarts('echo "it\'s built"; exit 7', ['cargo bench'], '/nowhere');
  expect(() => execFileSync('bash', ['-c', script], { stdio: 'pipe' })).toThrow(
    expect.objectContaining({ status: 7, stdout: Buffer.from("it's built\n") }),
  );
});

const encode = (...fields: string[]) => Buffer.from(fields.map((field) => `${field}\0`).join('')).toString('base64');
const recordOf = (...lines: string[]) =>
  [`cargo ${Buffer.from('cargo bench').toString('base64')}`, ...lines].join('\n');
const ended = `exit ${Buffer.from('0').toString('base64')}`;

test.each([
  ['that does not end', recordOf('run')],
  ['that fails', recordOf(`exit ${Buffer.from('101').toString('base64')}`)],
  ['whose exit code is no number', recordOf(`exit ${Buffer.from('0; rm -rf /').toString('base64')}`)],
  ['that starts nothing', recordOf(ended)],
  ['that starts a program elsewhere', recordOf(`run x =ZW52 ${encode('/tree', '/tmp/b')} `, ended)],
  ['in a folder that is no path', recordOf(`run x =ZW52 ${encode('tree', 'b')} `, ended)],
  ['with a runner that is not known', recordOf(`run x = ${encode('/tree', 'b')} `, ended)],
])('a record of a command %s is unknown', (_, text) => {
  expect(readStarts(text, [], '/tree', '')).toEqual({ 'cargo bench': { unknown: expect.any(String) } });
});

test.each(['', '\0\n\n', 'cfg\nrun\nexit', `${'run '.repeat(100_000)}`])(
  'a record without commands is empty: %#',
  (text) => {
    expect(readStarts(text, [], '/tree', '')).toEqual({});
  },
);

test('a record contains only the variables that cargo adds', async () => {
  vi.stubEnv('https_proxy', 'http://user:hunter2@proxy.invalid');
  const root = projectOf({
    'Cargo.toml': manifest('one', '[[bench]]\nname = "b"\nharness = false\n'),
    'benches/b.rs': printer,
    'src/lib.rs': '',
  });
  const starts = await startsOf(root, ['cargo bench --bench b']);
  vi.unstubAllEnvs();
  expect(JSON.stringify(starts)).toContain('CARGO_PKG_VERSION');
  const words = readFileSync(join(root, startsFile), 'utf8').split(/\s/);
  expect(words.map((word) => Buffer.from(word, 'base64').toString()).join()).not.toContain('hunter2');
});

test('no command is run directly if one overwrites the program of another', async () => {
  const root = projectOf({
    'Cargo.toml': manifest('one', '[features]\nmore = []\n[[bench]]\nname = "b"\nharness = false\n'),
    'benches/b.rs': printer,
    'src/main.rs': 'fn main() { println!("{}", cfg!(feature = "more")); }',
  });
  const commands = ['cargo bench --bench b', 'cargo bench --bench b --features more'];
  const script = recordStarts('cargo build --release', commands, root);
  execFileSync('bash', ['-c', script], { cwd: root, stdio: 'pipe' });
  expect(existsSync(join(root, startsFile))).toBe(false);
  expect(sh('target/release/one', root)).toBe('false\n');
});

test('cargo-criterion is run directly, with the variables of the command', () => {
  const key = 'A="b c" cargo criterion --bench x';
  const program = {
    package: '',
    target: 'x',
    folder: '/tree',
    words: ['/tree/b'],
    variables: { CARGO: '/bin/cargo', OUT_DIR: '/o' },
    path: '/p',
  };
  const criterion = { targetDirectory: '/tree/target', messages: '{"executable":"/tree/b"}\n' };
  const direct = withoutCargo(`${key} -- --quick`, { [key]: { programs: [program], criterion } });
  expect(direct).toMatch(
    /exec env 'CARGO=\/bin\/cargo' A="b c" PATH="\$cargo:"'\/p:'"\$PATH" cargo-criterion criterion --bench x -- --quick\)$/,
  );
  // Its known questions to cargo are answered from the record; all others are passed on.
  const asking = `${direct.replace(/cargo-criterion criterion .*\)$/, 'sh -c "cargo metadata --format-version 1; cargo bench --no-run; cargo other")')}`;
  const folder = projectOf({ cargo: '#!/bin/sh\necho "real $*"\n' });
  chmodSync(join(folder, 'cargo'), 0o755);
  const said = execFileSync('sh', ['-c', asking.replace("'/p:'", '')], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  expect(said).toBe('{"target_directory":"/tree/target"}\n{"executable":"/tree/b"}\nreal other\n');
});

/** A program of a target, which prints `ran PROGRAM`. */
const targetOf = (target: string, inPackage = ''): StartedProgram => ({
  package: inPackage,
  target,
  folder: '/',
  words: ['echo', `ran ${inPackage}/${target}`],
  variables: {},
  path: '',
});

describe('a line says which program prints what follows', () => {
  const run = (command: string, programs: readonly StartedProgram[]) =>
    sh(withoutCargo(command, { [command]: { programs, criterion: null } }), '/').split('\n');

  test.each([
    ['where the command names several targets', 'cargo bench --bench v4 --bench v6', ['/v4', '/v6']],
    ['where it names none', 'cargo bench', ['/v4', '/v6']],
  ])('%s', (_, command, said) => {
    const programs = ['v4', 'v6'].map((name) => targetOf(name));
    const lines = said.flatMap((name) => [`bpfgate: output of ${name}`, `ran ${name}`, '']);
    expect(run(command, programs)).toEqual(lines);
  });

  test('where one name is that of targets in several packages, which names the packages', () => {
    const programs = [targetOf('my_bench'), targetOf('my_bench', 'x')];
    expect(run('cargo bench --bench my-bench', programs).filter((line) => line.startsWith('bpfgate'))).toEqual([
      'bpfgate: output of /',
      'bpfgate: output of x/',
    ]);
  });

  test('but not for one target that the command names', () => {
    expect(run('cargo bench --bench my-bench', [targetOf('my_bench')])).toEqual(['ran /my_bench', '']);
  });
});

test('a record has the target of each program, and its package unless that is in the folder of the project', async () => {
  const bench = '[[bench]]\nname = "my-bench"\nharness = false\n';
  const root = projectOf({
    'Cargo.toml': `${manifest('one', bench)}[workspace]\nmembers = ["two"]\n`,
    'benches/my-bench.rs': printer,
    'src/lib.rs': '',
    'two/Cargo.toml': manifest('two', bench),
    'two/benches/my-bench.rs': printer,
    'two/src/lib.rs': '',
  });
  const command = 'cargo bench --workspace --bench my-bench';
  const programs = ['', 'two'].map((each) => ({ package: each, target: 'my_bench' }));
  expect(await startsOf(root, [command])).toMatchObject({ [command]: { programs } });
});

test('a command is left to cargo in both revisions if it is unknown in one what it starts', () => {
  const known = { programs: [targetOf('v4')], criterion: null };
  const startsOfBoth = (bench: CargoStart) => ({ starts: { 'cargo bench': bench, 'cargo test --test t': known } });
  const unknown = { unknown: 'it starts no program' };
  const equal = equalizeStarts({ base: startsOfBoth(known), head: startsOfBoth(unknown) });
  for (const { starts } of [equal.base, equal.head]) {
    expect(starts).toEqual({ 'cargo bench': { unknown: expect.any(String) }, 'cargo test --test t': known });
  }
});

test('cargo-criterion is started for each program, and its own variables with it', () => {
  const key = 'cargo criterion --bench v4 --bench v6';
  const programs = ['v4', 'v6'].map((name) => ({ ...targetOf(name), words: [`/tree/${name}`] }));
  const messages = [...programs.map(({ words }) => `{"executable":"${words[0]}"}`), '{"linked_paths":["/l"]}'];
  const criterion = { targetDirectory: '/tree/target', messages: `${messages.join('\n')}\n` };
  const direct = withoutCargo(key, { [key]: { programs, criterion } });
  const asking = direct.replaceAll(/cargo-criterion criterion [^)]*\)/g, 'cargo bench --no-run)');
  expect(sh(asking, '/').trim().split('\n')).toEqual([
    'bpfgate: output of /v4',
    messages[0],
    messages[2],
    '',
    'bpfgate: output of /v6',
    messages[1],
    messages[2],
  ]);
});
