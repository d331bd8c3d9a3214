//! Attach: attaches programs to their hooks while the workload runs, and counts their runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_char};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::OnceLock;

use aya_obj::generated::{
    PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_SET_BPF, bpf_attach_type, bpf_cmd, bpf_map_type,
    bpf_prog_type, perf_event_attr, perf_type_id,
};

use crate::bpf::{self, Insn, Prog, TestInput, bpf, bpf_fd, no_attr};
use crate::bpf_load::{self, MapCreate, ProgLoad, link};
use crate::hook::{self, Hook, Redirect};
use crate::inside::{self, Seen};
use crate::kernel;
use crate::perf_ring::{self, no_event};
use crate::record::Count;
use crate::section::{Kind, NAME_IT, Target};
use crate::struct_ops::{Function, Structure};
use crate::sys::{self, errno_name};
use crate::tap::Place;
use crate::usdt::probed;
use crate::workload::{self, Calls, Given, Workload};

/// A program, and where it is attached.
pub struct Attachable<'a> {
    pub prog: Prog,
    pub kind: &'a Kind,
    pub hook: &'a Hook,
}

/// An attached program.
enum Attached<'a> {
    /// It runs while these are open.
    Open(#[expect(dead_code, reason = "kept open")] Vec<OwnedFd>),
    /// It runs when the iterator is read.
    Iterator(OwnedFd),
    /// It runs when it is test-run.
    Tested { prog: &'a Prog, arguments: usize },
    /// It runs on frames that are redirected.
    Redirected(#[expect(dead_code, reason = "kept")] Place<'a>),
}

/// What the workload's sockets are given to: one of each for all programs.
#[derive(Default)]
struct Sockets<'a> {
    sockmap: Option<OwnedFd>,
    /// Whether one of the programs in it is a verdict.
    has_verdict: bool,
    reuseport: Option<OwnedFd>,
    /// Programs that run on redirected frames.
    redirected: Vec<Redirect>,
    /// Structures of programs: a function, and the value of the map that registers it.
    structures: BTreeMap<Structure, (&'a Function, Vec<u8>)>,
}

/// Runs of programs that were attached at the same time.
pub struct Observed {
    /// The runs of each program, with what QEMU's plugin saw of them; or why it has none.
    pub counts: Vec<Result<(Count, Option<Seen>), String>>,
    /// System calls of the workload.
    pub calls: u32,
}

/// Attaches the programs together while the workload runs and iterators are read. `inside`: QEMU's
/// plugin looks at them. Fails if the workload does not end by itself.
pub fn observe(
    programs: &[Attachable],
    workload: &Workload,
    inside: bool,
) -> Result<Observed, String> {
    workload.clean();
    let seen = programs.iter().map(|program| match inside {
        true => Seen::prepare(&program.prog),
        false => Ok(None),
    });
    let seen: Vec<_> = seen
        .collect::<io::Result<_>>()
        .map_err(refused("a program's code cannot be read".to_owned()))?;
    let mut sockets = Sockets::default();
    // LSM programs come last, and are gone before anything is read: they may deny bpf(2).
    let mut order: Vec<_> = (0..programs.len()).collect();
    order.sort_by_key(|&at| denial(programs[at].kind));
    let (harmless, denying) =
        order.split_at(order.partition_point(|&at| denial(programs[at].kind) == Denial::None));
    let mut attached = BTreeMap::new();
    for &at in harmless {
        attached.insert(at, attach(&programs[at], &mut sockets, workload));
    }
    let log = KernelLog::open();
    let mut registered = BTreeMap::new();
    let mut refusals = BTreeMap::new();
    for (structure, (function, value)) in std::mem::take(&mut sockets.structures) {
        match register(function, value) {
            Ok(own) => drop(registered.insert(structure, own)),
            Err(error) => {
                let reason = refused(format!("the kernel refused its {structure}"))(error);
                refusals.insert(structure, log.explain(reason));
            }
        }
    }
    let redirects = workload.redirect();
    let _redirects = redirects.map_err(refused("frames cannot be redirected".to_owned()))?;
    let read = || {
        let infos = programs.iter().map(|program| program.prog.info());
        infos
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| format!("cannot read a program's statistics: {error}"))
    };
    let before = read()?;
    let setting = (!denying.is_empty()).then(StatsSetting::open).transpose()?;
    for &at in denying {
        attached.insert(at, attach(&programs[at], &mut sockets, workload));
    }
    // Statistics are on only while the workload runs: the agent's own system calls would
    // run programs too, and there are more of them for each program.
    let stats = match &setting {
        Some(setting) => setting.set(true).map(|()| None),
        None => bpf::enable_stats().map(Some),
    };
    let stats = stats.map_err(refused(NO_STATS.to_owned()))?;
    let given = Given {
        sockmap: sockets.sockmap.as_ref(),
        reuseport: sockets.reuseport.as_ref(),
        congestion: registered.contains_key(&Structure::Congestion),
        scheduler: registered.contains_key(&Structure::Scheduler),
    };
    seen.iter().flatten().for_each(Seen::open);
    let ran = workload.run(given);
    for attached in attached.values().flatten() {
        // What fails is not counted.
        let _ = match attached {
            Attached::Iterator(fd) => fd.try_clone().and_then(read_all),
            Attached::Tested { prog, arguments } => test_run(prog, *arguments),
            Attached::Open(_) | Attached::Redirected(_) => Ok(()),
        };
    }
    // What runs as this turns the statistics off is the last that they count.
    drop(stats);
    if let Some(setting) = &setting {
        // Dropping it tries again.
        let _ = setting.set(false);
    }
    if inside {
        inside::close();
    }
    drop(setting);
    let ended: Vec<_> = attached.into_values().map(|own| own.map(drop)).collect();
    if given.scheduler && !is_scheduling() {
        let reason = "the kernel ended its scheduler while the workload ran".to_owned();
        refusals.insert(Structure::Scheduler, log.explain(reason));
    }
    let Calls { made: calls, .. } =
        ran.map_err(|error| match refusals.remove(&Structure::Scheduler) {
            Some(reason) => format!("{error:#}: {reason}"),
            None => format!("{error:#}"),
        })?;
    let after = read()?;
    let counts = programs
        .iter()
        .zip(ended)
        .zip(before.iter().zip(&after))
        .zip(seen)
        .map(|(((program, ended), (before, after)), seen)| {
            ended?;
            if let Hook::Function(own) = program.hook
                && let Some(reason) = refusals.get(&own.of)
            {
                return Err(reason.clone());
            }
            let count = after.since(before);
            if count.run_cnt == 0 {
                return Err(why_idle(program.kind).into());
            }
            Ok((count, seen))
        })
        .collect();
    Ok(Observed { counts, calls })
}

/// Why a program of this kind never ran under the workload.
fn why_idle(kind: &Kind) -> &'static str {
    let is_lsm = matches!(kind.target, Target::Function(_)) && denial(kind) != Denial::None;
    let modules = || fs::read_to_string("/sys/kernel/security/lsm");
    if is_lsm && modules().is_ok_and(|list| list.trim().split(',').all(|name| name != "bpf")) {
        return "this kernel runs no LSM program: bpf is missing from its list of security modules (CONFIG_LSM), use another kernel";
    }
    if kind.prog_type == bpf_prog_type::BPF_PROG_TYPE_STRUCT_OPS as u32 {
        return "the workload never causes what runs it, and what runs while its structure is registered or removed is not counted: write a [[bench]] that causes it";
    }
    "the workload never causes what runs it: write a [[bench]] that does"
}

