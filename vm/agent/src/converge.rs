//! Convergence: decides when to stop reading a benchmark. Pure.
//!
//! A timer tick inside a BPF run only ever adds to its time. So the smallest total is the
//! clean one, and a smallest total seen twice is proof of it. A total that is larger by
//! less than a tick casts doubt on that. Either the program does more or less each time.
//! Or a tick right before the run has left a request to reschedule, by which a kernel
//! with `PREEMPT_DYNAMIC` takes two instructions more wherever a run turns preemption on
//! again. That is rare, so more readings distinguish the two. More readings also help
//! where more totals lie far above the smallest than ticks explain.
//!
//! A time that a command prints may be off too: `clock_gettime` takes six instructions
//! more in the tick in which a second begins. So a command without programs whose first
//! readings print different text is read once more.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::{Readings, Ticks};
use crate::record::Count;

/// Identifies a program: readings with the same key are readings of the same program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Program name.
    pub name: String,
    /// Program type.
    pub prog_type: String,
    /// Hash of its instructions: loaders load programs with the same name in any order.
    pub tag: String,
    /// The number among equal programs of one reading, from 0, cheapest first. Programs
    /// that differ only in their maps have the same tag, and loaders load them in any
    /// order.
    pub ordinal: u32,
}

/// Everything read of one benchmark so far.
#[derive(Debug)]
pub struct History {
    ticks: Ticks,
    counts: BTreeMap<Key, Vec<Count>>,
    /// Hashes of what each reading printed.
    printed: Vec<u64>,
}

/// The next step after a reading.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Take another reading.
    Read,
    /// Stop reading.
    Stop {
        /// Whether every smallest total was seen twice, or no program ran at all.
        converged: bool,
    },
}

impl History {
    /// Begins without readings.
    pub fn new(ticks: Ticks) -> Self {
        Self {
            ticks,
            counts: BTreeMap::new(),
            printed: Vec::new(),
        }
    }

    /// Adds the programs of one reading, and numbers them.
    pub fn add_reading(&mut self, mut programs: Vec<(Key, Count)>) {
        programs.sort_by(|(key, count), (other_key, other)| {
            let cost = u128::from(count.run_time_ns) * u128::from(other.run_cnt);
            let other_cost = u128::from(other.run_time_ns) * u128::from(count.run_cnt);
            key.cmp(other_key).then(cost.cmp(&other_cost))
        });
        let mut last: Option<Key> = None;
        for (mut key, count) in programs.into_iter().filter(|(_, count)| count.run_cnt > 0) {
            let equal = |last: &Key| {
                Key {
                    ordinal: key.ordinal,
                    ..last.clone()
                } == key
            };
            key.ordinal = match &last {
                Some(last) if equal(last) => last.ordinal + 1,
                _ => 0,
            };
            last = Some(key.clone());
            self.add(key, count);
        }
    }

    /// Adds one program of one reading. A program that never ran is left out: loaders
    /// load such programs to probe the kernel, and not every reading catches a
    /// short-lived probe.
    pub fn add(&mut self, key: Key, count: Count) {
        if count.run_cnt > 0 {
            self.counts.entry(key).or_default().push(count);
        }
    }

    /// Adds the hash of what one reading printed.
    pub fn add_printed(&mut self, hash: u64) {
        self.printed.push(hash);
    }

    /// Decides after `taken` readings. If no program ran, `min_unobserved` readings are
    /// enough, or one more if each printed something else.
    pub fn next(&self, taken: u32, readings: Readings, min_unobserved: u32) -> Next {
        let min = if !self.counts.is_empty() {
            readings.min
        } else if min_unobserved > 1 && are_distinct(&self.printed) {
            min_unobserved + 1
        } else {
            min_unobserved
        };
        let proofs: Vec<Proof> = self
            .counts
            .values()
            .map(|counts| proof_of(counts, &self.ticks))
            .collect();
        let settled = proofs.iter().all(|proof| *proof == Proof::Settled);
        if taken >= readings.max || (taken >= min && settled) {
            Next::Stop {
                converged: !proofs.contains(&Proof::None),
            }
        } else {
            Next::Read
        }
    }
}

fn are_distinct(hashes: &[u64]) -> bool {
    hashes.len() > 1 && hashes.iter().collect::<BTreeSet<_>>().len() == hashes.len()
}

/// The strength of the proof of a program's smallest total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// The smallest total was not seen twice.
    None,
    /// The smallest total was seen twice, but others lie above it that no tick explains.
    /// More readings show that those are rare, or are what the host compares head and
    /// base with.
    Doubtful,
    /// More readings would change nothing.
    Settled,
}

/// Whether more of these readings of one program would change nothing.
pub fn is_settled(counts: &[Count], ticks: &Ticks) -> bool {
    proof_of(counts, ticks) == Proof::Settled
}

