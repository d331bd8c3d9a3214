//! Sys: safe wrappers of Linux calls that are missing in the standard library; `bpf(2)`
//! and `perf_event_open(2)` have modules of their own.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Returns the last error if a system call returned -1.
pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The name of an error, such as `EACCES`.
pub fn errno_name(error: &io::Error) -> String {
    const NAMES: [(libc::c_int, &str); 27] = [
        (libc::EPERM, "EPERM"),
        (libc::ENOENT, "ENOENT"),
        (libc::ESRCH, "ESRCH"),
        (libc::EINTR, "EINTR"),
        (libc::EIO, "EIO"),
        (libc::E2BIG, "E2BIG"),
        (libc::EBADF, "EBADF"),
        (libc::EAGAIN, "EAGAIN"),
        (libc::ENOMEM, "ENOMEM"),
        (libc::EACCES, "EACCES"),
        (libc::EFAULT, "EFAULT"),
        (libc::EBUSY, "EBUSY"),
        (libc::EEXIST, "EEXIST"),
        (libc::ENODEV, "ENODEV"),
        (libc::EISDIR, "EISDIR"),
        (libc::EINVAL, "EINVAL"),
        (libc::EMFILE, "EMFILE"),
        (libc::EFBIG, "EFBIG"),
        (libc::ENOSPC, "ENOSPC"),
        (libc::ERANGE, "ERANGE"),
        (libc::EDEADLK, "EDEADLK"),
        (libc::ENOSYS, "ENOSYS"),
        (libc::ELOOP, "ELOOP"),
        (libc::EPROTO, "EPROTO"),
        (libc::EOVERFLOW, "EOVERFLOW"),
        (libc::EOPNOTSUPP, "EOPNOTSUPP"),
        // Meant for the kernel only, but some calls return it.
        (524, "ENOTSUPP"),
    ];
    let Some(code) = error.raw_os_error() else {
        return error.to_string();
    };
    NAMES
        .iter()
        .find(|(known, _)| *known == code)
        .map_or_else(|| format!("error {code}"), |(_, name)| (*name).to_owned())
}

/// Runs `work` in a copy of this process, of at most `memory` bytes, and returns its
/// process id; the caller must reap it. The copy exits with 0, or with 1 if `work`
/// panics.
///
/// Only the calling thread is copied: a lock that another thread holds stays locked in
/// the copy, so there must be no other thread.
pub fn run_in_copy(memory: u64, work: impl FnOnce()) -> io::Result<u32> {
    // SAFETY: the caller guarantees that there is only one thread, so the copy is whole.
    let pid = check(unsafe { libc::fork() })?;
    if pid != 0 {
        return Ok(pid as u32);
    }
    limit_memory(memory);
    // When memory runs out, the kernel should kill this process, not the agent.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let panicked = catch_unwind(AssertUnwindSafe(work)).is_err();
    // SAFETY: ends the process at once, without the exit work of the original.
    unsafe { libc::_exit(panicked.into()) }
}

/// Limits the memory of this process, in bytes, and leaves no core file.
pub fn limit_memory(memory: u64) {
    let limit = |bytes| libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the limits outlive the calls. A call that fails only leaves out its limit.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &limit(memory));
        libc::setrlimit(libc::RLIMIT_CORE, &limit(0));
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// Opens a folder, so that files can be named relative to it.
pub fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    let path = c_path(path)?;
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: `path` is a C string that outlives the call.
    let fd = check(unsafe { libc::open(path.as_ptr(), flags) })?;
    // SAFETY: the kernel has just returned this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Opens `name` below `dir`; a file it creates has mode 0644.
pub fn open_at(dir: &OwnedFd, name: &str, flags: libc::c_int) -> io::Result<File> {
    let name = CString::new(name)?;
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: `name` is a C string that outlives the call.
    let fd = check(unsafe { libc::openat(dir.as_raw_fd(), name.as_ptr(), flags, 0o644) })?;
    // SAFETY: the kernel has just returned this descriptor.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Makes the folder `name` below `dir`.
pub fn mkdir_at(dir: &OwnedFd, name: &str) -> io::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: `name` is a C string that outlives the call.
    check(unsafe { libc::mkdirat(dir.as_raw_fd(), name.as_ptr(), 0o755) }).map(drop)
}

/// Renames within `dir`.
pub fn rename_at(dir: &OwnedFd, from: &str, to: &str) -> io::Result<()> {
    let (from, to) = (CString::new(from)?, CString::new(to)?);
    let dir = dir.as_raw_fd();
    // SAFETY: both names are C strings that outlive the call.
    check(unsafe { libc::renameat(dir, from.as_ptr(), dir, to.as_ptr()) }).map(drop)
}

/// Keeps every current page of the process in memory, whatever happens to its files.
pub fn lock_memory() -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT) }).map(drop)
}

