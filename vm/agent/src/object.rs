//! Object: reads a BPF object and links its programs, by `aya-obj`.
//!
//! Objects are not trusted: `aya-obj` panics on some that are damaged. So everything it
//! does here runs under `catch_unwind`. That does not stop a stack overflow, exhausted
//! memory or an endless loop; the caller's process has to handle those.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result, anyhow, ensure};
use aya_obj::btf::Btf;
use aya_obj::generated::{
    BPF_F_RDONLY_PROG, BPF_PSEUDO_BTF_ID, BPF_PSEUDO_KFUNC_CALL, BPF_PSEUDO_MAP_FD,
    BPF_PSEUDO_MAP_VALUE, BTF_KIND_DATASEC, BTF_KIND_FUNC, bpf_func_info, bpf_line_info,
    bpf_map_type,
};
use aya_obj::maps::{LegacyMap, bpf_map_def};
use aya_obj::{EbpfSectionKind, Function, Map, Object as Parsed, Program as ParsedProgram};
use object::Endianness;

use crate::bpf::{self, Insn};
use crate::bpf_load::LINE_INFO_BYTES;
use crate::btf::{self, LineInfo};
use crate::contexts;
use crate::digest::sha256;
use crate::elf::{self, Extern, ExternKind};
use crate::hook::Hook;
use crate::kconfig::{self, Wanted};
use crate::kernel::{self, Address, Kernel};
use crate::panicked::panic_message;
use crate::relocations::{self, Instead};
use crate::section::{Kind, Target};
use crate::struct_ops::{self, Place};
use crate::types::{MAX_DEPTH, Types, without_flavor};

/// The number that libbpf calls instead of a missing weak kernel function. It is valid as
/// long as the verifier finds that it is never called.
const MISSING_KFUNC: i32 = 2_002_000_000;

/// The number that Aya and libbpf call instead of the instruction of a CO-RE relocation for which
/// the kernel has nothing.
const POISON: i32 = 0xbad_2310;

/// The map with the values of `__kconfig` variables, by libbpf's name.
const KCONFIG: &str = ".kconfig";

/// A BPF object for one kernel.
pub struct Object {
    parsed: Parsed,
    /// Programs in the order of the object.
    programs: Vec<Program>,
    /// Maps sorted by name.
    maps: Vec<(String, Map)>,
    externs: Vec<Extern>,
    /// BTF ids of the kernel functions that it declares with a flavor, by the full name.
    flavors: BTreeMap<String, Option<u32>>,
    /// Names of the callback functions for exceptions, by program.
    callbacks: BTreeMap<String, Vec<String>>,
    /// Whether the kernel knows the tags that name those.
    has_tags: bool,
    /// Offsets of the `__kconfig` variables in their map, by name, or why they have no
    /// value.
    kconfig: BTreeMap<String, Result<u32, String>>,
    /// Addresses of the typeless externs, or why the kernel's symbols cannot be read.
    addresses: Result<BTreeMap<String, Address>, String>,
    /// Why maps cannot be made, by map name.
    map_defects: BTreeMap<String, String>,
    /// See [`elf::Prepared`].
    map_extras: BTreeMap<String, u64>,
    /// Why some functions cannot be used; their numbers follow those of `externs`.
    defects: Vec<String>,
    /// Sections with code.
    code: HashSet<usize>,
    /// BTF in the form that this kernel accepts.
    btf: Option<Vec<u8>>,
    /// Versions of functions for types of programs; see [`contexts::Retyped`].
    versions: BTreeMap<(u32, u32), u32>,
    /// Why `btf` is missing although the object has BTF.
    btf_defect: Option<String>,
}

/// A program before it is linked.
struct Program {
    name: String,
    section: String,
    kind: Result<Kind, String>,
    /// Its hook, or why it has none.
    hook: Result<Hook, String>,
    parsed: ParsedProgram,
    /// The place in the kernel of what a `struct_ops` program implements, if the object names
    /// it.
    operation: Option<Result<Place, String>>,
}

/// A program with all the functions that it calls.
#[derive(Debug)]
pub struct Linked {
    /// Its instructions; those in `map_references` are not final.
    pub insns: Vec<Insn>,
    /// Instructions that refer to maps: index of the instruction, index of the map.
    pub map_references: Vec<(usize, usize)>,
    /// Instructions that the verifier must not reach, and why, because they need what the kernel
    /// does not have.
    pub unresolved: Vec<(usize, String)>,
    /// The starts of its functions.
    pub functions: Vec<bpf_func_info>,
    /// Its source lines, in the order of instructions.
    pub lines: Vec<LineInfo>,
    /// `functions` in the form that the kernel accepts.
    pub func_info: Vec<u8>,
    /// `lines` in the form that the kernel accepts.
    pub line_info: Vec<u8>,
}

/// Runs `work`, and turns a panic into an error.
pub fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(anyhow!(
            "the loader cannot {what}: {}",
            panic_message(&*panic)
        ))
    })
}

impl Object {
    /// Reads an object. The error says in one line why that failed. `sections`: names of
    /// sections to take others for.
    pub fn parse(
        data: &[u8],
        kernel: &Kernel,
        sections: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let Adapted {
            prepared,
            mut parsed,
            btf,
            btf_defect,
        } = adapt(data, kernel)?;
        let Found {
            operations,
            flavors,
        } = look_up(&prepared, kernel);
        let types = Types::parse(&prepared.btf);
        let mut programs: Vec<Program> = std::mem::take(&mut parsed.programs)
            .into_iter()
            .filter(|(_, program)| prepared.programs.contains(&program.function_key()))
            .map(|(name, parsed)| {
                let section = prepared
                    .sections
                    .get(&parsed.section_index)
                    .cloned()
                    .unwrap_or_default();
                let given = sections.get(&section);
                let named = given.unwrap_or(&section);
                let kind = kind_of(types.as_ref(), &name, named).map_err(|reason| match given {
                    None => reason,
                    Some(given) => format!(
                        "[[program]] gives section {section:?} the type {given:?}: {reason}"
                    ),
                });
                let operation = operations.get(&parsed.function_key()).cloned();
                let hook = match &operation {
                    Some(Ok(place)) => place.call.clone().map(Hook::from),
                    _ => kind.clone().and_then(|kind| Hook::of(named, &kind)),
                };
                Program {
                    kind,
                    hook,
                    section,
                    operation,
                    name,
                    parsed,
                }
            })
            .collect();
        programs.sort_by_key(|program| program.parsed.function_key());
        let kinds = programs
            .iter()
            .filter_map(|program| program.kind.as_ref().ok());
        let prog_types = kinds.map(|kind| kind.prog_type).collect();
        let retyped = btf
            .as_ref()
            .and_then(|btf| contexts::retype(btf, types.as_ref()?, &prog_types));
        let (btf, versions) = match retyped {
            Some(retyped) => (Some(retyped.blob), retyped.functions),
            None => (btf, BTreeMap::new()),
        };
        let mut maps: Vec<(String, Map)> = std::mem::take(&mut parsed.maps).into_iter().collect();
        let kconfig = add_kconfig(&prepared.externs, kernel, &mut maps);
        maps.sort_by(|(one, _), (other, _)| one.cmp(other));
        let code = parsed
            .functions
            .keys()
            .map(|&(section, _)| section)
            .collect();
        let mut object = Self {
            parsed,
            programs,
            maps,
            addresses: addresses_of(&prepared.externs),
            externs: prepared.externs,
            flavors,
            callbacks: prepared.callbacks,
            has_tags: kernel.features.btf_decl_tag(),
            kconfig,
            map_defects: prepared.map_defects,
            map_extras: prepared.map_extras,
            defects: Vec::new(),
            code,
            btf,
            versions,
            btf_defect,
        };
        object.refer_to_maps();
        Ok(object)
    }

