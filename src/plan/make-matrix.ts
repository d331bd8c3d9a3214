// Plan: the jobs of a matrix, one for each kernel and shard. Pure.

import { InputError } from '../common/errors.ts';
import { formatShard } from '../inputs/shard.ts';

/** GitHub's limit for one matrix of one run. */
export const maxJobs = 256;

/** An entry of `matrix.include`. */
export interface MatrixJob {
  /** What selects it. */
  readonly kernel: string;
  /** `2/3`; missing where one job measures all benches of the kernel. */
  readonly shard?: string;
  /** Name that an artifact can have: `5.8-source-2-of-3`. */
  readonly name: string;
}

/**
 * @param kernels ids of kernels
 * @param shards number of shards of each kernel, at least 1
 * @param paths what selects kernels in files, by their ids
 * @throws InputError when there are more jobs than GitHub starts, or two would have the same name
 */
export function makeMatrix(
  kernels: readonly string[],
  shards: number,
  paths: ReadonlyMap<string, string> = new Map(),
): MatrixJob[] {
  const jobs = kernels.length * shards;
  if (jobs > maxJobs) {
    const most = Math.floor(maxJobs / kernels.length);
    const each = shards === 1 ? '' : ` in ${shards} shards each`;
    throw new InputError(
      `${kernels.length} kernels${each} are ${jobs} jobs, and GitHub starts at most ${maxJobs} of a matrix`,
      { hint: most < 1 ? 'choose fewer kernels' : `choose fewer kernels, or at most ${most} shards` },
    );
  }
  const twin = kernels.find((id, index) => kernels.findIndex((other) => toName(other) === toName(id)) < index);
  if (twin !== undefined) {
    throw new InputError(`kernel ${twin} and another would both name their artifacts \`${toName(twin)}\``, {
      hint: 'build one of them with another CONFIG_LOCALVERSION, or measure both in a single job',
    });
  }
  return kernels.flatMap((id) => {
    const kernel = paths.get(id) ?? id;
    const name = toName(id);
    if (shards === 1) return [{ kernel, name }];
    return Array.from({ length: shards }, (_, position) => {
      const shard = { index: position + 1, count: shards };
      return { kernel, shard: formatShard(shard), name: `${name}-${shard.index}-of-${shard.count}` };
    });
  });
}

/** Returns the part of an artifact's name that a kernel is. */
function toName(id: string): string {
  return id.replaceAll(/[^\w.-]/g, '-');
}
