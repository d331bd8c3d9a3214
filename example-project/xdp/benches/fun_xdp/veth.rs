//! Veth pair: connects sender and receiver in a network namespace without other traffic.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use anyhow::{Context as _, Result, ensure};
use netlink_packet_core::{
    DefaultNla, Emitable as _, ErrorBuffer, NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST,
    NLMSG_ERROR, NetlinkBuffer,
};
use nix::{
    ifaddrs::getifaddrs,
    libc::{
        IFF_UP, IFLA_IFNAME, IFLA_INFO_DATA, IFLA_INFO_KIND, IFLA_LINKINFO, RTM_NEWLINK,
        RTM_SETLINK,
    },
    sched::{CloneFlags, unshare},
    sys::socket::{
        AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, bind, recv, send, socket,
    },
};

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
        add().context("cannot add a veth pair (CONFIG_VETH, or its module, is needed)")?;
        up(RECEIVER)?;
        Ok(Self(()))
    }

    /// Brings the sender up. Call it last: the end that comes up second has a carrier at once,
    /// while packets from the other end could be lost for a moment.
    pub fn open_sender(&self) -> Result<Sender> {
        up(SENDER)?;
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

/// Adds the pair.
fn add() -> Result<()> {
    /// Attribute that describes the other end, of `linux/veth.h`.
    const VETH_INFO_PEER: u16 = 1;

    let peer = DefaultNla::new(VETH_INFO_PEER, link(RECEIVER, 0, None));
    let info = [
        DefaultNla::new(IFLA_INFO_KIND, b"veth\0".to_vec()),
        DefaultNla::new(IFLA_INFO_DATA, emit(&[peer])),
    ];
    let info = DefaultNla::new(IFLA_LINKINFO, emit(&info));
    let pair = link(SENDER, 0, Some(info));
    request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &pair)
}

fn up(name: &str) -> Result<()> {
    request(RTM_SETLINK, 0, &link(name, IFF_UP, None)).context("cannot bring a link up")
}

/// A link in a request: `struct ifinfomsg`, the name and possibly more about it.
pub fn link(name: &str, flags: i32, info: Option<DefaultNla>) -> Vec<u8> {
    let name = DefaultNla::new(IFLA_IFNAME, [name.as_bytes(), &[0]].concat());
    let attributes: Vec<_> = [name].into_iter().chain(info).collect();
    let flags = flags.to_ne_bytes();
    // No family, type or index; the flags, and which ones to change.
    [&[0; 8], &flags[..], &flags, &emit(&attributes)].concat()
}

fn emit(attributes: &[DefaultNla]) -> Vec<u8> {
    let mut bytes = vec![0; attributes.buffer_len()];
    attributes.emit(&mut bytes);
    bytes
}

/// Sends a request about a link, on a socket of its own in the namespace of this thread, and waits
/// for the kernel's answer.
pub fn request(kind: u16, flags: u16, link: &[u8]) -> Result<()> {
    const HEADER_LEN: usize = 16;

    let mut bytes = vec![0; HEADER_LEN + link.len()];
    let mut request = NetlinkBuffer::new(&mut bytes);
    request.set_length(u32::try_from(HEADER_LEN + link.len())?);
    request.set_message_type(kind);
    request.set_flags(NLM_F_REQUEST | NLM_F_ACK | flags);
    request.payload_mut().copy_from_slice(link);
    let socket = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    send(socket.as_raw_fd(), &bytes, MsgFlags::empty())?;

    let mut bytes = [0; 4096];
    let len = recv(socket.as_raw_fd(), &mut bytes, MsgFlags::empty())?;
    let answer = NetlinkBuffer::new_checked(&bytes[..len])?;
    ensure!(
        answer.message_type() == NLMSG_ERROR,
        "the answer is of type {}",
        answer.message_type()
    );
    // An acknowledgement is an error without a code.
    match ErrorBuffer::new_checked(answer.payload())?.code() {
        Some(code) => Err(io::Error::from_raw_os_error(-code.get()).into()),
        None => Ok(()),
    }
}
