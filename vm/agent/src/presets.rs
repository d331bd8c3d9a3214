//! Presets: finds what the configuration's presets set in an object, and encodes the values by its
//! BTF. The host runs this, in a process for each object.
//!
//! Objects are not trusted: the process has little memory, and the host ends it if it takes too long.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Read};

use anyhow::{Context, Result};
use aya_obj::Map;
use aya_obj::generated::{
    BTF_INT_BOOL, BTF_INT_SIGNED, BTF_KIND_ARRAY, BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_FLOAT,
    BTF_KIND_INT, BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_VAR,
};
use object::LittleEndian as LE;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::btf::{TYPE_BYTES, kind_of, u32_at};
use crate::object::guarded;
use crate::plan::{Entry, Patch, Preset};
use crate::types::{MAX_DEPTH, MEMBER_BYTES, Types};
use crate::{elf, section, sys};

/// The most memory of the process, in bytes.
const MAX_MEMORY: u64 = 1 << 30;
/// The most bytes of a value.
const MAX_BYTES: usize = 1 << 20;
/// The most names that an error lists.
const MAX_LISTED: usize = 20;
/// The most names of a kind that the host gets, and the most bytes of one.
const MAX_NAMES: usize = 5000;
const MAX_NAME_BYTES: usize = 200;
const DAMAGED: &str = "its BTF is damaged";

/// The error says why a value does not fit.
type Fit<T = ()> = Result<T, String>;

/// The first line of stdin. The object follows.
#[derive(Deserialize)]
pub struct Request {
    presets: Vec<Given>,
    /// Sections, with the names that `[[program]]` gives instead.
    sections: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Given {
    name: String,
    /// Names and values.
    variables: Vec<(String, Value)>,
    /// Maps, keys and values.
    entries: Vec<(String, Option<Value>, Value)>,
}

/// The object, as far as presets and `[[program]]` are about it.
#[derive(Serialize)]
pub struct Answer {
    sections: Vec<String>,
    pub variables: Vec<String>,
    pub maps: Vec<String>,
    /// What each preset writes, and for each of its variables and then its entries: `None` if the
    /// object has no such, empty if it is written, else why the value does not fit.
    pub presets: Vec<(Preset, Vec<Option<String>>)>,
    /// Sections of the request whose other name says no type of program.
    unknown: Vec<String>,
}

/// Answers the request on stdin.
pub fn run() -> Result<()> {
    sys::limit_memory(MAX_MEMORY);
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input)?;
    let mut parts = input.splitn(2, |&byte| byte == b'\n');
    let (request, object) = (parts.next().unwrap_or_default(), parts.next());
    let request = serde_json::from_slice(request).context("cannot read the request")?;
    let answer = answer(&request, object.unwrap_or_default())?;
    Ok(serde_json::to_writer(io::stdout().lock(), &answer)?)
}

/// Lays presets out in an object. The error says in one line why it cannot be read.
pub fn answer(request: &Request, object: &[u8]) -> Result<Answer> {
    let (prepared, parsed) = guarded("read it", || {
        let prepared = elf::prepare(object, &BTreeMap::new())?;
        let parsed = aya_obj::Object::parse(&prepared.file)?;
        Ok((prepared, parsed))
    })?;
    let file = ElfFile64::<LE>::parse(object)?;
    let types = Types::parse(&prepared.btf);
    let layout = Layout {
        variables: variables(&file, types.as_ref()),
        maps: parsed.maps,
        types,
    };
    let names = file.sections();
    let names = names.filter_map(|section| Some(section.name().ok()?.to_owned()));
    let unknown = request.sections.iter();
    let unknown = unknown.filter(|(_, named)| !section::is_known(named));
    let presets = request.presets.iter().map(|own| layout.place(own));
    Ok(Answer {
        sections: few(names),
        variables: few(layout.variables.keys().cloned()),
        maps: few(layout.maps.keys().cloned()),
        presets: presets.collect(),
        unknown: unknown.map(|(section, _)| section.clone()).collect(),
    })
}

fn few(names: impl Iterator<Item = String>) -> Vec<String> {
    let short = names.filter(|name| name.len() <= MAX_NAME_BYTES);
    short.take(MAX_NAMES).collect()
}

