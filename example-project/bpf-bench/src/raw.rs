//! Raw programs: tiny programs made from instructions, for controls and tests without a BPF
//! toolchain.

use std::{io, os::fd::OwnedFd};

pub use crate::instruction::Instruction;
use crate::{Error, ProgramType, error::is_not_permitted, sys};

/// Loads a program of license GPL. `name` is cut to the 15 bytes that the kernel keeps; characters
/// that the kernel does not allow become `_`.
///
/// ```no_run
/// # use bpf_bench::{ProgramType, raw::{Instruction, load}};
/// let pass = [Instruction::mov(0, 2), Instruction::exit()];
/// let program = load(ProgramType::XDP, "pass", &pass)?;
/// # Ok::<(), bpf_bench::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotPermitted`]; [`Error::Load`] with the verifier's log if the kernel refuses the program
/// or does not know its type.
pub fn load(
    program_type: ProgramType,
    name: &str,
    instructions: &[Instruction],
) -> Result<OwnedFd, Error> {
    let name = kernel_name(name);
    let source = match load_with_memory(|| sys::load(program_type, name, instructions, &mut [])) {
        Ok(program) => return Ok(program),
        Err(error) => error,
    };
    if is_not_permitted(&source) {
        return Err(Error::NotPermitted {
            action: format!("load a {program_type} program"),
            source,
        });
    }
    let mut log = vec![0; LOG_LEN];
    // Only for the log: writing one for a program that is not refused would slow the verifier down.
    let _ = sys::load(program_type, name, instructions, &mut log);
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    Err(Error::Load {
        program_type,
        log: String::from_utf8_lossy(&log[..end]).trim_end().to_owned(),
        source,
    })
}

/// Enough for programs written by hand.
const LOG_LEN: usize = 64 << 10;

/// Loads a program, and lifts the limit on locked memory during the load if that seems to be the
/// problem. Before 5.11 programs count as locked memory, of which even root may have little.
fn load_with_memory(load: impl Fn() -> io::Result<OwnedFd>) -> io::Result<OwnedFd> {
    match load() {
        Err(error) if is_not_permitted(&error) => {}
        result => return result,
    }
    let mut before = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    let none = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: both are valid for the call. If a call fails, the limit stays as it is, and loading
    // returns the resulting error.
    unsafe {
        libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut before);
        if libc::setrlimit(libc::RLIMIT_MEMLOCK, &none) != 0 {
            return load();
        }
    }
    let result = load();
    // SAFETY: as above.
    unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &before) };
    result
}

fn kernel_name(name: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    // The last byte stays zero: it ends the name.
    for (to, from) in bytes[..15].iter_mut().zip(name.bytes()) {
        let allowed = from.is_ascii_alphanumeric() || from == b'_' || from == b'.';
        *to = if allowed { from } else { b'_' };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_for_the_kernel() {
        assert_eq!(&kernel_name("fun_xdp"), b"fun_xdp\0\0\0\0\0\0\0\0\0");
        assert_eq!(&kernel_name("a b#2"), b"a_b_2\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(&kernel_name("0123456789abcdef"), b"0123456789abcde\0");
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn instructions_have_the_kernels_encoding() {
        let bytes = |instruction: Instruction| (instruction.code, instruction.registers);
        assert_eq!(bytes(Instruction::copy(1, 2)), (0xbf, 0x21));
        assert_eq!(bytes(Instruction::load_u32(2, 1, 0)), (0x61, 0x12));
        assert_eq!(bytes(Instruction::mov(0, 2)), (0xb7, 0x00));
    }
}
