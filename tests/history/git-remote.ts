// A repository as on GitHub: served by git itself, over file:// or smart HTTP on loopback.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Results } from '../../src/report/results.ts';
import { kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

export const repositoryName = 'example/xdp';

export interface GitRemote {
  /** The root of all repositories, as GITHUB_SERVER_URL. */
  readonly root: string;
  /** The repository's own folder. */
  readonly folder: string;
  readonly git: (...args: string[]) => string;
  /** Adds a commit to `main` at the given time, in seconds. */
  readonly commit: (seconds: number) => MeasuredCommit;
  /** Reads the lines of all files of the branch. */
  readonly read: (path?: string, branch?: string) => string[];
}

export interface MeasuredCommit {
  readonly id: string;
  readonly tree: string;
}

/** @param folder an empty folder for the repository */
export function makeRemote(folder: string): GitRemote {
  const own = join(folder, repositoryName);
  mkdirSync(own, { recursive: true });
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'test',
    GIT_AUTHOR_EMAIL: 'test@example.invalid',
    GIT_COMMITTER_NAME: 'test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
  };
  const run = (args: string[], more: NodeJS.ProcessEnv = {}, input?: string) =>
    execFileSync('git', args, { cwd: own, encoding: 'utf8', env: { ...environment, ...more }, input }).trim();
  run(['init', '--quiet', '--bare', '--initial-branch=main', '.']);
  // As on GitHub: a client may leave out objects that it does not read, and ask for any commit.
  run(['config', 'uploadpack.allowFilter', 'true']);
  run(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  const git = (...args: string[]) => run(args);
  return {
    root: folder,
    folder: own,
    git,
    commit(seconds) {
      const blob = run(['hash-object', '-w', '--stdin'], {}, `at ${seconds}\n`);
      const tree = run(['mktree'], {}, `100644 blob ${blob}\tfile\n`);
      const at = { GIT_AUTHOR_DATE: `${seconds - 5000} +0000`, GIT_COMMITTER_DATE: `${seconds} +0230` };
      const parent = execFileSync('git', ['for-each-ref', '--format=%(objectname)', 'refs/heads/main'], { cwd: own });
      const parents = parent.length === 0 ? [] : ['-p', parent.toString().trim()];
      const id = run(['commit-tree', tree, ...parents, '-m', 'change'], at);
      run(['update-ref', 'refs/heads/main', id]);
      return { id, tree };
    },
    read(path = '', branch = 'bpfgate-history') {
      const names = git('ls-tree', '-r', '--name-only', branch).split('\n');
      return names
        .filter((name) => name.startsWith(path) && name.endsWith('.jsonl'))
        .flatMap((name) => git('show', `${branch}:${name}`).split('\n'));
    },
  };
}

/** Results of a commit on 6.1 and 6.12, in which each benchmark has this value. */
export function resultsAt(
  { id, tree }: MeasuredCommit,
  value: number,
  benchmarks: readonly string[] = ['macro/fun_xdp'],
): Results {
  const kernels = ['6.1', '6.12'];
  const results = resultsOf(
    kernels.flatMap((kernel) => benchmarks.flatMap((benchmark) => pair(1, value, { kernel, benchmark }))),
    kernels.map((kernel) => kernelResult(kernel)),
  );
  const { base, head } = results.revisions;
  return {
    ...results,
    project: { ...results.project, projectPath: '' },
    revisions: { base, head: { ...head, commit: id, tree } },
  };
}

const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
export const hasHttpBackend = existsSync(backend);

export interface GitServer {
  /** The value of GITHUB_SERVER_URL. */
  readonly url: string;
  /** `GET /example/xdp/info/refs?service=git-upload-pack` with the Authorization header, if there was one. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/**
 * Serves smart HTTP by git's own program. Like GitHub, it asks for a name and password unless it knows the given ones.
 *
 * @param tokens the right of each token
 */
export async function serveGit(
  { root }: Pick<GitRemote, 'root'>,
  tokens: Readonly<Record<string, 'read' | 'write'>>,
): Promise<GitServer> {
  const requests: GitServer['requests'] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    requests.push({ line: `${request.method} ${request.url}`, authorization });
    const [name, token = ''] = Buffer.from(authorization?.replace(/^basic /i, '') ?? '', 'base64')
      .toString()
      .split(':');
    const right = name === 'x-access-token' ? tokens[token] : undefined;
    if (right === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
    } else if (right === 'read' && /git-receive-pack/.test(request.url ?? '')) {
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end(`remote: Permission to ${repositoryName}.git denied to github-actions[bot].\n`);
    } else {
      answer(request, response, root);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** https://git-scm.com/docs/git-http-backend#_environment */
function answer(request: IncomingMessage, response: ServerResponse, root: string): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const header = (name: string) => String(request.headers[name] ?? '');
  const child = spawn(backend, [], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'github-actions[bot]',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(all.subarray(end + 4));
  });
}

/**
 * A folder for PATH whose `git` runs `script` first. It then logs the arguments of every process that git starts, git
 * itself included.
 */
export function spyOnGit(folder: string, script = ''): { readonly path: string; readonly log: string } {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const log = join(folder, 'git.log');
  mkdirSync(join(folder, 'bin'));
  const text = `#!/bin/sh\n${script}\nGIT_TRACE2_EVENT='${log}' exec ${real} "$@"\n`;
  writeFileSync(join(folder, 'bin', 'git'), text, { mode: 0o755 });
  return { path: join(folder, 'bin'), log };
}
