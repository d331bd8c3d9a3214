//! Shared parts of the benchmarks.

use profiler::{STACK_SIZE, Sample, SampleHeader};

/// Frames of the stack in a [`sample`]: a common depth.
pub const FRAMES: usize = 24;

/// Makes sample `number`; the samples are the same on every run.
pub fn sample(number: u64) -> Sample {
    let mut stack = [0; STACK_SIZE];
    for (depth, frame) in (0..).zip(stack.as_chunks_mut().0.iter_mut().take(FRAMES)) {
        let address: u64 = 0x5555_5555_0000 + number * 0x100 + depth * 0x10;
        *frame = address.to_ne_bytes();
    }
    Sample {
        header: SampleHeader {
            ktime: 1_000_000_000 + number * 10_000_000,
            pid: 4_000,
            tid: 4_001,
            stack_len: (FRAMES * size_of::<u64>()) as u64,
        },
        stack,
    }
}
