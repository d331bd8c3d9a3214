//! Code: what an x86-64 instruction of the kernel's JIT does to the flow of control. Pure.

/// How an instruction can leave the code around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Not at all, or to a place in its own function.
    None,
    /// A call; without a target if that is in a register.
    Call(Option<u64>),
    /// A jump that is always taken; without a target if that is in a register.
    Jump(Option<u64>),
    /// A return.
    Return,
    /// A return from an interrupt or exception.
    InterruptReturn,
}

/// Decodes the instruction at an address, as far as its way out.
pub fn decode(address: u64, bytes: &[u8]) -> Exit {
    let is_prefix =
        |byte: &u8| matches!(byte, 0x2e | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf2 | 0xf3);
    let own = bytes.iter().take_while(|byte| is_prefix(byte)).count();
    let target = |displacement: &[u8; 4]| {
        let next = address.wrapping_add(bytes.len() as u64);
        next.wrapping_add_signed(i32::from_le_bytes(*displacement).into())
    };
    match &bytes[own..] {
        [0xe8, displacement @ ..] => Exit::Call(displacement.try_into().ok().map(target)),
        [0xe9, displacement @ ..] => Exit::Jump(displacement.try_into().ok().map(target)),
        [0xc2 | 0xc3, ..] => Exit::Return,
        [0xcf, ..] => Exit::InterruptReturn,
        [0xff, operand, ..] => match operand >> 3 & 7 {
            2 => Exit::Call(None),
            4 => Exit::Jump(None),
            _ => Exit::None,
        },
        _ => Exit::None,
    }
}

/// Whether an instruction goes on with another task's stack: `mov DISPLACEMENT(%rsi), %rsp`, the displacement of one
/// byte or of four. Only `__switch_to_asm` has one, since compilers never load a stack pointer through `%rsi`. What it
/// reads is a field of the next task, so its address identifies that task.
pub fn switches_task(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0x48, 0x8b, 0x66, _] | [0x48, 0x8b, 0xa6, _, _, _, _]
    )
}

/// What a marker says. The guest agent executes them, see `inside.rs` there. A message begins with the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A message begins.
    Begin = 0,
    /// A bit of it.
    Zero = 1,
    /// A bit of it.
    One = 2,
    /// The message is complete: a window opens for its program.
    Open = 3,
    /// The message, only the secret, is complete: all windows close.
    Close = 4,
    /// The message is complete: starts and ends of the code that interrupts and exceptions enter.
    Entries = 5,
}

impl Marker {
    /// All of them, by their digits.
    pub const ALL: [Self; 6] = {
        use Marker::*;
        [Begin, Zero, One, Open, Close, Entries]
    };
}

/// Reads a marker: a long nop, `nopl 0x6270677X(%rax,%rax,1)`, whose last digit is its meaning.
pub fn marker(bytes: &[u8]) -> Option<Marker> {
    let [0x0f, 0x1f, 0x84, 0x00, last, 0x67, 0x70, 0x62] = bytes else {
        return None;
    };
    let digit = last.checked_sub(0x70)?;
    Marker::ALL.get(usize::from(digit)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_out_of_a_program_are_decoded() {
        let at = 0xffff_ffff_c000_0100;
        assert_eq!(
            decode(at, &[0xe8, 0xfb, 0xff, 0xff, 0xff]),
            Exit::Call(Some(at))
        );
        assert_eq!(
            decode(at, &[0xe9, 0x00, 0x01, 0, 0]),
            Exit::Jump(Some(at + 0x105))
        );
        assert_eq!(decode(at, &[0xff, 0xd0]), Exit::Call(None));
        assert_eq!(decode(at, &[0x3e, 0x41, 0xff, 0xe2]), Exit::Jump(None));
        assert_eq!(decode(at, &[0xc3]), Exit::Return);
        assert_eq!(decode(at, &[0x48, 0xcf]), Exit::InterruptReturn);
        // `push (%rax)`, `endbr64`, `jne`, `jmp` within a function, `add $1, %rax`.
        for other in [
            &[0xff, 0x30][..],
            &[0xf3, 0x0f, 0x1e, 0xfa],
            &[0x0f, 0x85, 1, 0, 0, 0],
            &[0xeb, 0x10],
            &[0x48, 0x83, 0xc0, 0x01],
        ] {
            assert_eq!(decode(at, other), Exit::None, "{other:x?}");
        }
    }

    #[test]
    fn only_a_stack_of_the_next_task_switches() {
        assert!(switches_task(&[0x48, 0x8b, 0xa6, 0x18, 0x0b, 0, 0]));
        assert!(switches_task(&[0x48, 0x8b, 0x66, 0x18]));
        for other in [
            // `mov %rsp, 0xb18(%rdi)`, `mov 0xb18(%rdi), %rsp`, `mov 0xb18(%rsi), %rbp`, `mov 0x18(%rsi), %esp`.
            &[0x48, 0x89, 0xa7, 0x18, 0x0b, 0, 0][..],
            &[0x48, 0x8b, 0xa7, 0x18, 0x0b, 0, 0],
            &[0x48, 0x8b, 0xae, 0x18, 0x0b, 0, 0],
            &[0x8b, 0x66, 0x18],
        ] {
            assert!(!switches_task(other), "{other:x?}");
        }
    }

    #[test]
    fn markers_are_told_from_other_nops() {
        assert_eq!(marker(b"\x0f\x1f\x84\x00\x70gpb"), Some(Marker::Begin));
        assert_eq!(marker(b"\x0f\x1f\x84\x00\x74gpb"), Some(Marker::Close));
        assert_eq!(marker(b"\x0f\x1f\x84\x00\x76gpb"), None);
        assert_eq!(marker(&[0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]), None);
    }
}
