//! Overhead of probes: calls `getpid()` and a user function with no probe, and with every pair of a
//! hook and a body.
//!
//! The benchmark `probe_overhead` is an entry point of this library. [`Probes`] loads one program
//! at a time. [`measure`] times calls with it attached, and compares its counts with the calls
//! made. [`report`] formats the results.

mod bpf_call;
mod counts;
mod error;
mod hook;
mod kprobe_multi;
pub mod measure;
mod object;
pub mod report;
mod statistics;
pub mod target;

pub use counts::Counted;
pub use error::Error;
pub use hook::{Benchmark, Body, Hook, Pair, Target};
pub use measure::Plan;
pub use object::{Probe, Probes};
pub use statistics::{Cost, Overhead};
