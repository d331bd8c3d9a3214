//! Single runs by `BPF_PROG_TEST_RUN`, each on a fresh copy of its input.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd},
};

use crate::{
    Counters, Error, ProgramType, counters,
    error::is_not_permitted,
    program_type::Takes,
    sys::{self, ENOTSUPP, TestRunResult},
};

/// Signals interrupt a run one at a time; this many in a row have another cause.
const ATTEMPTS: u32 = 100;
/// Limit of a packet after a run: the longest possible one, with room for what the program adds.
const MAX_OUTPUT_LEN: usize = 128 << 10;

/// The input of a program. It never changes: each run gets a copy.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Input {
    packet: Vec<u8>,
    context: Vec<u8>,
}

impl Input {
    /// Makes an input for types that process packets: a frame from its Ethernet header on, of at
    /// least 14 bytes (recent kernels need something after the header). For `netfilter`: a packet
    /// from its IP header on, of at least 20 bytes.
    pub fn packet(packet: impl Into<Vec<u8>>) -> Self {
        Self {
            packet: packet.into(),
            context: Vec::new(),
        }
    }

    /// Makes an input for types that have a context and no packet: a raw tracepoint's arguments of
    /// 8 bytes each, or the argument of a `syscall` program.
    pub fn context(context: impl Into<Vec<u8>>) -> Self {
        Self {
            packet: Vec::new(),
            context: context.into(),
        }
    }

    /// Adds a context to the packet: `struct __sk_buff`; `struct xdp_md` (Linux 5.15); for
    /// `flow_dissector` a `struct bpf_flow_keys` with its `flags`; for `netfilter` a `struct
    /// nf_hook_state` with `hook` and `pf`.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<Vec<u8>>) -> Self {
        self.context = context.into();
        self
    }
}

/// The result of one run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    /// The program's return value.
    pub return_value: u32,
    /// The packet after the run. A `flow_dissector` returns its result instead, a `struct
    /// bpf_flow_keys`. Empty for types without a packet, and for `netfilter`, for which the kernel
    /// returns none.
    pub packet: Vec<u8>,
}

/// Runs a program once on a copy of the input, to see what it does.
///
/// `name` is for errors. [`Benchmark::test_runs`](crate::Benchmark::test_runs) measures.
///
/// ```no_run
/// # use bpf_bench::{Input, ProgramType, raw::{Instruction, load}, test_run};
/// let pass = load(ProgramType::XDP, "pass", &[Instruction::mov(0, 2), Instruction::exit()])?;
/// let output = test_run("pass", &pass, &Input::packet([0; 64]))?;
/// assert_eq!((output.return_value, output.packet.len()), (2, 64));
/// # Ok::<(), bpf_bench::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoTestRun`] if the type has no test run, [`Error::KernelTooOld`] if a later kernel has
/// it. [`Error::Input`] if it takes another input, [`Error::TestRun`] if the kernel refuses it;
/// [`Error::NotPermitted`]; those of [`Counters::by_fdinfo`].
pub fn test_run(name: &str, program: impl AsFd, input: &Input) -> Result<Output, Error> {
    let mut buffer = vec![0; MAX_OUTPUT_LEN];
    let run = Run::new(name, program.as_fd())?;
    if run.takes == Takes::Context {
        buffer.clear();
    }
    let result = run.once(input, &mut buffer)?;
    buffer.truncate(result.data_len);
    Ok(Output {
        return_value: result.return_value,
        packet: buffer,
    })
}

/// A program whose type has test runs.
pub(crate) struct Run<'a> {
    name: &'a str,
    program: BorrowedFd<'a>,
    program_type: ProgramType,
    takes: Takes,
}

impl<'a> Run<'a> {
    pub(crate) fn new(name: &'a str, program: BorrowedFd<'a>) -> Result<Self, Error> {
        // Also checks that it is a program.
        Counters::by_fdinfo(name, program)?;
        let program_type = counters::info(name, program)?.program_type;
        let Some((takes, _)) = program_type.test_run() else {
            return Err(Error::NoTestRun {
                name: name.to_owned(),
                program_type,
            });
        };
        Ok(Self {
            name,
            program,
            program_type,
            takes,
        })
    }

    /// Runs the program once. An interrupted run is repeated: older kernels interrupt after the
    /// run, and have counted it by then.
    pub(crate) fn once(&self, input: &Input, output: &mut [u8]) -> Result<TestRunResult, Error> {
        let takes = match self.takes {
            Takes::Packet if input.packet.is_empty() => Some("a packet"),
            Takes::Context if !input.packet.is_empty() => Some("a context and no packet"),
            _ => None,
        };
        if let Some(takes) = takes {
            return Err(Error::Input {
                name: self.name.to_owned(),
                program_type: self.program_type,
                takes,
            });
        }
        // Without repeating: a repeated run would get the packet as the run before left it, and XDP
        // programs are then called in another way.
        let repeat = match self.takes {
            Takes::Packet => 1,
            Takes::Context => 0,
        };
        let result = retry_interrupted(|| {
            let mut context = input.context.clone();
            sys::test_run(self.program, &input.packet, &mut context, output, repeat)
        });
        result.map_err(|source| self.error(source))
    }

    pub(crate) fn returned(&self, returned: u32, expected: u32) -> Error {
        Error::Returned {
            name: self.name.to_owned(),
            returned,
            expected,
        }
    }

    fn error(&self, source: io::Error) -> Error {
        let name = self.name.to_owned();
        let program_type = self.program_type;
        match program_type.test_run() {
            Some((_, needs)) if source.raw_os_error() == Some(ENOTSUPP) => Error::KernelTooOld {
                name,
                program_type,
                needs,
            },
            _ if is_not_permitted(&source) => Error::NotPermitted {
                action: format!("test-run the {program_type} program {name:?}"),
                source,
            },
            _ => Error::TestRun {
                name,
                program_type,
                source,
            },
        }
    }
}

/// Repeats a call as long as it is interrupted.
pub(crate) fn retry_interrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..ATTEMPTS {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
    call()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interrupted(times: u32) -> impl FnMut() -> io::Result<u32> {
        let mut calls = 0;
        move || {
            calls += 1;
            if calls <= times {
                return Err(io::Error::from_raw_os_error(libc::EINTR));
            }
            Ok(calls)
        }
    }

    #[test]
    fn an_interrupted_run_is_repeated() {
        assert_eq!(retry_interrupted(interrupted(0)).unwrap(), 1);
        assert_eq!(retry_interrupted(interrupted(3)).unwrap(), 4);
    }

    #[test]
    fn endless_interruptions_are_an_error() {
        let error = retry_interrupted(interrupted(u32::MAX)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EINTR));
    }

    #[test]
    fn other_errors_are_not_retried() {
        let mut calls = 0;
        let result: io::Result<()> = retry_interrupted(|| {
            calls += 1;
            Err(io::Error::from_raw_os_error(libc::EINVAL))
        });
        assert!(result.is_err());
        assert_eq!(calls, 1);
    }
}
