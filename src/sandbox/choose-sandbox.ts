// Sandbox: finds the sandbox for builds on this machine, and tries whether it works.

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTemporaryFolder } from '../adapters/temporary-folder.ts';
import { MachineError } from '../common/errors.ts';
import type { SandboxPolicy } from '../model/inputs.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { bubblewrap } from './bubblewrap.ts';
import type { Sandbox, SandboxChoice } from './sandbox.ts';

export interface SandboxRequest {
  readonly policy: SandboxPolicy;
  /** Whether the project's builds have a network. */
  readonly network: boolean;
  /** Environment in which programs are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** What may be read, from `findReadable`. */
  readonly read: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const trialMs = 30_000;
const installBubblewrap = 'install bubblewrap (`apt-get install bubblewrap`)';
const connectIt =
  'install slirp4netns (`apt-get install slirp4netns iproute2`) and let this user open /dev/net/tun (`chmod 0666 /dev/net/tun`), or remove `network = true` from [build]';

/**
 * @throws MachineError where a sandbox is required and there is none, or it cannot have the network that the project asks
 * for: no project is built without a sandbox because it asks for a network
 */
export async function chooseSandbox(request: SandboxRequest): Promise<SandboxChoice> {
  if (request.policy === 'off') return { sandbox: undefined, reason: 'it is switched off' };
  const { policy, network } = request;
  const choice = await findSandbox(request, network);
  if (choice.sandbox !== undefined) return choice;
  const plain = network ? await findSandbox(request, false) : choice;
  if (plain.sandbox !== undefined) {
    throw new MachineError(`the sandbox for builds has no network, for which bpfgate.toml asks: ${choice.reason}`, {
      hint: connectIt,
    });
  }
  if (policy === 'auto') return plain;
  throw new MachineError(`there is no sandbox for builds, and one is required: ${plain.reason}`, {
    hint: `${installBubblewrap}, or build in a guest: \`where = "guest"\``,
  });
}

/** Describes what protects builds on this machine, in one line. */
export async function describeSandbox(environment: NodeJS.ProcessEnv, read: readonly string[]): Promise<string> {
  const choice = await findSandbox({ environment, read }, false);
  return choice.sandbox === undefined
    ? `builds on this host run without a sandbox: ${choice.reason}; ${installBubblewrap}`
    : `builds on this host run in a sandbox: ${choice.sandbox.name}`;
}

type Trial = Pick<SandboxRequest, 'environment' | 'read' | 'signal'>;

/** @param network whether it has to give builds a network */
async function findSandbox(request: Trial, network: boolean): Promise<SandboxChoice> {
  const { environment } = request;
  const program = await findExecutable('bwrap', environment);
  if (program === undefined) return { sandbox: undefined, reason: 'bubblewrap is not installed' };
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const direct = bubblewrap(program, undefined, user);
  const problem = await tryOut(direct, request, network);
  if (problem === undefined) return { sandbox: direct };
  const reason = `bubblewrap does not work here: ${problem}`;
  // Root may what users may not: make namespaces, as on Ubuntu 24.04, or open /dev/net/tun.
  const sudo = user.uid === 0 ? undefined : await findExecutable('sudo', environment);
  if (sudo === undefined) return { sandbox: undefined, reason };
  const bySudo = bubblewrap(program, sudo, user);
  const sudoProblem = await tryOut(bySudo, request, network);
  if (sudoProblem === undefined) return { sandbox: bySudo };
  return { sandbox: undefined, reason: `${reason}; nor by sudo: ${sudoProblem}` };
}

/** Runs a trivial command; returns why it failed. */
async function tryOut(
  sandbox: Sandbox,
  { environment, read, signal }: Trial,
  network: boolean,
): Promise<string | undefined> {
  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-sandbox-'), async (folder) => {
    const [write = '', home = '', temporary = ''] = ['tree', 'home', 'tmp'].map((name) => join(folder, name));
    for (const path of [write, home, temporary]) await mkdir(path);
    const { PATH = '', HOME = '/' } = environment;
    const view = { read, write, home, temporary, cwd: write, network, variables: { PATH, HOME } };
    const end = await sandbox.run('touch done', view, { timeoutMs: trialMs, signal });
    if (end.exitCode === 0) return undefined;
    return end.stderr.trim().split('\n').at(-1) || `exit code ${end.exitCode}`;
  });
}
