//! What the kernel and the user side of the XDP example agree on: reading a frame's headers and
//! judging its source address. Pure and `no_std`, so the very same code runs in both places.
#![cfg_attr(not(test), no_std)]

mod headers;
mod source_addr;

pub use headers::{ETHERNET_HEADER_LEN, Frame, IPV4_HEADER_LEN, source_address};
pub use source_addr::{SourceAddr, UnknownSourceAddr};
