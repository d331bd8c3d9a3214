//! Settings: the kernel's settings that shape counts. A command that changes one of them
//! would silently change the counts of later commands. So each reading begins with the
//! settings of the first.

use std::fs;
use std::io;

use crate::guest::CLOCKSOURCE;
use crate::sys::{self, ClockRate};

/// Files with one setting each: a value, or a choice in brackets among others. Files that
/// this kernel does not have are skipped.
const FILES: [&str; 23] = [
    // Translation of BPF programs, and counting of their runs.
    "/proc/sys/net/core/bpf_jit_enable",
    "/proc/sys/net/core/bpf_jit_harden",
    "/proc/sys/net/core/bpf_jit_limit",
    "/proc/sys/kernel/bpf_stats_enabled",
    // Other work of the kernel during a run.
    "/proc/sys/kernel/ftrace_enabled",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/numa_balancing",
    "/proc/sys/kernel/sched_rt_runtime_us",
    "/proc/sys/kernel/sched_schedstats",
    "/proc/sys/kernel/timer_migration",
    "/proc/sys/kernel/watchdog",
    "/sys/kernel/tracing/current_tracer",
    "/sys/kernel/tracing/events/enable",
    CLOCKSOURCE,
    // Programs that the kernel starts by itself.
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    // Memory layout and allocation.
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/vm/nr_hugepages",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/swappiness",
    "/sys/kernel/mm/ksm/run",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/// The control group of the agent, in which commands begin.
const OWN_GROUP: &str = "/proc/self/cgroup";
const ROOT_GROUP: &str = "0::/";

/// The most nanoseconds between two readings of the clocks without a clock being set.
const SAME_TIME: u128 = 100_000_000;

/// The settings at one time.
pub struct Settings {
    files: Vec<(&'static str, String)>,
    group: String,
    rate: Option<ClockRate>,
    time_of_day: Option<i128>,
}

impl Settings {
    /// Reads the current settings.
    pub fn read() -> Self {
        let files = FILES.iter().filter_map(|path| Some((*path, value(path)?)));
        Self {
            files: files.collect(),
            group: value(OWN_GROUP).unwrap_or_default(),
            rate: sys::clock_rate().ok(),
            time_of_day: sys::time_of_day_offset().ok(),
        }
    }

    /// Restores changed settings. Returns one text for each change.
    pub fn restore(&self) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, before) in &self.files {
            let Some(now) = value(path).filter(|now| now != before) else {
                continue;
            };
            let what = format!("{path} from {before:?} to {now:?}");
            changes.push(describe(&what, write(path, before)));
        }
        if value(OWN_GROUP).is_some_and(|now| now != self.group) {
            changes.push(describe("the control group", self.rejoin()));
        }
        if let (Some(before), Ok(now)) = (self.rate, sys::clock_rate())
            && before != now
        {
            let restored = sys::set_clock_rate(before);
            changes.push(describe("the clock's pace", restored));
        }
        if let (Some(before), Ok(now)) = (self.time_of_day, sys::time_of_day_offset())
            && before.abs_diff(now) > SAME_TIME
        {
            let restored = sys::set_time_of_day_offset(before);
            changes.push(describe("the time of day", restored));
        }
        changes
    }

    fn rejoin(&self) -> io::Result<()> {
        if self.group != ROOT_GROUP {
            return Err(io::Error::other("it was not the root of all"));
        }
        fs::write(
            "/sys/fs/cgroup/cgroup.procs",
            std::process::id().to_string(),
        )
    }
}

fn describe(what: &str, restored: io::Result<()>) -> String {
    match restored {
        Ok(()) => format!("it changed {what}: restored, so that later counts are as before"),
        Err(error) => format!(
            "it changed {what}, which cannot be restored ({error}): later counts may be wrong"
        ),
    }
}

/// Reads a setting. `None` if the file is missing or cannot be read.
fn value(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(chosen(text.trim()).to_owned())
}

/// The value in brackets, as in `always [madvise] never`, or else the whole text.
fn chosen(text: &str) -> &str {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(choice, _)| choice)
}

fn write(path: &str, value: &str) -> io::Result<()> {
    // The kernel ignores an empty write.
    fs::write(path, format!("{value}\n"))?;
    match self::value(path) {
        Some(now) if now == value => Ok(()),
        _ => Err(io::Error::other("the kernel keeps the new one")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_the_value_in_brackets() {
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(chosen("tsc"), "tsc");
    }

    #[test]
    fn unchanged_settings_are_not_restored() {
        assert_eq!(Settings::read().restore(), Vec::<String>::new());
    }
}