/// Lifts the limit on locked memory, which applies to BPF maps and programs before kernel
/// 5.11. Children inherit it.
pub fn lift_memlock_limit() -> io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` outlives the call.
    check(unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &limit) }).map(drop)
}

/// Makes room for as many descriptors as the limit allows. Growing the table
/// later, when several threads share it, waits tens of milliseconds for RCU.
pub fn reserve_descriptors() -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` outlives the call.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) })?;
    let highest = limit.rlim_cur.clamp(1, 1 << 16) as libc::c_int - 1;
    // SAFETY: this command takes no pointers.
    let fd = check(unsafe { libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, highest) })?;
    // SAFETY: the kernel has just returned this descriptor.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
    Ok(())
}

/// Makes orphaned descendants children of this process.
pub fn adopt_orphans() -> io::Result<()> {
    let on: libc::c_ulong = 1;
    // SAFETY: this option takes one number.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, on) }).map(drop)
}

/// Gives the calling thread its own copy of the mount table, root and working folder; its
/// children inherit these.
pub fn unshare_mounts() -> io::Result<()> {
    // SAFETY: takes no pointers; affects file-system state of this thread only.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) }).map(drop)
}

/// Mounts. An empty `kind` is for bind mounts and flag changes.
pub fn mount(source: &Path, target: &Path, kind: &CStr, flags: libc::c_ulong) -> io::Result<()> {
    let (source, target) = (c_path(source)?, c_path(target)?);
    // SAFETY: all three strings outlive the call; there is no data argument.
    check(unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            std::ptr::null(),
        )
    })
    .map(drop)
}

/// Removes a mount from the tree at once; it ends when its last user is gone.
pub fn detach_mount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: `target` is a C string that outlives the call.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH | libc::UMOUNT_NOFOLLOW) })
        .map(drop)
}

/// Loads or removes a module, if the kernel has it.
pub fn modprobe(arguments: &[&str]) {
    let mut modprobe = Command::new("/sbin/modprobe");
    let _ = modprobe.arg("--quiet").args(arguments).status();
}

/// The network namespace of this process.
pub fn network() -> io::Result<File> {
    File::open("/proc/self/ns/net")
}

/// Does work in a network namespace; `None` for a new one. There must be no other thread.
pub fn in_network<T>(other: Option<&File>, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let own = network()?;
    // SAFETY: takes numbers, of open descriptors; affects this thread only.
    check(unsafe {
        match other {
            Some(other) => libc::setns(other.as_raw_fd(), libc::CLONE_NEWNET),
            None => libc::unshare(libc::CLONE_NEWNET),
        }
    })?;
    let result = work();
    // SAFETY: as above.
    check(unsafe { libc::setns(own.as_raw_fd(), libc::CLONE_NEWNET) })?;
    result
}

fn interface_request(name: &str) -> libc::ifreq {
    // SAFETY: plain data, for which all zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request
}

