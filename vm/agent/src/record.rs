//! Record: the agent's reports to the host, lines of `records.jsonl` and `status.json`.
//! Shapes only; [`crate::run_folder`] writes them.

use std::collections::BTreeMap;

use serde::Serialize;

/// A problem that could spoil a result but did not stop the run. Warnings that differ only
/// in what they are about have the same message.
#[derive(Debug, Default, Serialize)]
pub struct Warning {
    /// The bench that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<String>,
    /// The object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The problem and what to do.
    pub message: String,
}

/// One line of `records.jsonl`. Times and durations are guest (virtual)
/// nanoseconds: instructions, under icount.
#[derive(Debug, Serialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// The guest's fingerprint, the first record.
    Guest(Guest),
    /// A problem that could spoil a result but did not stop the run.
    Warning(Warning),
    /// The cost of an empty program of one type on this boot.
    Calibration {
        /// Same as [`Program::prog_type`].
        prog_type: &'static str,
        /// The readings, in order.
        readings: Vec<Count>,
        /// The tag of its window, where QEMU's plugin looked.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<u64>,
    },
    /// A reading begins.
    Progress {
        /// Benchmark name.
        bench: String,
        /// Counted from 1.
        reading: u32,
    },
    /// A reading has ended. Its output is in `output/BENCH.READING.stdout` and `.stderr`.
    Bench(BenchEnd),
    /// One BPF program of the preceding reading.
    Program(Program),
    /// A profiled run begins.
    Profiling {
        /// Benchmark name.
        bench: String,
    },
    /// A file of a profile, `profiles/NAME@BENCH` in the run folder.
    Profile {
        /// Benchmark name.
        bench: String,
        /// The command's name for it; `cpu.folded` are the agent's samples.
        name: String,
    },
    /// The code by which interrupts and exceptions enter the kernel, as sent to QEMU's plugin.
    Interrupts {
        /// Names of the code that they enter, by addresses in hexadecimal digits; none where this kernel has others.
        names: BTreeMap<String, String>,
    },
    /// Loading of an object's programs begins.
    Loading {
        /// Object name.
        object: String,
    },
    /// An object has been read; its programs follow.
    Object(ObjectRead),
    /// One program of the preceding object.
    Load(Load),
    /// The runs of the preceding program on inputs.
    Inputs {
        /// Object name.
        object: String,
        /// Why there are no runs.
        error: Option<String>,
        /// A run for each input.
        runs: Vec<InputRun>,
    },
    /// The programs of the preceding object are attached next.
    Attaching {
        /// Object name.
        object: String,
        /// Their names, as their `load` records have them.
        programs: Vec<String>,
    },
    /// Their runs.
    Attached {
        /// Object name.
        object: String,
        /// Why there are no runs.
        error: Option<String>,
        /// Programs with their runs.
        runs: Vec<(String, InputRun)>,
    },
    /// A benchmark has ended.
    Converged {
        /// Benchmark name.
        bench: String,
        /// Readings taken.
        readings: u32,
        /// Whether every program's clean total was seen twice.
        converged: bool,
    },
}

/// A description of the guest.
#[derive(Debug, Serialize)]
pub struct Guest {
    /// `uname -r`.
    pub release: String,
    /// `/proc/cmdline`.
    pub cmdline: String,
}

/// The difference between two readings of a program's statistics.
#[derive(Debug, Serialize, PartialEq, Eq, Clone, Copy)]
pub struct Count {
    /// Runs.
    pub run_cnt: u64,
    /// Nanoseconds (instructions, under icount) of these runs together.
    pub run_time_ns: u64,
}

/// The end of one reading's command.
#[derive(Debug, Serialize)]
pub struct BenchEnd {
    /// Benchmark name.
    pub bench: String,
    /// Counted from 1.
    pub reading: u32,
    /// Exit code; 126 or 127 if the command could not be started.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Duration from start to end of the command.
    pub duration_ns: u64,
}

