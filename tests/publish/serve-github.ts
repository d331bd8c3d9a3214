// `node tests/publish/serve-github.ts`: the tests' GitHub as a process, for scripts that are no TypeScript. After its
// start and after each request it prints a line of JSON: its address, the comments' bodies, and what was not as GitHub
// describes it. It ends with its standard output.

import { startGitHub } from './github-server.ts';

const github = await startGitHub();
const tell = () => {
  const { url, comments, violations } = github;
  process.stdout.write(`${JSON.stringify({ url, comments: comments.map(({ body }) => body), violations })}\n`);
};
process.stdout.on('error', () => process.exit());
github.after = tell;
tell();
