// Build: starts a cargo build from the target folder of the kept build whose sources are nearest, so that only what
// differs is compiled.

import { existsSync } from 'node:fs';
import { lstat, lutimes, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { readFileBelow, readStart, withReadable } from '../adapters/regular-file.ts';
import { walkTree } from '../adapters/walk-tree.ts';
import { bpfObjectStart, isBpfObject } from '../common/bpf-object.ts';
import type { RevisionName } from '../model/build.ts';
import { takeKept } from './kept-builds.ts';
import {
  decidesTimes,
  findUnchanged,
  isManifest,
  packageNameOf,
  type TreeFiles,
  unchangedFolders,
} from './unchanged-files.ts';

/** File in a kept build that says what it was built from. */
const recordFile = '.bpfgate-seed.json';
const maxRecord = 64 * 1024 * 1024;
/** Maximum size of a file that decides which times are kept, in bytes. */
const maxText = 1024 * 1024;
/** Maximum number of builds that follow each other in one target folder, which grows with each. */
const maxDepth = 16;

/** What a kept build was built from. */
export interface SeedRecord {
  readonly revision: RevisionName;
  /** Hash of everything but the tree that went into the build. */
  readonly settings: string;
  /** The pull request, whose heads may follow each other in one target folder. Null outside of workflows. */
  readonly source: string | null;
  /** Whether it was built on a head, whose build could have left anything in the target folder. */
  readonly onHead: boolean;
  /** Number of builds before it in the target folder. */
  readonly depth: number;
  /** Mode and object id of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** Tracked files that its build has changed. */
  readonly rebuilt: readonly string[];
}

export interface Seed extends SeedRecord {
  /** Absolute path of the kept build. */
  readonly dir: string;
}

/** Writes what a tree was built from. Its build may have left anything in the file's place. */
export async function writeSeedRecord(dir: string, record: SeedRecord): Promise<void> {
  const file = join(dir, recordFile);
  await rm(file, { recursive: true, force: true });
  await writeFile(file, JSON.stringify(record), { flag: 'wx' });
}

/**
 * Finds the kept build with the fewest files that differ. A base starts only from bases, and a head from bases and from
 * heads of the same source: any other head may belong to someone else.
 *
 * @param home folder of the repository's kept builds
 * @param base the base's folder, for a head
 */
export async function findSeed(
  home: string,
  wanted: Pick<SeedRecord, 'revision' | 'settings' | 'source' | 'files'>,
  base: string | undefined,
  log: Log,
): Promise<Seed | undefined> {
  const found: { readonly seed: Seed; readonly differing: number }[] = [];
  for (const name of await readdir(home)) {
    if (!/^[0-9a-f]{12}$/.test(name)) continue;
    const dir = join(home, name);
    const record = await readRecord(dir);
    if (record === undefined || record.settings !== wanted.settings || record.depth >= maxDepth) continue;
    const isOfBases = record.revision === 'base' && !record.onHead;
    const isOwnHead = wanted.revision === 'head' && record.source === wanted.source;
    if (dir !== base && !isOfBases && !isOwnHead) continue;
    const paths = new Set([...Object.keys(record.files), ...Object.keys(wanted.files)]);
    const differing = [...paths].filter((path) => record.files[path] !== wanted.files[path]).length;
    found.push({ seed: { ...record, dir }, differing });
  }
  for (const { seed } of found.toSorted((a, b) => a.differing - b.differing)) {
    if ((await takeKept('another revision', seed.dir, log)) !== undefined) return seed;
  }
  return undefined;
}

async function readRecord(dir: string): Promise<SeedRecord | undefined> {
  const text = await readFileBelow(dir, recordFile, maxRecord).catch(() => undefined);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Puts a kept build's target folder, at the root or in the project, into a tree that was just checked out. */
export async function plantSeed(
  seed: Seed,
  files: Readonly<Record<string, string>>,
  to: string,
  projectPath: string,
  log: Log,
): Promise<void> {
  const targets: string[] = [];
  for (const folder of new Set(['', projectPath])) {
    const target = join(seed.dir, folder, 'target');
    const place = join(to, folder, 'target');
    // A target that git tracks is the revision's own. It could be a link, which the copy would follow.
    const [cargos, tracked] = await Promise.all([target, place].map((path) => lstat(path).catch(() => undefined)));
    if (!cargos?.isDirectory() || !existsSync(join(target, 'CACHEDIR.TAG')) || tracked !== undefined) continue;
    // After the clock was set back, compiled files would look newer than the sources that were just checked out.
    if ((await runOrThrow('find', [target, '-newer', to, '-print', '-quit'])) !== '') continue;
    await runOrThrow('cp', ['--archive', '--reflink=auto', target, place]);
    targets.push(place);
  }
  const texts = new Map<string, string>();
  for (const path of Object.keys(files).filter(decidesTimes)) {
    // A file that cannot be read counts as the worst case.
    texts.set(path, (await readFileBelow(to, path, maxText).catch(() => undefined)) ?? unreadable);
  }
  const [before, after] = [asMap(seed.files), asMap(files)];
  const unchanged = findUnchanged(before, after, texts, seed.rebuilt);
  await removeObjects(targets, texts, new Set(unchanged));
  await keepTimes(seed.dir, unchanged, to, log);
  // A build script can name a folder. Its time shows that a file was added or removed.
  for (const folder of unchangedFolders(before, after, unchanged)) {
    const { atime, mtime } = await lstat(join(seed.dir, folder));
    await lutimes(join(to, folder), atime, mtime);
  }
}

/** Text that is no TOML, and could be any build script. */
const unreadable = '[workspace';

function asMap(files: Readonly<Record<string, string>>): TreeFiles {
  return new Map(Object.entries(files));
}

/** Copies the times of the seed's files, where what was compiled from them is valid. */
async function keepTimes(from: string, unchanged: readonly string[], to: string, log: Log): Promise<void> {
  const copy = ['xargs', '-0', '--no-run-if-empty', 'cp', '--attributes-only', '--preserve=timestamps', '--parents'];
  const input = unchanged.map((path) => `./${path}\0`).join('');
  const { exitCode, stderr } = await run('env', ['--chdir', from, ...copy, '--target-directory', to, '--'], { input });
  // Then these files are only compiled again.
  if (exitCode !== 0) log.progress(`the times of files could not be kept: ${stderr.trim().slice(0, 200)}`);
}

/**
 * Removes the BPF objects that this build makes again, if it makes them at all: an object that the revision no longer has
 * would look unchanged. They are those of build scripts that run again, and all where every script runs again.
 */
async function removeObjects(
  targets: readonly string[],
  texts: ReadonlyMap<string, string>,
  unchanged: ReadonlySet<string>,
): Promise<void> {
  const manifests = [...texts].filter(([path]) => isManifest(path));
  const own = new Map(manifests.map(([path, text]) => [packageNameOf(text) ?? path, unchanged.has(path)]));
  const scripts = manifests.filter(([path]) => texts.has(path.replace(/Cargo\.toml$/, 'build.rs')));
  const allRun = scripts.every(([path]) => !unchanged.has(path));
  for (const target of targets) {
    for await (const path of walkTree(target, new Set(['.fingerprint', 'incremental']))) {
      const [, name] = /(?:^|\/)build\/([^/]+?)(?:-[0-9a-f]{16})?\//.exec(path) ?? [];
      const isMade = name === undefined ? allRun : own.get(name) === false;
      const file = join(target, path);
      const start = isMade ? await withReadable(file, (handle) => readStart(handle, bpfObjectStart)) : undefined;
      if (start !== undefined && isBpfObject(start)) await rm(file);
    }
  }
}
