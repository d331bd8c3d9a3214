//! bpfgate's guest agent: reads `plan.json` of a run folder and carries it out. It writes
//! `records.jsonl` and, last, `status.json`. Without that file the host reports that the
//! guest was lost.

mod attach;
mod bpf;
mod bpf_load;
mod btf;
mod calibrate;
mod child;
mod confine;
mod contexts;
mod converge;
mod digest;
mod drop_off;
mod elf;
mod exec;
mod first_kernels;
mod flame_graph;
mod guest;
mod hook;
mod inputs;
mod inside;
mod kconfig;
mod kernel;
mod leavings;
mod lines;
mod load;
mod loads;
mod maps;
mod measure;
mod object;
mod observe;
mod panicked;
mod perf_ring;
mod plan;
mod presets;
mod profile;
mod pump;
mod record;
mod relocations;
mod run_folder;
mod section;
mod settings;
mod stack;
mod struct_ops;
mod sys;
mod tap;
mod types;
mod usdt;
mod verifier;
mod verifier_log;
mod workload;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::measure::Measurer;
use crate::panicked::panic_message;
use crate::plan::Plan;
use crate::record::{Record, Status};
use crate::run_folder::{RecordLog, RunFolder};

const USAGE: &str = "usage: bpfgate-agent RUN_FOLDER
       bpfgate-agent flame-graph TITLE UNIT FOLDED SVG
       bpfgate-agent flame-graph-difference TITLE UNIT BASE HEAD SVG
       bpfgate-agent confine ACCESS PROGRAM [ARGUMENT...]
       bpfgate-agent landlock
       bpfgate-agent presets";

fn main() -> ExitCode {
    let mut all = std::env::args_os();
    let name = all.next().unwrap_or_default();
    let arguments: Vec<_> = all.collect();
    if workload::is_name(&name) {
        return workload::main(&arguments);
    }
    let result = match arguments.as_slice() {
        [argument] if argument == "--version" => {
            println!("bpfgate-agent {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        // The commands from here to `confine` are for the host.
        [command, title, unit, folded, svg] if command == "flame-graph" => {
            flame_graph::draw(title, unit, Path::new(folded), Path::new(svg))
        }
        [command, title, unit, base, head, svg] if command == "flame-graph-difference" => {
            let (base, head) = (Path::new(base), Path::new(head));
            flame_graph::draw_difference(title, unit, base, head, Path::new(svg))
        }
        [command] if command == "landlock" => {
            println!("{}", confine::landlock_version());
            return ExitCode::SUCCESS;
        }
        [command] if command == "presets" => presets::run(),
        [command, access, program, arguments @ ..] if command == "confine" => {
            confine::exec(Path::new(access), program, arguments)
        }
        [run_folder] => report(Path::new(run_folder)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    exit(result.map(|()| ExitCode::SUCCESS))
}

fn exit(result: Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("bpfgate-agent: {error:#}");
        ExitCode::FAILURE
    })
}

/// Carries out the plan and writes the status. Fails only if that cannot be written.
fn report(run_folder: &Path) -> Result<()> {
    let folder = RunFolder::open(run_folder)?;
    let mut log = RecordLog::open(&folder)?;
    let status = catch_unwind(AssertUnwindSafe(|| run(&folder, &mut log)))
        .unwrap_or_else(|panic| {
            Err(anyhow::anyhow!(
                "the agent panicked, report this: {}",
                panic_message(panic.as_ref())
            ))
        })
        .unwrap_or_else(|error| Status::Failed {
            message: format!("{error:#}"),
            exit_code: None,
        });
    folder.write_status(&status)
}

fn run(folder: &RunFolder, log: &mut RecordLog) -> Result<Status> {
    match Plan::parse(&folder.read_plan()?)? {
        Plan::Exec(plan) => {
            // The host follows these files from the start.
            let outputs = [
                folder.append_to(exec::STDOUT)?,
                folder.append_to(exec::STDERR)?,
            ];
            set_up(folder, log)?;
            let status = exec::run(&plan, outputs, log);
            log.sync()?;
            status
        }
        Plan::Measure(plan) => {
            set_up(folder, log)?;
            let measured = Measurer::new(&plan, folder, log).run();
            log.sync()?;
            measured.map(|()| Status::Measured {})
        }
    }
}

/// Prepares the guest and the agent itself.
fn set_up(folder: &RunFolder, log: &mut RecordLog) -> Result<()> {
    for message in guest::prepare() {
        log.warn(message)?;
    }
    log.write(&Record::Guest(guest::describe()?))?;
    // A command may delete the agent's own file.
    if let Err(error) = sys::lock_memory() {
        log.warn(format!("cannot lock the agent in memory: {error}"))?;
    }
    // Done while there is only one thread, and before the watcher must be quick.
    if let Err(error) = sys::reserve_descriptors() {
        log.warn(format!(
            "cannot reserve file descriptors ({error}): short-lived BPF programs may be missed"
        ))?;
    }
    sys::adopt_orphans().context("cannot adopt orphans: use kernel 3.4 or newer")?;
    // The output of commands is in it: one that reads or deletes every file must not come across it.
    sys::detach_mount(folder.path()).context("cannot detach the run folder: mount it first")
}
