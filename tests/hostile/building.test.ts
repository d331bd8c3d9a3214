// A pull request's tree, checked out and prepared for a build in a guest. None of its programs may run on the host, and
// nothing outside its checkout may be read or written. Real git, cargo, rustup; a program that runs leaves a canary.
// @module-tag hostile

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { type BuildPlace, onHost, type TreeBuild } from '../../src/build/build-place.ts';
import { type BuildRequest, buildRevisions } from '../../src/build/build-revisions.ts';
import { checkSeals } from '../../src/build/seal.ts';
import { registryVariables } from '../../src/common/host-environment.ts';
import { commit } from '../e2e/gated-project.ts';

/** A guest that does nothing: these tests are about what comes before it. */
const inGuest: BuildPlace = {
  ...onHost,
  label: ' in a guest',
  key: ['guest'],
  downloads: 'needed',
  build: async () => ended,
};
const ended = { failure: undefined, output: '' };

let folder: string;
let project: string;
let canary: string;
let said: string[];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-hostile-')));
  project = join(folder, 'project');
  canary = join(folder, 'canary');
  said = [];
  commit(project, 'base', { 'bpfgate.toml': '[build]\ncommand = "true"\n[[bench]]\nname = "b"\ncommand = "true"\n' });
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** Writes a program that records that it ran. */
function writeProgram(path: string): string {
  write(path, `#!/bin/sh\necho "$0 $*" >>${canary}\nexit 1\n`);
  chmodSync(join(project, path), 0o755);
  return join(project, path);
}

function writeCrate(dependencies = ''): void {
  write('Cargo.toml', `[package]\nname = "hostile"\nversion = "0.1.0"\nedition = "2021"\n${dependencies}`);
  write('src/lib.rs', '');
}

/** Checks out and builds base, and the current tree as head. */
async function build(
  place: BuildPlace = inGuest,
  variables: NodeJS.ProcessEnv = {},
  registries?: Readonly<Record<string, string>>,
) {
  commit(project, 'head', { changed: '' });
  return await buildBoth('base', 'head', { place, registries, environment: { ...process.env, ...variables } });
}

async function buildBoth(base: string, head: string, given: Partial<BuildRequest>) {
  const { config } = await readInputs({ project, kernels: '6.1', out: join(folder, 'out') }, (option) => option);
  const git = await GitSession.open(await openRepository(project));
  const releases: (() => Promise<void>)[] = [];
  try {
    return await buildRevisions({
      git,
      config,
      place: onHost,
      cache: { root: join(folder, 'cache') },
      log: { progress: () => {}, warn: (text) => said.push(text) },
      environment: process.env,
      base: await git.commitTree(base),
      head: await git.commitTree(head),
      merged: await git.defaultTips(),
      onUse: (release) => releases.push(release),
      ...given,
    });
  } finally {
    await Promise.all(releases.map((release) => release()));
    await git.close();
  }
}

const ran = () => (existsSync(canary) ? readFileSync(canary, 'utf8') : null);

test('a toolchain file with a path into the project runs that rustc in the build only', async () => {
  for (const name of ['rustc', 'cargo']) writeProgram(`toolchain/bin/${name}`);
  mkdirSync(join(project, 'toolchain/lib'), { recursive: true });
  write('toolchain/lib/empty', '');
  // Absolute, as rustup requires: the path of a workflow's checkout is known.
  write('rust-toolchain.toml', `[toolchain]\npath = "${project}/toolchain"\n`);
  const { head } = await build({ ...inGuest, downloads: 'left to the build' });
  expect(ran()).toBeNull();
  expect(head.tools.rustc).toBe("the toolchain of the project's toolchain file");
});

test("cargo ignores the project's configuration when it downloads dependencies", async () => {
  const program = writeProgram('wrapper');
  writeCrate();
  write(
    '.cargo/config.toml',
    `[build]\nrustc = "${program}"\nrustc-wrapper = "${program}"\n[registry]\nglobal-credential-providers = ["${program}"]\n`,
  );
  await build();
  expect(ran()).toBeNull();
});

