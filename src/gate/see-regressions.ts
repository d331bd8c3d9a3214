// Gate: looks inside the programs that run on inputs and cost more.

import type { InsideCount } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { revisionNames } from '../model/build.ts';
import type { Config } from '../model/inputs.ts';
import type { GuestContext } from '../vm/guest.ts';
import type { MeasureRequest } from '../vm/measure-in-guest.ts';
import { seeInside } from '../vm/see-inside.ts';

/** Runs the objects of these programs, of base and of head, where a plugin of QEMU sees what they execute. */
export async function seeRegressions(
  { measurements, gaps }: Pick<BootMeasured, 'measurements' | 'gaps'>,
  request: MeasureRequest,
  gate: Config['gate'],
  plugin: string,
  context: GuestContext,
): Promise<InsideCount[]> {
  const names = compareMeasurements(measurements, gaps, gate).flatMap(
    ({ verdict, lane, measure, benchmark, renamedFrom = benchmark }) =>
      verdict === 'regression' && lane === 'instructions' && measure === 'bpf-instructions'
        ? [{ base: renamedFrom, head: benchmark }]
        : [],
  );
  const objects = request.builds.objects.filter(({ name, revision }) =>
    names.some((each) => each[revision].startsWith(`${name}/`)),
  );
  if (objects.length === 0) return [];
  const seen: InsideCount[] = [];
  for (const revision of revisionNames) {
    const only = { ...request, builds: { ...request.builds, objects } };
    seen.push(...(await seeInside(only, revision, plugin, context)));
  }
  return seen;
}
