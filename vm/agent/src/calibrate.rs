//! What an empty program of each type costs on this boot. The host subtracts it
//! to get net counts.

use std::io;

use anyhow::{Context, Result};

use crate::bpf::{Insn, Prog, prog_type_name};
use crate::record::Count;

/// Runs per reading: short, so that a timer tick seldom falls into one.
const REPEAT: u32 = 1000;
const READINGS: usize = 9;
/// A minimal Ethernet frame.
const PACKET: [u8; 64] = [0; 64];
/// EINTR is transient; more of them in a row is something else.
const ATTEMPTS: u32 = 100;

/// An empty program.
pub struct Empty {
    /// The kernel's name of its type.
    pub name: &'static str,
    prog_type: u32,
    /// The verdict that lets a packet pass.
    returns: i32,
}

/// The types which BPF_PROG_TEST_RUN repeats on every supported kernel.
pub const EMPTY_PROGRAMS: [Empty; 4] = [
    Empty {
        name: "xdp",
        prog_type: 6,
        returns: 2,
    },
    Empty {
        name: "socket_filter",
        prog_type: 1,
        returns: 0,
    },
    Empty {
        name: "sched_cls",
        prog_type: 3,
        returns: 0,
    },
    Empty {
        name: "cgroup_skb",
        prog_type: 8,
        returns: 1,
    },
];

/// Loads and reads one empty program. Statistics must be on.
pub fn calibrate(empty: &Empty) -> Result<Vec<Count>> {
    debug_assert_eq!(prog_type_name(empty.prog_type), empty.name);
    let insns = [Insn::mov_r0(empty.returns), Insn::exit()];
    let prog = Prog::load(empty.prog_type, &insns)
        .with_context(|| format!("cannot load an empty {} program", empty.name))?;
    let read = || {
        read_once(&prog).with_context(|| format!("cannot test-run an empty {} program", empty.name))
    };
    // First-run effects.
    read()?;
    (0..READINGS).map(|_| read()).collect()
}

/// A fixed program: whatever its time does is the machine's doing.
pub struct Control(Prog);

/// Steps of the control program: so many that the price of being called does not count.
const CONTROL_STEPS: usize = 512;

impl Control {
    /// Loads it, and runs it once for first-run effects. Statistics must be on.
    pub fn load() -> Result<Self> {
        let mut insns = vec![Insn::mov_r0(0)];
        insns.extend([Insn::add_r0(1); CONTROL_STEPS]);
        insns.extend([Insn::mov_r0(0), Insn::exit()]);
        let control = Prog::load(EMPTY_PROGRAMS[1].prog_type, &insns)
            .map(Self)
            .context("cannot load the control program")?;
        control.read()?;
        Ok(control)
    }

    /// One reading.
    pub fn read(&self) -> Result<Count> {
        read_once(&self.0).context("cannot test-run the control program")
    }
}

/// One reading. An interrupted one has run only in part, so it is thrown away.
fn read_once(prog: &Prog) -> io::Result<Count> {
    let mut attempt = 1;
    loop {
        let before = prog.info()?;
        match prog.test_run(&PACKET, REPEAT) {
            Ok(()) => {
                let after = prog.info()?;
                return Ok(Count {
                    run_cnt: after.run_cnt - before.run_cnt,
                    run_time_ns: after.run_time_ns - before.run_time_ns,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
