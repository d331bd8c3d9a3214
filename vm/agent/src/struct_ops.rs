//! struct_ops: finds the kernel structure and member that a `struct_ops` program
//! implements. Pure.
//!
//! The section of such a program names neither. An object has variables in sections
//! `.struct_ops` and `.struct_ops.link`, whose types are the kernel's structures.
//! Relocations put programs into their members. This reads them like libbpf:
//! <https://docs.kernel.org/bpf/libbpf/program_types.html>.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use aya_obj::generated::{BTF_KIND_STRUCT, BTF_KIND_VAR};
use object::LittleEndian as LE;
use object::elf::{FileHeader64, STT_OBJECT};
use object::read::elf::{SectionHeader as _, SectionTable, Sym as _, SymbolTable};

use crate::btf::{TYPE_BYTES, u32_at};
use crate::types::{MEMBER_BYTES, Types, without_flavor};

type Header = FileHeader64<LE>;

/// A member of one of the kernel's structures of functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name, such as `tcp_congestion_ops`.
    pub structure: String,
    /// Its name, such as `cong_avoid`.
    pub member: String,
}

/// The place of an operation in a kernel's BTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The BTF id of the structure.
    pub structure: u32,
    /// The index of the member.
    pub member: u32,
    /// How it becomes part of a congestion control, if the structure is one's.
    pub congestion: Option<Congestion>,
}

/// A function of a congestion control, `struct tcp_congestion_ops`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Congestion {
    /// The BTF id of the structure.
    pub structure: u32,
    /// The BTF id of the value of the map that registers it, and its bytes.
    pub value: (u32, u32),
    /// Bytes from the value's start to the function.
    pub at: u32,
    /// The same to its name.
    pub name_at: u32,
    /// The functions that each has to have: index of the member, and place in the value.
    pub required: [(u32, u32); REQUIRED.len()],
}

/// The structure of a congestion control.
const CONGESTION: &str = "tcp_congestion_ops";
/// What the kernel calls without asking whether it is there (`tcp_validate_congestion_control`).
const REQUIRED: [&[u8]; 3] = [b"ssthresh", b"undo_cwnd", b"cong_avoid"];

/// The operation of each program, by section and address; `None` if the object puts the
/// program into two different members.
///
/// `names`: names of the object's sections, by index. `types`: its BTF.
pub fn operations(
    data: &[u8],
    table: &SectionTable<'_, Header>,
    symbols: &SymbolTable<'_, Header>,
    names: &BTreeMap<usize, &str>,
    types: &Types,
) -> Result<BTreeMap<(usize, u64), Option<Operation>>> {
    let mut found = BTreeMap::new();
    let variables: BTreeMap<_, _> = types
        .named(BTF_KIND_VAR)
        .map(|(name, _, variable)| (name, variable))
        .collect();
    for (_, section) in table.enumerate() {
        let target = section.sh_info(LE) as usize;
        if !names
            .get(&target)
            .is_some_and(|name| is_of_operations(name))
        {
            continue;
        }
        let relocations = section.rel(LE, data);
        let Some((relocations, _)) = relocations.context("a relocation table is damaged")? else {
            continue;
        };
        // BTF's addresses of variables are not final until a loader corrects them.
        let place_of = |offset: u64| {
            symbols.iter().find_map(|symbol| {
                let within = offset.checked_sub(symbol.st_value(LE))?;
                let is_it = usize::from(symbol.st_shndx(LE)) == target
                    && symbol.st_type() == STT_OBJECT
                    && within < symbol.st_size(LE);
                let name = is_it.then(|| symbols.symbol_name(LE, symbol).ok())??;
                Some((*variables.get(name)?, u32::try_from(within).ok()?))
            })
        };
        for relocation in relocations {
            let index = object::SymbolIndex(relocation.r_sym(LE) as usize);
            let place = place_of(relocation.r_offset.get(LE));
            if let Ok(symbol) = symbols.symbol(index)
                && let Some((variable, offset)) = place
                && let Some(operation) = operation_at(types, variable, offset)
            {
                let program = (usize::from(symbol.st_shndx(LE)), symbol.st_value(LE));
                let known = found.entry(program).or_insert(Some(operation.clone()));
                if *known != Some(operation) {
                    *known = None;
                }
            }
        }
    }
    Ok(found)
}

fn is_of_operations(section: &str) -> bool {
    // libbpf loads those with a question mark only on request.
    matches!(
        section.strip_prefix('?').unwrap_or(section),
        ".struct_ops" | ".struct_ops.link"
    )
}

