//! BTF: reads names and source locations from a program's BTF blob. Pure.
//!
//! Format: <https://docs.kernel.org/bpf/btf.html>. The kernel has checked the blob at
//! load, but nothing here trusts it: bad input gives `None`.

use aya_obj::generated::{
    BTF_KIND_ARRAY, BTF_KIND_DATASEC, BTF_KIND_DECL_TAG, BTF_KIND_ENUM, BTF_KIND_ENUM64,
    BTF_KIND_FLOAT, BTF_KIND_FUNC, BTF_KIND_FUNC_PROTO, BTF_KIND_FWD, BTF_KIND_INT, BTF_KIND_PTR,
    BTF_KIND_STRUCT, BTF_KIND_TYPE_TAG, BTF_KIND_UNION, BTF_KIND_VAR, bpf_func_info, btf_header,
    btf_type,
};

use crate::record::Source;

/// `BTF_MAGIC` of `linux/btf.h`.
const MAGIC: u16 = 0xeb9f;
/// Bytes of a `struct btf_type`.
pub const TYPE_BYTES: usize = size_of::<btf_type>();
/// Bytes of the header that all kernels know.
const HEADER_BYTES: usize = size_of::<btf_header>();
/// Bytes of a header with offset and length of a layout.
const WITH_LAYOUT: usize = HEADER_BYTES + 8;

/// One BTF blob, split into sections.
#[derive(Debug)]
pub struct Btf<'a> {
    types: &'a [u8],
    strings: &'a [u8],
}

/// One record of `bpf_prog_info.line_info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineInfo {
    /// Index of the first instruction of this line.
    pub insn_off: u32,
    /// Offset of the file name in the string section.
    pub file_name_off: u32,
    /// Offset of the line's text in the string section.
    pub line_off: u32,
    /// Counted from 1.
    pub line: u32,
}

/// Reads the word at an offset, in the byte order of this machine.
pub fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let word = bytes.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_ne_bytes(word.try_into().ok()?))
}

/// The types and the strings of a blob.
pub fn parts(blob: &[u8]) -> Option<[&[u8]; 2]> {
    Some([part(blob, 8)?, part(blob, 16)?])
}

/// The part of a blob whose offset is at this place of the header, and whose length follows.
fn part(blob: &[u8], at: usize) -> Option<&[u8]> {
    let start = (u32_at(blob, 4)? as usize).checked_add(u32_at(blob, at)? as usize)?;
    blob.get(start..start.checked_add(u32_at(blob, at + 4)? as usize)?)
}

/// The string at an offset of the string section.
pub fn string_at(strings: &[u8], offset: u32) -> Option<&[u8]> {
    let tail = strings.get(offset as usize..)?;
    Some(&tail[..tail.iter().position(|&byte| byte == 0)?])
}

impl<'a> Btf<'a> {
    /// Splits a blob in the byte order of this machine.
    pub fn parse(blob: &'a [u8]) -> Option<Self> {
        let magic = u16::from_ne_bytes(blob.get(..2)?.try_into().ok()?);
        let header_bytes = u32_at(blob, 4)? as usize;
        if magic != MAGIC || header_bytes < HEADER_BYTES {
            return None;
        }
        let [types, strings] = parts(blob)?;
        Some(Self { types, strings })
    }

    /// The string at an offset of the string section.
    pub fn string(&self, offset: u32) -> Option<&'a str> {
        str::from_utf8(string_at(self.strings, offset)?).ok()
    }

    /// The name of the function with this type id (ids count from 1).
    pub fn function_name(&self, type_id: u32) -> Option<&'a str> {
        let mut offset = 0;
        for _ in 1..type_id {
            offset += TYPE_BYTES + trailing_bytes(u32_at(self.types, offset + 4)?)?;
        }
        let kind = kind_of(u32_at(self.types, offset + 4)?);
        if type_id == 0 || kind != BTF_KIND_FUNC {
            return None;
        }
        self.string(u32_at(self.types, offset)?)
    }
}

