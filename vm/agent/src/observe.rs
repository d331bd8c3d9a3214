//! Observe: finds the BPF programs that a benchmark loads, without the benchmark's help.
//! It holds each new program by a file descriptor, which keeps it after its owner has
//! gone, and reads its counters at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::bpf::{self, Prog, ProgInfo};
use crate::btf::{self, Btf};
use crate::inside::{self, Describer, Seen};
use crate::lines;
use crate::loads::LoadNotices;
use crate::record::{Code, Count, Inside, Source};
use crate::sys;

/// The pause between two walks on kernels without notices of loads.
const POLL: Duration = Duration::from_millis(2);
/// The kernel frees programs some time after their last user has gone.
const UNLOAD_STEP: Duration = Duration::from_millis(10);
const UNLOAD_STEPS: u32 = 50;
/// Attempts to read equal counters in two ways, while the program may run.
const AGREE_ATTEMPTS: u32 = 3;

/// A thread that holds new programs, until [`Watcher::finish`].
pub struct Watcher {
    /// Closing it ends the thread.
    stop: PipeWriter,
    thread: JoinHandle<Result<Held>>,
}

/// Programs that were loaded after the watcher started.
#[derive(Default)]
pub struct Held {
    before: BTreeSet<u32>,
    programs: BTreeMap<u32, Prog>,
    /// What QEMU's plugin sees of them; `None` where there is no plugin.
    seen: Option<BTreeMap<u32, Seen>>,
    /// Programs that were reported, but gone before they could be held.
    missed: BTreeSet<u32>,
    /// Why programs may have been missed.
    warnings: Vec<String>,
}

/// One program at the end of a reading.
#[derive(Debug)]
pub struct Observed {
    /// The kernel's description.
    pub info: ProgInfo,
    /// Full name; see [`btf::full_name`].
    pub name: String,
    /// See [`btf::main_source`].
    pub source: Option<Source>,
    /// See [`lines::describe`].
    pub machine_code: Option<Code>,
    /// Why the counters cannot be trusted.
    pub warning: Option<String>,
    /// What QEMU's plugin saw of its runs, if it looked. A program that another one tail-calls has none of its own.
    pub inside: Option<Inside>,
}

/// All programs of a reading.
#[derive(Debug, Default)]
pub struct Observation {
    /// Programs in load order.
    pub programs: Vec<Observed>,
    /// Problems that concern the whole reading.
    pub warnings: Vec<String>,
}

impl Watcher {
    /// Returns once the thread watches: programs loaded from now on are new. `inside`: QEMU's
    /// plugin looks at them.
    pub fn start(inside: bool) -> Result<Self> {
        let (stop_seen, stop) = io::pipe()?;
        let (ready, is_ready) = mpsc::sync_channel(1);
        let thread = thread::Builder::new()
            .name("watcher".into())
            .spawn(move || watch(&stop_seen, &ready, inside))?;
        // An error here is the thread's; `finish` returns it.
        let _ = is_ready.recv();
        Ok(Self { stop, thread })
    }

    /// Ends the thread after one more look, and returns what it holds.
    pub fn finish(self) -> Result<Held> {
        drop(self.stop);
        self.thread
            .join()
            .map_err(|_| anyhow!("the watcher of BPF programs panicked: report this"))?
    }
}

fn watch(stop: &PipeReader, ready: &mpsc::SyncSender<()>, inside: bool) -> Result<Held> {
    let mut held = Held {
        seen: inside.then(BTreeMap::new),
        ..Held::default()
    };
    if let Err(error) = sys::schedule(0, libc::SCHED_FIFO, 1) {
        held.warnings.push(format!(
            "the watcher cannot run before other threads ({error}): short-lived BPF programs may be missed"
        ));
    }
    held.before = all_ids()?.into_iter().collect();
    let notices: io::Result<Vec<_>> = (0..sys::online_cpus()).map(LoadNotices::start).collect();
    match notices {
        Ok(mut notices) => watch_notices(&mut held, &mut notices, stop, ready)?,
        Err(error) => {
            held.warnings.push(format!(
                "the kernel gives no notices of BPF loads ({error}): looking every {} ms, which may miss short-lived programs; CONFIG_PERF_EVENTS=y helps",
                POLL.as_millis()
            ));
            watch_by_walking(&mut held, stop, ready)?;
        }
    }
    Ok(held)
}

