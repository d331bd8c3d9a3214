//! Workload: a fixed process whose system calls make attached programs run. The agent's own
//! file is executed under the name of [`FILE`], so that nothing of the agent is in it.
//!
//! It has a fixed process id, makes the same calls in each round, allocates nothing, and
//! counts its calls. A program that is attached may deny any of them. A round is
//!
//! | calls | what |
//! | - | - |
//! | 33 | [`files`]: a file is written, read, looked at, renamed and removed; a node, a mount, `/dev/null`, a setting, a pipe; on x86-64 `open`, `stat` and `lstat` |
//! | 7 | [`synced`], if the kernel has AIO: a file is made, synced asynchronously and removed |
//! | 2 | [`memory`]: four pages are mapped, written to and unmapped |
//! | 7 | [`moved`], if the kernel moves pages for `userfaultfd`, as since 6.8: one is |
//! | 4 | [`block`], if the kernel has `null_blk`: a block of a device is read, changed and written |
//! | 11 | [`frames`], if the kernel has `tun`: eight frames are redirected ([`crate::tap`]), of which three come back |
//! | 13 | [`processes`]: ids, signal 0, a perf event, a futex, a pause of 1 ms, and a child that executes a program |
//! | 1 | [`first_program`]: bpf(2); 1 more if the kernel has BTF: its function `bpf_fentry_test1` is called by a test run |
//! | 2 x 18 | [`tcp`], by IPv4 and IPv6: a connection, a message each way, names, options; 2 more if programs are its congestion control |
//! | 2 x 11 | [`udp`], by IPv4 and IPv6: a message to an address, and one over a connection |

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::fs;
use std::io::{self, PipeReader, Read};
use std::mem::{MaybeUninit, size_of, size_of_val};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::ptr;

use anyhow::{Context, Result, bail, ensure};
use aya_obj::generated::{bpf_attach_type, bpf_prog_type, perf_sw_ids, perf_type_id};

use crate::bpf::{self, Insn, Prog};
use crate::bpf_load::ProgLoad;
use crate::perf_ring;
use crate::sys::{self, Ended, errno_name};
use crate::tap::{self, Tap};
use crate::usdt::probed;

/// The process's file, a copy of the agent's.
pub const FILE: &CStr = c"/dev/shm/bpfgate-workload";
/// A folder that each round makes and removes.
const FOLDER: &CStr = c"/dev/shm/bpfgate-folder";
/// A block device, and the argument of a workload that uses it. It stores nothing.
const DEVICE: &CStr = c"/dev/nullb0";
/// The name of a congestion control or a scheduler of programs.
pub const STRUCTURE: &CStr = c"bpfgate";
/// The argument of a workload whose connections have such a congestion control.
const CONGESTION: &CStr = c"congestion";
/// The argument of a workload that such a scheduler schedules.
const SCHEDULER: &CStr = c"scheduler";
/// `SCHED_EXT`, in `linux/sched.h`.
const SCHED_EXT: c_int = 7;
/// The argument of a workload whose kernel has AIO.
const SYNCED: &CStr = c"aio";
/// The argument of a workload whose kernel moves pages.
const MOVED: &CStr = c"move";
/// The argument of the process that a round executes, which ends at once.
const END: &CStr = c"end";
/// Rounds of a reading.
const ROUNDS: u32 = 4;
/// Seconds of guest time after which the kernel ends it.
const TIME: u32 = 10;
/// Process ids, which maps of programs have as keys. Others are given from 1 on.
const PROCESS: i32 = 30_001;
const CHILD: i32 = PROCESS + 1;
/// Descriptor to which it writes its counts.
const COUNTS: RawFd = 3;
/// Length of what it writes: the numbers of a [`Calls`].
const COUNTS_BYTES: usize = 12;
/// Lower descriptors of this process are not given to the new one.
const LEAST_GIVEN: RawFd = 10;
/// Real-time priority of its process.
const PRIORITY: c_int = 1;
/// Port of its sockets.
const PORT: u16 = 47_001;

impl Drop for Workload {
    fn drop(&mut self) {
        let _ = fs::remove_file(OsStr::from_bytes(FILE.to_bytes()));
        schedule_softirqs(libc::SCHED_OTHER, 0);
        if self.owns_device {
            // A bench may want it with other parameters.
            sys::modprobe(&["--remove", "null_blk"]);
        }
    }
}

