//! Mode exec: runs one command, and reports how it ended.

use std::fs::File;
use std::time::Duration;

use anyhow::Result;

use crate::Ground;
use crate::child::{self, Job, JobEnd};
use crate::plan::ExecPlan;
use crate::pump::Flush;
use crate::record::Status;
use crate::sys::Ended;

/// Output files in the run folder.
pub const STDOUT: &str = "stdout";
/// See [`STDOUT`].
pub const STDERR: &str = "stderr";

/// Runs the command.
pub fn run(plan: &ExecPlan, [stdout, stderr]: [File; 2], ground: &mut Ground) -> Result<Status> {
    let job = Job {
        argv: &plan.argv,
        env: &plan.env,
        cwd: &plan.cwd,
        bind: None,
        stdin: &ground.stdin,
        stdout,
        stderr,
        flush: Flush::AtOnce,
        time_limit: plan.timeout_ms.map(Duration::from_millis),
    };
    let (ended, timed_out) = match child::run(job)? {
        JobEnd::CannotRun { message, exit_code } => {
            return Ok(Status::Failed {
                message,
                exit_code: Some(exit_code),
            });
        }
        JobEnd::Ran {
            ended,
            timed_out,
            warnings,
            ..
        } => {
            warnings
                .into_iter()
                .try_for_each(|message| ground.log.warn(message))?;
            (ended, timed_out)
        }
    };
    Ok(match (timed_out, ended, plan.timeout_ms) {
        (true, _, Some(limit)) => Status::TimedOut {
            message: format!(
                "`{}` ran longer than {limit} ms of guest time: raise the limit; idle time counts too and passes fast",
                plan.argv[0]
            ),
        },
        (_, Ended::Exited(exit_code), _) => Status::Exited { exit_code },
        (_, Ended::Signaled(signal), _) => Status::Signaled { signal },
    })
}
