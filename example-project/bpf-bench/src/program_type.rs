//! Types of BPF programs, and what `BPF_PROG_TEST_RUN` supports for each.

use std::fmt;

use crate::KernelVersion;

/// A type of BPF programs, by its number in `enum bpf_prog_type`. Printed as the kernel's name in
/// lower case, or `type_NN` if it is newer than this library.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ProgramType(pub u32);

/// The input of `BPF_PROG_TEST_RUN` for a type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Takes {
    /// A packet, and optionally a context.
    Packet,
    /// A context only.
    Context,
}

/// Names of `enum bpf_prog_type`, by number.
const NAMES: [&str; 33] = [
    "unspec",
    "socket_filter",
    "kprobe",
    "sched_cls",
    "sched_act",
    "tracepoint",
    "xdp",
    "perf_event",
    "cgroup_skb",
    "cgroup_sock",
    "lwt_in",
    "lwt_out",
    "lwt_xmit",
    "sock_ops",
    "sk_skb",
    "cgroup_device",
    "sk_msg",
    "raw_tracepoint",
    "cgroup_sock_addr",
    "lwt_seg6local",
    "lirc_mode2",
    "sk_reuseport",
    "flow_dissector",
    "cgroup_sysctl",
    "raw_tracepoint_writable",
    "cgroup_sockopt",
    "tracing",
    "struct_ops",
    "ext",
    "lsm",
    "sk_lookup",
    "syscall",
    "netfilter",
];

impl ProgramType {
    /// Filters packets on a socket.
    pub const SOCKET_FILTER: Self = Self(1);
    /// Probes of kernel and user functions.
    pub const KPROBE: Self = Self(2);
    /// Classifies packets for `tc`.
    pub const SCHED_CLS: Self = Self(3);
    /// Acts on packets for `tc`.
    pub const SCHED_ACT: Self = Self(4);
    /// Static tracepoints.
    pub const TRACEPOINT: Self = Self(5);
    /// Packets before the kernel's own stack sees them.
    pub const XDP: Self = Self(6);
    /// Samples and other perf events.
    pub const PERF_EVENT: Self = Self(7);
    /// Packets of a cgroup's sockets.
    pub const CGROUP_SKB: Self = Self(8);
    /// Static tracepoints, with raw arguments.
    pub const RAW_TRACEPOINT: Self = Self(17);
    /// Programs that are called from user space only.
    pub const SYSCALL: Self = Self(31);

    /// The input of a test run, and the release that added it. `None`: the type has no test run of
    /// its own.
    ///
    /// Test runs of tracing and struct_ops programs call the kernel's test functions or fake
    /// operations, instead of the program with an input.
    pub(crate) const fn test_run(self) -> Option<(Takes, KernelVersion)> {
        const fn since(takes: Takes, major: u32, minor: u32) -> Option<(Takes, KernelVersion)> {
            Some((takes, KernelVersion::new(major, minor)))
        }
        match self.0 {
            // socket_filter, sched_cls, sched_act, xdp, cgroup_skb, lwt_*
            1 | 3 | 4 | 6 | 8 | 10 | 11 | 12 => since(Takes::Packet, 4, 12),
            // lwt_seg6local
            19 => since(Takes::Packet, 4, 18),
            // flow_dissector
            22 => since(Takes::Packet, 5, 1),
            // netfilter
            32 => since(Takes::Packet, 6, 4),
            // raw_tracepoint, and raw_tracepoint_writable
            17 | 24 => since(Takes::Context, 5, 10),
            // sk_lookup
            30 => since(Takes::Context, 5, 13),
            // syscall
            31 => since(Takes::Context, 5, 14),
            _ => None,
        }
    }

    /// The verdict with which an empty program lets everything pass, for the types that
    /// `BPF_PROG_TEST_RUN` repeats on every kernel from 5.8 on.
    pub(crate) const fn empty_verdict(self) -> Option<i32> {
        match self {
            Self::SOCKET_FILTER | Self::SCHED_CLS => Some(0),
            Self::XDP => Some(2),
            Self::CGROUP_SKB => Some(1),
            _ => None,
        }
    }
}

impl fmt::Display for ProgramType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
            Some(name) => out.write_str(name),
            None => write!(out, "type_{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_kernels_names() {
        for (program_type, name) in [
            (ProgramType::SOCKET_FILTER, "socket_filter"),
            (ProgramType::KPROBE, "kprobe"),
            (ProgramType::SCHED_CLS, "sched_cls"),
            (ProgramType::SCHED_ACT, "sched_act"),
            (ProgramType::TRACEPOINT, "tracepoint"),
            (ProgramType::XDP, "xdp"),
            (ProgramType::PERF_EVENT, "perf_event"),
            (ProgramType::CGROUP_SKB, "cgroup_skb"),
            (ProgramType::RAW_TRACEPOINT, "raw_tracepoint"),
            (ProgramType::SYSCALL, "syscall"),
            (ProgramType(32), "netfilter"),
            (ProgramType(77), "type_77"),
        ] {
            assert_eq!(program_type.to_string(), name);
        }
    }

    #[test]
    fn probes_have_no_test_run() {
        for program_type in [
            ProgramType::KPROBE,
            ProgramType::TRACEPOINT,
            ProgramType::PERF_EVENT,
            ProgramType(26),
        ] {
            assert_eq!(program_type.test_run(), None, "{program_type}");
        }
    }

    #[test]
    fn every_type_with_an_empty_program_takes_packets() {
        for number in 0..40 {
            let program_type = ProgramType(number);
            if program_type.empty_verdict().is_some() {
                assert_eq!(
                    program_type.test_run(),
                    Some((Takes::Packet, KernelVersion::new(4, 12))),
                    "{program_type}"
                );
            }
        }
    }
}
