//! Tests the profiler on processes with known work. Needs root, a kernel with BPF and tracefs;
//! prints a message and passes if one of them is missing.

mod command;
mod off_cpu;
mod on_cpu;
mod target;

use std::path::Path;

use profiler::{Error, Profiler};

/// Whether programs can be loaded here. Prints why if not.
fn can_sample() -> bool {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: needs root");
        return false;
    }
    // `off_cpu` reads the fields of a tracepoint from it.
    let folders = [
        "/sys/kernel/tracing/events",
        "/sys/kernel/debug/tracing/events",
    ];
    if !folders.iter().any(|folder| Path::new(folder).exists()) {
        println!("skipped: needs tracefs (mount -t tracefs tracefs /sys/kernel/tracing)");
        return false;
    }
    // Samples have the process IDs of the first PID namespace.
    let namespace = std::fs::read_link("/proc/self/ns/pid");
    if namespace.is_ok_and(|link| link.to_str() != Some("pid:[4026531836]")) {
        println!("skipped: needs the first PID namespace");
        return false;
    }
    match Profiler::load_on_cpu(None) {
        Ok(_) => true,
        // Root in a container may have fewer privileges.
        Err(error @ Error::NotPermitted { .. }) => {
            println!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}
