//! Lines: counts the machine instructions that the JIT made of each source line.
//!
//! They are counted as they stand, not as often as they run: the kernel counts a
//! program's time as a whole, and nothing in the guest sees inside a run.

use std::collections::BTreeMap;
use std::io;

use aya_obj::generated::bpf_func_info;
use iced_x86::{Decoder, DecoderOptions};

use crate::bpf::{JitImage, Prog};
use crate::btf::{self, Btf, LineInfo};
use crate::record::{FileLines, Place};

/// The most lines of one program; further lines are dropped.
const MAX_LINES: usize = 20_000;
/// The most bytes of a file's name. A longer name is ignored: its line counts for the one
/// before it.
const MAX_NAME: usize = 1024;

/// Runs [`count_by_line`] on a loaded program, whose strings are in `btf`.
pub fn read(prog: &Prog, btf: &Btf) -> io::Result<Vec<FileLines>> {
    let (functions, lines) = prog.debug_records()?;
    Ok(count_by_line(btf, &functions, &lines, &prog.jit_image()?))
}

/// Counts the machine instructions of each line. Files are sorted by name.
///
/// Code inlined from the toolchain or a dependency counts for the project's own line
/// before it in the same function: there a change to the project has to be looked for. So
/// does code of line 0, which the compiler generated. A function's prologue counts for
/// its first line. Before the first of the project's lines, inlined code counts for its
/// own line. The result is empty if the image, the lines or their addresses are unknown,
/// or do not fit each other.
pub fn count_by_line(
    btf: &Btf,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    image: &JitImage,
) -> Vec<FileLines> {
    let mut counts: BTreeMap<&str, BTreeMap<u32, u32>> = BTreeMap::new();
    let mut code = image.code.as_slice();
    let functions = functions_with_places(btf, functions, lines, image);
    for (start, bytes, places) in functions {
        let Some((own, rest)) = code.split_at_checked(bytes as usize) else {
            return Vec::new();
        };
        code = rest;
        for instruction in Decoder::with_ip(64, own, start, DecoderOptions::NONE) {
            let next = places.partition_point(|(address, _)| *address <= instruction.ip());
            let Some((_, Some((file, line)))) = places.get(next.saturating_sub(1)) else {
                continue;
            };
            *counts.entry(file).or_default().entry(*line).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .scan(MAX_LINES, |left, (file, counts)| {
            let counts: Vec<_> = counts.into_iter().take(*left).collect();
            *left -= counts.len();
            (!counts.is_empty()).then(|| FileLines {
                file: file.to_owned(),
                counts,
            })
        })
        .collect()
}

/// Where the code of each line begins, for the same lines as in [`count_by_line`]: the number of
/// the function, the offset in it, the index of the file in the second list, and the line, or 0
/// where none is known. Sorted by function and offset.
pub fn places(
    btf: &Btf,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    image: &JitImage,
) -> (Vec<Place>, Vec<String>) {
    let (mut found, mut files) = (Vec::<Place>::new(), Vec::<String>::new());
    let functions = functions_with_places(btf, functions, lines, image);
    for (function, (start, _, places)) in functions.into_iter().enumerate() {
        for (address, owner) in places {
            let (file, line) = owner.unwrap_or_default();
            let index = files.iter().position(|known| known == file);
            let index = index.unwrap_or_else(|| {
                files.push(file.to_owned());
                files.len() - 1
            });
            let place = [
                function as u32,
                (address - start) as u32,
                index as u32,
                line,
            ];
            match found.last_mut() {
                // The last line at an address has the code.
                Some(last) if last[..2] == place[..2] => *last = place,
                Some(last) if (last[0], &last[2..]) == (place[0], &place[2..]) => {}
                _ => found.push(place),
            }
        }
    }
    found.truncate(MAX_LINES);
    (found, files)
}

/// The line of a file, if it is known.
type Owner<'a> = Option<(&'a str, u32)>;

/// A function's address, its length, and the addresses where its lines begin.
type Located<'a> = (u64, u32, Vec<(u64, Owner<'a>)>);

/// The functions and their lines; none if they do not fit the image.
fn functions_with_places<'a>(
    btf: &Btf<'a>,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    image: &JitImage,
) -> Vec<Located<'a>> {
    if image.lines.len() != lines.len() || image.functions.len() != image.function_bytes.len() {
        return Vec::new();
    }
    let owners = owners(btf, functions, lines);
    let all = image.functions.iter().zip(&image.function_bytes);
    all.map(|(&start, &bytes)| {
        let end = start.saturating_add(u64::from(bytes));
        let addresses = image.lines.iter().copied().zip(owners.iter().copied());
        let mut places: Vec<_> = addresses
            .filter(|(address, _)| (start..end).contains(address))
            .collect();
        // The sort is stable: among lines at one address the last has the code.
        places.sort_by_key(|(address, _)| *address);
        (start, bytes, places)
    })
    .collect()
}

