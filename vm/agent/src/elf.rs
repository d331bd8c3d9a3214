//! ELF: prepares a BPF object for `aya-obj`, which refuses a whole object for one unknown
//! item. Pure.
//!
//! Changes to a copy of the file:
//!
//! - sections with programs get a name that it accepts; the real names are kept here;
//! - instructions that refer to something the object only declares (kernel functions,
//!   `__ksym` and `__kconfig` variables) are marked, to be found in linked programs;
//! - BTF of such declarations is replaced, because kernels refuse it, and functions with
//!   hidden visibility become static, as in libbpf;
//! - CO-RE relocations that it does not do are removed; their instructions get the value,
//!   or are marked;
//! - unreadable parts of a map's definition are hidden from it: only the programs that use
//!   such a map cannot be loaded.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use aya_obj::generated::bpf_core_relo_kind::BPF_CORE_TYPE_MATCHES;
use aya_obj::generated::{
    BPF_ALU, BPF_ALU64, BPF_X, BTF_INT_BOOL, BTF_INT_SIGNED, BTF_KIND_ARRAY, BTF_KIND_DATASEC,
    BTF_KIND_DECL_TAG, BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_FUNC, BTF_KIND_FUNC_PROTO,
    BTF_KIND_INT, BTF_KIND_PTR, BTF_KIND_STRUCT, BTF_KIND_VAR, BTF_VAR_GLOBAL_EXTERN,
    bpf_func_info, bpf_insn, bpf_line_info,
};
use object::LittleEndian as LE;
use object::elf::{
    EM_BPF, ET_REL, FileHeader64, SHF_EXECINSTR, SHN_UNDEF, SHT_NOBITS, SHT_SYMTAB, STB_LOCAL,
    STB_WEAK, STT_FUNC, STV_DEFAULT, STV_PROTECTED,
};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};

use crate::bpf::{CALL, LOAD_64};
use crate::btf::{self, TYPE_BYTES, kind_of, u32_at};
use crate::kconfig::{Kind, Variable};
use crate::relocations::{Instead, Relocation};
use crate::struct_ops::{self, Operation};
use crate::types::{MAX_DEPTH, MEMBER_BYTES, Types, without_flavor};

/// Bytes of an entry of the section table.
const SECTION_BYTES: usize = 64;
/// Bytes of an entry of the symbol table; the section's index is at 6.
const SYMBOL_BYTES: usize = 24;
/// Bytes of an instruction.
const INSN_BYTES: usize = size_of::<bpf_insn>();
/// The first immediate value used for marks.
const MARKS: i32 = 0x6b70_0000;
/// The immediate value in the second half of a marked 16-byte instruction.
const MARK_TAIL: i32 = 0x6270_6667;
const MAX_MARKS: usize = 1 << 16;
/// The most items that marks stand for.
pub const MAX_EXTERNS: usize = MAX_MARKS / 2;
/// The section of variables in an arena, as in libbpf.
const ARENA: &str = ".addr_space.1";
/// The most bytes of sections without content in the file, such as `.bss`, together. The
/// loader makes a map's value of each, and no kernel accepts a larger value.
const MAX_EMPTY_BYTES: u64 = 1 << 28;
/// The most bytes of a `__kconfig` variable.
const MAX_KCONFIG_BYTES: u32 = 1 << 12;

/// An object that `aya-obj` can parse.
pub struct Prepared {
    /// The file.
    pub file: Vec<u8>,
    /// Real names of the sections with programs, by index.
    pub sections: BTreeMap<usize, String>,
    /// Section and address of every function that is a program.
    pub programs: BTreeSet<(usize, u64)>,
    /// Operations of `struct_ops` programs, by section and address; `None`: a program has
    /// two.
    pub operations: BTreeMap<(usize, u64), Option<Operation>>,
    /// Types of the kernel functions that it declares with a flavor, by the full name.
    pub flavors: BTreeMap<String, u32>,
    /// Its original BTF.
    pub btf: Vec<u8>,
    /// Names of the callback functions for exceptions, by program.
    pub callbacks: BTreeMap<String, Vec<String>>,
    /// Items to which marked instructions refer; see [`mark_of`].
    pub externs: Vec<Extern>,
    /// Why maps cannot be made, by map name.
    pub map_defects: BTreeMap<String, String>,
    /// Numbers of maps (`map_extra`) for which `aya-obj` has too few bits, by map name.
    pub map_extras: BTreeMap<String, u64>,
    /// The CO-RE relocations of the object, in its order.
    pub relocations: Vec<Relocation>,
    /// Functions and lines of sections with code, by index. They are not in `file`, because
    /// `aya-obj` takes memory for those of the whole section with each function.
    pub infos: BTreeMap<usize, Infos>,
}

/// Functions and lines of a section, ordered by the instruction at which they begin, which
/// is counted from the section's start.
#[derive(Debug, Clone, Default)]
pub struct Infos {
    /// The types of the functions.
    pub functions: Vec<bpf_func_info>,
    /// The source lines.
    pub lines: Vec<bpf_line_info>,
}

/// Something that an object declares and the kernel should define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extern {
    /// Its name.
    pub name: String,
    /// Whether the program works without it.
    pub weak: bool,
    /// Its kind of declaration.
    pub kind: ExternKind,
}

/// Kinds of declarations in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternKind {
    /// A function or variable with a type, to be found in the kernel's BTF.
    Typed,
    /// A map, variable or function of another object, which a linker should have joined.
    Elsewhere,
    /// A variable of type `void`: the address of any symbol of the kernel.
    Typeless,
    /// A value of the kernel's configuration.
    Kconfig(Variable),
    /// Memory of the object's arena, at this offset.
    Arena(u32),
    /// A CO-RE relocation that this loader does not support. The name is the reason.
    Unsupported,
    /// A CO-RE relocation for which the kernel has nothing, which is an error where the verifier
    /// reaches its instruction. The name is the reason.
    Missing,
}

/// Functions that compilers call where they find no code to put in their place.
const OF_COMPILERS: [&str; 9] = [
    "memcmp", "bcmp", "memcpy", "memmove", "memset", "strlen", "strcmp", "strncmp", "memchr",
];

