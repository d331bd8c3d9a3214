//! Verifier lane: loads every program of a plan's objects, and records the kernel's
//! result for each.
//!
//! They are loaded in a copy of the agent's process; after a crash, the rest is loaded in
//! a new one. Whatever an object causes there (a crash, a loop, use of all memory) costs
//! only the program being loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use aya_obj::generated::bpf_prog_type;

use crate::bpf::{Insn, Prog, prog_type_name};
use crate::bpf_load::{self, ProgBtf, ProgLoad};
use crate::btf::{self, Btf};
use crate::first_kernels;
use crate::hook::Hook;
use crate::inputs::{self, Runner, Subject, WORKLOAD};
use crate::kernel::Kernel;
use crate::lines;
use crate::load::{self, Failure, one_line};
use crate::maps;
use crate::object::{Linked, Object, is_constant};
use crate::panicked::panic_message;
use crate::plan::{MeasurePlan, Object as Planned, Preset};
use crate::record::{InputRun, Load, LoadOutcome, ObjectRead, Record, Warning};
use crate::run_folder::RecordLog;
use crate::section::{self, Kind, Target};
use crate::struct_ops::Place;
use crate::sys::{self, Ended};
use crate::verifier_log;

/// Largest object, in bytes.
const MAX_OBJECT_BYTES: u64 = 64 << 20;
/// The most programs of an object that are loaded.
const MAX_PROGRAMS: usize = 4096;
/// The most programs of an object that are attached together.
const MAX_ATTACHED: usize = 256;
/// The most memory of the process that loads objects, in bytes.
const MAX_MEMORY: u64 = 1 << 30;
/// Guest time for reading an object, and for loading one program: under icount,
/// 60,000,000,000 instructions, for which a host needs some minutes. Verifying a million
/// instructions takes a tenth of it.
const STEP_TIME: Duration = Duration::from_secs(60);
/// Guest time for running one program on all inputs, with its maps made again for each. The
/// host gives up after 4 minutes of its own.
const RUN_TIME: Duration = Duration::from_secs(20);
/// The most programs of an object that may crash the process.
const MAX_CRASHES: usize = 8;
/// The most characters of a message.
const MAX_CHARS: usize = 1000;

/// Loads all programs of all objects. There must be no other thread. `config` is the
/// kernel's, if the host has sent it. An error is the agent's.
pub fn run(plan: &MeasurePlan, config: Option<String>, log: &mut RecordLog) -> Result<()> {
    if plan.objects.is_empty() {
        return Ok(());
    }
    let kernel = Kernel::ask(config);
    // The first program of a boot also pays for one-time work of the kernel, such as
    // reading its own BTF. It stays loaded: since 5.18 programs share 2 MiB of code, which the
    // kernel fills again after the last of them is gone. Emulated, that takes 0.1 s.
    let smallest = [Insn::mov_r0(0), Insn::exit()];
    let _kept = Prog::load(bpf_prog_type::BPF_PROG_TYPE_SOCKET_FILTER, &smallest);
    let objects = plan
        .objects
        .iter()
        .map(|planned| (planned, plan.tree.join(&planned.path)))
        .collect::<Vec<_>>();
    let mut position = Position::default();
    let mut crash = None;
    while position.object < objects.len() {
        let (mut reader, tell) = io::pipe().context("cannot make a pipe")?;
        let start = position;
        let pid = sys::run_in_copy(MAX_MEMORY, || {
            // A panic is caught and reported in a record.
            std::panic::set_hook(Box::new(|_| ()));
            // Only the exit code can report this error.
            if load_objects(plan, &objects, &kernel, log, &tell, start, crash.take()).is_err() {
                panic!("cannot write records");
            }
        })
        .context("cannot start a process")?;
        drop(tell);
        crash = None;
        let end = follow(&mut reader, pid, &mut position)?;
        let Some((planned, _)) = objects.get(position.object) else {
            break;
        };
        let end = end.unwrap_or_else(|| "ended too early".into());
        position.crashes += 1;
        let was_running = std::mem::take(&mut position.running);
        if position.attaching {
            log.write(&Record::Attached {
                object: planned.name.clone(),
                error: Some(format!(
                    "the loader {end} when the object's programs were attached"
                )),
                runs: Vec::new(),
            })?;
            position.next_object();
            continue;
        }
        if was_running {
            log.write(&Record::Inputs {
                object: planned.name.clone(),
                error: Some(format!("the loader {end} when the kernel ran it")),
                runs: Vec::new(),
            })?;
        }
        if !position.read {
            log.write(&Record::Object(ObjectRead {
                object: planned.name.clone(),
                programs: 0,
                error: Some(format!("the loader {end} when it read the object")),
            }))?;
            position.next_object();
        } else if position.crashes > MAX_CRASHES {
            log.write(&Record::Warning(Warning {
                object: Some(planned.name.clone()),
                message: format!(
                    "the loader crashed on {MAX_CRASHES} programs, so the rest are not tried"
                ),
                ..Warning::default()
            }))?;
            position.next_object();
        } else if !was_running {
            crash = Some(format!("the loader {end} at this program"));
        }
    }
    Ok(())
}