describe("a project's own registry", () => {
  let server: Server;
  let asked: string[];
  beforeEach(async () => {
    const name = 'corp-crate-1.0.0';
    mkdirSync(join(folder, name, 'src'), { recursive: true });
    writeFileSync(join(folder, name, 'Cargo.toml'), '[package]\nname = "corp-crate"\nversion = "1.0.0"\n');
    writeFileSync(join(folder, name, 'src/lib.rs'), '');
    const crate = execFileSync('tar', ['-czf', '-', '-C', folder, name]);
    const entry = { name: 'corp-crate', vers: '1.0.0', deps: [], features: {}, yanked: false };
    const cksum = createHash('sha256').update(crate).digest('hex');
    asked = [];
    server = createServer(({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.authorization}`);
      const at = `http://${headers.host}`;
      const files: Record<string, string | Buffer> = {
        '/index/config.json': JSON.stringify({ dl: `${at}/crates`, api: at, 'auth-required': true }),
        '/index/co/rp/corp-crate': JSON.stringify({ ...entry, cksum }),
        '/crates/corp-crate/1.0.0/download': crate,
      };
      response.statusCode = headers.authorization !== 'the-login' ? 401 : url in files ? 200 : 404;
      response.end(response.statusCode === 200 ? files[url] : '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    writeCrate('[dependencies]\ncorp-crate = { version = "1", registry = "corp" }\n');
    write('.cargo/config.toml', `[registries.corp]\nindex = "sparse+http://127.0.0.1:${port}/index/"\n`);
  });
  afterEach(() => server.close());

  const cargo = () => ({ CARGO_HOME: join(folder, 'cargo-home'), CARGO_NET_RETRY: '0' });
  const login = {
    CARGO_REGISTRIES_CORP_TOKEN: 'the-login',
    CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: 'cargo:token',
  };

  test('is never requested', async () => {
    await expect(build(inGuest, { ...cargo(), ...login })).rejects.toThrow(/registry index was not found.*`corp`/);
    expect(asked).toEqual([]);
  });

  test.each([inGuest, onHost])("is read with the user's login, if the user has allowed it (%#)", async (place) => {
    const building = { ...place, build: async () => ended };
    await build(building, cargo(), registryVariables({ ...login, ACTIONS_RUNTIME_TOKEN: 'canary' }));
    expect(asked).toContain('/crates/corp-crate/1.0.0/download the-login');
    expect(spawnSync('find', [cargo().CARGO_HOME, '-name', 'corp-crate-1.0.0.crate']).stdout.toString()).not.toBe('');
  });

  test("that is allowed does not expose the runner's tokens to the project's programs", async () => {
    const provider = join(project, 'provider');
    write('provider', `#!/bin/sh\nenv >${canary}\nexit 1\n`);
    chmodSync(provider, 0o755);
    write(
      '.cargo/config.toml',
      `${readFileSync(join(project, '.cargo/config.toml'))}credential-provider = ["${provider}"]\n`,
    );
    const tokens = { ACTIONS_RUNTIME_TOKEN: 'secret-1', GITHUB_TOKEN: 'secret-2', 'INPUT_GITHUB-TOKEN': 'secret-3' };
    await expect(
      build(inGuest, { ...cargo(), ...tokens }, registryVariables({ ...login, ...tokens })),
    ).rejects.toThrow();
    expect(ran()).toContain('PATH=');
    expect(ran()).not.toContain('secret-');
  });
});

test('a Git dependency on a repository of this host is not copied to where a guest can read it', async () => {
  const secret = join(folder, 'secret');
  mkdirSync(join(secret, 'src'), { recursive: true });
  writeFileSync(join(secret, 'src/lib.rs'), '// canary-of-this-host');
  commit(secret, 'secret', { 'Cargo.toml': '[package]\nname = "secret"\nversion = "0.1.0"\n' });
  writeCrate(`[dependencies]\nsecret = { git = "file://${secret}" }\n`);
  const home = join(folder, 'cargo-home');
  await expect(build(inGuest, { CARGO_HOME: home, CARGO_NET_RETRY: '0' })).rejects.toThrow(
    /^cannot download what head \(head\) depends on: cargo fetch[\s\S]*transport 'file' not allowed/,
  );
  // grep exits with 1 if it finds nothing.
  expect(spawnSync('grep', ['-rqs', 'canary-of-this-host', home]).status).toBe(1);
});

/** Starts a server of the project's choosing that asks for a login. `asked` lists its requests and the logins sent. */
async function serve() {
  const asked: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? 'without a login'}`);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close() && undefined);
  return { asked, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("the user's token for a registry is not sent to an address that the project gives", async () => {
  const [users, projects] = [await serve(), await serve()];
  const home = join(folder, 'cargo-home');
  mkdirSync(home);
  writeFileSync(join(home, 'config.toml'), `[registries.corp]\nindex = "sparse+http://${users.address}/"\n`);
  writeFileSync(join(home, 'credentials.toml'), '[registries.corp]\ntoken = "canary"\n');
  const index = `[registries.corp]\nindex = "sparse+http://${projects.address}/"\n`;
  write('.cargo/config.toml', `${index}credential-provider = "cargo:token"\n`);
  writeCrate('[dependencies]\nprivate = { version = "1", registry = "corp" }\n');
  const variables = { CARGO_HOME: home, CARGO_NET_RETRY: '0' };
  await expect(build(inGuest, variables)).rejects.toThrow(
    /^cannot download what head \(head\) depends on: cargo fetch/,
  );
  expect(projects.asked).toEqual([]);
  expect(users.asked[0]).toMatch(/^\/config\.json /);
});

test("a Git dependency is downloaded without the user's logins", async () => {
  const { asked, address } = await serve();
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.netrc'), 'machine 127.0.0.1 login user password canary\n');
  writeFileSync(join(home, '.gitconfig'), `[http]\n\textraHeader = "Authorization: canary"\n`);
  // The real git, except that the server needs no certificate.
  const plain = `-c url.http://${address}/.insteadOf=https://private.invalid/`;
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\nGIT_ALLOW_PROTOCOL=http exec ${git} ${plain} "$@"\n`);
  chmodSync(join(folder, 'bin/git'), 0o755);
  writeCrate('[dependencies]\nprivate = { git = "https://private.invalid/repository" }\n');
  const { PATH, RUSTUP_HOME = join(homedir(), '.rustup') } = process.env;
  const variables = { HOME: home, RUSTUP_HOME, PATH: `${join(folder, 'bin')}:${PATH}`, CARGO_NET_RETRY: '0' };
  await expect(build(inGuest, variables)).rejects.toThrow(
    /^cannot download what head \(head\) depends on: cargo fetch/,
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((request) => !request.endsWith(' without a login'))).toEqual([]);
});

test.each([
  ['Cargo.lock', 'created', 'where cargo would write it'],
  ['Cargo.toml', 'secret', 'whose lines cargo would show'],
  ['member/Cargo.toml', 'secret', 'in a member of the workspace'],
  ['member', '', 'as a folder'],
])('a link %s that points outside the tree, to `%s`, is refused, %s', async (path, target) => {
  writeFileSync(join(folder, 'secret'), 'canary = of the host\n');
  if (path !== 'Cargo.toml') writeCrate('[workspace]\nmembers = ["member"]\n');
  else write('go.mod', 'module example.invalid/hostile\n');
  mkdirSync(dirname(join(project, path)), { recursive: true });
  symlinkSync(join(folder, target), join(project, path));
  const failing = build();
  await expect(failing).rejects.toThrow(`\`${path}\` is a link out of the repository, to \`${join(folder, target)}\``);
  await expect(failing).rejects.toMatchObject({ name: 'InputError' });
  expect(existsSync(join(folder, 'created'))).toBe(false);
});

