//! What one sample costs in the kernel: a harness of its own, which prints Bencher Metric Format.
//!
//! A clock would fire as often as it likes. Here the program is attached to the page faults of this
//! thread, and 128 of them are made, by writing to as many pages for the first time.

use std::{num::NonZeroUsize, ptr, time::Duration};

use anyhow::{Context as _, Result, ensure};
use aya::{
    programs::ProgramInfo,
    sys::{Stats, enable_stats},
};
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};
use profiler::{Counts, Profiler};
use serde_json::json;

const EVENTS: u64 = 128;
/// Before it is measured: code is paged in, and whatever else is done once in a life.
const WARM_UP_EVENTS: u64 = 16;

fn main() -> Result<()> {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    // `--leave-statistics` shows what the error looks like when they are off.
    let leave = std::env::args().any(|argument| argument == "--leave-statistics");
    // Off again when this is closed, and nobody else's setting is touched.
    let _statistics = if leave {
        None
    } else {
        Some(
            enable_stats(Stats::RunTime)
                .context("cannot turn BPF statistics on (root, and Linux 5.8 or later)")?,
        )
    };

    let mut profiler = Profiler::load_on_cpu(None)?;
    profiler.attach_to_page_faults()?;
    let warm_up = Pages::new(WARM_UP_EVENTS)?;
    let pages = Pages::new(EVENTS)?;
    Reading::take(&profiler)?;
    warm_up.touch();
    let before = Reading::take(&profiler)?;
    pages.touch();
    let after = Reading::take(&profiler)?;

    ensure!(
        after.run_count > before.run_count && after.run_time > before.run_time,
        "nothing was counted, before and after it is {before:?} (are statistics on?)"
    );
    let fired = after.counts.fired() - before.counts.fired();
    let taken = after.counts.taken - before.counts.taken;
    let runs = after.run_count - before.run_count;
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

    let latency = (after.run_time - before.run_time).as_nanos() as f64 / runs as f64;
    let metrics = json!({"perf_profiler": {"latency": {"value": latency}}});
    println!("{metrics:#}");
    Ok(())
}

/// What the kernel has counted for the program, and the program itself.
#[derive(Debug)]
struct Reading {
    run_time: Duration,
    run_count: u64,
    counts: Counts,
}

impl Reading {
    fn take(profiler: &Profiler) -> Result<Self> {
        let info: ProgramInfo = profiler.program()?.info()?;
        Ok(Self {
            run_time: info.run_time(),
            run_count: info.run_count(),
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
        // SAFETY: new memory, wherever there is room.
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
        // A huge page would come with a single fault. Where there are none, this is refused.
        // SAFETY: that memory, and it changes nothing that could be seen.
        let _: nix::Result<()> =
            unsafe { madvise(start, length.get(), MmapAdvise::MADV_NOHUGEPAGE) };
        Ok(pages)
    }

    /// Writes to each page: one page fault each.
    #[inline(never)]
    fn touch(&self) {
        let start: *mut u8 = self.start.as_ptr().cast();
        for page in 0..self.count {
            // SAFETY: within the mapping, which is writable and nobody else's.
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