/// The line that each record's code counts for.
fn owners<'a>(btf: &Btf<'a>, functions: &[bpf_func_info], lines: &[LineInfo]) -> Vec<Owner<'a>> {
    let function_of = |insn_off: u32| {
        let starts = functions.iter().map(|function| function.insn_off);
        starts.filter(|&start| start <= insn_off).max()
    };
    let mut current = (None, None);
    lines
        .iter()
        .map(|line| {
            let function = function_of(line.insn_off);
            let before = current.1.filter(|_| current.0 == function);
            let file = btf
                .string(line.file_name_off)
                .filter(|file| !file.is_empty() && file.len() <= MAX_NAME && line.line > 0);
            let own = file.map(|file| (file, line.line));
            let owner = match (own, before) {
                (Some((file, _)), Some((project, _)))
                    if btf::is_foreign(file) && !btf::is_foreign(project) =>
                {
                    before
                }
                (Some(_), _) => own,
                (None, _) => before,
            };
            current = (function, owner);
            owner
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = ["a.rs", "b.rs", "/rustc/abc/library/core/src/x.rs"];
    const START: u64 = 0xffff_ffff_c000_0000;

    /// A blob with only the file names.
    fn blob() -> Vec<u8> {
        let strings: Vec<u8> = FILES
            .iter()
            .flat_map(|file| file.bytes().chain([0]))
            .collect();
        let mut blob = 0xeb9fu16.to_ne_bytes().to_vec();
        blob.extend([1, 0]);
        for word in [24, 0, 0, 0, strings.len() as u32] {
            blob.extend(word.to_ne_bytes());
        }
        blob.extend(strings);
        blob
    }

    fn line(insn_off: u32, file: usize, line: u32) -> LineInfo {
        let file_name_off = FILES[..file].iter().map(|file| file.len() as u32 + 1).sum();
        LineInfo {
            insn_off,
            file_name_off,
            line,
        }
    }

    fn functions(starts: &[u32]) -> Vec<bpf_func_info> {
        let function = |&insn_off: &u32| bpf_func_info {
            insn_off,
            type_id: 0,
        };
        starts.iter().map(function).collect()
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

    fn file(index: usize, counts: &[(u32, u32)]) -> FileLines {
        FileLines {
            file: FILES[index].to_owned(),
            counts: counts.to_vec(),
        }
    }

    fn count(starts: &[u32], lines: &[LineInfo], image: &JitImage) -> Vec<FileLines> {
        let blob = blob();
        count_by_line(
            &Btf::parse(&blob).unwrap(),
            &functions(starts),
            lines,
            image,
        )
    }

    #[test]
    fn instructions_are_counted_from_one_line_to_the_next() {
        let lines = [
            line(0, 0, 10),
            line(1, 0, 11),
            line(2, 1, 3),
            line(3, 0, 10),
        ];
        let counted = count(&[0], &lines, &image(1, &[0, 4, 6, 10]));
        assert_eq!(counted, [file(0, &[(10, 4), (11, 1)]), file(1, &[(3, 1)])]);
    }

    #[test]
    fn places_are_where_lines_begin() {
        let blob = blob();
        let lines = [
            line(0, 0, 10),
            line(1, 0, 11),
            line(2, 1, 3),
            line(3, 1, 3),
            line(5, 0, 7),
        ];
        let image = image(2, &[0, 4, 4, 10, 66]);
        let (places, files) = places(
            &Btf::parse(&blob).unwrap(),
            &functions(&[0, 5]),
            &lines,
            &image,
        );
        assert_eq!(places, [[0, 0, 0, 10], [0, 4, 1, 3], [1, 2, 0, 7]]);
        assert_eq!(files, ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_line_without_code_has_no_count() {
        let lines = [line(0, 0, 10), line(1, 0, 11), line(2, 0, 12)];
        let counted = count(&[0], &lines, &image(1, &[0, 6, 6]));
        assert_eq!(counted, [file(0, &[(10, 3), (12, 3)])]);
    }

    #[test]
    fn inlined_code_counts_for_the_line_before_it() {
        let lines = [line(0, 2, 7), line(1, 0, 11), line(2, 2, 9), line(3, 0, 0)];
        let counted = count(&[0], &lines, &image(1, &[0, 4, 6, 10]));
        // No line of the project is before the first.
        assert_eq!(counted, [file(2, &[(7, 2)]), file(0, &[(11, 4)])]);
    }

    #[test]
    fn inlined_code_before_any_line_of_the_project_has_its_own_count() {
        let lines = [line(0, 2, 7), line(1, 2, 9), line(2, 0, 11), line(3, 2, 7)];
        let counted = count(&[0], &lines, &image(1, &[0, 4, 6, 10]));
        assert_eq!(counted, [file(2, &[(7, 2), (9, 1)]), file(0, &[(11, 3)])]);
    }

    #[test]
    fn a_line_ends_at_the_end_of_its_function() {
        let lines = [line(0, 0, 10), line(5, 2, 7)];
        let counted = count(&[0, 5], &lines, &image(2, &[0, 64]));
        assert_eq!(counted, [file(2, &[(7, 6)]), file(0, &[(10, 6)])]);
    }

    #[test]
    fn inconsistent_images_give_no_counts() {
        let lines = [line(0, 0, 10)];
        assert!(count(&[0], &lines, &JitImage::default()).is_empty());
        assert!(count(&[0], &lines, &image(1, &[0, 4])).is_empty());
        let cut = JitImage {
            code: CODE[..5].to_vec(),
            ..image(1, &[0])
        };
        assert!(count(&[0], &lines, &cut).is_empty());
        let elsewhere = image(1, &[4096]);
        assert!(count(&[0], &lines, &elsewhere).is_empty());
    }

    #[test]
    fn lines_are_limited() {
        let count_of = MAX_LINES + 2;
        let lines: Vec<_> = (0..count_of as u32).map(|n| line(n, 0, n + 1)).collect();
        let image = JitImage {
            code: vec![0x90; count_of],
            functions: vec![START],
            function_bytes: vec![count_of as u32],
            lines: (0..count_of as u64).map(|n| START + n).collect(),
        };
        let counted = count(&[0], &lines, &image);
        assert_eq!(counted[0].counts.len(), MAX_LINES);
    }
}
