//! Targets: the functions that are called and probed.

use std::arch::naked_asm;

use crate::Target;

#[cfg(not(target_arch = "x86_64"))]
compile_error!("probe-overhead knows the names and the calling convention of x86-64 only");

/// The system call's function in the kernel, by the name that kprobes use.
pub const KERNEL_FUNCTION: &str = "__x64_sys_getpid";
/// BTF's name of the same function. A system call without arguments needs no wrapper, so the name
/// with the prefix is an alias.
pub const KERNEL_FUNCTION_IN_BTF: &str = "__do_sys_getpid";
/// The user function's symbol.
pub const USER_FUNCTION: &str = "probe_overhead_function";

/// The user function: makes a frame and returns.
///
/// It is naked, so that it begins like most functions with a frame, independently of the compiler.
/// That matters: the kernel emulates a probed `push`, but has to step over most other instructions
/// by a second exception.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn probe_overhead_function() {
    naked_asm!("push rbp", "mov rbp, rsp", "pop rbp", "ret")
}

/// Makes the system call. libc's `getpid` might remember the result.
pub fn getpid() {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::syscall(libc::SYS_getpid) };
}

fn function() {
    probe_overhead_function();
}

impl Target {
    /// The function that calls it once.
    pub fn call(self) -> fn() {
        match self {
            Self::Getpid => getpid,
            Self::Function => function,
        }
    }
}
