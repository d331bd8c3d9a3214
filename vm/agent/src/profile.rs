//! Where the time goes: takes stack samples of every process that starts while
//! it samples, and folds them to one line a stack, as flame graphs are made from.
//! <https://github.com/brendangregg/FlameGraph>
//!
//! The clock is that of the guest, so under icount a sample stands for so many
//! instructions, and two runs of one program give nearly the same profile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use blazesym::MaybeDefault;
use blazesym::symbolize::source::{Elf, Kernel, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};

use crate::perf_ring::{
    Attr, FLAG_WATERMARK, PerfRing, RECORD_LOST, RingRecord, TYPE_SOFTWARE, records,
};
use crate::sys;

/// What the agent's samples are called.
pub const FOLDED: &str = "cpu.folded";

/// Virtual nanoseconds between two samples: a prime, so that no loop keeps step
/// with it.
const PERIOD_NS: u64 = 499_979;
/// 4 MiB: a second of the deepest stacks there can be.
const DATA_PAGES: usize = 1024;
const WAKEUP_BYTES: u32 = 1 << 20;
/// More different stacks than this are counted, and not kept.
const MAX_STACKS: usize = 100_000;

/// Programs that only start a benchmark, and would be most of what is seen.
const STARTERS: [&str; 4] = ["sh", "cargo", "cargo-criterion", "go"];

const SW_CPU_CLOCK: u64 = 0;
const FLAG_EXCLUDE_IDLE: u64 = 1 << 7;
const FLAG_MMAP: u64 = 1 << 8;
const FLAG_COMM: u64 = 1 << 9;
const FLAG_TASK: u64 = 1 << 13;
const FLAG_MMAP2: u64 = 1 << 23;
const FLAG_COMM_EXEC: u64 = 1 << 24;
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_CALLCHAIN: u64 = 1 << 5;

const RECORD_COMM: u32 = 3;
const RECORD_FORK: u32 = 7;
const RECORD_SAMPLE: u32 = 9;
const RECORD_MMAP2: u32 = 10;
const MISC_COMM_EXEC: u16 = 1 << 13;

/// Values from here on say what the addresses behind them are.
const CONTEXT_MIN: u64 = -4095_i64 as u64;
const CONTEXT_KERNEL: u64 = -128_i64 as u64;
const CONTEXT_USER: u64 = -512_i64 as u64;

/// A thread that samples, until [`Sampler::finish`].
pub struct Sampler {
    /// Closing it ends the thread.
    stop: PipeWriter,
    thread: JoinHandle<Result<Samples>>,
}

impl Sampler {
    /// Samples from now on.
    pub fn start() -> Result<Self> {
        let attr = || Attr {
            kind: TYPE_SOFTWARE,
            config: SW_CPU_CLOCK,
            sample_period: PERIOD_NS,
            sample_type: SAMPLE_TID | SAMPLE_CALLCHAIN,
            flags: FLAG_WATERMARK
                | FLAG_EXCLUDE_IDLE
                | FLAG_MMAP
                | FLAG_MMAP2
                | FLAG_COMM
                | FLAG_COMM_EXEC
                | FLAG_TASK,
            wakeup_watermark: WAKEUP_BYTES,
            ..Attr::default()
        };
        let rings: io::Result<Vec<_>> = (0..sys::online_cpus())
            .map(|cpu| PerfRing::start(attr(), cpu, DATA_PAGES))
            .collect();
        let rings = rings.context("the kernel takes no samples: CONFIG_PERF_EVENTS=y is needed")?;
        let (stop_seen, stop) = io::pipe()?;
        let thread = thread::Builder::new()
            .name("sampler".into())
            .spawn(move || sample(rings, &stop_seen))?;
        Ok(Self { stop, thread })
    }

    /// Ends the thread and returns what it has seen.
    pub fn finish(self) -> Result<Samples> {
        drop(self.stop);
        self.thread
            .join()
            .map_err(|_| anyhow!("the sampler panicked: report this"))?
    }
}

