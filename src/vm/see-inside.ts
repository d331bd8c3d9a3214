// Guest: runs a revision's objects and benches in one more boot, in which QEMU's plugin sees what BPF programs execute.
// The counts of record are of boots without it.

import type { SeenBoot } from '../bench/inside.ts';
import { readSeen } from '../bench/seen.ts';
import { checkSeals } from '../build/seal.ts';
import { VmError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import { withoutProfiles } from '../plan/plan.ts';
import { type GuestContext, prepareHost } from './guest.ts';
import { makeInitramfs } from './initramfs.ts';
import { leaveOutLost } from './lost-programs.ts';
import { agentPlan, type MeasureRequest } from './measure-in-guest.ts';
import { runPlan } from './run-plan.ts';

/**
 * Boots the kernel with the plugin, and takes one reading of each bench.
 *
 * @param plugin its absolute path
 * @throws VmError when the guest failed or its time was up
 */
export async function seeInside(
  { kernel, plan, builds, timeoutMs }: MeasureRequest,
  revision: RevisionName,
  plugin: string,
  context: GuestContext,
): Promise<SeenBoot> {
  const deadline = performance.now() + timeoutMs;
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  await checkSeals([builds[revision]]);
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} again, to see inside the programs of ${revision}`);
  const whole = agentPlan(withoutProfiles(plan), builds, revision, context, undefined);
  const readings = { min: 1, max: 1 };
  const benches = whole.benches.map((bench) => ({ ...bench, min_unobserved: 1 }));
  const { loads, programs, calibrations, seen } = await leaveOutLost((leftOut) => {
    const objects = whole.objects.map((object) => ({ ...object, left_out: leftOut.get(object.name) }));
    const request = {
      kernel,
      initramfs,
      revision,
      agentPlan: { ...whole, objects, benches, readings },
      trees: [builds[revision].dir],
      timeoutMs: Math.max(1000, Math.round((deadline - performance.now()) / 1000) * 1000),
      plugin,
    };
    return runPlan(request, host, context);
  });
  if (seen === undefined) throw new VmError('the guest had no plugin');
  return { revision, loads, programs, calibrations, windows: readSeen(seen.text), interrupts: seen.interrupts };
}
