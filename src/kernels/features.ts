// Kernels, pure: features for BPF programs, by a kernel's version and, where it is known, its configuration.

import { compareVersions } from '../common/versions.ts';
import { unknownVersion } from '../model/kernel.ts';

export interface Feature {
  readonly name: string;
  /** First minor version whose upstream source has it. */
  readonly since: string;
  /**
   * Options the kernel needs in addition to BPF itself; modules count. `CONFIG_LSM=bpf` stands for `bpf` among the
   * security modules that are active by default: otherwise its hooks are never called.
   */
  readonly options: readonly string[];
}

/** `unknown`: the version has it, but it depends on a configuration that is not available. */
export type FeatureState = 'yes' | 'no' | 'unknown';

const btf = 'CONFIG_DEBUG_INFO_BTF';

/**
 * Known features, in the order of the versions. Distributions backport some to older versions; that is not considered.
 *
 * Upstream commits, each the first with the feature, in the same order:
 * - btf: 341dfcf8d78e ("btf: expose BTF info through sysfs")
 * - fentry: fec56f5890d9 ("bpf: Introduce BPF trampoline")
 * - lsm: fc611f47f218 ("bpf: Introduce BPF_PROG_TYPE_LSM")
 * - ringbuf: 457f44363a88 ("bpf: Implement BPF ring buffer and verifier support for it")
 * - enable-stats: d46edd671a14 ("bpf: Sharing bpf runtime stats with BPF_ENABLE_STATS")
 * - sk-lookup: e9ddbb7707ff ("bpf: Introduce SK_LOOKUP program type with a dedicated attach point")
 * - sleepable: 1e6c62a88215 ("bpf: Introduce sleepable BPF programs")
 * - recursion-misses: 9ed9e9ba2337 ("bpf: Count the number of times recursion was prevented")
 * - perf-link: b89fbfbb854c ("bpf: Implement minimal BPF perf link")
 * - cookie: 7adfc6c9b315 ("bpf: Add bpf_get_attach_cookie() BPF helper to access bpf_cookie value")
 * - verified-insns: aba64c7da983 ("bpf: Add verified_insns to bpf_prog_info and fdinfo")
 * - loop: e6f2dd0f8067 ("bpf: Add bpf_loop helper")
 * - kprobe-multi: 0dcac2725406 ("bpf: Add multi kprobe link")
 * - tcx: e420bed02507 ("bpf: Add fd-based tcx multi-prog infra with link support")
 * - uprobe-multi: 89ae89f53d20 ("bpf: Add multi uprobe link")
 * - netkit: 35dfaad7188c ("netkit, bpf: Add bpf programmable net device")
 * - arena: 317460317a02 ("bpf: Introduce bpf_arena.")
 * - sched-ext: f0e1a0643a59 ("sched_ext: Implement BPF extensible scheduler class")
 */
export const features = [
  { name: 'btf', since: '5.4', options: [btf] },
  { name: 'fentry', since: '5.5', options: [btf, 'CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS'] },
  { name: 'lsm', since: '5.7', options: [btf, 'CONFIG_BPF_LSM', 'CONFIG_LSM=bpf'] },
  { name: 'ringbuf', since: '5.8', options: [] },
  { name: 'enable-stats', since: '5.8', options: [] },
  { name: 'sk-lookup', since: '5.9', options: ['CONFIG_INET'] },
  { name: 'sleepable', since: '5.10', options: [btf] },
  { name: 'recursion-misses', since: '5.12', options: [] },
  { name: 'perf-link', since: '5.15', options: ['CONFIG_BPF_EVENTS'] },
  { name: 'cookie', since: '5.15', options: ['CONFIG_BPF_EVENTS'] },
  { name: 'verified-insns', since: '5.16', options: [] },
  { name: 'loop', since: '5.17', options: [] },
  { name: 'kprobe-multi', since: '5.18', options: ['CONFIG_BPF_EVENTS', 'CONFIG_FPROBE'] },
  { name: 'tcx', since: '6.6', options: ['CONFIG_NET_XGRESS'] },
  { name: 'uprobe-multi', since: '6.6', options: ['CONFIG_BPF_EVENTS', 'CONFIG_UPROBES'] },
  { name: 'netkit', since: '6.7', options: ['CONFIG_NETKIT'] },
  { name: 'arena', since: '6.9', options: ['CONFIG_BPF_JIT'] },
  { name: 'sched-ext', since: '6.12', options: ['CONFIG_SCHED_CLASS_EXT'] },
] as const satisfies readonly Feature[];

export type FeatureName = (typeof features)[number]['name'];

/**
 * @param minor `6.1`, or `unknownVersion`
 * @param config the kernel's whole configuration; undefined when it is not available
 */
export function featuresOf(minor: string, config: string | undefined): Record<FeatureName, FeatureState> {
  const set = config === undefined ? undefined : setOptions(config);
  const stateOf = ({ since, options }: Feature): FeatureState => {
    if (minor === unknownVersion) return 'unknown';
    if (compareVersions(minor, since) < 0) return 'no';
    if (options.length === 0) return 'yes';
    if (set === undefined) return 'unknown';
    return options.every((option) => set.has(option)) ? 'yes' : 'no';
  };
  return Object.fromEntries(features.map((feature) => [feature.name, stateOf(feature)])) as Record<
    FeatureName,
    FeatureState
  >;
}

/** The options that are built in or modules, and each active security module. */
function setOptions(config: string): Set<string> {
  const [, securityModules = ''] = /^CONFIG_LSM="(.*)"$/m.exec(config) ?? [];
  return new Set([
    ...[...config.matchAll(/^(CONFIG_\w+)=[ym]$/gm)].map(([, name = '']) => name),
    ...securityModules.split(',').map((name) => `CONFIG_LSM=${name}`),
  ]);
}