/// Calls of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// The calls it made.
    pub made: u32,
    /// Those that failed.
    pub failed: u32,
    /// The error of the first of them; 0 if none failed.
    pub error: i32,
}

/// What the workload's sockets are given to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// A sockmap, for both ends of its TCP connections.
    pub sockmap: Option<&'a OwnedFd>,
    /// A program that selects a socket, for its UDP servers.
    pub reuseport: Option<&'a OwnedFd>,
    /// Whether programs are the congestion control of its TCP connections.
    pub congestion: bool,
    /// Whether programs are its scheduler.
    pub scheduler: bool,
}

/// Arguments of a workload that is given these, with their descriptors, and a [`Tap`].
const GIVEN: [(&CStr, RawFd); 4] = [
    (c"sockmap", 4),
    (c"reuseport", 5),
    (c"tap", 6),
    (c"tested", 7),
];
/// The most arguments: its file, those, [`DEVICE`], [`SYNCED`], [`MOVED`], [`CONGESTION`] and
/// [`SCHEDULER`].
const MAX_ARGUMENTS: usize = 1 + GIVEN.len() + 5;

/// A workload that can run.
pub struct Workload {
    /// The device that its frames go to, or why there is none.
    pub tap: Result<Tap, String>,
    /// Whether there is a [`DEVICE`].
    has_device: bool,
    /// Whether it has added that.
    owns_device: bool,
    /// A program whose test run calls a function of the kernel.
    tested: Option<Prog>,
    /// What else the kernel has: [`SYNCED`], [`MOVED`].
    more: Vec<&'static CStr>,
}

impl Workload {
    /// Puts its file in place, and runs it once: what the kernel does the first time must not
    /// be counted.
    ///
    /// `function`: the BTF id of one that a test run calls; `None` if the kernel has no BTF.
    pub fn prepare(function: Option<u32>) -> Result<Self> {
        let path = FILE.to_str().context("the workload's path is no text")?;
        if !Path::new(path).exists() {
            let whole = format!("{path}.part");
            fs::copy("/proc/self/exe", &whole).context("cannot copy the workload")?;
            fs::rename(&whole, path).context("cannot rename the workload")?;
        }
        let owns_device = !is_there(DEVICE);
        if owns_device {
            // Requests end in the process that makes them.
            sys::modprobe(&["null_blk", "nr_devices=1", "irqmode=0"]);
            // As disks with one queue have it.
            let _ = fs::write("/sys/block/nullb0/queue/scheduler", "mq-deadline");
        }
        let tap = Tap::make()
            .map_err(|error| format!("no frames can be redirected ({})", errno_name(&error)));
        let workload = Self {
            tap,
            has_device: is_there(DEVICE),
            owns_device,
            tested: function.and_then(|id| tested(id).ok()),
            more: [(SYNCED, has_aio()), (MOVED, can_move())]
                .into_iter()
                .filter_map(|(name, has)| has.then_some(name))
                .collect(),
        };
        // Above the workload's process: older kernels leave every packet to these threads while they are awake, and the
        // process expects it at once.
        schedule_softirqs(libc::SCHED_FIFO, PRIORITY + 1);
        workload.clean();
        let _redirects = workload.redirect()?;
        let Calls {
            made,
            failed,
            error,
        } = workload.run(Given::default())?;
        ensure!(
            failed == 0,
            "{failed} of the workload's {made} calls failed with nothing attached ({})",
            errno_name(&io::Error::from_raw_os_error(error))
        );
        Ok(workload)
    }

    /// Removes what a run left that was ended, or whose calls an attached program denied.
    pub fn clean(&self) {
        let folder = OsStr::from_bytes(FOLDER.to_bytes());
        let _ = sys::detach_mount(folder.as_ref());
        let _ = fs::remove_dir_all(folder);
    }

    /// Redirects its frames until the result is dropped.
    pub fn redirect(&self) -> io::Result<Option<OwnedFd>> {
        self.tap.as_ref().ok().map(Tap::attach).transpose()
    }

