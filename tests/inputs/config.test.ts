import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { missingConfigError, parseConfig } from '../../src/inputs/config.ts';
import { manifestOf, manifests } from '../../src/inputs/manifest.ts';

const parse = (text: string) => parseConfig(text, 'bpfgate.toml');

const full = `kernels = ["5.10", "5.8..6.1"]
lanes = ["instructions"]
runner = "virtme-ng"
standard-inputs = true

[build]
command = "make"
where = "host"
env = ["VERSION", "LLVM_STRIP", "VERSION"]

[[bench]]
name = "xdp"
command = "cargo bench --bench xdp"
format = "bmf"
observe = false

[[bench]]
command = "cargo criterion"
name = "micro"
profile = true

[[kernel]]
name = "rhel-9.6"
url = "https://example.org/linux.rpm"
sha256 = "${'ab'.repeat(32)}"

[gate]
instructions = "0.7%"
verifier = "off"
[[gate.override]]
benchmark = "profiler/*"
kernel = "5.8"
lane = "verifier"
limit = "10%"

[[input]]
name = "own"
file = "corpus/own.pcap"

[[program]]
section = "prog"
type = "xdp"

[[input]]
name = "own"
context = "syscall"
bytes = "0x01fF"

[preset.deep]
set = { max_depth = 16, cfg = { flags = [1, true], id = 0x7fffffffffffffff, name = "a" } }
[[preset.deep.entries]]
map = "allowed"
key = 443
value = "0x00"
[[preset.deep.entries]]
map = "queue"
value = -1
`;

test('reads every key and the line of each bench name', () => {
  expect(parse(full)).toEqual({
    file: 'bpfgate.toml',
    kernels: ['5.10', '5.8..6.1'],
    namedKernels: [{ name: 'rhel-9.6', url: 'https://example.org/linux.rpm', sha256: 'ab'.repeat(32) }],
    lanes: ['instructions'],
    runner: 'virtme-ng',
    build: { command: 'make', where: 'host', network: false, objects: null, env: ['LLVM_STRIP', 'VERSION'] },
    benches: [
      { name: 'xdp', command: 'cargo bench --bench xdp', format: 'bmf', observe: false, profile: false, line: 12 },
      { name: 'micro', command: 'cargo criterion', format: 'auto', observe: true, profile: true, line: 19 },
    ],
    standardInputs: true,
    packetFiles: [{ name: 'own', file: 'corpus/own.pcap', line: 37 }],
    contexts: [{ name: 'own', type: 'syscall', bytes: [1, 255] }],
    presets: [
      {
        name: 'deep',
        variables: [
          { name: 'max_depth', value: 16, line: 50 },
          { name: 'cfg', value: { flags: [1, true], id: '9223372036854775807', name: 'a' }, line: 50 },
        ],
        entries: [
          { map: 'allowed', key: 443, value: '0x00', line: 51 },
          { map: 'queue', key: undefined, value: -1, line: 55 },
        ],
      },
    ],
    sections: { prog: 'xdp' },
    gate: {
      limits: { instructions: 0.007, verifier: 'off' },
      overrides: [{ benchmark: 'profiler/*', kernel: '5.8', lane: 'verifier', limit: 0.1 }],
    },
  });
});

test('fills in the defaults', () => {
  expect(parse('')).toEqual({
    file: 'bpfgate.toml',
    kernels: ['lts'],
    namedKernels: [],
    lanes: ['instructions', 'verifier'],
    runner: 'vmtest',
    build: {
      command: 'cargo build --release && cargo bench --no-run',
      where: 'host',
      network: false,
      objects: null,
      env: [],
    },
    benches: [],
    standardInputs: null,
    packetFiles: [],
    contexts: [],
    presets: [],
    sections: {},
    gate: { limits: { instructions: 0, verifier: 0 }, overrides: [] },
  });
});

