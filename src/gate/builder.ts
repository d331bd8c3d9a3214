// Gate: builds both revisions, on the host or in guests.

import pLimit from 'p-limit';
import { type BuildPlace, inSandbox } from '../build/build-place.ts';
import { type BuildRequest, buildRevisions } from '../build/build-revisions.ts';
import { identityOf } from '../kernels/cached.ts';
import type { Builds } from '../model/build.ts';
import type { SandboxPolicy } from '../model/inputs.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { ToolEnvironment } from '../prerequisites/prerequisites.ts';
import { chooseSandbox } from '../sandbox/choose-sandbox.ts';
import { findReadable } from '../sandbox/readable-files.ts';
import { obtainAgent } from '../vm/agent.ts';
import { buildInGuest } from '../vm/build-in-guest.ts';
import type { GuestContext } from '../vm/guest.ts';

/** A compiler under emulation is more than ten times as slow as on the host. */
const guestBuildTimeoutMs = 3 * 3_600_000;

/** Provides the builds that are measured on a kernel. */
export type Builder = (kernel: CachedKernel, context: GuestContext) => Promise<Builds>;

/** Makes a builder: on the host both revisions at once, and once; in guests one kernel after another, on demand. */
export async function makeBuilder(
  request: Omit<BuildRequest, 'place'>,
  policy: SandboxPolicy,
  guestTools: Promise<ToolEnvironment> | undefined,
): Promise<Builder> {
  if (request.config.build.where === 'host') {
    const builds = await buildRevisions({ ...request, place: await onThisHost(request, policy, guestTools) });
    return async () => builds;
  }
  const limit = pLimit(1);
  return (kernel, context) =>
    limit(() => buildRevisions({ ...request, signal: context.signal, place: inGuest(kernel, context) }));
}

async function onThisHost(
  { cache, environment, log, signal }: Omit<BuildRequest, 'place'>,
  policy: SandboxPolicy,
  guestTools: Promise<ToolEnvironment> | undefined,
): Promise<BuildPlace> {
  // Names are looked up by this link's target, which on some systems is in a folder of running programs.
  const own = ['/etc/resolv.conf'];
  const read = await findReadable({ cache, environment, own });
  const agent = async () => {
    const { env } = (await guestTools) ?? { env: environment };
    return (await obtainAgent(cache, env, log, signal)).file;
  };
  const choice = await chooseSandbox({ policy, environment, read, agent, signal });
  if (choice.sandbox !== undefined && choice.reasons.length > 0) {
    log.progress(`builds run in a sandbox by ${choice.sandbox.name}: ${choice.reasons.join('; ')}`);
  }
  return inSandbox(choice, read);
}

function inGuest(kernel: CachedKernel, context: GuestContext): BuildPlace {
  return {
    label: ` in a guest of kernel ${kernel.pin.id}`,
    key: ['guest', identityOf(kernel)],
    downloads: 'needed',
    hint: 'there is no network in a guest: what a build downloads, other than crates and Go modules, has to be on the host',
    warnings: [],
    timeoutMs: guestBuildTimeoutMs,
    build: (build) => buildInGuest(kernel, build, context),
  };
}
