//! Tests the binary: its output, and its errors for bad input.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::process::CommandExt as _,
    },
    path::Path,
    process::{Child, ChildStderr, Command, Output, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use aya::maps::MapInfo;
use bpf_bench::{
    Input, ProgramType,
    raw::{Instruction as I, load},
    test_run,
};
use nix::{
    sched::{CloneFlags, unshare},
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
    // That user may execute it there, independently of the target folder's owner.
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
fn a_pid_namespace_is_an_error() {
    if !can_sample() {
        return;
    }
    // Processes that the shell starts are in the namespace, the first of them as process 1.
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            "sleep 60 & \"$0\" 1; code=$?; kill -KILL $!; exit $code",
        ])
        .arg(env!("CARGO_BIN_EXE_profiler"));
    // SAFETY: a system call, which may be made between fork and exec.
    unsafe { shell.pre_exec(|| Ok(unshare(CloneFlags::CLONE_NEWPID)?)) };
    assert_fails(
        &shell.output().unwrap(),
        "error: cannot profile process 1 from within a PID namespace",
    );
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

/// The profiler's log, line by line.
struct Log {
    lines: mpsc::Receiver<String>,
    read: String,
}

impl Log {
    fn of(stderr: ChildStderr) -> Self {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            lines,
            read: String::new(),
        }
    }

    /// Reads up to a line with this text, which must come within the time.
    fn read_to(&mut self, text: &str, within: Duration) {
        let end = Instant::now() + within;
        loop {
            match self.lines.recv_timeout(end - Instant::now().min(end)) {
                Ok(line) => {
                    self.read += &line;
                    self.read += "\n";
                    if line.contains(text) {
                        return;
                    }
                }
                Err(error) => panic!("no {text:?}, {error}: {}", self.read),
            }
        }
    }

    /// The whole log, once the profiler has ended.
    fn whole(self) -> String {
        self.read + &self.lines.into_iter().collect::<Vec<_>>().join("\n")
    }
}

/// Starts the profiler and waits until it has attached.
fn attached(arguments: &[&str]) -> (Child, Log) {
    let mut child = profiler()
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = Log::of(child.stderr.take().unwrap());
    log.read_to("taking samples", Duration::from_secs(60));
    (child, log)
}

/// Reserves room in the ring buffer of a profiler and discards it without waking the reader, like
/// its kernel side does with a sample whose stack cannot be read.
fn discard_a_record(profiler: &Child) {
    const RING_BUFFER: &str = "27";
    const RING_SIZE: &str = "16777216";
    let map = fs::read_dir(format!("/proc/{}/fdinfo", profiler.id()))
        .unwrap()
        .find_map(|entry| {
            let text = fs::read_to_string(entry.ok()?.path()).ok()?;
            let field = |name: &str| {
                let value = text.lines().find_map(|line| line.strip_prefix(name))?;
                Some(value.trim())
            };
            let found = field("map_type:")? == RING_BUFFER && field("max_entries:")? == RING_SIZE;
            found.then(|| field("map_id:")?.parse().ok()).flatten()
        })
        .expect("the profiler has its ring buffer open");
    let map = MapInfo::from_id(map).unwrap().fd().unwrap();

    const RESERVE: i32 = 131;
    const DISCARD: i32 = 133;
    const NO_WAKEUP: i32 = 1;
    const XDP_PASS: u32 = 2;
    // `r1 = map FD`, which takes two instructions, and `if r0 == 0 skip the next 3`.
    let load_map = [
        I {
            code: 0x18,
            immediate: map.as_fd().as_raw_fd(),
            ..I::copy(1, 1)
        },
        I {
            code: 0,
            ..I::mov(0, 0)
        },
    ];
    let jump_if_null = I {
        code: 0x15,
        offset: 3,
        ..I::mov(0, 0)
    };
    let instructions = [
        load_map[0],
        load_map[1],
        I::mov(2, 8),
        I::mov(3, 0),
        I::call(RESERVE),
        jump_if_null,
        I::copy(1, 0),
        I::mov(2, NO_WAKEUP),
        I::call(DISCARD),
        I::mov(0, XDP_PASS as i32),
        I::exit(),
    ];
    let program = load(ProgramType::XDP, "discard", &instructions).unwrap();
    let output = test_run("discard", &program, &Input::packet([0; 64])).unwrap();
    assert_eq!(output.return_value, XDP_PASS);
}

#[test]
fn a_record_that_is_discarded_does_not_stall_those_behind_it() {
    if !can_sample() {
        return;
    }
    let mut target = Target::start(&["endless"]);
    let (child, mut log) = attached(&[&target.pid().to_string()]);
    // It logs that a moment before it waits for samples, and reads some when it begins to wait.
    std::thread::sleep(Duration::from_secs(1));
    // The target sleeps, so the ring buffer is empty except for that record.
    discard_a_record(&child);
    target.begin();
    log.read_to("target;", Duration::from_secs(10));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", log.whole());
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
    std::thread::sleep(Duration::from_secs(1));
    target.kill();
    let output = child.wait_with_output().unwrap();
    let log = log.whole();
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
    std::thread::sleep(Duration::from_secs(1));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = log.whole();
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
