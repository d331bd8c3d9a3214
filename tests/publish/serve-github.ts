// `node tests/publish/serve-github.ts`: the tests' GitHub as a process, for scripts that are not TypeScript. After its
// start, each request and each command it prints a line of JSON: its address, the comments' bodies, and deviations from
// GitHub's description. A command is a line of JSON: `comments` and `checks` replace all, `readOnly` refuses writes,
// `pulls` are the open pull requests by number, `artifacts` is the folder of the artifacts of run 1, as nektos/act
// keeps them, `git` a folder of repositories, which are then served as well, and `save` a folder to which the files of
// releases (`assets/`) and of opened pull requests (`files/`) are written. It ends with its standard input.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type GitServer, serveGit } from '../history/git-remote.ts';
import { error, startGitHub, token } from './github-server.ts';

const github = await startGitHub();
let git: GitServer | undefined;
const printState = () => {
  const { url, comments, checks, violations } = github;
  const releases = github.releases.map(({ tag_name: tag, draft, assets }) => ({
    tag,
    draft,
    assets: assets.map(({ name }) => name),
  }));
  const proposals = github.proposals.map(({ title, base, files }) => ({ title, base, files: Object.keys(files) }));
  const shown = { comments: comments.map(({ body }) => body), checks, releases, proposals, violations };
  const state = { url, gitUrl: git?.url ?? '', ...shown };
  process.stdout.write(`${JSON.stringify(state)}\n`);
};
process.stdout.on('error', () => process.exit());
github.after = printState;
let artifacts = '';
github.before = (request) => {
  if (!request.endsWith('/artifacts')) return;
  const folder = join(artifacts, '1');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const served = names.map((name, index) => ({
    id: index + 1,
    name,
    run: 1,
    zip: readFileSync(join(folder, name, `${name}.zip`)),
  }));
  github.artifacts.splice(0, github.artifacts.length, ...served);
};
/** Writes files of releases and pull requests. They may be long, so they are not printed. */
function saveFiles(folder: string): void {
  const files = [
    ...github.releases.flatMap(({ assets }) => assets.map(({ name, content }) => [`assets/${name}`, content] as const)),
    ...github.proposals.flatMap(({ files }) =>
      Object.entries(files).map(([path, content]) => [`files/${path}`, content] as const),
    ),
  ];
  for (const [path, content] of files) {
    if (content === null) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
printState();

for await (const line of createInterface({ input: process.stdin })) {
  const { comments, checks, readOnly, pulls, artifacts: folder, git: repositories, save } = JSON.parse(line);
  if (save !== undefined) saveFiles(save);
  if (repositories !== undefined) git = await serveGit({ root: repositories }, { [token]: 'write' });
  if (folder !== undefined) artifacts = folder;
  if (comments !== undefined) github.comments.splice(0, github.comments.length, ...comments);
  if (checks !== undefined) github.checks.splice(0, github.checks.length, ...checks);
  if (readOnly !== undefined) {
    const refusal = { status: 403, body: error('Resource not accessible by integration') };
    github.intercept = (request) => (readOnly && /^(POST|PATCH|DELETE) \/repos/.test(request) ? refusal : undefined);
  }
  for (const [number, pull] of pulls ?? []) github.pulls.set(number, pull);
  printState();
}
process.exit();