/// Whether a scheduler of programs is registered, and no error has ended it.
fn is_scheduling() -> bool {
    let state = fs::read_to_string("/sys/kernel/sched_ext/state");
    state.is_ok_and(|state| state.trim() == "enabled")
}

/// What the kernel logs from now on.
struct KernelLog(io::Result<File>);

impl KernelLog {
    fn open() -> Self {
        let opened = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/kmsg");
        Self(opened.and_then(|mut log| log.seek(SeekFrom::End(0)).map(|_| log)))
    }

    /// Adds to a reason what the kernel says about a scheduler.
    fn explain(&self, reason: String) -> String {
        let mut said = String::new();
        let mut record = [0; 8192];
        // Each call reads one record, and fails after the last.
        while let Ok(log) = &self.0
            && let Ok(bytes) = (&mut &*log).read(&mut record)
        {
            let text = String::from_utf8_lossy(&record[..bytes]);
            let line = text
                .split_once(';')
                .and_then(|(_, text)| text.lines().next());
            if let Some(message) = line.and_then(|line| line.strip_prefix("sched_ext: bpfgate: ")) {
                said = format!(": {message}");
            }
        }
        reason + &said
    }
}

/// What may be denied.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Denial {
    None,
    SystemCalls,
    /// Attaching further programs.
    Bpf,
}

