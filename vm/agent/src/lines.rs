//! Lines: describes the machine instructions that the JIT made, each with its source line.
//!
//! The host compares the instructions of base and head, so it needs what stays equal where code
//! is equal: no addresses, registers or places on the stack.

use std::collections::BTreeMap;
use std::io;

use aya_obj::generated::bpf_func_info;
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};

use crate::bpf::{JitImage, Prog};
use crate::btf::{self, Btf, LineInfo};
use crate::record::{Code, Function, Stretch};

/// The most instructions of one program; the code of a larger one is not described.
const MAX_INSTRUCTIONS: usize = 65_536;
/// The most bytes of a file's name. A longer name is ignored: its line counts for the one
/// before it.
const MAX_NAME: usize = 1024;
/// The digits of numbers of 6 bits.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Where the kernel's own code is, without KASLR; modules and BPF programs are behind it.
const KERNEL: std::ops::Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_a000_0000;

/// Runs [`describe`] on a loaded program, whose strings are in `btf`.
pub fn read(prog: &Prog, btf: &Btf) -> io::Result<Option<Code>> {
    let (functions, lines) = prog.debug_records()?;
    Ok(describe(btf, &functions, &lines, &prog.jit_image()?))
}

/// Describes a program's code.
///
/// Code inlined from the toolchain or a dependency belongs to the project's own line
/// before it in the same function: there a change to the project has to be looked for. So
/// does code of line 0, which the compiler generated. A function's prologue belongs to
/// its first line. Before the first of the project's lines, inlined code belongs to its
/// own line. The result is `None` if the image, the lines or their addresses are unknown
/// or do not fit each other, and for a program of too many instructions.
pub fn describe(
    btf: &Btf,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    image: &JitImage,
) -> Option<Code> {
    let is_known = !lines.is_empty() && image.lines.len() == lines.len();
    if !is_known || image.functions.len() != image.function_bytes.len() {
        return None;
    }
    let mut files = Vec::new();
    let owners = owners(btf, functions, lines, &mut files);
    let mut places: Vec<_> = image.lines.iter().copied().zip(owners).collect();
    // The sort is stable: among lines at one address the last has the code.
    places.sort_by_key(|(address, _)| *address);
    let mut code = image.code.as_slice();
    let mut left = MAX_INSTRUCTIONS;
    let mut described = Vec::new();
    for (index, (&start, &bytes)) in image
        .functions
        .iter()
        .zip(&image.function_bytes)
        .enumerate()
    {
        let own;
        (own, code) = code.split_at_checked(bytes as usize)?;
        let end = start.saturating_add(u64::from(bytes));
        let from = places.partition_point(|(address, _)| *address < start);
        let to = places.partition_point(|(address, _)| *address < end);
        let places = &places[from..to.max(from)];
        let mut stretches: Vec<Stretch> = Vec::new();
        for instruction in Decoder::with_ip(64, own, start, DecoderOptions::NONE) {
            left = left.checked_sub(1)?;
            let next = places.partition_point(|(address, _)| *address <= instruction.ip());
            let place = places.get(next.saturating_sub(1)).and_then(|place| place.1);
            let (file, line, text) = place.unwrap_or_default();
            match stretches.last_mut() {
                Some(last) if (last.0, last.1, last.2) == (file, line, text) => {}
                _ => stretches.push((file, line, text, String::new())),
            }
            if let Some(last) = stretches.last_mut() {
                write(&instruction, &mut last.3);
            }
        }
        let name = functions
            .get(index)
            .and_then(|function| btf.function_name(function.type_id));
        described.push(Function {
            name: name.unwrap_or_default().to_owned(),
            stretches,
        });
    }
    let has_lines = |function: &Function| function.stretches.iter().any(|stretch| stretch.1 > 0);
    described.iter().any(has_lines).then_some(Code {
        files,
        functions: described,
    })
}

/// Writes an instruction's length in bytes, one digit, and what it does, three digits.
fn write(instruction: &Instruction, text: &mut String) {
    let word = (instruction.len() as u32) << 18 | fold(shape(instruction));
    for shift in [18, 12, 6, 0] {
        text.push(char::from(DIGITS[(word >> shift & 0x3f) as usize]));
    }
}

