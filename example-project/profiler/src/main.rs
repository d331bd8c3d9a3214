//! Samples a process until Ctrl-C, and draws flame graphs.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use profiler::{End, Folded, Mode, Profile, graph};
use tokio::signal::unix::{SignalKind, signal};

#[cfg(feature = "dhat-heap")]
#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Shows what a process, its threads and its children execute, or where they wait.
#[derive(Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Arguments {
    #[command(flatten)]
    sample: Option<Sampling>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct Sampling {
    /// The process to take samples of, by its ID
    #[arg(value_name = "PID", value_parser = parse_pid)]
    pid: u32,
    /// Samples for each second of CPU time
    #[arg(long, value_name = "HZ", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    frequency: u32,
    /// End after this time, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    duration: Option<Duration>,
    /// Write the stacks, one a line, with how often they were seen
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
    /// Draw a flame graph
    #[arg(long, value_name = "FILE.svg")]
    flamegraph: Option<PathBuf>,
    /// Look at all CPUs and pick the process out in the kernel: without its children, but with
    /// threads that cannot be attached to
    #[arg(long)]
    all: bool,
    /// Show where the process waits and how long, in microseconds
    #[arg(long, conflicts_with_all = ["all", "frequency"])]
    off_cpu: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Draw what has changed between two files of folded stacks
    Diff {
        /// Stacks before the change
        base: PathBuf,
        /// Stacks after it
        head: PathBuf,
        /// Draw a flame graph: head's stacks, red where they have grown, blue where they have shrunk
        #[arg(long, value_name = "FILE.svg")]
        flamegraph: PathBuf,
        /// Scale base to head's total first, for profiles of different length
        #[arg(long)]
        normalize: bool,
    },
}

fn parse_pid(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) => Err("a process ID is 1 or more".to_owned()),
        Ok(pid) => Ok(pid),
        Err(_) => Err("a process ID is a whole number".to_owned()),
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a duration is a number above 0, of seconds".to_owned())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    #[cfg(feature = "dhat-heap")]
    let _heap = dhat::Profiler::new_heap();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    let result = match arguments {
        Arguments {
            command:
                Some(Command::Diff {
                    base,
                    head,
                    flamegraph,
                    normalize,
                }),
            ..
        } => diff(&base, &head, &flamegraph, normalize),
        Arguments {
            sample: Some(sampling),
            ..
        } => sample(&sampling),
        // Clap makes this unreachable.
        Arguments { .. } => Err(anyhow::anyhow!("no process ID")),
    };
    match result {
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

fn sample(sampling: &Sampling) -> anyhow::Result<()> {
    let &Sampling {
        pid,
        frequency,
        duration,
        ..
    } = sampling;
    let mode = match sampling {
        Sampling { off_cpu: true, .. } => Mode::OffCpu,
        Sampling { all: true, .. } => Mode::AllCpus { frequency },
        Sampling { .. } => Mode::Process { frequency },
    };
    let profile = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?
        .block_on(async {
            let wait = "cannot wait for Ctrl-C";
            let mut interrupt = signal(SignalKind::interrupt()).context(wait)?;
            let mut terminate = signal(SignalKind::terminate()).context(wait)?;
            let stop = async {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            };
            anyhow::Ok(profiler::profile(pid, mode, duration, stop).await?)
        })?;

    match profile.end {
        End::Stopped => log::info!("stopped"),
        End::Duration => log::info!("the time is over"),
        End::Process => log::info!("process {pid} has ended"),
    }
    if profile.still_blocked > 0 {
        log::info!(
            "{} threads were still waiting, counted up to now",
            profile.still_blocked
        );
    }
    println!("{profile}");
    write(sampling, mode, &profile)
}

fn write(sampling: &Sampling, mode: Mode, profile: &Profile) -> anyhow::Result<()> {
    if let Some(path) = &sampling.folded {
        profile.folded.write(path)?;
    }
    if let Some(path) = &sampling.flamegraph {
        let what = match mode {
            Mode::Process { .. } | Mode::AllCpus { .. } => "CPU",
            Mode::OffCpu => "Off-CPU",
        };
        let title = format!("{what} flame graph of process {}", sampling.pid);
        graph::draw(path, &profile.folded, &title, mode.unit())?;
    }
    Ok(())
}

fn diff(
    base: &std::path::Path,
    head: &std::path::Path,
    flamegraph: &std::path::Path,
    normalize: bool,
) -> anyhow::Result<()> {
    let base = Folded::read(base)?;
    let head = Folded::read(head)?;
    Ok(graph::draw_difference(flamegraph, &base, &head, normalize)?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn message(arguments: &[&str]) -> String {
        match Arguments::try_parse_from([&["profiler"], arguments].concat()) {
            Ok(_) => panic!("{arguments:?} are fine"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arguments, expected) in [
            (&[][..], "<PID>"),
            (
                &["0"],
                "invalid value '0' for '<PID>': a process ID is 1 or more",
            ),
            (&["-1"], "unexpected argument '-1'"),
            (
                &["1x"],
                "invalid value '1x' for '<PID>': a process ID is a whole number",
            ),
            (
                &["4294967296"],
                "invalid value '4294967296' for '<PID>': a process ID is a whole number",
            ),
            (
                &["1", "--frequency", "0"],
                "invalid value '0' for '--frequency <HZ>'",
            ),
            (
                &["1", "--duration", "0"],
                "invalid value '0' for '--duration <SECONDS>': a duration is a number above 0",
            ),
            (&["1", "--duration", "NaN"], "invalid value 'NaN'"),
            (&["1", "--off-cpu", "--all"], "cannot be used with"),
            (&["diff", "a", "b"], "--flamegraph <FILE.svg>"),
        ] {
            let message = message(arguments);
            assert!(message.contains(expected), "{arguments:?}: {message}");
        }
    }
}