/// Loads the objects from `start` on, in a process of its own. `crash`: how the preceding
/// process ended, at the program that comes first.
fn load_objects(
    plan: &MeasurePlan,
    objects: &[(&Planned, PathBuf)],
    kernel: &Kernel,
    log: &mut RecordLog,
    tell: &PipeWriter,
    start: Position,
    mut crash: Option<String>,
) -> Result<()> {
    let tested = kernel.function("bpf_fentry_test1");
    let mut runner = Runner::new(
        &plan.packets,
        &plan.contexts,
        plan.ticks,
        tested,
        plan.inside.is_some(),
    );
    let mut start = (start.read, start.loaded, start.object);
    for (planned, path) in &objects[start.2..] {
        let (read, loaded, _) = std::mem::take(&mut start);
        if !read {
            log.write(&Record::Loading {
                object: planned.name.clone(),
            })?;
        }
        let mut loader = Loader {
            planned,
            kernel,
            sections: &plan.sections,
            log,
            tell,
            runner: &mut runner,
            runs: plan.run,
        };
        loader.run(path, (read, loaded, crash.take()))?;
        loader.tell(DONE)?;
    }
    Ok(())
}

/// Messages to the agent from the process that loads objects, one byte each.
const READ: u8 = b'r';
const LOADED: u8 = b'l';
const RUNNING: u8 = b'p';
const RAN: u8 = b'q';
const ATTACHING: u8 = b'a';
const DONE: u8 = b'd';

/// The position in the list of objects.
#[derive(Default, Clone, Copy)]
struct Position {
    /// The index of the object being loaded.
    object: usize,
    /// Whether its `object` record is written.
    read: bool,
    /// The number of its `load` records written.
    loaded: usize,
    /// Whether the last of these programs is being run on inputs.
    running: bool,
    /// Whether its programs are attached.
    attaching: bool,
    /// The number of processes that it crashed.
    crashes: usize,
}

impl Position {
    fn next_object(&mut self) {
        *self = Self {
            object: self.object + 1,
            ..Self::default()
        };
    }
}

/// Reads the process's messages until it has ended. Returns how it ended if it failed.
fn follow(reader: &mut PipeReader, pid: u32, position: &mut Position) -> Result<Option<String>> {
    let mut timed_out = None;
    let mut used = sys::cpu_time(pid);
    loop {
        let limit = if position.running {
            RUN_TIME
        } else {
            STEP_TIME
        };
        if !sys::wait_readable(&[Some(reader.as_fd())], Some(limit))?[0] {
            // While the guest waits for the host to read a file, its clock jumps ahead.
            // So only time that the process has used counts.
            if sys::cpu_time(pid).saturating_sub(used) < limit {
                continue;
            }
            timed_out = Some(limit);
            sys::kill_process(pid);
            break;
        }
        let mut bytes = [0; 64];
        let count = reader.read(&mut bytes).context("cannot read from a pipe")?;
        if count == 0 {
            break;
        }
        for &byte in &bytes[..count] {
            match byte {
                READ => position.read = true,
                LOADED => position.loaded += 1,
                RUNNING => position.running = true,
                RAN => position.running = false,
                ATTACHING => position.attaching = true,
                _ => position.next_object(),
            }
        }
        used = sys::cpu_time(pid);
    }
    let ended = sys::reap(pid).context("cannot reap a process")?;
    Ok(match (timed_out, ended) {
        (Some(limit), _) => Some(format!("was ended after {} s", limit.as_secs())),
        (None, Ended::Exited(0)) => None,
        (None, Ended::Exited(code)) => Some(format!("exited with {code}")),
        (None, Ended::Signaled(signal)) => Some(format!("was ended by signal {signal}")),
    })
}

