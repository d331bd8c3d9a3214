//! The binary, as it is called: what it prints, and what it makes of bad input.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{can_sample, target::Target};

fn profiler() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_profiler"));
    command.env_remove("RUST_LOG");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn assert_fails(output: &Output, expected: &str) {
    let stderr = text(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(stderr.contains(expected), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn a_missing_or_unparsable_pid_is_an_error() {
    for (pid, expected) in [
        (None, "<PID>"),
        (
            Some("0"),
            "invalid value '0' for '<PID>': a process ID is 1 or more",
        ),
        (
            Some("1.5"),
            "invalid value '1.5' for '<PID>': a process ID is a whole number",
        ),
        (
            Some("init"),
            "invalid value 'init' for '<PID>': a process ID is a whole number",
        ),
        (Some(""), "'<PID>': a process ID is a whole number"),
    ] {
        let output = profiler().args(pid).output().unwrap();
        assert_fails(&output, expected);
    }
}

#[test]
fn a_dead_pid_is_an_error() {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    child.wait().unwrap();
    for arguments in [&[][..], &["--all"], &["--off-cpu"]] {
        let output = profiler().arg(&pid).args(arguments).output().unwrap();
        assert_fails(
            &output,
            &format!("error: cannot profile process {pid}: there is no such process"),
        );
    }
}

#[test]
fn missing_privileges_are_an_error() {
    if !can_sample() {
        return;
    }
    const NOBODY: u32 = 65_534;
    let target = Target::start(&["waiter"]);
    // Where that user may execute it, whoever owns the target folder.
    let copy = Path::new("/tmp").join(format!("profiler-{}", std::process::id()));
    fs::copy(env!("CARGO_BIN_EXE_profiler"), &copy).unwrap();
    for arguments in [&[][..], &["--all"], &["--off-cpu"]] {
        let output = Command::new(&copy)
            .arg(target.pid().to_string())
            .args(arguments)
            .uid(NOBODY)
            .gid(NOBODY)
            .output();
        assert_fails(
            &output.unwrap(),
            "not permitted (run as root, or with CAP_BPF, CAP_PERFMON",
        );
    }
    fs::remove_file(copy).unwrap();
}

#[test]
fn too_high_a_frequency_is_an_error() {
    if !can_sample() {
        return;
    }
    let target = Target::start(&["waiter"]);
    let output = profiler()
        .args([&target.pid().to_string(), "--frequency", "4000000000"])
        .output()
        .unwrap();
    assert_fails(
        &output,
        "cannot take 4000000000 samples a second: the kernel allows ",
    );
}

/// Starts the profiler and waits until it has attached.
fn attached(arguments: &[&str]) -> (std::process::Child, std::thread::JoinHandle<String>) {
    let mut child = profiler()
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut start = String::new();
    for line in log.by_ref() {
        let line = line.unwrap();
        start += &line;
        start += "\n";
        if line.contains("taking samples") {
            break;
        }
    }
    assert!(start.contains("taking samples"), "{start}");
    let rest = std::thread::spawn(move || {
        start + &log.map_while(Result::ok).collect::<Vec<_>>().join("\n")
    });
    (child, rest)
}

/// The last line of the output: `N taken, N lost, N failed`.
fn counts(stdout: &[u8]) -> [u64; 3] {
    let stdout = text(stdout);
    let line = stdout.lines().last().unwrap_or_default();
    let numbers: Vec<u64> = ["taken", "lost", "failed"]
        .iter()
        .zip(line.split(", "))
        .map(|(name, part)| {
            part.strip_suffix(name)
                .and_then(|number| number.trim().parse().ok())
                .unwrap_or_else(|| panic!("{stdout:?}"))
        })
        .collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{stdout:?}"))
}

#[test]
fn ends_with_its_summary_when_the_process_dies() {
    if !can_sample() {
        return;
    }
    let mut target = Target::start(&["endless"]);
    let pid = target.pid().to_string();
    let (child, log) = attached(&[&pid]);
    target.begin();
    std::thread::sleep(std::time::Duration::from_secs(1));
    target.kill();
    let output = child.wait_with_output().unwrap();
    let log = log.join().unwrap();
    assert!(output.status.success(), "{log}");
    let [taken, lost, failed] = counts(&output.stdout);
    println!("{taken} taken, {lost} lost, {failed} failed");
    assert!(taken > 0, "{log}");
    assert_eq!(lost, 0);
    assert!(log.contains(&format!("process {pid} has ended")), "{log}");
    assert!(log.contains("target;"), "each sample is logged: {log}");
}

#[test]
fn ends_with_its_summary_and_files_on_ctrl_c() {
    if !can_sample() {
        return;
    }
    let mut target = Target::start(&["endless"]);
    let pid = target.pid().to_string();
    let folder = Path::new("/tmp").join(format!("profiler-files-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let [folded, svg, difference] =
        ["a.folded", "a.svg", "b.svg"].map(|name| folder.join(name).display().to_string());
    let (child, log) = attached(&[&pid, "--folded", &folded, "--flamegraph", &svg]);
    target.begin();
    std::thread::sleep(std::time::Duration::from_secs(1));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = log.join().unwrap();
    assert!(output.status.success(), "{log}");
    let [taken, _, _] = counts(&output.stdout);
    assert!(taken > 0, "{log}");
    assert!(
        fs::read_to_string(&folded)
            .unwrap()
            .contains("target::endless_function")
    );
    assert!(
        fs::read_to_string(&svg)
            .unwrap()
            .contains("target::endless_function")
    );

    let output = profiler()
        .args(["diff", &folded, &folded, "--flamegraph", &difference])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        fs::read_to_string(&difference)
            .unwrap()
            .contains("target::endless_function")
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_that_is_not_folded_is_named_with_the_line() {
    let path = std::env::temp_dir().join(format!("{}.folded", std::process::id()));
    fs::write(&path, "a;b 1\nno number\n").unwrap();
    let output = profiler()
        .arg("diff")
        .args([&path, &path])
        .args(["--flamegraph", "/nowhere/a.svg"])
        .output()
        .unwrap();
    assert_fails(&output, &format!("cannot read {}: line 2", path.display()));
    fs::write(&path, "a;b 1\n").unwrap();
    let output = profiler()
        .arg("diff")
        .args([&path, &path])
        .args(["--flamegraph", "/nowhere/a.svg"])
        .output()
        .unwrap();
    assert_fails(&output, "cannot write /nowhere/a.svg");
    fs::remove_file(path).unwrap();
}