/// The `BTF_KIND_*` in the second word of a `struct btf_type`.
pub fn kind_of(info: u32) -> u32 {
    info >> 24 & 0x7f
}

/// The number of members in the second word of a `struct btf_type`.
fn members(info: u32) -> usize {
    (info & 0xff_ffff) as usize
}

/// Copies a blob with the header, and the kinds of types, that all kernels know. `None`: it is
/// damaged, or has a kind that is not known.
///
/// Linkers since libbpf 1.8 append to the header the place of a layout, which gives the bytes
/// that follow each kind of type. As in libbpf (`bpf_object__sanitize_btf`), the layout is left
/// out. A kind that only the layout knows becomes a number of one byte, so that other types keep
/// their ids.
pub fn classic(blob: &[u8]) -> Option<Vec<u8>> {
    let header_bytes = u32_at(blob, 4)? as usize;
    if !(HEADER_BYTES..=blob.len()).contains(&header_bytes) {
        return None;
    }
    let [types, strings] = parts(blob)?;
    let layout = match header_bytes {
        0..WITH_LAYOUT => &[],
        _ => part(blob, HEADER_BYTES)?,
    };
    let mut known = Vec::with_capacity(types.len());
    let mut at = 0;
    while at < types.len() {
        let info = u32_at(types, at + 4)?;
        let trailing = trailing_bytes(info);
        let bytes = TYPE_BYTES + trailing.or_else(|| laid_out(layout, info))?;
        let ty = types.get(at..at + bytes)?;
        match trailing {
            Some(_) => known.extend(ty),
            None => {
                known.extend(&ty[..4]);
                let number = [BTF_KIND_INT << 24, 1, 8];
                known.extend(number.iter().flat_map(|word| word.to_ne_bytes()));
            }
        }
        at += bytes;
    }
    let mut header = blob[..HEADER_BYTES].to_vec();
    header[4..8].copy_from_slice(&(HEADER_BYTES as u32).to_ne_bytes());
    join(&header, &known, strings)
}

/// The number of bytes that follow a type of a kind, by a layout: for each kind a byte for what
/// follows once, one for what follows for each member, and two of flags.
fn laid_out(layout: &[u8], info: u32) -> Option<usize> {
    let &[once, each, ..] = layout.chunks_exact(4).nth(kind_of(info) as usize)? else {
        return None;
    };
    Some(usize::from(once) + members(info) * usize::from(each))
}

/// Copies a blob, and gives arrays of length 0 at the end of a structure a length that no
/// index exceeds. `None`: the blob is damaged.
pub fn with_long_arrays(blob: &[u8]) -> Option<Vec<u8>> {
    const LONG: u32 = 1 << 20;
    let mut edited = blob.to_vec();
    let mut at = (u32_at(blob, 4)? as usize).checked_add(u32_at(blob, 8)? as usize)?;
    let end = at.checked_add(u32_at(blob, 12)? as usize)?;
    while at < end {
        let info = u32_at(blob, at + 4)?;
        let length = at + TYPE_BYTES + 8;
        if kind_of(info) == BTF_KIND_ARRAY && u32_at(blob, length)? == 0 {
            edited[length..length + 4].copy_from_slice(&LONG.to_ne_bytes());
        }
        at = at.checked_add(TYPE_BYTES + trailing_bytes(info)?)?;
    }
    Some(edited)
}

/// Makes a blob of types and strings, with the header of another. `None`: that is damaged.
pub fn join(blob: &[u8], types: &[u8], strings: &[u8]) -> Option<Vec<u8>> {
    let mut joined = blob.get(..u32_at(blob, 4)? as usize)?.to_vec();
    let sizes = [0, types.len(), types.len(), strings.len()];
    for (word, value) in joined.get_mut(8..24)?.chunks_exact_mut(4).zip(sizes) {
        word.copy_from_slice(&u32::try_from(value).ok()?.to_ne_bytes());
    }
    joined.extend(types);
    joined.extend(strings);
    Some(joined)
}

