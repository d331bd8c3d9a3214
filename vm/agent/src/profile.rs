//! Profile: records where the time of processes goes that start while it runs. On the CPU
//! it takes stack samples. Off the CPU it takes the stack with which a thread left, and
//! how long it was gone. Both are folded to one line per stack, the input of flame
//! graphs. <https://github.com/brendangregg/FlameGraph>
//!
//! The clock is the guest's. So under icount a sample stands for a fixed number of
//! instructions, and two runs of the same program give nearly the same profile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use aya_obj::generated::perf_event_sample_format::*;
use aya_obj::generated::{perf_event_type, perf_sw_ids};
use blazesym::symbolize::source::{Elf, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};

use crate::kernel::functions_at;
use crate::perf_ring::{PerfRing, RECORD_LOST, RingRecord, records, software_event};
use crate::sys;

/// Names of the agent's own profiles: samples on the CPU, and microseconds off it.
pub const FOLDED: [&str; 2] = ["cpu.folded", "off-cpu.folded"];
/// The most bytes of one profile.
pub const MAX_BYTES: usize = 16 << 20;

/// Virtual nanoseconds between two samples: a prime, so that no loop runs in step with
/// it.
const PERIOD_NS: u64 = 499_979;
/// 16 MiB: enough for seconds of the deepest possible stacks, and for tens of thousands
/// of context switches, which come as fast as a command reads files.
const DATA_PAGES: usize = 4096;
const WAKEUP_BYTES: u32 = 1 << 20;
/// Limit of different stacks; samples of further ones are counted, but not kept.
const MAX_STACKS: usize = 100_000;

/// Programs that only start a benchmark, and would be most of the profile.
const STARTERS: [&str; 4] = ["sh", "cargo", "cargo-criterion", "go"];

const RECORD_COMM: u32 = perf_event_type::PERF_RECORD_COMM as u32;
const RECORD_FORK: u32 = perf_event_type::PERF_RECORD_FORK as u32;
const RECORD_SAMPLE: u32 = perf_event_type::PERF_RECORD_SAMPLE as u32;
const RECORD_MMAP2: u32 = perf_event_type::PERF_RECORD_MMAP2 as u32;
const RECORD_SWITCH_CPU_WIDE: u32 = perf_event_type::PERF_RECORD_SWITCH_CPU_WIDE as u32;
const RECORD_KSYMBOL: u32 = perf_event_type::PERF_RECORD_KSYMBOL as u32;
/// `PERF_RECORD_MISC_*` and `PERF_RECORD_KSYMBOL_FLAGS_*` of `linux/perf_event.h`.
const MISC_COMM_EXEC: u16 = 1 << 13;
const MISC_SWITCH_OUT: u16 = 1 << 13;
const KSYMBOL_UNREGISTER: u16 = 1;
/// The parent of the kernel's threads.
const KTHREADD: u32 = 2;

