//! Inputs: runs a loaded program on packets or a context, by `BPF_PROG_TEST_RUN`, or attached
//! while a workload runs, and counts what that takes. Each reading begins with the input as it
//! was given and with empty maps, so equal programs have equal counts.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use aya_obj::generated::bpf_prog_type::{self, *};

use crate::attach::attach;
use crate::bpf::{Insn, Prog, TestInput, prog_type_name};
use crate::bpf_load::ProgLoad;
use crate::converge::is_settled;
use crate::hook::Hook;
use crate::plan::{ContextInput, Packet};
use crate::record::{Count, InputRun};
use crate::seal::sha256;
use crate::section::Kind;
use crate::sys::errno_name;
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
    /// A name, and the context.
    Context(&'static str, &'static [u8]),
}

/// Types of programs that run on an input.
const TYPES: [(bpf_prog_type, Takes); 14] = [
    (BPF_PROG_TYPE_SOCKET_FILTER, Takes::Packet),
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
    (
        BPF_PROG_TYPE_RAW_TRACEPOINT,
        Takes::Context("zeros", &ARGUMENTS),
    ),
    (BPF_PROG_TYPE_SYSCALL, Takes::Context("zeros", &SYSCALL)),
    (BPF_PROG_TYPE_SK_LOOKUP, Takes::Context("tcp", &LOOKUP)),
];

/// What an empty program of a type returns to change nothing.
fn verdict(prog_type: bpf_prog_type) -> i32 {
    match prog_type {
        BPF_PROG_TYPE_XDP => 2,
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
        _ => 0,
    }
}

/// The name of the workload's runs in results.
const WORKLOAD: &str = "workload";

/// Arguments of a tracepoint, as many as there can be.
const ARGUMENTS: [u8; 96] = [0; 96];
const SYSCALL: [u8; 64] = [0; 64];
/// `struct bpf_sk_lookup`: TCP from 192.0.2.1:49152 to 198.51.100.2:443.
const LOOKUP: [u8; 64] = {
    let mut context = [0; 64];
    let fields: [(usize, [u8; 4]); 6] = [
        (8, 2u32.to_ne_bytes()),
        (12, 6u32.to_ne_bytes()),
        (16, [192, 0, 2, 1]),
        (36, [0xc0, 0, 0, 0]),
        (40, [198, 51, 100, 2]),
        (60, 443u32.to_ne_bytes()),
    ];
    let mut field = 0;
    while field < fields.len() {
        let (at, bytes) = fields[field];
        let mut byte = 0;
        while byte < bytes.len() {
            context[at + byte] = bytes[byte];
            byte += 1;
        }
        field += 1;
    }
    context
};

fn find(prog_type: u32) -> Option<Takes> {
    let known = TYPES.iter().find(|(ty, _)| *ty as u32 == prog_type);
    known.map(|&(_, takes)| takes)
}

/// A program as it is loaded and attached.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub kind: &'a Kind,
    pub attach_btf_id: u32,
    /// Where it is attached, or why it is not.
    pub hook: &'a Result<Hook, String>,
}

/// Runs programs. BPF statistics must be on.
pub struct Runner<'a> {
    packets: &'a [Packet],
    contexts: &'a [ContextInput],
    /// Readings of empty programs, by program type, attach type and flags, and whether they
    /// were attached.
    empties: BTreeMap<(u32, u32, u32, bool), Option<Count>>,
    /// `None` until it is needed.
    workload: Option<Result<Workload, String>>,
}

/// The readings of one program on one input.
#[derive(Default)]
struct Readings {
    counts: Vec<Count>,
    /// The first run's return value.
    returned: Option<u32>,
    /// The packet that the first run left; `None` if there is none, or it is larger than
    /// any buffer.
    left: Option<Vec<u8>>,
    calls: Option<u32>,
}

impl<'a> Runner<'a> {
    /// Runs nothing yet.
    pub fn new(packets: &'a [Packet], contexts: &'a [ContextInput]) -> Self {
        Self {
            packets,
            contexts,
            empties: BTreeMap::new(),
            workload: None,
        }
    }

