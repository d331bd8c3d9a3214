//! Inputs: runs a loaded program on packets or a context, by `BPF_PROG_TEST_RUN`, or attached
//! while a workload runs, and counts what that takes. Each reading begins with the input as it
//! was given and with empty maps, so equal programs have equal counts.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use aya_obj::generated::bpf_attach_type::{self, BPF_XDP_CPUMAP, BPF_XDP_DEVMAP};
use aya_obj::generated::bpf_prog_type::{self, *};
use aya_obj::generated::{BPF_ABS, BPF_F_SLEEPABLE, BPF_IND, BPF_LD, bpf_func_id};

use crate::attach::{self, Attachable, NO_STATS};
use crate::bpf::{self, CALL, Insn, Prog, TestInput, prog_type_name};
use crate::bpf_load::ProgLoad;
use crate::converge::is_settled;
use crate::digest::sha256;
use crate::hook::{ANY_FUNCTION, Hook};
use crate::inside::{Describer, Seen};
use crate::plan::{ContextInput, Packet, Ticks};
use crate::record::{Count, InputRun, Inside, Instead};
use crate::section::Kind;
use crate::struct_ops::Structure;
use crate::sys::{self, errno_name};
use crate::workload::Workload;

/// Runs on an input in a reading: the first finds the maps empty, the others what it left
/// there.
const RUNS: u32 = 10;
/// Readings at most, until their lowest total is proven.
const MAX_READINGS: usize = 10;
/// Guest time for all readings of a program, less than what the agent allows for it.
const TIME: Duration = Duration::from_secs(20);

/// What programs of a type run on.
#[derive(Clone, Copy)]
enum Takes {
    Packet,
    /// A packet, seen through a packet socket.
    Frame,
    Context,
}

/// Types of programs that run on an input.
const TYPES: [(bpf_prog_type, Takes); 14] = [
    (BPF_PROG_TYPE_SOCKET_FILTER, Takes::Frame),
    (BPF_PROG_TYPE_SCHED_CLS, Takes::Packet),
    (BPF_PROG_TYPE_SCHED_ACT, Takes::Packet),
    (BPF_PROG_TYPE_XDP, Takes::Packet),
    (BPF_PROG_TYPE_CGROUP_SKB, Takes::Packet),
    (BPF_PROG_TYPE_LWT_IN, Takes::Packet),
    (BPF_PROG_TYPE_LWT_OUT, Takes::Packet),
    (BPF_PROG_TYPE_LWT_XMIT, Takes::Packet),
    (BPF_PROG_TYPE_LWT_SEG6LOCAL, Takes::Packet),
    (BPF_PROG_TYPE_FLOW_DISSECTOR, Takes::Packet),
    (BPF_PROG_TYPE_NETFILTER, Takes::Packet),
    (BPF_PROG_TYPE_RAW_TRACEPOINT, Takes::Context),
    (BPF_PROG_TYPE_SYSCALL, Takes::Context),
    (BPF_PROG_TYPE_SK_LOOKUP, Takes::Context),
];

/// What an empty program of a type returns to change nothing.
fn verdict(prog_type: bpf_prog_type, kind: &Kind, hook: Option<&Hook>) -> i32 {
    match prog_type {
        BPF_PROG_TYPE_XDP => 2,
        BPF_PROG_TYPE_STRUCT_OPS => match hook {
            // A window, in segments.
            Some(Hook::Function(own)) if own.of == Structure::Congestion => 2,
            _ => 0,
        },
        BPF_PROG_TYPE_CGROUP_SKB
        | BPF_PROG_TYPE_CGROUP_SOCK
        | BPF_PROG_TYPE_CGROUP_SOCK_ADDR
        | BPF_PROG_TYPE_CGROUP_DEVICE
        | BPF_PROG_TYPE_CGROUP_SYSCTL
        | BPF_PROG_TYPE_CGROUP_SOCKOPT
        | BPF_PROG_TYPE_SOCK_OPS
        | BPF_PROG_TYPE_SK_SKB
        | BPF_PROG_TYPE_SK_MSG
        | BPF_PROG_TYPE_SK_REUSEPORT
        | BPF_PROG_TYPE_NETFILTER
        | BPF_PROG_TYPE_SK_LOOKUP => 1,
        BPF_PROG_TYPE_LSM if kind.attach_type == bpf_attach_type::BPF_LSM_CGROUP as u32 => 1,
        _ => 0,
    }
}