/// `PERF_CONTEXT_*` of `linux/perf_event.h`: values from here on say which kind of
/// addresses follow them.
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
    /// Starts sampling.
    pub fn start() -> Result<Self> {
        let sample_type = PERF_SAMPLE_IDENTIFIER as u64
            | PERF_SAMPLE_TID as u64
            | PERF_SAMPLE_TIME as u64
            | PERF_SAMPLE_CALLCHAIN as u64;
        let mut clock = software_event(perf_sw_ids::PERF_COUNT_SW_CPU_CLOCK, WAKEUP_BYTES);
        clock.__bindgen_anon_1.sample_period = PERIOD_NS;
        clock.sample_type = sample_type;
        clock.set_exclude_idle(1);
        clock.set_mmap(1);
        clock.set_mmap2(1);
        clock.set_comm(1);
        clock.set_comm_exec(1);
        clock.set_task(1);
        clock.set_ksymbol(1);
        // A sample of each thread that leaves the CPU, and a record of each that comes
        // back.
        let event = perf_sw_ids::PERF_COUNT_SW_CONTEXT_SWITCHES;
        let mut switches = software_event(event, WAKEUP_BYTES);
        switches.__bindgen_anon_1.sample_period = 1;
        switches.sample_type = sample_type;
        switches.set_context_switch(1);
        switches.set_sample_id_all(1);
        let mut samples = Samples::default();
        let mut rings = Vec::new();
        for cpu in 0..sys::online_cpus() {
            let mut ring = PerfRing::start(clock, cpu, DATA_PAGES)
                .context("the kernel takes no samples: CONFIG_PERF_EVENTS=y is needed")?;
            let id = ring
                .add(switches, cpu)
                .context("the kernel does not report context switches")?;
            samples.switches.insert(id);
            rings.push(ring);
        }
        let (stop_seen, stop) = io::pipe()?;
        let thread = thread::Builder::new()
            .name("sampler".into())
            .spawn(move || sample(samples, rings, &stop_seen))?;
        Ok(Self { stop, thread })
    }

    /// Ends the thread and returns its samples.
    pub fn finish(self) -> Result<Samples> {
        drop(self.stop);
        self.thread
            .join()
            .map_err(|_| anyhow!("the sampler panicked: report this"))?
    }
}

fn sample(mut samples: Samples, mut rings: Vec<PerfRing>, stop: &PipeReader) -> Result<Samples> {
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

/// The location of an address.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Frame {
    /// An address of the kernel.
    Kernel(u64),
    /// A BPF program, whose code was added to the kernel during sampling: its number in
    /// [`Samples::programs`].
    Program(u32),
    /// A place in a file: its number in [`Samples::files`], and the offset.
    File(u32, u64),
    /// Memory that belongs to no file.
    Unknown,
}

/// Executable memory of a process.
#[derive(Debug, Clone)]
struct Mapping {
    start: u64,
    len: u64,
    /// The offset of `start` in the file.
    offset: u64,
    file: Option<u32>,
}

#[derive(Debug, Default, Clone)]
struct Process {
    name: String,
    /// Mappings in order of arrival; the last one that holds an address counts.
    mappings: Vec<Mapping>,
}

/// A process's name and frames, outermost first.
type Stack = (String, Vec<Frame>);

/// Stacks of the processes that started during sampling.
#[derive(Debug, Default)]
pub struct Samples {
    processes: BTreeMap<u32, Process>,
    files: Vec<PathBuf>,
    /// Names of code that was added to the kernel during sampling.
    programs: Vec<String>,
    /// Its current places: start to length and number.
    code: BTreeMap<u64, (u64, u32)>,
    /// Ids of the events that sample threads leaving a CPU.
    switches: BTreeSet<u64>,
    /// The number of samples of each stack on a CPU.
    on_cpu: BTreeMap<Stack, u64>,
    /// Nanoseconds that threads were away, by the stack with which they left.
    off_cpu: BTreeMap<Stack, u64>,
    /// Threads that are away: the time and the stack with which they left.
    gone: BTreeMap<u32, (u64, Stack)>,
    /// Samples in `on_cpu`, and threads that left a CPU.
    pub taken: u64,
    /// Records that did not fit the ring, and samples beyond the limit of different
    /// stacks.
    pub lost: u64,
}

impl Samples {
    /// Adds the records of a ring.
    pub fn add(&mut self, bytes: &[u8]) {
        for record in records(bytes) {
            match record {
                Ok(record) => self.add_record(record),
                Err(_cut_short) => self.lose(1),
            }
        }
    }

    /// Counts lost records. The sum saturates, since a ring may report any number.
    fn lose(&mut self, records: u64) {
        self.lost = self.lost.saturating_add(records);
    }

