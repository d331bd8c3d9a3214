//! Runs the built agent with a plan, in a mount namespace of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// An empty folder of this name.
pub fn run_folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The place at which the agent finds the run folder.
pub fn mount_point(folder: &Path) -> PathBuf {
    folder.with_extension("mount")
}

/// Runs the plan and returns the status.
#[allow(dead_code)] // Not every test has a plan.
pub fn run(folder: &Path, plan: &Value) -> Value {
    fs::write(folder.join("plan.json"), plan.to_string()).unwrap();
    let mounted = mount_point(folder);
    fs::create_dir_all(&mounted).unwrap();
    let script = "mount --bind $1 $2 && exec $0 $2";
    let agent = Command::new("unshare")
        .args([
            "--mount",
            "sh",
            "-c",
            script,
            env!("CARGO_BIN_EXE_bpfgate-agent"),
        ])
        .args([folder, &mounted])
        .status()
        .unwrap();
    assert!(agent.success());
    let status = fs::read_to_string(folder.join("status.json")).unwrap();
    serde_json::from_str(&status).unwrap()
}
