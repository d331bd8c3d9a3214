//! Child: runs one command so that it can neither harm the agent's files nor leave
//! processes running. Both modes use it.
//!
//! The command has no process-id namespace of its own: BPF programs see the outer ids, so
//! a project that filters by its own id would filter itself out. `kill -9 -1` spares the
//! agent where it is the guest's first process, as under vmtest. Elsewhere it ends the
//! agent, which the host sees as a missing status.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::pump::{self, Pump, Pumped};
use crate::sys::{self, Ended};

/// Guest time. Under icount it jumps ahead whenever the guest is idle.
const LEFTOVER_STEP: Duration = Duration::from_millis(1);
const LEFTOVER_STEPS: u32 = 60_000;

/// A command and its surroundings.
pub struct Job<'a> {
    /// The program, looked up in the `PATH` of `env`, and its arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub env: &'a BTreeMap<String, String>,
    /// Absolute working directory.
    pub cwd: &'a Path,
    /// A folder to show at another place: source, then target. Only the command sees it
    /// there.
    pub bind: Option<(&'a Path, &'a Path)>,
    /// Destination of its standard output.
    pub stdout: File,
    /// Destination of its standard error.
    pub stderr: File,
    /// The time at which its output is written.
    pub flush: pump::Flush,
    /// The guest time after which it is killed.
    pub time_limit: Option<Duration>,
}

/// The result of a job.
#[derive(Debug)]
pub enum JobEnd {
    /// The command ran.
    Ran {
        /// Its end.
        ended: Ended,
        /// Whether its time limit passed and it was killed.
        timed_out: bool,
        /// Guest time from its start to its end.
        duration: Duration,
        /// Whether it was killed because it printed more than the limit.
        printed_too_much: bool,
        /// See [`Pumped::printed`].
        printed: u64,
        /// Problems that did not stop it.
        warnings: Vec<String>,
    },
    /// The command does not exist, or it cannot be executed.
    CannotRun {
        /// The message that a shell would print.
        message: String,
        /// The exit code that a shell would give: 127 if it is not found, otherwise 126.
        exit_code: i32,
    },
}

/// Runs a job to its end. An error is the agent's, not the command's.
pub fn run(job: Job) -> Result<JobEnd> {
    let (stdout, stdout_writer) = io::pipe().context("cannot make a pipe")?;
    let (stderr, stderr_writer) = io::pipe().context("cannot make a pipe")?;
    // Mount namespaces belong to threads. A thread that starts the command and then ends
    // leaves the agent's own namespace untouched. It can also report errors, which a
    // child between fork and exec could not.
    let spawned = thread::scope(|scope| {
        scope
            .spawn(|| spawn(&job, stdout_writer, stderr_writer))
            .join()
            .map_err(|_| anyhow!("the thread that starts commands panicked: report this"))
    })??;
    let (started, pid) = match spawned {
        Ok(spawned) => spawned,
        Err(error) => return Ok(cannot_run(&job.argv[0], &error)),
    };
    let group = Arc::new(Group(Mutex::new(Some(pid))));
    let own = Arc::clone(&group);
    let outputs = [(stdout, job.stdout), (stderr, job.stderr)];
    let pump = Pump::start(outputs, job.flush, move || own.kill())?;
    let timed_out = wait_for(pid, job.time_limit)?;
    let duration = started.elapsed();
    let ended = group.end()?;
    let Pumped {
        mut warnings,
        is_cut,
        printed,
    } = pump.finish()?;
    warnings.extend(kill_leftovers());
    Ok(JobEnd::Ran {
        ended,
        timed_out,
        duration,
        printed_too_much: is_cut,
        printed,
        warnings,
    })
}

/// The command's process group. It is `None` once the command is reaped: from then on its
/// number may belong to another group. Until then an ended command is a zombie.
struct Group(Mutex<Option<u32>>);

impl Group {
    fn kill(&self) {
        let pid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pid) = *pid {
            sys::kill_group(pid);
        }
    }

    /// Kills the rest of the group, and reaps the command.
    fn end(&self) -> Result<Ended> {
        self.kill();
        let mut pid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let leader = pid.take().context("the command was reaped twice")?;
        sys::reap(leader).context("cannot reap the command")
    }
}

/// Starts the command from the calling thread, whose mounts and working folder it
/// changes. Returns its start time and process id; the inner error is that of executing
/// it.
fn spawn(job: &Job, stdout: PipeWriter, stderr: PipeWriter) -> Result<io::Result<(Instant, u32)>> {
    sys::unshare_mounts().context("cannot make a mount namespace: run the agent as root")?;
    make_mounts_private()?;
    if let Some((source, target)) = job.bind {
        let flags = libc::MS_BIND | libc::MS_REC;
        sys::mount(source, target, c"", flags)
            .with_context(|| format!("cannot show {source:?} at {target:?}: is it there?"))?;
    }
    std::env::set_current_dir(job.cwd)
        .with_context(|| format!("cannot enter {:?}: is it there?", job.cwd))?;
    let mut command = Command::new(&job.argv[0]);
    command
        .args(&job.argv[1..])
        .env_clear()
        .envs(job.env)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    sys::in_new_session(&mut command);
    let started = Instant::now();
    Ok(command.spawn().map(|child| (started, child.id())))
}

