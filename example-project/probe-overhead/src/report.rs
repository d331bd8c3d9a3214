//! Report: formats results for programs and for people.

use bpf_bench::{Latency, bmf};

use crate::{Benchmark, Cost, Overhead, Target};

/// Writes Bencher Metric Format: one `latency` in nanoseconds for each benchmark.
pub fn to_bmf(results: &[(Benchmark, Cost)]) -> String {
    let results: Vec<(String, Latency)> = results
        .iter()
        .map(|(benchmark, cost)| {
            let latency = Latency {
                value: cost.lowest,
                lower_value: cost.lowest,
                upper_value: cost.highest,
            };
            (benchmark.to_string(), latency)
        })
        .collect();
    bmf::to_json(
        results
            .iter()
            .map(|(name, latency)| (name.as_str(), *latency)),
    )
}

/// Writes a table: the cost of a call, and the probe's overhead if the bare call was measured.
pub fn to_table(results: &[(Benchmark, Cost)]) -> String {
    let bare = |target: Target| {
        results
            .iter()
            .find(|(benchmark, _)| *benchmark == Benchmark::Bare(target))
            .map(|(_, cost)| *cost)
    };
    let mut table = row("benchmark", "ns per call", "overhead, ns", "overhead, %");
    for (benchmark, cost) in results {
        let overhead = match benchmark {
            Benchmark::Bare(_) => None,
            Benchmark::Probed(pair) => {
                bare(pair.hook.target()).map(|bare| Overhead::of(*cost, bare))
            }
        };
        let added = overhead.map(|overhead| format!("{:.1}", overhead.added));
        let percent = overhead.and_then(|overhead| overhead.percent);
        table += &row(
            &benchmark.to_string(),
            &format!("{:.1}", cost.lowest),
            &added.unwrap_or_default(),
            &percent
                .map(|percent| format!("{percent:.1}"))
                .unwrap_or_default(),
        );
    }
    table
}

fn row(benchmark: &str, cost: &str, added: &str, percent: &str) -> String {
    let row = format!("{benchmark:<30}{cost:>12}{added:>14}{percent:>13}");
    format!("{}\n", row.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Hook, Pair};

    const fn cost(lowest: f64) -> Cost {
        Cost {
            lowest,
            highest: lowest + 0.5,
        }
    }

    const fn probed(hook: Hook, body: Body) -> Benchmark {
        Benchmark::Probed(Pair { hook, body })
    }

    #[test]
    fn writes_value_and_both_bounds_by_benchmark_and_measure() {
        assert_eq!(
            to_bmf(&[(probed(Hook::Kprobe, Body::Empty), cost(253.75))]),
            r#"{
  "getpid/kprobe/empty": {
    "latency": {
      "lower_value": 253.75,
      "upper_value": 254.25,
      "value": 253.75
    }
  }
}"#
        );
    }

    #[test]
    fn the_table_compares_each_target_with_itself() {
        let results = [
            (Benchmark::Bare(Target::Getpid), cost(100.0)),
            (probed(Hook::Fentry, Body::Simple), cost(125.0)),
            (Benchmark::Bare(Target::Function), cost(4.0)),
            (probed(Hook::Uretprobe, Body::Complex), cost(1004.0)),
        ];
        assert_eq!(
            to_table(&results),
            "\
benchmark                      ns per call  overhead, ns  overhead, %
getpid/none                          100.0
getpid/fentry/simple                 125.0          25.0         25.0
function/none                          4.0
function/uretprobe/complex          1004.0        1000.0      25000.0
"
        );
    }

    #[test]
    fn without_a_bare_call_there_is_no_overhead() {
        let table = to_table(&[(probed(Hook::Uprobe, Body::Empty), cost(1000.0))]);
        assert!(
            table.ends_with("function/uprobe/empty               1000.0\n"),
            "{table}"
        );
    }
}