    /// Runs a program on every input of its type, and attached if it has a hook. `fresh` loads
    /// it with empty maps; the error says why it cannot. Fails if there is nothing to run it.
    pub fn run(
        &mut self,
        subject: Subject,
        mut fresh: impl FnMut() -> Result<Prog, String>,
    ) -> Result<Vec<InputRun>, String> {
        let begun = Instant::now();
        let mut runs: Vec<InputRun> = self
            .inputs(subject.kind.prog_type)
            .into_iter()
            .map(|(name, input)| {
                let readings = if begun.elapsed() > TIME {
                    Err(format!("its runs took more than {} s", TIME.as_secs()))
                } else {
                    take(|| read(&fresh()?, input))
                };
                let empty = match &readings {
                    Ok(_) => self.empty(subject, None, |prog| read(prog, input)),
                    Err(_) => None,
                };
                to_run(name, readings, empty)
            })
            .collect();
        match subject.hook {
            Ok(hook) => runs.push(self.run_attached(subject, hook, fresh)),
            Err(reason) if runs.is_empty() => return Err(reason.clone()),
            Err(_) => {}
        }
        Ok(runs)
    }

    /// Runs a program while it is attached.
    fn run_attached(
        &mut self,
        subject: Subject,
        hook: &Hook,
        mut fresh: impl FnMut() -> Result<Prog, String>,
    ) -> InputRun {
        let prepared = self.workload.take().unwrap_or_else(|| {
            Workload::prepare().map_err(|error| format!("the workload cannot run: {error:#}"))
        });
        let observe = |prog: &Prog| match &prepared {
            Ok(workload) => observe(prog, subject.kind, hook, workload),
            Err(error) => Err(Failure::Reason(error.clone())),
        };
        let readings = take(|| observe(&fresh()?));
        let empty = match &readings {
            Ok(_) => self.empty(subject, Some(hook), observe),
            Err(_) => None,
        };
        let name = match hook {
            Hook::Iterator => "iteration",
            _ => WORKLOAD,
        };
        self.workload = Some(prepared);
        to_run(name, readings, empty)
    }

    /// Names and contents of what programs of this type run on.
    fn inputs(&self, prog_type: u32) -> Vec<(&'a str, TestInput<'a>)> {
        match find(prog_type) {
            Some(Takes::Packet) => self
                .packets
                .iter()
                .map(|packet| (packet.name.as_str(), TestInput::Packet(&packet.bytes)))
                .collect(),
            Some(Takes::Context(name, context)) => {
                let type_name = prog_type_name(prog_type);
                let own = self.contexts.iter();
                let own = own.filter(|context| context.prog_type == type_name);
                std::iter::once((name, TestInput::Context(context)))
                    .chain(own.map(|own| (own.name.as_str(), TestInput::Context(&own.bytes))))
                    .collect()
            }
            None => Vec::new(),
        }
    }

    /// Runs an empty program of the same type in the same way; `None` if it cannot be counted.
    fn empty(
        &mut self,
        subject: Subject,
        hook: Option<&Hook>,
        mut read: impl FnMut(&Prog) -> Result<Reading, Failure>,
    ) -> Option<Count> {
        let kind = subject.kind;
        let key = (kind.prog_type, kind.attach_type, kind.flags, hook.is_some());
        *self.empties.entry(key).or_insert_with(|| {
            let ty = bpf_prog_type::try_from(kind.prog_type).ok()?;
            let insns = [Insn::mov_r0(verdict(ty)), Insn::exit()];
            let request = ProgLoad {
                prog_type: kind.prog_type,
                attach_type: kind.attach_type,
                flags: kind.flags,
                attach_btf_id: subject.attach_btf_id,
                name: "empty",
                license: c"GPL",
                kernel_version: 0,
                insns: &insns,
                btf: None,
            };
            let fresh = || request.load_quietly().map_err(|error| errno_name(&error));
            let own = take(|| read(&fresh()?)).ok()?;
            own.counts
                .into_iter()
                .min_by_key(|count| count.run_time_ns * 1_000_000 / count.run_cnt)
        })
    }
}

