//! Calibration: measures the cost of an empty program of each type on this boot. The host
//! subtracts it to get net counts.

use std::io;

use anyhow::{Context, Result};
use aya_obj::generated::bpf_prog_type;

use crate::bpf::{Insn, Prog, prog_type_name};
use crate::inside::Seen;
use crate::record::Count;

/// Runs per reading. Few, so that a timer tick seldom falls into a reading.
const REPEAT: u32 = 1000;
const READINGS: usize = 9;
/// A minimal Ethernet frame.
const PACKET: [u8; 64] = [0; 64];
/// EINTR is transient; this many in a row have another cause.
const ATTEMPTS: u32 = 100;

/// An empty program.
pub struct Empty {
    /// The kernel's name of its type.
    pub name: &'static str,
    prog_type: bpf_prog_type,
    /// The verdict that lets a packet pass.
    returns: i32,
}

/// The types that BPF_PROG_TEST_RUN repeats on every supported kernel.
pub const EMPTY_PROGRAMS: [Empty; 4] = [
    Empty {
        name: "xdp",
        prog_type: bpf_prog_type::BPF_PROG_TYPE_XDP,
        returns: 2,
    },
    Empty {
        name: "socket_filter",
        prog_type: bpf_prog_type::BPF_PROG_TYPE_SOCKET_FILTER,
        returns: 0,
    },
    Empty {
        name: "sched_cls",
        prog_type: bpf_prog_type::BPF_PROG_TYPE_SCHED_CLS,
        returns: 0,
    },
    Empty {
        name: "cgroup_skb",
        prog_type: bpf_prog_type::BPF_PROG_TYPE_CGROUP_SKB,
        returns: 1,
    },
];

/// Loads and reads one empty program. Statistics must be on. Also returns the window in which
/// QEMU's plugin saw it, if it was to look `inside`.
pub fn calibrate(empty: &Empty, inside: bool) -> Result<(Vec<Count>, Option<u64>)> {
    debug_assert_eq!(prog_type_name(empty.prog_type as u32), empty.name);
    let insns = [Insn::mov_r0(empty.returns), Insn::exit()];
    let prog = Prog::load(empty.prog_type, &insns)
        .with_context(|| format!("cannot load an empty {} program", empty.name))?;
    let read = || {
        read_once(&prog).with_context(|| format!("cannot test-run an empty {} program", empty.name))
    };
    // Absorbs first-run effects.
    read()?;
    let seen = match inside {
        true => Seen::prepare(&prog)?,
        false => None,
    };
    if let Some(seen) = &seen {
        seen.watch(read)?;
    }
    let readings = (0..READINGS).map(|_| read()).collect::<Result<_>>()?;
    Ok((readings, seen.map(|seen| seen.window())))
}

/// Takes one reading. An interrupted one has run only in part, so it is discarded.
fn read_once(prog: &Prog) -> io::Result<Count> {
    let mut attempt = 1;
    loop {
        let before = prog.info()?;
        match prog.test_run(&PACKET, REPEAT) {
            Ok(()) => return Ok(prog.info()?.since(&before)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
