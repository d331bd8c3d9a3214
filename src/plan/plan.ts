// Third stage: what will be done, decided before anything is built or booted.

import type { BenchConfig, Lane } from '../inputs/inputs.ts';
import type { KernelPin } from '../kernels/kernel.ts';

export interface Plan {
  readonly kernels: readonly KernelPin[];
  readonly lanes: readonly Lane[];
  readonly benches: readonly BenchConfig[];
}