test('reads CRLF, a byte order mark, dotted keys and inline tables alike', () => {
  expect(parse(`\uFEFF${full.replaceAll('\n', '\r\n')}`)).toEqual(parse(full));
  const inline = parse(
    'build.command = "make"\ngate = { instructions = "1%", override = [{ lane = "verifier", limit = "off" }] }\nbench = [\n  { name = "a", command = "b" },\n  { name = "c", command = "d" },\n]\n',
  );
  expect(inline.build.command).toBe('make');
  expect(inline.gate.limits.instructions).toBe(0.01);
  expect(inline.gate.overrides).toEqual([{ lane: 'verifier', limit: 'off' }]);
  expect(inline.benches.map(({ name, line }) => [name, line])).toEqual([
    ['a', 4],
    ['c', 5],
  ]);
});

test('a bench name can be as long as the guest allows', () => {
  const name = 'a'.repeat(100);
  expect(parse(`[[bench]]\nname = "${name}"\ncommand = "x"`).benches[0]?.name).toBe(name);
});

test.each(manifests)('the example for a project with a $file is a valid configuration', (manifest) => {
  const { benches, build } = parseConfig(manifest.example, 'bpfgate.toml', manifest);
  expect(benches).toHaveLength(1);
  expect(build.command).toBe(/command = "(go test -c.*)"/.exec(manifest.example)?.[1] ?? manifest.build);
});

test('a project is built by its manifest, or by the first of several that builds programs', () => {
  const of = (...files: string[]) =>
    parseConfig(
      '',
      'x',
      manifestOf((file) => files.includes(file)),
    ).build.command;
  expect([
    of('go.mod', 'Makefile'),
    of('Makefile'),
    of('Makefile', 'Cargo.toml'),
    of('CMakeLists.txt'),
    of('meson.build'),
    of(),
  ]).toEqual([
    'go build ./...',
    'make',
    'cargo build --release && cargo bench --no-run',
    'cmake -B build && cmake --build build',
    '(test -f build/build.ninja || meson setup build) && meson compile -C build',
    'cargo build --release && cargo bench --no-run',
  ]);
});

const kernel = (name: string, url = 'https://x.org/k.deb', sha256 = 'ab'.repeat(32)) =>
  `[[kernel]]\nname = "${name}"\nurl = "${url}"\nsha256 = "${sha256}"\n`;
const bench = (lines: string) => `[[bench]]\nname = "xdp"\ncommand = "true"\n${lines}\n`;