    /// Runs it to its end.
    pub fn run(&self, given: Given) -> Result<Calls> {
        let (mut reader, writer) = io::pipe().context("cannot make a pipe")?;
        let mut arguments = vec![FILE];
        let mut descriptors = vec![(high(&writer.into())?, COUNTS)];
        let tap = self.tap.as_ref().ok().map(|tap| &tap.file);
        let tested = self.tested.as_ref().map(|prog| &prog.0);
        let own = [given.sockmap, given.reuseport, tap, tested];
        for ((name, number), fd) in GIVEN.iter().zip(own) {
            if let Some(fd) = fd {
                arguments.push(name);
                descriptors.push((high(fd)?, *number));
            }
        }
        if self.has_device {
            arguments.push(DEVICE);
        }
        arguments.extend(&self.more);
        if given.congestion {
            arguments.push(CONGESTION);
        }
        if given.scheduler {
            arguments.push(SCHEDULER);
        }
        let pid = start(PROCESS, &arguments, &descriptors, given.scheduler)
            .context("cannot start the workload")?;
        drop(descriptors);
        let ended = sys::reap(pid).context("cannot reap the workload")?;
        match ended {
            Ended::Exited(0) => read_counts(&mut reader),
            Ended::Exited(code) => bail!("the workload exited with {code}"),
            Ended::Signaled(libc::SIGALRM) => bail!("the workload did not end in {TIME} s"),
            Ended::Signaled(signal) => bail!("the workload was ended by signal {signal}"),
        }
    }
}

/// Loads a program at the start of a function that the kernel calls when it test-runs such a
/// program. It is not attached.
fn tested(function: u32) -> io::Result<Prog> {
    let request = ProgLoad {
        prog_type: bpf_prog_type::BPF_PROG_TYPE_TRACING as u32,
        attach_type: bpf_attach_type::BPF_TRACE_FENTRY as u32,
        attach_btf_id: function,
        name: "tested",
        license: c"GPL",
        insns: &[Insn::mov_r0(0), Insn::exit()],
        ..ProgLoad::default()
    };
    request.load_quietly()
}

fn has_aio() -> bool {
    let context = aio();
    // SAFETY: takes a context of this process, which is not used again.
    context != 0 && unsafe { libc::syscall(libc::SYS_io_destroy, context) } == 0
}

fn can_move() -> bool {
    let mut calls = Counter(Calls::default());
    let mover = mover(&mut calls);
    close(&mut calls, mover);
    calls.0.failed == 0
}

/// Schedules the kernel's threads for softirqs.
fn schedule_softirqs(policy: c_int, priority: c_int) {
    for pid in sys::processes() {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if name.starts_with("ksoftirqd/") {
            // A kernel that refuses is left as it is.
            let _ = sys::schedule(pid, policy, priority);
        }
    }
}

fn read_counts(reader: &mut PipeReader) -> Result<Calls> {
    let mut counts = [0; COUNTS_BYTES];
    reader
        .read_exact(&mut counts)
        .context("the workload did not say how many calls it made")?;
    let of = |at: usize| {
        u32::from_ne_bytes([counts[at], counts[at + 1], counts[at + 2], counts[at + 3]])
    };
    Ok(Calls {
        made: of(0),
        failed: of(4),
        error: of(8) as i32,
    })
}

/// Another descriptor of the same file, at a number that a new process does not get.
fn high(fd: &OwnedFd) -> io::Result<OwnedFd> {
    // SAFETY: takes numbers; the kernel has just returned this descriptor.
    unsafe {
        let fd = libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, LEAST_GIVEN);
        sys::check(fd).map(|fd| OwnedFd::from_raw_fd(fd))
    }
}

