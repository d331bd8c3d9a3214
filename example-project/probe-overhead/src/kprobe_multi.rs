//! Programs of kprobe.multi links. aya 0.14 loads every kprobe program without an expected attach
//! type, but such a link accepts only programs loaded with its own type. aya does not make such
//! links either. So aya-obj takes the program out of the object, and the system call loads it.

use std::{
    collections::HashSet,
    io,
    os::fd::{AsFd as _, OwnedFd, RawFd},
};

use aya_obj::Object;

use crate::{Error, Pair, bpf_call, target::KERNEL_FUNCTION};

/// A loaded program.
#[derive(Debug)]
pub struct Program(OwnedFd);

impl Program {
    /// Loads the pair's program from the object, with the maps that exist already.
    pub fn load(pair: Pair, object: &[u8], maps: &[(&str, RawFd)]) -> Result<Self, Error> {
        let name = pair.program();
        let fail = |error: io::Error| Error::load(&name, error);
        let mut object = Object::parse(object).map_err(|error| Error::load(&name, error))?;

        let code: HashSet<usize> = object
            .functions
            .keys()
            .map(|(section, _)| *section)
            .collect();
        let definitions = object.maps.clone();
        let maps = maps
            .iter()
            .filter_map(|(name, fd)| Some((*name, *fd, definitions.get(*name)?)));
        object
            .relocate_maps(maps, &code)
            .and_then(|()| object.relocate_calls(&code))
            .map_err(|error| Error::load(&name, error))?;

        let program = object
            .programs
            .get(&name)
            .ok_or_else(|| fail(io::Error::other("not in the BPF object")))?;
        let function = object
            .functions
            .get(&program.function_key())
            .ok_or_else(|| fail(io::Error::other("without instructions in the BPF object")))?;
        bpf_call::load_kprobe_multi(&name, &function.instructions, &program.license)
            .map(Self)
            .map_err(fail)
    }

    pub fn fd(&self) -> &OwnedFd {
        &self.0
    }

    /// Attaches it to the system call's function, as long as the result is open.
    pub fn attach(&self, pair: Pair) -> Result<OwnedFd, Error> {
        bpf_call::link_kprobe_multi(self.0.as_fd(), KERNEL_FUNCTION).map_err(|error| {
            // The error of kernels built without links of this kind.
            if error.raw_os_error() == Some(libc::EOPNOTSUPP) {
                return Error::NeedsOption {
                    pair,
                    option: "CONFIG_FPROBE",
                    missing: "it does not make kprobe.multi links",
                };
            }
            Error::attach(pair, error)
        })
    }
}
