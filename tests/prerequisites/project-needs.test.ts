import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { parseConfig } from '../../src/inputs/config.ts';
import { gateDemands } from '../../src/prerequisites/gate-needs.ts';
import { bpfToolchains, projectDemands } from '../../src/prerequisites/project-needs.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'bpfgate-needs-'));
});
afterEach(() => rmSync(scratch, { recursive: true }));

type Files = Readonly<Record<string, string>>;

function write(files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch, path)), { recursive: true });
    writeFileSync(join(scratch, path), text);
  }
}

/** The project's demands, as `group [toolchain]: by`. */
async function needs(files: Files, { build = 'cargo build', bench = './bench', project = '.' } = {}) {
  write(files);
  const config = parseConfig(`[build]\ncommand = "${build}"\n[[bench]]\nname = "b"\ncommand = "${bench}"\n`, 'x');
  const demands = await projectDemands(join(scratch, project), config);
  return demands.map(({ group, toolchain, by }) => `${group}${toolchain === undefined ? '' : ` ${toolchain}`}: ${by}`);
}

const crate = (name: string, rest = '') => `[package]\nname = "${name}"\n${rest}`;
const cargo = 'cargo: build.command runs `cargo`, which';
const ayaBuild = (name: string) => `${name}'s build script uses aya-build, which`;
const template: Files = {
  'Cargo.toml':
    '[workspace]\nmembers = ["app", "app-*"]\n[workspace.dependencies]\naya-build = "0.2"\naya-ebpf = "0.2"\n',
  'app/Cargo.toml': crate('app', '[build-dependencies]\naya-build = { workspace = true }\n'),
  'app/build.rs': 'aya_build::build_ebpf([package], Toolchain::default())',
  'app-ebpf/Cargo.toml': crate('app-ebpf', '[dependencies]\naya-ebpf = { workspace = true }\n'),
};

describe('a project needs', () => {
  test('nothing of Rust if it is written in C or Go', async () => {
    const files = { Makefile: '', 'go.mod': 'module x\n', 'tools/Cargo.toml': template['app/Cargo.toml'] ?? '' };
    expect(await needs(files, { build: 'make', bench: './loader' })).toEqual([]);
    expect(await needs(files, { build: 'go test -c ./cargo' })).toEqual([]);
  });

  test('only cargo with Criterion and no BPF, and cargo-criterion if a bench runs it', async () => {
    const files = { 'Cargo.toml': crate('x', '[dev-dependencies]\ncriterion = "0.7"\n') };
    expect(await needs(files, { bench: 'cargo bench' })).toEqual([cargo]);
    expect(await needs(files, { bench: 'cargo criterion --bench x' })).toEqual([
      cargo,
      'cargo-criterion: bench `b` runs `cargo criterion`, which',
    ]);
  });

  test('nightly and bpf-linker if a member’s build script uses aya-build', async () => {
    expect(await needs(template)).toEqual([
      cargo,
      `rust-bpf nightly: ${ayaBuild('app')}`,
      `bpf-toolchain nightly: ${ayaBuild('app')}`,
    ]);
  });

  test('the toolchain that the build script names, or the default one if it is computed', async () => {
    const custom = (text: string) => needs({ ...template, 'app/build.rs': `Toolchain::Custom(${text})` });
    expect(await custom('"nightly-2026-01-01"')).toContain(`bpf-toolchain nightly-2026-01-01: ${ayaBuild('app')}`);
    expect(await bpfToolchains(scratch, scratch, parseConfig('', 'x'))).toEqual(['nightly-2026-01-01']);
    for (const text of ['&toolchain', '"../../somewhere"', '"--help"']) {
      expect(await custom(text)).toEqual([cargo, `rust-bpf: ${ayaBuild('app')}`, `rust-src: ${ayaBuild('app')}`]);
    }
  });

  test('the toolchain of the command or of a file that compiles the programs', async () => {
    const { 'app-ebpf/Cargo.toml': ebpf = '' } = template;
    const files = {
      'Cargo.toml': '[workspace]\nmembers = ["xtask"]\nexclude = ["app-ebpf"]\n',
      'app-ebpf/Cargo.toml': ebpf,
    };
    const by = 'app-ebpf depends on aya-ebpf, which';
    expect(await needs(files)).toEqual([cargo, `rust-bpf: ${by}`]);
    expect(await needs(files, { build: 'cargo build -Z build-std=core' })).toEqual([
      ...[cargo, `rust-bpf: ${by}`, `rust-src: ${by}`],
    ]);
    expect(await needs(files, { build: 'cargo +nightly build && cargo +mine build' })).toContain(
      `bpf-toolchain nightly: ${by}`,
    );
    const pinned = { ...files, 'app-ebpf/rust-toolchain.toml': '[toolchain]\nchannel = "nightly-2026-02-02"\n' };
    expect(await needs(pinned)).toContain(`rust-bpf nightly-2026-02-02: ${by}`);
  });

  test.each(['[dependencies]', "[target.'cfg(unix)'.dependencies]"])(
    'what a package renames, takes by path, or for one target only, is found: %s',
    async (section) => {
      const path = '[target.\'cfg(unix)\'.build-dependencies]\nbuilder = { package = "aya-build", version = "0.2" }\n';
      const files = {
        'Cargo.toml': crate('x', `${section}\ny = { path = "../y" }\n`),
        '../y/Cargo.toml': crate('y', path),
      };
      const moved = Object.fromEntries(Object.entries(files).map(([name, text]) => [join('project', name), text]));
      mkdirSync(join(scratch, '.git'));
      expect(await needs(moved, { project: 'project' })).toContain(`rust-bpf nightly: ${ayaBuild('y')}`);
    },
  );

  test('what it inherits from a workspace above it', async () => {
    mkdirSync(join(scratch, '.git'));
    expect(await needs(template, { project: 'app' })).toContain(`rust-bpf nightly: ${ayaBuild('app')}`);
  });
});