    /// The number of its programs.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Name and section of a program.
    pub fn program(&self, index: usize) -> (&str, &str) {
        let program = &self.programs[index];
        (&program.name, &program.section)
    }

    /// A program's type and how it is attached, or why that is not known.
    pub fn kind(&self, index: usize) -> Result<Kind, String> {
        self.programs[index].kind.clone()
    }

    /// A program's hook, or why it has none.
    pub fn hook(&self, index: usize) -> Result<Hook, String> {
        self.programs[index].hook.clone()
    }

    /// The place in the kernel of what a `struct_ops` program implements, or why it has none;
    /// `None` if the object does not name it.
    pub fn operation(&self, index: usize) -> Option<Result<Place, String>> {
        self.programs[index].operation.clone()
    }

    /// Its license; without one, programs may not use GPL-only helpers.
    pub fn license(&self) -> CString {
        self.parsed.license.clone()
    }

    /// The kernel version that it declares, or 0.
    pub fn kernel_version(&self) -> u32 {
        self.parsed.kernel_version.unwrap_or(0)
    }

    /// Names and definitions of its maps.
    pub fn maps(&self) -> &[(String, Map)] {
        &self.maps
    }

    /// Why a map cannot be made, if that is known.
    pub fn map_defect(&self, name: &str) -> Option<&str> {
        self.map_defects.get(name).map(String::as_str)
    }

    /// The number of a map whose meaning depends on its type (`map_extra`).
    pub fn map_extra(&self, name: &str, map: &Map) -> u64 {
        let long = self.map_extras.get(name).copied();
        long.unwrap_or_else(|| map.map_extra())
    }

    /// Its BTF, after replacing what this kernel does not accept.
    pub fn btf(&self) -> Option<&[u8]> {
        self.btf.as_deref()
    }

    /// BTF ids of the contents of data sections, by section name.
    pub fn data_types(&self) -> BTreeMap<String, u32> {
        let types = self.btf().and_then(Types::parse);
        types.map_or_else(BTreeMap::new, |types| {
            let sections = types.named(BTF_KIND_DATASEC);
            sections
                .map(|(name, id, _)| (String::from_utf8_lossy(name).into_owned(), id))
                .collect()
        })
    }

    /// Why it has no BTF although it should have some.
    pub fn btf_defect(&self) -> Option<&str> {
        self.btf_defect.as_deref()
    }

    /// Makes each function refer to maps by their index. A function for which that is
    /// impossible gets a mark instead, which shows in the programs that use it.
    fn refer_to_maps(&mut self) {
        let functions = std::mem::take(&mut self.parsed.functions);
        let mut done = BTreeMap::new();
        for (key, function) in functions {
            let mut original = function.clone();
            self.parsed.functions = BTreeMap::from([(key, function)]);
            let maps = self
                .maps
                .iter()
                .enumerate()
                .map(|(index, (name, map))| (name.as_str(), index as i32, map));
            let parsed = &mut self.parsed;
            let code = &self.code;
            let result = guarded("find its maps", || Ok(parsed.relocate_maps(maps, code)?));
            let function = std::mem::take(&mut self.parsed.functions).remove(&key);
            match (result, function) {
                (Ok(()), Some(function)) => {
                    done.insert(key, function);
                }
                (result, _) => {
                    let reason = result
                        .err()
                        .map_or_else(String::new, |error| format!("{error:#}"));
                    let number = self.externs.len() + self.defects.len();
                    if let Some(first) = original.instructions.first_mut() {
                        first.code = bpf::CALL;
                        first.set_src_reg(0);
                        first.imm = elf::marked_call(number);
                    }
                    self.defects.push(format!(
                        "function {} cannot be linked: {reason}",
                        original.name
                    ));
                    done.insert(key, original);
                }
            }
        }
        self.parsed.functions = done;
    }

    /// Links a program. The error says in one line what the loader or the kernel does not
    /// support.
    pub fn link(&mut self, index: usize, kernel: &Kernel) -> Result<Linked> {
        let program = self.programs[index].parsed.clone();
        let mut linked = self.link_function(&program)?;
        if let Some(callback) = self.callback(index)? {
            let callback = self.link_function(&ParsedProgram {
                section_index: callback.0,
                address: callback.1,
                ..program
            })?;
            append(&mut linked, callback)?;
        }
        if let Ok(Kind { prog_type, .. }) = self.programs[index].kind {
            for info in &mut linked.func_info.func_info {
                let version = self.versions.get(&(prog_type, info.type_id));
                info.type_id = version.copied().unwrap_or(info.type_id);
            }
        }
        self.resolve(&linked, kernel)
    }

    /// Links a function with all the functions that it calls.
    fn link_function(&mut self, program: &ParsedProgram) -> Result<Function> {
        let key = program.function_key();
        let original = self
            .parsed
            .functions
            .get(&key)
            .context("its function is missing")?
            .clone();
        let mut first = original.clone();
        // `aya-obj` counts those of functions that are no programs from the section's start.
        let start = first
            .func_info
            .func_info
            .first()
            .map_or(0, |info| info.insn_off);
        for info in &mut first.func_info.func_info {
            info.insn_off = info.insn_off.saturating_sub(start);
        }
        for line in &mut first.line_info.line_info {
            line.insn_off = line.insn_off.saturating_sub(start);
        }
        self.parsed.functions.insert(key, first);
        self.parsed.programs = HashMap::from([(String::new(), program.clone())]);
        let parsed = &mut self.parsed;
        let code = &self.code;
        let result = guarded("link it", || Ok(parsed.relocate_calls(code)?));
        self.parsed.programs.clear();
        // Other programs link the original function.
        let linked = self.parsed.functions.insert(key, original);
        result?;
        linked.context("its function is missing")
    }

    /// Section and address of the function in which a program ends that throws an
    /// exception, if it has one of its own (`bpf_prog_assign_exc_cb` of libbpf).
    fn callback(&self, index: usize) -> Result<Option<(usize, u64)>> {
        let [name] = self
            .callbacks
            .get(&self.programs[index].name)
            .map_or(&[][..], Vec::as_slice)
        else {
            // The verifier refuses a program with two.
            return Ok(None);
        };
        if !self.has_tags {
            return Ok(None);
        }
        let is_program = |key| {
            let mut programs = self.programs.iter();
            programs.any(|program| program.parsed.function_key() == key)
        };
        let mut functions = self.parsed.functions.iter();
        let found = functions.find(|(key, function)| function.name == *name && !is_program(**key));
        let (key, _) = found
            .with_context(|| format!("its exception callback `{name}` is not in the object"))?;
        Ok(Some(*key))
    }

