// Strangers: projects that do not know bpfgate, pinned by version and checksum. Pure.

import type { Place } from './plant.ts';

export type Origin =
  | { readonly from: 'debian'; readonly suite: string; readonly version: string; readonly sha256: string }
  | { readonly from: 'crates.io'; readonly version: string; readonly sha256: string }
  | { readonly from: 'go'; readonly path: string; readonly version: string; readonly sum: string };

export interface Stranger {
  /** Name of the package. */
  readonly name: string;
  /** Sets apart two entries of one package. */
  readonly variant?: string;
  readonly origin: Origin;
  /** Objects are compiled, and compared without the project's own build. */
  readonly objects?: {
    readonly files: RegExp;
    readonly options?: readonly string[];
    /** Those of them that only head has. */
    readonly added?: RegExp;
    /** Whether its files need a kernel's `vmlinux.h`, and bring none. */
    readonly needsTypes?: boolean;
    /** Files that the project's own build would write. */
    readonly written?: Readonly<Record<string, string>>;
  };
  /** A bpfgate.toml, where what `init` writes makes no objects, or none that can be loaded. */
  readonly config?: string;
  /** An edit before anything is measured. */
  readonly before?: Place;
  /** Default: the one of the run. */
  readonly kernel?: string;
  readonly place: Place;
  /** The only program that the planted cost is in: `PROGRAM`, or `OBJECT/PROGRAM`. */
  readonly program: string;
  /** Why bpfgate is known to be wrong about it. */
  readonly knownFailure?: string;
}

const buildBy = (command: string) => `standard-inputs = true\n[build]\ncommand = ${JSON.stringify(command)}\n`;
const programs = (types: Readonly<Record<string, string>>) =>
  Object.entries(types)
    .map(([section, type]) => `[[program]]\nsection = "${section}"\ntype = "${type}"\n`)
    .join('');

/** Runs four times, in a program of any type. */
const loop = 'for (volatile unsigned long planted = 0; planted < 4; planted++);';
const samples = 'samples by bpf_get_prandom_u32: its count is the share of the runs that it draws';
const times = 'it looks sockets up by address and sorts by time, so the mean of its runs varies from boot to boot';
const prints = 'bpf_printk costs more the more the boot has printed: what ran before shows in its count';

const knot = {
  name: 'knot',
  origin: {
    from: 'debian',
    suite: 'trixie',
    version: '3.4.6-2',
    sha256: 'd19c5a1ff94b4f26027d635de108dbfc88f5652be86ccb3ba9a44ee9be0e5839',
  },
  objects: { files: /^src\/libknot\/xdp\/bpf-kernel\.c$/ },
  place: {
    file: 'src/libknot/xdp/bpf-kernel.c',
    after: '\tknot_xdp_opts_t opts = *opts_ptr;\n',
    cost: '\tif (!bpf_map_lookup_elem(&opts_map, &index)) return XDP_ABORTED;',
  },
  program: 'xdp_redirect_dns_func',
} as const satisfies Stranger;

const driverConfig = ['API', 'SCHEMA']
  .flatMap((what) => ['MAJOR', 'MINOR', 'PATCH'].map((part) => `#define PPM_${what}_CURRENT_VERSION_${part} 1\n`))
  .concat('#include "ppm_api_version.h"\n')
  .join('');

const libbpfRs = {
  name: 'libbpf-rs',
  origin: {
    from: 'crates.io',
    version: '0.27.2',
    sha256: 'ffef943d6690772a293abe80412ca438c227867cac93448af2518166df1b1a7b',
  },
  objects: { files: /^tests\/bin\/src\/.*\.bpf\.c$/, needsTypes: true },
  place: {
    file: 'tests/bin/src/ringbuf.bpf.c',
    after: 'int handle__sys_enter_getpid(void *ctx)\n{\n',
    cost: `    ${loop}`,
  },
  program: 'ringbuf/handle__sys_enter_getpid',
} as const satisfies Stranger;

