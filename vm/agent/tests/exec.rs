//! Mode exec, end to end on this machine, in a mount namespace of its own.
//! Needs root: `cargo test -- --ignored`.

mod common;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// Runs `argv` and returns the status and what was printed.
fn exec(test: &str, argv: &[&str]) -> (Value, String) {
    let folder = common::run_folder(test);
    let env = json!({"PATH": "/usr/bin:/bin", "RUN_FOLDER": folder});
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
fn a_command_that_kills_itself_cannot_delete_the_run_folder_first() {
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

#[test]
#[ignore = "needs root"]
fn a_command_cannot_trace_the_agent_but_its_own_children() {
    // The shell's parent is the agent. Its memory is not among these: since 6.14 the
    // kernel lets anybody with `CAP_PERFMON` read it, but not write.
    let script = "try() { \"$@\" >/dev/null 2>&1 && echo $*; }
for pid in $PPID self; do
  for folder in root cwd; do try ls /proc/$pid/$folder/; done
  for link in fd/0 exe ns/mnt; do try readlink /proc/$pid/$link; done
  try dd if=/proc/$pid/mem bs=1 count=0
done
try nsenter --mount --target $PPID true
try unshare --user --map-root-user ls /proc/$PPID/root/
sleep 9 & sleep 0.1; ls /proc/$!/root/ >/dev/null && readlink /proc/$!/fd/0 && echo child
grep -E 'Cap(Inh|Prm|Eff|Bnd)' /proc/self/status | while read -r _ set; do
  test $((0x$set >> 19 & 1)) = 0 && test $((0x$set >> 17 & 1)) = 0 || echo has it; done";
    let (_, stdout) = exec("look", &["sh", "-c", script]);
    let expected = [
        "ls /proc/self/root/",
        "ls /proc/self/cwd/",
        "readlink /proc/self/fd/0",
        "readlink /proc/self/exe",
        "readlink /proc/self/ns/mnt",
        "dd if=/proc/self/mem bs=1 count=0",
        "/dev/null",
        "child",
    ];
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
#[ignore = "needs root"]
fn the_key_is_gone_before_the_command_runs() {
    let folder = common::run_folder("key");
    let plan = json!({"mode": "exec", "argv": ["true"], "cwd": "/", "env": {"PATH": "/bin"}});
    common::run(&folder, &plan);
    assert!(!folder.join("key").exists());
    let status = fs::read_to_string(folder.join("status.json")).unwrap();
    assert!(status.contains(r#","mac":""#), "{status}");
}
