//! Contexts: what the type of a program's context is, by its name in BTF. Pure.
//!
//! The names are those of libbpf and of the kernel's tool veristat.

use std::collections::{BTreeMap, BTreeSet};

use aya_obj::generated::bpf_prog_type::{self, *};
use aya_obj::generated::{
    BTF_KIND_DECL_TAG, BTF_KIND_FUNC, BTF_KIND_FUNC_PROTO, BTF_KIND_INT, BTF_KIND_PTR,
    BTF_KIND_STRUCT, btf_func_linkage, btf_param,
};

use crate::btf::{self, TYPE_BYTES, kind_of, u32_at};
use crate::section::Kind;
use crate::types::Types;

/// Bytes of a function's parameter.
const PARAM_BYTES: usize = size_of::<btf_param>();
/// The most parameters of a function that the kernel takes.
const MAX_PARAMS: usize = 5;
/// The largest BTF that the kernel takes, in bytes.
const MAX_BTF_BYTES: usize = 1 << 24;

/// Names of contexts by program type; libbpf's `global_ctx_map`.
const NAMES: [(bpf_prog_type, &str); 25] = [
    (BPF_PROG_TYPE_SOCKET_FILTER, "__sk_buff"),
    (BPF_PROG_TYPE_KPROBE, "bpf_user_pt_regs_t"),
    (BPF_PROG_TYPE_SCHED_CLS, "__sk_buff"),
    (BPF_PROG_TYPE_SCHED_ACT, "__sk_buff"),
    (BPF_PROG_TYPE_XDP, "xdp_md"),
    (BPF_PROG_TYPE_PERF_EVENT, "bpf_perf_event_data"),
    (BPF_PROG_TYPE_CGROUP_SKB, "__sk_buff"),
    (BPF_PROG_TYPE_CGROUP_SOCK, "bpf_sock"),
    (BPF_PROG_TYPE_LWT_IN, "__sk_buff"),
    (BPF_PROG_TYPE_LWT_OUT, "__sk_buff"),
    (BPF_PROG_TYPE_LWT_XMIT, "__sk_buff"),
    (BPF_PROG_TYPE_SOCK_OPS, "bpf_sock_ops"),
    (BPF_PROG_TYPE_SK_SKB, "__sk_buff"),
    (BPF_PROG_TYPE_CGROUP_DEVICE, "bpf_cgroup_dev_ctx"),
    (BPF_PROG_TYPE_SK_MSG, "sk_msg_md"),
    (BPF_PROG_TYPE_RAW_TRACEPOINT, "bpf_raw_tracepoint_args"),
    (BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "bpf_sock_addr"),
    (BPF_PROG_TYPE_LWT_SEG6LOCAL, "__sk_buff"),
    (BPF_PROG_TYPE_SK_REUSEPORT, "sk_reuseport_md"),
    (BPF_PROG_TYPE_FLOW_DISSECTOR, "__sk_buff"),
    (BPF_PROG_TYPE_CGROUP_SYSCTL, "bpf_sysctl"),
    (
        BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE,
        "bpf_raw_tracepoint_args",
    ),
    (BPF_PROG_TYPE_CGROUP_SOCKOPT, "bpf_sockopt"),
    (BPF_PROG_TYPE_SK_LOOKUP, "bpf_sk_lookup"),
    (BPF_PROG_TYPE_NETFILTER, "bpf_nf_ctx"),
];

/// Names of contexts, for programs and in the kernel, and a section whose programs have that
/// context. Several have the same; this is veristat's choice (`guess_prog_type_by_ctx_name`).
const SECTIONS: [(&str, &str, &str); 14] = [
    ("__sk_buff", "sk_buff", "tc"),
    ("bpf_sock", "sock", "cgroup/post_bind4"),
    ("bpf_sock_addr", "bpf_sock_addr_kern", "cgroup/bind4"),
    ("bpf_sock_ops", "bpf_sock_ops_kern", "sockops"),
    ("sk_msg_md", "sk_msg", "sk_msg"),
    ("bpf_cgroup_dev_ctx", "bpf_cgroup_dev_ctx", "cgroup/dev"),
    ("bpf_sysctl", "bpf_sysctl_kern", "cgroup/sysctl"),
    ("bpf_sockopt", "bpf_sockopt_kern", "cgroup/setsockopt"),
    (
        "sk_reuseport_md",
        "sk_reuseport_kern",
        "sk_reuseport/migrate",
    ),
    ("bpf_sk_lookup", "bpf_sk_lookup_kern", "sk_lookup"),
    ("xdp_md", "xdp_buff", "xdp"),
    ("bpf_user_pt_regs_t", "pt_regs", "kprobe"),
    (
        "bpf_perf_event_data",
        "bpf_perf_event_data_kern",
        "perf_event",
    ),
    // The kernel has no name for this one.
    (
        "bpf_raw_tracepoint_args",
        "bpf_raw_tracepoint_args",
        "raw_tp",
    ),
];

