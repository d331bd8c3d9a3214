//! Shared definitions of the profiler's kernel and user side: the shape of a sample, and the
//! counts. Plain memory, the same on both sides.
#![cfg_attr(not(test), no_std)]

/// The most frames of a stack: the kernel's own default, `kernel.perf_event_max_stack`.
pub const MAX_FRAMES: usize = 127;
/// Length of the stack of a sample in bytes: one address of eight bytes for each frame.
pub const STACK_SIZE: usize = MAX_FRAMES * size_of::<u64>();

/// The thread and time of a stack.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(C)]
pub struct SampleHeader {
    /// Nanoseconds since boot, without the time during which the machine was suspended.
    pub ktime: u64,
    /// The process: the kernel's `tgid`.
    pub pid: u32,
    /// The thread: the kernel's `pid`.
    pub tid: u32,
    /// The number of used bytes of the stack.
    pub stack_len: u64,
}

/// One sample of a thread's stack.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(C)]
pub struct Sample {
    /// The thread and time of the stack.
    pub header: SampleHeader,
    /// Return addresses in user space in native byte order, the innermost first.
    pub stack: [u8; STACK_SIZE],
}

/// One period in which a thread waited. The time of the sample is its start.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(C)]
pub struct OffCpuSample {
    /// The stack with which the thread began to wait.
    pub sample: Sample,
    /// The time until it ran again, in nanoseconds.
    pub blocked_ns: u64,
}

/// Counts of the samples that were due. Each is counted once, in one of these fields.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[repr(C)]
pub struct Counts {
    /// Passed to user space.
    pub taken: u64,
    /// Lost, because the ring buffer was full.
    pub lost: u64,
    /// Without a stack: the kernel could not read it, or had no room to keep it.
    pub failed: u64,
}

impl Counts {
    /// The number of samples that were due.
    pub const fn fired(self) -> u64 {
        self.taken + self.lost + self.failed
    }
}

/// Sums up the CPUs' counts.
impl core::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, cpu| Self {
            taken: sum.taken + cpu.taken,
            lost: sum.lost + cpu.lost,
            failed: sum.failed + cpu.failed,
        })
    }
}

// SAFETY: all are `repr(C)`, consist of numbers and bytes only, and have no padding (tested below).
#[cfg(feature = "user")]
unsafe impl aya::Pod for SampleHeader {}
#[cfg(feature = "user")]
unsafe impl aya::Pod for Sample {}
#[cfg(feature = "user")]
unsafe impl aya::Pod for OffCpuSample {}
#[cfg(feature = "user")]
unsafe impl aya::Pod for Counts {}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn the_stack_follows_the_header_and_nothing_is_padded() {
        assert_eq!(size_of::<SampleHeader>(), 8 + 4 + 4 + 8);
        assert_eq!(offset_of!(Sample, stack), size_of::<SampleHeader>());
        assert_eq!(size_of::<Sample>(), size_of::<SampleHeader>() + STACK_SIZE);
        assert_eq!(size_of::<OffCpuSample>(), size_of::<Sample>() + 8);
        assert_eq!(size_of::<Counts>(), 3 * 8);
    }

    #[test]
    fn the_kernel_can_reserve_and_fill_a_sample() {
        // Ring buffers align to eight bytes, `bpf_get_stack` fills whole addresses.
        assert_eq!(align_of::<Sample>(), 8);
        assert_eq!(STACK_SIZE % size_of::<u64>(), 0);
    }

    #[test]
    fn every_sample_is_taken_lost_or_failed() {
        let cpus = [
            Counts {
                taken: 1,
                lost: 20,
                failed: 300,
            },
            Counts {
                taken: 4_000,
                lost: 0,
                failed: 0,
            },
        ];
        let sum: Counts = cpus.into_iter().sum();
        assert_eq!((sum.taken, sum.lost, sum.failed), (4_001, 20, 300));
        assert_eq!(sum.fired(), 4_321);
    }
}
