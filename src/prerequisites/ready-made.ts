// Prerequisites: programs that a release of bpfgate has ready-made, so that they need not be compiled.

import { hashAgentSources } from '../adapters/agent-source.ts';
import { obtainReadyMade, type ReadyMadeOptions } from '../cache/ready-made.ts';
import { vmtest } from './prerequisite.ts';

/**
 * Fetches what a release has: the guest agent and vmtest. Later checks for missing prerequisites find them.
 *
 * @throws MachineError when the cache cannot be written
 */
export async function takeReadyMade(options: ReadyMadeOptions): Promise<void> {
  await Promise.all([
    obtainReadyMade('vmtest', vmtest.sha256, options),
    obtainReadyMade('bpfgate-agent', await hashAgentSources(), options),
  ]);
}
