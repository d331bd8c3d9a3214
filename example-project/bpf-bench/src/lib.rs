//! Benchmarks of BPF programs by the kernel's own run-time statistics. They work for any program
//! with a file descriptor, loaded by [Aya](https://aya-rs.dev), by libbpf-rs or by hand.
//!
//! The kernel reads its clock before and after each run of a program and adds up time and runs
//! (`run_time_ns`, `run_cnt`), for every program type, without a hardware counter or a change to
//! the program. This library turns that on and off again, and reads it in two ways that must agree.
//! It returns results or errors, but never a zero.
//!
//! # Attached programs
//!
//! Register the loaded program, and pass a function that makes it run. Under `[dev-dependencies]`
//! and `[[bench]]` with `harness = false`:
//!
//! ```no_run
//! use aya::{Ebpf, programs::{Xdp, XdpMode}};
//! use bpf_bench::{Benchmark, bmf};
//! # fn send_packets() -> std::io::Result<()> { Ok(()) }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut ebpf = Ebpf::load_file("my_program.o")?;
//! let program: &mut Xdp = ebpf.program_mut("my_program").ok_or("not in the object")?.try_into()?;
//! program.load()?;
//! program.attach("veth0", XdpMode::Driver)?;
//!
//! let mut benchmark = Benchmark::new();
//! benchmark.register("my_program", program.fd()?)?;
//! // Once for each round. It returns when the packets have arrived.
//! let results = benchmark.run(|| send_packets())?;
//!
//! println!("{}", bmf::of_measurements(&results));
//! # Ok(())
//! # }
//! ```
//!
//! With libbpf-rs it is `benchmark.register("my_program", &skel.progs.my_program)`.
//!
//! # Programs that are not attached
//!
//! `BPF_PROG_TEST_RUN` runs a program on a given input. [`Benchmark::test_runs`] runs it once on
//! each input, always on a fresh copy:
//!
//! ```no_run
//! use bpf_bench::{Benchmark, Input, ProgramType, go, raw::{Instruction, load}, running_release};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = load(ProgramType::XDP, "pass", &[Instruction::mov(0, 2), Instruction::exit()])?;
//! let mut benchmark = Benchmark::new();
//! benchmark.register("pass", &program)?;
//! let results = benchmark.test_runs(&vec![Input::packet([0; 64]); 100])?;
//! print!("{}", go::to_text(&results, &running_release()?));
//! # Ok(())
//! # }
//! ```
//!
//! | types                                                                     | since | input          | net |
//! | ------------------------------------------------------------------------- | ----- | -------------- | --- |
//! | `xdp`, `socket_filter`, `sched_cls`, `cgroup_skb`                         | 4.12  | frame          | yes |
//! | `sched_act`, `lwt_in`, `lwt_out`, `lwt_xmit`                              | 4.12  | frame          | no  |
//! | `lwt_seg6local`                                                           | 4.18  | frame          | no  |
//! | `flow_dissector`                                                          | 5.1   | frame          | no  |
//! | `raw_tracepoint`, `raw_tracepoint_writable`                               | 5.10  | context        | no  |
//! | `sk_lookup`                                                               | 5.13  | context        | no  |
//! | `syscall`                                                                 | 5.14  | context        | no  |
//! | `netfilter`                                                               | 6.4   | IP packet      | no  |
//! | all others, such as `kprobe`, `tracepoint`, `perf_event`                  |       | [`Error::NoTestRun`] |  |
//!
//! # Gross and net
//!
//! Part of each run is the cost of the call. [`Measurement::gross`] includes it, and
//! [`Measurement::net`] does not: an empty program of the same type is measured at once, called in
//! the same way, and subtracted.
//!
//! A kernel may change what it counts from one release to the next. For example, 6.10 no longer
//! counts part of its own bookkeeping, and stable series adopted that in a minor update. So compare
//! results of one release only.
//!
//! # Without root
//!
//! Everything needs root, or CAP_SYS_ADMIN with the capabilities for loading and attaching.
//! Otherwise the error is [`Error::NotPermitted`].
//!
//! # Under bpfgate
//!
//! bpfgate counts every program that is loaded while a benchmark runs, and knows the cost of an
//! empty one. Use [`Benchmark::gross_only`], so that this library loads no empty one. If a kernel
//! does not support a benchmark, [`print_gap`] adds a remark to the report.

mod benchmark;
pub mod bmf;
mod counters;
mod empty;
mod error;
#[cfg(test)]
mod fixtures;
pub mod go;
mod instruction;
pub mod json_lines;
mod kernel;
mod names;
mod program_type;
pub mod raw;
mod rounds;
mod statistics;
mod sys;
mod test_run;

pub use benchmark::{Benchmark, Measurement};
pub use counters::{Counters, DeltaError};
pub use error::Error;
pub use kernel::{KernelVersion, gap_line, print_gap, running_release};
pub use program_type::ProgramType;
pub use rounds::Latency;
pub use statistics::Statistics;
pub use test_run::{Input, Output, test_run};
