//! Benchmark of the programs' cost in the kernel, on real packets. It is its own harness, and
//! prints Bencher Metric Format to stdout and to `target/results.json`.
//!
//! Each benchmark starts from scratch: a network namespace, a veth pair, an instance of the object.
//! It always sends the same packets, so the kernel counts the same number of runs every time.

use std::{fs, path::Path, process::ExitCode};

use anyhow::{Context as _, Result, bail};
use bpf_bench::{Latency, Statistics, bmf};
use clap::Parser;
use xdp::{FUN_XDP, SourceAddr, XDP_PASS};

mod measure;
mod veth;

/// A benchmark. It registers itself, and the harness finds it at run time.
struct Benchmark {
    name: &'static str,
    run: fn() -> Result<Latency>,
}

inventory::collect!(Benchmark);

// An address 198.18.0.n has the multiples of n + 6, and the last byte n.
inventory::submit! {
    Benchmark {
        name: "fun_xdp",
        run: || measure::run(FUN_XDP, [198, 18, 0, 7], None),
    }
}
inventory::submit! {
    Benchmark {
        name: "fun_xdp_fibonacci",
        run: || measure::run(FUN_XDP, [198, 18, 0, 233], Some(SourceAddr::Fibonacci)),
    }
}
inventory::submit! {
    Benchmark {
        name: "fun_xdp_fizzbuzz",
        run: || measure::run(FUN_XDP, [198, 18, 0, 9], Some(SourceAddr::FizzBuzz)),
    }
}
inventory::submit! {
    Benchmark {
        name: "xdp_pass",
        run: || measure::run(XDP_PASS, [198, 18, 0, 7], None),
    }
}

/// Measures the XDP programs in nanoseconds per packet.
#[derive(Parser)]
struct Arguments {
    /// Run only the benchmarks with this in their name
    filter: Option<String>,
    /// Leave the kernel's statistics as they are: shows what the error looks like when they are off
    #[arg(long)]
    leave_statistics: bool,
    /// The flag that cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
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
    let mut benchmarks: Vec<&Benchmark> = inventory::iter::<Benchmark>()
        .filter(|benchmark| benchmark.name.contains(filter))
        .collect();
    // The order so far was chosen by the linker.
    benchmarks.sort_by_key(|benchmark| benchmark.name);
    if benchmarks.is_empty() {
        bail!("no benchmark has {filter:?} in its name");
    }

    // Once for all benchmarks. Dropping it turns them off again if they were off before.
    let statistics = (!arguments.leave_statistics)
        .then(Statistics::enable)
        .transpose()?;

    let mut results = Vec::new();
    for benchmark in benchmarks {
        let latency = (benchmark.run)().with_context(|| benchmark.name)?;
        results.push((benchmark.name, latency));
    }
    if let Some(statistics) = statistics {
        statistics.restore()?;
    }

    let json = bmf::to_json(results);
    println!("{json}");
    // Cargo's folder for temporary files of tests and benchmarks is directly below the target
    // folder.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("");
    let path = target.join("results.json");
    fs::create_dir_all(&target)
        .and_then(|()| fs::write(&path, json + "\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}
