// Adapter: git, adding commits to a branch of a remote repository through temporary repositories without a working
// tree.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clipMiddle } from '../common/clip-middle.ts';
import { type GateError, InputError, MachineError } from '../common/errors.ts';
import { toPlainLine } from '../report/plain-text.ts';
import { settingsVariables } from './git.ts';
import { type RunOptions, type RunResult, run } from './process.ts';

export interface RemoteOptions {
  /** Address, without a user or password. */
  readonly url: string;
  /** Name in messages: `owner/repo`. */
  readonly name: string;
  /** GitHub's token, sent as the header of each HTTP request. */
  readonly token: string;
  /** Folder in which the temporary repositories are made. */
  readonly temporaryFolder: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteCommit {
  /** Git tree id. */
  readonly tree: string;
  /** The time of the commit. */
  readonly date: Date;
}

export interface NewCommit {
  /** The branch's tip that it follows; null for the first one. */
  readonly parent: string | null;
  readonly message: string;
  /** Maps paths to texts, for files that differ from the parent. */
  readonly files: ReadonlyMap<string, string>;
}

/** The repository is not reachable and does not refuse: a retry may succeed. */
export class UnreachableError extends MachineError {}

/** GitHub's own author, with whose picture a commit is shown. */
const author = 'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>';
const networkTimeoutMs = 180_000;

export class RemoteRepository {
  readonly #options: RemoteOptions;
  readonly #folder: string;
  readonly #variables: Readonly<Record<string, string>>;
  #commits = 0;

  private constructor(options: RemoteOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#variables = gitVariables(options, join(folder, 'home'));
  }

