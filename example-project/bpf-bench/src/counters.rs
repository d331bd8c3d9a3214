//! Counters: the kernel's counters of a BPF program, read in two ways that must agree, and
//! subtracted.

use std::{
    fs, io,
    os::fd::{AsFd, AsRawFd as _, BorrowedFd},
};

use crate::{
    Error,
    sys::{self, ProgramInfo},
};

/// The kernel's counts of one program while statistics were on.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counters {
    /// Time spent in the program, in nanoseconds.
    pub run_time_ns: u64,
    /// The number of runs.
    pub run_count: u64,
    /// The number of runs that were skipped because the program was already running on that CPU,
    /// whether statistics were on or off. `None` before Linux 5.12.
    pub recursion_misses: Option<u64>,
}

/// Why two readings cannot be turned into a measurement.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DeltaError {
    /// A counter went down.
    #[error("counters went backwards, from {before:?} to {after:?}")]
    Backwards {
        /// The first reading.
        before: Counters,
        /// The second reading.
        after: Counters,
    },
    /// Not one run was counted.
    #[error(
        "nothing was counted, before and after it is {0:?} (are statistics on, did the program run)"
    )]
    NothingCounted(Counters),
    /// Runs were counted that took no time.
    #[error(
        "{runs} runs took no time: the kernel's clock does not go fine enough for them \
         (take more runs in a round, or a machine with a steady TSC)"
    )]
    NoTime {
        /// The number of runs.
        runs: u64,
    },
}

impl Counters {
    /// Reads the counters by object info and by fdinfo, and compares them. `name` is for errors.
    ///
    /// Both must be equal for a program at rest. For a program that runs meanwhile, fdinfo must lie
    /// between object info before and after; the later is returned.
    ///
    /// # Errors
    /// Those of [`by_fdinfo`](Self::by_fdinfo) and [`by_info`](Self::by_info);
    /// [`Error::Disagreement`] with both readings.
    pub fn read(name: &str, program: impl AsFd) -> Result<Self, Error> {
        let program = program.as_fd();
        // First, since only fdinfo distinguishes programs from maps, whose info has another layout.
        Self::by_fdinfo(name, program)?;
        let earlier = Self::by_info(name, program)?;
        let by_fdinfo = Self::by_fdinfo(name, program)?;
        let later = Self::by_info(name, program)?;
        if agree(earlier, by_fdinfo, later) {
            return Ok(later);
        }
        Err(Error::Disagreement {
            name: name.to_owned(),
            by_info: earlier,
            by_fdinfo,
        })
    }

    /// Reads the counters by `BPF_OBJ_GET_INFO_BY_FD`, which is one system call. The descriptor
    /// must be one of a program; otherwise the result is meaningless.
    ///
    /// # Errors
    /// [`Error::Read`] with the kernel's error.
    pub fn by_info(name: &str, program: impl AsFd) -> Result<Self, Error> {
        info(name, program.as_fd()).map(|info| info.counters)
    }

    /// Reads the counters from `/proc/self/fdinfo/FD`.
    ///
    /// # Errors
    /// [`Error::NotAProgram`]; [`Error::Read`] without `/proc`, or if the kernel reports no
    /// counters.
    pub fn by_fdinfo(name: &str, program: impl AsFd) -> Result<Self, Error> {
        let failed = |source| Error::Read {
            name: name.to_owned(),
            way: "fdinfo",
            source,
        };
        let path = format!("/proc/self/fdinfo/{}", program.as_fd().as_raw_fd());
        let text = fs::read_to_string(&path).map_err(failed)?;
        if field(&text, "prog_type").is_none() {
            return Err(Error::NotAProgram {
                name: name.to_owned(),
            });
        }
        Self::parse_fdinfo(&text).ok_or_else(|| {
            failed(io::Error::other(format!(
                "no run_time_ns and run_cnt in {path} (Linux 5.1 brought them)"
            )))
        })
    }

    /// Parses the counters in the text of an fdinfo file; `None` if one is missing.
    pub fn parse_fdinfo(text: &str) -> Option<Self> {
        Some(Self {
            run_time_ns: field(text, "run_time_ns")?,
            run_count: field(text, "run_cnt")?,
            recursion_misses: field(text, "recursion_misses"),
        })
    }

    /// Subtracts an earlier reading. Time and runs are never zero: that is an error.
    ///
    /// # Errors
    /// [`DeltaError::Backwards`], [`DeltaError::NothingCounted`] and [`DeltaError::NoTime`].
    ///
    /// ```
    /// # use bpf_bench::Counters;
    /// let before = Counters { run_time_ns: 500, run_count: 10, recursion_misses: None };
    /// let after = Counters { run_time_ns: 900, run_count: 12, recursion_misses: None };
    /// let delta = after.since(before)?;
    /// assert_eq!((delta.run_time_ns, delta.run_count), (400, 2));
    /// assert!(before.since(before).is_err(), "nothing ran");
    /// # Ok::<(), bpf_bench::DeltaError>(())
    /// ```
    pub fn since(self, before: Self) -> Result<Self, DeltaError> {
        let after = self;
        if !after.is_at_least(before) {
            return Err(DeltaError::Backwards { before, after });
        }
        let delta = Self {
            run_time_ns: after.run_time_ns - before.run_time_ns,
            run_count: after.run_count - before.run_count,
            recursion_misses: after
                .recursion_misses
                .zip(before.recursion_misses)
                .map(|(after, before)| after - before),
        };
        if delta.run_count == 0 {
            return Err(DeltaError::NothingCounted(after));
        }
        if delta.run_time_ns == 0 {
            return Err(DeltaError::NoTime {
                runs: delta.run_count,
            });
        }
        Ok(delta)
    }