    /// SHA-256 of what the kernel gets of a program: its instructions, the maps that they
    /// refer to, by name, and the license. Equal for a copy in another object.
    pub fn digest(&self, linked: &Linked) -> String {
        let mut insns = linked.insns.clone();
        let mut maps = Vec::new();
        for &(insn, map) in &linked.map_references {
            let source = insns[insn].source();
            insns[insn].set(source, 0);
            let (name, map) = &self.maps[map];
            let layout = [map.map_type(), map.key_size(), map.value_size()];
            let more = [map.max_entries(), map.map_flags()];
            maps.extend(format!("{name}\0{layout:?}{more:?}").into_bytes());
            maps.extend(map.data());
        }
        let code: Vec<u8> = insns.iter().flat_map(Insn::bytes).collect();
        sha256([&code[..], &maps[..], self.license().as_bytes()])
    }

    /// Replaces [`Object::digest`] if a program cannot be linked: SHA-256 of its
    /// function's instructions as they are in the object.
    pub fn unlinked_digest(&self, index: usize) -> Option<String> {
        let key = self.programs[index].parsed.function_key();
        let function = self.parsed.functions.get(&key)?;
        let insns = function.instructions.iter().copied().map(Insn);
        let code: Vec<u8> = insns.flat_map(|insn| insn.bytes()).collect();
        Some(sha256([&code[..]]))
    }

    fn resolve(&self, function: &Function, kernel: &Kernel) -> Result<Linked> {
        let mut insns: Vec<Insn> = function.instructions.iter().copied().map(Insn).collect();
        let mut map_references = Vec::new();
        let mut unresolved = Vec::new();
        let mut at = 0;
        while at < insns.len() {
            let insn = insns[at];
            let wide = insn.code() == bpf::LOAD_64;
            let next = insns.get(at + 1).map_or(0, Insn::immediate);
            if let Some(number) = elf::mark_of(insn.code(), insn.source(), insn.immediate(), next) {
                if let Some(wanted) = self.externs.get(number) {
                    let meaning = self.encode(wanted, insn.code(), kernel)?;
                    if let (bpf::CALL, POISON | MISSING_KFUNC) = (insn.code(), meaning.low) {
                        unresolved.push((at, describe_unresolved(wanted)));
                    }
                    insns[at].set(meaning.source, meaning.low);
                    if wide {
                        insns[at + 1].set(0, meaning.high);
                        if meaning.source == BPF_PSEUDO_MAP_VALUE {
                            map_references.push((at, meaning.low as usize));
                        }
                    }
                } else if let Some(defect) = self.defects.get(number - self.externs.len()) {
                    return Err(anyhow!("{defect}"));
                }
            } else if wide && matches!(insn.source(), BPF_PSEUDO_MAP_FD | BPF_PSEUDO_MAP_VALUE) {
                let map = usize::try_from(insn.immediate())
                    .ok()
                    .filter(|&map| map < self.maps.len())
                    .context("it refers to a map that is not in the object")?;
                map_references.push((at, map));
            }
            at += if wide { 2 } else { 1 };
        }
        let mut functions = function.func_info.clone();
        functions.func_info.sort_by_key(|info| info.insn_off);
        let mut lines = function.line_info.clone();
        lines.line_info.sort_by_key(|line| line.insn_off);
        let line_info = lines.line_info_bytes();
        Ok(Linked {
            insns,
            map_references,
            unresolved,
            func_info: functions.func_info_bytes(),
            functions: functions.func_info,
            lines: btf::parse_line_info(&line_info, LINE_INFO_BYTES),
            line_info,
        })
    }
}

/// Why the verifier must not reach a call of what the kernel does not have.
fn describe_unresolved(Extern { name, kind, .. }: &Extern) -> String {
    match kind {
        ExternKind::Missing => name.clone(),
        _ => format!(
            "it calls the kernel function `{name}`, which is __weak and which this kernel does not have: call it only where bpf_ksym_exists({name}) is true"
        ),
    }
}

/// Adds a linked function that nothing calls to a linked program.
fn append(linked: &mut Function, callback: Function) -> Result<()> {
    let types = |function: &Function| -> BTreeSet<u32> {
        let functions = function.func_info.func_info.iter();
        functions.map(|info| info.type_id).collect()
    };
    let own = callback.func_info.func_info.first();
    if own.is_some_and(|own| types(linked).contains(&own.type_id)) {
        // The program calls it, which the verifier refuses.
        return Ok(());
    }
    // The verifier would count what both have twice, which libbpf adds once.
    ensure!(
        types(linked).is_disjoint(&types(&callback)),
        "it needs a loader of exception callbacks that share functions with their program"
    );
    let start = linked.instructions.len() as u32;
    let mut functions = callback.func_info.func_info;
    functions.iter_mut().for_each(|info| info.insn_off += start);
    let mut lines = callback.line_info.line_info;
    lines.iter_mut().for_each(|line| line.insn_off += start);
    linked.instructions.extend(callback.instructions);
    linked.func_info.func_info.extend(functions);
    linked.line_info.line_info.extend(lines);
    Ok(())
}

/// Encodes a kernel item in an instruction: its source register, its immediate value, and
/// the next instruction's.
struct Meaning {
    source: u32,
    low: i32,
    high: i32,
}

impl Meaning {
    fn new(source: u32, low: i32, high: i32) -> Self {
        Self { source, low, high }
    }
}

impl Object {
    fn function(&self, name: &str, kernel: &Kernel) -> Option<u32> {
        match self.flavors.get(name) {
            Some(found) => *found,
            None => kernel.function(name),
        }
    }