fn watch_notices(
    held: &mut Held,
    notices: &mut [LoadNotices],
    stop: &PipeReader,
    ready: &mpsc::SyncSender<()>,
) -> Result<()> {
    let _ = ready.send(());
    loop {
        let fds: Vec<_> = [Some(stop.as_fd())]
            .into_iter()
            .chain(notices.iter().map(|cpu| Some(cpu.as_fd())))
            .collect();
        let stopped = sys::wait_readable(&fds, None)?[0];
        for cpu in &mut *notices {
            let news = cpu.take();
            for id in news.loaded {
                held.hold(id)?;
            }
            if news.lost {
                held.walk()?;
            }
        }
        if stopped {
            return held.walk();
        }
    }
}

fn watch_by_walking(
    held: &mut Held,
    stop: &PipeReader,
    ready: &mpsc::SyncSender<()>,
) -> Result<()> {
    let _ = ready.send(());
    loop {
        let stopped = sys::wait_readable(&[Some(stop.as_fd())], Some(POLL))?[0];
        held.walk()?;
        if stopped {
            return Ok(());
        }
    }
}

/// Ids of all loaded programs.
fn all_ids() -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    let mut last = 0;
    while let Some(id) = bpf::next_prog_id(last).context("cannot list BPF programs")? {
        ids.push(id);
        last = id;
    }
    Ok(ids)
}

impl Held {
    fn hold(&mut self, id: u32) -> Result<()> {
        if self.before.contains(&id) || self.programs.contains_key(&id) {
            return Ok(());
        }
        match Prog::open(id).with_context(|| format!("cannot open BPF program {id}"))? {
            Some(prog) => {
                self.missed.remove(&id);
                // The benchmark goes on after this, and has not run the program yet.
                if let Some(seen) = &mut self.seen
                    && let Some(own) = Seen::prepare(&prog)
                        .with_context(|| format!("cannot read the code of BPF program {id}"))?
                {
                    own.open();
                    seen.insert(id, own);
                }
                self.programs.insert(id, prog);
            }
            None => {
                self.missed.insert(id);
            }
        }
        Ok(())
    }

    fn walk(&mut self) -> Result<()> {
        for id in all_ids()? {
            self.hold(id)?;
        }
        Ok(())
    }

    /// Reads every program, releases them, and waits for the kernel to free them, so that
    /// they cannot disturb later readings.
    pub fn read(self, describer: &mut Describer) -> Result<Observation> {
        if self.seen.is_some() {
            inside::close();
        }
        let mut seen = self.seen.unwrap_or_default();
        let mut observation = Observation {
            programs: self
                .programs
                .iter()
                .map(|(id, prog)| read_program(prog, seen.remove(id), describer))
                .collect::<Result<_>>()?,
            warnings: self.warnings,
        };
        if let Some(first) = self.missed.first() {
            observation.warnings.push(format!(
                "{} BPF programs, from id {first} on, were gone before they could be held: their counts are unknown",
                self.missed.len()
            ));
        }
        let ids: BTreeSet<u32> = self.programs.into_keys().collect();
        let mut left = ids.clone();
        for _ in 0..UNLOAD_STEPS {
            left = all_ids()?
                .into_iter()
                .filter(|id| ids.contains(id))
                .collect();
            if left.is_empty() {
                break;
            }
            thread::sleep(UNLOAD_STEP);
        }
        for id in left {
            let program = observation
                .programs
                .iter()
                .find(|program| program.info.id == id);
            observation.warnings.push(format!(
                "BPF program {id} {:?} is still loaded after its benchmark: unpin or detach it at the end of the benchmark, or it runs during later readings",
                program.map_or("", |program| program.name.as_str())
            ));
        }
        Ok(observation)
    }
}

