//! Hiding: removes the run folder from the guest's mounts, so that a command under test
//! has no path to it in any mount namespace. The agent holds it by a descriptor.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::sys;

/// The way to hide the run folder in the mount namespace.
#[derive(Debug, PartialEq, Eq)]
enum Hiding {
    /// The run folder is on a file system of its own (the guest): remove all of its
    /// mounts, last first. The file system stays in use, so that it cannot be mounted
    /// again by its tag.
    Detach(Vec<PathBuf>),
    /// The run folder is part of the root file system (the agent's tests): cover it with
    /// an empty folder.
    Cover(PathBuf),
}

/// Hides the run folder from everything that is started afterwards in the agent's mount
/// namespace.
pub fn hide(run_folder: &Path) -> Result<()> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")
        .context("cannot read the mounts: mount /proc before starting the agent")?;
    Hiding::choose(&mounts, run_folder).apply()
}

impl Hiding {
    fn choose(mountinfo: &str, run_folder: &Path) -> Self {
        let mounts: Vec<Mount> = mountinfo.lines().filter_map(Mount::parse).collect();
        // Among mounts on the same point, only the last is visible.
        let holds = |point: &Path| {
            mounts
                .iter()
                .rev()
                .filter(|mount| point.starts_with(&mount.point))
                .max_by_key(|mount| mount.point.components().count())
        };
        match (holds(run_folder), holds(Path::new("/"))) {
            (Some(own), root) if root.is_none_or(|root| root.device != own.device) => {
                let same = mounts.iter().rev().filter(|m| m.device == own.device);
                Self::Detach(same.map(|mount| mount.point.clone()).collect())
            }
            _ => Self::Cover(run_folder.to_owned()),
        }
    }

    fn apply(&self) -> Result<()> {
        match self {
            Self::Detach(points) => points.iter().try_for_each(|point| {
                // It may already be gone, together with a mount above it.
                allow(sys::detach_mount(point), libc::EINVAL)
                    .with_context(|| format!("cannot detach {point:?}"))
            }),
            Self::Cover(path) => sys::mount(Path::new("none"), path, c"tmpfs", libc::MS_RDONLY)
                .with_context(|| format!("cannot cover {path:?}")),
        }
    }
}

fn allow(result: io::Result<()>, error_number: i32) -> io::Result<()> {
    match result {
        Err(error) if error.raw_os_error() == Some(error_number) => Ok(()),
        result => result,
    }
}

struct Mount<'a> {
    device: &'a str,
    point: PathBuf,
}

impl<'a> Mount<'a> {
    /// Parses `ID PARENT MAJOR:MINOR ROOT POINT OPTIONS ...`
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split(' ');
        Some(Self {
            device: fields.nth(2)?,
            point: PathBuf::from(unescape(fields.nth(1)?)),
        })
    }
}

/// The kernel writes space, tab, newline and backslash as `\ooo`.
fn unescape(field: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(field.to_owned(), |text, (code, character)| {
        text.replace(code, character)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUEST: &str = "\
1 1 0:2 / / rw - rootfs rootfs rw
20 1 0:20 / / rw,relatime - overlay overlay rw
21 20 0:5 / /dev rw - devtmpfs devtmpfs rw
22 20 0:30 / /mnt/vmtest rw - 9p shared rw
23 20 0:30 / /mnt/with\\040space rw - 9p shared rw
";

    #[test]
    fn every_mount_of_the_shared_file_system_is_detached() {
        let expected = Hiding::Detach(vec!["/mnt/with space".into(), "/mnt/vmtest".into()]);
        assert_eq!(Hiding::choose(GUEST, Path::new("/mnt/vmtest")), expected);
        assert_eq!(
            Hiding::choose(GUEST, Path::new("/mnt/vmtest/run")),
            expected
        );
    }

    #[test]
    fn a_folder_of_the_root_file_system_is_covered() {
        let run = Path::new("/mnt/vmtestrun");
        assert_eq!(Hiding::choose(GUEST, run), Hiding::Cover(run.into()));
    }
}