fn sample(mut rings: Vec<PerfRing>, stop: &PipeReader) -> Result<Samples> {
    let mut samples = Samples::default();
    loop {
        let fds: Vec<_> = [Some(stop.as_fd())]
            .into_iter()
            .chain(rings.iter().map(|ring| Some(ring.as_fd())))
            .collect();
        let stopped = sys::wait_readable(&fds, None)?[0];
        for ring in &mut rings {
            samples.add(&ring.take());
        }
        if stopped {
            return Ok(samples);
        }
    }
}

/// Where an address lies.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Frame {
    /// An address of the kernel.
    Kernel(u64),
    /// A place in a file: its number in [`Samples::files`], and the offset.
    File(u32, u64),
    /// Memory that is no file's.
    Unknown,
}

/// Executable memory of a process.
#[derive(Debug, Clone)]
struct Mapping {
    start: u64,
    len: u64,
    /// Of `start`, in the file.
    offset: u64,
    file: Option<u32>,
}

#[derive(Debug, Default, Clone)]
struct Process {
    name: String,
    /// In the order they came; the last one that holds an address counts.
    mappings: Vec<Mapping>,
}

/// Stacks of the processes that started meanwhile, and how often each was seen.
#[derive(Debug, Default)]
pub struct Samples {
    processes: BTreeMap<u32, Process>,
    files: Vec<PathBuf>,
    /// By name of the process and frames, outermost first.
    stacks: BTreeMap<(String, Vec<Frame>), u64>,
    /// Samples in `stacks`.
    pub taken: u64,
    /// Records the ring had no room for, and samples too different to be kept.
    pub lost: u64,
}

impl Samples {
    fn add(&mut self, bytes: &[u8]) {
        for record in records(bytes) {
            match record {
                Ok(record) => self.add_record(record),
                Err(_cut_short) => self.lost += 1,
            }
        }
    }

    fn add_record(&mut self, record: RingRecord) {
        let mut content = Content(record.content);
        let added = match record.kind {
            RECORD_COMM => self.add_name(record.misc & MISC_COMM_EXEC != 0, &mut content),
            RECORD_FORK => self.add_fork(&mut content),
            RECORD_MMAP2 => self.add_mapping(&mut content),
            RECORD_SAMPLE => self.add_sample(&mut content),
            RECORD_LOST => content.u64().and_then(|_id| {
                self.lost += content.u64()?;
                Some(())
            }),
            _ => Some(()),
        };
        if added.is_none() {
            self.lost += 1;
        }
    }

    /// `u32 pid, tid; char name[]`
    fn add_name(&mut self, by_exec: bool, content: &mut Content) -> Option<()> {
        let (pid, tid) = (content.u32()?, content.u32()?);
        if pid != tid {
            return Some(());
        }
        let process = self.processes.entry(pid).or_default();
        process.name = without_hash(&content.text()).to_owned();
        if by_exec {
            process.mappings.clear();
        }
        Some(())
    }

    /// `u32 pid, ppid, tid, ptid; u64 time`
    fn add_fork(&mut self, content: &mut Content) -> Option<()> {
        let (pid, parent) = (content.u32()?, content.u32()?);
        if pid != parent {
            let process = self.processes.get(&parent).cloned().unwrap_or_default();
            self.processes.insert(pid, process);
        }
        Some(())
    }

    /// `u32 pid, tid; u64 addr, len, pgoff; 24 bytes about the inode; u32 prot,
    /// flags; char path[]`
    fn add_mapping(&mut self, content: &mut Content) -> Option<()> {
        let (pid, _tid) = (content.u32()?, content.u32()?);
        let (start, len, offset) = (content.u64()?, content.u64()?, content.u64()?);
        content.skip(24 + 8)?;
        let path = content.text();
        let file = path.starts_with('/').then(|| self.file(Path::new(&path)));
        let process = self.processes.get_mut(&pid)?;
        process.mappings.push(Mapping {
            start,
            len,
            offset,
            file,
        });
        Some(())
    }

