//! What can go wrong, one variant per remedy.

use std::{error::Error as StdError, io};

use crate::{Counters, DeltaError, KernelVersion, ProgramType};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Remedy: run with more privileges.
    #[error("cannot {action}: not permitted (run as root, or with CAP_SYS_ADMIN)")]
    NotPermitted {
        /// What was tried.
        action: String,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Remedy: mount `/proc`, or use a kernel that has the statistics.
    #[error(
        "cannot turn BPF statistics on: by file descriptor (Linux 5.8) {by_fd}, \
         by /proc/sys/kernel/bpf_stats_enabled (Linux 5.1) {by_sysctl}"
    )]
    NoStatistics {
        /// Why not by file descriptor.
        by_fd: io::Error,
        /// Why not by sysctl.
        by_sysctl: io::Error,
    },
    /// Remedy: write the value by hand.
    #[error("cannot put /proc/sys/kernel/bpf_stats_enabled back to {before:?}")]
    Restore {
        /// What was there before.
        before: String,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Remedy: turn statistics on, by [`Statistics::enable`](crate::Statistics::enable).
    #[error("{name}: nothing was counted, because BPF statistics are off")]
    StatisticsOff {
        /// The result that is missing.
        name: String,
    },
    /// Remedy: have the program run between the two readings, and leave it alone until then.
    #[error("{name}: {source}")]
    NotCounted {
        /// The result that is missing.
        name: String,
        /// What is wrong with the readings.
        source: DeltaError,
    },
    /// Remedy: register a program and ask for at least one round, with something to do in it.
    #[error("nothing to measure: no {0}")]
    Nothing(&'static str),
    /// Remedy: give the file descriptor of a loaded program.
    #[error("{name}: not the file descriptor of a BPF program")]
    NotAProgram {
        /// The name it was to have.
        name: String,
    },
    /// Remedy: see the cause.
    #[error("{name}: cannot read its counters by {way}")]
    Read {
        /// The program.
        name: String,
        /// `fdinfo` or `BPF_OBJ_GET_INFO_BY_FD`.
        way: &'static str,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Remedy: report it; one of the two ways of reading is broken.
    #[error("{name}: object info says {by_info:?}, fdinfo says {by_fdinfo:?}")]
    Disagreement {
        /// The program.
        name: String,
        /// As `BPF_OBJ_GET_INFO_BY_FD` has it.
        by_info: Counters,
        /// As `/proc/self/fdinfo/FD` has it.
        by_fdinfo: Counters,
    },
    /// Remedy: drive the program by the events it is attached to.
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
    /// Remedy: use a kernel at least as new.
    #[error("{name}: BPF_PROG_TEST_RUN of {program_type} programs needs Linux {needs}")]
    KernelTooOld {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// The release that brought it.
        needs: KernelVersion,
    },
    /// Remedy: give the input that the program type takes.
    #[error("{name}: a test run of a {program_type} program takes {takes}")]
    Input {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// What to give.
        takes: &'static str,
    },
    /// Remedy: see the cause; EINVAL often means an input too short or too long.
    #[error("{name}: test run of a {program_type} program failed")]
    TestRun {
        /// The program.
        name: String,
        /// Its type.
        program_type: ProgramType,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Remedy: give the input that takes the program where it is to be measured.
    #[error("{name}: a test run returned {returned}, not {expected}")]
    Returned {
        /// The program.
        name: String,
        /// What it returned.
        returned: u32,
        /// What was asked for.
        expected: u32,
    },
    /// Remedy: correct the instructions, or use a kernel that has the type.
    #[error("cannot load a {program_type} program: {log}")]
    Load {
        /// Its type.
        program_type: ProgramType,
        /// The end of the verifier's log; empty where it did not get that far.
        log: String,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Remedy: see the cause; it comes from what the benchmark does itself.
    #[error("round {round} (0 is the warm-up) failed")]
    Round {
        /// Counted from 1, after the warm-up.
        round: u32,
        /// What the benchmark's function returned.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Remedy: take a name without line breaks.
    #[error("{name:?} does not fit on a line of its own")]
    Name {
        /// The name of a benchmark.
        name: String,
    },
}

impl Error {
    /// The kernel release that brought what is missing, where that is the reason.
    pub fn needs(&self) -> Option<KernelVersion> {
        match self {
            Self::KernelTooOld { needs, .. } => Some(*needs),
            _ => None,
        }
    }
}

/// Whether a privilege is missing. BPF says EPERM; by EACCES the verifier refuses a program.
pub(crate) fn is_not_permitted(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EPERM)
}