/// The number of bytes that follow a `struct btf_type`, by kind and number of members.
/// `None`: a kind newer than this agent; nothing after it can be found.
pub fn trailing_bytes(info: u32) -> Option<usize> {
    let members = members(info);
    Some(match kind_of(info) {
        BTF_KIND_INT | BTF_KIND_VAR | BTF_KIND_DECL_TAG => 4,
        BTF_KIND_ARRAY => 12,
        BTF_KIND_STRUCT | BTF_KIND_UNION | BTF_KIND_DATASEC | BTF_KIND_ENUM64 => 12 * members,
        BTF_KIND_ENUM | BTF_KIND_FUNC_PROTO => 8 * members,
        // Between fwd and func: typedef, volatile, const, restrict.
        BTF_KIND_PTR | BTF_KIND_FWD..=BTF_KIND_FUNC | BTF_KIND_FLOAT | BTF_KIND_TYPE_TAG => 0,
        _ => return None,
    })
}

/// Splits raw `func_info` by the record size the kernel reported, which may be
/// larger than what this agent knows of it.
pub fn parse_func_info(bytes: &[u8], record_bytes: u32) -> Vec<bpf_func_info> {
    records(bytes, record_bytes)
        .filter_map(|record| {
            Some(bpf_func_info {
                insn_off: u32_at(record, 0)?,
                type_id: u32_at(record, 4)?,
            })
        })
        .collect()
}

/// Splits raw `line_info`, as [`parse_func_info`] does.
pub fn parse_line_info(bytes: &[u8], record_bytes: u32) -> Vec<LineInfo> {
    records(bytes, record_bytes)
        .filter_map(|record| {
            Some(LineInfo {
                insn_off: u32_at(record, 0)?,
                file_name_off: u32_at(record, 4)?,
                line_off: u32_at(record, 8)?,
                // The lower ten bits are the column.
                line: u32_at(record, 12)? >> 10,
            })
        })
        .collect()
}

fn records(bytes: &[u8], record_bytes: u32) -> impl Iterator<Item = &[u8]> {
    bytes.chunks_exact((record_bytes as usize).max(1))
}

/// The name to show for a program. The kernel cuts names after 15 bytes, so a
/// longer function name that begins with them is the real one. A loader that
/// chose another name on purpose keeps it.
pub fn full_name(kernel_name: &str, btf: &Btf, functions: &[bpf_func_info]) -> String {
    functions
        .iter()
        .find(|function| function.insn_off == 0)
        .and_then(|function| btf.function_name(function.type_id))
        .filter(|name| {
            kernel_name.is_empty() || (kernel_name.len() == 15 && name.starts_with(kernel_name))
        })
        .unwrap_or(kernel_name)
        .to_owned()
}

/// The location of the instruction at `index`; `lines` are in the order of their
/// instructions. It is the nearest line at or before it, in the same function, in a file
/// outside of the toolchain and dependencies; otherwise the line it is in.
pub fn source_of(
    btf: &Btf,
    functions: &[bpf_func_info],
    lines: &[LineInfo],
    index: u32,
) -> Option<Source> {
    let start = functions
        .iter()
        .map(|function| function.insn_off)
        .filter(|&insn_off| insn_off <= index)
        .max()
        .unwrap_or(0);
    let is_before = |line: &&LineInfo| (start..=index).contains(&line.insn_off);
    first_own(btf, lines.iter().rev().filter(is_before))
}

