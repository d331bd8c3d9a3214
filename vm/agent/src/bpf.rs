//! BPF: a safe wrapper of the `bpf(2)` system call, for what the agent needs of it.
//!
//! The attribute structs are written out here rather than taken from a library. The
//! kernel accepts a shorter `union bpf_attr` (the rest counts as zero) and, when its tail
//! is zero, a longer one. So these structs fit kernels from 5.8 on.

use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

const PROG_TEST_RUN: u32 = 10;
const PROG_GET_NEXT_ID: u32 = 11;
const PROG_GET_FD_BY_ID: u32 = 13;
const OBJ_GET_INFO_BY_FD: u32 = 15;
const BTF_GET_FD_BY_ID: u32 = 19;
const ENABLE_STATS: u32 = 32;
const STATS_RUN_TIME: u32 = 0;

/// Opcode of a call.
pub const CALL: u8 = 0x85;
/// Opcode of a load of 64 bits, which takes two instructions.
pub const LOAD_64: u8 = 0x18;
/// `BPF_PSEUDO_*`: the meaning of the immediate value of a call or 64-bit load, stored in
/// place of its source register.
pub const PSEUDO_CALL: u8 = 1;
/// A map, by file descriptor.
pub const PSEUDO_MAP_FD: u8 = 1;
/// An address in a map's only value; the next immediate value is the offset.
pub const PSEUDO_MAP_VALUE: u8 = 2;
/// A kernel function, by its BTF id.
pub const PSEUDO_KFUNC_CALL: u8 = 2;
/// A kernel variable, by its BTF id.
pub const PSEUDO_BTF_ID: u8 = 3;
/// A function of the program.
pub const PSEUDO_FUNC: u8 = 4;

/// Names of `enum bpf_prog_type`, by number.
const PROG_TYPES: [&str; 33] = [
    "unspec",
    "socket_filter",
    "kprobe",
    "sched_cls",
    "sched_act",
    "tracepoint",
    "xdp",
    "perf_event",
    "cgroup_skb",
    "cgroup_sock",
    "lwt_in",
    "lwt_out",
    "lwt_xmit",
    "sock_ops",
    "sk_skb",
    "cgroup_device",
    "sk_msg",
    "raw_tracepoint",
    "cgroup_sock_addr",
    "lwt_seg6local",
    "lirc_mode2",
    "sk_reuseport",
    "flow_dissector",
    "cgroup_sysctl",
    "raw_tracepoint_writable",
    "cgroup_sockopt",
    "tracing",
    "struct_ops",
    "ext",
    "lsm",
    "sk_lookup",
    "syscall",
    "netfilter",
];

/// The kernel's name of a program type in lower case, or `type_NN`.
pub fn prog_type_name(prog_type: u32) -> String {
    PROG_TYPES
        .get(prog_type as usize)
        .map_or_else(|| format!("type_{prog_type}"), |name| (*name).to_owned())
}

/// One BPF instruction.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insn {
    code: u8,
    registers: u8,
    offset: i16,
    immediate: i32,
}

impl Insn {
    /// `r0 = value`
    pub const fn mov_r0(value: i32) -> Self {
        Self {
            code: 0xb7,
            registers: 0,
            offset: 0,
            immediate: value,
        }
    }

    /// The instruction as the kernel reads it.
    pub fn bytes(&self) -> [u8; 8] {
        let [low, high] = self.offset.to_ne_bytes();
        let [a, b, c, d] = self.immediate.to_ne_bytes();
        [self.code, self.registers, low, high, a, b, c, d]
    }

    /// Makes an instruction of a compiler. `registers`: the source in the upper half.
    pub const fn new(code: u8, registers: u8, offset: i16, immediate: i32) -> Self {
        Self {
            code,
            registers,
            offset,
            immediate,
        }
    }

    /// `call` to the instruction `offset` after the next.
    #[cfg(test)]
    pub const fn call_function(offset: i32) -> Self {
        Self::new(CALL, PSEUDO_CALL << 4, 0, offset)
    }

    /// Its opcode.
    pub const fn code(&self) -> u8 {
        self.code
    }

