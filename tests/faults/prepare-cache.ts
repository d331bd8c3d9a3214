// The cache that every fault begins with: two kernels, and a gate's other entries made by undisturbed gates.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GateProcess } from './gate-process.ts';
import { fingerprintEntries, type Prepared } from './inject-fault.ts';
import { makeSandbox, seedCache } from './sandbox.ts';

/** @param folder where there is nothing yet */
export async function prepareCache(folder: string): Promise<Prepared> {
  mkdirSync(folder);
  const sandbox = makeSandbox(folder);
  // Into the machine's own cache, as every other test does.
  const machine = { BPFGATE_CACHE: process.env.BPFGATE_CACHE };
  const fetched = await new GateProcess(sandbox, ['kernels', 'fetch', '6.1', '6.12'], { environment: machine }).ended;
  if (fetched.code !== 0) throw new Error(`cannot fetch the kernels:\n${fetched.stderr}`);
  // Builds the agent there, too, if it is not.
  const exec = ['exec', '--kernel', '6.1', '--icount', '--', 'true'];
  const tried = await new GateProcess(sandbox, exec, { environment: machine }).ended;
  if (tried.code !== 0) throw new Error(`cannot boot a kernel:\n${tried.stderr}`);
  const images = fetched.stdout.split('\n').flatMap((line) => line.split(' ')[2] ?? []);
  seedCache(sandbox.cache, images);
  const ended = await GateProcess.run(sandbox, { kernels: '6.1,6.12', options: ['--head', 'base'] }).ended;
  if (ended.code !== 0) throw new Error(`the undisturbed gate exits with ${ended.code}:\n${ended.stderr}`);
  // Of another repository, at another path.
  for (const kind of ['builds', 'counts']) rmSync(join(sandbox.cache, kind), { recursive: true });
  // vmtest's sockets are elsewhere; here is what else gates leave, if they leave something.
  const left = readdirSync(sandbox.temporary);
  if (left.length > 0) throw new Error(`the undisturbed gate leaves ${left.join(', ')}`);
  return { cache: sandbox.cache, entries: fingerprintEntries(sandbox.cache) };
}