/// What programs of this kind may deny while they are attached.
fn denial(kind: &Kind) -> Denial {
    match &kind.target {
        _ if kind.prog_type != bpf_prog_type::BPF_PROG_TYPE_LSM as u32 => Denial::None,
        Target::Function(name) if name.starts_with("bpf_lsm_bpf") => Denial::Bpf,
        _ => Denial::SystemCalls,
    }
}

/// Attaches a program. The error also says what its section needs.
fn attach<'a>(
    program: &'a Attachable<'a>,
    sockets: &mut Sockets<'a>,
    workload: &'a Workload,
) -> Result<Attached<'a>, String> {
    attach_to_hook(program, sockets, workload).map_err(|reason| match program.kind.needs {
        Some(needs) => format!("{reason}: {needs} is needed"),
        None => reason,
    })
}

/// The setting of whether the kernel counts the runs of programs, for when bpf(2) may be
/// denied. Programs of the control group may deny writing this.
struct StatsSetting(File);

impl StatsSetting {
    fn open() -> Result<Self, String> {
        let file = File::options()
            .write(true)
            .open("/proc/sys/kernel/bpf_stats_enabled");
        file.map(Self).map_err(refused(NO_STATS.to_owned()))
    }

    fn set(&self, on: bool) -> io::Result<()> {
        self.0.write_all_at(if on { b"1" } else { b"0" }, 0)
    }
}

impl Drop for StatsSetting {
    fn drop(&mut self) {
        let _ = self.set(false);
    }
}

/// Begins the message about statistics that stay off.
pub const NO_STATS: &str = "BPF statistics cannot be turned on";

/// The most functions that a pattern may match.
const MAX_FUNCTIONS: usize = 1000;
/// `BPF_F_KPROBE_MULTI_RETURN` and `BPF_F_UPROBE_MULTI_RETURN`.
const RETURNS: u32 = 1;
/// A breakpoint at an instruction, in `linux/hw_breakpoint.h`.
const HW_BREAKPOINT_X: u32 = 4;
/// The bit of a probe's configuration that selects the function's return.
const RETURN_PROBE: u64 = 1;

fn refused(what: String) -> impl Fn(io::Error) -> String {
    move |error| format!("{what} ({})", errno_name(&error))
}

