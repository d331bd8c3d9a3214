// The hundred programs of injected/, as a repository to compare.

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';

/** A repository whose tags `base` and `head` differ by one instruction in each program. */
export async function makeInjected(folder: string): Promise<string> {
  const project = join(folder, 'injected');
  await cp(join(packageRoot, 'scripts', 'exactness', 'injected'), project, { recursive: true });
  await cp(join(packageRoot, 'scripts', 'raw-program.h'), join(project, 'raw-program.h'));
  const who = ['-c', 'user.name=bpfgate', '-c', 'user.email=exactness@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) => runOrThrow('git', [...who, ...args], { cwd: project });
  await git('init', '--quiet', '--initial-branch=main');
  for (const [tag, extra] of [
    ['base', 0],
    ['head', 1],
  ] as const) {
    await writeFile(join(project, 'extra.h'), `#define EXTRA ${extra}\n`);
    await git('add', '--all');
    await git('commit', '--quiet', '--message', tag);
    await git('tag', tag);
  }
  return project;
}