/// The kind of program that an extension program (`freplace`) is verified as: the one that
/// has its only parameter as its context. Like veristat, which guesses it as well
/// (`fixup_obj` in the kernel's `tools/testing/selftests/bpf/veristat.c`).
pub fn of_extension(types: &Types, program: &str) -> Option<Kind> {
    let mut functions = types.named(BTF_KIND_FUNC);
    let (_, _, function) = functions.find(|(name, ..)| *name == program.as_bytes())?;
    let proto = types.get(u32_at(function, 8)?)?;
    let is_proto = kind_of(u32_at(proto, 4)?) == BTF_KIND_FUNC_PROTO;
    if !is_proto || proto.len() != TYPE_BYTES + PARAM_BYTES {
        return None;
    }
    let pointer = types.unqualified(u32_at(proto, TYPE_BYTES + 4)?)?;
    if kind_of(u32_at(pointer, 4)?) != BTF_KIND_PTR {
        return None;
    }
    let context = types.unqualified(u32_at(pointer, 8)?)?;
    let name = types.name(u32_at(context, 0)?)?;
    let (.., section) = SECTIONS
        .iter()
        .find(|(program, kernel, _)| [program.as_bytes(), kernel.as_bytes()].contains(&name))?;
    Kind::of(section).ok()
}

/// An object's BTF with further versions of functions.
pub struct Retyped {
    /// The BTF.
    pub blob: Vec<u8>,
    /// BTF ids of the versions, by program type and the function's own BTF id.
    pub functions: BTreeMap<(u32, u32), u32>,
}

/// Adds versions of the global functions that have parameters with the tag `arg:ctx`: for
/// each type of program one that has its context there. Kernels before 6.8 do not know the
/// tag, and newer ones take both; as in libbpf (`bpf_program_fixup_func_info`).
///
/// `original`: the types of `blob` before any was replaced for the kernel. `None`: there is
/// nothing to add.
pub fn retype(blob: &[u8], original: &Types, prog_types: &BTreeSet<u32>) -> Option<Retyped> {
    let mut tagged: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (name, _, tag) in original.named(BTF_KIND_DECL_TAG) {
        if name == b"arg:ctx" {
            let parameters = tagged.entry(u32_at(tag, 8)?).or_default();
            parameters.insert(u32_at(tag, TYPE_BYTES)? as usize);
        }
    }
    if tagged.is_empty() {
        return None;
    }
    let old = Types::parse(blob)?;
    let mut types = old.types.to_vec();
    let mut strings = old.strings.to_vec();
    let mut next = old.ids().end;
    let mut add = |ty: &[u8]| {
        types.extend(ty);
        next += 1;
        next - 1
    };
    let words = |words: [u32; 3]| words.map(u32::to_ne_bytes).concat();
    let mut functions = BTreeMap::new();
    let wanted = |(ty, _): &(bpf_prog_type, _)| prog_types.contains(&(*ty as u32));
    for (prog_type, context) in NAMES.into_iter().filter(wanted) {
        let mut pointer = None;
        for (&id, parameters) in &tagged {
            let Some((function, proto)) = global(&old, id) else {
                continue;
            };
            let mut proto = proto.to_vec();
            let mut is_new = false;
            for place in parameters
                .iter()
                .map(|at| TYPE_BYTES + at.saturating_mul(PARAM_BYTES))
            {
                let ty = place.checked_add(4).and_then(|at| u32_at(&proto, at));
                if !ty.is_some_and(|ty| needs_context(&old, ty, prog_type)) {
                    continue;
                }
                let pointer = *pointer.get_or_insert_with(|| {
                    let name = strings.len() as u32;
                    strings.extend(context.bytes().chain([0]));
                    let structure = add(&words([name, BTF_KIND_STRUCT << 24, 0]));
                    add(&words([0, BTF_KIND_PTR << 24, structure]))
                });
                proto[place + 4..place + 8].copy_from_slice(&pointer.to_ne_bytes());
                is_new = true;
            }
            if is_new {
                let proto = add(&proto);
                let (name, info) = (u32_at(function, 0)?, u32_at(function, 4)?);
                functions.insert((prog_type as u32, id), add(&words([name, info, proto])));
            }
        }
    }
    let is_small = types.len() + strings.len() < MAX_BTF_BYTES;
    Some(Retyped {
        blob: btf::join(blob, &types, &strings).filter(|_| is_small)?,
        functions,
    })
}

