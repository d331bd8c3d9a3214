// Prerequisites: programs that a release of bpfgate has ready-made, so that they need not be compiled.

import { hashAgentSources } from '../adapters/agent-source.ts';
import { obtainReadyMade, type ReadyMadeOptions } from '../cache/ready-made.ts';
import { prerequisites } from './prerequisite.ts';

/**
 * Fetches what a release has: the guest agent and vmtest. Later checks for missing prerequisites find them.
 *
 * @throws MachineError when the cache cannot be written
 */
export async function takeReadyMade(options: ReadyMadeOptions): Promise<void> {
  const vmtest = prerequisites.find((each) => each.kind === 'cargo-tool' && each.name === 'vmtest');
  await Promise.all([
    vmtest?.kind === 'cargo-tool' ? obtainReadyMade('vmtest', vmtest.sha256, options) : undefined,
    obtainReadyMade('bpfgate-agent', await hashAgentSources(), options),
  ]);
}