/// Hides later mounts, and those of the command, from the rest of the guest.
fn make_mounts_private() -> Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    match sys::mount(Path::new("none"), Path::new("/"), c"", flags) {
        // `/` is not a mount point (a chroot): nothing is shared.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        result => result.context("cannot make mounts private"),
    }
}

fn cannot_run(program: &str, error: &io::Error) -> JobEnd {
    let text = error.to_string();
    // The shell's wording, without Rust's error number.
    let text = text.split(" (os error").next().unwrap_or(&text);
    JobEnd::CannotRun {
        message: format!("cannot run `{program}`: {text}"),
        exit_code: if error.kind() == ErrorKind::NotFound {
            127
        } else {
            126
        },
    }
}

/// Waits until `pid` has ended and leaves it a zombie. Reaps the orphans that end before
/// it. Returns whether the time limit killed it.
pub fn wait_for(pid: u32, time_limit: Option<Duration>) -> Result<bool> {
    thread::scope(|scope| {
        let (ended, has_ended) = mpsc::channel::<()>();
        let watchdog = time_limit.map(|limit| {
            scope.spawn(move || {
                let timed_out = has_ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
                if timed_out {
                    sys::kill_group(pid);
                }
                timed_out
            })
        });
        loop {
            let child = sys::wait_any().context("cannot wait for the command")?;
            if child == pid {
                break;
            }
            sys::reap(child).context("cannot reap an orphan of the command")?;
        }
        drop(ended);
        Ok(watchdog.is_some_and(|thread| thread.join().unwrap_or(false)))
    })
}

/// Kills every other descendant. The agent adopts orphans, so each becomes its child as
/// soon as its own parent is gone. Returns a warning if some do not end.
pub fn kill_leftovers() -> Option<String> {
    for _ in 0..LEFTOVER_STEPS {
        if !sys::reap_all() {
            return None;
        }
        own_children().into_iter().for_each(sys::kill_process);
        thread::sleep(LEFTOVER_STEP);
    }
    Some(format!(
        "processes {:?} of the command do not end when killed: they may disturb what follows",
        own_children()
    ))
}

fn own_children() -> Vec<u32> {
    let own = std::process::id();
    let is_own = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| parent_of(&stat) == Some(own))
    };
    sys::processes().filter(is_own).collect()
}

/// Reads the parent's id from `/proc/PID/stat`: the second field after the name, which is
/// in parentheses and may contain anything.
fn parent_of(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// The path of `project` in `work_dir`.
pub fn project_dir(work_dir: &Path, project: &Path) -> PathBuf {
    // `join` with an empty path would add a slash, which shows in `PWD`.
    if project.as_os_str().is_empty() {
        work_dir.to_owned()
    } else {
        work_dir.join(project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_after_any_process_name() {
        assert_eq!(parent_of("12 (sh) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("12 (a) b ) R 8 12"), Some(8));
        assert_eq!(parent_of(""), None);
    }

    #[test]
    fn errors_have_the_shells_wording() {
        let missing = cannot_run("foo", &io::Error::from_raw_os_error(libc::ENOENT));
        let JobEnd::CannotRun { message, exit_code } = missing else {
            panic!("ran")
        };
        assert_eq!(message, "cannot run `foo`: No such file or directory");
        assert_eq!(exit_code, 127);
        let JobEnd::CannotRun { exit_code, .. } =
            cannot_run("foo", &io::Error::from_raw_os_error(libc::EACCES))
        else {
            panic!("ran")
        };
        assert_eq!(exit_code, 126);
    }

    #[test]
    fn a_command_is_killed_at_its_time_limit() {
        // In a process of its own: every child is waited for.
        let copy = sys::run_in_copy(1 << 30, || {
            let mut command = Command::new("sleep");
            let mut sleep = sys::in_new_session(command.arg("1000")).spawn().unwrap();
            assert!(wait_for(sleep.id(), Some(Duration::from_millis(50))).unwrap());
            assert!(!sleep.wait().unwrap().success());
        });
        assert_eq!(sys::reap(copy.unwrap()).unwrap(), Ended::Exited(0));
    }

    #[test]
    fn an_empty_project_is_the_working_directory() {
        assert_eq!(project_dir(Path::new("/w"), Path::new("")), Path::new("/w"));
        assert_eq!(
            project_dir(Path::new("/w"), Path::new("a/b")),
            Path::new("/w/a/b")
        );
    }
}
