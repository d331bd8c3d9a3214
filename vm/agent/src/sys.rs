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
    let limit = |bytes| libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the limits outlive the calls. A call that fails only leaves out its limit.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &limit(memory));
        libc::setrlimit(libc::RLIMIT_CORE, &limit(0));
    }
    // When memory runs out, the kernel should kill this process, not the agent.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let panicked = catch_unwind(AssertUnwindSafe(work)).is_err();
    // SAFETY: ends the process at once, without the exit work of the original.
    unsafe { libc::_exit(panicked.into()) }
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

/// Removes the file `name` from `dir`.
pub fn remove_at(dir: &OwnedFd, name: &str) -> io::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: `name` is a C string that outlives the call.
    check(unsafe { libc::unlinkat(dir.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
}

/// Maps memory for good, shared by this process and its copies only.
pub fn shared_bytes<const COUNT: usize>() -> io::Result<&'static mut [u8; COUNT]> {
    // SAFETY: maps new memory, at no address that is in use.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            COUNT,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: of this length, zeroed, aligned to a page, never unmapped, and this is the only
    // reference to it in this process. Copies write to it only while this process waits.
    Ok(unsafe { &mut *memory.cast() })
}

/// Keeps other processes from reading this process's memory in a core dump or, without
/// `CAP_SYS_PTRACE`, at all. Programs that it executes are not protected.
pub fn deny_dumps() -> io::Result<()> {
    let off: libc::c_ulong = 0;
    // SAFETY: this option takes one number.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, off) }).map(drop)
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

/// Whether this process has root's rights.
pub fn is_root() -> bool {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Gives this process the rights of another user, permanently.
pub fn become_user(user: u32, group: u32, groups: &[u32]) -> io::Result<()> {
    // SAFETY: the list is valid for its length; the others take numbers.
    unsafe {
        check(libc::setgroups(groups.len(), groups.as_ptr()))?;
        check(libc::setgid(group))?;
        check(libc::setuid(user)).map(drop)
    }
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

/// Closes all descriptors except the standard streams when this process executes a
/// program.
pub fn close_on_exec() -> io::Result<()> {
    let (first, last) = (3, libc::c_uint::MAX);
    let how = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: this call takes three numbers.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, how) };
    check(result as libc::c_int).map(drop)
}

/// Filters the system calls of the calling thread and its children, permanently. The
/// thread must not be able to gain rights by executing programs.
pub fn filter_system_calls(instructions: &[(u16, u8, u8, u32)]) -> io::Result<()> {
    let mut filter: Vec<libc::sock_filter> = instructions
        .iter()
        .map(|&(code, jt, jf, k)| libc::sock_filter { code, jt, jf, k })
        .collect();
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: filter.as_mut_ptr(),
    };
    let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
    // SAFETY: the program and its instructions outlive the call, which copies them.
    check(unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &program) }).map(drop)
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