    fn add_record(&mut self, record: RingRecord) {
        let mut content = Content(record.content);
        let added = match record.kind {
            RECORD_COMM => self.add_name(record.misc & MISC_COMM_EXEC != 0, &mut content),
            RECORD_FORK => self.add_fork(&mut content),
            RECORD_MMAP2 => self.add_mapping(&mut content),
            RECORD_SAMPLE => self.add_sample(&mut content),
            RECORD_SWITCH_CPU_WIDE if record.misc & MISC_SWITCH_OUT == 0 => {
                self.add_return(&mut content)
            }
            RECORD_KSYMBOL => self.add_code(&mut content),
            RECORD_LOST => content.u64().and_then(|_id| {
                self.lose(content.u64()?);
                Some(())
            }),
            _ => Some(()),
        };
        if added.is_none() {
            self.lose(1);
        }
    }

    /// Reads `u32 pid, tid; char name[]`
    fn add_name(&mut self, by_exec: bool, content: &mut Content) -> Option<()> {
        let (pid, tid) = (content.u32()?, content.u32()?);
        if pid != tid {
            return Some(());
        }
        let process = self.processes.entry(pid).or_default();
        // An older process can change its name too; it stays unnamed here.
        if by_exec || !process.name.is_empty() {
            process.name = without_hash(&content.text()).to_owned();
        }
        if by_exec {
            process.mappings.clear();
        }
        Some(())
    }

    /// Reads `u32 pid, ppid, tid, ptid; u64 time`
    fn add_fork(&mut self, content: &mut Content) -> Option<()> {
        let (pid, parent) = (content.u32()?, content.u32()?);
        if pid != parent && parent != KTHREADD {
            let process = self.processes.get(&parent).cloned().unwrap_or_default();
            self.processes.insert(pid, process);
        }
        Some(())
    }

    /// Reads `u32 pid, tid; u64 addr, len, pgoff; 24 bytes about the inode; u32 prot,
    /// flags; char path[]`
    fn add_mapping(&mut self, content: &mut Content) -> Option<()> {
        let (pid, _tid) = (content.u32()?, content.u32()?);
        let (start, len, offset) = (content.u64()?, content.u64()?, content.u64()?);
        content.skip(24 + 8)?;
        let path = content.text();
        let is_file = path.starts_with('/');
        let file = is_file.then(|| number_of(&mut self.files, path.into()));
        // Older processes are ignored.
        if let Some(process) = self.processes.get_mut(&pid) {
            process.mappings.push(Mapping {
                start,
                len,
                offset,
                file,
            });
        }
        Some(())
    }

    /// Reads `u64 addr; u32 len; u16 type, flags; char name[]`
    fn add_code(&mut self, content: &mut Content) -> Option<()> {
        let (start, len, kind) = (content.u64()?, content.u32()?, content.u32()?);
        if (kind >> 16) as u16 & KSYMBOL_UNREGISTER != 0 {
            self.code.remove(&start);
            return Some(());
        }
        let name = format!("{}_[bpf]", without_tag(&content.text()));
        let number = number_of(&mut self.programs, name);
        self.code.insert(start, (u64::from(len), number));
        Some(())
    }

