//! Measurement: times calls, and proves that the program saw each of them.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use bpf_bench::Statistics;

use crate::{Cost, Counted, Error, Pair, Probe, Target};

/// The number of calls in each benchmark.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    /// Timed rounds; the lowest counts. One more round before them warms up.
    pub rounds: u32,
    /// Calls in each round.
    pub calls: u32,
}

impl Plan {
    /// Calls in all timed rounds and in the warm-up.
    fn timed_calls(self) -> u64 {
        (u64::from(self.rounds) + 1) * u64::from(self.calls)
    }

    /// Calls before those, during which the kernel counts runs.
    fn proven_calls(self) -> u64 {
        u64::from(self.calls)
    }
}

/// Times a target with the programs attached to it.
///
/// # Errors
///
/// [`Error::NoCalls`] if the plan has no rounds or no calls, [`Error::CoarseClock`] if the time of
/// a round is 0.
pub fn time_calls(target: Target, plan: Plan) -> Result<Cost, Error> {
    let mut rounds = Vec::with_capacity(plan.rounds as usize);
    run_rounds(target, plan, &mut rounds);
    cost_of(&rounds, plan)
}

/// Times a pair. The first round has BPF statistics on, to check that the program runs. The others
/// have them off, because statistics cost time too.
///
/// All rounds use one attachment: 5.8 and 5.10 refuse to attach a program on a trampoline a second
/// time.
///
/// # Errors
///
/// [`Error::Miscounted`] if the program ran, or counted in its map, more or less often than its
/// target was called. Those of [`Probe::attach`] and [`Probe::counted`]; [`Error::NotPermitted`]
/// and [`Error::Load`] if statistics cannot be turned on; those of [`time_calls`].
pub fn measure(probe: &mut Probe<'_>, plan: Plan) -> Result<Cost, Error> {
    let target = probe.pair().hook.target();
    measure_calling(probe, target, plan)
}

/// Times a pair with calls of any target. A target that the program does not see shows that this is
/// detected.
///
/// # Errors
///
/// Those of [`measure`].
pub fn measure_calling(probe: &mut Probe<'_>, target: Target, plan: Plan) -> Result<Cost, Error> {
    let pair = probe.pair();
    // From here on the program may see every system call, so memory is allocated before.
    let mut rounds = Vec::with_capacity(plan.rounds as usize);
    let before = probe.counted()?;
    // Not by the sysctl as a fallback: turning it off takes system calls that would be counted.
    let statistics =
        Statistics::enable_by_fd().map_err(|error| Error::load("BPF statistics", error))?;

    let attachment = probe.attach()?;
    run_round(target.call(), plan.calls);
    drop(statistics);
    run_rounds(target, plan, &mut rounds);
    drop(attachment);

    let seen = probe.counted()?.since(before);
    if !is_complete(pair, plan, seen) {
        return Err(Error::Miscounted {
            pair,
            calls: plan.proven_calls() + plan.timed_calls(),
            proven: plan.proven_calls(),
            found: seen,
        });
    }
    cost_of(&rounds, plan)
}

fn cost_of(rounds: &[Duration], plan: Plan) -> Result<Cost, Error> {
    let Plan {
        rounds: wanted,
        calls,
    } = plan;
    let cost = Cost::of(rounds, calls).ok_or(Error::NoCalls {
        rounds: wanted,
        calls,
    })?;
    if cost.lowest == 0.0 {
        return Err(Error::CoarseClock { calls });
    }
    Ok(cost)
}

/// Other calls of this thread while the program sees every system call: it closes the descriptors
/// that keep statistics on and the program attached. With debug assertions the standard library
/// checks each descriptor with another call before.
const OTHERS: u64 = if cfg!(debug_assertions) { 4 } else { 2 };

