//! Object: the embedded BPF object. Loads one program at a time, attaches it to its hook, and
//! removes it.

use std::{
    any::Any,
    io,
    os::fd::{AsFd as _, BorrowedFd},
    path::Path,
};

use aya::{
    Btf, Ebpf,
    programs::{Program, ProgramError, uprobe::UProbeScope},
};
use bpf_bench::{Counters, KernelVersion, running_release};
use nix::sys::resource::{RLIM_INFINITY, Resource, setrlimit};

use crate::{
    Counted, Error, Hook, Pair,
    counts::Maps,
    kprobe_multi,
    target::{KERNEL_FUNCTION, KERNEL_FUNCTION_IN_BTF, USER_FUNCTION},
};

static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/probe_overhead"));

const SYSTEM_CALL_TRACEPOINT: &str = "sys_enter";
const BTF: &str = "/sys/kernel/btf/vmlinux";
/// Possible folders of tracefs with the numbers of tracepoints.
const TRACEPOINTS: [&str; 2] = [
    "/sys/kernel/tracing/events",
    "/sys/kernel/debug/tracing/events",
];
/// The first kernel with kprobe.multi links, which aya does not make.
const KPROBE_MULTI_SINCE: KernelVersion = KernelVersion::new(5, 18);

/// Every program of the object, none of them loaded, and the maps in which they count.
pub struct Probes {
    ebpf: Ebpf,
    maps: Maps,
    /// `None` on a kernel without BTF.
    btf: Option<Btf>,
}

impl Probes {
    /// Creates the maps, with entries for this thread. The same thread has to do everything else.
    ///
    /// # Errors
    ///
    /// [`Error::NotPermitted`] and [`Error::Load`], and [`Error::Counters`] if a map cannot be
    /// filled.
    pub fn new() -> Result<Self, Error> {
        // Before 5.11 maps count as locked memory, of which even root may have little. If raising
        // the limit fails, it may still be high enough; if not, creating the maps fails.
        let _: nix::Result<()> = setrlimit(Resource::RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY);
        let mut ebpf = Ebpf::load(OBJECT).map_err(|error| Error::load("the BPF object", error))?;
        let maps = Maps::new(&mut ebpf)?;
        let btf = if Path::new(BTF).exists() {
            Some(Btf::from_sys_fs().map_err(|error| Error::load(BTF, error))?)
        } else {
            None
        };
        Ok(Self { ebpf, maps, btf })
    }

    /// Loads the pair's program, until the result is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsKernel`] and [`Error::NeedsOption`] if this kernel does not have the hook;
    /// [`Error::is_gap`] distinguishes them from [`Error::NotPermitted`] and [`Error::Load`].
    pub fn load(&mut self, pair: Pair) -> Result<Probe<'_>, Error> {
        if pair.hook == Hook::KprobeMulti {
            require_kprobe_multi(pair)?;
            let program = kprobe_multi::Program::load(pair, OBJECT, &self.maps.fds())?;
            return Ok(Probe {
                pair,
                program: Loaded::KprobeMulti(program),
                maps: &self.maps,
            });
        }
        let name = pair.program();
        let program = self
            .ebpf
            .program_mut(&name)
            .ok_or_else(|| Error::load(&name, io::Error::other("not in the BPF object")))?;
        let btf = self.btf.as_ref().ok_or(Error::NeedsOption {
            pair,
            option: "CONFIG_DEBUG_INFO_BTF",
            missing: "there is no /sys/kernel/btf/vmlinux",
        });
        match program {
            Program::TracePoint(program) => program.load(),
            Program::RawTracePoint(program) => program.load(),
            Program::BtfTracePoint(program) => program.load(SYSTEM_CALL_TRACEPOINT, btf?),
            Program::FEntry(program) => program.load(KERNEL_FUNCTION_IN_BTF, btf?),
            Program::FExit(program) => program.load(KERNEL_FUNCTION_IN_BTF, btf?),
            Program::KProbe(program) => program.load(),
            Program::UProbe(program) => program.load(),
            _ => Err(ProgramError::UnexpectedProgramType),
        }
        .map_err(|error| Error::load(&name, error))?;
        Ok(Probe {
            pair,
            program: Loaded::ByAya(program),
            maps: &self.maps,
        })
    }
}

/// A loaded program, which is unloaded on drop.
pub struct Probe<'a> {
    pair: Pair,
    program: Loaded<'a>,
    maps: &'a Maps,
}

enum Loaded<'a> {
    ByAya(&'a mut Program),
    KprobeMulti(kprobe_multi::Program),
}