/// Why a program cannot call a function that comes with a compiler or its C library; `None` if it
/// does not.
pub fn describe_builtin(name: &str) -> Option<String> {
    if OF_COMPILERS.contains(&name) {
        return Some(format!(
            "it calls `{name}` of the C library, which BPF does not have: give `__builtin_{name}` a constant size, which the compiler replaces by instructions, or write the loop and compile it with -fno-builtin"
        ));
    }
    // Such as __multi3, __udivdi3 and __divti3 of compiler-rt: two letters for the size, and the
    // number of operands.
    let operation = name.strip_prefix("__")?.strip_suffix(['2', '3', '4'])?;
    let is_of_numbers = operation.len() > 3
        && ["si", "di", "ti", "sf", "df"]
            .iter()
            .any(|size| operation.ends_with(size));
    is_of_numbers.then(|| {
        format!(
            "it calls `{name}`, by which compilers compute what BPF has no instructions for, such as numbers of 128 bits and fractions: use whole numbers of 64 bits"
        )
    })
}

/// The number of an instruction's mark. The instruction is given as opcode, source
/// register, immediate value and the next instruction's immediate value.
pub fn mark_of(opcode: u8, source: u32, immediate: i32, next: i32) -> Option<usize> {
    let marked = source == 0
        && match opcode {
            CALL => true,
            LOAD_64 => next == MARK_TAIL,
            _ => false,
        };
    let number = usize::try_from(immediate.checked_sub(MARKS)?).ok()?;
    (marked && number < MAX_MARKS).then_some(number)
}

/// The immediate value of a call that is marked with `number`.
pub fn marked_call(number: usize) -> i32 {
    MARKS + number.min(MAX_MARKS - 1) as i32
}

/// Prepares an object. The error says in one line why it is not a BPF object, or is
/// damaged.
///
/// `instead`: what to do in place of CO-RE relocations, by their numbers in the order of
/// the object.
pub fn prepare(data: &[u8], instead: &BTreeMap<usize, Instead>) -> Result<Prepared> {
    let header = FileHeader64::<LE>::parse(data)
        .ok()
        .filter(|header| header.endian().is_ok())
        .context("it is not an ELF file of 64 bits, little endian")?;
    ensure!(
        header.e_machine(LE) == EM_BPF,
        "it is an ELF file for machine {}, not for BPF ({EM_BPF})",
        header.e_machine(LE)
    );
    ensure!(
        header.e_type(LE) == ET_REL,
        "it is a linked ELF file: name the object file that the compiler or bpf-linker makes"
    );
    let damaged = "its section table is damaged";
    let table = header.sections(LE, data).context(damaged)?;
    let symbols = table
        .symbols(LE, data, SHT_SYMTAB)
        .context("its symbol table is damaged")?;
    let names_index = header.shstrndx(LE, data).context(damaged)? as usize;
    let strings = table
        .section(object::SectionIndex(names_index))
        .context(damaged)?;
    let mut prepared = Prepared {
        file: data.to_vec(),
        sections: BTreeMap::new(),
        programs: BTreeSet::new(),
        operations: BTreeMap::new(),
        flavors: BTreeMap::new(),
        btf: Vec::new(),
        callbacks: BTreeMap::new(),
        externs: Vec::new(),
        map_defects: BTreeMap::new(),
        map_extras: BTreeMap::new(),
        relocations: Vec::new(),
        infos: BTreeMap::new(),
    };
    let mut code = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut empty_bytes = 0_u64;
    for (index, section) in table.enumerate() {
        let name = table.section_name(LE, section).context(damaged)?;
        let name = str::from_utf8(name).context("a section's name is not UTF-8")?;
        names.insert(index.0, name);
        if section.sh_type(LE) == SHT_NOBITS {
            empty_bytes = empty_bytes.saturating_add(section.sh_size(LE));
            ensure!(
                empty_bytes <= MAX_EMPTY_BYTES,
                "its section {name:?} would take {} bytes",
                section.sh_size(LE)
            );
        }
        let executable = section.sh_flags(LE) & u64::from(SHF_EXECINSTR) != 0;
        if executable && section.sh_type(LE) != SHT_NOBITS && section.sh_size(LE) > 0 {
            section.data(LE, data).context(damaged)?;
            code.insert(index.0, section);
            if !name.starts_with(".text") {
                prepared.sections.insert(index.0, name.to_owned());
            }
        }
    }
    let mut hidden = BTreeSet::new();
    let mut called = BTreeMap::new();
    for (_, symbol) in symbols.enumerate() {
        if symbol.st_type() != STT_FUNC || symbol.st_bind() == STB_LOCAL {
            continue;
        }
        let section = usize::from(symbol.st_shndx(LE));
        if prepared.sections.contains_key(&section) {
            let place = (section, symbol.st_value(LE));
            prepared.programs.insert(place);
            // `aya-obj` keeps one program per name, and would drop the other silently.
            let name = symbols.symbol_name(LE, symbol).context(damaged)?;
            let other = called.insert(name, place);
            ensure!(
                other.is_none_or(|other| other == place),
                "two of its programs are called {:?}: rename one",
                String::from_utf8_lossy(name)
            );
        }
        if !matches!(symbol.st_visibility(), STV_DEFAULT | STV_PROTECTED)
            && let Ok(name) = symbols.symbol_name(LE, symbol)
        {
            hidden.insert(name);
        }
    }

    // BTF, with the sections' new names.
    let find = |wanted: &str| {
        names
            .iter()
            .find(|(_, name)| **name == wanted)
            .map(|(&index, _)| index)
    };
    ensure!(
        prepared.sections.is_empty() || symbols.len() > 1,
        "it has no symbols, which name its programs: strip it by `llvm-strip -g`, which keeps them"
    );
    ensure!(
        find(".BTF").is_some() || find(".maps").is_none(),
        "it has no BTF, which defines its maps: compile it with `clang -g`"
    );
    let (mut declared, mut undeclared) = (BTreeMap::new(), ExternKind::Typed);
    let mut taken_out = Vec::new();
    if let Some(index) = find(".BTF") {
        let section = table
            .section(object::SectionIndex(index))
            .context(damaged)?;
        let newer = "its BTF is damaged, or newer than this agent";
        let blob = section.data(LE, data).context(damaged)?;
        let blob = btf::classic(blob).context(newer)?;
        let edited = edit_btf(&blob, &prepared.sections, &hidden).context(newer)?;
        let ext = find(".BTF.ext").filter(|ext| *ext != index);
        if let Some(ext) = ext {
            let section = table.section(object::SectionIndex(ext)).context(damaged)?;
            let mut ext_blob = section.data(LE, data).context(damaged)?.to_vec();
            let ext_edited =
                edit_btf_ext(&mut ext_blob, &edited, instead).context("its BTF.ext is damaged")?;
            (taken_out, prepared.relocations) = (ext_edited.taken_out, ext_edited.relocations);
            // The records name a section; of several of that name, they are of the first.
            for (name, infos) in ext_edited.infos {
                let is_its = |index: &&usize| names.get(*index).is_some_and(|own| *own == name);
                if let Some(index) = code.keys().find(is_its) {
                    prepared.infos.insert(*index, infos);
                }
            }
            replace(&mut prepared.file, header.e_shoff(LE), ext, &ext_blob);
        }
        replace(&mut prepared.file, header.e_shoff(LE), index, &edited.blob);
        (declared, undeclared) = (edited.externs, ExternKind::Elsewhere);
        let types = Types::parse(&blob).context("its BTF is damaged")?;
        prepared.operations = struct_ops::operations(data, &table, &symbols, &names, &types)?;
        prepared.flavors = flavors(&types);
        prepared.callbacks = callbacks(&types);
        prepared.btf = blob;
        prepared.map_defects = edited.map_defects;
        prepared.map_extras = edited.map_extras;
    }

    // Marks.
    let mut numbers = BTreeMap::new();
    for (_, section) in table.enumerate() {
        let Some((relocations, _)) = section.rel(LE, data).context(damaged)? else {
            continue;
        };
        let Some(target) = code.get(&(section.sh_info(LE) as usize)) else {
            continue;
        };
        for relocation in relocations {
            let index = object::SymbolIndex(relocation.r_sym(LE) as usize);
            let Ok(symbol) = symbols.symbol(index) else {
                bail!("a relocation names symbol {}, which is missing", index.0);
            };
            let in_arena = names
                .get(&usize::from(symbol.st_shndx(LE)))
                .is_some_and(|name| *name == ARENA);
            if index.0 == 0 || (symbol.st_shndx(LE) != SHN_UNDEF && !in_arena) {
                continue;
            }
            let name = symbols.symbol_name(LE, symbol).unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            let offset = usize::try_from(relocation.r_offset.get(LE)).unwrap_or(usize::MAX);
            let bytes = target.sh_size(LE) as usize;
            ensure!(
                offset.checked_add(2 * INSN_BYTES).is_some() && offset + INSN_BYTES <= bytes,
                "a relocation lies outside of its section"
            );
            let start = target.sh_offset(LE) as usize + offset;
            // A compiler may name the section, and put the rest into the instruction.
            let added = u32_at(&prepared.file, start + 4).unwrap_or_default();
            let place = in_arena.then(|| added.wrapping_add(symbol.st_value(LE) as u32));
            let number = *numbers.entry((index.0, place)).or_insert_with(|| {
                prepared.externs.push(Extern {
                    weak: symbol.st_bind() == STB_WEAK,
                    kind: match place {
                        Some(place) => ExternKind::Arena(place),
                        None if declared.contains_key(&name) => declared[&name].clone(),
                        None if describe_builtin(&name).is_some() => ExternKind::Elsewhere,
                        None => undeclared.clone(),
                    },
                    name,
                });
                prepared.externs.len() - 1
            });
            ensure!(
                number < MAX_EXTERNS,
                "it declares more than this agent can mark"
            );
            if in_arena {
                // `aya-obj` looks for the map of the section that a symbol is in.
                let table = table.section(symbols.section()).context(damaged)?;
                let place = table.sh_offset(LE) as usize + index.0 * SYMBOL_BYTES + 6;
                prepared.file[place..place + 2].fill(0);
            }
            mark(
                &mut prepared.file[start..],
                number,
                offset + 2 * INSN_BYTES <= bytes,
            );
        }
    }
    let mut numbers = BTreeMap::new();
    for TakenOut {
        section,
        offset,
        instead,
    } in taken_out
    {
        let target = find(&section).and_then(|index| code.get(&index));
        let target = target
            .filter(|target| offset + INSN_BYTES <= target.sh_size(LE) as usize)
            .filter(|_| offset.is_multiple_of(INSN_BYTES))
            .context("a CO-RE relocation is of no instruction of its section")?;
        let is_last = offset + 2 * INSN_BYTES > target.sh_size(LE) as usize;
        let insn = &mut prepared.file[target.sh_offset(LE) as usize + offset..];
        let reason = match instead {
            Instead::Refuse(reason) => reason,
            Instead::Put(value) => {
                if put(insn, value, is_last) {
                    continue;
                }
                "the instruction of a CO-RE relocation takes no value".to_owned()
            }
        };
        let number = *numbers.entry(reason.clone()).or_insert_with(|| {
            prepared.externs.push(Extern {
                name: reason,
                weak: false,
                kind: ExternKind::Unsupported,
            });
            prepared.externs.len() - 1
        });
        ensure!(
            number < MAX_EXTERNS,
            "it declares more than this agent can mark"
        );
        insn[0] = CALL;
        mark(insn, number, false);
    }

    // Names of sections.
    let mut new_names = strings.data(LE, data).context(damaged)?.to_vec();
    for &index in prepared.sections.keys() {
        let at = header.e_shoff(LE) as usize + index * SECTION_BYTES;
        put_u32(&mut prepared.file, at, new_names.len());
        new_names.extend(new_name(index).bytes().chain([0]));
    }
    replace(
        &mut prepared.file,
        header.e_shoff(LE),
        names_index,
        &new_names,
    );
    Ok(prepared)
}