/// The strongest proof among the readings of each `run_cnt`.
fn proof_of(counts: &[Count], ticks: &Ticks) -> Proof {
    let mut times: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for count in counts {
        let own = times.entry(count.run_cnt).or_default();
        own.push(count.run_time_ns);
    }
    let proofs = times.values().map(|times| {
        let least = times.iter().copied().min().unwrap_or_default();
        let most_by_ticks = (least / ticks.period + 1) * ticks.most;
        let (mut clean, mut strays, mut far) = (0, 0, 0);
        for time in times {
            match time - least {
                0 => clean += 1,
                more if more < ticks.least || more > most_by_ticks => strays += 1,
                _ => far += 1,
            }
        }
        if !can_be_ticks(far, times.len(), least, ticks) {
            strays += far;
        }
        let is_rare = clean >= ticks.clean_per_stray * strays;
        match clean {
            0 | 1 => Proof::None,
            _ if is_rare => Proof::Settled,
            _ => Proof::Doubtful,
        }
    });
    proofs.max().unwrap_or(Proof::None)
}

/// Whether ticks explain that `far` of the readings lie a tick or more above the smallest
/// total. The probability that at least `far` are hit by chance is at most this: the
/// binomial's, summed over all choices of `far` readings.
fn can_be_ticks(far: u32, readings: usize, least: u64, ticks: &Ticks) -> bool {
    let hit = (least as f64 / ticks.period.get() as f64).min(1.0);
    let probability: f64 = (0..far)
        .map(|each| hit * (readings as f64 - f64::from(each)) / (f64::from(each) + 1.0))
        .product();
    far < 2 || probability >= ticks.rarest
}

#[cfg(test)]
pub const TICKS: Ticks = Ticks {
    least: 500,
    most: 50_000,
    period: std::num::NonZeroU64::new(1_000_000).unwrap(),
    clean_per_stray: 4,
    rarest: 0.001,
};

#[cfg(test)]
mod tests {
    use super::*;

    const READINGS: Readings = Readings { min: 2, max: 4 };

    fn history(counts: &[(&str, u64, u64)]) -> History {
        let mut history = History::new(TICKS);
        for &(name, run_cnt, run_time_ns) in counts {
            let key = Key {
                name: name.into(),
                prog_type: "xdp".into(),
                tag: String::new(),
                ordinal: 0,
            };
            let count = Count {
                run_cnt,
                run_time_ns,
            };
            history.add(key, count);
        }
        history
    }

    /// Decides after these totals of a program that runs once, with a maximum of ten
    /// readings.
    fn next_of_ten(times: &[u64]) -> Next {
        let readings = Readings {
            max: 10,
            ..READINGS
        };
        let counts: Vec<_> = times.iter().map(|&time| ("a", 1, time)).collect();
        history(&counts).next(counts.len() as u32, readings, 1)
    }

    #[test]
    fn a_minimum_seen_twice_converges() {
        let history = history(&[("a", 10, 500), ("a", 10, 500)]);
        assert_eq!(history.next(2, READINGS, 1), Next::Stop { converged: true });
    }

    #[test]
    fn two_equal_readings_above_the_minimum_do_not_converge() {
        let history = history(&[("a", 10, 500), ("a", 10, 500), ("a", 10, 499)]);
        assert_eq!(history.next(3, READINGS, 1), Next::Read);
    }

    #[test]
    fn a_total_little_above_the_minimum_has_to_be_rare() {
        let stop = Next::Stop { converged: true };
        assert_eq!(next_of_ten(&[51, 53, 51]), Next::Read);
        assert_eq!(next_of_ten(&[51, 53, 51, 51]), Next::Read);
        assert_eq!(next_of_ten(&[51, 53, 51, 51, 51]), stop);
        assert_eq!(
            next_of_ten(&[51, 53, 51, 53, 51, 51, 51, 51, 51]),
            Next::Read
        );
        assert_eq!(next_of_ten(&[51, 53, 51, 53, 51, 51, 51, 51, 51, 51]), stop);
        // Within ten readings these can no longer prove rare, so the host tests all of
        // them.
        assert_eq!(next_of_ten(&[51, 53, 51, 53, 53]), Next::Read);
        // A tick does not count as such a total.
        assert_eq!(next_of_ten(&[51, 551, 51]), stop);
        assert_eq!(next_of_ten(&[51, 550, 51]), Next::Read);
    }

    #[test]
    fn totals_far_above_the_minimum_have_to_be_ticks() {
        let stop = Next::Stop { converged: true };
        // At most one of 2,000 such readings has a tick, two of four happen once in
        // 700,000.
        assert_eq!(next_of_ten(&[500, 2_500, 500]), stop);
        assert_eq!(next_of_ten(&[500, 2_500, 2_500, 500]), Next::Read);
        // One of two readings has a tick.
        assert_eq!(next_of_ten(&[500_000, 502_500, 502_500, 500_000]), stop);
    }

