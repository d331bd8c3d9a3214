// Exactness: makes repositories of the programs that are compared.

import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { commitAll } from '../repository.ts';

/** Makes a repository whose tags `base` and `head` differ by one instruction in each program. */
export async function makeInjected(folder: string): Promise<string> {
  const project = await copyProject('exactness/injected', folder);
  for (const [tag, extra] of [
    ['base', 0],
    ['head', 1],
  ] as const) {
    await writeFile(join(project, 'extra.h'), `#define EXTRA ${extra}\n`);
    await commitAll(project, tag);
  }
  return project;
}

/** Makes a repository with the programs of varying/, in one commit with the tag `base`. */
export async function makeVarying(folder: string): Promise<string> {
  const project = await copyProject('varying-counts/varying', folder);
  await commitAll(project, 'base');
  return project;
}

async function copyProject(source: string, folder: string): Promise<string> {
  const project = join(folder, basename(source));
  await cp(join(packageRoot, 'evidence', source), project, { recursive: true });
  await cp(join(packageRoot, 'evidence', 'raw-program.h'), join(project, 'raw-program.h'));
  return project;
}
