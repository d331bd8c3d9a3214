// Gate: builds both revisions, on the host or in guests.

import pLimit from 'p-limit';
import { type BuildPlace, inSandbox } from '../build/build-place.ts';
import { type BuildRequest, buildRevisions } from '../build/build-revisions.ts';
import { identityOf } from '../kernels/cached.ts';
import type { Builds } from '../model/build.ts';
import type { Config, SandboxPolicy } from '../model/inputs.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { chooseSandbox } from '../sandbox/choose-sandbox.ts';
import { findReadable } from '../sandbox/readable-files.ts';
import { buildInGuest } from '../vm/build-in-guest.ts';
import type { GuestContext } from '../vm/guest.ts';

/** A compiler under emulation is more than ten times as slow as on the host. */
const guestBuildTimeoutMs = 3 * 3_600_000;

const noNetwork =
  'there is no network in a guest: what a build downloads, other than crates and Go modules, has to be on the host';

/** Provides the builds that are measured on a kernel. */
export type Builder = (kernel: CachedKernel, context: GuestContext) => Promise<Builds>;

/** Makes a builder: on the host both revisions at once, and once; in guests one kernel after another, on demand. */
export async function makeBuilder(
  { baseConfig, ...request }: Omit<BuildRequest, 'place'> & { readonly baseConfig: Config },
  policy: SandboxPolicy,
): Promise<Builder> {
  const isOnHost = ({ build }: Config) => build.where === 'host';
  const configs = [baseConfig, request.config];
  /** Places on this host, by whether builds have a network. */
  const hosts = new Map<boolean, BuildPlace>();
  for (const config of configs.filter(isOnHost)) {
    const { network } = config.build;
    if (!hosts.has(network)) hosts.set(network, await onThisHost({ ...request, config }, policy));
  }
  const build = async (signal: AbortSignal | undefined, elsewhere?: BuildPlace) => {
    const madeBy = (config: Config) => {
      const place = isOnHost(config) ? hosts.get(config.build.network) : elsewhere;
      return { config, place: place as BuildPlace };
    };
    return await buildRevisions({ ...request, ...madeBy(request.config), signal, ofBase: madeBy(baseConfig) });
  };
  if (configs.every(isOnHost)) {
    const builds = await build(request.signal);
    return async () => builds;
  }
  const limit = pLimit(1);
  return (kernel, context) => limit(() => build(context.signal, inGuest(kernel, context)));
}

async function onThisHost(
  { cache, environment, config, signal }: Omit<BuildRequest, 'place'>,
  policy: SandboxPolicy,
): Promise<BuildPlace> {
  const { network } = config.build;
  // Names are looked up by this link's target, which on some systems is in a folder of running programs.
  const own = ['/etc/resolv.conf'];
  const read = await findReadable({ cache, environment, own, caches: false });
  return inSandbox(await chooseSandbox({ policy, network, environment, read, signal }), read, network);
}

function inGuest(kernel: CachedKernel, context: GuestContext): BuildPlace {
  return {
    label: ` in a guest of kernel ${kernel.pin.id}`,
    key: ['guest', identityOf(kernel)],
    downloads: 'needed',
    hint: noNetwork,
    downloadHint: noNetwork,
    warnings: [],
    timeoutMs: guestBuildTimeoutMs,
    build: (build) => buildInGuest(kernel, build, context),
  };
}