    #[test]
    fn a_total_further_above_the_minimum_than_ticks_add_has_to_be_rare() {
        let stop = Next::Stop { converged: true };
        assert_eq!(next_of_ten(&[51_000, 101_000, 51_000]), stop);
        assert_eq!(next_of_ten(&[51_000, 107_000, 51_000]), Next::Read);
        let rare = [51_000, 107_000, 51_000, 51_000, 51_000];
        assert_eq!(next_of_ten(&rare), stop);
        // Eleven ticks.
        assert_eq!(next_of_ten(&[10_000_000, 10_550_000, 10_000_000]), stop);
        let more = [10_000_000, 10_550_001, 10_000_000];
        assert_eq!(next_of_ten(&more), Next::Read);
    }

    #[test]
    fn equal_programs_are_numbered_by_cost_in_any_order_of_loading() {
        let reading = |costs: &[(u64, u64)]| {
            costs
                .iter()
                .map(|&(run_cnt, run_time_ns)| {
                    let key = Key {
                        name: "a".into(),
                        prog_type: "xdp".into(),
                        tag: "t".into(),
                        ordinal: 0,
                    };
                    let count = Count {
                        run_cnt,
                        run_time_ns,
                    };
                    (key, count)
                })
                .collect()
        };
        let mut history = History::new(TICKS);
        history.add_reading(reading(&[(10, 510), (0, 0), (20, 2_140)]));
        history.add_reading(reading(&[(20, 2_140), (10, 510), (0, 0)]));
        let counts: Vec<_> = history.counts.values().map(|own| own[0].run_cnt).collect();
        assert_eq!(counts, [10, 20]);
        assert_eq!(history.next(2, READINGS, 1), Next::Stop { converged: true });
    }

    #[test]
    fn one_converged_run_count_is_enough() {
        let readings = Readings {
            max: 10,
            ..READINGS
        };
        let mut counts = vec![("a", 1, 51), ("a", 1, 53), ("a", 1, 51), ("a", 2, 90)];
        assert_eq!(history(&counts).next(4, readings, 1), Next::Read);
        counts.push(("a", 2, 90));
        let stop = Next::Stop { converged: true };
        assert_eq!(history(&counts).next(5, readings, 1), stop);
    }

    #[test]
    fn readings_with_other_run_counts_are_ignored() {
        let history = history(&[("a", 10, 500), ("a", 9, 10), ("a", 10, 500)]);
        assert_eq!(history.next(3, READINGS, 1), Next::Stop { converged: true });
    }

    #[test]
    fn every_program_must_converge() {
        let history = history(&[("a", 1, 5), ("a", 1, 5), ("b", 1, 5), ("b", 1, 6)]);
        assert_eq!(history.next(2, READINGS, 1), Next::Read);
    }

    #[test]
    fn the_maximum_stops_without_convergence() {
        let history = history(&[("a", 1, 5), ("a", 1, 6), ("a", 1, 7), ("a", 1, 8)]);
        assert_eq!(
            history.next(4, READINGS, 1),
            Next::Stop { converged: false }
        );
    }

    #[test]
    fn one_reading_never_converges() {
        let history = history(&[("a", 10, 500)]);
        let readings = Readings { min: 1, ..READINGS };
        assert_eq!(history.next(1, readings, 1), Next::Read);
    }

    #[test]
    fn without_programs_the_bench_gets_its_minimum_of_readings() {
        let stop = Next::Stop { converged: true };
        assert_eq!(history(&[]).next(1, READINGS, 1), stop);
        assert_eq!(history(&[]).next(1, READINGS, 2), Next::Read);
        assert_eq!(history(&[]).next(2, READINGS, 2), stop);
    }

    #[test]
    fn without_programs_another_reading_follows_if_each_printed_something_else() {
        let next = |hashes: &[u64], min_unobserved| {
            let mut history = History::new(TICKS);
            hashes.iter().for_each(|hash| history.add_printed(*hash));
            history.next(hashes.len() as u32, READINGS, min_unobserved)
        };
        let stop = Next::Stop { converged: true };
        assert_eq!(next(&[1, 2], 2), Next::Read);
        assert_eq!(next(&[1, 1], 2), stop);
        assert_eq!(next(&[1, 2, 3], 2), stop);
        assert_eq!(next(&[1], 1), stop);
    }

    #[test]
    fn programs_that_never_ran_do_not_count() {
        let history = history(&[("probe", 0, 0), ("a", 1, 5), ("a", 1, 5)]);
        assert_eq!(history.next(2, READINGS, 1), Next::Stop { converged: true });
    }
}
