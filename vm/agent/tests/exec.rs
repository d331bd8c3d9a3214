//! Mode exec, end to end on this machine, in a mount namespace of its own.
//! Needs root: `cargo test -- --ignored`.

mod common;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// Runs `argv` and returns the status and what was printed.
fn exec(test: &str, argv: &[&str]) -> (Value, String) {
    let folder = common::run_folder(test);
    let env = json!({"PATH": "/usr/bin:/bin", "RUN_FOLDER": common::mount_point(&folder)});
    let plan = json!({"mode": "exec", "argv": argv, "cwd": "/", "env": env});
    let status = common::run(&folder, &plan);
    let stdout = fs::read_to_string(folder.join("stdout")).unwrap();
    (status, stdout)
}

#[test]
#[ignore = "needs root"]
fn the_exit_code_and_the_exact_environment_arrive() {
    let (status, stdout) = exec("exit", &["sh", "-c", "env | sort; exit 3"]);
    assert_eq!(status, json!({"outcome": "exited", "exit_code": 3}));
    let names: Vec<_> = stdout
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert_eq!(names, ["PATH", "PWD", "RUN_FOLDER"]);
}

#[test]
#[ignore = "needs root"]
fn a_missing_program_exits_with_127() {
    let (status, _) = exec("missing", &["no-such-program"]);
    let message = "cannot run `no-such-program`: No such file or directory";
    assert_eq!(
        status,
        json!({"outcome": "failed", "message": message, "exit_code": 127})
    );
}

#[test]
#[ignore = "needs root"]
fn a_command_that_deletes_the_run_folder_and_kills_itself_is_reported() {
    let script = "ls -A $RUN_FOLDER; rm -rf $RUN_FOLDER 2>/dev/null; echo deleted; kill -9 $$";
    let (status, stdout) = exec("killed", &["sh", "-c", script]);
    assert_eq!(status, json!({"outcome": "signaled", "signal": 9}));
    assert_eq!(stdout, "deleted\n");
}

#[test]
#[ignore = "needs root"]
fn opening_stdout_by_path_keeps_what_was_written() {
    let (_, stdout) = exec(
        "reopen",
        &["sh", "-c", "echo 1; echo 2 >/dev/stdout; echo 3"],
    );
    assert_eq!(stdout, "1\n2\n3\n");
}

#[test]
#[ignore = "needs root"]
fn no_process_is_left_running() {
    let script = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000 & sleep 0.2";
    let (_, stdout) = exec("left", &["sh", "-c", script]);
    let pid = stdout.trim();
    assert!(!pid.is_empty() && !Path::new("/proc").join(pid).exists());
}
