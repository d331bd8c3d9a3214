//! Mode exec: runs one command, and reports how it ended.

use std::fs::File;

use anyhow::Result;

use crate::child::{self, Job, JobEnd};
use crate::plan::ExecPlan;
use crate::pump::Flush;
use crate::record::Status;
use crate::run_folder::RecordLog;
use crate::sys::Ended;

/// Output files in the run folder.
pub const STDOUT: &str = "stdout";
/// See [`STDOUT`].
pub const STDERR: &str = "stderr";

/// Runs the command.
pub fn run(plan: &ExecPlan, [stdout, stderr]: [File; 2], log: &mut RecordLog) -> Result<Status> {
    let job = Job {
        argv: &plan.argv,
        env: &plan.env,
        cwd: &plan.cwd,
        bind: None,
        stdout,
        stderr,
        flush: Flush::AtOnce,
        time_limit: None,
    };
    Ok(match child::run(job)? {
        JobEnd::CannotRun { message, exit_code } => Status::Failed {
            message,
            exit_code: Some(exit_code),
        },
        JobEnd::Ran {
            ended, warnings, ..
        } => {
            warnings
                .into_iter()
                .try_for_each(|message| log.warn(message))?;
            match ended {
                Ended::Exited(exit_code) => Status::Exited { exit_code },
                Ended::Signaled(signal) => Status::Signaled { signal },
            }
        }
    })
}
