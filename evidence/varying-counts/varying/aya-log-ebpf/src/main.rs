//! XDP programs that log one, two, four and eight messages for each packet.
#![no_std]
#![no_main]

use aya_ebpf::{
    bindings::xdp_action::XDP_PASS, helpers::generated::bpf_get_numa_node_id, macros::xdp,
    programs::XdpContext,
};
use aya_log_ebpf::info;

/// What each program has more: nothing, an instruction, or a call.
const EXTRA: u32 = include!("extra") % 3;

macro_rules! log_messages {
    ($($name:ident: $($message:literal)*;)*) => {
        $(
            #[xdp]
            pub fn $name(ctx: XdpContext) -> u32 {
                let length = ctx.data_end() - ctx.data();
                // SAFETY: the kernel passes a valid context, and the helper takes nothing.
                unsafe {
                    match EXTRA {
                        1 => _ = core::ptr::read_volatile(&raw const (*ctx.ctx).data),
                        2 => _ = bpf_get_numa_node_id(),
                        _ => {}
                    }
                }
                $(info!(&ctx, "{} of a packet of {} bytes", $message, length);)*
                XDP_PASS
            }
        )*
    };
}

log_messages! {
    aya_log0: 1;
    aya_log1: 1 2;
    aya_log2: 1 2 3 4;
    aya_log3: 1 2 3 4 5 6 7 8;
}

#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";
