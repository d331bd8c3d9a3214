//! Opened: the files of a tree that a command opens, from fanotify(7). As long as these
//! files are the same, the command counts the same.

use std::collections::{BTreeSet, HashSet};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sys;

/// The most files of one command. The host accepts no more.
const MAX_FILES: usize = 4096;
/// Events that are read at once. Each holds a descriptor.
const EVENTS: usize = 64;
const EVENT_BYTES: usize = size_of::<libc::fanotify_event_metadata>();
/// What d_path() in fs/d_path.c puts behind the path of a file that was removed.
const DELETED: &str = " (deleted)";

/// Collects opened files in the kernel, until [`Opened::files`]. Directories are left out.
pub struct Opened {
    events: File,
}

impl Opened {
    /// Starts collecting for the whole file system that holds `tree`: a mount would not be
    /// followed into the mount namespaces of `ip netns exec`. An error means that the
    /// kernel has no fanotify.
    pub fn collect(tree: &Path) -> io::Result<Self> {
        let events = sys::fanotify()?;
        sys::fanotify_opens(&events, tree)?;
        Ok(Self {
            events: File::from(events),
        })
    }

    /// Returns the opened files below `tree`, relative to it, and what the command removed;
    /// `None` if some are not known. `shown_at` is where the command saw the tree.
    pub fn files(mut self, tree: &Path, shown_at: &Path) -> Option<BTreeSet<String>> {
        let mut files = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut bytes = [0; EVENTS * EVENT_BYTES];
        loop {
            let length = match self.events.read(&mut bytes) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(files),
                // A file that cannot be opened again: its event is lost.
                Err(_) => return None,
            };
            // The kernel returns whole events, of this size since the first version.
            let own: Option<Vec<OwnedFd>> = bytes[..length]
                .chunks(EVENT_BYTES)
                .map(descriptor)
                .collect();
            for fd in own? {
                let file = File::from(fd);
                let metadata = file.metadata().ok()?;
                if !seen.insert(identity(&metadata)) {
                    continue;
                }
                let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
                if let Some(name) = locate(&path.ok()?, &metadata, tree, shown_at)? {
                    files.insert(name);
                }
                if files.len() > MAX_FILES {
                    return None;
                }
            }
        }
    }
}

/// Reads an event's descriptor; `None` if events were lost.
fn descriptor(event: &[u8]) -> Option<OwnedFd> {
    let at = offset_of!(libc::fanotify_event_metadata, fd);
    let fd = i32::from_ne_bytes(event.get(at..at + 4)?.try_into().ok()?);
    // SAFETY: the kernel has just made this descriptor for this event alone.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Finds where in `tree` a file is; `Some(None)` if it is elsewhere, `None` if unknown.
/// Once the command's mount namespace is gone, a path is relative to the root of its mount.
fn locate(
    path: &Path,
    metadata: &Metadata,
    tree: &Path,
    shown_at: &Path,
) -> Option<Option<String>> {
    let text = path.to_str()?;
    let is_there = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|there| identity(&there) == identity(metadata))
    };
    let kept = text.strip_suffix(DELETED);
    let named = Path::new(kept.unwrap_or(text));
    let below = |folder: &Path| named.strip_prefix(folder).ok().map(PathBuf::from);
    let relative = below(Path::new("/"))?;
    let found = below(tree).or_else(|| below(shown_at)).or_else(|| {
        // A removed file may have been anywhere.
        (kept.is_some() || is_there(&tree.join(&relative))).then_some(relative)
    });
    match found {
        Some(name) => Some(Some(name.to_str()?.to_owned())),
        None => is_there(path).then_some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    #[ignore = "needs root"]
    fn the_files_that_a_command_opens_are_named() {
        let folder = std::env::temp_dir().join(format!("opened-{}", std::process::id()));
        let tree = folder.join("tree");
        std::fs::create_dir_all(tree.join("sub")).unwrap();
        for name in ["opened", "sub/removed", "untouched", "moved"] {
            std::fs::write(tree.join(name), name).unwrap();
        }
        let shown = folder.join("shown");
        std::fs::create_dir(&shown).unwrap();
        let script = format!(
            "mount --bind {0} {1} && cd {1} && cat opened sub/removed >/dev/null && rm sub/removed && test -e untouched && ls >/dev/null",
            tree.display(),
            shown.display()
        );
        let opened = Opened::collect(&tree).unwrap();
        let mut command = Command::new("unshare");
        let status = command.args(["-m", "sh", "-c", &script]).status().unwrap();
        assert!(status.success());
        let files = opened.files(&tree, &shown).unwrap();
        let expected = ["opened", "sub/removed"].map(str::to_owned);
        let own: Vec<_> = files
            .into_iter()
            .filter(|name| !name.contains("tmp"))
            .collect();
        assert_eq!(own, expected);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[ignore = "needs root"]
    fn a_mount_within_the_tree_makes_the_files_unknown() {
        let folder = std::env::temp_dir().join(format!("opened-mount-{}", std::process::id()));
        let tree = folder.join("tree");
        std::fs::create_dir_all(tree.join("sub")).unwrap();
        std::fs::write(tree.join("sub/file"), "").unwrap();
        let shown = folder.join("shown");
        std::fs::create_dir(&shown).unwrap();
        let script = format!(
            "mount --bind {0}/sub {1} && cat {1}/file",
            tree.display(),
            shown.display()
        );
        let opened = Opened::collect(&tree).unwrap();
        let mut command = Command::new("unshare");
        assert!(
            command
                .args(["-m", "sh", "-c", &script])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(opened.files(&tree, Path::new("/elsewhere")), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