    fn file(&mut self, path: &Path) -> u32 {
        let known = self.files.iter().position(|file| file == path);
        let number = known.unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.files.len() - 1
        });
        number as u32
    }

    /// `u32 pid, tid; u64 count; u64 chain[count]`, innermost first.
    fn add_sample(&mut self, content: &mut Content) -> Option<()> {
        let (pid, _tid) = (content.u32()?, content.u32()?);
        // What was there before, the agent and the kernel's threads, is not the command;
        // nor is the agent's child until it has become the command.
        let Some(process) = self
            .processes
            .get(&pid)
            .filter(|process| !process.name.is_empty())
        else {
            return Some(());
        };
        let count = content.u64()?;
        let mut frames = Vec::new();
        let mut in_kernel = false;
        let mut innermost = true;
        for _ in 0..count {
            let address = content.u64()?;
            if address >= CONTEXT_MIN {
                in_kernel = address == CONTEXT_KERNEL;
                innermost = in_kernel || address == CONTEXT_USER;
                continue;
            }
            // What follows a call may already be another function.
            let address = address - u64::from(!innermost && address > 0);
            innermost = false;
            frames.push(if in_kernel {
                Frame::Kernel(address)
            } else {
                process.locate(address)
            });
        }
        frames.reverse();
        let key = (process.name.clone(), frames);
        if self.stacks.len() >= MAX_STACKS && !self.stacks.contains_key(&key) {
            self.lost += 1;
            return Some(());
        }
        *self.stacks.entry(key).or_default() += 1;
        self.taken += 1;
        Some(())
    }

    /// One line for each stack, `process;outermost;...;innermost COUNT`, sorted;
    /// without [`STARTERS`], unless nothing else ran.
    ///
    /// `shown` is where the commands saw a folder, and `at` where it is here.
    pub fn fold(&self, shown: &Path, at: &Path) -> String {
        let is_starter = |process: &str| STARTERS.contains(&process);
        let all = self.stacks.keys().all(|(process, _)| is_starter(process));
        let names = self.names(shown, at);
        let mut lines = BTreeMap::<String, u64>::new();
        for ((process, frames), count) in &self.stacks {
            if is_starter(process) && !all {
                continue;
            }
            let mut line = plain(process);
            for frame in frames {
                line.push(';');
                match frame {
                    Frame::Unknown => line.push_str("[unknown]"),
                    frame => line.push_str(&names[frame]),
                }
            }
            *lines.entry(line).or_default() += count;
        }
        lines
            .iter()
            .map(|(line, count)| format!("{line} {count}\n"))
            .collect()
    }

    fn names(&self, shown: &Path, at: &Path) -> BTreeMap<Frame, String> {
        let frames: BTreeSet<Frame> = self
            .stacks
            .keys()
            .flat_map(|(_, frames)| frames.iter().copied())
            .collect();
        let symbolizer = Symbolizer::builder()
            .enable_code_info(false)
            .enable_inlined_fns(false)
            .build();
        let mut names = BTreeMap::new();

        let addresses: Vec<u64> = frames
            .iter()
            .filter_map(|frame| match frame {
                Frame::Kernel(address) => Some(*address),
                _ => None,
            })
            .collect();
        let kernel = Source::Kernel(Kernel {
            vmlinux: MaybeDefault::None,
            ..Kernel::default()
        });
        let found = symbolizer.symbolize(&kernel, Input::AbsAddr(&addresses));
        let found = found.unwrap_or_default();
        for (index, address) in addresses.iter().enumerate() {
            let name = name_of(found.get(index)).unwrap_or_else(|| "[kernel]".into());
            names.insert(Frame::Kernel(*address), format!("{name}_[k]"));
        }

        for (number, path) in self.files.iter().enumerate() {
            let number = number as u32;
            let offsets: Vec<u64> = frames
                .iter()
                .filter_map(|frame| match frame {
                    Frame::File(file, offset) if *file == number => Some(*offset),
                    _ => None,
                })
                .collect();
            if offsets.is_empty() {
                continue;
            }
            let here = match path.strip_prefix(shown) {
                Ok(below) => at.join(below),
                Err(_elsewhere) => path.clone(),
            };
            let mut elf = Elf::new(here);
            elf.debug_syms = false;
            let found = symbolizer.symbolize(&Source::Elf(elf), Input::FileOffset(&offsets));
            // A file that is gone, or is no ELF file: its name is what there is.
            let found = found.unwrap_or_default();
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let fallback = plain(&format!("[{}]", without_hash(&file_name)));
            for (index, offset) in offsets.iter().enumerate() {
                let name = name_of(found.get(index)).unwrap_or_else(|| fallback.clone());
                names.insert(Frame::File(number, *offset), name);
            }
        }
        names
    }
}