/// Loads one object.
struct Loader<'a, 'p> {
    planned: &'a Planned,
    kernel: &'a Kernel,
    /// See [`MeasurePlan::sections`].
    sections: &'a BTreeMap<String, String>,
    log: &'a mut RecordLog,
    tell: &'a PipeWriter,
    runner: &'a mut Runner<'p>,
    /// Whether its programs run.
    runs: bool,
}

/// Parts that all programs of an object share.
struct Shared {
    object: Object,
    btf: Option<OwnedFd>,
    /// Why BTF is missing, if the object should have some.
    btf_defect: Option<String>,
    /// The maps in the object's order, or why a map is missing.
    maps: Vec<Result<OwnedFd, String>>,
    /// See [`Object::data_types`].
    data_types: BTreeMap<String, u32>,
    /// What else is in its maps; without a name: nothing.
    preset: Preset,
}

/// A loaded program that runs on inputs, and how to load it again.
struct Runnable {
    /// `None` where it is loaded again anyway.
    prog: Option<Prog>,
    kind: Kind,
    attach_btf_id: u32,
    hook: Result<Hook, String>,
    linked: Linked,
    /// Whether the kernel took its BTF.
    has_btf: bool,
}

impl Runnable {
    fn subject(&self) -> Subject<'_> {
        Subject {
            kind: &self.kind,
            attach_btf_id: self.attach_btf_id,
            insns: &self.linked.insns,
        }
    }

    /// Whether its runs on inputs, or the reason why there are none, are recorded.
    fn runs_on_inputs(&self) -> bool {
        inputs::takes_input(&self.kind) || self.hook.is_err()
    }
}

/// The result of a program that cannot be tried, without its object and name.
fn unsupported(reason: impl Into<String>) -> Load {
    Load {
        outcome: LoadOutcome::Unsupported,
        message: Some(one_line(&reason.into(), MAX_CHARS)),
        ..Load::default()
    }
}

impl Shared {
    fn make_map(&self, index: usize) -> Result<OwnedFd, String> {
        let (name, map) = &self.object.maps()[index];
        if let Some(defect) = self.object.map_defect(name) {
            return Err(format!("map {name:?} cannot be made: {defect}"));
        }
        let extra = self.object.map_extra(name, map);
        let data = self.data_types.get(name).copied();
        maps::create(name, map, extra, self.btf.as_ref(), data, &self.preset)
    }

    /// Makes the maps again, with what a preset puts into them.
    fn use_preset(&mut self, preset: &Preset) {
        self.preset = preset.clone();
        let count = self.object.maps().len();
        self.maps = (0..count).map(|index| self.make_map(index)).collect();
    }

    /// The name of a program in results: under a preset, with its name.
    fn name_of(&self, index: usize) -> String {
        let (name, _) = self.object.program(index);
        match self.preset.name.as_str() {
            "" => name.to_owned(),
            preset => format!("{name}@{preset}"),
        }
    }

