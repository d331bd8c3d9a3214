//! Mode measure: calibrates, then reads every benchmark until its counts are proven.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::bpf::{self, prog_type_name};
use crate::calibrate::{EMPTY_PROGRAMS, calibrate};
use crate::child::{self, Job, JobEnd};
use crate::converge::{History, Key, Next};
use crate::drop_off::DropOff;
use crate::inside::{self, Describer};
use crate::leavings::{Leavings, SHARED};
use crate::observe::{self, Observation, Observed, Watcher};
use crate::panicked::panic_message;
use crate::plan::{Bench, MeasurePlan};
use crate::profile::{self, Sampler};
use crate::pump::Flush;
use crate::record::{BenchEnd, Count, Program, Record, Warning};
use crate::run_folder::{RecordLog, RunFolder};
use crate::settings::Settings;
use crate::sys::Ended;
use crate::{guest, verifier};

/// Folder in the run folder for the output of benchmarks.
const OUTPUT: &str = "output";
/// Folder in the run folder for profiles.
const PROFILES: &str = "profiles";
/// The most bytes of all profiles of a boot.
const MAX_PROFILE_BYTES: usize = 64 << 20;
/// Guest time that a command may take while it is profiled, in addition to three times
/// its longest reading.
const PROFILE_TIME: Duration = Duration::from_secs(30);
/// The most bytes of stderr shown when a command fails.
const STDERR_TAIL: u64 = 1000;

/// The state of a plan's measurement.
pub struct Measurer<'a> {
    plan: &'a MeasurePlan,
    folder: &'a RunFolder,
    log: &'a mut RecordLog,
    /// State of the guest that each command should find; `None` outside of a guest.
    initial: Option<Initial>,
    /// Benches and messages already written: many would repeat with each reading.
    warned: BTreeSet<(String, String)>,
    /// Guest time of the longest reading, by benchmark.
    longest: BTreeMap<String, Duration>,
    describer: Describer,
}

/// State that a command can change by accident for later ones.
struct Initial {
    settings: Settings,
    leavings: Leavings,
}

/// Identifies one run of one command.
#[derive(Clone, Copy)]
struct Reading<'a> {
    bench: &'a Bench,
    number: u32,
}

impl<'a> Measurer<'a> {
    /// Starts nothing yet.
    pub fn new(plan: &'a MeasurePlan, folder: &'a RunFolder, log: &'a mut RecordLog) -> Self {
        // Elsewhere shared folders and settings are those of a developer's machine.
        let is_guest = folder.path() == Path::new(guest::RUN_FOLDER);
        Self {
            plan,
            folder,
            log,
            initial: is_guest.then(|| Initial {
                settings: Settings::read(),
                leavings: Leavings::look(&SHARED),
            }),
            warned: BTreeSet::new(),
            longest: BTreeMap::new(),
            describer: Describer::default(),
        }
    }

    /// Carries out the whole plan. A failing benchmark is a result; an error is the
    /// agent's.
    pub fn run(&mut self) -> Result<()> {
        let plan = self.plan;
        std::fs::create_dir_all(&plan.work_dir)
            .with_context(|| format!("cannot make work_dir {:?}", plan.work_dir))?;
        self.folder.make_dir(OUTPUT)?;
        if let Some(secret) = &plan.inside {
            let interrupts = inside::begin(secret)?;
            self.log.write(&Record::Interrupts { names: interrupts })?;
        }
        verifier::run(plan, self.folder.read_config(), self.log)?;
        let _stats = bpf::enable_stats().context(
            "cannot enable BPF statistics: use kernel 5.8 or newer with CONFIG_BPF_SYSCALL",
        )?;
        // Verifying counts no runs, so it needs no calibration.
        let counted = if plan.benches.is_empty() {
            &[][..]
        } else {
            &EMPTY_PROGRAMS
        };
        for empty in counted {
            match calibrate(empty, plan.inside.is_some()) {
                Ok((readings, window)) => self.log.write(&Record::Calibration {
                    prog_type: empty.name,
                    readings,
                    window,
                })?,
                Err(error) => self.log.warn(format!("no calibration: {error:#}"))?,
            }
        }
        plan.benches
            .iter()
            .try_for_each(|bench| self.bench(bench))?;
        // Last of all, so that it cannot affect anything that is counted.
        let mut budget = MAX_PROFILE_BYTES;
        for bench in &plan.benches {
            if let Some(command) = &bench.profile {
                self.profile(bench, command, &mut budget)?;
            }
        }
        Ok(())
    }

    fn bench(&mut self, bench: &'a Bench) -> Result<()> {
        let plan = self.plan;
        let mut history = History::new(plan.ticks);
        let mut number = 0;
        let converged = loop {
            number += 1;
            if !self.read(Reading { bench, number }, &mut history)? {
                return self.end(bench, number, false);
            }
            if let Next::Stop { converged } =
                history.next(number, plan.readings, bench.min_unobserved)
            {
                break converged;
            }
        };
        self.end(bench, number, converged)
    }

