//! BPF: the commands of `bpf(2)` that load programs, BTF and maps, and link programs; see [`crate::bpf`].

use std::ffi::{CStr, c_char};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use aya_obj::generated::{bpf_attr, bpf_cmd, bpf_func_info, bpf_line_info, bpf_prog_type};

use crate::bpf::{self, Insn, Prog, bpf, bpf_fd, no_attr};

/// Bytes of a `func_info` record as passed to the kernel.
pub const FUNC_INFO_BYTES: u32 = size_of::<bpf_func_info>() as u32;
/// Bytes of a `line_info` record as passed to the kernel.
pub const LINE_INFO_BYTES: u32 = size_of::<bpf_line_info>() as u32;
/// The largest log size in bytes that every kernel accepts.
pub const MAX_LOG_BYTES: usize = (1 << 24) - 1;

/// A program's BTF and its records about the instructions.
#[derive(Debug, Clone, Copy)]
pub struct ProgBtf<'a> {
    /// BTF that the kernel has loaded.
    pub fd: &'a OwnedFd,
    /// Records of [`FUNC_INFO_BYTES`].
    pub func_info: &'a [u8],
    /// Records of [`LINE_INFO_BYTES`].
    pub line_info: &'a [u8],
}

/// A program to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgLoad<'a> {
    /// Number in `enum bpf_prog_type`.
    pub prog_type: u32,
    /// Number in `enum bpf_attach_type`, or 0.
    pub attach_type: u32,
    /// `BPF_F_*`.
    pub flags: u32,
    /// The BTF id in the kernel's own BTF of what it attaches to, or 0.
    pub attach_btf_id: u32,
    /// Cut off after 15 bytes; the kernel accepts only letters, digits, `_` and `.`.
    pub name: &'a str,
    pub license: &'a CStr,
    /// The kernel version it is for, or 0.
    pub kernel_version: u32,
    /// Its instructions, with file descriptors of maps.
    pub insns: &'a [Insn],
    /// Its BTF, if it has any.
    pub btf: Option<ProgBtf<'a>>,
}

/// A map to create.
#[derive(Debug, Clone, Copy, Default)]
pub struct MapCreate<'a> {
    /// Number in `enum bpf_map_type`.
    pub map_type: u32,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value.
    pub value_size: u32,
    /// Most entries.
    pub max_entries: u32,
    /// `BPF_F_*`.
    pub flags: u32,
    /// Its meaning depends on the type.
    pub extra: u64,
    /// Same rules as [`ProgLoad::name`].
    pub name: &'a str,
    /// A template of the maps that it holds.
    pub inner: Option<&'a OwnedFd>,
    /// The BTF descriptor, and the ids of the key's and value's types in it.
    pub btf: Option<(&'a OwnedFd, u32, u32)>,
    /// The BTF id of the value's type in the kernel's own BTF, or 0.
    pub kernel_value: u32,
}

/// Converts a name to the kernel's form.
fn kernel_name(name: &str) -> [c_char; 16] {
    let mut kernel_name = [0; 16];
    for (to, from) in kernel_name[..15].iter_mut().zip(name.bytes()) {
        *to = match from {
            b'_' | b'.' => from,
            _ if from.is_ascii_alphanumeric() => from,
            _ => b'_',
        } as c_char;
    }
    kernel_name
}

/// Returns the log up to the first NUL.
fn log_text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).into_owned()
}

/// A buffer for a log of `bytes`, at most [`MAX_LOG_BYTES`].
fn log_buffer(bytes: usize) -> Vec<u8> {
    vec![0; bytes.clamp(128, MAX_LOG_BYTES)]
}

impl Prog {
    /// Loads a program with license GPL and no name.
    pub fn load(prog_type: bpf_prog_type, insns: &[Insn]) -> io::Result<Self> {
        let request = ProgLoad {
            prog_type: prog_type as u32,
            license: c"GPL",
            insns,
            ..ProgLoad::default()
        };
        request.load_quietly()
    }
}

impl ProgLoad<'_> {
    fn attr(&self) -> bpf_attr {
        let mut attr = no_attr();
        // SAFETY: all zero is valid for every member.
        let load = unsafe { &mut attr.__bindgen_anon_3 };
        load.prog_type = self.prog_type;
        load.insn_cnt = self.insns.len() as u32;
        load.insns = self.insns.as_ptr() as u64;
        load.license = self.license.as_ptr() as u64;
        load.kern_version = self.kernel_version;
        load.prog_flags = self.flags;
        load.prog_name = kernel_name(self.name);
        load.expected_attach_type = self.attach_type;
        load.attach_btf_id = self.attach_btf_id;
        if let Some(btf) = &self.btf {
            load.prog_btf_fd = btf.fd.as_raw_fd() as u32;
            // Some kernels refuse a size without records.
            if !btf.func_info.is_empty() {
                load.func_info_rec_size = FUNC_INFO_BYTES;
                load.func_info = btf.func_info.as_ptr() as u64;
                load.func_info_cnt = btf.func_info.len() as u32 / FUNC_INFO_BYTES;
            }
            if !btf.line_info.is_empty() {
                load.line_info_rec_size = LINE_INFO_BYTES;
                load.line_info = btf.line_info.as_ptr() as u64;
                load.line_info_cnt = btf.line_info.len() as u32 / LINE_INFO_BYTES;
            }
        }
        attr
    }

    /// Loads it without a log.
    pub fn load_quietly(&self) -> io::Result<Prog> {
        // SAFETY: every address points to live data of the length next to it, and
        // `license` to a C string; the command returns a descriptor.
        unsafe { bpf_fd(bpf_cmd::BPF_PROG_LOAD, &mut self.attr()) }.map(Prog)
    }

    /// Loads it, and also returns the verifier's log. A log of more than `log_bytes` is
    /// cut off, which gives ENOSPC even if the program itself was accepted. Kernels
    /// before 6.4 then keep the beginning of the log, later ones its end.
    pub fn load(&self, log_level: u32, log_bytes: usize) -> (io::Result<Prog>, String) {
        let mut log = log_buffer(log_bytes);
        let mut attr = self.attr();
        attr.__bindgen_anon_3.log_level = log_level;
        attr.__bindgen_anon_3.log_size = log.len() as u32;
        attr.__bindgen_anon_3.log_buf = log.as_mut_ptr() as u64;
        // SAFETY: as above; `log_buf` points to `log_size` writable bytes.
        let result = unsafe { bpf_fd(bpf_cmd::BPF_PROG_LOAD, &mut attr) }.map(Prog);
        (result, log_text(&log))
    }
}