/// Attaches a program. The error says what the kernel refused.
fn attach_to_hook<'a>(
    program: &'a Attachable<'a>,
    sockets: &mut Sockets<'a>,
    workload: &'a Workload,
) -> Result<Attached<'a>, String> {
    let Attachable { prog, kind, hook } = program;
    let attach_type = kind.attach_type;
    match hook {
        Hook::Kprobe {
            function,
            offset,
            returns,
        } => {
            let event = open_kprobe(function, *offset, *returns)?;
            run_on_event(prog, &event).map_err(refused(format!(
                "the kernel refused the kprobe at {function}"
            )))?;
            Ok(opened(event))
        }
        Hook::Uprobe {
            returns,
            multi: false,
        } => {
            let mut attr = probe_event("uprobe", *returns)?;
            attr.__bindgen_anon_3.uprobe_path = workload::FILE.as_ptr() as u64;
            attr.__bindgen_anon_4.probe_offset = probed_offset()?;
            open_event(prog, attr, &[0]).map_err(refused("the kernel refused the uprobe".into()))
        }
        Hook::Tracepoint { category, name } => {
            let path = format!("/sys/kernel/tracing/events/{category}/{name}/id");
            let id = fs::read_to_string(&path)
                .ok()
                .and_then(|text| text.trim().parse().ok());
            let id = id.ok_or_else(|| {
                format!("the kernel has no tracepoint {category}/{name}: if its loader chooses it, {NAME_IT}")
            })?;
            let mut attr = no_event();
            attr.type_ = perf_type_id::PERF_TYPE_TRACEPOINT as u32;
            attr.config = id;
            attr.__bindgen_anon_1.sample_period = 1;
            open_event(prog, attr, &[0]).map_err(refused(format!(
                "the kernel refused it at {category}/{name}"
            )))
        }
        Hook::Breakpoint => {
            let mut attr = no_event();
            attr.type_ = perf_type_id::PERF_TYPE_BREAKPOINT as u32;
            attr.bp_type = HW_BREAKPOINT_X;
            attr.__bindgen_anon_3.bp_addr = breakpoint_address()?;
            attr.__bindgen_anon_4.bp_len = size_of::<libc::c_long>() as u64;
            attr.__bindgen_anon_1.sample_period = 1;
            let cpus: Vec<u32> = (0..sys::online_cpus()).collect();
            open_event(prog, attr, &cpus)
                .map_err(refused("the kernel refused the breakpoint".into()))
        }
        Hook::RawTracepoint(name) => {
            let name = c_string(name)?;
            open_raw_tracepoint(prog, name.as_ptr())
                .map_err(refused(format!(
                    "the kernel has no raw tracepoint {name:?}"
                )))
                .map_err(|reason| format!("{reason}: if its loader chooses it, {NAME_IT}"))
        }
        Hook::Loaded => open_raw_tracepoint(prog, std::ptr::null()).map_err(|error| {
            let errno = error.raw_os_error();
            let reason = refused("the kernel refused to attach it".into())(error);
            match errno {
                // Such as one declared `inline`, of which the compiler made a function.
                Some(libc::EBUSY) => reason + ": its function cannot be traced on this kernel",
                _ => reason,
            }
        }),
        Hook::Cgroup => {
            let root = sys::open_dir("/sys/fs/cgroup".as_ref())
                .map_err(refused("cannot open the control group".into()))?;
            link(prog, attach_type, |attr| {
                attr.link_create.__bindgen_anon_2.target_fd = root.as_raw_fd() as u32;
            })
            .map(opened)
            .map_err(refused("the kernel refused it in the control group".into()))
        }
        Hook::Iterator => {
            let iterate = || {
                let link = match link(prog, attach_type, |_| ()) {
                    // It iterates over a map's elements.
                    Err(error) if error.raw_os_error() == Some(libc::EBADF) => {
                        let map = iterated_map()?;
                        let info = map.as_raw_fd() as u32;
                        link(prog, attach_type, |attr| {
                            // SAFETY: plain data.
                            let iterator =
                                unsafe { &mut attr.link_create.__bindgen_anon_3.__bindgen_anon_1 };
                            iterator.iter_info = std::ptr::from_ref(&info) as u64;
                            iterator.iter_info_len = size_of_val(&info) as u32;
                        })
                        // Over a map of another type.
                        .map_err(|_| error)?
                    }
                    link => link?,
                };
                let mut attr = no_attr();
                attr.iter_create.link_fd = link.as_raw_fd() as u32;
                // SAFETY: the attribute holds no addresses; the command returns a descriptor.
                unsafe { bpf_fd(bpf_cmd::BPF_ITER_CREATE, &mut attr) }
            };
            iterate()
                .map(Attached::Iterator)
                .map_err(refused("the kernel refused the iterator".into()))
        }
        Hook::Sockmap => attach_to_sockmap(prog, attach_type, sockets)
            .map_err(refused("the kernel refused it in a sockmap".into())),
        Hook::Reuseport => {
            let prog = prog.try_clone();
            sockets.reuseport = Some(prog.map_err(refused("cannot duplicate it".into()))?.0);
            Ok(Attached::Open(Vec::new()))
        }
        Hook::Function(function) => {
            let value = || (function, vec![0; function.value.1 as usize]);
            let (_, value) = sockets.structures.entry(function.of).or_insert_with(value);
            if put_function(value, function.at, prog) {
                Ok(Attached::Open(Vec::new()))
            } else {
                Err("another program of the object is this function of its structure".into())
            }
        }
        Hook::TestRun { arguments } => Ok(Attached::Tested {
            prog,
            arguments: *arguments,
        }),
        Hook::Redirect(by) => {
            let tap = workload.tap.as_ref().map_err(Clone::clone)?;
            let place = sockets.redirected.iter().filter(|own| *own == by).count();
            sockets.redirected.push(*by);
            tap.set(*by, place, prog)
                .map(Attached::Redirected)
                .map_err(refused("the kernel refused it in a map".into()))
        }
        Hook::Kprobes { pattern, returns } => {
            let names = find_functions(pattern)?;
            let symbols: Vec<_> = names.iter().map(|name| name.as_ptr() as u64).collect();
            link(prog, attach_type, |attr| {
                // SAFETY: plain data.
                let multi = unsafe { &mut attr.link_create.__bindgen_anon_3.kprobe_multi };
                multi.flags = if *returns { RETURNS } else { 0 };
                multi.cnt = symbols.len() as u32;
                multi.syms = symbols.as_ptr() as u64;
            })
            .map(opened)
            .map_err(refused(format!("the kernel refused kprobes at {pattern}")))
        }
        Hook::Uprobe {
            returns,
            multi: true,
        } => {
            let offset = probed_offset()?;
            link(prog, attach_type, |attr| {
                // SAFETY: plain data.
                let multi = unsafe { &mut attr.link_create.__bindgen_anon_3.uprobe_multi };
                multi.path = workload::FILE.as_ptr() as u64;
                multi.offsets = std::ptr::from_ref(&offset) as u64;
                multi.cnt = 1;
                multi.flags = if *returns { RETURNS } else { 0 };
            })
            .map(opened)
            .map_err(refused("the kernel refused the uprobe".into()))
        }
    }
}