/// Executes the workload's file in a process with this id. `given`: descriptors, and their
/// numbers in it. `scheduler`: whether programs schedule it.
fn start(pid: i32, argv: &[&CStr], given: &[(OwnedFd, RawFd)], scheduler: bool) -> io::Result<u32> {
    // The list ends with null.
    let mut pointers = [ptr::null(); MAX_ARGUMENTS + 1];
    for (pointer, argument) in pointers.iter_mut().take(MAX_ARGUMENTS).zip(argv) {
        *pointer = argument.as_ptr();
    }
    let environment = [ptr::null()];
    // SAFETY: plain data, for which all zero is valid.
    let mut arguments: libc::clone_args = unsafe { MaybeUninit::zeroed().assume_init() };
    arguments.exit_signal = libc::SIGCHLD as u64;
    arguments.set_tid = ptr::from_ref(&pid) as u64;
    arguments.set_tid_size = 1;
    let bytes = size_of::<libc::clone_args>();
    // SAFETY: `set_tid` points to one process id. Without a stack of its own, the new process
    // returns from the call as one of `fork` does. The calls that it makes are safe there, and their strings and
    // lists are live copies of this process's.
    unsafe {
        match libc::syscall(libc::SYS_clone3, &arguments, bytes) {
            0 => {
                for (fd, number) in given {
                    libc::dup2(fd.as_raw_fd(), *number);
                }
                // A process that waits for the CPU makes the clock's own code, which a run
                // includes, longer. None waits while a real-time process runs; a kernel that allows
                // none costs readings.
                let _ = match scheduler {
                    true => sys::schedule(0, SCHED_EXT, 0),
                    false => sys::schedule(0, libc::SCHED_FIFO, PRIORITY),
                };
                libc::execve(FILE.as_ptr(), pointers.as_ptr(), environment.as_ptr());
                libc::_exit(127)
            }
            pid if pid > 0 => Ok(pid as u32),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn is_there(path: &CStr) -> bool {
    Path::new(OsStr::from_bytes(path.to_bytes())).exists()
}

/// Whether this process is the workload, by its name.
pub fn is_name(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes() == FILE.to_bytes()
}

/// The workload's process: all rounds, or the process that one of them executes.
pub fn main(arguments: &[std::ffi::OsString]) -> ExitCode {
    let has = |name: &CStr| {
        let mut arguments = arguments.iter();
        arguments.any(|argument| argument.as_encoded_bytes() == name.to_bytes())
    };
    if has(END) {
        return ExitCode::SUCCESS;
    }
    let [sockmap, reuseport, tap, tested] = GIVEN.map(|(name, fd)| has(name).then_some(fd));
    let [has_device, has_aio, moves] = [DEVICE, SYNCED, MOVED].map(has);
    let congestion = has(CONGESTION).then_some(STRUCTURE);
    let scheduler = has(SCHEDULER);
    // SAFETY: takes a number; nothing handles the signal, so the kernel ends the process.
    unsafe { libc::alarm(TIME) };
    let mut calls = Counter(Calls::default());
    for _ in 0..ROUNDS {
        std::hint::black_box(probed(1, 2, 3, 4, 5, 6));
        files(&mut calls);
        old_files(&mut calls);
        if has_aio {
            synced(&mut calls);
        }
        memory(&mut calls);
        if moves {
            moved(&mut calls);
        }
        if has_device {
            block(&mut calls);
        }
        if let Some(tap) = tap {
            frames(&mut calls, tap);
        }
        processes(&mut calls, scheduler);
        first_program(&mut calls);
        if let Some(prog) = tested {
            // Its program returns 0.
            calls.add(bpf::test_run_traced(prog).map_or(-1, |()| 0));
        }
        for address in [Address::v4(), Address::v6()] {
            tcp(&mut calls, &address, sockmap, congestion);
            udp(&mut calls, &address, reuseport);
        }
    }
    let Calls {
        made,
        failed,
        error,
    } = calls.0;
    let mut counts = [0; COUNTS_BYTES];
    counts[..4].copy_from_slice(&made.to_ne_bytes());
    counts[4..8].copy_from_slice(&failed.to_ne_bytes());
    counts[8..].copy_from_slice(&error.to_ne_bytes());
    // SAFETY: the buffer has the length given.
    unsafe { libc::write(COUNTS, counts.as_ptr().cast(), counts.len()) };
    ExitCode::SUCCESS
}

/// Asks for the first BPF program, of which there may be none.
fn first_program(calls: &mut Counter) {
    calls.add(bpf::next_prog_id(0).map_or(-1, |_| 0));
}

struct Counter(Calls);

impl Counter {
    /// Counts a call by its result.
    fn add(&mut self, result: impl Into<i64>) -> i64 {
        let result = result.into();
        self.0.made += 1;
        if result < 0 {
            if self.0.failed == 0 {
                self.0.error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
            }
            self.0.failed += 1;
        }
        result
    }

    /// Counts a call that returns a descriptor. After a failed one the calls that use it fail
    /// too: their number stays the same.
    fn descriptor(&mut self, result: c_int) -> c_int {
        self.add(result) as c_int
    }
}

const DATA: [u8; 64] = [7; 64];

fn write(calls: &mut Counter, fd: c_int) {
    // SAFETY: the buffer has the length given.
    calls.add(unsafe { libc::write(fd, DATA.as_ptr().cast(), DATA.len()) } as i64);
}

fn read(calls: &mut Counter, fd: c_int) {
    let mut buffer = DATA;
    // SAFETY: the buffer has the length given.
    calls.add(unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) } as i64);
}

fn close(calls: &mut Counter, fd: c_int) {
    // SAFETY: takes a number, of a descriptor that is not used again.
    calls.add(unsafe { libc::close(fd) });
}

fn open(calls: &mut Counter, path: &CStr, flags: c_int) -> c_int {
    // SAFETY: `path` ends with a zero.
    calls.descriptor(unsafe { libc::openat(libc::AT_FDCWD, path.as_ptr(), flags, 0o600) })
}

fn files(calls: &mut Counter) {
    const FIRST: &CStr = c"/dev/shm/bpfgate-folder/first";
    const SECOND: &CStr = c"/dev/shm/bpfgate-folder/second";
    // SAFETY: here and below, each path ends with a zero, and each address points to as many
    // bytes as the call takes.
    unsafe {
        calls.add(libc::mkdir(FOLDER.as_ptr(), 0o700));
        let file = open(calls, FIRST, libc::O_CREAT | libc::O_RDWR);
        write(calls, file);
        calls.add(libc::lseek(file, 0, libc::SEEK_SET));
        read(calls, file);
        let mut stat = MaybeUninit::<libc::stat>::zeroed();
        calls.add(libc::fstat(file, stat.as_mut_ptr()));
        calls.add(libc::fsync(file));
        calls.add(libc::syscall(
            libc::SYS_newfstatat,
            libc::AT_FDCWD,
            FIRST.as_ptr(),
            stat.as_mut_ptr(),
            0,
        ));
        let mut more = MaybeUninit::<libc::statx>::zeroed();
        calls.add(libc::statx(
            libc::AT_FDCWD,
            FIRST.as_ptr(),
            0,
            libc::STATX_BASIC_STATS,
            more.as_mut_ptr(),
        ));
        let mut system = MaybeUninit::<libc::statfs>::zeroed();
        calls.add(libc::statfs(FIRST.as_ptr(), system.as_mut_ptr()));
        close(calls, file);
        calls.add(libc::rename(FIRST.as_ptr(), SECOND.as_ptr()));
        calls.add(libc::unlink(SECOND.as_ptr()));
        calls.add(libc::mknod(FIRST.as_ptr(), libc::S_IFREG | 0o600, 0));
        calls.add(libc::unlink(FIRST.as_ptr()));
        let (none, tmpfs) = (c"none".as_ptr(), c"tmpfs".as_ptr());
        calls.add(libc::mount(none, FOLDER.as_ptr(), tmpfs, 0, ptr::null()));
        calls.add(libc::umount2(FOLDER.as_ptr(), 0));
        calls.add(libc::rmdir(FOLDER.as_ptr()));
        let null = open(calls, c"/dev/null", libc::O_WRONLY);
        write(calls, null);
        close(calls, null);
        let setting = open(calls, c"/proc/sys/kernel/ostype", libc::O_RDONLY);
        read(calls, setting);
        close(calls, setting);
        let mut ends = [-1; 2];
        calls.add(libc::pipe2(ends.as_mut_ptr(), 0));
        write(calls, ends[1]);
        read(calls, ends[0]);
        close(calls, ends[0]);
        close(calls, ends[1]);
    }
}

/// System calls that only this processor has.
#[cfg(target_arch = "x86_64")]
fn old_files(calls: &mut Counter) {
    const PATH: &CStr = c"/dev/null";
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the path ends with a zero, and the address is that of a `struct stat`.
    unsafe {
        let file = calls.add(libc::syscall(libc::SYS_open, PATH.as_ptr(), libc::O_RDONLY)) as c_int;
        close(calls, file);
        calls.add(libc::syscall(
            libc::SYS_stat,
            PATH.as_ptr(),
            stat.as_mut_ptr(),
        ));
        calls.add(libc::syscall(
            libc::SYS_lstat,
            PATH.as_ptr(),
            stat.as_mut_ptr(),
        ));
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn old_files(_: &mut Counter) {}

/// A context for asynchronous requests; it ends with the process. 0: the kernel has none.
fn aio() -> u64 {
    let mut context = 0u64;
    // SAFETY: the address is that of a context. After a failure it is still 0.
    unsafe { libc::syscall(libc::SYS_io_setup, 1, &mut context) };
    context
}

/// `IOCB_CMD_FSYNC`, in `linux/aio_abi.h`.
const SYNC: u64 = 2;

fn synced(calls: &mut Counter) {
    const PATH: &CStr = c"/dev/shm/bpfgate-synced";
    let file = open(calls, PATH, libc::O_CREAT | libc::O_WRONLY);
    // `struct iocb`: its operation and file are at 16.
    let mut request = [0, 0, SYNC | u64::from(file as u32) << 32, 0, 0, 0, 0, 0];
    let requests = [&mut request];
    let mut done = [0u64; 4];
    // SAFETY: the addresses are those of a request, a list of one, and the space for one result;
    // the request ends before they do.
    unsafe {
        let context = aio();
        calls.add(if context == 0 { -1 } else { 0 });
        calls.add(libc::syscall(libc::SYS_io_submit, context, 1, &requests));
        let no_limit = ptr::null::<libc::timespec>();
        calls.add(libc::syscall(
            libc::SYS_io_getevents,
            context,
            1,
            1,
            &mut done,
            no_limit,
        ));
        calls.add(libc::syscall(libc::SYS_io_destroy, context));
        close(calls, file);
        calls.add(libc::unlink(PATH.as_ptr()));
    }
}

fn memory(calls: &mut Counter) {
    const PAGES: usize = 4;
    let bytes = PAGES * sys::page_bytes();
    // SAFETY: new memory at an address of the kernel's choice; it is written to within its
    // length, and not used after it is unmapped.
    unsafe {
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        let memory = libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0);
        calls.add(if memory == libc::MAP_FAILED { -1 } else { 0 });
        if memory != libc::MAP_FAILED {
            for page in 0..PAGES {
                memory
                    .cast::<u8>()
                    .add(page * sys::page_bytes())
                    .write_volatile(1);
            }
        }
        calls.add(libc::munmap(memory, bytes));
    }
}

/// Numbers of `linux/userfaultfd.h`: `UFFDIO_API`, `UFFDIO_REGISTER`, `UFFDIO_MOVE`.
const UFFDIO: [libc::c_ulong; 3] = [0xc018_aa3f, 0xc020_aa00, 0xc028_aa05];
/// `UFFD_API`, `UFFD_FEATURE_MOVE`, and the ioctls that the kernel answers with.
const MOVES: [u64; 3] = [0xaa, 1 << 16, 0];
/// `UFFDIO_REGISTER_MODE_MISSING`.
const MISSING: u64 = 1;

/// Opens a descriptor by which pages can be moved.
fn mover(calls: &mut Counter) -> c_int {
    // SAFETY: takes a number; then the address of a `struct uffdio_api`.
    unsafe {
        let mover = libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC);
        let mover = calls.descriptor(mover as c_int);
        calls.add(libc::ioctl(mover, UFFDIO[0] as _, &mut { MOVES }));
        mover
    }
}

fn moved(calls: &mut Counter) {
    let mover = mover(calls);
    let page = sys::page_bytes();
    // SAFETY: new memory at an address of the kernel's choice, of which the first page is
    // written to; the addresses are those of a `struct uffdio_register` and `uffdio_move`.
    unsafe {
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        let memory = libc::mmap(ptr::null_mut(), 2 * page, access, kind, -1, 0);
        calls.add(if memory == libc::MAP_FAILED { -1 } else { 0 });
        if memory != libc::MAP_FAILED {
            memory.cast::<u8>().write_volatile(1);
        }
        let (from, to, bytes) = (memory as u64, memory as u64 + page as u64, page as u64);
        let mut register = [to, bytes, MISSING, 0];
        calls.add(libc::ioctl(mover, UFFDIO[1] as _, &mut register));
        let mut request = [to, from, bytes, 0, 0];
        calls.add(libc::ioctl(mover, UFFDIO[2] as _, &mut request));
        calls.add(libc::munmap(memory, 2 * page));
    }
    close(calls, mover);
}

fn block(calls: &mut Counter) {
    let device = open(calls, DEVICE, libc::O_RDWR);
    write(calls, device);
    // SAFETY: takes a number.
    calls.add(unsafe { libc::fsync(device) });
    close(calls, device);
}

/// Comes before the pause in [`processes`], in which the kernel takes frames from the CPU maps.
fn frames(calls: &mut Counter, tap: RawFd) {
    let mut frame = DATA;
    for number in 0..tap::FRAMES {
        frame[1] = number;
        // SAFETY: the buffer has the length given.
        calls.add(unsafe { libc::write(tap, frame.as_ptr().cast(), frame.len()) } as i64);
        if number < tap::RETURNED {
            read(calls, tap);
        }
    }
}

fn processes(calls: &mut Counter, scheduler: bool) {
    // SAFETY: each address points to what the call takes; the new process only executes.
    unsafe {
        calls.add(libc::syscall(libc::SYS_getpid));
        calls.add(libc::syscall(libc::SYS_kill, PROCESS, 0));
        calls.add(libc::syscall(libc::SYS_tkill, PROCESS, 0));
        calls.add(libc::syscall(libc::SYS_tgkill, PROCESS, PROCESS, 0));
        calls.add(libc::sched_yield());
        let mut event = perf_ring::no_event();
        event.type_ = perf_type_id::PERF_TYPE_SOFTWARE as u32;
        event.config = perf_sw_ids::PERF_COUNT_SW_DUMMY as u64;
        let event = libc::syscall(libc::SYS_perf_event_open, &event, 0, -1, -1, 0_u64);
        let event = calls.descriptor(event as c_int);
        close(calls, event);
        let word = 0u32;
        calls.add(libc::syscall(
            libc::SYS_futex,
            &word,
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            1,
        ));
        let pause = libc::timespec {
            tv_sec: 0,
            tv_nsec: 1_000_000,
        };
        calls.add(libc::nanosleep(&pause, ptr::null_mut()));
        let child = start(CHILD, &[FILE, END], &[], scheduler);
        let child = calls.add(child.map_or(-1, i64::from)) as c_int;
        // The process that was started executes one call and exits by another.
        calls.add(0);
        calls.add(0);
        calls.add(libc::waitpid(child.max(1), ptr::null_mut(), 0));
    }
}

/// An address of the loopback interface.
struct Address {
    family: c_int,
    bytes: [u8; 28],
    length: libc::socklen_t,
}

impl Address {
    fn v4() -> Self {
        let mut bytes = [0; 28];
        bytes[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
        bytes[2..4].copy_from_slice(&PORT.to_be_bytes());
        bytes[4..8].copy_from_slice(&[127, 0, 0, 1]);
        Self {
            family: libc::AF_INET,
            bytes,
            length: size_of::<libc::sockaddr_in>() as libc::socklen_t,
        }
    }

    fn v6() -> Self {
        let mut bytes = [0; 28];
        bytes[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
        bytes[2..4].copy_from_slice(&PORT.to_be_bytes());
        bytes[23] = 1;
        Self {
            family: libc::AF_INET6,
            bytes,
            length: size_of::<libc::sockaddr_in6>() as libc::socklen_t,
        }
    }

    fn pointer(&self) -> *const libc::sockaddr {
        self.bytes.as_ptr().cast()
    }
}

fn socket(calls: &mut Counter, address: &Address, kind: c_int) -> c_int {
    // SAFETY: takes numbers.
    calls.descriptor(unsafe { libc::socket(address.family, kind, 0) })
}

fn set_option(calls: &mut Counter, socket: c_int, option: c_int, value: c_int) {
    let bytes = size_of_val(&value) as libc::socklen_t;
    let value = ptr::from_ref(&value).cast();
    // SAFETY: the address points to as many bytes as the length next to it.
    calls.add(unsafe { libc::setsockopt(socket, libc::SOL_SOCKET, option, value, bytes) });
}

fn reuse_and_bind(calls: &mut Counter, socket: c_int, address: &Address) {
    set_option(calls, socket, libc::SO_REUSEADDR, 1);
    // SAFETY: the address points to as many bytes as the length next to it.
    calls.add(unsafe { libc::bind(socket, address.pointer(), address.length) });
}

/// Receives what has already arrived: on the loopback interface that is all that was sent.
fn receive(calls: &mut Counter, socket: c_int) {
    let mut buffer = DATA;
    let mut from = [0u8; 28];
    let mut length = from.len() as libc::socklen_t;
    // SAFETY: each address points to as many bytes as the length next to it.
    calls.add(unsafe {
        libc::recvfrom(
            socket,
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            libc::MSG_DONTWAIT,
            from.as_mut_ptr().cast(),
            &mut length,
        )
    } as i64);
}

fn send(calls: &mut Counter, socket: c_int, to: Option<&Address>) {
    let (address, length) = to.map_or((ptr::null(), 0), |to| (to.pointer(), to.length));
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: each address points to as many bytes as the length next to it.
    calls.add(unsafe {
        libc::sendto(
            socket,
            DATA.as_ptr().cast(),
            DATA.len(),
            flags,
            address,
            length,
        )
    } as i64);
}

fn tcp(calls: &mut Counter, address: &Address, sockmap: Option<RawFd>, congestion: Option<&CStr>) {
    let listener = socket(calls, address, libc::SOCK_STREAM | libc::SOCK_NONBLOCK);
    reuse_and_bind(calls, listener, address);
    // SAFETY: each address points to as many bytes as the length next to it.
    unsafe {
        calls.add(libc::listen(listener, 1));
        let client = socket(calls, address, libc::SOCK_STREAM);
        if let Some(name) = congestion {
            // Connections of a listener have its own.
            for socket in [listener, client] {
                let length = name.count_bytes() as libc::socklen_t;
                let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
                let name = name.as_ptr().cast();
                calls.add(libc::setsockopt(socket, level, option, name, length));
            }
        }
        calls.add(libc::connect(client, address.pointer(), address.length));
        let server = calls.descriptor(libc::accept4(listener, ptr::null_mut(), ptr::null_mut(), 0));
        if let Some(map) = sockmap {
            add_to_sockmap(calls, map, 0, client);
            add_to_sockmap(calls, map, 1, server);
        }
        send(calls, client, None);
        receive(calls, server);
        send(calls, server, None);
        receive(calls, client);
        let mut name = [0u8; 28];
        let mut length = name.len() as libc::socklen_t;
        calls.add(libc::getsockname(
            client,
            name.as_mut_ptr().cast(),
            &mut length,
        ));
        length = name.len() as libc::socklen_t;
        calls.add(libc::getpeername(
            client,
            name.as_mut_ptr().cast(),
            &mut length,
        ));
        let mut value: c_int = 0;
        let mut bytes = size_of_val(&value) as libc::socklen_t;
        let to: *mut c_void = ptr::from_mut(&mut value).cast();
        calls.add(libc::getsockopt(
            client,
            libc::SOL_SOCKET,
            libc::SO_TYPE,
            to,
            &mut bytes,
        ));
        calls.add(libc::shutdown(client, libc::SHUT_WR));
        close(calls, client);
        close(calls, server);
    }
    close(calls, listener);
}

fn add_to_sockmap(calls: &mut Counter, map: RawFd, key: u32, socket: c_int) {
    let added = bpf::update(map, &key.to_ne_bytes(), &socket.to_ne_bytes());
    calls.add(if added.is_ok() { 0 } else { -1 });
}

fn udp(calls: &mut Counter, address: &Address, reuseport: Option<RawFd>) {
    let server = socket(calls, address, libc::SOCK_DGRAM);
    if reuseport.is_some() {
        set_option(calls, server, libc::SO_REUSEPORT, 1);
    }
    reuse_and_bind(calls, server, address);
    if let Some(prog) = reuseport {
        set_option(calls, server, libc::SO_ATTACH_REUSEPORT_EBPF, prog);
    }
    let client = socket(calls, address, libc::SOCK_DGRAM);
    send(calls, client, Some(address));
    receive(calls, server);
    // SAFETY: the address points to as many bytes as the length next to it.
    calls.add(unsafe { libc::connect(client, address.pointer(), address.length) });
    send(calls, client, None);
    receive(calls, server);
    close(calls, client);
    close(calls, server);
}
