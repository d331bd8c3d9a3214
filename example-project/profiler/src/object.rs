//! Object: the embedded BPF object. Loads it, attaches it to an event, and reads its maps.

use std::{
    os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd},
    ptr,
};

use aya::{
    Ebpf, EbpfLoader,
    maps::{HashMap, MapData, MapError, PerCpuArray, RingBuf},
    programs::{
        PerfEvent, Program, ProgramError, TracePoint,
        perf_event::{PerfEventConfig, PerfEventScope, SamplePolicy, SoftwareEvent},
    },
    util::online_cpus,
};
use aya_log::EbpfLogger;
use nix::{
    sys::resource::{RLIM_INFINITY, Resource, setrlimit},
    time::{ClockId, clock_gettime},
};
use profiler_common::{Counts, OffCpuSample, Sample};

use crate::{Error, Process, kernel};

/// The program that takes a sample each time its event fires.
pub const PERF_PROFILER: &str = "perf_profiler";
/// The program that takes a sample each time a thread has waited.
pub const OFF_CPU: &str = "off_cpu";

/// Values of the kernel side's log level.
const ALL_MESSAGES: u8 = u8::MAX;
const NO_MESSAGES: u8 = 0;

/// Size of the ring buffer, in bytes.
const RING_SIZE: u32 = 4096 * 4096;

/// The most threads that can wait at a time, each in an entry of one kilobyte.
const MAX_BLOCKED: u32 = 4096;

/// Settings of the object before it is loaded.
struct Settings {
    program: &'static str,
    /// 0 for all processes.
    watched: u32,
    offsets: kernel::SchedSwitch,
    ring_size: u32,
    max_blocked: u32,
    log_level: u8,
}

/// The loaded object. It is detached on drop, or by [`Profiler::detach`].
pub struct Profiler {
    ebpf: Ebpf,
    program: &'static str,
    samples: Samples,
    counts: PerCpuArray<MapData, Counts>,
    blocked: HashMap<MapData, u32, OffCpuSample>,
}

/// Samples from the kernel side that have not been read yet. The file descriptor is readable when
/// there are samples.
pub struct Samples {
    ring: RingBuf<MapData>,
}

/// Messages of the kernel side; they go to the log. The file descriptor is readable when there are
/// messages.
pub type Messages = EbpfLogger<&'static dyn log::Log>;

impl Profiler {
    /// Loads the program that samples executed code.
    ///
    /// `watched` is the only process it samples, or `None` for every process in which it is called.
    ///
    /// # Errors
    ///
    /// [`Error::NotPermitted`], [`Error::UnsupportedKernel`] and [`Error::Load`].
    pub fn load_on_cpu(watched: Option<u32>) -> Result<Self, Error> {
        Self::load_on_cpu_with_ring(watched, RING_SIZE)
    }

    /// Loads it with a ring buffer of another size, in bytes: a power of two, and whole pages.
    ///
    /// # Errors
    ///
    /// Those of [`Profiler::load_on_cpu`].
    pub fn load_on_cpu_with_ring(watched: Option<u32>, ring_size: u32) -> Result<Self, Error> {
        with_messages_or_without(|log_level| {
            let mut profiler = Self::load(&Settings {
                program: PERF_PROFILER,
                watched: watched.unwrap_or(0),
                offsets: kernel::SchedSwitch::default(),
                ring_size,
                max_blocked: 1,
                log_level,
            })?;
            profiler
                .on_cpu()?
                .load()
                .map_err(|error| Error::load(PERF_PROFILER, error))?;
            Ok(profiler)
        })
    }

    /// Loads the program that samples waits of the process `watched`.
    ///
    /// # Errors
    ///
    /// Those of [`Profiler::load_on_cpu`], and [`Error::Tracepoint`].
    pub fn load_off_cpu(watched: u32) -> Result<Self, Error> {
        let offsets = kernel::SchedSwitch::read()?;
        with_messages_or_without(|log_level| {
            let mut profiler = Self::load(&Settings {
                program: OFF_CPU,
                watched,
                offsets,
                ring_size: RING_SIZE,
                max_blocked: MAX_BLOCKED,
                log_level,
            })?;
            profiler
                .off_cpu()?
                .load()
                .map_err(|error| Error::load(OFF_CPU, error))?;
            Ok(profiler)
        })
    }

    fn load(settings: &Settings) -> Result<Self, Error> {
        kernel::check_supported()?;
        // Before 5.11 maps count as locked memory, of which even root may have little. If raising
        // the limit fails, it may still be high enough.
        if let Err(errno) = setrlimit(Resource::RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY) {
            log::debug!("cannot raise the limit of locked memory: {errno}");
        }
        let object = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/profiler"));
        let mut ebpf = EbpfLoader::new()
            .override_global("PID", &settings.watched, true)
            .override_global("PREV_STATE_OFFSET", &settings.offsets.prev_state, true)
            .override_global("NEXT_PID_OFFSET", &settings.offsets.next_pid, true)
            .override_global(aya_log::LEVEL, &settings.log_level, true)
            .map_max_entries("SAMPLES", settings.ring_size)
            .map_max_entries("BLOCKED", settings.max_blocked)
            .load(object)
            .map_err(|error| Error::load("the BPF object", error))?;
        Ok(Self {
            program: settings.program,
            samples: Samples {
                ring: take(&mut ebpf, "SAMPLES")?,
            },
            counts: take(&mut ebpf, "COUNTS")?,
            blocked: take(&mut ebpf, "BLOCKED")?,
            ebpf,
        })
    }

