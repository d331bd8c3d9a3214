//! Direct calls of bpf(2), for the two commands that aya does not make in this form.
//! <https://docs.kernel.org/userspace-api/ebpf/syscall.html>

use std::{
    ffi::{CStr, CString},
    io,
    os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd},
};

use aya_obj::generated::{bpf_attach_type, bpf_cmd, bpf_insn, bpf_prog_type};

/// Bytes of a program's name, with the zero at its end.
const NAME_LEN: usize = 16;
/// Bytes of the buffer for the verifier's log.
const LOG_LEN: usize = 64 * 1024;

/// The fields of `union bpf_attr` for `BPF_PROG_LOAD`, up to the last one used.
#[repr(C)]
#[derive(Default)]
struct ProgLoad {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
    prog_name: [u8; NAME_LEN],
    prog_ifindex: u32,
    expected_attach_type: u32,
}

/// The same for `BPF_LINK_CREATE` with `BPF_TRACE_KPROBE_MULTI`.
#[repr(C)]
#[derive(Default)]
struct LinkCreate {
    prog_fd: u32,
    target_fd: u32,
    attach_type: u32,
    flags: u32,
    kprobe_multi_flags: u32,
    kprobe_multi_cnt: u32,
    kprobe_multi_syms: u64,
    kprobe_multi_addrs: u64,
    kprobe_multi_cookies: u64,
}

/// Loads a kprobe program for kprobe.multi links. An error carries the end of the verifier's log.
pub fn load_kprobe_multi(
    name: &str,
    instructions: &[bpf_insn],
    license: &CStr,
) -> io::Result<OwnedFd> {
    let mut prog_name = [0; NAME_LEN];
    // The zero at the end stays.
    for (to, from) in prog_name[..NAME_LEN - 1].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    let mut attributes = ProgLoad {
        prog_type: bpf_prog_type::BPF_PROG_TYPE_KPROBE as u32,
        insn_cnt: u32::try_from(instructions.len()).map_err(io::Error::other)?,
        insns: address(instructions.as_ptr()),
        license: address(license.as_ptr()),
        prog_name,
        expected_attach_type: bpf_attach_type::BPF_TRACE_KPROBE_MULTI as u32,
        ..ProgLoad::default()
    };
    let error = match call(bpf_cmd::BPF_PROG_LOAD, &attributes) {
        Err(error) if error.raw_os_error() != Some(libc::EPERM) => error,
        result => return result,
    };
    // Loads it again for the log. A log too long for the buffer fails differently, and is cut off.
    let mut log = vec![0_u8; LOG_LEN];
    attributes.log_level = 1;
    attributes.log_size = LOG_LEN as u32;
    attributes.log_buf = address(log.as_mut_ptr());
    if let Ok(program) = call(bpf_cmd::BPF_PROG_LOAD, &attributes) {
        return Ok(program);
    }
    let log = CStr::from_bytes_until_nul(&log).map_or_else(|_| "".into(), CStr::to_string_lossy);
    let end: Vec<&str> = log.trim_end().rsplitn(4, '\n').take(3).collect();
    let end = end.into_iter().rev().collect::<Vec<_>>().join(" / ");
    Err(io::Error::new(
        error.kind(),
        format!("{error}; verifier log: {end}"),
    ))
}

/// Attaches a program to one kernel function, for as long as the link is open.
pub fn link_kprobe_multi(program: BorrowedFd<'_>, function: &str) -> io::Result<OwnedFd> {
    let function = CString::new(function).map_err(io::Error::other)?;
    let symbols = [function.as_ptr()];
    let attributes = LinkCreate {
        prog_fd: u32::try_from(program.as_raw_fd()).map_err(io::Error::other)?,
        attach_type: bpf_attach_type::BPF_TRACE_KPROBE_MULTI as u32,
        kprobe_multi_cnt: 1,
        kprobe_multi_syms: address(symbols.as_ptr()),
        ..LinkCreate::default()
    };
    call(bpf_cmd::BPF_LINK_CREATE, &attributes)
}

fn address<T>(pointer: *const T) -> u64 {
    pointer.addr() as u64
}

/// Makes a call that returns a file descriptor. Addresses in the attributes must be valid.
fn call<T>(command: bpf_cmd, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: the attributes are the beginning of the union for this command, of the size given,
    // and the kernel only reads them; it takes later fields as zero.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command as libc::c_uint,
            std::ptr::from_ref(attributes),
            size_of::<T>(),
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let fd = i32::try_from(result).map_err(io::Error::other)?;
    // SAFETY: the kernel has just returned this descriptor; it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
