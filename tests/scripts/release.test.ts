import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCargoBom } from '../../scripts/release/cargo-bom.ts';
import { makeBom, serializeBom } from '../../scripts/release/cyclonedx.ts';
import { makeNpmBom, readNotices } from '../../scripts/release/npm-bom.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';

const timestamp = new Date('2026-11-22T06:00:00Z');
const validate = (text: string) => new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text);
const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

describe('a bill of materials', () => {
  const component = {
    'bom-ref': 'x@1.0.0',
    type: 'application',
    name: 'x',
    version: '1.0.0',
    purl: 'pkg:npm/x@1.0.0',
  } as const;
  const library = (name: string) =>
    ({ 'bom-ref': `${name}@1.0.0`, type: 'library', name, version: '1.0.0', purl: `pkg:npm/${name}@1.0.0` }) as const;
  const contents = {
    component,
    components: [library('b'), library('a')],
    dependencies: [
      { ref: 'x@1.0.0', dependsOn: ['b@1.0.0', 'a@1.0.0', 'b@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: [] },
    ],
    tool: { vendor: 'npm', name: 'sbom' },
    timestamp,
  };

  test('has the same bytes for any order of its parts, and others if they differ', () => {
    const text = serializeBom(makeBom(contents));
    const turned = {
      ...contents,
      components: contents.components.toReversed(),
      dependencies: contents.dependencies.toReversed(),
    };
    expect(serializeBom(makeBom(turned))).toBe(text);
    expect(makeBom({ ...contents, components: [] }).serialNumber).not.toBe(makeBom(contents).serialNumber);
  });

  test('matches CycloneDX’s schema, which refuses invalid ones', async () => {
    const bom = makeBom(contents);
    expect(await validate(serializeBom(bom))).toBeNull();
    expect(await validate(JSON.stringify({ ...bom, serialNumber: 'urn:uuid:1' }))).not.toBeNull();
    expect(await validate(JSON.stringify({ ...bom, extra: 1 }))).not.toBeNull();
  });
});

describe('of npm packages', () => {
  const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: packageRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const options = {
    project: JSON.parse(read('package.json')),
    printed,
    notices: read('dist/licenses.txt'),
    timestamp,
  };
  const bom = makeNpmBom(options);

  test('has every package with code in dist/, with a checksum, and is valid', async () => {
    expect(await validate(serializeBom(bom))).toBeNull();
    expect(bom.components.map((component) => component['bom-ref']).sort()).toEqual(
      [...new Set(readNotices(options.notices))].sort(),
    );
    expect(bom.components.length).toBeGreaterThan(100);
    for (const { name, hashes } of bom.components) expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
  });

  test('does not depend on the version of npm, the folder or the run', () => {
    const other = JSON.parse(printed);
    other.serialNumber = 'urn:uuid:00000000-0000-4000-8000-000000000000';
    other.metadata.timestamp = '2030-01-01T00:00:00.000Z';
    other.metadata.tools = [{ vendor: 'npm', name: 'cli', version: '10.0.0' }];
    other.metadata.component.name = 'elsewhere';
    // npm 10 lists a package for each place, under the name it has there.
    other.components.push({ ...other.components[0], name: 'alias' });
    expect(serializeBom(makeNpmBom({ ...options, printed: JSON.stringify(other) }))).toBe(serializeBom(bom));
  });

  test('refuses a package in dist/ that npm does not know', () => {
    const notices = `${options.notices}\n${'-'.repeat(80)}\n\nunheard-of 1.0.0: MIT\n`;
    expect(() => makeNpmBom({ ...options, notices })).toThrow('npm does not list: unheard-of@1.0.0');
  });
});

describe('of a cargo workspace', () => {
  const id = (name: string) => `registry+https://example.invalid#${name}@1.0.0`;
  const crate = (name: string, license = 'MIT') => ({
    id: id(name),
    name,
    version: '1.0.0',
    license,
    source: 'registry',
  });
  const dep = (name: string, ...kinds: (string | null)[]) => ({
    pkg: id(name),
    dep_kinds: kinds.map((kind) => ({ kind })),
  });
  const metadata = {
    packages: [
      { ...crate('agent'), source: null },
      crate('used', 'MIT/Apache-2.0'),
      crate('built-with'),
      crate('tested-with'),
      crate('both'),
    ],
    workspace_members: [id('agent')],
    resolve: {
      nodes: [
        {
          id: id('agent'),
          deps: [dep('used', null), dep('built-with', 'build'), dep('tested-with', 'dev'), dep('both', null, 'dev')],
        },
        ...['used', 'built-with', 'tested-with', 'both'].map((name) => ({ id: id(name), deps: [] })),
      ],
    },
  };
  const lockOf = (names: string[]) =>
    names
      .map(
        (name) =>
          `[[package]]\nname = "${name}"\nversion = "1.0.0"\nchecksum = "${createHash('sha256').update(name).digest('hex')}"\n`,
      )
      .join('\n');
  const lock = lockOf(['used', 'built-with', 'tested-with', 'both']);
  const make = (given: string) =>
    makeCargoBom({ name: 'agent', metadata: JSON.stringify(metadata), lock: given, timestamp });

  test('distinguishes what programs contain from what only tests use, and is valid', async () => {
    const bom = make(lock);
    expect(await validate(serializeBom(bom))).toBeNull();
    expect(Object.fromEntries(bom.components.map(({ name, scope }) => [name, scope]))).toEqual({
      agent: 'required',
      both: 'required',
      'built-with': 'required',
      'tested-with': 'excluded',
      used: 'required',
    });
    expect(bom.components.find(({ name }) => name === 'used')).toMatchObject({
      purl: 'pkg:cargo/used@1.0.0',
      hashes: [{ alg: 'SHA-256', content: createHash('sha256').update('used').digest('hex') }],
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
    });
  });

  test('refuses a crate without a checksum', () => {
    expect(() => make(lockOf(['used', 'built-with', 'both']))).toThrow('tested-with 1.0.0 has no checksum');
  });
});

describe('npm run release:files', () => {
  let scratch: string;
  let out: readonly [string, string];
  const git = (folder: string, ...args: string[]) => {
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid', '-c', 'commit.gpgsign=false'];
    const env = {
      ...process.env,
      GIT_AUTHOR_DATE: timestamp.toISOString(),
      GIT_COMMITTER_DATE: timestamp.toISOString(),
    };
    return execFileSync('git', [...who, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  const release = (folder: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    execFileSync(process.execPath, ['scripts/release-files.ts', ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  /** Commits the files of this working tree, so that the tests are about the current code. */
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'bpfgate-release-test-'));
    const [one, two] = [join(scratch, 'one'), join(scratch, 'elsewhere/two')] as const;
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: packageRoot,
    });
    for (const file of listed.toString().split('\0')) {
      if (file !== '' && existsSync(join(packageRoot, file))) cpSync(join(packageRoot, file), join(one, file));
    }
    git(one, 'init', '--quiet');
    git(one, 'add', '--all');
    git(one, 'commit', '--quiet', '--message', 'all');
    git(scratch, 'clone', '--quiet', one, two);
    for (const folder of [one, two]) symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
    out = [join(scratch, 'out-1'), join(scratch, 'out-2')];
    // Compiling takes minutes; workflows compare what two machines compile.
    release(one, ['--no-programs', '--out', out[0]], { TZ: 'UTC' });
    release(two, ['--no-programs', '--out', out[1], '--tag', `v${JSON.parse(read('package.json')).version}`], {
      TZ: 'Asia/Tokyo',
      LC_ALL: 'C',
    });
  }, 300_000);
  afterAll(() => rm(scratch, { recursive: true, force: true }), 60_000);

  test('writes the same bytes from the same commit, in any folder', () => {
    const names = readdirSync(out[0]);
    expect(names.map((name) => name.replace(/-\d+\.\d+\.\d+/, '')).sort()).toEqual([
      'SHA256SUMS',
      'bpfgate-bpfgate-agent.cdx.json',
      'bpfgate-bpfgate-plugin.cdx.json',
      'bpfgate-example-project.cdx.json',
      'bpfgate-npm.cdx.json',
      'bpfgate.tar.gz',
      'bpfgate.tgz',
    ]);
    expect(readdirSync(out[1])).toEqual(names);
    for (const name of names)
      expect(readFileSync(join(out[1], name)).equals(readFileSync(join(out[0], name))), name).toBe(true);
  });

  test('the sums are those of the files, and the archive holds the commit with its bundle', () => {
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out[0] });
    const [archive = ''] = readdirSync(out[0]).filter((name) => name.endsWith('.tar.gz'));
    const listed = execFileSync('tar', ['--list', '--file', join(out[0], archive)], { encoding: 'utf8' }).split('\n');
    const root = archive.replace('.tar.gz', '');
    expect(listed).toEqual(
      expect.arrayContaining([`${root}/dist/action.js`, `${root}/src/cli.ts`, `${root}/action.yml`]),
    );
    expect(listed.filter((name) => name.includes('node_modules'))).toEqual([]);
  });

  test.each(['npm', 'bpfgate-agent', 'example-project'])(
    'the bill %s is by the schema, and every component in it has a license or is known to have none',
    async (kind) => {
      const [file = ''] = readdirSync(out[0]).filter((name) => name.endsWith(`-${kind}.cdx.json`));
      const text = readFileSync(join(out[0], file), 'utf8');
      expect(await validate(text)).toBeNull();
      const { components } = JSON.parse(text) as { components: { name: string; licenses?: unknown[] }[] };
      expect(components.length).toBeGreaterThan(40);
      const silent = components.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
      expect(silent).toEqual(kind === 'npm' ? ['buffers', 'chainsaw'] : []);
    },
  );

  test('refuses a tag other than the version’s, uncommitted changes, and a folder that is not empty', () => {
    const two = join(scratch, 'elsewhere/two');
    const refusal = (...args: string[]) => {
      try {
        release(two, args);
      } catch (error) {
        return (error as { stderr: string }).stderr;
      }
      throw new Error('was not refused');
    };
    expect(refusal('--out', join(scratch, 'out-3'), '--tag', 'v9.9.9')).toContain(
      'the tag is v9.9.9, but package.json has',
    );
    expect(refusal('--out', out[0])).toContain('is not empty');
    expect(refusal()).toContain('--out DIR is missing');
    writeFileSync(join(two, 'README.md'), 'changed');
    expect(refusal('--out', join(scratch, 'out-3'))).toContain(
      'files differ from the commit that is checked out:\n M README.md',
    );
    expect(existsSync(join(scratch, 'out-3'))).toBe(false);
  });
});
