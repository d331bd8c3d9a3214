//! User side of the profiler: loads the program, attaches it to a clock or to the scheduler, reads
//! the stacks, names them and adds them up.
//!
//! The binary, the tests and the benchmarks are entry points of this library.

mod error;
mod folded;
pub mod graph;
mod kernel;
mod object;
mod process;
mod sample;
mod session;
mod symbols;

pub use error::Error;
pub use folded::Folded;
pub use object::{Messages, OFF_CPU, PERF_PROFILER, Profiler, Samples};
pub use process::Process;
pub use profiler_common::{Counts, MAX_FRAMES, OffCpuSample, STACK_SIZE, Sample, SampleHeader};
pub use sample::{Trace, process_sample};
pub use session::{End, Mode, Profile, profile};
pub use symbols::Symbols;
