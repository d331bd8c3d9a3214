//! Confinement: starts QEMU so that it can open only the listed files. The guest reads
//! the host's files through QEMU. So no root in the guest can read what QEMU cannot open,
//! and neither can an attacker who breaks out of QEMU.
//!
//! Landlock needs no privileges, and the rights it removes cannot be regained. It does
//! not keep a process from learning names, sizes and times of files, nor from changing
//! modes and owners of its user's files. A guest cannot request the latter from QEMU for
//! exports that are read-only.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use serde::Deserialize;

/// The latest Landlock version whose rights are known here; a kernel with an older one
/// enforces the rights that it has.
const KNOWN: ABI = ABI::V6;

/// The absolute paths that a program may open. A folder includes everything in it; a
/// missing path is ignored. Folders can be listed everywhere, since QEMU opens the root
/// that it exports.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Readable and executable paths.
    read: Vec<PathBuf>,
    /// Paths with every right to read and change.
    write: Vec<PathBuf>,
    /// Devices to read, write and control.
    devices: Vec<PathBuf>,
}

/// The kernel's version of Landlock; 0 if it has none or it is switched off.
pub fn landlock_version() -> libc::c_long {
    const VERSION: libc::c_long = 1;
    // SAFETY: with this flag the call takes no attributes and makes nothing.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0,
            VERSION,
        )
    };
    version.max(0)
}

/// Becomes the program, with the rights listed in the file `access`. Fails, and starts
/// nothing, if the kernel does not enforce them.
pub fn exec(access: &Path, program: &OsStr, arguments: &[OsString]) -> Result<()> {
    let file = File::open(access).with_context(|| format!("cannot read {access:?}"))?;
    let access: Access = serde_json::from_reader(BufReader::new(file))
        .with_context(|| format!("{access:?} does not say what may be opened"))?;
    restrict(&access).context("cannot confine it by Landlock")?;
    let Err(error): std::result::Result<Infallible, _> =
        Err(Command::new(program).args(arguments).exec());
    Err(error).with_context(|| format!("cannot run {program:?}"))
}

fn restrict(access: &Access) -> Result<()> {
    let change = AccessFs::from_all(KNOWN) & !(AccessFs::Execute | AccessFs::IoctlDev);
    // No device may be made, not even by a process with that right.
    let change = change & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?;
    let everywhere = [PathBuf::from("/")];
    let lists: [(&[PathBuf], BitFlags<AccessFs>); 4] = [
        (&everywhere, AccessFs::ReadDir.into()),
        (&access.read, AccessFs::ReadFile | AccessFs::Execute),
        (&access.write, change),
        (
            &access.devices,
            AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev,
        ),
    ];
    for (paths, rights) in lists {
        for path in paths {
            let Ok(file) = PathFd::new(path) else {
                continue;
            };
            // The kernel refuses a file's rule that has rights of folders.
            let rights = if path.is_dir() {
                rights
            } else {
                rights & AccessFs::from_file(KNOWN)
            };
            ruleset = ruleset
                .add_rule(PathBeneath::new(file, rights))
                .with_context(|| format!("{path:?}"))?;
        }
    }
    let status = ruleset.restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced {
        bail!("the kernel has no Landlock");
    }
    Ok(())
}