export const strangers: readonly Stranger[] = [
  knot,
  {
    ...knot,
    variant: 'sampled',
    // As netobserv-ebpf-agent samples.
    before: {
      file: 'src/libknot/xdp/bpf-kernel.c',
      after: '\t__u32 index = ctx->rx_queue_index;\n',
      cost: '\tif (bpf_get_prandom_u32() % 4 != 0) return XDP_PASS;',
    },
    knownFailure: samples,
  },
  {
    name: 'fastnetmon',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '1.2.9-0+deb13u1',
      sha256: 'a219e6dd30ad60ed0562243c7830dba053f740c28cee9cb70ac0b78a5121e4dd',
    },
    objects: { files: /^src\/xdp_plugin\/xdp_kernel\.c$/ },
    config: programs({ xdp_sock: 'xdp' }),
    place: {
      file: 'src/xdp_plugin/xdp_kernel.c',
      after: '    if (*qidconf != ctx->rx_queue_index) return XDP_PASS;\n',
      cost: `    ${loop}`,
    },
    program: 'xdp_sock_prog',
  },
  {
    name: 'iproute2',
    origin: {
      from: 'debian',
      suite: 'bookworm',
      version: '6.1.0-3',
      sha256: '5ce12a0fec6b212725ef218735941b2dab76244db7e72646a76021b0537b43ab',
    },
    objects: { files: /^examples\/bpf\/[^/]+\.c$/ },
    config: programs({ aaa: 'tc', bbb: 'tc', egress: 'tc', ingress: 'tc' }),
    place: {
      file: 'examples/bpf/bpf_graft.c',
      after: 'int cls_entry(struct __sk_buff *skb)\n{\n',
      cost: `\t${loop}`,
    },
    program: 'bpf_graft/cls_entry',
  },
  {
    name: 'suricata',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '1:7.0.10-1+deb13u4',
      sha256: '8956f7de394652b7cb7ede4a1715b0c46798ac825d11f08a5785b07dae7a945a',
    },
    objects: { files: /^ebpf\/[^/]+\.c$/ },
    config: programs({ filter: 'socket', loadbalancer: 'socket' }),
    place: {
      file: 'ebpf/vlan_filter.c',
      after: '    __u16 vlan_id = skb->vlan_tci & 0x0fff;\n',
      cost: `    ${loop}`,
    },
    program: 'vlan_filter/hashfilter',
  },
  {
    name: 'systemd',
    origin: {
      from: 'debian',
      suite: 'bookworm',
      version: '252.39-1~deb12u2',
      sha256: '08a54a6c4d4cf969fc025eaa8922a55d6bc458100c242510b56c96e7d72af1c5',
    },
    objects: { files: /\/bpf\/.*\.bpf\.c$/ },
    place: {
      file: 'src/core/bpf/restrict_ifaces/restrict-ifaces.bpf.c',
      after: 'int sd_restrictif_e(const struct __sk_buff *sk) {\n',
      cost: `        ${loop}`,
    },
    program: 'sd_restrictif_e',
  },
  {
    name: 'qemu',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '1:10.0.13+ds-0+deb13u1',
      sha256: '6a0888e806c2ffc0c5f0733e974f9aea55491950d3c47c98669c8b236dde59ae',
    },
    objects: { files: /^tools\/ebpf\/rss\.bpf\.c$/ },
    place: {
      file: 'tools/ebpf/rss.bpf.c',
      after: 'int tun_rss_steering_prog(struct __sk_buff *skb)\n{\n',
      cost: `    ${loop}`,
    },
    program: 'tun_rss_steering_prog',
  },
  {
    name: 'falcosecurity-libs',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '0.20.0-3',
      sha256: '4ae6ddb42a1012bacd88c63abdaa7bd27ca0143c4721338a22c45597e63bc99d',
    },
    objects: {
      files: /^driver\/modern_bpf\/programs\/attached\/.*\.bpf\.c$/,
      options: ['-I.', '-Idriver/modern_bpf', '-D__USE_VMLINUX__'],
      written: { 'driver/driver_config.h': driverConfig },
    },
    place: {
      file: 'driver/modern_bpf/programs/attached/dispatchers/syscall_enter.bpf.c',
      after: 'int BPF_PROG(sys_enter, struct pt_regs* regs, long syscall_id) {\n',
      cost: `\t${loop}`,
    },
    program: 'syscall_enter/sys_enter',
  },
  libbpfRs,
  {
    ...libbpfRs,
    variant: 'with one more object',
    objects: {
      files: /^tests\/bin\/src\/(ksyscall|tracepoint|uprobe|usdt)\.bpf\.c$/,
      added: /ksyscall/,
      needsTypes: true,
    },
    place: {
      file: 'tests/bin/src/tracepoint.bpf.c',
      after: '    int value = bpf_get_attach_cookie(ctx);\n',
      cost: `    ${loop}`,
    },
    program: 'tracepoint/handle__tracepoint_with_cookie_pb',
    knownFailure: prints,
  },
  {
    name: 'rezolus',
    origin: {
      from: 'crates.io',
      version: '5.4.0',
      sha256: '3468663a945cfb844690251130aa1fe546da2a952fe43a1643df8fa9d3b30a3a',
    },
    // Every file is called mod.bpf.c. Without what the next entry has.
    objects: {
      files: /^src\/agent\/samplers\/(?!tcp\/linux\/connect_latency).*\.bpf\.c$/,
      options: ['-Isrc/agent/bpf/x86_64'],
    },
    place: {
      file: 'src/agent/samplers/syscall/linux/counts/mod.bpf.c',
      after: 'int sys_enter(struct trace_event_raw_sys_enter* args) {\n',
      cost: `    ${loop}`,
    },
    program: 'syscall/linux/counts/mod/sys_enter',
  },
  {
    name: 'rezolus',
    variant: 'timed',
    origin: {
      from: 'crates.io',
      version: '5.4.0',
      sha256: '3468663a945cfb844690251130aa1fe546da2a952fe43a1643df8fa9d3b30a3a',
    },
    objects: {
      files: /^src\/agent\/samplers\/tcp\/linux\/connect_latency\/mod\.bpf\.c$/,
      options: ['-Isrc/agent/bpf/x86_64'],
    },
    place: {
      file: 'src/agent/samplers/tcp/linux/connect_latency/mod.bpf.c',
      after: 'int tcp_destroy_sock(struct trace_event_raw_tcp_event_sk* ctx) {\n',
      cost: `    ${loop}`,
    },
    program: 'tcp_destroy_sock',
    knownFailure: times,
  },
  {
    name: 'bpftop',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '0.5.2.20.gc23a822-2',
      sha256: 'dda245744b593892834d404269f9aa66b3302bd3fce4f302490be2f0a8942da9',
    },
    place: {
      file: 'src/bpf/pid_iter.bpf.c',
      after: 'int bpftop_iter(struct bpf_iter__task_file *ctx)\n{\n',
      cost: `\t${loop}`,
    },
    program: 'bpftop_iter',
  },
  {
    name: 'mimic',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '0.7.0+ds-2',
      sha256: 'd699fb57a093f1a81a07bd33d3b3d0493c8ce8ab5a9c8b51a83809cb8673c753',
    },
    // 6.1 and 6.12 refuse its programs.
    kernel: '7.3',
    // Without its kernel module.
    config: buildBy('make build-cli CHECKSUM_HACK=kprobe'),
    place: {
      file: 'bpf/egress.c',
      after:
        '  __u32 l2_end, ip_end, ip_proto = 0;\n\n  switch (link_type) {\n    case LINK_ETH:\n      l2_end = ETH_HLEN;\n',
      cost: `      ${loop}`,
    },
    program: 'egress_handler',
  },
  {
    name: 'bpftune',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '0.0~git20250314.8fd59cc-1',
      sha256: '0f26936c79368cd7c48ab5731dbda752c334bed37487fb16528ed7686c0a30a8',
    },
    config: buildBy('make -C src probe.bpf.o sysctl_tuner.bpf.o tcp_conn_tuner.bpf.o neigh_table_tuner.bpf.o'),
    place: {
      file: 'src/sysctl_tuner.bpf.c',
      after: 'int sysctl_write(struct bpf_sysctl *ctx)\n{\n',
      cost: `\t${loop}`,
    },
    program: 'sysctl_tuner/sysctl_write',
  },
  {
    name: 'pwru',
    origin: {
      from: 'debian',
      suite: 'trixie',
      version: '1.0.5+ds1-1',
      sha256: '3c158f8bd25910d52a4446a165319f91db569becf496c0dd9342ff27d487a61a',
    },
    config: buildBy('TARGET_GOARCH=amd64 go generate'),
    place: {
      file: 'bpf/kprobe_pwru.c',
      after: 'int kprobe_skb_lifetime_termination(struct pt_regs *ctx) {\n',
      cost: `\t${loop}`,
    },
    program: 'kprobe_skb_lifetime_termination',
  },
  {
    name: 'cilium/ebpf',
    origin: {
      from: 'go',
      path: 'github.com/cilium/ebpf',
      version: 'v0.22.0',
      sum: 'h1:v2ktp0roffpMOj2MMf3idtCQZOsAoC4BJbAJN+ke2bY=',
    },
    config: buildBy('go generate ./examples/... && go build ./examples/...'),
    place: {
      file: 'examples/xdp/xdp.c',
      after: 'int xdp_prog_func(struct xdp_md *ctx) {\n',
      cost: `\t${loop}`,
    },
    program: 'examples/xdp/bpf_bpfel/xdp_prog_func',
  },
  {
    name: 'emd-ebpf-impl',
    origin: {
      from: 'crates.io',
      version: '1.1.1',
      sha256: '7f477ea311031ec1ca029b0e866b4ddf053f92540e289bdbbca3cab2e63f9a5b',
    },
    // The verifier gives up on as many pieces as its authors allow.
    before: {
      file: 'src/main.rs',
      after: '    let queue_elements = calc_queue_elements(dump_size);\n',
      cost: '    let queue_elements = if queue_elements > 8 { 8 } else { queue_elements };',
    },
    // Its authors use a nightly toolchain.
    config: buildBy('RUSTC_BOOTSTRAP=1 cargo build --release'),
    place: {
      file: 'src/main.rs',
      after: 'fn read_kernel_memory(ctx: ProbeContext) -> u32 {\n',
      cost: '    let planted = 7u32; unsafe { core::ptr::read_volatile(&planted) };',
    },
    program: 'read_kernel_memory',
  },
  {
    name: 'flaregun',
    origin: {
      from: 'crates.io',
      version: '0.4.0',
      sha256: 'e7c22c8ea0811418159ec78c88491d092e3da10d8a850e3dbe0e99ca7f9a6407',
    },
    place: {
      file: 'src/bpf/rq_lat.bpf.c',
      after:
        '  struct task_struct* p = (void*)ctx[0];\n\n  return trace_enqueue(p->tgid, p->pid);\n}\n\nSEC("tp_btf/sched_wakeup_new")\n\nint handle__sched_wakeup_new(u64* ctx)\n{\n',
      cost: `  ${loop}`,
    },
    program: 'handle__sched_wakeup_new',
  },
];
