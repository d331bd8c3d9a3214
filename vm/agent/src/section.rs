//! Section: derives from an ELF section's name how its programs are loaded. Pure.
//!
//! The names are those that libbpf defines; Aya and others conform to them:
//! <https://docs.kernel.org/bpf/libbpf/program_types.html>.

use aya_obj::generated::bpf_prog_type::{self, *};
use aya_obj::generated::{BPF_F_SLEEPABLE, BPF_F_XDP_HAS_FRAGS, bpf_attach_type as attach};

/// Load parameters of the programs of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// Number in `enum bpf_prog_type`.
    pub prog_type: u32,
    /// Number in `enum bpf_attach_type`; 0 if the type has none.
    pub attach_type: u32,
    /// Flags of `BPF_PROG_LOAD`.
    pub flags: u32,
    /// The attach target; the verifier needs its types.
    pub target: Target,
    /// The requirement on a kernel, if some kernels from 5.8 on do not meet it.
    pub needs: Option<&'static str>,
}

/// An item in the kernel's own BTF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Nothing.
    None,
    /// A function.
    Function(String),
    /// A typedef, as tracepoints have.
    Typedef(String),
    /// A member of a structure of functions, which the object's data names.
    Operation,
    /// Needed, but not named by the section: a loader would supply it at run time.
    Unnamed,
    /// A function of another program, which a loader would supply at run time.
    Program,
}

/// The first kernels that support some sections.
const K5_9: &str = "kernel 5.9 or newer";
const K5_10: &str = "kernel 5.10 or newer";
const K5_14: &str = "kernel 5.14 or newer";
const K5_18: &str = "kernel 5.18 or newer";
const K6_0: &str = "kernel 6.0 or newer, with CONFIG_BPF_LSM=y";
const K6_3: &str = "kernel 6.3 or newer";
const K6_4: &str = "kernel 6.4 or newer, with CONFIG_NETFILTER_BPF_LINK=y";
const K6_6: &str = "kernel 6.6 or newer";
const K6_7: &str = "kernel 6.7 or newer";
const K6_10: &str = "kernel 6.10 or newer";
const K6_13: &str = "kernel 6.13 or newer";
const BPF_LSM: &str = "a kernel with CONFIG_BPF_LSM=y";

/// Attach types of `linux/bpf.h` that `aya-obj` does not have yet.
const TRACE_KPROBE_SESSION: u32 = 56;
const TRACE_UPROBE_SESSION: u32 = 57;

impl Kind {
    const fn new(prog_type: bpf_prog_type) -> Self {
        Self {
            prog_type: prog_type as u32,
            attach_type: 0,
            flags: 0,
            target: Target::None,
            needs: None,
        }
    }

    fn attach(mut self, attach_type: attach) -> Self {
        self.attach_type = attach_type as u32;
        self
    }

    fn needs(mut self, needs: &'static str) -> Self {
        self.needs = Some(needs);
        self
    }

    fn flag(mut self, flag: u32, needs: &'static str) -> Self {
        self.flags |= flag;
        self.needs(needs)
    }

    fn sleepable(self) -> Self {
        self.flag(BPF_F_SLEEPABLE, K5_10)
    }