    /// The number of the source register. In some instructions it gives the meaning of
    /// the immediate value.
    pub const fn source(&self) -> u8 {
        self.registers >> 4
    }

    /// Its immediate value.
    pub const fn immediate(&self) -> i32 {
        self.immediate
    }

    /// Sets what the immediate value means, and the value.
    pub fn set(&mut self, source: u8, immediate: i32) {
        self.registers = source << 4 | self.registers & 0xf;
        self.immediate = immediate;
    }

    /// The offset, counted from the next instruction, of the function that this
    /// instruction calls or takes the address of.
    pub fn function_offset(&self) -> Option<i32> {
        let refers = match self.code {
            CALL => self.source() == PSEUDO_CALL,
            LOAD_64 => self.source() == PSEUDO_FUNC,
            _ => false,
        };
        refers.then_some(self.immediate)
    }

    /// `r0 += value`
    pub const fn add_r0(value: i32) -> Self {
        Self {
            code: 0x07,
            registers: 0,
            offset: 0,
            immediate: value,
        }
    }

    /// `exit`
    pub const fn exit() -> Self {
        Self {
            code: 0x95,
            registers: 0,
            offset: 0,
            immediate: 0,
        }
    }
}

#[repr(C)]
struct TestRunAttr {
    prog_fd: u32,
    retval: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
}

#[repr(C)]
struct IdAttr {
    id: u32,
    next_id: u32,
}

#[repr(C)]
struct InfoAttr {
    bpf_fd: u32,
    info_len: u32,
    info: u64,
}

#[repr(C)]
struct StatsAttr {
    kind: u32,
}

/// `struct bpf_prog_info`, as far as the agent reads it. The kernel fills as many fields
/// as it knows and returns how many bytes that was.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawProgInfo {
    prog_type: u32,
    id: u32,
    tag: [u8; 8],
    jited_prog_len: u32,
    xlated_prog_len: u32,
    jited_prog_insns: u64,
    xlated_prog_insns: u64,
    load_time: u64,
    created_by_uid: u32,
    nr_map_ids: u32,
    map_ids: u64,
    name: [u8; 16],
    ifindex: u32,
    gpl_compatible: u32,
    netns_dev: u64,
    netns_ino: u64,
    nr_jited_ksyms: u32,
    nr_jited_func_lens: u32,
    jited_ksyms: u64,
    jited_func_lens: u64,
    btf_id: u32,
    func_info_rec_size: u32,
    func_info: u64,
    nr_func_info: u32,
    nr_line_info: u32,
    line_info: u64,
    jited_line_info: u64,
    nr_jited_line_info: u32,
    line_info_rec_size: u32,
    jited_line_info_rec_size: u32,
    nr_prog_tags: u32,
    prog_tags: u64,
    run_time_ns: u64,
    run_cnt: u64,
    recursion_misses: u64,
    verified_insns: u32,
    padding: u32,
}

/// `struct bpf_btf_info` of kernel 5.8.
#[repr(C)]
#[derive(Default)]
struct RawBtfInfo {
    btf: u64,
    btf_size: u32,
    id: u32,
}

/// The kernel's info about one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgInfo {
    /// Unique within a boot.
    pub id: u32,
    /// Number in `enum bpf_prog_type`; see [`prog_type_name`].
    pub prog_type: u32,
    /// At most 15 bytes.
    pub name: String,
    /// Hash over the instructions, 16 hexadecimal digits.
    pub tag: String,
    /// Size after the kernel's rewriting.
    pub xlated_bytes: u32,
    /// Size of the machine code; 0 when it is interpreted.
    pub jited_bytes: u32,
    /// Nanoseconds since boot.
    pub loaded_at_ns: u64,
    /// 0 if the program has no BTF.
    pub btf_id: u32,
    /// Nanoseconds of all counted runs.
    pub run_time_ns: u64,
    /// Runs while statistics were on.
    pub run_cnt: u64,
    /// `None` before kernel 5.12.
    pub recursion_misses: Option<u64>,
    /// `None` before kernel 5.16.
    pub verified_insns: Option<u32>,
}

