//! Leavings: files that commands leave in the shared folders for temporary files. They
//! stay for the other readings of a benchmark, which may rely on them, and are removed
//! before the next benchmark.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The shared folders in the guest.
pub const SHARED: [&str; 3] = ["/tmp", "/run", "/dev/shm"];

/// The most files and folders that are removed below each new entry. What the host puts into
/// its own folder meanwhile shows in the guest's, and may be a tree of any size.
const MOST: u32 = 10_000;

/// The content of folders before the first command.
pub struct Leavings(Vec<(PathBuf, BTreeSet<OsString>)>);

impl Leavings {
    /// Records the content of folders; a missing folder counts as empty.
    pub fn look(folders: &[&str]) -> Self {
        let folders = folders.iter().map(Path::new);
        Self(
            folders
                .map(|folder| (folder.to_owned(), names(folder)))
                .collect(),
        )
    }

    /// Removes everything added since, as far as it can be removed, and of each entry at most
    /// 10,000 files and folders.
    pub fn remove(&self) {
        self.remove_at_most(MOST);
    }

    fn remove_at_most(&self, most: u32) {
        for (folder, before) in &self.0 {
            for name in names(folder).difference(before) {
                let mut left = most;
                remove(&folder.join(name), &mut left);
            }
        }
    }
}

/// Removes a file or folder with its content, at most `left` of them.
fn remove(path: &Path, left: &mut u32) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if fs::remove_file(path).is_ok() {
        return;
    }
    for name in names(path) {
        remove(&path.join(name), left);
    }
    let _ = fs::remove_dir(path);
}

fn names(folder: &Path) -> BTreeSet<OsString> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeSet::new();
    };
    entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_for_each_entry() {
        let folder = std::env::temp_dir().join("bpfgate-leavings-limit");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let leavings = Leavings::look(&[folder.to_str().unwrap()]);
        let large = folder.join("a-large-one");
        fs::create_dir(&large).unwrap();
        for name in ["one", "two", "three"] {
            fs::write(large.join(name), "").unwrap();
        }
        fs::write(folder.join("small"), "").unwrap();
        leavings.remove_at_most(3);
        assert_eq!(names(&folder), BTreeSet::from(["a-large-one".into()]));
        assert_eq!(names(&large).len(), 1);
        leavings.remove_at_most(3);
        assert!(names(&folder).is_empty());
        fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn existing_files_stay_and_new_ones_are_removed() {
        let folder = std::env::temp_dir().join("bpfgate-leavings-test");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("old")).unwrap();
        let other = folder.with_extension("other");
        fs::write(&other, "").unwrap();
        let leavings = Leavings::look(&[folder.to_str().unwrap(), "/no-such-folder"]);
        fs::create_dir_all(folder.join("new/below")).unwrap();
        fs::write(folder.join("old/file"), "").unwrap();
        std::os::unix::fs::symlink(&other, folder.join("link")).unwrap();
        leavings.remove();
        assert_eq!(names(&folder), BTreeSet::from(["old".into()]));
        assert!(folder.join("old/file").exists() && other.exists());
        fs::remove_dir_all(&folder).unwrap();
        fs::remove_file(&other).unwrap();
    }
}
