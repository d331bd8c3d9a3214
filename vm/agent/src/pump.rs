//! Pump: carries a command's output from pipes to files of the run folder.
//!
//! It uses pipes so that the command holds no descriptor of a shared file: with one,
//! `echo >/dev/stderr` would truncate the file.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::sys;

/// The time at which output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// Writes at once, for a user who follows the output.
    AtOnce,
    /// Writes at the end: writing goes to the host, whose answer arrives after an unpredictable
    /// time and interrupts the measurement. A command that prints nothing for some time
    /// may hang, so then its output is written too.
    AtEnd,
}

const QUIET: Duration = Duration::from_secs(5);
const CHUNK: usize = 64 << 10;
/// Waiting bytes from which on output is written.
const BUFFER: usize = 4 << 20;
/// The most bytes of one stream written with [`Flush::AtEnd`]: one more than the host's
/// limit, so that the host sees that there was more. Endless output would fill the host's
/// disk.
const MOST_AT_END: u64 = (8 << 20) + 1;

/// The thread that carries the output.
pub struct Pump {
    /// Closing it ends the thread.
    stop: PipeWriter,
    thread: JoinHandle<Result<Pumped>>,
}

/// The result of carrying the output.
#[derive(Debug, Default)]
pub struct Pumped {
    /// Problems while writing.
    pub warnings: Vec<String>,
    /// Whether more was printed than the limit.
    pub is_cut: bool,
    /// A hash of what was written of standard output.
    pub printed: u64,
}

struct Stream {
    /// `None` after its end.
    pipe: Option<PipeReader>,
    file: File,
    waiting: Vec<u8>,
    /// Hash of what was written.
    written: DefaultHasher,
    /// Bytes that may still be written.
    room: u64,
    /// The first write error. From then on output is discarded, so that the command does
    /// not wait for room in the pipe.
    error: Option<io::Error>,
}

impl Pump {
    /// Starts with pairs of a pipe and the file for its output.
    ///
    /// `on_cut` is called as soon as more was printed than the limit.
    pub fn start(
        pairs: [(PipeReader, File); 2],
        flush: Flush,
        on_cut: impl FnOnce() + Send + 'static,
    ) -> Result<Self> {
        let (stop_seen, stop) = io::pipe().context("cannot make a pipe")?;
        let streams = pairs.map(|(pipe, file)| Stream {
            pipe: Some(pipe),
            file,
            waiting: Vec::new(),
            written: DefaultHasher::new(),
            room: match flush {
                Flush::AtOnce => u64::MAX,
                Flush::AtEnd => MOST_AT_END,
            },
            error: None,
        });
        let thread = thread::Builder::new()
            .name("pump".into())
            .spawn(move || pump(streams, &stop_seen, flush, on_cut))
            .context("cannot start a thread")?;
        Ok(Self { stop, thread })
    }

    /// Writes the current content of the pipes, even if a process still holds their other
    /// ends.
    pub fn finish(self) -> Result<Pumped> {
        drop(self.stop);
        self.thread
            .join()
            .map_err(|_| anyhow!("the thread that carries output panicked: report this"))?
    }
}

fn pump(
    mut streams: [Stream; 2],
    stop: &PipeReader,
    flush: Flush,
    on_cut: impl FnOnce(),
) -> Result<Pumped> {
    let mut on_cut = Some(on_cut);
    loop {
        let waiting: usize = streams.iter().map(|stream| stream.waiting.len()).sum();
        let limit = (waiting > 0).then_some(QUIET);
        let [stdout, stderr] = &streams;
        let fds = [
            Some(stop.as_fd()),
            stdout.pipe.as_ref().map(AsFd::as_fd),
            stderr.pipe.as_ref().map(AsFd::as_fd),
        ];
        let ready = sys::wait_readable(&fds, limit).context("cannot wait for output")?;
        if ready[0] {
            break;
        }
        for (stream, ready) in streams.iter_mut().zip(&ready[1..]) {
            if *ready {
                stream.read_some();
            }
        }
        let quiet = !ready.contains(&true);
        if flush == Flush::AtOnce || quiet || waiting > BUFFER {
            streams.iter_mut().for_each(Stream::flush);
        }
        if streams.iter().any(Stream::is_cut)
            && let Some(on_cut) = on_cut.take()
        {
            on_cut();
        }
    }
    let warnings = streams.iter_mut().filter_map(Stream::finish).collect();
    Ok(Pumped {
        warnings,
        is_cut: streams.iter().any(Stream::is_cut),
        printed: streams[0].written.finish(),
    })
}

impl Stream {
    /// Reads a chunk. Returns whether there may be more.
    fn read_some(&mut self) -> bool {
        let Some(pipe) = &mut self.pipe else {
            return false;
        };
        let old = self.waiting.len();
        self.waiting.resize(old + CHUNK, 0);
        let result = pipe.read(&mut self.waiting[old..]);
        self.waiting.truncate(old + *result.as_ref().unwrap_or(&0));
        match result {
            Ok(0) => {
                self.pipe = None;
                false
            }
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::Interrupted,
        }
    }

    fn flush(&mut self) {
        let most = usize::try_from(self.room).unwrap_or(usize::MAX);
        self.waiting.truncate(most);
        if self.error.is_none() && !self.waiting.is_empty() {
            self.room -= self.waiting.len() as u64;
            self.error = self.file.write_all(&self.waiting).err();
            self.written.write(&self.waiting);
        }
        self.waiting.clear();
    }

    /// Whether the limit is reached.
    fn is_cut(&self) -> bool {
        self.room == 0
    }

    /// Reads the rest of the pipe, without waiting for more. Returns a warning.
    fn finish(&mut self) -> Option<String> {
        if let Some(pipe) = &self.pipe {
            let failed = sys::set_nonblocking(pipe.as_fd()).err();
            self.error = self.error.take().or(failed);
        }
        while self.error.is_none() && !self.is_cut() && self.read_some() {
            if self.waiting.len() > BUFFER {
                self.flush();
            }
        }
        self.flush();
        let error = self.error.take()?;
        Some(format!(
            "output of the command is cut off: cannot write it ({error}); is the host's disk full?"
        ))
    }
}
