//! Symbols: turns addresses in a process into names of functions.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use blazesym::{
    Pid,
    symbolize::{
        Input, Symbolizer,
        cache::{self, Cache},
        source::{self, Source},
    },
};

use crate::Trace;

/// The name of anything without one.
const UNKNOWN: &str = "[unknown]";

/// The time for which a process is assumed to execute the same file. For a new address this is
/// checked at once.
const CHECK: Duration = Duration::from_millis(100);

/// Names of functions. Each is looked up once per file that a process executes.
///
/// A process's mappings are recorded when it is first seen, so that its stacks can be named after
/// its end too. They are recorded again if the process executes another file. Earlier stacks that
/// have not been named by then get names of the new file.
#[derive(Debug)]
pub struct Symbols {
    symbolizer: Symbolizer,
    processes: HashMap<u32, Names>,
}

/// Known names of one process.
#[derive(Debug)]
struct Names {
    /// The file it executes, or `None` if that cannot be read.
    executable: Option<PathBuf>,
    /// The time of the last check of `executable`.
    checked: Instant,
    process: String,
    functions: HashMap<u64, String>,
}

impl Names {
    fn of(pid: u32) -> Self {
        Self {
            // First, so that a later exec is detected.
            executable: executable(pid),
            checked: Instant::now(),
            process: fs::read_to_string(format!("/proc/{pid}/comm"))
                .map_or_else(|_ended| UNKNOWN.to_owned(), |name| frame(name.trim())),
            functions: HashMap::new(),
        }
    }

    /// Whether the process now executes another file. An ended process does not.
    fn are_stale(&mut self, pid: u32) -> bool {
        self.checked = Instant::now();
        let executable = executable(pid);
        executable.is_some() && executable != self.executable
    }
}

