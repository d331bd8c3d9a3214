//! Heap benchmark: the bytes and blocks that `process_sample` allocates. Exact, and the same on
//! every run. Prints Bencher Metric Format to stdout.
//!
//! Also writes the whole profile to `dhat-heap.json` in the folder `BPFGATE_PROFILE_DIR`, if that is
//! set, for <https://nnethercote.github.io/dh_view/dh_view.html>.

use std::{env, hint::black_box, path::Path};

use anyhow::{Context as _, Result, ensure};
use dhat::{HeapStats, Profiler};
use profiler::process_sample;
use serde_json::json;

mod support;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const SAMPLES: u64 = 1_000;

fn main() -> Result<()> {
    let directory = env::var_os("BPFGATE_PROFILE_DIR");
    let samples: Vec<_> = (0..SAMPLES).map(support::sample).collect();
    // Absorbs one-time allocations, which are not caused by the samples.
    black_box(process_sample(&samples[0])?);

    let builder = Profiler::builder();
    let heap = match &directory {
        Some(directory) => {
            let path = Path::new(directory).join("dhat-heap.json");
            ensure!(
                Path::new(directory).is_dir(),
                "BPFGATE_PROFILE_DIR is no directory: {}",
                directory.display()
            );
            builder.file_name(path).build()
        }
        // Counts, and writes nothing.
        None => builder.testing().build(),
    };
    let mut last = None;
    for sample in &samples {
        // Kept until the next one exists, as by a reader that adds up stacks.
        last = Some(black_box(process_sample(black_box(sample))?));
    }
    drop(last);
    let stats = HeapStats::get();
    drop(heap);

    ensure!(
        stats.total_blocks > 0,
        "nothing was counted: is dhat's allocator in place?"
    );
    let metrics = json!({
        "process_sample": {
            "total-bytes": {"value": stats.total_bytes},
            "total-blocks": {"value": stats.total_blocks},
            "peak-bytes": {"value": stats.max_bytes},
            "end-bytes": {"value": stats.curr_bytes},
        }
    });
    println!(
        "{}",
        serde_json::to_string_pretty(&metrics).context("cannot print the results")?
    );
    Ok(())
}
