//! Benchmark of one sample's cost in the kernel. It is its own harness, and prints Bencher Metric
//! Format.
//!
//! A clock would fire an unknown number of times. So the program is attached to the page faults of
//! this thread, and 128 of them are triggered by writing to as many pages for the first time.

use std::{num::NonZeroUsize, ptr};

use anyhow::{Context as _, Result, ensure};
use bpf_bench::{Counters, Statistics};
use nix::sys::mman::{
    MapFlags, MlockAllFlags, MmapAdvise, ProtFlags, madvise, mlockall, mmap_anonymous, munmap,
};
use profiler::{Counts, PERF_PROFILER, Profiler};
use serde_json::json;

const EVENTS: u64 = 128;
/// Events before the measurement: they page code in, and absorb other first-run effects.
const WARM_UP_EVENTS: u64 = 16;

fn main() -> Result<()> {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    // `--leave-statistics` shows the error if statistics are off.
    let leave = std::env::args().any(|argument| argument == "--leave-statistics");
    // Dropping it turns statistics off again, if they were off before.
    let _statistics = (!leave).then(Statistics::enable).transpose()?;

    let mut profiler = Profiler::load_on_cpu(None)?;
    // Brings all current memory in and keeps it. Otherwise code that runs for the first time would
    // fault too, a number of times that depends on what was read from disk before.
    mlockall(MlockAllFlags::MCL_CURRENT).context("cannot lock memory (root, or a higher limit)")?;
    let warm_up = Pages::new(WARM_UP_EVENTS)?;
    let pages = Pages::new(EVENTS)?;
    profiler.attach_to_page_faults()?;
    Reading::take(&profiler)?;
    warm_up.touch();
    let before = Reading::take(&profiler)?;
    pages.touch();
    let after = Reading::take(&profiler)?;
    // Tools that count over the program's life see only these page faults.
    profiler.detach()?;

    let counted = after.counters.since(before.counters)?;
    let fired = after.counts.fired() - before.counts.fired();
    let taken = after.counts.taken - before.counts.taken;
    let runs = counted.run_count;
    ensure!(
        runs == EVENTS && fired == EVENTS && taken == EVENTS,
        "{EVENTS} page faults gave {runs} runs of the program and {fired} samples, {taken} of them taken"
    );
    let mut read = 0;
    while let Some(sample) = profiler.samples().next_on_cpu()? {
        ensure!(
            sample.header.pid == std::process::id(),
            "a sample of process {}, not of this one",
            sample.header.pid
        );
        read += 1;
    }
    ensure!(
        read == after.counts.taken,
        "{read} samples to read, where {} were taken",
        after.counts.taken
    );

    let latency = counted.run_time_ns as f64 / runs as f64;
    let metrics = json!({"perf_profiler": {"latency": {"value": latency}}});
    println!("{metrics:#}");
    Ok(())
}

/// The kernel's and the program's own counts.
struct Reading {
    counters: Counters,
    counts: Counts,
}

impl Reading {
    fn take(profiler: &Profiler) -> Result<Self> {
        let program = profiler.program()?.fd()?;
        Ok(Self {
            // One system call and no memory: less that could fault than in reading fdinfo.
            counters: Counters::by_info(PERF_PROFILER, program)?,
            counts: profiler.counts()?,
        })
    }
}

/// Memory that was never written to.
struct Pages {
    start: ptr::NonNull<std::ffi::c_void>,
    count: usize,
}

const PAGE_SIZE: usize = 4096;

impl Pages {
    fn new(count: u64) -> Result<Self> {
        let count = usize::try_from(count)?;
        let length = NonZeroUsize::new(count * PAGE_SIZE).context("no pages")?;
        // SAFETY: new memory, at an address of the kernel's choice.
        let start = unsafe {
            mmap_anonymous(
                None,
                length,
                ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                MapFlags::MAP_PRIVATE,
            )
        }
        .context("cannot map memory")?;
        let pages = Self { start, count };
        // A huge page would come with a single fault. Kernels without huge pages refuse this.
        // SAFETY: the mapping above; the call has no visible effect on its content.
        let _: nix::Result<()> =
            unsafe { madvise(start, length.get(), MmapAdvise::MADV_NOHUGEPAGE) };
        Ok(pages)
    }

    /// Writes to each page, which triggers one page fault each.
    #[inline(never)]
    fn touch(&self) {
        let start: *mut u8 = self.start.as_ptr().cast();
        for page in 0..self.count {
            // SAFETY: within the mapping, which is writable and has no other user.
            unsafe { start.add(page * PAGE_SIZE).write_volatile(1) };
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: nothing refers to it any more.
        let _: nix::Result<()> = unsafe { munmap(self.start, self.count * PAGE_SIZE) };
    }
}