    /// The request that loads `linked`, with these instructions.
    fn request<'a>(
        &'a self,
        name: &'a str,
        (attach_btf_id, kind): (u32, &Kind),
        linked: &'a Linked,
        insns: &'a [Insn],
        license: &'a CStr,
    ) -> ProgLoad<'a> {
        ProgLoad {
            prog_type: kind.prog_type,
            attach_type: kind.attach_type,
            flags: kind.flags,
            attach_btf_id,
            name,
            license,
            kernel_version: self.object.kernel_version(),
            insns,
            btf: self.btf.as_ref().map(|fd| ProgBtf {
                fd,
                func_info: &linked.func_info,
                line_info: &linked.line_info,
            }),
        }
    }

    /// Loads a program again, with maps that no program has changed.
    fn load_again(&self, name: &str, runnable: &Runnable) -> Result<Prog, String> {
        let made = self.make_state([runnable]);
        self.load_with(name, runnable, &made)
    }

    /// Loads programs again, with maps that none has changed and that they share.
    fn load_all<'a>(
        &self,
        programs: impl Iterator<Item = (&'a str, &'a Runnable)> + Clone,
    ) -> Vec<Result<Prog, String>> {
        let made = self.make_state(programs.clone().map(|(_, runnable)| runnable));
        programs
            .map(|(name, runnable)| self.load_with(name, runnable, &made))
            .collect()
    }

    /// Makes those maps of programs again that they can change.
    fn make_state<'a>(
        &self,
        programs: impl IntoIterator<Item = &'a Runnable>,
    ) -> BTreeMap<usize, Result<OwnedFd, String>> {
        let maps = programs
            .into_iter()
            .flat_map(|runnable| runnable.linked.maps());
        let all: BTreeSet<usize> = maps.collect();
        all.into_iter()
            .filter(|map| !is_constant(&self.object.maps()[*map].1))
            .map(|map| (map, self.make_map(map)))
            .collect()
    }

    /// Loads a program again, with these maps in the place of the object's.
    fn load_with(
        &self,
        name: &str,
        runnable: &Runnable,
        all: &BTreeMap<usize, Result<OwnedFd, String>>,
    ) -> Result<Prog, String> {
        let linked = &runnable.linked;
        let maps = linked.maps().into_iter();
        let made = maps
            .filter_map(|map| Some((map, all.get(&map)?.as_ref().map_err(Clone::clone))))
            .map(|(map, made)| Ok((map, made?)))
            .collect::<Result<BTreeMap<_, _>, String>>()?;
        if let (Some(prog), true) = (&runnable.prog, made.is_empty()) {
            return prog.try_clone().map_err(|error| sys::errno_name(&error));
        }
        let mut insns = linked.insns.clone();
        // The maps may have been made again since it was loaded.
        let find = |map| made.get(&map).copied().or(self.maps[map].as_ref().ok());
        refer(&mut insns, linked, find);
        let license = self.object.license();
        let place = (runnable.attach_btf_id, &runnable.kind);
        let mut request = self.request(name, place, linked, &insns, &license);
        request.btf = request.btf.filter(|_| runnable.has_btf);
        request
            .load_quietly()
            .map_err(|error| format!("it was not loaded again ({})", sys::errno_name(&error)))
    }
}

/// Puts the descriptors of maps into the instructions that refer to them.
fn refer<'a>(insns: &mut [Insn], linked: &Linked, find: impl Fn(usize) -> Option<&'a OwnedFd>) {
    for &(insn, map) in &linked.map_references {
        if let Some(map) = find(map) {
            let source = insns[insn].source();
            insns[insn].set(source, map.as_raw_fd());
        }
    }
}

