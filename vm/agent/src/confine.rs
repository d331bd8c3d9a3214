//! Starts a program of the host's that can open no more than the files it is told of:
//! QEMU, or a project's build. The guest reads the host's files through QEMU, so what
//! QEMU cannot open no root in the guest can read, and neither can who breaks out of
//! QEMU.
//!
//! Landlock needs no rights to be had, and what it takes away nobody gives back. It
//! does not keep a process from learning names, sizes and times of files, nor from
//! changing modes and owners of its user's files; the latter no guest can ask of
//! QEMU for what is exported read-only.

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

use crate::sys;

/// The latest version whose rights are known here; a kernel with an older one
/// enforces what it has.
const KNOWN: ABI = ABI::V6;

/// What a program may open, as absolute paths. Of a folder all that is in it; what
/// is not there is passed over. Folders can be listed everywhere, since QEMU opens
/// the root it exports.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// To read and to execute.
    read: Vec<PathBuf>,
    /// To read and change in every way.
    write: Vec<PathBuf>,
    /// Devices: to read, write and control.
    devices: Vec<PathBuf>,
    /// Whether it may use TCP.
    network: bool,
    /// Of a build: what it may ask of the kernel, as instructions of classic BPF over
    /// `struct seccomp_data`. It gets the standard streams alone, too, since what is
    /// open stays usable whatever the rules say; QEMU is handed a machine's state so.
    #[serde(default)]
    filter: Vec<(u16, u8, u8, u32)>,
}

/// The kernel's version of Landlock; 0 where it has none, or it is switched off.
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

/// Becomes the program, with the rights that the file `access` names.
/// Fails, and starts nothing, where the kernel does not enforce that.
pub fn exec(access: &Path, program: &OsStr, arguments: &[OsString]) -> Result<()> {
    let file = File::open(access).with_context(|| format!("cannot read {access:?}"))?;
    let access: Access = serde_json::from_reader(BufReader::new(file))
        .with_context(|| format!("{access:?} does not say what may be opened"))?;
    restrict(&access).context("cannot confine it by Landlock")?;
    if !access.filter.is_empty() {
        sys::close_on_exec().context("cannot close what is open")?;
        sys::filter_system_calls(&access.filter).context("cannot filter system calls")?;
    }
    let Err(error): std::result::Result<Infallible, _> =
        Err(Command::new(program).args(arguments).exec());
    Err(error).with_context(|| format!("cannot run {program:?}"))
}

fn restrict(access: &Access) -> Result<()> {
    let change = AccessFs::from_all(KNOWN) & !(AccessFs::Execute | AccessFs::IoctlDev);
    // No device, whoever has the right to make one.
    let change = change & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?;
    if !access.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
    }
    let mut ruleset = ruleset.create()?;
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
