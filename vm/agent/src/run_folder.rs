//! Run folder: the only place shared with the host. It is opened once, and every access
//! after that goes through its descriptor, since it is mounted nowhere once commands run.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::record::{Record, Status, Warning};
use crate::sys;

/// An open run folder.
pub struct RunFolder {
    path: PathBuf,
    dir: OwnedFd,
}

impl RunFolder {
    /// Opens an existing folder.
    pub fn open(path: &Path) -> Result<Self> {
        let path = path
            .canonicalize()
            .with_context(|| format!("cannot find run folder {path:?}: mount it first"))?;
        let dir = sys::open_dir(&path)
            .with_context(|| format!("cannot open run folder {path:?}: it must be a folder"))?;
        Ok(Self { path, dir })
    }

    /// Its absolute path, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads `plan.json`.
    pub fn read_plan(&self) -> Result<String> {
        let mut text = String::new();
        sys::open_at(&self.dir, "plan.json", libc::O_RDONLY)
            .and_then(|mut file| file.read_to_string(&mut text))
            .context(
                "cannot read plan.json in the run folder: write it before starting the agent",
            )?;
        Ok(text)
    }

    /// Reads `kernel.config`, the running kernel's configuration, if it is there.
    pub fn read_config(&self) -> Option<String> {
        let mut text = String::new();
        let mut file = sys::open_at(&self.dir, "kernel.config", libc::O_RDONLY).ok()?;
        file.read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Opens a file at its end, creating it if it is missing. Only the agent writes to
    /// it, so `O_APPEND` is not needed. The host would get that flag too. Where the
    /// guest's kernel writes whole pages back (6.16), the host would then append each
    /// page once more.
    pub fn append_to(&self, name: &str) -> Result<File> {
        let open = || -> io::Result<File> {
            let mut file = sys::open_at(&self.dir, name, libc::O_WRONLY | libc::O_CREAT)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        open().with_context(|| format!("cannot write {name} in the run folder: is it read-only?"))
    }

    /// Reads the last bytes of a file.
    pub fn read_end(&self, name: &str, bytes: u64) -> Result<Vec<u8>> {
        let mut end = Vec::new();
        let mut read = || -> io::Result<usize> {
            let mut file = sys::open_at(&self.dir, name, libc::O_RDONLY)?;
            let length = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
            file.take(bytes).read_to_end(&mut end)
        };
        read().with_context(|| format!("cannot read {name} in the run folder"))?;
        Ok(end)
    }

    /// Makes a folder in it if it is missing.
    pub fn make_dir(&self, name: &str) -> Result<()> {
        match sys::mkdir_at(&self.dir, name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error)
                .with_context(|| format!("cannot make {name} in the run folder: is it read-only?")),
            _ => Ok(()),
        }
    }

    /// Writes a new file. An existing one is an error.
    pub fn write_new(&self, name: &str, content: &[u8]) -> Result<()> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL;
        sys::open_at(&self.dir, name, flags)
            .and_then(|mut file| file.write_all(content))
            .with_context(|| {
                format!("cannot write {name} in the run folder: is the host's disk full?")
            })
    }

    /// Writes `status.json`, whole or not at all. No record follows it.
    pub fn write_status(&self, status: &Status) -> Result<()> {
        const PART: &str = "status.json.tmp";
        let mut json = serde_json::to_vec(status)?;
        json.push(b'\n');
        let write = || -> io::Result<()> {
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            let mut file = sys::open_at(&self.dir, PART, flags)?;
            file.write_all(&json)?;
            file.sync_all()?;
            sys::rename_at(&self.dir, PART, "status.json")
        };
        write().context("cannot write status.json in the run folder")
    }
}

/// `records.jsonl`: one object per line, each line in one write.
pub struct RecordLog {
    file: File,
}

impl RecordLog {
    /// Opens it at its end.
    pub fn open(folder: &RunFolder) -> Result<Self> {
        let file = folder.append_to("records.jsonl")?;
        Ok(Self { file })
    }

    /// Appends one line.
    pub fn write(&mut self, record: &Record) -> Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.file
            .write_all(&line)
            .context("cannot append to records.jsonl: is the host's disk full?")
    }

    /// Whether there is still room for optional parts of a result: the host accepts at
    /// most 64 MiB.
    pub fn has_room(&self) -> bool {
        (&self.file).stream_position().is_ok_and(|at| at < 16 << 20)
    }

    /// Appends a warning.
    pub fn warn(&mut self, message: impl Into<String>) -> Result<()> {
        let message = message.into();
        self.write(&Record::Warning(Warning {
            message,
            ..Warning::default()
        }))
    }

    /// Returns once the host has every line.
    pub fn sync(&self) -> Result<()> {
        self.file
            .sync_all()
            .context("cannot sync records.jsonl: is the host's disk full?")
    }
}
