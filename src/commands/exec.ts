// Commands: `bpfgate exec`.

import { once } from 'node:events';
import type { Command } from 'commander';
import { InputError } from '../common/errors.ts';
import { cachedKernel } from '../kernels/cached.ts';
import { fetchKernel } from '../kernels/fetch.ts';
import { isInRpm } from '../kernels/own/find.ts';
import { type Runner, runners } from '../model/inputs.ts';
import { findingEnvironment } from '../prerequisites/check.ts';
import { guestDemands, rpmDemands } from '../prerequisites/gate-needs.ts';
import { requirePrerequisites } from '../prerequisites/prerequisites.ts';
import { execInGuest, requireCommand } from '../vm/exec-in-guest.ts';
import { defaultMemoryMiB } from '../vm/guest.ts';
import { listMissing } from '../vm/programs.ts';
import { renderTiming } from '../vm/timing.ts';
import { chooseGivenKernels } from './choose-kernels.ts';
import { parseTimeout, runnerOption, snapshotOption } from './options.ts';
import { context, guestsWith, log } from './session.ts';

/** Unread bytes of a command's output above which it has to wait. */
const maxUntaken = 16 * 1024 * 1024;

interface ExecOptions {
  readonly kernel: string;
  readonly timeout: number;
  readonly icount?: boolean;
  readonly timing?: boolean;
  readonly snapshot: boolean;
  readonly runner: Runner;
}

export function addExec(program: Command): void {
  program
    .command('exec')
    .description("boot one kernel and run a command in it; exits with the command's own code")
    .requiredOption('--kernel <selector>', 'the kernel')
    .option('--timeout <seconds>', 'time limit, boot included', parseTimeout, 1800)
    .addOption(runnerOption().default(runners[0]))
    .option('--icount', 'count instructions as the gate does: a nanosecond of the guest is one')
    .option('--timing', 'also print how long each stage of the boot took, on stderr')
    .addOption(snapshotOption)
    .argument('<command...>', 'the command and its arguments, after --')
    .action(async (argv: string[], options: ExecOptions) => {
      requireCommand(argv, options.kernel);
      const pins = await chooseGivenKernels([options.kernel], '--kernel');
      const [pin] = pins;
      if (pin === undefined || pins.length > 1) {
        throw new InputError(
          `--kernel ${options.kernel} selects ${pins.map(({ id }) => id).join(', ')}; exec boots exactly one`,
          { hint: 'give the id of one of them' },
        );
      }
      const { cache, environment } = context;
      const finding = { cache, environment: findingEnvironment(environment) };
      const programsToBuild = await listMissing(['bpfgate-agent'], finding);
      const isToUnpack = isInRpm(pin) && cachedKernel(pin, cache) === undefined;
      const demands = [
        ...guestDemands({ programsToBuild, runner: options.runner }),
        ...rpmDemands(isToUnpack ? [pin.id] : []),
      ];
      const tools = await requirePrerequisites(demands, {
        cache,
        // Needed by a bench's commands.
        optional: ['rust-bpf', 'cargo-criterion'],
      });
      const kernel = await fetchKernel(pin, context);
      process.exitCode = await execInGuest(
        {
          kernel,
          argv,
          cwd: process.cwd(),
          memoryMiB: defaultMemoryMiB,
          icount: options.icount === true,
          timeoutMs: options.timeout * 1000,
          onStdout: (chunk) => {
            log.clear();
            process.stdout.write(chunk);
          },
          onStderr: (chunk) => {
            log.clear();
            process.stderr.write(chunk);
          },
          // A reader may wait, such as a pager: a gigabyte then stays on the disk and not in memory.
          untilTaken: (stream) =>
            process[stream].writableLength > maxUntaken ? once(process[stream], 'drain') : undefined,
          onTiming: (times) => {
            log.clear();
            if (options.timing === true) process.stderr.write(`${renderTiming(times)}\n`);
          },
        },
        { ...guestsWith(tools, options), runner: options.runner },
      );
    });
}
