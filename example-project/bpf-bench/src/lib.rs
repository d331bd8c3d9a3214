//! Benchmarks of BPF programs by the kernel's own run-time statistics, for any program that has a
//! file descriptor: of [Aya](https://aya-rs.dev), of libbpf-rs, or loaded by hand.
//!
//! The kernel reads its clock before and after each run of a program and adds up time and runs
//! (`run_time_ns`, `run_cnt`), for every program type, without a hardware counter or a change to
//! the program. This library turns that on and off again, reads it in two ways that must agree,
//! and makes results of it, or errors: never a zero.
//!
//! # Programs that are attached
//!
//! Register what is loaded, and hand over what makes it run. Under `[dev-dependencies]` and
//! `[[bench]]` with `harness = false`:
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
//! # Programs that are not
//!
//! `BPF_PROG_TEST_RUN` runs a program on an input of one's own. [`Benchmark::test_runs`] runs it
//! once on each, always on a fresh copy:
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
//! Part of each run is the price of being called. [`Measurement::gross`] has it, and
//! [`Measurement::net`] has not: an empty program of the same type is measured on the spot and
//! taken off, called the way the others are.
//!
//! A kernel may change what it counts from one release to the next (6.10 no longer counts part of
//! its own bookkeeping, and stable series took that over in their midst): compare results of one
//! release only.
//!
//! # Without root
//!
//! All of it needs root, or CAP_SYS_ADMIN with what loading and attaching takes. The errors say
//! so: [`Error::NotPermitted`].
//!
//! # Under bpfgate
//!
//! It counts every program that is loaded while a benchmark runs, and knows what an empty one
//! costs: use [`Benchmark::gross_only`], so that there is none of ours among them. Where a kernel
//! lacks what a benchmark needs, [`print_gap`] makes that a remark in the report.

mod benchmark;
pub mod bmf;
mod counters;
mod empty;
mod error;
#[cfg(test)]
mod fixtures;
pub mod go;
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
