//! Tests the binary on a real interface, one end of a veth pair: its output, and its end. Needs
//! root and a kernel with BPF and veth; prints a message and passes if one is missing.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use aya::programs::loaded_programs;
use nix::{
    libc::RTM_DELLINK,
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use xdp::{Error, FUN_XDP};

#[path = "../benches/fun_xdp/veth.rs"]
mod veth;

/// Far more than anything here takes, because virtual time can jump.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A source address of each class, and one of none.
const SOURCES: [[u8; 4]; 5] = [
    [198, 18, 0, 233],
    [198, 18, 0, 9],
    [198, 18, 0, 12],
    [198, 18, 0, 4],
    [198, 18, 0, 7],
];
/// The binary's result for three packets from each of them.
const TALLY: &str = "12 packets, 3 Buzz, 3 Fibonacci, 3 Fizz, 3 FizzBuzz";

/// Whether programs can be loaded here. Prints why if not.
fn can_load() -> bool {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: needs root");
        return false;
    }
    match xdp::load().and_then(|mut ebpf| xdp::load_program(&mut ebpf, FUN_XDP).map(drop)) {
        Ok(()) => true,
        Err(error @ Error::NotPermitted { .. }) => {
            println!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}

/// Makes a veth pair in a network namespace of this thread, which processes that it starts share.
/// `None` if that is impossible.
fn pair() -> Option<veth::Pair> {
    if !can_load() {
        return None;
    }
    match veth::Pair::new() {
        Ok(pair) => Some(pair),
        Err(error) => {
            println!("skipped: {error:#}");
            None
        }
    }
}

fn xdp(iface: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xdp"));
    command.args(["--iface", iface]).env_remove("RUST_LOG");
    command
}

/// The running binary.
struct Agent {
    child: Child,
    log: mpsc::Receiver<String>,
    read: Vec<String>,
}

impl Agent {
    /// Starts it on the receiver and waits until it has attached.
    fn start() -> Self {
        let mut child = xdp(veth::RECEIVER).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, log) = mpsc::channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut agent = Self {
            child,
            log,
            read: Vec::new(),
        };
        agent.read_until(|lines| lines.iter().any(|line| line.contains("stop with Ctrl-C")));
        agent
    }

    fn read_until(&mut self, done: impl Fn(&[String]) -> bool) {
        while !done(&self.read) {
            match self.log.recv_timeout(TIME_LIMIT) {
                Ok(line) => self.read.push(line),
                Err(error) => panic!("{error}: {:#?}", self.read),
            }
        }
    }

    /// Sends three packets of each source address and waits until the binary has reported them.
    fn send(&mut self, sender: &veth::Sender) {
        for source in SOURCES.iter().cycle().take(3 * SOURCES.len()) {
            sender.send(&veth::packet(*source)).unwrap();
        }
        let classes = ["Fizz", "Buzz", "FizzBuzz", "Fibonacci"];
        self.read_until(|lines| {
            let reported = lines.iter().filter(|line| {
                classes
                    .iter()
                    .any(|class| line.ends_with(&format!(" {class}")))
            });
            reported.count() == 12
        });
    }

    /// The kernel's id of its program.
    fn program_id(&self) -> u32 {
        let fdinfo = format!("/proc/{}/fdinfo", self.child.id());
        std::fs::read_dir(fdinfo)
            .unwrap()
            .find_map(|entry| {
                let text = std::fs::read_to_string(entry.ok()?.path()).ok()?;
                let id = text
                    .lines()
                    .find_map(|line| line.strip_prefix("prog_id:"))?;
                id.trim().parse().ok()
            })
            .expect("it holds its program open")
    }

    /// Sends Ctrl-C and waits for the end: returns the exit status and the log.
    fn interrupt(mut self) -> (ExitStatus, String) {
        kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT).unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                start.elapsed() < TIME_LIMIT,
                "it does not end: {:#?}",
                self.read
            );
            thread::sleep(Duration::from_millis(10));
        };
        self.read.extend(self.log.iter());
        (status, self.read.join("\n"))
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // For a failed test; an ended process cannot be killed.
        let _: std::io::Result<()> = self.child.kill();
        let _: std::io::Result<ExitStatus> = self.child.wait();
    }
}

/// Waits until the kernel has freed a program, which it would not do for an attached one.
fn assert_gone(program: u32) {
    let start = Instant::now();
    while loaded_programs().any(|loaded| loaded.is_ok_and(|loaded| loaded.id() == program)) {
        assert!(
            start.elapsed() < TIME_LIMIT,
            "program {program} is still attached"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn counts_the_packets_and_detaches_on_ctrl_c() {
    let Some(pair) = pair() else {
        return;
    };
    let mut agent = Agent::start();
    let sender = pair.open_sender().unwrap();
    agent.send(&sender);
    let program = agent.program_id();
    let (status, log) = agent.interrupt();
    assert!(status.success(), "{status}: {log}");
    assert!(
        log.ends_with(&format!("detached from receiver: {TALLY}")),
        "{log}"
    );
    assert_gone(program);
    // The interface can be attached to again.
    let agent = Agent::start();
    let (status, log) = agent.interrupt();
    assert!(status.success(), "{status}: {log}");
    assert!(log.ends_with("detached from receiver: 0 packets"), "{log}");
}

#[test]
fn an_interface_that_does_not_exist_is_an_error() {
    if !can_load() {
        return;
    }
    let output = xdp("nowhere0").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("error: cannot attach to \"nowhere0\": there is no such network interface"),
        "{stderr}"
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn counts_are_kept_when_the_interface_disappears() {
    let Some(pair) = pair() else {
        return;
    };
    let mut agent = Agent::start();
    let sender = pair.open_sender().unwrap();
    agent.send(&sender);
    let program = agent.program_id();
    remove(veth::RECEIVER);
    // The kernel has detached the program by itself. The agent continues: only Ctrl-C ends it.
    thread::sleep(Duration::from_millis(100));
    assert_eq!(agent.child.try_wait().unwrap(), None, "{:#?}", agent.read);
    let (status, log) = agent.interrupt();
    assert!(status.success(), "{status}: {log}");
    assert!(
        log.ends_with(&format!("detached from receiver: {TALLY}")),
        "{log}"
    );
    assert_gone(program);
}

/// Removes an interface. A veth's other end is removed with it.
fn remove(name: &str) {
    veth::request(RTM_DELLINK, 0, &veth::link(name, 0, None)).unwrap();
}
