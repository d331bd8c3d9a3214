//! Programs, something that makes them run, and what the kernel counted meanwhile.

use std::{
    error::Error as StdError,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use crate::{
    Counters, DeltaError, Error, Input, Latency, ProgramType, Statistics, counters,
    empty::{self, Calls},
    names,
    test_run::Run,
};

/// As many rounds as give the most frequent average a chance to stand out, and benchstat enough
/// samples for an interval.
const ROUNDS: u32 = 8;

/// Programs to measure. See the [crate's documentation](crate) for a whole example.
#[derive(Debug)]
pub struct Benchmark {
    programs: Vec<Registered>,
    rounds: u32,
    warm_up: bool,
    statistics: bool,
    net: bool,
    returns: Option<u32>,
}

#[derive(Debug)]
struct Registered {
    name: String,
    /// A duplicate: the program stays loaded, whoever closes the other one.
    program: OwnedFd,
    program_type: ProgramType,
    id: u32,
}

/// What was counted of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The name it was registered by. The second of a name is `NAME #2`.
    pub name: String,
    /// The program's type.
    pub program_type: ProgramType,
    /// The kernel's number of the program, unique within a boot.
    pub program_id: u32,
    /// What was counted in each round: time and runs are above zero.
    pub rounds: Vec<Counters>,
    /// Time per run, the price of being called included.
    pub gross: Latency,
    /// What an empty program of the type costs per run, where `BPF_PROG_TEST_RUN` repeats the type
    /// on all kernels: xdp, socket_filter, sched_cls, cgroup_skb.
    pub empty: Option<Latency>,
}

impl Measurement {
    /// Time per run without the price of being called, in nanoseconds: gross less the empty
    /// program. `None` without one.
    ///
    /// It can be below zero for a program that does next to nothing: by the clock's noise, and
    /// because older kernels have the call compiled into each place that calls, so an attached
    /// program's can be an instruction or two cheaper than a test run's.
    pub fn net(&self) -> Option<f64> {
        self.empty.map(|empty| self.gross.value - empty.value)
    }

    /// Runs of all rounds.
    pub fn run_count(&self) -> u64 {
        self.rounds.iter().map(|round| round.run_count).sum()
    }

    /// Nanoseconds of all rounds.
    pub fn run_time_ns(&self) -> u64 {
        self.rounds.iter().map(|round| round.run_time_ns).sum()
    }

    /// Missed runs of all rounds. `None` before Linux 5.12.
    pub fn recursion_misses(&self) -> Option<u64> {
        self.rounds.iter().map(|round| round.recursion_misses).sum()
    }
}

impl Default for Benchmark {
    fn default() -> Self {
        Self::new()
    }
}

impl Benchmark {
    /// No programs yet, 8 rounds after a warm-up, statistics turned on meanwhile, net of empty
    /// programs.
    pub fn new() -> Self {
        Self {
            programs: Vec::new(),
            rounds: ROUNDS,
            warm_up: true,
            statistics: true,
            net: true,
            returns: None,
        }
    }

    /// How many rounds are counted.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// No round before the counted ones: the caller saw to what happens only once.
    #[must_use]
    pub fn without_warm_up(mut self) -> Self {
        self.warm_up = false;
        self
    }

    /// Does not turn statistics on: the caller holds a [`Statistics`] over several benchmarks.
    #[must_use]
    pub fn leave_statistics(mut self) -> Self {
        self.statistics = false;
        self
    }

    /// Loads no empty programs, so nothing is net. For where somebody else counts all programs
    /// that are loaded meanwhile, as bpfgate does, which also knows the empty one's cost.
    #[must_use]
    pub fn gross_only(mut self) -> Self {
        self.net = false;
        self
    }

    /// Holds every test run against this return value: that of the path which is to be measured,
    /// rather than of one that leaves early.
    #[must_use]
    pub fn returning(mut self, value: u32) -> Self {
        self.returns = Some(value);
        self
    }

    /// Adds a loaded program, by any of its file descriptors: `program.fd()?` of Aya, the program
    /// itself of libbpf-rs. Names need not differ.
    ///
    /// # Errors
    /// [`Error::NotAProgram`] if the descriptor is of something else; [`Error::Read`] if the
    /// counters cannot be read, or the descriptor not be duplicated; [`Error::Disagreement`].
    pub fn register(&mut self, name: &str, program: impl AsFd) -> Result<&mut Self, Error> {
        let program = program.as_fd();
        // Tells programs from anything else, and that the kernel has the counters.
        Counters::read(name, program)?;
        let info = counters::info(name, program)?;
        let duplicate = program.try_clone_to_owned().map_err(|source| Error::Read {
            name: name.to_owned(),
            way: "fdinfo",
            source,
        })?;
        self.programs.push(Registered {
            name: name.to_owned(),
            program: duplicate,
            program_type: info.program_type,
            id: info.id,
        });
        Ok(self)
    }

