//! Counts: what the programs counted, read in three ways: two maps and the kernel's own counter.

use std::{
    fmt, fs, io,
    os::fd::{AsFd as _, AsRawFd as _, RawFd},
};

use aya::{
    Ebpf, Pod,
    maps::{HashMap, Map, MapData, MapError},
};

use crate::{Body, Error};

const SIMPLE: &str = "SIMPLE";
const COMPLEX: &str = "COMPLEX";

/// The number of different times in keys.
const TIMES: u64 = 1024;
const COMM_LEN: usize = 32;

/// The kernel side's key.
#[repr(C)]
#[derive(Clone, Copy)]
struct Key {
    pid_tgid: u64,
    time: u64,
    comm: [u8; COMM_LEN],
}

// SAFETY: plain numbers, 48 bytes without a gap.
unsafe impl Pod for Key {}

/// The counts of a program between two readings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counted {
    /// Runs by the kernel's statistics; 0 while those are off.
    pub runs: u64,
    /// Calls of this thread, by the body's map; `None` for the body without one.
    pub calls: Option<u64>,
}

impl Counted {
    /// Subtracts an earlier reading.
    pub fn since(self, before: Self) -> Self {
        Self {
            runs: self.runs.wrapping_sub(before.runs),
            calls: self
                .calls
                .zip(before.calls)
                .map(|(now, before)| now.wrapping_sub(before)),
        }
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.calls {
            Some(calls) => write!(f, "{calls} counted in the map, {} runs", self.runs),
            None => write!(f, "{} runs", self.runs),
        }
    }
}

/// Both maps, containing every key of this thread.
pub struct Maps {
    simple: HashMap<MapData, u32, u64>,
    complex: HashMap<MapData, Key, u64>,
    /// Valid as long as the maps are open.
    fds: [(&'static str, RawFd); 2],
    tid: u32,
    key: Key,
}

impl Maps {
    /// Takes the maps out of the object and inserts zeros under every key that a program can make
    /// for this thread. So no entry is added during timing, and the timed work is always the same.
    pub fn new(ebpf: &mut Ebpf) -> Result<Self, Error> {
        let mut take = |name| match ebpf.take_map(name) {
            Some(Map::HashMap(data)) => Ok((data.fd().as_fd().as_raw_fd(), Map::HashMap(data))),
            _ => Err(Error::load(
                name,
                io::Error::other("not a hash map of the BPF object"),
            )),
        };
        let ((simple_fd, simple), (complex_fd, complex)) = (take(SIMPLE)?, take(COMPLEX)?);
        let pid = u64::from(std::process::id());
        let tid = nix::unistd::gettid().as_raw().unsigned_abs();
        let mut maps = Self {
            simple: simple.try_into().map_err(|error| failed(SIMPLE, error))?,
            complex: complex.try_into().map_err(|error| failed(COMPLEX, error))?,
            fds: [(SIMPLE, simple_fd), (COMPLEX, complex_fd)],
            tid,
            key: Key {
                pid_tgid: (pid << 32) | u64::from(tid),
                time: 0,
                comm: thread_name()?,
            },
        };
        maps.simple
            .insert(maps.tid, 0, 0)
            .map_err(|error| failed(SIMPLE, error))?;
        for time in 0..TIMES {
            let key = Key { time, ..maps.key };
            maps.complex
                .insert(key, 0, 0)
                .map_err(|error| failed(COMPLEX, error))?;
        }
        Ok(maps)
    }

    /// The maps by name and file descriptor.
    pub fn fds(&self) -> [(&'static str, RawFd); 2] {
        self.fds
    }

    /// The total counts of programs with the body for this thread.
    pub fn calls(&self, body: Body) -> Result<Option<u64>, Error> {
        match body {
            Body::Empty => Ok(None),
            Body::Simple => {
                let calls = self.simple.get(&self.tid, 0);
                calls.map(Some).map_err(|error| failed(SIMPLE, error))
            }
            Body::Complex => (0..TIMES)
                .map(|time| self.complex.get(&Key { time, ..self.key }, 0))
                .sum::<Result<u64, MapError>>()
                .map(Some)
                .map_err(|error| failed(COMPLEX, error)),
        }
    }
}

fn failed(map: &'static str, error: MapError) -> Error {
    Error::counters(format!("the map {map}"), error)
}

/// This thread's name, padded like the kernel's.
fn thread_name() -> Result<[u8; COMM_LEN], Error> {
    let path = "/proc/thread-self/comm";
    let name = fs::read(path).map_err(|error| Error::counters(path, error))?;
    let mut padded = [0; COMM_LEN];
    for (to, from) in padded.iter_mut().zip(name.trim_ascii_end()) {
        *to = *from;
    }
    Ok(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_subtracted() {
        let counted = |runs, calls| Counted { runs, calls };
        assert_eq!(
            counted(9, Some(20)).since(counted(4, Some(5))),
            counted(5, Some(15))
        );
        assert_eq!(counted(9, None).since(counted(4, None)), counted(5, None));
    }

    #[test]
    fn a_key_is_48_bytes() {
        assert_eq!(size_of::<Key>(), 48);
    }
}
