// Gate: looks inside the programs that cost more.

import { describeInside, type InsideCount, type SeenBoot } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { seenOf } from '../compare/grown-lines.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import type { Config } from '../model/inputs.ts';
import type { GuestContext } from '../vm/guest.ts';
import type { MeasureRequest } from '../vm/measure-in-guest.ts';
import { seeInside } from '../vm/see-inside.ts';

/** Runs what runs these programs, of base and of head, where a plugin of QEMU sees what they execute. */
export async function seeRegressions(
  { measurements, gaps }: Pick<BootMeasured, 'measurements' | 'gaps'>,
  renames: readonly Rename[],
  request: MeasureRequest,
  gate: Config['gate'],
  plugin: string,
  context: GuestContext,
): Promise<InsideCount[]> {
  const regressions = compareMeasurements(measurements, gaps, gate).filter(
    ({ verdict, lane, measure }) =>
      verdict === 'regression' && lane === 'instructions' && measure === 'bpf-instructions',
  );
  const isWanted = (name: string, revision: RevisionName) =>
    regressions.some(({ benchmark, renamedFrom = benchmark }) =>
      (revision === 'head' ? benchmark : renamedFrom).startsWith(`${name}/`),
    );
  const objects = request.builds.objects.filter(({ name, revision }) => isWanted(name, revision));
  const benches = request.plan.benches.filter(({ name }) => isWanted(name, 'head'));
  if (objects.length + benches.length === 0) return [];
  const only = { ...request, plan: { ...request.plan, benches }, builds: { ...request.builds, objects } };
  const boots: SeenBoot[] = [];
  for (const revision of revisionNames) boots.push(await seeInside(only, revision, plugin, context));
  const { id } = request.kernel.pin;
  const inside = describeInside(id, boots, renames);
  const unseen = regressions.filter((regression) => seenOf(regression, inside) === undefined);
  for (const { benchmark } of unseen) {
    const reason = inside.find((each) => each.benchmark === benchmark && each.reason !== null)?.reason;
    context.log.warn(`${id}: ${benchmark} was not seen inside: ${reason ?? 'its instructions do not add up'}`);
  }
  return inside;
}
