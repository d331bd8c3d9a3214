//! struct_ops: finds the kernel structure and member that a `struct_ops` program
//! implements. Pure.
//!
//! The section of such a program names neither. An object has variables in sections
//! `.struct_ops` and `.struct_ops.link`, whose types are the kernel's structures.
//! Relocations put programs into their members. This reads them like libbpf:
//! <https://docs.kernel.org/bpf/libbpf/program_types.html>.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use aya_obj::generated::{
    BTF_KIND_ARRAY, BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_INT, BTF_KIND_STRUCT, BTF_KIND_VAR,
};
use object::LittleEndian as LE;
use object::elf::{FileHeader64, STT_OBJECT};
use object::read::elf::{SectionHeader as _, SectionTable, Sym as _, SymbolTable};

use crate::btf::{TYPE_BYTES, u32_at};
use crate::types::{MAX_DEPTH, MEMBER_BYTES, Types, without_flavor};

type Header = FileHeader64<LE>;

/// A member of one of the kernel's structures of functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name, such as `tcp_congestion_ops`.
    pub structure: String,
    /// Its name, such as `cong_avoid`.
    pub member: String,
    /// What the object sets of the structure, without functions: members and their bytes.
    pub data: Vec<(String, Vec<u8>)>,
}

/// The place of an operation in a kernel's BTF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The BTF id of the structure.
    pub structure: u32,
    /// The index of the member.
    pub member: u32,
    /// What runs it, or why nothing does.
    pub call: Result<Call, String>,
}

/// What runs an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Its structure is registered.
    Registered(Function),
    /// `BPF_PROG_TEST_RUN`, with so many arguments.
    TestRun { arguments: usize },
}

/// A structure that bpfgate registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Structure {
    /// `struct tcp_congestion_ops`.
    Congestion,
    /// `struct sched_ext_ops`.
    Scheduler,
}

impl fmt::Display for Structure {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::Congestion => "congestion control",
            Self::Scheduler => "scheduler",
        })
    }
}

/// A function of a structure that bpfgate registers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Its structure.
    pub of: Structure,
    /// The structure's BTF id.
    pub structure: u32,
    /// The BTF id of the value of the map that registers it, and its bytes.
    pub value: (u32, u32),
    /// Bytes from the value's start to the function.
    pub at: u32,
    /// The same to the structure's name.
    pub name_at: u32,
    /// The same to a scheduler's flags.
    pub flags_at: Option<u32>,
    /// What the object sets, without functions: places in the value, and bytes.
    pub data: Vec<(u32, Vec<u8>)>,
    /// The functions that each has to have: index of the member, and place in the value.
    pub required: Vec<(u32, u32)>,
    /// Functions that an empty program can be without effect, and that cost as much to call:
    /// for a program that cannot sleep, and for one that can.
    pub stand_ins: [(u32, u32); 2],
}

impl Function {
    /// Its stand-in, in a structure of which nothing else is set, and the index of the member.
    pub fn stand_in(&self, sleeps: bool) -> (Self, u32) {
        let (member, at) = self.stand_ins[usize::from(sleeps)];
        let data = Vec::new();
        let stand_in = Self {
            at,
            data,
            ..self.clone()
        };
        (stand_in, member)
    }
}

