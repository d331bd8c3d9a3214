// Prerequisites: everything a gate needs on the machine, and what needs each.

import type { Inputs } from '../model/inputs.ts';
import type { Demand } from './prerequisite.ts';
import { projectDemands } from './project-needs.ts';

export interface GateNeeds {
  readonly inputs: Pick<Inputs, 'project' | 'config' | 'objects' | 'runner'>;
  /** Ids of kernels that have to be compiled here. */
  readonly kernelsToBuild: readonly string[];
  /** Ids of kernels that have to be unpacked from rpms. */
  readonly kernelsInRpms: readonly string[];
  /** Whether the guest agent exists, so that it need not be compiled. */
  readonly hasAgent: boolean;
}

/** Demands of every guest, whatever runs in it. */
export function guestDemands({ hasAgent, runner }: { readonly hasAgent: boolean; readonly runner?: string }): Demand[] {
  return [
    { group: 'vm', by: '' },
    ...(hasAgent ? [] : [{ group: 'agent', by: 'the guest agent has to be compiled, which' } as const]),
    ...(runner === 'virtme-ng' ? [{ group: 'virtme-ng', by: 'runner virtme-ng' } as const] : []),
  ];
}

/** @param ids kernels that have to be unpacked from rpms */
export function rpmDemands(ids: readonly string[]): Demand[] {
  return ids.map((id): Demand => ({ group: 'kernel-rpm', by: `kernel ${id}` }));
}

/** Demands of a gate: those of its guests, and those of building its project and its kernels. */
export async function gateDemands({ inputs, kernelsToBuild, kernelsInRpms, hasAgent }: GateNeeds): Promise<Demand[]> {
  const isBuilt = inputs.objects === undefined;
  return [
    ...guestDemands({ hasAgent, runner: inputs.runner }),
    ...(isBuilt ? [{ group: 'checkout', by: '' } as const] : []),
    ...kernelsToBuild.map((id): Demand => ({ group: 'kernel-build', by: `kernel ${id} has no ready-made image and` })),
    ...rpmDemands(kernelsInRpms),
    ...(isBuilt ? await projectDemands(inputs.project, inputs.config) : []),
  ];
}
