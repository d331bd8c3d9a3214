//! Mode measure: calibrates, then reads every benchmark of every revision until its
//! counts are proven.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use crate::bpf::{self, prog_type_name};
use crate::calibrate::{Control, EMPTY_PROGRAMS, calibrate};
use crate::child::{self, Job, JobEnd};
use crate::converge::{History, Key, Next};
use crate::drop_off::DropOff;
use crate::inside::Describer;
use crate::leavings::{Leavings, SHARED};
use crate::observe::{self, Observation, Observed, Watcher};
use crate::opened::Opened;
use crate::panicked::panic_message;
use crate::plan::{Bench, MeasurePlan, Readings, Revision};
use crate::profile::{self, Sampler};
use crate::pump::Flush;
use crate::record::{BenchEnd, Count, Program, Record};
use crate::run_folder::{RecordLog, RunFolder};
use crate::seal::sha256;
use crate::settings::Settings;
use crate::sys::Ended;
use crate::{Ground, verifier};

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
    stdin: &'a File,
    /// State of the guest that each command should find; `None` outside of a guest.
    initial: Option<Initial>,
    /// The reading taken last.
    last: Option<Reading<'a>>,
    /// Messages already written: many would repeat with each reading.
    warned: BTreeSet<String>,
    /// Guest time of the longest reading, by benchmark.
    longest: BTreeMap<String, Duration>,
    /// Files that each run opened, by benchmark and revision; `None` if not all are known.
    opened: BTreeMap<(String, String), Option<BTreeSet<String>>>,
    control: Option<Control>,
    describer: Describer,
}

/// State that no command may change for later ones.
struct Initial {
    settings: Settings,
    leavings: Leavings,
}

/// Guest time for the readings of one benchmark.
struct Budget {
    total: Duration,
    begun: Instant,
    reading_begun: Instant,
    longest: Duration,
}

impl Budget {
    fn begin(milliseconds: u64) -> Self {
        let now = Instant::now();
        Self {
            total: Duration::from_millis(milliseconds),
            begun: now,
            reading_begun: now,
            longest: Duration::ZERO,
        }
    }

    /// Whether reading `number`, which has just ended, is the last: the next one may take
    /// as long as the longest.
    fn is_used(&mut self, number: u32, readings: Readings) -> bool {
        self.longest = self.longest.max(self.reading_begun.elapsed());
        self.reading_begun = Instant::now();
        number >= readings.max
            || number >= readings.min && self.begun.elapsed() + self.longest > self.total
    }
}

/// Identifies one run of one command.
#[derive(Clone, Copy)]
struct Reading<'a> {
    bench: &'a Bench,
    revision: &'a Revision,
    number: u32,
}

impl<'a> Measurer<'a> {
    /// Starts nothing yet.
    pub fn new(plan: &'a MeasurePlan, folder: &'a RunFolder, ground: &'a mut Ground<'_>) -> Self {
        Self {
            plan,
            folder,
            log: ground.log,
            stdin: &ground.stdin,
            initial: ground.is_guest.then(|| Initial {
                settings: Settings::read(),
                leavings: Leavings::look(&SHARED),
            }),
            last: None,
            warned: BTreeSet::new(),
            longest: BTreeMap::new(),
            opened: BTreeMap::new(),
            control: None,
            describer: Describer::default(),
        }
    }

