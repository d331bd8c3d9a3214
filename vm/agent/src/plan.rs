//! Plan: the host's request, `plan.json`. Pure. Unknown fields are refused, so that a
//! host and an agent of different versions fail loudly.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::path::{Component, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The whole of `plan.json`; the `mode` field selects the variant.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Plan {
    /// Run one command and report how it ended.
    Exec(ExecPlan),
    /// Run benchmarks and report the counters of the BPF programs that they load.
    Measure(Box<MeasurePlan>),
}

/// Mode `exec`.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ExecPlan {
    /// The program, looked up in the `PATH` of `env`, and its arguments.
    pub argv: Vec<String>,
    /// Absolute working directory in the guest.
    pub cwd: PathBuf,
    /// The whole environment; nothing is inherited.
    pub env: BTreeMap<String, String>,
}

/// Mode `measure`.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct MeasurePlan {
    /// The whole environment of every benchmark command.
    pub env: BTreeMap<String, String>,
    /// Absolute path at which the tree appears. It is the same for both revisions, so it
    /// cannot make their outputs differ.
    pub work_dir: PathBuf,
    /// Folder below `work_dir` in which commands run; empty: `work_dir` itself.
    pub project: PathBuf,
    /// Absolute path of the revision's built tree in the guest.
    pub tree: PathBuf,
    /// Its benchmarks; may be empty if there are `objects`.
    pub benches: Vec<Bench>,
    /// The number of readings.
    pub readings: Readings,
    /// Instructions that timer ticks add to readings.
    pub ticks: Ticks,
    /// Objects whose programs are loaded one by one.
    #[serde(default)]
    pub objects: Vec<Object>,
    /// Sections whose names say nothing about their programs, with the name of one that does.
    #[serde(default)]
    pub sections: BTreeMap<String, String>,
    /// Whether their programs run, where the kernel can run one on an input.
    #[serde(default)]
    pub run: bool,
    /// QEMU's plugin looks at these runs, and at programs that benches load: the secret, in hexadecimal digits, with
    /// which messages to it begin.
    #[serde(default)]
    pub inside: Option<String>,
    /// Packets for those that take one.
    #[serde(default)]
    pub packets: Vec<Packet>,
    /// Contexts for those that take one.
    #[serde(default)]
    pub contexts: Vec<ContextInput>,
}

/// A context.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ContextInput {
    /// Name in results.
    pub name: String,
    /// The kernel's lower-case name of the type of program that takes it.
    #[serde(rename = "type")]
    pub prog_type: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A packet.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// Name in results.
    pub name: String,
    /// The frame, from its Ethernet header on.
    pub bytes: Vec<u8>,
}

/// One ELF file with BPF programs.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Name in results.
    pub name: String,
    /// Path relative to the tree.
    pub path: PathBuf,
    /// What earlier guests did not survive.
    #[serde(default)]
    pub left_out: LeftOut,
    /// It is loaded as it is, then with each of these.
    #[serde(default)]
    pub presets: Vec<Preset>,
}

/// What of an object is not tried, with the reasons that its records give.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The reason why none of it is tried.
    #[serde(default)]
    pub whole: Option<String>,
    /// Programs that are not loaded, by their numbers in the order of the records, from 0.
    /// They are texts, as keys of JSON are: a tagged enum reads no others.
    #[serde(default)]
    pub loads: BTreeMap<String, String>,
    /// Programs that do not run on inputs, by their names in the records.
    #[serde(default)]
    pub runs: BTreeMap<String, String>,
    /// The reason why its programs are not attached.
    #[serde(default)]
    pub attached: Option<String>,
}

/// Contents of maps before programs are loaded.
#[derive(Debug, Default, Clone, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Part of the names of programs in results.
    pub name: String,
    /// Changes of data sections.
    pub data: Vec<Patch>,
    /// Entries of maps.
    pub entries: Vec<Entry>,
}

/// Bytes in a data section.
#[derive(Debug, Clone, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Name of the section, and of its map.
    pub map: String,
    /// Offset in the section.
    pub at: usize,
    /// The bytes there.
    pub bytes: Vec<u8>,
}

/// An entry of a map.
#[derive(Debug, Clone, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name of the map.
    pub map: String,
    /// Empty for a map without keys.
    pub key: Vec<u8>,
    /// The value; that of each processor for a map that has one for each.
    pub value: Vec<u8>,
}

/// One benchmark command.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Part of output file names.
    pub name: String,
    /// The command for `sh -c`.
    pub command: String,
    /// Whether the BPF programs that it loads are watched.
    pub observe: bool,
    /// The command that is run once more for a profile, if one is taken.
    #[serde(default)]
    pub profile: Option<String>,
    /// The minimum number of readings if no BPF program ran.
    #[serde(default = "one")]
    pub min_unobserved: u32,
}