/// Puts a program where a value has none yet. Returns whether it had none.
fn put_function(value: &mut [u8], at: u32, prog: &Prog) -> bool {
    let place = &mut value[at as usize..][..8];
    let is_free = *place == [0; 8];
    if is_free {
        place.copy_from_slice(&(prog.fd_number() as u64).to_ne_bytes());
    }
    is_free
}

/// A structure that the kernel calls, under the name of [`workload::STRUCTURE`].
struct Registered(OwnedFd);

impl Drop for Registered {
    fn drop(&mut self) {
        // Closing the map alone would leave it registered.
        let _ = bpf::delete(self.0.as_raw_fd(), &[0; 4]);
    }
}

/// Registers a structure. Required functions that are missing are empty programs.
fn register(function: &Function, mut value: Vec<u8>) -> io::Result<Registered> {
    let mut fillers = Vec::new();
    for &(member, at) in &function.required {
        let filler = ProgLoad {
            prog_type: bpf_prog_type::BPF_PROG_TYPE_STRUCT_OPS as u32,
            attach_type: member,
            attach_btf_id: function.structure,
            name: "filler",
            license: c"GPL",
            insns: &[Insn::mov_r0(2), Insn::exit()],
            ..ProgLoad::default()
        };
        let filler = filler.load_quietly()?;
        put_function(&mut value, at, &filler);
        fillers.push(filler);
    }
    let mut put =
        |at: u32, bytes: &[u8]| value[at as usize..][..bytes.len()].copy_from_slice(bytes);
    for (at, bytes) in &function.data {
        put(*at, bytes);
    }
    let name = workload::STRUCTURE.to_bytes_with_nul();
    put(function.name_at, name);
    if let Some(at) = function.flags_at {
        // Other processes are not its own, so it may stop what it schedules.
        value[at as usize] |= SCX_OPS_SWITCH_PARTIAL;
    }
    let btf = bpf_load::load_btf(&ANY_BTF).map_err(|(error, _)| error)?;
    let map = MapCreate {
        map_type: bpf_map_type::BPF_MAP_TYPE_STRUCT_OPS as u32,
        key_size: 4,
        value_size: function.value.1,
        max_entries: 1,
        btf: Some((&btf, 0, 0)),
        kernel_value: function.value.0,
        ..MapCreate::default()
    }
    .create()?;
    bpf::update(map.as_raw_fd(), &[0; 4], &value)?;
    Ok(Registered(map))
}

