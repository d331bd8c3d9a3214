//! Shared code of the XDP example's kernel and user side: reads a frame's headers and judges its
//! source address. Pure and `no_std`, so the same code runs on both sides.
#![cfg_attr(not(test), no_std)]

mod headers;
mod source_addr;

pub use headers::{ETHERNET_HEADER_LEN, Frame, IPV4_HEADER_LEN, source_address};
pub use source_addr::{SourceAddr, UnknownSourceAddr};
