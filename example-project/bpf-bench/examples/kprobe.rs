//! Measures a kprobe. It has no test run, so real events drive it: system calls of this process.
//! Prints the Go benchmark format. Run as root, on a kernel with kprobes.

use std::{
    error::Error,
    ffi::CStr,
    fs, io,
    os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd},
};

use bpf_bench::{
    Benchmark, Error as BenchError, Input, ProgramType, go,
    raw::{Instruction as I, load},
    running_release,
};

#[cfg(target_arch = "x86_64")]
const FUNCTION: &CStr = c"__x64_sys_getppid";
#[cfg(target_arch = "aarch64")]
const FUNCTION: &CStr = c"__arm64_sys_getppid";

const EVENTS: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let program = load(ProgramType::KPROBE, "probe", &[I::mov(0, 0), I::exit()])?;
    let mut benchmark = Benchmark::new();
    benchmark.register("getppid", &program)?;

    // The library refuses a test run, and its error says what to do instead.
    match benchmark.test_runs(&[Input::default()]) {
        Err(error @ BenchError::NoTestRun { .. }) => eprintln!("as expected: {error}"),
        other => return Err(format!("a kprobe cannot be test-run, and yet: {other:?}").into()),
    }

    let _attached = attach(&program)?;
    let results = benchmark.run(|| -> io::Result<()> {
        for _ in 0..EVENTS {
            // SAFETY: it only returns a number.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
        Ok(())
    })?;
    for result in &results {
        // Other processes may call it too. Fewer runs than calls would be an error of this example.
        if result.run_count() < u64::from(EVENTS) * result.rounds.len() as u64 {
            return Err(format!("only {} runs", result.run_count()).into());
        }
    }
    print!("{}", go::to_text(&results, &running_release()?));
    Ok(())
}

/// `struct perf_event_attr`, as far as probes need it.
#[repr(C)]
#[derive(Default)]
struct EventAttr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    kprobe_func: u64,
    probe_offset: u64,
}

/// Attaches the program. Closing the result removes the probe.
fn attach(program: &OwnedFd) -> Result<OwnedFd, Box<dyn Error>> {
    const SET_BPF: libc::Ioctl = 0x4004_2408;
    const ENABLE: libc::Ioctl = 0x2400;
    const CLOSE_ON_EXEC: u64 = 8;

    let kind = fs::read_to_string("/sys/bus/event_source/devices/kprobe/type")
        .map_err(|error| format!("no kprobes in this kernel: {error}"))?;
    let attr = EventAttr {
        kind: kind.trim().parse()?,
        size: size_of::<EventAttr>() as u32,
        kprobe_func: FUNCTION.as_ptr() as u64,
        ..EventAttr::default()
    };
    let (any_process, cpu, no_group) = (-1, 0, -1);
    // SAFETY: the attribute and the name in it outlive the call; the result is a new descriptor.
    let event = unsafe {
        let event = libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attr,
            any_process,
            cpu,
            no_group,
            CLOSE_ON_EXEC,
        );
        if event < 0 {
            return Err(io::Error::last_os_error().into());
        }
        OwnedFd::from_raw_fd(event as i32)
    };
    // SAFETY: both take numbers only.
    unsafe {
        if libc::ioctl(event.as_raw_fd(), SET_BPF, program.as_raw_fd()) != 0
            || libc::ioctl(event.as_raw_fd(), ENABLE, 0) != 0
        {
            return Err(io::Error::last_os_error().into());
        }
    }
    Ok(event)
}
