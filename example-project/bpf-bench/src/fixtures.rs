//! Fixtures: a measurement for the tests of the formats.

use crate::{Counters, Latency, Measurement, ProgramType};

pub const EMPTY: Latency = Latency {
    value: 50.0,
    lower_value: 50.0,
    upper_value: 52.0,
};

/// Three rounds of 16 runs: 201 ns each in the first two, and less in a third that missed two runs.
pub fn measurement(name: &str, empty: Option<Latency>) -> Measurement {
    let rounds: Vec<Counters> = [(3_216, 0), (3_216, 0), (3_201, 2)]
        .into_iter()
        .map(|(run_time_ns, misses)| Counters {
            run_time_ns,
            run_count: 16,
            recursion_misses: Some(misses),
        })
        .collect();
    Measurement {
        name: name.to_owned(),
        program_type: ProgramType::XDP,
        program_id: 7,
        gross: Latency::of(&rounds).expect("there are rounds"),
        rounds,
        empty,
    }
}
