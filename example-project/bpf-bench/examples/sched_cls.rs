//! Measures two classifiers for `tc` with the same name, by `BPF_PROG_TEST_RUN`: they stay two
//! results. Prints JSON lines with the raw counters. Run as root.

use std::error::Error;

use bpf_bench::{
    Benchmark, Input, ProgramType, json_lines,
    raw::{Instruction as I, load},
    running_release,
};

const PACKET_LEN: usize = 214;

fn main() -> Result<(), Box<dyn Error>> {
    // Both return the packet's length, one of them after ten more instructions.
    let direct = [I::load_u32(0, 1, 0), I::exit()];
    let mut detour = vec![I::mov(0, 0)];
    detour.extend([I::add(0, 1); 9]);
    detour.extend(direct);

    let mut benchmark = Benchmark::new().returning(PACKET_LEN as u32);
    for instructions in [&direct[..], &detour] {
        let program = load(ProgramType::SCHED_CLS, "length", instructions)?;
        benchmark.register("length", &program)?;
    }
    let results = benchmark.test_runs(&vec![Input::packet([0; PACKET_LEN]); 100])?;
    print!("{}", json_lines::to_text(&results, &running_release()?));
    Ok(())
}
