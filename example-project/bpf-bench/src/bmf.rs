//! Bencher Metric Format, which continuous benchmarking services read.
//! <https://bencher.dev/docs/reference/bencher-metric-format/>

use serde_json::{Map, Value, json};

use crate::{Latency, Measurement, names};

/// Writes one `latency` in nanoseconds for each result, sorted by name. Equal names are numbered as
/// in [`Measurement::name`].
///
/// ```
/// # use bpf_bench::{Latency, bmf};
/// let latency = Latency { value: 164.0, lower_value: 163.5, upper_value: 171.0 };
/// assert_eq!(
///     bmf::to_json([("parse", latency)]).replace([' ', '\n'], ""),
///     r#"{"parse":{"latency":{"lower_value":163.5,"upper_value":171.0,"value":164.0}}}"#
/// );
/// ```
pub fn to_json<'a>(results: impl IntoIterator<Item = (&'a str, Latency)>) -> String {
    write(
        results
            .into_iter()
            .map(|(name, latency)| (name, json!({"latency": metric(latency)}))),
    )
}

/// Writes the gross `latency` of each measurement. Adds its `net-latency` if it is known and not
/// below zero, which readers refuse. Both are in nanoseconds per run.
pub fn of_measurements(measurements: &[Measurement]) -> String {
    write(measurements.iter().map(|measurement| {
        let mut measures = json!({"latency": metric(measurement.gross)});
        if let Some(net) = measurement.net().filter(|net| *net >= 0.0) {
            measures["net-latency"] = json!({"value": net});
        }
        (measurement.name.as_str(), measures)
    }))
}

fn metric(latency: Latency) -> Value {
    let Latency {
        value,
        lower_value,
        upper_value,
    } = latency;
    json!({"value": value, "lower_value": lower_value, "upper_value": upper_value})
}

fn write<'a>(results: impl IntoIterator<Item = (&'a str, Value)>) -> String {
    let (names, measures): (Vec<String>, Vec<Value>) = results
        .into_iter()
        .map(|(name, measures)| (name.to_owned(), measures))
        .unzip();
    let benchmarks: Map<String, Value> = names::distinct(names, ' ')
        .into_iter()
        .zip(measures)
        .collect();
    format!("{:#}", Value::Object(benchmarks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{EMPTY, measurement};

    const LATENCY: Latency = Latency {
        value: 164.0,
        lower_value: 164.0,
        upper_value: 171.5,
    };

    #[test]
    fn writes_value_and_both_bounds_by_benchmark_and_measure() {
        assert_eq!(
            to_json([("xdp_pass", LATENCY), ("fun_xdp", LATENCY)]),
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

    #[test]
    fn two_results_with_the_same_name_are_kept() {
        let json: Value =
            serde_json::from_str(&to_json([("fun_xdp", LATENCY), ("fun_xdp", LATENCY)])).unwrap();
        let names: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(names, ["fun_xdp", "fun_xdp #2"]);
    }

    #[test]
    fn a_measurement_has_gross_and_net() {
        let json = of_measurements(&[measurement("parse", Some(EMPTY))]);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["parse"]["latency"]["value"], 201.0);
        assert_eq!(json["parse"]["net-latency"]["value"], 151.0);
    }

    #[test]
    fn a_net_that_is_unknown_or_below_zero_is_left_out() {
        let dear = Latency {
            value: 1_000.0,
            ..EMPTY
        };
        for empty in [None, Some(dear)] {
            let json = of_measurements(&[measurement("parse", empty)]);
            let json: Value = serde_json::from_str(&json).unwrap();
            let measures = json["parse"].as_object().unwrap();
            assert_eq!(measures.keys().collect::<Vec<_>>(), ["latency"]);
        }
    }
}
