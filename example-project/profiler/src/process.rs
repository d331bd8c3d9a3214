//! Process: the sampled process, its threads, and its end.

use std::{
    fs, io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd, RawFd},
};

use crate::Error;

/// A process by a file descriptor, which cannot refer to another one when the ID is reused.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    /// Becomes readable when the process ends.
    fd: OwnedFd,
}

impl Process {
    /// Opens a process.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchProcess`] if it does not exist, or is a zombie; [`Error::ThreadId`] if it is
    /// a thread of one.
    pub fn open(pid: u32) -> Result<Self, Error> {
        let no_such_process = Error::NoSuchProcess { pid };
        if pid == 0 {
            return Err(no_such_process);
        }
        match field(pid, "Tgid:") {
            Some(process) if process != pid => return Err(Error::ThreadId { pid, process }),
            Some(_) => {}
            None => return Err(no_such_process),
        }
        let Ok(id) = libc::pid_t::try_from(pid) else {
            return Err(no_such_process);
        };
        // SAFETY: takes two numbers, and returns a file descriptor or -1.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) };
        if fd < 0 {
            return Err(match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::ESRCH) => no_such_process,
                source => Error::Wait {
                    what: "the process",
                    source,
                },
            });
        }
        // SAFETY: it was just opened, and has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as RawFd) };
        let process = Self { pid, fd };
        if process.has_ended() {
            return Err(no_such_process);
        }
        Ok(process)
    }

    /// Its ID.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it has ended. Its parent may not have waited for it yet.
    pub fn has_ended(&self) -> bool {
        let mut poll = libc::pollfd {
            fd: self.fd.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: the array has one entry, which outlives the call.
        unsafe { libc::poll(&raw mut poll, 1, 0) == 1 }
    }

    /// Its current threads.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchProcess`] if it has ended.
    pub fn threads(&self) -> Result<Vec<u32>, Error> {
        let threads: Vec<u32> = fs::read_dir(format!("/proc/{}/task", self.pid))
            .map_err(|_ended| Error::NoSuchProcess { pid: self.pid })?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        if threads.is_empty() || self.has_ended() {
            return Err(Error::NoSuchProcess { pid: self.pid });
        }
        Ok(threads)
    }
}

impl AsFd for Process {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl AsRawFd for Process {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

/// A number of `/proc/PID/status`; `None` if the process does not exist.
fn field(pid: u32, name: &str) -> Option<u32> {
    fs::read_to_string(format!("/proc/{pid}/status"))
        .ok()?
        .lines()
        .find_map(|line| line.strip_prefix(name))?
        .trim()
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::{process::Command, sync::mpsc, thread};

    use super::*;

    /// The ID of the calling thread.
    fn thread_id() -> u32 {
        // SAFETY: has no requirements.
        unsafe { libc::gettid() }.unsigned_abs()
    }

    #[test]
    fn the_running_process_and_thread_are_found() {
        let process = Process::open(std::process::id()).unwrap();
        assert_eq!(process.pid(), std::process::id());
        assert!(!process.has_ended());
        assert!(process.threads().unwrap().contains(&thread_id()));
    }

    #[test]
    fn an_id_of_zero_and_one_that_is_too_large_are_not_found() {
        for pid in [0, i32::MAX as u32, u32::MAX] {
            let error = Process::open(pid).unwrap_err();
            assert!(
                matches!(error, Error::NoSuchProcess { pid: named } if named == pid),
                "{error}"
            );
        }
    }

    #[test]
    fn a_dead_process_is_not_found_even_if_it_was_not_waited_for() {
        let mut child = Command::new("true").spawn().unwrap();
        let pid = child.id();
        let process = Process::open(pid);
        // Readable once the child has ended, which leaves a zombie.
        if let Ok(process) = &process {
            while !process.has_ended() {
                thread::yield_now();
            }
            assert!(matches!(
                process.threads(),
                Err(Error::NoSuchProcess { pid: named }) if named == pid
            ));
            assert!(matches!(
                Process::open(pid),
                Err(Error::NoSuchProcess { .. })
            ));
        }
        child.wait().unwrap();
        assert!(matches!(
            Process::open(pid),
            Err(Error::NoSuchProcess { .. })
        ));
    }

    #[test]
    fn a_thread_id_is_reported_as_such() {
        let (send_id, id) = mpsc::channel();
        let (end, until) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            send_id.send(thread_id()).unwrap();
            until.recv().unwrap_err();
        });
        let id = id.recv().unwrap();
        let error = Process::open(id).unwrap_err();
        assert!(
            matches!(error, Error::ThreadId { pid, process }
                if pid == id && process == std::process::id()),
            "{error}"
        );
        drop(end);
        thread.join().unwrap();
    }
}