impl Loader<'_, '_> {
    /// Loads an object. `start`: whether the object's own record is written, how many
    /// programs have theirs, and how the process ended that loaded the next one.
    fn run(&mut self, path: &Path, start: (bool, usize, Option<String>)) -> Result<()> {
        let (has_record, mut next, crash) = start;
        let left_out = &self.planned.left_out;
        if let Some(reason) = &left_out.whole {
            return self.write_object(has_record, 0, Some(one_line(reason, MAX_CHARS)));
        }
        let read =
            read_object(path).and_then(|data| Object::parse(&data, self.kernel, self.sections));
        let object = match read {
            Ok(object) => object,
            Err(error) => {
                let error = one_line(&format!("{error:#}"), MAX_CHARS);
                return self.write_object(has_record, 0, Some(error));
            }
        };
        let mut shared = share(object);
        let jobs = self.jobs(&mut shared);
        let count = jobs.len();
        let mut problems: Vec<String> = shared
            .maps
            .iter()
            .filter_map(|map| map.as_ref().err().cloned())
            .collect();
        if count > MAX_PROGRAMS {
            problems.push(format!(
                "it has {count} programs, counted under each preset, of which the first {MAX_PROGRAMS} are loaded"
            ));
        }
        let error = (!problems.is_empty()).then(|| one_line(&problems.join("; "), MAX_CHARS));
        self.write_object(has_record, count.min(MAX_PROGRAMS), error)?;
        let plain = Preset::default();
        let presets: Vec<_> = std::iter::once(&plain)
            .chain(&self.planned.presets)
            .collect();
        if let Some(crash) = crash
            && next < count
        {
            let (preset, index) = jobs[next];
            shared.preset = presets[preset].clone();
            self.write_load(&shared, index, unsupported(crash))?;
            next += 1;
        }
        let lost: Vec<_> = jobs[..next]
            .iter()
            .filter(|(_, index)| shared.object.hook(*index).is_ok())
            .collect();
        let mut attachable: Vec<(usize, usize, Runnable)> = Vec::new();
        let mut used = 0;
        for (number, &(preset, index)) in jobs.iter().enumerate().take(MAX_PROGRAMS).skip(next) {
            if let Some(reason) = left_out.loads.get(&number.to_string()) {
                let made = std::mem::replace(&mut shared.preset, presets[preset].clone());
                self.write_load(&shared, index, unsupported(reason))?;
                shared.preset = made;
                continue;
            }
            if preset != used {
                shared.use_preset(presets[preset]);
                used = preset;
            }
            let load = || self.load(&mut shared, index);
            let (load, runnable) = catch_unwind(AssertUnwindSafe(load)).unwrap_or_else(|panic| {
                let message = panic_message(&*panic);
                let message = format!("the loader cannot load it: {message}");
                (unsupported(message), None)
            });
            let runs = runnable.as_ref().is_some_and(Runnable::runs_on_inputs);
            self.write_load(&shared, index, Load { runs, ..load })?;
            if let Some(runnable) = runnable {
                if runs {
                    self.run_on_inputs(&shared, index, &runnable)?;
                }
                if runnable.hook.is_ok() {
                    let prog = None;
                    attachable.push((preset, index, Runnable { prog, ..runnable }));
                }
            }
        }
        for (number, preset) in presets.into_iter().enumerate() {
            let lost = lost.iter().filter(|(own, _)| *own == number);
            let lost: Vec<_> = lost.map(|(_, index)| *index).collect();
            let has_own = attachable.iter().any(|(own, ..)| *own == number);
            if self.runs && (has_own || !lost.is_empty()) {
                if number != used {
                    shared.use_preset(preset);
                    used = number;
                }
                self.run_attached(&shared, number, &attachable, &lost)?;
            }
        }
        Ok(())
    }

    /// Runs the programs of a preset, attached together with those that it does not change.
    /// `lost`: programs that an earlier process loaded, before it crashed.
    fn run_attached(
        &mut self,
        shared: &Shared,
        preset: usize,
        all: &[(usize, usize, Runnable)],
        lost: &[usize],
    ) -> Result<()> {
        let (own, others): (Vec<_>, Vec<_>) =
            all.iter().partition(|(number, ..)| *number == preset);
        let is_own = |index: usize| own.iter().any(|(_, each, _)| *each == index);
        let plain = others
            .into_iter()
            .filter(|(number, index, _)| *number == 0 && !is_own(*index));
        let attached: Vec<_> = own
            .iter()
            .copied()
            .chain(plain)
            .take(MAX_ATTACHED)
            .collect();
        let name_of = |index: &usize| shared.name_of(*index);
        let reported = own.iter().map(|(_, index, _)| index).chain(lost);
        self.log.write(&Record::Attaching {
            object: self.planned.name.clone(),
            programs: reported.map(name_of).collect(),
        })?;
        if let Some(reason) = &self.planned.left_out.attached {
            return self.log.write(&Record::Attached {
                object: self.planned.name.clone(),
                error: Some(reason.clone()),
                runs: Vec::new(),
            });
        }
        self.tell(ATTACHING)?;
        let subjects: Vec<_> = attached
            .iter()
            .filter_map(|(_, _, runnable)| Some((runnable.subject(), runnable.hook.as_ref().ok()?)))
            .collect();
        let tell = self.tell;
        let fresh = || {
            // Each reading may take as long as a load.
            let _ = (&*tell).write_all(&[ATTACHING]);
            let programs = attached
                .iter()
                .map(|(_, index, runnable)| (shared.object.program(*index).0, runnable));
            shared.load_all(programs)
        };
        let ran = self.runner.run_attached(&subjects, fresh);
        let ran = own.iter().map(|(_, index, _)| name_of(index)).zip(ran);
        let left_out = own.iter().skip(MAX_ATTACHED).map(|(_, index, _)| {
            let reason = format!("an object has at most {MAX_ATTACHED} programs that are attached");
            (name_of(index), InputRun::failed(WORKLOAD, reason))
        });
        let lost = lost.iter().map(|index| {
            let reason = "the loader crashed at another program of the object";
            (
                name_of(index),
                InputRun::failed(WORKLOAD, reason.to_owned()),
            )
        });
        self.log.write(&Record::Attached {
            object: self.planned.name.clone(),
            error: None,
            runs: ran.chain(left_out).chain(lost).collect(),
        })
    }

