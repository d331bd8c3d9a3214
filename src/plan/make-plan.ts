// Plan: makes the plan from inputs and selected kernels.

import { InputError } from '../common/errors.ts';
import { lanesOfShard, selectShard } from '../inputs/shard.ts';
import type { BenchConfig, Inputs, Lane } from '../model/inputs.ts';
import type { KernelPin } from '../model/kernel.ts';
import { cargoSubcommand, startsKey } from './cargo-command.ts';
import {
  type CriterionSettings,
  type CriterionUse,
  hidesCriterion,
  startedOfCriterion,
  tuneCriterionCommand,
} from './criterion-command.ts';
import type { Plan, PlannedBench } from './plan.ts';

/**
 * @param kernels the kernels that the selectors of `inputs` chose
 * @throws InputError when there is nothing to run, or nothing to run it on
 */
export function makePlan(inputs: Inputs, kernels: readonly KernelPin[], criterion: CriterionUse): Plan {
  const { file } = inputs.config;
  const isRun = inputs.lanes.some((lane) => lane !== 'verifier');
  const { benches } = inputs.config;
  const areRun = ['instructions', 'verifier'].every((lane) => inputs.lanes.some((own) => own === lane));
  const [packets, contexts] = areRun ? [inputs.packets, inputs.config.contexts] : [[], []];
  if (benches.length === 0 && isRun && packets.length + contexts.length === 0) {
    throw new InputError(`${file}: no [[bench]]; nothing would be measured`, {
      hint: `set lanes = ["instructions", "verifier"] to run the build's programs on packets, or add a benchmark of the project, for example:\n\n${inputs.manifest.example}`,
    });
  }
  if (kernels.length === 0) throw new InputError(`no kernel is selected by ${inputs.kernels.join(', ')}`);

  const all = benches.map((bench) => planBench(bench, criterion));
  const chosen = all.filter(({ name }) => inputs.benches?.includes(name) ?? true);
  const planned = isRun ? selectShard(chosen, inputs.shard) : [];
  const { shard, timeBudgetMs } = inputs;
  const lanes = lanesOfShard(inputs.lanes, shard);
  const runIn = (lane: Lane) => (lanes.includes(lane) ? planned : []);
  return {
    kernels,
    lanes,
    shard,
    timeBudgetMs,
    benches: runIn('instructions'),
    keepsCopies: inputs.objects !== undefined,
    sections: inputs.config.sections,
    // One shard has the verifier lane.
    packets: lanes.includes('verifier') ? packets : [],
    contexts: lanes.includes('verifier') ? contexts : [],
    timed: runIn('time'),
    // A tree is built the same for all benches, shards and lanes.
    cargoCommands: [...new Set(all.flatMap(({ guestCommand }) => keyOf(guestCommand)))],
    warnings: planned.flatMap((bench) => warnOfTime(bench, isCriterion(bench, criterion), criterion, file)),
    notes: planned.flatMap((bench) => noteCargo(bench)),
  };
}

function planBench(bench: BenchConfig, criterion: CriterionUse): PlannedBench {
  const isOfCriterion = isCriterion(bench, criterion);
  const commandFor = (purpose: CriterionSettings['purpose']) =>
    isOfCriterion
      ? tuneCriterionCommand(bench.command, { purpose, wholeSeconds: criterion.wholeSeconds })
      : bench.command;
  return {
    ...bench,
    guestCommand: commandFor('count'),
    timeCommand: commandFor('time'),
    profileCommand: bench.profile ? commandFor('profile') : null,
    savesSamples: isOfCriterion && cargoSubcommand(bench.command) === 'bench',
    readingsWithoutPrograms: isOfCriterion ? 1 : 2,
  };
}

function keyOf(command: string): string[] {
  const found = startsKey(command);
  return found !== undefined && 'key' in found ? [found.key] : [];
}

function noteCargo({ name, guestCommand }: PlannedBench): string[] {
  const found = startsKey(guestCommand);
  if (found === undefined || 'key' in found) return [];
  return [`bench \`${name}\` is run by cargo in the guest, which takes longer: ${found.unknown}`];
}

function warnOfTime(
  { command, format, name, line }: BenchConfig,
  isOfCriterion: boolean,
  { sources, wholeSeconds }: CriterionUse,
  file: string,
): string[] {
  const where = `${file}:${line}: bench \`${name}\``;
  if (!isOfCriterion) {
    if (format === 'auto' && hidesCriterion(command, sources)) {
      return [
        `${where} runs \`cargo bench\` within another command, so no settings are added, and Criterion's take minutes for each benchmark; make it one simple \`cargo bench\` command, with \`--manifest-path\` in the place of \`cd\``,
      ];
    }
    if (format !== 'auto' || startedOfCriterion(command, sources) === 'none') return [];
    return [
      `${where} starts benches of Criterion and others, so no settings are added, and Criterion's take minutes each; make it one [[bench]] for each with \`cargo bench --bench NAME\``,
    ];
  }
  if (!['bench', 'criterion'].includes(cargoSubcommand(command))) {
    return [
      `${where} runs its command as it stands, which can take minutes; make it one simple \`cargo bench\` command to have cheap settings added`,
    ];
  }
  if (!wholeSeconds) return [];
  return [
    `${where}: Criterion 0.3 takes times in whole seconds, so each of its benchmarks runs for 2 billion instructions; 0.4 and later for 10 million`,
  ];
}

function isCriterion({ format, command }: BenchConfig, { sources }: CriterionUse): boolean {
  if (format !== 'auto') return format === 'criterion';
  return /\bcargo( \+\S+)? criterion\b/.test(command) || startedOfCriterion(command, sources) === 'all';
}