/// The name of the workload's runs in results.
pub const WORKLOAD: &str = "workload";

/// Whether programs of a kind run on an input.
pub fn takes_input(kind: &Kind) -> bool {
    let redirected = [BPF_XDP_DEVMAP, BPF_XDP_CPUMAP].map(|each| each as u32);
    find(kind.prog_type).is_some() && !redirected.contains(&kind.attach_type)
}

fn find(prog_type: u32) -> Option<Takes> {
    let known = TYPES.iter().find(|(ty, _)| *ty as u32 == prog_type);
    known.map(|&(_, takes)| takes)
}

/// A program as it is loaded.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub kind: &'a Kind,
    pub attach_btf_id: u32,
    pub insns: &'a [Insn],
}

/// Whether a program reads the packet from where the kernel found a header, instead of from
/// its start: by the helper for it, or at a negative offset of an old load.
fn reads_from_headers(insns: &[Insn]) -> bool {
    const HELPER: i32 = bpf_func_id::BPF_FUNC_skb_load_bytes_relative as i32;
    /// Class and mode of an opcode.
    const LOAD: u8 = 0xe7;
    const OLD_LOADS: [u8; 2] = [(BPF_LD | BPF_ABS) as u8, (BPF_LD | BPF_IND) as u8];
    insns.iter().any(|insn| match insn.code() {
        CALL => insn.source() == 0 && insn.immediate() == HELPER,
        code => OLD_LOADS.contains(&(code & LOAD)) && insn.immediate() < 0,
    })
}

/// Runs programs.
pub struct Runner<'a> {
    packets: &'a [Packet],
    contexts: &'a [ContextInput],
    ticks: Ticks,
    /// See [`Workload::prepare`].
    tested: Option<u32>,
    /// Readings of empty programs, by program type, attach type, flags and hook.
    empties: BTreeMap<(u32, u32, u32, Option<Hook>), Empty>,
    /// Describes what QEMU's plugin sees, if there is one.
    describer: Option<Describer>,
    /// BPF statistics, on while programs run on inputs.
    stats: Option<OwnedFd>,
    /// `None` until it is needed.
    workload: Option<Result<Workload, String>>,
}

/// The lowest reading of an empty program, and its window.
type Empty = (Count, Option<u64>);

/// Readings of a program.
#[derive(Default)]
struct CountsSeen {
    counts: Vec<Count>,
    /// What the plugin saw of the one with the fewest instructions a run.
    seen: Option<(Seen, Count)>,
}

impl CountsSeen {
    fn push(&mut self, (count, seen): (Count, Option<Seen>)) {
        self.counts.push(count);
        let all = [self.seen.take(), seen.map(|seen| (seen, count))];
        self.seen = all.into_iter().flatten().min_by_key(|own| by_run(&own.1));
    }
}

/// A reading of a program on an input, and what the first run returned and left, see [`Readings`].
type Reading = ((Count, Option<Seen>), u32, Option<Vec<u8>>);

/// The readings of one program on one input.
struct Readings {
    own: CountsSeen,
    /// The first run's return value.
    returned: u32,
    /// The packet that the first run left; `None` if there is none, or it is larger than
    /// any buffer.
    left: Option<Vec<u8>>,
}

impl<'a> Runner<'a> {
    /// Runs nothing yet.
    pub fn new(
        packets: &'a [Packet],
        contexts: &'a [ContextInput],
        ticks: Ticks,
        tested: Option<u32>,
        inside: bool,
    ) -> Self {
        Self {
            packets,
            contexts,
            ticks,
            tested,
            empties: BTreeMap::new(),
            describer: inside.then(Describer::default),
            stats: None,
            workload: None,
        }
    }