/// The flag of a scheduler that only gets processes which ask for it (`enum scx_ops_flags`).
const SCX_OPS_SWITCH_PARTIAL: u8 = 1 << 3;

/// BTF with a single type, `int`. The kernel makes no map with types of its own without some.
const ANY_BTF: [u8; 45] = *b"\x9f\xeb\x01\0\x18\0\0\0\0\0\0\0\x10\0\0\0\x10\0\0\0\x05\0\0\0\
    \x01\0\0\0\0\0\0\x01\x04\0\0\0\x20\0\0\x01\0int\0";

/// Runs a function of a structure. Its first argument is a pointer, the others are 0.
fn test_run(prog: &Prog, arguments: usize) -> io::Result<()> {
    static POINTED_TO: [u8; 64] = [0; 64];
    let mut context = vec![0; arguments * size_of::<u64>()];
    if let Some(first) = context.first_chunk_mut() {
        *first = (POINTED_TO.as_ptr() as u64).to_ne_bytes();
    }
    prog.run_on(TestInput::Context(&context)).map(drop)
}

fn read_all(fd: OwnedFd) -> io::Result<()> {
    let mut file = fs::File::from(fd);
    let mut buffer = vec![0; 64 << 10];
    while file.read(&mut buffer)? > 0 {}
    Ok(())
}

/// A hash map of four elements, whose keys are as large as keys may be. A program may not read
/// more of a value than there is.
fn iterated_map() -> io::Result<OwnedFd> {
    const KEY_BYTES: usize = 512;
    const VALUE_BYTES: usize = 4096;
    let map = MapCreate {
        map_type: bpf_map_type::BPF_MAP_TYPE_HASH as u32,
        key_size: KEY_BYTES as u32,
        value_size: VALUE_BYTES as u32,
        max_entries: 4,
        ..MapCreate::default()
    }
    .create()?;
    for number in 0..4 {
        bpf::update(
            map.as_raw_fd(),
            &[number; KEY_BYTES],
            &[number; VALUE_BYTES],
        )?;
    }
    Ok(map)
}

