//! Drop-off: the folder in which a profiled command leaves profiles that it makes itself,
//! such as dhat's.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};

use crate::profile;

/// The most files kept of one run.
const MAX_FILES: usize = 16;
/// The most bytes kept of one file.
const MAX_BYTES: u64 = profile::MAX_BYTES as u64;

/// An empty folder, which is removed on drop.
pub struct DropOff(&'static str);

impl DropOff {
    /// The environment variable that gives the folder to the command.
    pub const VARIABLE: &'static str = "BPFGATE_PROFILE_DIR";

    /// Makes the folder, after removing what an earlier command has left.
    pub fn make() -> Result<Self> {
        Self::make_at("/tmp/bpfgate-profile")
    }

    fn make_at(path: &'static str) -> Result<Self> {
        // It may be missing, and it may be a file.
        let _ = fs::remove_dir_all(path);
        let _ = fs::remove_file(path);
        fs::create_dir_all(path).with_context(|| format!("cannot make {path}"))?;
        Ok(Self(path))
    }

    /// Its absolute path.
    pub fn path(&self) -> &str {
        self.0
    }

    /// Names and contents of the files in it, sorted by name. Adds a warning for each
    /// file that is not kept.
    pub fn take(&self, warnings: &mut Vec<String>) -> Result<Vec<(String, Vec<u8>)>> {
        let Ok(entries) = fs::read_dir(self.0) else {
            warnings.push(format!("the command has removed {}", self.0));
            return Ok(Vec::new());
        };
        let mut names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .collect();
        names.sort();
        let mut files = Vec::new();
        for name in &names {
            let path = Path::new(self.0).join(name);
            let Some(name) = name.to_str().filter(|name| is_plain(name)) else {
                warnings.push(format!(
                    "{name:?} is not kept: use A-Z a-z 0-9 . _ - in names of profiles"
                ));
                continue;
            };
            // The host draws `X.svg` from each `X.folded`.
            let drawn_from = name
                .strip_suffix(".svg")
                .map(|name| format!("{name}.folded"));
            let drawn_from = drawn_from.as_deref().unwrap_or(name);
            if profile::FOLDED.contains(&drawn_from)
                || (drawn_from != name && names.iter().any(|other| other == drawn_from))
            {
                warnings.push(format!(
                    "{name} is not kept: bpfgate makes a file of that name, use another"
                ));
                continue;
            }
            // Excludes links and pipes: reading them might not end.
            if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                warnings.push(format!("{name} is not kept: it is no regular file"));
                continue;
            }
            if files.len() == MAX_FILES {
                warnings.push(format!("only the first {MAX_FILES} profiles are kept"));
                break;
            }
            let mut content = Vec::new();
            File::open(&path)
                .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut content))
                .with_context(|| format!("cannot read {path:?}"))?;
            if content.len() as u64 > MAX_BYTES {
                warnings.push(format!(
                    "{name} is not kept: it is larger than {} MiB",
                    MAX_BYTES >> 20
                ));
                continue;
            }
            files.push((name.to_owned(), content));
        }
        Ok(files)
    }
}

impl Drop for DropOff {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0);
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drop_off() -> DropOff {
        let path = std::env::temp_dir().join(format!(
            "bpfgate-drop-off-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        DropOff::make_at(path.to_str().unwrap().to_owned().leak()).unwrap()
    }

    #[test]
    fn files_are_read_in_the_order_of_their_names() {
        let folder = drop_off();
        for (name, content) in [("dhat-heap.json", "{}"), ("a.folded", "x 1\n")] {
            fs::write(Path::new(folder.path()).join(name), content).unwrap();
        }
        let mut warnings = Vec::new();
        let files = folder.take(&mut warnings).unwrap();
        let expected = [
            ("a.folded".to_owned(), b"x 1\n".to_vec()),
            ("dhat-heap.json".to_owned(), b"{}".to_vec()),
        ];
        assert_eq!(files, expected);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn other_than_regular_files_are_skipped_with_a_warning() {
        let folder = drop_off();
        let at = |name: &str| Path::new(folder.path()).join(name);
        std::os::unix::fs::symlink("/etc/passwd", at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        let names = [
            "a b",
            ".hidden",
            "cpu.folded",
            "off-cpu.svg",
            "large",
            "x.svg",
        ];
        for name in names {
            let file = File::create(at(name)).unwrap();
            file.set_len(if name == "large" { MAX_BYTES + 1 } else { 1 })
                .unwrap();
        }
        fs::write(at("x.folded"), "x 1\n").unwrap();
        let mut warnings = Vec::new();
        let kept = [("x.folded".to_owned(), b"x 1\n".to_vec())];
        assert_eq!(folder.take(&mut warnings).unwrap(), kept);
        assert_eq!(warnings.len(), 8, "{warnings:?}");
    }

    #[test]
    fn a_folder_removed_by_the_command_is_a_warning() {
        let folder = drop_off();
        fs::remove_dir(folder.path()).unwrap();
        let mut warnings = Vec::new();
        assert_eq!(folder.take(&mut warnings).unwrap(), []);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn the_folder_is_removed_on_drop() {
        let folder = drop_off();
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!Path::new(&path).exists());
    }
}