    fn target(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// The kind of the section `name`. The error says why its programs cannot be loaded,
    /// and what to do.
    pub fn of(name: &str) -> Result<Self, String> {
        // libbpf does not load these by default.
        let name = name.strip_prefix('?').unwrap_or(name);
        let (kind, rest) = match name.split_once('/') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (name, None),
        };
        if let Some(kind) = tracing(kind, rest)? {
            return Ok(kind);
        }
        Ok(match kind {
            "socket" => Self::new(BPF_PROG_TYPE_SOCKET_FILTER),
            "kprobe" | "kretprobe" | "ksyscall" | "kretsyscall" | "uprobe" | "uretprobe"
            | "usdt" => Self::new(BPF_PROG_TYPE_KPROBE),
            "uprobe.s" | "uretprobe.s" | "usdt.s" => {
                Self::new(BPF_PROG_TYPE_KPROBE).flag(BPF_F_SLEEPABLE, "kernel 6.0 or newer")
            }
            "kprobe.multi" | "kretprobe.multi" => Self::new(BPF_PROG_TYPE_KPROBE)
                .attach(attach::BPF_TRACE_KPROBE_MULTI)
                .needs(K5_18),
            "kprobe.session" => Self {
                attach_type: TRACE_KPROBE_SESSION,
                ..Self::new(BPF_PROG_TYPE_KPROBE).needs(K6_10)
            },
            "uprobe.multi" | "uretprobe.multi" => Self::new(BPF_PROG_TYPE_KPROBE)
                .attach(attach::BPF_TRACE_UPROBE_MULTI)
                .needs(K6_6),
            "uprobe.multi.s" | "uretprobe.multi.s" => Self::new(BPF_PROG_TYPE_KPROBE)
                .attach(attach::BPF_TRACE_UPROBE_MULTI)
                .flag(BPF_F_SLEEPABLE, K6_6),
            "uprobe.session" => Self {
                attach_type: TRACE_UPROBE_SESSION,
                ..Self::new(BPF_PROG_TYPE_KPROBE).needs(K6_13)
            },
            "uprobe.session.s" => Self {
                attach_type: TRACE_UPROBE_SESSION,
                ..Self::new(BPF_PROG_TYPE_KPROBE).flag(BPF_F_SLEEPABLE, K6_13)
            },
            // Kernels without tcx ignore the attach type.
            "tc" | "tcx" | "classifier" => {
                let tc = Self::new(BPF_PROG_TYPE_SCHED_CLS);
                match rest {
                    Some("ingress") if kind != "classifier" => tc.attach(attach::BPF_TCX_INGRESS),
                    Some("egress") if kind != "classifier" => tc.attach(attach::BPF_TCX_EGRESS),
                    _ => tc,
                }
            }
            "netkit" => {
                let netkit = Self::new(BPF_PROG_TYPE_SCHED_CLS).needs(K6_7);
                match rest {
                    Some("primary") => netkit.attach(attach::BPF_NETKIT_PRIMARY),
                    Some("peer") => netkit.attach(attach::BPF_NETKIT_PEER),
                    _ => return Err(unknown(name)),
                }
            }
            "action" => Self::new(BPF_PROG_TYPE_SCHED_ACT),
            "tracepoint" | "tp" => Self::new(BPF_PROG_TYPE_TRACEPOINT),
            "xdp" | "xdp.frags" => {
                let xdp = Self::new(BPF_PROG_TYPE_XDP);
                let xdp = match kind {
                    "xdp" => xdp,
                    _ => xdp.flag(BPF_F_XDP_HAS_FRAGS, K5_18),
                };
                match rest {
                    Some("devmap") => xdp.attach(attach::BPF_XDP_DEVMAP),
                    // Kernel 5.8 distinguishes attach types of XDP only for devmap.
                    Some("cpumap") => xdp.attach(attach::BPF_XDP_CPUMAP),
                    _ => xdp.attach(attach::BPF_XDP),
                }
            }
            "perf_event" => Self::new(BPF_PROG_TYPE_PERF_EVENT),
            "cgroup_skb" | "cgroup" => {
                return cgroup(kind, rest.unwrap_or_default()).ok_or_else(|| unknown(name));
            }
            "lwt_in" => Self::new(BPF_PROG_TYPE_LWT_IN),
            "lwt_out" => Self::new(BPF_PROG_TYPE_LWT_OUT),
            "lwt_xmit" => Self::new(BPF_PROG_TYPE_LWT_XMIT),
            "lwt_seg6local" => Self::new(BPF_PROG_TYPE_LWT_SEG6LOCAL),
            "sockops" => Self::new(BPF_PROG_TYPE_SOCK_OPS).attach(attach::BPF_CGROUP_SOCK_OPS),
            "sk_skb" => {
                let sk_skb = Self::new(BPF_PROG_TYPE_SK_SKB);
                match rest {
                    None => sk_skb,
                    Some("stream_parser") => sk_skb.attach(attach::BPF_SK_SKB_STREAM_PARSER),
                    Some("stream_verdict") => sk_skb.attach(attach::BPF_SK_SKB_STREAM_VERDICT),
                    Some("verdict") => sk_skb.attach(attach::BPF_SK_SKB_VERDICT),
                    Some(_) => return Err(unknown(name)),
                }
            }
            "sk_msg" => Self::new(BPF_PROG_TYPE_SK_MSG).attach(attach::BPF_SK_MSG_VERDICT),
            "raw_tracepoint" | "raw_tp" => Self::new(BPF_PROG_TYPE_RAW_TRACEPOINT),
            "raw_tracepoint.w" | "raw_tp.w" => Self::new(BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE),
            "lirc_mode2" => Self::new(BPF_PROG_TYPE_LIRC_MODE2)
                .attach(attach::BPF_LIRC_MODE2)
                .needs("a kernel with CONFIG_BPF_LIRC_MODE2=y"),
            "sk_reuseport" => match rest {
                Some("migrate") => Self::new(BPF_PROG_TYPE_SK_REUSEPORT)
                    .attach(attach::BPF_SK_REUSEPORT_SELECT_OR_MIGRATE)
                    .needs(K5_14),
                _ => Self::new(BPF_PROG_TYPE_SK_REUSEPORT).attach(attach::BPF_SK_REUSEPORT_SELECT),
            },
            "flow_dissector" => {
                Self::new(BPF_PROG_TYPE_FLOW_DISSECTOR).attach(attach::BPF_FLOW_DISSECTOR)
            }
            "sk_lookup" => Self::new(BPF_PROG_TYPE_SK_LOOKUP)
                .attach(attach::BPF_SK_LOOKUP)
                .needs(K5_9),
            "syscall" => Self::new(BPF_PROG_TYPE_SYSCALL).flag(BPF_F_SLEEPABLE, K5_14),
            "netfilter" => Self::new(BPF_PROG_TYPE_NETFILTER)
                .attach(attach::BPF_NETFILTER)
                .needs(K6_4),
            "struct_ops" => Self::new(BPF_PROG_TYPE_STRUCT_OPS).target(Target::Operation),
            "struct_ops.s" => Self::new(BPF_PROG_TYPE_STRUCT_OPS)
                .flag(BPF_F_SLEEPABLE, K6_3)
                .target(Target::Operation),
            "freplace" => Self::new(BPF_PROG_TYPE_EXT).target(Target::Program),
            _ => return Err(unknown(name)),
        })
    }
}