/// Compares a program's counts with the calls made.
fn is_complete(pair: Pair, plan: Plan, seen: Counted) -> bool {
    let (proven, timed) = (plan.proven_calls(), plan.timed_calls());
    if !pair.hook.sees_every_system_call() {
        // The timed runs are counted too if another process has turned statistics on.
        return (seen.runs == proven || seen.runs == proven + timed)
            && seen.calls.is_none_or(|calls| calls == proven + timed);
    }
    // Two more for each round if reading the time is a system call.
    let clock = 2 * (u64::from(plan.rounds) + 2);
    // Other processes make system calls too, which the map keeps apart.
    seen.runs >= proven
        && seen.calls.is_none_or(|calls| {
            let others = calls.checked_sub(proven + timed);
            others == Some(OTHERS) || others == Some(OTHERS + clock)
        })
}

/// Runs a warm-up round, and times the rounds after it.
fn run_rounds(target: Target, plan: Plan, rounds: &mut Vec<Duration>) {
    run_round(target.call(), plan.calls);
    rounds.extend((0..plan.rounds).map(|_| run_round(target.call(), plan.calls)));
}

#[inline(never)]
fn run_round(call: fn(), calls: u32) -> Duration {
    let call = black_box(call);
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Hook};

    const PLAN: Plan = Plan {
        rounds: 3,
        calls: 16,
    };

    const PROVEN: u64 = 16;
    const ALL: u64 = 80;

    fn complete(hook: Hook, runs: u64, calls: Option<u64>) -> bool {
        let body = if calls.is_some() {
            Body::Simple
        } else {
            Body::Empty
        };
        is_complete(Pair { hook, body }, PLAN, Counted { runs, calls })
    }

    #[test]
    fn a_hook_on_the_target_alone_counts_its_calls_exactly() {
        assert!(complete(Hook::Kprobe, PROVEN, Some(ALL)));
        assert!(complete(Hook::Kprobe, ALL, Some(ALL)), "statistics on");
        assert!(complete(Hook::Kprobe, PROVEN, None));
        for (runs, calls) in [
            (0, Some(ALL)),
            (0, None),
            (PROVEN - 1, Some(ALL)),
            (PROVEN + 1, None),
            (PROVEN, Some(ALL - 1)),
            (PROVEN, Some(ALL + 1)),
            (PROVEN, Some(0)),
        ] {
            assert!(!complete(Hook::Kprobe, runs, calls), "{runs} {calls:?}");
        }
    }

    #[test]
    fn a_hook_on_every_system_call_counts_those_of_this_thread_exactly() {
        let runs = PROVEN + 40;
        assert!(complete(Hook::RawTracepoint, runs, Some(ALL + OTHERS)));
        assert!(
            complete(Hook::RawTracepoint, runs, Some(ALL + OTHERS + 10)),
            "clock"
        );
        assert!(complete(Hook::RawTracepoint, runs, None));
        for (runs, calls) in [
            (PROVEN - 1, Some(ALL + OTHERS)),
            (0, None),
            (runs, Some(ALL)),
            (runs, Some(ALL + OTHERS + 1)),
            (runs, Some(2)),
        ] {
            assert!(
                !complete(Hook::RawTracepoint, runs, calls),
                "{runs} {calls:?}"
            );
        }
    }

    #[test]
    fn a_round_without_calls_has_no_cost() {
        let plan = Plan { calls: 0, ..PLAN };
        let error = time_calls(Target::Function, plan).unwrap_err();
        assert!(matches!(error, Error::NoCalls { .. }), "{error}");
    }

    #[test]
    fn a_stopped_clock_is_an_error_not_a_zero() {
        let round = Duration::from_micros(1);
        let error = cost_of(&[round, Duration::ZERO], PLAN).unwrap_err();
        assert!(matches!(error, Error::CoarseClock { .. }), "{error}");
        assert!(cost_of(&[round], PLAN).is_ok());
    }

    #[test]
    fn every_round_but_the_first_is_timed() {
        let mut rounds = Vec::new();
        run_rounds(Target::Getpid, PLAN, &mut rounds);
        assert_eq!(rounds.len(), 3);
        assert_eq!(PLAN.proven_calls(), PROVEN);
        assert_eq!(PLAN.proven_calls() + PLAN.timed_calls(), ALL);
    }
}