/// The member at an offset of a variable.
fn operation_at(types: &Types, variable: &[u8], offset: u32) -> Option<Operation> {
    let (BTF_KIND_STRUCT, structure) = types.plain(u32_at(variable, 8)?)? else {
        return None;
    };
    // The upper bits of an offset are a bit field's size, if the type has bit fields.
    let mask = if u32_at(structure, 4)? >> 31 == 1 {
        0xff_ffff
    } else {
        u32::MAX
    };
    let bits = offset.checked_mul(8)?;
    let member =
        members(structure).find(|member| u32_at(member, 8).map(|at| at & mask) == Some(bits))?;
    Some(Operation {
        structure: without_flavor(&types.text(u32_at(structure, 0)?)).to_owned(),
        member: types.text(u32_at(member, 0)?),
    })
}

fn members(structure: &[u8]) -> impl Iterator<Item = &[u8]> {
    structure[TYPE_BYTES..].chunks_exact(MEMBER_BYTES)
}

/// The places of the operations in a kernel with these types, or why it cannot run them.
pub fn places(types: &Types, wanted: &[&Option<Operation>]) -> Vec<Result<Place, String>> {
    let structures = structures(types);
    let find = |operation: &Option<Operation>| {
        let Some(Operation { structure, member }) = operation else {
            return Err(
                "it implements two members of structures (struct_ops): give each a program of its own"
                    .into(),
            );
        };
        // The kernel has this wrapper for each structure that BPF can implement.
        let wrapper = format!("bpf_struct_ops_{structure}");
        let found = structures.get(structure.as_bytes());
        let wrapper = structures.get(wrapper.as_bytes());
        let (Some((id, members)), Some((wrapper, _))) = (found, wrapper) else {
            return Err(format!(
                "it implements `struct {structure}` (struct_ops), which this kernel does not let BPF implement: it needs another kernel, or a module"
            ));
        };
        let index = members.iter().position(|name| *name == member.as_bytes());
        let index = index.ok_or_else(|| {
            format!(
                "it implements `{member}` of `struct {structure}` (struct_ops), which this kernel's does not have: it needs another kernel"
            )
        })?;
        let is_congestion = structure == CONGESTION;
        let congestion = || congestion(types, *id, *wrapper, index);
        Ok(Place {
            structure: *id,
            member: index as u32,
            congestion: is_congestion.then(congestion).flatten(),
        })
    };
    wanted.iter().map(|operation| find(operation)).collect()
}

fn congestion(types: &Types, structure: u32, wrapper: u32, member: usize) -> Option<Congestion> {
    let named = |ty, wanted: &[u8]| {
        let mut all = members(ty).zip(0..);
        all.find(|(member, _)| u32_at(member, 0).and_then(|at| types.name(at)) == Some(wanted))
    };
    let at = |member: &[u8]| u32_at(member, 8).map(|bits| (bits & 0xff_ffff) / 8);
    let (value, ty) = (types.get(wrapper)?, types.get(structure)?);
    let start = at(named(value, b"data")?.0)?;
    let place = |wanted| {
        let (member, index) = named(ty, wanted)?;
        Some((index, start + at(member)?))
    };
    let [ssthresh, undo_cwnd, cong_avoid] = REQUIRED.map(place);
    Some(Congestion {
        structure,
        value: (wrapper, u32_at(value, 8)?),
        at: start + at(members(ty).nth(member)?)?,
        name_at: place(b"name")?.1,
        required: [ssthresh?, undo_cwnd?, cong_avoid?],
    })
}

/// All structures by name: their ids, and the names of their members.
fn structures<'a>(types: &Types<'a>) -> BTreeMap<&'a [u8], (u32, Vec<&'a [u8]>)> {
    let mut found = BTreeMap::new();
    let name_of = |member: &[u8]| types.name(u32_at(member, 0)?);
    for (name, id, ty) in types.named(BTF_KIND_STRUCT) {
        let names = || members(ty).map(|member| name_of(member).unwrap_or_default());
        found.entry(name).or_insert_with(|| (id, names().collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf;

    const FIXUPS: &[u8] = include_bytes!("../tests/fixtures/fixups.bpf.o");

    #[test]
    fn programs_implement_what_the_data_says() {
        let prepared = elf::prepare(FIXUPS, &BTreeMap::new()).unwrap();
        let found: Vec<_> = prepared
            .operations
            .values()
            .flatten()
            .map(|operation| (operation.structure.as_str(), operation.member.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("tcp_congestion_ops", "ssthresh"),
                ("tcp_congestion_ops", "cong_avoid"),
                ("tcp_congestion_ops", "no_such_member"),
                ("no_such_ops", "run"),
            ]
        );
    }
}
