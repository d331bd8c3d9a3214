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

/// Collects opened files and folders in the kernel, until [`Opened::files`].
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

    /// Returns the opened files below `tree`, relative to it, folders with a slash at the end,
    /// and what the command removed; `None` if some are not known. `shown_at` is where the
    /// command saw the tree.
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
                let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
                let path = path.ok()?;
                if !seen.insert((path.clone(), identity(&metadata))) {
                    continue;
                }
                if let Some(mut name) = locate(&path, &metadata, tree, shown_at)? {
                    if metadata.is_dir() {
                        name.push('/');
                    }
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

    /// Runs a script in a mount namespace of its own. It sees a tree at another place, and
    /// both are on a file system that nobody else uses.
    fn opened_by(name: &str, script: &str, shown_as: &str) -> Option<BTreeSet<String>> {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        sys::mount(Path::new("none"), &folder, c"tmpfs", 0).unwrap();
        let (tree, shown) = (folder.join("tree"), folder.join("shown"));
        for path in [&tree, &tree.join("sub"), &shown] {
            std::fs::create_dir(path).unwrap();
        }
        for name in ["opened", "sub/file", "untouched"] {
            std::fs::write(tree.join(name), name).unwrap();
        }
        let opened = Opened::collect(&tree).unwrap();
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script, "sh"]).arg(&tree);
        assert!(command.arg(&shown).status().unwrap().success());
        let files = opened.files(&tree, &folder.join(shown_as));
        sys::detach_mount(&folder).unwrap();
        std::fs::remove_dir(&folder).unwrap();
        files
    }

    #[test]
    #[ignore = "needs root"]
    fn the_files_and_folders_that_a_command_opens_are_named() {
        let script = "mount --bind $1 $2 && cd $2 && cat opened sub/file && rm sub/file && test -e untouched && mkfifo pipe && (: <>pipe) && ls sub .";
        let mut files = opened_by("opened", script, "shown").unwrap();
        // Newer kernels do not report pipes. None waits for a writer here.
        files.remove("pipe");
        let expected = ["/", "opened", "sub/", "sub/file"];
        assert_eq!(files.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    #[ignore = "needs root"]
    fn a_mount_within_the_tree_makes_the_files_unknown() {
        let script = "mount --bind $1/sub $2 && cat $2/file";
        assert_eq!(opened_by("opened-mount", script, "elsewhere"), None);
    }
}
