// Packages of others: gets them by the ordinary clients of their registries, and unpacks them. What is pinned by a
// checksum is refused if it has another one.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run, runOrThrow } from '../src/adapters/process.ts';
import { MachineError } from '../src/common/errors.ts';
import type { Host } from './host.ts';

export interface Unpacked {
  readonly root: string;
  readonly version: string;
}

/** The latest version of a binary package of Debian's, below `folder`. */
export async function unpackPackage(name: string, folder: string, { environment: env, log }: Host): Promise<Unpacked> {
  log.progress(`downloading ${name}`);
  const cwd = join(folder, name);
  await mkdir(join(cwd, 'root'), { recursive: true });
  await runOrThrow('apt-get', ['download', name], { cwd, env });
  const file = (await readdir(cwd)).find((each) => each.endsWith('.deb'));
  if (file === undefined) throw new MachineError(`apt-get has not downloaded ${name}`);
  await runOrThrow('dpkg-deb', ['--extract', file, 'root'], { cwd, env });
  const version = await runOrThrow('dpkg-deb', ['--field', file, 'Version'], { cwd, env });
  return { root: join(cwd, 'root'), version: version.trim() };
}

export interface SourcePackage {
  readonly name: string;
  /** Release of Debian that has it. */
  readonly suite: string;
  /** Default: the one that the suite has. */
  readonly version?: string;
  /** SHA-256 of the authors' archive. Default: apt's own check. */
  readonly sha256?: string;
}

/** Options with which apt knows the source packages of these suites. They change nothing of the machine's own lists. */
export async function listSources(
  folder: string,
  suites: readonly string[],
  { environment: env }: Host,
): Promise<string[]> {
  const printed = await runOrThrow('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'], { env });
  // The others are of security updates and of other projects.
  const site = printed.split('\n').find((each) => each.endsWith('/debian'));
  if (site === undefined) throw new MachineError("no archive of Debian's is configured in apt");
  const configuration = join(folder, 'apt');
  await mkdir(join(configuration, 'lists', 'partial'), { recursive: true });
  const fields = {
    Types: 'deb-src',
    URIs: site,
    Suites: [...new Set(suites)].join(' '),
    Components: 'main',
    'Signed-By': '/usr/share/keyrings/debian-archive-keyring.gpg',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  await writeFile(join(configuration, 'sources.sources'), lines.join(''));
  const apt = ['SourceList=/dev/null', `SourceParts=${configuration}`].map((each) => `Dir::Etc::${each}`);
  const options = [...apt, `Dir::State::Lists=${join(configuration, 'lists')}`].flatMap((each) => ['-o', each]);
  await runOrThrow('apt-get', [...options, 'update'], { env });
  return options;
}

/**
 * Unpacks the authors' archive of a source package of Debian's, without Debian's changes.
 *
 * @param options those of `listSources`
 */
export async function unpackSource(
  { name, suite, version: wanted, sha256 }: SourcePackage,
  options: readonly string[],
  folder: string,
  { environment: env, log }: Host,
): Promise<Unpacked> {
  log.progress(`downloading the source of ${name}`);
  const cwd = join(folder, `${name}-source`);
  await mkdir(cwd, { recursive: true });
  const which = wanted === undefined ? `${name}/${suite}` : `${name}=${wanted}`;
  // Fails as a whole where a mirror has the archive and not Debian's own files.
  const { stderr } = await run('apt-get', [...options, 'source', '--download-only', which], { cwd, env });
  const files = await readdir(cwd);
  const archive = files.find((each) => /\.orig\.tar\.\w+$/.test(each));
  const version = wanted ?? files.find((each) => each.endsWith('.dsc'))?.replace(/^[^_]*_|\.dsc$/g, '');
  if (archive === undefined || version === undefined) {
    throw new MachineError(`apt-get has no source of ${which}: ${stderr.trim().split('\n').at(-1)}`);
  }
  return { root: await unpackArchive(join(cwd, archive), join(cwd, 'root'), sha256, env), version };
}

/** Unpacks a crate, as its authors published it. */
export async function unpackCrate(
  { name, version, sha256 }: { readonly name: string; readonly version: string; readonly sha256?: string },
  folder: string,
  { environment: env, log }: Host,
): Promise<Unpacked> {
  log.progress(`downloading ${name}`);
  // Downloads the crate, and none of those that it depends on.
  await runOrThrow('cargo', ['info', '--registry', 'crates-io', `${name}@${version}`], { env });
  const caches = join(env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'cache');
  const file = `${name}-${version}.crate`;
  for (const cache of await readdir(caches)) {
    if (!(await readdir(join(caches, cache))).includes(file)) continue;
    return { root: await unpackArchive(join(caches, cache, file), join(folder, name), sha256, env), version };
  }
  throw new MachineError(`cargo has not downloaded ${file}`);
}

/** Finds a Go module, which stays in Go's own cache, read-only. */
export async function downloadModule(
  { path, version, sum }: { readonly path: string; readonly version: string; readonly sum?: string },
  { environment: env, log }: Host,
): Promise<Unpacked> {
  log.progress(`downloading ${path}`);
  const printed = await runOrThrow('go', ['mod', 'download', '-json', `${path}@${version}`], { env });
  const { Dir: root, Sum: found } = JSON.parse(printed) as { readonly Dir: string; readonly Sum: string };
  if (sum !== undefined && found !== sum) throw new MachineError(`${path}@${version} has the sum ${found}, not ${sum}`);
  return { root, version };
}

/** Unpacks an archive without the folder that it holds. */
async function unpackArchive(archive: string, root: string, sha256: string | undefined, env: NodeJS.ProcessEnv) {
  const found = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  if (sha256 !== undefined && found !== sha256) {
    throw new MachineError(`${archive} has the SHA-256 ${found}, not ${sha256}`);
  }
  await mkdir(root, { recursive: true });
  await runOrThrow('tar', ['--extract', '--file', archive, '--directory', root, '--strip-components=1'], { env });
  return root;
}
