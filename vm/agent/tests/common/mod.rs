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

/// Runs the plan and returns the status record, without its HMAC.
#[allow(dead_code)] // Not every test has a plan.
pub fn run(folder: &Path, plan: &Value) -> Value {
    fs::write(folder.join("plan.json"), plan.to_string()).unwrap();
    fs::write(folder.join("key"), [7; 32]).unwrap();
    let agent = Command::new("unshare")
        .args(["--mount", env!("CARGO_BIN_EXE_bpfgate-agent")])
        .arg(folder)
        .status()
        .unwrap();
    assert!(agent.success());
    let status = fs::read_to_string(folder.join("status.json")).unwrap();
    let mut status: Value = serde_json::from_str(&status).unwrap();
    status.as_object_mut().unwrap().remove("mac");
    status
}