/// The source location of the program's main function.
///
/// BTF has no line for a function's declaration, only lines of instructions, and the
/// first instruction often comes from code inlined out of a library (`XdpContext::new`).
/// So this takes the main function's first line in a file outside of the toolchain and
/// dependencies, otherwise the line of its first instruction. The result is a line in or
/// near the function, not its `fn` line.
pub fn main_source(btf: &Btf, functions: &[bpf_func_info], lines: &[LineInfo]) -> Option<Source> {
    let main_end = functions
        .iter()
        .map(|function| function.insn_off)
        .filter(|&insn_off| insn_off > 0)
        .min()
        .unwrap_or(u32::MAX);
    first_own(btf, lines.iter().filter(|line| line.insn_off < main_end))
}

/// The location of the first of these lines in a file outside of the toolchain and
/// dependencies; otherwise of the first line.
fn first_own<'a>(btf: &Btf, lines: impl Iterator<Item = &'a LineInfo> + Clone) -> Option<Source> {
    let mut places = lines.filter_map(|line| Some((file_name(btf, line)?, line.line)));
    let own = places.clone().find(|(file, _)| !is_foreign(file));
    let (file, line) = own.or_else(|| places.next())?;
    Some(Source { file, line })
}

/// The file of a line, without `.`, `..` after a name, and repeated slashes in its path. `None`:
/// no file is known, or the line is 0, which marks code that the compiler generated.
pub fn file_name(btf: &Btf, line: &LineInfo) -> Option<String> {
    let name = btf.string(line.file_name_off)?;
    if name.is_empty() || line.line == 0 {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." && parts.last().is_some_and(|&last| last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let root = if name.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

/// Whether a file belongs to the toolchain, the system or a fetched dependency, judged by the
/// folders in which Cargo, rustc and distributions keep them.
pub fn is_foreign(file: &str) -> bool {
    const FOLDERS: [&str; 7] = [
        "/registry/src/",
        "/git/checkouts/",
        "/rustlib/src/",
        "/rustc/",
        "/library/core/",
        "/usr/include/",
        "/nix/store/",
    ];
    file.starts_with('<') || FOLDERS.iter().any(|folder| file.contains(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRINGS: &[&str] = &[
        "",
        "u32",
        "a_function_with_a_long_name",
        "/home/me/.cargo/registry/src/index/aya-ebpf-0.2.1/src/programs/xdp.rs",
        "xdp-ebpf/src/main.rs",
    ];

    fn string_off(index: usize) -> u32 {
        STRINGS[..index].iter().map(|s| s.len() as u32 + 1).sum()
    }

    /// int (1), struct of two members (2), func_proto of one parameter (3), func (4).
    fn blob() -> Vec<u8> {
        let info = |kind: u32, members: u32| kind << 24 | members;
        let types: Vec<u32> = vec![
            string_off(1),
            info(1, 0),
            4,
            32,
            0,
            info(4, 2),
            8,
            0,
            1,
            0,
            0,
            1,
            32,
            0,
            info(13, 1),
            1,
            0,
            1,
            string_off(2),
            info(BTF_KIND_FUNC, 1),
            3,
        ];
        let strings: Vec<u8> = STRINGS.iter().flat_map(|s| s.bytes().chain([0])).collect();
        let type_bytes = types.len() as u32 * 4;
        let mut blob = Vec::new();
        blob.extend(MAGIC.to_ne_bytes());
        blob.extend([1, 0]);
        for word in [24, 0, type_bytes, type_bytes, strings.len() as u32] {
            blob.extend(word.to_ne_bytes());
        }
        types
            .iter()
            .for_each(|word| blob.extend(word.to_ne_bytes()));
        blob.extend(strings);
        blob
    }

    fn line(insn_off: u32, string: usize, line: u32) -> LineInfo {
        LineInfo {
            insn_off,
            file_name_off: string_off(string),
            line_off: 0,
            line,
        }
    }

    const MAIN: bpf_func_info = bpf_func_info {
        insn_off: 0,
        type_id: 4,
    };

    #[test]
    fn a_function_is_found_behind_other_types() {
        let blob = blob();
        let btf = Btf::parse(&blob).unwrap();
        assert_eq!(btf.function_name(4), Some("a_function_with_a_long_name"));
        assert_eq!(btf.function_name(1), None);
        assert_eq!(btf.function_name(0), None);
        assert_eq!(btf.function_name(5), None);
    }

    #[test]
    fn damaged_blobs_give_nothing() {
        let blob = blob();
        assert!(Btf::parse(&blob[..20]).is_none());
        assert!(Btf::parse(&blob[..blob.len() - 1]).is_none());
        assert!(Btf::parse(&[0; 64]).is_none());
    }

    /// The blob of [`blob`] with a header of so many bytes, and between types and strings a
    /// layout.
    fn with_layout(header_bytes: usize, types: &[u8], layout: &[u8], strings: &[u8]) -> Vec<u8> {
        let (types_end, strings_off) = (types.len(), types.len() + layout.len());
        let parts = [
            0,
            types.len(),
            strings_off,
            strings.len(),
            types_end,
            layout.len(),
        ];
        let words = std::iter::once(header_bytes).chain(parts);
        let mut blob = [&MAGIC.to_ne_bytes()[..], &[1, 0]].concat();
        blob.extend(words.flat_map(|word| (word as u32).to_ne_bytes()));
        blob.resize(header_bytes, 0);
        [&blob[..], types, layout, strings].concat()
    }

    #[test]
    fn a_longer_header_becomes_that_of_all_kernels() {
        let blob = blob();
        let [types, strings] = parts(&blob).unwrap();
        assert_eq!(classic(&blob).as_ref(), Some(&blob));
        for (header_bytes, layout) in [(32, &[][..]), (32, &[0; 80]), (40, &[0; 4])] {
            let longer = with_layout(header_bytes, types, layout, strings);
            assert_eq!(classic(&longer).as_ref(), Some(&blob), "{header_bytes}");
        }
    }

    #[test]
    fn a_kind_that_only_the_layout_knows_becomes_a_number() {
        // Kind 33, whose lower bits are those of an integer: 4 bytes, and 8 for each of 2 members.
        let unknown: Vec<u8> = [string_off(1), 33 << 24 | 2, 7, 1, 2, 3, 4, 5]
            .iter()
            .flat_map(|word: &u32| word.to_ne_bytes())
            .collect();
        let blob = blob();
        let [types, strings] = parts(&blob).unwrap();
        let types = [&unknown[..], types].concat();
        let mut layout = [0; 34 * 4];
        layout[33 * 4..][..2].copy_from_slice(&[4, 8]);
        let longer = with_layout(32, &types, &layout, strings);
        let known = classic(&longer).unwrap();
        let btf = Btf::parse(&known).unwrap();
        assert_eq!(btf.function_name(5), Some("a_function_with_a_long_name"));
        let number = [string_off(1), BTF_KIND_INT << 24, 1, 8].map(u32::to_ne_bytes);
        assert_eq!(btf.types[..16], number.concat());
        // Without the layout nothing after it can be found.
        for layout in [&layout[..33 * 4], &[]] {
            assert!(classic(&with_layout(32, &types, layout, strings)).is_none());
        }
    }

    #[test]
    fn lengths_beyond_the_blob_are_damage() {
        let blob = blob();
        let [types, strings] = parts(&blob).unwrap();
        let good = with_layout(32, types, &[0; 80], strings);
        assert!(classic(&good).is_some());
        for (at, value) in [
            (4, 0),
            (4, 23),
            (4, good.len() as u32 + 1),
            (4, u32::MAX),
            (8, u32::MAX),
            (12, types.len() as u32 - 4),
            (20, u32::MAX),
            (24, u32::MAX),
            (28, good.len() as u32),
        ] {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&value.to_ne_bytes());
            assert!(classic(&bad).is_none(), "{at}: {value}");
        }
        assert!(classic(&good[..28]).is_none());
    }

    #[test]
    fn only_cut_names_are_completed() {
        let blob = blob();
        let btf = Btf::parse(&blob).unwrap();
        let name = |kernel_name| full_name(kernel_name, &btf, &[MAIN]);
        assert_eq!(name("a_function_with"), "a_function_with_a_long_name");
        assert_eq!(name(""), "a_function_with_a_long_name");
        assert_eq!(name("a_function"), "a_function");
        assert_eq!(name("another_name_xx"), "another_name_xx");
    }

    #[test]
    fn the_source_is_the_projects_first_line() {
        let blob = blob();
        let btf = Btf::parse(&blob).unwrap();
        let lines = [line(0, 3, 22), line(1, 4, 29), line(9, 4, 3)];
        let source = main_source(&btf, &[MAIN], &lines).unwrap();
        assert_eq!((source.file.as_str(), source.line), (STRINGS[4], 29));
    }

    #[test]
    fn lines_of_other_functions_are_not_the_mains() {
        let blob = blob();
        let btf = Btf::parse(&blob).unwrap();
        let other = bpf_func_info {
            insn_off: 5,
            type_id: 4,
        };
        let lines = [line(0, 3, 22), line(5, 4, 29)];
        let source = main_source(&btf, &[MAIN, other], &lines).unwrap();
        assert_eq!((source.file.as_str(), source.line), (STRINGS[3], 22));
        assert_eq!(main_source(&btf, &[MAIN], &[]), None);
    }

    #[test]
    fn an_instruction_is_in_the_projects_line_before_it() {
        let blob = blob();
        let btf = Btf::parse(&blob).unwrap();
        let other = bpf_func_info {
            insn_off: 20,
            type_id: 4,
        };
        let lines = [
            line(0, 4, 29),
            line(4, 3, 22),
            line(8, 4, 0),
            line(20, 3, 7),
        ];
        let at = |index| source_of(&btf, &[MAIN, other], &lines, index).unwrap();
        assert_eq!((at(3).file.as_str(), at(3).line), (STRINGS[4], 29));
        assert_eq!((at(9).file.as_str(), at(9).line), (STRINGS[4], 29));
        // This function has no line of the project.
        assert_eq!((at(21).file.as_str(), at(21).line), (STRINGS[3], 7));
        assert_eq!(source_of(&btf, &[MAIN], &[], 3), None);
    }

    #[test]
    fn a_file_has_a_plain_path() {
        let name = |path: &str, line| {
            let strings = [path.as_bytes(), &[0]].concat();
            let btf = Btf {
                types: &[],
                strings: &strings,
            };
            let record = LineInfo {
                insn_off: 0,
                file_name_off: 0,
                line_off: 0,
                line,
            };
            file_name(&btf, &record)
        };
        for (path, plain) in [
            ("./x.bpf.c", "x.bpf.c"),
            ("/build/src/./bpf//../x.c", "/build/src/x.c"),
            ("../../include/x.h", "../../include/x.h"),
            ("<built-in>", "<built-in>"),
        ] {
            assert_eq!(name(path, 1).as_deref(), Some(plain));
        }
        assert_eq!([name("", 1), name("x.c", 0)], [None, None]);
    }

    #[test]
    fn records_may_be_larger_than_known() {
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_ne_bytes()).collect()
        };
        let raw = words(&[0, 7, 99, 4, 8, 99]);
        let infos = parse_func_info(&raw, 12);
        assert_eq!(infos.len(), 2);
        assert_eq!((infos[1].insn_off, infos[1].type_id), (4, 8));
        let raw = words(&[3, 6, 0, 29 << 10 | 5]);
        assert_eq!(
            parse_line_info(&raw, 16),
            [LineInfo {
                insn_off: 3,
                file_name_off: 6,
                line_off: 0,
                line: 29
            }]
        );
        assert!(parse_line_info(&raw, 0).is_empty());
    }
}
