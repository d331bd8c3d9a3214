//! Object: the embedded BPF object. Loads it and attaches it to an interface.

use aya::{
    Ebpf,
    maps::Queue,
    programs::{ProgramError, Xdp, XdpMode},
};
use nix::sys::resource::{RLIM_INFINITY, Resource, setrlimit};

use crate::{Error, SourceAddrQueue};

/// The program that judges packets.
pub const FUN_XDP: &str = "fun_xdp";
/// The program that does nothing.
pub const XDP_PASS: &str = "xdp_pass";

const QUEUE: &str = "SOURCE_ADDR_QUEUE";

/// Creates the maps of a fresh instance of the object. Its programs are not loaded yet.
pub fn load() -> Result<Ebpf, Error> {
    // Before 5.11 maps count as locked memory, of which even root may have little. If raising the
    // limit fails, it may still be high enough.
    if let Err(errno) = setrlimit(Resource::RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY) {
        log::debug!("cannot raise the limit of locked memory: {errno}");
    }
    let object = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/xdp"));
    Ebpf::load(object).map_err(|error| Error::load("the BPF object", error))
}

/// Loads one of the object's programs, which the verifier then checks.
pub fn load_program<'a>(ebpf: &'a mut Ebpf, name: &str) -> Result<&'a mut Xdp, Error> {
    let program = ebpf
        .program_mut(name)
        .ok_or_else(|| Error::load(name, std::io::Error::other("not in the BPF object")))?;
    let program: &mut Xdp = program
        .try_into()
        .map_err(|error: ProgramError| Error::load(name, error))?;
    program.load().map_err(|error| Error::load(name, error))?;
    Ok(program)
}

/// Takes the queue out of the object.
pub fn queue(ebpf: &mut Ebpf) -> Result<SourceAddrQueue, Error> {
    let map = ebpf
        .take_map(QUEUE)
        .ok_or_else(|| Error::load(QUEUE, std::io::Error::other("not in the BPF object")))?;
    Queue::try_from(map).map_err(|error| Error::load(QUEUE, error))
}

/// Attaches the program in the driver, or, with a warning, in the kernel's own stack if the driver
/// refuses it. It stays attached until the object is dropped.
pub fn attach(program: &mut Xdp, iface: &str) -> Result<XdpMode, Error> {
    let native = match program.attach(iface, XdpMode::Driver) {
        Ok(_link) => return Ok(XdpMode::Driver),
        Err(ProgramError::UnknownInterface { name }) => {
            return Err(Error::NoSuchInterface { iface: name });
        }
        Err(error) => Error::attach(iface, error),
    };
    if matches!(native, Error::NotPermitted { .. }) {
        return Err(native);
    }
    program
        .attach(iface, XdpMode::Skb)
        .map_err(|error| Error::attach(iface, error))?;
    log::warn!(
        "{iface}: attached in generic (skb) mode, which costs more, for the driver refused: {}",
        native.root_cause(),
    );
    Ok(XdpMode::Skb)
}
