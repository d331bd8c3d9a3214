// Repositories of the projects that are measured.

import { runOrThrow } from '../src/adapters/process.ts';

/** Commits everything in a project, and tags that. Makes the repository if there is none. */
export async function commitAll(project: string, tag: string): Promise<void> {
  const who = ['-c', 'user.name=bpfgate', '-c', 'user.email=evidence@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) => runOrThrow('git', [...who, ...args], { cwd: project });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', tag);
  await git('tag', '--force', tag);
}