/// A variable of a data section, at an offset there.
struct Variable<'a> {
    section: String,
    at: usize,
    size: usize,
    /// Its type in BTF; 0: none.
    id: u32,
    /// Its value in the object; nothing for zeros.
    initial: &'a [u8],
}

struct Layout<'a> {
    types: Option<Types<'a>>,
    variables: BTreeMap<String, Variable<'a>>,
    maps: HashMap<String, Map>,
}

fn variables<'a>(
    file: &ElfFile64<'a, LE>,
    types: Option<&Types>,
) -> BTreeMap<String, Variable<'a>> {
    let typed = types.into_iter().flat_map(|types| {
        let all = types.named(BTF_KIND_VAR);
        all.filter_map(|(name, _, ty)| {
            let id = u32_at(ty, 8)?;
            Some((name, (id, size_of(types, id)?)))
        })
    });
    let typed: BTreeMap<_, _> = typed.collect();
    let mut found = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.size() > 0) {
        let section = symbol
            .section_index()
            .map(|index| file.section_by_index(index));
        let (Ok(name), Some(Ok(section))) = (symbol.name(), section) else {
            continue;
        };
        let content = section.data().unwrap_or_default();
        let section = section.name().unwrap_or_default().to_owned();
        if ![".rodata", ".data", ".bss"]
            .iter()
            .any(|start| section.starts_with(start))
        {
            continue;
        }
        let (at, size) = (symbol.address() as usize, symbol.size() as usize);
        let initial = content.get(at..).unwrap_or_default();
        let initial = &initial[..size.min(initial.len())];
        let typed = typed.get(name.as_bytes()).filter(|(_, own)| *own == size);
        let id = typed.map_or(0, |(id, _)| *id);
        found.insert(
            name.to_owned(),
            Variable {
                section,
                at,
                size,
                id,
                initial,
            },
        );
    }
    found
}

fn size_of(types: &Types, id: u32) -> Option<usize> {
    Some(types.layout(id, MAX_DEPTH)?.0 as usize)
}

impl Layout<'_> {
    fn place(&self, given: &Given) -> (Preset, Vec<Option<String>>) {
        let mut placed = Preset {
            name: given.name.clone(),
            ..Preset::default()
        };
        let mut outcomes = Vec::new();
        for (name, value) in &given.variables {
            outcomes.push(self.variables.get(name).map(|own| {
                let bytes = self.encode(value, (own.id, own.size), own.initial, name)?;
                let (map, at) = (own.section.clone(), own.at);
                placed.data.push(Patch { map, at, bytes });
                Ok(())
            }));
        }
        for (name, key, value) in &given.entries {
            outcomes.push(self.maps.get(name).map(|map| {
                let entry = self.entry(name, map, key.as_ref(), value)?;
                placed.entries.push(entry);
                Ok(())
            }));
        }
        let reason = |outcome: Option<Fit>| Some(outcome?.err().unwrap_or_default());
        (placed, outcomes.into_iter().map(reason).collect())
    }

    fn entry(&self, name: &str, map: &Map, key: Option<&Value>, value: &Value) -> Fit<Entry> {
        let ids = match map {
            Map::Btf(map) => [map.def.btf_key_type_id, map.def.btf_value_type_id],
            Map::Legacy(_) => [0, 0],
        };
        let encode = |value, what: &str, id, size: u32| {
            self.encode(
                value,
                (id, size as usize),
                &[],
                &format!("{what} of `{name}`"),
            )
        };
        let key = key.map_or(Ok(Vec::new()), |key| {
            encode(key, "key", ids[0], map.key_size())
        })?;
        let value = encode(value, "value", ids[1], map.value_size())?;
        let map = name.to_owned();
        Ok(Entry { map, key, value })
    }

    /// Encodes a value of a type and a size, over what is there. Without a type `id` is 0.
    /// `at` names the place.
    fn encode(
        &self,
        value: &Value,
        (id, size): (u32, usize),
        initial: &[u8],
        at: &str,
    ) -> Fit<Vec<u8>> {
        if size > MAX_BYTES {
            return Err(format!("{at} has {size} bytes, more than {MAX_BYTES}"));
        }
        let types = self.types.as_ref().filter(|_| id > 0);
        match types.map(|types| (types, types.plain(id))) {
            None | Some((_, Some((BTF_KIND_FLOAT, _)))) => encode_plain(value, size, at),
            Some((types, _)) => {
                let mut bytes = vec![0; size];
                bytes[..initial.len()].copy_from_slice(initial);
                put(types, value, id, &mut bytes, at)?;
                Ok(bytes)
            }
        }
    }
}

