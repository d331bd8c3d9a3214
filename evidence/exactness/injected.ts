// Exactness: makes repositories of the programs that are compared.

import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';

/** Makes a repository whose tags `base` and `head` differ by one instruction in each program. */
export async function makeInjected(folder: string): Promise<string> {
  const project = await copyProject('exactness/injected', folder);
  for (const [tag, extra] of [
    ['base', 0],
    ['head', 1],
  ] as const) {
    await writeFile(join(project, 'extra.h'), `#define EXTRA ${extra}\n`);
    await commit(project, tag);
  }
  return project;
}

/** Makes a repository with the programs of varying/, in one commit with the tag `base`. */
export async function makeVarying(folder: string): Promise<string> {
  const project = await copyProject('varying-counts/varying', folder);
  await commit(project, 'base');
  return project;
}

async function copyProject(source: string, folder: string): Promise<string> {
  const project = join(folder, basename(source));
  await cp(join(packageRoot, 'evidence', source), project, { recursive: true });
  await cp(join(packageRoot, 'evidence', 'raw-program.h'), join(project, 'raw-program.h'));
  await runOrThrow('git', ['init', '--quiet', '--initial-branch=main'], { cwd: project });
  return project;
}

async function commit(project: string, tag: string): Promise<void> {
  const who = ['-c', 'user.name=bpfgate', '-c', 'user.email=exactness@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['add', '--all'],
    ['commit', '--quiet', '--message', tag],
    ['tag', tag],
  ])
    await runOrThrow('git', [...who, ...args], { cwd: project });
}
