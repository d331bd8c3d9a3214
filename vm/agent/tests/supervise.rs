//! The command `supervise`, on this machine.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn supervised(script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bpfgate-agent"));
    command.args(["supervise", "/bin/bash", "-c", script]);
    command
}

/// Whether a program with this argument ends within ten seconds.
fn ends(argument: &str) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if !is_running(argument) {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

fn is_running(argument: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        line == format!("sleep\0{argument}\0")
    })
}

#[test]
fn the_exit_code_is_the_programs_and_its_children_are_killed() {
    let script = "for i in 1 2 3; do setsid sleep 98761 & done; sleep 98762 & exit 7";
    let status = supervised(script).status().unwrap();
    assert_eq!(status.code(), Some(7));
    assert!(!is_running("98761"));
    assert!(!is_running("98762"));
}

#[test]
fn killing_it_kills_all_descendants_even_outside_its_process_group() {
    let mut command = supervised("setsid sleep 98763 & sleep 98764");
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    while !is_running("98763") {
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ends("98763"));
    assert!(ends("98764"));
}