/// Encodes a value without a type: bytes, or an integer as large as its place.
fn encode_plain(value: &Value, size: usize, at: &str) -> Fit<Vec<u8>> {
    let mut bytes = bytes_of(value);
    // `"0x…"` is bytes here, whatever its length.
    if bytes.is_none() && (1..=8).contains(&size) {
        let mut out = vec![0; size];
        let put = put_integer(integer(value), 8 * size as u32, None, &mut out, 0, at);
        bytes = put.ok().map(|()| out);
    }
    bytes.filter(|bytes| bytes.len() == size).ok_or_else(|| {
        let what = "has no type in the object's BTF";
        format!("{at} {what}; give its {size} bytes, \"0x\" and two digits for each")
    })
}

/// Writes a value of a type into its bytes. Those of members and elements that the value leaves
/// out stay.
fn put(types: &Types, value: &Value, id: u32, out: &mut [u8], at: &str) -> Fit {
    match types.plain(id) {
        Some((BTF_KIND_INT, ty)) => {
            let encoding = u32_at(ty, TYPE_BYTES).ok_or(DAMAGED)?;
            let is_boolean = encoding >> 24 & BTF_INT_BOOL != 0;
            let bits = if is_boolean { 1 } else { encoding & 0xff };
            put_integer(integer(value), bits, sign_of(ty), out, 0, at)
        }
        Some((BTF_KIND_ENUM | BTF_KIND_ENUM64, ty)) => {
            let bits = 8 * out.len() as u32;
            put_integer(enum_value(types, ty, value, at)?, bits, None, out, 0, at)
        }
        Some((BTF_KIND_ARRAY, ty)) => put_array(types, value, ty, out, at),
        Some((BTF_KIND_STRUCT | BTF_KIND_UNION, ty)) => put_members(types, value, ty, out, at),
        _ => Err(format!(
            "{at} is neither a number, an array nor a struct, and cannot be set"
        )),
    }
}

fn put_array(types: &Types, value: &Value, ty: &[u8], out: &mut [u8], at: &str) -> Fit {
    let element = u32_at(ty, TYPE_BYTES).ok_or(DAMAGED)?;
    let size = size_of(types, element).ok_or(DAMAGED)?;
    let is_text = size == 1 && matches!(types.plain(element), Some((BTF_KIND_INT, _)));
    match value {
        Value::String(text) if is_text && hex(text).is_none() => {
            let (bytes, most) = (text.len(), out.len());
            let own = out.get_mut(..bytes);
            let own = own.ok_or_else(|| format!("{at} has {most} bytes, `{text}` {bytes}"))?;
            own.copy_from_slice(text.as_bytes());
            out[bytes..].fill(0);
        }
        Value::Array(values) => {
            let count = u32_at(ty, TYPE_BYTES + 8).ok_or(DAMAGED)?;
            if values.len() > count as usize {
                return Err(format!("{at} has {count} elements, not {}", values.len()));
            }
            for (index, value) in values.iter().enumerate() {
                let own = out.get_mut(index * size..(index + 1) * size);
                let own = own.ok_or(DAMAGED)?;
                put(types, value, element, own, &format!("{at}[{index}]"))?;
            }
        }
        _ => put_bytes(value, out, at, "a list")?,
    }
    Ok(())
}

fn put_members(types: &Types, value: &Value, ty: &[u8], out: &mut [u8], at: &str) -> Fit {
    let Value::Object(values) = value else {
        return put_bytes(value, out, at, "a table");
    };
    let members = members(types, ty);
    for (name, value) in values {
        let member = members.iter().find(|(own, ..)| own == name);
        let &(_, id, bit, bits) = member.ok_or_else(|| {
            let names = list(members.iter().map(|(own, ..)| own));
            format!("{at} has no field `{name}`; it has {names}")
        })?;
        let at = format!("{at}.{name}");
        match types.plain(id) {
            Some((kind, ty)) if bits > 0 => {
                let value = match kind {
                    BTF_KIND_INT => integer(value),
                    _ => enum_value(types, ty, value, &at)?,
                };
                let is_signed = kind == BTF_KIND_INT && sign_of(ty) == Some(true);
                put_integer(value, bits, Some(is_signed), out, bit, &at)?;
            }
            _ => {
                let end = bit / 8 + size_of(types, id).unwrap_or_default();
                let own = out.get_mut(bit / 8..end).ok_or(DAMAGED)?;
                put(types, value, id, own, &at)?;
            }
        }
    }
    Ok(())
}

