// A kernel's configuration.

import { KernelError } from '../../../src/common/errors.ts';
import { featuresOf } from '../../../src/kernels/features.ts';
import { requireConfig } from '../../../src/kernels/needs.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [KernelError],
  words: ['CONFIG_', '=y\n', '=m\n', '# CONFIG_', ' is not set\n', 'CONFIG_LSM="', 'bpf,'],
  run(input) {
    const text = input.toString('utf8');
    for (const state of Object.values(featuresOf('6.1', text))) check(['yes', 'no'].includes(state), state);
    const refusal = (hasModules: boolean, measured: boolean) => {
      try {
        requireConfig({ id: '6.1', origin: 'debian' }, text, { hasModules, measured });
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const [built, modular, toRun] = [refusal(false, true), refusal(true, true), refusal(true, false)];
    // Each requires less than the one before.
    check(built !== undefined || modular === undefined, 'a kernel needs less without its modules');
    check(modular !== undefined || toRun === undefined, 'a kernel needs less to be measured than to run');
    if (modular !== undefined) throw modular;
  },
};