fn executable(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

impl Symbols {
    /// Creates it without any names.
    pub fn new() -> Self {
        Self {
            // Lines and inlined functions would need debug information, which takes long to read.
            symbolizer: Symbolizer::builder()
                .enable_code_info(false)
                .enable_inlined_fns(false)
                .build(),
            processes: HashMap::new(),
        }
    }

    /// Records the name and mappings of a process, unless that is done already.
    pub fn notice(&mut self, pid: u32) {
        if !self.processes.contains_key(&pid) {
            self.notice_anew(pid);
        }
    }

    fn notice_anew(&mut self, pid: u32) {
        self.processes.insert(pid, Names::of(pid));
        cache_mappings(&self.symbolizer, pid);
    }

    /// The name of the process, then its functions from the outermost to the executed one,
    /// separated by semicolons. Unknown parts are `[unknown]`.
    pub fn fold(&mut self, trace: &Trace) -> String {
        match self.processes.get_mut(&trace.pid) {
            None => self.notice_anew(trace.pid),
            Some(names) => {
                let is_known = |address| names.functions.contains_key(&address);
                let is_due = names.checked.elapsed() >= CHECK || !addresses(trace).all(is_known);
                if is_due && names.are_stale(trace.pid) {
                    self.notice_anew(trace.pid);
                }
            }
        }
        let Some(names) = self.processes.get_mut(&trace.pid) else {
            return UNKNOWN.to_owned();
        };
        for address in addresses(trace) {
            names
                .functions
                .entry(address)
                .or_insert_with(|| look_up(&self.symbolizer, trace.pid, address));
        }
        let mut frames: Vec<&str> = addresses(trace)
            .map(|address| names.functions[&address].as_str())
            .collect();
        frames.push(&names.process);
        frames.reverse();
        frames.join(";")
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

/// The address of each frame. A return address may already belong to the next function, since the
/// call is before it.
fn addresses(trace: &Trace) -> impl Iterator<Item = u64> {
    trace
        .addresses
        .iter()
        .enumerate()
        .map(|(depth, address)| address.saturating_sub(u64::from(depth > 0)))
}

fn cache_mappings(symbolizer: &Symbolizer, pid: u32) {
    let process = cache::Process::new(Pid::from(pid));
    if let Err(error) = symbolizer.cache(&Cache::from(process)) {
        log::debug!("cannot read what process {pid} has mapped: {error}");
    }
}

fn look_up(symbolizer: &Symbolizer, pid: u32, address: u64) -> String {
    let name = || {
        // First by the kernel's links, which work if the process sees other files than this one
        // does, then by path, which works if the process is gone.
        [true, false].into_iter().find_map(|map_files| {
            let mut process = source::Process::new(Pid::from(pid));
            process.map_files = map_files;
            process.debug_syms = false;
            let symbolized = symbolizer
                .symbolize_single(&Source::Process(process), Input::AbsAddr(address))
                .inspect_err(|error| log::debug!("process {pid}, address {address:x}: {error}"))
                .ok()?;
            symbolized.as_sym().map(|symbol| frame(&symbol.name))
        })
    };
    name()
        .or_else(|| {
            // The process may have mapped more files since.
            cache_mappings(symbolizer, pid);
            name()
        })
        .unwrap_or_else(|| UNKNOWN.to_owned())
}

/// Escapes a name for a frame of a folded stack, where semicolons and line ends have a meaning.
fn frame(name: &str) -> String {
    name.replace([';', '\n'], ":")
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        process::{self, Command, Stdio},
        thread,
    };

    use super::*;

    #[inline(never)]
    fn known_function() -> u64 {
        std::hint::black_box(1)
    }

    fn trace(addresses: &[u64]) -> Trace {
        Trace {
            ktime: 0,
            pid: process::id(),
            tid: process::id(),
            addresses: addresses.to_vec(),
        }
    }

    #[test]
    fn names_a_function_of_this_process() {
        let address = known_function as fn() -> u64 as usize as u64;
        let folded = Symbols::new().fold(&trace(&[address, address + 1]));
        let frames: Vec<&str> = folded.split(';').collect();
        assert_eq!(frames.len(), 3, "{folded}");
        assert!(frames[1].ends_with("known_function"), "{folded}");
        assert_eq!(
            frames[1], frames[2],
            "the byte after the first is still in it"
        );
    }

    #[test]
    fn an_unmapped_address_is_unknown() {
        let mut symbols = Symbols::new();
        let folded = symbols.fold(&trace(&[1]));
        assert!(folded.ends_with(";[unknown]"), "{folded}");
        let nobody = Trace {
            pid: i32::MAX as u32,
            ..trace(&[1, 2])
        };
        assert_eq!(symbols.fold(&nobody), "[unknown];[unknown];[unknown]");
    }

    #[test]
    fn after_exec_a_process_has_the_new_files_names() {
        for (pause, address, why) in [
            (Duration::ZERO, 2, "an address that was not seen before"),
            (2 * CHECK, 1, "the time"),
        ] {
            let mut child = Command::new("sh")
                .args(["-c", "read line && exec sleep 60"])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let pid = child.id();
            let of_child = |address| Trace {
                pid,
                ..trace(&[address])
            };
            let mut symbols = Symbols::new();
            assert_eq!(symbols.fold(&of_child(1)), "sh;[unknown]");

            let before = executable(pid).unwrap();
            writeln!(child.stdin.as_mut().unwrap()).unwrap();
            while executable(pid).unwrap() == before {
                thread::yield_now();
            }
            thread::sleep(pause);
            assert_eq!(symbols.fold(&of_child(address)), "sleep;[unknown]", "{why}");
            child.kill().unwrap();
            child.wait().unwrap();
            thread::sleep(2 * CHECK);
            assert_eq!(symbols.fold(&of_child(3)), "sleep;[unknown]", "it ended");
        }
    }

    #[test]
    fn names_are_escaped_in_a_folded_stack() {
        assert_eq!(frame("a;b\nc"), "a:b:c");
    }
}
