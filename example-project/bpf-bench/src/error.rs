//! Errors: one variant per fix.

use std::{error::Error as StdError, io};

use crate::{Counters, DeltaError, KernelVersion, ProgramType};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fix: run with more privileges.
    #[error("cannot {action}: not permitted (run as root, or with CAP_SYS_ADMIN)")]
    NotPermitted {
        /// The failed action.
        action: String,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: mount `/proc`, or use a kernel that has the statistics.
    #[error(
        "cannot turn BPF statistics on: by file descriptor (Linux 5.8) {by_fd}, \
         by /proc/sys/kernel/bpf_stats_enabled (Linux 5.1) {by_sysctl}"
    )]
    NoStatistics {
        /// Why it failed by file descriptor.
        by_fd: io::Error,
        /// Why it failed by sysctl.
        by_sysctl: io::Error,
    },
    /// Fix: write the value by hand.
    #[error("cannot put /proc/sys/kernel/bpf_stats_enabled back to {before:?}")]
    Restore {
        /// The value before.
        before: String,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: turn statistics on, by [`Statistics::enable`](crate::Statistics::enable).
    #[error("{name}: nothing was counted, because BPF statistics are off")]
    StatisticsOff {
        /// The missing result.
        name: String,
    },
    /// Fix: make the program run between the two readings, and leave it alone until then.
    #[error("{name}: {source}")]
    NotCounted {
        /// The missing result.
        name: String,
        /// The problem of the readings.
        source: DeltaError,
    },
    /// Fix: register a program and ask for at least one round, with something to do in it.
    #[error("nothing to measure: no {0}")]
    Nothing(&'static str),
    /// Fix: pass the file descriptor of a loaded program.
    #[error("{name}: not the file descriptor of a BPF program")]
    NotAProgram {
        /// The name for the registration.
        name: String,
    },
    /// Fix: see the cause.
    #[error("{name}: cannot read its counters by {way}")]
    Read {
        /// The program.
        name: String,
        /// `fdinfo` or `BPF_OBJ_GET_INFO_BY_FD`.
        way: &'static str,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: report it; one of the two ways of reading is broken.
    #[error("{name}: object info says {by_info:?}, fdinfo says {by_fdinfo:?}")]
    Disagreement {
        /// The program.
        name: String,
        /// The counters by `BPF_OBJ_GET_INFO_BY_FD`.
        by_info: Counters,
        /// The counters by `/proc/self/fdinfo/FD`.
        by_fdinfo: Counters,
    },
    /// Fix: drive the program by the events to which it is attached.
    #[error(
        "{name}: BPF_PROG_TEST_RUN is not for {program_type} programs: \
         attach it, and measure real events by Benchmark::run"
    )]
    NoTestRun {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
    },
    /// Fix: use a kernel at least as new.
    #[error("{name}: BPF_PROG_TEST_RUN of {program_type} programs needs Linux {needs}")]
    KernelTooOld {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// The first release that supports it.
        needs: KernelVersion,
    },
    /// Fix: pass the input that the program type takes.
    #[error("{name}: a test run of a {program_type} program takes {takes}")]
    Input {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// The required input.
        takes: &'static str,
    },
    /// Fix: see the cause; EINVAL often means that an input is too short or too long.
    #[error("{name}: test run of a {program_type} program failed")]
    TestRun {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: pass the input that leads the program to the part to measure.
    #[error("{name}: a test run returned {returned}, not {expected}")]
    Returned {
        /// The program.
        name: String,
        /// The returned value.
        returned: u32,
        /// The required value.
        expected: u32,
    },
    /// Fix: correct the instructions, or use a kernel that has the type.
    #[error("cannot load a {program_type} program: {log}")]
    Load {
        /// Its type.
        program_type: ProgramType,
        /// The end of the verifier's log; empty if verification did not start.
        log: String,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: see the cause, which is the benchmark's own work.
    #[error("round {round} (0 is the warm-up) failed")]
    Round {
        /// Counted from 1, after the warm-up.
        round: u32,
        /// The error of the benchmark's function.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: choose a name without line breaks.
    #[error("{name:?} does not fit on a line of its own")]
    Name {
        /// The name of a benchmark.
        name: String,
    },
}

impl Error {
    /// The first kernel release that has what is missing, if that is the reason.
    pub fn needs(&self) -> Option<KernelVersion> {
        match self {
            Self::KernelTooOld { needs, .. } => Some(*needs),
            _ => None,
        }
    }
}

/// Whether a privilege is missing. BPF returns EPERM then; with EACCES the verifier refuses a
/// program.
pub(crate) fn is_not_permitted(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EPERM)
}
