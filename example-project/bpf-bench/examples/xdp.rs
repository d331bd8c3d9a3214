//! Measures an XDP program on two packets by `BPF_PROG_TEST_RUN`. Prints the Go benchmark format:
//! compare two runs of it with benchstat. Run as root.

use std::error::Error;

use bpf_bench::{
    Benchmark, Input, ProgramType, go,
    raw::{Instruction as I, load},
    running_release,
};

const DROP: u32 = 1;
const PASS: u32 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    // Drops packets of 100 bytes or more: reads both ends of the packet and compares.
    let instructions = [
        I::load_u32(2, 1, 0),
        I::load_u32(3, 1, 4),
        I::add(2, 100),
        I::mov(0, DROP as i32),
        I::jump_if_greater(3, 2, 1),
        I::mov(0, PASS as i32),
        I::exit(),
    ];
    let program = load(ProgramType::XDP, "drop_long", &instructions)?;

    let mut results = Vec::new();
    for (name, length, verdict) in [("short", 64, PASS), ("long", 1_000, DROP)] {
        // The return value shows that the intended path is measured.
        let mut benchmark = Benchmark::new().returning(verdict);
        benchmark.register(name, &program)?;
        results.extend(benchmark.test_runs(&vec![Input::packet(vec![0; length]); 100])?);
    }
    print!("{}", go::to_text(&results, &running_release()?));
    Ok(())
}
