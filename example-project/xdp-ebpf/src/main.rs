//! Kernel side of the XDP example: judges the source address of every IPv4 packet and sends the
//! result to user space by a queue. Never drops or changes a packet.
#![no_std]
#![no_main]

use aya_ebpf::{
    bindings::xdp_action::XDP_PASS,
    macros::{map, xdp},
    maps::Queue,
    programs::XdpContext,
};
use xdp_common::{Frame, SourceAddr, source_address};

/// One number of a [`SourceAddr`] for each packet that has one, oldest first.
#[map]
static SOURCE_ADDR_QUEUE: Queue<u32> = Queue::with_max_entries(1024, 0);

/// Judges the packet, and passes it whatever the result.
#[xdp]
pub fn fun_xdp(ctx: XdpContext) -> u32 {
    if let Some(class) = source_address(&Packet(&ctx)).and_then(SourceAddr::new) {
        // A full queue loses results if user space is too slow; the packet is more important.
        let _: Result<(), i32> = SOURCE_ADDR_QUEUE.push(class as u32, 0);
    }
    XDP_PASS
}

/// Does nothing: shows the cost of a call, and is the benchmark's control.
#[xdp]
pub fn xdp_pass(_ctx: XdpContext) -> u32 {
    XDP_PASS
}

struct Packet<'a>(&'a XdpContext);

impl Frame for Packet<'_> {
    #[inline(always)]
    fn read<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let start = self.0.data() + offset;
        if start + N > self.0.data_end() {
            return None;
        }
        // SAFETY: the bytes lie within the packet, as checked above, and have no alignment.
        Some(unsafe { *(start as *const [u8; N]) })
    }
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";
