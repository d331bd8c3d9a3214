// Publish: artifacts that this job leaves for others of its run. The runner gives a step the means for that; no token
// of the workflow is used.

import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { runnerFolder, runnerLog } from '../adapters/runner.ts';
import { withTemporaryFolder } from '../adapters/temporary-folder.ts';
import { walkTree } from '../adapters/walk-tree.ts';
import { type GateError, InputError, MachineError } from '../common/errors.ts';
import { publishFailure } from './write-outputs.ts';

/** Names that GitHub and file systems allow. */
const allowedName = /^[^\p{Cc}":<>|*?\\/]{1,200}$/u;

/** @throws InputError when no artifact can have that name */
export function requireArtifactName(name: string, input: string): void {
  if (allowedName.test(name)) return;
  throw new InputError(`input ${input}: ${JSON.stringify(name)} is no name for an artifact`, {
    hint: 'leave out control characters and any of " : < > | * ? \\ /',
  });
}

/**
 * Uploads every file below a folder.
 *
 * @returns the artifact's number; null if GitHub gave it none
 * @throws InputError when another job of the run has left one of that name; an earlier attempt of this job does not
 * matter
 * @throws MachineError when GitHub does not accept it
 */
async function uploadArtifact(name: string, folder: string, log: Log): Promise<number | null> {
  const files: string[] = [];
  for await (const path of walkTree(folder, new Set())) files.push(join(folder, path));
  // A large library, which few commands need.
  const { DefaultArtifactClient } = await import('@actions/artifact');
  try {
    const { id, size } = await new DefaultArtifactClient().uploadArtifact(name, files, folder);
    log.progress(`artifact \`${name}\`: ${files.length} files, ${size} bytes`);
    return id ?? null;
  } catch (cause) {
    const { message } = cause as Error;
    if (/\(409\)|already exists/.test(message)) {
      throw new InputError(`another job of this run has left artifact \`${name}\` already`, {
        cause,
        hint: 'give each job a name of its own, such as one with all that its matrix varies',
      });
    }
    throw new MachineError(`cannot upload artifact \`${name}\`: ${message}`, {
      cause,
      hint: 'run the job again; outside of GitHub’s runners leave input artifact-name empty',
    });
  }
}

/** The outcome of an upload that may fail without an error, because the rest still has to be reported. */
export interface Upload {
  /** The artifact's number; null if there is none. */
  readonly artifact: number | null;
  /** Why there is none although one was wanted. */
  readonly problem: string | null;
}

/** Uploads like `uploadArtifact`; without a name nothing is uploaded. */
export async function tryUpload(name: string | undefined, folder: string): Promise<Upload> {
  if (name === undefined) return { artifact: null, problem: null };
  try {
    return { artifact: await uploadArtifact(name, folder, runnerLog), problem: null };
  } catch (error) {
    return { artifact: null, problem: (error as Error).message };
  }
}

/** Uploads why there is no result, for the job that joins. */
export async function uploadFailure(name: string, error: GateError, kernels: readonly string[]): Promise<void> {
  await withTemporaryFolder(join(runnerFolder(), 'bpfgate-error-'), async (folder) => {
    await publishFailure(error, kernels, folder);
    await uploadArtifact(name, folder, runnerLog);
  });
}
