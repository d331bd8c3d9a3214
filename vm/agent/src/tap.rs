//! Tap: a network device whose XDP program redirects the frames that the workload writes to
//! it. It is in a network namespace of its own, so that nothing else sees it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use aya_obj::generated::{
    BPF_ADD, BPF_ALU64, BPF_B, BPF_JLE, BPF_JMP, BPF_JNE, BPF_K, BPF_LDX, BPF_MEM, BPF_MOV,
    BPF_PSEUDO_MAP_FD, BPF_W, BPF_X, XDP_FLAGS_DRV_MODE, bpf_attach_type, bpf_func_id,
    bpf_map_type, bpf_prog_type,
};

use crate::bpf::{self, CALL, Insn, LOAD_64, Prog};
use crate::bpf_load::{self, MapCreate};
use crate::hook::Redirect;
use crate::sys;

const NAME: &str = "bpfgate";
const FILE: &str = "/dev/net/tun";
const LOOPBACK: u32 = 1;
/// Maps of each kind, with one entry each.
const PLACES: usize = 3;
/// The maps: those that hold the device itself, one of devices whose device takes no frames,
/// and those that hold the CPU.
const MAPS: usize = PLACES + 1 + PLACES;
/// Frames that the workload writes. The second byte of each is the number of a map; the last
/// one's has no map, and the program aborts it.
pub const FRAMES: u8 = MAPS as u8 + 1;
/// The first of these come back to be read.
pub const RETURNED: u8 = PLACES as u8;

/// The device.
pub struct Tap {
    /// Frames are written to it, and read.
    pub file: OwnedFd,
    /// Its namespace, in which devices of maps are found.
    network: File,
    index: u32,
    maps: Vec<OwnedFd>,
    prog: Prog,
}

impl Tap {
    /// Makes the device. It needs kernel 5.9.
    pub fn make() -> io::Result<Self> {
        if !Path::new(FILE).exists() {
            sys::modprobe(&["tun"]);
        }
        sys::in_network(None, || {
            let mut options = OpenOptions::new();
            options.read(true).write(true);
            // Only such writes run the program before the kernel has made a packet of the frame.
            let file = options.custom_flags(libc::O_NONBLOCK).open(FILE)?.into();
            let index = sys::make_tap(&file, NAME)?;
            // So that it sends nothing by itself.
            let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{NAME}/disable_ipv6"), "1");
            sys::interface_up(NAME)?;
            let maps: Vec<_> = (0..MAPS).map(create).collect::<io::Result<_>>()?;
            let prog = Prog::load(bpf_prog_type::BPF_PROG_TYPE_XDP, &redirect(&maps))?;
            let tap = Self {
                file,
                network: sys::network()?,
                index,
                maps,
                prog,
            };
            for map in 0..MAPS {
                tap.fill(map, None)?;
            }
            tap.attach()?;
            Ok(tap)
        })
    }

    /// Attaches the program until the result is dropped. While any XDP program is attached, the
    /// kernel takes an instruction more to run another.
    pub fn attach(&self) -> io::Result<OwnedFd> {
        sys::in_network(Some(&self.network), || {
            bpf_load::link(&self.prog, bpf_attach_type::BPF_XDP as u32, |attr| {
                attr.link_create.__bindgen_anon_2.target_ifindex = self.index;
                attr.link_create.flags = XDP_FLAGS_DRV_MODE;
            })
        })
    }

    /// Sets the program of one of the maps until the result is dropped.
    pub fn set(&self, by: Redirect, place: usize, prog: &Prog) -> io::Result<Place<'_>> {
        if place >= PLACES {
            return Err(io::Error::from_raw_os_error(libc::ENOSPC));
        }
        let map = match by {
            Redirect::Device => place,
            Redirect::Cpu => MAPS - PLACES + place,
        };
        self.replace(map, Some(prog))?;
        Ok(Place { tap: self, map })
    }

    fn replace(&self, map: usize, prog: Option<&Prog>) -> io::Result<()> {
        sys::in_network(Some(&self.network), || self.fill(map, prog))?;
        if map > PLACES {
            // The kernel ends the thread of the replaced entry later, which runs programs too.
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Sets a map's entry: `struct bpf_devmap_val` or `struct bpf_cpumap_val`.
    fn fill(&self, map: usize, prog: Option<&Prog>) -> io::Result<()> {
        /// The most frames that wait for the CPU.
        const FRAMES: u32 = 64;
        let to = match map {
            ..PLACES => self.index,
            PLACES => LOOPBACK,
            _ => FRAMES,
        };
        let prog = prog.map_or(-1, Prog::fd_number);
        let value = [to.to_ne_bytes(), prog.to_ne_bytes()].concat();
        bpf::update(self.maps[map].as_raw_fd(), &[0; 4], &value)
    }
}

/// A map's entry that has a program.
pub struct Place<'a> {
    tap: &'a Tap,
    map: usize,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let _ = self.tap.replace(self.map, None);
    }
}

fn create(map: usize) -> io::Result<OwnedFd> {
    let map_type = match map {
        ..=PLACES => bpf_map_type::BPF_MAP_TYPE_DEVMAP,
        _ => bpf_map_type::BPF_MAP_TYPE_CPUMAP,
    };
    MapCreate {
        map_type: map_type as u32,
        key_size: 4,
        value_size: 8,
        max_entries: 1,
        ..MapCreate::default()
    }
    .create()
}

/// The program: `bpf_redirect_map` to the map that the frame's second byte numbers, otherwise
/// `XDP_ABORTED`.
fn redirect(maps: &[OwnedFd]) -> Vec<Insn> {
    const HEADER: i32 = 14;
    let op = |code: u32, registers, offset, value| Insn::new(code as u8, registers, offset, value);
    let load = |size, registers, offset| op(BPF_LDX | BPF_MEM | size, registers, offset, 0);
    let set = |register, value| op(BPF_ALU64 | BPF_MOV | BPF_K, register, 0, value);
    let mut insns = vec![
        // r2 = data, r3 = data_end
        load(BPF_W, 0x12, 0),
        load(BPF_W, 0x13, 4),
        Insn::mov_r0(0),
        op(BPF_ALU64 | BPF_MOV | BPF_X, 0x24, 0, 0),
        op(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, HEADER),
        op(BPF_JMP | BPF_JLE | BPF_X, 0x34, 1, 0),
        Insn::exit(),
        load(BPF_B, 0x24, 1),
    ];
    for (number, map) in (0..).zip(maps) {
        let map_in_r1 = (BPF_PSEUDO_MAP_FD << 4) as u8 | 1;
        insns.extend([
            op(BPF_JMP | BPF_JNE | BPF_K, 4, 6, number),
            Insn::new(LOAD_64, map_in_r1, 0, map.as_raw_fd()),
            op(0, 0, 0, 0),
            set(2, 0),
            set(3, 0),
            op(CALL.into(), 0, 0, bpf_func_id::BPF_FUNC_redirect_map as i32),
            Insn::exit(),
        ]);
    }
    insns.push(Insn::exit());
    insns
}
