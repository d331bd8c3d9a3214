// Guest, pure: the commands that guests run for a bench.

import { withoutCargo } from '../build/cargo-starts.ts';
import type { Build } from '../model/build.ts';
import { printSamples, saveSamples } from '../plan/criterion-command.ts';
import type { PlannedBench } from '../plan/plan.ts';

/** The command whose output is read. It runs without cargo where it is known what cargo starts. */
export function commandOf(
  { savesSamples }: Pick<PlannedBench, 'savesSamples'>,
  command: string,
  { starts }: Pick<Build, 'starts'>,
): string {
  return withoutCargo(command, starts, savesSamples ? printSamples : undefined);
}

/** The command that is profiled, whose output is not read; null if none is. */
export function profileOf(
  { savesSamples, profileCommand }: Pick<PlannedBench, 'savesSamples' | 'profileCommand'>,
  { starts }: Pick<Build, 'starts'>,
): string | null {
  return profileCommand && withoutCargo(profileCommand, starts, savesSamples ? saveSamples : undefined);
}
