// `node tests/publish/serve-github.ts`: the tests' GitHub as a process, for scripts that are no TypeScript. After its
// start, each request and each command it prints a line of JSON: its address, the comments' bodies, and what was not as
// GitHub describes it. A command is a line of JSON: `comments` replaces them all, `readOnly` refuses what would write,
// `pulls` are the open pull requests by number. It ends with its standard input.

import { createInterface } from 'node:readline';
import { error, startGitHub } from './github-server.ts';

const github = await startGitHub();
const tell = () => {
  const { url, comments, violations } = github;
  process.stdout.write(`${JSON.stringify({ url, comments: comments.map(({ body }) => body), violations })}\n`);
};
process.stdout.on('error', () => process.exit());
github.after = tell;
tell();

for await (const line of createInterface({ input: process.stdin })) {
  const { comments, readOnly, pulls } = JSON.parse(line);
  if (comments !== undefined) github.comments.splice(0, github.comments.length, ...comments);
  if (readOnly !== undefined) {
    const refusal = { status: 403, body: error('Resource not accessible by integration') };
    github.intercept = (request) => (readOnly && /^(POST|PATCH|DELETE) \/repos/.test(request) ? refusal : undefined);
  }
  for (const [number, pull] of pulls ?? []) github.pulls.set(number, pull);
  tell();
}
process.exit();
