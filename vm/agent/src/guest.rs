//! The guest itself: what it is, and what it lacks for BPF work.

use std::ffi::CStr;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::record::Guest;
use crate::sys;

/// Where runners mount the run folder in their guests.
pub const RUN_FOLDER: &str = "/mnt/vmtest";

/// Where the kernel says which clock source it uses.
pub const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// What is mounted for BPF: mount point and kind.
const BPF_MOUNTS: [(&str, &CStr, Need); 2] = [
    ("/sys/kernel/tracing", c"tracefs", Need::Always),
    ("/sys/fs/bpf", c"bpf", Need::Always),
];

/// What the guest's first process mounts besides, where nobody has before it.
const BASE_MOUNTS: [(&str, &CStr, Need); 7] = [
    ("/proc", c"proc", Need::Always),
    ("/sys", c"sysfs", Need::Always),
    ("/run", c"tmpfs", Need::Always),
    ("/dev/shm", c"tmpfs", Need::Always),
    ("/dev/pts", c"devpts", Need::IfThere),
    ("/sys/fs/cgroup", c"cgroup2", Need::Always),
    ("/sys/kernel/debug", c"debugfs", Need::IfThere),
];

/// Whether the lack of a mount is worth a warning.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    Always,
    IfThere,
}

/// Gives the guest what BPF projects expect of a machine and whoever booted it
/// has not set up. Returns a warning for each step that failed.
pub fn prepare() -> Vec<String> {
    let is_first = std::process::id() == 1;
    let mut warnings = Vec::new();
    if is_first {
        warnings.extend(mount_all(&BASE_MOUNTS));
    }
    {
        let _quick = is_first.then(WithoutModprobe::begin).flatten();
        warnings.extend(mount_all(&BPF_MOUNTS));
    }
    let steps: [(&str, Result<()>); 4] = [
        (
            "cannot link /dev/fd, shells cannot substitute processes",
            link_once("/proc/self/fd", "/dev/fd").map_err(Into::into),
        ),
        (
            "cannot bring up the loopback interface",
            sys::loopback_up().map_err(Into::into),
        ),
        (
            "cannot lift the limit on locked memory, loads may fail before kernel 5.11",
            sys::lift_memlock_limit().map_err(Into::into),
        ),
        ("the clock may change its pace", wait_for_clock()),
    ];
    let failed = steps
        .into_iter()
        .filter_map(|(message, result)| Some(format!("{message}: {:#}", result.err()?)));
    warnings.extend(failed);
    warnings
}

/// Takes from programs that the kernel itself starts, by a core pattern say, what is
/// taken from commands: they begin with all rights and are no command's children.
pub fn restrict_helpers() -> Result<()> {
    for set in ["bset", "inheritable"] {
        let path = format!("/proc/sys/kernel/usermodehelper/{set}");
        let words =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let kept = sys::without_denied(&words).with_context(|| format!("cannot read {path}"))?;
        std::fs::write(&path, kept).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

fn link_once(target: &str, link: &str) -> io::Result<()> {
    match symlink(target, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
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

/// A warning for each that failed.
fn mount_all<'a>(mounts: &'a [(&str, &CStr, Need)]) -> impl Iterator<Item = String> + 'a {
    mounts.iter().filter_map(|(point, kind, need)| {
        let error = mount_once(point, kind).err()?;
        (*need == Need::Always)
            .then(|| format!("cannot mount {}: {error:#}", kind.to_string_lossy()))
    })
}

const MODPROBE: &str = "/proc/sys/kernel/modprobe";

/// While it lives, the kernel starts no modprobe. The first bpffs of a kernel since 5.10 asks for the module
/// `bpf_preload`, whose two iterators nobody needs here: starting modprobe from the host's files takes half of the time
/// in which the guest is prepared.
struct WithoutModprobe {
    path: String,
}

impl WithoutModprobe {
    /// None where the kernel has no modules.
    fn begin() -> Option<Self> {
        let path = std::fs::read_to_string(MODPROBE).ok()?;
        std::fs::write(MODPROBE, "\n").ok()?;
        Some(Self { path })
    }
}

impl Drop for WithoutModprobe {
    fn drop(&mut self) {
        // What was there can be put back.
        let _ = std::fs::write(MODPROBE, &self.path);
    }
}

fn mount_once(point: &str, kind: &CStr) -> Result<()> {
    // Without /proc nothing can be looked up, and nothing is mounted yet.
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    if is_mounted(&mounts, point, &kind.to_string_lossy()) {
        return Ok(());
    }
    if !Path::new(point).exists() {
        std::fs::create_dir(point).with_context(|| format!("cannot make {point}"))?;
    }
    // In tmpfs, programs may be run.
    let noexec = if kind == c"tmpfs" { 0 } else { libc::MS_NOEXEC };
    let nodev = if kind == c"devpts" { 0 } else { libc::MS_NODEV };
    let flags = libc::MS_NOSUID | nodev | noexec;
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
