//! Guest: describes the guest, and sets up what is missing for BPF work.

use std::ffi::CStr;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::record::Guest;
use crate::sys;

/// The path at which runners mount the run folder in their guests.
pub const RUN_FOLDER: &str = "/mnt/vmtest";

/// The file that names the kernel's clock source.
const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// Mounts for BPF: mount point and kind.
const BPF_MOUNTS: [(&str, &CStr, Need); 2] = [
    ("/sys/kernel/tracing", c"tracefs", Need::Always),
    ("/sys/fs/bpf", c"bpf", Need::Always),
];

/// Mounts that the guest's first process adds, unless they exist already.
const BASE_MOUNTS: [(&str, &CStr, Need); 8] = [
    ("/proc", c"proc", Need::Always),
    ("/sys", c"sysfs", Need::Always),
    ("/run", c"tmpfs", Need::Always),
    ("/dev/shm", c"tmpfs", Need::Always),
    ("/dev/pts", c"devpts", Need::IfThere),
    ("/sys/fs/cgroup", c"cgroup2", Need::Always),
    ("/sys/kernel/debug", c"debugfs", Need::IfThere),
    ("/sys/kernel/security", c"securityfs", Need::IfThere),
];

/// Whether a missing mount is worth a warning.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    Always,
    IfThere,
}

/// Sets up what BPF projects expect of a machine and the boot has not provided. Returns a
/// warning for each step that failed.
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
            sys::interface_up("lo").map_err(Into::into),
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

fn link_once(target: &str, link: &str) -> io::Result<()> {
    match symlink(target, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}

/// Waits until the kernel has switched from `tsc-early` to `tsc`. It calibrates the TSC
/// again some seconds into the boot, and its nanoseconds may change with that.
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

/// Returns a warning for each mount that failed.
fn mount_all<'a>(mounts: &'a [(&str, &CStr, Need)]) -> impl Iterator<Item = String> + 'a {
    mounts.iter().filter_map(|(point, kind, need)| {
        let error = mount_once(point, kind).err()?;
        (*need == Need::Always)
            .then(|| format!("cannot mount {}: {error:#}", kind.to_string_lossy()))
    })
}

const MODPROBE: &str = "/proc/sys/kernel/modprobe";

/// Stops the kernel from starting modprobe until it is dropped. The first bpffs of a
/// kernel since 5.10 asks for the module `bpf_preload`, whose two iterators are not
/// needed here. Starting modprobe from the host's files takes half of the time in which
/// the guest is prepared.
struct WithoutModprobe {
    path: String,
}

impl WithoutModprobe {
    /// `None` if the kernel has no modules.
    fn begin() -> Option<Self> {
        let path = std::fs::read_to_string(MODPROBE).ok()?;
        std::fs::write(MODPROBE, "\n").ok()?;
        Some(Self { path })
    }
}

impl Drop for WithoutModprobe {
    fn drop(&mut self) {
        // Writing back the former value cannot fail.
        let _ = std::fs::write(MODPROBE, &self.path);
    }
}

fn mount_once(point: &str, kind: &CStr) -> Result<()> {
    // Without /proc the mounts are unknown, and nothing is mounted yet.
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    if is_mounted(&mounts, point, &kind.to_string_lossy()) {
        return Ok(());
    }
    if !Path::new(point).exists() {
        std::fs::create_dir(point).with_context(|| format!("cannot make {point}"))?;
    }
    // Programs in tmpfs may be executed.
    let noexec = if kind == c"tmpfs" { 0 } else { libc::MS_NOEXEC };
    let nodev = if kind == c"devpts" { 0 } else { libc::MS_NODEV };
    let flags = libc::MS_NOSUID | nodev | noexec;
    sys::mount(Path::new("none"), Path::new(point), kind, flags)
        .with_context(|| format!("{point} (does the kernel support it?)"))
}

/// Whether a line `SOURCE POINT KIND ...` names this mount.
fn is_mounted(mounts: &str, point: &str, kind: &str) -> bool {
    mounts.lines().any(|line| {
        let mut fields = line.split(' ').skip(1);
        fields.next() == Some(point) && fields.next() == Some(kind)
    })
}

/// Describes the guest from what its kernel reports.
pub fn describe() -> Result<Guest> {
    let (release, _) =
        sys::kernel_release_and_version().context("cannot read the kernel release")?;
    let cmdline = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    Ok(Guest {
        release,
        cmdline: cmdline.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_found_by_mount_point_and_type() {
        let mounts = "none /sys/fs/bpf bpf rw 0 0\nnone /sys sysfs rw 0 0\n";
        assert!(is_mounted(mounts, "/sys/fs/bpf", "bpf"));
        assert!(!is_mounted(mounts, "/sys", "bpf"));
        assert!(!is_mounted(mounts, "/sys/kernel/tracing", "tracefs"));
    }
}
