//! Benchmark: registers programs, drives them, and returns what the kernel counted.

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

/// Enough rounds for the most frequent average to stand out, and for benchstat to have samples for
/// an interval.
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
    /// A duplicate: the program stays loaded even if the other descriptor is closed.
    program: OwnedFd,
    program_type: ProgramType,
    id: u32,
}

/// The counts of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The name of its registration. The second program with the same name is `NAME #2`.
    pub name: String,
    /// The program's type.
    pub program_type: ProgramType,
    /// The kernel's id of the program, unique within a boot.
    pub program_id: u32,
    /// The counts of each round: time and runs are above zero.
    pub rounds: Vec<Counters>,
    /// Time per run, including the cost of the call.
    pub gross: Latency,
    /// Cost of an empty program of the type per run, if `BPF_PROG_TEST_RUN` repeats the type on all
    /// kernels: xdp, socket_filter, sched_cls, cgroup_skb.
    pub empty: Option<Latency>,
}

impl Measurement {
    /// Time per run without the cost of the call, in nanoseconds: gross less the empty program.
    /// `None` without one.
    ///
    /// It can be below zero for a program that does next to nothing. One reason is the clock's
    /// noise. The other is that older kernels compile the call into each calling place, so the call
    /// of an attached program can be an instruction or two cheaper than that of a test run.
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
    /// Starts without programs: 8 rounds after a warm-up, statistics turned on during the
    /// benchmark, net of empty programs.
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

    /// Sets the number of counted rounds.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Leaves out the round before the counted ones: the caller has already triggered first-run
    /// effects.
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

    /// Loads no empty programs, so there is no net. Meant for use under a tool such as bpfgate,
    /// which counts all programs loaded during the benchmark and also knows the cost of an empty
    /// one.
    #[must_use]
    pub fn gross_only(mut self) -> Self {
        self.net = false;
        self
    }

    /// Requires this return value of every test run, which shows that the run took the path to
    /// measure rather than one that leaves early.
    #[must_use]
    pub fn returning(mut self, value: u32) -> Self {
        self.returns = Some(value);
        self
    }

    /// Adds a loaded program, by any of its file descriptors: in Aya `program.fd()?`, in libbpf-rs
    /// the program itself. Names may repeat.
    ///
    /// # Errors
    /// [`Error::NotAProgram`] if the descriptor is not one of a program; [`Error::Read`] if the
    /// counters cannot be read, or the descriptor not be duplicated; [`Error::Disagreement`].
    pub fn register(&mut self, name: &str, program: impl AsFd) -> Result<&mut Self, Error> {
        let program = program.as_fd();
        // Distinguishes programs from other files, and checks that the kernel has the counters.
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

    /// Counts runs of the registered programs during `work`, once for each round. Their runs must
    /// have ended when it returns. Results are in the order of registration.
    ///
    /// # Errors
    /// The first error of `work`, with its round. A program that did not run in a round, statistics
    /// that are off, counters that went backwards or that differ by the way they are read: these
    /// are never results of zero.
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
    /// `BPF_PROG_TEST_RUN`. Each run gets a fresh copy of the input. Give more inputs for more runs
    /// per round.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) and of [`test_run`](crate::test_run()).
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

    /// Counts the runs of each program during `work`.
    ///
    /// A program may be attached to something that this process does. So as little as possible is
    /// done between the counters and the work: one system call for each program.
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
    // Finding the reason loads another program, so it is done only now.
    let statistics_are_off = || matches!(Statistics::are_on(), Ok(false));
    if matches!(error, DeltaError::NothingCounted(_)) && statistics_are_off() {
        return Error::StatisticsOff { name };
    }
    Error::NotCounted {
        name,
        source: error,
    }
}
