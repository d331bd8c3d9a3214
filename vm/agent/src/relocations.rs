//! Relocations: values of those CO-RE relocations that `aya-obj` does not do, or refuses
//! where libbpf gives 0. Pure.

use std::collections::{BTreeMap, BTreeSet};

use aya_obj::generated::bpf_core_relo_kind::*;
use aya_obj::generated::{BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_STRUCT, BTF_KIND_UNION};

use crate::btf::{TYPE_BYTES, kind_of, u32_at};
use crate::types::{MAX_DEPTH, Types, without_flavor};

/// The most comparisons of types and members for all relocations of an object.
const MAX_STEPS: u32 = 1 << 24;

/// A CO-RE relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Relocation {
    /// `BPF_CORE_*`.
    pub kind: u32,
    /// The type in the object's BTF.
    pub type_id: u32,
    /// The offset of the name of its section in the object's BTF.
    pub section: u32,
    /// Bytes from the section's start to its instruction.
    pub offset: u32,
    /// The offset in the object's BTF of the string that says which part of the type it needs.
    pub access: u32,
}

/// What to do in place of a relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// Put this value into the instruction.
    Put(u32),
    /// Refuse the programs with the instruction, for this reason.
    Refuse(String),
}

impl Relocation {
    /// Whether its value may have to be found here.
    pub fn is_of_types(self) -> bool {
        matches!(
            self.kind,
            BPF_CORE_TYPE_ID_TARGET | BPF_CORE_TYPE_SIZE | BPF_CORE_TYPE_MATCHES
        )
    }
}

/// Values of relocations, by their indexes. `aya-obj` refuses the number and the size of a
/// type that the kernel does not have; in libbpf (`bpf_core_calc_type_relo`) they are 0.
pub fn values(wanted: &[Relocation], own: &Types, kernel: &Types) -> BTreeMap<usize, Instead> {
    let of_types: BTreeMap<_, _> = wanted
        .iter()
        .filter(|relocation| relocation.is_of_types())
        .filter_map(|relocation| Some((relocation.type_id, named(own, relocation.type_id)?)))
        .collect();
    let names: BTreeSet<_> = of_types.values().map(|(_, name)| *name).collect();
    let mut candidates: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for id in kernel.ids() {
        if let Some((kind, name)) = named(kernel, id)
            && names.contains(name)
        {
            candidates.entry((kind, name)).or_default().push(id);
        }
    }
    let mut steps = MAX_STEPS;
    let mut value = |relocation: &Relocation| {
        let of = of_types.get(&relocation.type_id)?;
        let mut candidates = candidates.get(of).into_iter().flatten();
        let id = relocation.type_id;
        if relocation.kind == BPF_CORE_TYPE_MATCHES {
            let matches = candidates.try_fold(false, |any, &candidate| {
                Some(own.matches(id, kernel, candidate, MAX_DEPTH, &mut steps)? || any)
            });
            return matches.map(u32::from);
        }
        let exists =
            candidates.any(|&candidate| own.is_compatible(id, kernel, candidate, MAX_DEPTH));
        (relocation.is_of_types() && !exists).then_some(0)
    };
    let values = wanted.iter().enumerate();
    values
        .filter_map(|(number, relocation)| Some((number, Instead::Put(value(relocation)?))))
        .collect()
}