/// Name, type, first bit and number of bits (0 if it is no bit field) of each member of a struct or
/// union, and of those without a name in it. Each of these is visited once, even if it is in itself.
fn members(types: &Types, ty: &[u8]) -> Vec<(String, u32, usize, u32)> {
    let mut found = Vec::new();
    let mut open = vec![(ty, 0)];
    let mut seen = BTreeSet::new();
    while let Some((ty, start)) = open.pop() {
        if !seen.insert(ty.as_ptr()) {
            continue;
        }
        let has_bits = u32_at(ty, 4).unwrap_or_default() >> 31;
        for member in ty[TYPE_BYTES..].chunks_exact(MEMBER_BYTES) {
            let [name, id, offset] = [0, 4, 8].map(|at| u32_at(member, at).unwrap_or_default());
            let (bits, offset) = match has_bits {
                0 => (0, offset),
                _ => (offset >> 24, offset & 0xff_ffff),
            };
            let bit = start + offset as usize;
            let name = types.text(name);
            match types.plain(id) {
                Some((BTF_KIND_STRUCT | BTF_KIND_UNION, inner)) if name.is_empty() => {
                    open.push((inner, bit));
                }
                _ => found.push((name, id, bit, bits)),
            }
        }
    }
    found
}

/// Writes bytes as they are.
fn put_bytes(value: &Value, out: &mut [u8], at: &str, other: &str) -> Fit {
    let bytes = bytes_of(value).filter(|bytes| bytes.len() == out.len());
    let size = out.len();
    out.copy_from_slice(&bytes.ok_or_else(|| {
        format!("{at} takes {other}, or its {size} bytes: \"0x\" and two digits for each")
    })?);
    Ok(())
}

/// An integer, or the value of an enum's name.
fn enum_value(types: &Types, ty: &[u8], value: &Value, at: &str) -> Fit<Option<i128>> {
    let (Value::String(wanted), None) = (value, integer(value)) else {
        return Ok(integer(value));
    };
    let info = u32_at(ty, 4).ok_or(DAMAGED)?;
    let is_wide = kind_of(info) == BTF_KIND_ENUM64;
    let values = ty[TYPE_BYTES..].chunks_exact(if is_wide { 12 } else { 8 });
    let values: BTreeMap<_, i128> = values
        .map(|value| {
            let [name, low, high] = [0, 4, 8].map(|at| u32_at(value, at).unwrap_or_default());
            let wide = u64::from(high) << 32 | u64::from(low);
            let value = match (is_wide, info >> 31 == 1) {
                (false, true) => (low as i32).into(),
                (false, false) => low.into(),
                (true, true) => (wide as i64).into(),
                (true, false) => wide.into(),
            };
            (types.text(name), value)
        })
        .collect();
    values.get(wanted).copied().map(Some).ok_or_else(|| {
        format!(
            "{at}: `{wanted}` is no name of its enum; it has {}",
            list(values.keys())
        )
    })
}

/// Lists the first names.
fn list<'a>(mut names: impl Iterator<Item = &'a String>) -> String {
    let first: Vec<_> = names
        .by_ref()
        .take(MAX_LISTED)
        .map(String::as_str)
        .collect();
    let more = names.next().map_or("", |_| ", …");
    format!("{}{more}", first.join(", "))
}

/// Whether an integer has a sign; `None`: not known.
fn sign_of(ty: &[u8]) -> Option<bool> {
    Some(u32_at(ty, TYPE_BYTES)? >> 24 & BTF_INT_SIGNED != 0)
}

