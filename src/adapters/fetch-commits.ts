// Adapter: git, fetching commits that a clone does not have from the repository that it was cloned from. Each fetch has
// a repository of its own, so that nothing in the clone is written and none of its settings apply.

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clipMiddle } from '../common/clip-middle.ts';
import { toPlainLine } from '../report/plain-text.ts';
import { type RunOptions, type RunResult, run } from './process.ts';

/** The repository that a clone was made of. */
export interface Remote {
  /** Address, as the clone has it. */
  readonly url: string;
  /** Headers of HTTP requests to it: actions/checkout keeps the job's token in one. */
  readonly headers: readonly string[];
}

/** What a fetch has brought, with the first commit of those that were named, or why it has brought nothing. */
export type Fetched = { readonly store: string; readonly commit: string } | { readonly problem: string };

export interface FetchOptions extends Pick<RunOptions, 'signal'> {
  /** `commits` brings a commit and all before it, without their files; `files` brings a commit and its files. */
  readonly of: 'commits' | 'files';
  /** A folder that does not exist yet, for the repository. */
  readonly folder: string;
  /** Makes variables of settings, which take precedence over the user's own. */
  readonly settings: (settings: readonly (readonly string[])[]) => Record<string, string>;
}

/** The most commits that are named in one fetch. */
const maxWanted = 200;
const timeoutMs = 300_000;
/** The largest file that a fetch may write, in blocks of 512 bytes: 4 GiB. */
const maxBlocks = 8 * 1024 * 1024;

/**
 * Reads where a clone's missing commits come from; undefined if that is nowhere, or a place that git reaches by another
 * program, such as ssh.
 *
 * @param read runs git on the clone; null if it fails
 * @param address default: the clone's `origin`
 */
export async function findRemote(
  read: (args: readonly string[]) => Promise<string | null>,
  address?: string,
): Promise<Remote | undefined> {
  const url = address ?? (await read(['config', '--get', 'remote.origin.url']));
  if (url === null || !/^(https?:\/\/|file:\/\/|\/)[^\n]+$/.test(url)) return undefined;
  const isHttp = url.startsWith('http');
  // Only those that the user's settings have for this address.
  const headers = isHttp ? await read(['config', '--null', '--get-urlmatch', 'http.extraHeader', url]) : null;
  return { url, headers: (headers ?? '').split('\0').filter((header) => header !== '') };
}

/** @param what ids of commits, or refs such as `refs/heads/main` */
export async function fetchCommits(
  { url, headers }: Remote,
  what: readonly string[],
  options: FetchOptions,
): Promise<Fetched> {
  const { folder, signal } = options;
  await mkdir(folder);
  const settings = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
    // A filter needs a remote with a name. An address may have a password, which arguments would show.
    ['remote.origin.url', url],
    // A header would go wherever a redirect leads.
    ...(headers.length > 0 ? [['http.followRedirects', 'false']] : []),
    ...headers.map((header) => ['http.extraHeader', header]),
  ];
  const local = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
  const git = (args: readonly string[], variables: Record<string, string>) =>
    run('sh', ['-c', 'ulimit -f "$0" && exec git --git-dir . "$@"', String(maxBlocks), ...args], {
      ...{ cwd: folder, variables, timeoutMs, signal },
    });
  const problemOf = (result: RunResult) => ({ problem: describe(result, headers) });
  // An empty template: the machine's template could have hooks.
  const made = await git(['init', '--quiet', '--bare', '--template='], local);
  if (made.exitCode !== 0) return problemOf(made);
  const extent = options.of === 'commits' ? ['--filter=tree:0'] : ['--depth=1', '--no-filter'];
  const remote = { ...local, ...options.settings(settings), GIT_ALLOW_PROTOCOL: 'https:http:file' };
  const refspecs = what.slice(0, maxWanted).map((each, index) => `+${each}:refs/bpfgate/${index}`);
  const how = ['--quiet', '--no-tags', '--no-write-fetch-head', ...extent];
  const result = await git(['fetch', ...how, '--end-of-options', 'origin', ...refspecs], remote);
  const tip = await git(['rev-parse', '--verify', '--quiet', 'refs/bpfgate/0^{commit}'], local);
  if (result.exitCode !== 0 || tip.exitCode !== 0) {
    await rm(folder, { recursive: true, force: true });
    return problemOf(result);
  }
  return { store: join(folder, 'objects'), commit: tip.stdout.trim() };
}

/** Describes in one line why git could not fetch, without the token: a server may repeat what it was sent. */
function describe({ stderr, timedOut }: RunResult, headers: readonly string[]): string {
  if (timedOut) return `it took longer than ${timeoutMs / 60_000} minutes`;
  const lines = stderr.split('\n').map((line) => line.replace(/^(remote:|error:|fatal:|warning:)\s*/, '').trim());
  const text = [...new Set(lines.filter((line) => line !== ''))].join('; ');
  const secrets = headers.flatMap((header) => header.split(/\s+/)).filter((word) => word.length > 15);
  const shown = secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return clipMiddle(toPlainLine(shown.replace(/\/\/[^/@\s]*@/g, '//')), 300) || 'git says nothing';
}
