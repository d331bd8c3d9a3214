import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readStarts, recordStarts, startsFile, withoutCargo } from '../../src/build/cargo-starts.ts';
import { readTreeSettings } from '../../src/build/read-cargo-settings.ts';
import { startsKey } from '../../src/plan/cargo-command.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Prints all that a program is given. */
const printer = `fn main() {
    println!("folder {:?}", std::env::current_dir().unwrap());
    println!("words {:?}", std::env::args().collect::<Vec<_>>());
    let mut variables: Vec<_> = std::env::vars().collect();
    variables.sort();
    for (name, value) in variables {
        if !["_", "SHLVL", "OLDPWD", "PWD"].contains(&name.as_str()) {
            println!("{name}={value:?}");
        }
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

/** Builds a project, and has cargo say what some commands start. */
async function startsOf(root: string, commands: readonly string[], project = '') {
  const keys = commands.flatMap((command) => {
    const found = startsKey(command);
    return found !== undefined && 'key' in found ? [found.key] : [];
  });
  execFileSync('bash', ['-c', recordStarts('true', keys, root)], { cwd: join(root, project), stdio: 'pipe' });
  const text = readFileSync(join(root, startsFile), 'utf8');
  return readStarts(text, await readTreeSettings(root, root, project));
}

const manifest = (name: string, more = '') => `[package]
name = "${name}"
version = "1.2.3"
edition = "2021"
authors = ["It's me"]
${more}`;

describe('what cargo starts, started without it, is given the same', () => {
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
    'cargo run --release -q -- --fast',
  ];
  let starts: ReturnType<typeof startsOf> | undefined;

  test.each(commands)('%s', async (command) => {
    starts ??= startsOf(root, commands);
    const direct = withoutCargo(command, await starts);
    expect(direct).not.toMatch(/\bcargo (bench|test|run)\b/);
    expect(sh(direct, root)).toBe(sh(command, root));
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
    ['beside the configuration', cfg('unix', '"tools/run"'), /WRAPPED/],
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

  test('whose condition cannot be read leaves the command as it is', async () => {
    const root = projectOf({ ...rust, '.cargo/config.toml': cfg('all(unix', '"env"') });
    const starts = await startsOf(root, ['cargo bench']);
    expect(withoutCargo('cargo bench', starts)).toBe('cargo bench');
  });
});

test.each([
  ['cd one && cargo bench', 'it is more than one simple cargo command'],
  ['cargo xtask bench', '`cargo xtask` is none of `bench`, `criterion`, `run`, `test`'],
  ['cargo test', 'it may test documentation; name its targets, as with `--test NAME`'],
  ['cargo bench --config a=1', 'it has `--config`'],
  ['cargo criterion --history-id x', 'it has `--history-id`'],
])('%s is run by cargo: %s', (command, unknown) => {
  expect(startsKey(command)).toEqual({ unknown });
  expect(withoutCargo(command, {})).toBe(command);
});

test.each(['make bench', './cargo-bench', 'go test -bench . ./cargo'])('%s is not cargo', (command) => {
  expect(startsKey(command)).toBeUndefined();
});

test('a command that cargo refuses is run by it in the guest, where it says why', async () => {
  const root = projectOf({ 'Cargo.toml': manifest('one'), 'src/lib.rs': '' });
  const command = 'cargo bench --bench gone';
  const starts = await startsOf(root, [command]);
  expect(starts).toEqual({ [command]: { unknown: 'where it is built, cargo exits with 101' } });
  expect(withoutCargo(command, starts)).toBe(command);
});

test('fails as the build does', () => {
  const script = recordStarts('echo "it\'s built"; exit 7', ['cargo bench'], '/nowhere');
  expect(() => execFileSync('bash', ['-c', script], { stdio: 'pipe' })).toThrow(
    expect.objectContaining({ status: 7, stdout: Buffer.from("it's built\n") }),
  );
});

test.each(['', 'run', 'cargo Y2FyZ28=\nexit MA==\nrun x = AAAA', '\0\n\n', 'cfg\ncargo\nexit'])(
  'a record of another form is none: %j',
  (text) => {
    for (const start of Object.values(readStarts(text, []))) expect(start).toHaveProperty('unknown');
  },
);