/// A name that `aya-obj` accepts for a section with programs.
fn new_name(index: usize) -> String {
    format!("socket/{index}")
}

fn put_u32(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
}

/// Puts `content` at the end of the file, and points the section table to it.
fn replace(file: &mut Vec<u8>, table: u64, index: usize, content: &[u8]) {
    file.resize(file.len().next_multiple_of(8), 0);
    let at = table as usize + index * SECTION_BYTES;
    let (offset, bytes) = (file.len() as u64, content.len() as u64);
    file[at + 24..at + 32].copy_from_slice(&offset.to_le_bytes());
    file[at + 32..at + 40].copy_from_slice(&bytes.to_le_bytes());
    file.extend(content);
}

/// Marks an instruction. `insn` begins with it; `wide` says whether another follows.
fn mark(insn: &mut [u8], number: usize, wide: bool) {
    let value = marked_call(number).to_le_bytes();
    match insn[0] {
        CALL => {
            insn[1] = 0;
            insn[4..8].copy_from_slice(&value);
        }
        LOAD_64 if wide => {
            insn[1] &= 0x0f;
            insn[4..8].copy_from_slice(&value);
            insn[12..16].copy_from_slice(&MARK_TAIL.to_le_bytes());
        }
        _ => {}
    }
}

/// Puts a value into an instruction that computes with a constant or loads one. Returns
/// whether it is such an instruction. `insn` begins with it; `is_last`: none follows.
fn put(insn: &mut [u8], value: u32, is_last: bool) -> bool {
    /// `BPF_CLASS` of `linux/bpf_common.h`.
    const CLASS: u32 = 7;
    let opcode = u32::from(insn[0]);
    match insn[0] {
        LOAD_64 if !is_last => insn[12..16].fill(0),
        _ if matches!(opcode & CLASS, BPF_ALU | BPF_ALU64) && opcode & BPF_X == 0 => {}
        _ => return false,
    }
    insn[4..8].copy_from_slice(&value.to_le_bytes());
    true
}

