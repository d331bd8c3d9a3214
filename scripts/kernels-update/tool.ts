// Kernel updates: runs the programs they need. The error for a missing program names its package.

import { type RunOptions, type RunResult, run } from '../../src/adapters/process.ts';
import { MachineError } from '../../src/common/errors.ts';

/** Package of Debian and Ubuntu that contains the program. */
const packages = { gpgv: 'gpgv', xz: 'xz-utils', dpkg: 'dpkg', diff: 'diffutils' } as const;

/**
 * Runs a program to its end, even if it fails.
 *
 * @throws MachineError naming the package to install when the program is missing
 */
export async function runTool(
  tool: keyof typeof packages,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  try {
    return await run(tool, args, options);
  } catch (error) {
    if (!(error instanceof MachineError)) throw error;
    throw new MachineError(`npm run kernels:update needs ${tool}, which is missing`, {
      cause: error,
      hint: `apt-get install ${packages[tool]}`,
    });
  }
}
