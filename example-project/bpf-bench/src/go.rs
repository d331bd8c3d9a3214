//! The Go benchmark format, which benchstat reads.
//! <https://go.dev/design/14313-benchmark-format>

use std::fmt::Write as _;

use crate::{Measurement, names};

/// Writes a line for each round, so that benchstat has samples; it needs at least 6.
///
/// `ns/op` is gross. `net-ns/op` is gross less an empty program, if that is known and not above it.
/// `missed/op` exists from Linux 5.12 on. The kernel's release precedes the results: benchstat
/// keeps those of different kernels apart.
///
/// ```text
/// goos: linux
/// goarch: amd64
/// kernel: 6.12.107
/// Unit ns/op better=lower
/// Unit net-ns/op better=lower
/// Unit missed/op better=lower
/// BenchmarkFun_xdp/type=xdp 16 201 ns/op 148 net-ns/op 0 missed/op
/// ```
pub fn to_text(measurements: &[Measurement], kernel_release: &str) -> String {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let mut text = format!(
        "goos: linux\ngoarch: {architecture}\nkernel: {}\n\
         Unit ns/op better=lower\nUnit net-ns/op better=lower\nUnit missed/op better=lower\n",
        field(kernel_release)
    );
    // Different names can become equal as fields, and lines with the same name would be samples of
    // one benchmark.
    let names = measurements.iter().map(|measurement| {
        // Go's names begin with a capital.
        let name = field(&measurement.name);
        let mut letters = name.chars();
        let first: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .collect();
        format!("{first}{}", letters.as_str())
    });
    for (measurement, name) in measurements.iter().zip(names::distinct(names, '_')) {
        // The type comes last, so that a name such as `burst-64` is not read as one on 64
        // processors.
        let name = format!("Benchmark{name}/type={}", measurement.program_type);
        for round in &measurement.rounds {
            let runs = round.run_count as f64;
            let gross = round.run_time_ns as f64 / runs;
            write!(text, "{name} {} {gross} ns/op", round.run_count)
                .expect("a string takes any text");
            let net = measurement.empty.map(|empty| gross - empty.value);
            if let Some(net) = net.filter(|net| *net >= 0.0) {
                write!(text, " {net} net-ns/op").expect("a string takes any text");
            }
            if let Some(missed) = round.recursion_misses {
                let missed = missed as f64 / runs;
                write!(text, " {missed} missed/op").expect("a string takes any text");
            }
            text.push('\n');
        }
    }
    text
}

/// Makes a text fit a field. Fields are separated by spaces and lines by line breaks; neither can
/// be quoted.
fn field(text: &str) -> String {
    let field: String = text
        .trim()
        .chars()
        .map(|letter| {
            if letter.is_whitespace() || letter.is_control() {
                '_'
            } else {
                letter
            }
        })
        .collect();
    if field.is_empty() {
        "_".to_owned()
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Latency,
        fixtures::{EMPTY, measurement},
    };

    fn lines(measurements: &[Measurement]) -> Vec<String> {
        to_text(measurements, "6.1.0")
            .lines()
            .filter(|line| line.starts_with("Benchmark"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_round_is_a_sample_with_gross_and_net() {
        assert_eq!(
            lines(&[measurement("fun_xdp", Some(EMPTY))]),
            [
                "BenchmarkFun_xdp/type=xdp 16 201 ns/op 151 net-ns/op 0 missed/op",
                "BenchmarkFun_xdp/type=xdp 16 201 ns/op 151 net-ns/op 0 missed/op",
                "BenchmarkFun_xdp/type=xdp 16 200.0625 ns/op 150.0625 net-ns/op 0.125 missed/op",
            ]
        );
    }

    #[test]
    fn the_kernel_is_configuration() {
        let text = to_text(&[], "6.1.0 odd");
        assert!(text.starts_with("goos: linux\ngoarch: "), "{text}");
        assert!(text.contains("\nkernel: 6.1.0_odd\n"), "{text}");
    }

    #[test]
    fn unknown_values_are_left_out() {
        let mut unknown = measurement("fun_xdp", None);
        unknown.rounds.truncate(1);
        unknown.rounds[0].recursion_misses = None;
        assert_eq!(
            lines(&[unknown]),
            ["BenchmarkFun_xdp/type=xdp 16 201 ns/op"]
        );
    }

    #[test]
    fn a_net_below_zero_is_left_out() {
        let dear = Latency {
            value: 200.5,
            ..EMPTY
        };
        let lines = lines(&[measurement("fun_xdp", Some(dear))]);
        assert!(lines[0].contains(" 0.5 net-ns/op"), "{lines:?}");
        assert!(!lines[2].contains("net-ns/op"), "{lines:?}");
    }

    #[test]
    fn names_are_one_field_and_stay_distinct() {
        let one = |name: &str| {
            let mut measurement = measurement(name, None);
            measurement.rounds.truncate(1);
            measurement
        };
        let names: Vec<String> = lines(&[one("a b"), one("a_b"), one("burst-64"), one("\n")])
            .iter()
            .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(
            names,
            [
                "BenchmarkA_b/type=xdp",
                "BenchmarkA_b_#2/type=xdp",
                "BenchmarkBurst-64/type=xdp",
                "Benchmark_/type=xdp",
            ]
        );
    }
}