/// What the kernel calls without asking whether it is there (`tcp_validate_congestion_control`).
const REQUIRED: [&[u8]; 3] = [b"ssthresh", b"undo_cwnd", b"cong_avoid"];
/// Functions of a scheduler whose empty programs leave it as it is: one without a result, one
/// with, and one that can sleep. The kernel stores a result, and calls what can sleep by another
/// function.
const STAND_INS: [&[u8]; 3] = [b"running", b"yield", b"init_task"];

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
        let contents = table
            .section(object::SectionIndex(target))
            .and_then(|section| section.data(LE, data))
            .context("a section of structures is damaged")?;
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
                let start = usize::try_from(symbol.st_value(LE)).ok()?;
                let end = start.checked_add(usize::try_from(symbol.st_size(LE)).ok()?)?;
                let variable = *variables.get(name)?;
                Some((
                    variable,
                    contents.get(start..end)?,
                    u32::try_from(within).ok()?,
                ))
            })
        };
        for relocation in relocations {
            let index = object::SymbolIndex(relocation.r_sym(LE) as usize);
            let place = place_of(relocation.r_offset.get(LE));
            if let Ok(symbol) = symbols.symbol(index)
                && let Some((variable, value, offset)) = place
                && let Some(operation) = operation_at(types, variable, value, offset)
            {
                let program = (usize::from(symbol.st_shndx(LE)), symbol.st_value(LE));
                let known = found.entry(program).or_insert(Some(operation.clone()));
                let is_same = |known: &Operation| {
                    known.structure == operation.structure && known.member == operation.member
                };
                if !known.as_ref().is_some_and(is_same) {
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

/// The member at an offset of a variable with this value.
fn operation_at(types: &Types, variable: &[u8], value: &[u8], offset: u32) -> Option<Operation> {
    let (BTF_KIND_STRUCT, structure) = types.plain(u32_at(variable, 8)?)? else {
        return None;
    };
    let text = |at: &[u8]| Some(types.text(u32_at(at, 0)?));
    let member = members(structure).find(|member| place_of(member) == Some(offset))?;
    let set = members(structure).filter_map(|member| {
        let bytes = plain_bytes(types, member)?;
        let start = place_of(member)? as usize;
        let own = value.get(start..start.checked_add(bytes as usize)?)?;
        let is_set = own.iter().any(|byte| *byte != 0);
        is_set.then(|| Some((text(member)?, own.to_vec())))?
    });
    Some(Operation {
        structure: without_flavor(&text(structure)?).to_owned(),
        member: text(member)?,
        data: set.collect(),
    })
}

/// Bytes from a structure's start to a member. A bit field's size is not part of it.
fn place_of(member: &[u8]) -> Option<u32> {
    Some((u32_at(member, 8)? & 0xff_ffff) / 8)
}

/// The size of a member that is a number, or a list of numbers; `None`: it is something else.
fn plain_bytes(types: &Types, member: &[u8]) -> Option<u32> {
    let id = u32_at(member, 4)?;
    let element = match types.plain(id)? {
        (BTF_KIND_ARRAY, ty) => types.plain(u32_at(ty, TYPE_BYTES)?)?,
        other => other,
    };
    let is_number = matches!(element.0, BTF_KIND_INT | BTF_KIND_ENUM | BTF_KIND_ENUM64);
    is_number.then(|| Some(types.layout(id, MAX_DEPTH)?.0))?
}

fn members(structure: &[u8]) -> impl Iterator<Item = &[u8]> {
    structure[TYPE_BYTES..].chunks_exact(MEMBER_BYTES)
}

/// The places of the operations in a kernel with these types, or why it cannot run them.
pub fn places(types: &Types, wanted: &[&Option<Operation>]) -> Vec<Result<Place, String>> {
    let structures = structures(types);
    let find = |operation: &Option<Operation>| {
        let Some(operation) = operation else {
            return Err(
                "it implements two members of structures (struct_ops): give each a program of its own"
                    .into(),
            );
        };
        let Operation {
            structure, member, ..
        } = operation;
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
        Ok(Place {
            structure: *id,
            member: index as u32,
            call: call(types, (*id, *wrapper), operation),
        })
    };
    wanted.iter().map(|operation| find(operation)).collect()
}

/// What runs an operation, or why nothing does.
fn call(types: &Types, ids: (u32, u32), operation: &Operation) -> Result<Call, String> {
    let unexpected = |of: &str| {
        format!("this kernel's {of} has other members than bpfgate expects: report this")
    };
    let of = match operation.structure.as_str() {
        "tcp_congestion_ops" => Structure::Congestion,
        "sched_ext_ops" if operation.member == "select_cpu" => {
            return Err(
                "the kernel calls it to choose among several CPUs, and the guest has one".into(),
            );
        }
        "sched_ext_ops" => Structure::Scheduler,
        TESTED => {
            let arguments = arguments_of(types, ids.0, operation);
            let arguments = arguments.ok_or_else(|| unexpected(TESTED))?;
            return Ok(Call::TestRun { arguments });
        }
        _ => {
            return Err(
                "the kernel calls it when its loader has registered its structure, and bpfgate registers only `struct tcp_congestion_ops` and `struct sched_ext_ops`".into(),
            );
        }
    };
    let function = function_of(types, of, ids, operation);
    function
        .map(Call::Registered)
        .ok_or_else(|| unexpected(&of.to_string()))
}

/// The structure whose operations the kernel only test-runs.
const TESTED: &str = "bpf_dummy_ops";

/// The number of arguments of an operation of the structure with this BTF id.
fn arguments_of(types: &Types, structure: u32, operation: &Operation) -> Option<usize> {
    let mut members = members(types.get(structure)?);
    let name_of = |member: &[u8]| types.name(u32_at(member, 0)?);
    let own = members.find(|member| name_of(member) == Some(operation.member.as_bytes()))?;
    Some((u32_at(prototype(types, own)?, 4)? & 0xffff) as usize)
}

/// The prototype of a member that points to a function.
fn prototype<'a>(types: &Types<'a>, member: &[u8]) -> Option<&'a [u8]> {
    let (_, pointer) = types.plain(u32_at(member, 4)?)?;
    Some(types.plain(u32_at(pointer, 8)?)?.1)
}

fn function_of(
    types: &Types,
    of: Structure,
    (structure, wrapper): (u32, u32),
    operation: &Operation,
) -> Option<Function> {
    let (value, ty) = (types.get(wrapper)?, types.get(structure)?);
    let named = |ty, wanted: &[u8]| {
        let mut all = members(ty).zip(0..);
        all.find(|(member, _)| u32_at(member, 0).and_then(|at| types.name(at)) == Some(wanted))
    };
    let start = place_of(named(value, b"data")?.0)?;
    let place = |wanted: &[u8]| {
        let (member, index) = named(ty, wanted)?;
        Some((index, start + place_of(member)?))
    };
    let (own, index) = named(ty, operation.member.as_bytes())?;
    let at = start + place_of(own)?;
    let (required, flags_at, stand_ins) = match of {
        Structure::Congestion => {
            let required = REQUIRED.map(place).into_iter().collect::<Option<_>>()?;
            (required, None, [(index, at); 2])
        }
        Structure::Scheduler => {
            let [without, with, sleeps] = STAND_INS.map(place);
            let is_void = types.is_void(u32_at(prototype(types, own)?, 8)?);
            let stand_in = if is_void { without } else { with };
            (Vec::new(), Some(place(b"flags")?.1), [stand_in?, sleeps?])
        }
    };
    // Members that this kernel does not have, or not with this size, stay as they are.
    let set = operation.data.iter().filter(|(name, _)| name != "name");
    let data = set.filter_map(|(name, bytes)| {
        let (member, _) = named(ty, name.as_bytes())?;
        let fits = plain_bytes(types, member)? as usize == bytes.len();
        fits.then(|| Some((start + place_of(member)?, bytes.clone())))?
    });
    Some(Function {
        of,
        structure,
        value: (wrapper, u32_at(value, 8)?),
        at,
        name_at: place(b"name")?.1,
        flags_at,
        data: data.collect(),
        required,
        stand_ins,
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
