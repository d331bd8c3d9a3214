// The cache that every fault begins with: two kernels, and a gate's other entries made by undisturbed gates.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GateProcess } from './gate-process.ts';
import { fingerprintEntries, type Prepared } from './inject-fault.ts';
import { makeSandbox, seedCache } from './sandbox.ts';

/** @param folder a path where nothing exists yet */
export async function prepareCache(folder: string): Promise<Prepared> {
  mkdirSync(folder);
  const sandbox = makeSandbox(folder);
  // Fetched into the machine's own cache, as in every other test.
  const machine = { BPFGATE_CACHE: process.env.BPFGATE_CACHE };
  const fetched = await new GateProcess(sandbox, ['kernels', 'fetch', '6.1', '6.12'], { environment: machine }).ended;
  if (fetched.code !== 0) throw new Error(`cannot fetch the kernels:\n${fetched.stderr}`);
  // Also builds the agent there, if it is missing.
  const exec = ['exec', '--kernel', '6.1', '--icount', '--', 'true'];
  const tried = await new GateProcess(sandbox, exec, { environment: machine }).ended;
  if (tried.code !== 0) throw new Error(`cannot boot a kernel:\n${tried.stderr}`);
  const images = fetched.stdout.split('\n').flatMap((line) => line.split(' ')[2] ?? []);
  seedCache(sandbox.cache, images);
  const ended = await GateProcess.run(sandbox, { kernels: '6.1,6.12', options: ['--head', 'base'] }).ended;
  if (ended.code !== 0) throw new Error(`the undisturbed gate exits with ${ended.code}:\n${ended.stderr}`);
  // These belong to another repository, at another path.
  for (const kind of ['builds', 'counts']) rmSync(join(sandbox.cache, kind), { recursive: true });
  // Anything else that gates leave would be here; vmtest's sockets are elsewhere.
  const left = readdirSync(sandbox.temporary);
  if (left.length > 0) throw new Error(`the undisturbed gate leaves ${left.join(', ')}`);
  return { cache: sandbox.cache, entries: fingerprintEntries(sandbox.cache) };
}
