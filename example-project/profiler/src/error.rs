//! Errors of user space: one variant per fix.

use std::{error::Error as StdError, io, path::PathBuf};

/// Why the profiler cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fix: name an existing process.
    #[error("cannot profile process {pid}: there is no such process (has it ended?)")]
    NoSuchProcess {
        /// The requested ID.
        pid: u32,
    },
    /// Fix: name the process to which the thread belongs.
    #[error(
        "cannot profile process {pid}: that is a thread of process {process}, name the process"
    )]
    ThreadId {
        /// The requested ID.
        pid: u32,
        /// The process to which it belongs.
        process: u32,
    },
    /// Fix: run with more privileges.
    #[error(
        "cannot {action}: not permitted (run as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE)"
    )]
    NotPermitted {
        /// The failed action.
        action: String,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: run in the first PID namespace (for a container: `--pid=host`).
    #[error(
        "cannot profile process {pid} from within a PID namespace: samples have the process IDs of the \
         first one (run the profiler there, in a container with --pid=host)"
    )]
    PidNamespace {
        /// The requested ID.
        pid: u32,
    },
    /// Fix: use a newer kernel.
    #[error("cannot run on Linux {release}: {feature} came with Linux {needed}")]
    UnsupportedKernel {
        /// Version of the running kernel.
        release: String,
        /// The missing feature.
        feature: &'static str,
        /// The first version that has it.
        needed: &'static str,
    },
    /// Fix: correct the program, or use a kernel that can run it.
    #[error("cannot load {what:?}")]
    Load {
        /// The program, map or object.
        what: String,
        /// The kernel's error, with the end of the verifier's log if that refused it.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: see the cause.
    #[error("cannot attach to {what}")]
    Attach {
        /// The event, and the process or CPU.
        what: String,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: ask for fewer samples, or raise the limit.
    #[error(
        "cannot take {frequency} samples a second: the kernel allows {limit} (see /proc/sys/kernel/perf_event_max_sample_rate)"
    )]
    Frequency {
        /// The requested samples a second.
        frequency: u32,
        /// The most that the kernel allows.
        limit: u32,
    },
    /// Fix: mount tracefs.
    #[error(
        "cannot find the tracepoint sched_switch (is tracefs mounted? mount -t tracefs none /sys/kernel/tracing)"
    )]
    Tracepoint(#[source] Box<dyn StdError + Send + Sync>),
    /// Fix: build both sides from the same source.
    #[error("cannot read a sample: {length} bytes long, not {expected}")]
    SampleLength {
        /// Its length in bytes.
        length: usize,
        /// The expected length.
        expected: usize,
    },
    /// Fix: build both sides from the same source.
    #[error(
        "cannot read a sample: a stack of {stack_len} bytes, where there is room for {stack_size}"
    )]
    MalformedSample {
        /// Length of the stack in bytes, by its header.
        stack_len: u64,
        /// Room for it in bytes.
        stack_size: usize,
    },
    /// Fix: see the cause.
    #[error("cannot read a map of the profiler")]
    Map(#[from] aya::maps::MapError),
    /// Fix: see the cause.
    #[error("cannot wait for {what}")]
    Wait {
        /// Samples, or an end.
        what: &'static str,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: correct the path.
    #[error("cannot {action} {}", path.display())]
    File {
        /// Read or write.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Fix: name a file of folded stacks.
    #[error(
        "cannot read {}: line {line} is not a folded stack (frames with a semicolon between them, a space, a number)",
        path.display()
    )]
    NotFolded {
        /// The file.
        path: PathBuf,
        /// The first line that is wrong, counted from 1.
        line: usize,
    },
    /// Fix: profile for longer, or choose the mode that fits the process.
    #[error(
        "cannot draw {}: there are no samples (does the process run? --off-cpu shows where it waits, \
         if the wait begins while it looks)",
        path.display()
    )]
    NothingToDraw {
        /// The flame graph.
        path: PathBuf,
    },
}

const EPERM: i32 = 1;
const ESRCH: i32 = 3;
const EACCES: i32 = 13;

impl Error {
    pub(crate) fn load(what: &str, source: impl StdError + Send + Sync + 'static) -> Self {
        // With EACCES the verifier refuses a program, whatever the privileges.
        if errno(&source) == Some(EPERM) {
            return Self::NotPermitted {
                action: format!("load {what:?}"),
                source: source.into(),
            };
        }
        Self::Load {
            what: what.to_owned(),
            source: source.into(),
        }
    }

    /// `pid` is that of the process to which the event belongs.
    pub(crate) fn attach(
        what: String,
        pid: u32,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        match errno(&source) {
            Some(EPERM | EACCES) => Self::NotPermitted {
                action: format!("attach to {what}"),
                source: source.into(),
            },
            Some(ESRCH) => Self::NoSuchProcess { pid },
            _ => Self::Attach {
                what,
                source: source.into(),
            },
        }
    }
}

/// The kernel's error number, if one is among the causes.
fn errno(error: &(dyn StdError + 'static)) -> Option<i32> {
    std::iter::successors(Some(error), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .find_map(io::Error::raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_privileges_and_a_refused_program_are_distinguished() {
        let refused = |errno| Error::load("perf_profiler", io::Error::from_raw_os_error(errno));
        assert!(matches!(refused(EPERM), Error::NotPermitted { .. }));
        assert!(matches!(refused(EACCES), Error::Load { .. }));
    }

    #[test]
    fn a_dead_process_and_missing_privileges_are_distinguished() {
        let refused =
            |errno| Error::attach("it".to_owned(), 7, io::Error::from_raw_os_error(errno));
        assert!(matches!(refused(ESRCH), Error::NoSuchProcess { pid: 7 }));
        assert!(matches!(refused(EPERM), Error::NotPermitted { .. }));
        assert!(matches!(refused(EACCES), Error::NotPermitted { .. }));
        assert!(matches!(refused(22), Error::Attach { .. }));
    }
}
