//! Empty programs: measures the cost of a program that does nothing, which is the cost of the call.
//! It is subtracted from every other program of its type.

use std::{
    collections::{BTreeMap, BTreeSet},
    os::fd::AsFd as _,
};

use crate::{
    Counters, Error, Latency, ProgramType,
    raw::{self, Instruction},
    sys,
    test_run::retry_interrupted,
};

const READINGS: u32 = 9;
/// Few runs per reading, so that a timer tick seldom falls into one.
const RUNS_PER_READING: u32 = 256;
const PACKET: [u8; 64] = [0; 64];

/// How programs are called. An XDP program that is attached, or run more than once by one test run,
/// is called through the kernel's dispatcher. A single test run is not, and costs more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Calls {
    Attached,
    SingleTestRuns,
}

/// Measures an empty program of each type that has one; other types are left out. Statistics must
/// be on.
pub(crate) fn measure(
    types: impl IntoIterator<Item = ProgramType>,
    calls: Calls,
) -> Result<BTreeMap<ProgramType, Latency>, Error> {
    let types: BTreeSet<ProgramType> = types.into_iter().collect();
    types
        .into_iter()
        .filter_map(|program_type| Some((program_type, program_type.empty_verdict()?)))
        .map(|(program_type, verdict)| {
            measure_one(program_type, verdict, calls).map(|cost| (program_type, cost))
        })
        .collect()
}

fn measure_one(program_type: ProgramType, verdict: i32, calls: Calls) -> Result<Latency, Error> {
    let name = format!("empty {program_type} program");
    let instructions = [Instruction::mov(0, verdict), Instruction::exit()];
    let program = raw::load(program_type, "empty", &instructions)?;
    let program = program.as_fd();
    let run = |repeat| sys::test_run(program, &PACKET, &mut [], &mut [], repeat).map(drop);
    let reading = || -> Result<Counters, Error> {
        let failed = |source| Error::TestRun {
            name: name.clone(),
            program_type,
            source,
        };
        let before = Counters::read(&name, program)?;
        match calls {
            // The average of the runs counted before an interruption is as good as any.
            Calls::Attached => retry_interrupted(|| run(RUNS_PER_READING)).map_err(failed)?,
            Calls::SingleTestRuns => {
                for _ in 0..RUNS_PER_READING {
                    retry_interrupted(|| run(1)).map_err(failed)?;
                }
            }
        }
        Counters::read(&name, program)?
            .since(before)
            .map_err(|source| Error::NotCounted {
                name: name.clone(),
                source,
            })
    };
    // Absorbs first-run effects.
    reading()?;
    let readings = (0..READINGS)
        .map(|_| reading())
        .collect::<Result<Vec<_>, _>>()?;
    Latency::of(&readings).ok_or(Error::Nothing("readings"))
}
