//! Types: the types of a BTF blob, by id. Pure.
//!
//! Format: <https://docs.kernel.org/bpf/btf.html>. Nothing here trusts the blob: if it is
//! damaged, the result is `None`.

use aya_obj::generated::{
    BTF_INT_SIGNED, BTF_KIND_ARRAY, BTF_KIND_CONST, BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_FLOAT,
    BTF_KIND_FUNC_PROTO, BTF_KIND_FWD, BTF_KIND_INT, BTF_KIND_PTR, BTF_KIND_RESTRICT,
    BTF_KIND_STRUCT, BTF_KIND_TYPE_TAG, BTF_KIND_TYPEDEF, BTF_KIND_UNION, BTF_KIND_VOLATILE,
    btf_member,
};

use crate::btf::{self, TYPE_BYTES, kind_of, trailing_bytes, u32_at};

/// Bytes of a struct's member, and of an entry of a section.
pub const MEMBER_BYTES: usize = size_of::<btf_member>();
/// The most references between types that are followed.
pub const MAX_DEPTH: u32 = 32;

/// The types of a blob, by id.
pub struct Types<'a> {
    /// The bytes of all types, one after another.
    pub types: &'a [u8],
    /// Their names.
    pub strings: &'a [u8],
    /// The start of each; id 0 is `void`. The last is the end.
    pub offsets: Vec<usize>,
}

impl<'a> Types<'a> {
    /// Parses a blob. `None`: it is damaged.
    pub fn parse(blob: &'a [u8]) -> Option<Self> {
        let [types, strings] = btf::parts(blob)?;
        let mut offsets = vec![0];
        let mut at = 0;
        while at < types.len() {
            offsets.push(at);
            at += TYPE_BYTES + trailing_bytes(u32_at(types, at + 4)?)?;
        }
        offsets.push(types.len());
        Some(Self {
            types,
            strings,
            offsets,
        })
    }

    /// The ids of all types.
    pub fn ids(&self) -> std::ops::Range<u32> {
        1..self.offsets.len() as u32 - 1
    }

