//! Load: loads one program, and reads what the kernel reports about it.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crate::bpf::{Insn, Prog};
use crate::bpf_load::{MAX_LOG_BYTES, ProgLoad};
use crate::stack;
use crate::sys::errno_name;
use crate::verifier_log::{self as log, Statistics};

/// Log level of statistics and the verifier's complaints (`linux/bpf_verifier.h`).
const STATISTICS: u32 = 4;
/// Log level that adds every instruction the verifier walks.
const INSTRUCTIONS: u32 = 1;
/// Buffer sizes for the log; most logs fit the first.
const LOG_BYTES: [usize; 2] = [1 << 16, MAX_LOG_BYTES];
/// Bytes kept of the log's end.
const TAIL_BYTES: usize = 8 << 10;
/// The kernel returns EAGAIN if a signal arrived during verification.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(10);
/// The most instructions of a program that the kernel passes to its verifier.
const MAX_INSNS: usize = 1_000_000;

/// A program that the kernel has accepted.
#[derive(Debug)]
pub struct Loaded {
    /// While it exists, the program is loaded.
    pub prog: Prog,
    /// Instructions the verifier walked.
    pub verified_insns: Option<u32>,
    /// See [`stack::deepest`].
    pub stack_bytes: Option<u32>,
    /// The verifier's statistics.
    pub statistics: Statistics,
    /// Duration of the system call.
    pub time: Duration,
}

/// Why the kernel has not accepted it.
#[derive(Debug)]
pub enum Failure {
    /// The kernel found an error in it.
    Refused(Box<Refusal>),
    /// The kernel did not start to verify it: the text says why.
    NotTried(String),
}

/// The verifier's report.
#[derive(Debug)]
pub struct Refusal {
    /// Name of the error.
    pub errno: String,
    /// Its last message, one line.
    pub message: String,
    /// The log's end.
    pub log: String,
    /// Index of the instruction that it is about.
    pub insn: Option<u32>,
    /// The verifier's statistics up to there.
    pub statistics: Statistics,
}

/// Loads a program. `needs`: what a kernel needs for its type.
pub fn load(request: &ProgLoad, needs: Option<&str>) -> Result<Loaded, Failure> {
    let (result, brief) = try_with(request, STATISTICS, &LOG_BYTES);
    let error = match result {
        Ok((prog, time)) => {
            let statistics = log::statistics(&brief);
            let verified_insns = prog.info().ok().and_then(|info| info.verified_insns);
            return Ok(Loaded {
                prog,
                verified_insns: verified_insns.or(statistics.verification.map(|own| own.insns)),
                stack_bytes: stack::deepest(request.insns, &statistics.stack_depths),
                statistics,
                time,
            });
        }
        Err(error) => error,
    };
    if brief.trim().is_empty() {
        return Err(without_log(request, &error, needs));
    }
    let (_, full) = try_with(request, STATISTICS | INSTRUCTIONS, &LOG_BYTES);
    // Kernels before 6.4 keep the beginning of a log that is too long.
    let full = if log::is_whole(&full) {
        full
    } else {
        brief.clone()
    };
    let message = log::last_message(&brief)
        .or_else(|| log::last_message(&full))
        .map_or_else(
            || "the verifier passed it, but the kernel could not translate it".to_owned(),
            |message| one_line(message, 500),
        );
    Err(Failure::Refused(Box::new(Refusal {
        errno: errno_name(&error),
        message,
        insn: log::last_insn(&full),
        log: log::tail(&full, TAIL_BYTES).to_owned(),
        statistics: log::statistics(&brief),
    })))
}

/// Loads it with ever larger logs, until one is large enough.
fn try_with(
    request: &ProgLoad,
    level: u32,
    sizes: &[usize],
) -> (io::Result<(Prog, Duration)>, String) {
    let mut sizes = sizes.iter().peekable();
    let mut attempt = 1;
    let mut last = (Err(io::ErrorKind::InvalidInput.into()), String::new());
    while let Some(&&bytes) = sizes.peek() {
        let started = Instant::now();
        let (result, text) = request.load(level, bytes);
        let time = started.elapsed();
        let code = result.as_ref().err().and_then(io::Error::raw_os_error);
        last = (result.map(|prog| (prog, time)), text);
        match code {
            Some(libc::EAGAIN | libc::EINTR) if attempt < ATTEMPTS => {
                attempt += 1;
                thread::sleep(PAUSE);
            }
            // Later kernels keep the end, which is enough.
            Some(libc::ENOSPC) if level == STATISTICS || !log::is_whole(&last.1) => {
                sizes.next();
            }
            _ => break,
        }
    }
    last
}

/// Explains an error without a verifier log.
fn without_log(request: &ProgLoad, error: &io::Error, needs: Option<&str>) -> Failure {
    let errno = errno_name(error);
    let count = request.insns.len();
    if error.raw_os_error() == Some(libc::E2BIG) && count > MAX_INSNS {
        return Failure::Refused(Box::new(Refusal {
            errno,
            message: format!("it has {count} instructions, of which the kernel takes {MAX_INSNS}"),
            log: String::new(),
            insn: None,
            statistics: Statistics::default(),
        }));
    }
    // Loading the smallest program of the same kind shows whether the kind is the cause.
    let smallest = [Insn::mov_r0(0), Insn::exit()];
    let taken = ProgLoad {
        insns: &smallest,
        btf: None,
        ..*request
    }
    .load_quietly()
    .is_ok();
    let needs = match needs {
        Some(needs) if !taken => format!(": {needs} is needed"),
        _ => String::new(),
    };
    let what = if taken {
        "this program"
    } else {
        "programs of this kind"
    };
    Failure::NotTried(format!(
        "the kernel does not show {what} to its verifier ({errno}){needs}"
    ))
}

/// Replaces control characters by blanks, and keeps at most so many characters.
pub fn one_line(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(most).map(clean).collect()
}
