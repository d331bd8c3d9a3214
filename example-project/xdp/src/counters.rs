//! The kernel's counters of a BPF program: read in two ways that must agree, and differenced.

use std::{
    fs, io,
    os::fd::{AsFd as _, AsRawFd as _},
};

use aya::programs::Xdp;

use crate::Error;

/// What the kernel counted for one program while statistics were on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Counters {
    /// Time spent in the program, in nanoseconds.
    pub run_time_ns: u64,
    /// How many times the program ran.
    pub run_count: u64,
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
    /// A counter that should have grown has not.
    #[error(
        "nothing was counted, before and after it is {0:?} (are statistics on, did packets arrive)"
    )]
    NothingCounted(Counters),
}

impl Counters {
    /// Reads the counters by object info and by fdinfo, and holds them against each other.
    ///
    /// The program must be at rest: a run between the two is a disagreement.
    pub fn read(program: &Xdp) -> Result<Self, Error> {
        let by_info = Self::by_info(program)?;
        let by_fdinfo = Self::by_fdinfo(program)?;
        if by_info != by_fdinfo {
            return Err(Error::Counters(
                format!("object info says {by_info:?}, fdinfo says {by_fdinfo:?}").into(),
            ));
        }
        Ok(by_info)
    }

    /// Reads the counters by `BPF_OBJ_GET_INFO_BY_FD`.
    pub fn by_info(program: &Xdp) -> Result<Self, Error> {
        let info = program
            .info()
            .map_err(|error| Error::Counters(error.into()))?;
        let run_time_ns = u64::try_from(info.run_time().as_nanos())
            .map_err(|error| Error::Counters(error.into()))?;
        Ok(Self {
            run_time_ns,
            run_count: info.run_count(),
        })
    }

    /// Reads the counters from `/proc/self/fdinfo/FD`.
    pub fn by_fdinfo(program: &Xdp) -> Result<Self, Error> {
        let fd = program
            .fd()
            .map_err(|error| Error::Counters(error.into()))?;
        let path = format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd());
        let text = fs::read_to_string(&path).map_err(|error| Error::Counters(error.into()))?;
        Self::parse_fdinfo(&text).ok_or_else(|| {
            let missing = format!("no run_time_ns and run_cnt in {path} (Linux 5.1 brought them)");
            Error::Counters(io::Error::other(missing).into())
        })
    }

    /// Takes the counters from the text of an fdinfo file, or `None` where it lacks one.
    pub fn parse_fdinfo(text: &str) -> Option<Self> {
        let field = |name: &str| {
            text.lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(key, _)| *key == name)
                .and_then(|(_, value)| value.trim().parse().ok())
        };
        Some(Self {
            run_time_ns: field("run_time_ns")?,
            run_count: field("run_cnt")?,
        })
    }

    /// What was counted since an earlier reading. Never zero: that is an error.
    pub fn since(self, before: Self) -> Result<Self, DeltaError> {
        let difference = || {
            Some(Self {
                run_time_ns: self.run_time_ns.checked_sub(before.run_time_ns)?,
                run_count: self.run_count.checked_sub(before.run_count)?,
            })
        };
        let delta = difference().ok_or(DeltaError::Backwards {
            before,
            after: self,
        })?;
        if delta.run_time_ns == 0 || delta.run_count == 0 {
            return Err(DeltaError::NothingCounted(self));
        }
        Ok(delta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counters(run_time_ns: u64, run_count: u64) -> Counters {
        Counters {
            run_time_ns,
            run_count,
        }
    }

    #[test]
    fn parses_fdinfo_with_fields_of_later_kernels() {
        let text = "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t1057\nprog_type:\t6\n\
                    prog_jited:\t1\nprog_tag:\t0123456789abcdef\nmemlock:\t4096\nprog_id:\t42\n\
                    run_time_ns:\t20544\nrun_cnt:\t136\nrecursion_misses:\t0\n\
                    verified_insns:\t118\n";
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
    fn differences_two_readings() {
        assert_eq!(
            counters(900, 9).since(counters(100, 1)),
            Ok(counters(800, 8))
        );
    }

    #[test]
    fn nothing_counted_is_an_error_not_a_zero() {
        let before = counters(100, 1);
        for after in [before, counters(100, 2), counters(200, 1)] {
            assert_eq!(after.since(before), Err(DeltaError::NothingCounted(after)));
        }
    }

    #[test]
    fn counters_that_go_backwards_are_an_error() {
        let before = counters(100, 10);
        for after in [counters(99, 11), counters(101, 9), counters(0, 0)] {
            assert_eq!(
                after.since(before),
                Err(DeltaError::Backwards { before, after })
            );
        }
    }
}