/// What to do where a loader says at run time what a program attaches to.
pub const NAME_IT: &str = "name one by [[program]] in bpfgate.toml";

/// The part of a section's name that stands for what the program attaches to, where it is a word
/// that no function of the kernel has as its name, such as `func` in `fentry/func`.
pub fn placeholder(section: &str) -> Option<&str> {
    const WORDS: [&str; 12] = [
        "func",
        "function",
        "func_name",
        "function_name",
        "fn",
        "name",
        "target",
        "todo",
        "none",
        "foo",
        "bar",
        "unused",
    ];
    const BEGINNINGS: [&str; 4] = ["dummy", "placeholder", "target_", "fake_"];
    let (_, rest) = section.split_once('/')?;
    let lower = rest.to_lowercase();
    let is_only = |letter: char| !lower.is_empty() && lower.chars().all(|each| each == letter);
    let is_placeholder = WORDS.contains(&lower.as_str())
        || BEGINNINGS.iter().any(|start| lower.starts_with(start))
        || is_only('x')
        || is_only('_');
    is_placeholder.then_some(rest)
}

/// Whether a section's name says a type of program, which a kernel or this agent may not support.
pub fn is_known(name: &str) -> bool {
    Kind::of(name) != Err(unknown(name.strip_prefix('?').unwrap_or(name)))
}

fn unknown(name: &str) -> String {
    format!(
        "section {name:?} names no type of program: give it one by [[program]] in bpfgate.toml, with section = {name:?} and type = \"xdp\" or another of docs.kernel.org/bpf/libbpf/program_types.html"
    )
}