    /// Counts what the registered programs do while `work` runs, once for each round. They must
    /// have done it when it returns. Results are in the order of registration.
    ///
    /// # Errors
    /// The first one of `work`, with its round. A program that did not run in a round, statistics
    /// that are off, counters that went backwards or that differ by how they are read: these are
    /// never results of zero.
    pub fn run<E>(&self, mut work: impl FnMut() -> Result<(), E>) -> Result<Vec<Measurement>, Error>
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.measure(Calls::Attached, |round| {
            work().map_err(|error| Error::Round {
                round,
                source: error.into(),
            })
        })
    }

    /// Runs every registered program once on each of the inputs, in each round, by
    /// `BPF_PROG_TEST_RUN`: always on the input as it is here, whatever the run before did to its
    /// copy. For more runs a round give more inputs.
    ///
    /// # Errors
    /// As of [`run`](Self::run), and those of [`test_run`](crate::test_run()).
    pub fn test_runs(&self, inputs: &[Input]) -> Result<Vec<Measurement>, Error> {
        if inputs.is_empty() {
            return Err(Error::Nothing("inputs"));
        }
        let runs = self
            .programs
            .iter()
            .map(|program| Run::new(&program.name, program.program.as_fd()))
            .collect::<Result<Vec<_>, _>>()?;
        self.measure(Calls::SingleTestRuns, |_round| {
            for run in &runs {
                for input in inputs {
                    let returned = run.once(input, &mut [])?.return_value;
                    if let Some(expected) = self.returns.filter(|value| *value != returned) {
                        return Err(run.returned(returned, expected));
                    }
                }
            }
            Ok(())
        })
    }

    fn measure(
        &self,
        calls: Calls,
        mut work: impl FnMut(u32) -> Result<(), Error>,
    ) -> Result<Vec<Measurement>, Error> {
        if self.programs.is_empty() {
            return Err(Error::Nothing("programs"));
        }
        if self.rounds == 0 {
            return Err(Error::Nothing("rounds"));
        }
        let statistics = self.statistics.then(Statistics::enable).transpose()?;

        if self.warm_up {
            work(0)?;
        }
        let mut rounds = vec![Vec::new(); self.programs.len()];
        for number in 1..=self.rounds {
            let counted = self.round(|| work(number))?;
            for (rounds, counted) in rounds.iter_mut().zip(counted) {
                rounds.push(counted);
            }
        }
        let types = self.programs.iter().map(|program| program.program_type);
        let empty = empty::measure(types.filter(|_| self.net), calls)?;

        if let Some(statistics) = statistics {
            statistics.restore()?;
        }
        let names = names::distinct(
            self.programs.iter().map(|program| program.name.clone()),
            ' ',
        );
        self.programs
            .iter()
            .zip(names)
            .zip(rounds)
            .map(|((program, name), rounds)| {
                Ok(Measurement {
                    name,
                    program_type: program.program_type,
                    program_id: program.id,
                    gross: Latency::of(&rounds).ok_or(Error::Nothing("rounds"))?,
                    rounds,
                    empty: empty.get(&program.program_type).copied(),
                })
            })
            .collect()
    }

    /// What was counted of each program while `work` ran.
    ///
    /// As little as can be is done between the counters and the work, for a program may be
    /// attached to what this process does: one system call for each program.
    fn round(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Vec<Counters>, Error> {
        self.read_all(|name, program| Counters::read(name, program))?;
        let before = self.read_all(|name, program| Counters::by_info(name, program))?;
        work()?;
        let mut after = self.read_all(|name, program| Counters::by_info(name, program))?;
        let checked = self.read_all(|name, program| Counters::read(name, program))?;
        for (after, checked) in after.iter_mut().zip(checked) {
            // The count goes up a moment before the time does, which another CPU can see.
            if checked.run_count == after.run_count {
                *after = checked;
            }
        }
        self.programs
            .iter()
            .zip(after.iter().zip(before))
            .map(|(program, (after, before))| {
                after
                    .since(before)
                    .map_err(|error| not_counted(&program.name, error))
            })
            .collect()
    }

    fn read_all(
        &self,
        read: impl Fn(&str, BorrowedFd<'_>) -> Result<Counters, Error>,
    ) -> Result<Vec<Counters>, Error> {
        self.programs
            .iter()
            .map(|program| read(&program.name, program.program.as_fd()))
            .collect()
    }
}

fn not_counted(name: &str, error: DeltaError) -> Error {
    let name = name.to_owned();
    // Which of the two reasons it is costs a program of our own, so only now.
    let statistics_are_off = || matches!(Statistics::are_on(), Ok(false));
    if matches!(error, DeltaError::NothingCounted(_)) && statistics_are_off() {
        return Error::StatisticsOff { name };
    }
    Error::NotCounted {
        name,
        source: error,
    }
}
