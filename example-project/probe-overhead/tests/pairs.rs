//! Tests every pair in a real kernel: it loads, attaches and counts calls. Needs root outside of
//! containers, a kernel with BPF and tracefs; prints a message and passes if one is missing.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use probe_overhead::{Body, Error, Hook, Pair, Plan, Probes, Target, measure};

const PLAN: Plan = Plan {
    rounds: 2,
    calls: 16,
};

/// Runs one test at a time: each turns the kernel's statistics on and off, which would disturb
/// another.
static ALONE: Mutex<()> = Mutex::new(());

/// Returns `None` without the privileges to load a program, or if the machine is not set up for
/// tracing.
fn probes() -> Option<(Probes, MutexGuard<'static, ()>)> {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: needs root");
        return None;
    }
    let folders = [
        "/sys/kernel/tracing/events",
        "/sys/kernel/debug/tracing/events",
    ];
    if !folders.iter().any(|folder| Path::new(folder).exists()) {
        println!("skipped: needs tracefs");
        return None;
    }
    // Programs see a process by its id in the first PID namespace, whose number is PROC_PID_INIT_INO.
    if !std::fs::read_link("/proc/self/ns/pid")
        .is_ok_and(|link| link == Path::new("pid:[4026531836]"))
    {
        println!("skipped: needs the first PID namespace");
        return None;
    }
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    match Probes::new() {
        Ok(probes) => Some((probes, alone)),
        Err(error @ Error::NotPermitted { .. }) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}

#[test]
fn every_available_pair_counts_its_calls() {
    let Some((mut probes, _alone)) = probes() else {
        return;
    };
    let mut measured = 0;
    for pair in Pair::all() {
        let result = probes
            .load(pair)
            .and_then(|mut probe| measure::measure(&mut probe, PLAN));
        match result {
            Ok(cost) => {
                println!("{pair}: {cost:?}");
                measured += 1;
            }
            // The clock of this machine is too coarse for costs; the counts are right.
            Err(Error::CoarseClock { .. }) => {
                println!("{pair}: counted, not timed");
                measured += 1;
            }
            Err(gap) if gap.is_gap() => {
                println!("{gap}");
                assert!(
                    matches!(
                        pair.hook,
                        Hook::KprobeMulti | Hook::Fentry | Hook::Fexit | Hook::BtfTracepoint
                    ),
                    "every kernel from 5.8 on has {pair}"
                );
            }
            Err(error) => panic!("{pair}: {error}: {:?}", std::error::Error::source(&error)),
        }
    }
    println!("{measured} pairs");
    assert!(measured >= 18, "{measured} pairs");
}

#[test]
fn a_program_without_calls_is_an_error() {
    let Some((mut probes, _alone)) = probes() else {
        return;
    };
    // Each is attached to its own hook while the other target is called.
    for (hook, body, other) in [
        (Hook::Kprobe, Body::Empty, Target::Function),
        (Hook::Kprobe, Body::Simple, Target::Function),
        (Hook::Kprobe, Body::Complex, Target::Function),
        (Hook::Tracepoint, Body::Empty, Target::Function),
        (Hook::Uprobe, Body::Simple, Target::Getpid),
    ] {
        let pair = Pair { hook, body };
        let mut probe = probes.load(pair).unwrap();
        let error = measure::measure_calling(&mut probe, other, PLAN).unwrap_err();
        let Error::Miscounted {
            pair: named,
            calls,
            proven,
            found,
        } = &error
        else {
            panic!("{pair}: {error}");
        };
        assert_eq!((*named, *calls, *proven), (pair, 64, 16));
        assert_eq!(found.calls.unwrap_or(0), 0, "{error}");
        // Another process may call getpid() meanwhile, once or twice.
        assert!(found.runs < 16, "{error}");
    }
}