impl Process {
    fn locate(&self, address: u64) -> Frame {
        self.mappings
            .iter()
            .rev()
            .find(|mapping| address.wrapping_sub(mapping.start) < mapping.len)
            .and_then(|mapping| {
                let offset = mapping.offset.checked_add(address - mapping.start)?;
                Some(Frame::File(mapping.file?, offset))
            })
            .unwrap_or(Frame::Unknown)
    }
}

fn name_of(symbolized: Option<&Symbolized>) -> Option<String> {
    Some(plain(&symbolized?.as_sym()?.name))
}

/// What a folded line takes for its own, and what would not show, is replaced.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ':',
            c if c.is_control() => '?',
            c => c,
        })
        .collect()
}

/// Cargo names executables `NAME-HASH`, with a hash that may differ between base
/// and head; the kernel cuts names to 15 bytes.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((front, hash))
            if !front.is_empty()
                && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) =>
        {
            front
        }
        _ => name,
    }
}

/// The content of a record, read from its start; `None` at its end.
struct Content<'a>(&'a [u8]);

impl Content<'_> {
    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }

    fn u32(&mut self) -> Option<u32> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*value))
    }

    fn u64(&mut self) -> Option<u64> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*value))
    }

    fn text(&self) -> String {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(self.0.len());
        String::from_utf8_lossy(&self.0[..end]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, misc: u16, content: &[&[u8]]) -> Vec<u8> {
        let content = content.concat();
        let mut record = kind.to_ne_bytes().to_vec();
        record.extend(misc.to_ne_bytes());
        record.extend((8 + content.len() as u16).to_ne_bytes());
        record.extend(content);
        record
    }

    fn ids(pid: u32, tid: u32) -> Vec<u8> {
        [pid.to_ne_bytes(), tid.to_ne_bytes()].concat()
    }

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn exec(pid: u32, name: &str) -> Vec<u8> {
        let name = format!("{name}\0");
        record(
            RECORD_COMM,
            MISC_COMM_EXEC,
            &[&ids(pid, pid), name.as_bytes()],
        )
    }

    fn mapping(pid: u32, start: u64, len: u64, offset: u64, path: &str) -> Vec<u8> {
        let path = format!("{path}\0");
        let about = [&words(&[start, len, offset])[..], &[0; 32]].concat();
        record(RECORD_MMAP2, 0, &[&ids(pid, pid), &about, path.as_bytes()])
    }

    fn stack(pid: u32, chain: &[u64]) -> Vec<u8> {
        let content = words(&[&[chain.len() as u64], chain].concat());
        record(RECORD_SAMPLE, 0, &[&ids(pid, pid), &content])
    }

    #[test]
    fn stacks_are_counted_by_process_and_place() {
        let mut samples = Samples::default();
        samples.add(
            &[
                exec(7, "bench-0123abcd"),
                mapping(7, 0x1000, 0x1000, 0x200, "/w/bench"),
                stack(
                    7,
                    &[CONTEXT_KERNEL, 0xffff_8000, CONTEXT_USER, 0x1010, 0x1021],
                ),
                stack(
                    7,
                    &[CONTEXT_KERNEL, 0xffff_8000, CONTEXT_USER, 0x1010, 0x1021],
                ),
                stack(7, &[CONTEXT_USER, 0x9000]),
                stack(8, &[CONTEXT_USER, 0x1010]),
            ]
            .concat(),
        );
        let frames = vec![
            // The caller: one less, for it is where the call returns to.
            Frame::File(0, 0x220),
            Frame::File(0, 0x210),
            Frame::Kernel(0xffff_8000),
        ];
        let expected = BTreeMap::from([
            (("bench".to_owned(), frames), 2),
            (("bench".to_owned(), vec![Frame::Unknown]), 1),
        ]);
        assert_eq!(samples.stacks, expected);
        assert_eq!((samples.taken, samples.lost), (3, 0));
    }

    #[test]
    fn a_child_has_its_parents_memory_until_it_executes_another_program() {
        let mut samples = Samples::default();
        let fork = record(RECORD_FORK, 0, &[&ids(8, 7), &ids(8, 7), &words(&[0])]);
        samples.add(
            &[
                exec(7, "sh"),
                mapping(7, 0x1000, 0x1000, 0, "/bin/sh"),
                fork,
                stack(8, &[CONTEXT_USER, 0x1010]),
                exec(8, "cargo"),
                stack(8, &[CONTEXT_USER, 0x1010]),
            ]
            .concat(),
        );
        let expected = BTreeMap::from([
            (("sh".to_owned(), vec![Frame::File(0, 0x10)]), 1),
            (("cargo".to_owned(), vec![Frame::Unknown]), 1),
        ]);
        assert_eq!(samples.stacks, expected);
    }

    #[test]
    fn what_is_lost_or_cut_short_is_counted() {
        let mut samples = Samples::default();
        samples.add(&record(RECORD_LOST, 0, &[&words(&[1, 40])]));
        samples.add(&exec(7, "sh"));
        samples.add(&record(
            RECORD_SAMPLE,
            0,
            &[&ids(7, 7), &words(&[9, 0x1010])],
        ));
        samples.add(&[9, 0, 0, 0, 0, 0, 200, 0]);
        assert_eq!((samples.taken, samples.lost), (0, 42));
    }

    #[test]
    fn folds_with_names_of_files_that_are_gone() {
        let mut samples = Samples::default();
        samples.add(
            &[
                exec(7, "a;b"),
                mapping(7, 0x1000, 0x1000, 0, "/gone/program-00ff"),
                stack(7, &[CONTEXT_USER, 0x1010]),
                stack(7, &[CONTEXT_USER, 0x1018]),
                stack(7, &[CONTEXT_USER, 0x9000]),
            ]
            .concat(),
        );
        assert_eq!(
            samples.fold(Path::new("/w"), Path::new("/t")),
            "a:b;[program] 2\na:b;[unknown] 1\n"
        );
    }

    #[test]
    fn what_only_starts_a_benchmark_is_left_out() {
        let mut samples = Samples::default();
        samples.add(&[exec(7, "cargo"), stack(7, &[CONTEXT_USER, 0x1010])].concat());
        let fold = |samples: &Samples| samples.fold(Path::new("/w"), Path::new("/t"));
        assert_eq!(fold(&samples), "cargo;[unknown] 1\n");
        samples.add(&[exec(8, "bench-01"), stack(8, &[CONTEXT_USER, 0x1010])].concat());
        assert_eq!(fold(&samples), "bench;[unknown] 1\n");
    }

    /// Names of this very program, found where another folder is said to be shown.
    #[test]
    fn names_functions_of_a_file_shown_elsewhere() {
        #[inline(never)]
        fn named() -> u64 {
            std::hint::black_box(named as *const () as u64)
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let address = named();
        let (start, offset, path) = maps
            .lines()
            .find_map(|line| {
                let fields: Vec<_> = line.split_whitespace().collect();
                let (start, end) = fields[0].split_once('-')?;
                let hex = |text| u64::from_str_radix(text, 16).ok();
                (hex(start)?..hex(end)?).contains(&address).then_some((
                    hex(start)?,
                    hex(fields[2])?,
                    PathBuf::from(fields.get(5)?),
                ))
            })
            .unwrap();
        let folder = path.parent().unwrap();
        let shown = Path::new("/shown").join(path.file_name().unwrap());
        let mut samples = Samples::default();
        samples.add(
            &[
                exec(7, "test"),
                mapping(7, start, 1 << 30, offset, shown.to_str().unwrap()),
                stack(7, &[CONTEXT_USER, address]),
            ]
            .concat(),
        );
        let folded = samples.fold(Path::new("/shown"), folder);
        assert!(folded.contains("named 1\n"), "{folded}");
    }

    #[test]
    fn only_what_looks_like_a_hash_is_taken_off() {
        assert_eq!(without_hash("process_sample-"), "process_sample");
        assert_eq!(without_hash("fun_xdp-1a2b3c4"), "fun_xdp");
        assert_eq!(without_hash("cargo-criterion"), "cargo-criterion");
        assert_eq!(without_hash("-1a"), "-1a");
    }
}