struct EditedBtf {
    blob: Vec<u8>,
    /// Its strings.
    strings: Vec<u8>,
    /// New offsets of the names of sections with programs, by the old name.
    renamed: BTreeMap<String, u32>,
    /// Declarations that the kernel should define, by name; the rest is [`ExternKind::Elsewhere`].
    externs: BTreeMap<String, ExternKind>,
    /// Why maps cannot be made, by map name.
    map_defects: BTreeMap<String, String>,
    /// Numbers of maps (`map_extra`) for which `aya-obj` has too few bits, by map name.
    map_extras: BTreeMap<String, u64>,
}

impl<'a> Types<'a> {
    /// The type of a `__kconfig` variable, among those that libbpf knows.
    fn kconfig_kind(&self, id: u32) -> Kind {
        let Some((kind, ty)) = self.plain(id) else {
            return Kind::Unknown;
        };
        let word = |at| u32_at(ty, at).unwrap_or_default();
        match (kind, word(8)) {
            (BTF_KIND_INT, size) => {
                let encoding = word(TYPE_BYTES) >> 24 & 0xf;
                let signed = encoding & BTF_INT_SIGNED != 0;
                match size {
                    1 if encoding & BTF_INT_BOOL != 0 => Kind::Bool,
                    _ if encoding & BTF_INT_BOOL != 0 => Kind::Unknown,
                    1 => Kind::Char { signed },
                    2 | 4 | 8 => Kind::Int { signed },
                    _ => Kind::Unknown,
                }
            }
            (BTF_KIND_ENUM, 4) | (BTF_KIND_ENUM64, _)
                if self.name(word(0)) == Some(b"libbpf_tristate") =>
            {
                Kind::Tristate
            }
            (BTF_KIND_ARRAY, _) if word(TYPE_BYTES + 8) > 0 => {
                match self.plain(word(TYPE_BYTES)) {
                    // Arrays of arrays are excluded.
                    Some((BTF_KIND_INT, element))
                        if u32_at(element, 8) == Some(1)
                            && u32_at(element, TYPE_BYTES)
                                .is_some_and(|word| word >> 24 & BTF_INT_BOOL == 0) =>
                    {
                        Kind::Text
                    }
                    _ => Kind::Unknown,
                }
            }
            _ => Kind::Unknown,
        }
    }

    /// Whether the object declares a variable or function without defining it.
    fn is_extern(&self, id: u32) -> bool {
        let Some(ty) = self.get(id) else {
            return false;
        };
        let info = u32_at(ty, 4).unwrap_or_default();
        match kind_of(info) {
            BTF_KIND_VAR => u32_at(ty, TYPE_BYTES) == Some(EXTERN),
            BTF_KIND_FUNC => info & 0xffff == EXTERN,
            _ => false,
        }
    }

    /// The entries of a section: name, id and type.
    fn entries(&self, section: &'a [u8]) -> Option<Vec<(String, u32, u32)>> {
        let mut entries = Vec::new();
        for entry in section.get(TYPE_BYTES..)?.chunks_exact(MEMBER_BYTES) {
            let id = u32_at(entry, 0)?;
            let var = self.get(id)?;
            entries.push((self.text(u32_at(var, 0)?), id, u32_at(var, 8)?));
        }
        Some(entries)
    }

    /// Checks a map's definition. Adds to `hide` what `aya-obj` must not see: offsets of
    /// structs and the indexes of their members. An error says why the map cannot be
    /// made.
    fn check_map(
        &self,
        definition: u32,
        is_inner: bool,
        hide: &mut BTreeSet<(usize, usize)>,
    ) -> Result<(), String> {
        let Some((BTF_KIND_STRUCT, ty)) = self.plain(definition) else {
            return Err("its definition is not a struct".into());
        };
        let start = ty.as_ptr() as usize - self.types.as_ptr() as usize;
        let mut result = Ok(());
        for (index, member) in ty[TYPE_BYTES..].chunks_exact(MEMBER_BYTES).enumerate() {
            let word = |at| u32_at(member, at).unwrap_or_default();
            let checked = match self.name(word(0)).unwrap_or_default() {
                b"type" | b"key_size" | b"value_size" | b"max_entries" | b"map_flags" => {
                    self.check_number(word(4))
                }
                b"map_extra" if !is_inner && self.long_number(word(4)).is_some() => {
                    hide.insert((start, index));
                    Ok(())
                }
                b"map_extra" => self.check_number(word(4)),
                b"pinning" if is_inner => Err("a map inside of a map cannot be pinned".to_owned()),
                b"pinning" => self.check_number(word(4)),
                b"numa_node" => Err("it needs a NUMA node".into()),
                b"key" | b"value" => match self.get(word(4)) {
                    Some(ty) if u32_at(ty, 4).map(kind_of) == Some(BTF_KIND_PTR) => self
                        .layout(u32_at(ty, 8).unwrap_or_default(), MAX_DEPTH)
                        .map(drop)
                        .ok_or_else(|| "the size of its keys or values is not known".into()),
                    _ => Err("its keys or values have no type".into()),
                },
                b"values" if is_inner => Err("it needs maps in maps in maps".into()),
                b"values" => match self.check_values(word(4), hide) {
                    // User space decides what a program array holds.
                    Ok(false) => {
                        hide.insert((start, index));
                        Ok(())
                    }
                    Ok(true) => Ok(()),
                    Err(reason) => Err(reason),
                },
                _ => Ok(()),
            };
            if let Err(reason) = checked {
                hide.insert((start, index));
                result = Err(reason);
            }
        }
        result
    }

    /// Checks that a type is a pointer to an array, whose length is the number.
    fn check_number(&self, id: u32) -> Result<(), String> {
        let array = self.get(id).and_then(|ty| {
            let pointed = self.get(u32_at(ty, 8)?)?;
            (kind_of(u32_at(ty, 4)?) == BTF_KIND_PTR
                && kind_of(u32_at(pointed, 4)?) == BTF_KIND_ARRAY)
                .then_some(())
        });
        array.ok_or_else(|| "a number of its definition is not written by __uint".into())
    }

