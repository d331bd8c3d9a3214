// Commands: `bpfgate run`.

import type { Command } from 'commander';
import { defaultOut, type GivenInputs, readInputs } from '../adapters/read-inputs.ts';
import { InputError } from '../common/errors.ts';
import { requireGate } from '../gate/prepare.ts';
import { lanes } from '../model/inputs.ts';
import { exitCodeOf } from '../report/gate-verdict.ts';
import {
  addProjectOptions,
  auditOption,
  type Format,
  formatOption,
  freshOption,
  kernelSelectors,
  runnerOption,
  sayDetected,
  sayLeftOut,
} from './options.ts';
import { context, type GuestOptions, guestsWith } from './session.ts';
import { conclude, gate } from './show-run.ts';

interface RunOptions extends GivenInputs, GuestOptions {
  readonly format: Format;
  readonly timeout?: number;
}

export function addRun(program: Command): void {
  const command = program
    .command('run')
    .description('compare a project with its base on pinned kernels; exit 1 when something regressed');
  addProjectOptions(command)
    .option('--base <ref>', 'revision to compare with (default: merge-base with the default branch)')
    .option('--head <ref>', 'revision to judge (default: the working tree)')
    .option(
      '--base-objects <list>',
      'BPF objects to compare with --head-objects, in the place of a project: paths, or globs in quotes',
    )
    .option(
      '--head-objects <list>',
      'BPF objects to judge; each is compared with the one at the same path below its glob, one file with one file',
    )
    .option('--against <kernel>', 'compare the other kernels with this one, by the objects of --head-objects')
    .option('--kernels <list>', `${kernelSelectors} (default: from bpfgate.toml)`)
    .option('--lanes <list>', `lanes to measure, of ${lanes.join(', ')} (default: from bpfgate.toml)`)
    .option('--bench <list>', 'benches to measure, by name (default: all)')
    .option('--shard <index/count>', 'measure this part of the benches only, such as 2/3 (default: all)')
    .option('--out <dir>', `folder for report.html, report.md and results.json (default: ${defaultOut})`)
    .addOption(runnerOption())
    .addOption(freshOption)
    .addOption(auditOption)
    .addOption(formatOption)
    .action(async (options: RunOptions) => {
      const { format, timeout } = options;
      const inputs = await readInputs(options);
      sayDetected(inputs);
      if (format === 'veristat' && !inputs.lanes.includes('verifier')) {
        throw new InputError('--format veristat prints the verifier lane, which is not measured', {
          hint: 'add verifier to --lanes, or to lanes in bpfgate.toml',
        });
      }
      sayLeftOut(inputs.kernels, '--kernels');
      const tools = await requireGate(inputs, context);
      const guests = guestsWith(tools, options);
      const run = await gate(inputs, guests, { kernelTimeoutMs: timeout && timeout * 1000 });
      await conclude(run, format, inputs.out);
      process.exitCode = exitCodeOf(run.results);
    });
}
