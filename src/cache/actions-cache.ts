// Cache: the cache that GitHub keeps for a repository's workflows, behind the cache of this machine. GitHub decides
// who reads what a run has saved. A branch's entries are read by runs on it and by pull requests into it; the default
// branch's by all runs. A pull request's entries are read only by its own next runs.

import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { runOrThrow } from '../adapters/process.ts';
import { defaultBranchOf, type RunOrigin, whyStranger } from '../inputs/event-base.ts';
import { type Cache, commonKinds, makeCacheFolder, measureFolder, type RemoteCache } from './cache.ts';
import { withLock } from './lock.ts';

export interface ActionsCache extends RemoteCache {
  /** Saves what was made here, if this run may save. Problems are logged and no error is thrown. */
  save(): Promise<void>;
}

export interface ActionsCacheOptions {
  /** The machine's cache. */
  readonly cache: Cache;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Why this run saves nothing, by `whySavesNothing`; null if it saves. */
  readonly savesNothing: string | null;
  /** GITHUB_BASE_REF: the branch that a pull request is merged into; empty for other events. */
  readonly baseBranch: string;
}

/** Events of runs that measure what is already merged. */
const baseEvents: readonly (string | undefined)[] = ['push', 'schedule', 'workflow_dispatch'];

/**
 * Says why a run saves nothing for others; null if it saves. A run saves if it measures the last commit of the default
 * branch or of a protected one: opening a pull request brings no commit there.
 */
export function whySavesNothing(run: RunOrigin): string | null {
  const stranger = whyStranger(run);
  if (stranger !== null) return stranger;
  if (!baseEvents.includes(run.event)) return `the event is \`${run.event ?? ''}\``;
  const branch = /^refs\/heads\/(.+)$/.exec(run.ref ?? '')?.[1];
  if (branch === undefined) return `\`${run.ref ?? ''}\` is no branch`;
  // A schedule always runs on the default branch.
  // A queue's branch has commits that are not merged yet, and one rule can protect all branches.
  const isProtected = run.isProtected && !branch.startsWith('gh-readonly-queue/');
  const isTrusted = run.event === 'schedule' || branch === defaultBranchOf(run.payload) || isProtected;
  return isTrusted ? null : `\`${branch}\` is neither the default branch nor protected`;
}

const common: ReadonlySet<string> = new Set(Object.values(commonKinds));
const isBuild = (kind: string) => kind.startsWith('builds/');
const isShared = (kind: string) => common.has(kind) || kind === 'counts' || isBuild(kind);
/**
 * The most that a job saves, in bytes before compression. GitHub keeps 10 GB for all workflows of a repository and then
 * removes what was used longest ago, so one job must not push out what the others have saved.
 */
const maxSaved = 4e9;
/** Increased when the meaning of an entry's content changes. */
const format = 1;

/**
 * Opens the cache; undefined where there is none, as outside GitHub's runners.
 *
 * An entry is looked up by its whole key: one that is almost the same is not used.
 */
export async function openActionsCache({
  cache,
  log,
  signal,
  savesNothing,
  baseBranch,
}: ActionsCacheOptions): Promise<ActionsCache | undefined> {
  // A large library, which few commands need.
  const github = await import('@actions/cache');
  if (!github.isFeatureAvailable()) return undefined;
  const platform = await describePlatform();
  const made = new Map<string, { readonly kind: string; readonly key: string; readonly path: string }>();
  const asked = new Set<string>();
  let hasFound = false;
  const nameOf = (kind: string, key: string) => `bpfgate-${format}-${platform}-${kind.replaceAll('/', '-')}-${key}`;
  // GitHub also looks an entry up by its place. It is on the disk of the entries, so that it can be renamed to its own.
  const placeOf = (kind: string, key: string) => join(cache.root, 'remote', kind.replaceAll('/', '-'), key);
  // Only one of several processes uses a place at a time.
  const alone = async <T>(work: () => Promise<T>) => {
    const folder = join(cache.root, 'remote');
    await makeCacheFolder(folder);
    return await withLock(
      join(folder, '.lock'),
      { log, signal, waiting: 'waiting for another bpfgate that uses the remote cache' },
      work,
    );
  };

  return {
    async restore(kind, key, place) {
      const name = nameOf(kind, key);
      // Once only: an entry that was removed again had been found to be wrong.
      if (!isShared(kind) || asked.has(name)) return false;
      asked.add(name);
      const staging = placeOf(kind, key);
      try {
        return await alone(async () => {
          await rm(staging, { recursive: true, force: true });
          const found = await github.restoreCache([staging], name);
          // GitHub also returns keys with this prefix.
          if (found !== name || !(await isFolder(staging))) return false;
          await place(staging);
          hasFound = true;
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
      if (isShared(kind)) made.set(nameOf(kind, key), { kind, key, path });
    },
    async save() {
      const entries = [...made];
      made.clear();
      if (savesNothing !== null) {
        // Only if what was made here could have been found.
        if (!hasFound && entries.some(([name]) => asked.has(name)))
          log.progress(describeEmpty(savesNothing, baseBranch));
        return;
      }
      let left = maxSaved;
      // Builds come last: they are the largest, and only they are made again by the next push.
      for (const [name, { kind, key, path }] of entries.sort(
        ([, one], [, other]) => Number(isBuild(one.kind)) - Number(isBuild(other.kind)),
      )) {
        signal.throwIfAborted();
        const staging = placeOf(kind, key);
        try {
          await alone(async () => {
            // It may have been removed since, to make room.
            if (!(await isFolder(path))) return;
            // Another job of the matrix may have saved it. The library would only notice after it has made an archive.
            if ((await github.restoreCache([staging], name, [], { lookupOnly: true })) === name) return;
            const bytes = await measureFolder(path);
            if (bytes > left) {
              log.progress(
                `${kind}: not saved for other runs: ${formatGigabytes(bytes)}, and of the ${formatGigabytes(maxSaved)} that a job saves at most ${formatGigabytes(left)} are left`,
              );
              return;
            }
            left -= bytes;
            await rm(staging, { recursive: true, force: true });
            await mkdir(dirname(staging), { recursive: true });
            // A link to a file would change the file's times, which show that a build is unchanged.
            await runOrThrow('cp', ['--archive', '--reflink=auto', path, staging]);
            // The library logs what it did not save, and why.
            await github.saveCache([staging], name);
          });
        } catch (error) {
          signal.throwIfAborted();
          log.progress(`${kind}: not saved for other runs: ${(error as Error).message}`);
        } finally {
          await rm(staging, { recursive: true, force: true });
        }
      }
    },
  };
}

/** @param baseBranch empty for an event that names none */
function describeEmpty(savesNothing: string, baseBranch: string): string {
  const branch = baseBranch === '' ? 'the base branch' : `\`${baseBranch}\``;
  const lines = `\`on: { push: { branches: [${baseBranch === '' ? 'main' : baseBranch}] } }\``;
  return `nothing is cached for this run: no run on ${branch} has saved what it needs, and this run saves nothing: ${savesNothing}. With ${lines} the workflow fills the cache, where that branch is the default one or protected`;
}

function formatGigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Part of a key: programs compiled on one distribution do not run on every other. */
async function describePlatform(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown';
  return `${field('ID')}${field('VERSION_ID')}-${process.arch}`;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
