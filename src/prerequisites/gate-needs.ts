// Prerequisites: everything a gate needs on the machine, and what needs each.

import type { Inputs } from '../model/inputs.ts';
import type { Demand } from './prerequisite.ts';
import { projectDemands } from './project-needs.ts';

interface GuestNeeds {
  /** Programs of the guest that have to be compiled here: `the guest agent`. */
  readonly programsToBuild: readonly string[];
  readonly runner?: string | undefined;
}

export interface GateNeeds extends Pick<GuestNeeds, 'programsToBuild'> {
  readonly inputs: Pick<Inputs, 'project' | 'config' | 'objects' | 'runner'>;
  /** Ids of kernels that have to be compiled here. */
  readonly kernelsToBuild: readonly string[];
  /** Ids of kernels that have to be unpacked from rpms. */
  readonly kernelsInRpms: readonly string[];
}

/** Demands of every guest, whatever runs in it. */
export function guestDemands({ programsToBuild, runner }: GuestNeeds): Demand[] {
  return [
    { group: 'vm', by: '' },
    ...programsToBuild.map((program): Demand => ({ group: 'agent', by: `${program} has to be compiled, which` })),
    ...(runner === 'virtme-ng' ? [{ group: 'virtme-ng', by: 'runner virtme-ng' } as const] : []),
  ];
}

/** @param ids kernels that have to be unpacked from rpms */
export function rpmDemands(ids: readonly string[]): Demand[] {
  return ids.map((id): Demand => ({ group: 'kernel-rpm', by: `kernel ${id}` }));
}

/** Demands of a gate: those of its guests, and those of building its project and its kernels. */
export async function gateDemands(needs: GateNeeds): Promise<Demand[]> {
  const { inputs, kernelsToBuild, kernelsInRpms, programsToBuild } = needs;
  const isBuilt = inputs.objects === undefined;
  return [
    ...guestDemands({ programsToBuild, runner: inputs.runner }),
    ...(isBuilt ? [{ group: 'checkout', by: '' } as const] : []),
    ...kernelsToBuild.map((id): Demand => ({ group: 'kernel-build', by: `kernel ${id} has no ready-made image and` })),
    ...rpmDemands(kernelsInRpms),
    ...(isBuilt ? await projectDemands(inputs.project, inputs.config) : []),
  ];
}
