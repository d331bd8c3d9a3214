//! Statistics: turns the times of several short rounds into a cost per call, and two costs into an
//! overhead.

use std::time::Duration;

/// Cost of a call, in nanoseconds. Under icount those are instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Cost in the lowest round. Disturbances, above all timer ticks, only add to it.
    pub lowest: f64,
    /// Cost in the highest round.
    pub highest: f64,
}

impl Cost {
    /// The cost in rounds with the same number of calls. `None` without rounds or calls.
    pub fn of(rounds: &[Duration], calls: u32) -> Option<Self> {
        if calls == 0 {
            return None;
        }
        let per_call = |round: &Duration| round.as_nanos() as f64 / f64::from(calls);
        Some(Self {
            lowest: per_call(rounds.iter().min()?),
            highest: per_call(rounds.iter().max()?),
        })
    }

    /// The cost in the rounds of both.
    pub fn join(self, other: Self) -> Self {
        Self {
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
        }
    }
}

/// The cost that a probe adds to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// Nanoseconds; below 0 if the clock's noise exceeds the probe's cost.
    pub added: f64,
    /// Percentage of the call without a probe; `None` if that cost nothing.
    pub percent: Option<f64>,
}

impl Overhead {
    /// Compares a probed call with the same call without a probe.
    pub fn of(probed: Cost, bare: Cost) -> Self {
        let added = probed.lowest - bare.lowest;
        Self {
            added,
            percent: (bare.lowest > 0.0).then(|| added / bare.lowest * 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(nanoseconds: &[u64], calls: u32) -> Option<Cost> {
        let rounds: Vec<Duration> = nanoseconds
            .iter()
            .map(|&each| Duration::from_nanos(each))
            .collect();
        Cost::of(&rounds, calls)
    }

    #[test]
    fn the_lowest_round_is_used_and_the_highest_shown() {
        assert_eq!(
            cost(&[6_464, 6_400, 9_600], 64),
            Some(Cost {
                lowest: 100.0,
                highest: 150.0,
            })
        );
    }

    #[test]
    fn two_measurements_are_joined_into_one() {
        let (first, second) = (cost(&[400, 700], 4), cost(&[300, 500], 4));
        let joined = first.unwrap().join(second.unwrap());
        assert_eq!(Some(joined), cost(&[400, 700, 300, 500], 4));
    }

    #[test]
    fn keeps_fractions() {
        assert_eq!(cost(&[101], 4).map(|cost| cost.lowest), Some(25.25));
    }

    #[test]
    fn nothing_measured_is_not_a_zero() {
        assert_eq!(cost(&[], 64), None);
        assert_eq!(cost(&[100], 0), None);
    }

    #[test]
    fn overhead_is_in_nanoseconds_and_percent_of_the_bare_call() {
        let (bare, probed) = (cost(&[400], 4).unwrap(), cost(&[500], 4).unwrap());
        let overhead = Overhead::of(probed, bare);
        assert_eq!(overhead.added, 25.0);
        assert_eq!(overhead.percent, Some(25.0));
        assert_eq!(Overhead::of(bare, probed).added, -25.0);
    }

    #[test]
    fn a_bare_call_that_cost_nothing_has_no_percentage() {
        let (bare, probed) = (cost(&[0], 4).unwrap(), cost(&[500], 4).unwrap());
        assert_eq!(Overhead::of(probed, bare).percent, None);
    }
}