/// Makes a group of notices about files, which a read that would wait refuses.
pub fn fanotify() -> io::Result<OwnedFd> {
    let flags = libc::FAN_CLASS_NOTIF | libc::FAN_CLOEXEC | libc::FAN_NONBLOCK;
    // Without O_NONBLOCK a pipe would be opened once somebody writes to it.
    let opened_as = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_LARGEFILE | libc::O_NONBLOCK;
    // SAFETY: takes no pointers.
    let fd = check(unsafe { libc::fanotify_init(flags, opened_as as libc::c_uint) })?;
    // SAFETY: the kernel has just returned this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Adds a notice for each opened file or folder of the file system that holds `path`.
pub fn fanotify_opens(group: &OwnedFd, path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    let flags = libc::FAN_MARK_ADD | libc::FAN_MARK_FILESYSTEM;
    let (group, place) = (group.as_raw_fd(), libc::AT_FDCWD);
    let events = libc::FAN_OPEN | libc::FAN_ONDIR;
    // SAFETY: `path` is a C string that outlives the call.
    check(unsafe { libc::fanotify_mark(group, flags, events, place, path.as_ptr()) }).map(drop)
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

/// The rate of the kernel's clock, and its current correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRate {
    frequency: libc::c_long,
    tick: libc::c_long,
    /// Those bits of the status that make the kernel correct the clock.
    status: libc::c_int,
    /// Microseconds that `adjtime` has still to correct.
    pending: libc::c_long,
}

/// See [`ClockRate`].
pub fn clock_rate() -> io::Result<ClockRate> {
    // Numbers of `linux/timex.h`: `ADJ_OFFSET_SS_READ`.
    const READ_PENDING: libc::c_uint = 0xa001;
    let clock = adjust_clock(|_| ())?;
    let pending = adjust_clock(|clock| clock.modes = READ_PENDING)?.offset;
    Ok(ClockRate {
        frequency: clock.freq,
        tick: clock.tick,
        status: clock.status & (libc::STA_PLL | libc::STA_FLL | libc::STA_FREQHOLD),
        pending,
    })
}

/// Sets the rate, and ends a correction by `adjtime`.
pub fn set_clock_rate(rate: ClockRate) -> io::Result<()> {
    adjust_clock(|clock| {
        clock.modes = libc::ADJ_FREQUENCY | libc::ADJ_TICK | libc::ADJ_STATUS;
        clock.freq = rate.frequency;
        clock.tick = rate.tick;
        clock.status = rate.status | libc::STA_UNSYNC;
    })?;
    adjust_clock(|clock| {
        clock.modes = libc::ADJ_OFFSET_SINGLESHOT;
        clock.offset = rate.pending;
    })
    .map(drop)
}

fn adjust_clock(set: impl FnOnce(&mut libc::timex)) -> io::Result<libc::timex> {
    // SAFETY: plain data, for which all zero is valid, and requests no change.
    let mut clock: libc::timex = unsafe { std::mem::zeroed() };
    set(&mut clock);
    // SAFETY: `clock` outlives the call.
    check(unsafe { libc::adjtimex(&mut clock) })?;
    Ok(clock)
}

/// Nanoseconds from the monotonic clock to the time of day.
pub fn time_of_day_offset() -> io::Result<i128> {
    Ok(read_clock(libc::CLOCK_REALTIME)? - read_clock(libc::CLOCK_MONOTONIC)?)
}

/// Sets the time of day.
pub fn set_time_of_day_offset(offset: i128) -> io::Result<()> {
    let time = read_clock(libc::CLOCK_MONOTONIC)? + offset;
    let time = libc::timespec {
        tv_sec: (time / NANOSECONDS) as libc::time_t,
        tv_nsec: (time % NANOSECONDS) as libc::c_long,
    };
    // SAFETY: `time` outlives the call.
    check(unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &time) }).map(drop)
}

const NANOSECONDS: i128 = 1_000_000_000;

fn read_clock(clock: libc::clockid_t) -> io::Result<i128> {
    // SAFETY: plain data, for which all zero is valid.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: `time` outlives the call.
    check(unsafe { libc::clock_gettime(clock, &mut time) })?;
    Ok(i128::from(time.tv_sec) * NANOSECONDS + i128::from(time.tv_nsec))
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

/// Capabilities that no command has: to read and change processes that have more rights
/// than it, above all the agent (`CAP_SYS_PTRACE`, 19), and the machine's memory
/// (`CAP_SYS_RAWIO`, 17). Its children have no more. Neither is needed to load or attach
/// BPF programs, for perf events, or for tracing.
const DENIED: [u32; 2] = [17, 19];

/// Makes `command` start without the capabilities in [`DENIED`], and unable to get them
/// by executing a program.
pub fn without_rights(command: &mut Command) -> &mut Command {
    let drop_rights = || {
        for capability in DENIED {
            let capability = capability as libc::c_ulong;
            // SAFETY: this option takes one number.
            check(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability) })?;
        }
        // From `linux/capability.h`: version and process, then for each 32 capabilities
        // the effective, permitted and inheritable ones.
        let header: [u32; 2] = [0x2008_0522, 0];
        let mut sets = [[0u32; 3]; 2];
        // SAFETY: both have the layout of this version, and outlive the calls.
        unsafe {
            if libc::syscall(libc::SYS_capget, &header, &mut sets) < 0 {
                return Err(io::Error::last_os_error());
            }
            sets[0] = sets[0].map(|set| DENIED.iter().fold(set, |set, bit| set & !(1 << bit)));
            if libc::syscall(libc::SYS_capset, &header, &sets) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: system calls only, safe to make between fork and exec.
    unsafe { command.pre_exec(drop_rights) }
}

/// Removes [`DENIED`] from a set of capabilities, as the kernel writes it: words of 32
/// bits in decimal digits, the lowest first. `None` if the text is not such a set.
pub fn without_denied(words: &str) -> Option<String> {
    let words: Option<Vec<u64>> = words
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let mut words = words.filter(|words| !words.is_empty())?;
    words[0] = DENIED.iter().fold(words[0], |set, bit| set & !(1 << bit));
    let words: Vec<_> = words.iter().map(u64::to_string).collect();
    Some(words.join(" "))
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
