//! Benchmarks of the kernel side's two steps in user space, where Criterion can measure them.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use xdp_common::{SourceAddr, source_address};

/// 198.18.0.0/15 is the network reserved for benchmarks (RFC 2544).
const NETWORK: u32 = 0xc612_0000;

/// Judges one address for each possible last byte.
fn source_addr(criterion: &mut Criterion) {
    criterion.bench_function("source_addr", |bencher| {
        bencher.iter(|| {
            for byte in u8::MIN..=u8::MAX {
                black_box(SourceAddr::new(black_box(NETWORK | u32::from(byte))));
            }
        });
    });
}

/// Reads the headers of one packet cut off at each possible length. This is the control: changes to
/// the judging of addresses must not affect it.
fn parse_headers(criterion: &mut Criterion) {
    let mut packet = [0; 64];
    packet[12..14].copy_from_slice(&[0x08, 0x00]);
    packet[14] = 0x45;
    packet[26..30].copy_from_slice(&(NETWORK | 7).to_be_bytes());
    criterion.bench_function("parse_headers", |bencher| {
        bencher.iter(|| {
            for length in 0..=packet.len() {
                black_box(source_address(black_box(&packet[..length])));
            }
        });
    });
}

criterion_group!(benches, source_addr, parse_headers);
criterion_main!(benches);