    /// Encodes `wanted` for an instruction with `opcode`.
    fn encode(&self, wanted: &Extern, opcode: u8, kernel: &Kernel) -> Result<Meaning> {
        let Extern { name, weak, kind } = wanted;
        match kind {
            ExternKind::Kconfig(_) => {
                let at = self.kconfig.get(name).context("it is not in its map")?;
                let at = at.as_ref().map_err(|reason| anyhow!("{reason}"))?;
                let map = self.maps.iter().position(|(name, _)| name == KCONFIG);
                let map = map.context("its map is missing")?;
                Ok(Meaning::new(BPF_PSEUDO_MAP_VALUE, map as i32, *at as i32))
            }
            ExternKind::Typeless => {
                let addresses = self.addresses.as_ref();
                let found = addresses.map_err(|reason| {
                    anyhow!("it takes the address of `{name}` (__ksym): {reason}")
                })?;
                match found.get(name) {
                    Some(Some(address)) => {
                        Ok(Meaning::new(0, *address as i32, (address >> 32) as i32))
                    }
                    Some(None) => Err(anyhow!(
                        "it takes the address of `{name}` (__ksym), of which this kernel has more than one"
                    )),
                    None if *weak => Ok(Meaning::new(0, 0, 0)),
                    None => Err(anyhow!(
                        "it takes the address of `{name}` (__ksym), which this kernel does not have: declare it __weak to read 0 instead"
                    )),
                }
            }
            ExternKind::Missing => Ok(Meaning::new(0, POISON, 0)),
            ExternKind::Elsewhere if elf::describe_builtin(name).is_some() => Err(anyhow!(
                "{}",
                elf::describe_builtin(name).unwrap_or_default()
            )),
            ExternKind::Elsewhere => Err(anyhow!(
                "it needs `{name}` of another object: join them with `bpftool gen object`, or declare it __ksym if it is the kernel's"
            )),
            ExternKind::Arena(at) => {
                let is_arena = |(_, map): &&(String, Map)| {
                    map.map_type() == bpf_map_type::BPF_MAP_TYPE_ARENA as u32
                };
                let count = self.maps.iter().filter(is_arena).count();
                let map = self.maps.iter().position(|map| is_arena(&map));
                let map = map.filter(|_| count == 1).with_context(|| {
                    format!("its variable `{name}` lies in an arena, of which the object has {count}: it needs one")
                })?;
                Ok(Meaning::new(BPF_PSEUDO_MAP_VALUE, map as i32, *at as i32))
            }
            ExternKind::Unsupported => Err(anyhow!("{name}")),
            ExternKind::Typed if opcode == bpf::CALL => match self.function(name, kernel) {
                Some(id) => Ok(Meaning::new(BPF_PSEUDO_KFUNC_CALL, id as i32, 0)),
                None if *weak => Ok(Meaning::new(0, MISSING_KFUNC, 0)),
                None if self.flavors.contains_key(name) => Err(anyhow!(
                    "it calls `{name}`, a flavor of a kernel function that the kernel's BTF does not have with this type: it needs another kernel, or a module"
                )),
                None => Err(anyhow!(
                    "it calls the kernel function `{name}`, which the kernel's BTF does not have: it needs another kernel, or a module"
                )),
            },
            ExternKind::Typed => match kernel
                .variable(name)
                .or_else(|| self.function(name, kernel))
            {
                Some(id) => Ok(Meaning::new(BPF_PSEUDO_BTF_ID, id as i32, 0)),
                None if *weak => Ok(Meaning::new(0, 0, 0)),
                None => Err(anyhow!(
                    "it takes the address of `{name}`, which the kernel's BTF does not have: it needs another kernel, or a module"
                )),
            },
        }
    }
}

/// An object as `aya-obj` reads it, adapted to the kernel (CO-RE).
struct Adapted {
    prepared: elf::Prepared,
    parsed: Parsed,
    btf: Option<Vec<u8>>,
    btf_defect: Option<String>,
}

/// Limit of the relocation sets examined to find those that fail; each is halved.
const MOST_SETS: usize = 256;

/// Adapts an object to the kernel. `aya-obj` gives up the whole object for one failing
/// relocation. So failing relocations are found by bisection and removed.
fn adapt(data: &[u8], kernel: &Kernel) -> Result<Adapted> {
    let unchanged = guarded("read it", || elf::prepare(data, &BTreeMap::new()))?;
    let given = values(&unchanged, kernel);
    if let Ok(adapted) = try_to_adapt(data, kernel, &given, Arrays::AsTheyAre)? {
        return Ok(adapted);
    }
    let try_without = |refused: &BTreeMap<usize, Instead>| {
        let instead = given.iter().chain(refused);
        let instead = instead.map(|(&number, instead)| (number, instead.clone()));
        try_to_adapt(data, kernel, &instead.collect(), Arrays::Long)
    };
    let error = match try_without(&BTreeMap::new())? {
        Ok(adapted) => return Ok(adapted),
        Err(error) => error,
    };
    let count = unchanged.relocations.len();
    let mut refused = BTreeMap::new();
    let mut parts = vec![(0..count, format!("{error:#}"))];
    for _ in 0..MOST_SETS {
        let Some((part, reason)) = parts.pop() else {
            return try_without(&refused)?;
        };
        if part.len() == 1 {
            refused.insert(part.start, Instead::Refuse(reason));
            continue;
        }
        let middle = part.start + part.len() / 2;
        for half in [part.start..middle, middle..part.end] {
            let others = (0..count)
                .filter(|number| !half.contains(number))
                .map(|number| (number, Instead::Refuse(String::new())))
                .collect();
            if let Err(error) = try_without(&others)? {
                parts.push((half, format!("{error:#}")));
            }
        }
    }
    Err(error)
}

/// Values of CO-RE relocations that `aya-obj` does not find.
fn values(prepared: &elf::Prepared, kernel: &Kernel) -> BTreeMap<usize, Instead> {
    let wanted = &prepared.relocations;
    if !wanted.iter().any(|relocation| relocation.is_of_types()) {
        return BTreeMap::new();
    }
    let blob = kernel.blob().unwrap_or_default();
    match (Types::parse(&prepared.btf), Types::parse(&blob)) {
        (Some(own), Some(types)) => relocations::values(wanted, &own, &types),
        _ => BTreeMap::new(),
    }
}

/// Arrays without a length at the end of structures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrays {
    AsTheyAre,
    /// Long enough for relocations: `aya-obj` 0.3.0 mistakes the index of an element for
    /// that of the member, and refuses `args[1]` of `struct bpf_raw_tracepoint_args`.
    Long,
}

/// The inner error is about adapting alone, the outer one about the object.
fn try_to_adapt(
    data: &[u8],
    kernel: &Kernel,
    instead: &BTreeMap<usize, Instead>,
    arrays: Arrays,
) -> Result<Result<Adapted>> {
    let mut prepared = guarded("read it", || elf::prepare(data, instead))?;
    let mut parsed = guarded("read it", || Ok(Parsed::parse(&prepared.file)?))?;
    add_infos(&mut parsed, &prepared);
    let (btf, btf_defect) = fit_btf(&mut parsed, kernel);
    if arrays == Arrays::Long {
        // Without BTF nothing would be relocated, without an error.
        if let Some(btf) = &parsed.btf {
            let blob = btf::with_long_arrays(&btf.to_bytes()).context("its BTF is damaged")?;
            parsed.btf = Some(Btf::parse(&blob, Endianness::Little)?);
        }
    }
    if parsed.has_btf_relocations() {
        let target = kernel
            .btf
            .as_ref()
            .map_err(|missing| anyhow!("it is to be adapted to the kernel (CO-RE): {missing}"))?;
        let adapted = guarded("adapt it to the kernel (CO-RE)", || {
            parsed
                .relocate_btf(target)
                .context("it cannot be adapted to the kernel (CO-RE)")
        });
        if let Err(error) = adapted {
            return Ok(Err(error));
        }
        mark_missing(&mut parsed, &mut prepared);
    }
    Ok(Ok(Adapted {
        prepared,
        parsed,
        btf,
        btf_defect,
    }))
}

