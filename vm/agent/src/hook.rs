//! Hook: where a program of a section is attached. Pure.

use aya_obj::generated::bpf_attach_type::{BPF_XDP_CPUMAP, BPF_XDP_DEVMAP};
use aya_obj::generated::bpf_prog_type::{self, *};

use crate::section::Kind;
use crate::struct_ops::{Call, Function};

/// What a program is attached to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {
    /// An instruction of a kernel function, or its return.
    Kprobe {
        /// Name of the function.
        function: String,
        /// Bytes from its start.
        offset: u64,
        /// Whether the program runs when the function returns.
        returns: bool,
    },
    /// Functions of the kernel whose names match.
    Kprobes {
        /// A name, in which `*` and `?` are wildcards.
        pattern: String,
        /// Whether the program runs when a function returns.
        returns: bool,
    },
    /// A function of the workload.
    Uprobe {
        /// Whether the program runs when the function returns.
        returns: bool,
        /// Whether it is attached by a link for several functions.
        multi: bool,
    },
    /// A tracepoint.
    Tracepoint {
        /// Its category, such as `sched`.
        category: String,
        /// Its name.
        name: String,
    },
    /// A tracepoint, whose arguments are not converted.
    RawTracepoint(String),
    /// A function, tracepoint or LSM hook that it was loaded for.
    Loaded,
    /// An iterator over objects of the kernel, which it was loaded for.
    Iterator,
    /// The root control group.
    Cgroup,
    /// A breakpoint in the kernel, at [`breakpoint`].
    Breakpoint,
    /// The workload's TCP connections, in a sockmap.
    Sockmap,
    /// The workload's UDP servers, as groups of sockets on a port.
    Reuseport,
    /// Frames of the workload that are redirected.
    Redirect(Redirect),
    /// The workload, as a function of its congestion control or scheduler.
    Function(Function),
    /// `BPF_PROG_TEST_RUN` with so many arguments, of which the first points to zeros.
    TestRun { arguments: usize },
}

impl From<Call> for Hook {
    fn from(call: Call) -> Self {
        match call {
            Call::Registered(function) => Self::Function(function),
            Call::TestRun { arguments } => Self::TestRun { arguments },
        }
    }
}

/// What a map redirects frames to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Redirect {
    /// A network device.
    Device,
    /// A CPU.
    Cpu,
}

/// A function that the workload calls in the kernel, for a program whose section names none
/// that the kernel has.
pub const ANY_FUNCTION: &str = "vfs_read";
/// A tracepoint that it passes.
const ANY_TRACEPOINT: &str = "sys_enter";

impl Hook {
    /// The hook of the section `name`. The error says why there is none.
    pub fn of(name: &str, kind: &Kind) -> Result<Self, String> {
        let name = name.strip_prefix('?').unwrap_or(name);
        let (prefix, rest) = match name.split_once('/') {
            Some((prefix, rest)) => (prefix, Some(rest).filter(|rest| !rest.is_empty())),
            None => (name, None),
        };
        let plain = prefix.strip_suffix(".s").unwrap_or(prefix);
        let returns = plain.contains("ret");
        let prog_type = bpf_prog_type::try_from(kind.prog_type)
            .map_err(|_| "its type is not known".to_owned())?;
        Ok(match prog_type {
            BPF_PROG_TYPE_KPROBE => match plain {
                "ksyscall" | "kretsyscall" => Self::Kprobe {
                    function: system_call(rest.unwrap_or("read")),
                    offset: 0,
                    returns,
                },
                "kprobe" | "kretprobe" => {
                    let (function, offset) = at(rest.unwrap_or(ANY_FUNCTION))?;
                    Self::Kprobe {
                        function,
                        offset,
                        returns,
                    }
                }
                "uprobe" | "uretprobe" | "usdt" => Self::Uprobe {
                    returns,
                    multi: false,
                },
                _ if plain.starts_with('u') => Self::Uprobe {
                    returns,
                    multi: true,
                },
                _ => Self::Kprobes {
                    pattern: rest.unwrap_or(ANY_FUNCTION).to_owned(),
                    returns,
                },
            },
            BPF_PROG_TYPE_TRACEPOINT => match rest.and_then(|rest| rest.split_once('/')) {
                Some((category, name)) => Self::Tracepoint {
                    category: category.to_owned(),
                    name: name.to_owned(),
                },
                None => {
                    return Err(format!(
                        "section {name:?} names no tracepoint: give it one by [[program]] in bpfgate.toml, with section = {name:?} and type = \"tracepoint/CATEGORY/NAME\""
                    ));
                }
            },
            BPF_PROG_TYPE_RAW_TRACEPOINT | BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE => {
                Self::RawTracepoint(rest.unwrap_or(ANY_TRACEPOINT).to_owned())
            }
            BPF_PROG_TYPE_TRACING if plain == "iter" => Self::Iterator,
            BPF_PROG_TYPE_LSM if plain == "lsm_cgroup" => Self::Cgroup,
            BPF_PROG_TYPE_TRACING | BPF_PROG_TYPE_LSM => Self::Loaded,
            BPF_PROG_TYPE_PERF_EVENT => Self::Breakpoint,
            BPF_PROG_TYPE_CGROUP_SOCK
            | BPF_PROG_TYPE_CGROUP_DEVICE
            | BPF_PROG_TYPE_CGROUP_SOCK_ADDR
            | BPF_PROG_TYPE_CGROUP_SYSCTL
            | BPF_PROG_TYPE_CGROUP_SOCKOPT
            | BPF_PROG_TYPE_SOCK_OPS => Self::Cgroup,
            BPF_PROG_TYPE_SK_SKB | BPF_PROG_TYPE_SK_MSG => Self::Sockmap,
            BPF_PROG_TYPE_SK_REUSEPORT => Self::Reuseport,
            BPF_PROG_TYPE_XDP if kind.attach_type == BPF_XDP_DEVMAP as u32 => {
                Self::Redirect(Redirect::Device)
            }
            BPF_PROG_TYPE_XDP if kind.attach_type == BPF_XDP_CPUMAP as u32 => {
                Self::Redirect(Redirect::Cpu)
            }
            BPF_PROG_TYPE_LIRC_MODE2 => return Err("it needs an infrared receiver".into()),
            BPF_PROG_TYPE_EXT => {
                return Err("it runs in the place of another program's function".into());
            }
            _ => return Err("bpfgate cannot run programs of this type".into()),
        })
    }
}