describe('an invalid file is an error with file, line, key and what is allowed', () => {
  test.each([
    [
      'an unknown key with a near name',
      bench('formt = "bmf"'),
      'bpfgate.toml:4: unknown key `formt` in [[bench]]; allowed: name, command, format, observe, profile; did you mean `format`?',
    ],
    [
      'an unknown key with no near name',
      'colour = 1',
      'bpfgate.toml:1: unknown key `colour` at the top; allowed: kernels, kernel, lanes, runner, build, bench, program, standard-inputs, input, preset, gate',
    ],
    ...['6.1', '6.1:source', 'lts', 'a/b', 'a b', 'a..b', '-a', 'é', 'a'.repeat(65)].map((name) => [
      `the kernel name ${name}`,
      kernel(name),
      `bpfgate.toml:2: \`name\` is ${JSON.stringify(name)}; allowed: a letter, then letters, digits, \`_\`, \`-\` and \`.\`, 64 at most; versions and "lts", "latest" and "all" name pinned kernels`,
    ]),
    [
      'two kernels of one name',
      kernel('a') + kernel('a'),
      'bpfgate.toml:6: duplicate kernel name "a", first used at line 2',
    ],
    ...['http://x.org/k.deb', 'file:///boot/vmlinuz', 'https://me:secret@x.org/k.deb', 'k.deb'].map((url) => [
      `the kernel address ${url}`,
      kernel('a', url),
      `bpfgate.toml:3: \`url\` is ${JSON.stringify(url)}; allowed: an https address without a login`,
    ]),
    [
      'a kernel with a wrong checksum',
      kernel('a', undefined, 'AB'),
      'bpfgate.toml:4: `sha256` is "AB"; allowed: 64 lower-case hexadecimal digits, as `sha256sum` prints them',
    ],
    [
      'a kernel without a checksum',
      '[[kernel]]\nname = "a"\nurl = "https://x.org/k.deb"\n',
      'bpfgate.toml:1: no `sha256` in [[kernel]]; it is required',
    ],
    [
      'a list of kernels under the wrong key',
      'kernel = ["6.1"]\n',
      'bpfgate.toml:1: `kernel` is a list; write [[kernel]] before each, or `kernels` for a list of selectors',
    ],
    [
      'an unknown table',
      '[benches]\nname = "x"',
      'bpfgate.toml:1: unknown key `benches` at the top; allowed: kernels, kernel, lanes, runner, build, bench, program, standard-inputs, input, preset, gate; did you mean `bench`?',
    ],
    [
      'an unknown key of the gate',
      '[gate]\n\ninstruction = "0%"',
      'bpfgate.toml:3: unknown key `instruction` in [gate]; allowed: instructions, verifier, override; did you mean `instructions`?',
    ],
    [
      'no kernels',
      '\nkernels = []',
      'bpfgate.toml:2: `kernels` is empty; name at least one, such as "6.1", "5.8..6.1", "lts", "latest" or "all"',
    ],
    [
      'kernels as a string',
      'kernels = "lts"',
      'bpfgate.toml:1: `kernels` is "lts"; write a list of strings, such as ["6.1", "6.12"]',
    ],
    [
      'a kernel as a number',
      'kernels = [\n  "6.1",\n  6.12,\n]',
      'bpfgate.toml:3: `kernels` holds 6.12; write a list of strings, such as ["6.1", "6.12"]',
    ],
    ['an empty kernel', 'kernels = [""]', 'bpfgate.toml:1: `kernels` holds an empty string'],
    ['no lanes', 'lanes = []', 'bpfgate.toml:1: `lanes` is empty; allowed: instructions, verifier'],
    [
      'an unknown lane',
      'lanes = ["instruction"]',
      'bpfgate.toml:1: unknown lane `instruction`; allowed: instructions, verifier; did you mean `instructions`?',
    ],
    [
      'the lane of times',
      'lanes = ["instructions", "time"]',
      'bpfgate.toml:1: unknown lane `time`; allowed: instructions, verifier; times are no longer measured: remove it',
    ],
    [
      'its limit',
      '[gate]\ntime = "5%"',
      'bpfgate.toml:2: unknown key `time` in [gate]; allowed: instructions, verifier, override; times are no longer measured: remove it',
    ],
    [
      'an override of its limit',
      '[[gate.override]]\nlane = "time"\nlimit = "5%"',
      'bpfgate.toml:2: `lane` is "time"; allowed: "instructions", "verifier"; times are no longer measured: remove it',
    ],
    [
      'its budget',
      'time-budget = "10 min"',
      'bpfgate.toml:1: unknown key `time-budget` at the top; allowed: kernels, kernel, lanes, runner, build, bench, program, standard-inputs, input, preset, gate; times are no longer measured: remove it',
    ],
    [
      'an unknown runner',
      'kernels = ["lts"]\nrunner = "virtme"',
      'bpfgate.toml:2: `runner` is "virtme"; allowed: "vmtest", "virtme-ng"',
    ],
    [
      'a network in a guest',
      '[build]\nwhere = "guest"\nnetwork = true',
      'bpfgate.toml:3: `network` is for builds on the host: a guest has no network',
    ],
    [
      'an unknown build place',
      '[build]\nwhere = "moon"',
      'bpfgate.toml:2: `where` is "moon"; allowed: "host", "guest"',
    ],
    [
      'an empty list of objects',
      '[build]\nobjects = []',
      'bpfgate.toml:2: `objects` is empty; name at least one, such as "src/*.bpf.o"',
    ],
    [
      'more names of objects than anybody writes',
      `[build]\nobjects = [${'"*",'.repeat(101)}]`,
      'bpfgate.toml:2: `objects` holds 101 names; allowed: at most 100, and `*` in each',
    ],
    [
      'objects that are no list',
      '[build]\nobjects = "a.o"',
      'bpfgate.toml:2: `objects` is "a.o"; write a list of strings, such as ["src/*.bpf.o"]',
    ],
    [
      "a variable of the runner's",
      '[build]\nenv = [\n  "VERSION",\n  "GITHUB_SHA",\n]',
      'bpfgate.toml:4: `env` holds "GITHUB_SHA", which is the runner\'s own; give the build\'s commands its value in a variable of another name',
    ],
    ...[
      'DEPLOY_TOKEN',
      'my_secret',
      'DB_PASSWORD',
      'OPENAI_API_KEY',
      'SSH_AUTH_SOCK',
      'GH_PAT',
      'GIT_CONFIG_VALUE_0',
    ].map((name) => [
      `the secret ${name}`,
      `[build]\nenv = ["${name}"]`,
      `bpfgate.toml:2: \`env\` holds "${name}", which looks like a secret; a build runs the code of pull requests, so it gets none`,
    ]),
    [
      'a variable with its value',
      '[build]\nenv = ["VERSION=1"]',
      'bpfgate.toml:2: `env` holds "VERSION=1", which is no variable\'s name; allowed: letters, digits and `_`',
    ],
    ['an empty build command', '[build]\ncommand = " "', 'bpfgate.toml:2: `command` in [build] is empty'],
    ['a build that is no table', 'build = "make"', 'bpfgate.toml:1: `build` is "make"; write a table: [build]'],
    [
      'a bench that is no list',
      '[bench]\nname = "x"',
      'bpfgate.toml:1: `bench` is a table; write [[bench]] before each',
    ],
    ['a bench without name', '\n[[bench]]\ncommand = "x"', 'bpfgate.toml:2: no `name` in [[bench]]; it is required'],
    ['a bench without command', '[[bench]]\nname = "x"', 'bpfgate.toml:1: no `command` in [[bench]]; it is required'],
    ['an empty command', '[[bench]]\nname = "x"\ncommand = ""', 'bpfgate.toml:3: `command` in [[bench]] is empty'],
    [
      'a command as a list',
      '[[bench]]\nname = "x"\ncommand = ["a"]',
      'bpfgate.toml:3: `command` in [[bench]] is a list; write a string',
    ],
    [
      'a name with a slash',
      '[[bench]]\nname = "a/b"\ncommand = "x"',
      'bpfgate.toml:2: `name` is "a/b"; allowed: letters, digits, `_`, `-` and `.`',
    ],
    [
      'a name too long for the guest',
      `[[bench]]\nname = "${'a'.repeat(101)}"\ncommand = "x"`,
      'bpfgate.toml:2: `name` has 101 characters; allowed: at most 100',
    ],
    [
      'a duplicate name',
      `${bench('')}\n${bench('')}`,
      'bpfgate.toml:7: duplicate bench name "xdp", first used at line 2',
    ],
    [
      'an unknown format',
      bench('format = "criterium"'),
      'bpfgate.toml:4: `format` is "criterium"; allowed: "criterion", "bmf", "go", "libtest", "divan", "google-benchmark", "hyperfine", "gungraun", "none"; did you mean `criterion`?',
    ],
    [
      'a name of an input that is a path',
      '[[input]]\nname = "a/b"\nfile = "x.pcap"',
      'bpfgate.toml:2: `name` is "a/b"; allowed: letters, digits, `_`, `-` and `.`, 60 at most',
    ],
    ['an input without a file', '[[input]]\nname = "a"', 'bpfgate.toml:1: no `file` in [[input]]; it is required'],
    [
      'a context of another type',
      '[[input]]\nname = "a"\ncontext = "sk_lockup"',
      'bpfgate.toml:3: `context` is "sk_lockup"; allowed: "raw_tracepoint", "syscall", "sk_lookup"; did you mean `sk_lookup`?',
    ],
    [
      'a key of another context',
      '[[input]]\nname = "a"\ncontext = "syscall"\nargs = [1]',
      'bpfgate.toml:4: unknown key `args` in [[input]] of context "syscall"; allowed: name, context, bytes',
    ],
    [
      'an argument of 65 bits',
      '[[input]]\nname = "a"\ncontext = "raw_tracepoint"\nargs = ["0x10000000000000000"]',
      'bpfgate.toml:4: `args` in [[input]] of context "raw_tracepoint" is a list; allowed: a list of at most 12 integers of 64 bits',
    ],
    [
      'half a byte',
      '[[input]]\nname = "a"\ncontext = "syscall"\nbytes = "0x123"',
      'bpfgate.toml:4: `bytes` in [[input]] of context "syscall" is "0x123"; allowed: "0x" and two hexadecimal digits for each byte, at most 4096 bytes',
    ],
    [
      'addresses of two families',
      '[[input]]\nname = "a"\ncontext = "sk_lookup"\nlocal = "[::1]:1"\nremote = "127.0.0.1:1"',
      'bpfgate.toml:4: `local` in [[input]] of context "sk_lookup" is "[::1]:1"; allowed: `local` and `remote` of one family, such as "192.0.2.1:443" or "[2001:db8::1]:443"',
    ],
    [
      "a context with the name of bpfgate's own",
      '[[input]]\nname = "zeros"\ncontext = "syscall"\nbytes = "0x00"',
      'bpfgate.toml:2: there is another syscall context `zeros`; give it another name',
    ],
    [
      'packets with the name of runs of attached programs',
      '[[input]]\nname = "workload"\nfile = "x.pcap"',
      'bpfgate.toml:2: `name` in [[input]] is "workload", the name of runs of attached programs; choose another name',
    ],
    [
      'a context with the name of runs of attached programs',
      '[[input]]\nname = "iteration"\ncontext = "syscall"\nbytes = "0x00"',
      'bpfgate.toml:2: `name` in [[input]] is "iteration", the name of runs of attached programs; choose another name',
    ],
    [
      'a preset that sets nothing',
      '[preset.a]',
      'bpfgate.toml:1: no `set` and no `entries` in [preset.a]; give at least one',
    ],
    [
      'a preset with another key',
      '[preset.a]\nsets = {}',
      'bpfgate.toml:2: unknown key `sets` in [preset.a]; allowed: set, entries; did you mean `set`?',
    ],
    [
      'a preset whose name is a path',
      '[preset."a/b"]',
      'bpfgate.toml:1: a preset is called "a/b"; allowed: letters, digits, `_`, `-` and `.`, 60 at most',
    ],
    [
      'too many presets',
      Array.from({ length: 17 }, (_, index) => `[preset.a${index}]\nset.b = 1\n`).join(''),
      'bpfgate.toml: 17 presets; allowed: at most 16',
    ],
    [
      'an entry without a value',
      '[[preset.a.entries]]\nmap = "m"\nkey = 1',
      'bpfgate.toml:1: no `value` in [[preset.a.entries]]; it is required',
    ],
    [
      'a fraction in a preset',
      '[preset.a]\nset.x = [1.5]',
      'bpfgate.toml:2: `set.x` is 1.5; allowed: integers, booleans, strings, and lists and tables of them',
    ],
    [
      'a value nested too deep',
      `[preset.a]\nset.x = ${'['.repeat(33)}${']'.repeat(33)}`,
      'bpfgate.toml:2: `set.x` is nested more than 32 deep',
    ],
    [
      'a section without a type',
      '[[program]]\nsection = "a"',
      'bpfgate.toml:1: no `type` in [[program]]; it is required',
    ],
    [
      'a section with two types',
      '[[program]]\nsection = "a"\ntype = "xdp"\n[[program]]\nsection = "a"\ntype = "tc"',
      'bpfgate.toml:4: section "a" has two types in [[program]]',
    ],
    ['profile as a number', bench('profile = 1'), 'bpfgate.toml:4: `profile` is 1; allowed: true, false'],
    ['observe as a string', bench('observe = "yes"'), 'bpfgate.toml:4: `observe` is "yes"; allowed: true, false'],
    [
      'a limit as a number',
      '[gate]\ninstructions = 0',
      'bpfgate.toml:2: `instructions` is 0; allowed: "0%", "0.5%", "5%" or "off"',
    ],
    [
      'a negative limit',
      '[gate]\nverifier = "-5%"',
      'bpfgate.toml:2: `verifier` is "-5%"; allowed: "0%", "0.5%", "5%" or "off"',
    ],
    [
      'a bare number as limit',
      '[gate]\nverifier = "5"',
      'bpfgate.toml:2: `verifier` is "5"; allowed: "0%", "0.5%", "5%" or "off"',
    ],
    [
      'an override of nothing',
      '[gate]\n[[gate.override]]\nlimit = "1%"',
      'bpfgate.toml:2: no `benchmark`, `kernel` or `lane` in [[gate.override]]; name at least one',
    ],
    [
      'an override without limit',
      '[[gate.override]]\nkernel = "5.8"',
      'bpfgate.toml:1: no `limit` in [[gate.override]]; it is required',
    ],
    [
      'an override of an unknown lane',
      '[[gate.override]]\nlane = "verifer"\nlimit = "1%"',
      'bpfgate.toml:2: `lane` is "verifer"; allowed: "instructions", "verifier"; did you mean `verifier`?',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parse(text)).toThrow(new InputError(message));
  });
});