/// Marks the calls that `aya-obj` puts in the place of instructions with CO-RE relocations for
/// which the kernel has nothing.
fn mark_missing(parsed: &mut Parsed, prepared: &mut elf::Prepared) {
    let Some(types) = Types::parse(&prepared.btf) else {
        return;
    };
    // Of sections with one name the first has the relocations.
    let mut sections = BTreeMap::new();
    let mut starts = BTreeMap::new();
    for (&key, function) in &parsed.functions {
        let name = prepared
            .sections
            .get(&key.0)
            .map_or(".text", String::as_str);
        sections.entry(name).or_insert(key.0);
        starts.insert((key.0, function.section_offset), key);
    }
    let mut numbers = BTreeMap::new();
    for relocation in &prepared.relocations {
        if prepared.externs.len() == elf::MAX_EXTERNS {
            return;
        }
        let (offset, name) = (relocation.offset as usize, types.text(relocation.section));
        let section = sections.get(name.as_str()).copied().unwrap_or_default();
        let Some((&(_, start), key)) = starts.range((section, 0)..=(section, offset)).next_back()
        else {
            continue;
        };
        let function = parsed.functions.get_mut(key);
        let insns = function.map(|function| &mut function.instructions);
        let insn = insns.and_then(|insns| insns.get_mut((offset - start) / size_of::<Insn>()));
        let Some(insn) = insn.filter(|insn| insn.code == bpf::CALL && insn.imm == POISON) else {
            continue;
        };
        let Some(name) = relocations::describe_missing(*relocation, &types) else {
            continue;
        };
        let externs = &mut prepared.externs;
        let number = *numbers.entry(name.clone()).or_insert_with(|| {
            externs.push(Extern {
                name,
                weak: false,
                kind: ExternKind::Missing,
            });
            externs.len() - 1
        });
        insn.imm = elf::marked_call(number);
    }
}

/// Gives functions their types and lines, as `aya-obj` would: those of programs count
/// instructions from the function's start, the others from the section's.
fn add_infos(parsed: &mut Parsed, prepared: &elf::Prepared) {
    for (&(section, _), function) in &mut parsed.functions {
        let Some(infos) = prepared.infos.get(&section) else {
            continue;
        };
        let start = (function.section_offset / size_of::<Insn>()) as u32;
        let end = start + function.instructions.len() as u32;
        let origin = if prepared.sections.contains_key(&section) {
            start
        } else {
            0
        };
        let functions = &infos.functions;
        let first = functions.partition_point(|info| info.insn_off < start);
        let own = functions[first..]
            .iter()
            .take_while(|info| info.insn_off == start)
            .map(|info| bpf_func_info {
                insn_off: start - origin,
                ..*info
            });
        function.func_info.func_info = own.collect();
        function.func_info.num_info = function.func_info.func_info.len() as u32;
        let lines = &infos.lines;
        let first = lines.partition_point(|line| line.insn_off < start);
        let own = lines[first..]
            .iter()
            .take_while(|line| line.insn_off < end)
            .map(|line| bpf_line_info {
                insn_off: line.insn_off - origin,
                ..*line
            });
        function.line_info.line_info = own.collect();
        function.line_info.num_info = function.line_info.line_info.len() as u32;
    }
}

impl Linked {
    /// The maps it refers to.
    pub fn maps(&self) -> BTreeSet<usize> {
        self.map_references.iter().map(|&(_, map)| map).collect()
    }
}

/// Whether a map is the content of a data section that never changes.
pub fn is_constant(map: &Map) -> bool {
    map.section_kind() == EbpfSectionKind::Rodata
}

/// A program's type and how it is attached, or why that is not known.
fn kind_of(types: Option<&Types>, name: &str, section: &str) -> Result<Kind, String> {
    let kind = Kind::of(section)?;
    let replaced = match (&kind.target, types) {
        (Target::Program, Some(types)) => contexts::of_extension(types, name),
        _ => None,
    };
    Ok(replaced.unwrap_or(kind))
}

/// Adds the map with the values of `__kconfig` variables, if there are any. Returns the
/// offset of each in it, by name, or why it has no value.
fn add_kconfig(
    externs: &[Extern],
    kernel: &Kernel,
    maps: &mut Vec<(String, Map)>,
) -> BTreeMap<String, Result<u32, String>> {
    let wanted: Vec<Wanted> = externs
        .iter()
        .filter_map(|wanted| match &wanted.kind {
            ExternKind::Kconfig(variable) => Some(Wanted {
                name: &wanted.name,
                weak: wanted.weak,
                variable,
            }),
            _ => None,
        })
        .collect();
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    let (data, places) = kconfig::fill(&wanted, kernel.facts());
    let map = LegacyMap {
        def: bpf_map_def {
            map_type: bpf_map_type::BPF_MAP_TYPE_ARRAY as u32,
            key_size: size_of::<u32>() as u32,
            value_size: data.len() as u32,
            max_entries: 1,
            map_flags: BPF_F_RDONLY_PROG,
            ..bpf_map_def::default()
        },
        inner_def: None,
        // In no section: only marked instructions refer to it.
        section_index: usize::MAX,
        section_kind: EbpfSectionKind::Rodata,
        symbol_index: None,
        data,
    };
    maps.push((KCONFIG.to_owned(), Map::Legacy(map)));
    let names = wanted.iter().map(|wanted| wanted.name.to_owned());
    names.zip(places).collect()
}

/// Results of those lookups in the kernel's BTF that need all of its types.
#[derive(Default)]
struct Found {
    /// Operations of `struct_ops` programs, by section and address.
    operations: BTreeMap<(usize, u64), Result<Place, String>>,
    /// BTF ids of the functions that are declared with a flavor, by the full name.
    flavors: BTreeMap<String, Option<u32>>,
}

fn look_up(prepared: &elf::Prepared, kernel: &Kernel) -> Found {
    let elf::Prepared {
        operations,
        flavors,
        btf,
        ..
    } = prepared;
    if operations.is_empty() && flavors.is_empty() {
        return Found::default();
    }
    let all = |places: Vec<Result<Place, String>>| operations.keys().copied().zip(places).collect();
    let blob = kernel.blob();
    let types = blob.as_ref().map_err(Clone::clone).and_then(|blob| {
        Types::parse(blob).ok_or_else(|| "the kernel's BTF cannot be read: report this".to_owned())
    });
    let types = match types {
        Ok(types) => types,
        Err(reason) => {
            return Found {
                operations: all(vec![Err(reason); operations.len()]),
                flavors: BTreeMap::new(),
            };
        }
    };
    let wanted: Vec<_> = operations.values().collect();
    let plain: BTreeSet<_> = flavors.keys().map(|name| without_flavor(name)).collect();
    let functions: Vec<_> = types
        .named(BTF_KIND_FUNC)
        .filter_map(|(name, id, ty)| Some((str::from_utf8(name).ok()?, id, btf::u32_at(ty, 8)?)))
        .filter(|(name, ..)| plain.contains(name))
        .collect();
    let own = Types::parse(btf);
    let find = |name: &str, wanted: u32| {
        let own = own.as_ref()?;
        let found = functions.iter().find(|(function, _, proto)| {
            *function == without_flavor(name)
                && own.is_compatible(wanted, &types, *proto, MAX_DEPTH)
        });
        found.map(|&(_, id, _)| id)
    };
    Found {
        operations: all(struct_ops::places(&types, &wanted)),
        flavors: flavors
            .iter()
            .map(|(name, &wanted)| (name.clone(), find(name, wanted)))
            .collect(),
    }
}