    /// The programs to load, each with the number of its preset: 0 for none, for every
    /// program, then each preset for those that refer to a map that it changes.
    fn jobs(&self, shared: &mut Shared) -> Vec<(usize, usize)> {
        let programs = 0..shared.object.len();
        let mut jobs: Vec<_> = programs.clone().map(|index| (0, index)).collect();
        if self.planned.presets.is_empty() {
            return jobs;
        }
        let maps_of: Vec<BTreeSet<usize>> = programs
            .take(MAX_PROGRAMS)
            .map(|index| {
                let link = || Some(shared.object.link(index, self.kernel).ok()?.maps());
                let maps = catch_unwind(AssertUnwindSafe(link)).ok().flatten();
                maps.unwrap_or_default()
            })
            .collect();
        let names = shared.object.maps().iter().map(|(name, _)| name);
        let names: Vec<&String> = names.collect();
        for (preset, number) in self.planned.presets.iter().zip(1..) {
            let changes = |map: &usize| {
                let data = preset.data.iter().map(|patch| &patch.map);
                let mut all = data.chain(preset.entries.iter().map(|entry| &entry.map));
                all.any(|name| name == names[*map])
            };
            let concerned = maps_of
                .iter()
                .enumerate()
                .filter(|(_, maps)| maps.iter().any(changes));
            jobs.extend(concerned.map(|(index, _)| (number, index)));
        }
        jobs
    }

    fn run_on_inputs(&mut self, shared: &Shared, index: usize, runnable: &Runnable) -> Result<()> {
        let left_out = self.planned.left_out.runs.get(&shared.name_of(index));
        if let Some(reason) = left_out {
            return self.log.write(&Record::Inputs {
                object: self.planned.name.clone(),
                error: Some(reason.clone()),
                runs: Vec::new(),
            });
        }
        self.tell(RUNNING)?;
        let (name, _) = shared.object.program(index);
        let fresh = || shared.load_again(name, runnable);
        let mut runs = match &runnable.hook {
            Err(reason) if !inputs::takes_input(&runnable.kind) => {
                vec![InputRun::failed(WORKLOAD, reason.clone())]
            }
            _ => self.runner.run(runnable.subject(), fresh),
        };
        if !self.log.has_room() {
            runs.iter_mut().for_each(|run| run.inside = None);
        }
        self.log.write(&Record::Inputs {
            object: self.planned.name.clone(),
            error: None,
            runs,
        })?;
        self.tell(RAN)
    }

    fn load(&self, shared: &mut Shared, index: usize) -> (Load, Option<Runnable>) {
        let linked = shared.object.link(index, self.kernel);
        let code = match &linked {
            Ok(linked) => Some(shared.object.digest(linked)),
            Err(_) => shared.object.unlinked_digest(index),
        };
        let (load, runnable) = shared
            .object
            .kind(index)
            .and_then(|kind| {
                let (_, section) = shared.object.program(index);
                self.attach_to(kind, section, shared.object.operation(index))
            })
            .and_then(|place| Ok((place, linked.map_err(|reason| format!("{reason:#}"))?)))
            .map_or_else(
                |reason| (unsupported(reason), None),
                |(place, linked)| self.load_linked(shared, index, place, linked),
            );
        (Load { code, ..load }, runnable)
    }

    /// The BTF id of what a program attaches to, and its kind. The kernel expects the
    /// index of a `struct_ops` program's member as its attach type.
    fn attach_to(
        &self,
        kind: Kind,
        section: &str,
        operation: Option<Result<Place, String>>,
    ) -> Result<(u32, Kind), String> {
        if kind.target == Target::Operation {
            let Place {
                structure, member, ..
            } = operation.unwrap_or_else(|| {
                Err("no variable of the object's .struct_ops sections has it as a member".into())
            })?;
            let attach_type = member;
            let kind = Kind {
                attach_type,
                ..kind
            };
            return Ok((structure, kind));
        }
        let id = self.kernel.attach_id(&kind.target).map_err(|reason| {
            let needs = kind
                .needs
                .map_or_else(String::new, |needs| format!(" ({needs} is needed)"));
            match section::placeholder(section) {
                Some(placeholder) => {
                    let (start, _) = section.split_once('/').unwrap_or_default();
                    format!(
                        "{placeholder:?} looks like a placeholder, for which its loader names what the program attaches to (bpf_program__set_attach_target): {}, with section = {section:?} and type = \"{}/FUNCTION\"",
                        section::NAME_IT,
                        start.trim_start_matches('?'),
                    )
                }
                None => format!("{reason}{needs}"),
            }
        })?;
        Ok((id, kind))
    }

