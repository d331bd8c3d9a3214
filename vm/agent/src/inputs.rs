//! Inputs: runs a loaded program on packets or a context, by `BPF_PROG_TEST_RUN`, and counts
//! what that takes. Each reading begins with the input as it was given and with empty maps,
//! so equal programs have equal counts.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use aya_obj::generated::bpf_prog_type::{self, *};

use crate::bpf::{Insn, Prog, TestInput};
use crate::bpf_load::ProgLoad;
use crate::converge::is_settled;
use crate::plan::Packet;
use crate::record::{Count, InputRun};
use crate::seal::sha256;
use crate::section::Kind;
use crate::sys::errno_name;

/// Runs in a reading: the first finds the maps empty, the others what it left there.
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

/// Types of programs with what an empty one returns to change nothing.
const TYPES: [(bpf_prog_type, Takes, i32); 13] = [
    (BPF_PROG_TYPE_SOCKET_FILTER, Takes::Packet, 0),
    (BPF_PROG_TYPE_SCHED_CLS, Takes::Packet, 0),
    (BPF_PROG_TYPE_SCHED_ACT, Takes::Packet, 0),
    (BPF_PROG_TYPE_XDP, Takes::Packet, 2),
    (BPF_PROG_TYPE_CGROUP_SKB, Takes::Packet, 1),
    (BPF_PROG_TYPE_LWT_IN, Takes::Packet, 0),
    (BPF_PROG_TYPE_LWT_OUT, Takes::Packet, 0),
    (BPF_PROG_TYPE_LWT_XMIT, Takes::Packet, 0),
    (BPF_PROG_TYPE_LWT_SEG6LOCAL, Takes::Packet, 0),
    (BPF_PROG_TYPE_FLOW_DISSECTOR, Takes::Packet, 0),
    (
        BPF_PROG_TYPE_RAW_TRACEPOINT,
        Takes::Context("zeros", &ARGUMENTS),
        0,
    ),
    (BPF_PROG_TYPE_SYSCALL, Takes::Context("zeros", &SYSCALL), 0),
    (BPF_PROG_TYPE_SK_LOOKUP, Takes::Context("tcp", &LOOKUP), 1),
];

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

fn find(prog_type: u32) -> Option<(Takes, i32)> {
    let known = TYPES.iter().find(|(ty, ..)| *ty as u32 == prog_type);
    known.map(|&(_, takes, verdict)| (takes, verdict))
}

/// Runs programs. BPF statistics must be on.
pub struct Runner<'a> {
    runs: bool,
    packets: &'a [Packet],
    /// Time of [`RUNS`] runs of an empty program, by program and attach type.
    empties: BTreeMap<(u32, u32), Option<u64>>,
}

/// The readings of one program on one input.
struct Readings {
    counts: Vec<Count>,
    /// The first run's return value.
    returned: u32,
    /// The packet that the first run left; `None` if there is none, or it is larger than
    /// any buffer.
    left: Option<Vec<u8>>,
}

impl<'a> Runner<'a> {
    /// Runs nothing yet. `runs`: whether anything is to be run.
    pub fn new(runs: bool, packets: &'a [Packet]) -> Self {
        Self {
            runs,
            packets,
            empties: BTreeMap::new(),
        }
    }

    /// Whether programs of this type are run.
    pub fn runs(&self, prog_type: u32) -> bool {
        self.runs
            && find(prog_type).is_some_and(|(takes, _)| match takes {
                Takes::Packet => !self.packets.is_empty(),
                Takes::Context(..) => true,
            })
    }

    /// Runs a program on every input. `fresh` loads it with empty maps; the error says why
    /// it cannot.
    pub fn run(
        &mut self,
        kind: &Kind,
        mut fresh: impl FnMut() -> Result<Prog, String>,
    ) -> Vec<InputRun> {
        let begun = Instant::now();
        self.inputs(kind.prog_type)
            .into_iter()
            .map(|(name, input)| {
                let readings = if begun.elapsed() > TIME {
                    Err(format!("its runs took more than {} s", TIME.as_secs()))
                } else {
                    take(input, &mut fresh)
                };
                let (readings, error) = match readings {
                    Ok(readings) => (Some(readings), None),
                    Err(error) => (None, Some(error)),
                };
                let (counts, returned, left) = match readings {
                    Some(own) => (own.counts, Some(own.returned), own.left),
                    None => (Vec::new(), None, None),
                };
                InputRun {
                    input: name.to_owned(),
                    run_cnt: RUNS,
                    empty_ns: returned.and_then(|_| self.empty(kind, input)),
                    run_time_ns: counts.iter().map(|count| count.run_time_ns).collect(),
                    returned,
                    left: left.map(|left| sha256([&left[..]])),
                    error,
                }
            })
            .collect()
    }

