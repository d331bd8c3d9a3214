// A fake GitHub on loopback: one pull request's comments, and one repository's check runs, artifacts and releases, with
// the git objects and pull requests that are made. It checks every request and its own answers against GitHub's OpenAPI
// description (github-api.json, written by scripts/extract-github-api.mjs) and its GraphQL schema.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { validate as validateQuery } from '@octokit/graphql-schema';
import { Ajv } from 'ajv';

export interface ServedComment {
  readonly id: number;
  readonly login: string;
  body: string;
}

export interface ServedArtifact {
  readonly id: number;
  readonly name: string;
  /** The workflow run that left it. */
  readonly run: number;
  readonly zip: Buffer;
  /** The announced size in bytes; default: the real one. */
  readonly size?: number;
}

export interface ServedRelease {
  readonly id: number;
  readonly tag_name: string;
  readonly target_commitish: string;
  readonly body: string;
  readonly draft: boolean;
  readonly assets: readonly { readonly id: number; readonly name: string; readonly content: Buffer }[];
}

/** A pull request that was opened, with what its branch changes. */
export interface ServedProposal {
  readonly title: string;
  readonly head: string;
  readonly base: string;
  readonly parents: readonly string[];
  /** Content by path; null for a removed file. */
  readonly files: Readonly<Record<string, Buffer | null>>;
}

export interface ServedCheck {
  readonly name: string;
  readonly head_sha: string;
  readonly conclusion: string;
  readonly details_url: string;
  readonly output: { readonly title: string; readonly summary: string };
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GitHubServer {
  readonly url: string;
  readonly comments: ServedComment[];
  readonly artifacts: ServedArtifact[];
  readonly checks: ServedCheck[];
  readonly releases: ServedRelease[];
  readonly proposals: ServedProposal[];
  /** Open pull requests from forks, by number. */
  readonly pulls: Map<number, { readonly owner: string; readonly branch: string; readonly sha: string }>;
  /** Head commits of this repository's pull requests, by number; any other number is a 404. */
  readonly heads: Map<number, string>;
  /** Method and path of every request: `POST /repos/...`. */
  readonly requests: string[];
  /** Deviations of requests and answers from GitHub's description. */
  readonly violations: string[];
  /** Replaces the usual answer if it returns one; the request is checked all the same. */
  intercept: (request: string, body: unknown) => Answer | undefined;
  /** Runs when a request has been answered. */
  after: () => void;
  /** Runs before a request is answered. */
  before: (request: string) => void | Promise<void>;
  /** The number of comments on a page; GitHub has at most 100. */
  pageSize: number;
  add(login: string, body: string): ServedComment;
  close(): Promise<void>;
}

export const token = 'ghs_test';
/** The login that GraphQL and REST give for GITHUB_TOKEN. */
export const bot = 'github-actions[bot]';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly ({ readonly $ref: string } | Parameter)[];
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: object } } };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
type Content = Readonly<Record<string, { readonly schema: object }>>;

const api: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
  readonly 'x-example-comment': object;
  readonly 'x-example-pull': object;
  readonly 'x-example-pull-whole': { readonly head: object };
  readonly 'x-example-artifact': { readonly workflow_run: object };
  readonly 'x-example-check': object;
  readonly 'x-example-release': object;
  readonly 'x-example-release-asset': object;
  readonly 'x-example-commit': object;
  readonly 'x-example-tree': object;
  readonly 'x-example-blob': object;
  readonly 'x-example-ref': object;
} = JSON.parse(readFileSync(new URL('github-api.json', import.meta.url), 'utf8'));

const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(api, 'github');

/** Compiles a schema, whose references are to the description itself. */
function compile(schema: object) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"github#/')));
}