/// Counters of one BPF program at the end of one reading.
#[derive(Debug, Serialize)]
pub struct Program {
    /// Benchmark name.
    pub bench: String,
    /// Counted from 1.
    pub reading: u32,
    /// Numbers the programs with the same name and type in this reading, in load order,
    /// from 0.
    pub ordinal: u32,
    /// The kernel's id, unique within a boot.
    pub id: u32,
    /// See [`crate::btf::full_name`].
    pub name: String,
    /// The kernel's name in lower case (`xdp`), or `type_NN`.
    pub prog_type: String,
    /// Hash over the instructions, 16 hexadecimal digits.
    pub tag: String,
    /// Runs.
    pub run_cnt: u64,
    /// Nanoseconds of all runs together.
    pub run_time_ns: u64,
    /// Runs refused because the program was already running; kernel 5.12 on.
    pub recursion_misses: Option<u64>,
    /// Size after the kernel's rewriting.
    pub xlated_bytes: u32,
    /// The program's source location; `null` without BTF line information.
    pub source: Option<Source>,
    /// Left out after the first reading; see [`crate::lines::describe`].
    pub machine_code: Option<Code>,
    /// Why the counters cannot be trusted, if so.
    pub warning: Option<String>,
    /// What QEMU's plugin saw of its runs, if it was asked to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
}

/// An ELF file with BPF programs, as far as it could be read.
#[derive(Debug, Serialize)]
pub struct ObjectRead {
    /// Object name.
    pub object: String,
    /// The number of its programs. A `load` record follows for each, unless `error` says
    /// that there is none to try (0) or that not all of them are tried.
    pub programs: u32,
    /// Problems of the whole object, in one line.
    pub error: Option<String>,
}

/// The kernel's result for one program of an object.
#[derive(Debug, Default, Serialize)]
pub struct Load {
    /// Object name.
    pub object: String,
    /// Name of its function.
    pub program: String,
    /// The ELF section it is in.
    pub section: String,
    /// Same as [`Program::prog_type`]; `unspec` if the section does not name it.
    pub prog_type: String,
    /// See [`crate::object::Object::digest`]; null if the program could not be read.
    pub code: Option<String>,
    /// The result. Later fields are `null` if they do not apply or the kernel does not
    /// report them.
    pub outcome: LoadOutcome,
    /// Loaded or refused: the verifier's statistics.
    pub verification: Option<Verification>,
    /// Instructions the verifier walked.
    pub verified_insns: Option<u32>,
    /// Stack of the deepest chain of calls; see [`crate::stack::deepest`].
    pub stack_bytes: Option<u32>,
    /// Size after the kernel's rewriting.
    pub xlated_bytes: Option<u32>,
    /// Size of the machine code; 0 when it is interpreted.
    pub jited_bytes: Option<u32>,
    /// Kernel memory that the maps it refers to take.
    pub map_bytes: Option<u64>,
    /// Duration of loading it, verifying and translating included, with the verifier's
    /// statistics on.
    pub load_time_ns: Option<u64>,
    /// Name of the error with which it was refused.
    pub errno: Option<String>,
    /// Refused: the verifier's last message. Unsupported: why, and what is needed.
    /// Loaded: remarks, for example that it has no BTF.
    pub message: Option<String>,
    /// Refused: the end of the verifier's log, whole lines.
    pub log: String,
    /// Loaded: where its function begins. Refused: the line the verifier complains about.
    pub source: Option<Source>,
    /// Refused: where its function begins.
    pub begins: Option<Source>,
    /// Loaded: see [`crate::lines::describe`].
    pub machine_code: Option<Code>,
    /// Whether it is run on inputs next.
    pub runs: bool,
}

/// The runs of a program on one input, or under the workload.
#[derive(Debug, Default, Serialize)]
pub struct InputRun {
    /// Name of the input.
    pub input: String,
    /// The readings, in order; empty if there is an error.
    pub readings: Vec<Count>,
    /// Runs of an empty program of its type; `None` if they cannot be counted.
    pub empty: Option<Count>,
    /// Why they cannot.
    pub no_empty: Option<String>,
    /// System calls of the workload in each reading; `None` if it did not run.
    pub calls: Option<u32>,
    /// The return value of the first run.
    pub returned: Option<u32>,
    /// SHA-256 of the packet that the first run left; of what it found, for a flow dissector.
    /// `None` for a context.
    pub left: Option<String>,
    /// Where it was attached, if the kernel does not have its own function.
    pub instead: Option<Instead>,
    /// Why it did not run.
    pub error: Option<String>,
    /// What QEMU's plugin saw of the lowest reading, if it was asked to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
}

