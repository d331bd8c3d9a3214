//! Carries a command's output from pipes to files of the run folder.
//!
//! Pipes, so that the command holds no descriptor of a shared file: with one,
//! `echo >/dev/stderr` would truncate it.

use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::sys;

/// When output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// At once: somebody is watching.
    AtOnce,
    /// At the end: writing goes to the host, whose answer arrives after an
    /// unpredictable time and interrupts what is being measured. A command that
    /// says nothing for some time may hang, so then its output is written too.
    AtEnd,
}

const QUIET: Duration = Duration::from_secs(5);
const CHUNK: usize = 64 << 10;
/// Output is written when this much is waiting.
const BUFFER: usize = 4 << 20;

/// The thread that does it.
pub struct Pump {
    /// Closing it ends the thread.
    stop: PipeWriter,
    thread: JoinHandle<Result<Vec<String>>>,
}

struct Stream {
    /// `None` at its end.
    pipe: Option<PipeReader>,
    file: File,
    waiting: Vec<u8>,
    /// The first error of writing; output is thrown away from then on, so that
    /// the command does not wait for room in the pipe.
    error: Option<io::Error>,
}

impl Pump {
    /// Starts with pairs of a pipe and the file for what comes out of it.
    pub fn start(pairs: [(PipeReader, File); 2], flush: Flush) -> Result<Self> {
        let (stop_seen, stop) = io::pipe().context("cannot make a pipe")?;
        let streams = pairs.map(|(pipe, file)| Stream {
            pipe: Some(pipe),
            file,
            waiting: Vec::new(),
            error: None,
        });
        let thread = thread::Builder::new()
            .name("pump".into())
            .spawn(move || pump(streams, &stop_seen, flush))
            .context("cannot start a thread")?;
        Ok(Self { stop, thread })
    }

    /// Writes what the pipes now hold, even if a process still has their other
    /// ends, and returns warnings.
    pub fn finish(self) -> Result<Vec<String>> {
        drop(self.stop);
        self.thread
            .join()
            .map_err(|_| anyhow!("the thread that carries output panicked: report this"))?
    }
}

fn pump(mut streams: [Stream; 2], stop: &PipeReader, flush: Flush) -> Result<Vec<String>> {
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
    }
    let warnings = streams.into_iter().filter_map(Stream::finish);
    Ok(warnings.collect())
}

impl Stream {
    /// Says whether there may be more.
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
        if self.error.is_none() && !self.waiting.is_empty() {
            self.error = self.file.write_all(&self.waiting).err();
        }
        self.waiting.clear();
    }

    /// Takes what the pipe holds, without waiting for more. Returns a warning.
    fn finish(mut self) -> Option<String> {
        if let Some(pipe) = &self.pipe {
            self.error = self.error.or(sys::set_nonblocking(pipe.as_fd()).err());
        }
        while self.error.is_none() && self.read_some() {
            if self.waiting.len() > BUFFER {
                self.flush();
            }
        }
        self.flush();
        let error = self.error?;
        Some(format!(
            "output of the command is cut off: cannot write it ({error}); is the host's disk full?"
        ))
    }
}
