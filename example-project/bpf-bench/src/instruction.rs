//! BPF instructions.

/// One BPF instruction in the kernel's format (`struct bpf_insn`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Instruction {
    /// Operation.
    pub code: u8,
    /// Destination register in the low four bits, source register in the high ones (as on
    /// little-endian machines).
    pub registers: u8,
    /// Offset of a jump or of an address.
    pub offset: i16,
    /// Constant.
    pub immediate: i32,
}

impl Instruction {
    const fn new(code: u8, to: u8, from: u8, offset: i16, immediate: i32) -> Self {
        let registers = if cfg!(target_endian = "little") {
            to | from << 4
        } else {
            to << 4 | from
        };
        Self {
            code,
            registers,
            offset,
            immediate,
        }
    }

    /// `rTO = value`
    pub const fn mov(to: u8, value: i32) -> Self {
        Self::new(0xb7, to, 0, 0, value)
    }

    /// `rTO = rFROM`
    pub const fn copy(to: u8, from: u8) -> Self {
        Self::new(0xbf, to, from, 0, 0)
    }

    /// `rTO += value`
    pub const fn add(to: u8, value: i32) -> Self {
        Self::new(0x07, to, 0, 0, value)
    }

    /// `rTO = *(u8 *)(rFROM + offset)`
    pub const fn load_u8(to: u8, from: u8, offset: i16) -> Self {
        Self::new(0x71, to, from, offset, 0)
    }

    /// `rTO = *(u32 *)(rFROM + offset)`
    pub const fn load_u32(to: u8, from: u8, offset: i16) -> Self {
        Self::new(0x61, to, from, offset, 0)
    }

    /// `rTO = *(u64 *)(rFROM + offset)`
    pub const fn load_u64(to: u8, from: u8, offset: i16) -> Self {
        Self::new(0x79, to, from, offset, 0)
    }

    /// `*(u8 *)(rTO + offset) = rFROM`
    pub const fn store_u8(to: u8, from: u8, offset: i16) -> Self {
        Self::new(0x73, to, from, offset, 0)
    }

    /// `if rA > rB skip the next SKIP instructions`, unsigned
    pub const fn jump_if_greater(a: u8, b: u8, skip: i16) -> Self {
        Self::new(0x2d, a, b, skip, 0)
    }

    /// `call helper NUMBER`
    pub const fn call(number: i32) -> Self {
        Self::new(0x85, 0, 0, 0, number)
    }

    /// `exit`: returns r0
    pub const fn exit() -> Self {
        Self::new(0x95, 0, 0, 0, 0)
    }
}
