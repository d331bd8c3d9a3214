// Gate: looks inside the programs that cost more.

import { describeInside, type InsideCount, type SeenBoot } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { isSeeable, seenOf } from '../compare/grown-lines.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import type { Config } from '../model/inputs.ts';
import { withBenches } from '../plan/plan.ts';
import type { GuestContext } from '../vm/guest.ts';
import type { MeasureRequest } from '../vm/measure-in-guest.ts';
import { seeInside } from '../vm/see-inside.ts';

/** Boots base and head again with the benches and objects of these programs, and QEMU's plugin. */
export async function seeRegressions(
  { measurements, gaps }: Pick<BootMeasured, 'measurements' | 'gaps'>,
  renames: readonly Rename[],
  request: MeasureRequest,
  gate: Config['gate'],
  plugin: string,
  context: GuestContext,
): Promise<InsideCount[]> {
  const regressions = compareMeasurements(measurements, gaps, gate).filter(isSeeable);
  const isWanted = (name: string, revision: RevisionName) =>
    regressions.some(({ benchmark, renamedFrom = benchmark }) =>
      (revision === 'head' ? benchmark : renamedFrom).startsWith(`${name}/`),
    );
  const objects = request.builds.objects.filter(({ name, revision }) => isWanted(name, revision));
  const plan = withBenches(request.plan, ({ name }) => isWanted(name, 'head'));
  if (objects.length + plan.benches.length === 0) return [];
  const only = { ...request, plan, builds: { ...request.builds, objects } };
  const boots: SeenBoot[] = [];
  for (const revision of revisionNames) boots.push(await seeInside(only, revision, plugin, context));
  const { id } = request.kernel.pin;
  const inside = describeInside(id, boots, renames);
  const unseen = regressions.filter((regression) => seenOf(regression, inside) === undefined);
  for (const { benchmark, renamedFrom = benchmark } of unseen) {
    const own = inside.filter((each) => each.benchmark === (each.revision === 'base' ? renamedFrom : benchmark));
    const known = own.find(({ reason }) => reason !== null)?.reason;
    const other = own.length < boots.length ? 'it did not run in that boot' : 'its instructions do not add up';
    context.log.warn(`${id}: ${benchmark} was not seen inside: ${known ?? other}`);
  }
  return inside;
}