test('a link that leaves the tree through another link is refused', async () => {
  writeFileSync(join(folder, 'secret'), 'canary = of the host\n');
  writeCrate('[workspace]\nmembers = ["member"]\n');
  for (const name of ['a/b/c/d', 'member']) mkdirSync(join(project, name), { recursive: true });
  symlinkSync('../../../..', join(project, 'a/b/c/d/up'));
  // By its names, the path stays in the tree. But `up` leads to the tree, which lies four folders below the secret.
  symlinkSync('../a/b/c/d/up/../../../../secret', join(project, 'member/Cargo.toml'));
  await expect(build()).rejects.toThrow(/^`member\/Cargo\.toml` is a link out of the repository, to `/);
});

test('Go does not download the release that go.mod names', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), `#!/bin/sh\necho "$* GOTOOLCHAIN=$GOTOOLCHAIN GOFLAGS=$GOFLAGS" >>${canary}\n`);
  chmodSync(join(bin, 'go'), 0o755);
  write('go.mod', 'module example.invalid/hostile\n\ngo 1.99.0\ntoolchain go1.99.0\n');
  await build(inGuest, { PATH: `${bin}:${process.env.PATH}`, GOFLAGS: '-toolexec=/nowhere' });
  expect(
    ran()
      ?.split('\n')
      .filter((line) => line !== ''),
  ).toEqual([
    ...['version GOTOOLCHAIN=local GOFLAGS=-toolexec=/nowhere', 'version GOTOOLCHAIN=local GOFLAGS=-toolexec=/nowhere'],
    'env GOMODCACHE GOTOOLCHAIN=local GOFLAGS=-toolexec=/nowhere',
    'mod download GOTOOLCHAIN=local GOFLAGS=-mod=mod',
  ]);
});

test.each([
  [false, '  /dev/null'],
  [true, 'corp.invalid /netrc '],
])('Go gets settings and logins of the user only if that is allowed: %s', async (isAllowed, seen) => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const text = `#!/bin/sh\ntest "$1" != mod || echo "$GOPRIVATE $NETRC $GIT_CONFIG_GLOBAL" >>${canary}\n`;
  writeFileSync(join(bin, 'go'), text, { mode: 0o755 });
  write('go.mod', 'module example.invalid/hostile\n');
  const variables = { PATH: `${bin}:${process.env.PATH}`, GOPRIVATE: 'corp.invalid', NETRC: '/netrc' };
  await build(inGuest, variables, isAllowed ? registryVariables(variables) : undefined);
  expect(ran()).toBe(`${seen}\n`);
});