  /** @throws MachineError when there is no git */
  static async open(options: RemoteOptions): Promise<RemoteRepository> {
    const folder = await mkdtemp(join(options.temporaryFolder, 'bpfgate-remote-'));
    try {
      await mkdir(join(folder, 'home'));
      const repository = new RemoteRepository(options, folder);
      await repository.#initialize(repository.#branchFolder);
      return repository;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get #branchFolder(): string {
    return join(this.#folder, 'branch');
  }

  async #initialize(folder: string): Promise<void> {
    await mkdir(folder);
    // An empty template: the machine's template could have hooks.
    await this.#git(['init', '--quiet', '--bare', '--template=', '.'], { folder });
    await this.#git(['remote', 'add', 'origin', this.#options.url], { folder });
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @throws InputError when no branch can have that name */
  async requireBranchName(branch: string): Promise<void> {
    const result = await this.#run(['check-ref-format', `refs/heads/${branch}`], {});
    if (result.exitCode === 0 && !branch.startsWith('-')) return;
    throw new InputError(`no branch can be called ${JSON.stringify(branch)}`, {
      hint: 'give another name, such as bpfgate-history',
    });
  }

  /**
   * @param id the commit's
   * @throws InputError when the repository has no commit of that id, or cannot be read with the token
   * @throws UnreachableError
   */
  async fetchCommit(id: string): Promise<RemoteCommit> {
    // Separate from the branch: to push next to a commit that both sides have, git would fetch all of its trees.
    const folder = join(this.#folder, 'measured');
    await rm(folder, { recursive: true, force: true });
    await this.#initialize(folder);
    const result = await this.#runRemote(['fetch', ...fetchOptions, '--filter=tree:0', 'origin', id], { folder });
    if (/not our ref|couldn't find remote ref|unadvertised object/.test(result.stderr)) {
      throw new InputError(`${this.#options.name} has no commit ${id}`, {
        hint: 'record results of a commit that was pushed to this repository',
      });
    }
    if (result.exitCode !== 0) throw this.#explain(result, 'read');
    // Not `git show`, which would fetch the tree.
    const object = await this.#git(['cat-file', 'commit', id], { folder });
    const [, tree = ''] = /^tree ([0-9a-f]+)$/m.exec(object) ?? [];
    const [, seconds = ''] = /^committer .* (\d+) [+-]\d{4}$/m.exec(object) ?? [];
    return { tree, date: new Date(Number(seconds) * 1000) };
  }

  /**
   * @returns id of the branch's last commit, whose files can then be read; null if there is no such branch
   * @throws InputError when the repository cannot be read with the token
   * @throws UnreachableError
   */
  async fetchTip(branch: string): Promise<string | null> {
    const refspec = `+refs/heads/${branch}:refs/bpfgate/tip`;
    const result = await this.#runRemote(['fetch', ...fetchOptions, '--filter=blob:none', 'origin', refspec]);
    if (/couldn't find remote ref/.test(result.stderr)) return null;
    if (result.exitCode !== 0) throw this.#explain(result, 'read');
    return (await this.#git(['rev-parse', '--verify', 'refs/bpfgate/tip'])).trim();
  }

  /**
   * @returns text of each file that exists
   * @throws UnreachableError when the remote does not send them
   */
  async readFiles(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const listed = await this.#git(['ls-tree', '-z', '--full-tree', commit, '--', ...paths]);
    const found = new Map<string, string>();
    for (const entry of listed.split('\0')) {
      const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (id === undefined || path === undefined) continue;
      // Fetched now: the branch came without file contents.
      const result = await this.#runRemote(['cat-file', 'blob', id], { maxOutput: Number.POSITIVE_INFINITY });
      if (result.exitCode !== 0) throw this.#explain(result, 'read');
      found.set(path, result.stdout);
    }
    return found;
  }

  /** Makes a commit here, which `push` sends. @returns its id */
  async commit({ parent, message, files }: NewCommit): Promise<string> {
    const ref = `refs/bpfgate/next-${++this.#commits}`;
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const stream = [
      `commit ${ref}\ncommitter ${author} ${Math.floor(Date.now() / 1000)} +0000\n${data(message)}`,
      parent === null ? '' : `from ${parent}\n`,
      ...[...files].map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\n${data(text)}`),
      'done\n',
    ];
    await this.#git(['fast-import', '--quiet', '--done'], { input: stream.join('') });
    return (await this.#git(['rev-parse', '--verify', ref])).trim();
  }

  /**
   * Sets the branch to a commit, if that only adds to it.
   *
   * @returns false if the branch has received other commits meanwhile
   * @throws InputError when the repository does not let the token push there, or its rules allow no push
   * @throws UnreachableError
   */
  async push(commit: string, branch: string): Promise<boolean> {
    const refspec = `${commit}:refs/heads/${branch}`;
    const result = await this.#runRemote(['push', '--porcelain', '--no-progress', '--no-verify', 'origin', refspec]);
    if (result.exitCode === 0) return true;
    const [, reason] = /^!\t[^\t]*\t(.*)$/m.exec(result.stdout) ?? [];
    if (reason !== undefined && isOutrun(reason)) return false;
    throw this.#explain(result, 'push', branch);
  }

  #explain(result: RunResult, act: 'read' | 'push', branch?: string): GateError {
    const { name, url } = this.#options;
    const said = this.#quote(result);
    const text = `${result.stdout}\n${result.stderr}`;
    const where = branch === undefined ? name : `branch \`${branch}\` of ${name}`;
    const cause = new Error(said);
    if (result.timedOut || unreachable.test(text)) {
      return new UnreachableError(`git cannot reach ${url}: ${result.timedOut ? 'it did not answer in time' : said}`, {
        hint: 'run the job again later',
        cause,
      });
    }
    if (refused.test(text)) {
      return new InputError(`the push to ${where} was refused: ${said}`, {
        hint: "exempt that branch from the repository's rules, or give another one as input branch",
        cause,
      });
    }
    if (notAllowed.test(text)) {
      return new InputError(`the token may not ${act === 'push' ? 'push to' : 'read'} ${where}: ${said}`, {
        hint: 'give the job `permissions: contents: write`',
        cause,
      });
    }
    return new MachineError(`git could not ${act === 'push' ? 'push to' : 'read'} ${where}: ${said}`, { cause });
  }

  /** The remote's message, in one line. */
  #quote({ stdout, stderr }: RunResult): string {
    const lines = [...stdout.split('\n').filter((line) => line.startsWith('!')), ...stderr.split('\n')];
    const messages = lines
      .map((line) => line.replace(/^(remote:|error:|fatal:|!\t[^\t]*\t)\s*/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('hint:'));
    const text = [...new Set(messages)].join('; ');
    // A server may say anything, even what it was sent.
    const withoutToken = secretsOf(this.#options.token).reduce((left, secret) => left.replaceAll(secret, '***'), text);
    return clipMiddle(toPlainLine(withoutToken), 600);
  }

  /** @throws MachineError when git fails */
  async #git(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const result = await this.#run(args, options);
    if (result.exitCode === 0) return result.stdout;
    throw new MachineError(`\`git ${args[0]}\` failed: ${this.#quote(result)}`);
  }

  #runRemote(args: readonly string[], options: GitOptions = {}): Promise<RunResult> {
    return this.#run(args, { ...options, timeoutMs: networkTimeoutMs });
  }

  #run(args: readonly string[], { folder = this.#branchFolder, ...options }: GitOptions): Promise<RunResult> {
    const { signal } = this.#options;
    return run('git', args, { ...options, cwd: folder, variables: this.#variables, signal });
  }
}

interface GitOptions extends Pick<RunOptions, 'input' | 'maxOutput' | 'timeoutMs'> {
  /** Folder of the repository. Default: the one with the branch. */
  readonly folder?: string;
}

const fetchOptions = ['--quiet', '--no-tags', '--no-write-fetch-head', '--depth=1'];

/** Whether the branch moved meanwhile, by git's message or that of a server on which two pushes met. */
function isOutrun(reason: string): boolean {
  return (
    /^\[rejected\] \((fetch first|non-fast-forward|stale info)\)/.test(reason) ||
    /^\[remote rejected\] .*(incorrect old value|cannot lock ref|failed to (update|lock)|reference already exists|is at [0-9a-f]+ but expected)/.test(
      reason,
    )
  );
}

const unreachable =
  /could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed out)|timed? ?out|empty reply|returned error: (429|5\d\d)|hung up unexpectedly|early EOF|operation too slow|network is unreachable|internal server error|SSL certificate|SSL connect|SSL_ERROR|gnutls_|TLS connect/i;
const refused = /hook declined|protected branch|GH006|GH013|rule violations|\[remote rejected\]/i;
const notAllowed =
  /returned error: 40[13]|permission (to|denied)|write access|authentication failed|could not read (username|password)|invalid username|repository.*not found|does not appear to be a git repository/i;

/**
 * Variables that hold regardless of the machine's and the user's configuration. The token is neither in arguments,
 * which every process of the machine can read, nor in a file.
 */
function gitVariables({ url, token }: RemoteOptions, home: string): Record<string, string> {
  const { protocol, origin } = new URL(url);
  const settings = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['credential.helper', ''],
    // The header would go wherever a redirect leads.
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
    // git must not assume that trees or contents are present that were not fetched.
    ['fetch.negotiationAlgorithm', 'noop'],
    ...(/^https?:$/.test(protocol) ? [[`http.${origin}/.extraHeader`, headerOf(token)]] : []),
  ];
  return {
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    ...settingsVariables(settings),
  };
}

function headerOf(token: string): string {
  return `AUTHORIZATION: basic ${encode(token)}`;
}

function encode(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function secretsOf(token: string): string[] {
  return token === '' ? [] : [token, encode(token)];
}
