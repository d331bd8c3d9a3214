// Third stage: inputs and selected kernels to a plan.

import { InputError } from '../errors.ts';
import type { BenchConfig, Inputs, Lane } from '../inputs/inputs.ts';
import { lanesOfShard, selectShard } from '../inputs/shard.ts';
import type { KernelPin } from '../kernels/kernel.ts';
import { cargoSubcommand, tuneCriterionCommand } from './criterion-command.ts';
import type { Plan, PlannedBench } from './plan.ts';

/**
 * @param kernels those the selectors of `inputs` chose
 * @throws InputError when there is nothing to run, nothing to run it on, or a command cannot give results
 */
export function makePlan(inputs: Inputs, kernels: readonly KernelPin[]): Plan {
  const { file } = inputs.config;
  const isRun = inputs.lanes.some((lane) => lane !== 'verifier');
  const benches = isRun ? inputs.config.benches : [];
  if (benches.length === 0 && isRun) {
    throw new InputError(`${file}: no [[bench]]; nothing would be measured`, {
      hint: `add one that runs a benchmark of the project, for example:\n\n${inputs.manifest.example}`,
    });
  }
  if (kernels.length === 0) throw new InputError(`no kernel is selected by ${inputs.kernels.join(', ')}`);

  const warnings: string[] = [];
  const planned = selectShard(benches, inputs.shard).map((bench): PlannedBench => {
    const { command, warning } = planCommand(bench, file);
    if (warning !== null) warnings.push(warning);
    return {
      ...bench,
      guestCommand: command,
      timeCommand: isCriterion(bench) ? tuneCriterionCommand(bench.command, 'time') : bench.command,
      profileCommand: bench.profile ? planProfile(bench) : null,
      readingsWithoutPrograms: isCriterion(bench) ? 1 : 2,
    };
  });
  const { shard, timeBudgetMs } = inputs;
  const lanes = lanesOfShard(inputs.lanes, shard);
  const runIn = (lane: Lane) => (lanes.includes(lane) ? planned : []);
  return { kernels, lanes, shard, benches: runIn('instructions'), timed: runIn('time'), timeBudgetMs, warnings };
}

function planProfile(bench: BenchConfig): string {
  return isCriterion(bench) ? tuneCriterionCommand(bench.command, 'profile') : bench.command;
}

function planCommand(bench: BenchConfig, file: string): { command: string; warning: string | null } {
  if (!isCriterion(bench)) return { command: bench.command, warning: null };
  const where = `${file}:${bench.line}: bench \`${bench.name}\``;
  switch (cargoSubcommand(bench.command)) {
    case 'criterion':
      return { command: tuneCriterionCommand(bench.command), warning: null };
    case 'bench': {
      const command = JSON.stringify(bench.command.replace(/\bbench\b/, 'criterion'));
      throw new InputError(
        `${where} has format "criterion", but \`cargo bench\` prints no results a program can read`,
        {
          hint: `use cargo criterion (\`cargo install cargo-criterion\`): command = ${command}`,
        },
      );
    }
    default:
      return {
        command: bench.command,
        warning: `${where} runs its command as it stands, which can take minutes; make it one simple \`cargo criterion\` command to have cheap settings added, or give it --message-format=json and, behind --, --sample-size, --warm-up-time and --measurement-time`,
      };
  }
}

function isCriterion(bench: BenchConfig): boolean {
  return (
    bench.format === 'criterion' || (bench.format === 'auto' && /\bcargo( \+\S+)? criterion\b/.test(bench.command))
  );
}