fn read_program(prog: &Prog, seen: Option<Seen>, describer: &mut Describer) -> Result<Observed> {
    let (info, warning) = read_counters(prog)?;
    let described = describe(prog, &info);
    let (name, source, machine_code) = described.unwrap_or_else(|| (info.name.clone(), None, None));
    let reading = Count {
        run_cnt: info.run_cnt,
        run_time_ns: info.run_time_ns,
    };
    let inside = seen.map(|seen| {
        describer.begin();
        describer.describe(seen, reading, None)
    });
    Ok(Observed {
        info,
        name,
        source,
        machine_code,
        warning,
        inside,
    })
}

/// Reads the counters in two ways, which must agree.
fn read_counters(prog: &Prog) -> Result<(ProgInfo, Option<String>)> {
    let path = format!("/proc/self/fdinfo/{}", prog.fd_number());
    let mut attempt = 1;
    loop {
        let info = prog
            .info()
            .context("cannot read the counters of a BPF program")?;
        let fdinfo = std::fs::read_to_string(&path).map(|text| parse_fdinfo(&text));
        let warning = match fdinfo {
            Ok(Some(counters)) if counters == (info.run_time_ns, info.run_cnt) => None,
            Ok(Some((time, count))) => Some(format!(
                "program info says run_cnt {} run_time_ns {}, fdinfo says run_cnt {count} run_time_ns {time}: is it still running?",
                info.run_cnt, info.run_time_ns
            )),
            Ok(None) => Some("fdinfo has no run_cnt and run_time_ns to check against".into()),
            Err(error) => Some(format!("cannot read fdinfo to check against: {error}")),
        };
        if warning.is_none() || attempt == AGREE_ATTEMPTS {
            return Ok((info, warning));
        }
        attempt += 1;
    }
}

/// `run_time_ns` and `run_cnt` of `/proc/PID/fdinfo/FD`.
pub fn parse_fdinfo(text: &str) -> Option<(u64, u64)> {
    let field = |name: &str| {
        text.lines().find_map(|line| {
            line.strip_prefix(name)?
                .strip_prefix(':')?
                .trim()
                .parse()
                .ok()
        })
    };
    Some((field("run_time_ns")?, field("run_cnt")?))
}

/// Reads name, source and code of a program with BTF; `None` if that fails, since a result
/// does not depend on them.
fn describe(prog: &Prog, info: &ProgInfo) -> Option<(String, Option<Source>, Option<Code>)> {
    if info.btf_id == 0 {
        return None;
    }
    let blob = bpf::btf_blob(info.btf_id).ok()?;
    let (functions, lines) = prog.debug_records().ok()?;
    let image = prog.jit_image().unwrap_or_default();
    let btf = Btf::parse(&blob)?;
    Some((
        btf::full_name(&info.name, &btf, &functions),
        btf::main_source(&btf, &functions, &lines),
        lines::describe(&btf, &functions, &lines, &image),
    ))
}

/// Numbers the programs with the same name and type, in the order given, from 0.
pub fn ordinals<'a>(programs: impl IntoIterator<Item = (&'a str, u32)>) -> Vec<u32> {
    let mut next: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    programs
        .into_iter()
        .map(|key| {
            let next = next.entry(key).or_default();
            *next += 1;
            *next - 1
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_fdinfo() {
        let text = "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nprog_type:\t6\nprog_jited:\t1\nprog_tag:\t57cd311f2e27366b\nmemlock:\t4096\nprog_id:\t7\nrun_time_ns:\t26000\nrun_cnt:\t136\nrecursion_misses:\t0\nverified_insns:\t2\n";
        assert_eq!(parse_fdinfo(text), Some((26000, 136)));
        assert_eq!(parse_fdinfo("prog_type:\t6\n"), None);
        assert_eq!(parse_fdinfo("run_time_ns:\tx\nrun_cnt:\t1\n"), None);
    }

    #[test]
    fn ordinals_count_equal_name_and_type() {
        let programs = [("a", 6), ("b", 6), ("a", 6), ("a", 3), ("a", 6)];
        assert_eq!(ordinals(programs), [0, 0, 1, 0, 2]);
    }
}