    fn load_linked(
        &self,
        shared: &Shared,
        index: usize,
        (attach_btf_id, kind): (u32, Kind),
        mut linked: Linked,
    ) -> (Load, Option<Runnable>) {
        let (name, _) = shared.object.program(index);
        let mut map_bytes = Some(0u64);
        for map in linked.maps() {
            match &shared.maps[map] {
                Ok(map) => {
                    map_bytes = map_bytes.and_then(|sum| sum.checked_add(maps::memory(map)?));
                }
                Err(reason) => return (unsupported(reason), None),
            }
        }
        let mut insns = std::mem::take(&mut linked.insns);
        refer(&mut insns, &linked, |map| shared.maps[map].as_ref().ok());
        linked.insns = insns;
        let license = shared.object.license();
        let place = (attach_btf_id, &kind);
        let request = shared.request(name, place, &linked, &linked.insns, &license);
        let mut defect = shared.btf_defect.clone();
        let mut has_btf = request.btf.is_some();
        let mut result = load::load(&request, kind.needs);
        if let Err(Failure::Refused(refusal)) = &mut result {
            explain_call(refusal, &linked.unresolved);
        }
        if let Err(Failure::Refused(refusal)) = &result
            && has_btf
            && verifier_log::is_about_btf(&refusal.message)
        {
            defect = Some(format!("the kernel refused it ({})", refusal.message));
            let without = ProgLoad {
                btf: None,
                ..request
            };
            has_btf = false;
            result = load::load(&without, kind.needs);
            if let Err(Failure::Refused(refusal)) = &mut result {
                explain_call(refusal, &linked.unresolved);
            }
        }
        let without_btf = defect.map(|defect| format!("loaded without BTF: {defect}"));
        let open = linked.maps().into_iter().filter_map(|map| {
            let (name, map) = &shared.object.maps()[map];
            maps::is_open(map)
                .then(|| format!("map {name:?} has one entry: its loader would size it"))
        });
        let remarks: Vec<_> = without_btf.into_iter().chain(open).collect();
        let remarks = (!remarks.is_empty()).then(|| remarks.join("; "));
        let loaded = result.as_ref().ok().filter(|_| self.runs);
        let prog = loaded.and_then(|loaded| loaded.prog.try_clone().ok());
        let load = judge(shared, &linked, result, map_bytes, remarks);
        let runnable = prog.map(|prog| Runnable {
            prog: Some(prog),
            kind,
            attach_btf_id,
            hook: shared.object.hook(index),
            linked,
            has_btf,
        });
        (load, runnable)
    }

    fn write_object(
        &mut self,
        is_there: bool,
        programs: usize,
        error: Option<String>,
    ) -> Result<()> {
        if is_there {
            return Ok(());
        }
        self.log.write(&Record::Object(ObjectRead {
            object: self.planned.name.clone(),
            programs: programs as u32,
            error,
        }))?;
        self.tell(READ)
    }

    fn write_load(&mut self, shared: &Shared, index: usize, load: Load) -> Result<()> {
        let object = &shared.object;
        let (_, section) = object.program(index);
        let prog_type = object.kind(index).map_or(0, |kind| kind.prog_type);
        self.log.write(&Record::Load(Load {
            object: self.planned.name.clone(),
            program: shared.name_of(index),
            section: section.to_owned(),
            prog_type: prog_type_name(prog_type),
            machine_code: load.machine_code.filter(|_| self.log.has_room()),
            ..load
        }))?;
        self.tell(LOADED)
    }

    fn tell(&self, byte: u8) -> Result<()> {
        let mut tell = self.tell;
        tell.write_all(&[byte]).context("the agent is gone")
    }
}