    /// Carries out the whole plan. A failing benchmark is a result; an error is the
    /// agent's.
    pub fn run(&mut self) -> Result<()> {
        let plan = self.plan;
        ensure!(
            !plan.work_dir.starts_with(self.folder.path()),
            "work_dir {:?} lies in the run folder, which commands cannot see: choose another",
            plan.work_dir
        );
        std::fs::create_dir_all(&plan.work_dir)
            .with_context(|| format!("cannot make work_dir {:?}", plan.work_dir))?;
        self.folder.make_dir(OUTPUT)?;
        // Before anything of the project runs, so that the project cannot affect it.
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
            match calibrate(empty, plan.inside) {
                Ok((readings, window)) => self.log.write(&Record::Calibration {
                    prog_type: empty.name,
                    readings,
                    window,
                })?,
                Err(error) => self.log.warn(format!("no calibration: {error:#}"))?,
            }
        }
        if plan.control {
            self.control = Some(Control::load()?);
        }
        plan.benches
            .iter()
            .try_for_each(|bench| self.bench(bench))?;
        self.restore()?;
        // Last of all, so that it cannot affect anything that is counted.
        let mut budget = MAX_PROFILE_BYTES;
        for bench in &plan.benches {
            for revision in &plan.revisions {
                if let Some(command) = bench.profiles.get(&revision.name) {
                    self.profile(bench, command, revision, &mut budget)?;
                }
            }
        }
        for ((bench, revision), files) in std::mem::take(&mut self.opened) {
            self.log.write(&Record::Files {
                bench,
                revision,
                opened: files.map(Vec::from_iter),
            })?;
        }
        Ok(())
    }

    /// Runs a command, and records the files that it opens if the plan asks for them.
    fn run_job(&mut self, bench: &Bench, revision: &Revision, job: Job) -> Result<JobEnd> {
        if !bench.files {
            return child::run(job);
        }
        let (tree, shown_at) = (&revision.dir, &self.plan.work_dir);
        let opened = Opened::collect(tree);
        let end = child::run(job)?;
        let files = opened.ok().and_then(|own| own.files(tree, shown_at));
        let all = self
            .opened
            .entry((bench.name.clone(), revision.name.clone()))
            .or_insert_with(|| Some(BTreeSet::new()));
        match (all.as_mut(), files) {
            (Some(all), Some(files)) => all.extend(files),
            _ => *all = None,
        }
        Ok(end)
    }

    fn bench(&mut self, bench: &'a Bench) -> Result<()> {
        let plan = self.plan;
        let mut history = History::default();
        let mut number = 0;
        let mut budget = plan.readings.budget_ms.map(Budget::begin);
        let converged = loop {
            number += 1;
            for index in plan.order_of(number) {
                let reading = Reading {
                    bench,
                    revision: &plan.revisions[index],
                    number,
                };
                if !self.read(reading, &mut history)? {
                    return self.end(bench, number, false);
                }
                self.run_control(reading)?;
            }
            if let Some(budget) = &mut budget {
                if budget.is_used(number, plan.readings) {
                    break true;
                }
            } else if let Next::Stop { converged } =
                history.next(number, plan.readings, bench.min_unobserved)
            {
                break converged;
            }
        };
        self.end(bench, number, converged)
    }

    /// Runs the control program, if the plan has one.
    fn run_control(&mut self, reading: Reading) -> Result<()> {
        let Some(control) = &self.control else {
            return Ok(());
        };
        let Count {
            run_cnt,
            run_time_ns,
        } = control.read()?;
        self.log.write(&Record::Control {
            bench: reading.bench.name.clone(),
            revision: reading.revision.name.clone(),
            reading: reading.number,
            run_cnt,
            run_time_ns,
        })
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

    /// Restores settings that shape counts and that the last reading has changed.
    fn restore(&mut self) -> Result<()> {
        let (Some(initial), Some(last)) = (&self.initial, self.last) else {
            return Ok(());
        };
        for message in initial.settings.restore() {
            self.warn_once(last, message)?;
        }
        Ok(())
    }

    /// Takes one reading. Returns whether the command succeeded, and printed no more than
    /// the host's limit.
    fn read(&mut self, reading: Reading<'a>, history: &mut History) -> Result<bool> {
        let (bench, revision) = (reading.bench, reading.revision);
        self.restore()?;
        self.last = Some(reading);
        self.log.write(&Record::Progress {
            bench: bench.name.clone(),
            revision: revision.name.clone(),
            reading: reading.number,
        })?;
        let output = |stream| {
            format!(
                "{OUTPUT}/{}.{}.{}.{stream}",
                bench.name, revision.name, reading.number
            )
        };
        let (stdout, stderr) = (output("stdout"), output("stderr"));
        let command = bench.commands.get(&revision.name).cloned();
        let argv = [
            "sh".to_owned(),
            "-c".to_owned(),
            command.unwrap_or_default(),
        ];
        let job = Job {
            argv: &argv,
            env: &self.plan.env,
            cwd: &child::project_dir(&self.plan.work_dir, &self.plan.project),
            bind: Some((&revision.dir, &self.plan.work_dir)),
            stdin: self.stdin,
            stdout: self.folder.append_to(&stdout)?,
            stderr: self.folder.append_to(&stderr)?,
            flush: Flush::AtEnd,
            time_limit: None,
        };
        let watcher = bench
            .observe
            .then(|| Watcher::start(self.plan.inside))
            .transpose()?;
        let end = self.run_job(bench, revision, job)?;
        let observation = match watcher {
            Some(watcher) => watcher.finish()?.read(&mut self.describer)?,
            None => Observation::default(),
        };
        let (exit_code, signal, duration, is_whole, digests, warnings) = match end {
            JobEnd::Ran {
                ended,
                duration,
                printed_too_much,
                digests,
                warnings,
                ..
            } => {
                let (code, signal) = match ended {
                    Ended::Exited(code) => (Some(code), None),
                    Ended::Signaled(signal) => (None, Some(signal)),
                };
                (code, signal, duration, !printed_too_much, digests, warnings)
            }
            JobEnd::CannotRun { message, exit_code } => (
                Some(exit_code),
                None,
                Default::default(),
                true,
                // It printed nothing.
                [(); 2].map(|()| Some(sha256([]))),
                vec![message],
            ),
        };
        let [stdout_sha256, stderr_sha256] = digests;
        history.add_printed(&revision.name, stdout_sha256.clone());
        let longest = self.longest.entry(bench.name.clone()).or_default();
        *longest = duration.max(*longest);
        for message in warnings.into_iter().chain(observation.warnings) {
            self.warn_once(reading, message)?;
        }
        self.log.write(&Record::Bench(BenchEnd {
            bench: bench.name.clone(),
            revision: revision.name.clone(),
            reading: reading.number,
            exit_code,
            signal,
            stdout,
            stderr,
            stdout_sha256,
            stderr_sha256,
            duration_ns: duration.as_nanos() as u64,
        }))?;
        // Lines are the same in every reading.
        let with_lines = reading.number == 1 && self.log.has_room();
        let mut counted = Vec::new();
        for program in to_records(reading, observation.programs, with_lines) {
            let key = Key {
                revision: revision.name.clone(),
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
    fn profile(
        &mut self,
        bench: &Bench,
        command: &str,
        revision: &Revision,
        budget: &mut usize,
    ) -> Result<()> {
        self.log.write(&Record::Profiling {
            bench: bench.name.clone(),
            revision: revision.name.clone(),
        })?;
        let mut warnings = Vec::new();
        let profiles = catch_unwind(AssertUnwindSafe(|| {
            self.take_profiles(bench, command, revision, &mut warnings)
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
                    let file = format!("{PROFILES}/{}.{}.{name}", bench.name, revision.name);
                    if let Err(error) = self.folder.write_new(&file, &content) {
                        warnings.push(format!("{error:#}"));
                        continue;
                    }
                    self.log.write(&Record::Profile {
                        bench: bench.name.clone(),
                        revision: revision.name.clone(),
                        name,
                        file,
                        sha256: sha256([&content[..]]),
                    })?;
                }
            }
            Err(error) => warnings.push(format!("{error:#}")),
        }
        for message in warnings {
            self.log.warn(format!(
                "profile of benchmark {}, revision {}: {message}",
                bench.name, revision.name
            ))?;
        }
        Ok(())
    }

    /// Runs a command. Returns names and contents of the profiles taken of it, and of
    /// those that it leaves in its profile folder.
    fn take_profiles(
        &mut self,
        bench: &Bench,
        command: &str,
        revision: &Revision,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        self.folder.make_dir(PROFILES)?;
        let drop_off = DropOff::make()?;
        let mut env = self.plan.env.clone();
        env.insert(DropOff::VARIABLE.into(), drop_off.path().into());
        let output = |stream| format!("{OUTPUT}/{}.{}.profile.{stream}", bench.name, revision.name);
        let argv = ["sh".to_owned(), "-c".to_owned(), command.to_owned()];
        let longest = self.longest.get(&bench.name).copied().unwrap_or_default();
        let job = Job {
            argv: &argv,
            env: &env,
            cwd: &child::project_dir(&self.plan.work_dir, &self.plan.project),
            bind: Some((&revision.dir, &self.plan.work_dir)),
            stdin: self.stdin,
            stdout: self.folder.append_to(&output("stdout"))?,
            stderr: self.folder.append_to(&output("stderr"))?,
            flush: Flush::AtEnd,
            time_limit: Some(PROFILE_TIME + longest * 3),
        };
        let sampler = Sampler::start();
        let end = self.run_job(bench, revision, job)?;
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
                let folded = samples.fold(&self.plan.work_dir, &revision.dir, warnings);
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
        let Reading {
            bench,
            revision,
            number,
        } = reading;
        let first = self.warned.insert(message.clone());
        if first {
            self.log.warn(format!(
                "benchmark {}, revision {}, reading {number}: {message}",
                bench.name, revision.name
            ))?;
        }
        Ok(())
    }
}

fn to_records(reading: Reading, programs: Vec<Observed>, with_lines: bool) -> Vec<Program> {
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
                revision: reading.revision.name.clone(),
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
                lines: if with_lines {
                    program.lines
                } else {
                    Vec::new()
                },
                warning: program.warning,
                inside: program.inside,
            }
        })
        .collect()
}
