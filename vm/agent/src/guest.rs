//! The guest itself: what it is, and what it lacks for BPF work.

use std::ffi::CStr;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::record::Guest;
use crate::sys;

const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// Gives the guest what BPF projects expect of a machine and vmtest does not
/// set up. Returns a warning for each step that failed.
pub fn prepare() -> Vec<String> {
    let steps: [(&str, Result<()>); 5] = [
        (
            "cannot bring up the loopback interface",
            sys::loopback_up().map_err(Into::into),
        ),
        (
            "cannot lift the limit on locked memory, loads may fail before kernel 5.11",
            sys::lift_memlock_limit().map_err(Into::into),
        ),
        ("cannot mount bpffs", mount_once("/sys/fs/bpf", c"bpf")),
        (
            "cannot mount tracefs, tracepoints and kprobes may not attach",
            mount_once("/sys/kernel/tracing", c"tracefs"),
        ),
        ("the clock may change its pace", wait_for_clock()),
    ];
    steps
        .into_iter()
        .filter_map(|(message, result)| Some(format!("{message}: {:#}", result.err()?)))
        .collect()
}

/// Some seconds into the boot the kernel calibrates the TSC again and goes over
/// from `tsc-early` to `tsc`. Its nanoseconds may be others after that.
fn wait_for_clock() -> Result<()> {
    const STEP: Duration = Duration::from_millis(50);
    const STEPS: u32 = 200;
    for _ in 0..STEPS {
        let clock = std::fs::read_to_string(CLOCKSOURCE).unwrap_or_default();
        if clock.trim() != "tsc-early" {
            return Ok(());
        }
        thread::sleep(STEP);
    }
    bail!("the clock source is still tsc-early")
}

fn mount_once(point: &str, kind: &CStr) -> Result<()> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").context("cannot read the mounts")?;
    if is_mounted(&mounts, point, &kind.to_string_lossy()) {
        return Ok(());
    }
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount(Path::new("none"), Path::new(point), kind, flags)
        .with_context(|| format!("{point} (does the kernel support it?)"))
}

/// `SOURCE POINT KIND ...`
fn is_mounted(mounts: &str, point: &str, kind: &str) -> bool {
    mounts.lines().any(|line| {
        let mut fields = line.split(' ').skip(1);
        fields.next() == Some(point) && fields.next() == Some(kind)
    })
}

/// What the guest is, as far as it says.
pub fn describe() -> Result<Guest> {
    let (release, version) =
        sys::kernel_release_and_version().context("cannot read the kernel release")?;
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let trimmed = |path: &str| Some(read(path).trim().to_owned()).filter(|text| !text.is_empty());
    Ok(Guest {
        agent: env!("CARGO_PKG_VERSION"),
        release,
        version,
        cmdline: trimmed("/proc/cmdline").unwrap_or_default(),
        clocksource: trimmed(CLOCKSOURCE),
        cpu_model: field(&read("/proc/cpuinfo"), "model name").map(str::to_owned),
        btf: Path::new("/sys/kernel/btf/vmlinux").exists(),
        memory_kib: field(&read("/proc/meminfo"), "MemTotal")
            .and_then(|text| text.strip_suffix(" kB")?.parse().ok()),
    })
}

/// The first `NAME : VALUE` with this name.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_files() {
        let text = "processor\t: 0\nmodel name\t: QEMU: TCG CPU\nMemTotal:       1000 kB\n";
        assert_eq!(field(text, "model name"), Some("QEMU: TCG CPU"));
        assert_eq!(field(text, "MemTotal"), Some("1000 kB"));
        assert_eq!(field(text, "flags"), None);
    }

    #[test]
    fn a_mount_is_known_by_point_and_kind() {
        let mounts = "none /sys/fs/bpf bpf rw 0 0\nnone /sys sysfs rw 0 0\n";
        assert!(is_mounted(mounts, "/sys/fs/bpf", "bpf"));
        assert!(!is_mounted(mounts, "/sys", "bpf"));
        assert!(!is_mounted(mounts, "/sys/kernel/tracing", "tracefs"));
    }
}