/// An attached program, which is detached on drop.
pub struct Attachment(#[expect(dead_code, reason = "kept until it is dropped")] Box<dyn Any>);

impl Probe<'_> {
    /// The program's pair.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// Attaches the program to its hook.
    ///
    /// # Errors
    ///
    /// [`Error::NoTracefs`], [`Error::NotPermitted`] and [`Error::Attach`]. [`Error::NeedsOption`]
    /// if the kernel does not make kprobe.multi links, which shows only here.
    pub fn attach(&mut self) -> Result<Attachment, Error> {
        let pair = self.pair;
        let has_tracefs = || TRACEPOINTS.iter().any(|folder| Path::new(folder).exists());
        if pair.hook == Hook::Tracepoint && !has_tracefs() {
            return Err(Error::NoTracefs { pair });
        }
        let link = match &mut self.program {
            Loaded::KprobeMulti(program) => Box::new(program.attach(pair)?),
            Loaded::ByAya(program) => {
                attach(program, pair.hook).map_err(|error| Error::attach(pair, error))?
            }
        };
        Ok(Attachment(link))
    }

    /// The program's total counts. Do not call it while the program is attached: it makes system
    /// calls, which some programs count.
    ///
    /// # Errors
    ///
    /// [`Error::Counters`].
    pub fn counted(&self) -> Result<Counted, Error> {
        let name = self.pair.program();
        let runs = |program: BorrowedFd<'_>| {
            Counters::by_fdinfo(&name, program)
                .map(|counters| counters.run_count)
                .map_err(|error| Error::counters(&name, error))
        };
        let runs = match &self.program {
            Loaded::KprobeMulti(program) => runs(program.fd().as_fd()),
            Loaded::ByAya(program) => {
                let fd = program
                    .fd()
                    .map_err(|error| Error::counters(&name, error))?;
                runs(fd.as_fd())
            }
        }?;
        Ok(Counted {
            runs,
            calls: self.maps.calls(self.pair.body)?,
        })
    }
}

impl Drop for Probe<'_> {
    fn drop(&mut self) {
        if let Loaded::ByAya(program) = &mut self.program {
            // The only possible error is that it is not loaded.
            let _: Result<(), ProgramError> = match program {
                Program::TracePoint(program) => program.unload(),
                Program::RawTracePoint(program) => program.unload(),
                Program::BtfTracePoint(program) => program.unload(),
                Program::FEntry(program) => program.unload(),
                Program::FExit(program) => program.unload(),
                Program::KProbe(program) => program.unload(),
                Program::UProbe(program) => program.unload(),
                _ => Ok(()),
            };
        }
    }
}

/// Attaches a program that aya has loaded. The link detaches it when it is dropped.
fn attach(program: &mut Program, hook: Hook) -> Result<Box<dyn Any>, ProgramError> {
    Ok(match program {
        Program::TracePoint(program) => {
            let link = program.attach("syscalls", "sys_enter_getpid")?;
            Box::new(program.take_link(link)?)
        }
        Program::RawTracePoint(program) => {
            let link = program.attach(SYSTEM_CALL_TRACEPOINT)?;
            Box::new(program.take_link(link)?)
        }
        Program::BtfTracePoint(program) => {
            let link = program.attach()?;
            Box::new(program.take_link(link)?)
        }
        Program::FEntry(program) => {
            let link = program.attach()?;
            Box::new(program.take_link(link)?)
        }
        Program::FExit(program) => {
            let link = program.attach()?;
            Box::new(program.take_link(link)?)
        }
        Program::KProbe(program) => {
            let link = program.attach(KERNEL_FUNCTION, 0)?;
            Box::new(program.take_link(link)?)
        }
        Program::UProbe(program) => {
            let link =
                program.attach(USER_FUNCTION, "/proc/self/exe", UProbeScope::CallingProcess)?;
            Box::new(program.take_link(link)?)
        }
        _ => {
            debug_assert!(false, "{hook:?}");
            return Err(ProgramError::UnexpectedProgramType);
        }
    })
}

/// Refuses kernels before 5.18, which load such a program but have no link for it.
fn require_kprobe_multi(pair: Pair) -> Result<(), Error> {
    let release = running_release().map_err(|error| Error::load(pair.program(), error))?;
    match KernelVersion::parse(&release) {
        Some(found) if found < KPROBE_MULTI_SINCE => Err(Error::NeedsKernel {
            pair,
            needs: KPROBE_MULTI_SINCE,
            release,
        }),
        // An unreadable version is tried.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_has_a_program_for_every_pair() {
        let object = aya_obj::Object::parse(OBJECT).unwrap();
        assert_eq!(object.programs.len(), Pair::all().count());
        for pair in Pair::all() {
            assert!(object.programs.contains_key(&pair.program()), "{pair}");
        }
    }
}