/// Attaches a program to the sockmap, which is made if there is none yet.
fn attach_to_sockmap(
    prog: &Prog,
    attach_type: u32,
    sockets: &mut Sockets,
) -> io::Result<Attached<'static>> {
    const VERDICT: u32 = bpf_attach_type::BPF_SK_SKB_STREAM_VERDICT as u32;
    const PARSER: u32 = bpf_attach_type::BPF_SK_SKB_STREAM_PARSER as u32;
    let map = match sockets.sockmap.take() {
        Some(map) => map,
        None => MapCreate {
            map_type: bpf_map_type::BPF_MAP_TYPE_SOCKMAP as u32,
            key_size: 4,
            value_size: 4,
            max_entries: 2,
            ..MapCreate::default()
        }
        .create()?,
    };
    let map = sockets.sockmap.insert(map);
    if attach_type == PARSER && !sockets.has_verdict {
        // The kernel runs a parser only where there is a verdict.
        let pass = [Insn::mov_r0(1), Insn::exit()];
        add_to_map(
            map,
            &Prog::load(bpf_prog_type::BPF_PROG_TYPE_SK_SKB, &pass)?,
            VERDICT,
        )?;
    }
    // A section without a name for it means the verdict.
    let attach_type = if attach_type == 0 {
        VERDICT
    } else {
        attach_type
    };
    sockets.has_verdict |= attach_type == VERDICT;
    add_to_map(map, prog, attach_type).map(|()| Attached::Open(Vec::new()))
}

fn add_to_map(map: &OwnedFd, prog: &Prog, attach_type: u32) -> io::Result<()> {
    let mut attr = no_attr();
    attr.__bindgen_anon_5.__bindgen_anon_1.target_fd = map.as_raw_fd() as u32;
    attr.__bindgen_anon_5.attach_bpf_fd = prog.fd_number() as u32;
    attr.__bindgen_anon_5.attach_type = attach_type;
    // SAFETY: the attribute holds no addresses.
    unsafe { bpf(bpf_cmd::BPF_PROG_ATTACH, &mut attr) }.map(drop)
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} has a zero byte"))
}

/// An event of a probe, without its place.
fn probe_event(source: &str, returns: bool) -> Result<perf_event_attr, String> {
    let kind = fs::read_to_string(format!("/sys/bus/event_source/devices/{source}/type"))
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let mut attr = no_event();
    attr.type_ = kind.ok_or_else(|| format!("the kernel has no {source}s"))?;
    attr.config = if returns { RETURN_PROBE } else { 0 };
    Ok(attr)
}

/// Opens the event on CPUs, for all processes, and lets each of its occurrences run the
/// program.
fn open_event(prog: &Prog, attr: perf_event_attr, cpus: &[u32]) -> io::Result<Attached<'static>> {
    let open = |&cpu: &u32| {
        let event = perf_ring::open(attr, cpu)?;
        run_on_event(prog, &event)?;
        Ok(event)
    };
    cpus.iter()
        .map(open)
        .collect::<io::Result<_>>()
        .map(Attached::Open)
}

/// Lets each occurrence of an event run the program.
fn run_on_event(prog: &Prog, event: &OwnedFd) -> io::Result<()> {
    let fd = event.as_raw_fd();
    // SAFETY: both requests take a number, and the descriptors are open.
    unsafe {
        sys::check(libc::ioctl(
            fd,
            PERF_EVENT_IOC_SET_BPF as _,
            prog.fd_number(),
        ))?;
        sys::check(libc::ioctl(fd, PERF_EVENT_IOC_ENABLE as _, 0)).map(drop)
    }
}

/// Opens the event of a kprobe for all processes. Like loaders, accepts the name of a system
/// call without what the processor adds.
fn open_kprobe(function: &str, offset: u64, returns: bool) -> Result<OwnedFd, String> {
    let mut attr = probe_event("kprobe", returns)?;
    attr.__bindgen_anon_4.probe_offset = offset;
    let mut open = |function: &str| {
        let name = c_string(function)?;
        attr.__bindgen_anon_3.kprobe_func = name.as_ptr() as u64;
        perf_ring::open(attr, 0).map_err(refused(format!("the kernel has no kprobe at {function}")))
    };
    open(function).or_else(|reason| match function.strip_prefix("sys_") {
        Some(call) => open(&hook::system_call(call)).map_err(|_| reason),
        None => Err(reason),
    })
}