export async function startGitHub(): Promise<GitHubServer> {
  let nextId = 1;
  const http = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://github.invalid');
    const name = `${request.method} ${url.pathname}`;
    const body = await readBody(request);
    server.requests.push(name);
    await server.before(name);
    if (url.pathname.startsWith('/archives/')) {
      // GitHub's archive storage is protected only by its secret address; a token sent along would be a leak.
      if (request.headers.authorization !== undefined) server.violations.push('a token was sent to where archives are');
      response.writeHead(200, { 'content-type': 'application/zip' });
      response.end(server.artifacts.find(({ id }) => url.pathname === `/archives/${id}`)?.zip);
      return;
    }
    const answer = handle(request, url, body);
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    server.after();
  });
  const server: GitHubServer = {
    url: '',
    comments: [],
    artifacts: [],
    checks: [],
    releases: [],
    proposals: [],
    pulls: new Map(),
    heads: new Map(),
    requests: [],
    violations: [],
    intercept: () => undefined,
    before: () => {},
    after: () => {},
    pageSize: 100,
    add(login, body) {
      const comment = { id: nextId++, login, body };
      server.comments.push(comment);
      return comment;
    },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };

  function handle(request: IncomingMessage, url: URL, body: unknown): Answer {
    const violate = (what: string) => server.violations.push(`${request.method} ${url.pathname}: ${what}`);
    if (request.headers.authorization !== `token ${token}`) return { status: 401, body: error('Bad credentials') };
    if (request.headers['user-agent'] === undefined) violate('no user agent');
    if (url.pathname === '/graphql') {
      const { query } = body as { query: string };
      for (const { message } of validateQuery(query)) violate(message);
      const instead = server.intercept(`${request.method} ${url.pathname}`, body);
      if (instead !== undefined) return instead;
      return { status: 200, body: { data: { viewer: { login: bot } } } };
    }
    const found = findOperation(request.method ?? '', url.pathname);
    if (found === undefined) {
      violate('no such operation');
      return { status: 404, body: error('Not Found') };
    }
    const { operation, path } = found;
    for (const wrong of checkRequest(operation, path, url.searchParams, body)) violate(wrong);
    const instead = server.intercept(`${request.method} ${url.pathname}`, body);
    if (instead !== undefined) return instead;
    const answer = answerTo(operation, path, url, body);
    const described = operation.responses[answer.status];
    // GitHub answers 404 for what does not exist, though its description does not always say so.
    if (described === undefined && answer.status !== 404) violate(`GitHub never answers ${answer.status}`);
    const schema = described?.content?.['application/json']?.schema;
    if (schema !== undefined) {
      const check = compile(schema);
      if (!check(answer.body)) violate(`wrong answer: ${ajv.errorsText(check.errors)}`);
    }
    return answer;
  }

  /** Git's objects, by a stand-in for their hash. */
  const blobs = new Map<string, Buffer>();
  const trees = new Map<string, ServedProposal['files']>();
  const commits = new Map<string, Pick<ServedProposal, 'files' | 'parents'>>();
  const branches = new Map<string, string>();
  const newSha = () => String(nextId++).padStart(40, '0');

  /** @returns undefined for other operations */
  function answerToRelease(
    { operationId }: Operation,
    path: Readonly<Record<string, string>>,
    url: URL,
    body: unknown,
  ): Answer | undefined {
    const missing = { status: 404, body: error('Not Found') };
    const index = server.releases.findIndex(({ id, tag_name: tag, draft }) =>
      // A draft is found by its number only.
      path.tag === undefined ? id === Number(path.release_id) : tag === path.tag && !draft,
    );
    const release = server.releases[index];
    const given = body as Record<string, unknown>;
    switch (operationId) {
      case 'repos/create-release': {
        const fields = { target_commitish: 'main', body: '', draft: false, ...given } as unknown as ServedRelease;
        const made: ServedRelease = { ...fields, id: nextId++, assets: [] };
        server.releases.push(made);
        return { status: 201, body: describeRelease(made, server.url) };
      }
      case 'repos/get-release-by-tag':
        return release === undefined ? missing : { status: 200, body: describeRelease(release, server.url) };
      case 'repos/update-release':
        if (release === undefined) return missing;
        server.releases[index] = { ...release, ...given };
        return { status: 200, body: describeRelease({ ...release, ...given }, server.url) };
      case 'repos/delete-release':
        if (release === undefined) return missing;
        server.releases.splice(index, 1);
        return { status: 204, body: undefined };
      case 'repos/list-release-assets':
        return { status: 200, body: release?.assets.map(describeReleaseAsset) };
      case 'repos/upload-release-asset': {
        const name = url.searchParams.get('name') ?? '';
        if (release === undefined) return missing;
        if (release.assets.some((asset) => asset.name === name)) return { status: 422, body: error('already_exists') };
        const asset = { id: nextId++, name, content: body as Buffer };
        server.releases[index] = { ...release, assets: [...release.assets, asset] };
        return { status: 201, body: describeReleaseAsset(asset) };
      }
      case 'git/get-commit':
        return { status: 200, body: { ...api['x-example-commit'], sha: path.commit_sha } };
      case 'git/create-blob': {
        const sha = newSha();
        blobs.set(sha, Buffer.from(String(given.content), given.encoding === 'base64' ? 'base64' : 'utf8'));
        return { status: 201, body: { ...api['x-example-blob'], sha } };
      }
      case 'git/create-tree': {
        const sha = newSha();
        const entries = given.tree as readonly { readonly path: string; readonly sha: string | null }[];
        const files = entries.map(({ path, sha: blob }) => [path, blob === null ? null : blobs.get(blob)] as const);
        trees.set(sha, Object.fromEntries(files.map(([path, content]) => [path, content ?? null])));
        return { status: 201, body: { ...api['x-example-tree'], sha } };
      }
      case 'git/create-commit': {
        const sha = newSha();
        const files = trees.get(String(given.tree)) ?? {};
        commits.set(sha, { files, parents: given.parents as readonly string[] });
        return { status: 201, body: { ...api['x-example-commit'], sha } };
      }
      case 'git/create-ref':
        branches.set(String(given.ref).replace('refs/heads/', ''), String(given.sha));
        return { status: 201, body: { ...api['x-example-ref'], ref: given.ref } };
      case 'pulls/create': {
        const head = String(given.head);
        const commit = commits.get(branches.get(head) ?? '');
        if (commit === undefined) return { status: 422, body: error('head is invalid') };
        server.proposals.push({ title: String(given.title), head, base: String(given.base), ...commit });
        return { status: 201, body: { ...api['x-example-pull-whole'], requested_teams: [] } };
      }
      default:
        return undefined;
    }
  }

  function answerTo(operation: Operation, path: Readonly<Record<string, string>>, url: URL, body: unknown): Answer {
    const ofRelease = answerToRelease(operation, path, url, body);
    if (ofRelease !== undefined) return ofRelease;
    const { operationId } = operation;
    const id = Number(path.comment_id);
    const index = server.comments.findIndex((comment) => comment.id === id);
    const comment = server.comments[index];
    switch (operationId) {
      case 'issues/list-comments': {
        const page = Number(url.searchParams.get('page') ?? 1);
        const size = Math.min(server.pageSize, Number(url.searchParams.get('per_page') ?? 30));
        const shown = server.comments.slice((page - 1) * size, page * size).map(describe);
        const next = new URL(url.pathname + url.search, server.url);
        next.searchParams.set('page', String(page + 1));
        const isLast = page * size >= server.comments.length;
        return { status: 200, body: shown, ...(isLast ? {} : { headers: { link: `<${next}>; rel="next"` } }) };
      }
      case 'issues/create-comment':
        return { status: 201, body: describe(server.add(bot, (body as { body: string }).body)) };
      case 'pulls/list': {
        const [owner, branch] = url.searchParams.get('head')?.split(':') ?? [];
        const found = [...server.pulls].filter(([, pull]) => pull.owner === owner && pull.branch === branch);
        return { status: 200, body: found.map(([number, { sha }]) => describePull(number, owner ?? '', sha)) };
      }
      case 'actions/list-workflow-run-artifacts': {
        const page = Number(url.searchParams.get('page') ?? 1);
        const size = Math.min(server.pageSize, Number(url.searchParams.get('per_page') ?? 30));
        const own = server.artifacts.filter(({ run }) => run === Number(path.run_id));
        const artifacts = own.slice((page - 1) * size, page * size).map(describeArtifact);
        const next = new URL(url.pathname + url.search, server.url);
        next.searchParams.set('page', String(page + 1));
        const headers = page * size >= own.length ? {} : { link: `<${next}>; rel="next"` };
        return { status: 200, body: { total_count: own.length, artifacts }, headers };
      }
      case 'actions/download-artifact': {
        const artifact = server.artifacts.find(({ id }) => id === Number(path.artifact_id));
        if (artifact === undefined) return { status: 404, body: error('Not Found') };
        // To a client, this is another host.
        const location = `${server.url.replace('127.0.0.1', 'localhost')}/archives/${artifact.id}`;
        return { status: 302, body: undefined, headers: { location } };
      }
      case 'checks/create':
        server.checks.push(body as ServedCheck);
        return { status: 201, body: { ...api['x-example-check'], ...describeCheck(body as ServedCheck) } };
      case 'pulls/get': {
        const sha = server.heads.get(Number(path.pull_number));
        if (sha === undefined) return { status: 404, body: error('Not Found') };
        const example = api['x-example-pull-whole'];
        const own = { number: Number(path.pull_number), head: { ...example.head, sha }, requested_teams: [] };
        return { status: 200, body: { ...example, ...own } };
      }
      case 'issues/get-comment':
        if (comment === undefined) return { status: 404, body: error('Not Found') };
        return { status: 200, body: describe(comment) };
      case 'issues/update-comment':
        if (comment === undefined) return { status: 404, body: error('Not Found') };
        comment.body = (body as { body: string }).body;
        return { status: 200, body: describe(comment) };
      default:
        if (comment === undefined) return { status: 404, body: error('Not Found') };
        server.comments.splice(index, 1);
        return { status: 204, body: undefined };
    }
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
}