    /// Names and contents of what programs of this type run on.
    fn inputs(&self, prog_type: u32) -> Vec<(&'a str, TestInput<'a>)> {
        match find(prog_type) {
            Some((Takes::Packet, _)) => self
                .packets
                .iter()
                .map(|packet| (packet.name.as_str(), TestInput::Packet(&packet.bytes)))
                .collect(),
            Some((Takes::Context(name, context), _)) => vec![(name, TestInput::Context(context))],
            None => Vec::new(),
        }
    }

    /// The time of [`RUNS`] runs of an empty program; `None` if it cannot be counted.
    fn empty(&mut self, kind: &Kind, input: TestInput) -> Option<u64> {
        let key = (kind.prog_type, kind.attach_type);
        *self.empties.entry(key).or_insert_with(|| {
            let insns = [Insn::mov_r0(find(kind.prog_type)?.1), Insn::exit()];
            let request = ProgLoad {
                prog_type: kind.prog_type,
                attach_type: kind.attach_type,
                flags: kind.flags,
                attach_btf_id: 0,
                name: "empty",
                license: c"GPL",
                kernel_version: 0,
                insns: &insns,
                btf: None,
            };
            let fresh = || request.load_quietly().map_err(|error| errno_name(&error));
            let own = take(input, fresh).ok()?;
            own.counts.iter().map(|count| count.run_time_ns).min()
        })
    }
}

/// Takes readings until they are proven.
fn take(
    input: TestInput,
    mut fresh: impl FnMut() -> Result<Prog, String>,
) -> Result<Readings, String> {
    let mut readings: Option<Readings> = None;
    for _ in 0..MAX_READINGS {
        let prog = fresh()?;
        let (count, returned, left) = match read(&prog, input) {
            Ok(reading) => reading,
            // The kernel ends a run when a signal arrives.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let errno = errno_name(&error);
                return Err(format!("the kernel does not run it ({errno})"));
            }
        };
        let own = readings.get_or_insert(Readings {
            counts: Vec::new(),
            returned,
            left,
        });
        own.counts.push(count);
        if is_settled(&own.counts) {
            break;
        }
    }
    readings.ok_or_else(|| "the kernel was interrupted each time that it ran it".to_owned())
}

/// Runs a program [`RUNS`] times, each on a new copy of the input.
fn read(prog: &Prog, input: TestInput) -> io::Result<(Count, u32, Option<Vec<u8>>)> {
    let before = prog.info()?;
    let (returned, left) = prog.run_on(input)?;
    for _ in 1..RUNS {
        prog.run_on(input)?;
    }
    let after = prog.info()?;
    let count = Count {
        run_cnt: after.run_cnt - before.run_cnt,
        run_time_ns: after.run_time_ns - before.run_time_ns,
    };
    if count.run_cnt != u64::from(RUNS) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok((count, returned, left))
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
        let of = |section: &str| Kind::of(section).unwrap().prog_type;
        let [all, contexts, none] = [
            Runner::new(true, &packets),
            Runner::new(true, &[]),
            Runner::new(false, &packets),
        ];
        for section in [
            "xdp",
            "tc",
            "socket",
            "cgroup_skb/ingress",
            "lwt_xmit",
            "flow_dissector",
        ] {
            assert!(
                all.runs(of(section)) && !contexts.runs(of(section)),
                "{section}"
            );
        }
        for section in ["raw_tp/sys_enter", "syscall", "sk_lookup"] {
            assert!(
                contexts.runs(of(section)) && !none.runs(of(section)),
                "{section}"
            );
        }
        for section in ["kprobe/f", "tracepoint/a/b", "sk_msg", "cgroup/dev"] {
            assert!(!all.runs(of(section)), "{section}");
        }
    }
}
