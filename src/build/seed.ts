// Build: starts a build from what cargo and Go have compiled for an ancestor's kept build, so that only what differs is
// compiled.

import { existsSync } from 'node:fs';
import { lstat, lutimes, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { readFileBelow, readStart, withReadable } from '../adapters/regular-file.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { walkTree } from '../adapters/walk-tree.ts';
import { bpfObjectStart, isBpfObject } from '../common/bpf-object.ts';
import { takeKept } from './kept-builds.ts';
import {
  decidesTimes,
  findUnchanged,
  isManifest,
  packageNameOf,
  type TreeFiles,
  unchangedFolders,
} from './unchanged-files.ts';

/**
 * Go's build cache, in the tree, because a sandbox has an empty home folder. Go and cargo look into no folder whose name
 * begins with a dot.
 */
export const goCache = '.bpfgate-go-cache';
/** File in a kept build that says what it was built from. */
const recordFile = '.bpfgate-seed.json';
const maxRecord = 64 * 1024 * 1024;
/** Maximum size of a file that decides which times are kept, in bytes. */
const maxText = 1024 * 1024;
/** Maximum number of builds that follow each other in one target folder, which grows with each. */
const maxDepth = 16;

/** What a kept build was built from. */
export interface SeedRecord {
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
 * Finds a kept build to start from. A build can leave anything in its target folder, so the caller names the builds that
 * hold nothing but what the new revision or its ancestors left.
 *
 * @param home folder of the repository's kept builds
 * @param keys names of builds there, of the last ancestor first
 */
export async function findSeed(home: string, keys: readonly string[], log: Log): Promise<Seed | undefined> {
  for (const key of keys) {
    const dir = join(home, key);
    const record = await readRecord(dir);
    if (record === undefined || record.depth >= maxDepth) continue;
    if ((await takeKept('an ancestor', dir, log)) !== undefined) return { ...record, dir };
  }
  return undefined;
}

async function readRecord(dir: string): Promise<SeedRecord | undefined> {
  const text = existsSync(dir) ? await readFileBelow(dir, recordFile, maxRecord).catch(() => undefined) : undefined;
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
    if (await copyKept(target, place)) targets.push(place);
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

/** Signs of C that Go compiles, and of headers that are not in the same folder. */
const cgo = '^[[:space:]]*(import[[:space:]]+)?"C"|CGO_C|C_INCLUDE_PATH|CPATH|PKG_CONFIG_PATH';

/**
 * Puts a kept build's Go cache into a tree that was just checked out. Go knows by contents what of it is valid, except
 * for headers of C that a package includes from elsewhere (`go help cache`). If these may have changed, nothing is put
 * there.
 *
 * @param settings the build's command and variables
 */
export async function plantGoCache(
  { dir, files: before, rebuilt }: Seed,
  files: Readonly<Record<string, string>>,
  to: string,
  settings: string,
): Promise<void> {
  const [cache, place] = [join(dir, goCache), join(to, goCache)];
  // What git tracks there is the revision's own.
  const [kept, tracked] = await Promise.all([cache, place].map((path) => lstat(path).catch(() => undefined)));
  if (!kept?.isDirectory() || tracked !== undefined) return;
  const all = [...Object.keys({ ...before, ...files }).filter((path) => before[path] !== files[path]), ...rebuilt];
  if (!all.every((path) => /(?:\.go|(?:^|\/)go\.(?:mod|sum|work|work\.sum))$/.test(path))) {
    const options = ['--recursive', '--quiet', '--binary-files=without-match', '--extended-regexp'];
    const { exitCode } = await run('grep', [...options, '-e', cgo, '--', '-', to], { input: settings });
    if (exitCode !== 1) return;
  }
  await copyKept(cache, place);
}

/** Copies what a build has left, or nothing if it left what cannot be read. */
async function copyKept(from: string, to: string): Promise<boolean> {
  const { exitCode } = await run('cp', ['--archive', '--reflink=auto', from, to]);
  if (exitCode !== 0) await removeTree(to);
  return exitCode === 0;
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