    fn end(&mut self, bench: &Bench, readings: u32, converged: bool) -> Result<()> {
        if let Some(initial) = &self.initial {
            initial.leavings.remove();
        }
        self.log.write(&Record::Converged {
            bench: bench.name.clone(),
            readings,
            converged,
        })
    }

    /// Takes one reading. Returns whether the command succeeded, and printed no more than
    /// the host's limit.
    fn read(&mut self, reading: Reading<'a>, history: &mut History) -> Result<bool> {
        let bench = reading.bench;
        self.log.write(&Record::Progress {
            bench: bench.name.clone(),
            reading: reading.number,
        })?;
        let output = |stream| format!("{OUTPUT}/{}.{}.{stream}", bench.name, reading.number);
        let argv = ["sh".to_owned(), "-c".to_owned(), bench.command.clone()];
        let job = Job {
            argv: &argv,
            env: &self.plan.env,
            cwd: &child::project_dir(&self.plan.work_dir, &self.plan.project),
            bind: Some((&self.plan.tree, &self.plan.work_dir)),
            stdout: self.folder.append_to(&output("stdout"))?,
            stderr: self.folder.append_to(&output("stderr"))?,
            flush: Flush::AtEnd,
            time_limit: None,
        };
        let watcher = bench
            .observe
            .then(|| Watcher::start(self.plan.inside.is_some()))
            .transpose()?;
        let end = child::run(job)?;
        let observation = match watcher {
            Some(watcher) => watcher.finish()?.read(&mut self.describer)?,
            None => Observation::default(),
        };
        let (exit_code, signal, duration, is_whole, printed, warnings) = match end {
            JobEnd::Ran {
                ended,
                duration,
                printed_too_much,
                printed,
                warnings,
                ..
            } => {
                let (code, signal) = match ended {
                    Ended::Exited(code) => (Some(code), None),
                    Ended::Signaled(signal) => (None, Some(signal)),
                };
                (code, signal, duration, !printed_too_much, printed, warnings)
            }
            JobEnd::CannotRun { message, exit_code } => (
                Some(exit_code),
                None,
                Default::default(),
                true,
                0,
                vec![message],
            ),
        };
        history.add_printed(printed);
        let longest = self.longest.entry(bench.name.clone()).or_default();
        *longest = duration.max(*longest);
        let settings = self.initial.iter().flat_map(|it| it.settings.restore());
        let changes: Vec<_> = settings.collect();
        let warnings = warnings.into_iter().chain(observation.warnings);
        for message in warnings.chain(changes) {
            self.warn_once(reading, message)?;
        }
        self.log.write(&Record::Bench(BenchEnd {
            bench: bench.name.clone(),
            reading: reading.number,
            exit_code,
            signal,
            duration_ns: duration.as_nanos() as u64,
        }))?;
        // Lines are the same in every reading.
        let with_code = reading.number == 1 && self.log.has_room();
        let mut counted = Vec::new();
        for program in to_records(reading, observation.programs, with_code) {
            let key = Key {
                name: program.name.clone(),
                prog_type: program.prog_type.clone(),
                tag: program.tag.clone(),
                ordinal: 0,
            };
            let count = Count {
                run_cnt: program.run_cnt,
                run_time_ns: program.run_time_ns,
            };
            self.log.write(&Record::Program(program))?;
            counted.push((key, count));
        }
        history.add_reading(counted);
        Ok(exit_code == Some(0) && is_whole)
    }

    /// Profiles a command. Problems are only warnings: the command has been measured.
    fn profile(&mut self, bench: &Bench, command: &str, budget: &mut usize) -> Result<()> {
        self.log.write(&Record::Profiling {
            bench: bench.name.clone(),
        })?;
        let mut warnings = Vec::new();
        let profiles = catch_unwind(AssertUnwindSafe(|| {
            self.take_profiles(bench, command, &mut warnings)
        }))
        .unwrap_or_else(|panic| Err(anyhow!("a panic, report this: {}", panic_message(&*panic))));
        match profiles {
            Ok(profiles) => {
                for (name, content) in profiles {
                    if content.len() > *budget {
                        warnings.push(format!(
                            "{name} is not kept: all profiles of a boot may have {} MiB",
                            MAX_PROFILE_BYTES >> 20
                        ));
                        continue;
                    }
                    *budget -= content.len();
                    let file = format!("{PROFILES}/{name}@{}", bench.name);
                    if let Err(error) = self.folder.write_new(&file, &content) {
                        warnings.push(format!("{error:#}"));
                        continue;
                    }
                    self.log.write(&Record::Profile {
                        bench: bench.name.clone(),
                        name,
                    })?;
                }
            }
            Err(error) => warnings.push(format!("{error:#}")),
        }
        for message in warnings {
            self.warn(bench, format!("profile: {message}"))?;
        }
        Ok(())
    }

