//! JSON lines with all raw readings, for tools that compute their own results.

use serde_json::{Value, json};

use crate::{Counters, Latency, Measurement};

/// Writes one object on a line for each measurement; `kernel` is the release on which it was taken.
/// Counters are whole numbers as read. `empty`, `net` and `recursion_misses` are null if they are
/// not known, and `net` may be below zero.
///
/// ```json
/// {"name": "fun_xdp", "program_type": "xdp", "program_id": 7, "kernel": "6.12.107",
///  "rounds": [{"run_time_ns": 3216, "run_cnt": 16, "recursion_misses": 0}],
///  "gross": {"value": 201.0, "lower_value": 201.0, "upper_value": 201.0},
///  "empty": {"value": 53.0, "lower_value": 53.0, "upper_value": 54.0}, "net": 148.0, "unit": "ns"}
/// ```
pub fn to_text(measurements: &[Measurement], kernel_release: &str) -> String {
    measurements
        .iter()
        .map(|measurement| {
            let rounds: Vec<Value> = measurement.rounds.iter().copied().map(counters).collect();
            let line = json!({
                "name": measurement.name,
                "program_type": measurement.program_type.to_string(),
                "program_id": measurement.program_id,
                "kernel": kernel_release,
                "rounds": rounds,
                "gross": latency(measurement.gross),
                "empty": measurement.empty.map(latency),
                "net": measurement.net(),
                "unit": "ns",
            });
            format!("{line}\n")
        })
        .collect()
}

fn counters(counters: Counters) -> Value {
    json!({
        "run_time_ns": counters.run_time_ns,
        "run_cnt": counters.run_count,
        "recursion_misses": counters.recursion_misses,
    })
}

fn latency(latency: Latency) -> Value {
    json!({
        "value": latency.value,
        "lower_value": latency.lower_value,
        "upper_value": latency.upper_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{EMPTY, measurement};

    #[test]
    fn each_measurement_is_a_line_with_its_raw_counters() {
        let mut large = measurement("line\nbreak", None);
        large.rounds[0].run_time_ns = u64::MAX;
        let text = to_text(&[measurement("fun_xdp", Some(EMPTY)), large], "6.1.0");
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["name"], "fun_xdp");
        assert_eq!(lines[0]["program_type"], "xdp");
        assert_eq!(lines[0]["kernel"], "6.1.0");
        assert_eq!(
            lines[0]["rounds"][2],
            json!({"run_time_ns": 3_201, "run_cnt": 16, "recursion_misses": 2})
        );
        assert_eq!(lines[0]["empty"]["value"], 50.0);
        assert_eq!(lines[0]["net"], 151.0);
        assert_eq!(lines[1]["rounds"][0]["run_time_ns"], u64::MAX);
        assert_eq!(lines[1]["net"], Value::Null);
    }
}