/// The number of readings of each benchmark; see [`crate::converge`].
#[derive(Debug, Deserialize, PartialEq, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// The minimum.
    pub min: u32,
    /// The maximum.
    pub max: u32,
}

/// What timer ticks add to a reading, in instructions; `src/bench/ticks.ts` has their meaning.
#[derive(Debug, Deserialize, PartialEq, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub struct Ticks {
    /// The bounds of one tick.
    pub least: u64,
    pub most: u64,
    /// Between two ticks.
    pub period: NonZeroU64,
    pub clean_per_stray: u32,
    /// A probability.
    pub rarest: f64,
}

fn one() -> u32 {
    1
}

impl Plan {
    /// Parses and checks `plan.json`. The error says which part to correct.
    pub fn parse(json: &str) -> Result<Self> {
        let plan: Self = serde_json::from_str(json)
            .context("plan.json does not fit this agent: use host and agent of the same version")?;
        match &plan {
            Self::Exec(exec) => exec.check()?,
            Self::Measure(measure) => measure.check()?,
        }
        Ok(plan)
    }
}

impl ExecPlan {
    fn check(&self) -> Result<()> {
        ensure!(
            !self.argv.is_empty(),
            "plan.json: argv is empty: name a program"
        );
        ensure!(
            self.cwd.is_absolute(),
            "plan.json: cwd must be absolute, not {:?}",
            self.cwd
        );
        Ok(())
    }
}

impl MeasurePlan {
    fn check(&self) -> Result<()> {
        ensure!(
            self.work_dir.is_absolute(),
            "plan.json: work_dir must be absolute, not {:?}",
            self.work_dir
        );
        ensure!(
            self.project.is_relative(),
            "plan.json: project must be relative to work_dir, not {:?}",
            self.project
        );
        ensure!(
            self.tree.is_absolute(),
            "plan.json: tree must be absolute, not {:?}",
            self.tree
        );
        for bench in &self.benches {
            check_name("bench", &bench.name)?;
        }
        check_unique("bench", self.benches.iter().map(|b| b.name.as_str()))?;
        let Readings { min, max } = self.readings;
        ensure!(
            1 <= min && min <= max,
            "plan.json: readings need 1 <= min <= max, not min {min}, max {max}"
        );
        for bench in &self.benches {
            let (name, least) = (&bench.name, bench.min_unobserved);
            ensure!(
                1 <= least && least <= max,
                "plan.json: bench {name:?} needs 1 <= min_unobserved <= {max}, not {least}"
            );
        }
        self.check_objects()
    }

    fn check_objects(&self) -> Result<()> {
        for packet in &self.packets {
            check_name("packet", &packet.name)?;
        }
        check_unique("packet", self.packets.iter().map(|p| p.name.as_str()))?;
        for context in &self.contexts {
            check_name("context", &context.name)?;
        }
        check_unique("object", self.objects.iter().map(|o| o.name.as_str()))?;
        for Object {
            name,
            path,
            presets,
            ..
        } in &self.objects
        {
            check_object_name(name)?;
            for preset in presets {
                check_name("preset", &preset.name)?;
            }
            check_unique("preset", presets.iter().map(|p| p.name.as_str()))?;
            let below = path
                .components()
                .all(|component| matches!(component, Component::Normal(_)));
            ensure!(
                below && !path.as_os_str().is_empty(),
                "plan.json: path of object {name:?} must lie below the tree, not be {path:?}"
            );
        }
        Ok(())
    }
}

/// Checks a name. Names become file names, so they must be one plain path component.
fn check_name(kind: &str, name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+@=".contains(c);
    ensure!(
        !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain),
        "plan.json: {kind} name {name:?} must be 1 to 100 of A-Z a-z 0-9 . _ - + @ = and not begin with a dot"
    );
    Ok(())
}

/// Checks the name of an object, which no file has: letters of all scripts are allowed.
fn check_object_name(name: &str) -> Result<()> {
    let plain = |c: char| {
        let is_letter = !c.is_ascii() && !c.is_control() && !c.is_whitespace();
        c.is_ascii_alphanumeric() || "._-+@=".contains(c) || is_letter
    };
    ensure!(
        (1..=100).contains(&name.chars().count())
            && !name.starts_with('.')
            && name.chars().all(plain),
        "plan.json: object name {name:?} must be 1 to 100 letters, digits and . _ - + @ = and not begin with a dot"
    );
    Ok(())
}