test.each([
  ['an open string', 'kernels = ["lts]\n', /^bpfgate\.toml:1:\d+: not TOML: /],
  ['a key twice', 'lanes = ["instructions"]\nlanes = ["verifier"]\n', /^bpfgate\.toml:2:\d+: not TOML: /],
  [
    'a table that is not closed',
    '\n[build\ncommand = "make"\n',
    /^bpfgate\.toml:2:1: not TOML: the table's name is not closed by `\]`$/,
  ],
  [
    'a table with a quoted name, before an empty line and a comment',
    '["build"\n\n# how\ncommand = "make"\n',
    /^bpfgate\.toml:1:1: not TOML: the table's name is not closed by `\]`$/,
  ],
  [
    'a table at the end',
    'lanes = ["verifier"]\n[gate',
    /^bpfgate\.toml:2:1: not TOML: the table's name is not closed by `\]`$/,
  ],
  [
    'an inline table that is not closed',
    'build = { command = "make"\n[gate]\nverifier = "5%"\n',
    /^bpfgate\.toml:1:1: not TOML: the table that begins here is not closed by `\}`$/,
  ],
  [
    'one of a list of tables',
    '[[bench]\nname = "x"\n',
    /^bpfgate\.toml:1:1: not TOML: the table's name is not closed by `\]\]`$/,
  ],
  [
    'something else, below a list of several lines',
    'kernels = [\n"6.1",\n]\ntime\n',
    /^bpfgate\.toml:\d:\d+: not TOML: (?!the list|the table)/,
  ],
  [
    'a list that is not closed',
    'kernels = ["6.1",\n"6.12"\n[[bench]]\nname = "x"\n',
    /^bpfgate\.toml:1:1: not TOML: the list that begins here is not closed by `\]`$/,
  ],
  ['no value', '[gate]\n\ntime =\n', /^bpfgate\.toml:3:\d+: not TOML: /],
])('names line and column of a syntax error: %s', (_, text, message) => {
  expect(() => parse(text)).toThrow(InputError);
  expect(() => parse(text)).toThrow(message);
});