    /// Takes the messages of the kernel side, which are lost otherwise. Only the first caller gets
    /// them.
    pub fn take_messages(&mut self) -> Option<Messages> {
        EbpfLogger::init(&mut self.ebpf)
            .inspect_err(|error| log::debug!("no messages from the kernel side: {error}"))
            .ok()
    }

    /// Samples the threads of a process, and those that they start from then on, in this process or
    /// in new ones, on any CPU: `frequency` times a second of CPU time each.
    ///
    /// Threads are attached one after the other. A thread that starts another before it is attached
    /// causes that one, and all that it starts, to be missed.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchProcess`] if it has ended, [`Error::Frequency`], [`Error::NotPermitted`] and
    /// [`Error::Attach`]. Threads attached before the error stay attached until
    /// [`Profiler::detach`].
    pub fn attach_to_process(&mut self, process: &Process, frequency: u32) -> Result<(), Error> {
        kernel::check_frequency(frequency)?;
        let pid = process.pid();
        let mut attached = 0;
        // An event belongs to one thread. Existing threads get one each, new ones inherit theirs.
        for thread in process.threads()? {
            let scope = PerfEventScope::OneProcess {
                pid: thread,
                cpu: None,
            };
            match self.attach_clock(scope, frequency) {
                Ok(()) => attached += 1,
                Err(error) => match Error::attach(format!("process {pid}"), pid, error) {
                    // That thread has just ended; others may not have.
                    Error::NoSuchProcess { .. } => {}
                    error => return Err(error),
                },
            }
        }
        if attached == 0 {
            return Err(Error::NoSuchProcess { pid });
        }
        Ok(())
    }

    /// Samples all CPUs, whatever they execute, `frequency` times a second each. For a program that
    /// was loaded for one process only.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the list of CPUs cannot be read, [`Error::Frequency`],
    /// [`Error::NotPermitted`] and [`Error::Attach`].
    pub fn attach_to_cpus(&mut self, frequency: u32) -> Result<(), Error> {
        kernel::check_frequency(frequency)?;
        let cpus = online_cpus().map_err(|(path, source)| Error::File {
            action: "read",
            path: path.into(),
            source,
        })?;
        for cpu in cpus {
            self.attach_clock(PerfEventScope::AllProcessesOneCpu { cpu }, frequency)
                .map_err(|error| Error::attach(format!("CPU {cpu}"), 0, error))?;
        }
        Ok(())
    }

    fn attach_clock(&mut self, scope: PerfEventScope, frequency: u32) -> Result<(), ProgramError> {
        let program: &mut PerfEvent = self
            .ebpf
            .program_mut(PERF_PROFILER)
            .ok_or(ProgramError::NotLoaded)?
            .try_into()?;
        program.attach(
            PerfEventConfig::Software(SoftwareEvent::CpuClock),
            scope,
            SamplePolicy::Frequency(u64::from(frequency)),
            true,
        )?;
        Ok(())
    }

    /// Takes one sample at each page fault of the calling thread. Made for benchmarks: unlike with
    /// a clock, the number of samples is known beforehand.
    ///
    /// # Errors
    ///
    /// [`Error::NotPermitted`] and [`Error::Attach`].
    pub fn attach_to_page_faults(&mut self) -> Result<(), Error> {
        self.on_cpu()?
            .attach(
                PerfEventConfig::Software(SoftwareEvent::PageFaults),
                PerfEventScope::CallingProcess { cpu: None },
                SamplePolicy::Period(1),
                false,
            )
            .map(|_until_dropped| ())
            .map_err(|error| Error::attach("page faults".to_owned(), std::process::id(), error))
    }

    /// Samples waits from now on.
    ///
    /// # Errors
    ///
    /// [`Error::NotPermitted`] and [`Error::Attach`].
    pub fn attach_to_sched_switch(&mut self) -> Result<(), Error> {
        self.off_cpu()?
            .attach("sched", "sched_switch")
            .map(|_until_dropped| ())
            .map_err(|error| Error::attach("the tracepoint sched_switch".to_owned(), 0, error))
    }

    /// Stops sampling. Samples taken before can still be read.
    ///
    /// # Errors
    ///
    /// [`Error::Load`], which should not happen.
    pub fn detach(&mut self) -> Result<(), Error> {
        let program = self.program;
        // Unloading the program removes the links; the maps are held here.
        match self.ebpf.program_mut(program) {
            Some(Program::PerfEvent(program)) => program.unload(),
            Some(Program::TracePoint(program)) => program.unload(),
            _ => return Err(missing(program)),
        }
        .map_err(|error| Error::load(program, error))
    }

