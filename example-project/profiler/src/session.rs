//! Session: one run of the profiler, from loading to the summary.

use std::{
    fmt, io,
    os::fd::{AsRawFd, RawFd},
    time::Duration,
};

use profiler_common::{Counts, Sample};
use tokio::{
    io::{Interest, unix::AsyncFd},
    time::{MissedTickBehavior, interval, sleep},
};

use crate::{Error, Folded, Messages, Process, Profiler, Samples, Symbols, kernel, process_sample};

/// The number of samples read between checks whether to stop: a flood of samples must not prevent
/// it.
const BATCH: usize = 256;

/// The interval of unprompted reads of the ring buffer. The kernel wakes its reader for a record
/// only when all earlier ones have been read. It wakes no reader for a record discarded with
/// `BPF_RB_NO_WAKEUP`, as that of a failed sample is. Such a record stays unread, so the reader is
/// not woken for later ones either.
const LOOK: Duration = Duration::from_millis(100);

/// The samples to take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// Code that the process, its threads and its children execute.
    Process {
        /// Samples for each second of CPU time.
        frequency: u32,
    },
    /// Code that the process and its threads execute, filtered from all CPUs.
    AllCpus {
        /// Samples for each second of a CPU.
        frequency: u32,
    },
    /// Waits of the process and its threads, and their durations.
    OffCpu,
}

impl Mode {
    /// The unit of the stacks' weights.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Process { .. } | Self::AllCpus { .. } => "samples",
            Self::OffCpu => "microseconds",
        }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum End {
    /// The caller asked for it.
    Stopped,
    /// The duration was over.
    Duration,
    /// The process ended.
    Process,
}

/// The result of a run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Profile {
    /// The counts of samples.
    pub counts: Counts,
    /// The number of threads that were waiting at the end. Their stacks are included, with the time
    /// until then.
    pub still_blocked: usize,
    /// The stacks with their numbers of samples, or microseconds.
    pub folded: Folded,
    /// Why it ended.
    pub end: End,
}

/// Formats `N taken, N lost, N failed`.
impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            taken,
            lost,
            failed,
        } = self.counts;
        write!(out, "{taken} taken, {lost} lost, {failed} failed")
    }
}

/// Samples a process until `stop` is ready, the duration is over or the process ends. Logs each
/// sample.
///
/// Needs a tokio runtime with its I/O and time drivers.
///
/// # Errors
///
/// Any [`Error`] except those about stacks and graphs in files, [`Error::NotFolded`] and
/// [`Error::NothingToDraw`].
pub async fn profile(
    pid: u32,
    mode: Mode,
    duration: Option<Duration>,
    stop: impl Future<Output = ()>,
) -> Result<Profile, Error> {
    let process = Process::open(pid)?;
    kernel::check_pid_namespace(pid)?;
    let mut profiler = match mode {
        Mode::Process { .. } => Profiler::load_on_cpu(None)?,
        Mode::AllCpus { .. } => Profiler::load_on_cpu(Some(pid))?,
        Mode::OffCpu => Profiler::load_off_cpu(pid)?,
    };
    let mut messages = profiler
        .take_messages()
        .map(|messages| register(messages, MESSAGES))
        .transpose()?;
    let mut reader = Reader::new(mode);
    reader.symbols.notice(pid);
    match mode {
        Mode::Process { frequency } => profiler.attach_to_process(&process, frequency)?,
        Mode::AllCpus { frequency } => profiler.attach_to_cpus(frequency)?,
        Mode::OffCpu => profiler.attach_to_sched_switch()?,
    }
    log::info!("taking samples of process {pid}, stop with Ctrl-C");

    let end = {
        let process = register(process, END)?;
        let mut samples = register(Borrowed(profiler.samples()), SAMPLES)?;
        let over = async {
            match duration {
                Some(duration) => sleep(duration).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(stop, over);
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whether the ring buffer may contain samples.
        let mut unread = false;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break End::Stopped,
                () = &mut over => break End::Duration,
                result = process.readable() => {
                    let _for_good = result.map_err(cannot_wait(END))?;
                    break End::Process;
                }
                result = log_messages(&mut messages) => {
                    result?;
                    // The message may be about a failed sample.
                    unread = true;
                }
                () = std::future::ready(()), if unread => {
                    unread = reader.read(samples.get_mut().0, BATCH)? == BATCH;
                    // Gives the other branches their turn, however many samples there are.
                    tokio::task::yield_now().await;
                }
                result = woken(&samples) => {
                    result?;
                    unread = true;
                }
                _ = look.tick() => unread = true,
            }
        }
    };

    profiler.detach()?;
    reader.read(profiler.samples(), usize::MAX)?;
    let still_blocked = profiler.still_blocked()?;
    for waiting in &still_blocked {
        reader.add(&waiting.sample, waiting.blocked_ns)?;
    }
    if let Some(messages) = &mut messages {
        messages.get_mut().flush();
    }
    let counts = profiler.counts()?;
    Ok(Profile {
        counts,
        still_blocked: still_blocked.len(),
        folded: reader.into_folded(),
        end,
    })
}

