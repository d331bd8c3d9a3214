//! Runs `fun_xdp` on an interface until Ctrl-C.

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, anyhow};
use clap::Parser;

/// Says of each IPv4 packet that comes in whether its source address is Fizz, Buzz, FizzBuzz or
/// Fibonacci. Lets every packet pass.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The network interface to attach to
    #[arg(short, long)]
    iface: String,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    match run(&arguments.iface) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  caused by: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

fn run(iface: &str) -> anyhow::Result<()> {
    let shutdown = Arc::new(AtomicBool::new(false));
    ctrlc::set_handler({
        let shutdown = Arc::clone(&shutdown);
        move || shutdown.store(true, Ordering::Relaxed)
    })
    .context("cannot wait for Ctrl-C")?;

    let process = xdp::run(iface, shutdown)?;
    log::info!("attached to {iface}, stop with Ctrl-C");
    let tally = process
        .handle
        .join()
        .map_err(|_panic| anyhow!("the agent panicked"))??;
    log::info!("detached from {iface}: {tally}");
    Ok(())
}
