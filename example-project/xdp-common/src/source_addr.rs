//! Source address: judges the source address of a packet.

/// The class of a packet's source address.
///
/// The kernel sends these numbers through the queue to user space.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u32)]
pub enum SourceAddr {
    /// A multiple of three.
    Fizz = 1,
    /// A multiple of five.
    Buzz = 2,
    /// A multiple of fifteen.
    FizzBuzz = 3,
    /// The last byte is a Fibonacci number, whatever the address is a multiple of.
    Fibonacci = 4,
}

/// A number that no [`SourceAddr`] has: the two sides were not built from the same source.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UnknownSourceAddr(pub u32);

impl SourceAddr {
    /// Judges an IPv4 address, given in host byte order.
    ///
    /// Fibonacci comes first and uses only the last byte; the multiples use the whole address.
    /// `None` if it is none of these.
    #[inline]
    pub fn new(address: u32) -> Option<Self> {
        if is_fibonacci(address as u8) {
            Some(Self::Fibonacci)
        } else if address.is_multiple_of(15) {
            Some(Self::FizzBuzz)
        } else if address.is_multiple_of(3) {
            Some(Self::Fizz)
        } else if address.is_multiple_of(5) {
            Some(Self::Buzz)
        } else {
            None
        }
    }
}

impl TryFrom<u32> for SourceAddr {
    type Error = UnknownSourceAddr;

    fn try_from(number: u32) -> Result<Self, Self::Error> {
        [Self::Fizz, Self::Buzz, Self::FizzBuzz, Self::Fibonacci]
            .into_iter()
            .find(|class| *class as u32 == number)
            .ok_or(UnknownSourceAddr(number))
    }
}

/// Looks the byte up among the thirteen Fibonacci numbers that fit into one.
#[cfg(not(feature = "slow-fibonacci"))]
#[inline]
fn is_fibonacci(byte: u8) -> bool {
    matches!(
        byte,
        0 | 1 | 2 | 3 | 5 | 8 | 13 | 21 | 34 | 55 | 89 | 144 | 233
    )
}

/// Computes the sequence up to the last number that fits into a byte, again in every call.
#[cfg(feature = "slow-fibonacci")]
#[inline]
fn is_fibonacci(byte: u8) -> bool {
    /// 0, 1, 1, 2, 3 and so on to 233: thirteen numbers, one of them twice.
    const TERMS: usize = 14;

    let (mut term, mut next) = (0_u32, 1_u32);
    let mut found = false;
    for _ in 0..TERMS {
        found |= term == u32::from(byte);
        // Without the black box the compiler computes the sequence itself, and only the lookup
        // above remains.
        (term, next) = (next, core::hint::black_box(term + next));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes by last byte, sixteen to a line: `F` Fibonacci, `x` FizzBuzz, `f` Fizz, `b` Buzz,
    /// `.` none.
    type Table = [&'static str; 16];

    /// 0.0.0.0 to 0.0.0.255, where the address is its last byte.
    const LOW: Table = [
        "FFFF.Ff.Ffb.fF.x", // 0
        "..f.bF..fb.f..x.", // 16
        ".fFbf..fb.f..x..", // 32
        "f.bf..fF.f..x..f", // 48
        ".bf..fb.f..x..f.", // 64
        "bf..fb.f.Fx..f.b", // 80
        "f..fb.f..x..f.bf", // 96
        "..fb.f..x..f.bf.", // 112
        ".fb.f..x..f.bf..", // 128
        "Fb.f..x..f.bf..f", // 144
        "b.f..x..f.bf..fb", // 160
        ".f..x..f.bf..fb.", // 176
        "f..x..f.bf..fb.f", // 192
        "..x..f.bf..fb.f.", // 208
        ".x..f.bf.Ffb.f..", // 224
        "x..f.bf..fb.f..x", // 240
    ];

    /// 198.18.0.0 to 198.18.0.255, where the upper bytes affect the multiples.
    const HIGH: Table = [
        "FFFFbFf.Fx..fFbf", // 0
        "..fb.F..x..f.bf.", // 16
        ".fF.f..x..f.bf..", // 32
        "fb.f..xF.f.bf..f", // 48
        "b.f..x..f.bf..fb", // 64
        ".f..x..f.Ff..fb.", // 80
        "f..x..f.bf..fb.f", // 96
        "..x..f.bf..fb.f.", // 112
        ".x..f.bf..fb.f..", // 128
        "F..f.bf..fb.f..x", // 144
        "..f.bf..fb.f..x.", // 160
        ".f.bf..fb.f..x..", // 176
        "f.bf..fb.f..x..f", // 192
        ".bf..fb.f..x..f.", // 208
        "bf..fb.f.Fx..f.b", // 224
        "f..fb.f..x..f.bf", // 240
    ];

    fn letter(class: Option<SourceAddr>) -> char {
        match class {
            Some(SourceAddr::Fibonacci) => 'F',
            Some(SourceAddr::FizzBuzz) => 'x',
            Some(SourceAddr::Fizz) => 'f',
            Some(SourceAddr::Buzz) => 'b',
            None => '.',
        }
    }

    fn assert_table(network: u32, table: &Table) {
        let expected: Vec<char> = table.iter().flat_map(|row| row.chars()).collect();
        assert_eq!(expected.len(), 256);
        for (address, expected) in (network..).zip(expected) {
            assert_eq!(letter(SourceAddr::new(address)), expected, "{address:#x}");
        }
    }

    #[test]
    fn every_last_byte_is_classified() {
        assert_table(0, &LOW);
    }

    #[test]
    fn multiples_are_classified_by_the_whole_address() {
        assert_table(0xc612_0000, &HIGH);
    }

    #[test]
    fn thirteen_last_bytes_are_fibonacci_in_any_network() {
        const FIBONACCI: [u8; 13] = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233];
        for network in [0, 0x0a00_0000, 0xc0a8_0100, 0xffff_ff00] {
            for byte in u8::MIN..=u8::MAX {
                assert_eq!(
                    SourceAddr::new(network | u32::from(byte)) == Some(SourceAddr::Fibonacci),
                    FIBONACCI.contains(&byte),
                    "{network:#x} | {byte}",
                );
            }
        }
    }

    #[test]
    fn travels_through_the_queue_as_a_number() {
        for class in [
            SourceAddr::Fizz,
            SourceAddr::Buzz,
            SourceAddr::FizzBuzz,
            SourceAddr::Fibonacci,
        ] {
            assert_eq!(SourceAddr::try_from(class as u32), Ok(class));
        }
        for number in [0, 5, u32::MAX] {
            assert_eq!(SourceAddr::try_from(number), Err(UnknownSourceAddr(number)));
        }
    }
}