    /// The loaded program.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] once it is detached.
    pub fn program(&self) -> Result<&Program, Error> {
        self.ebpf
            .program(self.program)
            .ok_or_else(|| missing(self.program))
    }

    /// The samples that the kernel side has sent.
    pub const fn samples(&mut self) -> &mut Samples {
        &mut self.samples
    }

    /// The counts of samples so far, on all CPUs.
    ///
    /// # Errors
    ///
    /// [`Error::Map`].
    pub fn counts(&self) -> Result<Counts, Error> {
        Ok(self.counts.get(&0, 0)?.iter().copied().sum())
    }

    /// Waiting threads, as samples of waits that end now. Meant to be called after
    /// [`Profiler::detach`].
    ///
    /// # Errors
    ///
    /// [`Error::Map`].
    pub fn still_blocked(&self) -> Result<Vec<OffCpuSample>, Error> {
        let now = monotonic_ns();
        self.blocked
            .iter()
            .map(|entry| {
                let (_thread, waiting) = entry?;
                Ok(OffCpuSample {
                    blocked_ns: now.saturating_sub(waiting.sample.header.ktime),
                    ..waiting
                })
            })
            .collect()
    }

    fn on_cpu(&mut self) -> Result<&mut PerfEvent, Error> {
        self.ebpf
            .program_mut(PERF_PROFILER)
            .ok_or_else(|| missing(PERF_PROFILER))?
            .try_into()
            .map_err(|error: ProgramError| Error::load(PERF_PROFILER, error))
    }

    fn off_cpu(&mut self) -> Result<&mut TracePoint, Error> {
        self.ebpf
            .program_mut(OFF_CPU)
            .ok_or_else(|| missing(OFF_CPU))?
            .try_into()
            .map_err(|error: ProgramError| Error::load(OFF_CPU, error))
    }
}

impl Samples {
    /// Takes the oldest sample of executed code; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::SampleLength`] if the record is not a sample.
    pub fn next_on_cpu(&mut self) -> Result<Option<Sample>, Error> {
        self.ring.next().map(|record| read(&record)).transpose()
    }

    /// Takes the oldest sample of a wait; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::SampleLength`] if the record is not a sample.
    pub fn next_off_cpu(&mut self) -> Result<Option<OffCpuSample>, Error> {
        self.ring.next().map(|record| read(&record)).transpose()
    }
}

impl AsFd for Samples {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ring.as_fd()
    }
}

impl AsRawFd for Samples {
    fn as_raw_fd(&self) -> RawFd {
        self.ring.as_raw_fd()
    }
}

/// Loads with the messages of the kernel side, or without them if the verifier refuses them: 5.8,
/// 5.9 and early 5.10.y cannot follow aya-log's use of a ring buffer record.
fn with_messages_or_without<T>(load: impl Fn(u8) -> Result<T, Error>) -> Result<T, Error> {
    let refused = match load(ALL_MESSAGES) {
        Err(Error::Load { source, .. }) => source,
        result => return result,
    };
    let loaded = load(NO_MESSAGES)?;
    log::info!(
        "without messages of the kernel side, which this kernel refuses (5.11 takes them): what is \
         lost or failed is counted all the same"
    );
    log::debug!("{refused}");
    Ok(loaded)
}

/// Copies a value from a record.
fn read<T: aya::Pod>(record: &[u8]) -> Result<T, Error> {
    if record.len() != size_of::<T>() {
        return Err(Error::SampleLength {
            length: record.len(),
            expected: size_of::<T>(),
        });
    }
    // SAFETY: the record has the value's length, and any bytes are valid for it.
    Ok(unsafe { ptr::read_unaligned(record.as_ptr().cast()) })
}

fn take<T>(ebpf: &mut Ebpf, name: &str) -> Result<T, Error>
where
    T: TryFrom<aya::maps::Map, Error = MapError>,
{
    let map = ebpf.take_map(name).ok_or_else(|| missing(name))?;
    T::try_from(map).map_err(|error| Error::load(name, error))
}

fn missing(name: &str) -> Error {
    Error::load(name, std::io::Error::other("not in the BPF object"))
}

/// The time of `bpf_ktime_get_ns`.
fn monotonic_ns() -> u64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |now| {
        now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs()
    })
}

#[cfg(test)]
mod tests {
    use profiler_common::SampleHeader;

    use super::*;

    #[test]
    fn a_record_of_another_length_is_an_error() {
        for length in [0, size_of::<Sample>() - 1, size_of::<OffCpuSample>()] {
            let result: Result<Sample, Error> = read(&vec![0; length]);
            assert!(
                matches!(result, Err(Error::SampleLength { length: named, .. }) if named == length)
            );
        }
    }

    #[test]
    fn a_record_need_not_be_aligned() {
        let mut bytes = vec![0; size_of::<Sample>() + 1];
        bytes[1] = 7;
        let sample: Sample = read(&bytes[1..]).unwrap();
        let SampleHeader { ktime, .. } = sample.header;
        assert_eq!(ktime, u64::from_ne_bytes([7, 0, 0, 0, 0, 0, 0, 0]));
    }
}