/// Folds a hash to 18 bits.
fn fold(hash: u32) -> u32 {
    (hash >> 18 ^ hash) & 0x3_ffff
}

/// Hashes what an instruction does, without what differs between two programs or boots: its
/// registers, places on the stack, where it jumps to, and addresses of maps and other programs.
fn shape(instruction: &Instruction) -> u32 {
    if instruction.op0_kind() == OpKind::NearBranch64 {
        // A jump over more code has another encoding.
        let what = instruction.mnemonic() as u64;
        let target = instruction.near_branch_target();
        return hash_words([what, if KERNEL.contains(&target) { target } else { 0 }]);
    }
    let is_on_stack = matches!(instruction.memory_base(), Register::RBP | Register::RSP);
    let operands = (0..instruction.op_count()).flat_map(|index| {
        let kind = instruction.op_kind(index);
        let value = match kind {
            OpKind::Register | OpKind::Immediate64 => 0,
            OpKind::Memory if is_on_stack => 1,
            OpKind::Memory => instruction.memory_displacement64(),
            _ => instruction.try_immediate(index).unwrap_or_default(),
        };
        [kind as u64, value]
    });
    hash_words([instruction.code() as u64].into_iter().chain(operands))
}

fn hash_words(words: impl IntoIterator<Item = u64>) -> u32 {
    hash(words.into_iter().flat_map(u64::to_le_bytes))
}