fn addresses_of(externs: &[Extern]) -> Result<BTreeMap<String, Address>, String> {
    let names: Vec<&str> = externs
        .iter()
        .filter(|wanted| wanted.kind == ExternKind::Typeless)
        .map(|wanted| wanted.name.as_str())
        .collect();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    kernel::addresses(&names)
}

/// The object's BTF after replacing what the kernel does not accept, or why it is
/// missing.
fn fit_btf(parsed: &mut Parsed, kernel: &Kernel) -> (Option<Vec<u8>>, Option<String>) {
    let original = parsed.btf.clone();
    let fitted = guarded("adapt its BTF", || {
        let fitted = parsed
            .fixup_and_sanitize_btf(&kernel.features)
            .context("its BTF cannot be adapted to the kernel")?;
        Ok(fitted.map(|btf| btf.to_bytes()))
    });
    match fitted {
        Ok(bytes) => (bytes, None),
        Err(error) => {
            // It may be half done, and CO-RE needs all of it.
            parsed.btf = original;
            (None, Some(format!("{error:#}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use aya_obj::btf::BtfFeatures;

    use super::*;
    use crate::btf::{self, Btf};
    use crate::kconfig::Facts;

    const GOOD: &[u8] = include_bytes!("../tests/fixtures/good.bpf.o");
    const BAD: &[u8] = include_bytes!("../tests/fixtures/bad.bpf.o");
    const NEWER: &[u8] = include_bytes!("../tests/fixtures/newer.bpf.o");
    const CORNERS: &[u8] = include_bytes!("../tests/fixtures/corners.bpf.o");
    const FIXUPS: &[u8] = include_bytes!("../tests/fixtures/fixups.bpf.o");

    fn kernel() -> Kernel {
        Kernel {
            btf: Err("the kernel has no BTF of its own".into()),
            features: BtfFeatures::default(),
            facts: OnceLock::from(Facts {
                version: 6 << 16 | 1 << 8 | 176,
                has_bpf_cookie: true,
                has_syscall_wrapper: true,
                config: Ok("CONFIG_BPF_SYSCALL=y\nCONFIG_HZ=250\n".into()),
            }),
            config: None,
        }
    }

    fn find(object: &Object, name: &str) -> usize {
        (0..object.len())
            .find(|&index| object.program(index).0 == name)
            .unwrap()
    }

    fn maps_of(object: &Object, linked: &Linked) -> Vec<String> {
        let name = |map: usize| object.maps()[map].0.clone();
        linked.maps().into_iter().map(name).collect()
    }

    #[test]
    fn programs_keep_their_sections_and_order() {
        let object = Object::parse(BAD, &kernel(), &BTreeMap::new()).unwrap();
        let programs: Vec<_> = (0..object.len())
            .map(|index| object.program(index))
            .collect();
        assert_eq!(
            programs,
            [
                ("unchecked", "xdp"),
                ("unbounded", "xdp"),
                ("endless", "xdp"),
                ("fine", "xdp"),
                ("needs_keyless", "tc"),
                ("no_kfunc", "tc"),
                ("no_target", "fentry/no_such_function"),
                ("no_type", "no_such_type"),
            ]
        );
        assert_eq!(object.license().as_c_str(), c"GPL");
    }

    #[test]
    fn a_program_is_linked_with_what_it_calls() {
        let mut object = Object::parse(BAD, &kernel(), &BTreeMap::new()).unwrap();
        let index = find(&object, "unbounded");
        let linked = object.link(index, &kernel()).unwrap();
        assert_eq!(linked.insns[0].function_offset(), Some(7));
        let starts: Vec<_> = linked.functions.iter().map(|info| info.insn_off).collect();
        assert_eq!(starts, [0, 8]);
        let index = find(&object, "unchecked");
        let linked = object.link(index, &kernel()).unwrap();
        assert_eq!(maps_of(&object, &linked), ["counts"]);
        assert_eq!(linked.map_references, [(4, 0)]);
    }

    #[test]
    fn a_copy_of_a_program_has_its_digest_wherever_its_maps_are() {
        let mut object = Object::parse(BAD, &kernel(), &BTreeMap::new()).unwrap();
        let index = find(&object, "unchecked");
        let mut linked = object.link(index, &kernel()).unwrap();
        let digest = object.digest(&linked);
        // Moves the map to another index.
        let (insn, counts) = linked.map_references[0];
        let own = object.maps[counts].clone();
        object.maps.insert(0, ("another".into(), own.1.clone()));
        linked.map_references = vec![(insn, counts + 1)];
        linked.insns[insn].set(BPF_PSEUDO_MAP_FD, counts as i32 + 1);
        assert_eq!(object.digest(&linked), digest);
        linked.map_references = vec![(insn, 0)];
        assert_ne!(object.digest(&linked), digest);
        linked.map_references = vec![(insn, counts + 1)];
        linked.insns[0] = Insn::mov_r0(1);
        assert_ne!(object.digest(&linked), digest);
    }

    #[test]
    fn an_instruction_is_found_in_the_source() {
        let mut object = Object::parse(BAD, &kernel(), &BTreeMap::new()).unwrap();
        let index = find(&object, "unbounded");
        let linked = object.link(index, &kernel()).unwrap();
        // BTF that fits no kernel at all has the same strings.
        let blob = object.btf().unwrap().to_vec();
        let btf = Btf::parse(&blob).unwrap();
        let at = |index| {
            let source = btf::source_of(&btf, &linked.functions, &linked.lines, index);
            source.map(|source| (source.file, source.line))
        };
        assert_eq!(at(0), Some(("bad.bpf.c".into(), 41)));
        assert_eq!(at(9), Some(("bad.bpf.c".into(), 34)));
    }

    #[test]
    fn what_the_kernel_lacks_is_said_of_the_program_only() {
        let mut object = Object::parse(BAD, &kernel(), &BTreeMap::new()).unwrap();
        let index = find(&object, "no_kfunc");
        let error = object.link(index, &kernel()).unwrap_err();
        assert!(error.to_string().contains("no_such_kfunc"), "{error}");
        let index = find(&object, "fine");
        assert_eq!(object.link(index, &kernel()).unwrap().insns.len(), 2);
    }

    #[test]
    fn values_of_the_configuration_are_a_map() {
        let mut object = Object::parse(FIXUPS, &kernel(), &BTreeMap::new()).unwrap();
        let index = find(&object, "kernel_version");
        let linked = object.link(index, &kernel()).unwrap();
        assert_eq!(maps_of(&object, &linked), [".kconfig"]);
        let (first, map) = linked.map_references[0];
        let at = linked.insns[first + 1].immediate() as usize;
        assert_eq!(linked.insns[first].source(), BPF_PSEUDO_MAP_VALUE);
        let map = &object.maps()[map].1;
        assert!(is_constant(map));
        assert_eq!(map.data()[at..at + 4], [176, 1, 6, 0]);
        let index = find(&object, "no_option");
        let error = object.link(index, &kernel()).unwrap_err().to_string();
        assert!(error.contains("CONFIG_NO_SUCH_STRONG_OPTION"), "{error}");
    }

    #[test]
    fn typeless_symbols_are_addresses() {
        let mut object = Object::parse(FIXUPS, &kernel(), &BTreeMap::new()).unwrap();
        object.addresses = Ok(BTreeMap::from([
            ("vfs_read".to_owned(), Some(0xffff_ffff_8200_0010)),
            ("schedule".to_owned(), Some(0xffff_ffff_8100_0000)),
        ]));
        let index = find(&object, "addresses");
        let linked = object.link(index, &kernel()).unwrap();
        let loads: Vec<_> = linked
            .insns
            .windows(2)
            .filter(|pair| pair[0].code() == bpf::LOAD_64)
            .map(|pair| {
                (
                    pair[0].source(),
                    pair[0].immediate() as u32,
                    pair[1].immediate(),
                )
            })
            .collect();
        assert_eq!(
            loads,
            [(0, 0x8200_0010, -1), (0, 0x8100_0000, -1), (0, 0, 0)]
        );
        object.addresses = Ok(BTreeMap::from([("schedule".to_owned(), None)]));
        for (program, said) in [
            ("no_symbol", "no_such_strong_symbol"),
            ("addresses", "vfs_read"),
        ] {
            let index = find(&object, program);
            let error = object.link(index, &kernel()).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("__ksym"), "{error}");
        }
    }

    #[test]
    fn programs_in_an_array_and_a_map_without_sizes_cost_no_neighbour() {
        let mut object = Object::parse(FIXUPS, &kernel(), &BTreeMap::new()).unwrap();
        for program in ["jump", "jumped_to", "map_in_map", "maps", "needs_sizeless"] {
            let index = find(&object, program);
            object.link(index, &kernel()).unwrap();
        }
        assert!(object.map_defect("sizeless").is_some());
        assert!(object.map_defect("jumps").is_none());
    }

    #[test]
    fn adapting_to_the_kernel_takes_its_btf() {
        let error = Object::parse(GOOD, &kernel(), &BTreeMap::new())
            .err()
            .unwrap();
        let error = format!("{error:#}");
        assert!(
            error.contains("CO-RE") && error.contains("no BTF"),
            "{error}"
        );
    }

    /// Types and lines of functions, by name.
    fn infos(parsed: &Parsed) -> BTreeMap<String, (Vec<u8>, Vec<u8>)> {
        let functions = parsed.functions.values();
        functions
            .map(|function| {
                let (types, lines) = (&function.func_info, &function.line_info);
                let infos = (types.func_info_bytes(), lines.line_info_bytes());
                (function.name.clone(), infos)
            })
            .collect()
    }

    #[test]
    fn functions_have_the_types_and_lines_that_aya_obj_gives_them() {
        // Some have functions in `.text`.
        let objects: [&[u8]; 3] = [
            GOOD,
            include_bytes!("../tests/fixtures/endless.bpf.o"),
            include_bytes!("../tests/fixtures/fixups.bpf.o"),
        ];
        let header = [0x9f, 0xeb, 1, 0, 32, 0, 0, 0];
        for data in objects {
            let prepared = elf::prepare(data, &BTreeMap::new()).unwrap();
            let mut parsed = Parsed::parse(&prepared.file).unwrap();
            assert!(infos(&parsed).values().all(|(types, _)| types.is_empty()));
            add_infos(&mut parsed, &prepared);
            let own = infos(&parsed);
            assert!(own.values().all(|(types, _)| !types.is_empty()));
            // The file with the lengths that its BTF.ext had.
            let mut whole = prepared.file;
            let at = whole.windows(8).rposition(|bytes| bytes == header).unwrap();
            let before = data.windows(8).rposition(|bytes| bytes == header).unwrap();
            whole[at + 8..at + 24].copy_from_slice(&data[before + 8..before + 24]);
            assert_eq!(own, infos(&Parsed::parse(&whole).unwrap()));
        }
    }

    #[test]
    fn a_relocation_that_cannot_be_done_costs_its_program_only() {
        // The only such relocation: offset 8, type 53, string at 1380, kind 0.
        let known: Vec<u8> = [8_u32, 53, 1380, 0].map(u32::to_le_bytes).concat();
        let at = GOOD.windows(16).position(|bytes| bytes == known).unwrap();
        for (kind, said) in [(12, "TYPE_MATCHES"), (99, "of kind 99")] {
            let mut data = GOOD.to_vec();
            data[at + 12] = kind;
            let mut object = Object::parse(&data, &kernel(), &BTreeMap::new()).unwrap();
            for index in 0..object.len() {
                let is_its = object.program(index).1 == "kprobe/vfs_read";
                let error = object.link(index, &kernel()).err();
                let error = error.map_or_else(String::new, |error| error.to_string());
                let wanted = format!("it needs the CO-RE relocation {said}");
                assert_eq!(error == wanted, is_its, "{error}");
            }
        }
    }

    /// A kernel whose BTF comes from an object.
    fn kernel_of(data: &[u8]) -> Kernel {
        let own = elf::prepare(data, &BTreeMap::new()).unwrap();
        Kernel {
            btf: Ok(Parsed::parse(&own.file).unwrap().btf.unwrap()),
            ..kernel()
        }
    }

    #[test]
    fn an_element_of_an_array_without_a_length_is_found() {
        let data = include_bytes!("../tests/fixtures/core.bpf.o");
        let kernel = kernel_of(data);
        let mut object = Object::parse(data, &kernel, &BTreeMap::new()).unwrap();
        let linked = object.link(0, &kernel).unwrap();
        let [_, _, low, high, ..] = linked.insns[0].bytes();
        assert_eq!(u16::from_ne_bytes([low, high]), 8);
        // The array passed to the kernel still has no length: the kernel would refuse
        // one.
        let blob = object.btf().unwrap();
        assert_ne!(btf::with_long_arrays(blob).unwrap(), blob);
    }

    #[test]
    fn what_the_kernel_does_not_have_is_named_where_a_program_needs_it() {
        // The types of another object, as those of a kernel.
        let kernel = kernel_of(BAD);
        let mut object = Object::parse(CORNERS, &kernel, &BTreeMap::new()).unwrap();
        let mut unresolved = |program: &str| {
            let linked = object.link(find(&object, program), &kernel).unwrap();
            let own = linked.unresolved.into_iter();
            own.map(|(at, reason)| (at, linked.insns[at].immediate(), reason))
                .collect::<Vec<_>>()
        };
        let field = "CO-RE: this kernel does not have the field `struct task_struct.no_such_member[2]` of a fitting type: use it only where bpf_core_field_exists() is true";
        assert_eq!(unresolved("no_field"), [(1, POISON, field.to_owned())]);
        let value = "CO-RE: this kernel does not have the value `NO_SUCH_TYPE` of `enum bpf_map_type`: use it only where bpf_core_enum_value_exists() is true";
        assert_eq!(unresolved("no_value"), [(0, POISON, value.to_owned())]);
        // The verifier does not reach it.
        assert_eq!(unresolved("asks_first").len(), 1);
        let [(_, MISSING_KFUNC, reason)] = &unresolved("no_kfunc")[..] else {
            panic!("it is not marked")
        };
        assert!(
            reason.contains("bpf_ksym_exists(no_such_weak_kfunc)"),
            "{reason}"
        );
        assert_eq!(unresolved("locked"), []);
        let error = object.link(find(&object, "compares"), &kernel).unwrap_err();
        assert!(error.to_string().contains("__builtin_memcmp"), "{error}");
    }

    #[test]
    fn a_relocation_that_fails_costs_its_program_only() {
        let kernel = kernel_of(GOOD);
        let errors = |data: &[u8]| -> Vec<(String, String)> {
            let mut object = Object::parse(data, &kernel, &BTreeMap::new()).unwrap();
            (0..object.len())
                .filter_map(|index| {
                    let error = object.link(index, &kernel).err()?.to_string();
                    Some((object.program(index).1.to_owned(), error))
                })
                .collect()
        };
        let known: Vec<u8> = [8_u32, 53, 1380, 0].map(u32::to_le_bytes).concat();
        let at = GOOD.windows(16).position(|bytes| bytes == known).unwrap();
        let before = errors(GOOD);
        assert!(
            before
                .iter()
                .all(|(section, _)| section != "kprobe/vfs_read")
        );
        // A type that has no such member.
        let mut data = GOOD.to_vec();
        data[at + 4] = 1;
        let mut after = errors(&data);
        let (section, error) = after.remove(after.len() - 1);
        assert_eq!(section, "kprobe/vfs_read");
        assert!(error.contains("(CO-RE)"), "{error}");
        assert_eq!(after, before);
    }

    #[test]
    fn extensions_are_of_the_type_that_their_context_says() {
        let object = Object::parse(NEWER, &kernel_of(NEWER), &BTreeMap::new()).unwrap();
        let kind = |name| object.kind(find(&object, name)).unwrap();
        assert_eq!(kind("replaces"), Kind::of("xdp").unwrap());
        assert_eq!(kind("replaces_unknown").target, Target::Program);
    }

    #[test]
    fn variables_in_an_arena_are_values_of_its_map() {
        let kernel = kernel_of(NEWER);
        let mut object = Object::parse(NEWER, &kernel, &BTreeMap::new()).unwrap();
        let index = find(&object, "shares");
        let linked = object.link(index, &kernel).unwrap();
        assert_eq!(maps_of(&object, &linked), ["arena"]);
        let (first, _) = linked.map_references[0];
        assert_eq!(linked.insns[first].source(), BPF_PSEUDO_MAP_VALUE);
        assert_eq!(linked.insns[first + 1].immediate(), 4);
        let filter = object.maps.iter().find(|(name, _)| name == "filter");
        let (name, map) = filter.unwrap();
        assert_eq!(object.map_extra(name, map), 1 << 32 | 3);
        // Of two arenas, it could be in either.
        let (_, arena) = object.maps[0].clone();
        object.maps.push(("other".into(), arena));
        let error = object.link(index, &kernel).unwrap_err().to_string();
        assert!(error.contains("`second`"), "{error}");
    }

    #[test]
    fn an_exception_callback_is_added_to_its_program() {
        let mut kernel = kernel_of(NEWER);
        let names = |kernel: &Kernel| {
            let mut object = Object::parse(NEWER, kernel, &BTreeMap::new()).unwrap();
            let linked = object.link(find(&object, "throws"), kernel).unwrap();
            let blob = object.btf().unwrap();
            let btf = Btf::parse(blob).unwrap();
            let name = |info: &bpf_func_info| {
                (
                    info.insn_off,
                    btf.function_name(info.type_id).unwrap().to_owned(),
                )
            };
            let lines: Vec<_> = linked.lines.iter().map(|line| line.insn_off).collect();
            assert!(
                lines.is_sorted() && lines.iter().all(|&line| line < linked.insns.len() as u32)
            );
            linked.functions.iter().map(name).collect::<Vec<_>>()
        };
        let main = (0, "throws".to_owned());
        kernel.features = BtfFeatures::new(true, true, true, true, true, true, true, true);
        assert_eq!(names(&kernel), [main.clone(), (4, "callback".to_owned())]);
        // Without the tag, the kernel would take it for dead code.
        kernel.features = BtfFeatures::new(true, true, true, true, true, false, true, true);
        assert_eq!(names(&kernel), [main]);
        let mut object = Object::parse(FIXUPS, &kernel, &BTreeMap::new()).unwrap();
        object.has_tags = true;
        let error = object.link(find(&object, "throws"), &kernel).unwrap_err();
        assert!(error.to_string().contains("`helper`"), "{error}");
    }

    #[test]
    fn a_callback_that_shares_functions_costs_its_program_only() {
        let kernel = kernel_of(NEWER);
        let mut object = Object::parse(NEWER, &kernel, &BTreeMap::new()).unwrap();
        object.has_tags = true;
        let index = find(&object, "calls_tagged");
        let mut with = |callback: &str| {
            let names = vec![callback.to_owned()];
            object.callbacks = BTreeMap::from([("calls_tagged".to_owned(), names)]);
            object
                .link(index, &kernel)
                .map(|linked| linked.functions.len())
        };
        let error = with("calls_tagged_twice").unwrap_err().to_string();
        assert!(error.contains("share functions"), "{error}");
        // The verifier refuses a program that calls its callback.
        assert_eq!(with("tagged").unwrap(), 2);
        object
            .link(find(&object, "calls_tagged_too"), &kernel)
            .unwrap();
    }

    #[test]
    fn a_tagged_function_has_a_version_for_each_type_of_program() {
        let mut kernel = kernel_of(NEWER);
        kernel.features = BtfFeatures::new(true, true, true, true, true, true, true, true);
        let mut object = Object::parse(NEWER, &kernel, &BTreeMap::new()).unwrap();
        let mut version = |program| {
            let linked = object.link(find(&object, program), &kernel).unwrap();
            let function = linked.functions[1].type_id;
            assert!(linked.func_info.ends_with(&function.to_ne_bytes()));
            function
        };
        let versions = ["calls_tagged", "calls_tagged_too"].map(&mut version);
        assert_ne!(versions[0], versions[1]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let error = |data: &[u8]| {
            format!(
                "{:#}",
                Object::parse(data, &kernel(), &BTreeMap::new())
                    .err()
                    .unwrap()
            )
        };
        assert!(error(b"").contains("not an ELF file"));
        assert!(error(b"#include <linux/bpf.h>").contains("not an ELF file"));
        let mut machine = BAD.to_vec();
        machine[18] = 62;
        assert!(error(&machine).contains("machine 62"));
        error(&BAD[..BAD.len() / 2]);
    }
}
