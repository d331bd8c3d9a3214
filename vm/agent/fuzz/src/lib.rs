//! Fuzz targets of the guest agent: everything that reads output of a project's build or
//! commands, or what the kernel reports about them. The agent is a program without a
//! library, so its modules are compiled here a second time.

#![allow(dead_code, missing_docs)]

#[path = "../../src/bpf.rs"]
mod bpf;
#[path = "../../src/bpf_load.rs"]
mod bpf_load;
#[path = "../../src/btf.rs"]
mod btf;
#[path = "../../src/contexts.rs"]
mod contexts;
#[path = "../../src/converge.rs"]
mod converge;
#[path = "../../src/digest.rs"]
mod digest;
#[path = "../../src/elf.rs"]
mod elf;
#[path = "../../src/first_kernels.rs"]
mod first_kernels;
#[path = "../../src/flame_graph.rs"]
mod flame_graph;
#[path = "../../src/hook.rs"]
mod hook;
#[path = "../../src/inside.rs"]
mod inside;
#[path = "../../src/kconfig.rs"]
mod kconfig;
#[path = "../../src/kernel.rs"]
mod kernel;
#[path = "../../src/lines.rs"]
mod lines;
#[path = "../../src/loads.rs"]
mod loads;
#[path = "../../src/maps.rs"]
mod maps;
#[path = "../../src/object.rs"]
mod object;
#[path = "../../src/observe.rs"]
mod observe;
#[path = "../../src/panicked.rs"]
mod panicked;
#[path = "../../src/perf_ring.rs"]
mod perf_ring;
#[path = "../../src/plan.rs"]
mod plan;
#[path = "../../src/presets.rs"]
mod presets;
#[path = "../../src/profile.rs"]
mod profile;
#[path = "../../src/record.rs"]
mod record;
#[path = "../../src/relocations.rs"]
mod relocations;
#[path = "../../src/section.rs"]
mod section;
#[path = "../../src/stack.rs"]
mod stack;
#[path = "../../src/struct_ops.rs"]
mod struct_ops;
#[path = "../../src/sys.rs"]
mod sys;
mod targets;
#[path = "../../src/types.rs"]
mod types;
#[path = "../../src/usdt.rs"]
mod usdt;
pub use panicked::panic_message;
pub use targets::folded_stacks_folder;
#[path = "../../src/verifier_log.rs"]
mod verifier_log;

/// Reads an input and checks the result; a panic is a finding.
pub type Target = fn(&[u8]);

/// Every target by the name of its folder in `evidence/fuzz/corpus`.
pub const TARGETS: [(&str, Target); 8] = [
    ("agent-objects", targets::objects),
    ("agent-lines", targets::lines),
    ("agent-verifier-log", targets::verifier_log),
    ("agent-perf-records", targets::perf_records),
    ("agent-folded-stacks", targets::folded_stacks),
    ("agent-fdinfo", targets::fdinfo),
    ("agent-plan", targets::plan),
    ("agent-presets", targets::presets),
];

/// Finds a target by its name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, target)| *target)
}