/// FNV-1a.
fn hash(bytes: impl IntoIterator<Item = u8>) -> u32 {
    bytes.into_iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Index of a file, line, and hash of the line's text.
type Owner = (u32, u32, u32);

/// The line that each record's code belongs to. Adds names to `files`.
fn owners(
    btf: &Btf,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    files: &mut Vec<String>,
) -> Vec<Option<Owner>> {
    let mut indices = BTreeMap::new();
    let mut index_of = |name: &str| {
        *indices.entry(name.to_owned()).or_insert_with(|| {
            files.push(name.to_owned());
            files.len() as u32 - 1
        })
    };
    let function_of = |insn_off: u32| {
        let starts = functions.iter().map(|function| function.insn_off);
        starts.filter(|&start| start <= insn_off).max()
    };
    // The function, whether the line is the project's, and the line.
    let mut current = (None, false, None);
    lines
        .iter()
        .map(|line| {
            let function = function_of(line.insn_off);
            let (was_own, before) = match current {
                (last, was_own, before) if last == function => (was_own, before),
                _ => (false, None),
            };
            let file = btf::file_name(btf, line).filter(|file| file.len() <= MAX_NAME);
            let (is_own, owner) = match file {
                Some(file) if !was_own || !btf::is_foreign(&file) => {
                    let text = btf.string(line.line_off).unwrap_or_default();
                    let place = (index_of(&file), line.line, hash_text(text));
                    (!btf::is_foreign(&file), Some(place))
                }
                _ => (was_own, before),
            };
            current = (function, is_own, owner);
            owner
        })
        .collect()
}

/// Hashes a line's text without its white space; 0: it is empty.
fn hash_text(text: &str) -> u32 {
    let mut bytes = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .peekable();
    if bytes.peek().is_some() {
        hash(bytes).max(1)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRINGS: [&str; 6] = [
        "a.rs",
        "src/./b.rs",
        "/rustc/abc/library/core/src/x.rs",
        "",
        "  let x = 1;",
        "let x=1;",
    ];
    const START: u64 = 0xffff_ffff_c000_0000;

    /// A blob with only the strings.
    fn blob() -> Vec<u8> {
        let strings: Vec<u8> = STRINGS
            .iter()
            .flat_map(|string| string.bytes().chain([0]))
            .collect();
        let mut blob = 0xeb9fu16.to_ne_bytes().to_vec();
        blob.extend([1, 0]);
        for word in [24, 0, 0, 0, strings.len() as u32] {
            blob.extend(word.to_ne_bytes());
        }
        blob.extend(strings);
        blob
    }

    fn offset(string: usize) -> u32 {
        let before = STRINGS[..string].iter();
        before.map(|string| string.len() as u32 + 1).sum()
    }

    fn line(insn_off: u32, file: usize, line: u32) -> LineInfo {
        LineInfo {
            insn_off,
            file_name_off: offset(file),
            line_off: offset(3),
            line,
        }
    }

    /// `push rbp; mov rbp, rsp; xor eax, eax; add rax, 1; leave; ret`, at 0, 1, 4, 6, 10, 11.
    const CODE: [u8; 12] = [
        0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x48, 0x83, 0xc0, 0x01, 0xc9, 0xc3,
    ];

    fn image(functions: usize, lines: &[u64]) -> JitImage {
        let starts = (0..functions as u64).map(|index| START + 64 * index);
        JitImage {
            code: CODE.repeat(functions),
            functions: starts.collect(),
            function_bytes: vec![CODE.len() as u32; functions],
            lines: lines.iter().map(|offset| START + offset).collect(),
        }
    }

    fn described(starts: &[u32], lines: &[LineInfo], image: &JitImage) -> Option<Code> {
        let function = |&insn_off: &u32| bpf_func_info {
            insn_off,
            type_id: 0,
        };
        let functions: Vec<_> = starts.iter().map(function).collect();
        describe(&Btf::parse(&blob()).unwrap(), &functions, lines, image)
    }

    /// File, line and number of instructions of each stretch, by function.
    fn counted(
        starts: &[u32],
        lines: &[LineInfo],
        image: &JitImage,
    ) -> Vec<Vec<(String, u32, usize)>> {
        let Code { files, functions } = described(starts, lines, image).unwrap();
        let of =
            |(file, line, _, code): Stretch| (files[file as usize].clone(), line, code.len() / 4);
        let functions = functions.into_iter();
        functions
            .map(|function| function.stretches.into_iter().map(of).collect())
            .collect()
    }

    fn stretch(file: usize, line: u32, count: usize) -> (String, u32, usize) {
        (STRINGS[file].replace("./", ""), line, count)
    }

    /// The shapes of machine code, without lengths.
    fn shapes(code: &[u8]) -> Vec<u32> {
        let decoder = Decoder::with_ip(64, code, START, DecoderOptions::NONE);
        decoder.into_iter().map(|each| fold(shape(&each))).collect()
    }

    #[test]
    fn instructions_belong_to_the_line_before_them() {
        let lines = [
            line(0, 0, 10),
            line(1, 0, 11),
            line(2, 1, 3),
            line(3, 0, 10),
        ];
        assert_eq!(
            counted(&[0], &lines, &image(1, &[0, 4, 6, 10])),
            [[
                stretch(0, 10, 2),
                stretch(0, 11, 1),
                stretch(1, 3, 1),
                stretch(0, 10, 2)
            ]]
        );
    }

    #[test]
    fn each_instruction_has_its_length_and_a_shape() {
        let code = described(&[0], &[line(0, 0, 10)], &image(1, &[0])).unwrap();
        let text = &code.functions[0].stretches[0].3;
        let digit = |at| {
            DIGITS
                .iter()
                .position(|&digit| digit == text.as_bytes()[at])
        };
        let lengths: Vec<_> = (0..6).map(|index| digit(4 * index).unwrap()).collect();
        assert_eq!(lengths, [1, 3, 2, 4, 1, 1]);
        let words: Vec<_> = (0..6).map(|index| &text[4 * index..][..4]).collect();
        assert!(
            (1..6).all(|index| !words[..index].contains(&words[index])),
            "{words:?}"
        );
    }

    #[test]
    fn registers_stack_slots_addresses_and_jumps_do_not_shape_an_instruction() {
        for [one, other] in [
            // mov rdi, rbx; mov rax, r14
            [&[0x48, 0x89, 0xdf][..], &[0x4c, 0x89, 0xf0]],
            // mov [rbp-8], rax; mov [rbp-16], rbx
            [&[0x48, 0x89, 0x45, 0xf8], &[0x48, 0x89, 0x5d, 0xf0]],
            // movabs rdi, map
            [
                &[0x48, 0xbf, 1, 2, 3, 4, 5, 6, 7, 8],
                &[0x48, 0xbf, 8, 7, 6, 5, 4, 3, 2, 1],
            ],
            // je over 5 bytes; je over 500
            [&[0x74, 5], &[0x0f, 0x84, 0xf4, 1, 0, 0]],
        ] {
            assert_eq!(shapes(one), shapes(other));
        }
        // mov eax, [rdi+8]; mov eax, [rdi+16]
        assert_ne!(shapes(&[0x8b, 0x47, 8]), shapes(&[0x8b, 0x47, 16]));
        // add rax, 1; add rax, 2
        assert_ne!(
            shapes(&[0x48, 0x83, 0xc0, 1]),
            shapes(&[0x48, 0x83, 0xc0, 2])
        );
        // call of a function of the kernel; of another
        let call = |back: i32| [&[0xe8][..], &back.to_le_bytes()].concat();
        assert_ne!(shapes(&call(-0x3000_0000)), shapes(&call(-0x3000_0100)));
        // call of a program; of another
        assert_eq!(shapes(&call(0x1000)), shapes(&call(0x2000)));
    }

    #[test]
    fn lines_have_a_hash_of_their_text_without_white_space() {
        let text = |string| {
            let own = LineInfo {
                line_off: offset(string),
                ..line(0, 0, 10)
            };
            described(&[0], &[own], &image(1, &[0])).unwrap().functions[0].stretches[0].2
        };
        assert_eq!(text(3), 0);
        assert_eq!(text(4), text(5));
        assert_ne!(text(4), text(0));
    }

    #[test]
    fn a_line_without_code_has_no_stretch() {
        let lines = [line(0, 0, 10), line(1, 0, 11), line(2, 0, 12)];
        assert_eq!(
            counted(&[0], &lines, &image(1, &[0, 6, 6])),
            [[stretch(0, 10, 3), stretch(0, 12, 3)]]
        );
    }

    #[test]
    fn inlined_code_belongs_to_the_line_before_it() {
        let lines = [line(0, 2, 7), line(1, 0, 11), line(2, 2, 9), line(3, 0, 0)];
        // No line of the project is before the first.
        assert_eq!(
            counted(&[0], &lines, &image(1, &[0, 4, 6, 10])),
            [[stretch(2, 7, 2), stretch(0, 11, 4)]]
        );
    }

    #[test]
    fn inlined_code_before_any_line_of_the_project_keeps_its_own() {
        let lines = [line(0, 2, 7), line(1, 2, 9), line(2, 0, 11), line(3, 2, 7)];
        assert_eq!(
            counted(&[0], &lines, &image(1, &[0, 4, 6, 10])),
            [[stretch(2, 7, 2), stretch(2, 9, 1), stretch(0, 11, 3)]]
        );
    }

    #[test]
    fn a_line_ends_at_the_end_of_its_function() {
        let lines = [line(0, 0, 10), line(5, 2, 7)];
        assert_eq!(
            counted(&[0, 5], &lines, &image(2, &[0, 64])),
            [[stretch(0, 10, 6)], [stretch(2, 7, 6)]]
        );
    }

    #[test]
    fn inconsistent_images_are_not_described() {
        let lines = [line(0, 0, 10)];
        let cut = JitImage {
            code: CODE[..5].to_vec(),
            ..image(1, &[0])
        };
        let long = JitImage {
            code: vec![0x90; MAX_INSTRUCTIONS + 1],
            function_bytes: vec![MAX_INSTRUCTIONS as u32 + 1],
            ..image(1, &[0])
        };
        let elsewhere = image(1, &[4096]);
        for image in [JitImage::default(), image(1, &[0, 4]), cut, elsewhere, long] {
            assert_eq!(described(&[0], &lines, &image), None);
        }
        assert_eq!(described(&[0], &[], &image(1, &[])), None);
    }
}
