//! A process with known work, as the target of the tests.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The example `target`, started and waiting for a line.
pub struct Target {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Target {
    pub fn start(work: &[&str]) -> Self {
        let mut child = Command::new(example("target"))
            .args(work)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut target = Self {
            child,
            stdin,
            stdout,
        };
        // After this line it only waits.
        assert_eq!(target.number(), u64::from(target.pid()));
        target
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it begin its work.
    pub fn begin(&mut self) {
        writeln!(self.stdin.as_mut().unwrap()).unwrap();
    }

    /// Ends work that goes on until the end of the input.
    pub fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of its work, and returns the CPU time of the work in nanoseconds.
    pub fn cpu_time_ns(&mut self) -> u64 {
        self.number()
    }

    /// Waits for its end.
    pub fn wait(&mut self) {
        self.child.wait().unwrap();
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    fn number(&mut self) -> u64 {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _: std::io::Result<()> = self.child.kill();
        let _: std::io::Result<std::process::ExitStatus> = self.child.wait();
    }
}

/// A copy of the example `target` under another name, which is removed on drop.
pub struct Copy {
    path: PathBuf,
}

impl Copy {
    /// Stacks show the name uncut if it has at most 15 characters.
    pub fn named(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("profiler-target-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join(name);
        fs::copy(example("target"), &path).unwrap();
        Self { path }
    }

    pub fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let folder = self.path.parent().unwrap();
        let _: std::io::Result<()> = fs::remove_dir_all(folder);
    }
}

/// The path of an example. Cargo builds examples before tests, into a folder next to that of the
/// tests.
fn example(name: &str) -> PathBuf {
    let path = env::current_exe()
        .unwrap()
        .parent()
        .and_then(|deps| deps.parent())
        .unwrap()
        .join("examples")
        .join(name);
    assert!(
        path.exists(),
        "{} is not there: cargo build --example {name}",
        path.display()
    );
    path
}