    /// The value of a number of 64 bits, which is that of an enum's only name.
    fn long_number(&self, id: u32) -> Option<u64> {
        let (kind, ty) = self.plain(id)?;
        match (kind, ty.len() - TYPE_BYTES) {
            (BTF_KIND_ENUM, 8) => Some(u64::from(u32_at(ty, TYPE_BYTES + 4)?)),
            (BTF_KIND_ENUM64, 12) => {
                let high = u64::from(u32_at(ty, TYPE_BYTES + 8)?);
                Some(high << 32 | u64::from(u32_at(ty, TYPE_BYTES + 4)?))
            }
            _ => None,
        }
    }

    /// The `map_extra` of a map's definition, if it is written by `__ulong`.
    fn long_extra(&self, definition: u32) -> Option<u64> {
        let (BTF_KIND_STRUCT, ty) = self.plain(definition)? else {
            return None;
        };
        let mut members = ty[TYPE_BYTES..].chunks_exact(MEMBER_BYTES);
        let is_it = |member: &&[u8]| {
            u32_at(member, 0).and_then(|name| self.name(name)) == Some(b"map_extra")
        };
        self.long_number(u32_at(members.find(is_it)?, 4)?)
    }

    /// Whether a map's values are maps; otherwise they are programs.
    fn check_values(&self, id: u32, hide: &mut BTreeSet<(usize, usize)>) -> Result<bool, String> {
        let pointed = self
            .get(id)
            .filter(|ty| {
                u32_at(ty, 4).map(kind_of) == Some(BTF_KIND_ARRAY)
                    && u32_at(ty, TYPE_BYTES + 8) == Some(0)
            })
            .and_then(|ty| self.plain(u32_at(ty, TYPE_BYTES)?))
            .filter(|(kind, _)| *kind == BTF_KIND_PTR)
            .and_then(|(_, pointer)| u32_at(pointer, 8));
        let Some(pointed) = pointed else {
            return Err("its values are not written by __array".into());
        };
        match self.plain(pointed) {
            Some((BTF_KIND_FUNC_PROTO, _)) => Ok(false),
            Some((BTF_KIND_STRUCT, _)) => self.check_map(pointed, true, hide).map(|()| true),
            _ => Err("its values are neither maps nor programs".into()),
        }
    }
}

/// Function types of the functions that an object declares with a flavor.
fn flavors(types: &Types) -> BTreeMap<String, u32> {
    let of = |ty: &[u8]| (u32_at(ty, 4)? & 0xffff == EXTERN).then(|| u32_at(ty, 8))?;
    types
        .named(BTF_KIND_FUNC)
        .filter_map(|(name, _, ty)| Some((String::from_utf8(name.to_vec()).ok()?, of(ty)?)))
        .filter(|(name, _)| without_flavor(name) != name)
        .collect()
}

/// Functions with a tag that names their exception callback, and the names of those.
fn callbacks(types: &Types) -> BTreeMap<String, Vec<String>> {
    let mut callbacks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let tags = types.named(BTF_KIND_DECL_TAG).filter_map(|(tag, _, ty)| {
        let callback = tag.strip_prefix(b"exception_callback:")?;
        let function = types.get(u32_at(ty, 8)?)?;
        let is_function = kind_of(u32_at(function, 4)?) == BTF_KIND_FUNC;
        is_function.then_some((types.text(u32_at(function, 0)?), callback))
    });
    for (name, callback) in tags {
        let callback = String::from_utf8_lossy(callback).into_owned();
        callbacks.entry(name).or_default().push(callback);
    }
    callbacks
}

/// Linkage of an object's mere declarations; `BTF_FUNC_EXTERN` is the same.
const EXTERN: u32 = BTF_VAR_GLOBAL_EXTERN;

/// Edits the BTF blob. `None`: it is damaged.
fn edit_btf(
    blob: &[u8],
    sections: &BTreeMap<usize, String>,
    hidden: &BTreeSet<&[u8]>,
) -> Option<EditedBtf> {
    let types = Types::parse(blob)?;
    let (mut externs, mut map_defects) = (BTreeMap::new(), BTreeMap::new());
    let mut map_extras = BTreeMap::new();
    let mut hide = BTreeSet::new();
    for id in types.ids() {
        let ty = types.get(id)?;
        if kind_of(u32_at(ty, 4)?) != BTF_KIND_DATASEC {
            continue;
        }
        match types.name(u32_at(ty, 0)?)? {
            b".kconfig" => {
                for (name, _, of) in types.entries(ty)? {
                    let (size, align) = types.layout(of, MAX_DEPTH).unwrap_or_default();
                    let kind = match types.kconfig_kind(of) {
                        kind if (1..=MAX_KCONFIG_BYTES).contains(&size) => kind,
                        _ => Kind::Unknown,
                    };
                    let variable = match kind {
                        Kind::Unknown => Variable {
                            kind,
                            size: 1,
                            align: 1,
                        },
                        _ => Variable { kind, size, align },
                    };
                    externs.insert(name, ExternKind::Kconfig(variable));
                }
            }
            b".ksyms" => {
                for (name, id, of) in types.entries(ty)? {
                    let is_variable = kind_of(u32_at(types.get(id)?, 4)?) == BTF_KIND_VAR;
                    let kind = if is_variable && types.is_void(of) {
                        ExternKind::Typeless
                    } else {
                        ExternKind::Typed
                    };
                    externs.insert(name, kind);
                }
            }
            b".maps" => {
                for (name, _, of) in types.entries(ty)? {
                    if let Some(extra) = types.long_extra(of) {
                        map_extras.insert(name.clone(), extra);
                    }
                    if let Err(reason) = types.check_map(of, false, &mut hide) {
                        map_defects.insert(name, reason);
                    }
                }
            }
            _ => {}
        }
    }
    let mut edited = Vec::with_capacity(types.types.len());
    for id in types.ids() {
        let ty = types.get(id)?;
        let (name, info, third) = (u32_at(ty, 0)?, u32_at(ty, 4)?, u32_at(ty, 8)?);
        let words: Vec<u32> = match kind_of(info) {
            // The object has none of its content, so its size is unknown.
            BTF_KIND_DATASEC if matches!(types.name(name)?, b".ksyms" | b".kconfig") => {
                vec![0, BTF_KIND_STRUCT << 24, 0]
            }
            // aya-obj would look for the address of what another object defines.
            BTF_KIND_DATASEC => {
                let own: Vec<_> = ty[TYPE_BYTES..]
                    .chunks_exact(MEMBER_BYTES)
                    .filter(|entry| !u32_at(entry, 0).is_some_and(|id| types.is_extern(id)))
                    .collect();
                let words = match u32::try_from(own.len()).ok()? {
                    0 => [0, BTF_KIND_STRUCT << 24, 0],
                    count => [name, info & !0xffff | count, third],
                };
                edited.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                edited.extend(own.concat());
                continue;
            }
            BTF_KIND_VAR if u32_at(ty, 12)? == EXTERN => vec![name, BTF_KIND_INT << 24, 1, 8],
            // aya-obj would accept any value here as one of its enum.
            BTF_KIND_VAR if u32_at(ty, 12)? > EXTERN => return None,
            BTF_KIND_FUNC if info & 0xffff == EXTERN || hidden.contains(types.name(name)?) => {
                vec![name, info & !0xffff, third]
            }
            BTF_KIND_STRUCT => {
                let start = edited.len();
                edited.extend(ty);
                let of = types.offsets[id as usize];
                for &(_, member) in hide.range((of, 0)..=(of, usize::MAX)) {
                    put_u32(&mut edited, start + TYPE_BYTES + member * MEMBER_BYTES, 0);
                }
                continue;
            }
            _ => {
                edited.extend(ty);
                continue;
            }
        };
        words
            .into_iter()
            .for_each(|word| edited.extend(word.to_le_bytes()));
    }
    let mut new_strings = types.strings.to_vec();
    let mut renamed = BTreeMap::new();
    for (&index, old) in sections {
        // If sections have the same name, the first has the records.
        renamed.entry(old.clone()).or_insert_with(|| {
            let offset = new_strings.len() as u32;
            new_strings.extend(new_name(index).bytes().chain([0]));
            offset
        });
    }
    Some(EditedBtf {
        blob: btf::join(blob, &edited, &new_strings)?,
        strings: new_strings,
        renamed,
        externs,
        map_defects,
        map_extras,
    })
}

