// Source kernels: the programs whose version shows in a kernel's bytes.

import { runOrThrow } from '../../adapters/process.ts';
import { MachineError } from '../../common/errors.ts';
import { findVersion, isAtLeast } from '../../prerequisites/versions.ts';

/** First line that each program prints as its version. */
export interface Toolchain {
  /** `gcc (Debian 12.2.0-14) 12.2.0` */
  readonly compiler: string;
  readonly linker: string;
  readonly pahole: string;
  /** Compresses the image. */
  readonly gzip: string;
}

/** The first version that can leave out what kernels before 6.0 cannot read. */
const oldestPahole = '1.24';

/**
 * @param environment its PATH leads to the programs
 * @throws MachineError when one is missing or too old
 */
export async function readToolchain(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Toolchain> {
  const version = async (program: string) => {
    const output = await runOrThrow(program, ['--version'], { env: environment, signal, timeoutMs: 30_000 });
    return output.split('\n')[0]?.trim() ?? '';
  };
  const [compiler, linker, pahole, gzip] = await Promise.all(['gcc', 'ld', 'pahole', 'gzip'].map(version));
  if (!isAtLeast(findVersion((pahole ?? '').replace(/^v/, '')) ?? '0', oldestPahole)) {
    throw new MachineError(`pahole ${pahole} is too old to build kernels; ${oldestPahole} is needed`, {
      hint: 'install a newer dwarves package',
    });
  }
  return { compiler: compiler ?? '', linker: linker ?? '', pahole: pahole ?? '', gzip: gzip ?? '' };
}