impl MapCreate<'_> {
    /// Creates the map.
    pub fn create(&self) -> io::Result<OwnedFd> {
        let mut attr = no_attr();
        // SAFETY: all zero is valid for every member.
        let map = unsafe { &mut attr.__bindgen_anon_1 };
        map.map_type = self.map_type;
        map.key_size = self.key_size;
        map.value_size = self.value_size;
        map.max_entries = self.max_entries;
        map.map_flags = self.flags;
        map.inner_map_fd = self.inner.map_or(0, |fd| fd.as_raw_fd() as u32);
        map.map_name = kernel_name(self.name);
        map.map_extra = self.extra;
        map.btf_vmlinux_value_type_id = self.kernel_value;
        if let Some((fd, key, value)) = self.btf {
            map.btf_fd = fd.as_raw_fd() as u32;
            map.btf_key_type_id = key;
            map.btf_value_type_id = value;
        }
        // SAFETY: the attribute holds no addresses; the command returns a descriptor.
        unsafe { bpf_fd(bpf_cmd::BPF_MAP_CREATE, &mut attr) }
    }
}

/// Sets an entry of a map that was created from `made`. `cpus`: the number of processors,
/// if the map has a value for each, which all are set.
pub fn set_entry(
    map: &OwnedFd,
    made: &MapCreate,
    key: &[u8],
    value: &[u8],
    cpus: Option<u32>,
) -> io::Result<()> {
    if made.key_size as usize != key.len() || made.value_size as usize != value.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut value = value.to_vec();
    if let Some(cpus) = cpus {
        value.resize(value.len().next_multiple_of(8), 0);
        value = value.repeat(cpus as usize);
    }
    bpf::update(map.as_raw_fd(), key, &value)
}

/// Makes a map's content read-only for user space.
pub fn freeze(map: &OwnedFd) -> io::Result<()> {
    let mut attr = no_attr();
    attr.__bindgen_anon_2.map_fd = map.as_raw_fd() as u32;
    // SAFETY: the attribute holds no addresses.
    unsafe { bpf(bpf_cmd::BPF_MAP_FREEZE, &mut attr) }.map(drop)
}

/// Loads BTF; on failure, the text is the kernel's log.
pub fn load_btf(blob: &[u8]) -> Result<OwnedFd, (io::Error, String)> {
    let mut attr = no_attr();
    attr.__bindgen_anon_7.btf = blob.as_ptr() as u64;
    attr.__bindgen_anon_7.btf_size = blob.len() as u32;
    // SAFETY: `btf` points to `btf_size` bytes that outlive the call; there is no
    // log; the command returns a descriptor.
    let error = match unsafe { bpf_fd(bpf_cmd::BPF_BTF_LOAD, &mut attr) } {
        Ok(fd) => return Ok(fd),
        Err(error) => error,
    };
    let mut log = log_buffer(MAX_LOG_BYTES);
    attr.__bindgen_anon_7.btf_log_level = 1;
    attr.__bindgen_anon_7.btf_log_size = log.len() as u32;
    attr.__bindgen_anon_7.btf_log_buf = log.as_mut_ptr() as u64;
    // SAFETY: as above; `log_buf` points to `log_size` writable bytes.
    let _ = unsafe { bpf_fd(bpf_cmd::BPF_BTF_LOAD, &mut attr) };
    Err((error, log_text(&log)))
}

/// Links a program to what it is attached to, until the descriptor is closed. `fill` sets the
/// target; the addresses in it must outlive the call.
pub fn link(
    prog: &Prog,
    attach_type: u32,
    fill: impl FnOnce(&mut bpf_attr),
) -> io::Result<OwnedFd> {
    let mut attr = no_attr();
    attr.link_create.__bindgen_anon_1.prog_fd = prog.fd_number() as u32;
    attr.link_create.attach_type = attach_type;
    fill(&mut attr);
    // SAFETY: the callers' addresses are of live lists of the lengths next to them; the
    // command returns a descriptor.
    unsafe { bpf_fd(bpf_cmd::BPF_LINK_CREATE, &mut attr) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_only_characters_that_the_kernel_accepts() {
        let name = |name| kernel_name(name).map(|byte| byte as u8);
        assert_eq!(&name(".rodata"), b".rodata\0\0\0\0\0\0\0\0\0");
        assert_eq!(&name("a$very/long_name_indeed"), b"a_very_long_nam\0");
    }

    #[test]
    fn logs_end_at_the_first_nul() {
        assert_eq!(log_text(b"abc\0def"), "abc");
        assert_eq!(log_text(b"abc"), "abc");
    }
}