    /// Reads `u64 id; u32 pid, tid; u64 time, count; u64 chain[count]`, innermost first.
    fn add_sample(&mut self, content: &mut Content) -> Option<()> {
        let (id, pid, tid) = (content.u64()?, content.u32()?, content.u32()?);
        let (time, count) = (content.u64()?, content.u64()?);
        // Older processes, the agent and the kernel's threads, are not the command.
        // Neither is the agent's child until it has become the command.
        let Some(process) = self
            .processes
            .get(&pid)
            .filter(|process| !process.name.is_empty())
        else {
            return Some(());
        };
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
            // The return address after a call may already belong to another function.
            let address = address - u64::from(!innermost && address > 0);
            innermost = false;
            frames.push(if in_kernel {
                self.locate_in_kernel(address)
            } else {
                process.locate(address)
            });
        }
        frames.reverse();
        let stack = (process.name.clone(), frames);
        let kept = if self.switches.contains(&id) {
            self.gone.insert(tid, (time, stack));
            true
        } else {
            count_up(&mut self.on_cpu, stack, 1)
        };
        if kept {
            self.taken += 1;
        } else {
            self.lose(1);
        }
        Some(())
    }

    /// Reads `u32 next_pid, next_tid`, then who and when: `u32 pid, tid; u64 time, id`.
    fn add_return(&mut self, content: &mut Content) -> Option<()> {
        content.skip(8)?;
        let (_pid, tid, time) = (content.u32()?, content.u32()?, content.u64()?);
        if let Some((since, stack)) = self.gone.remove(&tid)
            && !count_up(&mut self.off_cpu, stack, time.saturating_sub(since))
        {
            self.lose(1);
        }
        Some(())
    }

    fn locate_in_kernel(&self, address: u64) -> Frame {
        match self.code.range(..=address).next_back() {
            Some((start, (len, number))) if address - start < *len => Frame::Program(*number),
            _ => Frame::Kernel(address),
        }
    }

    /// The profiles of [`FOLDED`]: one line per stack, `process;outermost;...;innermost
    /// COUNT`, sorted. [`STARTERS`] are left out unless nothing else ran. Lines that do
    /// not fit into [`MAX_BYTES`] are left out, the rarest first, with a warning.
    ///
    /// `shown` is the folder's path for the commands, and `at` its path here.
    pub fn fold(&self, shown: &Path, at: &Path, warnings: &mut Vec<String>) -> [String; 2] {
        let names = self.names(shown, at);
        let mut fold = |stacks, unit, name| {
            let mut lines = fold_stacks(stacks, unit, &names);
            let lost = keep_largest(&mut lines, MAX_BYTES);
            if lost > 0 {
                warnings.push(format!(
                    "{lost} of the counts in {name} are left out: it would be larger than {} MiB",
                    MAX_BYTES >> 20
                ));
            }
            lines
                .iter()
                .map(|(line, count)| format!("{line} {count}\n"))
                .collect()
        };
        [
            fold(&self.on_cpu, 1, FOLDED[0]),
            fold(&self.off_cpu, 1000, FOLDED[1]),
        ]
    }

    fn names(&self, shown: &Path, at: &Path) -> BTreeMap<Frame, String> {
        let frames: BTreeSet<Frame> = self
            .on_cpu
            .keys()
            .chain(self.off_cpu.keys())
            .flat_map(|(_, frames)| frames.iter().copied())
            .collect();
        let symbolizer = Symbolizer::builder()
            .enable_code_info(false)
            .enable_inlined_fns(false)
            .build();
        let mut names = BTreeMap::from([(Frame::Unknown, "[unknown]".to_owned())]);
        for (number, name) in self.programs.iter().enumerate() {
            names.insert(Frame::Program(number as u32), plain(name));
        }

        let addresses: BTreeSet<u64> = frames
            .iter()
            .filter_map(|frame| match frame {
                Frame::Kernel(address) => Some(*address),
                _ => None,
            })
            .collect();
        let functions = functions_at(&addresses).unwrap_or_default();
        for address in addresses {
            let name = functions.get(&address).map(|name| plain(name));
            let name = name.unwrap_or_else(|| "[kernel]".into());
            names.insert(Frame::Kernel(address), format!("{name}_[k]"));
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
            // If the file is gone, or is not an ELF file, only its name is known.
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

/// The number of an item in a list, to which it is added if it is missing.
fn number_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let known = list.iter().position(|other| *other == item);
    let number = known.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    });
    number as u32
}

/// Adds to a stack's count; returns whether there was room for it.
fn count_up(stacks: &mut BTreeMap<Stack, u64>, stack: Stack, by: u64) -> bool {
    if stacks.len() >= MAX_STACKS && !stacks.contains_key(&stack) {
        return false;
    }
    let count = stacks.entry(stack).or_default();
    *count = count.saturating_add(by);
    true
}

