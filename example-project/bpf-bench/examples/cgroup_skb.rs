//! Measures a program for the packets of a cgroup by `BPF_PROG_TEST_RUN`. Prints gross and net by
//! hand. Run as root.

use std::error::Error;

use bpf_bench::{
    Benchmark, Input, ProgramType,
    raw::{Instruction as I, load},
};

fn main() -> Result<(), Box<dyn Error>> {
    // Reads the packet's length, and lets everything through.
    let instructions = [I::load_u32(2, 1, 0), I::mov(0, 1), I::exit()];
    let program = load(ProgramType::CGROUP_SKB, "let_through", &instructions)?;

    let mut benchmark = Benchmark::new().rounds(10).returning(1);
    benchmark.register("let_through", &program)?;
    for result in benchmark.test_runs(&vec![Input::packet([0; 64]); 100])? {
        let net = result.net().ok_or("no empty program of that type")?;
        println!(
            "{}: {} ns per run ({} to {}), {net} of them its own; {} runs, {} missed",
            result.name,
            result.gross.value,
            result.gross.lower_value,
            result.gross.upper_value,
            result.run_count(),
            // Unknown before Linux 5.12.
            result
                .recursion_misses()
                .map_or("?".to_owned(), |misses| misses.to_string()),
        );
    }
    Ok(())
}
