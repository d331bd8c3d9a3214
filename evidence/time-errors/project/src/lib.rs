//! Work whose amount the file `percent` sets: 100 in base, 110 or 125 in head.

pub const PERCENT: usize = include!("../percent");

/// Steps that depend on each other: a xorshift generator.
pub fn mix(mut state: u64) -> u64 {
    for _ in 0..20 * PERCENT {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

/// Steps that read memory: FNV-1a.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
