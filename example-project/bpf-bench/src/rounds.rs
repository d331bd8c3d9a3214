//! Rounds: combines several short readings of one benchmark into one latency.

use std::collections::BTreeMap;

use crate::Counters;

/// Time per run of a program, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// The average that most rounds agree on.
    pub value: f64,
    /// The lowest average of a round.
    pub lower_value: f64,
    /// The highest average of a round.
    pub upper_value: f64,
}

impl Latency {
    /// Combines rounds, each given by its counts. `None` without rounds, and if a round has no runs
    /// or no time, which [`Counters::since`] reports as an error.
    ///
    /// The value is the mode: a timer tick inside a run pollutes some rounds, and a mean would
    /// include it. If no average stands out, the lowest of the most frequent ones is taken.
    pub fn of(rounds: &[Counters]) -> Option<Self> {
        let mut frequency = BTreeMap::new();
        for round in rounds {
            if round.run_count == 0 || round.run_time_ns == 0 {
                return None;
            }
            let average = round.run_time_ns as f64 / round.run_count as f64;
            // Above zero and finite, so the bits sort like the numbers.
            *frequency.entry(average.to_bits()).or_insert(0_u32) += 1;
        }
        // `max_by_key` returns the last of equal maxima: from the highest average down, that is the
        // lowest.
        let (mode, _) = frequency.iter().rev().max_by_key(|(_, count)| **count)?;
        let (lowest, _) = frequency.first_key_value()?;
        let (highest, _) = frequency.last_key_value()?;
        Some(Self {
            value: f64::from_bits(*mode),
            lower_value: f64::from_bits(*lowest),
            upper_value: f64::from_bits(*highest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(run_times_ns: &[u64]) -> Option<Latency> {
        let rounds: Vec<Counters> = run_times_ns
            .iter()
            .map(|&run_time_ns| Counters {
                run_time_ns,
                run_count: 16,
                recursion_misses: None,
            })
            .collect();
        Latency::of(&rounds)
    }

    #[test]
    fn the_most_frequent_average_is_used() {
        let latency = of(&[3_200, 3_216, 9_600, 3_216, 3_216]);
        assert_eq!(
            latency,
            Some(Latency {
                value: 201.0,
                lower_value: 200.0,
                upper_value: 600.0,
            })
        );
    }

    #[test]
    fn the_lowest_of_equally_frequent_averages_is_used() {
        let value = |run_times_ns: &[u64]| of(run_times_ns).map(|latency| latency.value);
        assert_eq!(value(&[640, 320, 480]), Some(20.0));
        assert_eq!(value(&[640, 320, 640, 320, 160]), Some(20.0));
    }

    #[test]
    fn keeps_fractions() {
        assert_eq!(of(&[1_601]).map(|latency| latency.value), Some(100.0625));
    }

    #[test]
    fn without_rounds_there_is_no_latency() {
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_round_without_runs_or_time_has_no_latency() {
        let round = |run_time_ns, run_count| Counters {
            run_time_ns,
            run_count,
            recursion_misses: None,
        };
        for (run_time_ns, run_count) in [(0, 0), (3_200, 0), (0, 16)] {
            let rounds = [round(3_200, 16), round(run_time_ns, run_count)];
            assert_eq!(Latency::of(&rounds), None, "{rounds:?}");
        }
    }
}
