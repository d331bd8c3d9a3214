//! Bencher Metric Format: results as continuous benchmarking services read them.
//! <https://bencher.dev/docs/reference/bencher-metric-format/>

use serde_json::{Map, Value, json};

use crate::rounds::Latency;

/// Writes one `latency` in nanoseconds for each benchmark, in the order of their names.
pub fn to_json<'a>(results: impl IntoIterator<Item = (&'a str, Latency)>) -> String {
    let benchmarks: Map<String, Value> = results
        .into_iter()
        .map(|(name, latency)| {
            let Latency {
                value,
                lower_value,
                upper_value,
            } = latency;
            let metric =
                json!({"value": value, "lower_value": lower_value, "upper_value": upper_value});
            (name.to_owned(), json!({"latency": metric}))
        })
        .collect();
    format!("{:#}", Value::Object(benchmarks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_value_and_both_bounds_by_benchmark_and_measure() {
        let latency = Latency {
            value: 164.0,
            lower_value: 164.0,
            upper_value: 171.5,
        };
        assert_eq!(
            to_json([("xdp_pass", latency), ("fun_xdp", latency)]),
            r#"{
  "fun_xdp": {
    "latency": {
      "lower_value": 164.0,
      "upper_value": 171.5,
      "value": 164.0
    }
  },
  "xdp_pass": {
    "latency": {
      "lower_value": 164.0,
      "upper_value": 171.5,
      "value": 164.0
    }
  }
}"#
        );
    }
}
