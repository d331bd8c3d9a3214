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

/// Signals that interrupt a run come one at a time; as many in a row are something else.
const ATTEMPTS: u32 = 100;
/// What a program may make of a packet: the longest there is, with room for what it adds.
const MAX_OUTPUT_LEN: usize = 128 << 10;

/// What a program is run on. Never changed: each run gets a copy.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Input {
    packet: Vec<u8>,
    context: Vec<u8>,
}

impl Input {
    /// For types that look at packets: a frame from its Ethernet header on, of 14 bytes at the
    /// least (recent kernels want something behind the header). For `netfilter` a packet from its IP
    /// header on, of 20 bytes at the least.
    pub fn packet(packet: impl Into<Vec<u8>>) -> Self {
        Self {
            packet: packet.into(),
            context: Vec::new(),
        }
    }

    /// For types that have a context and no packet: a raw tracepoint's arguments of 8 bytes each,
    /// or what a `syscall` program is called with.
    pub fn context(context: impl Into<Vec<u8>>) -> Self {
        Self {
            packet: Vec::new(),
            context: context.into(),
        }
    }

    /// A context for the packet: `struct __sk_buff`; `struct xdp_md` (Linux 5.15); for `flow_dissector`
    /// a `struct bpf_flow_keys` with its `flags`; for `netfilter` a `struct nf_hook_state` with `hook`
    /// and `pf`.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<Vec<u8>>) -> Self {
        self.context = context.into();
        self
    }
}

/// What came of one run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    /// What the program returned.
    pub return_value: u32,
    /// The packet as the program left it. Of a `flow_dissector` it is what that found out instead, a
    /// `struct bpf_flow_keys`. Empty for types without a packet, and for `netfilter`, of which the
    /// kernel gives none back.
    pub packet: Vec<u8>,
}

/// Runs a program once on a copy of the input: for looking at what it does.
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
/// [`Error::NoTestRun`] names a type that has no test run, [`Error::KernelTooOld`] the release
/// that brought it. [`Error::Input`] if it takes another input, [`Error::TestRun`] if the kernel
/// refuses it; [`Error::NotPermitted`]; those of [`Counters::by_fdinfo`].
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
        // Also says whether it is a program at all.
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

    /// Runs the program once. One that is interrupted is run again: older kernels interrupt after
    /// the run, and have counted it by then.
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
        // Once without repeating: what is repeated gets the packet as the run before left it, and
        // XDP programs are then called another way.
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

/// Calls it again as long as it is interrupted.
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
    fn an_interrupted_run_is_done_again() {
        assert_eq!(retry_interrupted(interrupted(0)).unwrap(), 1);
        assert_eq!(retry_interrupted(interrupted(3)).unwrap(), 4);
    }

    #[test]
    fn endless_interruptions_are_an_error() {
        let error = retry_interrupted(interrupted(u32::MAX)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EINTR));
    }

    #[test]
    fn other_errors_are_not_tried_again() {
        let mut calls = 0;
        let result: io::Result<()> = retry_interrupted(|| {
            calls += 1;
            Err(io::Error::from_raw_os_error(libc::EINVAL))
        });
        assert!(result.is_err());
        assert_eq!(calls, 1);
    }
}
