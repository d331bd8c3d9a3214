// Sandbox: chooses the sandbox for builds on this machine, the first that works when it is tried.

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runIfPossible } from '../adapters/process.ts';
import { withTemporaryFolder } from '../adapters/temporary-folder.ts';
import { MachineError } from '../common/errors.ts';
import type { SandboxPolicy } from '../model/inputs.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { landlockRemedy } from '../prerequisites/landlock.ts';
import { bubblewrap } from './bubblewrap.ts';
import { landlockSandbox, ownNamespaces } from './landlock-sandbox.ts';
import type { Sandbox, SandboxChoice } from './sandbox.ts';

export interface SandboxRequest {
  readonly policy: SandboxPolicy;
  /** Environment in which programs are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** What may be read, from `findReadable`. */
  readonly read: readonly string[];
  /** Returns the absolute path of the guest agent; compiles it if necessary. */
  readonly agent: () => Promise<string>;
  readonly signal?: AbortSignal | undefined;
}

const trialMs = 30_000;

/** @throws MachineError where a sandbox is required and there is none, with what was tried */
export async function chooseSandbox(request: SandboxRequest): Promise<SandboxChoice> {
  if (request.policy === 'off') return { sandbox: undefined, reasons: ['it is switched off'] };
  const reasons: string[] = [];
  for (const find of [findBubblewrap, findLandlock]) {
    const found = await find(request);
    reasons.push(...found.reasons);
    if (found.sandbox !== undefined) return { sandbox: found.sandbox, reasons };
  }
  if (request.policy === 'auto') return { sandbox: undefined, reasons };
  throw new MachineError(`there is no sandbox for builds, and one is required: ${reasons.join('; ')}`, {
    hint: 'install bubblewrap (`apt-get install bubblewrap`), or build in a guest: `where = "guest"`',
  });
}

/** Describes what protects builds on this machine, in one line. It compiles nothing to find out. */
export async function describeSandbox(environment: NodeJS.ProcessEnv, read: readonly string[]): Promise<string> {
  const { sandbox, reasons } = await findBubblewrap({ environment, read });
  if (sandbox !== undefined) return `builds on this host run in a sandbox: ${sandbox.name}`;
  return `builds on this host run in a sandbox by Landlock where the kernel has that, else in none: ${reasons.join('; ')}`;
}

type Trial = Pick<SandboxRequest, 'environment' | 'read' | 'signal'>;

async function findBubblewrap(request: Trial): Promise<SandboxChoice> {
  const { environment } = request;
  const program = await findExecutable('bwrap', environment);
  if (program === undefined) return { sandbox: undefined, reasons: ['bubblewrap is not installed'] };
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const direct = bubblewrap(program, undefined, user);
  const problem = await tryOut(direct, request);
  if (problem === undefined) return { sandbox: direct, reasons: [] };
  const reasons = [`bubblewrap does not work here: ${problem}`];
  // Where users may not make namespaces, as on Ubuntu 24.04, root may.
  const sudo = user.uid === 0 ? undefined : await findExecutable('sudo', environment);
  if (sudo === undefined) return { sandbox: undefined, reasons };
  const bySudo = bubblewrap(program, sudo, user);
  const sudoProblem = await tryOut(bySudo, request);
  if (sudoProblem === undefined) return { sandbox: bySudo, reasons: [] };
  return { sandbox: undefined, reasons: [...reasons, `nor by sudo: ${sudoProblem}`] };
}

async function findLandlock(request: SandboxRequest): Promise<SandboxChoice> {
  const agent = await request.agent();
  const version = Number((await run(agent, ['landlock'])).stdout.trim());
  if (!(version > 0)) {
    return { sandbox: undefined, reasons: [`the kernel has no Landlock (${landlockRemedy})`] };
  }
  const [file = '', ...args] = [...ownNamespaces, 'true'];
  const hasNamespaces = (await runIfPossible(file, args, { timeoutMs: trialMs }))?.exitCode === 0;
  const sandbox = landlockSandbox(agent, hasNamespaces);
  const problem = await tryOut(sandbox, request);
  if (problem !== undefined) return { sandbox: undefined, reasons: [`Landlock does not work here: ${problem}`] };
  return { sandbox, reasons: hasNamespaces ? [] : ['users may not make namespaces here'] };
}

/** Runs a trivial command; returns why it failed. */
async function tryOut(sandbox: Sandbox, { environment, read, signal }: Trial): Promise<string | undefined> {
  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-sandbox-'), async (folder) => {
    const [write = '', home = '', temporary = ''] = ['tree', 'home', 'tmp'].map((name) => join(folder, name));
    for (const path of [write, home, temporary]) await mkdir(path);
    const { PATH = '', HOME = '/' } = environment;
    const view = { read, write, home, temporary, cwd: write, variables: { PATH, HOME } };
    const end = await sandbox.run('touch done', view, { timeoutMs: trialMs, signal });
    if (end.exitCode === 0) return undefined;
    return end.stderr.trim().split('\n').at(-1) || `exit code ${end.exitCode}`;
  });
}
