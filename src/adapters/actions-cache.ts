// Adapter: the cache that GitHub keeps for a repository's workflows, under the cache of this machine. Which runs can see
// what another has saved is GitHub's: a pull request's what its base branch has, and nobody what a pull request has.

import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cache, measureFolder, type RemoteCache } from '../cache/cache.ts';
import { withLock } from '../cache/lock.ts';
import type { Log } from './log.ts';
import { runOrThrow } from './process.ts';

export interface ActionsCache extends RemoteCache {
  /** Saves what was made here. Whatever goes wrong is told and is no harm. */
  save(): Promise<void>;
}

export interface ActionsCacheOptions {
  /** The machine's. */
  readonly cache: Cache;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether builds and results may be saved, which later runs take for what base is. */
  readonly recordsBase: boolean;
}

/** Takes long to make, and is the same for everybody. */
const common: ReadonlySet<string> = new Set(['agent', 'apt-packages', 'kernels-2', 'rust-src', 'tools']);
const ofBase = (kind: string) => kind === 'base-results' || kind.startsWith('builds/');
/** In bytes, as they lie on the disk: GitHub keeps 10 GB of a repository. */
const maxEntry = 4e9;
/** Counts up when what an entry holds changes its meaning. */
const format = 1;

/**
 * Undefined where there is no such cache, as on a machine that is no runner of GitHub's.
 *
 * An entry is looked up by its whole key: what is almost the same is never taken for it.
 */
export async function openActionsCache({
  cache,
  log,
  signal,
  recordsBase,
}: ActionsCacheOptions): Promise<ActionsCache | undefined> {
  // A large library, which few commands need.
  const github = await import('@actions/cache');
  if (!github.isFeatureAvailable()) return undefined;
  const platform = await describePlatform();
  const made = new Map<string, { readonly kind: string; readonly key: string; readonly path: string }>();
  const asked = new Set<string>();
  const nameOf = (kind: string, key: string) => `bpfgate-${format}-${platform}-${kind.replaceAll('/', '-')}-${key}`;
  // The place is part of what GitHub looks an entry up by. Beside the entries, so that it can be renamed into its own.
  const placeOf = (kind: string, key: string) => join(cache.root, 'remote', kind.replaceAll('/', '-'), key);
  // Of several processes one at a time uses a place.
  const alone = async <T>(work: () => Promise<T>) => {
    const folder = join(cache.root, 'remote');
    await mkdir(folder, { recursive: true });
    return await withLock(
      join(folder, '.lock'),
      { log, signal, waiting: 'waiting for another bpfgate that uses the remote cache' },
      work,
    );
  };

  return {
    async restore(kind, key, place) {
      const name = nameOf(kind, key);
      // Once: an entry that was taken away again was found to be wrong.
      if (!(common.has(kind) || ofBase(kind)) || asked.has(name)) return false;
      asked.add(name);
      const staging = placeOf(kind, key);
      try {
        return await alone(async () => {
          await rm(staging, { recursive: true, force: true });
          const found = await github.restoreCache([staging], name);
          // GitHub looks for keys that begin so.
          if (found !== name || !(await isFolder(staging))) return false;
          await place(staging);
          log.progress(`${kind}: taken from the workflows' cache`);
          return true;
        });
      } catch (error) {
        signal.throwIfAborted();
        log.progress(`${kind}: cannot be taken from the workflows' cache: ${(error as Error).message}`);
        return false;
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    },
    made(kind, key, path) {
      if (common.has(kind) || (recordsBase && ofBase(kind))) made.set(nameOf(kind, key), { kind, key, path });
    },
    async save() {
      for (const [name, { kind, key, path }] of made) {
        signal.throwIfAborted();
        const staging = placeOf(kind, key);
        try {
          await alone(async () => {
            // It may have been taken away since, to make room.
            if (!(await isFolder(path))) return;
            const bytes = await measureFolder(path);
            if (bytes > maxEntry) {
              log.progress(`${kind}: not saved for other runs: ${bytes} bytes are more than ${maxEntry}`);
              return;
            }
            // Another job of the matrix may have saved it, and an archive is made before anybody asks.
            if ((await github.restoreCache([staging], name, [], { lookupOnly: true })) === name) return;
            await rm(staging, { recursive: true, force: true });
            await mkdir(dirname(staging), { recursive: true });
            await runOrThrow('cp', ['--archive', '--link', path, staging]);
            // It tells itself what it did not save, and why.
            await github.saveCache([staging], name);
          });
        } catch (error) {
          signal.throwIfAborted();
          log.progress(`${kind}: not saved for other runs: ${(error as Error).message}`);
        } finally {
          await rm(staging, { recursive: true, force: true });
        }
      }
      made.clear();
    },
  };
}

/** What is compiled on one distribution does not run on every other. */
async function describePlatform(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown';
  return `${field('ID')}${field('VERSION_ID')}-${process.arch}`;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
