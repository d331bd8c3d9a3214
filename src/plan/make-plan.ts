// Plan: makes the plan from inputs and selected kernels.

import { InputError } from '../common/errors.ts';
import { lanesOfShard, selectShard } from '../inputs/shard.ts';
import { type BenchConfig, type Inputs, type Lane, lanes, type Shard } from '../model/inputs.ts';
import type { KernelPin, NamedKernel } from '../model/kernel.ts';
import { cargoSubcommand, startsKey } from './cargo-command.ts';
import {
  type CriterionSettings,
  type CriterionUse,
  hidesCriterion,
  startedOfCriterion,
  tuneCriterionCommand,
} from './criterion-command.ts';
import type { Plan, PlannedBench, RevisionPlan } from './plan.ts';

/**
 * @param kernels the kernels that the selectors of `inputs` chose
 * @throws InputError when there is nothing to run, or nothing to run it on
 */
export function makePlan(inputs: Inputs, kernels: readonly KernelPin[], criterion: CriterionUse): Plan {
  const { file } = inputs.config;
  const isRun = inputs.lanes.includes('instructions');
  const { benches, contexts } = inputs.config;
  const isOnInputs = runsInputs(inputs.lanes) && inputs.packets.length + contexts.length > 0;
  if (benches.length === 0 && isRun && !isOnInputs) {
    throw new InputError(`${file}: no [[bench]]; nothing would be measured`, {
      hint: `set lanes = ["instructions", "verifier"] to run the build's programs on packets, or add a benchmark of the project, for example:\n\n${inputs.manifest.example}`,
    });
  }
  if (kernels.length === 0) throw new InputError(`no kernel is selected by ${inputs.kernels.join(', ')}`);

  const all = benches.map((bench) => planBench(bench, criterion));
  const chosen = all.filter(({ name }) => inputs.benches?.includes(name) ?? true);
  const planned = isRun ? selectShard(chosen, inputs.shard) : [];
  return {
    kernels,
    shard: inputs.shard,
    keepsCopies: inputs.objects !== undefined,
    ...planRevision(inputs, inputs.shard, planned),
    // A tree is built the same for all benches, shards and lanes.
    cargoCommands: [...new Set(all.flatMap(({ guestCommand }) => keyOf(guestCommand)))],
    warnings: planned.flatMap((bench) => warnOfTime(bench, isCriterion(bench, criterion), criterion, file)),
    notes: planned.flatMap((bench) => noteCargo(bench)),
  };
}

function planRevision(
  { config, packets, lanes: wanted }: Pick<Inputs, 'config' | 'packets' | 'lanes'>,
  shard: Shard | null,
  planned: readonly PlannedBench[],
): RevisionPlan {
  const lanes = lanesOfShard(wanted, shard);
  const isOnInputs = runsInputs(wanted) && lanes.includes('verifier');
  return {
    lanes,
    benches: lanes.includes('instructions') ? planned : [],
    sections: config.sections,
    packets: isOnInputs ? packets : [],
    contexts: isOnInputs ? config.contexts : [],
  };
}

/** What a revision's own configuration gives. */
export interface RevisionInputs extends Pick<Inputs, 'config' | 'packets'> {
  readonly criterion: CriterionUse;
}

/**
 * Adds what base runs by its own configuration. Benches that only base has are counted in the first shard.
 */
export function addBase(plan: Plan, { config, packets, criterion }: RevisionInputs, inputs: Inputs): Plan {
  const { shard } = plan;
  const ofHead = new Set(inputs.config.benches.map(({ name }) => name));
  const inShard = new Set(plan.benches.map(({ name }) => name));
  const isFirst = shard === null || shard.index === 1;
  const isChosen = ({ name }: BenchConfig) => inputs.benches?.includes(name) ?? true;
  const all = config.benches.map((bench) => planBench(bench, criterion));
  const planned = all.filter(
    (bench) => isChosen(bench) && (inShard.has(bench.name) || (isFirst && !ofHead.has(bench.name))),
  );
  const wanted = inputs.given?.includes('lanes') ? inputs.lanes : config.lanes;
  const commands = all.flatMap(({ guestCommand }) => keyOf(guestCommand));
  const isOfBase = (kernel: NamedKernel) =>
    config.namedKernels.some((own) => own.name === kernel.name && own.sha256 === kernel.sha256);
  return {
    ...plan,
    ofBase: planRevision({ config, packets, lanes: wanted }, shard, planned),
    kernelsOfHead: inputs.config.namedKernels.filter((kernel) => !isOfBase(kernel)).map(({ name }) => name),
    cargoCommands: [...new Set([...plan.cargoCommands, ...commands])],
  };
}

/** Whether programs of objects run on inputs, in the lanes that are wanted. */
function runsInputs(wanted: readonly Lane[]): boolean {
  return lanes.every((lane) => wanted.includes(lane));
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
