//! BPF: a safe wrapper of the `bpf(2)` system call, for what the agent needs of it.
//!
//! The kernel accepts a longer `union bpf_attr` and longer structs than its own when their
//! tail is zero, which means "not given". So those of `aya-obj` fit kernels from 5.8 on.

use std::io;
use std::mem::{offset_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use aya_obj::generated::{
    __BindgenBitfieldUnit, BPF_ALU64, BPF_CALL, BPF_DW, BPF_EXIT, BPF_IMM, BPF_JMP, BPF_K, BPF_LD,
    BPF_MOV, BPF_PSEUDO_CALL, BPF_PSEUDO_FUNC, bpf_attr, bpf_attr__bindgen_ty_4, bpf_btf_info,
    bpf_cmd, bpf_func_info, bpf_insn, bpf_prog_info, bpf_prog_type, bpf_stats_type,
};

use crate::btf::{self, LineInfo};
use crate::record::Count;
use crate::sys;

/// Opcode of a call.
pub const CALL: u8 = (BPF_JMP | BPF_CALL) as u8;
/// Opcode of a load of 64 bits, which takes two instructions.
pub const LOAD_64: u8 = (BPF_LD | BPF_IMM | BPF_DW) as u8;

/// Bytes up to the end of the last field. The padding after it need not be zero.
const ATTR_BYTES: usize = offset_of!(bpf_attr__bindgen_ty_4, prog_token_fd) + size_of::<i32>();
/// Bytes up to where padding may begin, for the same reason.
const PROG_INFO_BYTES: usize = offset_of!(bpf_prog_info, attach_btf_id);
/// Bytes up to the name. When asked again, the kernel refuses the name's length, which it
/// has filled in itself, without room for the name.
const BTF_INFO_BYTES: usize = offset_of!(bpf_btf_info, name);

/// The kernel's name of a program type in lower case, or `type_NN`.
pub fn prog_type_name(prog_type: u32) -> String {
    bpf_prog_type::try_from(prog_type).map_or_else(
        |_| format!("type_{prog_type}"),
        |ty| format!("{ty:?}")["BPF_PROG_TYPE_".len()..].to_lowercase(),
    )
}

/// One BPF instruction.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub struct Insn(pub bpf_insn);

impl Insn {
    /// `r0 = value`
    pub const fn mov_r0(value: i32) -> Self {
        Self::new((BPF_ALU64 | BPF_MOV | BPF_K) as u8, 0, 0, value)
    }

    /// The instruction as the kernel reads it.
    pub fn bytes(&self) -> [u8; 8] {
        let [low, high] = self.0.off.to_ne_bytes();
        let [a, b, c, d] = self.0.imm.to_ne_bytes();
        let registers = self.0.src_reg() << 4 | self.0.dst_reg();
        [self.0.code, registers, low, high, a, b, c, d]
    }

    /// Makes an instruction of a compiler. `registers`: the source in the upper half.
    pub const fn new(code: u8, registers: u8, offset: i16, immediate: i32) -> Self {
        Self(bpf_insn {
            code,
            _bitfield_align_1: [],
            _bitfield_1: __BindgenBitfieldUnit::new([registers]),
            off: offset,
            imm: immediate,
        })
    }

    /// `call` to the instruction `offset` after the next.
    #[cfg(test)]
    pub const fn call_function(offset: i32) -> Self {
        Self::new(CALL, (BPF_PSEUDO_CALL << 4) as u8, 0, offset)
    }

    /// Its opcode.
    pub const fn code(&self) -> u8 {
        self.0.code
    }

    /// The number of the source register. In some instructions it gives the meaning of
    /// the immediate value (`BPF_PSEUDO_*`).
    pub fn source(&self) -> u32 {
        self.0.src_reg().into()
    }

    /// Its immediate value.
    pub const fn immediate(&self) -> i32 {
        self.0.imm
    }

    /// Sets what the immediate value means, and the value.
    pub fn set(&mut self, source: u32, immediate: i32) {
        self.0.set_src_reg(source as u8);
        self.0.imm = immediate;
    }

    /// The offset, counted from the next instruction, of the function that this
    /// instruction calls or takes the address of.
    pub fn function_offset(&self) -> Option<i32> {
        let refers = match self.code() {
            CALL => self.source() == BPF_PSEUDO_CALL,
            LOAD_64 => self.source() == BPF_PSEUDO_FUNC,
            _ => false,
        };
        refers.then_some(self.immediate())
    }

    /// `exit`
    pub const fn exit() -> Self {
        Self::new((BPF_JMP | BPF_EXIT) as u8, 0, 0, 0)
    }
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

impl ProgInfo {
    /// The runs after `earlier`, an info of the same program.
    pub fn since(&self, earlier: &Self) -> Count {
        Count {
            run_cnt: self.run_cnt - earlier.run_cnt,
            run_time_ns: self.run_time_ns - earlier.run_time_ns,
        }
    }
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

/// Bytes of an Ethernet header.
const ETHERNET_BYTES: usize = 14;

/// What a program is run on.
#[derive(Debug, Clone, Copy)]
pub enum TestInput<'a> {
    /// A packet, at least an Ethernet header of 14 bytes.
    Packet(&'a [u8]),
    /// A packet as a socket filter sees it on a packet socket: with its Ethernet header.
    Frame(&'a [u8]),
    /// The context.
    Context(&'a [u8]),
}

/// An open BPF program. While it exists, the kernel keeps the program.
#[derive(Debug)]
pub struct Prog(pub(crate) OwnedFd);

/// An attribute without any values.
pub(crate) fn no_attr() -> bpf_attr {
    // SAFETY: plain data, for which all zero is valid.
    unsafe { zeroed() }
}

fn no_prog_info() -> bpf_prog_info {
    // SAFETY: plain data, for which all zero is valid.
    unsafe { zeroed() }
}

/// Runs `command`; the attribute is read, and for some commands written, by the kernel.
///
/// # Safety
/// The attribute must be made by [`no_attr`], with values for `command` only, and every
/// address in it valid for what the kernel does with it.
pub(crate) unsafe fn bpf(command: bpf_cmd, attr: &mut bpf_attr) -> io::Result<i64> {
    // SAFETY: `attr` is valid for reads and writes of this size; the caller answers for
    // what it points to.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command as u32,
            std::ptr::from_mut(attr),
            ATTR_BYTES,
        )
    };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Returns a new descriptor; else the same as [`bpf`].
///
/// # Safety
/// The requirements of [`bpf`], and `command` must return a file descriptor.
pub(crate) unsafe fn bpf_fd(command: bpf_cmd, attr: &mut bpf_attr) -> io::Result<OwnedFd> {
    // SAFETY: passed on to the caller.
    let fd = unsafe { bpf(command, attr) }?;
    // SAFETY: the kernel has just returned this descriptor; it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Fills the first `bytes` of `info` with what the kernel knows about `fd`, and returns
/// how many of them the kernel knew.
///
/// # Safety
/// `T` must be the kernel's info struct for the kind of `fd`, and every address
/// in it valid for writes of the size given next to it.
unsafe fn object_info<T>(fd: &OwnedFd, info: &mut T, bytes: usize) -> io::Result<usize> {
    let mut attr = no_attr();
    attr.info.bpf_fd = fd.as_raw_fd() as u32;
    attr.info.info_len = bytes.min(size_of::<T>()) as u32;
    attr.info.info = std::ptr::from_mut(info) as u64;
    // SAFETY: `info` outlives the call and has the length given; the caller
    // answers for the addresses inside.
    unsafe { bpf(bpf_cmd::BPF_OBJ_GET_INFO_BY_FD, &mut attr) }?;
    // SAFETY: the member that was set.
    Ok(unsafe { attr.info.info_len } as usize)
}

/// Sets the value of a key in the map with this descriptor. Their sizes must be the map's.
pub fn update(map: RawFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    let mut attr = no_attr();
    attr.__bindgen_anon_2.map_fd = map as u32;
    // The kernel refuses an address of no bytes.
    attr.__bindgen_anon_2.key = if key.is_empty() {
        0
    } else {
        key.as_ptr() as u64
    };
    attr.__bindgen_anon_2.__bindgen_anon_1.value = value.as_ptr() as u64;
    // SAFETY: key and value have the sizes of the map's, and outlive the call.
    unsafe { bpf(bpf_cmd::BPF_MAP_UPDATE_ELEM, &mut attr) }.map(drop)
}

/// Deletes a key of the map with this descriptor. Its size must be the map's.
pub fn delete(map: RawFd, key: &[u8]) -> io::Result<()> {
    let mut attr = no_attr();
    attr.__bindgen_anon_2.map_fd = map as u32;
    attr.__bindgen_anon_2.key = key.as_ptr() as u64;
    // SAFETY: the key has the size of the map's, and outlives the call.
    unsafe { bpf(bpf_cmd::BPF_MAP_DELETE_ELEM, &mut attr) }.map(drop)
}

/// Turns on the run-time statistics of all programs until the result is dropped.
/// Kernel 5.8 on.
pub fn enable_stats() -> io::Result<OwnedFd> {
    let mut attr = no_attr();
    attr.enable_stats.type_ = bpf_stats_type::BPF_STATS_RUN_TIME as u32;
    // SAFETY: the attribute holds no addresses; the command returns a descriptor.
    unsafe { bpf_fd(bpf_cmd::BPF_ENABLE_STATS, &mut attr) }
}

/// Test-runs the tracing program with this descriptor, for which the kernel calls its functions
/// `bpf_fentry_test1` to 8. They are what such a program may be attached to.
pub fn test_run_traced(prog: RawFd) -> io::Result<()> {
    let mut attr = no_attr();
    attr.test.prog_fd = prog as u32;
    // SAFETY: the attribute holds no addresses.
    unsafe { bpf(bpf_cmd::BPF_PROG_TEST_RUN, &mut attr) }.map(drop)
}

/// The lowest program id above `id`; `None` after the last.
pub fn next_prog_id(id: u32) -> io::Result<Option<u32>> {
    let mut attr = no_attr();
    attr.__bindgen_anon_6.__bindgen_anon_1.start_id = id;
    // SAFETY: the attribute holds no addresses.
    match unsafe { bpf(bpf_cmd::BPF_PROG_GET_NEXT_ID, &mut attr) } {
        // SAFETY: the kernel has set it.
        Ok(_) => Ok(Some(unsafe { attr.__bindgen_anon_6.next_id })),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The BTF blob with this id.
pub fn btf_blob(id: u32) -> io::Result<Vec<u8>> {
    let mut attr = no_attr();
    attr.__bindgen_anon_6.__bindgen_anon_1.btf_id = id;
    // SAFETY: the attribute holds no addresses; the command returns a descriptor.
    let fd = unsafe { bpf_fd(bpf_cmd::BPF_BTF_GET_FD_BY_ID, &mut attr) }?;
    // SAFETY: plain data, for which all zero is valid.
    let mut info: bpf_btf_info = unsafe { zeroed() };
    // SAFETY: the right struct for a BTF descriptor; the address in it is null
    // and its size 0, which asks for the size only.
    unsafe { object_info(&fd, &mut info, BTF_INFO_BYTES) }?;
    let mut blob = vec![0; info.btf_size as usize];
    info.btf = blob.as_mut_ptr() as u64;
    // SAFETY: `btf` points to `btf_size` writable bytes that outlive the call.
    unsafe { object_info(&fd, &mut info, BTF_INFO_BYTES) }?;
    Ok(blob)
}

impl Prog {
    /// Opens the program with this id; `None` when it is gone.
    pub fn open(id: u32) -> io::Result<Option<Self>> {
        let mut attr = no_attr();
        attr.__bindgen_anon_6.__bindgen_anon_1.prog_id = id;
        // SAFETY: the attribute holds no addresses; the command returns a descriptor.
        match unsafe { bpf_fd(bpf_cmd::BPF_PROG_GET_FD_BY_ID, &mut attr) } {
            Ok(fd) => Ok(Some(Self(fd))),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Another descriptor of the same program.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// The number of its file descriptor, for `/proc/self/fdinfo`.
    pub fn fd_number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Runs the program `repeat` times on `packet` (at least 14 bytes, the
    /// length of an Ethernet header). Fails with EINTR when a signal arrives;
    /// the program has then run an unknown number of times.
    pub fn test_run(&self, packet: &[u8], repeat: u32) -> io::Result<()> {
        let mut attr = no_attr();
        attr.test.prog_fd = self.0.as_raw_fd() as u32;
        attr.test.data_size_in = packet.len() as u32;
        attr.test.data_in = packet.as_ptr() as u64;
        attr.test.repeat = repeat;
        // SAFETY: `data_in` points to `data_size_in` bytes that outlive the
        // call; no output is asked for.
        unsafe { bpf(bpf_cmd::BPF_PROG_TEST_RUN, &mut attr) }.map(drop)
    }

    /// Runs the program once. Returns its return value and the packet that it left; `None`
    /// if there is none, or it is larger than 16 KiB. Fails as [`Self::test_run`] does.
    pub fn run_on(&self, input: TestInput) -> io::Result<(u32, Option<Vec<u8>>)> {
        let (mut left, mut own) = (Vec::new(), Vec::<u8>::new());
        let mut attr = no_attr();
        attr.test.prog_fd = self.0.as_raw_fd() as u32;
        match input {
            TestInput::Packet(packet) | TestInput::Frame(packet) => {
                // The kernel hides the first header from socket filters, so a copy of it comes first.
                let header = match input {
                    TestInput::Frame(_) => packet.len().min(ETHERNET_BYTES),
                    _ => 0,
                };
                own.extend(&packet[..header]);
                own.extend(packet);
                // `resize` would set one byte after another, which is most of the time of a run.
                left = vec![0; 16 << 10];
                attr.test.data_size_in = own.len() as u32;
                attr.test.data_in = own.as_ptr() as u64;
                attr.test.data_size_out = left.len() as u32;
                attr.test.data_out = left.as_mut_ptr() as u64;
                attr.test.repeat = 1;
            }
            // The kernel refuses any other field for most types that take a context.
            TestInput::Context(context) => {
                own.extend(context);
                attr.test.ctx_size_in = own.len() as u32;
                attr.test.ctx_in = own.as_mut_ptr() as u64;
            }
        }
        // SAFETY: each address points to as many bytes as the size next to it, and they outlive
        // the call. The kernel writes to `data_out`, and to `ctx_in` after a syscall program.
        let result = unsafe { bpf(bpf_cmd::BPF_PROG_TEST_RUN, &mut attr) };
        // SAFETY: the member that was set.
        let (returned, bytes) = unsafe { (attr.test.retval, attr.test.data_size_out) };
        match result {
            Ok(_) if matches!(input, TestInput::Context(_)) => Ok((returned, None)),
            Ok(_) => {
                left.truncate(bytes as usize);
                Ok((returned, Some(left)))
            }
            Err(error) if error.raw_os_error() == Some(libc::ENOSPC) => Ok((returned, None)),
            Err(error) => Err(error),
        }
    }

    /// Its info without any records, and how many bytes of that the kernel filled.
    fn prog_info(&self) -> io::Result<(bpf_prog_info, usize)> {
        let mut raw = no_prog_info();
        // SAFETY: the right struct for a program descriptor; every address in
        // it is null and every count 0.
        let known = unsafe { object_info(&self.0, &mut raw, PROG_INFO_BYTES) }?;
        Ok((raw, known))
    }

    /// Reads the kernel's current info.
    pub fn info(&self) -> io::Result<ProgInfo> {
        let (raw, known) = self.prog_info()?;
        Ok(decode(&raw, known))
    }

    /// Its functions and lines; empty when it has none.
    pub fn debug_records(&self) -> io::Result<(Vec<bpf_func_info>, Vec<LineInfo>)> {
        let (raw, _) = self.prog_info()?;
        let buffer = |count: u32, bytes: u32| vec![0u8; count as usize * bytes as usize];
        let mut functions = buffer(raw.nr_func_info, raw.func_info_rec_size);
        let mut lines = buffer(raw.nr_line_info, raw.line_info_rec_size);
        let mut ask = no_prog_info();
        ask.nr_func_info = raw.nr_func_info;
        ask.func_info_rec_size = raw.func_info_rec_size;
        ask.func_info = functions.as_mut_ptr() as u64;
        ask.nr_line_info = raw.nr_line_info;
        ask.line_info_rec_size = raw.line_info_rec_size;
        ask.line_info = lines.as_mut_ptr() as u64;
        // SAFETY: both addresses point to count x record size writable bytes
        // that outlive the call; all other addresses are null with count 0.
        unsafe { object_info(&self.0, &mut ask, PROG_INFO_BYTES) }?;
        Ok((
            btf::parse_func_info(&functions, raw.func_info_rec_size),
            btf::parse_line_info(&lines, raw.line_info_rec_size),
        ))
    }

    /// Its machine code; empty if the program is interpreted, and without addresses if
    /// the kernel hides them.
    pub fn jit_image(&self) -> io::Result<JitImage> {
        let (raw, _) = self.prog_info()?;
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
        let mut ask = no_prog_info();
        ask.jited_prog_len = raw.jited_prog_len;
        ask.jited_prog_insns = image.code.as_mut_ptr() as u64;
        ask.nr_jited_ksyms = raw.nr_jited_ksyms;
        ask.jited_ksyms = image.functions.as_mut_ptr() as u64;
        ask.nr_jited_func_lens = raw.nr_jited_func_lens;
        ask.jited_func_lens = image.function_bytes.as_mut_ptr() as u64;
        ask.nr_jited_line_info = lines;
        ask.jited_line_info_rec_size = raw.jited_line_info_rec_size;
        ask.jited_line_info = image.lines.as_mut_ptr() as u64;
        // SAFETY: each address points to as many writable elements, of the size the
        // kernel writes, as the count next to it says, and they outlive the call; all
        // other addresses are null with count 0.
        unsafe { object_info(&self.0, &mut ask, PROG_INFO_BYTES) }?;
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
fn decode(raw: &bpf_prog_info, known: usize) -> ProgInfo {
    let has = |offset: usize, bytes: usize| known >= offset + bytes;
    ProgInfo {
        id: raw.id,
        prog_type: raw.type_,
        name: sys::text(&raw.name),
        tag: raw.tag.iter().map(|byte| format!("{byte:02x}")).collect(),
        xlated_bytes: raw.xlated_prog_len,
        jited_bytes: raw.jited_prog_len,
        btf_id: raw.btf_id,
        run_time_ns: raw.run_time_ns,
        run_cnt: raw.run_cnt,
        recursion_misses: has(offset_of!(bpf_prog_info, recursion_misses), 8)
            .then_some(raw.recursion_misses),
        verified_insns: has(offset_of!(bpf_prog_info, verified_insns), 4)
            .then_some(raw.verified_insns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aya_obj::generated::{btf_header, perf_event_attr, perf_event_mmap_page};

    /// aya-obj is updated by its version alone. A longer header of BTF would refuse all BTF.
    #[test]
    fn structures_of_aya_obj_have_the_known_sizes() {
        assert_eq!(
            [ATTR_BYTES, PROG_INFO_BYTES, BTF_INFO_BYTES],
            [148, 224, 16]
        );
        assert_eq!(size_of::<perf_event_attr>(), 136);
        assert_eq!(offset_of!(perf_event_mmap_page, data_head), 1024);
        assert_eq!(size_of::<btf_header>(), 24);
    }

    #[test]
    fn types_have_the_kernels_names() {
        assert_eq!(prog_type_name(6), "xdp");
        assert_eq!(prog_type_name(17), "raw_tracepoint");
        assert_eq!(prog_type_name(29), "lsm");
        assert_eq!(prog_type_name(32), "netfilter");
        assert_eq!(prog_type_name(77), "type_77");
    }

    #[test]
    fn older_kernels_return_fewer_fields() {
        let mut raw = no_prog_info();
        raw.name[..7].copy_from_slice(&b"fun_xdp".map(|byte| byte as std::ffi::c_char));
        raw.tag = [0xab; 8];
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