/// Raw debug records of one program; [`crate::btf`] parses them.
#[derive(Debug, Default)]
pub struct DebugRecords {
    /// `func_info`, whole records.
    pub func_info: Vec<u8>,
    /// Bytes of one `func_info` record on this kernel.
    pub func_info_rec_size: u32,
    /// `line_info`, whole records.
    pub line_info: Vec<u8>,
    /// Bytes of one `line_info` record on this kernel.
    pub line_info_rec_size: u32,
}

/// The machine code of one program and where its lines begin; [`crate::lines`] decodes
/// it. Addresses are the kernel's.
#[derive(Debug, Default)]
pub struct JitImage {
    /// Code of all functions, one after another.
    pub code: Vec<u8>,
    /// The address of each function.
    pub functions: Vec<u64>,
    /// Bytes of each function's code.
    pub function_bytes: Vec<u32>,
    /// The address of each `line_info` record's code.
    pub lines: Vec<u64>,
}

/// An open BPF program. While it exists, the kernel keeps the program.
#[derive(Debug)]
pub struct Prog(pub(crate) OwnedFd);

/// Runs `command`; the attribute is read, and for some commands written, by the kernel.
///
/// # Safety
/// `T` must be the kernel's layout for `command`, without padding, and every
/// address in it valid for what the kernel does with it.
pub(crate) unsafe fn bpf<T>(command: u32, attr: &mut T) -> io::Result<i64> {
    // SAFETY: `attr` is valid for reads and writes of its own size; the caller
    // answers for what it points to.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_mut(attr),
            size_of::<T>(),
        )
    };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Like [`bpf`], for commands that return a new file descriptor.