    /// Runs a command. Returns names and contents of the profiles taken of it, and of
    /// those that it leaves in its profile folder.
    fn take_profiles(
        &mut self,
        bench: &Bench,
        command: &str,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        self.folder.make_dir(PROFILES)?;
        let drop_off = DropOff::make()?;
        let mut env = self.plan.env.clone();
        env.insert(DropOff::VARIABLE.into(), drop_off.path().into());
        let output = |stream| format!("{OUTPUT}/{}.profile.{stream}", bench.name);
        let argv = ["sh".to_owned(), "-c".to_owned(), command.to_owned()];
        let longest = self.longest.get(&bench.name).copied().unwrap_or_default();
        let job = Job {
            argv: &argv,
            env: &env,
            cwd: &child::project_dir(&self.plan.work_dir, &self.plan.project),
            bind: Some((&self.plan.tree, &self.plan.work_dir)),
            stdout: self.folder.append_to(&output("stdout"))?,
            stderr: self.folder.append_to(&output("stderr"))?,
            flush: Flush::AtEnd,
            time_limit: Some(PROFILE_TIME + longest * 3),
        };
        let sampler = Sampler::start();
        let end = child::run(job)?;
        let mut files = Vec::new();
        match sampler.and_then(Sampler::finish) {
            Ok(samples) => {
                if samples.lost > 0 {
                    warnings.push(format!(
                        "{} of {} samples were lost",
                        samples.lost,
                        samples.lost + samples.taken
                    ));
                }
                let folded = samples.fold(&self.plan.work_dir, &self.plan.tree, warnings);
                for (name, folded) in profile::FOLDED.into_iter().zip(folded) {
                    // A command that never waited has no profile of its waits.
                    if name == profile::FOLDED[0] || !folded.is_empty() {
                        files.push((name.to_owned(), folded.into_bytes()));
                    }
                }
            }
            Err(error) => warnings.push(format!("no samples: {error:#}")),
        }
        let failure = match end {
            JobEnd::Ran {
                ended,
                timed_out,
                duration,
                printed_too_much,
                warnings: more,
                ..
            } => {
                warnings.extend(more);
                match ended {
                    _ if printed_too_much => Some("printed more than 8 MiB".to_owned()),
                    _ if timed_out => Some(format!(
                        "was ended after {} s",
                        duration.as_secs_f64().round()
                    )),
                    Ended::Exited(0) => None,
                    Ended::Exited(code) => Some(format!("exited with {code}")),
                    Ended::Signaled(signal) => Some(format!("was ended by signal {signal}")),
                }
            }
            JobEnd::CannotRun { message, .. } => Some(format!("did not start: {message}")),
        };
        if let Some(failure) = failure {
            let stderr = self.folder.read_end(&output("stderr"), STDERR_TAIL)?;
            let stderr = String::from_utf8_lossy(&stderr);
            warnings.push(match stderr.trim() {
                "" => format!("the command {failure}"),
                said => format!("the command {failure}; its stderr ends with: {said}"),
            });
        }
        files.extend(drop_off.take(warnings)?);
        Ok(files)
    }

    fn warn_once(&mut self, reading: Reading, message: String) -> Result<()> {
        let bench = reading.bench;
        let first = self.warned.insert((bench.name.clone(), message.clone()));
        if first {
            self.warn(bench, message)?;
        }
        Ok(())
    }

    fn warn(&mut self, bench: &Bench, message: String) -> Result<()> {
        self.log.write(&Record::Warning(Warning {
            bench: Some(bench.name.clone()),
            message,
            ..Warning::default()
        }))
    }
}

fn to_records(reading: Reading, programs: Vec<Observed>, with_code: bool) -> Vec<Program> {
    let keys = programs
        .iter()
        .map(|program| (program.name.as_str(), program.info.prog_type));
    let ordinals = observe::ordinals(keys);
    programs
        .into_iter()
        .zip(ordinals)
        .map(|(program, ordinal)| {
            let info = program.info;
            Program {
                bench: reading.bench.name.clone(),
                reading: reading.number,
                ordinal,
                id: info.id,
                name: program.name,
                prog_type: prog_type_name(info.prog_type),
                tag: info.tag,
                run_cnt: info.run_cnt,
                run_time_ns: info.run_time_ns,
                recursion_misses: info.recursion_misses,
                xlated_bytes: info.xlated_bytes,
                source: program.source,
                machine_code: program.machine_code.filter(|_| with_code),
                warning: program.warning,
                inside: program.inside,
            }
        })
        .collect()
}