    /// Runs a program on every input of its type. `fresh` loads it with empty maps; the error
    /// says why it cannot.
    pub fn run(
        &mut self,
        subject: Subject,
        mut fresh: impl FnMut() -> Result<Prog, String>,
    ) -> Vec<InputRun> {
        if self.stats.is_none() {
            match bpf::enable_stats() {
                Ok(stats) => self.stats = Some(stats),
                Err(error) => {
                    let reason = format!("{NO_STATS} ({})", errno_name(&error));
                    return vec![InputRun::failed("inputs", reason)];
                }
            }
        }
        let begun = Instant::now();
        let (inside, ticks) = (self.describer.is_some(), self.ticks);
        if let Some(describer) = &mut self.describer {
            describer.begin();
        }
        self.inputs(subject.kind.prog_type, subject.insns)
            .into_iter()
            .map(|(name, input)| {
                let readings = if begun.elapsed() > TIME {
                    Err(format!("its runs took more than {} s", TIME.as_secs()))
                } else {
                    take(&ticks, || read(&fresh()?, input, inside))
                };
                let empty = match &readings {
                    Ok(_) => self.empty(subject, None, |prog, _| {
                        take(&ticks, || read(&prog, input, inside))
                            .map(|readings| lowest(readings.own))
                    }),
                    Err(_) => Err(String::new()),
                };
                match readings {
                    Ok(Readings {
                        own,
                        returned,
                        left,
                    }) => InputRun {
                        returned: Some(returned),
                        left: left.map(|left| sha256([&left[..]])),
                        inside: self.describe(own.seen, &empty),
                        ..to_run(name, Ok(own.counts), empty)
                    },
                    Err(error) => InputRun::failed(name, error),
                }
            })
            .collect()
    }

    /// Runs an object's programs while all of them are attached. `fresh` loads them with empty
    /// maps that they share.
    pub fn run_attached(
        &mut self,
        subjects: &[(Subject, &Hook)],
        mut fresh: impl FnMut() -> Vec<Result<Prog, String>>,
    ) -> Vec<InputRun> {
        // System calls of the agent must not be counted with those of the workload.
        self.stats = None;
        // Its preparation loads modules, whose functions programs may be attached to.
        let _ = self.workload();
        let stand_ins: Vec<_> = subjects
            .iter()
            .map(|(_, hook)| attach::stand_in(hook))
            .collect();
        // Programs at another function than their own would change what the others find in maps.
        let (apart, together): (Vec<_>, Vec<_>) =
            (0..subjects.len()).partition(|&at| stand_ins[at].is_some());
        let mut runs = BTreeMap::new();
        for group in [together, apart] {
            let own: Vec<_> = group
                .iter()
                .map(|&at| {
                    let (subject, hook) = subjects[at];
                    let stand_in = stand_ins[at].as_ref();
                    (subject, stand_in.map_or(hook, |(hook, _)| hook))
                })
                .collect();
            let fresh_own = || {
                let mut all = fresh();
                let take = |&at: &usize| mem::replace(&mut all[at], Err(String::new()));
                group.iter().map(take).collect()
            };
            let (readings, calls) = self.read_together(&own, fresh_own);
            for ((&at, (subject, hook)), own) in group.iter().zip(own).zip(readings) {
                let (own, seen) = match own {
                    Ok(CountsSeen { counts, seen }) => (Ok(counts), seen),
                    Err(reason) => (Err(reason), None),
                };
                let instead = stand_ins[at].as_ref().map(|(_, because)| Instead {
                    at: ANY_FUNCTION,
                    because: because.clone(),
                });
                let empty = match &own {
                    Ok(_) => self.empty_attached(subject, hook),
                    Err(_) => Err(String::new()),
                };
                if let Some(describer) = &mut self.describer {
                    describer.begin();
                }
                let inside = self.describe(seen, &empty);
                let run = match hook {
                    Hook::Iterator => to_run("iteration", own, empty),
                    Hook::TestRun { .. } => to_run("zeros", own, empty),
                    _ => InputRun {
                        calls: calls.filter(|_| own.is_ok()),
                        instead,
                        ..to_run(WORKLOAD, own, empty)
                    },
                };
                runs.insert(at, InputRun { inside, ..run });
            }
        }
        runs.into_values().collect()
    }

