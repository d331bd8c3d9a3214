//! Mode measure with objects and no benchmark, on this machine's kernel, in a mount
//! namespace of its own. Needs root and a kernel with BTF: `cargo test -- --ignored`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Stands in for this machine's facts.
const CONFIG: &str = "CONFIG_BPF_SYSCALL=y\nCONFIG_HZ=250\nCONFIG_DEFAULT_HOSTNAME=\"(none)\"\n";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Runs a plan with these objects of `dir` and returns the records.
fn load(test: &str, dir: &Path, objects: &[&str]) -> Vec<Value> {
    run_plan(test, dir, objects, json!({}))
}

/// The same with further fields of the plan.
fn run_plan(test: &str, dir: &Path, objects: &[&str], more: Value) -> Vec<Value> {
    let folder = common::run_folder(test);
    fs::write(folder.join("kernel.config"), CONFIG).unwrap();
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-work"));
    let objects: Vec<_> = objects
        .iter()
        .map(|name| json!({"name": name, "path": format!("{name}.bpf.o")}))
        .collect();
    let mut plan = json!({
        "mode": "measure", "env": {}, "work_dir": work, "project": "",
        "tree": dir, "benches": [], "readings": {"min": 1, "max": 1}, "objects": objects,
        "ticks": {"least": 500, "most": 50_000, "period": 1_000_000, "clean_per_stray": 4, "rarest": 0.001},
    });
    plan.as_object_mut()
        .unwrap()
        .extend(more.as_object().cloned().unwrap());
    let status = common::run(&folder, &plan);
    assert_eq!(status["outcome"], "measured", "{status}");
    fs::read_to_string(folder.join("records.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn of<'a>(records: &'a [Value], program: &str) -> &'a Value {
    records
        .iter()
        .find(|record| record["record"] == "load" && record["program"] == program)
        .unwrap()
}

#[test]
#[ignore = "needs root"]
fn programs_load_with_their_numbers() {
    let records = load("good", &fixtures(), &["good"]);
    let pass = of(&records, "pass");
    assert_eq!(pass["outcome"], "loaded", "{pass}");
    for number in [
        "verified_insns",
        "stack_bytes",
        "xlated_bytes",
        "map_bytes",
        "load_time_ns",
    ] {
        assert!(pass[number].as_u64().unwrap() > 0, "{number}");
    }
    let verification = &pass["verification"];
    assert_eq!(verification["insns"], pass["verified_insns"]);
    for number in ["total_states", "peak_states", "mark_read", "time_us"] {
        assert!(verification[number].is_u64(), "{number}");
    }
    assert_eq!(pass["source"]["file"], "good.bpf.c");
    assert_eq!(pass["machine_code"]["files"][0], "good.bpf.c");
    let list = |value: &Value| value.as_array().unwrap().clone();
    let digits = list(&pass["machine_code"]["functions"])
        .into_iter()
        .flat_map(|function| list(&function["stretches"]))
        .map(|stretch| stretch[3].as_str().unwrap().len());
    // x86-64 instructions have four bytes or so, and four digits.
    let jited = pass["jited_bytes"].as_u64().unwrap() as usize;
    assert!((jited / 2..jited * 2).contains(&digits.sum()), "{pass}");
    assert_eq!(of(&records, "classify")["outcome"], "loaded");
}

#[test]
#[ignore = "needs root"]
fn a_section_may_be_given_another_name() {
    let sections = json!({"sections": {"tc": "xdp"}});
    let records = run_plan("sections", &fixtures(), &["good"], sections);
    let classify = of(&records, "classify");
    assert_eq!(
        (&classify["section"], &classify["prog_type"]),
        (&json!("tc"), &json!("xdp"))
    );
    assert_eq!(of(&records, "pass")["prog_type"], "xdp");
    let unknown = json!({"sections": {"tc": "tcp"}});
    let records = run_plan("sections", &fixtures(), &["good"], unknown);
    let message = of(&records, "classify")["message"].as_str().unwrap();
    assert!(message.starts_with("[[program]] gives section \"tc\" the type \"tcp\""));
}

#[test]
#[ignore = "needs root"]
fn programs_run_on_inputs() {
    let packets = json!([
        {"name": "whole", "bytes": vec![0; 60]},
        {"name": "cut", "bytes": vec![0; 13]},
    ]);
    let contexts = json!([{"name": "zeros", "type": "syscall", "bytes": vec![0; 64]}]);
    let records = run_plan(
        "inputs",
        &fixtures(),
        &["good"],
        json!({"run": true, "packets": packets, "contexts": contexts}),
    );
    let runs_of = |program: &str| {
        let at = records
            .iter()
            .position(|record| record["record"] == "load" && record["program"] == program)
            .unwrap();
        let follows = records[at]["runs"].as_bool().unwrap();
        let next = &records[at + 1];
        assert_eq!(next["record"] == "inputs", follows, "{next}");
        follows.then(|| next["runs"].as_array().unwrap())
    };
    for (program, verdict) in [("pass", 2), ("classify", 0)] {
        let [whole, cut] = &runs_of(program).unwrap()[..] else {
            panic!("not two packets");
        };
        assert_eq!(
            (&whole["input"], &whole["error"]),
            (&json!("whole"), &Value::Null)
        );
        assert_eq!(whole["returned"], verdict);
        let readings = whole["readings"].as_array().unwrap();
        let is_whole = |reading: &Value| reading["run_cnt"] == 10 && reading["run_time_ns"] != 0;
        assert!(
            is_whole(&whole["empty"]) && readings.iter().all(is_whole),
            "{whole}"
        );
        assert!(readings.len() > 1 && readings.len() <= 10, "{whole}");
        assert_eq!(whole["left"].as_str().map(str::len), Some(64));
        assert_eq!(cut["error"], "the kernel does not run it (EINVAL)");
        assert_eq!(cut["readings"], json!([]));
    }
    let [zeros] = &runs_of("call").unwrap()[..] else {
        panic!("not one context");
    };
    assert_eq!(
        (&zeros["input"], &zeros["returned"]),
        (&json!("zeros"), &json!(0))
    );
    assert!(runs_of("on_switch").is_none());
    let attached = records.iter().find(|record| record["record"] == "attached");
    let runs = attached.unwrap()["runs"].as_array().unwrap();
    let [_, switches] = runs
        .iter()
        .map(|run| run.as_array().unwrap())
        .find(|run| run[0] == "on_switch")
        .unwrap()
        .as_slice()
    else {
        panic!("not a name and a run");
    };
    assert!(
        switches["calls"].as_u64() > Some(400) && switches["error"].is_null(),
        "{switches}"
    );
    assert!(!Path::new("/dev/shm/bpfgate-workload").exists());
}

#[test]
#[ignore = "needs root"]
fn refused_and_unsupported_programs_are_distinguished() {
    let records = load("bad", &fixtures(), &["bad"]);
    let lines = [("unchecked", 26), ("unbounded", 34), ("endless", 47)];
    for (program, line) in lines {
        let record = of(&records, program);
        assert_eq!(record["outcome"], "refused", "{record}");
        assert_eq!(record["source"]["line"], line);
        assert!(record["log"].as_str().unwrap().contains("processed"));
        assert!(record["verification"]["insns"].as_u64() > Some(0));
    }
    for program in ["needs_keyless", "no_kfunc", "no_target", "no_type"] {
        let record = of(&records, program);
        assert_eq!(record["outcome"], "unsupported", "{record}");
        assert!(record["message"].is_string() && record["errno"].is_null());
        assert!(record["verification"].is_null());
    }
    assert_eq!(of(&records, "fine")["outcome"], "loaded");
}

#[test]
#[ignore = "needs root"]
fn what_a_loader_fills_in_is_filled_in() {
    let records = load("fixups", &fixtures(), &["fixups"]);
    for program in [
        "maps",
        "kernel_version",
        "configuration",
        "addresses",
        "jumped_to",
        "jump",
        "map_in_map",
    ] {
        let record = of(&records, program);
        assert_eq!(record["outcome"], "loaded", "{record}");
    }
    // Each costs only the program that uses it.
    for (program, named) in [
        ("no_option", "CONFIG_NO_SUCH_STRONG_OPTION"),
        ("no_symbol", "no_such_strong_symbol"),
        ("needs_sizeless", "sizeless"),
        ("needs_map", "shared"),
        ("needs_variable", "limit"),
        ("needs_function", "helper"),
    ] {
        let record = of(&records, program);
        assert_eq!(record["outcome"], "unsupported", "{record}");
        assert!(
            record["message"].as_str().unwrap().contains(named),
            "{record}"
        );
    }
}

#[test]
#[ignore = "needs root"]
fn an_object_with_a_huge_section_does_not_affect_others() {
    let records = load("huge", &fixtures(), &["huge", "bad"]);
    let objects: Vec<_> = records
        .iter()
        .filter(|record| record["record"] == "object")
        .collect();
    let error = objects[0]["error"].as_str().unwrap();
    assert!(
        error.ends_with("its section \".bss\" would take 2147483392 bytes"),
        "{error}"
    );
    assert_eq!(objects[1]["programs"], 8);
}

/// `aya-obj` panics on some of these, and on some it crashes.
#[test]
#[ignore = "needs root"]
fn damaged_objects_cause_errors_and_no_crash() {
    const COUNT: usize = 60;
    let mut random = 1u64;
    let mut next = |below: usize| {
        // Knuth's, good enough to spread damage.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let whole = fs::read(fixtures().join("bad.bpf.o")).unwrap();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged-objects");
    fs::create_dir_all(&dir).unwrap();
    let mut names = Vec::new();
    for number in 0..COUNT {
        let mut data = whole.clone();
        for _ in 0..=next(8) {
            let at = next(data.len());
            data[at] = next(256) as u8;
        }
        names.push(format!("damaged-{number}"));
        fs::write(dir.join(format!("damaged-{number}.bpf.o")), data).unwrap();
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let records = load("damaged", &dir, &names);
    let objects = |record: &&Value| record["record"] == "object";
    assert_eq!(records.iter().filter(objects).count(), COUNT);
}