/// Folds stacks to lines, with counts in units of `unit`.
fn fold_stacks(
    stacks: &BTreeMap<Stack, u64>,
    unit: u64,
    names: &BTreeMap<Frame, String>,
) -> BTreeMap<String, u64> {
    let is_starter = |process: &str| STARTERS.contains(&process);
    let all = stacks.keys().all(|(process, _)| is_starter(process));
    let mut lines = BTreeMap::<String, u64>::new();
    for ((process, frames), count) in stacks {
        if is_starter(process) && !all {
            continue;
        }
        let mut line = plain(process);
        for frame in frames {
            line.push(';');
            line.push_str(&names[frame]);
        }
        let sum = lines.entry(line).or_default();
        *sum = sum.saturating_add(*count);
    }
    lines.retain(|_, count| {
        *count /= unit;
        *count > 0
    });
    lines
}

/// Removes the rarest lines until the rest fits `max_bytes`. Returns the sum of their
/// counts.
fn keep_largest(lines: &mut BTreeMap<String, u64>, max_bytes: usize) -> u64 {
    /// Bytes of a blank, the largest number and the end of the line.
    const BESIDE: usize = 22;
    let mut bytes: usize = lines.keys().map(|line| line.len() + BESIDE).sum();
    if bytes <= max_bytes {
        return 0;
    }
    let mut rarest: Vec<(u64, String)> = lines
        .iter()
        .map(|(line, count)| (*count, line.clone()))
        .collect();
    rarest.sort();
    let mut lost = 0_u64;
    for (count, line) in rarest {
        if bytes <= max_bytes {
            break;
        }
        bytes -= line.len() + BESIDE;
        lost = lost.saturating_add(count);
        lines.remove(&line);
    }
    lost
}

impl Process {
    fn locate(&self, address: u64) -> Frame {
        self.mappings
            .iter()
            .rev()
            .find(|mapping| address.wrapping_sub(mapping.start) < mapping.len)
            .and_then(|mapping| {
                let into = address.checked_sub(mapping.start)?;
                let offset = mapping.offset.checked_add(into)?;
                Some(Frame::File(mapping.file?, offset))
            })
            .unwrap_or(Frame::Unknown)
    }
}

fn name_of(symbolized: Option<&Symbolized>) -> Option<String> {
    Some(plain(&symbolized?.as_sym()?.name))
}

/// Replaces the separator of folded lines and control characters.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ':',
            c if c.is_control() => '?',
            c => c,
        })
        .collect()
}