    /// Takes readings of programs that are attached together, until they are proven. Also
    /// returns the number of the workload's calls in each.
    fn read_together(
        &mut self,
        subjects: &[(Subject, &Hook)],
        mut fresh: impl FnMut() -> Vec<Result<Prog, String>>,
    ) -> (Vec<Result<CountsSeen, String>>, Option<u32>) {
        let mut readings: Vec<_> = subjects.iter().map(|_| Ok(CountsSeen::default())).collect();
        let mut calls = None;
        if subjects.is_empty() {
            return (readings, calls);
        }
        // While the guest waits, its clock runs with the host's, which may be busy.
        let begun = sys::own_cpu_time();
        for _ in 0..MAX_READINGS {
            match self.observe(subjects, fresh(), &mut readings) {
                Ok(made) => calls = Some(made),
                Err(error) => {
                    readings.fill_with(|| Err(error.clone()));
                    break;
                }
            }
            let mut taken = readings.iter().flatten();
            let is_late = sys::own_cpu_time() - begun > TIME;
            if is_late || taken.all(|own| is_settled(&own.counts, &self.ticks)) {
                break;
            }
        }
        (readings, calls)
    }

    /// Describes what the plugin saw of a reading.
    fn describe(
        &mut self,
        seen: Option<(Seen, Count)>,
        empty: &Result<Empty, String>,
    ) -> Option<Inside> {
        let (seen, reading) = seen?;
        let window = empty.as_ref().ok().and_then(|(_, window)| *window);
        Some(self.describer.as_mut()?.describe(seen, reading, window))
    }