/// A CO-RE relocation that is not left to `aya-obj`.
#[derive(Debug, PartialEq, Eq)]
struct TakenOut {
    section: String,
    /// Bytes from the section's start to its instruction.
    offset: usize,
    instead: Instead,
}

/// What was in a BTF.ext.
#[derive(Debug, Default)]
struct EditedBtfExt {
    taken_out: Vec<TakenOut>,
    /// All CO-RE relocations that there were before.
    relocations: Vec<Relocation>,
    /// Functions and lines, by the section's name.
    infos: BTreeMap<String, Infos>,
}

/// Gives the records of sections with programs the new section names, and removes the
/// functions, the lines, and CO-RE relocations that `aya-obj` does not do. `None`: it is
/// damaged.
fn edit_btf_ext(
    blob: &mut [u8],
    edited: &EditedBtf,
    instead: &BTreeMap<usize, Instead>,
) -> Option<EditedBtfExt> {
    let header_bytes = u32_at(blob, 4)? as usize;
    let EditedBtfExt {
        mut taken_out,
        mut relocations,
        mut infos,
    } = EditedBtfExt::default();
    // func_info, line_info, and in newer objects CO-RE relocations.
    for at in [8, 16, 24] {
        if at + 8 > header_bytes {
            break;
        }
        let start = header_bytes.checked_add(u32_at(blob, at)? as usize)?;
        let bytes = u32_at(blob, at + 4)? as usize;
        if bytes == 0 {
            continue;
        }
        let end = start.checked_add(bytes).filter(|&end| end <= blob.len())?;
        let record_bytes = u32_at(blob, start)? as usize;
        let mut section = start + 4;
        let mut kept = blob[start..section].to_vec();
        while section < end {
            let own_name = u32_at(blob, section)?;
            let name = btf::string_at(&edited.strings, own_name)?;
            let records = u32_at(blob, section + 4)? as usize;
            if record_bytes == 0 || records == 0 {
                return None;
            }
            if let Some(&renamed) = str::from_utf8(name)
                .ok()
                .and_then(|name| edited.renamed.get(name))
            {
                put_u32(blob, section, renamed as usize);
            }
            let next = section
                .checked_add(8)?
                .checked_add(records.checked_mul(record_bytes)?)?;
            if at < 24 {
                let own = infos
                    .entry(String::from_utf8_lossy(name).into_owned())
                    .or_default();
                for record in blob.get(section + 8..next)?.chunks(record_bytes) {
                    // Bytes there, instructions in the kernel.
                    let insn_off = u32_at(record, 0)? / INSN_BYTES as u32;
                    let second = u32_at(record, 4)?;
                    if at == 8 {
                        own.functions.push(bpf_func_info {
                            insn_off,
                            type_id: second,
                        });
                    } else {
                        own.lines.push(bpf_line_info {
                            insn_off,
                            file_name_off: second,
                            line_off: u32_at(record, 8)?,
                            line_col: u32_at(record, 12)?,
                        });
                    }
                }
            } else {
                let mut known = Vec::new();
                for record in blob.get(section + 8..next)?.chunks(record_bytes) {
                    let (type_id, kind) = (u32_at(record, 4)?, u32_at(record, 12)?);
                    let given = instead.get(&relocations.len()).cloned();
                    relocations.push(Relocation {
                        kind,
                        type_id,
                        section: own_name,
                        offset: u32_at(record, 0)?,
                        access: u32_at(record, 8)?,
                    });
                    let instead = match (given, kind) {
                        (Some(given), _) => given,
                        (None, 0..BPF_CORE_TYPE_MATCHES) => {
                            known.push(record);
                            continue;
                        }
                        (None, BPF_CORE_TYPE_MATCHES) => unknown_relocation("TYPE_MATCHES"),
                        (None, kind) => unknown_relocation(&format!("of kind {kind}")),
                    };
                    taken_out.push(TakenOut {
                        section: String::from_utf8_lossy(name).into_owned(),
                        offset: u32_at(record, 0)? as usize,
                        instead,
                    });
                }
                if !known.is_empty() {
                    kept.extend(&blob[section..section + 4]);
                    kept.extend((known.len() as u32).to_le_bytes());
                    kept.extend(known.concat());
                }
            }
            section = next;
        }
        if section != end {
            return None;
        }
        if at < 24 {
            put_u32(blob, at + 4, 0);
        } else if !taken_out.is_empty() {
            // With the record size alone there is no section to read.
            let bytes = if kept.len() > 4 { kept.len() } else { 0 };
            put_u32(blob, at + 4, bytes);
            blob[start..start + bytes].copy_from_slice(&kept[..bytes]);
        }
    }
    for own in infos.values_mut() {
        own.functions.sort_by_key(|info| info.insn_off);
        own.lines.sort_by_key(|line| line.insn_off);
    }
    Some(EditedBtfExt {
        taken_out,
        relocations,
        infos,
    })
}

