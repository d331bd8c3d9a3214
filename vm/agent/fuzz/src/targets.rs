//! One function for each kind of input.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use ::object::read::elf::ElfFile64;
use ::object::{Endianness, Object as _, ObjectSection as _};
use aya_obj::btf::{Btf as KernelBtf, BtfFeatures};
use serde_json::{Value, json};

use crate::bpf::{Insn, JitImage};
use crate::btf::{self, Btf};
use crate::kconfig::Facts;
use crate::kernel::Kernel;
use crate::object::Object;
use crate::plan::Plan;
use crate::presets::{Answer, answer};
use crate::profile::Samples;
use crate::section::Kind;
use crate::{flame_graph, lines as jit_lines, loads, maps, observe, perf_ring, stack};

const GOOD: &[u8] = include_bytes!("../../tests/fixtures/good.bpf.o");

fn facts() -> Facts {
    Facts {
        version: 6 << 16 | 1 << 8,
        has_bpf_cookie: true,
        has_syscall_wrapper: true,
        config: Ok("CONFIG_HZ=250\nCONFIG_BPF_SYSCALL=y\n".into()),
    }
}

/// Two kernels: one that accepts every kind of BTF, and one that has no BTF and accepts
/// none. The first one's BTF is copied from an object; CO-RE relocations resolve against
/// it.
fn kernels() -> &'static [Kernel; 2] {
    static KERNELS: OnceLock<[Kernel; 2]> = OnceLock::new();
    KERNELS.get_or_init(|| {
        let without = Kernel {
            btf: Err("the kernel has no BTF of its own".into()),
            features: BtfFeatures::default(),
            facts: OnceLock::from(facts()),
            config: None,
        };
        let file = ElfFile64::<Endianness>::parse(GOOD).unwrap();
        let blob = file.section_by_name(".BTF").unwrap().data().unwrap();
        let with = Kernel {
            btf: Ok(KernelBtf::parse(blob, Endianness::Little).unwrap()),
            features: BtfFeatures::new(true, true, true, true, true, true, true, true),
            facts: OnceLock::from(facts()),
            config: None,
        };
        [with, without]
    })
}

/// Reads an ELF file as a project's build leaves it.
pub fn objects(data: &[u8]) {
    for kernel in kernels() {
        let Ok(mut object) = Object::parse(data, kernel, &BTreeMap::new()) else {
            continue;
        };
        for index in 0..object.len().min(64) {
            let (name, section) = object.program(index);
            let _ = (name.len(), Kind::of(section), object.kind(index));
            if let Ok(linked) = object.link(index, kernel) {
                let maps = object.maps().len();
                assert!(
                    linked
                        .map_references
                        .iter()
                        .all(|&(at, map)| at < linked.insns.len() && map < maps)
                );
                stack::deepest(&linked.insns, &[8]);
                if let Some(blob) = object.btf().and_then(Btf::parse) {
                    for function in &linked.functions {
                        btf::source_of(&blob, &linked.functions, &linked.lines, function.insn_off);
                    }
                }
            }
        }
        for (_, map) in object.maps() {
            crate::object::is_constant(map);
        }
        let _ = (
            object.license(),
            object.kernel_version(),
            object.btf_defect(),
        );
    }
}

/// Takes bytes from the front of an input.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        front
    }

    fn number(&mut self) -> usize {
        match self.take(2) {
            [low, high] => usize::from(u16::from_le_bytes([*low, *high])),
            _ => 0,
        }
    }
}

/// Reads a loaded program's BTF, its records of functions and lines, and its machine
/// code. The input is six numbers of two bytes (sizes of the records, bytes of BTF,
/// functions and lines, number of functions), then these parts, then two bytes for each
/// function's length and four for each line's address, then code.
pub fn lines(data: &[u8]) {
    const START: u64 = 0xffff_ffff_c000_0000;
    let mut input = Input(data);
    let [function_record, line_record, blob, functions, lines, count] =
        std::array::from_fn(|_| input.number());
    let blob = input.take(blob);
    let functions = btf::parse_func_info(input.take(functions), function_record as u32);
    let lines = btf::parse_line_info(input.take(lines), line_record as u32);
    let mut image = JitImage::default();
    let mut next = START;
    for _ in 0..count.min(1000) {
        let bytes = input.number() as u32;
        image.functions.push(next);
        image.function_bytes.push(bytes);
        next = next.wrapping_add(u64::from(bytes));
    }
    for _ in &lines {
        let offset = (input.number() << 16 | input.number()) as u64;
        image.lines.push(START.wrapping_add(offset));
    }
    image.code = input.0.to_vec();
    let Some(blob) = Btf::parse(blob) else {
        return;
    };
    btf::full_name("fifteen_letters", &blob, &functions);
    btf::main_source(&blob, &functions, &lines);
    for index in [0, 1, u32::MAX] {
        btf::source_of(&blob, &functions, &lines, index);
    }
    let described = jit_lines::describe(&blob, &functions, &lines, &image);
    let stretches = described.iter().flat_map(|code| &code.functions);
    let digits: usize = stretches
        .flat_map(|function| &function.stretches)
        .map(|stretch| stretch.3.len())
        .sum();
    // Each instruction takes at least one byte.
    assert!(digits <= 4 * image.code.len());
}