/// Brings an interface up.
pub fn interface_up(name: &str) -> io::Result<()> {
    // SAFETY: takes no pointers.
    let fd =
        check(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the kernel has just returned this descriptor.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let mut request = interface_request(name);
    // SAFETY: both requests take a `struct ifreq`, which outlives the calls.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS as _, &mut request) })?;
    // SAFETY: SIOCGIFFLAGS has just written this member.
    unsafe { request.ifr_ifru.ifru_flags |= libc::IFF_UP as libc::c_short };
    // SAFETY: as above.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) }).map(drop)
}

/// Makes a tap interface of an open `/dev/net/tun`, for as long as that is open. Returns its
/// index.
pub fn make_tap(file: &OwnedFd, name: &str) -> io::Result<u32> {
    let mut request = interface_request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the request takes a `struct ifreq`, which outlives the call.
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) })?;
    // SAFETY: the kernel has written the name, which ends with a zero.
    match unsafe { libc::if_nametoindex(request.ifr_name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// `uname -r` and `uname -v`.
pub fn kernel_release_and_version() -> io::Result<(String, String)> {
    // SAFETY: plain data, for which all zero is valid.
    let mut name: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: `name` outlives the call.
    check(unsafe { libc::uname(&mut name) })?;
    Ok((text(&name.release), text(&name.version)))
}

/// The text of a structure's field, up to the first zero.
pub fn text(field: &[libc::c_char]) -> String {
    let bytes = field.iter().map(|&byte| byte as u8);
    let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Makes `command` start as the leader of a new session and process group.
pub fn in_new_session(command: &mut Command) -> &mut Command {
    // SAFETY: `setsid` is safe to call between fork and exec.
    unsafe { command.pre_exec(|| check(libc::setsid()).map(drop)) }
}

/// Kills a process; a missing one is not an error.
pub fn kill_process(pid: u32) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// Kills a process group; a missing one is not an error.
pub fn kill_group(pgid: u32) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(-(pgid as libc::pid_t), libc::SIGKILL) };
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// This signal killed it.
    Signaled(i32),
}

/// Waits until some child has ended and returns its id. It stays a zombie, so that its
/// number is not used again, until it is reaped with [`reap`].
pub fn wait_any() -> io::Result<u32> {
    loop {
        // SAFETY: plain data, for which all zero is valid.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOWAIT;
        // SAFETY: `info` outlives the call.
        match check(unsafe { libc::waitid(libc::P_ALL, 0, &mut info, flags) }) {
            // SAFETY: waitid has filled `info` for a child that ended.
            Ok(_) => return Ok(unsafe { info.si_pid() } as u32),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reaps a child that has ended.
pub fn reap(pid: u32) -> io::Result<Ended> {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    check(unsafe { libc::waitpid(pid as libc::pid_t, &mut status, 0) })?;
    Ok(if libc::WIFSIGNALED(status) {
        Ended::Signaled(libc::WTERMSIG(status))
    } else {
        Ended::Exited(libc::WEXITSTATUS(status))
    })
}

/// The processor time that a child has used; zero if it is not known.
pub fn cpu_time(pid: u32) -> Duration {
    let mut clock = 0;
    // SAFETY: plain data, for which all zero is valid.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: `clock` and `time` outlive the calls.
    let is_known = unsafe {
        libc::clock_getcpuclockid(pid as libc::pid_t, &mut clock) == 0
            && libc::clock_gettime(clock, &mut time) == 0
    };
    if !is_known {
        return Duration::ZERO;
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The processor time of this process and of the children that it has reaped.
pub fn own_cpu_time() -> Duration {
    let of = |who| {
        // SAFETY: plain data, for which all zero is valid.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` outlives the call, which fails for no `who` that is given here.
        unsafe { libc::getrusage(who, &mut usage) };
        [usage.ru_utime, usage.ru_stime]
            .map(|time| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000))
    };
    let [own, children] = [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].map(of);
    own.into_iter().chain(children).sum()
}

/// Reaps every child that has ended. Returns whether any child is left.
pub fn reap_all() -> bool {
    loop {
        // SAFETY: a null status is allowed.
        let pid = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
        match pid {
            0 => return true,
            1.. => {}
            _ => return false,
        }
    }
}

/// Sets the scheduling policy and priority of a thread; 0 is the calling one. Not by the C library: musl's function of
/// this name does nothing. It may be called after a fork.
pub fn schedule(thread: u32, policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: `parameters` outlives the call.
    let result =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, thread, policy, &parameters) };
    check(result as libc::c_int).map(drop)
}

/// The ids of all processes.
pub fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The number of online CPUs.
pub fn online_cpus() -> u32 {
    // SAFETY: takes no pointers.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as u32
}

/// The number of CPUs that the kernel is prepared for, at least those that are online.
pub fn possible_cpus() -> u32 {
    std::fs::read_to_string("/sys/devices/system/cpu/possible")
        .ok()
        .and_then(|list| count_cpus(&list))
        .unwrap_or_else(online_cpus)
}

/// Counts the CPUs of a list such as `0-3,8`.
fn count_cpus(list: &str) -> Option<u32> {
    let mut count = 0u32;
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// Bytes in a page of memory.
pub fn page_bytes() -> usize {
    // SAFETY: takes no pointers.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as usize
}

/// Makes reads fail with `WouldBlock` instead of waiting.
pub fn set_nonblocking(fd: BorrowedFd) -> io::Result<()> {
    // SAFETY: this command takes no pointers.
    let flags = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })?;
    // SAFETY: as above.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) }).map(drop)
}

/// Waits until one of `fds` is readable or at its end. Returns for each whether it is;
/// all `false` after `limit`. A `None` among `fds` is never ready.
pub fn wait_readable(fds: &[Option<BorrowedFd>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut polls: Vec<_> = fds
        .iter()
        .map(|fd| libc::pollfd {
            fd: fd.map_or(-1, |fd| fd.as_raw_fd()),
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let limit_ms = limit.map_or(-1, |limit| limit.as_millis().min(i32::MAX as u128) as i32);
    loop {
        let count = polls.len() as libc::nfds_t;
        // SAFETY: `polls` holds `count` entries and outlives the call.
        match check(unsafe { libc::poll(polls.as_mut_ptr(), count, limit_ms) }) {
            Ok(_) => return Ok(polls.iter().map(|poll| poll.revents != 0).collect()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::count_cpus;

    #[test]
    fn lists_of_cpus_are_counted() {
        assert_eq!(count_cpus("0\n"), Some(1));
        assert_eq!(count_cpus("0-3\n"), Some(4));
        assert_eq!(count_cpus("0-3,8,10-11"), Some(7));
        assert_eq!(count_cpus(""), None);
        assert_eq!(count_cpus("3-0"), None);
    }
}