/// Programs whose target is in the kernel's BTF; `None`: `kind` is not among them.
fn tracing(kind: &str, rest: Option<&str>) -> Result<Option<Kind>, String> {
    let (plain, sleepable) = match kind.strip_suffix(".s") {
        Some(plain) => (plain, true),
        None => (kind, false),
    };
    let traces = |to| Kind::new(BPF_PROG_TYPE_TRACING).attach(to);
    let lsm = |to| Kind::new(BPF_PROG_TYPE_LSM).attach(to);
    let (kind, prefix) = match plain {
        "tp_btf" => (traces(attach::BPF_TRACE_RAW_TP), "btf_trace_"),
        "fentry" => (traces(attach::BPF_TRACE_FENTRY), ""),
        "fexit" => (traces(attach::BPF_TRACE_FEXIT), ""),
        "fmod_ret" => (traces(attach::BPF_MODIFY_RETURN), ""),
        "iter" => (traces(attach::BPF_TRACE_ITER), "bpf_iter_"),
        "lsm" => (lsm(attach::BPF_LSM_MAC).needs(BPF_LSM), "bpf_lsm_"),
        "lsm_cgroup" => (lsm(attach::BPF_LSM_CGROUP).needs(K6_0), "bpf_lsm_"),
        _ => return Ok(None),
    };
    let target = match rest {
        None | Some("") => Target::Unnamed,
        Some(rest) if rest.contains(':') => {
            return Err(format!(
                "it needs a loader that finds functions of modules, such as {rest}"
            ));
        }
        Some(rest) if plain == "tp_btf" => Target::Typedef(format!("{prefix}{rest}")),
        Some(rest) => Target::Function(format!("{prefix}{rest}")),
    };
    let kind = if sleepable { kind.sleepable() } else { kind };
    Ok(Some(kind.target(target)))
}