/// A function that is verified by itself, and its type.
fn global<'a>(types: &Types<'a>, id: u32) -> Option<(&'a [u8], &'a [u8])> {
    let function = types.get(id)?;
    let info = u32_at(function, 4)?;
    let proto = types.get(u32_at(function, 8)?)?;
    let is_it = kind_of(info) == BTF_KIND_FUNC
        && info & 0xffff == btf_func_linkage::BTF_FUNC_GLOBAL as u32
        && kind_of(u32_at(proto, 4)?) == BTF_KIND_FUNC_PROTO
        && proto.len() <= TYPE_BYTES + MAX_PARAMS * PARAM_BYTES;
    is_it.then_some((function, proto))
}

/// Whether a parameter has a type that a kernel without the tag does not take for the
/// context, but libbpf does (`need_func_arg_type_fixup`).
fn needs_context(types: &Types, parameter: u32, prog_type: bpf_prog_type) -> bool {
    let Some((BTF_KIND_PTR, pointer)) = types.plain(parameter) else {
        return false;
    };
    let id = u32_at(pointer, 8).unwrap_or_default();
    let Some((kind, pointed)) = types.plain(id) else {
        return types.is_void(id);
    };
    match kind {
        BTF_KIND_STRUCT => {
            let name = u32_at(pointed, 0).and_then(|name| types.name(name));
            let is_one = matches!(prog_type, BPF_PROG_TYPE_KPROBE | BPF_PROG_TYPE_PERF_EVENT);
            is_one && name == Some(b"pt_regs")
        }
        BTF_KIND_INT => {
            matches!(
                prog_type,
                BPF_PROG_TYPE_RAW_TRACEPOINT | BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE
            ) && u32_at(pointed, 8) == Some(8)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf;

    const NEWER: &[u8] = include_bytes!("../tests/fixtures/newer.bpf.o");

    #[test]
    fn an_extension_is_of_the_type_that_its_context_says() {
        let prepared = elf::prepare(NEWER, &BTreeMap::new()).unwrap();
        let types = Types::parse(&prepared.btf).unwrap();
        assert_eq!(of_extension(&types, "replaces"), Kind::of("xdp").ok());
        assert!(
            SECTIONS
                .iter()
                .all(|(.., section)| Kind::of(section).is_ok())
        );
        // A context of any type, two parameters, no function.
        for program in ["replaces_unknown", "bpf_throw", "arena"] {
            assert_eq!(of_extension(&types, program), None);
        }
    }

    #[test]
    fn a_tagged_parameter_has_the_context_of_each_type_of_program() {
        let prepared = elf::prepare(NEWER, &BTreeMap::new()).unwrap();
        let original = Types::parse(&prepared.btf).unwrap();
        let mut functions = original.named(BTF_KIND_FUNC);
        let tagged = functions.find(|(name, ..)| *name == b"tagged").unwrap().1;
        let [kprobe, tracepoint, raw_tracepoint] = [2, 5, 17];
        let prog_types = BTreeSet::from([kprobe, tracepoint, raw_tracepoint]);
        let retyped = retype(&prepared.btf, &original, &prog_types).unwrap();
        let types = Types::parse(&retyped.blob).unwrap();
        let name = |ty: &[u8]| types.text(u32_at(ty, 0).unwrap());
        let contexts: Vec<_> = retyped
            .functions
            .iter()
            .map(|(&(prog_type, own), &id)| {
                let (function, proto) = global(&types, id).unwrap();
                assert_eq!((own, name(function)), (tagged, "tagged".to_owned()));
                let (_, pointer) = types.plain(u32_at(proto, TYPE_BYTES + 4).unwrap()).unwrap();
                let context = types.get(u32_at(pointer, 8).unwrap()).unwrap();
                (prog_type, name(context))
            })
            .collect();
        let wanted = [
            (kprobe, "bpf_user_pt_regs_t".to_owned()),
            (raw_tracepoint, "bpf_raw_tracepoint_args".to_owned()),
        ];
        assert_eq!(contexts, wanted);
        // The others keep their ids.
        assert!(types.types.starts_with(original.types));
    }
}