/// The function of the kernel that has a breakpoint, which the workload calls once in a round.
pub fn breakpoint() -> String {
    system_call("getpid")
}

/// The kernel's function of a system call.
pub fn system_call(name: &str) -> String {
    format!("{SYSTEM_CALL}{name}")
}

/// Begins the names of system calls' functions.
#[cfg(target_arch = "x86_64")]
pub const SYSTEM_CALL: &str = "__x64_sys_";
/// Begins the names of system calls' functions.
#[cfg(target_arch = "aarch64")]
pub const SYSTEM_CALL: &str = "__arm64_sys_";

/// Splits `function+0x10`.
fn at(place: &str) -> Result<(String, u64), String> {
    let (function, offset) = place.split_once('+').unwrap_or((place, "0"));
    let parsed = match offset.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => offset.parse(),
    };
    parsed
        .map(|offset| (function.to_owned(), offset))
        .map_err(|_| format!("{place:?} is no place in a function"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(section: &str) -> Result<Hook, String> {
        Hook::of(section, &Kind::of(section).unwrap())
    }

    #[test]
    fn sections_name_what_is_attached_to() {
        let kprobe = |function: &str, offset, returns| Hook::Kprobe {
            function: function.into(),
            offset,
            returns,
        };
        let tracepoint = Hook::Tracepoint {
            category: "sched".into(),
            name: "sched_switch".into(),
        };
        let cases = [
            ("kprobe/do_unlinkat", kprobe("do_unlinkat", 0, false)),
            ("kprobe/tcp_close+0x10", kprobe("tcp_close", 16, false)),
            ("kretprobe", kprobe("vfs_read", 0, true)),
            ("?tp/sched/sched_switch", tracepoint),
            (
                "raw_tp/task_rename",
                Hook::RawTracepoint("task_rename".into()),
            ),
            (
                "uretprobe//bin/sh:main",
                Hook::Uprobe {
                    returns: true,
                    multi: false,
                },
            ),
            (
                "uprobe.multi.s/libc",
                Hook::Uprobe {
                    returns: false,
                    multi: true,
                },
            ),
            (
                "kretprobe.multi/tcp_*",
                Hook::Kprobes {
                    pattern: "tcp_*".into(),
                    returns: true,
                },
            ),
            ("fexit/tcp_connect", Hook::Loaded),
            ("lsm.s/file_open", Hook::Loaded),
            ("lsm_cgroup/socket_bind", Hook::Cgroup),
            ("iter.s/task", Hook::Iterator),
            ("cgroup/connect4", Hook::Cgroup),
            ("sockops", Hook::Cgroup),
            ("perf_event", Hook::Breakpoint),
            ("sk_msg", Hook::Sockmap),
            ("sk_reuseport/migrate", Hook::Reuseport),
            ("xdp/devmap", Hook::Redirect(Redirect::Device)),
            ("xdp.frags/cpumap", Hook::Redirect(Redirect::Cpu)),
        ];
        for (section, hook) in cases {
            assert_eq!(of(section), Ok(hook), "{section}");
        }
        let call = of("ksyscall/openat").unwrap();
        assert!(matches!(call, Hook::Kprobe { function, .. } if function.ends_with("_sys_openat")));
    }

    #[test]
    fn what_cannot_be_attached_is_said() {
        for (section, reason) in [
            ("tracepoint", "type = \"tracepoint/CATEGORY/NAME\""),
            ("kprobe/f+x", "no place"),
        ] {
            assert!(of(section).unwrap_err().contains(reason), "{section}");
        }
    }
}
