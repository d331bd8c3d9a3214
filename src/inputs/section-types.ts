// Inputs: the sections' names by which `[[program]]` gives a type, as the agent knows them (vm/agent/src/section.rs).
// Pure.

/** What comes before the first `/`. */
export const sectionTypes: readonly string[] = [
  ...['tp_btf', 'fentry', 'fexit', 'fmod_ret', 'iter', 'lsm', 'lsm_cgroup'].flatMap((name) => [name, `${name}.s`]),
  ...['socket', 'tracepoint', 'tp', 'raw_tracepoint', 'raw_tp', 'raw_tracepoint.w', 'raw_tp.w', 'perf_event'],
  ...['kprobe', 'kretprobe', 'kprobe.multi', 'kretprobe.multi', 'kprobe.session', 'ksyscall', 'kretsyscall'],
  ...['uprobe', 'uretprobe', 'usdt', 'uprobe.s', 'uretprobe.s', 'usdt.s', 'uprobe.multi', 'uretprobe.multi'],
  ...['uprobe.multi.s', 'uretprobe.multi.s', 'uprobe.session', 'uprobe.session.s'],
  ...['tc', 'tcx', 'classifier', 'netkit', 'action', 'xdp', 'xdp.frags', 'netfilter', 'flow_dissector'],
  ...['cgroup', 'cgroup_skb', 'sockops', 'sk_skb', 'sk_msg', 'sk_reuseport', 'sk_lookup'],
  ...['lwt_in', 'lwt_out', 'lwt_xmit', 'lwt_seg6local', 'lirc_mode2', 'syscall'],
  ...['struct_ops', 'struct_ops.s', 'freplace'],
];

/** The part of a section's name that says the type of its programs. libbpf does not load those of `?` by default. */
export function typeOfSection(name: string): string {
  return name.replace(/^\?/, '').split('/')[0] ?? '';
}