describe('a hostile manifest', () => {
  test.each([
    ['a link', () => symlinkSync(join(packageRoot, 'example-project/Cargo.toml'), join(scratch, 'Cargo.toml'))],
    ['no TOML', () => write({ 'Cargo.toml': '[[[' })],
    ['nested without end', () => write({ 'Cargo.toml': `x = ${'['.repeat(100_000)}` })],
    ['too long', () => write({ 'Cargo.toml': `${template['app/Cargo.toml']}#${'x'.repeat(300_000)}\n` })],
    ['a folder', () => mkdirSync(join(scratch, 'Cargo.toml'))],
    ['of other types', () => write({ 'Cargo.toml': 'workspace = 1\ndependencies = [1]\npackage = "x"\n' })],
  ])('that is %s is skipped', async (_, make) => {
    make();
    expect(await needs({})).toEqual([cargo]);
  });

  test('members outside the repository are not read, nor through a link', async () => {
    mkdirSync(join(scratch, 'repository/.git'), { recursive: true });
    write({ 'outside/Cargo.toml': template['app/Cargo.toml'] ?? '' });
    write({ 'repository/Cargo.toml': '[workspace]\nmembers = ["../outside", "link", "l*"]\n' });
    symlinkSync('../outside', join(scratch, 'repository/link'));
    expect(await needs({}, { project: 'repository' })).toEqual([cargo]);
    write({
      'repository/Cargo.toml': '[workspace]\nmembers = ["inside"]\n',
      'repository/inside/Cargo.toml': template['app/Cargo.toml'] ?? '',
    });
    expect(await needs({}, { project: 'repository' })).toHaveLength(3);
  });
});

test('the example project needs no nightly: its build scripts compute the toolchain', async () => {
  const config = parseConfig('[build]\ncommand = "cargo build"\n[[bench]]\nname = "b"\ncommand = "x"\n', 'x');
  const demands = await projectDemands(join(packageRoot, 'example-project'), config);
  expect(new Set(demands.map(({ group }) => group))).toEqual(new Set(['cargo', 'rust-bpf', 'rust-src']));
});

test('a gate needs compilers for a kernel that has to be built, and for the agent if it is not there', async () => {
  const config = parseConfig('[build]\ncommand = "make"\n[[bench]]\nname = "b"\ncommand = "x"\n', 'x');
  const groups = async (
    kernelsToBuild: string[],
    hasAgent: boolean,
    runner: 'vmtest' | 'virtme-ng' = 'vmtest',
    kernelsInRpms: string[] = [],
  ) => {
    const inputs = { project: scratch, config, runner };
    return (await gateDemands({ inputs, kernelsToBuild, kernelsInRpms, hasAgent })).map(({ group }) => group);
  };
  expect(await groups([], true)).toEqual(['vm', 'checkout']);
  expect(await groups(['5.15'], false)).toEqual(['vm', 'agent', 'checkout', 'kernel-build']);
  expect(await groups([], true, 'vmtest', ['rhel-9.6'])).toEqual(['vm', 'checkout', 'kernel-rpm']);
  expect(await groups([], true, 'virtme-ng')).toEqual(['vm', 'virtme-ng', 'checkout']);
});
