//! Verifier log: reads the verifier's log. Pure.
//!
//! Its lines are meant for people and differ between kernels, so lines that are not
//! understood are left out rather than guessed.

use std::str::FromStr;

use crate::record::Verification;

/// The verifier's statistics; log level 4 prints them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// `None` if the log does not have them.
    pub verification: Option<Verification>,
    /// Bytes of stack of each function; see [`crate::stack`].
    pub stack_depths: Vec<u32>,
}

/// Reads the statistics at the end of a log.
pub fn statistics(log: &str) -> Statistics {
    let mut statistics = Statistics::default();
    let mut time_us = None;
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix("processed ") {
            let named = |name| leading_number(rest.split_once(name)?.1);
            statistics.verification = leading_number(rest).map(|insns| Verification {
                insns,
                total_states: named(" total_states "),
                peak_states: named(" peak_states "),
                max_states_per_insn: named(" max_states_per_insn "),
                mark_read: named(" mark_read "),
                time_us,
            });
        } else if let Some(rest) = line.strip_prefix("verification time ") {
            time_us = leading_number(rest);
        } else if is_function_statistics(line) {
            // From kernel 7.3 on, one line for each function.
            let depth = line.rsplit_once(" stack ").map(|(_, depth)| depth);
            statistics
                .stack_depths
                .extend(depth.and_then(leading_number::<u32>));
        } else if let Some(rest) = line.strip_prefix("stack depth ") {
            let depths = rest.split(' ').next().unwrap_or_default();
            statistics.stack_depths = depths
                .split('+')
                .map_while(|depth| depth.parse().ok())
                .collect();
        }
    }
    statistics
}

/// Whether the log is complete: the statistics come last.
pub fn is_whole(log: &str) -> bool {
    log.lines().any(|line| line.starts_with("processed "))
}

/// The log without the report in which kernels from 7.3 on explain the preceding message
/// at length.
fn without_report(log: &str) -> &str {
    log.split("\nVerification failed: ").next().unwrap_or(log)
}

/// Whether a line is like `subprog 1 (sum) static insns_self 2 insns_total 2 stack 0`
fn is_function_statistics(line: &str) -> bool {
    line.starts_with("subprog ") && line.contains(" insns_self ")
}

/// The verifier's last message about the program, as one line.
pub fn last_message(log: &str) -> Option<&str> {
    without_report(log)
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !is_narration(line))
}

/// The last instruction in the log, or else the one that the message names (`jump out of
/// range from insn 3 to 9`).
pub fn last_insn(log: &str) -> Option<u32> {
    let shown = without_report(log).lines().rev().find_map(shown_insn);
    shown.or_else(|| {
        let (_, rest) = last_message(log)?.split_once("insn ")?;
        leading_number(rest)
    })
}

/// Whether a message is about the program's function and line records instead of the
/// program.
pub fn is_about_btf(message: &str) -> bool {
    ["func_info", "line_info", "btf func"]
        .iter()
        .any(|word| message.contains(word))
        || message.starts_with("func type")
        || message.starts_with("number of funcs")
}

/// The end of the log, in whole lines of at most `bytes` together.
pub fn tail(log: &str, bytes: usize) -> &str {
    let log = log.trim_end_matches('\n');
    let Some(cut) = log.len().checked_sub(bytes) else {
        return log;
    };
    // A line may begin right at the cut.
    let newline = log.as_bytes()[cut.saturating_sub(1)..]
        .iter()
        .position(|&byte| byte == b'\n');
    match newline {
        _ if cut == 0 => log,
        Some(at) => &log[cut + at..],
        None => "",
    }
}

/// Parses `12: (79) r1 = ...`
fn shown_insn(line: &str) -> Option<u32> {
    let (index, rest) = line.split_once(": (")?;
    let (opcode, _) = rest.split_once(')')?;
    let hexadecimal = opcode.len() == 2 && opcode.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| index.trim().parse().ok()).flatten()
}

fn leading_number<Number: FromStr>(text: &str) -> Option<Number> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Whether a line reports the verifier's walk or its counts: instructions, source lines,
/// states of registers, statistics.
fn is_narration(line: &str) -> bool {
    const BEGINNINGS: [&str; 19] = [
        ";",
        "from ",
        "func#",
        "Func#",
        "Validating ",
        "verification time ",
        "stack depth ",
        "processed ",
        "caller:",
        "callee:",
        "returning from callee",
        "to caller at ",
        "cur state:",
        "old state:",
        "propagating ",
        "regs=",
        "last_idx ",
        "mark_precise",
        "parent ",
    ];
    line.is_empty()
        || is_function_statistics(line)
        || BEGINNINGS
            .iter()
            .any(|beginning| line.starts_with(beginning))
        || is_numbered(line)
        || is_state(line)
}

/// Matches `3: R0=...`, `12: (95) exit`, `7: safe`
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(':')
}

