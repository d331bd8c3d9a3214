//! Runs XDP programs that log by aya-log, as a project from aya-template does: a task prints the
//! messages while packets arrive.

use std::net::UdpSocket;

use aya::{
    Ebpf,
    programs::{Xdp, XdpMode},
};
use aya_log::EbpfLogger;
use tokio::io::{Interest, unix::AsyncFd};

const PACKETS: usize = 100;
const SIZES: usize = 4;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    env_logger::Builder::new()
        .filter_level(log::LevelFilter::Info)
        .init();
    let mut ebpf = Ebpf::load(aya::include_bytes_aligned!(concat!(
        env!("OUT_DIR"),
        "/aya-log"
    )))?;
    let logger = EbpfLogger::init(&mut ebpf)?;
    // SAFETY: the logger owns its file descriptor as long as it lives.
    let mut messages = unsafe { AsyncFd::register_with_interest(logger, Interest::READABLE)? };
    tokio::spawn(async move {
        while let Ok(mut ready) = messages.readable_mut().await {
            ready.get_inner_mut().flush();
            ready.clear_ready();
        }
    });
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(socket.local_addr()?)?;
    for size in 0..SIZES {
        let program = ebpf.program_mut(&format!("aya_log{size}"));
        let program: &mut Xdp = program.expect("a program for each size").try_into()?;
        program.load()?;
        let link = program.attach("lo", XdpMode::Skb)?;
        for _ in 0..PACKETS {
            socket.send(&[0; 64])?;
            socket.recv(&mut [0; 64])?;
        }
        program.detach(link)?;
        program.unload()?;
    }
    Ok(())
}