    /// Whether no counter is lower than before, and the same ones are known.
    fn is_at_least(self, before: Self) -> bool {
        self.run_time_ns >= before.run_time_ns
            && self.run_count >= before.run_count
            && self.recursion_misses.is_some() == before.recursion_misses.is_some()
            && self.recursion_misses >= before.recursion_misses
    }
}

/// Whether fdinfo lies between object info before and after it.
fn agree(earlier: Counters, by_fdinfo: Counters, later: Counters) -> bool {
    by_fdinfo.is_at_least(earlier) && later.is_at_least(by_fdinfo)
}

/// Reads the kernel's info about the program.
pub(crate) fn info(name: &str, program: BorrowedFd<'_>) -> Result<ProgramInfo, Error> {
    sys::program_info(program).map_err(|source| Error::Read {
        name: name.to_owned(),
        way: "BPF_OBJ_GET_INFO_BY_FD",
        source,
    })
}

/// A number of an fdinfo file.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| *key == name)
        .and_then(|(_, value)| value.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counters(run_time_ns: u64, run_count: u64) -> Counters {
        Counters {
            run_time_ns,
            run_count,
            recursion_misses: None,
        }
    }

    #[test]
    fn parses_fdinfo_with_fields_of_later_kernels() {
        let text = "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t1057\nprog_type:\t6\n\
                    prog_jited:\t1\nprog_tag:\t0123456789abcdef\nmemlock:\t4096\nprog_id:\t42\n\
                    run_time_ns:\t20544\nrun_cnt:\t136\nrecursion_misses:\t3\n\
                    verified_insns:\t118\n";
        let expected = Counters {
            recursion_misses: Some(3),
            ..counters(20_544, 136)
        };
        assert_eq!(Counters::parse_fdinfo(text), Some(expected));
    }

    #[test]
    fn parses_fdinfo_without_missed_runs() {
        let text = "prog_type:\t6\nrun_time_ns:\t20544\nrun_cnt:\t136\n";
        assert_eq!(Counters::parse_fdinfo(text), Some(counters(20_544, 136)));
    }

    #[test]
    fn refuses_fdinfo_without_both_counters() {
        for text in [
            "",
            "run_time_ns:\t1\n",
            "run_cnt:\t1\n",
            "run_time_ns:\tx\nrun_cnt:\t1\n",
        ] {
            assert_eq!(Counters::parse_fdinfo(text), None, "{text:?}");
        }
    }

    #[test]
    fn both_sources_agree_for_an_idle_program() {
        let rest = counters(100, 10);
        assert!(agree(rest, rest, rest));
        let missed = Counters {
            recursion_misses: Some(0),
            ..rest
        };
        for by_fdinfo in [counters(100, 11), counters(99, 10), missed] {
            assert!(!agree(rest, by_fdinfo, rest), "{by_fdinfo:?}");
        }
    }

    #[test]
    fn fdinfo_of_a_running_program_is_between_two_infos() {
        let (earlier, later) = (counters(100, 10), counters(130, 13));
        assert!(agree(earlier, counters(110, 11), later));
        for by_fdinfo in [counters(90, 11), counters(110, 14)] {
            assert!(!agree(earlier, by_fdinfo, later), "{by_fdinfo:?}");
        }
    }

    #[test]
    fn two_readings_are_subtracted() {
        assert_eq!(
            counters(900, 9).since(counters(100, 1)),
            Ok(counters(800, 8))
        );
        let missed = |misses, counters| Counters {
            recursion_misses: Some(misses),
            ..counters
        };
        assert_eq!(
            missed(5, counters(900, 9)).since(missed(2, counters(100, 1))),
            Ok(missed(3, counters(800, 8)))
        );
    }

    #[test]
    fn nothing_counted_is_an_error_not_a_zero() {
        let before = counters(100, 1);
        for after in [before, counters(200, 1)] {
            assert_eq!(after.since(before), Err(DeltaError::NothingCounted(after)));
        }
        assert_eq!(
            counters(100, 3).since(before),
            Err(DeltaError::NoTime { runs: 2 })
        );
    }

    #[test]
    fn counters_that_go_backwards_are_an_error() {
        let before = Counters {
            recursion_misses: Some(2),
            ..counters(100, 10)
        };
        for (run_time_ns, run_count, recursion_misses) in
            [(99, 11, 2), (101, 9, 2), (0, 0, 0), (200, 20, 1)]
        {
            let after = Counters {
                run_time_ns,
                run_count,
                recursion_misses: Some(recursion_misses),
            };
            assert_eq!(
                after.since(before),
                Err(DeltaError::Backwards { before, after })
            );
        }
    }
}
