//! User side of the XDP example: loads the program, attaches it and reads its results.
//!
//! The binary and the benchmarks are two entry points of this library.

use std::{
    os::fd::{AsFd as _, OwnedFd},
    sync::{Arc, atomic::AtomicBool},
    thread::JoinHandle,
};

mod agent;
mod error;
mod object;

pub use agent::{SourceAddrQueue, Tally, pop, spawn_agent};
pub use error::Error;
pub use object::{FUN_XDP, XDP_PASS, attach, load, load_program, queue};
pub use xdp_common::SourceAddr;

/// A running `fun_xdp`: its process, its program, and the handle to wait for its end.
#[derive(Debug)]
pub struct Process {
    /// The process that holds the program: this one.
    pub pid: u32,
    /// The loaded program, so that its counters can be read from `/proc/PID/fdinfo/FD`.
    pub prog_fd: OwnedFd,
    /// The agent. It detaches the program when it ends, and returns what it read.
    pub handle: JoinHandle<Result<Tally, Error>>,
}

/// Loads `fun_xdp`, attaches it to the interface and starts an agent that reads its queue until
/// `shutdown` is set.
pub fn run(iface: &str, shutdown: Arc<AtomicBool>) -> Result<Process, Error> {
    let mut ebpf = load()?;
    let program = load_program(&mut ebpf, FUN_XDP)?;
    attach(program, iface)?;
    let prog_fd = program
        .fd()
        .map_err(|error| Error::load(FUN_XDP, error))?
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| Error::load(FUN_XDP, error))?;
    let handle = spawn_agent(ebpf, shutdown)?;
    Ok(Process {
        pid: std::process::id(),
        prog_fd,
        handle,
    })
}
