// A project under git with a base and a head, and the gate run on it.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GuestRun } from '../../src/model/guest-run.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, type Outcome } from './bpfgate.ts';

export interface Gated {
  readonly outcome: Outcome;
  readonly results: Results;
  /** Every raw record, one run for each kernel. */
  readonly guestRuns: readonly GuestRun[];
}

/** A replacement of text in one file, which turns base into head. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Writes files into a project and commits everything there. Creates the repository if there is none. */
export function commit(project: string, tag: string, files: Readonly<Record<string, string | Uint8Array>> = {}): void {
  const who = ['-c', 'user.name=e2e', '-c', 'user.email=e2e@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: project });
  mkdirSync(project, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  if (!existsSync(join(project, '.git'))) git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', tag);
  git('tag', tag);
}

/**
 * Commits a copy of a folder and a `bpfgate.toml` as `base`, and the same with one edit as `head`.
 *
 * @param folder an empty folder, in which the project is made
 * @param from the folder to copy, except what git ignores in it
 */
export function makeProject(folder: string, from: string, toml: string, edit: Edit): string {
  const project = join(folder, 'project');
  cpSync(from, project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': toml });
  const before = readFileSync(join(project, edit.file), 'utf8');
  if (before.split(edit.from).length !== 2) throw new Error(`${edit.file} does not have "${edit.from}" once`);
  commit(project, 'head', { [edit.file]: before.replace(edit.from, edit.to) });
  return project;
}

/** Runs the gate on `base` and `head`. @throws Error with bpfgate's output if no results were written */
export async function gate(project: string, kernels: string, ...more: string[]): Promise<Gated> {
  const out = join(project, '..', 'out');
  const revisions = ['--base', 'base', '--head', 'head'];
  const options = [...revisions, '--kernels', kernels, '--lanes', 'instructions', '--out', out, ...more];
  const outcome = await bpfgate(['run', '--project', project, ...options]);
  const read = (name: string) => {
    try {
      return readFileSync(join(out, name), 'utf8');
    } catch {
      throw new Error(`no ${name}; exit code ${outcome.code}\n${outcome.stderr}`);
    }
  };
  return {
    outcome,
    results: parseResults(read('results.json'), 'results.json'),
    guestRuns: JSON.parse(read('stages/guest-runs.json')) as readonly GuestRun[],
  };
}
