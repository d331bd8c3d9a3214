// A project under git with a base and a head, and the gate run on it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import type { GuestRun } from '../../src/vm/guest-run.ts';
import { bpfgate, type Outcome } from './bpfgate.ts';

export interface Gated {
  readonly outcome: Outcome;
  readonly results: Results;
  /** Every raw record, one run for each kernel. */
  readonly guestRuns: readonly GuestRun[];
}

/** What head has in the place of what stands in a file of base. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Commits a copy of a folder and a `bpfgate.toml` as `base`, and the same with one edit as `head`.
 *
 * @param folder an empty one, to put it below
 * @param from what to copy, without what git ignores there
 */
export function makeProject(folder: string, from: string, toml: string, edit: Edit): string {
  const project = join(folder, 'project');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@bpfgate.invalid', ...args], { cwd: project });
  const commit = (tag: string) => {
    git('add', '--all');
    git('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', tag);
    git('tag', tag);
  };
  mkdirSync(project);
  cpSync(from, project, { recursive: true });
  writeFileSync(join(project, 'bpfgate.toml'), toml);
  git('init', '--quiet', '--initial-branch=main');
  commit('base');
  const file = join(project, edit.file);
  const before = readFileSync(file, 'utf8');
  if (before.split(edit.from).length !== 2) throw new Error(`${edit.file} does not have "${edit.from}" once`);
  writeFileSync(file, before.replace(edit.from, edit.to));
  commit('head');
  return project;
}

/** Runs the gate on `base` and `head`; results that were not written are an error that shows what bpfgate said. */
export async function gate(project: string, kernels: string): Promise<Gated> {
  const out = join(project, '..', 'out');
  const revisions = ['--base', 'base', '--head', 'head'];
  const options = [...revisions, '--kernels', kernels, '--lanes', 'instructions', '--out', out];
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
