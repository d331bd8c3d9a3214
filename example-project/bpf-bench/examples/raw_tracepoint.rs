//! Measures a raw tracepoint without its event. `BPF_PROG_TEST_RUN` has this type from Linux 5.10
//! on; on older kernels the example prints a line for bpfgate that says so. Prints Bencher Metric
//! Format. Run as root.

use std::error::Error;

use bpf_bench::{
    Benchmark, Input, ProgramType, bmf, print_gap,
    raw::{Instruction as I, load},
};

fn main() -> Result<(), Box<dyn Error>> {
    const NAME: &str = "raw_tracepoint";
    // The context holds the tracepoint's arguments, 8 bytes each; this returns the first.
    let instructions = [I::load_u64(0, 1, 0), I::exit()];
    let program = load(ProgramType::RAW_TRACEPOINT, NAME, &instructions)?;

    let mut benchmark = Benchmark::new().returning(7);
    benchmark.register(NAME, &program)?;
    let arguments: Vec<u8> = [7_u64, 0]
        .iter()
        .flat_map(|arg| arg.to_ne_bytes())
        .collect();
    match benchmark.test_runs(&vec![Input::context(arguments); 100]) {
        Ok(results) => println!("{}", bmf::of_measurements(&results)),
        Err(error) => match error.needs() {
            Some(release) => print_gap(release, NAME)?,
            None => return Err(error.into()),
        },
    }
    Ok(())
}