export function error(message: string): object {
  return { message, documentation_url: 'https://docs.github.com/rest' };
}

function describe({ id, login, body }: ServedComment): object {
  const example = api['x-example-comment'] as { readonly user: object };
  return { ...example, id, body, user: { ...example.user, login } };
}

function describePull(number: number, login: string, sha: string): object {
  const example = api['x-example-pull'] as { readonly head: { readonly user: object } };
  const head = { ...example.head, sha, user: { ...example.head.user, login } };
  // The example's teams do not match its own description.
  return { ...example, number, head, requested_teams: [] };
}

function describeArtifact({ id, name, run, zip, size = zip.length }: ServedArtifact): object {
  const example = api['x-example-artifact'];
  return { ...example, id, name, size_in_bytes: size, workflow_run: { ...example.workflow_run, id: run } };
}

function describeRelease({ assets, ...release }: ServedRelease, url: string): object {
  const upload = `${url}/repos/somebody/packets/releases/${release.id}/assets{?name,label}`;
  const own = { assets: assets.map(describeReleaseAsset), upload_url: upload };
  return { ...api['x-example-release'], ...release, ...own };
}

function describeReleaseAsset({ id, name, content }: ServedRelease['assets'][number]): object {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { ...api['x-example-release-asset'], id, name, size: content.length, digest };
}

