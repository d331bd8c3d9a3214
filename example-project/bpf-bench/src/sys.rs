//! Sys: a safe wrapper of the `bpf(2)` system call, for what this library needs of it.
//!
//! The attributes are written out here: the kernel accepts a shorter `union bpf_attr` (the rest
//! counts as zero) and, if its tail is zero, a longer one. So these fit kernels from 5.8 on.

use std::{
    ffi::CStr,
    io,
    mem::{offset_of, size_of},
    os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd},
};

use crate::{Counters, ProgramType, instruction::Instruction};

const PROG_LOAD: u32 = 5;
const PROG_TEST_RUN: u32 = 10;
const OBJ_GET_INFO_BY_FD: u32 = 15;
const ENABLE_STATS: u32 = 32;

const STATS_RUN_TIME: u32 = 0;
const F_SLEEPABLE: u32 = 1 << 4;

/// The kernel's "not supported", which has no name in user space.
pub const ENOTSUPP: i32 = 524;

#[repr(C)]
struct LoadAttr {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
    prog_name: [u8; 16],
}

#[repr(C)]
#[derive(Default)]
struct TestRunAttr {
    prog_fd: u32,
    retval: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
    ctx_size_in: u32,
    ctx_size_out: u32,
    ctx_in: u64,
    ctx_out: u64,
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

/// `struct bpf_prog_info` up to what this library reads. The kernel fills as many fields as it
/// knows, and returns how many bytes that was.
#[repr(C)]
#[derive(Default)]
struct RawProgInfo {
    prog_type: u32,
    id: u32,
    // Lengths, addresses and counts of unused parts.
    unread: [u64; 23],
    run_time_ns: u64,
    run_cnt: u64,
    recursion_misses: u64,
}

/// The kernel's info about a program.
pub struct ProgramInfo {
    pub program_type: ProgramType,
    /// Unique within a boot.
    pub id: u32,
    pub counters: Counters,
}

/// The result of a test run.
pub struct TestRunResult {
    pub return_value: u32,
    /// The packet's length after the run, which may exceed the output buffer.
    pub data_len: usize,
}

/// Runs `command`; the attribute is read, and for some commands written, by the kernel.
///
/// # Safety
/// `T` must be the kernel's layout for `command`, without padding, and every address in it valid
/// for what the kernel does with it.
unsafe fn bpf<T>(command: u32, attr: &mut T) -> io::Result<libc::c_long> {
    // SAFETY: `attr` is valid for reads and writes of its own size; the caller answers for what
    // it points to.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_mut(attr),
            size_of::<T>(),
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

/// Returns a new descriptor; else the same as [`bpf`].
///
/// # Safety
/// The requirements of [`bpf`], and `command` must return a file descriptor.
unsafe fn bpf_fd<T>(command: u32, attr: &mut T) -> io::Result<OwnedFd> {
    // SAFETY: passed on to the caller.
    let fd = unsafe { bpf(command, attr) }?;
    // SAFETY: the kernel has just returned this descriptor; it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Turns statistics on until the result is closed.
pub fn enable_stats() -> io::Result<OwnedFd> {
    let mut attr = StatsAttr {
        kind: STATS_RUN_TIME,
    };
    // SAFETY: the attribute holds no addresses; the command returns a descriptor.
    unsafe { bpf_fd(ENABLE_STATS, &mut attr) }
}

/// Loads a program with license GPL. The verifier writes to `log` unless that is empty.
pub fn load(
    program_type: ProgramType,
    name: [u8; 16],
    instructions: &[Instruction],
    log: &mut [u8],
) -> io::Result<OwnedFd> {
    const LICENSE: &CStr = c"GPL";
    let mut attr = LoadAttr {
        prog_type: program_type.0,
        insn_cnt: instructions.len() as u32,
        insns: instructions.as_ptr() as u64,
        license: LICENSE.as_ptr() as u64,
        log_level: u32::from(!log.is_empty()),
        log_size: log.len() as u32,
        log_buf: if log.is_empty() {
            0
        } else {
            log.as_mut_ptr() as u64
        },
        kern_version: 0,
        // Programs of this type are always sleepable.
        prog_flags: if program_type == ProgramType::SYSCALL {
            F_SLEEPABLE
        } else {
            0
        },
        prog_name: name,
    };
    // SAFETY: instructions, license and log are live data of the stated lengths; the command
    // returns a descriptor.
    unsafe { bpf_fd(PROG_LOAD, &mut attr) }
}

/// Reads the kernel's info about a program. The descriptor must be one of a program.
pub fn program_info(program: BorrowedFd<'_>) -> io::Result<ProgramInfo> {
    let mut raw = RawProgInfo::default();
    let mut attr = InfoAttr {
        bpf_fd: program.as_raw_fd() as u32,
        info_len: size_of::<RawProgInfo>() as u32,
        info: std::ptr::from_mut(&mut raw) as u64,
    };
    // SAFETY: `raw` outlives the call and has the length given; every address in it is null and
    // every count 0.
    unsafe { bpf(OBJ_GET_INFO_BY_FD, &mut attr) }?;
    Ok(decode(&raw, attr.info_len as usize))
}

/// `known`: how many bytes of `raw` the kernel filled.
fn decode(raw: &RawProgInfo, known: usize) -> ProgramInfo {
    let has_misses = known >= offset_of!(RawProgInfo, recursion_misses) + size_of::<u64>();
    ProgramInfo {
        program_type: ProgramType(raw.prog_type),
        id: raw.id,
        counters: Counters {
            run_time_ns: raw.run_time_ns,
            run_count: raw.run_cnt,
            recursion_misses: has_misses.then_some(raw.recursion_misses),
        },
    }
}

/// Runs a program on copies of `data` and `context`, `repeat` times on the same copy.
///
/// 0 for `repeat` means once; types without a packet accept only 0. The changed packet is written
/// to `data_out`, as far as there is room. A `syscall` program writes to `context` itself.
pub fn test_run(
    program: BorrowedFd<'_>,
    data: &[u8],
    context: &mut [u8],
    data_out: &mut [u8],
    repeat: u32,
) -> io::Result<TestRunResult> {
    fn address(bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            0
        } else {
            bytes.as_ptr() as u64
        }
    }
    let mut attr = TestRunAttr {
        prog_fd: program.as_raw_fd() as u32,
        data_size_in: data.len() as u32,
        data_size_out: data_out.len() as u32,
        data_in: address(data),
        data_out: if data_out.is_empty() {
            0
        } else {
            data_out.as_mut_ptr() as u64
        },
        repeat,
        ctx_size_in: context.len() as u32,
        ctx_in: if context.is_empty() {
            0
        } else {
            context.as_mut_ptr() as u64
        },
        ..TestRunAttr::default()
    };
    // SAFETY: every address is null, or of live data of the length next to it, writable where the
    // kernel writes.
    unsafe { bpf(PROG_TEST_RUN, &mut attr) }?;
    Ok(TestRunResult {
        return_value: attr.retval,
        data_len: attr.data_size_out as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets from `include/uapi/linux/bpf.h`.
    #[test]
    fn structs_have_the_kernels_layout() {
        assert_eq!(offset_of!(RawProgInfo, run_time_ns), 192);
        assert_eq!(offset_of!(RawProgInfo, recursion_misses), 208);
        assert_eq!(size_of::<RawProgInfo>(), 216);
        assert_eq!(size_of::<LoadAttr>(), 64);
        assert_eq!(offset_of!(TestRunAttr, repeat), 32);
        assert_eq!(offset_of!(TestRunAttr, ctx_in), 48);
        assert_eq!(size_of::<TestRunAttr>(), 64);
        assert_eq!(size_of::<Instruction>(), 8);
    }

    #[test]
    fn missed_runs_are_unknown_before_5_12() {
        let raw = RawProgInfo {
            run_cnt: 7,
            ..RawProgInfo::default()
        };
        let of_5_8 = decode(&raw, 208).counters;
        assert_eq!((of_5_8.run_count, of_5_8.recursion_misses), (7, None));
        assert_eq!(decode(&raw, 216).counters.recursion_misses, Some(0));
    }
}