fn cgroup(kind: &str, rest: &str) -> Option<Kind> {
    use attach as a;
    const SKB: bpf_prog_type = BPF_PROG_TYPE_CGROUP_SKB;
    const SOCK: bpf_prog_type = BPF_PROG_TYPE_CGROUP_SOCK;
    const DEVICE: bpf_prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    const SOCK_ADDR: bpf_prog_type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR;
    const SYSCTL: bpf_prog_type = BPF_PROG_TYPE_CGROUP_SYSCTL;
    const SOCKOPT: bpf_prog_type = BPF_PROG_TYPE_CGROUP_SOCKOPT;
    if kind == "cgroup_skb" {
        return match rest {
            "" => Some(Kind::new(SKB)),
            "ingress" => Some(Kind::new(SKB).attach(a::BPF_CGROUP_INET_INGRESS)),
            "egress" => Some(Kind::new(SKB).attach(a::BPF_CGROUP_INET_EGRESS)),
            _ => None,
        };
    }
    let address = |attach_type| Kind::new(SOCK_ADDR).attach(attach_type);
    Some(match rest {
        "skb" => Kind::new(SKB),
        "sock" | "sock_create" => Kind::new(SOCK).attach(a::BPF_CGROUP_INET_SOCK_CREATE),
        "sock_release" => Kind::new(SOCK)
            .attach(a::BPF_CGROUP_INET_SOCK_RELEASE)
            .needs(K5_9),
        "post_bind4" => Kind::new(SOCK).attach(a::BPF_CGROUP_INET4_POST_BIND),
        "post_bind6" => Kind::new(SOCK).attach(a::BPF_CGROUP_INET6_POST_BIND),
        "dev" => Kind::new(DEVICE).attach(a::BPF_CGROUP_DEVICE),
        "sysctl" => Kind::new(SYSCTL).attach(a::BPF_CGROUP_SYSCTL),
        "getsockopt" => Kind::new(SOCKOPT).attach(a::BPF_CGROUP_GETSOCKOPT),
        "setsockopt" => Kind::new(SOCKOPT).attach(a::BPF_CGROUP_SETSOCKOPT),
        "bind4" => address(a::BPF_CGROUP_INET4_BIND),
        "bind6" => address(a::BPF_CGROUP_INET6_BIND),
        "connect4" => address(a::BPF_CGROUP_INET4_CONNECT),
        "connect6" => address(a::BPF_CGROUP_INET6_CONNECT),
        "connect_unix" => address(a::BPF_CGROUP_UNIX_CONNECT).needs(K6_7),
        "sendmsg4" => address(a::BPF_CGROUP_UDP4_SENDMSG),
        "sendmsg6" => address(a::BPF_CGROUP_UDP6_SENDMSG),
        "sendmsg_unix" => address(a::BPF_CGROUP_UNIX_SENDMSG).needs(K6_7),
        "recvmsg4" => address(a::BPF_CGROUP_UDP4_RECVMSG),
        "recvmsg6" => address(a::BPF_CGROUP_UDP6_RECVMSG),
        "recvmsg_unix" => address(a::BPF_CGROUP_UNIX_RECVMSG).needs(K6_7),
        "getpeername4" => address(a::BPF_CGROUP_INET4_GETPEERNAME),
        "getpeername6" => address(a::BPF_CGROUP_INET6_GETPEERNAME),
        "getpeername_unix" => address(a::BPF_CGROUP_UNIX_GETPEERNAME).needs(K6_7),
        "getsockname4" => address(a::BPF_CGROUP_INET4_GETSOCKNAME),
        "getsockname6" => address(a::BPF_CGROUP_INET6_GETSOCKNAME),
        "getsockname_unix" => address(a::BPF_CGROUP_UNIX_GETSOCKNAME).needs(K6_7),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpf::prog_type_name;

    fn of(name: &str) -> (String, u32, u32) {
        let kind = Kind::of(name).unwrap();
        (prog_type_name(kind.prog_type), kind.attach_type, kind.flags)
    }

    #[test]
    fn names_say_type_attach_type_and_flags() {
        let cases = [
            ("xdp", "xdp", 37, 0),
            ("xdp.frags/cpumap", "xdp", 35, BPF_F_XDP_HAS_FRAGS),
            ("?tc", "sched_cls", 0, 0),
            ("tcx/egress", "sched_cls", 47, 0),
            ("classifier/ingress", "sched_cls", 0, 0),
            ("kprobe/do_unlinkat", "kprobe", 0, 0),
            ("kprobe.multi/tcp_*", "kprobe", 42, 0),
            ("uprobe.multi.s/libc", "kprobe", 48, BPF_F_SLEEPABLE),
            ("tracepoint/sched/sched_switch", "tracepoint", 0, 0),
            ("raw_tp.w/x", "raw_tracepoint_writable", 0, 0),
            ("cgroup_skb/egress", "cgroup_skb", 1, 0),
            ("cgroup/connect4", "cgroup_sock_addr", 10, 0),
            ("sk_skb/verdict", "sk_skb", 38, 0),
            ("syscall", "syscall", 0, BPF_F_SLEEPABLE),
            ("lsm.s/file_open", "lsm", 27, BPF_F_SLEEPABLE),
            ("iter/task", "tracing", 28, 0),
            ("struct_ops.s/init", "struct_ops", 0, BPF_F_SLEEPABLE),
        ];
        for (name, prog_type, attach_type, flags) in cases {
            assert_eq!(of(name), (prog_type.into(), attach_type, flags), "{name}");
        }
    }

    #[test]
    fn tracing_programs_have_targets() {
        let target = |name| Kind::of(name).unwrap().target;
        let function = |name: &str| Target::Function(name.into());
        assert_eq!(target("fentry/tcp_connect"), function("tcp_connect"));
        assert_eq!(target("lsm/file_open"), function("bpf_lsm_file_open"));
        assert_eq!(target("iter.s/task"), function("bpf_iter_task"));
        let typedef = Target::Typedef("btf_trace_sched_switch".into());
        assert_eq!(target("tp_btf/sched_switch"), typedef);
        assert_eq!(target("fexit"), Target::Unnamed);
        assert_eq!(target("freplace/f"), Target::Program);
        assert_eq!(target("kprobe/x"), Target::None);
    }

    #[test]
    fn words_that_stand_for_a_function_are_known() {
        for section in [
            "fentry/func",
            "fentry/XXX",
            "?fexit/dummy_fexit",
            "lsm/placeholder",
        ] {
            assert!(placeholder(section).is_some(), "{section}");
        }
        for section in [
            "fentry/tcp_connect",
            "fentry/",
            "fentry",
            "fentry/function_graph",
        ] {
            assert_eq!(placeholder(section), None, "{section}");
        }
        assert_eq!(placeholder("fentry.s/TARGET"), Some("TARGET"));
    }

    #[test]
    fn what_cannot_be_loaded_is_said() {
        let error = |name| Kind::of(name).unwrap_err();
        assert!(error("my_section").contains("my_section"));
        assert!(error("cgroup/nothing").contains("cgroup/nothing"));
        assert!(error("fentry/nf_tables:nft_do_chain").contains("modules"));
    }
}