    /// The workload, prepared when it is first needed.
    fn workload(&mut self) -> Result<&Workload, String> {
        let prepared = self.workload.take().unwrap_or_else(|| {
            Workload::prepare(self.tested)
                .map_err(|error| format!("the workload cannot run: {error:#}"))
        });
        self.workload
            .insert(prepared)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// What an empty program costs that is attached like another.
    fn empty_attached(&mut self, subject: Subject, hook: &Hook) -> Result<Empty, String> {
        let Hook::Function(function) = hook else {
            return self.empty(subject, Some(hook), |prog, runner| {
                Ok(lowest(runner.read_attached(prog, subject.kind, hook)?))
            });
        };
        let (function, attach_type) = function.stand_in(subject.kind.flags & BPF_F_SLEEPABLE != 0);
        let hook = Hook::Function(function);
        let kind = Kind {
            attach_type,
            ..subject.kind.clone()
        };
        let subject = Subject {
            kind: &kind,
            ..subject
        };
        self.empty(subject, Some(&hook), |prog, runner| {
            Ok(lowest(runner.read_attached(prog, &kind, &hook)?))
        })
    }

    /// Takes one reading of those programs that have had no error. Returns the number of the
    /// workload's calls.
    fn observe(
        &mut self,
        subjects: &[(Subject, &Hook)],
        loaded: Vec<Result<Prog, String>>,
        readings: &mut [Result<CountsSeen, String>],
    ) -> Result<u32, String> {
        let inside = self.describer.is_some();
        let workload = self.workload()?;
        let mut attachable = Vec::new();
        let mut places = Vec::new();
        for (index, prog) in loaded.into_iter().enumerate() {
            match prog {
                Ok(prog) if readings[index].is_ok() => {
                    let (Subject { kind, .. }, hook) = subjects[index];
                    attachable.push(Attachable { prog, kind, hook });
                    places.push(index);
                }
                Err(reason) if readings[index].is_ok() => readings[index] = Err(reason),
                _ => {}
            }
        }
        let observed = attach::observe(&attachable, workload, inside)?;
        for (index, count) in places.into_iter().zip(observed.counts) {
            match (count, &mut readings[index]) {
                (Ok(count), Ok(own)) => own.push(count),
                // Some events are rare.
                (Err(_), Ok(own)) if !own.counts.is_empty() => {}
                (Err(reason), own) => *own = Err(reason),
                (Ok(_), Err(_)) => {}
            }
        }
        Ok(observed.calls)
    }

    /// Readings of one program that is attached alone.
    fn read_attached(&self, prog: Prog, kind: &Kind, hook: &Hook) -> Result<CountsSeen, String> {
        let Some(Ok(workload)) = &self.workload else {
            return Err("there is no workload".into());
        };
        let alone = [Attachable { prog, kind, hook }];
        let mut own = CountsSeen::default();
        let mut reason = None;
        for _ in 0..MAX_READINGS {
            let observed = attach::observe(&alone, workload, self.describer.is_some())?;
            for count in observed.counts {
                // Some events are rare.
                match count {
                    Ok(count) => own.push(count),
                    Err(error) => reason = Some(error),
                }
            }
            if is_settled(&own.counts, &self.ticks) {
                break;
            }
        }
        if let (Some(reason), true) = (reason, own.counts.is_empty()) {
            return Err(reason);
        }
        Ok(own)
    }

    /// Names and contents of what programs of this type run on.
    fn inputs(&self, prog_type: u32, insns: &[Insn]) -> Vec<(&'a str, TestInput<'a>)> {
        let packets = |input: fn(&'a [u8]) -> TestInput<'a>| {
            let packets = self.packets.iter();
            packets
                .map(|packet| (packet.name.as_str(), input(&packet.bytes)))
                .collect()
        };
        match find(prog_type) {
            Some(Takes::Packet) => packets(TestInput::Packet),
            // The kernel looks for headers behind the one that it takes away.
            Some(Takes::Frame) if reads_from_headers(insns) => packets(TestInput::Packet),
            Some(Takes::Frame) => packets(TestInput::Frame),
            Some(Takes::Context) => {
                let type_name = prog_type_name(prog_type);
                let own = self.contexts.iter();
                own.filter(|context| context.prog_type == type_name)
                    .map(|own| (own.name.as_str(), TestInput::Context(&own.bytes)))
                    .collect()
            }
            None => Vec::new(),
        }
    }

    /// Runs of an empty program of the same type, or why they cannot be counted. `read` takes
    /// its readings.
    fn empty(
        &mut self,
        Subject {
            kind,
            attach_btf_id,
            ..
        }: Subject,
        hook: Option<&Hook>,
        read: impl FnOnce(Prog, &Self) -> Result<Option<Empty>, String>,
    ) -> Result<Empty, String> {
        let key = (kind.prog_type, kind.attach_type, kind.flags, hook.cloned());
        if let Some(known) = self.empties.get(&key) {
            return Ok(*known);
        }
        let ty = bpf_prog_type::try_from(kind.prog_type)
            .map_err(|_| "its type is not known".to_owned())?;
        let insns = [Insn::mov_r0(verdict(ty, kind, hook)), Insn::exit()];
        let request = ProgLoad {
            prog_type: kind.prog_type,
            attach_type: kind.attach_type,
            flags: kind.flags,
            attach_btf_id,
            name: "empty",
            license: c"GPL",
            insns: &insns,
            ..ProgLoad::default()
        };
        let empty = request.load_quietly();
        let empty = empty.map_err(|error| format!("it was not loaded ({})", errno_name(&error)))?;
        let empty = read(empty, self)?.ok_or_else(|| "it did not run".to_owned())?;
        self.empties.insert(key, empty);
        Ok(empty)
    }
}

/// The reading with the fewest instructions a run, with its window.
fn lowest(CountsSeen { counts, seen }: CountsSeen) -> Option<Empty> {
    let lowest = counts.into_iter().min_by_key(by_run)?;
    Some((lowest, seen.map(|(seen, _)| seen.window())))
}

fn by_run(count: &Count) -> u64 {
    count.run_time_ns * 1_000_000 / count.run_cnt
}

fn to_run(
    name: &str,
    readings: Result<Vec<Count>, String>,
    empty: Result<Empty, String>,
) -> InputRun {
    match readings {
        Ok(readings) => InputRun {
            input: name.to_owned(),
            readings,
            empty: empty.as_ref().ok().map(|(count, _)| *count),
            no_empty: empty.err(),
            ..InputRun::default()
        },
        Err(error) => InputRun::failed(name, error),
    }
}

/// Takes readings until they are proven.
fn take(
    ticks: &Ticks,
    mut read: impl FnMut() -> Result<io::Result<Reading>, String>,
) -> Result<Readings, String> {
    let mut readings: Option<Readings> = None;
    for _ in 0..MAX_READINGS {
        let (count, returned, left) = match read()? {
            Ok(reading) => reading,
            // The kernel ends a run when a signal arrives.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let errno = errno_name(&error);
                return Err(format!("the kernel does not run it ({errno})"));
            }
        };
        match &mut readings {
            Some(all) => all.own.push(count),
            None => {
                let mut own = CountsSeen::default();
                own.push(count);
                readings = Some(Readings {
                    own,
                    returned,
                    left,
                });
            }
        }
        if readings
            .as_ref()
            .is_some_and(|all| is_settled(&all.own.counts, ticks))
        {
            break;
        }
    }
    readings.ok_or_else(|| "the kernel was interrupted each time that it ran it".to_owned())
}

/// Runs a program [`RUNS`] times, each on a new copy of the input, while QEMU's plugin looks if
/// it is to see `inside`. The error outside is not the kernel's.
fn read(prog: &Prog, input: TestInput, inside: bool) -> Result<io::Result<Reading>, String> {
    let runs = || {
        let seen = match inside {
            true => Seen::prepare(prog)?,
            false => None,
        };
        let before = prog.info()?;
        let run_all = || {
            let first = prog.run_on(input)?;
            for _ in 1..RUNS {
                prog.run_on(input)?;
            }
            io::Result::Ok(first)
        };
        let (returned, left) = match &seen {
            Some(seen) => seen.watch(run_all)?,
            None => run_all()?,
        };
        let count = prog.info()?.since(&before);
        if count.run_cnt != u64::from(RUNS) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(((count, seen), returned, left))
    };
    Ok(runs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::converge::TICKS;

    #[test]
    fn types_that_run_on_an_input() {
        let packets = [Packet {
            name: "p".into(),
            bytes: vec![0; 14],
        }];
        let own = [ContextInput {
            name: "own".into(),
            prog_type: "syscall".into(),
            bytes: vec![1; 8],
        }];
        let runner = Runner::new(&packets, &own, TICKS, None, false);
        let names = |section: &str| {
            let inputs = runner.inputs(Kind::of(section).unwrap().prog_type, &[]);
            inputs.iter().map(|(name, _)| *name).collect::<Vec<_>>()
        };
        for (section, expected) in [
            ("xdp", vec!["p"]),
            ("tc", vec!["p"]),
            ("socket", vec!["p"]),
            ("cgroup_skb/ingress", vec!["p"]),
            ("lwt_xmit", vec!["p"]),
            ("flow_dissector", vec!["p"]),
            ("netfilter", vec!["p"]),
            ("raw_tp/sys_enter", vec![]),
            ("syscall", vec!["own"]),
            ("kprobe/f", vec![]),
            ("sk_msg", vec![]),
        ] {
            assert_eq!(names(section), expected, "{section}");
        }
    }

    #[test]
    fn socket_filters_see_frames_unless_they_read_from_headers() {
        let packets = [Packet {
            name: "p".into(),
            bytes: vec![0; 14],
        }];
        let runner = Runner::new(&packets, &[], TICKS, None, false);
        let sees_frames = |code, registers, immediate| {
            let insns = [Insn::new(code, registers, 0, immediate)];
            let inputs = runner.inputs(BPF_PROG_TYPE_SOCKET_FILTER as u32, &insns);
            matches!(inputs[..], [(_, TestInput::Frame(_))])
        };
        // Helpers load_bytes and load_bytes_relative, and a function of that number.
        assert!(
            sees_frames(CALL, 0, 26) && !sees_frames(CALL, 0, 68) && sees_frames(CALL, 1 << 4, 68)
        );
        for old_load in [0x20, 0x28, 0x30, 0x40, 0x48, 0x50] {
            assert!(sees_frames(old_load, 0, 12) && !sees_frames(old_load, 0, -0x10_0000));
        }
        // A 64-bit constant, and a move.
        assert!(sees_frames(0x18, 0, -1) && sees_frames(0xb7, 0, -1));
    }
}