/// Writes an integer of so many bits from a bit on, the lowest bit first.
fn put_integer(
    value: Option<i128>,
    bits: u32,
    sign: Option<bool>,
    out: &mut [u8],
    from: usize,
    at: &str,
) -> Fit {
    if !(1..=128).contains(&bits) {
        return Err(DAMAGED.into());
    }
    let (half, whole) = (
        i128::MAX >> (128 - bits),
        i128::MAX >> 127_u32.saturating_sub(bits),
    );
    let least = if sign == Some(false) { 0 } else { -half - 1 };
    let most = if sign == Some(true) { half } else { whole };
    let value = value.filter(|value| (least..=most).contains(value));
    let value = value.ok_or_else(|| format!("{at} takes an integer from {least} to {most}"))?;
    for bit in 0..bits {
        let place = from + bit as usize;
        let byte = out.get_mut(place / 8).ok_or(DAMAGED)?;
        *byte = *byte & !(1 << (place % 8)) | ((value >> bit & 1) as u8) << (place % 8);
    }
    Ok(())
}

/// The integer that a number, its digits (`-1`, `0x1f`) or a boolean gives.
fn integer(value: &Value) -> Option<i128> {
    let text = match value {
        Value::Bool(value) => return Some((*value).into()),
        Value::Number(number) => return number.as_i128(),
        other => other.as_str()?,
    };
    let negative = text.strip_prefix('-');
    let digits = negative.unwrap_or(text);
    let (digits, radix) = hex(digits).map_or((digits, 10), |digits| (digits, 16));
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size = is_plain.then(|| i128::from_str_radix(digits, radix).ok())??;
    Some(if negative.is_some() { -size } else { size })
}

/// Parses `0x` and two digits for each byte.
fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    let digits = hex(value.as_str()?).filter(|digits| !digits.is_empty())?;
    let byte = |pair: &[u8]| match pair {
        [b'+', _] | [_] => None,
        _ => u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok(),
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}

