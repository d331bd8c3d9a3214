//! Benchmark: measures what each probe adds to a call of `getpid()` or of a user function. It is
//! its own harness, and prints Bencher Metric Format to stdout, or a table for people.
//!
//! It always makes the same calls, so that a program runs equally often every time.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use bpf_bench::print_gap;
use clap::Parser;
use probe_overhead::{Benchmark, Cost, Error, Plan, Probes, measure, report};

/// Measures what probes cost, in nanoseconds per call.
#[derive(Parser)]
struct Arguments {
    /// Run only the benchmarks with this in their name
    filter: Option<String>,
    /// Print a table instead of Bencher Metric Format
    #[arg(long)]
    table: bool,
    /// Timed rounds of each benchmark, of which the lowest counts
    #[arg(long, default_value_t = 16)]
    rounds: u32,
    /// Calls in each round
    #[arg(long, default_value_t = 64)]
    calls: u32,
    /// How often to measure everything, of which the lowest counts: for a machine that is slow at times
    #[arg(long, default_value_t = 1)]
    passes: u32,
    /// The flag that cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let filter = arguments.filter.as_deref().unwrap_or_default();
    let benchmarks: Vec<Benchmark> = Benchmark::all()
        .filter(|benchmark| benchmark.to_string().contains(filter))
        .collect();
    if benchmarks.is_empty() {
        bail!("no benchmark has {filter:?} in its name");
    }
    let plan = Plan {
        rounds: arguments.rounds,
        calls: arguments.calls,
    };

    let mut probes = Probes::new()?;
    let mut results: Vec<(Benchmark, Cost)> = Vec::new();
    let mut gaps = Vec::new();
    for pass in 0..arguments.passes {
        for &benchmark in &benchmarks {
            let measured = match benchmark {
                Benchmark::Bare(target) => measure::time_calls(target, plan),
                Benchmark::Probed(pair) => probes
                    .load(pair)
                    .and_then(|mut probe| measure::measure(&mut probe, plan)),
            };
            match measured {
                Ok(cost) => match results.iter_mut().find(|(known, _)| *known == benchmark) {
                    Some((_, known)) => *known = known.join(cost),
                    None => results.push((benchmark, cost)),
                },
                Err(gap) if gap.is_gap() => {
                    if pass == 0 {
                        gaps.push(gap);
                    }
                }
                Err(error) => return Err(error).with_context(|| benchmark.to_string()),
            }
        }
    }

    // Everything is printed at the end: a reader of the output would interrupt the machine.
    for gap in gaps {
        match gap {
            Error::NeedsKernel { pair, needs, .. } if !arguments.table => {
                print_gap(needs, &pair.to_string())?;
            }
            gap => eprintln!("warning: {gap}"),
        }
    }
    if results.is_empty() {
        bail!("nothing was measured: no passes, or none of the hooks is in this kernel");
    }
    if arguments.table {
        print!("{}", report::to_table(&results));
    } else {
        println!("{}", report::to_bmf(&results));
    }
    Ok(())
}
