//! Tests the loaded programs on packets that no network would deliver, by `BPF_PROG_TEST_RUN`.
//! Needs root and a kernel with BPF; prints a message and passes without them.

use aya::{
    Ebpf,
    programs::{TestRun as _, TestRunOptions, Xdp},
};
use xdp::{Error, FUN_XDP, SourceAddr, SourceAddrQueue, XDP_PASS};

/// XDP's number for passing a packet (`enum xdp_action`).
const ACTION_PASS: u32 = 2;
/// Kernels refuse to run on less than an Ethernet header.
const MIN_PACKET_LEN: usize = 14;
const HEADERS_LEN: usize = 34;

/// A loaded program, its queue and the object that holds them.
struct Loaded {
    ebpf: Ebpf,
    queue: SourceAddrQueue,
    name: &'static str,
}

impl Loaded {
    /// Returns `None` without the privileges to load a program.
    fn new(name: &'static str) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            println!("skipped: needs root");
            return None;
        }
        let load = || {
            let mut ebpf = xdp::load()?;
            let queue = xdp::queue(&mut ebpf)?;
            xdp::load_program(&mut ebpf, name)?;
            Ok(Self { ebpf, queue, name })
        };
        match load() {
            Ok(loaded) => Some(loaded),
            Err(error @ Error::NotPermitted { .. }) => {
                println!("skipped: {error}");
                None
            }
            Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
        }
    }

    /// Runs the program once on the packet, checks that the packet passed unchanged, and returns
    /// the queue's entries.
    fn run(&mut self, packet: &[u8]) -> Vec<SourceAddr> {
        let program: &mut Xdp = self
            .ebpf
            .program_mut(self.name)
            .unwrap()
            .try_into()
            .unwrap();
        let mut out = vec![0xff; 256];
        let result = program
            .test_run(TestRunOptions {
                data_in: Some(packet),
                data_out: Some(&mut out),
                ..TestRunOptions::new()
            })
            .unwrap();
        out.truncate(result.data_size_out as usize);
        assert_eq!(result.return_value, ACTION_PASS);
        assert_eq!(out, packet, "the packet was changed");
        std::iter::from_fn(|| xdp::pop(&mut self.queue).unwrap()).collect()
    }
}

fn packet(source: [u8; 4]) -> [u8; 64] {
    let mut packet = [0; 64];
    packet[12..14].copy_from_slice(&[0x08, 0x00]);
    packet[14] = 0x45;
    packet[26..30].copy_from_slice(&source);
    packet
}

#[test]
fn every_last_byte_is_classified_as_in_user_space() {
    let Some(mut fun_xdp) = Loaded::new(FUN_XDP) else {
        return;
    };
    for byte in u8::MIN..=u8::MAX {
        let source = [198, 18, 0, byte];
        let expected = SourceAddr::new(u32::from_be_bytes(source));
        let queued = fun_xdp.run(&packet(source));
        assert_eq!(queued, Vec::from_iter(expected), "{source:?}");
    }
}

#[test]
fn truncated_packets_pass_and_queue_nothing() {
    let Some(mut fun_xdp) = Loaded::new(FUN_XDP) else {
        return;
    };
    let packet = packet([198, 18, 0, 233]);
    for length in MIN_PACKET_LEN..HEADERS_LEN {
        assert_eq!(fun_xdp.run(&packet[..length]), [], "{length} bytes");
    }
    for length in HEADERS_LEN..=packet.len() {
        let queued = fun_xdp.run(&packet[..length]);
        assert_eq!(queued, [SourceAddr::Fibonacci], "{length} bytes");
    }
}

#[test]
fn packets_that_are_not_ipv4_pass_and_queue_nothing() {
    let Some(mut fun_xdp) = Loaded::new(FUN_XDP) else {
        return;
    };
    for ether_type in [[0x86, 0xdd], [0x08, 0x06], [0x81, 0x00], [0x00, 0x00]] {
        let mut packet = packet([198, 18, 0, 233]);
        packet[12..14].copy_from_slice(&ether_type);
        assert_eq!(fun_xdp.run(&packet), [], "{ether_type:02x?}");
    }
    for version_and_words in [0x65, 0x44, 0x00] {
        let mut packet = packet([198, 18, 0, 233]);
        packet[14] = version_and_words;
        assert_eq!(fun_xdp.run(&packet), [], "{version_and_words:#04x}");
    }
}

#[test]
fn a_full_queue_does_not_delay_packets() {
    let Some(mut fun_xdp) = Loaded::new(FUN_XDP) else {
        return;
    };
    let packet = packet([198, 18, 0, 233]);
    let capacity = fun_xdp.queue.capacity();
    let program: &mut Xdp = fun_xdp
        .ebpf
        .program_mut(FUN_XDP)
        .unwrap()
        .try_into()
        .unwrap();
    let result = program
        .test_run(TestRunOptions {
            data_in: Some(&packet),
            repeat: capacity,
            ..TestRunOptions::new()
        })
        .unwrap();
    assert_eq!(result.return_value, ACTION_PASS);
    let queued = fun_xdp.run(&packet);
    assert_eq!(queued.len(), 1024, "one more packet than the queue holds");
}

#[test]
fn the_control_passes_packets_and_queues_nothing() {
    let Some(mut xdp_pass) = Loaded::new(XDP_PASS) else {
        return;
    };
    assert_eq!(xdp_pass.run(&packet([198, 18, 0, 233])), []);
}