///
/// # Safety
/// The requirements of [`bpf`], and `command` must return a file descriptor.
pub(crate) unsafe fn bpf_fd<T>(command: u32, attr: &mut T) -> io::Result<OwnedFd> {
    // SAFETY: passed on to the caller.
    let fd = unsafe { bpf(command, attr) }?;
    // SAFETY: the kernel has just returned this descriptor; it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Fills `info` with what the kernel knows about `fd` and returns how many
/// bytes of it the kernel knew.
///
/// # Safety
/// `T` must be the kernel's info struct for the kind of `fd`, and every address
/// in it valid for writes of the size given next to it.
unsafe fn object_info<T>(fd: &OwnedFd, info: &mut T) -> io::Result<usize> {
    let mut attr = InfoAttr {
        bpf_fd: fd.as_raw_fd() as u32,
        info_len: size_of::<T>() as u32,
        info: std::ptr::from_mut(info) as u64,
    };
    // SAFETY: `info` outlives the call and has the length given; the caller
    // answers for the addresses inside.
    unsafe { bpf(OBJ_GET_INFO_BY_FD, &mut attr) }?;
    Ok(attr.info_len as usize)
}

/// Turns on the run-time statistics of all programs until the result is dropped.
/// Kernel 5.8 on.
pub fn enable_stats() -> io::Result<OwnedFd> {
    let mut attr = StatsAttr {
        kind: STATS_RUN_TIME,
    };
    // SAFETY: the attribute holds no addresses; the command returns a descriptor.
    unsafe { bpf_fd(ENABLE_STATS, &mut attr) }
}

/// The lowest program id above `id`; `None` after the last.
pub fn next_prog_id(id: u32) -> io::Result<Option<u32>> {
    let mut attr = IdAttr { id, next_id: 0 };
    // SAFETY: the attribute holds no addresses.
    match unsafe { bpf(PROG_GET_NEXT_ID, &mut attr) } {
        Ok(_) => Ok(Some(attr.next_id)),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The BTF blob with this id.
pub fn btf_blob(id: u32) -> io::Result<Vec<u8>> {
    let mut attr = IdAttr { id, next_id: 0 };
    // SAFETY: the attribute holds no addresses; the command returns a descriptor.
    let fd = unsafe { bpf_fd(BTF_GET_FD_BY_ID, &mut attr) }?;
    let mut info = RawBtfInfo::default();
    // SAFETY: the right struct for a BTF descriptor; the address in it is null
    // and its size 0, which asks for the size only.
    unsafe { object_info(&fd, &mut info) }?;
    let mut blob = vec![0; info.btf_size as usize];
    info = RawBtfInfo {
        btf: blob.as_mut_ptr() as u64,
        btf_size: info.btf_size,
        id: 0,
    };
    // SAFETY: `btf` points to `btf_size` writable bytes that outlive the call.
    unsafe { object_info(&fd, &mut info) }?;
    Ok(blob)
}

impl Prog {
    /// Opens the program with this id; `None` when it is gone.
    pub fn open(id: u32) -> io::Result<Option<Self>> {
        let mut attr = IdAttr { id, next_id: 0 };
        // SAFETY: the attribute holds no addresses; the command returns a descriptor.
        match unsafe { bpf_fd(PROG_GET_FD_BY_ID, &mut attr) } {
            Ok(fd) => Ok(Some(Self(fd))),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The number of its file descriptor, for `/proc/self/fdinfo`.
    pub fn fd_number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Runs the program `repeat` times on `packet` (at least 14 bytes, the
    /// length of an Ethernet header). Fails with EINTR when a signal arrives;
    /// the program has then run an unknown number of times.
    pub fn test_run(&self, packet: &[u8], repeat: u32) -> io::Result<()> {
        let mut attr = TestRunAttr {
            prog_fd: self.0.as_raw_fd() as u32,
            retval: 0,
            data_size_in: packet.len() as u32,
            data_size_out: 0,
            data_in: packet.as_ptr() as u64,
            data_out: 0,
            repeat,
            duration: 0,
        };
        // SAFETY: `data_in` points to `data_size_in` bytes that outlive the
        // call; no output is asked for.
        unsafe { bpf(PROG_TEST_RUN, &mut attr) }.map(drop)
    }

    /// Reads the kernel's current info.
    pub fn info(&self) -> io::Result<ProgInfo> {
        let mut raw = RawProgInfo::default();
        // SAFETY: the right struct for a program descriptor; every address in
        // it is null and every count 0.
        let known = unsafe { object_info(&self.0, &mut raw) }?;
        Ok(decode(&raw, known))
    }

    /// Its function and line records; empty when it has none.
    pub fn debug_records(&self) -> io::Result<DebugRecords> {
        let mut raw = RawProgInfo::default();
        // SAFETY: as in `info`.
        unsafe { object_info(&self.0, &mut raw) }?;
        let buffer = |count: u32, bytes: u32| vec![0u8; count as usize * bytes as usize];
        let mut records = DebugRecords {
            func_info: buffer(raw.nr_func_info, raw.func_info_rec_size),
            func_info_rec_size: raw.func_info_rec_size,
            line_info: buffer(raw.nr_line_info, raw.line_info_rec_size),
            line_info_rec_size: raw.line_info_rec_size,
        };
        let mut ask = RawProgInfo {
            nr_func_info: raw.nr_func_info,
            func_info_rec_size: raw.func_info_rec_size,
            func_info: records.func_info.as_mut_ptr() as u64,
            nr_line_info: raw.nr_line_info,
            line_info_rec_size: raw.line_info_rec_size,
            line_info: records.line_info.as_mut_ptr() as u64,
            ..RawProgInfo::default()
        };
        // SAFETY: both addresses point to count x record size writable bytes
        // that outlive the call; all other addresses are null with count 0.
        unsafe { object_info(&self.0, &mut ask) }?;
        Ok(records)
    }

    /// Its machine code; empty if the program is interpreted, and without addresses if
    /// the kernel hides them.
    pub fn jit_image(&self) -> io::Result<JitImage> {
        let mut raw = RawProgInfo::default();
        // SAFETY: as in `info`.
        unsafe { object_info(&self.0, &mut raw) }?;
        let lines = count_of(
            raw.nr_jited_line_info,
            raw.jited_line_info_rec_size,
            size_of::<u64>(),
        );
        let mut image = JitImage {
            code: vec![0; raw.jited_prog_len as usize],
            functions: vec![0; raw.nr_jited_ksyms as usize],
            function_bytes: vec![0; raw.nr_jited_func_lens as usize],
            lines: vec![0; lines as usize],
        };
        let mut ask = RawProgInfo {
            jited_prog_len: raw.jited_prog_len,
            jited_prog_insns: image.code.as_mut_ptr() as u64,
            nr_jited_ksyms: raw.nr_jited_ksyms,
            jited_ksyms: image.functions.as_mut_ptr() as u64,
            nr_jited_func_lens: raw.nr_jited_func_lens,
            jited_func_lens: image.function_bytes.as_mut_ptr() as u64,
            nr_jited_line_info: lines,
            jited_line_info_rec_size: raw.jited_line_info_rec_size,
            jited_line_info: image.lines.as_mut_ptr() as u64,
            ..RawProgInfo::default()
        };
        // SAFETY: each address points to as many writable elements, of the size the
        // kernel writes, as the count next to it says, and they outlive the call; all
        // other addresses are null with count 0.
        unsafe { object_info(&self.0, &mut ask) }?;
        Ok(image)
    }
}

/// Returns `records`, or 0 if the kernel would write records of another size.
fn count_of(records: u32, record_bytes: u32, known_bytes: usize) -> u32 {
    if record_bytes as usize == known_bytes {
        records
    } else {
        0
    }
}

/// `known`: how many bytes of `raw` the kernel filled.
fn decode(raw: &RawProgInfo, known: usize) -> ProgInfo {
    let has = |offset: usize, bytes: usize| known >= offset + bytes;
    let name_end = raw
        .name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(raw.name.len());
    ProgInfo {
        id: raw.id,
        prog_type: raw.prog_type,
        name: String::from_utf8_lossy(&raw.name[..name_end]).into_owned(),
        tag: raw.tag.iter().map(|byte| format!("{byte:02x}")).collect(),
        xlated_bytes: raw.xlated_prog_len,
        jited_bytes: raw.jited_prog_len,
        loaded_at_ns: raw.load_time,
        btf_id: raw.btf_id,
        run_time_ns: raw.run_time_ns,
        run_cnt: raw.run_cnt,
        recursion_misses: has(offset_of!(RawProgInfo, recursion_misses), 8)
            .then_some(raw.recursion_misses),
        verified_insns: has(offset_of!(RawProgInfo, verified_insns), 4)
            .then_some(raw.verified_insns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_kernels_names() {
        assert_eq!(prog_type_name(6), "xdp");
        assert_eq!(prog_type_name(17), "raw_tracepoint");
        assert_eq!(prog_type_name(29), "lsm");
        assert_eq!(prog_type_name(32), "netfilter");
        assert_eq!(prog_type_name(77), "type_77");
    }

    /// Offsets from `include/uapi/linux/bpf.h`.
    #[test]
    fn the_info_struct_has_the_kernels_layout() {
        assert_eq!(offset_of!(RawProgInfo, name), 64);
        assert_eq!(offset_of!(RawProgInfo, btf_id), 128);
        assert_eq!(offset_of!(RawProgInfo, line_info), 152);
        assert_eq!(offset_of!(RawProgInfo, run_time_ns), 192);
        assert_eq!(size_of::<RawProgInfo>(), 224);
        assert_eq!(size_of::<TestRunAttr>(), 40);
    }

    #[test]
    fn older_kernels_return_fewer_fields() {
        let raw = RawProgInfo {
            name: *b"fun_xdp\0\0\0\0\0\0\0\0\0",
            tag: [0xab; 8],
            ..RawProgInfo::default()
        };
        let on_5_8 = decode(&raw, 208);
        assert_eq!(
            (on_5_8.recursion_misses, on_5_8.verified_insns),
            (None, None)
        );
        let on_5_12 = decode(&raw, 216);
        assert_eq!(
            (on_5_12.recursion_misses, on_5_12.verified_insns),
            (Some(0), None)
        );
        assert_eq!(decode(&raw, 224).verified_insns, Some(0));
        assert_eq!(on_5_8.name, "fun_xdp");
        assert_eq!(on_5_8.tag, "abababababababab");
    }
}
