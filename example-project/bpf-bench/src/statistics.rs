//! Statistics: turns the kernel's run-time statistics of BPF programs on, and restores their state.

use std::{
    fs, io,
    os::fd::{AsFd as _, OwnedFd},
    sync::{Mutex, PoisonError},
};

use crate::{
    Error, ProgramType,
    error::is_not_permitted,
    raw::{self, Instruction},
    sys,
};

/// The kernel counts each run of a program while this number is not 0.
const SYSCTL: &str = "/proc/sys/kernel/bpf_stats_enabled";

/// A test run needs at least an Ethernet header.
const PACKET: [u8; 64] = [0; 64];

/// Keeps BPF statistics on until it is dropped.
///
/// Dropping it, also by a panic, restores the state before: statistics that were off are off, those
/// that were on are on, and other users keep theirs on. There is one exception: if two processes
/// use the sysctl at the same time, the first one, which found it off, turns it off while the other
/// still needs it. The kernel counts file descriptors, and this library counts guards within one
/// process.
///
/// ```no_run
/// # use bpf_bench::Statistics;
/// let statistics = Statistics::enable()?;
/// // ... programs are counted ...
/// drop(statistics);
/// # Ok::<(), bpf_bench::Error>(())
/// ```
///
/// The kernel itself closes the file descriptor of a process that is killed. The sysctl then stays
/// on, as it does after `panic = "abort"`, because no code runs that could restore it.
#[derive(Debug)]
#[must_use = "statistics go off again when this is dropped"]
pub struct Statistics(Way);

#[derive(Debug)]
enum Way {
    /// Closing it is enough.
    Fd(#[expect(dead_code, reason = "held, not read")] OwnedFd),
    Sysctl,
    /// Already restored.
    Done,
}

/// Guards of this process that use the sysctl, and its value before the first of them. Two guards
/// at a time must not restore each other's value.
static BY_SYSCTL: Mutex<Users> = Mutex::new(Users {
    count: 0,
    before: None,
});

struct Users {
    count: u32,
    /// `None`: it was on already, so there is nothing to restore.
    before: Option<String>,
}

impl Statistics {
    /// Turns statistics on by file descriptor (Linux 5.8), or by sysctl if that fails.
    ///
    /// # Errors
    /// [`Error::NotPermitted`]; [`Error::NoStatistics`] with the reasons of both ways.
    pub fn enable() -> Result<Self, Error> {
        let by_fd = match sys::enable_stats() {
            Ok(fd) => return Ok(Self(Way::Fd(fd))),
            Err(error) => error,
        };
        let by_sysctl = match enable_sysctl() {
            Ok(()) => return Ok(Self(Way::Sysctl)),
            Err(error) => error,
        };
        if is_not_permitted(&by_fd) {
            return Err(not_permitted(by_fd));
        }
        Err(Error::NoStatistics { by_fd, by_sysctl })
    }

    /// Turns statistics on by file descriptor only. Linux 5.8 or later.
    ///
    /// # Errors
    /// [`Error::NotPermitted`]; [`Error::NoStatistics`], for example on an older kernel.
    pub fn enable_by_fd() -> Result<Self, Error> {
        match sys::enable_stats() {
            Ok(fd) => Ok(Self(Way::Fd(fd))),
            Err(by_fd) if is_not_permitted(&by_fd) => Err(not_permitted(by_fd)),
            Err(by_fd) => Err(Error::NoStatistics {
                by_fd,
                by_sysctl: io::Error::other("was not asked for"),
            }),
        }
    }

    /// Turns statistics on by sysctl only. Linux 5.1 or later.
    ///
    /// # Errors
    /// [`Error::NotPermitted`]; [`Error::NoStatistics`], for example on an older kernel or without
    /// `/proc`.
    pub fn enable_by_sysctl() -> Result<Self, Error> {
        match enable_sysctl() {
            Ok(()) => Ok(Self(Way::Sysctl)),
            Err(by_sysctl)
                if is_not_permitted(&by_sysctl)
                    || by_sysctl.kind() == io::ErrorKind::PermissionDenied =>
            {
                Err(not_permitted(by_sysctl))
            }
            Err(by_sysctl) => Err(Error::NoStatistics {
                by_fd: io::Error::other("was not asked for"),
                by_sysctl,
            }),
        }
    }

    /// Whether the sysctl is used.
    pub fn is_by_sysctl(&self) -> bool {
        matches!(self.0, Way::Sysctl)
    }

    /// Restores the state before, and returns an error if that fails. Dropping can only print it.
    ///
    /// # Errors
    /// [`Error::Restore`] if the sysctl cannot be written.
    pub fn restore(mut self) -> Result<(), Error> {
        self.put_back()
    }

    /// Whether the kernel counts runs right now, whichever process has turned that on: runs an
    /// empty program and reads its count. Other processes can see that program while it is loaded.
    ///
    /// # Errors
    /// Those of [`raw::load`]; [`Error::TestRun`] if the program cannot be run or read.
    pub fn are_on() -> Result<bool, Error> {
        let empty = [Instruction::mov(0, 0), Instruction::exit()];
        let program = raw::load(ProgramType::SOCKET_FILTER, "empty", &empty)?;
        let failed = |source| Error::TestRun {
            name: "empty".to_owned(),
            program_type: ProgramType::SOCKET_FILTER,
            source,
        };
        let program = program.as_fd();
        sys::test_run(program, &PACKET, &mut [], &mut [], 1).map_err(failed)?;
        let info = sys::program_info(program).map_err(failed)?;
        Ok(info.counters.run_count > 0)
    }

    fn put_back(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.0, Way::Done) {
            Way::Fd(_) | Way::Done => Ok(()),
            Way::Sysctl => disable_sysctl(),
        }
    }
}

impl Drop for Statistics {
    fn drop(&mut self) {
        if let Err(error) = self.put_back() {
            // The error cannot be returned, and a panic here could end the process.
            let source = std::error::Error::source(&error);
            let cause = source.map(ToString::to_string).unwrap_or_default();
            eprintln!("error: {error}: {cause}");
        }
    }
}

fn not_permitted(source: io::Error) -> Error {
    Error::NotPermitted {
        action: "turn BPF statistics on".to_owned(),
        source,
    }
}

fn enable_sysctl() -> io::Result<()> {
    // No panic can leave the two fields inconsistent, so a poisoned lock is usable.
    let mut users = BY_SYSCTL.lock().unwrap_or_else(PoisonError::into_inner);
    if users.count == 0 {
        let before = fs::read_to_string(SYSCTL)?.trim_end().to_owned();
        users.before = if before == "0" {
            fs::write(SYSCTL, "1")?;
            Some(before)
        } else {
            None
        };
    }
    users.count += 1;
    Ok(())
}

fn disable_sysctl() -> Result<(), Error> {
    let mut users = BY_SYSCTL.lock().unwrap_or_else(PoisonError::into_inner);
    users.count -= 1;
    if users.count > 0 {
        return Ok(());
    }
    match users.before.take() {
        None => Ok(()),
        Some(before) => {
            fs::write(SYSCTL, &before).map_err(|source| Error::Restore { before, source })
        }
    }
}