/// The result of a program that was passed to the kernel, without its object and name.
fn judge(
    shared: &Shared,
    linked: &Linked,
    result: Result<load::Loaded, Failure>,
    map_bytes: Option<u64>,
    remarks: Option<String>,
) -> Load {
    // The kernel's blob and the object's have the same strings.
    let btf = shared.object.btf().and_then(Btf::parse);
    let (functions, lines) = (&linked.functions, &linked.lines);
    let start = || btf::main_source(btf.as_ref()?, functions, lines);
    match result {
        Ok(loaded) => {
            let info = loaded.prog.info().ok();
            Load {
                outcome: LoadOutcome::Loaded,
                verification: loaded.statistics.verification,
                verified_insns: loaded.verified_insns,
                stack_bytes: loaded.stack_bytes,
                xlated_bytes: info.as_ref().map(|info| info.xlated_bytes),
                jited_bytes: info.as_ref().map(|info| info.jited_bytes),
                map_bytes,
                load_time_ns: Some(loaded.time.as_nanos() as u64),
                message: remarks.map(|remarks| one_line(&remarks, MAX_CHARS)),
                source: start(),
                machine_code: btf
                    .as_ref()
                    .and_then(|btf| lines::read(&loaded.prog, btf).ok()?),
                ..Load::default()
            }
        }
        Err(Failure::Refused(refusal)) => {
            let place = || {
                let index = refusal.insn?;
                btf::source_of(btf.as_ref()?, functions, lines, index)
            };
            let message = match &remarks {
                Some(remarks) => format!("{} ({remarks})", refusal.message),
                None => refusal.message.clone(),
            };
            Load {
                outcome: LoadOutcome::Refused,
                verification: refusal.statistics.verification,
                source: place().or_else(start),
                begins: start(),
                errno: Some(refusal.errno),
                message: Some(one_line(&message, MAX_CHARS)),
                log: refusal.log,
                ..Load::default()
            }
        }
        Err(Failure::NotTried(reason)) => unsupported(reason),
    }
}

/// Says what a call of a number stands for that the kernel does not know, as libbpf does.
/// `unresolved`: see [`Linked::unresolved`].
fn explain_call(refusal: &mut load::Refusal, unresolved: &[(usize, String)]) {
    let Some(number) = refusal.message.strip_prefix("invalid func unknown#") else {
        return;
    };
    let helper = number.parse().ok().and_then(first_kernels::of_helper);
    let is_it = |(at, _): &&(usize, String)| Some(*at as u32) == refusal.insn;
    if let Some((_, reason)) = unresolved.iter().find(is_it) {
        refusal.message.clone_from(reason);
    } else if let Some((name, since)) = helper {
        refusal.message =
            format!("it calls the helper {name}, which needs kernel {since} or newer");
    }
}

fn read_object(path: &Path) -> Result<Vec<u8>> {
    // Opened without blocking: a pipe would wait for a writer.
    let mut file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .with_context(|| format!("cannot open {path:?}"))?;
    let metadata = file.metadata()?;
    ensure!(metadata.is_file(), "{path:?} is not a regular file");
    ensure!(
        metadata.len() <= MAX_OBJECT_BYTES,
        "{path:?} is larger than {} MiB",
        MAX_OBJECT_BYTES >> 20
    );
    let mut data = Vec::new();
    Read::by_ref(&mut file)
        .take(MAX_OBJECT_BYTES)
        .read_to_end(&mut data)
        .with_context(|| format!("cannot read {path:?}"))?;
    Ok(data)
}

fn share(object: Object) -> Shared {
    let mut btf_defect = object.btf_defect().map(str::to_owned);
    let btf = object.btf().and_then(|blob| {
        bpf_load::load_btf(blob)
            .map_err(|(error, log)| {
                let said = log.lines().rev().find(|line| !line.trim().is_empty());
                btf_defect = Some(format!(
                    "the kernel refused it ({}{}{})",
                    sys::errno_name(&error),
                    if said.is_some() { ": " } else { "" },
                    said.unwrap_or_default()
                ));
            })
            .ok()
    });
    let mut shared = Shared {
        data_types: object.data_types(),
        maps: Vec::new(),
        object,
        btf,
        btf_defect,
        preset: Preset::default(),
    };
    shared.maps = (0..shared.object.maps().len())
        .map(|index| shared.make_map(index))
        .collect();
    shared
}
