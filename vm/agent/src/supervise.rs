//! Supervision: runs a program of the host, a project's build. When the program ends, it
//! ends everything that the program leaves, even outside of its process group. Used on
//! hosts where the build cannot have a process-id namespace of its own.
//!
//! There are two processes, because the host ends a program by killing its process group.
//! The first is in that group. The second, in a session of its own, outlives it and
//! cleans up. The pipe between them closes when the first is gone, however it ended.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use anyhow::{Context, Result};

use crate::child::{kill_leftovers, wait_for};
use crate::sys::{self, Ended};

/// The command by which the first process starts the second.
pub const SECOND: &str = "supervised";
/// The exit code of a killed program, as a shell would give it.
const KILLED: i32 = 128 + libc::SIGKILL;

/// Runs a program, given with its arguments, and returns its exit code.
pub fn first(argv: &[OsString]) -> Result<ExitCode> {
    let mut command = Command::new("/proc/self/exe");
    command.arg(SECOND).args(argv).stdin(Stdio::piped());
    sys::in_new_session(&mut command);
    let mut second = command.spawn().context("cannot start myself again")?;
    // `wait` would close the pipe.
    let pipe = second.stdin.take();
    let status = second.wait().context("cannot wait for the program")?;
    drop(pipe);
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(exit_code(code.unwrap_or(KILLED)))
}

/// The counterpart of [`first`], in the process that it starts.
pub fn second(argv: &[OsString]) -> Result<ExitCode> {
    sys::adopt_orphans().context("cannot adopt orphans")?;
    let (program, arguments) = argv.split_first().context("no program is named")?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {program:?}"))?
        .id();
    thread::spawn(move || {
        let mut rest = Vec::new();
        // Any result means that the first process is gone.
        let _ = std::io::stdin().read_to_end(&mut rest);
        // The wait below ends then. Nothing is reaped here: that would take the child from it.
        sys::kill_process(child);
    });
    wait_for(child, None)?;
    let code = match sys::reap(child).context("cannot reap the program")? {
        Ended::Exited(code) => code,
        Ended::Signaled(signal) => 128 + signal,
    };
    if let Some(warning) = kill_leftovers() {
        eprintln!("bpfgate-agent: {warning}");
    }
    Ok(exit_code(code))
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