fn to_run(name: &str, readings: Result<Readings, String>, empty: Option<Count>) -> InputRun {
    let (readings, error) = match readings {
        Ok(readings) => (readings, None),
        Err(error) => (Readings::default(), Some(error)),
    };
    InputRun {
        input: name.to_owned(),
        readings: readings.counts,
        empty,
        calls: readings.calls,
        returned: readings.returned,
        left: readings.left.map(|left| sha256([&left[..]])),
        error,
    }
}

/// One reading of a program.
struct Reading {
    count: Count,
    returned: Option<u32>,
    left: Option<Vec<u8>>,
    calls: Option<u32>,
}

/// Why a reading gave nothing.
enum Failure {
    /// The kernel ends a test run when a signal arrives.
    Interrupted,
    Reason(String),
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Reason(format!(
                "the kernel does not run it ({})",
                errno_name(&error)
            )),
        }
    }
}

/// Takes readings until they are proven.
fn take(mut read: impl FnMut() -> Result<Reading, Failure>) -> Result<Readings, String> {
    let mut readings = Readings::default();
    for _ in 0..MAX_READINGS {
        let reading = match read() {
            Ok(reading) => reading,
            Err(Failure::Interrupted) => continue,
            Err(Failure::Reason(reason)) => return Err(reason),
        };
        if readings.counts.is_empty() {
            readings.returned = reading.returned;
            readings.left = reading.left;
            readings.calls = reading.calls;
        }
        readings.counts.push(reading.count);
        if is_settled(&readings.counts) {
            break;
        }
    }
    if readings.counts.is_empty() {
        return Err("the kernel was interrupted each time that it ran it".to_owned());
    }
    Ok(readings)
}

/// Runs a program [`RUNS`] times, each on a new copy of the input.
fn read(prog: &Prog, input: TestInput) -> Result<Reading, Failure> {
    let (count, result) = count(prog, || {
        let first = prog.run_on(input)?;
        for _ in 1..RUNS {
            prog.run_on(input)?;
        }
        Ok::<_, Failure>(first)
    })?;
    let (returned, left) = result;
    if count.run_cnt != u64::from(RUNS) {
        return Err(io::Error::from(io::ErrorKind::InvalidData).into());
    }
    Ok(Reading {
        count,
        returned: Some(returned),
        left,
        calls: None,
    })
}

/// Attaches a program while the workload runs.
fn observe(prog: &Prog, kind: &Kind, hook: &Hook, workload: &Workload) -> Result<Reading, Failure> {
    let attached = attach(prog, kind.attach_type, hook).map_err(|reason| match kind.needs {
        Some(needs) => format!("{reason}: {needs} is needed"),
        None => reason,
    })?;
    let (count, calls) = count(prog, || attached.run(workload).map_err(Failure::Reason))?;
    if count.run_cnt == 0 {
        return Err(Failure::Reason(
            "the workload does nothing that runs it".into(),
        ));
    }
    Ok(Reading {
        count,
        returned: None,
        left: None,
        calls,
    })
}

/// Counts what a program runs meanwhile.
fn count<T>(prog: &Prog, run: impl FnOnce() -> Result<T, Failure>) -> Result<(Count, T), Failure> {
    let before = prog.info()?;
    let result = run()?;
    let after = prog.info()?;
    let count = Count {
        run_cnt: after.run_cnt - before.run_cnt,
        run_time_ns: after.run_time_ns - before.run_time_ns,
    };
    Ok((count, result))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let runner = Runner::new(&packets, &own);
        let names = |section: &str| {
            let inputs = runner.inputs(Kind::of(section).unwrap().prog_type);
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
            ("raw_tp/sys_enter", vec!["zeros"]),
            ("syscall", vec!["zeros", "own"]),
            ("sk_lookup", vec!["tcp"]),
            ("kprobe/f", vec![]),
            ("sk_msg", vec![]),
        ] {
            assert_eq!(names(section), expected, "{section}");
        }
    }
}