    /// A type's bytes. `None`: `void`, or not in the blob.
    pub fn get(&self, id: u32) -> Option<&'a [u8]> {
        let at = (id > 0).then_some(id as usize)?;
        self.types
            .get(*self.offsets.get(at)?..*self.offsets.get(at + 1)?)
    }

    /// The string at an offset.
    pub fn name(&self, offset: u32) -> Option<&'a [u8]> {
        btf::string_at(self.strings, offset)
    }

    /// The string at an offset, as text.
    pub fn text(&self, offset: u32) -> String {
        String::from_utf8_lossy(self.name(offset).unwrap_or_default()).into_owned()
    }

    /// The id of the type behind qualifiers, and behind typedefs as well. `None`: there are
    /// too many, or the blob is damaged.
    fn behind(&self, mut id: u32, typedefs: bool) -> Option<u32> {
        for _ in 0..MAX_DEPTH {
            let Some(ty) = self.get(id) else {
                return Some(id);
            };
            match kind_of(u32_at(ty, 4)?) {
                BTF_KIND_VOLATILE | BTF_KIND_CONST | BTF_KIND_RESTRICT | BTF_KIND_TYPE_TAG => {}
                BTF_KIND_TYPEDEF if typedefs => {}
                _ => return Some(id),
            }
            id = u32_at(ty, 8)?;
        }
        None
    }

    /// The type behind qualifiers, which may be a typedef; `None`: `void`.
    pub fn unqualified(&self, id: u32) -> Option<&'a [u8]> {
        self.get(self.behind(id, false)?)
    }

    /// The type behind typedefs and qualifiers; `None`: `void`.
    pub fn plain(&self, id: u32) -> Option<(u32, &'a [u8])> {
        let ty = self.get(self.behind(id, true)?)?;
        Some((kind_of(u32_at(ty, 4)?), ty))
    }

    /// Whether a type is `void`, behind typedefs and qualifiers.
    pub fn is_void(&self, id: u32) -> bool {
        self.behind(id, true) == Some(0)
    }

    /// Size and alignment in bytes.
    pub fn layout(&self, id: u32, depth: u32) -> Option<(u32, u32)> {
        let depth = depth.checked_sub(1)?;
        let (kind, ty) = self.plain(id)?;
        match kind {
            BTF_KIND_INT | BTF_KIND_ENUM | BTF_KIND_FLOAT | BTF_KIND_ENUM64 => {
                let size = u32_at(ty, 8)?;
                Some((size, size.clamp(1, 8)))
            }
            BTF_KIND_PTR => Some((8, 8)),
            BTF_KIND_ARRAY => {
                let (size, align) = self.layout(u32_at(ty, TYPE_BYTES)?, depth)?;
                Some((size.checked_mul(u32_at(ty, TYPE_BYTES + 8)?)?, align))
            }
            // No option of the kernel's configuration is a struct.
            BTF_KIND_STRUCT | BTF_KIND_UNION => Some((u32_at(ty, 8)?, 8)),
            _ => None,
        }
    }

    /// The members and elements that a CO-RE relocation's access string such as `0:1:2` names, as
    /// in C, beginning behind the type's name. `None`: the string does not fit the type.
    pub fn path(&self, mut id: u32, access: &str) -> Option<String> {
        let mut path = String::new();
        for (step, index) in access.split(':').take(MAX_DEPTH as usize).enumerate() {
            let index: usize = index.parse().ok()?;
            if step == 0 {
                // An element behind the pointer.
                if index > 0 {
                    path = format!("[{index}]");
                }
                continue;
            }
            let (kind, ty) = self.plain(id)?;
            id = match kind {
                BTF_KIND_STRUCT | BTF_KIND_UNION => {
                    let at = TYPE_BYTES + index.checked_mul(MEMBER_BYTES)?;
                    let name = self.text(u32_at(ty, at)?);
                    if !name.is_empty() {
                        path = format!("{path}.{name}");
                    }
                    u32_at(ty, at + 4)?
                }
                BTF_KIND_ARRAY => {
                    path = format!("{path}[{index}]");
                    u32_at(ty, TYPE_BYTES)?
                }
                _ => return None,
            };
        }
        Some(path)
    }

    /// All types of a kind that have a name: the name, the id and the type's bytes.
    pub fn named(&self, kind: u32) -> impl Iterator<Item = (&'a [u8], u32, &'a [u8])> {
        self.ids().filter_map(move |id| {
            let ty = self.get(id)?;
            let name = self.name(u32_at(ty, 0)?)?;
            (kind_of(u32_at(ty, 4)?) == kind && !name.is_empty()).then_some((name, id, ty))
        })
    }

    /// Whether a type that an object declares matches one of the kernel's, as in libbpf
    /// (`__bpf_core_types_match`): the kernel's has all its members, with matching types. Of
    /// what a pointer points to, name and kind count. `None`: this takes too many steps.
    pub fn matches(
        &self,
        id: u32,
        other: &Types,
        other_id: u32,
        depth: u32,
        steps: &mut u32,
    ) -> Option<bool> {
        self.matches_from((id, false), other, other_id, depth, steps)
    }

    /// `is_pointed_to`: whether a pointer led to the type.
    fn matches_from(
        &self,
        (id, is_pointed_to): (u32, bool),
        other: &Types,
        other_id: u32,
        depth: u32,
        steps: &mut u32,
    ) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        *steps = steps.checked_sub(1)?;
        let ((kind, own), (other_kind, others)) = match (self.plain(id), other.plain(other_id)) {
            (Some(own), Some(others)) => (own, others),
            _ => return Some(self.is_void(id) && other.is_void(other_id)),
        };
        let mut both = |at: usize, is_pointed_to| {
            let ids = (u32_at(own, at)?, is_pointed_to);
            self.matches_from(ids, other, u32_at(others, at)?, depth, steps)
        };
        let (info, other_info) = (u32_at(own, 4)?, u32_at(others, 4)?);
        if !self.has_name_of(u32_at(own, 0)?, other, u32_at(others, 0)?) {
            return Some(false);
        }
        let is_union = |kind: u32, info: u32| {
            kind == BTF_KIND_UNION || kind == BTF_KIND_FWD && info >> 31 == 1
        };
        let is_structure = |kind| matches!(kind, BTF_KIND_STRUCT | BTF_KIND_UNION | BTF_KIND_FWD);
        if is_structure(kind) && is_structure(other_kind) && is_pointed_to {
            return Some(is_union(kind, info) == is_union(other_kind, other_info));
        }
        let is_enum = |kind| matches!(kind, BTF_KIND_ENUM | BTF_KIND_ENUM64);
        if kind != other_kind && !(is_enum(kind) && is_enum(other_kind)) {
            return Some(false);
        }
        Some(match kind {
            BTF_KIND_INT => {
                let sign = |ty| Some(u32_at(ty, TYPE_BYTES)? & BTF_INT_SIGNED << 24);
                let number = |ty| Some((u32_at(ty, 8)?, sign(ty)?));
                number(own)? == number(others)?
            }
            BTF_KIND_FWD => info >> 31 == other_info >> 31,
            BTF_KIND_PTR => both(8, true)?,
            BTF_KIND_ARRAY => {
                u32_at(own, TYPE_BYTES + 8) == u32_at(others, TYPE_BYTES + 8)
                    && both(TYPE_BYTES, is_pointed_to)?
            }
            // A parameter is a name and a type.
            BTF_KIND_FUNC_PROTO => {
                if own.len() != others.len() {
                    return Some(false);
                }
                for at in (TYPE_BYTES..own.len()).step_by(8) {
                    if !both(at + 4, is_pointed_to)? {
                        return Some(false);
                    }
                }
                both(8, is_pointed_to)?
            }
            BTF_KIND_STRUCT | BTF_KIND_UNION => {
                for member in own[TYPE_BYTES..].chunks_exact(MEMBER_BYTES) {
                    let mut is_there = false;
                    for candidate in others[TYPE_BYTES..].chunks_exact(MEMBER_BYTES) {
                        *steps = steps.checked_sub(1)?;
                        let (name, other_name) = (u32_at(member, 0)?, u32_at(candidate, 0)?);
                        let (id, other_id) = (u32_at(member, 4)?, u32_at(candidate, 4)?);
                        if self.has_name_of(name, other, other_name)
                            && self.matches_from((id, false), other, other_id, depth, steps)?
                        {
                            is_there = true;
                            break;
                        }
                    }
                    if !is_there {
                        return Some(false);
                    }
                }
                true
            }
            BTF_KIND_ENUM | BTF_KIND_ENUM64 => {
                if u32_at(own, 8) != u32_at(others, 8) {
                    return Some(false);
                }
                let bytes = |kind| if kind == BTF_KIND_ENUM { 8 } else { 12 };
                for value in own[TYPE_BYTES..].chunks_exact(bytes(kind)) {
                    let mut is_there = false;
                    for candidate in others[TYPE_BYTES..].chunks_exact(bytes(other_kind)) {
                        *steps = steps.checked_sub(1)?;
                        is_there |=
                            self.has_name_of(u32_at(value, 0)?, other, u32_at(candidate, 0)?);
                    }
                    if !is_there {
                        return Some(false);
                    }
                }
                true
            }
            _ => false,
        })
    }

    /// Whether two names are equal without their flavors.
    fn has_name_of(&self, name: u32, other: &Types, other_name: u32) -> bool {
        let plain = |name| str::from_utf8(name).map(without_flavor).unwrap_or_default();
        match (self.name(name), other.name(other_name)) {
            (Some(own), Some(others)) => own == others || plain(own) == plain(others),
            _ => false,
        }
    }

    /// Whether a type that a program declares fits that of the kernel function that it
    /// calls: the kinds match, whatever the names, as in libbpf
    /// (`bpf_core_types_are_compat`).
    pub fn is_compatible(&self, id: u32, other: &Types, other_id: u32, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let ((kind, own), (other_kind, others)) = match (self.plain(id), other.plain(other_id)) {
            (Some(own), Some(others)) => (own, others),
            _ => return self.is_void(id) && other.is_void(other_id),
        };
        let is_enum = |kind| matches!(kind, BTF_KIND_ENUM | BTF_KIND_ENUM64);
        if kind != other_kind && !(is_enum(kind) && is_enum(other_kind)) {
            return false;
        }
        let both = |at: usize| match (u32_at(own, at), u32_at(others, at)) {
            (Some(id), Some(other_id)) => self.is_compatible(id, other, other_id, depth),
            _ => false,
        };
        match kind {
            BTF_KIND_PTR => both(8),
            BTF_KIND_ARRAY => both(TYPE_BYTES),
            // A parameter is a name and a type.
            BTF_KIND_FUNC_PROTO => {
                own.len() == others.len()
                    && both(8)
                    && (TYPE_BYTES..own.len()).step_by(8).all(|at| both(at + 4))
            }
            _ => true,
        }
    }
}

/// A name without its flavor, by which an object distinguishes versions of one type or
/// function: the last three underscores between other characters, and the rest.
pub fn without_flavor(name: &str) -> &str {
    let parts = name.as_bytes().windows(5);
    let last = parts
        .enumerate()
        .rfind(|(_, part)| &part[1..4] == b"___" && ![part[0], part[4]].contains(&b'_'));
    last.map_or(name, |(at, _)| &name[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flavor_follows_three_underscores() {
        for (name, plain) in [
            ("task_struct___old", "task_struct"),
            ("f___a___b", "f___a"),
            ("f____a", "f____a"),
            ("___f", "___f"),
            ("f___", "f___"),
            ("ä___ö", "ä"),
        ] {
            assert_eq!(without_flavor(name), plain);
        }
    }
}