/// Matches `R0=inv0 R10=fp0`, `frame1: R1_w=...`, `fp-8=mmmmmmmm`
fn is_state(line: &str) -> bool {
    let line = match line.strip_prefix("frame") {
        Some(rest) => match rest.split_once(':') {
            Some((_, rest)) => rest.trim_start(),
            None => rest,
        },
        None => line,
    };
    let Some(first) = line.split(' ').next() else {
        return false;
    };
    let Some((place, _)) = first.split_once('=') else {
        return line.is_empty();
    };
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    place.strip_prefix('R').is_some_and(numbered) || place.strip_prefix("fp-").is_some_and(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_whole_lines() {
        let log = "one\ntwo\nthree\n";
        assert_eq!(tail(log, 100), "one\ntwo\nthree");
        assert_eq!(tail(log, 9), "two\nthree");
        assert_eq!(tail(log, 8), "three");
        assert_eq!(tail(log, 5), "three");
        assert_eq!(tail(log, 4), "");
        assert_eq!(tail("", 4), "");
    }

    #[test]
    fn statistics_of_several_functions() {
        let log = "verification time 120 usec\nstack depth 56+8+0\nprocessed 123 insns (limit 1000000) max_states_per_insn 4 total_states 3 peak_states 2 mark_read 1\n";
        assert_eq!(
            statistics(log),
            Statistics {
                verification: Some(Verification {
                    insns: 123,
                    max_states_per_insn: Some(4),
                    total_states: Some(3),
                    peak_states: Some(2),
                    mark_read: Some(1),
                    time_us: Some(120),
                }),
                stack_depths: vec![56, 8, 0]
            }
        );
        assert!(is_whole(log));
        assert_eq!(statistics("0: (95) exit\n"), Statistics::default());
    }

    #[test]
    fn what_a_kernel_does_not_print_is_not_known() {
        let log = "processed 7 insns (limit 1000000) total_states 3 peak_states many\n";
        assert_eq!(
            statistics(log).verification,
            Some(Verification {
                insns: 7,
                total_states: Some(3),
                peak_states: None,
                max_states_per_insn: None,
                mark_read: None,
                time_us: None,
            })
        );
    }

    macro_rules! real {
        ($name:literal) => {
            include_str!(concat!("../tests/fixtures/logs/", $name, ".log"))
        };
    }

    #[test]
    fn logs_of_several_kernels() {
        let null = "R0 invalid mem access 'map_value_or_null'";
        let outside = "R1 offset is outside of the packet";
        let range = "R1 min value is outside of the allowed memory range";
        let endless = "infinite loop detected at insn 0";
        /// Log, message, instruction, statistics but the time, depths.
        type Case<'a> = (&'a str, &'a str, u32, [u32; 5], &'a [u32]);
        let cases: [Case; 10] = [
            (real!("5.8-unchecked"), null, 7, [7, 0, 0, 0, 0], &[4]),
            (real!("5.8-unbounded"), outside, 9, [3, 0, 0, 0, 0], &[0, 0]),
            (real!("5.8-endless"), endless, 0, [9, 0, 1, 1, 0], &[0]),
            (
                real!("5.8-off_cpu"),
                "R1 invalid mem access 'inv'",
                509,
                [133, 0, 11, 11, 5],
                &[24],
            ),
            (real!("6.12-unchecked"), null, 7, [7, 0, 0, 0, 0], &[8]),
            (
                real!("6.12-unbounded"),
                outside,
                9,
                [3, 0, 0, 0, 0],
                &[0, 0],
            ),
            (real!("6.12-endless"), endless, 0, [9, 0, 1, 1, 0], &[0]),
            (real!("7.3-unchecked"), null, 7, [7, 0, 0, 0, 0], &[8]),
            (real!("7.3-unbounded"), range, 9, [3, 0, 0, 0, 0], &[0, 0]),
            (real!("7.3-endless"), endless, 0, [9, 0, 1, 1, 0], &[0]),
        ];
        for (log, message, insn, numbers, depths) in cases {
            assert_eq!(last_message(log), Some(message));
            assert_eq!(last_insn(log), Some(insn), "{message}");
            assert!(is_whole(log));
            let statistics = statistics(log);
            let own = statistics.verification.unwrap();
            let found = [
                Some(own.insns),
                own.max_states_per_insn,
                own.total_states,
                own.peak_states,
                own.mark_read,
            ];
            assert_eq!(found, numbers.map(Some));
            assert!(own.time_us > Some(100));
            assert_eq!(statistics.stack_depths, depths);
        }
    }

    #[test]
    fn a_message_may_name_the_instruction() {
        let log = "jump out of range from insn 3 to 9\nprocessed 0 insns (limit 1000000)\n";
        assert_eq!(
            last_message(log),
            Some("jump out of range from insn 3 to 9")
        );
        assert_eq!(last_insn(log), Some(3));
        assert_eq!(last_insn("unknown opcode 00\n"), None);
    }

    #[test]
    fn verifier_states_are_not_messages() {
        for line in [
            "R0=inv0 R10=fp0",
            "R0_w=0 R10=fp0 fp-8=mmmmmmmm",
            "frame1: R1=ctx(id=0,off=0,imm=0) R10=fp0",
            "fp-8=????mmmm",
            "12: safe",
            "from 3 to 5: R0=0",
            "; int x = 1;",
        ] {
            assert!(is_narration(line), "{line}");
        }
        for line in [
            "R1 type=scalar expected=fp",
            "R0 !read_ok",
            "R1 offset is outside of the packet",
            "invalid mem access 'inv'",
            "math between map_value pointer and register with unbounded min value is not allowed",
        ] {
            assert!(!is_narration(line), "{line}");
        }
    }
}