const END: &str = "the end of the process";
const SAMPLES: &str = "samples";
const MESSAGES: &str = "messages of the kernel side";

fn cannot_wait(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Wait { what, source }
}

/// Samples borrowed from a profiler.
struct Borrowed<'a>(&'a mut Samples);

impl AsRawFd for Borrowed<'_> {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Registers a source, so that its reader can wait for input.
fn register<T: AsRawFd>(source: T, what: &'static str) -> Result<AsyncFd<T>, Error> {
    // SAFETY: this is called only for a process, samples and messages. Each holds one file
    // descriptor as long as it lives.
    unsafe { AsyncFd::register_with_interest(source, Interest::READABLE) }
        .map_err(|error| cannot_wait(what)(error.into_parts().1))
}

/// Waits until the kernel reports that there are samples, which it does once.
async fn woken(samples: &AsyncFd<Borrowed<'_>>) -> Result<(), Error> {
    let mut ready = samples.readable().await.map_err(cannot_wait(SAMPLES))?;
    // Before they are read, so that the report of a later one is not lost.
    ready.clear_ready();
    Ok(())
}

/// Waits for messages of the kernel side and logs them.
async fn log_messages(messages: &mut Option<AsyncFd<Messages>>) -> Result<(), Error> {
    let Some(messages) = messages else {
        return std::future::pending().await;
    };
    let mut ready = messages
        .readable_mut()
        .await
        .map_err(cannot_wait(MESSAGES))?;
    ready.get_inner_mut().flush();
    ready.clear_ready();
    Ok(())
}

/// Reads samples, names their stacks and adds them up.
struct Reader {
    mode: Mode,
    symbols: Symbols,
    /// Weights in samples, or in nanoseconds.
    folded: Folded,
}

impl Reader {
    fn new(mode: Mode) -> Self {
        Self {
            mode,
            symbols: Symbols::new(),
            folded: Folded::default(),
        }
    }

    /// Reads up to `most` samples and returns how many there were.
    fn read(&mut self, samples: &mut Samples, most: usize) -> Result<usize, Error> {
        for read in 0..most {
            match self.mode {
                Mode::Process { .. } | Mode::AllCpus { .. } => match samples.next_on_cpu()? {
                    Some(sample) => self.add(&sample, 1)?,
                    None => return Ok(read),
                },
                Mode::OffCpu => match samples.next_off_cpu()? {
                    Some(waited) => self.add(&waited.sample, waited.blocked_ns)?,
                    None => return Ok(read),
                },
            }
        }
        Ok(most)
    }

    fn add(&mut self, sample: &Sample, weight: u64) -> Result<(), Error> {
        let trace = process_sample(sample)?;
        let stack = self.symbols.fold(&trace);
        match self.mode {
            Mode::Process { .. } | Mode::AllCpus { .. } => {
                log::info!("{stack}");
            }
            Mode::OffCpu => log::info!("{} us in {stack}", microseconds(weight)),
        }
        self.folded.add(stack, weight);
        Ok(())
    }

    fn into_folded(self) -> Folded {
        match self.mode {
            Mode::Process { .. } | Mode::AllCpus { .. } => self.folded,
            Mode::OffCpu => {
                // Converted at the end, so that the rounding of many short waits does not add up.
                let mut folded = Folded::default();
                for (stack, weight) in self.folded.iter() {
                    folded.add(stack.to_owned(), microseconds(weight));
                }
                folded
            }
        }
    }
}

/// Rounds to the nearest microsecond.
const fn microseconds(nanoseconds: u64) -> u64 {
    (nanoseconds + 500) / 1_000
}