function describeCheck({ output, ...check }: ServedCheck): object {
  const fields = { text: null, annotations_count: 0, annotations_url: 'https://github.invalid' };
  return { ...check, output: { ...output, ...fields } };
}

function findOperation(method: string, pathname: string) {
  for (const [template, methods] of Object.entries(api.paths)) {
    const operation = methods[method.toLowerCase()];
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname);
    if (operation === undefined || values === null) continue;
    return { operation, path: Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? ''])) };
  }
  return undefined;
}

function checkRequest(
  operation: Operation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
  body: unknown,
): string[] {
  const parameters = (operation.parameters ?? []).map((each) =>
    '$ref' in each ? (api.components.parameters[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
  );
  const wrong: string[] = [];
  const given = [...Object.entries(path), ...query.entries()];
  for (const [name, text] of given) {
    const parameter = parameters.find((each) => each.name === name);
    if (parameter === undefined) {
      wrong.push(`unknown parameter ${name}`);
      continue;
    }
    const value = parameter.schema.type === 'integer' ? Number(text) : text;
    const check = compile(parameter.schema);
    if (!check(value)) wrong.push(`${name}: ${ajv.errorsText(check.errors)}`);
  }
  for (const { name, required } of parameters) {
    if (required && !given.some(([each]) => each === name)) wrong.push(`no ${name}`);
  }
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema !== undefined) {
    const check = compile({ ...schema, additionalProperties: false });
    if (!check(body)) wrong.push(`body: ${ajv.errorsText(check.errors)}`);
    // Files may be longer than text that is shown.
    if (operation.operationId.startsWith('git/')) return wrong;
    if (JSON.stringify(body).length > 4 * 65_536 || ((body as { body?: string }).body ?? '').length > 65_536) {
      wrong.push('a body of more than 65,536 characters');
    }
  }
  return wrong;
}

/** Reads a body: parsed JSON, or a Buffer if it is no JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  if (request.headers['content-type'] === 'application/octet-stream') return content;
  return content.length === 0 ? undefined : JSON.parse(content.toString('utf8'));
}
