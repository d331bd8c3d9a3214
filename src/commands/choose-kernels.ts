// Commands: kernels that are chosen without a project's inputs.

import { locateGivenKernels } from '../adapters/locate-kernels.ts';
import { readNamedKernels } from '../adapters/read-inputs.ts';
import { isKernelName, splitSelectors } from '../inputs/own-kernels.ts';
import { chooseKernels } from '../kernels/cached.ts';
import { findOwnKernels } from '../kernels/own/find.ts';
import type { KernelPin } from '../model/kernel.ts';
import { context } from './session.ts';

/**
 * Selects kernels, also those that bpfgate.toml in the current folder names.
 *
 * @param spelled what the user gave them as, for messages: `--kernel`
 * @throws InputError as selectKernels and findOwnKernels do
 */
export async function chooseGivenKernels(selectors: readonly string[], spelled: string): Promise<KernelPin[]> {
  const located = await locateGivenKernels(selectors, spelled);
  const named = splitSelectors(located).some(isKernelName) ? await readNamedKernels('.') : [];
  return chooseKernels(located, context.cache, await findOwnKernels(located, named));
}