/// Reads a verifier log; the program follows after a byte 0.
pub fn verifier_log(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let log = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let insns: Vec<Insn> = parts
        .next()
        .unwrap_or_default()
        .chunks_exact(8)
        .map(|insn| {
            Insn::new(
                insn[0],
                insn[1],
                i16::from_le_bytes([insn[2], insn[3]]),
                i32::from_le_bytes([insn[4], insn[5], insn[6], insn[7]]),
            )
        })
        .collect();
    let statistics = crate::verifier_log::statistics(&log);
    stack::deepest(&insns, &statistics.stack_depths);
    crate::verifier_log::is_whole(&log);
    if let Some(message) = crate::verifier_log::last_message(&log) {
        assert!(!message.contains('\n'));
        crate::verifier_log::is_about_btf(message);
    }
    crate::verifier_log::last_insn(&log);
    for bytes in [0, 1, 100, 8192] {
        assert!(crate::verifier_log::tail(&log, bytes).len() <= bytes);
    }
}

/// Reads a perf ring buffer. Any command can choose the names and paths in it.
pub fn perf_records(data: &[u8]) {
    let whole = perf_ring::records(data).filter_map(Result::ok);
    let bytes: usize = whole.map(|record| 8 + record.content.len()).sum();
    assert!(bytes <= data.len());
    loads::parse(data);
    let mut samples = Samples::default();
    let (front, back) = data.split_at(data.len() / 2);
    samples.add(data);
    samples.add(front);
    samples.add(back);
}

/// The folder into which [`folded_stacks`] writes its files; the caller removes it.
pub fn folded_stacks_folder() -> PathBuf {
    std::env::temp_dir().join(format!("bpfgate-fuzz-{}", std::process::id()))
}

/// Reads profiles that commands leave. A byte 0 separates base from head.
pub fn folded_stacks(data: &[u8]) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = folded_stacks_folder();
        fs::create_dir_all(&folder).unwrap();
        folder
    });
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let [base, head] = ["base", "head"].map(|name| {
        let path = folder.join(name);
        fs::write(&path, parts.next().unwrap_or_default()).unwrap();
        path
    });
    let svg = folder.join("svg");
    let (title, unit) = (OsStr::new("title"), OsStr::new("samples"));
    let _ = flame_graph::draw(title, unit, &base, &svg);
    let _ = flame_graph::draw_difference(title, unit, &base, &head, &svg);
}

/// Reads the kernel's fdinfo of a file descriptor, and section names.
pub fn fdinfo(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    observe::parse_fdinfo(&text);
    maps::parse_memlock(&text);
    for line in text.lines() {
        let _ = Kind::of(line);
    }
}

/// Reads the host's `plan.json`, with names of a project's benchmarks.
pub fn plan(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(Plan::Measure(plan)) = Plan::parse(&text) else {
        return;
    };
    for bench in &plan.benches {
        assert!(!bench.name.contains('/'));
    }
}

/// Lays out presets in an ELF file, which set all that it names.
pub fn presets(data: &[u8]) {
    let ask = |presets: Value| -> Option<Answer> {
        let request = json!({ "presets": presets, "sections": {} });
        answer(&serde_json::from_value(request).unwrap(), data).ok()
    };
    let Some(Answer {
        variables, maps, ..
    }) = ask(json!([]))
    else {
        return;
    };
    for value in [
        json!(1),
        json!("0x00"),
        json!("a"),
        json!([1, [2], { "depth": 1 }]),
        json!({ "port": 1, "mode": "ACTIVE", "low": 1, "inner": [{ "depth": 1 }], "limit": 1 }),
    ] {
        let variables: Vec<_> = variables
            .iter()
            .take(20)
            .map(|name| json!([name, value]))
            .collect();
        let entries: Vec<_> = maps
            .iter()
            .take(20)
            .map(|name| json!([name, value, value]))
            .collect();
        let settings = variables.len() + entries.len();
        let answer = ask(json!([{ "name": "a", "variables": variables, "entries": entries }]));
        let (placed, outcomes) = &answer.unwrap().presets[0];
        assert!(outcomes.len() == settings && outcomes.iter().all(Option::is_some));
        let written = outcomes
            .iter()
            .filter(|own| own.as_deref() == Some(""))
            .count();
        assert_eq!(placed.data.len() + placed.entries.len(), written);
    }
}
