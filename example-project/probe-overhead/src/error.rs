//! Errors: one variant per fix.

use std::{error::Error as StdError, io};

use bpf_bench::KernelVersion;

use crate::{Pair, counts::Counted};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fix: a later kernel. A gap in the results, not a failure.
    #[error("cannot measure {pair}: this kernel is {release}, and Linux {needs} brought that hook")]
    NeedsKernel {
        /// The pair to measure.
        pair: Pair,
        /// The first kernel that supports it.
        needs: KernelVersion,
        /// This kernel.
        release: String,
    },
    /// Fix: a kernel with another configuration. Also a gap.
    #[error("cannot measure {pair}: this kernel was built without {option} ({missing})")]
    NeedsOption {
        /// The pair to measure.
        pair: Pair,
        /// `CONFIG_DEBUG_INFO_BTF`.
        option: &'static str,
        /// The observed symptom.
        missing: &'static str,
    },
    /// Fix: run with more privileges.
    #[error("cannot {action}: not permitted (run as root, or with CAP_BPF and CAP_PERFMON)")]
    NotPermitted {
        /// The failed action.
        action: String,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: correct the program, or use a kernel that can run it.
    #[error("cannot load {what}")]
    Load {
        /// The program, map or object.
        what: String,
        /// The kernel's error, with the end of the verifier's log if that refused it.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: mount it.
    #[error(
        "cannot attach {pair}: there is no tracefs (mount -t tracefs tracefs /sys/kernel/tracing)"
    )]
    NoTracefs {
        /// The pair to measure.
        pair: Pair,
    },
    /// Fix: see the cause.
    #[error("cannot attach {pair}")]
    Attach {
        /// The pair to measure.
        pair: Pair,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: see the cause.
    #[error("cannot read what {what} counted")]
    Counters {
        /// The program or map.
        what: String,
        /// The cause.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: correct the program; make sure that no other process detaches it or turns statistics on
    /// or off.
    #[error(
        "{pair} did not count what was called: {calls} calls, {proven} of them with BPF statistics \
         on, but {found}"
    )]
    Miscounted {
        /// The measured pair.
        pair: Pair,
        /// The number of calls of its target.
        calls: u64,
        /// The number of those calls while its runs were counted.
        proven: u64,
        /// The counts found instead.
        found: Counted,
    },
    /// Fix: another clock source, or a guest whose clock counts instructions.
    #[error(
        "the clock stood still for a round of {calls} calls: its steps are too long for this \
         (/sys/devices/system/clocksource/clocksource0/current_clocksource names it; tsc will do)"
    )]
    CoarseClock {
        /// Calls in the round.
        calls: u32,
    },
    /// Fix: ask for at least one round of one call.
    #[error("nothing to measure: {rounds} rounds of {calls} calls")]
    NoCalls {
        /// The requested rounds.
        rounds: u32,
        /// The requested calls.
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

    /// Whether this kernel does not support the pair: the other pairs can still be measured.
    pub fn is_gap(&self) -> bool {
        matches!(self, Self::NeedsKernel { .. } | Self::NeedsOption { .. })
    }
}

/// Whether a privilege is missing. The kernel returns EPERM then; with EACCES the verifier refuses
/// a program, whatever the privileges.
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
    fn missing_privileges_and_a_refused_program_are_distinguished() {
        let refused = |errno| Error::load("kprobe_empty", io::Error::from_raw_os_error(errno));
        assert!(matches!(refused(libc::EPERM), Error::NotPermitted { .. }));
        assert!(matches!(refused(libc::EACCES), Error::Load { .. }));
    }

    #[test]
    fn a_missing_hook_names_the_first_kernel_with_it() {
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
    fn a_missing_feature_is_named() {
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