/// Says what a relocation that failed did not find in the kernel, and how to test for it.
/// `None`: the object's BTF is damaged.
pub fn describe_missing(relocation: Relocation, own: &Types) -> Option<String> {
    let (ty, access) = (own.get(relocation.type_id)?, own.text(relocation.access));
    let (kind, of) = (kind_of(u32_at(ty, 4)?), own.text(u32_at(ty, 0)?));
    let of = without_flavor(&of);
    let word = match kind {
        BTF_KIND_STRUCT => "struct ",
        BTF_KIND_UNION => "union ",
        BTF_KIND_ENUM | BTF_KIND_ENUM64 => "enum ",
        _ => "",
    };
    let (what, test) = match relocation.kind {
        BPF_CORE_ENUMVAL_EXISTS | BPF_CORE_ENUMVAL_VALUE => {
            let bytes = if kind == BTF_KIND_ENUM { 8 } else { 12 };
            let at = TYPE_BYTES + bytes * access.parse::<usize>().ok()?;
            let value = own.text(u32_at(ty, at)?);
            let value = without_flavor(&value);
            (
                format!("the value `{value}` of `{word}{of}`"),
                "bpf_core_enum_value_exists",
            )
        }
        BPF_CORE_TYPE_ID_LOCAL..=BPF_CORE_TYPE_SIZE | BPF_CORE_TYPE_MATCHES => {
            (format!("the type `{word}{of}`"), "bpf_core_type_exists")
        }
        _ => {
            let path = own.path(relocation.type_id, &access)?;
            (
                format!("the field `{word}{of}{path}` of a fitting type"),
                "bpf_core_field_exists",
            )
        }
    };
    Some(format!(
        "CO-RE: this kernel does not have {what}: use it only where {test}() is true"
    ))
}

/// The kind of a type, and its name without a flavor. Both kinds of enum count as one.
/// `None`: it has no name.
fn named<'a>(types: &Types<'a>, id: u32) -> Option<(u32, &'a str)> {
    let ty = types.get(id)?;
    let name = str::from_utf8(types.name(u32_at(ty, 0)?)?).ok()?;
    let kind = match kind_of(u32_at(ty, 4)?) {
        BTF_KIND_ENUM64 => BTF_KIND_ENUM,
        kind => kind,
    };
    (!name.is_empty()).then(|| (kind, without_flavor(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf;

    const NEWER: &[u8] = include_bytes!("../tests/fixtures/newer.bpf.o");

    fn relocation(kind: u32, type_id: u32) -> Relocation {
        Relocation {
            kind,
            type_id,
            ..Relocation::default()
        }
    }

    #[test]
    fn types_that_a_kernel_has_match() {
        let prepared = elf::prepare(NEWER, &BTreeMap::new()).unwrap();
        let types = Types::parse(&prepared.btf).unwrap();
        let id = |wanted: &str| {
            let mut structs = types.named(BTF_KIND_STRUCT);
            let found = structs.find(|(name, ..)| *name == wanted.as_bytes());
            found.unwrap().1
        };
        // The object stands in for a kernel as well, which has both flavors.
        let value = |kind, type_id| {
            let values = values(&[relocation(kind, type_id)], &types, &types);
            values.get(&0).cloned()
        };
        let fits = id("task_struct___fits");
        assert_eq!(value(BPF_CORE_TYPE_MATCHES, fits), Some(Instead::Put(1)));
        assert_eq!(value(BPF_CORE_TYPE_ID_TARGET, fits), None);
        // An integer is no pointer.
        let other = id("task_struct___fits_not");
        let mut steps = MAX_STEPS;
        assert_eq!(
            types.matches(fits, &types, other, MAX_DEPTH, &mut steps),
            Some(false)
        );
        assert_eq!(types.matches(fits, &types, fits, MAX_DEPTH, &mut 3), None);
        // A kernel without any types.
        let kernel = [0xeb9f, 24, 0, 0, 0, 1].map(u32::to_ne_bytes).concat();
        let kernel = [&kernel[..], b"\0"].concat();
        let kernel = Types::parse(&kernel).unwrap();
        for kind in [
            BPF_CORE_TYPE_MATCHES,
            BPF_CORE_TYPE_ID_TARGET,
            BPF_CORE_TYPE_SIZE,
        ] {
            let found = values(&[relocation(kind, fits)], &types, &kernel);
            assert_eq!(found.get(&0), Some(&Instead::Put(0)), "{kind}");
        }
        assert!(values(&[relocation(0, fits)], &types, &kernel).is_empty());
    }
}
