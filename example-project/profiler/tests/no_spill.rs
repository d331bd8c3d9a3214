//! Checks the compiled program: while it holds a record of the ring buffer, nothing may be spilled
//! to the stack, because kernels 5.8 and 5.9 would refuse it. Needs no kernel.

use std::collections::BTreeSet;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// `BPF_JMP | BPF_CALL`.
const CALL: u8 = 0x85;
/// `BPF_STX`: stores a register to memory.
const STORE_CLASS: u8 = 0x03;
const CLASS_MASK: u8 = 0x07;
const FRAME_POINTER: u8 = 10;

/// Numbers of helpers, from the kernel's `uapi/linux/bpf.h`.
const GET_STACK: i32 = 67;
const RESERVE: i32 = 131;
const SUBMIT: i32 = 132;
const DISCARD: i32 = 133;

/// `BPF_ALU64 | BPF_MOV | BPF_K`.
const MOVE: u8 = 0xb7;
/// `BPF_JMP | BPF_JA`, `BPF_JMP | BPF_EXIT`, and `BPF_JMP | BPF_JEQ | BPF_K`.
const GOTO: u8 = 0x05;
const EXIT: u8 = 0x95;
const JUMP_IF_EQUAL: u8 = 0x15;
const JUMP_CLASSES: [u8; 2] = [0x05, 0x06];

#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: u8,
    destination: u8,
    source: u8,
    offset: i16,
    immediate: i32,
}

impl Instruction {
    fn helper(self) -> Option<i32> {
        // With another source it is one of the program's own functions.
        (self.code == CALL && self.source == 0).then_some(self.immediate)
    }

    fn stores_to_stack(self) -> bool {
        self.code & CLASS_MASK == STORE_CLASS && self.destination == FRAME_POINTER
    }

    /// The instructions that may follow this one at `here`.
    fn next(self, here: usize) -> Vec<usize> {
        let target = || {
            here.checked_add_signed(1 + isize::from(self.offset))
                .unwrap()
        };
        match self.code {
            EXIT => vec![],
            GOTO => vec![target()],
            CALL => vec![here + 1],
            code if JUMP_CLASSES.contains(&(code & CLASS_MASK)) => vec![here + 1, target()],
            _ => vec![here + 1],
        }
    }
}

fn perf_profiler() -> Vec<Instruction> {
    let bytes = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/profiler"));
    let file = object::File::parse(bytes).unwrap();
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name() == Ok("perf_profiler"))
        .unwrap();
    let section = file
        .section_by_index(symbol.section_index().unwrap())
        .unwrap();
    let start = usize::try_from(symbol.address()).unwrap();
    let length = usize::try_from(symbol.size()).unwrap();
    section.data().unwrap()[start..start + length]
        .as_chunks()
        .0
        .iter()
        .map(|&[code, registers, low, high, a, b, c, d]| Instruction {
            code,
            destination: registers & 0x0f,
            source: registers >> 4,
            offset: i16::from_le_bytes([low, high]),
            immediate: i32::from_le_bytes([a, b, c, d]),
        })
        .collect()
}

/// The index right after the check that a sample's record exists: from there the program holds it.
fn start_of_record(program: &[Instruction]) -> usize {
    let length = i32::try_from(size_of::<profiler::Sample>()).unwrap();
    // Messages are records too, of another length.
    let set_length = program
        .iter()
        .position(|instruction| {
            instruction.code == MOVE
                && instruction.destination == 2
                && instruction.immediate == length
        })
        .unwrap();
    let reserve = set_length
        + program[set_length..]
            .iter()
            .position(|instruction| instruction.helper() == Some(RESERVE))
            .unwrap();
    let check = reserve
        + program[reserve..]
            .iter()
            .position(|instruction| instruction.code == JUMP_IF_EQUAL && instruction.immediate == 0)
            .unwrap();
    assert!(check - reserve <= 2, "{:?}", &program[reserve..=check]);
    check + 1
}

#[test]
fn nothing_is_spilled_and_one_helper_is_called_while_a_record_is_held() {
    let program = perf_profiler();
    let mut to_visit = vec![start_of_record(&program)];
    let mut visited = BTreeSet::new();
    let mut helpers = BTreeSet::new();
    while let Some(here) = to_visit.pop() {
        if !visited.insert(here) {
            continue;
        }
        let instruction = program[here];
        assert!(!instruction.stores_to_stack(), "{here}: {instruction:?}");
        helpers.extend(instruction.helper());
        // These release the record.
        if !matches!(instruction.helper(), Some(SUBMIT | DISCARD)) {
            assert_ne!(instruction.code, EXIT, "the record is still held");
            to_visit.extend(instruction.next(here));
        }
    }
    assert_eq!(helpers, BTreeSet::from([GET_STACK, SUBMIT, DISCARD]));
}
