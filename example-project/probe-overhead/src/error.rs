//! What can go wrong, one variant per remedy.

use std::{error::Error as StdError, io};

use bpf_bench::KernelVersion;

use crate::{Pair, counts::Counted};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Remedy: a later kernel. A gap in what there is to measure, not a failure.
    #[error("cannot measure {pair}: this kernel is {release}, and Linux {needs} brought that hook")]
    NeedsKernel {
        /// What was to be measured.
        pair: Pair,
        /// The first kernel that can.
        needs: KernelVersion,
        /// This kernel.
        release: String,
    },
    /// Remedy: a kernel with another configuration. A gap as well.
    #[error("cannot measure {pair}: this kernel was built without {option} ({missing})")]
    NeedsOption {
        /// What was to be measured.
        pair: Pair,
        /// `CONFIG_DEBUG_INFO_BTF`.
        option: &'static str,
        /// How that shows.
        missing: &'static str,
    },
    /// Remedy: run with more privileges.
    #[error("cannot {action}: not permitted (run as root, or with CAP_BPF and CAP_PERFMON)")]
    NotPermitted {
        /// What was tried.
        action: String,
        /// What the kernel said.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Remedy: correct the program, or use a kernel that can run it.
    #[error("cannot load {what}")]
    Load {
        /// The program, map or object.
        what: String,
        /// What the kernel said, with the end of the verifier's log if that refused it.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Remedy: mount it.
    #[error(
        "cannot attach {pair}: there is no tracefs (mount -t tracefs tracefs /sys/kernel/tracing)"
    )]
    NoTracefs {
        /// What was to be measured.
        pair: Pair,
    },
    /// Remedy: see the cause.
    #[error("cannot attach {pair}")]
    Attach {
        /// What was to be measured.
        pair: Pair,
        /// What the kernel said.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Remedy: see the cause.
    #[error("cannot read what {what} counted")]
    Counters {
        /// The program or map.
        what: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Remedy: correct the program; let nobody else detach it or turn statistics on or off.
    #[error(
        "{pair} did not count what was called: {calls} calls, {proven} of them with BPF statistics \
         on, but {found}"
    )]
    Miscounted {
        /// What was measured.
        pair: Pair,
        /// How often its target was called.
        calls: u64,
        /// How often while its runs were counted.
        proven: u64,
        /// What it counted instead.
        found: Counted,
    },
    /// Remedy: another clock source, or a guest whose clock counts instructions.
    #[error(
        "the clock stood still for a round of {calls} calls: its steps are too long for this \
         (/sys/devices/system/clocksource/clocksource0/current_clocksource names it; tsc will do)"
    )]
    CoarseClock {
        /// In the round.
        calls: u32,
    },
    /// Remedy: ask for at least one round of one call.
    #[error("nothing to measure: {rounds} rounds of {calls} calls")]
    NoCalls {
        /// Asked for.
        rounds: u32,
        /// Asked for.
        calls: u32,
    },
}

impl Error {
    pub(crate) fn load(
        what: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        let what = what.into();
        if is_not_permitted(&source) {
            return Self::NotPermitted {
                action: format!("load {what}"),
                source: source.into(),
            };
        }
        Self::Load {
            what,
            source: source.into(),
        }
    }

    pub(crate) fn attach(pair: Pair, source: impl StdError + Send + Sync + 'static) -> Self {
        if is_not_permitted(&source) {
            return Self::NotPermitted {
                action: format!("attach {pair}"),
                source: source.into(),
            };
        }
        Self::Attach {
            pair,
            source: source.into(),
        }
    }

    pub(crate) fn counters(
        what: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self::Counters {
            what: what.into(),
            source: source.into(),
        }
    }

    /// Whether this kernel lacks what is needed: the other pairs can be measured still.
    pub fn is_gap(&self) -> bool {
        matches!(self, Self::NeedsKernel { .. } | Self::NeedsOption { .. })
    }
}

/// Whether a privilege is missing. That is EPERM: by EACCES the verifier says that it refuses a
/// program, to whomever.
fn is_not_permitted(error: &(dyn StdError + 'static)) -> bool {
    std::iter::successors(Some(error), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .any(|error| error.raw_os_error() == Some(libc::EPERM))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Hook};

    #[test]
    fn tells_missing_privileges_from_a_refused_program() {
        let refused = |errno| Error::load("kprobe_empty", io::Error::from_raw_os_error(errno));
        assert!(matches!(refused(libc::EPERM), Error::NotPermitted { .. }));
        assert!(matches!(refused(libc::EACCES), Error::Load { .. }));
    }

    #[test]
    fn says_which_kernel_brought_a_hook() {
        let error = Error::NeedsKernel {
            pair: Pair {
                hook: Hook::KprobeMulti,
                body: Body::Empty,
            },
            needs: KernelVersion::new(5, 18),
            release: "5.10.0-40-amd64".to_owned(),
        };
        assert!(error.is_gap());
        assert_eq!(
            error.to_string(),
            "cannot measure getpid/kprobe_multi/empty: this kernel is 5.10.0-40-amd64, and Linux \
             5.18 brought that hook"
        );
    }

    #[test]
    fn says_what_a_kernel_lacks() {
        let pair = Pair {
            hook: Hook::Fentry,
            body: Body::Empty,
        };
        let error = Error::NeedsOption {
            pair,
            option: "CONFIG_DEBUG_INFO_BTF",
            missing: "there is no /sys/kernel/btf/vmlinux",
        };
        assert!(error.is_gap());
        assert_eq!(
            error.to_string(),
            "cannot measure getpid/fentry/empty: this kernel was built without \
             CONFIG_DEBUG_INFO_BTF (there is no /sys/kernel/btf/vmlinux)"
        );
    }
}
