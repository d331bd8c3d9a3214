//! The command `confine`, on this machine. Needs a kernel with Landlock, and no
//! rights: what is tried is what an ordinary user could do.

mod common;

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs a script of the shell's, which may open `access` and the system's programs.
fn confined(folder: &Path, access: &Value, script: &str) -> Output {
    let mut access = access.clone();
    let read = access["read"].as_array_mut().unwrap();
    read.extend(["/usr", "/bin", "/lib", "/lib64", "/etc"].map(Value::from));
    let file = folder.join("access.json");
    fs::write(&file, access.to_string()).unwrap();
    Command::new(env!("CARGO_BIN_EXE_bpfgate-agent"))
        .arg("confine")
        .arg(&file)
        .args(["/bin/bash", "-c", script])
        .env("FOLDER", folder)
        .output()
        .unwrap()
}

/// The kernel's version of Landlock, if it is new enough for the test. One that is not
/// run says so also when it is among tests that pass, whose prints are kept back.
fn landlock(least: u32, test: &str) -> Option<u32> {
    let output = Command::new(env!("CARGO_BIN_EXE_bpfgate-agent"))
        .arg("landlock")
        .output()
        .unwrap();
    let version: u32 = text(&output.stdout).trim().parse().unwrap();
    if version < least {
        let reason = format!("Landlock {version} of this kernel, needed is {least}");
        let mut stderr = std::io::stderr();
        writeln!(stderr, "skipped: {test}: {reason}").unwrap();
        return None;
    }
    Some(version)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_confined_program_opens_only_listed_files() {
    // The third keeps files from being truncated.
    let Some(_) = landlock(3, "a_confined_program_opens_only_listed_files") else {
        return;
    };
    let folder = common::run_folder("confine-files");
    for name in ["read", "write", "other"] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("file"), name).unwrap();
    }
    symlink("../other/file", folder.join("read/link")).unwrap();
    let access = json!({
        "read": [folder.join("read"), folder.join("missing")],
        "write": [folder.join("write")],
        "devices": ["/dev/null"],
    });
    let script = "cd $FOLDER; cat read/file write/file; echo new >write/new && mv write/new write/moved
for refused in read/link other/file /proc/$PPID/environ; do cat $refused >/dev/null 2>&1 && echo READ $refused; done
for refused in read/file read/new other/file new; do echo x 2>/dev/null >>$refused && echo WROTE $refused; done
rm -f read/file 2>/dev/null; ln write/moved other/hard 2>/dev/null; mknod write/pipe p && echo pipe
ls other";
    let output = confined(&folder, &access, script);
    assert_eq!(
        text(&output.stdout),
        "readwritepipe\nfile\n",
        "{}",
        text(&output.stderr)
    );
    assert_eq!(
        fs::read_to_string(folder.join("write/moved")).unwrap(),
        "new\n"
    );
    assert_eq!(
        fs::read_to_string(folder.join("read/file")).unwrap(),
        "read"
    );
    assert!(!folder.join("other/hard").exists());
}

#[test]
fn a_confined_program_has_no_tcp_and_signals_no_other_process() {
    let Some(version) = landlock(
        4,
        "a_confined_program_has_no_tcp_and_signals_no_other_process",
    ) else {
        return;
    };
    let folder = common::run_folder("confine-others");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let script = format!(
        "sleep 60 >/dev/null 2>&1 & kill $! && echo own child; kill -0 {} && echo SIGNALLED
(echo x >/dev/tcp/127.0.0.1/{port}) && echo CONNECTED",
        other.id()
    );
    // The same, free: what is refused would otherwise work.
    let free = Command::new("/bin/bash")
        .args(["-c", &script])
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(text(&free.stdout), "own child\nSIGNALLED\nCONNECTED\n");
    let access = json!({"read": [], "write": [], "devices": ["/dev/null"]});
    let output = confined(&folder, &access, &script);
    // Linux 6.7 keeps a program from TCP, 6.12 from others' processes.
    let signals = if version < 6 { "SIGNALLED\n" } else { "" };
    assert_eq!(text(&output.stdout), format!("own child\n{signals}"));
    assert!(text(&output.stderr).contains("Permission denied"));
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn without_a_list_of_files_no_program_is_started() {
    let folder = common::run_folder("confine-list");
    for list in ["", "{}", r#"{"read": [], "everything": true}"#] {
        let file = folder.join("access.json");
        fs::File::create(&file)
            .unwrap()
            .write_all(list.as_bytes())
            .unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_bpfgate-agent"))
            .arg("confine")
            .args([file.as_os_str(), "/bin/echo".as_ref(), "started".as_ref()])
            .output()
            .unwrap();
        assert!(!output.status.success());
        assert_eq!(text(&output.stdout), "");
    }
}
