//! Which member of which kernel structure a `struct_ops` program implements. Pure.
//!
//! The section of such a program names neither. An object has variables in sections
//! `.struct_ops` and `.struct_ops.link`, whose types are the kernel's structures, and
//! relocations that put programs into their members, as libbpf reads them:
//! <https://docs.kernel.org/bpf/libbpf/program_types.html>.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use object::LittleEndian as LE;
use object::elf::FileHeader64;
use object::read::elf::{SectionHeader as _, SectionTable, Sym as _, SymbolTable};

use crate::btf::{TYPE_BYTES, kind_of, u32_at};
use crate::types::{KIND_DATASEC, KIND_STRUCT, MEMBER_BYTES, Types};

type Header = FileHeader64<LE>;

/// A member of one of the kernel's structures of functions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// Such as `tcp_congestion_ops`.
    pub structure: String,
    /// Such as `cong_avoid`.
    pub member: String,
}

/// Where a kernel has an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The BTF id of the structure.
    pub structure: u32,
    /// The index of the member.
    pub member: u32,
}

/// What each program implements, by its section and its address there.
///
/// `names`: of the object's sections, by index. `types`: its BTF.
pub fn operations(
    data: &[u8],
    table: &SectionTable<'_, Header>,
    symbols: &SymbolTable<'_, Header>,
    names: &BTreeMap<usize, &str>,
    types: &Types,
) -> Result<BTreeMap<(usize, u64), Operation>> {
    let mut found = BTreeMap::new();
    for (_, section) in table.enumerate() {
        let target = names.get(&(section.sh_info(LE) as usize));
        let Some(target) = target.filter(|name| is_of_operations(name)) else {
            continue;
        };
        let relocations = section.rel(LE, data);
        let Some((relocations, _)) = relocations.context("a relocation table is damaged")? else {
            continue;
        };
        for relocation in relocations {
            let index = object::SymbolIndex(relocation.r_sym(LE) as usize);
            let Ok(symbol) = symbols.symbol(index) else {
                continue;
            };
            if let Some(operation) = operation_at(types, target, relocation.r_offset.get(LE)) {
                let program = (usize::from(symbol.st_shndx(LE)), symbol.st_value(LE));
                found.entry(program).or_insert(operation);
            }
        }
    }
    Ok(found)
}

fn is_of_operations(section: &str) -> bool {
    // libbpf leaves those with a question mark out unless it is told otherwise.
    matches!(
        section.strip_prefix('?').unwrap_or(section),
        ".struct_ops" | ".struct_ops.link"
    )
}

/// The member that lies at an offset of a section of variables.
fn operation_at(types: &Types, section: &str, offset: u64) -> Option<Operation> {
    let offset = u32::try_from(offset).ok()?;
    let variables = types.ids().find_map(|id| {
        let ty = types.get(id)?;
        let is_it = kind_of(u32_at(ty, 4)?) == KIND_DATASEC
            && types.name(u32_at(ty, 0)?)? == section.as_bytes();
        is_it.then_some(ty)
    })?;
    for variable in variables[TYPE_BYTES..].chunks_exact(MEMBER_BYTES) {
        let within = offset.checked_sub(u32_at(variable, 4)?);
        let Some(within) = within.filter(|within| u32_at(variable, 8) > Some(*within)) else {
            continue;
        };
        let of = u32_at(types.get(u32_at(variable, 0)?)?, 8)?;
        let (KIND_STRUCT, structure) = types.plain(of)? else {
            return None;
        };
        // The upper bits of an offset are a bit field's size, where the type has any.
        let mask = if u32_at(structure, 4)? >> 31 == 1 {
            0xff_ffff
        } else {
            u32::MAX
        };
        let is_it = |member: &&[u8]| u32_at(member, 8).map(|bits| bits & mask) == Some(within * 8);
        let member = members(structure).find(is_it)?;
        // What follows three underscores tells the object's versions of a type apart.
        let name = types.text(u32_at(structure, 0)?);
        let name = name.split("___").next().unwrap_or_default();
        return Some(Operation {
            structure: name.to_owned(),
            member: types.text(u32_at(member, 0)?),
        });
    }
    None
}

fn members(structure: &[u8]) -> impl Iterator<Item = &[u8]> {
    structure[TYPE_BYTES..].chunks_exact(MEMBER_BYTES)
}

/// Where a kernel with this BTF has the operations, or what it lacks.
pub fn places(btf: &[u8], wanted: &[&Operation]) -> BTreeMap<Operation, Result<Place, String>> {
    let types = Types::parse(btf);
    let structures = types.as_ref().map(structures).unwrap_or_default();
    let find = |operation: &Operation| {
        let Operation { structure, member } = operation;
        // The kernel has this one beside each structure that BPF can implement.
        let wrapper = format!("bpf_struct_ops_{structure}");
        let found = structures.get(structure.as_bytes());
        let Some((id, members)) = found.filter(|_| structures.contains_key(wrapper.as_bytes()))
        else {
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
        Ok(Place {
            structure: *id,
            member: index as u32,
        })
    };
    wanted
        .iter()
        .map(|operation| ((*operation).clone(), find(operation)))
        .collect()
}

/// All structures by name: their ids, and the names of their members.
fn structures<'a>(types: &Types<'a>) -> BTreeMap<&'a [u8], (u32, Vec<&'a [u8]>)> {
    let mut found = BTreeMap::new();
    for id in types.ids() {
        let structure = types
            .get(id)
            .filter(|ty| u32_at(ty, 4).map(kind_of) == Some(KIND_STRUCT));
        let name_of = |ty: &[u8]| types.name(u32_at(ty, 0)?);
        if let Some(ty) = structure
            && let Some(name) = name_of(ty)
        {
            let names = || members(ty).map(|member| name_of(member).unwrap_or_default());
            found.entry(name).or_insert_with(|| (id, names().collect()));
        }
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
