// Exactness: makes repositories of the programs that are compared.

import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { commitAll } from '../repository.ts';

/** Makes a repository whose tags `base` and `head` differ by one instruction in each program. */
export async function makeInjected(folder: string): Promise<string> {
  return await makeProject(folder, 'exactness/injected', 'extra.h', {
    base: '#define EXTRA 0\n',
    head: '#define EXTRA 1\n',
  });
}

/** What the programs of varying/ can have more. */
const more = ['nothing', 'instruction', 'call'] as const;

/**
 * Makes a repository with the programs of varying/. The commits after `base` draw other random numbers: each of `rounds`
 * has the same programs, two have an instruction and a call more in each.
 *
 * @returns also what the programs of each of them have more, by its tag
 */
export async function makeVarying(folder: string, rounds: number) {
  const kinds = [...Array<'nothing'>(rounds).fill('nothing'), 'instruction', 'call'] as const;
  const heads = kinds.map((kind, index) => ({ tag: `${kind}-${index + 1}`, more: kind }));
  const extras = heads.map(({ tag, more: kind }, index) => [tag, `${3 * (index + 1) + more.indexOf(kind)}\n`]);
  const texts = { base: '0\n', ...Object.fromEntries(extras) };
  return { project: await makeProject(folder, 'varying-counts/varying', 'aya-log-ebpf/src/extra', texts), heads };
}

/** Commits a copy of a folder below evidence/ under each tag, with another text in one file. */
async function makeProject(folder: string, source: string, file: string, texts: Readonly<Record<string, string>>) {
  const project = join(folder, basename(source));
  await cp(join(packageRoot, 'evidence', source), project, { recursive: true });
  await cp(join(packageRoot, 'evidence', 'raw-program.h'), join(project, 'raw-program.h'));
  for (const [tag, text] of Object.entries(texts)) {
    await writeFile(join(project, file), text);
    await commitAll(project, tag);
  }
  return project;
}
