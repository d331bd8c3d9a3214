// docs/supply-chain.md: what is fetched is pinned as it says, and nothing else is fetched.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import * as pinnedTools from '../scripts/pinned-tools.mjs';
import { packageRoot } from '../src/adapters/package-root.ts';
import { prerequisites } from '../src/prerequisites/prerequisite.ts';
import { rustSrcPackages } from '../src/prerequisites/rust-src.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const document = read('docs/supply-chain.md');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: packageRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(packageRoot, file)));
const sha256 = /^[0-9a-f]{64}$/;
const exactVersion = /^\d+\.\d+(\.\d+)?$/;

describe('docs/supply-chain.md', () => {
  const rows = document.split('\n').filter((line) => /^\| (?!what |file |needed |- )/.test(line));

  test('is read', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test('names only existing files', () => {
    const named = [
      ...document.matchAll(/`((?:src|scripts|evidence|tests|kernels|vm|example-project|\.github)\/[\w./-]+)`/g),
    ];
    expect(named.length).toBeGreaterThan(30);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
  });

  test('names every lock file', () => {
    const locks = tracked.filter((file) => /(^|\/)(Cargo\.lock|package-lock\.json|go\.sum)$/.test(file));
    expect(locks.length).toBeGreaterThanOrEqual(5);
    expect(locks.filter((file) => !document.includes(`\`${file}\``))).toEqual([]);
  });

  test('names every file of sources, scripts and workflows that fetches something', () => {
    const found = tracked.filter((file) => /^(src|scripts|evidence|\.github|\.ci)\//.test(file) && fetches(read(file)));
    expect(found).toEqual(
      expect.arrayContaining(['src/cache/download.ts', 'scripts/go-tools.mjs', 'src/prerequisites/apt.ts']),
    );
    // Workflows install what the lock files say, or nothing.
    const unnamed = found.filter((file) => !file.startsWith('.github/') && !document.includes(`\`${file}\``));
    expect(unnamed).toEqual([]);
  });

  test('a line that downloads something is found', () => {
    for (const line of [
      'const response = await fetch(address);',
      "  await run('cargo', ['install', 'x']);",
      "  spawnSync('npm', ['ci']);",
      "  run('apt-get', ['install']);",
      '      - run: npm ci',
      '      - run: curl https://example.invalid | sh',
      "  run('git', ['clone', address]);",
    ]) {
      expect(fetches(line), line).toBe(true);
    }
    for (const line of ["  hint: 'apt-get install cpio',", '// by `npm ci`', "await run('git', ['log']);"]) {
      expect(fetches(line), line).toBe(false);
    }
  });
});

/** Whether a program fetches something, by the calls that this repository uses. Comments and hints do not count. */
function fetches(text: string): boolean {
  const calls = [
    /(?<![\w.'`])fetch\(/,
    /'(cargo|npm|pip)', ?(\[|'install'|$)/,
    /'apt-get', ?(\[|'-)/,
    /\bgo\(\[|'go', ?\['(mod|install|get|build)'/,
    /\['fetch', \.\.\.|'clone'|restoreCache\(/,
    /^\s*(- )?run: .*\b(npm (ci|install)|cargo install|pip install|go install)\b/,
    /^(?!.*(hint|`)).*\b(curl|wget) .*\/\//,
  ];
  const lines = text.split('\n').filter((line) => !/^\s*(\/\/|\*|\/\*\*|#)/.test(line) && !/\bhint\b/.test(line));
  return lines.some((line) => calls.some((call) => call.test(line)));
}

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  /** Decides as npm does: a package whose list does not name this system is not installed. */
  const isInstalledHere = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: LockedPackage) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
  const unchecked = entries.filter(([, { integrity }]) => integrity === undefined);

  test('every package that is installed here has a SHA-512 in the lock file', () => {
    expect(entries.length).toBeGreaterThan(300);
    expect(unchecked.filter(([, entry]) => isInstalledHere(entry) || entry.optional !== true)).toEqual([]);
    for (const [path, { integrity = 'sha512-' }] of entries) expect(integrity, path).toMatch(/^sha512-/);
  });

  test('the number of packages without a checksum is as documented, and they belong to two tools', () => {
    const tools = new Set(unchecked.map(([path]) => /node_modules\/(@\w+)\/[^/]+$/.exec(path)?.[1]));
    expect([...tools].sort()).toEqual(['@biomejs', '@rolldown']);
    expect(document).toContain(`\n${unchecked.length} entries of \`package-lock.json\` have no checksum`);
  });

  test('no package comes from elsewhere than the registry, and none runs an install script', () => {
    for (const [path, { version, resolved }] of entries) {
      expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
      expect(resolved, path).toBeUndefined();
    }
    expect(entries.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  test('direct dependencies have exact versions, equal to the lock file', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    // dist/ has what the package needs.
    expect(dependencies).toBeUndefined();
    const direct = Object.entries<string>(devDependencies);
    expect(direct.length).toBeGreaterThan(25);
    for (const [name, version] of direct) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
    }
  });
});

describe('Cargo.lock', () => {
  const locks = tracked.filter((file) => /(^|\/)Cargo\.lock$/.test(file));

  test.each(locks)('%s: every crate is from crates.io and has a checksum', (file) => {
    const { package: crates } = parse(read(file)) as {
      package: { name: string; source?: string; checksum?: string }[];
    };
    expect(crates.length).toBeGreaterThan(0);
    const foreign = crates.filter(({ source }) => source !== undefined);
    for (const { name, source, checksum } of foreign) {
      expect(source, name).toBe('registry+https://github.com/rust-lang/crates.io-index');
      expect(checksum, name).toMatch(sha256);
    }
    // Crates without a source are folders of the same workspace.
    const members = tracked.filter(
      (path) => path.startsWith(file.replace('Cargo.lock', '')) && path.endsWith('Cargo.toml'),
    );
    const names = members.map((path) => (parse(read(path)) as { package?: { name: string } }).package?.name);
    const local = crates.filter(({ source }) => source === undefined).map(({ name }) => name);
    expect(local.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('every manifest without a lock file is a member of a workspace that has one', () => {
    const manifests = tracked.filter((file) => /(^|\/)Cargo\.toml$/.test(file));
    const folders = locks.map((file) => file.replace('Cargo.lock', ''));
    expect(manifests.filter((file) => !folders.some((folder) => file.startsWith(folder)))).toEqual([]);
  });
});

test('every Go module that is required has its sums', () => {
  const modules = tracked.filter((file) => /(^|\/)go\.mod$/.test(file));
  expect(modules.length).toBeGreaterThan(0);
  for (const file of modules) {
    const sums = read(file.replace(/go\.mod$/, 'go.sum'));
    const required = [...read(file).matchAll(/^\s*(?:require )?(\S+\.\S+\/\S+) (v\S+)/gm)];
    expect(required.length).toBeGreaterThan(0);
    for (const [, module, version] of required) {
      expect(sums).toMatch(new RegExp(`^${module} ${version} h1:\\S{44}$`, 'm'));
    }
  }
});

test('every file of a kernel has a SHA-256', () => {
  const addressed: { sha256?: string }[] = [];
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if ('url' in value || 'poolPath' in value) addressed.push(value as { sha256?: string });
    Object.values(value).forEach(walk);
  };
  walk(JSON.parse(read('kernels/kernels.json')));
  expect(addressed.length).toBeGreaterThan(15);
  for (const file of addressed) expect(file.sha256, JSON.stringify(file)).toMatch(sha256);
});

test('every package of Rust’s source has a SHA-256', () => {
  const packages = Object.values(rustSrcPackages);
  expect(packages.length).toBeGreaterThan(0);
  for (const { sha256: sum, sizeBytes } of packages) {
    expect(sum).toMatch(sha256);
    expect(sizeBytes).toBeGreaterThan(0);
  }
});

test('every program that scripts fetch is pinned by version and checksum', () => {
  const tools = Object.values(pinnedTools);
  expect(tools.length).toBeGreaterThanOrEqual(5);
  for (const tool of tools) {
    if ('module' in tool && 'sum' in tool) {
      expect(tool.version).toMatch(/^v\d+\.\d+\.\d+(-go\d+\.\d+\.\d+\.linux-amd64)?$/);
      expect(tool.sum).toMatch(/^h1:[A-Za-z0-9+/]{43}=$/);
    } else {
      expect(tool.version).toMatch(exactVersion);
      expect((tool as { sha256: string }).sha256).toMatch(sha256);
    }
  }
  // No other script has a checksum, but for the projects of others.
  const own = tracked.filter(
    (file) => /^(scripts|evidence)\/(?!.*\.test\.ts$)/.test(file) && /\bh1:[\w+/]{43}=|sha256: '/.test(read(file)),
  );
  expect(own).toEqual(['evidence/strangers/projects.ts', 'scripts/pinned-tools.mjs']);
});

test('every prerequisite that bpfgate installs itself is pinned by version and checksum', () => {
  const fetched = prerequisites.filter(({ kind }) => kind === 'cargo-tool' || kind === 'python-tool');
  expect(fetched.length).toBeGreaterThanOrEqual(4);
  for (const tool of fetched as unknown as { version: string; sha256: string }[]) {
    expect(tool.version).toMatch(exactVersion);
    expect(tool.sha256).toMatch(sha256);
  }
});

test('the description of GitHub’s API is pinned by checksum', () => {
  const script = read('scripts/extract-github-api.mjs');
  expect(script).toMatch(/const integrity =\s+'sha512-[A-Za-z0-9+/]{86}=='/);
  expect(script).toContain('if (received !== integrity) throw');
});

describe('.github/dependabot.yml', () => {
  const { updates } = parseYaml(read('.github/dependabot.yml')) as {
    updates: {
      'package-ecosystem': string;
      directory?: string;
      directories?: string[];
      cooldown: { 'default-days': number };
      groups: object;
    }[];
  };

  test('covers every lock file of a maintained project, and waits a week', () => {
    const folders = (ecosystem: string) =>
      updates
        .filter((update) => update['package-ecosystem'] === ecosystem)
        .flatMap(({ directory, directories = [] }) => (directory === undefined ? directories : [directory]));
    // A fixture keeps the version that its test is about.
    const locks = tracked.filter((file) => /(^|\/)Cargo\.lock$/.test(file) && !file.includes('/fixtures/'));
    expect(folders('cargo').sort()).toEqual(locks.map((file) => `/${file.replace('/Cargo.lock', '')}`).sort());
    expect(folders('npm')).toEqual(['/']);
    expect(folders('github-actions')).toEqual(['/']);
    for (const { cooldown, groups } of updates) {
      expect(cooldown['default-days']).toBeGreaterThanOrEqual(7);
      expect(Object.keys(groups).length).toBe(1);
    }
  });
});