fn check_unique<'a>(kind: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        ensure!(
            seen.insert(name),
            "plan.json: {kind} name {name:?} is used twice: rename one"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURE: &str = r#"{"mode":"measure","env":{"PATH":"/bin"},"work_dir":"/w","project":"",
        "tree":"/t","benches":[{"name":"macro","command":"true","observe":true}],
        "readings":{"min":2,"max":10},
        "ticks":{"least":1,"most":2,"period":3,"clean_per_stray":4,"rarest":0.5}}"#;

    fn message(json: &str) -> String {
        format!("{:#}", Plan::parse(json).unwrap_err())
    }

    #[test]
    fn exec_plan() {
        let json = r#"{"mode":"exec","argv":["true"],"cwd":"/","env":{}}"#;
        let Plan::Exec(plan) = Plan::parse(json).unwrap() else {
            panic!("not exec")
        };
        assert_eq!(plan.argv, ["true"]);
    }

    #[test]
    fn measure_plan_gets_default_min_unobserved() {
        let Plan::Measure(plan) = Plan::parse(MEASURE).unwrap() else {
            panic!("not measure")
        };
        assert_eq!(plan.benches[0].min_unobserved, 1);
    }

    #[test]
    fn unknown_fields_are_refused() {
        let json = r#"{"mode":"exec","argv":["true"],"cwd":"/","env":{},"color":1}"#;
        assert!(message(json).contains("color"));
        assert!(message(&MEASURE.replace("\"observe\"", "\"observ\"")).contains("observ"));
    }

    #[test]
    fn unknown_mode_is_refused() {
        assert!(message(r#"{"mode":"shell"}"#).contains("shell"));
    }

    #[test]
    fn names_that_cannot_be_file_names_are_refused() {
        assert!(message(&MEASURE.replace("macro", "a/b")).contains("a/b"));
        assert!(message(&MEASURE.replace("macro", "..")).contains(".."));
    }

    #[test]
    fn objects_have_names_of_their_own_and_lie_below_the_tree() {
        let with = |objects: &str| {
            MEASURE.replace(
                "\"readings\"",
                &format!("\"objects\":[{objects}],\"readings\""),
            )
        };
        let object = |name: &str, path: &str| format!(r#"{{"name":"{name}","path":"{path}"}}"#);
        let refused = |objects: &str| message(&with(objects));
        let xdp = object("xdp", "out/xdp");
        assert!(refused(&[xdp.as_str(), &xdp].join(",")).contains("twice"));
        for name in ["a/b", "", ".a", "a b", "a\u{a0}b", &"ü".repeat(101)] {
            assert!(refused(&object(name, "out/xdp")).contains("object name"));
        }
        Plan::parse(&with(&object(&"ü测".repeat(50), "out/xdp"))).unwrap();
        for path in ["", "/etc/passwd", "../xdp", "out/../../xdp"] {
            assert!(refused(&object("xdp", path)).contains("below"));
        }
    }

    #[test]
    fn what_is_left_out_of_an_object_is_read() {
        let object = r#"{"name":"o","path":"o","left_out":{"loads":{"3":"hangs"},"runs":{"p@deep":"panics"},"attached":"no"}}"#;
        let json = MEASURE.replacen('{', &format!(r#"{{"objects":[{object}],"#), 1);
        let Plan::Measure(plan) = Plan::parse(&json).unwrap() else {
            panic!("not a plan to measure")
        };
        let LeftOut {
            whole,
            loads,
            runs,
            attached,
        } = &plan.objects[0].left_out;
        assert_eq!((whole, loads["3"].as_str()), (&None, "hangs"));
        assert_eq!(
            (runs["p@deep"].as_str(), attached.as_deref()),
            ("panics", Some("no"))
        );
    }

    #[test]
    fn presets_of_an_object_have_names_of_their_own() {
        let with = |presets: &str| {
            let object = r#"{"name":"xdp","path":"xdp.o","presets":"#;
            let objects = format!("\"objects\":[{object}[{presets}]}}],\"readings\"");
            MEASURE.replace("\"readings\"", &objects)
        };
        let preset = |name: &str, more: &str| {
            let data = r#"{"map":".rodata","at":8,"bytes":[1,2]}"#;
            format!(r#"{{"name":"{name}","data":[{data}],"entries":[]{more}}}"#)
        };
        let Plan::Measure(plan) = Plan::parse(&with(&preset("deep", ""))).unwrap() else {
            panic!("not measure")
        };
        assert_eq!(plan.objects[0].presets[0].data[0].bytes, [1, 2]);
        let twice = [preset("deep", ""), preset("deep", "")].join(",");
        assert!(message(&with(&twice)).contains("preset name \"deep\" is used twice"));
        assert!(message(&with(&preset("", ""))).contains("preset name \"\" must be"));
        assert!(message(&with(&preset("deep", ",\"set\":1"))).contains("set"));
    }

    #[test]
    fn impossible_readings_are_refused() {
        assert!(message(&MEASURE.replace("\"min\":2", "\"min\":11")).contains("min 11"));
        assert!(message(&MEASURE.replace("\"min\":2", "\"min\":0")).contains("min 0"));
        for least in ["0", "11"] {
            let bench = format!("\"observe\":true,\"min_unobserved\":{least}");
            let message = message(&MEASURE.replace("\"observe\":true", &bench));
            assert!(message.contains("min_unobserved"), "{message}");
        }
    }
}
