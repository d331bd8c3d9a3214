// Runs gates one after the other in one process, and checks what they leave.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findLeftovers, followSockets } from './machine.ts';
import { type Sandbox, sandboxEnvironment } from './sandbox.ts';
import { findGrowth, type GateState } from './tables.ts';

export interface GatesOutcome {
  readonly states: readonly GateState[];
  /** What has grown or is left, in words. */
  readonly problems: readonly string[];
}

/**
 * @param onState receives the state after each gate, as a line of JSON
 * @param script the program that runs the gates; default: many-gates.ts
 */
export async function runGates(
  sandbox: Sandbox,
  count: number,
  onState: (line: string) => void,
  script = join(import.meta.dirname, 'many-gates.ts'),
): Promise<GatesOutcome> {
  // vmtest puts its sockets into the system's temporary folder, not the sandbox's.
  const endSockets = followSockets(sandbox);
  const child = spawn(process.execPath, ['--expose-gc', script, String(count), sandbox.project, sandbox.out], {
    env: sandboxEnvironment(sandbox),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const states: GateState[] = [];
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    states.push(JSON.parse(line) as GateState);
    onState(line);
  }
  const grown = (await ended) === 0 ? findGrowth(states) : ['the process that runs the gates has failed'];
  return { states, problems: [...grown, ...(await findLeftovers(sandbox, endSockets()))] };
}