test('programs are not found in relative folders of PATH, also if a tool of the host runs in the project', async () => {
  for (const name of ['cc', 'clang', 'go', 'rustc', 'cargo', 'bash']) writeProgram(name);
  write('go.mod', 'module example.invalid/hostile\n');
  await build(inGuest, { PATH: `.::${process.env.PATH}` });
  expect(ran()).toBeNull();
});

test("base's target folder is not copied through a link in head", async () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  const toml = `[build]\ncommand = "cargo build"\n[[bench]]\nname = "b"\ncommand = "true"\n`;
  rmSync(project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': toml, '.gitignore': 'target/\n' });
  // A pattern that ends with a slash matches folders only, so a link of that name is tracked.
  symlinkSync(outside, join(project, 'target'));
  await build({ ...onHost, build: leaveTarget });
  expect(readdirSync(outside)).toEqual([]);
});

/** Replaces the compiled `lib` in the target folder, as if it had been compiled from its sources. */
const replaceLibrary = `use std::{env, fs, path::Path, process::Command, thread, time::Duration};
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").unwrap();
    let deps = Path::new(&out).ancestors().nth(3).unwrap().join("deps");
    let find = |end: &str| {
        let names = fs::read_dir(&deps).into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.into_iter().find(|name| name.starts_with("liblib-") && name.ends_with(end))
    };
    let name = loop {
        if let (Some(_), Some(name)) = (find(".rlib"), find(".rmeta")) { break name }
        thread::sleep(Duration::from_millis(100));
    };
    thread::sleep(Duration::from_secs(1));
    let hash = name.trim_start_matches("liblib-").trim_end_matches(".rmeta");
    let files = [".rlib", ".rmeta"].map(|end| deps.join(find(end).unwrap()));
    let times = files.each_ref().map(|file| fs::metadata(file).unwrap().modified().unwrap());
    fs::write(format!("{out}/lib.rs"), "pub fn cost() -> u32 { 31337 }").unwrap();
    let compiled = Command::new(env::var("RUSTC").unwrap())
        .args(["--crate-name=lib", "--edition=2021", "--crate-type=lib", "--emit=metadata,link", "-Copt-level=3", "-Cembed-bitcode=no"])
        .args([format!("-Cmetadata={hash}"), format!("-Cextra-filename=-{hash}"), format!("--out-dir={}", deps.display()), format!("{out}/lib.rs")])
        .status();
    assert!(compiled.unwrap().success());
    for (file, time) in files.iter().zip(times) {
        fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }
}
`;

test('what a stranger leaves in a target folder reaches the heads that have the commit, and nothing else', async () => {
  const crate = (name: string, more = '') =>
    `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n${more}`;
  const main = 'fn main() { print!("{}", lib::cost()) }\n';
  rmSync(project, { recursive: true });
  commit(project, 'base', {
    'bpfgate.toml': '[build]\ncommand = "cargo build --release"\n[[bench]]\nname = "b"\ncommand = "true"\n',
    '.gitignore': 'target\n',
    'Cargo.toml': '[workspace]\nmembers = ["lib", "app"]\nresolver = "2"\n',
    'Cargo.lock':
      '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = [\n "lib",\n]\n\n[[package]]\nname = "lib"\nversion = "0.1.0"\n',
    'lib/Cargo.toml': crate('lib'),
    'lib/src/lib.rs': 'pub fn cost() -> u32 { 100 }\n',
    'app/Cargo.toml': crate('app', '[dependencies]\nlib = { path = "../lib" }\n'),
    'app/src/main.rs': main,
  });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  const branch = (name: string, from: string) => git('checkout', '--quiet', '-b', `branch-${name}`, from);
  branch('stranger', 'base');
  commit(project, 'stranger', { 'app/build.rs': replaceLibrary });
  branch('reverted', 'stranger');
  rmSync(join(project, 'app/build.rs'));
  commit(project, 'reverted', { 'app/src/main.rs': `// Reverted.\n${main}` });
  branch('victim', 'base');
  commit(project, 'victim', { 'app/src/main.rs': `// A comment.\n${main}` });
  // A commit of the stranger's with the victim's files.
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@bpfgate.invalid'];
  git('tag', 'twin', git(...who, 'commit-tree', 'victim^{tree}', '-p', 'stranger', '-m', 'twin'));
  const costs = async (base: string, head: string, more: { readonly fresh?: boolean } = {}) => {
    const builds = await buildBoth(base, head, more);
    return [builds.base, builds.head].map(({ dir }) => Number(execFileSync(join(dir, 'target/release/app'))));
  };

  // Stacked: the stranger's commit is what the next one is merged into, before base has ever been built.
  expect(await costs('stranger', 'reverted')).toEqual([31337, 31337]);
  expect(await costs('base', 'victim')).toEqual([100, 100]);
  expect(await costs('base', 'stranger')).toEqual([100, 31337]);
  // The canary: the attack reaches what starts from the stranger's folder.
  expect(await costs('base', 'reverted')).toEqual([100, 31337]);
  expect(await costs('base', 'twin')).toEqual([100, 31337]);
  expect(await costs('base', 'victim')).toEqual([100, 100]);
  // Merged without its build script in any reviewed state of the branch.
  git('checkout', '--quiet', 'main');
  git(...who, 'merge', '--quiet', '--ff-only', 'reverted');
  branch('later', 'main');
  commit(project, 'later', { 'app/src/main.rs': `// Later.\n${main}` });
  expect(await costs('reverted', 'later')).toEqual([100, 100]);
  expect(await costs('reverted', 'reverted', { fresh: true })).toEqual([100, 100]);
});

