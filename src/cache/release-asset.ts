// Cache: addresses of the files attached to bpfgate's own releases.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { runIfPossible } from '../adapters/process.ts';
import { InputError } from '../common/errors.ts';
import type { ReleaseAsset } from '../model/kernel.ts';

/** Sources of a file. */
export interface Sources {
  /** Addresses in the order in which they are tried. */
  readonly addresses: readonly string[];
  /** Sources that exist but cannot be asked, each with the reason. */
  readonly notAsked: readonly string[];
}

/** Places that say which repository this bpfgate is from. */
export interface Origin {
  /** Default: this process's. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The folder of bpfgate's own files. Default: the one they are in. */
  readonly root?: string | undefined;
}

/**
 * The address of an asset in the repository that this bpfgate is from.
 *
 * @param asset undefined where no release has such a file
 * @throws InputError when GITHUB_SERVER_URL is not an http or https address
 */
export async function releaseSource(asset: ReleaseAsset | undefined, origin: Origin = {}): Promise<Sources> {
  if (asset === undefined) return { addresses: [], notAsked: ['releases of bpfgate: none has it'] };
  const repository = await findRepository(origin);
  if (repository === undefined) {
    const notAsked = [
      `release ${asset.tag} of bpfgate: this copy of bpfgate is from no repository on ${serverOf(origin)}`,
    ];
    return { addresses: [], notAsked };
  }
  const path = [asset.tag, asset.name].map(encodeURIComponent).join('/');
  return { addresses: [`${serverOf(origin)}/${repository}/releases/download/${path}`], notAsked: [] };
}

/** Joins two lists of sources, those of the first before those of the second. */
export function joinSources(first: Sources, second: Sources): Sources {
  return {
    addresses: [...first.addresses, ...second.addresses],
    notAsked: [...first.notAsked, ...second.notAsked],
  };
}

/**
 * The repository that this bpfgate is from, `OWNER/NAME`: that of the running action, else that of the clone's remote
 * `origin`. Undefined where neither names one.
 */
async function findRepository(origin: Origin): Promise<string | undefined> {
  const { env = process.env, root = packageRoot } = origin;
  // Empty for an action of the checked-out repository itself.
  const own = env.GITHUB_ACTION_REPOSITORY;
  if (own !== undefined && own !== '') return isRepository(own) ? own : undefined;
  const remote = await readRemote(join(root, '.git'));
  return remote === undefined ? undefined : repositoryOf(remote, serverOf(origin));
}

/**
 * The repository that a remote's URL names on a server; undefined for a repository elsewhere.
 *
 * @param remote such as `https://github.com/OWNER/NAME.git` or `git@github.com:OWNER/NAME.git`
 */
export function repositoryOf(remote: string, server: string): string | undefined {
  const [, host, path] = /^(?:(?:https?|ssh|git):\/\/)?(?:[^@/]*@)?([^:/]+)(?::\d+(?=\/))?[:/](.+)$/.exec(remote) ?? [];
  const repository = path?.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (host?.toLowerCase() !== new URL(server).hostname || repository === undefined) return undefined;
  return isRepository(repository) ? repository : undefined;
}

function isRepository(name: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(name) && !/(^|\/)\.\.?(\/|$)/.test(name);
}

/** GITHUB_SERVER_URL without a slash at the end, else GitHub's. */
function serverOf({ env = process.env }: Origin): string {
  const server = env.GITHUB_SERVER_URL?.replace(/\/+$/, '');
  if (server === undefined || server === '') return 'https://github.com';
  if (/^https?:\/\/[^/]/.test(server) && URL.canParse(server)) return server;
  throw new InputError(`GITHUB_SERVER_URL is no http or https address: ${JSON.stringify(server)}`);
}

/** The URL of the remote `origin`; undefined where there is no repository, no such remote or no git. */
async function readRemote(gitDir: string): Promise<string | undefined> {
  if (!existsSync(gitDir)) return undefined;
  // The folder is named, so that git does not use a repository around bpfgate's files instead.
  const result = await runIfPossible('git', ['--git-dir', gitDir, 'config', '--get', 'remote.origin.url']);
  return result?.exitCode === 0 ? result.stdout.trim() : undefined;
}