/// Where to find what the plugin (`vm/plugin`) counted, and what it is about.
#[derive(Debug, Serialize)]
pub struct Inside {
    /// The tag of the reading's window.
    pub window: u64,
    /// Its runs, and their instructions by the kernel's count.
    pub reading: Count,
    /// The tag of the empty program's window; `None` if there is none, or a program of a benchmark runs, whose type's
    /// is in [`Record::Calibration`].
    pub empty: Option<u64>,
    /// The program's code; `None` if it is that of the run before, on another input.
    pub code: Option<SeenCode>,
}

/// The code of a program that the plugin saw.
#[derive(Debug, Serialize, Clone, PartialEq, Eq)]
pub struct SeenCode {
    /// The code; without functions where none of its lines is known.
    #[serde(flatten)]
    pub code: Code,
    /// Names of the functions that it calls, by their addresses in hexadecimal digits.
    pub names: BTreeMap<String, String>,
}

/// The code of a program as the JIT made it, without addresses of its own.
#[derive(Debug, Default, Serialize, Clone, PartialEq, Eq)]
pub struct Code {
    /// Names of files.
    pub files: Vec<String>,
    /// Its functions, the main one first.
    pub functions: Vec<Function>,
}

/// A function as the JIT made it.
#[derive(Debug, Serialize, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name; empty if it is not known.
    pub name: String,
    /// Its instructions, in order, as they stand.
    pub stretches: Vec<Stretch>,
}

/// Instructions of one line, one after another: the index of the file, the line, or 0 where
/// none is known, a hash of the line's text, or 0 where it is not known, and four characters for
/// each instruction, see [`crate::lines`].
pub type Stretch = (u32, u32, u32, String);

/// A function in the place of a program's own.
#[derive(Debug, Serialize)]
pub struct Instead {
    /// Its name.
    pub at: &'static str,
    /// Why the program was not attached to its own.
    pub because: String,
}

impl InputRun {
    /// A run that did not take place.
    pub fn failed(input: &str, error: String) -> Self {
        Self {
            input: input.to_owned(),
            error: Some(error),
            ..Self::default()
        }
    }
}

/// The verifier's statistics of one program. Numbers are `null` if the kernel does not
/// print them.
#[derive(Debug, Serialize, PartialEq, Eq, Clone, Copy)]
pub struct Verification {
    /// Instructions walked.
    pub insns: u32,
    /// States that were remembered in all.
    pub total_states: Option<u32>,
    /// The most states that were remembered at one time.
    pub peak_states: Option<u32>,
    /// The most states that were remembered at one instruction.
    pub max_states_per_insn: Option<u32>,
    /// The longest walk through parent states to mark a register as read.
    pub mark_read: Option<u32>,
    /// Microseconds that it took, by the guest's clock.
    pub time_us: Option<u64>,
}

/// The result of loading one program.
#[derive(Debug, Default, Serialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum LoadOutcome {
    /// The kernel accepted it.
    Loaded,
    /// The kernel verified it and refused it.
    Refused,
    /// It could not be passed to the verifier, which says nothing about it.
    #[default]
    Unsupported,
}

/// A place in source code.
#[derive(Debug, Serialize, PartialEq, Eq, Clone)]
pub struct Source {
    /// The path in the BTF.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
}

/// `status.json`: the outcome of the plan.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Status {
    /// Mode exec: the command exited.
    Exited {
        /// 0 to 255.
        exit_code: i32,
    },
    /// Mode exec: a signal ended the command.
    Signaled {
        /// Its number.
        signal: i32,
    },
    /// Mode measure: every benchmark was tried; its records say how it ended.
    Measured {},
    /// The agent could not do its work.
    Failed {
        /// The problem and what to do.
        message: String,
        /// Mode exec, the command cannot be run: 127 if it is not found, otherwise 126.
        exit_code: Option<i32>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_field_comes_first() {
        let line = serde_json::to_string(&Record::Calibration {
            prog_type: "xdp",
            readings: vec![Count {
                run_cnt: 1000,
                run_time_ns: 49000,
            }],
            window: None,
        })
        .unwrap();
        assert_eq!(
            line,
            r#"{"record":"calibration","prog_type":"xdp","readings":[{"run_cnt":1000,"run_time_ns":49000}]}"#
        );
    }

    #[test]
    fn status_json_has_the_expected_fields() {
        let json = |status: Status| serde_json::to_string(&status).unwrap();
        assert_eq!(
            json(Status::Signaled { signal: 9 }),
            r#"{"outcome":"signaled","signal":9}"#
        );
        assert_eq!(json(Status::Measured {}), r#"{"outcome":"measured"}"#);
    }
}