fn hex(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &[u8] = include_bytes!("../tests/fixtures/preset.bpf.o");

    /// Lays out one preset, given as JSON.
    fn lay_out(variables: &str, entries: &str) -> (Preset, Vec<Option<String>>) {
        let preset = format!(r#"{{"name":"a","variables":[{variables}],"entries":[{entries}]}}"#);
        let request = format!(r#"{{"presets":[{preset}],"sections":{{}}}}"#);
        let answer = answer(&serde_json::from_str(&request).unwrap(), OBJECT).unwrap();
        answer.presets.into_iter().next().unwrap()
    }

    /// Bytes of `cfg` with one field set, or why it cannot be.
    fn config(field: &str) -> Fit<Vec<u8>> {
        let (preset, outcomes) = lay_out(&format!(r#"["cfg",{{{field}}}]"#), "");
        let bytes = preset.data.into_iter().next().map(|patch| patch.bytes);
        bytes.ok_or_else(|| outcomes[0].clone().unwrap())
    }

    #[test]
    fn a_variable_is_where_the_object_has_it_and_keeps_what_is_left_out() {
        let given = r#"["max_depth",16],["zeros",[0,5]],["total",4],["gone",1],["pointer",1]"#;
        let (preset, outcomes) = lay_out(given, "");
        let all = preset
            .data
            .iter()
            .map(|own| (&*own.map, own.at, &*own.bytes));
        let wanted: [(&str, usize, &[u8]); 3] = [
            (".rodata", 0, &[16, 0, 0, 0]),
            (".bss", 8, &[0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]),
            (".data", 0, &[4, 0, 0, 0, 0, 0, 0, 0]),
        ];
        assert_eq!(all.collect::<Vec<_>>(), wanted);
        let reason = "pointer is neither a number, an array nor a struct, and cannot be set";
        let outcomes: Vec<_> = outcomes.iter().map(Option::as_deref).collect();
        assert_eq!(outcomes, [Some(""), Some(""), Some(""), None, Some(reason)]);
        let kept = [80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 9, 9];
        assert_eq!(config(r#""flags":[1]"#).unwrap()[..14], kept);
    }

    #[test]
    fn fields_take_values_of_their_types() {
        let cases: [(&str, usize, &[u8]); 14] = [
            (r#""port":443"#, 0, &[0xbb, 1]),
            (r#""port":"0xffff""#, 0, &[0xff, 0xff]),
            (r#""mode":"ACTIVE""#, 4, &[7, 0, 0, 0]),
            (r#""mode":1"#, 4, &[1, 0, 0, 0]),
            (r#""level":-128"#, 8, &[0x80]),
            (r#""strict":true"#, 9, &[1]),
            (r#""flags":"0x01020304""#, 10, &[1, 2, 3, 4]),
            (r#""name":"abcdefgh""#, 14, b"abcdefgh"),
            (r#""name":"a""#, 14, b"a\0\0\0\0\0\0\0"),
            (r#""low":31"#, 22, &[0x1f, 0]),
            (r#""high":2047"#, 22, &[0xe0, 0xff]),
            (r#""limit":"18446744073709551615""#, 24, &[0xff; 8]),
            (r#""half":1"#, 24, &[1, 0, 0, 0, 0, 0, 0, 0]),
            (
                r#""inner":[{"depth":1},{"depth":2}]"#,
                32,
                &[1, 0, 0, 0, 2, 0, 0, 0],
            ),
        ];
        for (field, at, wanted) in cases {
            assert_eq!(
                config(field).unwrap()[at..at + wanted.len()],
                *wanted,
                "{field}"
            );
        }
    }

    #[test]
    fn values_that_do_not_fit_a_field_say_what_it_takes() {
        for (field, reason) in [
            (
                r#""port":65536"#,
                "cfg.port takes an integer from 0 to 65535",
            ),
            (r#""port":-1"#, "cfg.port takes an integer from 0 to 65535"),
            (
                r#""port":"+1""#,
                "cfg.port takes an integer from 0 to 65535",
            ),
            (
                r#""level":128"#,
                "cfg.level takes an integer from -128 to 127",
            ),
            (r#""strict":2"#, "cfg.strict takes an integer from 0 to 1"),
            (r#""high":2048"#, "cfg.high takes an integer from 0 to 2047"),
            (
                r#""prt":1"#,
                "cfg has no field `prt`; it has port, mode, level, strict, flags, name",
            ),
            (
                r#""mode":"ACTIV""#,
                "cfg.mode: `ACTIV` is no name of its enum; it has ACTIVE, PASSIVE",
            ),
            (r#""flags":[1,2,3,4,5]"#, "cfg.flags has 4 elements, not 5"),
            (
                r#""flags":[1,256]"#,
                "cfg.flags[1] takes an integer from 0 to 255",
            ),
            (
                r#""flags":"0x01""#,
                "cfg.flags takes a list, or its 4 bytes: \"0x\" and two digits",
            ),
            (
                r#""name":"abcdefghi""#,
                "cfg.name has 8 bytes, `abcdefghi` 9",
            ),
            (
                r#""inner":[1]"#,
                "cfg.inner[0] takes a table, or its 4 bytes",
            ),
        ] {
            let found = config(field).unwrap_err();
            assert!(found.starts_with(reason), "{field}: {found}");
        }
    }

    #[test]
    fn entries_have_keys_and_values_by_type_or_by_size() {
        let (preset, outcomes) = lay_out(
            "",
            r#"["allowed",443,{"verdict":3}],["counts",1,"0x01020304"],["queue",null,0],["counts","0x01",1]"#,
        );
        let all = preset
            .entries
            .iter()
            .map(|own| (&*own.map, &*own.key, &*own.value));
        let wanted: [(&str, &[u8], &[u8]); 3] = [
            (
                "allowed",
                &[0xbb, 1],
                &[0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
            ),
            ("counts", &[1, 0, 0, 0], &[1, 2, 3, 4]),
            ("queue", &[], &[0; 4]),
        ];
        assert_eq!(all.collect::<Vec<_>>(), wanted);
        let reason = outcomes[3].as_deref().unwrap();
        assert!(
            reason
                .starts_with("key of `counts` has no type in the object's BTF; give its 4 bytes,")
        );
    }

    #[test]
    fn a_struct_in_itself_is_visited_once() {
        // A struct whose only member has no name and is that struct.
        let words = [24, 0, 24, 24, 1, 0, BTF_KIND_STRUCT << 24 | 1, 8, 0, 1, 0];
        let bytes = words.iter().flat_map(|word: &u32| word.to_le_bytes());
        let blob: Vec<u8> = [0x9f, 0xeb, 1, 0]
            .into_iter()
            .chain(bytes)
            .chain([0])
            .collect();
        let types = Types::parse(&blob).unwrap();
        assert_eq!(members(&types, types.get(1).unwrap()).len(), 0);
    }
}