/** Stands in for cargo's build of base; head's build does nothing. */
async function leaveTarget({ project: place }: TreeBuild) {
  if (!existsSync(join(place, 'changed'))) {
    mkdirSync(join(place, 'target'));
    for (const name of ['CACHEDIR.TAG', 'built']) writeFileSync(join(place, 'target', name), '');
  }
  return ended;
}

test.each([
  ['a file of it', 'sed -i s/base/head/'],
  [
    'a file of it, whose size and times stay the same',
    'edit() { for file; do touch -r $file t; sed -i s/base/head/ $file; touch -r t $file; done; }; edit',
  ],
  [
    'what it has read only once',
    'edit() { for file; do printf head | dd of=$file conv=notrunc status=none; done; }; edit',
  ],
])("head's build without a sandbox can change base's: %s", async (_, edit) => {
  const command = `if test -e evil; then ${edit} ../*/made; fi; printf base >made`;
  rmSync(project, { recursive: true });
  commit(project, 'base', {
    'bpfgate.toml': `[build]\ncommand = '''${command}'''\n[[bench]]\nname = "b"\ncommand = "true"\n`,
    '.gitignore': 'made\nt\n',
  });
  write('evil', '');
  const first = await build(onHost);
  expect(readFileSync(join(first.base.dir, 'made'), 'utf8')).toBe('head');
  await expect(checkSeals([first.base, first.head])).rejects.toThrow(
    'the build of base (base) was changed after it was built: made',
  );
  // The changed build is not reused as base, and the build made again is base.
  rmSync(join(project, 'evil'));
  execFileSync('git', ['tag', '--delete', 'head'], { cwd: project, stdio: 'ignore' });
  const again = await build(onHost);
  expect(said).toContain('the kept build of base (base) was changed after it was built: made; it is built again');
  await checkSeals([again.base]);
});

test('a project whose folder is a link in the tree is refused', async () => {
  rmSync(project, { recursive: true });
  const toml = '[build]\ncommand = "true"\n[[bench]]\nname = "b"\ncommand = "true"\n';
  mkdirSync(join(project, 'part'), { recursive: true });
  writeFileSync(join(project, 'part/bpfgate.toml'), toml);
  commit(project, 'head', { other: '' });
  rmSync(join(project, 'part'), { recursive: true });
  symlinkSync(folder, join(project, 'part'));
  commit(project, 'base', { changed: '' });
  execFileSync('git', ['checkout', '--quiet', 'head'], { cwd: project });
  const git = await GitSession.open(await openRepository(join(project, 'part')));
  const { config } = await readInputs(
    { project: join(project, 'part'), kernels: '6.1', out: join(folder, 'out') },
    (o) => o,
  );
  const building = buildRevisions({
    git,
    config,
    place: onHost,
    cache: { root: join(folder, 'cache') },
    environment: process.env,
    log: { progress: () => {}, warn: () => {} },
    onUse: () => {},
    base: await git.commitTree('base'),
    head: await git.commitTree('head'),
  }).finally(() => git.close());
  await expect(building).rejects.toThrow('`part` is a link or no folder');
});