/// Removes the tag from a BPF program's name. The kernel names programs
/// `bpf_prog_TAG_NAME`, with a tag that differs between base and head when the program
/// does.
fn without_tag(name: &str) -> &str {
    let named = name.strip_prefix("bpf_prog_").and_then(|rest| {
        let (tag, name) = rest.split_once('_')?;
        (tag.len() == 16 && tag.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
    });
    named.unwrap_or(name)
}

/// Removes Cargo's hash from a name. Cargo names executables `NAME-HASH`, with a hash
/// that may differ between base and head. The kernel cuts names to 15 bytes, and may
/// leave a part of it or none.
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

    const CLOCK: u64 = 1;
    const SWITCHES: u64 = 2;

    fn samples() -> Samples {
        Samples {
            switches: BTreeSet::from([SWITCHES]),
            ..Samples::default()
        }
    }

    fn sample(id: u64, tid: u32, time: u64, chain: &[u64]) -> Vec<u8> {
        let content = words(&[&[time, chain.len() as u64], chain].concat());
        record(RECORD_SAMPLE, 0, &[&words(&[id]), &ids(7, tid), &content])
    }

    fn stack(pid: u32, chain: &[u64]) -> Vec<u8> {
        let content = words(&[&[0, chain.len() as u64], chain].concat());
        record(
            RECORD_SAMPLE,
            0,
            &[&words(&[CLOCK]), &ids(pid, pid), &content],
        )
    }

    fn switch(misc: u16, tid: u32, time: u64) -> Vec<u8> {
        let content = [ids(0, 0), ids(7, tid), words(&[time, SWITCHES])].concat();
        record(RECORD_SWITCH_CPU_WIDE, misc, &[&content])
    }

    fn fold(samples: &Samples) -> [String; 2] {
        let mut warnings = Vec::new();
        let folded = samples.fold(Path::new("/w"), Path::new("/t"), &mut warnings);
        assert!(warnings.is_empty(), "{warnings:?}");
        folded
    }

    #[test]
    fn stacks_are_counted_by_process_and_place() {
        let mut samples = samples();
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
            // The caller's address is one less, because it is where the call returns to.
            Frame::File(0, 0x220),
            Frame::File(0, 0x210),
            Frame::Kernel(0xffff_8000),
        ];
        let expected = BTreeMap::from([
            (("bench".to_owned(), frames), 2),
            (("bench".to_owned(), vec![Frame::Unknown]), 1),
        ]);
        assert_eq!(samples.on_cpu, expected);
        assert_eq!((samples.taken, samples.lost), (3, 0));
    }

    #[test]
    fn a_child_has_its_parents_mappings_until_exec() {
        let mut samples = samples();
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
        assert_eq!(samples.on_cpu, expected);
    }

    #[test]
    fn lost_and_truncated_samples_are_counted() {
        let mut samples = samples();
        samples.add(&record(RECORD_LOST, 0, &[&words(&[1, 40])]));
        samples.add(&exec(7, "sh"));
        samples.add(&record(
            RECORD_SAMPLE,
            0,
            &[&words(&[CLOCK]), &ids(7, 7), &words(&[0, 9, 0x1010])],
        ));
        samples.add(&[9, 0, 0, 0, 0, 0, 200, 0]);
        assert_eq!((samples.taken, samples.lost), (0, 42));
    }

    #[test]
    fn stacks_with_deleted_files_are_folded_with_file_names() {
        let mut samples = samples();
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
            fold(&samples),
            [
                "a:b;[program] 2\na:b;[unknown] 1\n".to_owned(),
                String::new()
            ]
        );
    }

    #[test]
    fn programs_that_start_a_benchmark_are_left_out() {
        let mut samples = samples();
        samples.add(&[exec(7, "cargo"), stack(7, &[CONTEXT_USER, 0x1010])].concat());
        assert_eq!(fold(&samples)[0], "cargo;[unknown] 1\n");
        samples.add(&[exec(8, "bench-01"), stack(8, &[CONTEXT_USER, 0x1010])].concat());
        assert_eq!(fold(&samples)[0], "bench;[unknown] 1\n");
    }

    #[test]
    fn a_thread_is_off_the_cpu_from_switch_out_to_switch_in() {
        let mut samples = samples();
        samples.add(
            &[
                exec(7, "bench"),
                sample(SWITCHES, 7, 1_000, &[CONTEXT_USER, 0x1010]),
                // The switch-out record that follows the sample changes nothing.
                switch(MISC_SWITCH_OUT, 7, 1_001),
                sample(SWITCHES, 8, 2_000, &[CONTEXT_USER, 0x2010]),
                switch(0, 7, 501_000),
                // It was already away when sampling started.
                switch(0, 9, 501_500),
                sample(SWITCHES, 7, 600_000, &[CONTEXT_USER, 0x1010]),
                switch(0, 7, 600_900),
            ]
            .concat(),
        );
        let [on_cpu, off_cpu] = fold(&samples);
        assert_eq!(on_cpu, "");
        // 500.9 microseconds; thread 8 has not come back.
        assert_eq!(off_cpu, "bench;[unknown] 500\n");
        assert_eq!((samples.taken, samples.lost), (3, 0));
    }

    #[test]
    fn a_bpf_program_has_its_name_while_it_is_loaded() {
        let code = |address: u64, flags: u32| {
            let content = [&1_u32.to_ne_bytes()[..], &(flags << 16 | 1).to_ne_bytes()].concat();
            let len_kind = [&64_u32.to_ne_bytes()[..], &content[4..]].concat();
            let name = b"bpf_prog_0123456789abcdef_fun_xdp\0";
            record(RECORD_KSYMBOL, 0, &[&words(&[address]), &len_kind, name])
        };
        let mut samples = samples();
        let at = |address| stack(7, &[CONTEXT_KERNEL, address]);
        samples.add(
            &[
                exec(7, "bench"),
                code(0xffff_0000, 0),
                at(0xffff_003f),
                at(0xffff_0040),
                code(0xffff_0000, u32::from(KSYMBOL_UNREGISTER)),
                at(0xffff_003f),
            ]
            .concat(),
        );
        let frames: Vec<_> = samples.on_cpu.keys().map(|(_, frames)| frames[0]).collect();
        let expected = [
            Frame::Kernel(0xffff_003f),
            Frame::Kernel(0xffff_0040),
            Frame::Program(0),
        ];
        assert_eq!(frames, expected);
        assert_eq!(samples.programs, ["fun_xdp_[bpf]"]);
    }

    #[test]
    fn processes_older_than_the_profile_have_no_name() {
        let mut samples = samples();
        let name = |pid| record(RECORD_COMM, 0, &[&ids(pid, pid), b"kworker/0:1\0"]);
        let fork = record(
            RECORD_FORK,
            0,
            &[&ids(8, KTHREADD), &ids(8, 2), &words(&[0])],
        );
        let at = |pid| stack(pid, &[CONTEXT_KERNEL, 0xffff_8000]);
        samples.add(
            &[
                fork,
                name(8),
                at(8),
                name(9),
                at(9),
                mapping(10, 0, 1, 0, "/x"),
            ]
            .concat(),
        );
        assert_eq!(samples.on_cpu, BTreeMap::new());
        assert_eq!(samples.lost, 0);
    }

    #[test]
    fn the_rarest_lines_are_dropped_above_the_size_limit() {
        let line = |name: &str, count| (name.to_owned(), count);
        let mut lines = BTreeMap::from([line("a", 3), line("b", 1), line("c", 2)]);
        assert_eq!(keep_largest(&mut lines, 69), 0);
        assert_eq!(keep_largest(&mut lines, 68), 1);
        assert_eq!(lines, BTreeMap::from([line("a", 3), line("c", 2)]));
        assert_eq!(keep_largest(&mut lines, 0), 5);
    }

    /// Finds names of this very program, which is said to be shown in another folder.
    #[test]
    fn a_file_mounted_elsewhere_has_function_names() {
        #[inline(never)]
        fn named() -> u64 {
            std::hint::black_box(named as *const () as u64)
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let address = named();
        let (start, offset, path) = maps
            .lines()
            .find_map(|line| {
                let fields: Vec<_> = line.splitn(6, ' ').collect();
                let (start, end) = fields[0].split_once('-')?;
                let hex = |text| u64::from_str_radix(text, 16).ok();
                (hex(start)?..hex(end)?).contains(&address).then_some((
                    hex(start)?,
                    hex(fields[2])?,
                    PathBuf::from(fields.get(5)?.trim_start()),
                ))
            })
            .unwrap();
        let folder = path.parent().unwrap();
        let shown = Path::new("/shown").join(path.file_name().unwrap());
        let mut samples = samples();
        samples.add(
            &[
                exec(7, "test"),
                mapping(7, start, 1 << 30, offset, shown.to_str().unwrap()),
                stack(7, &[CONTEXT_USER, address]),
            ]
            .concat(),
        );
        let [folded, _] = samples.fold(Path::new("/shown"), folder, &mut Vec::new());
        assert!(folded.contains("named 1\n"), "{folded}");
    }

    #[test]
    fn only_a_hash_is_removed_from_a_name() {
        assert_eq!(without_hash("process_sample-"), "process_sample");
        assert_eq!(without_hash("fun_xdp-1a2b3c4"), "fun_xdp");
        assert_eq!(without_hash("cargo-criterion"), "cargo-criterion");
        assert_eq!(without_hash("-1a"), "-1a");
    }
}
