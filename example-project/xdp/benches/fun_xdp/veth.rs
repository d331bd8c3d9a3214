//! Veth pair: connects sender and receiver in a network namespace without other traffic.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use anyhow::{Context as _, Result, ensure};
use nix::{
    ifaddrs::getifaddrs,
    sched::{CloneFlags, unshare},
    sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, bind, send, socket},
};
use rtnetlink::{LinkUnspec, LinkVeth, new_connection, packet_route::link::LinkMessage};

/// The end at which packets arrive and programs are attached.
pub const RECEIVER: &str = "receiver";
const SENDER: &str = "sender";

/// Length of the shortest Ethernet frame, without its check sequence.
const PACKET_LEN: usize = 60;
const ETHERNET_HEADER_LEN: usize = 14;
const IPV4_HEADER_LEN: usize = 20;

/// A veth pair whose receiver is up. It is removed with its namespace, when the next one is entered
/// or the process ends.
pub struct Pair(());

impl Pair {
    /// Moves this thread to a new network namespace and makes a pair there.
    pub fn new() -> Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET)
            .context("cannot enter a network namespace (root only)")?;
        disable_ipv6()?;
        netlink([LinkVeth::new(SENDER, RECEIVER).build()], [up(RECEIVER)])?;
        Ok(Self(()))
    }

    /// Brings the sender up. Call it last: the end that comes up second has a carrier at once,
    /// while packets from the other end could be lost for a moment.
    pub fn open_sender(&self) -> Result<Sender> {
        netlink([], [up(SENDER)])?;
        let address = getifaddrs()?
            .filter(|interface| interface.interface_name == SENDER)
            .find_map(|interface| interface.address?.as_link_addr().copied())
            .with_context(|| format!("no interface {SENDER:?}"))?;
        // No protocol: the socket only sends, and receives no packets.
        let socket = socket(
            AddressFamily::Packet,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            None,
        )?;
        bind(socket.as_raw_fd(), &address)?;
        Ok(Sender(socket))
    }
}

/// A raw socket on the sender's end.
pub struct Sender(OwnedFd);

impl Sender {
    /// Sends one frame.
    pub fn send(&self, frame: &[u8]) -> Result<()> {
        let sent = send(self.0.as_raw_fd(), frame, MsgFlags::empty()).context("cannot send")?;
        ensure!(sent == frame.len(), "sent {sent} of {} bytes", frame.len());
        Ok(())
    }
}

/// An Ethernet frame with only an IPv4 header, for a station that does not exist: the kernel drops
/// it right after the program.
pub fn packet(source: [u8; 4]) -> [u8; PACKET_LEN] {
    const EXPERIMENTAL_PROTOCOL: u8 = 253;
    const TIME_TO_LIVE: u8 = 64;

    let mut header = [0; IPV4_HEADER_LEN];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&((PACKET_LEN - ETHERNET_HEADER_LEN) as u16).to_be_bytes());
    header[8] = TIME_TO_LIVE;
    header[9] = EXPERIMENTAL_PROTOCOL;
    header[12..16].copy_from_slice(&source);
    header[16..20].copy_from_slice(&[198, 19, 0, 1]);
    let checksum = checksum(&header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());

    let mut frame = [0; PACKET_LEN];
    frame[0..6].copy_from_slice(&[0x02, 0, 0, 0, 0, 0x01]);
    frame[6..12].copy_from_slice(&[0x02, 0, 0, 0, 0, 0x02]);
    frame[12..14].copy_from_slice(&[0x08, 0x00]);
    frame[14..34].copy_from_slice(&header);
    frame
}

/// The checksum of an IPv4 header (RFC 1071) whose own field is zero.
fn checksum(header: &[u8; IPV4_HEADER_LEN]) -> u16 {
    let mut sum: u32 = header
        .chunks_exact(2)
        .map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Keeps the kernel from sending its own packets, which would be counted too. An interface inherits
/// this setting when it is created.
fn disable_ipv6() -> Result<()> {
    for scope in ["all", "default"] {
        let path = format!("/proc/sys/net/ipv6/conf/{scope}/disable_ipv6");
        match fs::write(&path, "1") {
            // The kernel has no IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => result.with_context(|| format!("cannot write {path}"))?,
        }
    }
    Ok(())
}

fn up(name: &str) -> LinkMessage {
    LinkUnspec::new_with_name(name).up().build()
}

/// Adds and then changes links, on a socket of its own in the namespace of this thread.
fn netlink(
    add: impl IntoIterator<Item = LinkMessage>,
    set: impl IntoIterator<Item = LinkMessage>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let (connection, handle, _notifications) = new_connection()?;
        tokio::spawn(connection);
        for message in add {
            handle
                .link()
                .add(message)
                .execute()
                .await
                .context("cannot add a veth pair (CONFIG_VETH, or its module, is needed)")?;
        }
        for message in set {
            handle
                .link()
                .set(message)
                .execute()
                .await
                .context("cannot bring a link up")?;
        }
        Ok(())
    })
}