fn unknown_relocation(kind: &str) -> Instead {
    Instead::Refuse(format!("it needs the CO-RE relocation {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: &[u8] = include_bytes!("../tests/fixtures/bad.bpf.o");

    #[test]
    fn names_and_declarations_are_kept_aside() {
        let prepared = prepare(BAD, &BTreeMap::new()).unwrap();
        let sections: Vec<_> = prepared.sections.values().map(String::as_str).collect();
        assert_eq!(
            sections,
            ["xdp", "tc", "fentry/no_such_function", "no_such_type"]
        );
        assert_eq!(prepared.programs.len(), 8);
        assert_eq!(
            prepared.externs,
            [Extern {
                name: "no_such_kfunc".into(),
                weak: false,
                kind: ExternKind::Typed,
            }]
        );
    }

    #[test]
    fn declarations_and_maps_are_read() {
        let prepared = prepare(
            include_bytes!("../tests/fixtures/fixups.bpf.o"),
            &BTreeMap::new(),
        )
        .unwrap();
        let kind = |name: &str| {
            let found = prepared.externs.iter().find(|found| found.name == name);
            found.unwrap().kind.clone()
        };
        let variable = |kind, size, align| ExternKind::Kconfig(Variable { kind, size, align });
        let int = |signed| variable(Kind::Int { signed }, 4, 4);
        assert_eq!(kind("LINUX_KERNEL_VERSION"), int(true));
        assert_eq!(kind("CONFIG_HZ"), int(false));
        assert_eq!(kind("LINUX_HAS_BPF_COOKIE"), variable(Kind::Bool, 1, 1));
        assert_eq!(kind("CONFIG_BPF_SYSCALL"), variable(Kind::Tristate, 4, 4));
        assert_eq!(kind("CONFIG_DEFAULT_HOSTNAME"), variable(Kind::Text, 16, 1));
        assert_eq!(kind("schedule"), ExternKind::Typeless);
        for elsewhere in ["shared", "limit", "helper"] {
            assert_eq!(kind(elsewhere), ExternKind::Elsewhere);
        }
        let weak = |name: &str| {
            prepared
                .externs
                .iter()
                .any(|found| found.name == name && found.weak)
        };
        assert!(weak("no_such_symbol") && !weak("no_such_strong_symbol"));
        let defects: Vec<_> = prepared.map_defects.iter().collect();
        let reason = "the size of its keys or values is not known".to_owned();
        assert_eq!(defects, [(&"sizeless".to_owned(), &reason)]);
    }

    #[test]
    fn a_linked_object_gets_the_header_of_all_kernels() {
        let linked = include_bytes!("../tests/fixtures/corners.bpf.o");
        let header = |btf: &[u8]| u32_at(btf, 4);
        let own = linked
            .windows(8)
            .position(|own| own == [0x9f, 0xeb, 1, 0, 32, 0, 0, 0]);
        assert_eq!(header(&linked[own.unwrap()..]), Some(32));
        let prepared = prepare(linked, &BTreeMap::new()).unwrap();
        assert_eq!(header(&prepared.btf), Some(24));
        let parsed = aya_obj::Object::parse(&prepared.file).unwrap();
        assert_eq!(header(&parsed.btf.unwrap().to_bytes()), Some(24));
    }

    #[test]
    fn functions_that_come_with_a_compiler_are_known() {
        for name in [
            "memcmp",
            "memset",
            "strlen",
            "__multi3",
            "__udivdi3",
            "__adddf3",
        ] {
            assert!(describe_builtin(name).is_some(), "{name}");
        }
        for name in [
            "compare",
            "__memcmp",
            "__ti3",
            "__helper2",
            "bpf_rdonly_cast",
            "__3",
        ] {
            assert!(describe_builtin(name).is_none(), "{name}");
        }
    }

    #[test]
    fn what_newer_objects_need_is_read() {
        let newer = include_bytes!("../tests/fixtures/newer.bpf.o");
        let prepared = prepare(newer, &BTreeMap::new()).unwrap();
        let second = prepared.externs.iter().find(|found| found.name == "second");
        assert_eq!(second.unwrap().kind, ExternKind::Arena(4));
        assert!(prepared.map_defects.is_empty());
        let extras: Vec<_> = prepared.map_extras.into_iter().collect();
        assert_eq!(extras, [("filter".to_owned(), 1 << 32 | 3)]);
        let callbacks: Vec<_> = prepared.callbacks.into_iter().collect();
        assert_eq!(
            callbacks,
            [("throws".to_owned(), vec!["callback".to_owned()])]
        );
    }

    #[test]
    fn what_stripping_took_away_is_an_error() {
        let error = |file: &[u8]| prepare(file, &BTreeMap::new()).err().unwrap().to_string();
        let mut file = BAD.to_vec();
        let name = file
            .windows(5)
            .rposition(|bytes| bytes == b".BTF\0")
            .unwrap();
        file[name..name + 4].copy_from_slice(b".XYZ");
        assert!(error(&file).contains("`clang -g`"));
        let header = FileHeader64::<LE>::parse(BAD).unwrap();
        let table = header.sections(LE, BAD).unwrap();
        let is_symbols =
            |section: &object::elf::SectionHeader64<LE>| section.sh_type(LE) == SHT_SYMTAB;
        let symbols = table.iter().position(is_symbols).unwrap();
        let mut file = BAD.to_vec();
        let section_type = header.e_shoff(LE) as usize + symbols * SECTION_BYTES + 4;
        put_u32(&mut file, section_type, 0);
        assert!(error(&file).contains("no symbols"));
    }

    #[test]
    fn two_programs_of_one_name_are_an_error() {
        let good = include_bytes!("../tests/fixtures/good.bpf.o");
        assert_eq!(prepare(good, &BTreeMap::new()).unwrap().programs.len(), 8);
        let mut twice = good.to_vec();
        for at in 0..twice.len() - 6 {
            if twice[at..].starts_with(b"\0hook\0") {
                twice[at + 1..at + 5].copy_from_slice(b"call");
            }
        }
        let error = prepare(&twice, &BTreeMap::new()).err().unwrap().to_string();
        assert_eq!(error, "two of its programs are called \"call\": rename one");
    }

    #[test]
    fn a_variable_of_unknown_linkage_is_an_error() {
        let blob = |linkage: u32| -> Vec<u8> {
            let header = [1 << 16 | 0xeb9f, 24, 0, 16, 16, 1];
            let variable = [0, 14 << 24, 0, linkage];
            let words = header.iter().chain(&variable);
            words
                .flat_map(|word| word.to_le_bytes())
                .chain([0])
                .collect()
        };
        for (linkage, is_known) in [
            (0, true),
            (1, true),
            (2, true),
            (3, false),
            (u32::MAX, false),
        ] {
            let edited = edit_btf(&blob(linkage), &BTreeMap::new(), &BTreeSet::new());
            assert_eq!(edited.is_some(), is_known, "{linkage}");
        }
    }

    #[test]
    fn marks_are_told_from_other_values() {
        let value = marked_call(3);
        assert_eq!(mark_of(CALL, 0, value, 0), Some(3));
        assert_eq!(mark_of(CALL, 1, value, 0), None);
        assert_eq!(mark_of(CALL, 0, 1, 0), None);
        assert_eq!(mark_of(CALL, 0, i32::MIN, 0), None);
        assert_eq!(mark_of(LOAD_64, 0, value, MARK_TAIL), Some(3));
        // A constant with the same value.
        assert_eq!(mark_of(LOAD_64, 0, value, 0), None);
    }

    /// BTF in which the section `xdp` was renamed to `socket/3`.
    fn with_renamed_section() -> EditedBtf {
        EditedBtf {
            blob: Vec::new(),
            strings: b"\0xdp\0socket/3\0".to_vec(),
            renamed: BTreeMap::from([("xdp".to_owned(), 5)]),
            externs: BTreeMap::new(),
            map_defects: BTreeMap::new(),
            map_extras: BTreeMap::new(),
        }
    }

    #[test]
    fn relocations_that_cannot_be_done_are_taken_out() {
        let btf = with_renamed_section();
        // Header, then record size 16, and three records of section 1 (`xdp`).
        let header = [0xeb9f, 32, 0, 0, 0, 0, 0, 60, 16, 1, 3];
        let records = [[8, 2, 3, 11], [16, 4, 5, 12], [32, 6, 7, 0]];
        let mut blob: Vec<u8> = header
            .iter()
            .chain(records.as_flattened())
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        let given = BTreeMap::from([(2, Instead::Put(1))]);
        let edited = edit_btf_ext(&mut blob, &btf, &given).unwrap();
        let expected = [
            (16, unknown_relocation("TYPE_MATCHES")),
            (32, Instead::Put(1)),
        ]
        .map(|(offset, instead)| TakenOut {
            section: "xdp".into(),
            offset,
            instead,
        });
        assert_eq!(edited.taken_out, expected);
        let all = edited.relocations.iter();
        let all: Vec<_> = all.map(|each| (each.kind, each.type_id)).collect();
        assert_eq!(all, [(11, 2), (12, 4), (0, 6)]);
        let words: Vec<_> = (28..80).step_by(4).map(|at| u32_at(&blob, at)).collect();
        let kept = [28, 16, 5, 1, 8, 2, 3, 11];
        assert_eq!(words[..8], kept.map(Some));
    }

    #[test]
    fn values_are_put_into_instructions_that_take_them() {
        let mut wide = [0x18, 1, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 9, 9, 9, 9];
        assert!(!put(&mut wide[..8], 7, true));
        assert!(put(&mut wide, 7, false));
        assert_eq!(wide, [0x18, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        // A move of a constant, one of a register, and a load.
        for (opcode, takes) in [(0xb7, true), (0xbf, false), (0x61, false)] {
            let mut insn = [opcode, 1, 0, 0, 9, 9, 9, 9];
            assert_eq!(put(&mut insn, 7, true), takes);
            assert_eq!(insn[4] == 7, takes);
        }
    }

    #[test]
    fn what_refers_to_an_arena_is_marked() {
        let good = include_bytes!("../tests/fixtures/good.bpf.o");
        let header = FileHeader64::<LE>::parse(&good[..]).unwrap();
        let table = header.sections(LE, &good[..]).unwrap();
        let names = header.shstrndx(LE, &good[..]).unwrap() as usize;
        let (data, _) = table.section_by_name(LE, b".rodata").unwrap();
        let strings = table.section(object::SectionIndex(names)).unwrap();
        let mut strings = strings.data(LE, &good[..]).unwrap().to_vec();
        let mut file = good.to_vec();
        let at = header.e_shoff(LE) as usize + data.0 * SECTION_BYTES;
        put_u32(&mut file, at, strings.len());
        strings.extend(b".addr_space.1\0");
        replace(&mut file, header.e_shoff(LE), names, &strings);
        let prepared = prepare(&file, &BTreeMap::new()).unwrap();
        let in_arena = |wanted: &Extern| wanted.kind == ExternKind::Arena(0);
        assert!(prepared.externs.iter().any(in_arena));
        // `aya-obj` would look for a map of the section.
        let file = &prepared.file[..];
        let header = FileHeader64::<LE>::parse(file).unwrap();
        let table = header.sections(LE, file).unwrap();
        let symbols = table.symbols(LE, file, SHT_SYMTAB).unwrap();
        for (_, section) in table.enumerate() {
            let relocations = section.rel(LE, file).unwrap();
            for relocation in relocations.map_or(&[][..], |(relocations, _)| relocations) {
                let index = object::SymbolIndex(relocation.r_sym(LE) as usize);
                let symbol = symbols.symbol(index).unwrap();
                assert_ne!(usize::from(symbol.st_shndx(LE)), data.0);
            }
        }
    }

    #[test]
    fn a_header_of_btf_ext_may_be_longer() {
        let btf = with_renamed_section();
        // Two words that are not known, then record size 8, and one record of section 1 (`xdp`).
        let words = [0xeb9f, 40, 0, 20, 0, 0, 0, 0, 7, 7, 8, 1, 1, 0, 9];
        let mut blob: Vec<u8> = words
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        let edited = edit_btf_ext(&mut blob, &btf, &BTreeMap::new()).unwrap();
        assert_eq!(edited.infos["xdp"].functions[0].type_id, 9);
        for header_bytes in [blob.len() as u32 + 1, u32::MAX] {
            let mut bad = blob.clone();
            put_u32(&mut bad, 4, header_bytes as usize);
            put_u32(&mut bad, 12, 20);
            assert!(edit_btf_ext(&mut bad, &btf, &BTreeMap::new()).is_none());
        }
    }

    #[test]
    fn damaged_btf_ext_is_an_error() {
        let section = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let btf = with_renamed_section();
        // Header, then record size 8, and one record of section 1 (`xdp`).
        let good = [0xeb9f, 24, 0, 20, 0, 0, 8, 1, 1, 0, 7];
        let mut blob = section(&good);
        edit_btf_ext(&mut blob, &btf, &BTreeMap::new()).unwrap();
        assert_eq!(u32_at(&blob, 28), Some(5));
        for (at, value) in [(3, 16), (3, 400), (6, 0), (7, 99), (8, 0), (8, u32::MAX)] {
            let mut bad = good;
            bad[at] = value;
            assert!(
                edit_btf_ext(&mut section(&bad), &btf, &BTreeMap::new()).is_none(),
                "{at}"
            );
        }
    }
}