/// The hook of a program whose kprobe the kernel does not have, and why. `None` for any other
/// program.
pub fn stand_in(hook: &Hook) -> Option<(Hook, String)> {
    let Hook::Kprobe {
        function,
        offset,
        returns,
    } = hook
    else {
        return None;
    };
    // Programs of system calls read the calls' arguments.
    if function.starts_with(hook::SYSTEM_CALL) {
        return None;
    }
    let reason = open_kprobe(function, *offset, *returns).err()?;
    let other = Hook::Kprobe {
        function: hook::ANY_FUNCTION.to_owned(),
        offset: 0,
        returns: *returns,
    };
    Some((other, reason))
}

/// `name`: a C string that outlives the call, or null for what the program was loaded for.
fn open_raw_tracepoint(prog: &Prog, name: *const c_char) -> io::Result<Attached<'static>> {
    let mut attr = no_attr();
    attr.raw_tracepoint.name = name as u64;
    attr.raw_tracepoint.prog_fd = prog.fd_number() as u32;
    // SAFETY: `name` is null or a C string; the command returns a descriptor.
    let fd = unsafe { bpf_fd(bpf_cmd::BPF_RAW_TRACEPOINT_OPEN, &mut attr) }?;
    Ok(opened(fd))
}

fn opened(fd: OwnedFd) -> Attached<'static> {
    Attached::Open(vec![fd])
}

/// The address of [`hook::breakpoint`].
fn breakpoint_address() -> Result<u64, String> {
    static FOUND: OnceLock<Result<u64, String>> = OnceLock::new();
    let find = || {
        let name = hook::breakpoint();
        let found = kernel::addresses(&[&name])?.remove(&name).flatten();
        found.ok_or_else(|| format!("the kernel has no symbol {name}"))
    };
    FOUND.get_or_init(find).clone()
}

/// Functions of the kernel itself whose names match.
fn find_functions(pattern: &str) -> Result<Vec<CString>, String> {
    if !pattern.contains(['*', '?']) {
        return Ok(vec![c_string(pattern)?]);
    }
    let all =
        fs::read_to_string("/sys/kernel/tracing/available_filter_functions").map_err(|error| {
            format!(
                "cannot list the kernel's functions ({})",
                errno_name(&error)
            )
        })?;
    let wanted = c_string(pattern)?;
    // Functions of modules have the module's name after theirs.
    let names: BTreeSet<_> = all
        .lines()
        .filter(|name| !name.contains(' ') && matches(&wanted, name))
        .take(MAX_FUNCTIONS + 1)
        .collect();
    match names.len() {
        0 => Err(format!("no function of the kernel matches {pattern}")),
        count if count > MAX_FUNCTIONS => Err(format!(
            "more than {MAX_FUNCTIONS} functions match {pattern}"
        )),
        _ => names.into_iter().map(c_string).collect(),
    }
}

fn matches(pattern: &CStr, name: &str) -> bool {
    // SAFETY: both are C strings that outlive the call.
    CString::new(name)
        .is_ok_and(|name| unsafe { libc::fnmatch(pattern.as_ptr(), name.as_ptr(), 0) } == 0)
}

/// The place of [`probed`] in the file of this process.
fn probed_offset() -> Result<u64, String> {
    let address = probed as *const () as u64;
    let maps = fs::read_to_string("/proc/self/maps")
        .map_err(|error| format!("cannot read the agent's maps ({})", errno_name(&error)))?;
    maps.lines()
        .find_map(|line| offset_in(line, address))
        .ok_or_else(|| "the workload's function is in no file".to_owned())
}

/// The place of an address in the file of a line of `/proc/self/maps`, if it is there.
fn offset_in(line: &str, address: u64) -> Option<u64> {
    let mut fields = line.split_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    let begins = number(fields.nth(1)?)?;
    (start..end)
        .contains(&address)
        .then(|| address - start + begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_files() {
        let line = "7f00-7f80 r-xp 00001000 08:01 42 /bin/agent";
        assert_eq!(offset_in(line, 0x7f10), Some(0x1010));
        assert_eq!(offset_in(line, 0x7f80), None);
    }
}
