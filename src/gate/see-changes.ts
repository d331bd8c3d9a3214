// Gate: looks at each run of the BPF programs whose counts seem to have changed.

import { runTogether } from '../adapters/run-together.ts';
import { describeInside, type InsideCount, type SeenBoot } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { GateError, machineFailure, VmError } from '../common/errors.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { type Comparison, findingVerdicts } from '../compare/comparison.ts';
import { findSeen } from '../compare/grown-lines.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Config } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';
import { withBenches } from '../plan/plan.ts';
import type { GuestContext } from '../vm/guest.ts';
import type { MeasureRequest } from '../vm/measure-in-guest.ts';
import { obtainPlugin } from '../vm/plugin.ts';
import { seeInside } from '../vm/see-inside.ts';

/** Characters of a reason. A guest's error can be long. */
const maxReason = 600;

interface Seen {
  readonly inside: readonly InsideCount[];
  /** Why something was not seen. */
  readonly warnings: readonly Warning[];
}

/**
 * Boots base and head again with the benches and objects of these programs, and QEMU's plugin. Without the plugin or
 * these boots nothing is seen, which is a warning.
 *
 * @param deadline end of the kernel's time, by `performance.now()`
 */
export async function seeChanges(
  { measurements, gaps, run }: Pick<BootMeasured, 'measurements' | 'gaps'> & { readonly run: GuestRun },
  renames: readonly Rename[],
  request: MeasureRequest,
  gate: Config['gate'],
  context: GuestContext,
  deadline: number,
): Promise<Seen> {
  const changes = compareMeasurements(measurements, gaps, gate).filter((each) => isChange(each, run));
  const isWanted = (name: string, revision: RevisionName) =>
    changes.some(({ benchmark, renamedFrom = benchmark }) =>
      (revision === 'head' ? benchmark : renamedFrom).startsWith(`${name}/`),
    );
  const objects = request.builds.objects.filter(({ name, revision }) => isWanted(name, revision));
  const plan = withBenches(request.plan, ({ name }) => revisionNames.some((revision) => isWanted(name, revision)));
  if (objects.length + plan.benches.length === 0) return { inside: [], warnings: [] };
  const { id } = request.kernel.pin;
  let boots: SeenBoot[];
  try {
    const plugin = await obtainPlugin(context);
    boots = await runTogether(revisionNames, context.signal, async (revision, signal) => {
      const boot = async () => {
        const timeoutMs = deadline - performance.now();
        if (timeoutMs <= 0) throw new VmError('no time is left', { hint: 'raise --timeout' });
        const only = { ...request, plan, builds: { ...request.builds, objects }, timeoutMs };
        return await seeInside(only, revision, plugin, { ...context, signal });
      };
      return await (context.guests === undefined ? boot() : context.guests(boot));
    });
  } catch (thrown) {
    const error = machineFailure(thrown) ?? thrown;
    if (!(error instanceof GateError) || context.signal?.aborted === true) throw thrown;
    const reason = 'runs were not seen one by one, so changes that are not exact are not decided';
    return { inside: [], warnings: [{ about: [], reason, detail: clipMiddle(error.message, maxReason) }] };
  }
  const inside = describeInside(id, boots, renames);
  const warnings = changes.flatMap(({ benchmark, renamedFrom = benchmark }): Warning[] => {
    if (findSeen({ kernel: id, benchmark, renamedFrom }, inside) !== undefined) return [];
    const own = inside.filter((each) => each.benchmark === (each.revision === 'base' ? renamedFrom : benchmark));
    const known = own.find(({ reason }) => reason !== null)?.reason;
    const other = own.length < boots.length ? 'it did not run in that boot' : 'its instructions do not add up';
    const reason = `was not seen run by run: ${clipMiddle(known ?? other, maxReason)}`;
    return [{ about: [benchmark], reason }];
  });
  return { inside, warnings };
}

/** Whether a BPF program seems to have changed: by its count or, since that can vary by more, by its code. */
function isChange(comparison: Comparison, run: GuestRun): boolean {
  const { lane, measure, verdict, base, head, limit } = comparison;
  if (lane !== 'instructions' || measure !== 'bpf-instructions' || base === null || head === null) return false;
  if (findingVerdicts.some((each) => each === verdict)) return true;
  const varies = 'interval' in comparison && comparison.interval !== 'exact' && limit !== 'off';
  return varies && hasOtherCode(comparison, run);
}

/** Whether base and head load different programs in the comparison's bench, or from its object. */
function hasOtherCode({ benchmark, renamedFrom = benchmark }: Comparison, { programs, loads }: GuestRun): boolean {
  const codeOf = (revision: RevisionName, name: string) => {
    const isOwn = (owner: string, of: RevisionName) => of === revision && name.startsWith(`${owner}/`);
    const all = [
      ...programs.flatMap((each) => (isOwn(each.bench, each.revision) ? each.tag : [])),
      ...loads.flatMap((each) => (isOwn(each.object, each.revision) ? each.code : [])),
    ];
    return JSON.stringify([...new Set(all)].toSorted());
  };
  return codeOf('base', renamedFrom) !== codeOf('head', benchmark);
}
