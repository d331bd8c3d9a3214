// Guest, pure: the commands that guests run for a bench.

import { withoutCargo } from '../build/cargo-starts.ts';
import type { Build, Builds } from '../model/build.ts';
import type { RunName } from '../model/guest-run.ts';
import { printSamples, saveSamples } from '../plan/criterion-command.ts';
import type { PlannedBench } from '../plan/plan.ts';

/** Commands whose output is read, by revision. They run without cargo where it is known what cargo starts. */
export function commandsOf(
  { savesSamples }: Pick<PlannedBench, 'savesSamples'>,
  command: string,
  builds: Pick<Builds, 'base' | 'head'>,
  names: readonly RunName[],
): Record<string, string> {
  return startDirectly(command, builds, names, savesSamples ? printSamples : undefined);
}

/** Commands that are profiled, by revision. Their output is not read. */
export function profilesOf(
  { savesSamples, profileCommand }: Pick<PlannedBench, 'savesSamples' | 'profileCommand'>,
  builds: Pick<Builds, 'base' | 'head'>,
  names: readonly RunName[],
): Record<string, string> {
  if (profileCommand === null) return {};
  return startDirectly(profileCommand, builds, names, savesSamples ? saveSamples : undefined);
}

/** Whether it is known which programs a bench starts: all its commands run without cargo, and do nothing else. */
export function isStartedDirectly(
  { profileCommand }: Pick<PlannedBench, 'profileCommand'>,
  command: string,
  { starts }: Pick<Build, 'starts'>,
): boolean {
  return [command, profileCommand ?? command].every((each) => withoutCargo(each, starts) !== each);
}

function startDirectly(
  command: string,
  builds: Pick<Builds, 'base' | 'head'>,
  names: readonly RunName[],
  around = (direct: string) => direct,
): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, around(withoutCargo(command, builds[name === 'control' ? 'base' : name].starts))]),
  );
}