describe('a file that is too large or nested too deep', () => {
  test.each([
    [
      'a long text',
      `command = "${'x'.repeat(100_000)}"`,
      'bpfgate.toml has 100012 characters; allowed: at most 100000',
    ],
    [
      'a key as long as the file',
      `${'x'.repeat(90_000)} = 1`,
      /^bpfgate\.toml:1: unknown key `x{400,}…[\s\S]{400,499}$/,
    ],
    ['lists in lists', `a = ${'['.repeat(40_000)}${']'.repeat(40_000)}`, 'bpfgate.toml: nested too deep'],
    ['tables in tables', `a = ${'{b='.repeat(20_000)}1${'}'.repeat(20_000)}`, 'bpfgate.toml: nested too deep'],
  ])('is refused: %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(InputError);
    expect(() => parse(text)).toThrow(message);
  });
});

test('a missing file is an error with its path and an example', () => {
  const manifest = manifestOf((file) => file === 'go.mod');
  const error = missingConfigError('app/bpfgate.toml', manifest, []);
  expect(error.message).toBe('no configuration: `app/bpfgate.toml` does not exist');
  expect(error.hint).toContain(manifest.example);
  expect(error.hint).toMatch(/^`bpfgate count 'PATH\/\*\.bpf\.o'` counts .*`bpfgate init`/);
});
