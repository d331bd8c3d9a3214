//! First kernels: the first versions of Linux with types of maps, their flags, and helpers, as far
//! as 5.8 does not have them. Pure.
//!
//! Taken from `include/uapi/linux/bpf.h` of the releases; `docs/kernel-versions.md` of BCC names the
//! commits.

/// `BPF_MAP_TYPE_*` by number: name and version.
const MAP_TYPES: [(u32, &str, &str); 7] = [
    (28, "inode_storage", "5.10"),
    (29, "task_storage", "5.11"),
    (30, "bloom_filter", "5.16"),
    (31, "user_ringbuf", "6.1"),
    (32, "cgrp_storage", "6.2"),
    (33, "arena", "6.9"),
    (34, "insn_array", "6.19"),
];

/// `BPF_F_*` of maps: bit, name and version.
const MAP_FLAGS: [(u32, &str, &str); 6] = [
    (11, "BPF_F_PRESERVE_ELEMS", "5.10"),
    (12, "BPF_F_INNER_MAP", "5.10"),
    (15, "BPF_F_VTYPE_BTF_OBJ_FD", "6.9"),
    (17, "BPF_F_SEGV_ON_FAULT", "6.9"),
    (18, "BPF_F_NO_USER_CONV", "6.9"),
    (19, "BPF_F_RB_OVERWRITE", "6.19"),
];

/// Helpers in the order of their numbers: the first number, the version, and the names.
const HELPERS: [(usize, &str, &str); 14] = [
    (
        136,
        "5.9",
        "skc_to_tcp6_sock skc_to_tcp_sock skc_to_tcp_timewait_sock \
         skc_to_tcp_request_sock skc_to_udp6_sock get_task_stack",
    ),
    (
        142,
        "5.10",
        "load_hdr_opt store_hdr_opt reserve_hdr_opt inode_storage_get \
         inode_storage_delete d_path copy_from_user snprintf_btf seq_printf_btf \
         skb_cgroup_classid redirect_neigh per_cpu_ptr this_cpu_ptr redirect_peer",
    ),
    (
        156,
        "5.11",
        "task_storage_get task_storage_delete get_current_task_btf bprm_opts_set \
         ktime_get_coarse_ns ima_inode_hash sock_from_file",
    ),
    (163, "5.12", "check_mtu"),
    (164, "5.13", "for_each_map_elem snprintf"),
    (166, "5.14", "sys_bpf btf_find_by_name_kind sys_close"),
    (
        169,
        "5.15",
        "timer_init timer_set_callback timer_start timer_cancel get_func_ip \
         get_attach_cookie task_pt_regs",
    ),
    (
        176,
        "5.16",
        "get_branch_snapshot trace_vprintk skc_to_unix_sock kallsyms_lookup_name",
    ),
    (
        180,
        "5.17",
        "find_vma loop strncmp get_func_arg get_func_ret get_func_arg_cnt",
    ),
    (
        186,
        "5.18",
        "get_retval set_retval xdp_get_buff_len xdp_load_bytes xdp_store_bytes \
         copy_from_user_task skb_set_tstamp ima_file_hash",
    ),
    (
        194,
        "5.19",
        "kptr_xchg map_lookup_percpu_elem skc_to_mptcp_sock dynptr_from_mem \
         ringbuf_reserve_dynptr ringbuf_submit_dynptr ringbuf_discard_dynptr dynptr_read \
         dynptr_write dynptr_data",
    ),
    (
        204,
        "6.0",
        "tcp_raw_gen_syncookie_ipv4 tcp_raw_gen_syncookie_ipv6 \
         tcp_raw_check_syncookie_ipv4 tcp_raw_check_syncookie_ipv6",
    ),
    (208, "6.1", "ktime_get_tai_ns user_ringbuf_drain"),
    (210, "6.2", "cgrp_storage_get cgrp_storage_delete"),
];

/// A name, and the first kernel with what it names.
type Since = (String, &'static str);

/// What the running kernel is too old for of a map's type and flags.
pub fn of_map(map_type: u32, flags: u32, version: u32) -> Option<Since> {
    let types = MAP_TYPES.iter().filter(|(number, ..)| *number == map_type);
    let types = types.map(|(_, name, since)| (format!("the type {name}"), *since));
    let flags = MAP_FLAGS.iter().filter(|(bit, ..)| flags >> bit & 1 == 1);
    let flags = flags.map(|(_, name, since)| (format!("the flag {name}"), *since));
    types
        .chain(flags)
        .find(|(_, since)| version < to_number(since))
}

/// The name of a type of maps that 5.8 does not have.
pub fn map_type(number: u32) -> Option<&'static str> {
    let mut types = MAP_TYPES.iter();
    types.find(|known| known.0 == number).map(|known| known.1)
}

/// The name of a helper that 5.8 does not have, and the first kernel with it.
pub fn of_helper(number: usize) -> Option<Since> {
    let (first, since, names) = HELPERS.iter().rfind(|(first, ..)| *first <= number)?;
    let name = names.split_whitespace().nth(number - first)?;
    Some((format!("bpf_{name}"), since))
}

/// A version as `LINUX_KERNEL_VERSION` gives it.
fn to_number(version: &str) -> u32 {
    let (major, minor) = version.split_once('.').unwrap_or_default();
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    (number(major) << 16) + (number(minor) << 8)
}

#[cfg(test)]
mod tests {
    use aya_obj::generated::bpf_func_id::*;
    use aya_obj::generated::bpf_map_type::{self, *};

    use super::*;

    #[test]
    fn types_and_flags_of_maps_are_named_where_the_kernel_is_too_old() {
        for (number, name, _) in &MAP_TYPES[..6] {
            let known = bpf_map_type::try_from(*number).ok().unwrap();
            assert_eq!(
                format!("{known:?}"),
                format!("BPF_MAP_TYPE_{}", name.to_uppercase())
            );
        }
        let bloom = BPF_MAP_TYPE_BLOOM_FILTER as u32;
        let old = Some(("the type bloom_filter".to_owned(), "5.16"));
        assert_eq!(of_map(bloom, 0, 5 << 16 | 15 << 8 | 255), old);
        assert_eq!(of_map(bloom, 0, 5 << 16 | 16 << 8), None);
        let flag = Some(("the flag BPF_F_INNER_MAP".to_owned(), "5.10"));
        assert_eq!(
            of_map(BPF_MAP_TYPE_ARRAY as u32, 1 << 12, 5 << 16 | 8 << 8),
            flag
        );
        assert_eq!(of_map(BPF_MAP_TYPE_ARRAY as u32, 0, 5 << 16 | 8 << 8), None);
    }

    #[test]
    fn helpers_have_their_names_and_first_kernels() {
        for (known, since) in [
            (BPF_FUNC_skc_to_tcp6_sock, "5.9"),
            (BPF_FUNC_ktime_get_coarse_ns, "5.11"),
            (BPF_FUNC_check_mtu, "5.12"),
            (BPF_FUNC_loop, "5.17"),
            (BPF_FUNC_xdp_get_buff_len, "5.18"),
            (BPF_FUNC_cgrp_storage_delete, "6.2"),
        ] {
            let name = format!("{known:?}").replace("BPF_FUNC_", "bpf_");
            assert_eq!(of_helper(known as usize), Some((name, since)));
        }
        assert_eq!(of_helper(135), None);
        assert_eq!(of_helper(212), None);
        let mut next = 136;
        for (first, _, names) in HELPERS {
            assert_eq!(first, next);
            next += names.split_whitespace().count();
        }
    }
}
